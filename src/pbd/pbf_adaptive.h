// SPDX-License-Identifier: MIT
// Position based fluids whose particles have different sizes: small at the surface, large inside. A particle of level l has 2^l
// times the mass of the smallest and a support that fits; a pair has one support, the geometric mean, so that sums are symmetric
// and momentum is kept pair by pair. Two of one level merge, one splits into halves: mass is exact.
//
// The geometric mean makes no error of the density where sizes grow linearly, in second order; the arithmetic mean makes 0.3 to 0.9 %,
// the larger of both 5 to 10 %. A weight of constraints by their mass, which was tried, threw particles about.
#pragma once

#include "core/array.h"
#include "core/saved_value.h"
#include "pbd/pbf_adaptive_constants.h"
#include "space/grid.h"
#include "space/mirror.h"
#include "space/neighbours.h"
#include "space/spare_ids.h"
#include "wirbel/params.h"

/// Of the particles, in their order; there where the fluid is adaptive.
typedef struct wbPbfSizes {
    int capacity;
    uint8_t *level, *backLevel;
    float *offset, *backOffset;     ///< of the rest density, in units of it
    float *distance, *backDistance; ///< m, to the surface; WB_UNKNOWN_DISTANCE before the first look
    wbSpareIds spare;               ///< ids of particles that were merged into others
    wbKeptIds hostIds;
    int varied; ///< whether there are particles above level 0, or offsets: else all of it is as in a uniform fluid
    int isOff;             ///< whether too little would be saved for it to pay
    float age;             ///< frames since the last look
    int hasHead;           ///< whether the head was found since the last look
    double head, fullHead; ///< m2/s2, as they were found then: of the particles, and if all were small
    int looks;             ///< that there were
    int isFilled;          ///< whether the first step has begun
    int64_t merges, splits;
    wbFluidRuns runs; ///< to be set before a step; only what is of one fluid merges
    int hasFilled;    ///< the last step did, and there is room for the lattice that it began with
    // made anew in each sub-step
    wbGrid grids[PBF_OCTAVES], ghostGrids[PBF_OCTAVES];
    int begins[PBF_OCTAVES + 1]; ///< places of the sorted particles of an octave
    wbArray bases;               ///< int per group of the lists: as in wbSizedListTask
    wbArray pure;                ///< uint8_t per group of the lists: only level 0 is near
} wbPbfSizes;

#define WB_UNKNOWN_DISTANCE PBF_UNKNOWN_DISTANCE

void wbPbfSizes_Free(wbMemory *memory, wbPbfSizes *sizes);
/// Makes room for so many particles. All 0 is a state without any.
wbStatus wbPbfSizes_Reserve(wbPbfSizes *sizes, wbMemory *memory, int count);
/// Gives back the room beyond so many particles.
void wbPbfSizes_Shrink(wbPbfSizes *sizes, wbMemory *memory, int kept);
/// Particles from `begin` to `end` - 1 are new.
void wbPbfSizes_Begin(wbPbfSizes *sizes, int begin, int end);
/// Of `count` particles those go whose marks are not 0; what is left keeps its order.
void wbPbfSizes_RemoveMarked(wbPbfSizes *sizes, const uint8_t *marks, int count);

enum { WB_SIZE_COLUMNS = 3, WB_SIZE_VALUES = 12 };
/// What is saved of each particle, and all single numbers, listed once: hashing and saving walk these lists.
void wbPbfSizes_ListColumns(wbPbfSizes *sizes, wbColumn columns[WB_SIZE_COLUMNS]);
void wbPbfSizes_ListValues(wbPbfSizes *sizes, wbSavedValue values[WB_SIZE_VALUES]);
