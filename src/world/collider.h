// SPDX-License-Identifier: MIT
// Colliders of a world: colliders, and the mechanisms that move them; the order of their work in a step stands in collider.c.
#pragma once

#include "coupling/of_guide.h"
#include "shape/pose.h"
#include "shape/shape.h"
#include "world/object.h"

enum { WB_MAX_COLLIDERS = 1 << 20 };

/// Parameters have degrees.
static const double wb_radians = 3.14159265358979323846 / 180;

/// All that the next step reads of a collider, beside its parameters.
typedef struct wbColliderState {
    double position[3], rotation[4]; ///< of a driven one: its pose in double, so that slow motion is not lost
    wbPose pose, target;
    float velocity[3], spin[3]; ///< m/s, rad/s, of a driven one
    int32_t isDriven;           ///< by wbCollider_SetVelocity or wbCollider_SetPose
    int32_t hasTarget; ///< it shall be there when the next step, or the one that is being done, is over
} wbColliderState;
_Static_assert(sizeof(wbColliderState) == 144, "all of it is hashed: no bytes between");

typedef struct wbCollider {
    char name[WB_NAME_SIZE];
    wbColliderParams params;
    wbMesh mesh; ///< in its own frame, closed
    wbShape *shape;
    double volume;         ///< m3, that the mesh encloses
    wbVec3d middle;        ///< m, of that, in its own frame
    bool isBoundMoving;    ///< its box in the broad phase holds a motion, not only its pose
    bool isListed;         ///< it is among the world's movers
    int mechanism, part;   ///< index of what moves it, and which of its parts it is; -1: none
    wbMotion motion[3];    ///< at the start, in the middle and at the end of the sub-step that is being done
    wbImpulse impulses[2]; ///< by fluids in the step in which it felt them last, and in the one before it
    int64_t impulseSteps[2];          ///< which, by wbWorld.begunSteps
    wbColliderState state, hostState; ///< the other: as of the state on the host
    wbColliderState start, end;       ///< of the step that is being done
} wbCollider;

typedef struct wbMechanismState {
    double place[2];     ///< how far the gates are open, 0 to 1
    double angle, speed; ///< rad, rad/s, of a wheel; m/s, of a free gate
    double phase;        ///< rad, of a shaker; periods, of a lock
    double transit;      ///< N m s (N s), given to a free wheel (gate) by fluids, and not yet taken
} wbMechanismState;

typedef struct wbMechanism {
    char name[WB_NAME_SIZE];
    int partCount;
    wbMechanismParams params;
    wbMechanismState state, next, hostState; ///< next: at the end of the sub-step that is being done
    wbMechanismState start, end;             ///< of the step
    double impulse; ///< N m s about its axis, or N s along its travel, by fluids in the last step
    double impulseSum, impulseNow; ///< in the step that is being done, so far; in its last sub-step
    wbGuide guide;                 ///< of one that is free, in a sub-step
    double floor, load; ///< kg m2 (kg): least inertia of it in these fluids, and what of them moves along
    bool goesEvenly;    ///< to where fluids have brought it, as it was found before
    bool isFloorTold;
} wbMechanism;

static inline wbCollider *wbGetColliderAt(const wbWorld *world, int index) {
    return (wbCollider *)world->colliders.data + index;
}
static inline wbMechanism *wbGetMechanismAt(const wbWorld *world, int index) {
    return (wbMechanism *)world->mechanisms.data + index;
}

/// The closed mesh that a def says.
wbStatus wbMakeColliderMesh(const wbColliderDef *def, int dimensions, wbMesh *mesh);

/// Makes them with a new id (index1 0), or as the next of those that were saved. The mesh is taken over, also on failure.
wbStatus wbAddCollider(wbWorld *world, const char *name, const wbColliderParams *params, wbMesh *mesh,
                       uint32_t index1);
/// Whether the points of all colliders are in the liquid's boundary, as they should be.
static inline bool wbIsSampled(const wbParticleFluid *liquid) {
    return !liquid->isBoundaryStale &&
           liquid->boundary.bodyCount - liquid->bodyCount == liquid->world->colliderIds.indexCount;
}
/// A new collider for the solvers, the next in order. wb_errorInput if it is too large or too small to be sampled.
wbStatus wbSampleCollider(wbWorld *world, const wbCollider *collider);
/// `parts` are indices of colliders.
wbStatus wbAddMechanism(wbWorld *world, const char *name, const wbMechanismParams *params, const int *parts,
                        int partCount, uint32_t index1);

/// After its pose was set, or those of all: where searches find it.
void wbBoundCollider(wbWorld *world, int index);
void wbBoundColliders(wbWorld *world);
/// After motions were set for a sub-step; after those that moved were put elsewhere than it led them.
void wbBoundMotions(wbWorld *world);
void wbBoundMoved(wbWorld *world);
/// The next collider behind `after`, by index, that may be nearer to a point than a margin, m, at any time of the step that is
/// being done, or now; -1: there is none.
int wbFindNextCollider(const wbWorld *world, wbVec3 point, float margin, int after);
/// m, from a point to the nearest collider, at most `most`; negative inside one.
float wbGetClearance(const wbWorld *world, const float p[3], float most);

