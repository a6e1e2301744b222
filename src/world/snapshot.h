// SPDX-License-Identifier: MIT
// A step is all or nothing: what it may change is copied before it, and copied back if it fails. What that is, solvers say
// by listValues, listColumns and listUnsaved; none of them takes anything back by itself.
#pragma once

#include "core/array.h"
#include "wirbel/wirbel.h"

/// The state before the step that is being done.
typedef struct wbSnapshot {
    wbArray bytes;
    bool isTaken; ///< the step can be undone
} wbSnapshot;

void wbSnapshot_Init(wbSnapshot *snapshot);
void wbSnapshot_Free(wbMemory *memory, wbSnapshot *snapshot);

/// When all of a step is known and nothing has changed yet. After wb_errorMemory nothing has.
wbStatus wbTakeSnapshot(wbWorld *world);
/// The step is over. If it is undone, and a snapshot was taken, the world is as it was then.
void wbEndStep(wbWorld *world, bool isUndone);
