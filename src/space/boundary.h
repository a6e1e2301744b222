// SPDX-License-Identifier: MIT
// Colliders as points: each body has points that fill its shell, in its own frame. Here they are placed in the world and
// sorted by cell, so that solvers of particles can search them. Those of still bodies are sorted once, those of moving
// bodies each time they are placed.
//
//     wbBoundary_AddBody(…)                     once per collider
//     wbBoundary_Weigh(…)                       by the solver: does nothing unless bodies, kernel or radius have changed
//     wbBoundary_SetMotion(…)                   before each step, for what moves
//     wbBoundary_Place(…, wb_atMiddle)          by the solver, before it searches `sets`
//     wbBoundary_ClearImpulses(…)               by the solver, when its step begins
//     wbBoundary_AddForces(…)                   by the solver: what the particles do to each body
//     wbBoundary_AddCaught(…)                   likewise, by continuous collision
#pragma once

#include "core/shared_sum.h"
#include "shape/pose.h"
#include "shape/shape.h"
#include "space/neighbours.h"

/// Times of a step for which motions are known.
typedef enum wbBoundaryTime { wb_atStart, wb_atMiddle, wb_atEnd, wb_boundaryTimeCount } wbBoundaryTime;

typedef struct wbBoundaryBodyDef {
    int count;
    wbShape
        *shape; ///< that the points are of, of which the boundary becomes an owner; NULL: points on a lattice
    const float *points;  ///< m, x, y, z each, in the body's frame
    const float *normals; ///< unit vectors, x, y, z each: outwards at the nearest place of the surface
    const float *depths;  ///< m below the surface
    bool isOff;           ///< its points do not count
    bool isMoving; ///< else it is sorted once; its motion may change, at the cost of sorting all still ones
    bool isNoSlip;
    float slack;     ///< 0 to 1: of the grip of what does not slip along it, what a light body lacks
    float adhesion;  ///< N/m, work per area that parts fluid and collider
    wbMotion motion; ///< in 2D it stays in the plane z = 0
} wbBoundaryBodyDef;

/// What acts on a body in some time.
typedef struct wbImpulse {
    double linear[3];  ///< N s
    double angular[3]; ///< N m s, about the pose's origin
} wbImpulse;

typedef struct wbBoundaryBody {
    int first, count; ///< its points
    wbShape *shape;   ///< NULL: its points are on a lattice
    bool isOff, isMoving, isNoSlip;
    bool isWeighed; ///< its points have weights
    float slack;    ///< see wbBoundaryBodyDef
    float adhesion; ///< N/m
    float reach;    ///< m, of its points from the frame's origin
    wbMotion motions[wb_boundaryTimeCount];
    float speed;       ///< m/s, that a point of it has at most
    int ownCount;      ///< of its points that count, in its own order
    wbImpulse impulse; ///< by the fluid, in the last step
    bool isTouched;    ///< it is among the boundary's `touched`
} wbBoundaryBody;

enum { WB_CAUGHT_SUMS = 6 }; ///< linear, angular

/// What the weights were made for: others need others.
typedef struct wbBoundaryKey {
    float radius; ///< m, of the searches
    int dimensions, kernel;
} wbBoundaryKey;

typedef struct wbBoundary {
    wbArray bodies; ///< wbBoundaryBody
    int bodyCount;
    int onCount;                    ///< bodies that are not off
    int noSlipCount, adhesiveCount; ///< of them: that fluid does not slip along, that attract it
    wbArray moving;                 ///< int: bodies whose speed is not 0
    int movingBodyCount;
    wbArray touched; ///< int: bodies with an impulse, in the order in which they got it
    int touchedCount;
    wbArray
        caught; ///< wbSharedSum: WB_CAUGHT_SUMS per body, of space/collision.h, until wbBoundary_AddCaught
    bool hasCaught; ///< some of them are not 0
    // points of all bodies, in their frames
    int pointCount, capacity;
    float *localX, *localY, *localZ, *normalX, *normalY, *normalZ, *depth;
    float *weight; ///< volume of the point as a share of a particle's: of the solver, 0: it does not count
    int *body;
    wbBoundaryKey key; ///< all 0: points without weights
    bool isWeighed;    ///< all bodies are, by it
    // those that count, in the world: still ones, then moving ones, each sorted by cell, then a dummy far away
    int stillCount, movingCount;
    int *kept;              ///< points that count, unsorted
    int *source;            ///< point of each place
    int *place;             ///< and of each point its place; -1: it has none
    float *x, *y, *z;       ///< m, where they were placed
    float *positionRecords; ///< x, y, z, weight; these follow
    float *velocityRecords; ///< vx, vy, vz, weight where fluid does not slip, else 0
    // those that count, of each body from its first on in the order of cells of its own frame, see wbBoundary_SortBodies; then a dummy
    float *ownX, *ownY, *ownZ; ///< m
    float *ownRecords;         ///< x, y, z, weight
    wbArray ownGrids;          ///< wbGrid per body
    int ownGridCount;
    bool isSorted;
    bool
        hasPlaces; ///< points were placed in this step: solvers that look at bodies in their own frames need none
    bool showsSlip; ///< velocities of what fluid slips along follow, too: of the solver
    bool isStillPlaced;
    uint64_t stillHash; ///< of what was placed for still ones: for copies
    wbGrid grids[2];    ///< still, moving
    wbPointSet sets[2]; ///< list entries are places
} wbBoundary;

