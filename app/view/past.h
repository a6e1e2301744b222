// SPDX-License-Identifier: MIT
// A ring of checkpoints in memory: from the one before a step, every later one can be computed again.
#pragma once

#include "core/array.h"
#include "wirbel/wirbel.h"

typedef struct wbPastState {
    int64_t step;
    double time; ///< s
    double ms;   ///< that computing took from the state before it
    wbBackend backend;
    int device; ///< what computed: a state goes on bit for bit only there
    wbBytes bytes;
} wbPastState;

typedef struct wbPast {
    wbArray states; ///< wbPastState, by steps; the first one is always kept
    int count;
    size_t bytes, limit; ///< held, and that may be held; the first state is, however large
    double saveMs;       ///< mean
    double sinceMs;      ///< that computing took since the state before where the world is
    wbBytes spare;       ///< of a state that went: the next one is written into it
} wbPast;

/// After a step that took stepMs: saves the world if that is due. Spacing: computing on from a state takes a quarter of a second, by
/// what steps did take, and saving 5 % of the time of steps; the latter counts more. When the ring is full, that state goes whose
/// neighbours are nearest to each other by time of computing, so that gaps of the last simulated minute are even, and older ones grow
/// with their age.
wbStatus wbPast_Update(wbPast *past, wbWorld *world, double stepMs);
/// The last state at or before a step; NULL: there is none.
const wbPastState *wbPast_Find(const wbPast *past, int64_t step);
/// The last state at or before a time.
const wbPastState *wbPast_FindTime(const wbPast *past, double time);
/// The world is as it was then, on what computed it then.
wbStatus wbPastState_Restore(const wbPastState *state, wbWorld *world);
/// Forgets states behind a step.
void wbPast_Cut(wbPast *past, int64_t step);
void wbPast_Free(wbPast *past);
