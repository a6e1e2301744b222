// SPDX-License-Identifier: MIT
// Colliders in the water on a compute device: the host places and sorts their points, the device sums over them.
#pragma once

#include "space/boundary_gpu.h"
#include "sph/sph_boundary.h"

typedef struct wbSphBoundaryGpu wbSphBoundaryGpu;

wbStatus wbCreateSphBoundaryGpu(wbMemory *memory, wbGpu *gpu, wbSphBoundaryGpu **walls);
void wbDestroySphBoundaryGpu(wbSphBoundaryGpu *walls);

/// The particles on the device.
typedef struct wbSphWater {
    int count, items; ///< an item has as many particles as REAL has lanes
    const wbSphModel *model;
    const wbGpuCells *cells;
    const SpaceSearch *search;
    const wbGpuBuffer *x, *y, *z, *vx, *vy, *vz, *inverseDensity, *term;
    const wbGpuBuffer *root; ///< of impedances, where fluids have different densities; else any buffer
} wbSphWater;

/// Before anything runs: weights, and room for all points and their forces. Nothing else fails but wbSphBoundaryGpu_Place and
/// wbSphBoundaryGpu_Build, unless the device does.
wbStatus wbSphBoundaryGpu_Reserve(wbSphBoundaryGpu *walls, wbBoundary *boundary, const wbSphModel *model,
                                  const wbWork *work);
/// Places the bodies as they are at this time and copies them to the device.
wbStatus wbSphBoundaryGpu_Place(wbSphBoundaryGpu *walls, const wbWork *work, wbBoundaryTime time);
/// Kernels for the cells as they are now.
wbStatus wbSphBoundaryGpu_Build(wbSphBoundaryGpu *walls, const wbSphModel *model, const wbGpuCells *cells,
                                bool isMixed);

/// What the points add to the sums of density, to normals and to accelerations.
wbStatus wbSphBoundaryGpu_AddDensity(wbSphBoundaryGpu *walls, const wbSphWater *water, wbGpuBuffer *sums);
wbStatus wbSphBoundaryGpu_AddNormals(wbSphBoundaryGpu *walls, const wbSphWater *water,
                                     wbGpuBuffer normals[3]);
wbStatus wbSphBoundaryGpu_AddForces(wbSphBoundaryGpu *walls, const wbSphWater *water,
                                    wbGpuBuffer accelerations[3]);
/// Gets the forces on the bodies, after wbSphBoundaryGpu_AddForces; wbSphBoundaryGpu_TakeForces then gives them to the bodies.
wbStatus wbSphBoundaryGpu_FindForces(wbSphBoundaryGpu *walls, const wbSphWater *water);
void wbSphBoundaryGpu_TakeForces(wbSphBoundaryGpu *walls, wbBoundaryTime time);
