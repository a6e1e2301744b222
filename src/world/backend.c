// SPDX-License-Identifier: MIT
// Where the state is: in the host's arrays, or ahead of them on a compute device.
#include <string.h>

#include "core/status.h"
#include "sph/sph_flow.h"
#include "world/world.h"

void wbKeepValues(wbWorld *world) {
    if (!world->sphGpu || wbSphGpu_IsNewer(world->sphGpu) || wbIsSoftAhead(world)) return;
    wbSavedValue values[WB_WORLD_VALUES];
    wbWorld_ListValues(world, values);
    for (int v = 0; v < WB_WORLD_VALUES; v++)
        memcpy(world->keptValues[v], values[v].data, wbGetValueSize(values[v].type));
    wbKeepFlow(world);
    wbKeepSolids(world);
    wbKeepSoft(world);
}

static void restoreValues(wbWorld *world) {
    wbSavedValue values[WB_WORLD_VALUES];
    wbWorld_ListValues(world, values);
    for (int v = 0; v < WB_WORLD_VALUES; v++)
        memcpy(values[v].data, world->keptValues[v], wbGetValueSize(values[v].type));
    wbRestoreFlow(world);
    wbRestoreSolids(world);
    wbRestoreSoft(world);
}

wbStatus wbGoBack(wbWorld *world, wbStatus why) {
    int64_t reached = world->stepCount;
    restoreValues(world);
    if (world->stepCount != reached)
        why = wbError(why.code, "%s; the world is back at step %lld, the last one copied from the device",
                      why.text, (long long)world->stepCount);
    if (why.code == wb_errorDevice) world->stopped = why;
    return why;
}

wbStatus wbPullState(wbWorld *world) {
    if (!world->sphGpu || !(wbSphGpu_IsNewer(world->sphGpu) || wbIsSoftAhead(world))) return wb_okStatus;
    wbStatus status = wbPullSoft(world);
    if (wbIsOk(status)) status = wbSphGpu_Pull(world->sphGpu, &world->sph);
    if (!wbIsOk(status)) return wbGoBack(world, status);
    wbKeepValues(world);
    return wb_okStatus;
}

void wbTouchState(wbWorld *world) {
    if (!world->sphGpu) return;
    wbSphGpu_Invalidate(world->sphGpu);
    wbTouchSoft(world);
    wbKeepValues(world);
}

static void closeDevice(wbWorld *world) {
    wbCloseSoftDevice(world);
    wbDestroyGuardGpu(world->guardGpu);
    wbDestroySphFlowGpu(world->sphFlowGpu);
    wbDestroySphGpu(world->sphGpu);
    wbCloseGpu(world->gpu);
    world->guardGpu = NULL, world->sphFlowGpu = NULL, world->sphGpu = NULL, world->gpu = NULL;
}

static wbStatus openDevice(wbWorld *world, int device) {
    wbGpu *gpu;
    WB_TRY(wbOpenGpu(world->memory, device, &gpu));
    wbSphGpu *sphGpu;
    wbStatus status = wbCreateSphGpu(world->memory, gpu, &sphGpu);
    if (!wbIsOk(status)) {
        wbCloseGpu(gpu);
        return status;
    }
    closeDevice(world);
    world->gpu = gpu, world->sphGpu = sphGpu;
    wbKeepValues(world);
    return wb_okStatus;
}

wbStatus wbWorld_SetBackend(wbWorld *world, wbBackend backend, int device) {
    (void)wbPullState(world); // where the device is lost, the last state that was copied back goes on
    if (backend == wb_backendOpencl)
        WB_TRY(openDevice(world, device));
    else
        closeDevice(world);
    world->params.backend = backend, world->params.device = device;
    if (world->stopped.code == wb_errorDevice) world->stopped = wb_okStatus;
    return wb_okStatus;
}

void wbFreeBackend(wbWorld *world) { closeDevice(world); }

const wbDevice *wbWorld_GetDevice(const wbWorld *world) {
    return world->gpu ? wbGpu_GetDevice(world->gpu) : NULL;
}
