// SPDX-License-Identifier: MIT
// The same fluid on a compute device. Particles stay on it between steps; the host's arrays (wbPbf) are what was copied
// back last.
#pragma once

#include "pbd/pbf.h"
#include "space/gpu_cells.h"

typedef struct wbPbfGpu wbPbfGpu;

wbStatus wbCreatePbfGpu(wbMemory *memory, wbGpu *gpu, wbPbfGpu **device);
void wbDestroyPbfGpu(wbPbfGpu *device);

/// The host's particles changed: they are copied to the device at the next step.
void wbPbfGpu_Invalidate(wbPbfGpu *device);

/// Advances the device's particles by dt seconds; sets maxima, phase times and pairs of `pbf`. After wb_errorMemory, or
/// if kernels cannot be built, the particles are those at the end of a sub-step, or of before. If the device fails, they
/// are lost, and the host's are the last good ones: wbPbfGpu_IsNewer tells which.
wbStatus wbPbfGpu_Step(wbPbfGpu *device, wbPbf *pbf, const wbPbfModel *model, float dt);

/// True if the device's particles are ahead of the host's.
bool wbPbfGpu_IsNewer(const wbPbfGpu *device);
/// Copies them back. After a failure the device's are lost, and the host's are what they were.
wbStatus wbPbfGpu_Pull(wbPbfGpu *device, wbPbf *pbf);
