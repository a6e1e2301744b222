// SPDX-License-Identifier: MIT
// Mechanisms: gates slide, locks have two of them, wheels turn by a motor, by hand or by the water, shakers swing.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/param_table.h"
#include "core/status.h"
#include "world/collider.h"

#define WB_PARAM_STRUCT wbMechanismParams
static const wbParam rows[] = {WB_PARAM_ROWS(WB_MECHANISM_PARAMS)};
#undef WB_PARAM_STRUCT
const wbParamTable wb_mechanismTable =
    WB_PARAM_TABLE("mechanism", "what moves colliders; set by its name", wbMechanismParams, rows);

wbMechanismDef wbDefaultMechanismDef(void) {
    wbMechanismDef def = {.name = "mechanism", .cookie = WB_MECHANISM_COOKIE};
    wbSetParamDefaults(&wb_mechanismTable, &def.params);
    return def;
}

static const wbMechanism *getMechanism(const wbWorld *world, wbMechanismId id) {
    return wbGetMechanismAt(world, wbGetMechanismIndex(world, id));
}

const wbMechanismParams *wbMechanism_GetParams(const wbWorld *world, wbMechanismId id) {
    return &getMechanism(world, id)->params;
}

wbMechanismStats wbMechanism_GetStats(const wbWorld *world, wbMechanismId id) {
    const wbMechanism *mechanism = wbGetMechanismAt(world, wbGetMechanismIndex(world, id));
    const wbMechanismState *state = &mechanism->state;
    const wbMechanismParams *params = &mechanism->params;
    const bool isStraight = params->kind == wb_mechanismGate || params->kind == wb_mechanismLock;
    const double force = world->lastDt > 0 ? mechanism->impulse / world->lastDt : 0;
    return (wbMechanismStats){.open = {state->place[0], state->place[1]},
                              .angle = state->angle / wb_radians,
                              .speed = isStraight ? state->speed : state->speed / wb_radians,
                              .torque = isStraight ? 0 : force,
                              .force = isStraight ? force : 0,
                              .inertia = fmax(isStraight ? params->mass : params->inertia, mechanism->floor),
                              .transit = state->transit};
}

wbMechanismId wbCollider_GetMechanism(const wbWorld *world, wbColliderId id) {
    const int index = wbGetColliderAt(world, wbGetColliderIndex(world, id))->mechanism;
    return index >= 0 ? wbWorld_GetMechanism(world, index) : (wbMechanismId){0};
}

static wbStatus checkParams(const wbWorld *world, const char *name, const wbMechanismParams *params) {
    const wbVec3 axis = params->axis;
    bool turns = params->kind == wb_mechanismWheel || params->kind == wb_mechanismShaker;
    WB_TRY(wbCheckParamsOf(name, &wb_mechanismTable, params));
    if (turns && !(wbDot(axis, axis) > 0))
        return wbError(wb_errorInput, "mechanism \"%s\": its axis must not be 0,0,0", name);
    if (turns && world->params.dimensions == 2 && (axis.x != 0 || axis.y != 0))
        return wbError(wb_errorInput, "mechanism \"%s\": in 2D its axis is 0,0,1 or 0,0,-1, not %g,%g,%g",
                       name, axis.x, axis.y, axis.z);
    if (params->kind == wb_mechanismGate && params->drive == wb_driveFree && !(params->mass > 0))
        return wbError(wb_errorInput,
                       "mechanism \"%s\": a free gate has a mass, its is %g kg, must be more than 0", name,
                       (double)params->mass);
    if (params->kind == wb_mechanismGate && params->drive == wb_driveFree &&
        !(wbDot(params->travel, params->travel) > 0))
        return wbError(wb_errorInput, "mechanism \"%s\": a free gate has a travel, its must not be 0,0,0",
                       name);
    if (world->params.dimensions == 2 && params->travel.z != 0)
        return wbError(wb_errorInput, "mechanism \"%s\": in 2D its travel is x,y, not %g,%g,%g", name,
                       params->travel.x, params->travel.y, params->travel.z);
    return wb_okStatus;
}

