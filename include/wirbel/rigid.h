// SPDX-License-Identifier: MIT
// Rigid bodies: solids that move as a whole, what ties them and what drives them.
//
//     wbRigidBodyDef def = wbDefaultRigidBodyDef();      a box of 1 m with the density of water
//     def.params.position = wbMakeVec3(0, 5, 0);
//     wbRigidBodyId crate;
//     wbStatus status = wbCreateRigidBody(world, &def, &crate);
//
// A body's pose is that of its origin, which is where its shape was made: of a box its middle. Velocities are those of its
// centre of mass. Names are optional: bodies without one are made in constant time, and are found by their ids alone.
#pragma once

#include "wirbel/types.h"

WB_API_BEGIN

/// A convex part of a compound, in the body's frame.
typedef struct wbRigidPartDef {
    wbRigidShape shape;   ///< box, sphere, capsule, cylinder, hull; in 2D also polygon
    wbVec3 position;      ///< m, of its origin
    wbVec3 rotation;      ///< deg, about x, then y, then z
    wbVec3 size;          ///< m, edges of a box
    float radius, height; ///< m, as of a body
    const wbVec3 *points; ///< m, corners of a hull or polygon; copied
    int pointCount;
    uint32_t cookie; ///< set by wbDefaultRigidPartDef
} wbRigidPartDef;

wbRigidPartDef wbDefaultRigidPartDef(void);

/// A rigid body: see WB_RIGID_BODY_PARAMS. Bodies of the same shape share what is made of it.
typedef struct wbRigidBodyDef {
    const char *name; ///< as of an emitter; NULL or "": none
    wbRigidBodyParams params;
    const wbMesh *mesh;   ///< of a mesh: closed; of a hull: its vertices are the points; copied
    const wbVec3 *points; ///< m, corners of a hull or polygon: what is not convex is filled up; copied
    int pointCount;
    const float *heights;        ///< m, of a field: row by row along z, each along x; copied
    int heightCounts[2];         ///< along x and z, at least 2
    const wbRigidPartDef *parts; ///< of a compound; copied
    int partCount;
    uint32_t cookie; ///< set by wbDefaultRigidBodyDef
} wbRigidBodyDef;

wbRigidBodyDef wbDefaultRigidBodyDef(void);

/// Where a body is and how it moves.
typedef struct wbRigidMotion {
    wbVec3 position;   ///< m, of its origin
    float rotation[4]; ///< unit quaternion x, y, z, w
    wbVec3 centre;     ///< m, of mass
    wbVec3 velocity;   ///< m/s, of the centre
    wbVec3 spin;       ///< rad/s, about the world's axes
} wbRigidMotion;

/// What a body weighs; all 0 if it is neither dynamic nor a solid.
typedef struct wbRigidMass {
    double mass;          ///< kg
    double centre[3];     ///< m, in its own frame
    double inertia[3][3]; ///< kg m2, about the centre and its own axes
} wbRigidMass;

/// All bodies in the order of their numbers, without a copy. Valid until the world changes or steps. Places are those of centres
/// of mass, and rotations of principal axes: wbRigidBody_GetMotion has those of origins.
typedef struct wbRigidView {
    int count;
    const float *x, *y, *z;         ///< m
    const float *qx, *qy, *qz, *qw; ///< unit quaternions
    const float *vx, *vy, *vz;      ///< m/s
    const float *wx, *wy, *wz;      ///< rad/s
} wbRigidView;

/// What touches, by exact shapes: one point of it.
typedef struct wbBodyContact {
    wbRigidBodyId first, second; ///< second: null if it is a collider or a side of the domain
    wbColliderId collider;       ///< null: none
    wbVec3 point;                ///< m
    wbVec3 normal;               ///< of length 1, from the first to the other
    float separation;            ///< m, negative where they overlapped when the step began
    float impulse;               ///< N s along the normal, over the last step
} wbBodyContact;

typedef enum wbRigidEventKind {
    wb_rigidBegin, ///< two began to touch
    wb_rigidEnd,   ///< two no longer touch
    wb_rigidHit,   ///< they met at rigid.hitSpeed or faster
} wbRigidEventKind;

