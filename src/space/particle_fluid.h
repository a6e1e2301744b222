// SPDX-License-Identifier: MIT
// The base of fluids of particles: what a step on the cores does around a method's own passes. A method has its particles, a
// wbFluidSearch, and what it alone knows. A step of it goes like this:
//
//     wbFluidStep fluid = {…}                   what is given: all up to `work`
//     wbFluidStep_Begin(…)
//     wbFluidStep_Sort(…)                       into the order of cells; fails where particles have fallen into each other
//     wbFluidStep_FindGhosts(…)                 behind closed sides
//     wbFluidStep_AllocRecords(…)               what passes read of particles and ghosts, by the entries of lists
//     wbFluidStep_FillRelative(…)               densities of several fluids
//     wbFluidStep_ListBoundary(…)               colliders' points near particles, and the other way round
//     wbNeighbours_Build(…), the passes         space/particle_fluid_wide.h
//     wbFluidStep_Collide(…)                    what went through a surface is put back
//     wbFluidStep_TakeMaxima(…)                 fails where something is not finite
#pragma once

#include "space/colliders.h"
#include "space/mirror.h"
#include "space/particles.h"

/// Cells and lists, made anew in each step. They keep their memory.
typedef struct wbFluidSearch {
    wbGrid grid, ghostGrid;
    wbNeighbours neighbours;         ///< of particles, among particles and ghosts
    wbNeighbours boundaryNeighbours; ///< of particles, among places of colliders
    wbNeighbours bodyNeighbours;     ///< of places of colliders, among particles
} wbFluidSearch;

void wbFluidSearch_Init(wbFluidSearch *search);
void wbFluidSearch_Free(wbMemory *memory, wbFluidSearch *search);
/// Gives the memory back; the search can be used again.
void wbFluidSearch_Reset(wbMemory *memory, wbFluidSearch *search);

/// A step: what it is given, and what passes share. Records are four floats and numbers are one, per particle, then per ghost, then
/// of one dummy, which lists are filled up with.
typedef struct wbFluidStep {
    wbParticles *particles;
    const wbMixture *mixture;
    wbFluidSearch *search;
    const wbDomain *domain;
    float h;                           ///< m, support radius
    float smoothing;                   ///< the same in spacings
    const wbFluidColliders *colliders; ///< NULL: none
    const wbWork *work;
    float (*maxima)[2]; ///< per block of particles: squared speed (NaN if not finite), density
    wbGhosts ghosts;
    int firstGhost, dummy; ///< places among records
} wbFluidStep;

/// There are particles. Makes room for the maxima; scratch is in the arena, of the caller's marks.
wbStatus wbFluidStep_Begin(wbFluidStep *step);
wbStatus wbFluidStep_FailByMemory(const wbFluidStep *step);

/// Moves columns into the order of the cells of `points` (particles' positions, or where they will be), which the search's grid has
/// then. wb_errorUnstable, before anything is exchanged, if too many share a cell: lists of them would take time and memory by
/// the square.
wbStatus wbFluidStep_Sort(wbFluidStep *step, wbPoints points, const wbMove *moves, int moveCount);
/// Ghosts of the sorted points, and the set to search them by; with none of them `set` stays as it is.
wbStatus wbFluidStep_FindGhosts(wbFluidStep *step, wbPoints points, wbPointSet *set);

/// Columns of a float per particle, with room to read and write whole vectors past the end. False: no memory.
bool wbFluidStep_AllocColumns(const wbFluidStep *step, float **const columns[], int count);
/// Records and numbers, once ghosts are known; the dummy is set, and what is past the last particle. NULL: no memory.
float *wbFluidStep_AllocRecords(const wbFluidStep *step, const float dummy[4]);
float *wbFluidStep_AllocNumbers(const wbFluidStep *step, float dummy);

/// Densities of the fluids of particles with these ids, over the solver's; 1 in the rest of the last vector.
void wbFluidStep_FillRelative(const wbFluidStep *step, const uint32_t *ids, float *relative);
/// Numbers of ghosts are those of their particles.
void wbFluidStep_CopyToGhosts(const wbFluidStep *step, float *numbers);
/// Records of ghosts: positions are mirrored at the sides, velocities as seen from the sides, which slip; other vectors change
/// their sign across them; the fourth field stays.
void wbFluidStep_MirrorPositions(const wbFluidStep *step, float *records);
void wbFluidStep_MirrorVelocities(const wbFluidStep *step, float *records);
void wbFluidStep_MirrorVectors(const wbFluidStep *step, float *records);

/// Highest speed and density of the particles from those of all blocks; wb_errorUnstable if one is not finite.
wbStatus wbFluidStep_TakeMaxima(const wbFluidStep *step);

/// Colliders among the particles of one evaluation.
typedef struct wbBoundaryLists {
    const wbBoundary *points;
    const wbNeighbours *places;    ///< near each particle
    const wbNeighbours *particles; ///< near each place; NULL: not wanted
    float *fx, *fy, *fz;           ///< N, at each place, 0 at first; NULL: not wanted
} wbBoundaryLists;

typedef enum wbBoundaryWish { wb_wantsPlaces, wb_wantsParticles, wb_wantsForces } wbBoundaryWish;

/// Whether there are colliders with points that count.
bool wbFluidStep_HasBoundary(const wbFluidStep *step);
/// Places the colliders as they are at this time and lists who is near whom among the sorted points; each wish has what those
/// before it have. Lists of particles are filled up with the step's dummy, those of places with the boundary's.
wbStatus wbFluidStep_ListBoundary(const wbFluidStep *step, wbPoints points, wbBoundaryTime time,
                                  wbBoundaryWish wish, wbBoundaryLists *lists);
/// Zeros, with room for whole vectors past the end. NULL: no memory.
float *wbFluidStep_AllocZeros(const wbFluidStep *step, int count);

/// Whether colliders stop what would pass through their triangles.
bool wbFluidStep_HasCollision(const wbFluidStep *step);
/// Continuous collision of a drift that began at the positions `before`, if there is any. `boundarySums` as in wbDrift.
void wbFluidStep_Collide(const wbFluidStep *step, const float *const before[3], const float *boundarySums,
                         wbBoundaryTime from, wbBoundaryTime to);

/// A pass over lists, by a range function of WB_LIST_RANGE.
typedef struct wbListPass {
    const wbNeighbours *neighbours;
    const void *pass; ///< the method's own
    unsigned terms;   ///< bits of the method's own: each set of them has a loop without branches
    bool skipsEmpty;  ///< points are left out where their group of sixteen has nobody near
} wbListPass;

/// Over particles that have places of colliders near them; over places that have particles near them.
void wbFluidStep_RunNear(const wbFluidStep *step, const wbBoundaryLists *near, wbRangeFn *range,
                         const void *pass, unsigned terms);
void wbFluidStep_RunAt(const wbFluidStep *step, const wbBoundaryLists *near, wbRangeFn *range,
                       const void *pass, unsigned terms);
/// Over `count` points: particles, or places of colliders.
void wbFluidStep_Run(const wbFluidStep *step, wbRangeFn *range, int count, wbListPass lists);
