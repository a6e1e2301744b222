// SPDX-License-Identifier: MIT
// Colliders in a position based fluid on a compute device: the host places and sorts their points, the device sums over them.
#pragma once

#include "pbd/pbf_boundary.h"
#include "space/boundary_gpu.h"

typedef struct wbPbfBoundaryGpu wbPbfBoundaryGpu;

wbStatus wbCreatePbfBoundaryGpu(wbMemory *memory, wbGpu *gpu, wbPbfBoundaryGpu **walls);
/// NULL is allowed.
void wbDestroyPbfBoundaryGpu(wbPbfBoundaryGpu *walls);

/// The particles of a sub-step on the device.
typedef struct wbPbfSwarm {
    int count, items; ///< an item has as many particles as REAL has lanes
    const wbPbfModel *model;
    float rate; ///< 1/s, of sub-steps
    const wbGpuCells *cells;
    const SpaceSearch *search;
    const wbGpuBuffer *predicted,
        *places; ///< x, y, z each: what cells are sorted by, and where they are by now
    const wbGpuBuffer *lambda;
    const wbGpuBuffer *relative; ///< densities of several fluids over the solver's; of one, anything
    wbGpuBuffer *velocities;     ///< x, y, z
    wbGpuBuffer *
        walls; ///< gradient, density and squared gradients that colliders add; after the iterations changes of velocity
    wbGpuBuffer *scratch; ///< seven
} wbPbfSwarm;

/// Before anything runs: weights, and room for all points. Nothing else fails but the next two, unless the device does.
wbStatus wbPbfBoundaryGpu_Reserve(wbPbfBoundaryGpu *walls, wbBoundary *boundary, const wbPbfModel *model,
                                  const wbWork *work);
/// Places the bodies at the end of the sub-step and copies them to the device, without forces.
wbStatus wbPbfBoundaryGpu_Place(wbPbfBoundaryGpu *walls, const wbWork *work);
/// Kernels for the cells as they are now, and for fluids of different density.
wbStatus wbPbfBoundaryGpu_Build(wbPbfBoundaryGpu *walls, const wbGpuCells *cells, bool mixed);

/// What colliders add to densities and gradients, before lambda is found; what that does to them, after it.
wbStatus wbPbfBoundaryGpu_Add(wbPbfBoundaryGpu *walls, const wbPbfSwarm *swarm);
wbStatus wbPbfBoundaryGpu_AddForces(wbPbfBoundaryGpu *walls, const wbPbfSwarm *swarm);
/// Velocities where nothing slips, and what that does to colliders.
wbStatus wbPbfBoundaryGpu_Stick(wbPbfBoundaryGpu *walls, const wbPbfSwarm *swarm);
/// What the collision, which changed velocities from these, did to them.
wbStatus wbPbfBoundaryGpu_AddCaught(wbPbfBoundaryGpu *walls, const wbPbfSwarm *swarm,
                                    const wbGpuBuffer before[3]);
/// Adds a share of them to the bodies.
wbStatus wbPbfBoundaryGpu_TakeForces(wbPbfBoundaryGpu *walls, double share);
