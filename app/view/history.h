// SPDX-License-Identifier: MIT
// States of a world that were saved while it ran, to go back to: as many as fit into a number of bytes, the first always among them.
// Knows no world: whoever saves gives bytes, and runs on from what it gets.
#pragma once

#include "core/array.h"
#include "wirbel/base.h"

typedef struct wbHistoryState {
    int64_t step;
    double time; ///< s
    wbBytes bytes;
} wbHistoryState;

/// Zeroed, but for `mostBytes`, it is empty. Bytes that are given up wait in `spare` for the next state, so that a full history
/// does not allocate.
typedef struct wbHistory {
    size_t mostBytes; ///< of all states together; the first and the last stay, however large
    wbArray states;   ///< wbHistoryState, by steps
    int count;
    size_t bytes; ///< that they have room for
    wbBytes spare;
} wbHistory;

static inline const wbHistoryState *wbHistory_Get(const wbHistory *history, int index) {
    return (const wbHistoryState *)history->states.data + index;
}

/// Bytes to save a state into (wbWorld_SaveToBytes), which wbHistory_Add then takes.
wbBytes wbHistory_TakeSpare(wbHistory *history);
/// Takes the bytes over, also after an error. States of this step and later ones go: their future is another. When there is no more room,
/// every second of the older half goes, but for the first.
wbStatus wbHistory_Add(wbHistory *history, int64_t step, double time, wbBytes bytes);
/// The last state at or before a step: -1 if there is none.
int wbHistory_Find(const wbHistory *history, int64_t step);
/// States behind a step go.
void wbHistory_Cut(wbHistory *history, int64_t step);
void wbHistory_Free(wbHistory *history);

/// Whether it is time to save: at the first step; then after so many that going on from the state before takes a quarter of a second,
/// and saving no more than a twentieth of the time of steps. Times in ms, of a step and of the last save.
bool wbHistory_IsDue(const wbHistory *history, int64_t step, double stepMs, double saveMs);
