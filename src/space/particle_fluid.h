// SPDX-License-Identifier: MIT
// The base of fluids of particles: what a step on the cores does around a method's own passes. A method has a wbFluidState,
// and what it alone knows. A step of it goes like this:
//
//     wbFluidStep fluid = wbMakeFluidStep(…)
//     wbFluidStep_Begin(…)
//     wbFluidStep_Sort(…)                       into the order of cells; fails where particles have fallen into each other
//     wbFluidStep_FindGhosts(…)                 behind closed sides
//     wbFluidStep_AllocPositions(…), …          what passes read of particles and ghosts, by the entries of lists
//     wbFluidStep_FillRelative(…)               densities of several fluids
//     wbFluidStep_ListBoundary(…)               colliders' points near particles, and the other way round
//     wbFluidStep_BeginLists(…)                 of neighbours, which a pass builds
//     wbFluidStep_RunOverLists(…), …            the passes: space/particle_fluid_wide.h
//     wbFluidStep_Collide(…)                    what went through a surface is put back
//     wbFluidStep_TakeMaxima(…)                 fails where something is not finite
#pragma once

#include "core/saved_value.h"
#include "space/colliders.h"
#include "space/meet.h"
#include "space/mirror.h"
#include "space/particles.h"

/// Cells and lists, made anew in each step. They keep their memory.
typedef struct wbFluidSearch {
    wbGrid grid, ghostGrid;
    wbNeighbours neighbours;         ///< of particles, among particles and ghosts
    wbNeighbours boundaryNeighbours; ///< of particles, among places of colliders
    wbNeighbours bodyNeighbours;     ///< of places of colliders, among particles
    wbMeetSearch meet;               ///< of particles and bodies, where the method asks for it
} wbFluidSearch;

void wbFluidSearch_Init(wbFluidSearch *search);
void wbFluidSearch_Free(wbMemory *memory, wbFluidSearch *search);
/// Gives the memory back; the search can be used again.
void wbFluidSearch_Reset(wbMemory *memory, wbFluidSearch *search);

/// What the state of every method has.
typedef struct wbFluidState {
    wbParticles particles; ///< sorted in the last step, or sub-step
    wbMixture mixture;     ///< of the fluids, during a step
    wbFluidSearch search;
    double ms[WB_MAX_PHASES]; ///< of the last step, by the method's phases
} wbFluidState;

void wbFluidState_Init(wbFluidState *state);
void wbFluidState_Free(wbMemory *memory, wbFluidState *state);

/// Its single numbers, by the names of a method, to be listed before those of its own.
enum { WB_FLUID_VALUES = 3 };
#define WB_FLUID_VALUE_NAMES(method)                                                                         \
    ((const char *const[]){method ".count", method ".maxSpeed", method ".maxDensity"})
void wbFluidState_ListValues(wbFluidState *state, const char *const names[WB_FLUID_VALUES],
                             wbSavedValue values[WB_FLUID_VALUES]);

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
    double *ms, mark;        ///< times of the phases, and when the present one began
    float (*maxima)[2];      ///< per block of particles: squared speed (NaN if not finite), density
    float *before[3];        ///< positions before a drift, for continuous collision
    float *seen[3];          ///< those at which colliders were looked for; NULL: before the drift
    const float *clearances; ///< as in wbDrift, there
    const float
        *relative; ///< densities of several fluids over the solver's, in the order of particles; NULL: all 1
    wbGhosts ghosts;
    int firstGhost, dummy; ///< places among records
    wbPointSet own;        ///< the sorted points, while their lists are built
} wbFluidStep;

/// What is given, for a method with these numbers; its first phase begins, and impulses of colliders are 0.
wbFluidStep wbMakeFluidStep(wbFluidState *state, const wbDomain *domain, float h, float smoothing,
                            const wbFluidColliders *colliders, const wbWork *work);
/// There are particles. Weighs colliders by the method's kernel and makes room for the maxima; scratch is in the arena, of the
/// caller's marks.
wbStatus wbFluidStep_Begin(wbFluidStep *step, wbBoundaryKernel kernel);
/// Again, when a method has made more particles.
wbStatus wbFluidStep_ReserveMaxima(wbFluidStep *step);
wbStatus wbFluidStep_FailByMemory(const wbFluidStep *step);

/// Times of a phase: the next one begins.
void wbFluidStep_EndPhase(wbFluidStep *step, int phase);

/// Copies the particles' velocities.
void wbFluidStep_CopyVelocities(const wbFluidStep *step, float *vx, float *vy, float *vz);
/// Moves columns into the order of the cells of `points` (particles' positions, or where they will be), which the search's grid has
/// then. wb_errorUnstable, before anything is exchanged, if too many share a cell: lists of them would take time and memory by
/// the square.
wbStatus wbFluidStep_Sort(wbFluidStep *step, wbPoints points, const wbMove *moves, int moveCount);
/// The same check alone, where particles are, before a device moves them.
wbStatus wbFluidStep_CheckCrowding(wbFluidStep *step);
/// wb_errorUnstable if particles have far too many neighbours, by the pairs of their lists.
wbStatus wbFluidStep_CheckPairs(const wbFluidStep *step);
/// Ghosts of the sorted points, and the set to search them by; with none of them `set` stays as it is.
wbStatus wbFluidStep_FindGhosts(wbFluidStep *step, wbPoints points, wbPointSet *set);

