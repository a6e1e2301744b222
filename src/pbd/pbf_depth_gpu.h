// SPDX-License-Identifier: MIT
// How deep the water of a position based fluid is, where its particles are on a compute device.
#pragma once

#include "pbd/pbf_model.h"
#include "space/particle_fluid_gpu.h"

/// What a method's program has for it, and kernels that follow each other in its list.
#define WB_PBF_DEPTH_SOURCES wb_clPbfColumns, wb_clPbfDepth
extern const char wb_clPbfColumns[], wb_clPbfDepth[];
enum { WB_DEPTH_KERNELS = 2 };
#define WB_DEPTH_KERNEL_NAMES                                                                                \
    {"pbf_count_columns", 0}, { "pbf_find_deepest", 0 }

/// Room for slots of columns, and the count of the fullest.
wbStatus wbReserveDepth(const wbFluidStepGpu *step, wbGpuBuffer *slots);
/// As wbFindPbfHead, by the kernels of the program from this one on.
wbStatus wbFindHeadGpu(wbFluidStepGpu *step, int kernel, wbGpuBuffer *slots, const wbPbfModel *model,
                       double *head);