static wbStatus checkPartCount(const char *name, const wbMechanismParams *params, int count) {
    bool isLock = params->kind == wb_mechanismLock;
    if (isLock ? count == 2 : count >= 1) return wb_okStatus;
    return wbError(wb_errorInput, "mechanism \"%s\" moves %d colliders, must be %s", name, count,
                   isLock ? "2: the upper and the lower gate" : "1 or more");
}

static const char *getName(const wbWorld *world, int index) { return wbGetMechanismAt(world, index)->name; }
static const void *getParams(const wbWorld *world, int index) {
    return &wbGetMechanismAt(world, index)->params;
}

static wbStatus setParams(wbWorld *world, int index, const void *params) {
    wbMechanism *mechanism = wbGetMechanismAt(world, index);
    WB_TRY(checkParams(world, mechanism->name, params));
    WB_TRY(checkPartCount(mechanism->name, params, mechanism->partCount));
    memcpy(&mechanism->params, params, sizeof mechanism->params);
    return wb_okStatus;
}

const wbObjectKind wb_mechanismKind = {&wb_mechanismTable,
                                       "mechanism",
                                       offsetof(wbWorld, mechanismIds),
                                       getName,
                                       getParams,
                                       setParams,
                                       NULL,
                                       NULL};

// Where it starts.
static wbMechanismState getStart(const wbMechanismParams *params) {
    wbMechanismState state = {.angle = params->angle * wb_radians};
    bool isLock = params->kind == wb_mechanismLock;
    state.place[0] = isLock ? params->gates == wb_lockUpper : params->open;
    state.place[1] = isLock && params->gates == wb_lockLower;
    if (params->drive == wb_driveMotor) state.speed = params->speed * wb_radians;
    return state;
}

static wbStatus checkParts(const wbWorld *world, const char *name, const wbMechanismParams *params,
                           const int *parts, int count) {
    WB_TRY(checkPartCount(name, params, count));
    for (int i = 0; i < count; i++) {
        const wbCollider *part = wbGetColliderAt(world, parts[i]);
        bool isTaken = part->mechanism >= 0;
        for (int j = 0; j < i; j++) isTaken |= parts[j] == parts[i];
        if (isTaken)
            return wbError(wb_errorInput, "mechanism \"%s\": collider \"%s\" is moved by one already", name,
                           part->name);
    }
    return wb_okStatus;
}

// It puts its parts where it starts: there must be room, as for new ones.
static wbStatus checkPlaces(wbWorld *world, const wbMechanism *mechanism, const int *parts) {
    WB_TRY(wbPullState(world));
    for (int i = 0; i < mechanism->partCount; i++) {
        const wbCollider *part = wbGetColliderAt(world, parts[i]);
        wbPose pose = wbPlacePart(mechanism, &mechanism->state, i, wbGetRestPose(&part->params));
        if (memcmp(&pose, &part->state.pose, sizeof pose) == 0) continue;
        WB_TRY(wbCheckTrapped(world, part->name, part->shape, &pose));
    }
    return wb_okStatus;
}

wbStatus wbAddMechanism(wbWorld *world, const char *name, const wbMechanismParams *params, const int *parts,
                        int partCount, uint32_t index1) {
    int count = world->mechanismIds.indexCount;
    wbMechanism mechanism = {.params = *params, .partCount = partCount};
    if (count >= WB_MAX_COLLIDERS)
        return wbError(wb_errorInput, "a world has at most %d mechanisms", WB_MAX_COLLIDERS);
    WB_TRY(wbCheckPlainName(world, "mechanism", name));
    WB_TRY(checkParams(world, name, params));
    WB_TRY(checkParts(world, name, params, parts, partCount));
    mechanism.state = mechanism.hostState = getStart(params);
    if (index1 == 0) WB_TRY(checkPlaces(world, &mechanism, parts));
    if (!wbArray_Reserve(world->memory, &world->mechanisms, count + 1))
        return wbMemoryError(world->memory, "a mechanism needs");
    WB_TRY(wbTakeObjectId(world, &wb_mechanismKind, index1));
    snprintf(mechanism.name, sizeof mechanism.name, "%s", name);
    *wbGetMechanismAt(world, count) = mechanism;
    for (int i = 0; i < partCount; i++) {
        wbCollider *part = wbGetColliderAt(world, parts[i]);
        part->mechanism = count, part->part = i;
        part->state.pose = wbPlacePart(&mechanism, &mechanism.state, i, wbGetRestPose(&part->params));
        wbReleaseCollider(world, parts[i]);
        part->hostState = part->state;
        wbBoundCollider(world, parts[i]);
    }
    return wb_okStatus;
}

