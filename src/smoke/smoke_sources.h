// SPDX-License-Identifier: MIT
// Sources draw smoke, heat and motion to their own values.
#pragma once

#include "smoke/smoke_code.h"
#include "smoke/smoke_source_formula.h"

/// What a source does at `time` to a field of wbSmokeField; false: nothing.
bool wbMakeSmokeFeed(const wbSmokeModel *model, const wbSmokeKind kinds[4], const wbSmokeSource *source,
                     int field, double time, float dt, SmokeFeed *feed);

/// What it adds to b of the pressure, as the target; false: nothing.
bool wbMakeSmokeExpansion(const wbSmokeGrid *grid, const wbSmokeSource *source, double time, SmokeFeed *feed);

/// Adds what sources make to b of the pressure, and to its sums of squares per plane. False if none makes any.
bool wbExpandSmoke(wbSmoke *smoke, const wbSmokeSource *sources, int sourceCount, double time, double *sums);

/// What a source does to a component of the velocity, feed.axis.
typedef struct wbSmokeFeeding {
    SmokeFeed feed;
    const uint8_t *mask; ///< of a mesh
} wbSmokeFeeding;

/// Of sources that work at `time`, in their order; at most three each. Gives how many.
int wbListVelocityFeedings(const wbSmokeModel *model, const wbSmokeKind kinds[4],
                           const wbSmokeSource *sources, int sourceCount, double time, float dt,
                           wbSmokeFeeding *feedings);
void wbFeedPatch(const wbSmokeGrid *grid, const wbSmokeFeeding *feedings, int count,
                 const wbSmokePatch *patch);

/// In the given fields at centres, by wbSmokeField; only sources that work at `time`. Marks blocks that get smoke.
void wbFeedSmoke(const wbSmokeModel *model, const wbSmokeKind kinds[4], const wbWork *work,
                 float *const fields[wb_smokeFieldCount], uint8_t *marks, const wbSmokeSource *sources,
                 int sourceCount, double time, float dt);

/// Whether a source that expands now reaches air that cannot leave.
bool wbIsExpansionBlocked(const wbSmoke *smoke, const wbSmokeSource *sources, int sourceCount, double time);
