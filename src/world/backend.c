// SPDX-License-Identifier: MIT
// Where the state is: in the host's arrays, or ahead of them on a compute device.
#include <string.h>

#include "core/param_table.h"
#include "core/status.h"
#include "world/grab.h"
#include "world/world.h"

bool wbSolver_IsAhead(const wbSolver *solver) {
    return solver->device && solver->kind->device->isAhead(solver);
}

bool wbIsDeviceNewer(const wbWorld *world) {
    for (int s = 0; s < WB_SOLVER_COUNT; s++)
        if (wbSolver_IsAhead(&world->solvers[s])) return true;
    return false;
}

void wbRecordHostValues(wbWorld *world) {
    if (!world->gpu || wbIsDeviceNewer(world)) return;
    wbSavedValue values[WB_WORLD_VALUES];
    wbWorld_ListValues(world, values);
    for (int v = 0; v < WB_WORLD_VALUES; v++)
        memcpy(world->hostValues[v], values[v].data, wbGetValueSize(values[v].type));
    world->hostDomain = world->domain;
    world->hostBookedGravity = world->bookedGravity;
    for (wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->self) wbSolver_RecordHostValues(s);
    wbRecordHostFlow(world);
    wbRecordHostColliders(world);
    for (int i = 0; i < world->grabIds.indexCount; i++)
        wbGetGrabAt(world, i)->hostState = wbGetGrabAt(world, i)->state;
}

static void restoreValues(wbWorld *world) {
    wbSavedValue values[WB_WORLD_VALUES];
    wbWorld_ListValues(world, values);
    for (int v = 0; v < WB_WORLD_VALUES; v++)
        memcpy(values[v].data, world->hostValues[v], wbGetValueSize(values[v].type));
    world->domain = world->hostDomain;
    world->bookedGravity = world->hostBookedGravity;
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->self) wbSolver_RestoreHostValues(s);
    wbRestoreHostFlow(world);
    wbRestoreHostColliders(world);
    for (int i = 0; i < world->grabIds.indexCount; i++)
        wbGetGrabAt(world, i)->state = wbGetGrabAt(world, i)->hostState;
}

wbStatus wbDiscardDevices(wbWorld *world, wbStatus why) {
    int64_t reached = world->stepCount;
    for (wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->device) s->kind->device->discard(s, why);
    restoreValues(world);
    (void)wbFollowGravity(world); // of particles on the host
    world->stateVersion++;
    if (world->stepCount != reached)
        why = wbError(why.code, "%s; the world is back at step %lld, the last one copied from the device",
                      why.text, (long long)world->stepCount);
    if (why.code == wb_errorDevice) world->stopped = why;
    return why;
}

wbStatus wbPullState(wbWorld *world) {
    if (!wbIsDeviceNewer(world)) return wb_okStatus;
    wbSolver *const end = world->solvers + WB_SOLVER_COUNT;
    for (wbSolver *s = world->solvers; s < end; s++) { // all or none
        wbStatus status = s->device ? s->kind->device->fetch(s) : wb_okStatus;
        if (!wbIsOk(status)) return wbDiscardDevices(world, status);
    }
    for (wbSolver *s = world->solvers; s < end; s++)
        if (s->device) s->kind->device->take(s);
    WB_TRY(wbFollowGravity(world));
    wbRecordHostValues(world);
    return wb_okStatus;
}

void wbMarkLiquidDirty(wbWorld *world, wbParticleFluid *liquid) {
    world->stateVersion++;
    if (!liquid->device) return;
    wbParticlesGpu_MarkDirty(liquid->device);
    if (!world->snapshot.isTaken) wbRecordHostValues(world); // else a step records all of them at its end
}

void wbMarkStateDirty(wbWorld *world) {
    world->stateVersion++;
    for (wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->device) s->kind->device->markDirty(s);
    wbRecordHostValues(world);
}

// A solver's state on the device, or none.
static void setDevice(wbSolver *solver, void *device) {
    wbParticleFluid *liquid = solver->liquid;
    solver->device = device;
    if (!liquid) return;
    wbDestroyParticleFlowGpu(liquid->flowGpu);
    liquid->flowGpu = NULL;
    liquid->device = device ? solver->kind->device->getParticles(device) : NULL;
}

wbStatus wbSolver_OpenDevice(wbSolver *solver) {
    void *device;
    if (!solver->kind->device) return wb_okStatus;
    WB_TRY(solver->kind->device->create(solver, solver->world->gpu, &device));
    setDevice(solver, device);
    return wb_okStatus;
}

void wbSolver_CloseDevice(wbSolver *solver) {
    void *device = solver->device;
    setDevice(solver, NULL);
    if (device) solver->kind->device->destroy(device);
}

void wbLeaveDevice(wbWorld *world) {
    for (wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++) wbSolver_CloseDevice(s);
    wbDestroyCollisionGpu(world->collisionGpu);
    wbSnapshot_FreeBuffers(&world->snapshot, world->gpu);
    world->collisionGpu = NULL, world->gpu = NULL;
}

static void closeDevice(wbWorld *world) {
    wbGpu *gpu = world->gpu;
    wbLeaveDevice(world);
    wbCloseGpu(gpu);
}

wbStatus wbShareDevice(wbWorld *world, const wbWorld *other) {
    world->params.backend = other->params.backend, world->params.device = other->params.device;
    if (!other->gpu) return wb_okStatus;
    world->gpu = other->gpu;
    for (wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->self) WB_TRY(wbSolver_OpenDevice(s));
    wbRecordHostValues(world);
    return wb_okStatus;
}

// All solvers or none: then what computed goes on.
static wbStatus openDevice(wbWorld *world, int device) {
    wbGpu *gpu;
    void *devices[WB_SOLVER_COUNT] = {NULL};
    WB_TRY(wbOpenGpu(world->memory, device, &gpu));
    wbStatus status = wb_okStatus;
    for (int s = 0; s < WB_SOLVER_COUNT && wbIsOk(status); s++) {
        const wbSolver *solver = &world->solvers[s];
        if (solver->self && solver->kind->device)
            status = solver->kind->device->create(solver, gpu, &devices[s]);
    }
    if (!wbIsOk(status)) {
        for (int s = 0; s < WB_SOLVER_COUNT; s++)
            if (devices[s]) world->solvers[s].kind->device->destroy(devices[s]);
        wbCloseGpu(gpu);
        return status;
    }
    closeDevice(world);
    world->gpu = gpu;
    for (int s = 0; s < WB_SOLVER_COUNT; s++) setDevice(&world->solvers[s], devices[s]);
    wbRecordHostValues(world);
    return wb_okStatus;
}

wbStatus wbWorld_SetBackend(wbWorld *world, wbBackend backend, int device) {
    WB_REQUIRE(world);
    wbWorldParams params = world->params;
    params.backend = backend, params.device = device;
    WB_TRY(wbCheckParams(wbGetParams("world"), &params));
    (void)wbPullState(world); // where the device is lost, the last state that was copied back goes on
    if (backend == wb_backendOpencl)
        WB_TRY(openDevice(world, device));
    else
        closeDevice(world);
    world->params = params;
    if (world->stopped.code == wb_errorDevice) world->stopped = wb_okStatus;
    return wb_okStatus;
}

void wbFreeBackend(wbWorld *world) { closeDevice(world); }

const wbDevice *wbWorld_GetDevice(const wbWorld *world) {
    WB_REQUIRE(world);
    return world->gpu ? wbGpu_GetDevice(world->gpu) : NULL;
}