/// Balls without a collider, by where points were asked about: of many points that are near each other most are in one that is
/// known. Zeroed at first; no collider may move while it is used.
enum { WB_CLEARINGS = 1024 };
typedef struct wbClearings {
    struct {
        float centre[3], radius; ///< m
    } balls[WB_CLEARINGS];
} wbClearings;
/// Whether wbGetClearance(world, p, 0) < -depth. reach: m, how large balls are at most: some distances between points.
bool wbIsInCollider(const wbWorld *world, wbClearings *known, const float p[3], float depth, float reach);

/// Whether parameters are in range and, where they put a shape elsewhere, in a place that floats can resolve; `shape`
/// may be NULL.
wbStatus wbCheckColliderParams(const wbWorld *world, const char *name, const wbColliderParams *params,
                               const wbShape *shape);
/// What is nearer to a surface than this is pushed away from it: in spacings of fluids and in contact radii of soft bodies. Still
/// water, 0.4 m deep, below a lid that was put above it: 0.5 spacings stir it with 2 % of its potential energy, 0.1 with 180 %, 0.7
/// with nothing.
#define WB_NEAREST 0.75f
/// Whether a point is nearer to a shape than `margin`, m, or inside.
bool wbIsNearer(const wbShape *shape, const wbPose *pose, wbVec3 point, float margin);
/// wb_errorInput with their number if particles would be in a collider, or too near to it, where it is put. The state must
/// be on the host.
wbStatus wbCheckTrapped(const wbWorld *world, const char *name, const wbShape *shape, const wbPose *pose);
/// m/s, that its surface has at most on the way to where it shall be.
float wbGetSpeedLimit(const wbWorld *world, const wbColliderParams *params);

/// @name Driven colliders
/// @{
/// So many seconds after the state; `left` is how long the step still lasts.
wbMotion wbMoveDriven(const wbColliderState *state, double left, double seconds);
void wbAdvanceDriven(wbColliderState *state, double left, double seconds);
/// Whether fluids sort its points in each step follows its state.
void wbFollowDrive(wbWorld *world, int index);
/// Its parameters say where it goes from now on.
void wbReleaseCollider(wbWorld *world, int index);
/// @}

/// It may move in the next step, or is elsewhere: until then, what walks over movers sees it. There is room for it.
void wbListMover(wbWorld *world, int index);
void wbListAllMovers(wbWorld *world);
/// After a step: those that rest are no movers.
void wbDropMovers(wbWorld *world);
/// By fluids in the last step.
wbImpulse wbGetImpulse(const wbWorld *world, const wbCollider *collider);

/// Where it is a share of the step that is being done after its start.
wbPose wbGetPoseWithin(const wbCollider *collider, float share);
/// Where its parameters put it, without a mechanism.
wbPose wbGetRestPose(const wbColliderParams *params);
/// A mechanism's state at the end of a step of dt seconds.
wbMechanismState wbAdvanceMechanism(const wbMechanism *mechanism, float dt);
/// Where it puts a part that rests at a pose.
wbPose wbPlacePart(const wbMechanism *mechanism, const wbMechanismState *state, int part, wbPose rest);

/// @name Mechanisms that fluids move (guide_coupling.c)
/// @{
/// Whether they do: wheels about their axle, gates along their rail.
static inline bool wbIsFree(const wbMechanism *mechanism) {
    const wbMechanismKind kind = mechanism->params.kind;
    return mechanism->params.drive == wb_driveFree && (kind == wb_mechanismWheel || kind == wb_mechanismGate);
}
bool wbHasFree(const wbWorld *world);
/// Where its weight would act, by its mesh.
void wbFindMiddle(wbCollider *collider);
/// Before a step, when liquids have their points: how light each may be in them.
void wbWeighGuides(wbWorld *world);
/// Where one is dt seconds later if fluids do nothing to it; it begins its sub-step.
wbMechanismState wbAdvanceGuide(wbWorld *world, int mechanism, float dt);
/// What a liquid has given to them in the sub-step so far.
void wbSumGuides(wbParticleFluid *liquid);
/// They give way to what was done to them so far, with the forces of an iteration. False: none does.
bool wbRespondGuides(wbParticleFluid *liquid, const wbImpulse *forces, wbBoundaryTime time);
/// @name The same on a device, for wbFluidColliders
/// @{
/// Their rows, which are the first. Returns how many there are.
int wbDescribeGuides(wbParticleFluid *liquid, Response *rows, int *bodyRows, wbBoundaryTime time);
int wbTakeGuideAnswers(const wbWorld *world, const ResponseAnswer *answers);
/// @}
/// It has got what fluids did to it in the sub-step: `next` is its state.
void wbSettleGuide(wbMechanism *mechanism);
/// N m s about a mechanism's axis, or N s along its travel, of an impulse of fluids on a part.
double wbGetImpulseAlong(const wbMechanism *mechanism, const wbCollider *part, const wbImpulse *impulse);
void wbAddGuideStats(const wbWorld *world, wbStats *stats);
/// @}
