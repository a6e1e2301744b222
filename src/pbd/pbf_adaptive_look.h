// SPDX-License-Identifier: MIT
// A look at all particles of different sizes, and what its parts share: how far they are from the surface, which are too small or too large, merges and
// splits, and how what changed is relaxed.
#pragma once

#include "pbd/pbf_adaptive_look_formula.h"
#include "pbd/pbf_adaptive_step.h"

/// What splits and merges of a look are told by, per particle; in the arena.
typedef struct wbLook {
    wbSizedStep *step;
    PbfTargets targets;
    float *density, *gradient;
    float *target;      ///< the size that a particle should have, over that of the smallest
    float *toColliders; ///< m; NULL: nobody asks
    uint8_t *wish;
    int *partner; ///< -1: nobody
    int *slots;   ///< what becomes of a particle: none, one, two; then the first of their places
    float *axisX, *axisY, *axisZ; ///< half the way from one half to the other
    float *before;                ///< density over which the constraint pushed, of those that are there then
    float *pressure;              ///< of those
    float *const *from;           ///< where they were, or what they came from; NULL: nobody asks
    uint32_t *newIds;             ///< of second halves
    int64_t fine[WB_MAX_THREADS],
        wanted
            [WB_MAX_THREADS]; ///< particles if all were of level 0, and if all were as they should, in 2^-16
    int changed;
    bool fills; ///< as in the targets
} wbLook;

static inline wbParticles *wbLook_GetParticles(const wbLook *look) {
    return &look->step->pbf->fluid.particles;
}
static inline wbPbfSizes *wbLook_GetSizes(const wbLook *look) { return &look->step->pbf->sizes; }

/// Neighbours of a particle in its list.
typedef struct wbRow {
    const int *entry;
    const uint16_t *shortEntry; ///< NULL: entries are ints
    int base;                   ///< of short ones
    int left;
} wbRow;
static inline wbRow wbGetRow(const wbNeighbours *neighbours, int i) {
    wbRow row = {0};
    row.entry = wbNeighbours_GetRows(neighbours, i / WB_GROUP, &row.left) + i % WB_GROUP;
    return row;
}
static inline wbRow wbLook_GetRow(const wbLook *look, int i) {
    wbRow row = wbGetRow(&look->step->fluid->search->neighbours, i);
    const wbSizedListTask *lists = &look->step->lists;
    const int lane = i % WB_GROUP, base = lists->bases ? lists->bases[i / WB_GROUP] : -1;
    if (base < 0) return row;
    row.shortEntry = (const uint16_t *)(const void *)(row.entry - lane) + lane;
    row.base = base;
    return row;
}
static inline bool wbNextIn(wbRow *row, int *j) {
    if (row->left-- == 0) return false;
    if (row->shortEntry)
        *j = row->base + *row->shortEntry, row->shortEntry += WB_GROUP;
    else
        *j = *row->entry, row->entry += WB_GROUP;
    return true;
}

// pbf_adaptive_surface.c
/// Density and gradient of the particles, at the records of their places.
void wbLook_Measure(wbLook *look);
/// Distances from those of the last look, one neighbourhood farther. At first from nothing, as far as they go.
void wbLook_FindDistances(wbLook *look);

// pbf_adaptive_choose.c
/// Sizes that particles should have, and who is to merge or to split by these.
wbStatus wbLook_ChooseWishes(wbLook *look);
/// Who merges with whom.
wbStatus wbLook_ChoosePartners(wbLook *look);
/// What becomes of each particle, and along which axis it splits; records of places have ghosts.
void wbLook_CountSlots(wbLook *look);
bool wbLook_IsMerged(const wbLook *look, int i);

// pbf_adaptive_change.c
/// Merges and splits.
wbStatus wbLook_Change(wbLook *look);
/// Whether particles are not where they were: what is filled is relaxed also when nothing merges any more.
bool wbLook_IsMoved(const wbLook *look);
/// Where particles are before they are relaxed, which knows of colliders by their points alone; what went into these is put back.
void wbLook_KeepPlaces(const wbLook *look);
wbStatus wbLook_StayOutside(wbLook *look);

// pbf_adaptive_relax.c
/// Neighbours of the particles where they are, with records of their places.
wbStatus wbLook_FindNeighbours(wbLook *look);
void wbLook_Relax(wbLook *look);
/// What is still off becomes the rest offset.
void wbLook_Carry(wbLook *look);

// pbf_adaptive_look.c
/// With lists of neighbours; `fills` and what it needs are set.
wbStatus wbLook_Run(wbLook *look);
