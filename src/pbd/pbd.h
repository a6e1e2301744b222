// SPDX-License-Identifier: MIT
// Position based bodies: particles held together by constraints, which are solved on positions. Particles keep their
// places in memory, since constraints name them by it.
#pragma once

#include "core/array.h"
#include "core/saved_value.h"
#include "core/work.h"
#include "pbd/pbd_params.h"
#include "pbd/pbd_surface.h"
#include "space/domain.h"
#include "space/neighbours.h"
#include "wirbel/types.h"

/// Phases of a step, as they appear in profiles.
#define WB_PBD_PHASES(X) X(predict) X(search) X(constraints) X(contacts) X(sides) X(velocities)

typedef enum wbPbdPhase {
#define WB_PHASE(name) wb_pbd_##name,
    WB_PBD_PHASES(WB_PHASE)
#undef WB_PHASE
        wb_pbdPhaseCount
} wbPbdPhase;

extern const char *const wb_pbdPhaseNames[wb_pbdPhaseCount];

/// What a constraint does with the distance of its two particles. Each kind has its stiffness in the parameters.
typedef enum wbPbdKind {
    wb_pbdStretch, ///< keeps it
    wb_pbdBend,    ///< keeps it, with the stiffness of bending
    wb_pbdAtMost,  ///< only pulls, as a rope does
    wb_pbdAtLeast, ///< only pushes
    wb_pbdKindCount
} wbPbdKind;

/// Constraints that share no particle: one colour of one kind.
typedef struct wbPbdBatch {
    int begin, end; ///< whole vectors of 16
    wbPbdKind kind;
} wbPbdBatch;

/// Constraints in the order of batches, each filled up to whole vectors with constraints of the dummy on itself.
typedef struct wbPbdBatches {
    int count; ///< of constraints with what fills up
    int capacity;
    int *first, *second; ///< twice the place, as records count
    float *rest;
    float *share;  ///< 1 / number of constraints at the busier particle
    float *lambda; ///< of the present sub-step, XPBD
    wbArray list;  ///< wbPbdBatch
    int batchCount;
} wbPbdBatches;

/// Hinges in the order of batches, likewise.
typedef struct wbPbdHingeBatches {
    int count, capacity;
    int *corner[4];
    float *coefficient[4];
    float *rest, *share, *lambda;
    wbArray list; ///< wbPbdBatch
    int batchCount;
} wbPbdHingeBatches;

/// Constraints by particle: rows of 16 lanes for 16 particles at a time, as neighbour lists are, kind after kind.
typedef struct wbPbdRows {
    int count; ///< of entries
    int capacity;
    int *other;
    float *rest;    ///< negative where a list is filled up
    float *share;   ///< as above
    float *lambda;  ///< as above; both particles of a constraint compute the same
    wbArray begins; ///< int per group and kind, and one more: first row
    bool isReady;
} wbPbdRows;

/// What BDF2 needs of the sub-step before, beside positions and velocities.
typedef struct wbPbdHistory {
    float dt; ///< s, of that sub-step; 0: there is none, and the next one is of first order
    int capacity;
    float *wayX, *wayY, *wayZ; ///< m, that particles went in it
    float *vx, *vy, *vz;       ///< m/s, before it
    float *acceleration2;      ///< m2/s4, squared, over it
    float *bank;               ///< J, that the particle's body may gain (pbd_judge in pbd_formula.h)
} wbPbdHistory;

typedef struct wbPbd {
    // particles
    int count, capacity;
    float *x, *y, *z;    ///< m
    float *vx, *vy, *vz; ///< m/s
    float *w;            ///< 1/kg; 0: pinned
    uint32_t *body;
    float *perConstraint; ///< 1 / number of constraints at the particle; 0 without any
    float *restPlace[3];  ///< m, as its body was made
    int restCapacity;
    int bodyCount;
    // constraints, in the order in which they were added
    int constraintCount, constraintCapacity;
    int *first, *second;
    float *rest; ///< m
    int *kind;
    int *colour; ///< that was given: of a constraint among those of its kind; -1: it is chosen
    // hinges: bending of two triangles about their edge; corners 0 and 1 are the edge's
    int hingeCount, hingeCapacity;
    int *corner[4];
    float *coefficient[4]; ///< k; C = |sum k x| - rest
    float *hingeRest;      ///< m
    float previousDt;      ///< s; 0 before the first step
    float maxSpeed;        ///< m/s, after the last step
    wbPbdHistory history;
    // made from the constraints when a step needs it
    wbPbdBatches batches;
    wbPbdHingeBatches hinges;
    wbPbdRows rows;
    wbArray bodyBegins; ///< int per body, and one more: first particle
    bool isPrepared;
    uint32_t version; ///< how often batches were made
    int colourCount;  ///< over all kinds
    // contacts between bodies
    wbGrid grid;
    wbNeighbours neighbours;
    double ms[wb_pbdPhaseCount]; ///< of the last step
} wbPbd;