typedef struct wbRigidEvent {
    wbRigidEventKind kind;
    wbRigidBodyId first, second; ///< as of a contact
    wbColliderId collider;
    wbVec3 point, normal; ///< of a hit; else 0
    float speed;          ///< m/s, of a hit: of approach
    float impulse;        ///< N s, of a hit: along the normal
} wbRigidEvent;

typedef enum wbWaterEventKind {
    wb_waterBegin, ///< a fluid touched it, which none had done for a tenth of a second
    wb_waterEnd,   ///< none has touched it for a tenth of a second
} wbWaterEventKind;

typedef struct wbWaterEvent {
    wbWaterEventKind kind;
    wbRigidBodyId body;
    wbVec3 impulse; ///< N s, that fluids gave to it in the step
} wbWaterEvent;

/// What fluids did to a body in the last step.
typedef struct wbWaterReading {
    bool isWet;            ///< one has touched it within the last tenth of a second
    wbVec3 impulse;        ///< N s; by the step's length it is the mean force
    wbVec3 angularImpulse; ///< N m s, about its centre of mass
} wbWaterReading;

/// What ties two bodies, or one to the world: see WB_JOINT_PARAMS.
typedef struct wbJointDef {
    const char *name;            ///< as of a rigid body
    wbRigidBodyId first, second; ///< one of them may be null: the world
    wbJointParams params;
    uint32_t cookie; ///< set by wbDefaultJointDef
} wbJointDef;

wbJointDef wbDefaultJointDef(void);

/// A joint as it is after the last step.
typedef struct wbJointReading {
    double
        value; ///< deg of a hinge, which goes on beyond whole turns, or of a ball from its axis; m of a slider or distance
    double speed;     ///< deg/s, m/s
    double twist;     ///< deg: of a ball, how far the second body is turned about its axis
    double force[3];  ///< N, on the second body, the mean of the last step
    double torque[3]; ///< N m, likewise
    wbVec3 from, to;  ///< m, where it holds the first and the second body, or the world
    bool isBroken;
} wbJointReading;

/// What is stretched between two points and can be drawn: a joint that holds a distance, or a spring, bungee, cable or rod of a force.
typedef struct wbTie {
    wbVec3 from, to; ///< m
    float size;      ///< m, of the smaller of its bodies: half of its longest extent
} wbTie;

/// What a force of a program's own is told: bodies by their numbers, which are places in all arrays.
typedef struct wbForceCall {
    const wbRigidView *view;
    const int *bodies; ///< NULL: all
    int bodyCount;
    float dt;                    ///< s, that it acts
    float *force[3], *torque[3]; ///< N, N m, by body: to be added to
} wbForceCall;
typedef void wbForceFn(const wbForceCall *call, void *context);

/// What acts on bodies: see WB_FORCE_PARAMS.
typedef struct wbForceDef {
    const char *name; ///< as of a rigid body
    wbForceParams params;
    const wbRigidBodyId *bodies; ///< those that it ties in pairs, one behind the other; copied
    int bodyCount;
    bool isOnAll;        ///< on all bodies that there are, instead of those
    wbForceFn *function; ///< a program's own, in place of `kind`; not saved: NULL after loading. NULL: none
    void *context;
    uint32_t cookie; ///< set by wbDefaultForceDef
} wbForceDef;

wbForceDef wbDefaultForceDef(void);

/// @name Bodies
/// @{
/// It is there with the next step. What it is in is pushed apart, each two no faster than rigid.pushSpeed.
wbStatus wbCreateRigidBody(wbWorld *world, const wbRigidBodyDef *def, wbRigidBodyId *body);
/// Its joints go with it, and it is taken from the forces that it was in.
wbStatus wbDestroyRigidBody(wbWorld *world, wbRigidBodyId body);
bool wbRigidBody_IsValid(const wbWorld *world, wbRigidBodyId body);
int wbWorld_GetRigidBodyCount(const wbWorld *world);
wbRigidBodyId wbWorld_GetRigidBody(const wbWorld *world, int index);
/// "" without one.
const char *wbRigidBody_GetName(const wbWorld *world, wbRigidBodyId body);
void wbRigidBody_SetUserData(wbWorld *world, wbRigidBodyId body, void *data);
void *wbRigidBody_GetUserData(const wbWorld *world, wbRigidBodyId body);
const wbRigidBodyParams *wbRigidBody_GetParams(const wbWorld *world, wbRigidBodyId body);
const wbRigidParams *wbWorld_GetRigidParams(const wbWorld *world);

