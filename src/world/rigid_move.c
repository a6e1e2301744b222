// SPDX-License-Identifier: MIT
// Where rigid bodies are, how they move, and what a program does to them.
#include <string.h>

#include "core/status.h"
#include "world/rigid.h"

// m/s, rad/s; as of particles
#define FASTEST 1e6f

wbPose wbGetRigidOrigin(const wbWorld *world, int index) {
    const wbPose pose = wbRigid_GetPose(&wbGetRigidBodies(world)->rigid, index);
    const wbPose back = wbPose_Invert(&wbGetRigidBodyAt(world, index)->frame);
    return wbPose_Multiply(&pose, &back);
}

wbStatus wbRigidBody_GetMotion(wbWorld *world, wbRigidBodyId id, wbRigidMotion *motion) {
    const int i = wbGetRigidBodyIndex(world, id);
    WB_REQUIRE(motion);
    WB_TRY(wbPullState(world));
    const wbRigid *rigid = &wbGetRigidBodies(world)->rigid;
    const wbPose pose = wbGetRigidOrigin(world, i);
    *motion = (wbRigidMotion){.position = {pose.position[0], pose.position[1], pose.position[2]},
                              .centre = {rigid->x[i], rigid->y[i], rigid->z[i]},
                              .velocity = {rigid->vx[i], rigid->vy[i], rigid->vz[i]},
                              .spin = {rigid->wx[i], rigid->wy[i], rigid->wz[i]}};
    memcpy(motion->rotation, pose.rotation, sizeof motion->rotation);
    return wb_okStatus;
}

wbStatus wbWorld_GetRigidView(wbWorld *world, wbRigidView *view) {
    WB_REQUIRE(world);
    WB_REQUIRE(view);
    WB_TRY(wbPullState(world));
    const wbRigidBodies *bodies = wbGetRigidBodies(world);
    *view = (wbRigidView){0};
    if (!bodies) return wb_okStatus;
    const wbRigid *r = &bodies->rigid;
    *view = (wbRigidView){r->count, r->x,  r->y,  r->z,  r->qx, r->qy, r->qz,
                          r->qw,    r->vx, r->vy, r->vz, r->wx, r->wy, r->wz};
    return wb_okStatus;
}

wbRigidMass wbRigidBody_GetMass(const wbWorld *world, wbRigidBodyId id) {
    const wbRigidBody *body = wbGetRigidBodyAt(world, wbGetRigidBodyIndex(world, id));
    wbRigidMass mass = {.mass = body->mass};
    if (mass.mass == 0) return mass;
    for (int k = 0; k < 3; k++) mass.centre[k] = (double)body->frame.position[k];
    for (int k = 0; k < 3; k++) { // sum of moments times their axes' squares
        const wbVec3d axis = wbPose_Rotate3d(&body->frame, 1, (wbVec3d){k == 0, k == 1, k == 2});
        const double a[3] = {axis.x, axis.y, axis.z};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) mass.inertia[i][j] += (double)body->moments[k] * a[i] * a[j];
    }
    return mass;
}

// Setting

// Whose state is on the host, to be changed.
typedef struct Target {
    wbRigid *rigid;
    int i;
    bool isFlat;
} Target;

static bool isWithin(wbVec3 v, float most) {
    return fabsf(v.x) <= most && fabsf(v.y) <= most && fabsf(v.z) <= most;
}

static wbStatus checkVector(const char *what, const char *unit, wbVec3 v, float most) {
    if (isWithin(v, most)) return wb_okStatus;
    return wbError(wb_errorInput, "%s is (%g, %g, %g) %s, allowed is %g to %g each", what, (double)v.x,
                   (double)v.y, (double)v.z, unit, (double)-most, (double)most);
}

static wbStatus aim(wbWorld *world, wbRigidBodyId id, Target *target) {
    const int index = wbGetRigidBodyIndex(world, id);
    WB_TRY(wbPullState(world));
    wbRigidBodies *bodies = wbGetRigidBodies(world);
    *target = (Target){&bodies->rigid, index, world->params.dimensions == 2};
    wbRigid_Wake(&bodies->rigid, index);
    wbMarkStateDirty(world);
    return wb_okStatus;
}

static bool isDynamic(const Target *target) { return target->rigid->bits[target->i] & WB_RIGID_DYNAMIC; }

