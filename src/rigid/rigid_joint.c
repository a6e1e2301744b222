// SPDX-License-Identifier: MIT
// Joints as they come, change and go, and the order in which they are solved. How they are solved is in rigid_joint_solve.c.
#include "rigid/rigid_joint.h"

#include <math.h>
#include <string.h>

#include "core/sort.h"
#include "core/status.h"
#include "rigid/rigid.h"
#include "space/colour.h"

#define DEGREE 0.01745329252f

void wbRigidJoints_Init(wbRigidJoints *joints) {
    *joints = (wbRigidJoints){
        .isDirty = true,
        .order.elementSize = sizeof(wbJointPlace),
        .nodes.elementSize = sizeof(wbJointNode),
        .batches.elementSize = sizeof(wbJointBatch),
        .stageEnds.elementSize = sizeof(int),
        .tieStarts.elementSize = sizeof(int),
        .ties.elementSize = sizeof(int),
    };
}

void wbRigidJoints_ListColumns(wbRigidJoints *joints, wbColumn columns[WB_JOINT_COLUMNS]) {
    columns[0] = (wbColumn){"joints", (void **)&joints->joints, sizeof(wbJoint), true};
    columns[1] = (wbColumn){"jointStates", (void **)&joints->states, sizeof(wbJointState), true};
}

void wbRigidJoints_Free(wbMemory *memory, wbRigidJoints *joints) {
    wbColumn columns[WB_JOINT_COLUMNS];
    wbRigidJoints_ListColumns(joints, columns);
    wbFreeColumns(memory, columns, WB_JOINT_COLUMNS, &joints->capacity);
    wbArray_Free(memory, &joints->order);
    wbArray_Free(memory, &joints->nodes);
    wbArray_Free(memory, &joints->batches);
    wbArray_Free(memory, &joints->stageEnds);
    wbArray_Free(memory, &joints->tieStarts);
    wbArray_Free(memory, &joints->ties);
    wbRigidJoints_Init(joints);
}

// What may be joined

static bool isTurned(int kind) { return kind == wb_jointHinge || kind == wb_jointBall; }

static wbStatus checkLimits(const wbJointParams *params) {
    if (!params->limits) return wb_okStatus;
    const float lower = params->lower, upper = params->upper;
    if (!(lower <= upper))
        return wbError(wb_errorInput, "lower is %g, above upper, which is %g; exchange them", (double)lower,
                       (double)upper);
    if (params->kind == wb_jointBall && !(lower >= 0 && upper <= 180))
        return wbError(wb_errorInput,
                       "the limits of a ball's cone are %g and %g deg; allowed are angles from 0 to 180",
                       (double)lower, (double)upper);
    if (!(params->twistLower <= params->twistUpper))
        return wbError(wb_errorInput, "twistLower is %g, above twistUpper, which is %g; exchange them",
                       (double)params->twistLower, (double)params->twistUpper);
    if (params->kind == wb_jointDistance && !(lower >= 0))
        return wbError(wb_errorInput, "lower is %g m; a distance has none below 0", (double)lower);
    return wb_okStatus;
}

static bool isDynamic(const wbRigid *rigid, int body) {
    return body >= 0 && rigid->bits[body] & WB_RIGID_DYNAMIC;
}

static wbStatus checkBodies(const wbRigid *rigid, int a, int b) {
    WB_ASSERT(a >= -1 && a < rigid->count && b >= -1 && b < rigid->count, "no such body");
    if (a == b)
        return wbError(wb_errorInput, a < 0 ? "a joint has no body: give it one or two"
                                            : "a joint ties a body to itself; name another, or the world");
    if (!isDynamic(rigid, a) && !isDynamic(rigid, b))
        return wbError(wb_errorInput, "a joint has nothing to hold: none of its bodies is dynamic");
    return wb_okStatus;
}