void wbBoundary_Init(wbBoundary *boundary);
void wbBoundary_Free(wbMemory *memory, wbBoundary *boundary);

/// Copies the points. Bodies are counted from 0 in the order in which they were added.
wbStatus wbBoundary_AddBody(wbBoundary *boundary, wbMemory *memory, const wbBoundaryBodyDef *def);
/// As body `at`: that one and those behind it move back.
wbStatus wbBoundary_InsertBody(wbBoundary *boundary, wbMemory *memory, int at, const wbBoundaryBodyDef *def);
/// Those behind it move up.
void wbBoundary_RemoveBody(wbBoundary *boundary, int body);
wbBoundaryBody *wbBoundary_GetBody(const wbBoundary *boundary, int body);

/// Motions at the start, the middle and the end of the step to come.
void wbBoundary_SetMotion(wbBoundary *boundary, int body, const wbMotion motions[wb_boundaryTimeCount]);
/// Whether its points count.
void wbBoundary_SetOn(wbBoundary *boundary, int body, bool isOn);
/// It moves from now on, or stands still.
void wbBoundary_SetMoving(wbBoundary *boundary, int body, bool isMoving);
void wbBoundary_SetSurface(wbBoundary *boundary, int body, bool isNoSlip, float slack, float adhesion);

/// m/s, that a point of a moving body has at most: the time step must follow it.
float wbBoundary_GetTopSpeed(const wbBoundary *boundary);
bool wbBoundary_HasAdhesion(const wbBoundary *boundary);
bool wbBoundary_HasNoSlip(const wbBoundary *boundary);

/// Sums of a solver's kernel around points, without its factor: what its range function gets.
typedef struct wbWeighing {
    const void *constants; ///< of the solver's kernel
    wbListTask lists;
    float *sums;
} wbWeighing;

typedef struct wbBoundaryKernel {
    wbBoundaryKey key;
    wbRangeFn *sum; ///< builds lists and sums the kernel over them; wbWeighing
    const void *constants;
    float spacing;  ///< m, of the points
    bool readsSlip; ///< the solver reads velocities also of what fluid slips along
} wbBoundaryKernel;

/// Volumes of the points by a kernel, where they are not known yet; those deeper than its radius do not count.
wbStatus wbBoundary_Weigh(wbBoundary *boundary, const wbBoundaryKernel *kernel, const wbWork *work);
/// Takes the weights that were written for this key.
void wbBoundary_Settle(wbBoundary *boundary, wbBoundaryKey key);
/// Places that count.
static inline int wbBoundary_GetCount(const wbBoundary *b) { return b->stillCount + b->movingCount; }

/// Sorts the points of each body in its own frame, where they rest: does nothing unless bodies or weights have changed.
wbStatus wbBoundary_SortBodies(wbBoundary *boundary, const wbWork *work);

/// Places and sorts what moves as it is at this time, and still bodies where it is needed.
wbStatus wbBoundary_Place(wbBoundary *boundary, const wbWork *work, wbBoundaryTime time);

/// The motion of a body has changed a little since: its places' records follow, in the same order. Of several bodies at once.
void wbBoundary_Follow(wbBoundary *boundary, int body, wbBoundaryTime time);

/// Lists of the places near each particle, to be built by a range function over `particles`, and ended by
/// wbNeighbours_End; filled up with the dummy.
wbStatus wbBoundary_BeginLists(const wbBoundary *boundary, wbNeighbours *neighbours, const wbWork *work,
                               wbPoints particles, wbListTask *task);
/// Lists of the particles near each place, filled up with `dummy`.
wbStatus wbBoundary_ListParticles(const wbBoundary *boundary, wbNeighbours *neighbours, const wbWork *work,
                                  const wbPointSet *particles, int dummy);

/// Impulses of the bodies since they were cleared. Sums are in double.
void wbBoundary_ClearImpulses(wbBoundary *boundary);
/// Of forces at all places (N), which were placed for this time, for so many seconds; in the order of places.
void wbBoundary_AddForces(wbBoundary *boundary, wbBoundaryTime time, const float *fx, const float *fy,
                          const float *fz, double seconds);
/// The same of what was summed up per body: N, N m about its origin.
void wbBoundary_AddSums(wbBoundary *boundary, const wbImpulse *forces, double seconds);
/// What wbBoundary_AddForces sums, of all bodies, but in the order of a body's points.
void wbBoundary_SumForces(const wbBoundary *boundary, const wbWork *work, wbBoundaryTime time,
                          const float *const forces[3], wbImpulse *sums);
/// Of particles that continuous collision has stopped, if there are any: the sums, which become 0, times the heaviest's mass (kg).
void wbBoundary_AddCaught(wbBoundary *boundary, double mass);
