// SPDX-License-Identifier: MIT
// What follows from the parameters and the box: the grid, the sides, the way up.
#pragma once

#include "smoke/smoke_def.h"
#include "smoke/smoke_grid.h"

typedef struct wbSmokeModel {
    wbSmokeParams params;
    wbSmokeGrid grid;
    wbSideDef sides[wb_sideCount]; ///< those across z are free-slip in 2D
    bool open[wb_sideCount];
    bool isClosed; ///< all sides are
    wbVec3 up;     ///< against gravity, of length 1; 0 without gravity
} wbSmokeModel;

/// Fails if the box has no size, or more cells than an int can count.
wbStatus wbSmokeModel_Init(wbSmokeModel *model, const wbSmokeParams *params, const wbDomainDef *domain,
                           wbVec3 gravity, int dimensions);