// Whether an axis is needed, and then of length 1 in `axis`; in two dimensions that of a hinge is z, and others are in the plane.
static wbStatus findAxis(const wbJointParams *params, int dimensions, wbVec3 *axis) {
    const bool isNeeded = params->kind == wb_jointHinge || params->kind == wb_jointSlider ||
                          (params->kind == wb_jointBall && params->limits);
    wbVec3 given = params->axis;
    if (dimensions == 2 && params->kind == wb_jointHinge) given.x = given.y = 0;
    if (dimensions == 2 && params->kind != wb_jointHinge) given.z = 0;
    const float most = fmaxf(fmaxf(fabsf(given.x), fabsf(given.y)), fabsf(given.z));
    *axis = wbMakeVec3(1, 0, 0);
    if (!isNeeded && !(most > 0)) return wb_okStatus;
    if (!(most > 0 && most <= 1e30f))
        return wbError(wb_errorInput, "axis is (%g, %g, %g), which points nowhere%s", (double)params->axis.x,
                       (double)params->axis.y, (double)params->axis.z,
                       dimensions == 3                 ? ""
                       : params->kind == wb_jointHinge ? " in 2D; that of a hinge is (0, 0, 1)"
                                                       : " in the plane");
    given = wbScale(1 / most, given);
    *axis = wbScale(1 / sqrtf(wbDot(given, given)), given);
    return wb_okStatus;
}

// The shortest turn that takes x to an axis.
static wbPose makeFrame(wbVec3 origin, wbVec3 axis) {
    wbPose pose = {{origin.x, origin.y, origin.z}, {0, 0, 1, 0}};
    const float w = sqrtf(0.5f * (1 + axis.x));
    if (w > 1e-4f) {
        pose.rotation[1] = -0.5f * axis.z / w, pose.rotation[2] = 0.5f * axis.y / w;
        pose.rotation[3] = w;
    }
    return pose;
}

static wbPose getBodyPose(const wbRigid *rigid, int body) {
    return body < 0 ? wb_poseAtOrigin : wbRigid_GetPose(rigid, body);
}

static void setBit(uint32_t *bits, uint32_t bit, bool isSet) { *bits = isSet ? *bits | bit : *bits & ~bit; }

// What may change while a world runs.
static void setLive(wbJoint *joint, const wbJointParams *params) {
    const float unit = isTurned(joint->kind) ? DEGREE : 1;
    setBit(&joint->bits, WB_JOINT_LIMITS, params->limits);
    setBit(&joint->bits, WB_JOINT_MOTOR, params->motor);
    setBit(&joint->bits, WB_JOINT_COLLIDE, params->collide);
    setBit(&joint->bits, WB_JOINT_ON, params->on);
    joint->lower = unit * params->lower, joint->upper = unit * params->upper;
    joint->twistLower = DEGREE * params->twistLower, joint->twistUpper = DEGREE * params->twistUpper;
    joint->speed = unit * params->speed, joint->maxForce = params->maxForce;
    joint->hertz = params->hertz, joint->dampingRatio = params->dampingRatio;
    if (params->length > 0) joint->length = params->length;
    joint->breakForce = params->breakForce, joint->breakTorque = params->breakTorque;
}

static wbStatus makeJoint(const wbRigid *rigid, int dimensions, const wbJointParams *params, int a, int b,
                          wbJoint *joint) {
    wbVec3 axis, anchor = params->anchor, end = params->kind == wb_jointDistance ? params->end : anchor;
    WB_TRY(checkBodies(rigid, a, b));
    WB_TRY(checkLimits(params));
    WB_TRY(findAxis(params, dimensions, &axis));
    if (dimensions == 2) anchor.z = end.z = 0;
    const wbVec3 apart = wbSub(end, anchor);
    const float length = sqrtf(wbDot(apart, apart));
    if (params->kind == wb_jointDistance && !(params->length > 0) && !(length > 1e-6f))
        return wbError(wb_errorInput,
                       "anchor and end of a distance are in one place; move one, or give its length");
    const wbPose poseA = getBodyPose(rigid, a), poseB = getBodyPose(rigid, b);
    const wbPose inverseA = wbPose_Invert(&poseA), inverseB = wbPose_Invert(&poseB);
    const wbPose frameA = makeFrame(anchor, axis), frameB = makeFrame(end, axis);
    *joint = (wbJoint){.kind = (int)params->kind,
                       .bodies = {a, b},
                       .frames = {wbPose_Multiply(&inverseA, &frameA), wbPose_Multiply(&inverseB, &frameB)},
                       .length = length};
    setLive(joint, params);
    return wb_okStatus;
}

