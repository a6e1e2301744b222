// SPDX-License-Identifier: MIT
// Rigid bodies as an owner of surfaces. In a sub-step
//
//     wbWetBodies_Begin(…)       where bodies are
//     …                          they move
//     wbWetBodies_Move(…)        fluids see them go there evenly
//     …                          fluids move; while they iterate, bodies give way (coupling/response.h)
//     owner.take(…)              what they did to each body
//     wbWetBodies_Settle(…)      it changes velocities at once, and wakes who sleeps
#pragma once

#include "rigid/rigid.h"
#include "space/collision.h"
#include "space/response_formula.h"
#include "space/surface.h"

/// What the world knows of a body.
typedef struct wbWetBody {
    const char *name;
    struct wbShape *shape; ///< in the frame of its origin; NULL: it has no inside, and no fluid feels it
    wbPose frame;          ///< of its centre of mass and principal axes, as its origin sees them
    bool isOff, isNoSlip;
    bool isThin;    ///< fluids feel it as sheets (coupling/of_hull.h), and not by points
    float slack;    ///< what it lacks of the grip of what sticks to it, since it is light
    float adhesion; ///< N/m
    float load;     ///< kg, of fluid that holds its answer back while that iterates (coupling/response.h)
    float turnLoad; ///< the same for turns, over its own inertia
    float floor;    ///< its least inertia, over its own, where fluids may touch it; 0: there is none
} wbWetBody;

/// What the next sub-step reads of a body: linear, then angular about the centre of mass.
typedef struct wbWetState {
    float transit[6]; ///< N s, N m s: given by fluids, and not yet taken
    float dryTime;    ///< s, since a fluid touched it last; no more than matters
    float
        farTime; ///< s, since one touched it where it has a floor; below 0: none has yet; more than matters: it is away from them
} wbWetState;

/// A body within a sub-step: what fluids did beside its even way. m, rad; m/s, rad/s; N s, N m s about the centre of mass.
typedef struct wbWetMotion {
    double way[6], gain[6]; ///< by the parts of the sub-step that are over
    double now[6];          ///< displacement in the part that is being done
    double given[6];
    bool isResponding;
} wbWetMotion;

/// What fluids did to a body in a step of the world, for programs.
typedef struct wbWetTold {
    double given[6]; ///< N s, N m s about the centre of mass
    bool isTold;     ///< there has been one since it came, or was read from a checkpoint
    bool wasWet;     ///< when the step began
} wbWetTold;

typedef struct wbWetBodies {
    wbRigid *rigid;
    wbPairMode mode;
    float dt;        ///< s, of the sub-step
    float from, to;  ///< the part of it that is being done, in shares
    int count;       ///< bodies
    int stateCount;  ///< of them, that were there in the last step, and are
    wbArray bodies;  ///< wbWetBody
    wbArray states;  ///< wbWetState
    wbArray inner;   ///< wbWetMotion
    wbArray told;    ///< wbWetTold, of `stateCount`
    wbArray ways;    ///< wbPose[2]: of origins at the start and at the end of the sub-step
    wbArray motions; ///< wbMotion[wb_boundaryTimeCount]
    wbArray all;     ///< int: 0, 1, …
    double given[3]; ///< N s, that bodies got since it was set to 0
    double left[3];  ///< N s, that floors have had when they went
} wbWetBodies;

void wbWetBodies_Init(wbWetBodies *wet);
void wbWetBodies_Free(wbMemory *memory, wbWetBodies *wet);
/// Room for so many bodies, whose rows `bodies` are to be written. Those that are new are dry.
wbStatus wbWetBodies_Reserve(wbWetBodies *wet, wbMemory *memory, int count);
/// Room for the states of a checkpoint.
wbStatus wbWetBodies_ReserveStates(wbWetBodies *wet, wbMemory *memory, int count);
/// One goes, and those behind it move up.
void wbWetBodies_Remove(wbWetBodies *wet, int body);

static inline wbWetBody *wbWetBodies_Get(const wbWetBodies *wet, int body) {
    return (wbWetBody *)wet->bodies.data + body;
}
static inline wbWetState *wbWetBodies_GetState(const wbWetBodies *wet, int body) {
    return (wbWetState *)wet->states.data + body;
}
static inline wbWetMotion *wbWetBodies_GetInner(const wbWetBodies *wet, int body) {
    return (wbWetMotion *)wet->inner.data + body;
}
static inline wbWetTold *wbWetBodies_GetTold(const wbWetBodies *wet, int body) {
    return (wbWetTold *)wet->told.data + body;
}
/// Whether a fluid has touched it within the last tenth of a second.
bool wbWetBodies_IsWet(const wbWetBodies *wet, int body);
/// @name The floor under the inertia of those that are light
/// Before a sub-step it is known whether a fluid may touch it there (near_water.h): its inertia counts from there on, so that what it is given
/// in the first touch is right for it. It stays for a tenth of a second after the last touch.
/// @{
bool wbWetBodies_HasFloor(const wbWetBodies *wet, int body);
/// Whether its place has to be looked at: no fluid has touched it for as long.
bool wbWetBodies_IsToFind(const wbWetBodies *wet, int body);
/// What its velocity is times from then on. What comes near to a fluid keeps its momentum, and gets its velocity back if it was not touched. What was
/// touched keeps its velocity when it is away again: neither makes energy. Momentum that is left over then goes into `left`.
float wbWetBodies_SetNear(wbWetBodies *wet, int body, bool isNear);
/// m/s: no point of it is faster.
float wbWetBodies_GetSpeed(const wbWetBodies *wet, int body);
/// @}
/// Whether fluids move it.
static inline bool wbWetBodies_IsFree(const wbWetBodies *wet, int body) {
    return wet->mode == wb_pairBoth && (wet->rigid->bits[body] & WB_RIGID_DYNAMIC);
}

/// Before a step of the world: nothing has been given yet.
void wbWetBodies_Tell(wbWetBodies *wet);
/// Before bodies move.
void wbWetBodies_Begin(wbWetBodies *wet);
/// After they did, in dt seconds.
void wbWetBodies_Move(wbWetBodies *wet, float dt);
/// s, of the part of the sub-step that was placed last; motions in it, and anew for one that gave way.
static inline double wbWetBodies_GetPart(const wbWetBodies *wet) {
    return (double)(wet->to - wet->from) * (double)wet->dt;
}
const wbMotion *wbWetBodies_GetMotions(const wbWetBodies *wet, int body);
void wbWetBodies_FollowWay(wbWetBodies *wet, int body);
/// m, of its centre of mass, at a time of that part.
wbVec3 wbWetBodies_GetCentre(const wbWetBodies *wet, int body, wbBoundaryTime time);
/// Of its origin at a share of a sub-step that is done in one part; at its ends as the next one finds it, to the last bit.
wbPose wbWetBodies_GetPlace(const wbWetBodies *wet, int body, float share);
/// For continuous collision, of bodies in their order, in the part that was placed last.
void wbWetBodies_Place(const wbWetBodies *wet, wbBoundaryTime from, wbBoundaryTime to,
                       wbCollisionPlace *places);
void wbWetBodies_Settle(wbWetBodies *wet);

/// Its inertia and what it gained, with a load that moves along: of mass, kg, and of as many times its own inertia.
ResponseBody wbWetBodies_GetResponse(const wbWetBodies *wet, int body, double mass, double turn);

wbSurfaceOwner wbWetBodies_GetOwner(wbWetBodies *wet);
