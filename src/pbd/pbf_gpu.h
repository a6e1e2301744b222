// SPDX-License-Identifier: MIT
// The same fluid on a compute device, where its particles stay between steps.
#pragma once

#include "pbd/pbf.h"
#include "space/particles_gpu.h"

typedef struct wbPbfGpu wbPbfGpu;

wbStatus wbCreatePbfGpu(wbMemory *memory, wbGpu *gpu, wbPbfGpu **device);
void wbDestroyPbfGpu(wbPbfGpu *device);

/// Where its particles are: to copy them back, and to tell that the host's changed.
wbParticlesGpu *wbPbfGpu_GetParticles(wbPbfGpu *device);

/// Advances the device's particles by dt seconds; sets maxima, phase times and pairs of `pbf`. After a failure the device's particles
/// may be halfway, `deviceIsNewer` or not: who needs those of before has a copy of them, as the world has (world/snapshot.h).
/// Colliders may be NULL.
wbStatus wbPbfGpu_Step(wbPbfGpu *device, wbPbf *pbf, const wbPbfModel *model,
                       const wbFluidColliders *colliders, const wbWork *work, float dt);
