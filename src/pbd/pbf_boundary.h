// SPDX-License-Identifier: MIT
// Colliders in a position based fluid, for wbPbf_Step and wbPbfGpu_Step.
#pragma once

#include "pbd/pbf_model.h"
#include "space/boundary.h"

/// By which colliders' points are weighed: that of densities, of particles of one size or of different ones.
wbBoundaryKernel wbPbfModel_GetBoundaryKernel(const wbPbfModel *model, bool isMixed, wbSimd simd);
