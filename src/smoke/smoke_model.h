// SPDX-License-Identifier: MIT
// What follows from the parameters and the box: the grid, the sides, the way up.
#pragma once

#include "smoke/smoke_def.h"
#include "smoke/smoke_grid.h"
#include "space/domain.h"

typedef struct wbSmokeModel {
    wbSmokeParams params;
    wbSmokeGrid grid;
    wbSideDef sides[wb_sideCount]; ///< those across z are free-slip in 2D
    bool open[wb_sideCount];
    bool still[wb_sideCount]; ///< open to air at rest, not to that of the same box
    bool isClosed;            ///< all sides of the box are
    wbVec3 up;                ///< against gravity, of length 1; 0 without gravity
} wbSmokeModel;

/// Fails if the box has no size, or more cells than an int can count.
wbStatus wbSmokeModel_Init(wbSmokeModel *model, const wbSmokeParams *params, const wbDomain *domain);

/// The part of a box from cell `low` to the one before `high`. Sides of it that are within the box are open.
void wbSmokeModel_Cut(wbSmokeModel *model, const wbSmokeModel *box, const int low[3], const int high[3]);

/// The same box with cells `factor` times as large, which must divide the counts; nothing but air is in it.
void wbSmokeModel_Coarsen(wbSmokeModel *model, const wbSmokeModel *box, int factor);
