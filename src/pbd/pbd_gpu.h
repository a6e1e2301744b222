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

/// Advances the device's particles by dt seconds; sets the highest speed and the phase times of `pbd`. After a failure the
/// device's particles may be halfway, newer or not: who needs those of before has a copy of them, as the world has
/// (world/snapshot.h).
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
/// What a step changes on the device: the buffers of positions and velocities, in the order of the host's columns, those of the
/// history, and what is known of them.
enum { WB_PBD_MOVING = 6 };
typedef struct wbPbdGpuMarks {
    float min[3], max[3]; ///< m, around the particles
    int historyCount;     ///< of the particles whose history is there
} wbPbdGpuMarks;
wbPbdGpuMarks *wbPbdGpu_ListBuffers(wbPbdGpu *device, wbGpuBuffer *moving[WB_PBD_MOVING],
                                    wbGpuBuffer *history[WB_PBD_HISTORY_COLUMNS]);
/// m, around the particles after the last step.
void wbPbdGpu_GetBox(const wbPbdGpu *device, float min[3], float max[3]);