wbStatus wbRigidBody_GetMotion(wbWorld *world, wbRigidBodyId body, wbRigidMotion *motion);
/// Puts it there at once, and wakes it; its velocity stays. Rotation: a unit quaternion x, y, z, w. Where fluids are that would be in it then, this
/// is refused, as wbRigidBody_SetOn is: velocities move it into them.
wbStatus wbRigidBody_SetPose(wbWorld *world, wbRigidBodyId body, wbVec3 position, const float rotation[4]);
/// Of a body that is not static; wakes it. A kinematic one moves so until it is told otherwise.
wbStatus wbRigidBody_SetVelocity(wbWorld *world, wbRigidBodyId body, wbVec3 velocity);
wbStatus wbRigidBody_SetSpin(wbWorld *world, wbRigidBodyId body, wbVec3 spin);
wbRigidMass wbRigidBody_GetMass(const wbWorld *world, wbRigidBodyId body);

/// N, N m: over the whole next step, in addition to others; then none. They wake a dynamic body; others do not feel them.
wbStatus wbRigidBody_ApplyForce(wbWorld *world, wbRigidBodyId body, wbVec3 force);
wbStatus wbRigidBody_ApplyForceAt(wbWorld *world, wbRigidBodyId body, wbVec3 force, wbVec3 point);
wbStatus wbRigidBody_ApplyTorque(wbWorld *world, wbRigidBodyId body, wbVec3 torque);
/// N s, N m s: at once.
wbStatus wbRigidBody_ApplyImpulse(wbWorld *world, wbRigidBodyId body, wbVec3 impulse);
wbStatus wbRigidBody_ApplyImpulseAt(wbWorld *world, wbRigidBodyId body, wbVec3 impulse, wbVec3 point);
wbStatus wbRigidBody_ApplyAngularImpulse(wbWorld *world, wbRigidBodyId body, wbVec3 impulse);

/// What touches it wakes with it. To put it to sleep takes its velocity, and it stays so until something touches or wakes it.
wbStatus wbRigidBody_Wake(wbWorld *world, wbRigidBodyId body);
wbStatus wbRigidBody_Sleep(wbWorld *world, wbRigidBodyId body);
wbStatus wbRigidBody_IsAwake(wbWorld *world, wbRigidBodyId body, bool *isAwake);
/// As "crate.type", "crate.on" and "crate.gravityScale", without a search by name. What has no inside cannot become dynamic.
wbStatus wbRigidBody_SetType(wbWorld *world, wbRigidBodyId body, wbRigidType type);
wbStatus wbRigidBody_SetOn(wbWorld *world, wbRigidBodyId body, bool isOn);
wbStatus wbRigidBody_SetGravityScale(wbWorld *world, wbRigidBodyId body, float scale);

/// Its surface in its own frame, for drawing: the same for bodies of the same shape; a plane has none. Valid as long as the body.
const wbMesh *wbRigidBody_GetMesh(const wbWorld *world, wbRigidBodyId body);
/// The same number for the same mesh, in all worlds: what draws it needs it once.
uint64_t wbRigidBody_GetMeshKey(const wbWorld *world, wbRigidBodyId body);
/// The particles at its surface that stand for it with rigid.contact = particles, in its own frame, and the radius of all, m. A body without
/// an inside has none. *count as below.
wbStatus wbRigidBody_GetParticles(wbWorld *world, wbRigidBodyId body, wbVec3 *points, int capacity,
                                  int *count, float *radius);
/// Points of its surface and the normals there, in its own frame: about `spacing` m apart and half of that below it, as fluids sample
/// colliders. A plane has none. Takes milliseconds. *count is how many there are, also if only `capacity` of them have room.
wbStatus wbRigidBody_SampleSurface(wbWorld *world, wbRigidBodyId body, float spacing, wbVec3 *points,
                                   wbVec3 *normals, int capacity, int *count);
