// SPDX-License-Identifier: MIT
// Colliders in the water, for wbSph_Step and wbSphGpu_Step.
#pragma once

#include "space/colliders.h"
#include "sph/sph.h"

/// By which colliders' points are weighed.
wbBoundaryKernel wbSphModel_GetBoundaryKernel(const wbSphModel *model, wbSimd simd);
