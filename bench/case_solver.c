// SPDX-License-Identifier: MIT
#include "bench/case_solver.h"

#include "core/status.h"

static wbStatus openDevice(const wbCaseMachine *machine, wbWork *work, wbGpu **gpu) {
    WB_TRY(wbCreateCaseWork(machine->threadCount, machine->simd, work));
    if (machine->backend == wb_backendCpu) return wb_okStatus;
    return wbOpenGpu(work->memory, machine->deviceIndex, gpu);
}

wbStatus wbCreateCaseBodies(const wbCaseMachine *machine, wbCaseBodies *bodies) {
    *bodies = (wbCaseBodies){.model = {.params = wbDefaultPbdParams(), .domain = &bodies->domain},
                             .domain = {.dimensions = 3, .gravity = {0, -9.81f, 0}}};
    wbPbd_Init(&bodies->pbd);
    wbStatus status = openDevice(machine, &bodies->work, &bodies->gpu);
    if (wbIsOk(status) && bodies->gpu)
        status = wbCreatePbdGpu(bodies->work.memory, bodies->gpu, &bodies->device);
    if (!wbIsOk(status)) wbDestroyCaseBodies(bodies);
    return status;
}

void wbDestroyCaseBodies(wbCaseBodies *bodies) {
    wbDestroyPbdGpu(bodies->device);
    wbCloseGpu(bodies->gpu);
    wbPbd_Free(bodies->work.memory, &bodies->pbd);
    wbDestroyCaseWork(&bodies->work);
}

wbStatus wbCaseBodies_Step(wbCaseBodies *bodies, float dt) {
    wbArena_Reset(bodies->work.arena);
    if (bodies->device) return wbPbdGpu_Step(bodies->device, &bodies->pbd, &bodies->model, &bodies->work, dt);
    return wbPbd_Step(&bodies->pbd, &bodies->model, &bodies->work, dt);
}

wbStatus wbCaseBodies_Pull(wbCaseBodies *bodies) {
    return bodies->device ? wbPbdGpu_Pull(bodies->device, &bodies->pbd) : wb_okStatus;
}