wbStatus wbCreateMechanism(wbWorld *world, const wbMechanismDef *def, wbMechanismId *id) {
    WB_REQUIRE(world);
    WB_REQUIRE(id);
    int parts[WB_MAX_PARTS];
    WB_ASSERT(def && def->cookie == WB_MECHANISM_COOKIE, "make the def with wbDefaultMechanismDef");
    WB_ASSERT(def->colliders || def->colliderCount <= 0, "the colliders are missing");
    if (def->colliderCount < 0 || def->colliderCount > WB_MAX_PARTS)
        return wbError(wb_errorInput, "mechanism \"%s\" moves %d colliders, allowed is 1 to %d", def->name,
                       def->colliderCount, WB_MAX_PARTS);
    for (int i = 0; i < def->colliderCount; i++) parts[i] = wbGetColliderIndex(world, def->colliders[i]);
    WB_TRY(wbAddMechanism(world, def->name, &def->params, parts, def->colliderCount, 0));
    *id = wbWorld_GetMechanism(world, world->mechanismIds.indexCount - 1);
    return wb_okStatus;
}

enum { WB_PARAM_PLACES(WB_MECHANISM_PARAMS) };

static wbStatus setNumber(wbWorld *world, wbMechanismId id, int row, double value) {
    wbMechanism *mechanism = wbGetMechanismAt(world, wbGetMechanismIndex(world, id));
    return wbSetNumber(mechanism->name, &rows[row], &mechanism->params, value);
}

wbStatus wbMechanism_SetOpen(wbWorld *world, wbMechanismId id, float open) {
    return setNumber(world, id, wb_row_open, (double)open);
}

wbStatus wbMechanism_SetSpeed(wbWorld *world, wbMechanismId id, float speed) {
    return setNumber(world, id, wb_row_speed, (double)speed);
}

// deg, about x, then y, then z: the other way round of wbGetRestPose.
static wbVec3 getAngles(const wbPose *pose) {
    const float *q = pose->rotation;
    const double x = q[0], y = q[1], z = q[2], w = q[3], sine = fmax(-1, fmin(1, 2 * (w * y - x * z)));
    double about[3] = {atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)), asin(sine),
                       atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))};
    // upright, turns about x and z are the same: all of it is about z
    if (fabs(sine) > 1 - 1e-9) about[0] = 0, about[2] = 2 * atan2(z, w);
    return wbMakeVec3((float)(about[0] / wb_radians), (float)(about[1] / wb_radians),
                      (float)(about[2] / wb_radians));
}

// It stands still where it is: its parameters say so from now on.
static void letGo(wbWorld *world, int index) {
    wbCollider *part = wbGetColliderAt(world, index);
    memcpy(&part->params.position, part->state.pose.position, sizeof part->params.position);
    part->params.rotation = getAngles(&part->state.pose);
    part->state.pose = wbGetRestPose(&part->params); // but for roundings of its rotation
    part->mechanism = part->part = -1;
    wbBoundCollider(world, index);
    for (wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l))
        if (wbIsSampled(l)) wbBoundary_SetMoving(&l->boundary, index, false);
}

void wbDestroyMechanism(wbWorld *world, wbMechanismId id) {
    int index = wbGetMechanismIndex(world, id);
    for (int i = 0; i < world->colliderIds.indexCount; i++) {
        wbCollider *collider = wbGetColliderAt(world, i);
        if (collider->mechanism == index)
            letGo(world, i);
        else if (collider->mechanism > index)
            collider->mechanism--;
    }
    wbDropObject(world, &wb_mechanismKind, &world->mechanisms, index);
    wbRecordHostValues(world);
}

