// SPDX-License-Identifier: MIT
// The same fluid on a compute device, where its particles stay between steps.
#pragma once

#include "pbd/pbf.h"
#include "space/particle_fluid_gpu.h"

extern const wbFluidGpuKind wb_pbfGpu;

/// Advances the device's particles by dt seconds; sets maxima, phase times and pairs of `pbf`. After a failure the device's particles
/// may be halfway, `deviceIsNewer` or not: who needs those of before has a copy of them, as the world has (world/snapshot.h).
/// Colliders may be NULL.
wbStatus wbPbfGpu_Step(wbFluidGpu *device, wbPbf *pbf, const wbPbfModel *model,
                       const wbFluidColliders *colliders, const wbWork *work, float dt);
