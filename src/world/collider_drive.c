// SPDX-License-Identifier: MIT
// Colliders that a program drives, at a velocity or from pose to pose: their motion is exact, and nobody limits it.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "world/collider.h"

// m/s, rad/s; as of particles
#define FASTEST 1e6f

// Where it is, in double, and how it goes on.
typedef struct Course {
    double position[3], rotation[4];
    float velocity[3], spin[3];
} Course;

// By the short way round, to be at the target in so many seconds.
static void aim(Course *course, const wbPose *target, double seconds) {
    const double *q = course->rotation;
    const float *t = target->rotation;
    const double turn[4] = {-t[3] * q[0] + t[0] * q[3] - t[1] * q[2] + t[2] * q[1],
                            -t[3] * q[1] + t[0] * q[2] + t[1] * q[3] - t[2] * q[0],
                            -t[3] * q[2] - t[0] * q[1] + t[1] * q[0] + t[2] * q[3],
                            t[3] * q[3] + t[0] * q[0] + t[1] * q[1] + t[2] * q[2]}; // target times inverse
    const double sine = sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
    const double angle = 2 * atan2(sine, fabs(turn[3])) * (turn[3] < 0 ? -1 : 1);
    for (int a = 0; a < 3; a++) {
        course->velocity[a] = (float)(((double)target->position[a] - course->position[a]) / seconds);
        course->spin[a] = (float)(sine > 0 ? angle * turn[a] / (sine * seconds) : 0);
    }
}

static Course findCourse(const wbColliderState *state, double left) {
    Course course;
    memcpy(course.position, state->position, sizeof course.position);
    memcpy(course.rotation, state->rotation, sizeof course.rotation);
    memcpy(course.velocity, state->velocity, sizeof course.velocity);
    memcpy(course.spin, state->spin, sizeof course.spin);
    if (state->hasTarget) aim(&course, &state->target, left);
    return course;
}

// exp(spin t / 2) rotation
static void turnCourse(Course *course, double seconds) {
    const float *s = course->spin;
    const double speed = sqrt((double)s[0] * s[0] + (double)s[1] * s[1] + (double)s[2] * s[2]);
    const double half = 0.5 * speed * seconds, scale = speed > 0 ? sin(half) / speed : 0, w = cos(half);
    const double x = scale * s[0], y = scale * s[1], z = scale * s[2], *q = course->rotation;
    const double turned[4] = {
        w * q[0] + x * q[3] + y * q[2] - z * q[1], w * q[1] - x * q[2] + y * q[3] + z * q[0],
        w * q[2] + x * q[1] - y * q[0] + z * q[3], w * q[3] - x * q[0] - y * q[1] - z * q[2]};
    double length2 = 0;
    for (int a = 0; a < 4; a++) length2 += turned[a] * turned[a];
    for (int a = 0; a < 4; a++) course->rotation[a] = turned[a] / sqrt(length2);
}

static void advance(Course *course, double seconds) {
    for (int a = 0; a < 3; a++) course->position[a] += seconds * (double)course->velocity[a];
    if (course->spin[0] != 0 || course->spin[1] != 0 || course->spin[2] != 0) turnCourse(course, seconds);
}

static wbPose roundPose(const Course *course) {
    wbPose pose;
    for (int a = 0; a < 3; a++) pose.position[a] = (float)course->position[a];
    for (int a = 0; a < 4; a++) pose.rotation[a] = (float)course->rotation[a];
    return pose;
}

// Sub-steps add up to a step but for rounding.
static bool isThere(const wbColliderState *state, double left, double seconds) {
    return state->hasTarget && seconds > (1 - 1e-6) * left;
}

wbMotion wbMoveDriven(const wbColliderState *state, double left, double seconds) {
    Course course = findCourse(state, left);
    wbMotion motion;
    memcpy(motion.velocity, course.velocity, sizeof motion.velocity);
    memcpy(motion.spin, course.spin, sizeof motion.spin);
    advance(&course, seconds);
    motion.pose = isThere(state, left, seconds) ? state->target : roundPose(&course);
    return motion;
}

static void stop(wbColliderState *state) {
    memset(state->velocity, 0, sizeof state->velocity), memset(state->spin, 0, sizeof state->spin);
    state->hasTarget = 0;
}

static void takePose(wbColliderState *state, const wbPose *pose) {
    for (int a = 0; a < 3; a++) state->position[a] = pose->position[a];
    for (int a = 0; a < 4; a++) state->rotation[a] = pose->rotation[a];
    state->pose = *pose;
}

void wbAdvanceDriven(wbColliderState *state, double left, double seconds) {
    Course course = findCourse(state, left);
    if (isThere(state, left, seconds)) {
        takePose(state, &state->target);
        stop(state);
        return;
    }
    advance(&course, seconds);
    memcpy(state->position, course.position, sizeof course.position);
    memcpy(state->rotation, course.rotation, sizeof course.rotation);
    state->pose = roundPose(&course);
}

// What is driven is sorted by itself, not with all that rests.
void wbFollowDrive(wbWorld *world, int index) {
    const wbCollider *collider = wbGetColliderAt(world, index);
    for (wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l))
        if (wbIsSampled(l))
            wbBoundary_SetMoving(&l->boundary, index, collider->mechanism >= 0 || collider->state.isDriven);
    wbListMover(world, index);
}

