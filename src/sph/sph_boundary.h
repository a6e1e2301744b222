// SPDX-License-Identifier: MIT
// Colliders in the water, for wbSph_Step and wbSphGpu_Step.
#pragma once

#include "space/colliders.h"
#include "sph/sph.h"

/// Volumes of the points by the model's kernel, where they are not known yet; those deeper than h do not count.
wbStatus wbWeighBoundary(wbBoundary *boundary, const wbSphModel *model, const wbWork *work);
