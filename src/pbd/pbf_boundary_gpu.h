// SPDX-License-Identifier: MIT
// Colliders in a position based fluid on a compute device: the host places and sorts their points, the device sums over them.
#pragma once

#include "pbd/pbf_boundary.h"
#include "space/particle_fluid_gpu.h"

/// Gradient, density, squared gradients; gradients times heads; leans.
enum { WB_PBF_BOUNDARY_HEADS = 5, WB_PBF_BOUNDARY_LEANS = 8, WB_PBF_BOUNDARY_SUMS };

extern const wbGpuVariants wb_pbfBoundaryProgram;

/// Its kernels for particles of different sizes, which need the switch WB_SIZED_BOUNDARY beside HASHED and MIXED.
enum { WB_MIXED_BOUNDARY = 2, WB_SIZED_BOUNDARY = 4 };
typedef enum wbSizedBoundaryKernel {
    wb_sizedBoundaryAdd = 6,
    wb_sizedBoundaryLean,
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
    const PbfMove *move;
    const wbGpuBuffer *places; ///< x, y, z: where they are by now
    const wbGpuBuffer *lambda, *pressure;
    const wbGpuBuffer *relative; ///< densities of several fluids over the solver's; of one, anything
    bool isSized;                ///< particles are of different sizes
    wbGpuBuffer *sums; ///< WB_PBF_BOUNDARY_SUMS that colliders add; after the iterations changes of velocity
    wbGpuBuffer *scratch; ///< seven
} wbPbfSwarm;

/// Places the bodies at the end of the sub-step and copies them to the device; then kernels for the cells as they are now. May fail without the device.
wbStatus wbPbfSwarm_PlaceBoundary(const wbPbfSwarm *swarm);

/// What colliders add to densities and gradients, before lambda is found; what that does to them, after it.
wbStatus wbPbfSwarm_AddBoundary(const wbPbfSwarm *swarm);
/// With the weight of water, when lambda is known.
wbStatus wbPbfSwarm_Lean(const wbPbfSwarm *swarm);
wbStatus wbPbfSwarm_AddForces(const wbPbfSwarm *swarm);
/// Velocities where nothing slips, and what that does to colliders.
wbStatus wbPbfSwarm_Stick(const wbPbfSwarm *swarm);
