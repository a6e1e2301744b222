// SPDX-License-Identifier: MIT
// Rigid bodies on a compute device: an engine for each method of contact (rigid/rigid_engine.h). Where a method has none, the cores
// compute it, whatever computes the rest of the world; likewise worlds with something that an engine does not know.
#include <string.h>

#include "core/log.h"
#include "core/status.h"
#include "rigid/rigid_exact_gpu.h"
#include "rigid/rigid_gpu.h"
#include "world/rigid.h"

enum { METHODS = wb_contactParticles + 1 };

static const wbRigidEngine *const engines[METHODS] = {
    [wb_contactExact] = &wb_rigidExactEngine, [wb_contactParticles] = &wb_rigidParticlesEngine};

_Static_assert((int)WB_MAX_ENGINE_PARTS <= (int)WB_MAX_STATE_COLUMNS, "a snapshot has room for all parts");

// wbSolver.device: the state of each engine; NULL: it was not needed yet.
typedef struct Devices {
    wbMemory *memory;
    wbGpu *gpu;
    void *states[METHODS];
    const char *missing; // what the engine does not compute, in the step that is being done; NULL: nothing
} Devices;

static int getMethod(const wbSolver *solver) {
    return (int)((const wbRigidBodies *)solver->self)->model.params.contact;
}

static wbRigid *getRigid(const wbSolver *solver) { return &((wbRigidBodies *)solver->self)->rigid; }

static wbStatus makeState(Devices *devices, int method) {
    if (!engines[method] || devices->states[method]) return wb_okStatus;
    return engines[method]->create(devices->memory, devices->gpu, &devices->states[method]);
}

bool wbIsRigidOnDevice(const wbSolver *solver) {
    const Devices *devices = solver->device;
    return devices && engines[getMethod(solver)] != NULL && !devices->missing;
}

static const char *findMissing(const wbSolver *solver) {
    const wbRigidEngine *engine = engines[getMethod(solver)];
    if (engine && wbIsRigidHeld(solver->world)) return "what a grab holds";
    if (engine && wbHasBodies(solver->world)) return "what fluids push";
    if (engine && wbAreRigidBlown(solver->world)) return "what the wind blows against";
    if (engine && wbMeetsSoft(solver->world)) return "what soft bodies push";
    if (!engine || !engine->findMissing) return NULL;
    return engine->findMissing(((const Devices *)solver->device)->gpu, getRigid(solver));
}

// From the device to the cores, and back, as bodies come and go.
static wbStatus chooseMachine(wbSolver *solver) {
    Devices *devices = solver->device;
    const int method = getMethod(solver);
    const char *what = findMissing(solver);
    if (what && (!devices->missing || strcmp(what, devices->missing) != 0))
        wbLog(wb_logWarning, "rigid bodies are computed on the cores: the device does not compute %s", what);
    if (what && wbSolver_IsAhead(solver)) WB_TRY(wbPullState(solver->world));
    if (what && devices->states[method]) engines[method]->invalidate(devices->states[method]);
    devices->missing = what;
    return wb_okStatus;
}

wbStatus wbPrepareRigidDevice(wbSolver *solver) {
    Devices *devices = solver->device;
    const int method = getMethod(solver);
    if (!devices) return wb_okStatus;
    WB_TRY(chooseMachine(solver));
    if (!wbIsRigidOnDevice(solver)) return wb_okStatus;
    WB_TRY(makeState(devices, method));
    return engines[method]->prepare ? engines[method]->prepare(devices->states[method]) : wb_okStatus;
}

wbStatus wbStepRigidOnDevice(wbSolver *solver, float dt) {
    const wbRigidBodies *bodies = solver->self;
    const Devices *devices = solver->device;
    const int method = getMethod(solver);
    return engines[method]->step(devices->states[method], getRigid(solver), &bodies->model,
                                 &solver->world->work, dt);
}

int wbListRigidUnsaved(const wbSolver *solver, wbStateColumn columns[WB_MAX_STATE_COLUMNS]) {
    const Devices *devices = solver->device;
    const int method = getMethod(solver);
    if (!devices || !devices->states[method]) return 0;
    wbRigidEnginePart parts[WB_MAX_ENGINE_PARTS];
    const int count = engines[method]->listParts(devices->states[method], parts);
    for (int k = 0; k < count; k++)
        columns[k] = (wbStateColumn){
            .data = parts[k].data, .buffer = parts[k].buffer, .bytes = parts[k].bytes, .isSnapshot = true};
    return count;
}

// Hooks

static void destroyDevices(void *device) {
    Devices *devices = device;
    for (int m = 0; m < METHODS; m++)
        if (devices->states[m]) engines[m]->destroy(devices->states[m]);
    wbFree(devices->memory, devices, sizeof *devices);
}

static wbStatus createDevices(const wbSolver *solver, wbGpu *gpu, void **device) {
    wbMemory *memory = solver->world->memory;
    Devices *devices = wbAllocZero(memory, sizeof *devices);
    if (!devices) return wbMemoryError(memory, "rigid bodies on a device need");
    devices->memory = memory, devices->gpu = gpu;
    wbStatus status = makeState(devices, getMethod(solver));
    if (wbIsOk(status))
        *device = devices;
    else
        destroyDevices(devices);
    return status;
}

static bool isAhead(const wbSolver *solver) {
    const Devices *devices = solver->device;
    for (int m = 0; m < METHODS; m++)
        if (devices->states[m] && engines[m]->isNewer(devices->states[m])) return true;
    return false;
}

static wbStatus fetch(wbSolver *solver) {
    const Devices *devices = solver->device;
    for (int m = 0; m < METHODS; m++)
        if (devices->states[m]) WB_TRY(engines[m]->fetch(devices->states[m], getRigid(solver)));
    return wb_okStatus;
}

static void take(wbSolver *solver) {
    const Devices *devices = solver->device;
    for (int m = 0; m < METHODS; m++)
        if (devices->states[m]) engines[m]->take(devices->states[m], getRigid(solver));
}

static void markDirty(wbSolver *solver) {
    const Devices *devices = solver->device;
    for (int m = 0; m < METHODS; m++)
        if (devices->states[m]) engines[m]->invalidate(devices->states[m]);
}

static void discard(wbSolver *solver, wbStatus why) {
    const Devices *devices = solver->device;
    (void)why;
    for (int m = 0; m < METHODS; m++)
        if (devices->states[m]) engines[m]->discard(devices->states[m]);
}

const wbSolverDevice wb_rigidDevice = {createDevices, destroyDevices, NULL,      isAhead,
                                       fetch,         take,           markDirty, discard};