wbStatus wbCheckJoint(const wbJoint *joint, const wbJointState *state, int bodyCount) {
    float numbers[sizeof(wbJoint) / 4 + sizeof(wbJointState) / 4];
    const int a = joint->bodies[0], b = joint->bodies[1];
    const size_t first = offsetof(wbJoint, frames) / 4;
    memcpy(numbers, joint, sizeof *joint);
    memcpy(numbers + sizeof *joint / 4, state, sizeof *state);
    for (size_t k = first; k < sizeof numbers / 4; k++)
        if (!isfinite(numbers[k])) return wbError(wb_errorInput, "a joint has a number that is not finite");
    if (joint->kind < 0 || joint->kind > wb_jointDistance)
        return wbError(wb_errorInput, "a joint is of kind %d; there are 0 to %d", joint->kind,
                       wb_jointDistance);
    if (a < -1 || b < -1 || a >= bodyCount || b >= bodyCount || a == b)
        return wbError(wb_errorInput, "a joint ties bodies %d and %d of %d", a, b, bodyCount);
    for (int k = 0; k < 2; k++) {
        const float *q = joint->frames[k].rotation;
        const float length2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        if (!(fabsf(length2 - 1) < 1e-3f))
            return wbError(wb_errorInput, "a joint's frame has a quaternion of length %g instead of 1",
                           sqrt((double)length2));
    }
    return wb_okStatus;
}

// Coming and going

static void wakeEnds(wbRigid *rigid, const wbJoint *joint) {
    for (int k = 0; k < 2; k++)
        if (joint->bodies[k] >= 0) wbRigid_Wake(rigid, joint->bodies[k]);
}

wbStatus wbRigid_AddJoint(wbRigid *rigid, wbMemory *memory, const wbRigidModel *model,
                          const wbJointParams *params, int a, int b) {
    wbRigidJoints *joints = &rigid->joints;
    wbColumn columns[WB_JOINT_COLUMNS];
    wbJoint joint;
    WB_TRY(makeJoint(rigid, model->domain->dimensions, params, a, b, &joint));
    wbRigidJoints_ListColumns(joints, columns);
    if (!wbReserveColumns(memory, columns, WB_JOINT_COLUMNS, &joints->capacity, joints->count + 1))
        return wbMemoryError(memory, "a joint needs");
    joints->joints[joints->count] = joint;
    joints->states[joints->count] =
        (wbJointState){.value = joint.kind == wb_jointDistance ? joint.length : 0};
    joints->count++, joints->isDirty = true;
    wakeEnds(rigid, &joint);
    return wb_okStatus;
}

wbStatus wbRigid_SetJoint(wbRigid *rigid, int index, const wbJointParams *params) {
    wbJoint *joint = &rigid->joints.joints[index];
    WB_TRY(checkLimits(params));
    const uint32_t before = joint->bits;
    setLive(joint, params);
    if (params->on && !(before & WB_JOINT_ON)) {
        wbJointState *state = &rigid->joints.states[index];
        *state = (wbJointState){.value = state->value};
        joint->bits &= ~(uint32_t)WB_JOINT_BROKEN;
    }
    const uint32_t planned = WB_JOINT_ON | WB_JOINT_COLLIDE | WB_JOINT_BROKEN;
    rigid->joints.isDirty |= ((before ^ joint->bits) & planned) != 0;
    wakeEnds(rigid, joint);
    return wb_okStatus;
}

void wbRigid_RemoveJoint(wbRigid *rigid, int index) {
    wbRigidJoints *joints = &rigid->joints;
    wbColumn columns[WB_JOINT_COLUMNS];
    wakeEnds(rigid, &joints->joints[index]);
    wbRigidJoints_ListColumns(joints, columns);
    wbRemoveRange(columns, WB_JOINT_COLUMNS, index, index + 1, joints->count);
    joints->count--, joints->isDirty = true;
}

int wbRigid_FindJoint(const wbRigid *rigid, int body) {
    for (int i = rigid->joints.count - 1; i >= 0; i--) {
        const int *bodies = rigid->joints.joints[i].bodies;
        if (bodies[0] == body || bodies[1] == body) return i;
    }
    return -1;
}

void wbRigidJoints_Renumber(wbRigidJoints *joints, int removedBody) {
    for (int i = 0; i < joints->count; i++)
        for (int k = 0; k < 2; k++) {
            int *body = &joints->joints[i].bodies[k];
            WB_ASSERT(*body != removedBody, "joints go before their bodies");
            if (*body > removedBody) --*body;
        }
    joints->isDirty = true;
}

// Ties

static bool holds(const wbJoint *joint) {
    return joint->bits & WB_JOINT_ON && !(joint->bits & WB_JOINT_BROKEN);
}

