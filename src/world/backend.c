// SPDX-License-Identifier: MIT
// Where the state is: in the host's arrays, or ahead of them on a compute device.
#include <string.h>

#include "core/param_table.h"
#include "core/status.h"
#include "world/world.h"

bool wbIsDeviceNewer(const wbWorld *world) {
    bool isAny = wbIsSoftAhead(world) || wbIsAirAhead(world);
    for (int s = 0; s < WB_FLUID_SOLVERS; s++) isAny |= wbIsPoolOnDevice(&world->pools[s]);
    return isAny;
}

void wbSnapshotValues(wbWorld *world) {
    if (!world->gpu || wbIsDeviceNewer(world)) return;
    wbSavedValue values[WB_WORLD_VALUES];
    wbWorld_ListValues(world, values);
    for (int v = 0; v < WB_WORLD_VALUES; v++)
        memcpy(world->snapshotValues[v], values[v].data, wbGetValueSize(values[v].type));
    world->snapshotDomain = world->domain;
    for (wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->kind->isUsed(s)) wbSolver_SnapshotValues(s);
    wbSnapshotFlow(world);
    wbSnapshotColliders(world);
    wbSnapshotSoft(world);
}

static void restoreValues(wbWorld *world) {
    wbSavedValue values[WB_WORLD_VALUES];
    wbWorld_ListValues(world, values);
    for (int v = 0; v < WB_WORLD_VALUES; v++)
        memcpy(values[v].data, world->snapshotValues[v], wbGetValueSize(values[v].type));
    world->domain = world->snapshotDomain;
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->kind->isUsed(s)) wbSolver_RestoreValues(s);
    wbRestoreFlow(world);
    wbRestoreColliders(world);
    wbRestoreSoft(world);
}

wbStatus wbRestoreSnapshot(wbWorld *world, wbStatus why) {
    int64_t reached = world->stepCount;
    for (int s = 0; s < WB_FLUID_SOLVERS; s++)
        if (world->pools[s].device) (void)wbParticlesGpu_Discard(world->pools[s].device, why);
    wbDiscardAir(world, why);
    wbDiscardSoft(world);
    restoreValues(world);
    if (world->stepCount != reached)
        why = wbError(why.code, "%s; the world is back at step %lld, the last one copied from the device",
                      why.text, (long long)world->stepCount);
    if (why.code == wb_errorDevice) world->stopped = why;
    return why;
}

wbStatus wbPullState(wbWorld *world) {
    if (!wbIsDeviceNewer(world)) return wb_okStatus;
    wbStatus airStatus = wbFetchAir(world);
    if (!wbIsOk(airStatus)) return wbRestoreSnapshot(world, airStatus);
    wbStatus softStatus = wbPullSoft(world);
    if (!wbIsOk(softStatus)) return wbRestoreSnapshot(world, softStatus);
    for (int s = 0; s < WB_FLUID_SOLVERS; s++) { // all or none
        const wbPool *pool = &world->pools[s];
        wbStatus status = pool->device ? wbParticlesGpu_Fetch(pool->device, pool->particles) : wb_okStatus;
        if (!wbIsOk(status)) return wbRestoreSnapshot(world, status);
    }
    for (int s = 0; s < WB_FLUID_SOLVERS; s++)
        if (world->pools[s].device) wbParticlesGpu_Take(world->pools[s].device, world->pools[s].particles);
    wbTakeAir(world);
    wbSnapshotValues(world);
    return wb_okStatus;
}

void wbMarkPoolDirty(wbWorld *world, wbPool *pool) {
    if (!pool->device) return;
    wbParticlesGpu_MarkDirty(pool->device);
    wbSnapshotValues(world);
}

void wbMarkStateDirty(wbWorld *world) {
    wbMarkSoftDirty(world);
    wbMarkAirDirty(world);
    for (int s = 0; s < WB_FLUID_SOLVERS; s++) wbMarkPoolDirty(world, &world->pools[s]);
}

static void closeDevice(wbWorld *world) {
    wbCloseSoftDevice(world);
    wbCloseAirDevice(world);
    wbDestroyCollisionGpu(world->collisionGpu);
    for (int s = 0; s < WB_FLUID_SOLVERS; s++) {
        wbDestroyParticleFlowGpu(world->pools[s].flowGpu);
        world->pools[s].flowGpu = NULL, world->pools[s].device = NULL;
    }
    wbDestroySphGpu(world->sphGpu);
    wbDestroyPbfGpu(world->pbfGpu);
    wbCloseGpu(world->gpu);
    world->collisionGpu = NULL, world->sphGpu = NULL, world->pbfGpu = NULL, world->gpu = NULL;
}

static wbStatus openDevice(wbWorld *world, int device) {
    wbGpu *gpu;
    WB_TRY(wbOpenGpu(world->memory, device, &gpu));
    wbSphGpu *sphGpu;
    wbPbfGpu *pbfGpu = NULL;
    wbStatus status = wbCreateSphGpu(world->memory, gpu, &sphGpu);
    if (wbIsOk(status) && wbIsSolverUsed(world, wb_solverPbf))
        status = wbCreatePbfGpu(world->memory, gpu, &pbfGpu);
    if (!wbIsOk(status)) {
        wbDestroySphGpu(sphGpu);
        wbCloseGpu(gpu);
        return status;
    }
    closeDevice(world);
    world->gpu = gpu, world->sphGpu = sphGpu, world->pbfGpu = pbfGpu;
    world->pools[wb_solverSph].device = wbSphGpu_GetParticles(sphGpu);
    if (pbfGpu) world->pools[wb_solverPbf].device = wbPbfGpu_GetParticles(pbfGpu);
    wbSnapshotValues(world);
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
