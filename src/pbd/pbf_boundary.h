// SPDX-License-Identifier: MIT
// Colliders in a position based fluid, for wbPbf_Step and wbPbfGpu_Step.
#pragma once

#include "pbd/pbf_model.h"
#include "space/boundary.h"

/// Volumes of the points by the model's kernel, where they are not known yet.
wbStatus wbPbfModel_WeighBoundary(const wbPbfModel *model, wbBoundary *boundary, const wbWork *work);