/// Begins the lists of the sorted points' neighbours among themselves and ghosts; a range function builds them, wbNeighbours_End
/// ends them.
wbStatus wbFluidStep_BeginLists(wbFluidStep *step, wbPoints points, const wbPointSet *ghosts,
                                wbListTask *lists);
/// All of it, for methods whose first pass does not build them.
wbStatus wbFluidStep_BuildLists(wbFluidStep *step, wbPoints points, const wbPointSet *ghosts);

/// Columns of a float per particle, with room to read and write whole vectors past the end. False: no memory.
bool wbFluidStep_AllocColumns(const wbFluidStep *step, float **const columns[], int count);
/// Records and numbers, once ghosts are known; the dummy is set, and what is past the last particle: positions beyond every kernel,
/// and near enough that products of them stay finite, or zeros. NULL: no memory.
float *wbFluidStep_AllocPositions(const wbFluidStep *step, float fourth);
float *wbFluidStep_AllocVectors(const wbFluidStep *step);
/// Eight floats each, for passes that want both at once: a position and a number, then a vector and a number.
float *wbFluidStep_AllocMotions(const wbFluidStep *step);
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
    wbImpulse *sums;               ///< room for those of all bodies, with them
} wbBoundaryLists;

typedef enum wbBoundaryWish { wb_wantsPlaces, wb_wantsParticles, wb_wantsForces } wbBoundaryWish;

/// Whether there are colliders with points that count.
bool wbFluidStep_HasBoundary(const wbFluidStep *step);
/// Places the colliders as they are at this time and lists who is near whom among the sorted points; each wish has what those
/// before it have. Lists of particles are filled up with the step's dummy, those of places with the boundary's.
wbStatus wbFluidStep_ListBoundary(const wbFluidStep *step, wbPoints points, wbBoundaryTime time,
                                  wbBoundaryWish wish, wbBoundaryLists *lists);
/// After an iteration, with the forces of the lists, in a part of a step of so many seconds: bodies that give way to them do (wbRespondFn).
void wbFluidStep_Respond(const wbFluidStep *step, const wbBoundaryLists *lists, wbBoundaryTime time,
                         float seconds);
/// The same with forces that the method has summed per body.
void wbFluidStep_RespondTo(const wbFluidStep *step, const wbImpulse *forces, wbBoundaryTime time,
                           float seconds);
/// Room for an impulse of each body. NULL: no memory.
wbImpulse *wbFluidStep_AllocBodySums(const wbFluidStep *step);
/// Zeros, with room for whole vectors past the end. NULL: no memory.
float *wbFluidStep_AllocZeros(const wbFluidStep *step, int count);

/// Whether colliders stop what would pass through their triangles.
bool wbFluidStep_HasCollision(const wbFluidStep *step);
/// If they do: room to copy positions to, unless the method has them anyway; copies them, where a drift begins; continuous collision of
/// it, with `boundarySums` as in wbDrift. Colliders get what particles lose whose velocities last.
bool wbFluidStep_AllocBefore(wbFluidStep *step);
void wbFluidStep_KeepPositions(const wbFluidStep *step);
void wbFluidStep_Collide(const wbFluidStep *step, const float *boundarySums, wbBoundaryTime from,
                         wbBoundaryTime to, bool isLasting);
/// When a step ends: impulses of colliders get what particles of this mass (kg) have lost by collisions.
void wbFluidStep_TakeCaught(const wbFluidStep *step, double mass);

/// A pass over lists, by a range function of WB_LIST_RANGE.
typedef struct wbListPass {
    const wbNeighbours *neighbours;
    const float *own,
        *others; ///< records of the points (NULL: the pass has what it needs of them) and of their neighbours
    const void *pass; ///< the method's own
    unsigned terms;   ///< bits of the method's own: each set of them has a loop without branches
    bool skipsEmpty;  ///< points are left out where their group of sixteen has nobody near
} wbListPass;

/// Over particles, by their records, and their neighbours among particles and ghosts.
void wbFluidStep_RunOverLists(const wbFluidStep *step, wbRangeFn *range, const float *records,
                              const void *pass, unsigned terms);
/// Over particles, by their records, that have places of colliders near them; over places, near which particles with records are.
void wbFluidStep_RunNear(const wbFluidStep *step, const wbBoundaryLists *near, wbRangeFn *range,
                         const float *records, const void *pass, unsigned terms);
void wbFluidStep_RunAt(const wbFluidStep *step, const wbBoundaryLists *near, wbRangeFn *range,
                       const float *records, const void *pass, unsigned terms);
/// Over `count` points: particles, or places of colliders.
void wbFluidStep_Run(const wbFluidStep *step, wbRangeFn *range, int count, wbListPass lists);
