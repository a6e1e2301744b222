// SPDX-License-Identifier: MIT
// The hot loops of fluids with particles of different sizes, once per instruction set, as ranges for wbParallelFor.
#pragma once

#include "core/cpu.h"
#include "pbd/pbf_adaptive.h"
#include "pbd/pbf_code.h"

/// Points to search among, of one octave, sorted by their grid.
typedef struct wbSizedSet {
    wbPointSet set;
    const float *reach; ///< of each point
    float top;          ///< the largest that there may be
    bool isCoarse;      ///< above level 0
    bool canBeClear;    ///< a box may be far from all of them
} wbSizedSet;

/// Lists of all j with r2 < reach_i reach_j among up to so many sets. Reaches are supports (m) among particles; between particles and points of
/// colliders, within the particle's own support, its square (m2) and 1.
typedef struct wbSizedListTask {
    wbNeighbours *neighbours;
    wbMemory *memory;
    wbPoints own;
    const float *reach; ///< of the own points
    const float *size;  ///< m, of what is searched together, of the own points: their supports, or about
    wbSizedSet sets[2 * PBF_OCTAVES];
    int setCount;
    int ownSetCount; ///< of these the first are the own points, octave by octave; 0: they are not searched
    int dummy;       ///< of particles' lists: behind them, before the ghosts, so that short entries reach it
    int lastEntry;   ///< of particles and ghosts
    int *
        bases; ///< per group: its entries are uint16_t, counted from here, which halves them; -1, or NULL: they are ints
    uint8_t *pure; ///< per group; NULL: nobody asks
} wbSizedListTask;

/// Passes, by records as those of wbPbfPass; the last four bits of their fourth floats are the level.
typedef struct wbSizedPass {
    const wbPbfPass *pass;
    PbfConstants constants;
    PbfMove move;
    PbfLevels levels;
    PbfSurface surface;
    const uint8_t *level;
    const uint8_t *pure; ///< per group of the lists
    const int *bases;    ///< as in wbSizedListTask
    float *offset, *distance;
    float keep;          ///< of an offset, in a sub-step
    float *density;      ///< over the rest density, of the last measurement
    float *gradient;     ///< the same of h |grad C|, in units of that of a flat surface
    float *to;           ///< records that distances are written to
    const float *before; ///< density that a relaxation goes to
    float relaxStep;     ///< of what constraints want
    PbfApart relaxApart;
    float relaxMost;      ///< of a density's error
    wbBoundaryLists near; ///< points of colliders; pass->boundary is NULL if there are none
    float *sunk;    ///< records of the points: the unit vector into the collider, depth below the surface
    float *changes; ///< records, as those of wbPbfBoundaryPass, with 1/h in the fourth field
    float forceScale, dragScale;
} wbSizedPass;

typedef struct wbSizedCode {
    wbRangeFn *lists;   ///< wbSizedListTask
    wbRangeFn *place;   ///< over particles: records of places, before the first iteration
    wbRangeFn *lambda;  ///< from places to solved
    wbRangeFn *correct; ///< from solved to places
    wbRangeFn *calm;    ///< over particles, when velocities are known: c of XSPH; offsets fade
    wbRangeFn *lowest;  ///< as in wbPbfCode, if there are several fluids
    wbRangeFn *smooth;  ///< XSPH into the particles' velocities, and spins
    wbRangeFn *confine; ///< vorticity confinement
    wbRangeFn *stay;    ///< over particles: places are where they are, with levels
    wbRangeFn *measure; ///< density and gradient, at places
    wbRangeFn *
        mark; ///< over particles: records of places with the distance, negative where it looks like a surface
    wbRangeFn *distance; ///< from such records to others: one neighbourhood farther
    wbRangeFn *relax;    ///< from places to solved: mu towards the density of before
    wbRangeFn *shift;    ///< from solved to places, without velocity
} wbSizedCode;

/// As wbPbfBoundaryCode, of a wbSizedPass.
typedef struct wbSizedBoundaryCode {
    wbRangeFn *add, *forces, *stick, *drag;
} wbSizedBoundaryCode;

WB_DECLARE_CODE(wbSizedCode, wb_sizedCode, wbGetSizedCode)
WB_DECLARE_CODE(wbSizedBoundaryCode, wb_sizedBoundaryCode, wbGetSizedBoundaryCode)