static bool isTie(const wbJoint *joint) {
    return holds(joint) && !(joint->bits & WB_JOINT_COLLIDE) && joint->bodies[0] >= 0 &&
           joint->bodies[1] >= 0;
}

// Lists by body, both ways: counted, then filled from their ends, so that starts are what is left.
static bool planTies(wbRigidJoints *joints, const wbWork *work, int bodyCount) {
    if (!wbArray_Reserve(work->memory, &joints->tieStarts, bodyCount + 1) ||
        !wbArray_Reserve(work->memory, &joints->ties, 2 * joints->count + 1))
        return false;
    int *starts = joints->tieStarts.data, *ties = joints->ties.data;
    memset(starts, 0, sizeof(int) * ((size_t)bodyCount + 1));
    for (int i = 0; i < joints->count; i++)
        for (int k = 0; k < 2 && isTie(&joints->joints[i]); k++) starts[joints->joints[i].bodies[k]]++;
    for (int body = 1; body <= bodyCount; body++) starts[body] += starts[body - 1];
    for (int i = joints->count - 1; i >= 0; i--)
        for (int k = 0; k < 2 && isTie(&joints->joints[i]); k++)
            ties[--starts[joints->joints[i].bodies[k]]] = joints->joints[i].bodies[1 - k];
    joints->tiedBodies = bodyCount;
    joints->haveTiesChanged = true;
    return true;
}

bool wbRigidJoints_AreTied(const wbRigidJoints *joints, int a, int b) {
    const int *starts = joints->tieStarts.data, *ties = joints->ties.data;
    if (a >= joints->tiedBodies || b >= joints->tiedBodies) return false;
    if (starts[a + 1] - starts[a] > starts[b + 1] - starts[b]) {
        const int other = a;
        a = b, b = other;
    }
    for (int k = starts[a]; k < starts[a + 1]; k++)
        if (ties[k] == b) return true;
    return false;
}

// The order

// Components with more joints are solved by colours, on all threads.
enum { LARGEST_COMPONENT = 4096, COLOUR_BATCH = 64 };
enum { UNSEEN = -1, LARGE = -2 };

typedef struct Planner {
    int *starts, *links;   // joints by body that moves
    int *batchOf, *nodeOf; // by body; the node in its batch
    uint32_t *keys;        // by joint that holds something: its batch, or behind them its colour
    int *holding;          // which joints those are
    int *members;          // two bodies of each joint of a large component
    int *colours;          // of those
    int *keyStarts, *keyOrder;
    int count, batchCount, colourCount;
} Planner;

static bool createPlanner(Planner *planner, wbArena *arena, int bodyCount, int jointCount) {
    const size_t bodies = sizeof(int) * ((size_t)bodyCount + 1),
                 joints = sizeof(int) * ((size_t)jointCount + 1);
    *planner = (Planner){.starts = wbArena_Alloc(arena, bodies),
                         .links = wbArena_Alloc(arena, 2 * joints),
                         .batchOf = wbArena_Alloc(arena, bodies),
                         .nodeOf = wbArena_Alloc(arena, bodies),
                         .keys = wbArena_Alloc(arena, joints),
                         .holding = wbArena_Alloc(arena, joints),
                         .members = wbArena_Alloc(arena, 2 * joints),
                         .colours = wbArena_Alloc(arena, joints),
                         .keyStarts = wbArena_Alloc(arena, 2 * joints),
                         .keyOrder = wbArena_Alloc(arena, joints)};
    return planner->starts && planner->links && planner->batchOf && planner->nodeOf && planner->keys &&
           planner->holding && planner->members && planner->colours && planner->keyStarts &&
           planner->keyOrder;
}

static void linkJoints(const wbRigid *rigid, Planner *planner) {
    const wbRigidJoints *joints = &rigid->joints;
    memset(planner->starts, 0, sizeof(int) * ((size_t)rigid->count + 1));
    for (int i = 0; i < joints->count; i++)
        for (int k = 0; k < 2 && holds(&joints->joints[i]); k++)
            if (isDynamic(rigid, joints->joints[i].bodies[k])) planner->starts[joints->joints[i].bodies[k]]++;
    for (int body = 1; body <= rigid->count; body++) planner->starts[body] += planner->starts[body - 1];
    for (int i = joints->count - 1; i >= 0; i--)
        for (int k = 0; k < 2 && holds(&joints->joints[i]); k++)
            if (isDynamic(rigid, joints->joints[i].bodies[k]))
                planner->links[--planner->starts[joints->joints[i].bodies[k]]] = i;
}

