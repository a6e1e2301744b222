// SPDX-License-Identifier: MIT
#include "bench/case_solver.h"

#include "core/hash.h"
#include "core/status.h"

static wbStatus openDevice(const wbCaseMachine *machine, wbWork *work, wbGpu **gpu) {
    WB_TRY(wbCreateCaseWork(machine->threadCount, machine->simd, work));
    if (machine->backend == wb_backendCpu) return wb_okStatus;
    return wbOpenGpu(work->memory, machine->deviceIndex, gpu);
}

wbStatus wbCreateCaseSolids(const wbCaseMachine *machine, wbCaseSolids *solids) {
    *solids = (wbCaseSolids){.model = {.params = wbDefaultPbdParams(), .gravity = {0, -9.81f, 0}}};
    wbPbd_Init(&solids->pbd);
    wbStatus status = openDevice(machine, &solids->work, &solids->gpu);
    if (wbIsOk(status) && solids->gpu)
        status = wbCreatePbdGpu(solids->work.memory, solids->gpu, &solids->device);
    if (!wbIsOk(status)) wbDestroyCaseSolids(solids);
    return status;
}

void wbDestroyCaseSolids(wbCaseSolids *solids) {
    wbDestroyPbdGpu(solids->device);
    wbCloseGpu(solids->gpu);
    wbPbd_Free(solids->work.memory, &solids->pbd);
    wbDestroyCaseWork(&solids->work);
}

wbStatus wbCaseSolids_Step(wbCaseSolids *solids, float dt) {
    wbArena_Reset(solids->work.arena);
    if (solids->device) return wbPbdGpu_Step(solids->device, &solids->pbd, &solids->model, &solids->work, dt);
    return wbPbd_Step(&solids->pbd, &solids->model, &solids->work, dt);
}

wbStatus wbCaseSolids_Pull(wbCaseSolids *solids) {
    return solids->device ? wbPbdGpu_Pull(solids->device, &solids->pbd) : wb_okStatus;
}

uint64_t wbHashColumns(const wbColumn *columns, int columnCount, int count) {
    uint64_t hash = WB_HASH_START;
    for (int k = 0; k < columnCount; k++)
        if (columns[k].saved)
            hash = wbHashBytes(hash, *columns[k].data, (size_t)columns[k].elementSize * (size_t)count);
    return hash;
}
