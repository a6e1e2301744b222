// SPDX-License-Identifier: MIT
// Ids of particles that were merged away: halves of split ones of the same fluid take them, the last first.
#pragma once

#include "core/work.h"
#include "pbd/pbf_adaptive.h"

/// The fluid that a particle with this id is of.
int wbFluidRuns_GetFluid(const wbFluidRuns *runs, uint32_t id);

/// During the splits of a step, in the arena.
typedef struct wbSpareIds {
    const wbFluidRuns *runs;
    uint32_t *ids;
    int *count; ///< of ids
    int first;  ///< that was taken
    int *end;   ///< of a fluid: from here on it has none
} wbSpareIds;

/// False: no memory.
bool wbSpareIds_Begin(wbSpareIds *list, const wbFluidRuns *runs, uint32_t *ids, int *count, wbArena *arena);
/// False: there is none of this fluid.
bool wbSpareIds_Take(wbSpareIds *list, int fluid, uint32_t *id);
/// Closes the gaps of what was taken.
void wbSpareIds_End(wbSpareIds *list);

/// Before a device's step changes the free ids, of which there are so many; once, until the host has the particles again.
wbStatus wbKeptIds_Keep(wbKeptIds *kept, wbMemory *memory, const wbArray *ids, int count);
/// The host has the particles again; or it has those of before, whose ids are as they were.
void wbKeptIds_Forget(wbKeptIds *kept);
void wbKeptIds_Take(wbKeptIds *kept, wbArray *ids);
