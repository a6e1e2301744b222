// SPDX-License-Identifier: MIT
// The same solver on a compute device, where its particles stay between steps.
#pragma once

#include "space/particles_gpu.h"
#include "sph/sph.h"

typedef struct wbSphGpu wbSphGpu;

wbStatus wbCreateSphGpu(wbMemory *memory, wbGpu *gpu, wbSphGpu **device);
void wbDestroySphGpu(wbSphGpu *device);

/// Where its particles are: to copy them back, and to tell that the host's changed.
wbParticlesGpu *wbSphGpu_GetParticles(wbSphGpu *device);

/// Advances the device's particles by dt seconds; sets maxima, phase times, pairs and sums of `sph`. After
/// wb_errorMemory, or if kernels cannot be built, the particles are as before. If the device fails, they are lost, and
/// the host's are the last good ones: `deviceIsNewer` tells which. Colliders may be NULL.
wbStatus wbSphGpu_Step(wbSphGpu *device, wbSph *sph, const wbSphModel *model,
                       const wbFluidColliders *colliders, const wbWork *work, float dt);