wbStatus wbRigidBody_SetPose(wbWorld *world, wbRigidBodyId id, wbVec3 position, const float rotation[4]) {
    Target t;
    const wbRigidBody *body = wbGetRigidBodyAt(world, wbGetRigidBodyIndex(world, id));
    WB_REQUIRE(rotation);
    WB_TRY(checkVector("the position of a rigid body", "m", position, 1e9f));
    float length2 = 0;
    for (int k = 0; k < 4; k++) length2 += rotation[k] * rotation[k];
    if (!(fabsf(length2 - 1) < 1e-3f))
        return wbError(wb_errorInput, "a rotation of length %g, must be 1", (double)sqrtf(length2));
    WB_TRY(aim(world, id, &t));
    wbPose origin = {.position = {position.x, position.y, t.isFlat ? 0 : position.z}};
    for (int k = 0; k < 4; k++) origin.rotation[k] = t.isFlat && k < 2 ? 0 : rotation[k] / sqrtf(length2);
    const wbPose pose = wbPose_Multiply(&origin, &body->frame), before = wbGetRigidOrigin(world, t.i);
    if (body->params.on) WB_TRY(wbCheckBodyPlace(world, t.i, &origin, &before));
    wbRigid *r = t.rigid;
    r->x[t.i] = pose.position[0], r->y[t.i] = pose.position[1], r->z[t.i] = pose.position[2];
    r->qx[t.i] = pose.rotation[0], r->qy[t.i] = pose.rotation[1];
    r->qz[t.i] = pose.rotation[2], r->qw[t.i] = pose.rotation[3];
    return wb_okStatus;
}

static wbStatus checkMoves(const wbWorld *world, wbRigidBodyId id) {
    const wbRigidBodyParams *params = wbRigidBody_GetParams(world, id);
    if (params->type != wb_rigidStatic) return wb_okStatus;
    return wbError(wb_errorInput, "a static body does not move: make it kinematic or dynamic");
}

wbStatus wbRigidBody_SetVelocity(wbWorld *world, wbRigidBodyId id, wbVec3 velocity) {
    Target t;
    WB_TRY(checkMoves(world, id));
    WB_TRY(checkVector("the velocity of a rigid body", "m/s", velocity, FASTEST));
    WB_TRY(aim(world, id, &t));
    t.rigid->vx[t.i] = velocity.x, t.rigid->vy[t.i] = velocity.y;
    t.rigid->vz[t.i] = t.isFlat ? 0 : velocity.z;
    return wb_okStatus;
}

wbStatus wbRigidBody_SetSpin(wbWorld *world, wbRigidBodyId id, wbVec3 spin) {
    Target t;
    WB_TRY(checkMoves(world, id));
    WB_TRY(checkVector("the spin of a rigid body", "rad/s", spin, FASTEST));
    WB_TRY(aim(world, id, &t));
    t.rigid->wx[t.i] = t.isFlat ? 0 : spin.x, t.rigid->wy[t.i] = t.isFlat ? 0 : spin.y;
    t.rigid->wz[t.i] = spin.z;
    return wb_okStatus;
}

// Forces

static wbVec3 flatten(const Target *target, wbVec3 v) {
    return wbMakeVec3(v.x, v.y, target->isFlat ? 0 : v.z);
}
static wbVec3 flattenTurn(const Target *target, wbVec3 v) {
    return target->isFlat ? wbMakeVec3(0, 0, v.z) : v;
}
static wbVec3 getArm(const Target *t, wbVec3 point) {
    return flatten(t, wbSub(point, wbMakeVec3(t->rigid->x[t->i], t->rigid->y[t->i], t->rigid->z[t->i])));
}

static void addForce(const Target *t, wbVec3 force, wbVec3 torque) {
    const wbVec3 f = flatten(t, force), m = flattenTurn(t, torque);
    wbRigid *r = t->rigid;
    if (!isDynamic(t)) return;
    r->fx[t->i] += f.x, r->fy[t->i] += f.y, r->fz[t->i] += f.z;
    r->tx[t->i] += m.x, r->ty[t->i] += m.y, r->tz[t->i] += m.z;
}

