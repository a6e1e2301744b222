// SPDX-License-Identifier: MIT
// Colliders in the water on a compute device: the host places and sorts their points, the device sums over them.
#pragma once

#include "space/boundary_gpu.h"
#include "sph/sph_boundary.h"

typedef struct wbSphWallGpu wbSphWallGpu;

wbStatus wbCreateSphWallGpu(wbMemory *memory, wbGpu *gpu, wbSphWallGpu **walls);
void wbDestroySphWallGpu(wbSphWallGpu *walls);

/// The particles on the device.
typedef struct wbSphWater {
    int count, items; ///< an item has as many particles as REAL has lanes
    const wbSphModel *model;
    const wbGpuCells *cells;
    const wbGpuBuffer *x, *y, *z, *vx, *vy, *vz, *inverseDensity, *term;
    const wbGpuBuffer *root; ///< of impedances, where fluids have different densities; else any buffer
} wbSphWater;

/// Before anything runs: weights, and room for all points and their forces. Nothing else fails but wbSphWallGpu_Place and
/// wbSphWallGpu_Build, unless the device does.
wbStatus wbSphWallGpu_Reserve(wbSphWallGpu *walls, wbBoundary *boundary, const wbSphModel *model,
                              const wbWork *work);
/// Places the bodies as they are at this time and copies them to the device.
wbStatus wbSphWallGpu_Place(wbSphWallGpu *walls, const wbWork *work, wbBoundaryTime time);
/// Kernels for the cells as they are now.
wbStatus wbSphWallGpu_Build(wbSphWallGpu *walls, const wbSphModel *model, const wbGpuCells *cells,
                            bool isMixed);

/// What the points add to the sums of density, to normals and to accelerations.
wbStatus wbSphWallGpu_AddDensity(wbSphWallGpu *walls, const wbSphWater *water, wbGpuBuffer *sums);
wbStatus wbSphWallGpu_AddNormals(wbSphWallGpu *walls, const wbSphWater *water, wbGpuBuffer normals[3]);
wbStatus wbSphWallGpu_AddForces(wbSphWallGpu *walls, const wbSphWater *water, wbGpuBuffer accelerations[3]);
/// Gets the forces on the bodies, after wbSphWallGpu_AddForces; wbSphWallGpu_TakeForces then gives them to the bodies.
wbStatus wbSphWallGpu_FindForces(wbSphWallGpu *walls, const wbSphWater *water);
void wbSphWallGpu_TakeForces(wbSphWallGpu *walls, wbBoundaryTime time);
