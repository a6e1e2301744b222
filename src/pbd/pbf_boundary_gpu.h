// SPDX-License-Identifier: MIT
// Colliders in a position based fluid on a compute device: the host places and sorts their points, the device sums over them.
#pragma once

#include "pbd/pbf_boundary.h"
#include "space/boundary_gpu.h"

enum { WB_PBF_BOUNDARY_KERNELS = 6, WB_PBF_BOUNDARY_VARIANTS = 4, WB_PBF_BOUNDARY_SUMS = 5 };

/// Zero before it is used.
typedef struct wbPbfBoundaryGpu {
    wbBoundaryGpu *points; ///< with room for them
    wbGpuKernel *kernels[WB_PBF_BOUNDARY_VARIANTS][WB_PBF_BOUNDARY_KERNELS];
} wbPbfBoundaryGpu;

/// The particles of a sub-step on the device, sorted by their predicted positions.
typedef struct wbPbfSwarm {
    const wbGpuSearch *search;
    const wbPbfModel *model;
    float rate;                ///< 1/s, of sub-steps
    const wbGpuBuffer *places; ///< x, y, z: where they are by now
    const wbGpuBuffer *lambda;
    const wbGpuBuffer *relative; ///< densities of several fluids over the solver's; of one, anything
    wbGpuBuffer *velocities;     ///< x, y, z
    wbGpuBuffer *
        sums; ///< gradient, density and squared gradients that colliders add; after the iterations changes of velocity
    wbGpuBuffer *scratch; ///< seven
} wbPbfSwarm;

/// Places the bodies at the end of the sub-step and copies them to the device, without forces. This and the next may fail without the
/// device.
wbStatus wbPbfBoundaryGpu_Place(wbPbfBoundaryGpu *boundary, const wbWork *work);
/// Kernels for the cells as they are now, and for fluids of different density.
wbStatus wbPbfBoundaryGpu_Build(wbPbfBoundaryGpu *boundary, const wbGpuCells *cells, bool isMixed);

/// What colliders add to densities and gradients, before lambda is found; what that does to them, after it.
wbStatus wbPbfBoundaryGpu_Add(wbPbfBoundaryGpu *boundary, const wbPbfSwarm *swarm);
wbStatus wbPbfBoundaryGpu_AddForces(wbPbfBoundaryGpu *boundary, const wbPbfSwarm *swarm);
/// Velocities where nothing slips, and what that does to colliders.
wbStatus wbPbfBoundaryGpu_Stick(wbPbfBoundaryGpu *boundary, const wbPbfSwarm *swarm);
/// What the collision, which changed velocities from these, did to them.
wbStatus wbPbfBoundaryGpu_AddCaught(wbPbfBoundaryGpu *boundary, const wbPbfSwarm *swarm,
                                    const wbGpuBuffer before[3]);
/// Adds a share of them to the bodies.
wbStatus wbPbfBoundaryGpu_TakeForces(wbPbfBoundaryGpu *boundary, double share);