// A turn about the world's axes, by moments about the body's own.
static void addImpulse(const Target *t, wbVec3 impulse, wbVec3 angular) {
    wbRigid *r = t->rigid;
    const wbPose pose = wbRigid_GetPose(r, t->i);
    const wbVec3 p = flatten(t, impulse);
    wbVec3 turn = wbPose_RotateInverse(&pose, flattenTurn(t, angular));
    turn = wbMakeVec3(r->inverseInertiaX[t->i] * turn.x, r->inverseInertiaY[t->i] * turn.y,
                      r->inverseInertiaZ[t->i] * turn.z);
    turn = wbPose_Rotate(&pose, turn);
    r->vx[t->i] += r->inverseMass[t->i] * p.x, r->vy[t->i] += r->inverseMass[t->i] * p.y;
    r->vz[t->i] += r->inverseMass[t->i] * p.z;
    r->wx[t->i] += turn.x, r->wy[t->i] += turn.y, r->wz[t->i] += turn.z;
}

#define STRONGEST 1e18f // N, N m, N s: what floats can still add up

wbStatus wbRigidBody_ApplyForce(wbWorld *world, wbRigidBodyId id, wbVec3 force) {
    Target t;
    WB_TRY(checkVector("a force", "N", force, STRONGEST));
    WB_TRY(aim(world, id, &t));
    addForce(&t, force, wbMakeVec3(0, 0, 0));
    return wb_okStatus;
}

wbStatus wbRigidBody_ApplyForceAt(wbWorld *world, wbRigidBodyId id, wbVec3 force, wbVec3 point) {
    Target t;
    WB_TRY(checkVector("a force", "N", force, STRONGEST));
    WB_TRY(checkVector("the point of a force", "m", point, 1e9f));
    WB_TRY(aim(world, id, &t));
    addForce(&t, force, wbCross(getArm(&t, point), force));
    return wb_okStatus;
}

wbStatus wbRigidBody_ApplyTorque(wbWorld *world, wbRigidBodyId id, wbVec3 torque) {
    Target t;
    WB_TRY(checkVector("a torque", "N m", torque, STRONGEST));
    WB_TRY(aim(world, id, &t));
    addForce(&t, wbMakeVec3(0, 0, 0), torque);
    return wb_okStatus;
}

wbStatus wbRigidBody_ApplyImpulse(wbWorld *world, wbRigidBodyId id, wbVec3 impulse) {
    Target t;
    WB_TRY(checkVector("an impulse", "N s", impulse, STRONGEST));
    WB_TRY(aim(world, id, &t));
    addImpulse(&t, impulse, wbMakeVec3(0, 0, 0));
    return wb_okStatus;
}

wbStatus wbRigidBody_ApplyImpulseAt(wbWorld *world, wbRigidBodyId id, wbVec3 impulse, wbVec3 point) {
    Target t;
    WB_TRY(checkVector("an impulse", "N s", impulse, STRONGEST));
    WB_TRY(checkVector("the point of an impulse", "m", point, 1e9f));
    WB_TRY(aim(world, id, &t));
    addImpulse(&t, impulse, wbCross(getArm(&t, point), impulse));
    return wb_okStatus;
}

wbStatus wbRigidBody_ApplyAngularImpulse(wbWorld *world, wbRigidBodyId id, wbVec3 impulse) {
    Target t;
    WB_TRY(checkVector("an angular impulse", "N m s", impulse, STRONGEST));
    WB_TRY(aim(world, id, &t));
    addImpulse(&t, wbMakeVec3(0, 0, 0), impulse);
    return wb_okStatus;
}

// Sleep

wbStatus wbRigidBody_Wake(wbWorld *world, wbRigidBodyId id) {
    Target t;
    return aim(world, id, &t);
}

wbStatus wbRigidBody_Sleep(wbWorld *world, wbRigidBodyId id) {
    Target t;
    WB_TRY(aim(world, id, &t));
    if (!isDynamic(&t)) return wb_okStatus;
    const size_t mark = wbArena_Mark(world->work.arena);
    wbStatus status = wbRigid_Sleep(t.rigid, &world->work, t.i);
    wbArena_Release(world->work.arena, mark);
    return status;
}

wbStatus wbRigidBody_IsAwake(wbWorld *world, wbRigidBodyId id, bool *isAwake) {
    const int index = wbGetRigidBodyIndex(world, id);
    WB_REQUIRE(isAwake);
    WB_TRY(wbPullState(world));
    *isAwake = !(wbGetRigidBodies(world)->rigid.bits[index] & WB_RIGID_ASLEEP);
    return wb_okStatus;
}
