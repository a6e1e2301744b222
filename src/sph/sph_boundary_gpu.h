// SPDX-License-Identifier: MIT
// Colliders in the water on a compute device: the host places and sorts their points, the device sums over them.
#pragma once

#include "space/boundary_gpu.h"
#include "sph/sph_boundary.h"

enum { WB_SPH_BOUNDARY_KERNELS = 5, WB_SPH_BOUNDARY_VARIANTS = 16 };

/// Zero before it is used.
typedef struct wbSphBoundaryGpu {
    wbBoundaryGpu *points;
    wbGpuKernel *kernels[WB_SPH_BOUNDARY_VARIANTS][WB_SPH_BOUNDARY_KERNELS];
    wbGpuBuffer adhesion, mean; ///< one float per place
} wbSphBoundaryGpu;

void wbSphBoundaryGpu_Free(wbSphBoundaryGpu *boundary, wbGpu *gpu);

/// The particles on the device.
typedef struct wbSphWater {
    const wbGpuSearch *search;
    const wbSphModel *model;
    const wbGpuBuffer *velocities; ///< x, y, z
    const wbGpuBuffer *inverseDensity, *term;
    const wbGpuBuffer *root; ///< of impedances, where fluids have different densities; else any buffer
} wbSphWater;

/// Before anything runs: room beside that of the points. Nothing else fails but the next two, unless the device does.
wbStatus wbSphBoundaryGpu_Reserve(wbSphBoundaryGpu *boundary, wbBoundaryGpu *points);
/// Places the bodies as they are at this time and copies them to the device.
wbStatus wbSphBoundaryGpu_Place(wbSphBoundaryGpu *boundary, const wbWork *work, wbBoundaryTime time);
/// Kernels for the cells as they are now.
wbStatus wbSphBoundaryGpu_Build(wbSphBoundaryGpu *boundary, const wbSphModel *model, const wbGpuCells *cells,
                                bool isMixed);

/// What the points add to the sums of density, to normals and to accelerations.
wbStatus wbSphBoundaryGpu_AddDensity(wbSphBoundaryGpu *boundary, const wbSphWater *water, wbGpuBuffer *sums);
wbStatus wbSphBoundaryGpu_AddNormals(wbSphBoundaryGpu *boundary, const wbSphWater *water,
                                     wbGpuBuffer normals[3]);
wbStatus wbSphBoundaryGpu_AddForces(wbSphBoundaryGpu *boundary, const wbSphWater *water,
                                    wbGpuBuffer accelerations[3]);
/// Gets the forces on the bodies, after wbSphBoundaryGpu_AddForces; wbSphBoundaryGpu_TakeForces then gives them to the bodies.
wbStatus wbSphBoundaryGpu_FindForces(wbSphBoundaryGpu *boundary, const wbSphWater *water);
void wbSphBoundaryGpu_TakeForces(wbSphBoundaryGpu *boundary, wbBoundaryTime time);
