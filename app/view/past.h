// SPDX-License-Identifier: MIT
// A ring of checkpoints in memory: from the one before a step, every later one can be computed again.
#pragma once

#include "core/array.h"
#include "wirbel/wirbel.h"

typedef struct wbPastState {
    int64_t step;
    double time; ///< s
    wbBytes bytes;
} wbPastState;

typedef struct wbPast {
    wbArray states; ///< wbPastState, by steps; the first one is always kept
    int count;
    size_t bytes, limit; ///< held, and that may be held
    double saveMs;       ///< mean
} wbPast;

/// After a step: saves the world if that is due. Spacing: computing on from a state takes half a second at most, and saving 5 % of
/// the time of steps (stepMs, of one).
wbStatus wbPast_Update(wbPast *past, wbWorld *world, double stepMs);
/// The last state at or before a step; NULL: there is none.
const wbPastState *wbPast_Find(const wbPast *past, int64_t step);
/// Forgets states behind a step.
void wbPast_Cut(wbPast *past, int64_t step);
void wbPast_Free(wbPast *past);
