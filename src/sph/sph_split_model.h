// SPDX-License-Identifier: MIT
// Numbers of the split scheme that follow from the parameters.
#pragma once

#include "sph/sph_model.h"
#include "sph/sph_split_constants.h"
#include "sph/sph_split_progress.h"

wbSphLattice wbMeasureSphLattice(const wbSphModel *model);
/// For a step of dt seconds.
SphSplitConstants wbSphModel_GetSplitConstants(const wbSphModel *model, float dt);
SphSplitLimits wbSphModel_GetSplitLimits(const wbSphModel *model);