void wbReleaseCollider(wbWorld *world, int index) {
    wbCollider *collider = wbGetColliderAt(world, index);
    wbColliderState *const states[] = {&collider->state, &collider->hostState};
    for (int k = 0; k < 2; k++) {
        stop(states[k]);
        states[k]->isDriven = 0;
    }
    wbFollowDrive(world, index);
}

static wbStatus checkFree(const wbWorld *world, const wbCollider *collider) {
    if (collider->mechanism < 0) return wb_okStatus;
    return wbError(wb_errorInput, "collider \"%s\": mechanism \"%s\" moves it; drive that instead",
                   collider->name, wbGetMechanismAt(world, collider->mechanism)->name);
}

static wbStatus checkVector(const wbCollider *collider, const char *what, const char *unit, wbVec3 v) {
    if (fabsf(v.x) <= FASTEST && fabsf(v.y) <= FASTEST && fabsf(v.z) <= FASTEST) return wb_okStatus;
    return wbError(wb_errorInput, "collider \"%s\": its %s is %g,%g,%g, allowed is -1e+06 to 1e+06 %s",
                   collider->name, what, (double)v.x, (double)v.y, (double)v.z, unit);
}

// m/s, of its fastest point.
static float getTopSpeed(const wbCollider *collider, const wbColliderState *orders) {
    const wbShapeTree *tree = wbShape_GetTree(collider->shape);
    const float *v = orders->velocity, *s = orders->spin;
    const float reach = sqrtf(wbDot(tree->centre, tree->centre)) + tree->radius;
    return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
           reach * sqrtf(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
}

// It begins where it is, and automatic steps know of it at once. The state on the host gets the same orders: they are no part of
// what a lost device takes with it.
static void drive(wbWorld *world, int index, const wbColliderState *orders) {
    wbCollider *collider = wbGetColliderAt(world, index);
    wbColliderState *const states[] = {&collider->state, &collider->hostState};
    for (int k = 0; k < 2; k++) {
        wbColliderState *state = states[k];
        const wbPose pose = state->pose;
        if (!state->isDriven) takePose(state, &pose);
        memcpy(state->velocity, orders->velocity, sizeof state->velocity);
        memcpy(state->spin, orders->spin, sizeof state->spin);
        state->target = orders->target, state->hasTarget = orders->hasTarget;
        state->isDriven = 1;
    }
    world->colliderSpeed = fmaxf(world->colliderSpeed, getTopSpeed(collider, orders));
    wbFollowDrive(world, index);
}

wbStatus wbCollider_SetVelocity(wbWorld *world, wbColliderId id, wbVec3 velocity, wbVec3 spin) {
    const int index = wbGetColliderIndex(world, id);
    const wbCollider *collider = wbGetColliderAt(world, index);
    WB_TRY(checkFree(world, collider));
    WB_TRY(checkVector(collider, "velocity", "m/s", velocity));
    WB_TRY(checkVector(collider, "spin", "rad/s", spin));
    if (world->params.dimensions == 2 && (velocity.z != 0 || spin.x != 0 || spin.y != 0))
        return wbError(
            wb_errorInput,
            "collider \"%s\": in 2D it moves along x,y and spins about z, not %g,%g,%g and %g,%g,%g",
            collider->name, (double)velocity.x, (double)velocity.y, (double)velocity.z, (double)spin.x,
            (double)spin.y, (double)spin.z);
    drive(world, index,
          &(wbColliderState){.velocity = {velocity.x, velocity.y, velocity.z},
                             .spin = {spin.x, spin.y, spin.z}});
    return wb_okStatus;
}

wbStatus wbCollider_SetPose(wbWorld *world, wbColliderId id, wbVec3 position, const float rotation[4]) {
    const int index = wbGetColliderIndex(world, id);
    const wbCollider *collider = wbGetColliderAt(world, index);
    wbColliderParams params = collider->params;
    wbColliderState orders = {.hasTarget = 1};
    double length2 = 0;
    WB_REQUIRE(rotation);
    WB_TRY(checkFree(world, collider));
    params.position = position, params.rotation = wbMakeVec3(0, 0, 0);
    WB_TRY(wbCheckColliderParams(world, collider->name, &params, collider->shape));
    for (int a = 0; a < 4; a++) length2 += (double)rotation[a] * rotation[a];
    if (!(fabs(length2 - 1) < 0.01))
        return wbError(wb_errorInput,
                       "collider \"%s\": its rotation %g,%g,%g,%g is no unit quaternion x,y,z,w",
                       collider->name, (double)rotation[0], (double)rotation[1], (double)rotation[2],
                       (double)rotation[3]);
    if (world->params.dimensions == 2 && (rotation[0] != 0 || rotation[1] != 0))
        return wbError(wb_errorInput, "collider \"%s\": in 2D it turns about z only: its rotation is 0,0,z,w",
                       collider->name);
    memcpy(orders.target.position, &position, sizeof orders.target.position);
    for (int a = 0; a < 4; a++) orders.target.rotation[a] = (float)(rotation[a] / sqrt(length2));
    drive(world, index, &orders);
    return wb_okStatus;
}