// A body that moves at one of a joint's ends: both are in one component then.
static int getMover(const wbRigid *rigid, const wbJoint *joint) {
    return isDynamic(rigid, joint->bodies[0])   ? joint->bodies[0]
           : isDynamic(rigid, joint->bodies[1]) ? joint->bodies[1]
                                                : -1;
}

// Everything that is connected with a body, nearest first: how many joints that are.
static int growComponent(wbRigid *rigid, Planner *planner, int body) {
    wbRigidJoints *joints = &rigid->joints;
    wbJointNode *nodes = joints->nodes.data;
    const int first = joints->nodeCount;
    int jointCount = 0;
    nodes[joints->nodeCount++] = (wbJointNode){body, -1};
    planner->batchOf[body] = planner->batchCount, planner->nodeOf[body] = 0;
    for (int n = first; n < joints->nodeCount; n++)
        for (int k = planner->starts[nodes[n].body]; k < planner->starts[nodes[n].body + 1]; k++) {
            const wbJoint *joint = &joints->joints[planner->links[k]];
            const int other = joint->bodies[joint->bodies[0] == nodes[n].body];
            jointCount += getMover(rigid, joint) == nodes[n].body;
            if (!isDynamic(rigid, other) || planner->batchOf[other] != UNSEEN) continue;
            planner->batchOf[other] = planner->batchCount, planner->nodeOf[other] = joints->nodeCount - first;
            nodes[joints->nodeCount++] = (wbJointNode){other, n - first};
        }
    return jointCount;
}

static void findComponents(wbRigid *rigid, Planner *planner) {
    wbRigidJoints *joints = &rigid->joints;
    wbJointNode *nodes = joints->nodes.data;
    wbJointBatch *batches = joints->batches.data;
    for (int body = 0; body < rigid->count; body++) planner->batchOf[body] = UNSEEN;
    joints->nodeCount = 0;
    for (int body = 0; body < rigid->count; body++) {
        if (planner->batchOf[body] != UNSEEN || planner->starts[body] == planner->starts[body + 1]) continue;
        const int first = joints->nodeCount;
        if (growComponent(rigid, planner, body) <= LARGEST_COMPONENT) {
            batches[planner->batchCount++].nodeEnd = joints->nodeCount;
        } else {
            for (int n = first; n < joints->nodeCount; n++) planner->batchOf[nodes[n].body] = LARGE;
            joints->nodeCount = first;
        }
    }
}

static wbStatus chooseKeys(const wbRigid *rigid, const wbWork *work, Planner *planner) {
    const wbRigidJoints *joints = &rigid->joints;
    int largeCount = 0;
    for (int i = 0; i < joints->count; i++) {
        const wbJoint *joint = &joints->joints[i];
        const int mover = getMover(rigid, joint);
        if (!holds(joint) || mover < 0) continue;
        planner->holding[planner->count] = i;
        planner->keys[planner->count++] = (uint32_t)planner->batchOf[mover];
        if (planner->batchOf[mover] != LARGE) continue;
        for (int k = 0; k < 2; k++)
            planner->members[2 * largeCount + k] = isDynamic(rigid, joint->bodies[k]) ? joint->bodies[k] : -1;
        largeCount++;
    }
    WB_TRY(wbColourItems(work, planner->members, 2, largeCount, rigid->count, planner->colours,
                         &planner->colourCount));
    for (int i = 0, large = 0; i < planner->count; i++)
        if (planner->keys[i] == (uint32_t)LARGE)
            planner->keys[i] = (uint32_t)(planner->batchCount + planner->colours[large++]);
    return wb_okStatus;
}

static wbJointPlace makePlace(const wbRigid *rigid, const Planner *planner, int joint) {
    const int *bodies = rigid->joints.joints[joint].bodies;
    wbJointPlace place = {.joint = joint,
                          .nodes = {-1, -1},
                          .moves = {isDynamic(rigid, bodies[0]), isDynamic(rigid, bodies[1])}};
    const int batch = planner->batchOf[getMover(rigid, &rigid->joints.joints[joint])];
    if (batch == LARGE) return place;
    const wbJointBatch *batches = rigid->joints.batches.data;
    const wbJointNode *nodes = rigid->joints.nodes.data;
    if (batch > 0) nodes += batches[batch - 1].nodeEnd;
    for (int k = 0; k < 2; k++)
        if (place.moves[k]) place.nodes[k] = planner->nodeOf[bodies[k]];
    const int a = place.nodes[0], b = place.nodes[1];
    place.isInTree = a < 0 || b < 0 || nodes[a].parent == b || nodes[b].parent == a;
    return place;
}

