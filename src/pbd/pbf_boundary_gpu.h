// SPDX-License-Identifier: MIT
// Colliders in a position based fluid on a compute device: the host places and sorts their points, the device sums over them.
#pragma once

#include "pbd/pbf_boundary.h"
#include "space/particle_fluid_gpu.h"

enum { WB_PBF_BOUNDARY_SUMS = 5 };

extern const wbGpuVariants wb_pbfBoundaryProgram;

/// Its kernels for particles of different sizes, which need the switch WB_SIZED_BOUNDARY beside HASHED and MIXED.
enum { WB_MIXED_BOUNDARY = 2, WB_SIZED_BOUNDARY = 4 };
typedef enum wbSizedBoundaryKernel {
    wb_sizedBoundaryAdd = 5,
    wb_sizedBoundaryMean,
    wb_sizedBoundaryStick,
    wb_sizedBoundaryForces,
    wb_sizedBoundaryDrag,
    wb_sizedBoundaryNearest,
    wb_sizedBoundaryRoom,
    WB_BOUNDARY_KERNELS
} wbSizedBoundaryKernel;

/// The particles of a sub-step on the device, sorted by their predicted positions.
typedef struct wbPbfSwarm {
    wbFluidStepGpu *fluid;
    const wbPbfModel *model;
    float rate;                ///< 1/s, of sub-steps
    const wbGpuBuffer *places; ///< x, y, z: where they are by now
    const wbGpuBuffer *lambda;
    const wbGpuBuffer *relative; ///< densities of several fluids over the solver's; of one, anything
    bool isSized;                ///< particles are of different sizes
    wbGpuBuffer *
        sums; ///< gradient, density and squared gradients that colliders add; after the iterations changes of velocity
    wbGpuBuffer *scratch; ///< seven
} wbPbfSwarm;

/// Places the bodies at the end of the sub-step and copies them to the device; then kernels for the cells as they are now. May fail without the device.
wbStatus wbPbfSwarm_PlaceBoundary(const wbPbfSwarm *swarm);

/// What colliders add to densities and gradients, before lambda is found; what that does to them, after it.
wbStatus wbPbfSwarm_AddBoundary(const wbPbfSwarm *swarm);
wbStatus wbPbfSwarm_AddForces(const wbPbfSwarm *swarm);
/// Velocities where nothing slips, and what that does to colliders.
wbStatus wbPbfSwarm_Stick(const wbPbfSwarm *swarm);
