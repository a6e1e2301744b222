// SPDX-License-Identifier: MIT
// Colliders in a position based fluid, for wbPbf_Step and wbPbfGpu_Step.
#pragma once

#include "pbd/pbf_model.h"
#include "space/boundary.h"

/// By which colliders' points are weighed: that of densities. Particles of different sizes sum poly6: of the other kernel a particle's own
/// share is nearly half, and between sizes sums are so far off that a disc without weight grows by a fifth.
wbBoundaryKernel wbPbfModel_GetBoundaryKernel(const wbPbfModel *model, bool isMixed, wbSimd simd);
