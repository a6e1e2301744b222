// SPDX-License-Identifier: MIT
// Joints as objects of a world. What they do is in src/rigid; here they have names, ids and parameters.
#include <stdio.h>
#include <string.h>

#include "core/param_table.h"
#include "core/status.h"
#include "world/checkpoint.h"
#include "world/rigid.h"

#define WB_PARAM_STRUCT wbJointParams
static const wbParam rows[] = {WB_PARAM_ROWS(WB_JOINT_PARAMS)};
#undef WB_PARAM_STRUCT
const wbParamTable wb_jointTable =
    WB_PARAM_TABLE("joint", "what ties two rigid bodies, or one to the world", wbJointParams, rows);

wbJointDef wbDefaultJointDef(void) {
    wbJointDef def = {.cookie = WB_JOINT_COOKIE};
    wbSetParamDefaults(&wb_jointTable, &def.params);
    return def;
}

static const char *getName(const wbWorld *world, int index) { return wbGetJointAt(world, index)->name; }
static const void *getParams(const wbWorld *world, int index) { return &wbGetJointAt(world, index)->params; }

static wbStatus setParams(wbWorld *world, int index, const void *params) {
    wbRigidJoint *joint = wbGetJointAt(world, index);
    WB_TRY(wbCheckParams(&wb_jointTable, params));
    WB_TRY(wbPullState(world));
    wbStatus status = wbRigid_SetJoint(&wbGetRigidBodies(world)->rigid, index, params);
    if (!wbIsOk(status)) return wbError(status.code, "joint \"%s\": %s", joint->name, status.text);
    memcpy(&joint->params, params, sizeof joint->params);
    wbMarkStateDirty(world);
    return wb_okStatus;
}

const wbObjectKind wb_jointKind = {.table = &wb_jointTable,
                                   .title = "joint",
                                   .ids = offsetof(wbWorld, jointIds),
                                   .getName = getName,
                                   .getParams = getParams,
                                   .setParams = setParams,
                                   .savedAs = "joint"};

// Takes one that wbRigid has already into the list.
static wbStatus takeJoint(wbWorld *world, const char *name, const wbJointParams *params, uint32_t index1) {
    wbRigidBodies *bodies = wbGetRigidBodies(world);
    const int index = world->jointIds.indexCount;
    wbRigidJoint joint = {.params = *params};
    snprintf(joint.name, sizeof joint.name, "%s", name);
    if (!wbArray_Reserve(world->memory, &bodies->joints, index + 1))
        return wbMemoryError(world->memory, "%d joints need", index + 1);
    WB_TRY(wbTakeObjectId(world, &wb_jointKind, index1));
    *wbGetJointAt(world, index) = joint;
    return wb_okStatus;
}

static int findBody(const wbWorld *world, wbRigidBodyId id) {
    return wbRigidBodyId_IsNull(id) ? -1 : wbGetRigidBodyIndex(world, id);
}

static wbStatus create(wbWorld *world, const wbJointDef *def, const char *name) {
    const int a = findBody(world, def->first), b = findBody(world, def->second);
    WB_TRY(wbCheckParams(&wb_jointTable, &def->params));
    if (a < 0 && b < 0) return wbError(wb_errorInput, "it ties no body");
    if (a == b) return wbError(wb_errorInput, "it ties a body to itself");
    if (world->jointIds.indexCount >= WB_MAX_JOINTS)
        return wbError(wb_errorInput, "a world has at most %d joints", WB_MAX_JOINTS);
    wbRigidBodies *bodies = wbGetRigidBodies(world);
    WB_TRY(wbRigid_AddJoint(&bodies->rigid, world->memory, &bodies->model, &def->params, a, b));
    wbStatus status = takeJoint(world, name, &def->params, 0);
    if (!wbIsOk(status)) wbRigid_RemoveJoint(&bodies->rigid, bodies->rigid.joints.count - 1);
    return status;
}

wbStatus wbCreateJoint(wbWorld *world, const wbJointDef *def, wbJointId *id) {
    WB_REQUIRE(world);
    WB_REQUIRE(id);
    WB_ASSERT(def && def->cookie == WB_JOINT_COOKIE, "make the def with wbDefaultJointDef");
    const char *name = def->name ? def->name : "";
    if (name[0]) WB_TRY(wbCheckPlainName(world, "joint", name));
    WB_TRY(wbPullState(world));
    wbStatus status = create(world, def, name);
    if (!wbIsOk(status) && name[0]) return wbError(status.code, "joint \"%s\": %s", name, status.text);
    if (!wbIsOk(status)) return wbError(status.code, "a joint: %s", status.text);
    wbMarkStateDirty(world);
    *id = wbWorld_GetJoint(world, wbWorld_GetJointCount(world) - 1);
    return wb_okStatus;
}

static void drop(wbWorld *world, int index) {
    wbRigidBodies *bodies = wbGetRigidBodies(world);
    wbRigid_RemoveJoint(&bodies->rigid, index);
    wbDropObject(world, &wb_jointKind, &bodies->joints, index);
}

wbStatus wbDestroyJoint(wbWorld *world, wbJointId id) {
    const int index = wbGetJointIndex(world, id);
    WB_TRY(wbPullState(world));
    drop(world, index);
    wbMarkStateDirty(world);
    return wb_okStatus;
}

void wbDropJointsOf(wbWorld *world, int body) {
    for (int joint; (joint = wbRigid_FindJoint(&wbGetRigidBodies(world)->rigid, body)) >= 0;)
        drop(world, joint);
}

const wbJointParams *wbJoint_GetParams(const wbWorld *world, wbJointId id) {
    return &wbGetJointAt(world, wbGetJointIndex(world, id))->params;
}

