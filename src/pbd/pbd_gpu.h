// SPDX-License-Identifier: MIT
// The same solids on a compute device. Particles stay on it between steps; the host's arrays (wbPbd) are what was copied
// back last.
#pragma once

#include "pbd/pbd.h"
#include "space/gpu_cells.h"

typedef struct wbPbdGpu wbPbdGpu;

wbStatus wbCreatePbdGpu(wbMemory *memory, wbGpu *gpu, wbPbdGpu **device);
void wbDestroyPbdGpu(wbPbdGpu *device);

/// The host's particles changed: they are copied to the device at the next step. Constraints that are added are seen
/// without it.
void wbPbdGpu_Invalidate(wbPbdGpu *device);

/// Advances the device's particles by dt seconds; sets the highest speed and the phase times of `pbd`. After
/// wb_errorMemory, or if kernels cannot be built, the particles are those at the end of a sub-step, or of before. If the
/// device fails, they are lost, and the host's are the last good ones: wbPbdGpu_IsNewer tells which.
wbStatus wbPbdGpu_Step(wbPbdGpu *device, wbPbd *pbd, const wbPbdModel *model, const wbWork *work, float dt);

/// Gives up the device's particles: the host's count.
void wbPbdGpu_Discard(wbPbdGpu *device);

/// True if the device's particles are ahead of the host's.
bool wbPbdGpu_IsNewer(const wbPbdGpu *device);
/// Copies them back. After a failure the device's are lost, and the host's are what they were.
wbStatus wbPbdGpu_Pull(wbPbdGpu *device, wbPbd *pbd);
/// The same in two steps, for a state of more than one solver: what may fail, then what cannot.
wbStatus wbPbdGpu_Fetch(wbPbdGpu *device, const wbPbd *pbd);
void wbPbdGpu_Take(wbPbdGpu *device, wbPbd *pbd);
/// Copies positions and velocities beside the host's, which stay what they were; good until the next call.
wbStatus wbPbdGpu_Copy(wbPbdGpu *device, const wbPbd *pbd, const float *positions[3],
                       const float *velocities[3]);
/// m, around the particles after the last step.
void wbPbdGpu_GetBox(const wbPbdGpu *device, float min[3], float max[3]);
