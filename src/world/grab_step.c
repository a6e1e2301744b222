// SPDX-License-Identifier: MIT
// What grabs do in a step to colliders and liquids: as springs of critical damping they are computed implicitly, so that no step is too
// long for them.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "world/collider.h"
#include "world/grab.h"

// As of Box2D's mouse: 7.5 swings per second, and 100 times the weight.
#define AUTO_HERTZ  7.5
#define AUTO_WEIGHT (100 * 9.81)

wbGrabSpring wbMakeGrabSpring(const wbGrabParams *p, double mass) {
    const double omega = 2 * 3.14159265358979 * AUTO_HERTZ;
    const double stiffness = p->stiffness > 0 ? (double)p->stiffness : mass * omega * omega;
    return (wbGrabSpring){(float)stiffness, (float)(2 * (double)p->damping * sqrt(stiffness * mass)),
                          p->maxForce > 0 ? p->maxForce : (float)(AUTO_WEIGHT * mass)};
}

bool wbIsPushing(const wbWorld *world, const wbGrab *grab) {
    (void)world;
    return grab->params.on && !grab->kind;
}

bool wbHasPush(const wbWorld *world) {
    for (int i = 0; i < world->grabIds.indexCount; i++)
        if (wbIsPushing(world, wbGetGrabAt(world, i))) return true;
    return false;
}

// The velocity after dt seconds of 1 kg that a spring pulls over `way` m: implicit Euler, the force bounded.
static wbVec3 pull(const wbGrabSpring *spring, wbVec3 velocity, wbVec3 way, float dt) {
    const float k = spring->stiffness, c = spring->damping;
    const wbVec3 next = wbScale(1 / (1 + dt * c + dt * dt * k), wbAdd(velocity, wbScale(dt * k, way)));
    const wbVec3 change = wbSub(next, velocity);
    const float size = sqrtf(wbDot(change, change)), most = dt * spring->maxForce;
    return size > most ? wbAdd(velocity, wbScale(most / size, change)) : next;
}

static void driveCollider(wbWorld *world, wbGrab *grab, int index, float dt) {
    const wbCollider *collider = wbGetColliderAt(world, index);
    const wbGrabSpring spring = wbMakeGrabSpring(&grab->params, 1);
    const float *v = collider->state.velocity;
    const wbVec3 before = collider->state.isDriven ? wbMakeVec3(v[0], v[1], v[2]) : wbMakeVec3(0, 0, 0);
    grab->before = collider->state, grab->hostBefore = collider->hostState;
    wbVec3 way = wbSub(grab->params.target, wbPose_Apply(&collider->state.pose, grab->params.point));
    if (world->params.dimensions == 2) way.z = 0;
    wbVec3 velocity = pull(&spring, before, way, dt);
    const float speed = sqrtf(wbDot(velocity, velocity)), most = wbGetSpeedLimit(world, &collider->params);
    if (speed > most) velocity = wbScale(most / speed, velocity);
    (void)wbCollider_SetVelocity(world, wbWorld_GetCollider(world, index), velocity, wbMakeVec3(0, 0, 0));
}

// One that it holds and no mechanism moves; -1: none.
static int getDriven(const wbWorld *world, const wbGrab *grab) {
    const int index = wbGetHeld(world, grab, &wb_colliderKind);
    return index >= 0 && wbGetColliderAt(world, index)->mechanism < 0 ? index : -1;
}

void wbDriveGrabbed(wbWorld *world, float dt) {
    for (int i = 0; i < world->grabIds.indexCount; i++) {
        wbGrab *grab = wbGetGrabAt(world, i);
        const int index = getDriven(world, grab);
        if (index >= 0) driveCollider(world, grab, index, dt);
    }
}

void wbUndriveGrabbed(wbWorld *world) {
    for (int i = world->grabIds.indexCount - 1; i >= 0; i--) {
        const wbGrab *grab = wbGetGrabAt(world, i);
        const int index = getDriven(world, grab);
        if (index < 0) continue;
        wbGetColliderAt(world, index)->state = grab->before;
        wbGetColliderAt(world, index)->hostState = grab->hostBefore;
        wbFollowDrive(world, index);
    }
}

// A new ball is at its target, at rest.
static void moveBall(const wbWorld *world, wbGrab *grab, float dt) {
    const wbGrabSpring spring = wbMakeGrabSpring(&grab->params, 1);
    wbVec3 target = grab->params.target, position = target, velocity = wbMakeVec3(0, 0, 0);
    if (world->params.dimensions == 2) target.z = position.z = 0;
    if (grab->state.isPlaced) {
        memcpy(&position, grab->state.position, sizeof position);
        memcpy(&velocity, grab->state.velocity, sizeof velocity);
        velocity = pull(&spring, velocity, wbSub(target, position), dt);
        position = wbAdd(position, wbScale(dt, velocity));
    }
    grab->next = (wbGrabState){.isPlaced = 1};
    memcpy(grab->next.position, &position, sizeof position);
    memcpy(grab->next.velocity, &velocity, sizeof velocity);
}

wbStatus wbPrepareGrabs(wbWorld *world, float dt) {
    for (int i = 0; i < world->grabIds.indexCount; i++)
        if (wbIsPushing(world, wbGetGrabAt(world, i))) moveBall(world, wbGetGrabAt(world, i), dt);
    return wbHasPush(world) ? wbReserveFeeds(world) : wb_okStatus;
}

void wbSettleGrabs(wbWorld *world) {
    for (int i = 0; i < world->grabIds.indexCount; i++) {
        wbGrab *grab = wbGetGrabAt(world, i);
        if (wbIsPushing(world, grab)) grab->state = grab->next;
    }
}

// It goes evenly to where it is when the step is over.
void wbFindBall(const wbWorld *world, const wbGrab *grab, wbVec3 *centre, wbVec3 *velocity) {
    const double left = world->stepLength - (world->time - world->startTime);
    memcpy(centre, grab->next.position, sizeof *centre);
    memcpy(velocity, grab->next.velocity, sizeof *velocity);
    *centre = wbSub(*centre, wbScale((float)fmax(left, 0), *velocity));
}

static wbStatus pushLiquid(wbWorld *world, const wbGrab *grab, wbParticleFluid *liquid, float dt) {
    wbVec3 centre, velocity;
    wbFindBall(world, grab, &centre, &velocity);
    const FlowBall ball = {.centre = {centre.x, centre.y, centre.z},
                           .radius = grab->params.radius,
                           .velocity = {velocity.x, velocity.y, velocity.z},
                           .way = dt * grab->params.strength,
                           .most = dt * wbMakeGrabSpring(&grab->params, 1).maxForce};
    wbBookPush(liquid, sqrt((double)wbDot(velocity, velocity)), dt);
    if (wbSolver_IsAhead(liquid->solver))
        return wbParticleFlowGpu_Push(liquid->flowGpu, liquid->particles, &ball);
    wbParticles_Push(liquid->particles, &ball);
    wbMarkLiquidDirty(world, liquid);
    return wb_okStatus;
}

wbStatus wbPushLiquids(wbWorld *world, const wbSubStep *part) {
    if (!wbHasPush(world)) return wb_okStatus;
    for (wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l)) {
        if (!wbIsIn(l->solver, part->group)) continue;
        for (int i = 0; i < world->grabIds.indexCount; i++)
            if (wbIsPushing(world, wbGetGrabAt(world, i)))
                WB_TRY(pushLiquid(world, wbGetGrabAt(world, i), l, part->dt));
    }
    return wb_okStatus;
}