/// Particles in a sub-step: where they began, and the way that is predicted for them.
typedef struct wbPbdPlaces {
    const float *x, *y, *z, *wayX, *wayY, *wayZ; ///< m
    int count;
} wbPbdPlaces;

enum { WB_PBD_PLANE_COLUMNS = 7 };

/// Planes that colliders put before particles, one each, where the collider is at the end of the sub-step.
typedef struct wbPbdPlanes {
    float *nx, *ny, *nz; ///< length 1, away from the collider; 0 where there is none
    float *height;       ///< m, of the particle's start above the plane; WB_PBD_NO_PLANE where there is none
    float *sx, *sy, *sz; ///< m, that the collider's surface moves in the sub-step
} wbPbdPlanes;
#define WB_PBD_NO_PLANE 1e30f

/// Colliders that are not made of particles. Finds the planes of a sub-step that goes from a share of the step to another.
typedef struct wbPbdObstacles {
    void (*find)(const wbPbdPlaces *places, const wbPbdPlanes *planes, const wbWork *work, float from,
                 float to, void *context);
    void *context;
} wbPbdObstacles;

/// What pushes particles beside gravity.
typedef struct wbPbdForces {
    /// m/s2: the acceleration of each particle in a sub-step of dt seconds that begins.
    wbStatus (*find)(const wbPbd *pbd, float dt, const wbWork *work, float *const acceleration[3],
                     void *context);
    void *context;
} wbPbdForces;

/// A particle that is pulled to a place by a damped spring.
typedef struct wbPbdHold {
    int particle;
    float target[3];          ///< m
    float stiffness, damping; ///< N/m, N s/m
    float maxForce;           ///< N
    float lambda[3];          ///< kg m, of the present sub-step
} wbPbdHold;

/// A particle's record within a sub-step: its way and w, then where it began and 0. List entries of records count in halves, so that both
/// are loaded by the same index: particle i has 2 i.
enum { WB_PBD_RECORD = 8, WB_PBD_HALF = 4 };

/// What pushes particles within the iterations, and gives way to them: rigid bodies. Only the cores know it.
typedef struct wbPbdPartner {
    /// When ways are predicted for a sub-step of dt seconds: what may touch in it.
    wbStatus (*find)(const float *records, float dt, const wbWork *work, void *context);
    /// In each iteration, after constraints and colliders.
    void (*push)(float *records, const wbWork *work, void *context);
    /// The sub-step is over; memory of the arena that was taken in it goes.
    void (*end)(void *context);
    void *context;
} wbPbdPartner;

/// What stays constant during a step.
typedef struct wbPbdModel {
    wbPbdParams params;
    const wbDomain *domain;          ///< the world's
    const wbPbdObstacles *obstacles; ///< NULL: none
    const wbPbdForces *forces;       ///< NULL: none; only the cores know them
    wbPbdHold *holds;                ///< those of this step; likewise
    int holdCount;
    const wbPbdPartner *partner; ///< NULL: none
    wbPbdSurface *surface;       ///< what touches itself and its like; NULL: nothing. Only the cores know it
    const float *
        inverseMasses; ///< 1/kg, instead of wbPbd.w, with zeros behind them; NULL: those. Only the cores know it
} wbPbdModel;

/// Without particles.
void wbPbd_Init(wbPbd *pbd);
void wbPbd_Free(wbMemory *memory, wbPbd *pbd);

enum {
    WB_PBD_COLUMNS = 9,
    WB_PBD_HISTORY_COLUMNS = 8,
    WB_PBD_REST_COLUMNS = 3,
    WB_PBD_CONSTRAINT_COLUMNS = 5,
    WB_PBD_HINGE_COLUMNS = 9
};
/// All arrays of particles, constraints and hinges, listed once.
void wbPbd_ListColumns(wbPbd *pbd, wbColumn columns[WB_PBD_COLUMNS]);
void wbPbd_ListHistoryColumns(wbPbd *pbd, wbColumn columns[WB_PBD_HISTORY_COLUMNS]);
void wbPbd_ListRestColumns(wbPbd *pbd, wbColumn columns[WB_PBD_REST_COLUMNS]);
void wbPbd_ListConstraintColumns(wbPbd *pbd, wbColumn columns[WB_PBD_CONSTRAINT_COLUMNS]);
void wbPbd_ListHingeColumns(wbPbd *pbd, wbColumn columns[WB_PBD_HINGE_COLUMNS]);

