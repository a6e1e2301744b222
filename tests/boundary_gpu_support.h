// SPDX-License-Identifier: MIT
// For tests of colliders in water on a compute device: a solver there without a world.
#pragma once

#include "boundary_support.h"
#include "gpu_support.h"
#include "sph/sph_gpu.h"

typedef struct DeviceTank {
    Tank *tank;
    wbGpu *gpu;
    wbFluidGpu *device;
} DeviceTank;

static inline DeviceTank createDeviceTank(const Setup *setup, const Bodies *bodies) {
    DeviceTank t = {.tank = createTank(setup, bodies)};
    assertOk(wbOpenGpu(t.tank->work.memory, 0, &t.gpu));
    assertOk(wbCreateFluidGpu(t.tank->work.memory, t.gpu, &wb_sphGpu, &t.device));
    return t;
}

static inline void destroyDeviceTank(DeviceTank *t) {
    wbDestroyFluidGpu(t->device);
    wbCloseGpu(t->gpu);
    destroyTank(t->tank);
}

static inline wbStatus stepDevice(DeviceTank *t, const Bodies *bodies, float dt) {
    Tank *tank = t->tank;
    setMotions(tank, bodies, dt);
    wbArena_Reset(tank->work.arena);
    wbStatus status = wbSphGpu_Step(t->device, &tank->sph, &tank->model, &tank->colliders, &tank->work, dt);
    if (wbIsOk(status)) tank->time += (double)dt;
    return status;
}