wbStatus wbWorld_GetRigidView(wbWorld *world, wbRigidView *view);

/// Points at which bodies touch, after the last step. *count is how many there are, also if only `capacity` of them have room.
wbStatus wbWorld_GetContacts(wbWorld *world, wbBodyContact *contacts, int capacity, int *count);
/// What happened in the last step, in an order that is always the same. Valid until the world changes or steps.
wbStatus wbWorld_GetRigidEvents(wbWorld *world, const wbRigidEvent **events, int *count);
/// Which bodies came into fluids and out of them in the last step, in the order of bodies. Valid as those above.
wbStatus wbWorld_GetWaterEvents(wbWorld *world, const wbWaterEvent **events, int *count);
/// Of a static or kinematic one, too: what it holds back. 0 after a checkpoint was read.
wbWaterReading wbRigidBody_GetWater(const wbWorld *world, wbRigidBodyId body);
/// @}

/// @name Joints
/// @{
/// Holds its bodies as they stand to each other now. They do not collide with each other unless `collide` says so.
wbStatus wbCreateJoint(wbWorld *world, const wbJointDef *def, wbJointId *joint);
wbStatus wbDestroyJoint(wbWorld *world, wbJointId joint);
bool wbJoint_IsValid(const wbWorld *world, wbJointId joint);
int wbWorld_GetJointCount(const wbWorld *world);
wbJointId wbWorld_GetJoint(const wbWorld *world, int index);
const char *wbJoint_GetName(const wbWorld *world, wbJointId joint);
void wbJoint_SetUserData(wbWorld *world, wbJointId joint, void *data);
void *wbJoint_GetUserData(const wbWorld *world, wbJointId joint);
const wbJointParams *wbJoint_GetParams(const wbWorld *world, wbJointId joint);
/// null: the world.
wbRigidBodyId wbJoint_GetFirst(const wbWorld *world, wbJointId joint);
wbRigidBodyId wbJoint_GetSecond(const wbWorld *world, wbJointId joint);
wbStatus wbJoint_GetReading(wbWorld *world, wbJointId joint, wbJointReading *reading);
/// As the parameters of these names, without a search by name; they wake its bodies. One that is switched off and on is whole again.
wbStatus wbJoint_SetMotor(wbWorld *world, wbJointId joint, bool isOn, float speed, float maxForce);
wbStatus wbJoint_SetLimits(wbWorld *world, wbJointId joint, bool isOn, float lower, float upper);
wbStatus wbJoint_SetSpring(wbWorld *world, wbJointId joint, float hertz, float dampingRatio);
wbStatus wbJoint_SetOn(wbWorld *world, wbJointId joint, bool isOn);
/// @}

/// @name Forces
/// @{
/// Acts from the next step on. Its parameters are changed by wbWorld_SetParam: "wind.vector".
wbStatus wbCreateForce(wbWorld *world, const wbForceDef *def, wbForceId *force);
wbStatus wbDestroyForce(wbWorld *world, wbForceId force);
bool wbForce_IsValid(const wbWorld *world, wbForceId force);
int wbWorld_GetForceCount(const wbWorld *world);
wbForceId wbWorld_GetForce(const wbWorld *world, int index);
const char *wbForce_GetName(const wbWorld *world, wbForceId force);
void wbForce_SetUserData(wbWorld *world, wbForceId force, void *data);
void *wbForce_GetUserData(const wbWorld *world, wbForceId force);
const wbForceParams *wbForce_GetParams(const wbWorld *world, wbForceId force);
wbStatus wbForce_SetOn(wbWorld *world, wbForceId force, bool isOn);
/// m/s2, N m or m/s, by its kind.
wbStatus wbForce_SetVector(wbWorld *world, wbForceId force, wbVec3 vector);
/// After a world was loaded, for one that had a function.
void wbForce_SetFunction(wbWorld *world, wbForceId force, wbForceFn *function, void *context);
/// Ties of joints, then of forces, that are on and whole. *count is how many there are, also if only `capacity` of them have room.
wbStatus wbWorld_GetTies(wbWorld *world, wbTie *ties, int capacity, int *count);
/// @}

WB_API_END
