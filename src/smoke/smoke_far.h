// SPDX-License-Identifier: MIT
// Air in two grids: fine cells around the smoke (near), coarse ones in the whole box (far), which carry no smoke.
//
// Far is always the whole air at a low resolution. Where near leads, far's velocities are the means of near's, before
// the projection and after it: fluxes through coarse faces are those of the fine ones. A band of cells along the rim,
// where near ends within the box, follows far's velocities instead. Beyond the rim stands far's pressure. So near feels
// the whole box, and vortices that it leaves behind go on in far.
#pragma once

#include "smoke/smoke.h"
#include "smoke/smoke_far_formula.h"

/// Fine cells along the rim that follow far: what comes in through it in a step ends in these, unless it is faster.
enum { WB_SMOKE_BAND = 4 };

typedef struct wbSmokePair {
    wbSmoke *near, *far;
    const wbSmokeModel *nearModel, *farModel;
    int factor; ///< fine cells along a coarse one
    int low[3]; ///< coarse cell at which near begins
} wbSmokePair;

/// Advances both by dt seconds from `time`. `farMs`: wall time of all but near's own phases.
wbStatus wbSmokePair_Step(const wbSmokePair *pair, const wbWork *work, const wbSmokeSource *sources,
                          int sourceCount, double time, float dt, double *farMs);

/// Far's velocity and pressure from near, in all cells that near has.
void wbSmokePair_Gather(const wbSmokePair *pair, const wbWork *work);

/// Near's velocity and pressure from far, but in near's cells keepLow … keepHigh - 1.
wbStatus wbSmokePair_Scatter(const wbSmokePair *pair, const wbWork *work, const int keepLow[3],
                             const int keepHigh[3]);

/// What the two steps of near and far, and between them, take from the arena at most.
size_t wbSmokePair_GetStepBytes(const wbSmokePair *pair, int sourceCount, int threadCount);

/// Copies all fields, pressures and marks where two grids of the same cells overlap; `shift`: cells from the origin of
/// `to` to that of `from`, whole blocks. Single numbers are taken over. Gives the overlap in cells of `to`.
void wbCopySmoke(wbSmoke *to, const wbSmoke *from, const int shift[3], const wbWork *work, int low[3],
                 int high[3]);

/// @name What the two grids are to each other, on the processor and on devices
/// @{
SmokeNest wbMakeSmokeNest(const wbSmokePair *pair);
/// Whether near ends within the box there.
bool wbIsRim(const SmokeNest *nest, int side);
/// A source of near as far sees it.
wbSmokeSource wbCoarsenSource(const SmokeNest *nest, const wbSmokeSource *source);
/// @}
