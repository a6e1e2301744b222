// SPDX-License-Identifier: MIT
// The same solver on a compute device. Particles stay on it between steps; the host's arrays (wbSph) are what was
// copied back last.
#pragma once

#include "space/gpu_cells.h"
#include "sph/sph.h"

typedef struct wbSphGpu wbSphGpu;

wbStatus wbCreateSphGpu(wbMemory *memory, wbGpu *gpu, wbSphGpu **device);
void wbDestroySphGpu(wbSphGpu *device);

/// The host's particles changed: they are copied to the device at the next step.
void wbSphGpu_Invalidate(wbSphGpu *device);

/// Advances the device's particles by dt seconds; sets maxima, phase times, pairs and sums of `sph`. After
/// wb_errorMemory, or if kernels cannot be built, the particles are as before. If the device fails, they are lost, and
/// the host's are the last good ones: wbSphGpu_IsNewer tells which. Solids may be NULL.
wbStatus wbSphGpu_Step(wbSphGpu *device, wbSph *sph, const wbSphModel *model, const wbSphSolids *solids,
                       const wbWork *work, float dt);

/// True if the device's particles are ahead of the host's.
bool wbSphGpu_IsNewer(const wbSphGpu *device);
/// Copies them back. After a failure the device's are lost, and the host's are what they were.
wbStatus wbSphGpu_Pull(wbSphGpu *device, wbSph *sph);

enum { WB_SPH_GPU_KEPT = 9 };
/// What a device keeps between steps, for code that adds and removes particles.
typedef struct wbSphGpuParts {
    wbGpu *gpu;
    wbGpuCells *cells;
    wbGpuBuffer *kept[WB_SPH_GPU_KEPT];  ///< the saved columns of wbSph_ListColumns, in their order
    wbGpuBuffer *spare[WB_SPH_GPU_KEPT]; ///< as long, with nothing in them that a step needs
    wbArray *pulled;                     ///< float: as many as there are particles, for wbSphGpu_Pull
    float *min, *max;                    ///< m, around the particles: three each
} wbSphGpuParts;
wbSphGpuParts wbSphGpu_GetParts(wbSphGpu *device);
/// What is on the device is halfway or lost: the host's particles are the last good ones. Gives wb_errorDevice.
wbStatus wbSphGpu_Lose(wbSphGpu *device, wbStatus why);
