// SPDX-License-Identifier: MIT
// Ids of particles that were merged away: halves of split ones of the same fluid take them, the last first.
#pragma once

#include "core/work.h"
#include "pbd/pbf_adaptive.h"

/// The fluid that a particle with this id is of.
int wbFluidRuns_Find(const wbFluidRuns *runs, uint32_t id);

/// During the splits of a step, in the arena.
typedef struct wbFreeIds {
    const wbFluidRuns *runs;
    uint32_t *ids;
    int *count;  ///< of ids
    int *last;   ///< of a fluid, the one that is taken first; -1: none
    int *before; ///< of each id, the one of the same fluid that comes after it
} wbFreeIds;

/// False: no memory.
bool wbFreeIds_Begin(wbFreeIds *list, const wbFluidRuns *runs, uint32_t *ids, int *count, wbArena *arena);
/// False: there is none of this fluid.
bool wbFreeIds_Take(wbFreeIds *list, int fluid, uint32_t *id);
/// Closes the gaps of what was taken.
void wbFreeIds_End(wbFreeIds *list);