static wbRigidBodyId getEnd(const wbWorld *world, wbJointId id, int end) {
    const int index = wbGetJointIndex(world, id),
              body = wbGetRigidBodies(world)->rigid.joints.joints[index].bodies[end];
    return body < 0 ? (wbRigidBodyId){0} : wbWorld_GetRigidBody(world, body);
}
wbRigidBodyId wbJoint_GetFirst(const wbWorld *world, wbJointId id) { return getEnd(world, id, 0); }
wbRigidBodyId wbJoint_GetSecond(const wbWorld *world, wbJointId id) { return getEnd(world, id, 1); }

// m, where it holds one of its bodies, or the world.
static wbVec3 findEnd(const wbWorld *world, const wbJoint *joint, int end) {
    const float *p = joint->frames[end].position;
    const wbVec3 place = wbMakeVec3(p[0], p[1], p[2]);
    if (joint->bodies[end] < 0) return place;
    const wbPose pose = wbRigid_GetPose(&wbGetRigidBodies(world)->rigid, joint->bodies[end]);
    return wbPose_Apply(&pose, place);
}

wbStatus wbJoint_GetReading(wbWorld *world, wbJointId id, wbJointReading *reading) {
    const int index = wbGetJointIndex(world, id);
    const double degrees = 180 / 3.14159265358979323846;
    WB_REQUIRE(reading);
    WB_TRY(wbPullState(world));
    const wbRigidJoints *joints = &wbGetRigidBodies(world)->rigid.joints;
    const wbJointState *state = &joints->states[index];
    const wbJoint *joint = &joints->joints[index];
    const bool isTurn = joint->kind == wb_jointHinge || joint->kind == wb_jointBall;
    *reading = (wbJointReading){.value = (double)state->value * (isTurn ? degrees : 1),
                                .speed = (double)state->speed * (isTurn ? degrees : 1),
                                .twist = (double)state->twist * degrees,
                                .isBroken = joint->bits & WB_JOINT_BROKEN};
    for (int k = 0; k < 3; k++) {
        reading->force[k] = (double)state->force[k];
        reading->torque[k] = (double)state->torque[k];
    }
    reading->from = findEnd(world, joint, 0);
    reading->to = findEnd(world, joint, 1);
    return wb_okStatus;
}

wbStatus wbJoint_SetMotor(wbWorld *world, wbJointId id, bool isOn, float speed, float maxForce) {
    wbJointParams params = *wbJoint_GetParams(world, id);
    params.motor = isOn, params.speed = speed, params.maxForce = maxForce;
    return setParams(world, wbGetJointIndex(world, id), &params);
}

wbStatus wbJoint_SetLimits(wbWorld *world, wbJointId id, bool isOn, float lower, float upper) {
    wbJointParams params = *wbJoint_GetParams(world, id);
    params.limits = isOn, params.lower = lower, params.upper = upper;
    return setParams(world, wbGetJointIndex(world, id), &params);
}

wbStatus wbJoint_SetSpring(wbWorld *world, wbJointId id, float hertz, float dampingRatio) {
    wbJointParams params = *wbJoint_GetParams(world, id);
    params.hertz = hertz, params.dampingRatio = dampingRatio;
    return setParams(world, wbGetJointIndex(world, id), &params);
}

wbStatus wbJoint_SetOn(wbWorld *world, wbJointId id, bool isOn) {
    wbJointParams params = *wbJoint_GetParams(world, id);
    params.on = isOn;
    return setParams(world, wbGetJointIndex(world, id), &params);
}

// Checkpoints. What ties which bodies, and how, is in columns of the solver.

typedef struct SavedJoint {
    char name[WB_NAME_SIZE];
    uint32_t index1;
} SavedJoint;
_Static_assert(sizeof(SavedJoint) == 68, "as it stands in the file");

void wbSaveJoints(const wbWorld *world, wbSectionList *list) {
    const int count = world->jointIds.indexCount;
    SavedJoint *saved = wbAddOwnedSection(list, "joints", sizeof *saved * (size_t)count);
    for (int i = 0; i < count && saved; i++) {
        saved[i].index1 = wbIdPool_GetIndex1(&world->jointIds, i);
        memcpy(saved[i].name, wbGetJointAt(world, i)->name, sizeof saved[i].name);
    }
    wbSaveRows(world, &wb_jointKind, list);
}

wbStatus wbLoadJoints(wbWorld *world, wbSectionList *list) {
    const wbSection *section;
    wbSavedRows saved;
    size_t count;
    WB_TRY(wbFindParts(list, "joints", sizeof(SavedJoint), WB_MAX_JOINTS, &section, &count));
    if (count != (size_t)wbGetRigidBodies(world)->rigid.joints.count)
        return wbError(wb_errorInput, "it has %zu joints, and states of %d", count,
                       wbGetRigidBodies(world)->rigid.joints.count);
    WB_TRY(wbFindRows(list, &wb_jointKind, count, &saved));
    for (size_t i = 0; i < count; i++) {
        SavedJoint joint;
        wbJointParams params;
        memcpy(&joint, (const char *)section->data + i * sizeof joint, sizeof joint);
        if (joint.index1 == 0 || !memchr(joint.name, 0, sizeof joint.name))
            return wbError(wb_errorInput, "joint %zu makes no sense", i);
        if (joint.name[0]) WB_TRY(wbCheckPlainName(world, "joint", joint.name));
        WB_TRY(wbReadRow(&saved, i, &params));
        WB_TRY(takeJoint(world, joint.name, &params, joint.index1));
    }
    return wb_okStatus;
}