/// Makes room for the history of all particles.
wbStatus wbPbd_ReserveHistory(wbPbd *pbd, wbMemory *memory);
/// A particle that was stopped from outside has no motion to go on with.
void wbPbd_ForgetMotion(wbPbd *pbd, int particle);

/// Adds particles at rest that form a body of their own; positions x, y, z each. `*first` receives the place of the
/// first, the others follow.
wbStatus wbPbd_AddBody(wbPbd *pbd, wbMemory *memory, int count, const float *positions, float inverseMass,
                       int *first);
/// Removes one of the bodies with all that ties it: particles, constraints and hinges behind them move up.
typedef struct wbPbdRange {
    int begin, end;
} wbPbdRange;
void wbPbd_RemoveBody(wbPbd *pbd, wbPbdRange particles, wbPbdRange constraints);
/// Adds constraints between the particles pairs[2 k] and pairs[2 k + 1], which differ; rest lengths are the present
/// distances.
wbStatus wbPbd_AddConstraints(wbPbd *pbd, wbMemory *memory, int count, const int *pairs, wbPbdKind kind);

/// Adds hinges between pairs of triangles: corners[4 k] and [4 k + 1] are their common edge, [4 k + 2] and [4 k + 3] the
/// corners across it, all different. They keep the present angle, with the stiffness of bending, as far as edges keep
/// their lengths: sum k x is the edge's part of the curvature (Bergou et al. 2006), flat where it is 0.
wbStatus wbPbd_AddHinges(wbPbd *pbd, wbMemory *memory, int count, const int *corners);

/// Advances by dt seconds. After wb_errorMemory the state is that at the end of a sub-step, or of before.
wbStatus wbPbd_Step(wbPbd *pbd, const wbPbdModel *model, const wbWork *work, float dt);

/// @name A step of one sub-step that others push while they iterate
/// It stays in the arena from its beginning to its end.
/// @{
typedef struct wbPbdOpenStep wbPbdOpenStep;
/// Everything up to the end of so many iterations; obstacles, forces and partners are asked in them, and no more.
wbStatus wbPbd_Open(wbPbd *pbd, const wbPbdModel *model, const wbWork *work, float dt, int iterations,
                    wbPbdOpenStep **open);
/// Where particles are, which may be changed; each iteration may put it elsewhere.
float *wbPbdOpenStep_GetRecords(const wbPbdOpenStep *open);
/// Changes ways where surfaces would go through each other; gives whether it changed any. Close does it, too.
wbStatus wbPbdOpenStep_Hold(wbPbdOpenStep *open, bool *isChanged);
void wbPbdOpenStep_Iterate(wbPbdOpenStep *open, int count);
/// Velocities and places.
wbStatus wbPbdOpenStep_Close(wbPbdOpenStep *open);
/// @}

/// Root of the mean squared error of lengths, each relative to its rest length, over constraints with one.
double wbPbd_GetLengthError(const wbPbd *pbd);

/// By how much more a push out of something stores in the constraints of a particle; after wbPbd_Prepare.
double wbPbd_CountTies(const wbPbd *pbd, int i);
/// J: what constraints, sides and contacts that do not hold can make of speed in sub-steps of dt seconds, at most, with
/// the particles at p; far more than they do where many share a particle.
wbStatus wbPbd_GetStored(wbPbd *pbd, const wbPbdModel *model, const wbWork *work, const float *const p[3],
                         double dt, double *energy);

/// The colour of each constraint, which no other of its kind has at its particles.
wbStatus wbPbd_GetColours(wbPbd *pbd, const wbWork *work, int *colours);
/// Takes other colours than those that would be chosen, until constraints are added. wb_errorInput if two constraints of a kind share a particle and
/// a colour.
wbStatus wbPbd_SetColours(wbPbd *pbd, const wbWork *work, const int *colours);
/// Of who is tied to whom.
uint64_t wbPbd_HashConstraints(const wbPbd *pbd);

/// For the step: colours and sorts the constraints if they changed; rows if that solver needs them.
wbStatus wbPbd_Prepare(wbPbd *pbd, const wbWork *work, bool needsRows);
void wbPbdHingeBatches_Free(wbMemory *memory, wbPbdHingeBatches *hinges);
void wbPbdBatches_Free(wbMemory *memory, wbPbdBatches *batches);
void wbPbdRows_Free(wbMemory *memory, wbPbdRows *rows);
