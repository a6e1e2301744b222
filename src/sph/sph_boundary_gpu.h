// SPDX-License-Identifier: MIT
// Colliders in the water on a compute device: the host places and sorts their points, the device sums over them.
#pragma once

#include "space/particle_fluid_gpu.h"
#include "sph/sph_boundary.h"

/// The water of a step, among whose colliders these work.
typedef struct wbSphWater {
    wbFluidStepGpu *fluid;
    const wbSphModel *model;
    const wbGpuBuffer *velocities; ///< x, y, z
    const wbGpuBuffer *inverseDensity, *term;
    const wbGpuBuffer *root; ///< of impedances, where fluids have different densities
} wbSphWater;

/// Sources of the solver's programs, before their kernels.
#define WB_GPU_SPH_SOURCES     wb_clSphConstants, wb_clSphFormula, wb_clSphWalk
#define WB_GPU_SPLIT_SOURCES   wb_clSphSplitConstants, wb_clSphSplitFormula
#define WB_GPU_TENSION_SOURCES wb_clSphTensionFormula, wb_clSphTensionWalk
extern const char wb_clSphConstants[], wb_clSphFormula[], wb_clSphWalk[];
extern const char wb_clSphSplitConstants[], wb_clSphSplitFormula[];
extern const char wb_clSphTensionFormula[], wb_clSphTensionWalk[];
extern const wbGpuVariants wb_sphBoundaryProgram;

/// The solver's first buffers are those of places.
enum { WB_SPH_BOUNDARY_BUFFERS = 2 };
/// Its kernels for the method split, and for the tension as a stress.
enum {
    wb_sphBoundarySplit = 5,
    wb_sphBoundarySplitReactions,
    wb_sphBoundaryBases,
    wb_sphBoundaryPull,
    wb_sphBoundaryPullReactions,
    WB_SPH_BOUNDARY_KERNELS
};

/// Before anything runs: room beside that of the points. Nothing else fails but the next two, unless the device does.
wbStatus wbSphWater_ReserveBoundary(const wbSphWater *water);
/// Places the bodies as they are at this time and copies them to the device.
wbStatus wbSphWater_PlaceBoundary(const wbSphWater *water, wbBoundaryTime time);
/// Kernels for the cells as they are now.
wbStatus wbSphWater_BuildBoundary(const wbSphWater *water);

/// What the points add to the sums of density, to normals and to accelerations.
wbStatus wbSphWater_AddBoundaryDensity(const wbSphWater *water, wbGpuBuffer *sums);
wbStatus wbSphWater_AddBoundaryNormals(const wbSphWater *water, wbGpuBuffer normals[3]);
wbStatus wbSphWater_AddBoundaryForces(const wbSphWater *water, wbGpuBuffer accelerations[3]);
/// Forces on the bodies, after wbSphWater_AddBoundaryForces.
wbStatus wbSphWater_FindReactions(const wbSphWater *water);
/// Of places: their adhesion times their weight.
const wbGpuBuffer *wbSphWater_GetAdhesion(const wbSphWater *water);
