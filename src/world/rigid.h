// SPDX-License-Identifier: MIT
// Rigid bodies of a world, their joints and forces. The rest of the world knows them as a solver and as objects; what stands here
// is for the files rigid*.c and solver_rigid.c.
#pragma once

#include <math.h>

#include "rigid/rigid.h"
#include "world/object.h"
#include "world/rigid_form.h"

struct wbCollider;

enum {
    WB_MAX_RIGID_BODIES = 1 << 24,
    WB_RIGID_BODY_COOKIE = 0x57624c67,
    WB_RIGID_PART_COOKIE = 0x57624c68,
    WB_MAX_JOINTS = 1 << 24,
    WB_MAX_FORCES = 1 << 20,
    WB_JOINT_COOKIE = 0x57624c6a,
    WB_FORCE_COOKIE = 0x57624c6b,
};

typedef struct wbRigidBody {
    char name[WB_NAME_SIZE]; ///< "": none
    wbRigidBodyParams params;
    int form;         ///< index
    wbPose frame;     ///< of its centre of mass and principal axes, as its origin sees them
    double mass;      ///< kg, of the solid; 0: it has no inside, and cannot be dynamic
    float moments[3]; ///< kg m2, principal, likewise
    float floor;      ///< least inertia, over its own, that it has in fluids; 0: none
} wbRigidBody;

/// Beside wbRigid.joints, in their order.
typedef struct wbRigidJoint {
    char name[WB_NAME_SIZE];
    wbJointParams params;
} wbRigidJoint;

/// A program's own force.
typedef struct wbOwnForce {
    wbForceFn *function; ///< NULL: none
    void *context;
} wbOwnForce;

/// Beside wbRigid.forces, in their order.
typedef struct wbBodyForce {
    char name[WB_NAME_SIZE];
    wbForceParams params; ///< points as seen from the origins of its bodies
    wbOwnForce *own;      ///< its place does not change; NULL: it is of a kind
} wbBodyForce;

/// wbSolver.self
typedef struct wbRigidBodies {
    wbRigid rigid;
    wbRigidModel model;
    wbArray bodies; ///< wbRigidBody, in the order of their ids, which is that of the rows of `rigid`
    wbArray forms;  ///< wbRigidForm; those without owners are free
    int formCount;
    wbArray joints, forces; ///< wbRigidJoint, wbBodyForce
    wbArray events;         ///< wbRigidEvent: of the last step, once they were asked for
    wbArray loads;          ///< float[6]: forces and torques of programs, in steps of several sub-steps
    uint32_t guests;        ///< hash of which colliders were there, and on, in the last step
    double blown[3];        ///< N s, that the air gave to bodies in the last step
    bool isUnchecked;       ///< the state was loaded, and no step was done since
} wbRigidBodies;

/// NULL: there are no rigid bodies.
static inline wbRigidBodies *wbGetRigidBodies(const wbWorld *world) {
    return world->solvers[wb_solverIndex_rigid].self;
}
static inline wbRigidBody *wbGetRigidBodyAt(const wbWorld *world, int index) {
    return (wbRigidBody *)wbGetRigidBodies(world)->bodies.data + index;
}
static inline wbRigidForm *wbGetRigidForm(const wbRigidBodies *bodies, int index) {
    return (wbRigidForm *)bodies->forms.data + index;
}

/// Takes in a body made by a recipe, with a new id (index1 0), or as the next of those that were saved. After a failure nothing
/// is added.
wbStatus wbAddRigidBody(wbWorld *world, const char *name, const wbRigidBodyParams *params,
                        const wbRigidRecipe *recipe, uint32_t index1);
/// What its parameters say becomes what the next step reads.
void wbApplyRigidParams(wbWorld *world, int index);
/// Its inertia is so many times its own, at least once; its weight stays.
void wbSetInertiaFloor(wbWorld *world, int index, float floor);
static inline wbRigidJoint *wbGetJointAt(const wbWorld *world, int index) {
    return (wbRigidJoint *)wbGetRigidBodies(world)->joints.data + index;
}
static inline wbBodyForce *wbGetForceAt(const wbWorld *world, int index) {
    return (wbBodyForce *)wbGetRigidBodies(world)->forces.data + index;
}
/// Before a body goes.
void wbDropJointsOf(wbWorld *world, int body);
/// The state must be on the host.
void wbDropForces(wbWorld *world);
/// Which pieces are near each other has to be looked for anew.
static inline void wbForgetPairs(wbRigidBodies *bodies) { bodies->rigid.contacts.isStale = 1; }

/// Saved joints and forces, beside what lists of values and columns hold.
void wbSaveJoints(const wbWorld *world, wbSectionList *list);
void wbSaveForces(const wbWorld *world, wbSectionList *list);
wbStatus wbLoadJoints(wbWorld *world, wbSectionList *list);
wbStatus wbLoadForces(wbWorld *world, wbSectionList *list);
/// Where its origin is.
wbPose wbGetRigidOrigin(const wbWorld *world, int index);

/// Before a sub-step, when colliders know how they move in it: they are among the bodies, in their order.
wbStatus wbInviteColliders(wbWorld *world);
/// What a collider is among them: exact where there is a piece of its shape, else its triangles. In 2D what is seen of it in the plane.
wbRigidPiece wbMakeGuestPiece(const struct wbCollider *collider, bool isFlat);
/// One goes, and those behind it move up: its contacts are gone, and theirs follow.
void wbForgetCollider(wbWorld *world, int index);

/// Its surface for what samples it, in the frame of its origin; NULL: it has none. Lives as long as the body.
wbStatus wbGetRigidShape(wbWorld *world, int index, struct wbShape **shape);

/// Whether a grab holds one; and before a sub-step, with the state on the host: they pull.
bool wbIsRigidHeld(const wbWorld *world);
void wbPullRigidBodies(wbWorld *world, float dt);

/// Whether they feel the air; and before a sub-step, with the state on the host: what it does to them.
bool wbAreRigidBlown(const wbWorld *world);
wbStatus wbBlowRigidBodies(wbWorld *world, float dt);

/// One goes: cells of the air that are solid have to be looked for anew.
void wbForgetAirBodies(wbWorld *world);

/// @name On a compute device
/// @{
extern const wbSolverDevice wb_rigidDevice;
/// Whether steps by the method that is chosen are computed there.
bool wbIsRigidOnDevice(const wbSolver *solver);
/// Before the snapshot.
wbStatus wbPrepareRigidDevice(wbSolver *solver);
wbStatus wbStepRigidOnDevice(wbSolver *solver, float dt);
int wbListRigidUnsaved(const wbSolver *solver, wbStateColumn columns[WB_MAX_STATE_COLUMNS]);
/// @}

/// Hooks of the solver's kind.
int wbListRigidValues(const wbSolver *solver, wbSavedValue values[WB_MAX_SOLVER_VALUES]);
int wbListRigidColumns(const wbSolver *solver, wbStateColumn columns[WB_MAX_STATE_COLUMNS]);
wbStatus wbResizeRigid(const wbSolver *solver, wbSectionList *list);
void wbRenewRigid(const wbSolver *solver);
wbStatus wbSettleLoaded(wbWorld *world);
wbStatus wbCheckRigidColumns(const wbSolver *solver, wbSectionList *list);
void wbSaveRigidBodies(const wbSolver *solver, wbSectionList *list);
wbStatus wbLoadRigidBodies(const wbSolver *solver, wbSectionList *list);
