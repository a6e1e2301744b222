// SPDX-License-Identifier: MIT
// Air in two grids: fine cells around the smoke (fine), coarse ones in the whole box (coarse), which carry no smoke.
//
// Far is always the whole air at a low resolution. Where fine leads, coarse's velocities are the means of fine's, before
// the projection and after it: fluxes through coarse faces are those of the fine ones. A band of cells along the rim,
// where fine ends within the box, follows coarse's velocities instead. Beyond the rim stands coarse's pressure. So fine feels
// the whole box, and vortices that it leaves behind go on in coarse.
#pragma once

#include "smoke/smoke.h"
#include "smoke/smoke_nested_formula.h"

/// Fine cells along the rim that follow coarse: what comes in through it in a step ends in these, unless it is faster.
enum { WB_SMOKE_BAND = 4 };

typedef struct wbSmokePair {
    wbSmoke *fine, *coarse;
    const wbSmokeModel *fineModel, *coarseModel;
    int factor; ///< fine cells along a coarse one
    int low[3]; ///< coarse cell at which fine begins
} wbSmokePair;

/// Advances both by dt seconds from `time`. `coarseMs`: wall time of all but fine's own phases.
wbStatus wbSmokePair_Step(const wbSmokePair *pair, const wbWork *work, const wbSmokeSource *sources,
                          int sourceCount, double time, float dt, double *coarseMs);

/// Far's velocity and pressure from fine, in all cells that fine has.
void wbSmokePair_Gather(const wbSmokePair *pair, const wbWork *work);

/// Near's velocity and pressure from coarse, but in fine's cells keepLow … keepHigh - 1.
wbStatus wbSmokePair_Scatter(const wbSmokePair *pair, const wbWork *work, const int keepLow[3],
                             const int keepHigh[3]);

/// What the two steps of fine and coarse, and between them, take from the arena at most.
size_t wbSmokePair_GetStepBytes(const wbSmokePair *pair, int sourceCount, int threadCount);

/// Copies all fields, pressures and marks where two grids of the same cells overlap; `shift`: cells from the origin of
/// `to` to that of `from`, whole blocks. Single numbers are taken over. Gives the overlap in cells of `to`.
void wbCopySmoke(wbSmoke *to, const wbSmoke *from, const int shift[3], const wbWork *work, int low[3],
                 int high[3]);

/// @name What the two grids are to each other, on the processor and on devices
/// @{
SmokeNest wbMakeSmokeNest(const wbSmokePair *pair);
/// Whether fine ends within the box there.
bool wbIsRim(const SmokeNest *nest, int side);
/// A source of fine as far sees it.
wbSmokeSource wbCoarsenSource(const SmokeNest *nest, const wbSmokeSource *source);
/// @}
