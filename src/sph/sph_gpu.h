// SPDX-License-Identifier: MIT
// The same solver on a compute device, where its particles stay between steps.
#pragma once

#include "space/particle_fluid_gpu.h"
#include "sph/sph.h"

extern const wbFluidGpuKind wb_sphGpu;

/// Advances the device's particles by dt seconds; sets maxima, phase times, pairs and sums of `sph`. After a failure the device's particles
/// may be halfway, `deviceIsNewer` or not: who needs those of before has a copy of them, as the world has (world/snapshot.h).
/// Colliders may be NULL.
wbStatus wbSphGpu_Step(wbFluidGpu *device, wbSph *sph, const wbSphModel *own,
                       const wbFluidColliders *colliders, const wbWork *work, float dt);