static double approach(double value, double target, double most) {
    return value < target ? fmin(value + most, target) : fmax(value - most, target);
}

// A gate of a lock opens when the other is shut. By itself it takes turns: `phase` counts half turns.
static void advanceLock(const wbMechanismParams *params, double most, float dt, wbMechanismState *state) {
    double wanted[2] = {params->gates == wb_lockUpper, params->gates == wb_lockLower};
    if (params->period > 0) state->phase += dt / params->period;
    if (params->period > 0 && fmod(state->phase, 2) >= 1) {
        double upper = wanted[0];
        wanted[0] = wanted[1], wanted[1] = upper;
    }
    const double before[2] = {state->place[0], state->place[1]};
    for (int g = 0; g < 2; g++) {
        double target = before[1 - g] > 0 ? 0 : wanted[g];
        state->place[g] = approach(before[g], target, most);
    }
}

static void advanceWheel(const wbMechanismParams *params, float dt, wbMechanismState *state) {
    double before = state->angle;
    if (params->drive == wb_driveMotor) state->speed = params->speed * wb_radians;
    if (params->drive != wb_driveHand) {
        state->angle += state->speed * dt;
        return;
    }
    state->angle = approach(state->angle, params->angle * wb_radians, fabs(params->speed * wb_radians) * dt);
    state->speed = (state->angle - before) / dt;
}

wbMechanismState wbAdvanceMechanism(const wbMechanism *mechanism, float dt) {
    const wbMechanismParams *params = &mechanism->params;
    wbMechanismState state = mechanism->state;
    double most = dt / params->duration;
    switch (params->kind) {
    case wb_mechanismGate:
        state.place[0] = approach(state.place[0], params->open, most);
        break;
    case wb_mechanismLock:
        advanceLock(params, most, dt, &state);
        break;
    case wb_mechanismWheel:
        advanceWheel(params, dt, &state);
        break;
    case wb_mechanismShaker:
        state.phase += 360 * wb_radians * params->frequency * dt;
        state.speed = params->speed * wb_radians;
        state.angle += state.speed * dt;
        break;
    }
    return state;
}

// A turn about an axis through a point.
static wbPose turnAbout(wbVec3 pivot, wbVec3 axis, double angle, wbPose pose) {
    double length = sqrt((double)wbDot(axis, axis)), s = sin(0.5 * angle) / length;
    wbPose turn = {
        .rotation = {(float)(s * axis.x), (float)(s * axis.y), (float)(s * axis.z), (float)cos(0.5 * angle)}};
    wbVec3 shift = wbSub(pivot, wbPose_Rotate(&turn, pivot));
    memcpy(turn.position, &shift, sizeof turn.position);
    return wbPose_Multiply(&turn, &pose);
}

// Full swings come with the second swing: what rests is not jerked.
static double getSwing(double phase) { return fmin(phase / (360 * wb_radians), 1) * sin(phase); }

wbPose wbPlacePart(const wbMechanism *mechanism, const wbMechanismState *state, int part, wbPose rest) {
    const wbMechanismParams *params = &mechanism->params;
    const float travel[3] = {params->travel.x, params->travel.y, params->travel.z};
    bool isShaker = params->kind == wb_mechanismShaker, isLock = params->kind == wb_mechanismLock;
    wbPose pose = rest;
    if (isShaker || params->kind == wb_mechanismWheel) {
        double swing = isShaker ? params->swing * wb_radians * getSwing(state->phase) : 0;
        pose = turnAbout(params->pivot, params->axis, state->angle + swing, rest);
    }
    double way = isShaker                            ? getSwing(state->phase)
                 : params->kind == wb_mechanismWheel ? 0
                                                     : state->place[isLock ? part : 0];
    for (int a = 0; a < 3; a++) pose.position[a] += (float)(way * travel[a]);
    return pose;
}