// One stage of components, then one of each colour, cut into batches of equal size.
static void storePlan(wbRigid *rigid, const Planner *planner) {
    wbRigidJoints *joints = &rigid->joints;
    wbJointPlace *order = joints->order.data;
    wbJointBatch *batches = joints->batches.data;
    int *stageEnds = joints->stageEnds.data, count = planner->batchCount, stages = 0;
    for (int k = 0; k < planner->count; k++)
        order[k] = makePlace(rigid, planner, planner->holding[planner->keyOrder[k]]);
    for (int k = 0; k < count; k++) batches[k].jointEnd = planner->keyStarts[k + 1];
    if (count > 0) stageEnds[stages++] = count;
    for (int k = 0; k < planner->colourCount; k++) {
        const int *ends = &planner->keyStarts[planner->batchCount + k];
        for (int begin = ends[0]; begin < ends[1]; begin += COLOUR_BATCH) {
            const int end = begin + COLOUR_BATCH < ends[1] ? begin + COLOUR_BATCH : ends[1];
            batches[count++] = (wbJointBatch){end, joints->nodeCount};
        }
        stageEnds[stages++] = count;
    }
    joints->orderCount = planner->count, joints->batchCount = count, joints->stageCount = stages;
}

// Colours are at most twice as many as joints share a body, and there is a batch per component, or per colour and 64 joints.
static bool reservePlan(wbRigidJoints *joints, const wbWork *work) {
    const int most = 2 * joints->count + 1;
    return wbArray_Reserve(work->memory, &joints->order, most) &&
           wbArray_Reserve(work->memory, &joints->nodes, most) &&
           wbArray_Reserve(work->memory, &joints->batches, most) &&
           wbArray_Reserve(work->memory, &joints->stageEnds, most);
}

static wbStatus planOrder(wbRigid *rigid, const wbWork *work) {
    Planner planner;
    if (!reservePlan(&rigid->joints, work) ||
        !createPlanner(&planner, work->arena, rigid->count, rigid->joints.count))
        return wbMemoryError(work->memory, "the order of %d joints needs", rigid->joints.count);
    linkJoints(rigid, &planner);
    findComponents(rigid, &planner);
    WB_TRY(chooseKeys(rigid, work, &planner));
    if (!wbCountingSort(work->pool, work->arena, planner.keys, planner.count,
                        planner.batchCount + planner.colourCount, planner.keyStarts, planner.keyOrder))
        return wbMemoryError(work->memory, "the order of %d joints needs", rigid->joints.count);
    storePlan(rigid, &planner);
    return wb_okStatus;
}

// Whether the bodies that moved when the plan was made are those that do.
static bool isPlanRight(const wbRigid *rigid) {
    const wbRigidJoints *joints = &rigid->joints;
    const wbJointPlace *order = joints->order.data;
    int count = 0;
    for (int i = 0; i < joints->count; i++)
        count += holds(&joints->joints[i]) && getMover(rigid, &joints->joints[i]) >= 0;
    if (count != joints->orderCount) return false;
    for (int k = 0; k < count; k++) {
        const int *bodies = joints->joints[order[k].joint].bodies;
        for (int side = 0; side < 2; side++)
            if (order[k].moves[side] != isDynamic(rigid, bodies[side])) return false;
    }
    return true;
}

wbStatus wbPlanJoints(wbRigid *rigid, const wbWork *work) {
    wbRigidJoints *joints = &rigid->joints;
    joints->haveTiesChanged = false;
    if (!joints->isDirty && isPlanRight(rigid)) return wb_okStatus;
    if (!planTies(joints, work, rigid->count))
        return wbMemoryError(work->memory, "the order of %d joints needs", joints->count);
    const size_t mark = wbArena_Mark(work->arena);
    const wbStatus status = planOrder(rigid, work);
    wbArena_Release(work->arena, mark);
    joints->isDirty = status.code != wb_ok;
    return status;
}
