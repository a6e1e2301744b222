// SPDX-License-Identifier: MIT
// Ids of particles that were merged away: halves of split ones of the same fluid take them, the largest first. Nine of ten ids of coarse water are
// here, and those of its particles part them: so they are kept as spans, which are about as many as the particles.
#pragma once

#include "core/array.h"
#include "core/work.h"

/// Which fluid particles are of: ids from first[k] on, up to first[k + 1], are of fluid[k], from 0 on. No runs: all are of one.
typedef struct wbFluidRuns {
    int count;
    const uint32_t *first;
    const int *fluid;
} wbFluidRuns;

/// The fluid that a particle with this id is of.
int wbFluidRuns_GetFluid(const wbFluidRuns *runs, uint32_t id);

/// Ids one after the other.
typedef struct wbIdSpan {
    uint32_t first, count;
} wbIdSpan;

/// All 0: none.
typedef struct wbSpareIds {
    wbArray spans; ///< wbIdSpan, each of one fluid, in order: those of a fluid do not touch
    int spanCount;
    int count; ///< ids
} wbSpareIds;

static inline wbIdSpan *wbSpareIds_GetSpans(const wbSpareIds *spare) { return spare->spans.data; }
void wbSpareIds_Free(wbMemory *memory, wbSpareIds *spare);
/// Makes room for so many spans.
wbStatus wbSpareIds_Reserve(wbSpareIds *spare, wbMemory *memory, int spans);
/// Sets so many ids aside, which are put in order where they are.
wbStatus wbSpareIds_Add(wbSpareIds *spare, const wbFluidRuns *runs, uint32_t *ids, int count,
                        const wbWork *work);
/// After ids were taken from the ends of spans: those without any go.
void wbSpareIds_Close(wbSpareIds *spare);

/// During the splits of a step, in the arena.
typedef struct wbIdTaker {
    wbSpareIds *spare;
    const wbFluidRuns *runs;
    int *end; ///< of a fluid: spans from here on have none of its ids
} wbIdTaker;

/// False: no memory.
bool wbIdTaker_Begin(wbIdTaker *taker, wbSpareIds *spare, const wbFluidRuns *runs, wbArena *arena);
/// False: there is none of this fluid.
bool wbIdTaker_Take(wbIdTaker *taker, int fluid, uint32_t *id);
void wbIdTaker_End(wbIdTaker *taker);

/// The spans that the host has, where a device is ahead of it and has changed its own: for the case that it is lost.
typedef struct wbKeptIds {
    wbArray spans;
    bool isKept;
} wbKeptIds;

/// Before a device's step changes them; once, until the host has the particles again.
wbStatus wbKeptIds_Keep(wbKeptIds *kept, wbMemory *memory, const wbSpareIds *spare);
/// The host has the particles again; or it has those of before, whose ids are as they were, and as many as the state says.
void wbKeptIds_Forget(wbKeptIds *kept);
void wbKeptIds_Take(wbKeptIds *kept, wbSpareIds *spare);
