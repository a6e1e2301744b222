// SPDX-License-Identifier: MIT
// Solids in the water, for wbSph_Step and wbSphGpu_Step: their points enter the sums of density, normals and forces, and
// after each drift a guard may put back what went through a surface.
#pragma once

#include "gpu/gpu.h"
#include "space/boundary.h"
#include "sph/sph.h"

/// What a guard sees after a drift. It changes positions and velocities in place, and must not fail: what it needs was
/// allocated before the step.
typedef struct wbSphDrift {
    int count;
    const float *beforeX, *beforeY, *beforeZ; ///< m, before the drift
    float *x, *y, *z, *vx, *vy, *vz;
    const float *wallSums;   ///< 0 where no point of a solid was within h before the drift; NULL: not known
    wbBoundaryTime from, to; ///< which of the bodies' motions belong to before and after
} wbSphDrift;
typedef void wbSphGuardFn(const wbSphDrift *drift, const wbWork *work, void *context);

/// The same on a device. Its buffers were reserved before the step: an error means that the device failed.
typedef struct wbSphGpuDrift {
    int count;
    const wbGpuBuffer *before[3];
    wbGpuBuffer *position[3], *velocity[3];
    wbBoundaryTime from, to;
} wbSphGpuDrift;
typedef wbStatus wbSphGpuGuardFn(const wbSphGpuDrift *drift, void *context);

/// Solids of a step.
struct wbSphSolids {
    wbBoundary *boundary;      ///< its motions are set; forces of the bodies are set by the step
    wbSphGuardFn *guard;       ///< on the cores; NULL: none
    wbSphGpuGuardFn *gpuGuard; ///< on a device; NULL: none
    void *guardContext;
};

/// Volumes of the points by the model's kernel, where they are not known yet; those deeper than h do not count.
wbStatus wbWeighBoundary(wbBoundary *boundary, const wbSphModel *model, const wbWork *work);
