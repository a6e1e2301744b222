// SPDX-License-Identifier: MIT
// What both methods with particles of different sizes do alike on a compute device: octaves of cells, points of colliders, fluids of ids.
#pragma once

#include "pbd/pbf_adaptive.h"
#include "pbd/pbf_octaves_device.h"
#include "space/particle_fluid_gpu.h"

/// Sources that programs of the method levels start with: formulas, and walks over the octaves.
#define WB_GPU_SIZED_SOURCES                                                                                 \
    WB_GPU_SEARCH_SOURCES, wb_clPbfConstants, wb_clPbfFormula, wb_clPbfShared, wb_clPbfAdaptiveConstants,    \
        wb_clPbfOctavesDevice, wb_clPbfAdaptiveDevice, wb_clPbfAdaptiveFormula, wb_clPbfAdaptiveLookFormula, \
        wb_clPbfOctaves, wb_clPbfAdaptiveWalk
extern const char wb_clPbfConstants[], wb_clPbfFormula[], wb_clPbfShared[], wb_clPbfAdaptiveConstants[],
    wb_clPbfOctavesDevice[], wb_clPbfAdaptiveDevice[], wb_clPbfAdaptiveFormula[],
    wb_clPbfAdaptiveLookFormula[], wb_clPbfOctaves[], wb_clPbfAdaptiveWalk[];

/// Cells for every octave that there may be, of the box around all particles, from the smallest support (m) on, and room to sort by them. Those of large
/// ones are few.
wbStatus wbLayOutOctaves(wbFluidStepGpu *step, float smallest, int count, PbfOctaves *octaves);
/// The order of particles by their keys, which are those of these three columns' places.
wbStatus wbSortByOctaves(wbFluidStepGpu *step, const PbfOctaves *octaves, const wbGpuBuffer *points);

/// Records of the points of colliders as they are placed: the unit vector into the collider, and the depth below its surface.
wbStatus wbUploadSunk(wbFluidStepGpu *step, wbGpuBuffer *buffer);

/// Runs of ids and whose they are; several fluids have few.
wbStatus wbUploadRuns(wbGpu *gpu, const wbFluidRuns *runs, wbGpuBuffer *first, wbGpuBuffer *fluid);
