// SPDX-License-Identifier: MIT
// A step is all or nothing: what it may change is copied before it, and copied back if it fails. What that is, solvers say
// by listValues, listColumns and listUnsaved; none of them takes anything back by itself. Columns of which a device is ahead
// are copied on the device.
#pragma once

#include "core/array.h"
#include "gpu/gpu.h"
#include "wirbel/wirbel.h"
#include "world/solver.h"

/// The state before the step that is being done.
typedef struct wbSnapshot {
    wbArray bytes;   ///< of the host
    wbArray buffers; ///< wbGpuBuffer: a device's columns, in the order in which solvers list them
    bool wasAhead[WB_SOLVER_COUNT]; ///< the device's state of a solver was ahead of the host's
    bool isTaken;                   ///< the step can be undone
    int wastefulSteps;              ///< in a row, with far more room than they needed
} wbSnapshot;

void wbSnapshot_Init(wbSnapshot *snapshot);
/// Before its device is closed: gives back what is there.
void wbSnapshot_FreeBuffers(wbSnapshot *snapshot, wbGpu *gpu);
void wbSnapshot_Free(wbMemory *memory, wbSnapshot *snapshot);

/// When all of a step is known and nothing has changed yet. After wb_errorMemory nothing has.
wbStatus wbTakeSnapshot(wbWorld *world);
/// The step is over, and happened.
void wbEndStep(wbWorld *world);
/// The step failed: the world is as it was when the snapshot was taken. If the device is lost, that which it alone had is:
/// then the world is at the last state that was copied from it. Gives why, or that.
wbStatus wbUndoStep(wbWorld *world, wbStatus why);
