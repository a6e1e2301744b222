// SPDX-License-Identifier: MIT
// The same solver on a compute device. Particles stay on it between steps; the host's arrays (wbSph) are what was
// copied back last.
#pragma once

#include "gpu/gpu.h"
#include "sph/sph.h"

typedef struct wbSphGpu wbSphGpu;

wbStatus wbCreateSphGpu(wbMemory *memory, wbGpu *gpu, wbSphGpu **device);
void wbDestroySphGpu(wbSphGpu *device);

/// The host's particles changed: they are copied to the device at the next step.
void wbSphGpu_Invalidate(wbSphGpu *device);

/// Advances the device's particles by dt seconds; sets maxima, phase times, pairs and sums of `sph`. After
/// wb_errorMemory the particles are as before the step; after wb_errorDevice they may be lost, and the host's are the
/// last good ones.
wbStatus wbSphGpu_Step(wbSphGpu *device, wbSph *sph, const wbSphModel *model, float dt);

/// Copies the device's particles back, if the host's are older.
wbStatus wbSphGpu_Pull(wbSphGpu *device, wbSph *sph);
