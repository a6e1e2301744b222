// SPDX-License-Identifier: MIT
// What is stretched between two points of rigid bodies, for those who draw it.
#include "core/status.h"
#include "world/rigid.h"

typedef struct Ties {
    const wbRigid *rigid;
    wbTie *ties;
    int capacity, count;
} Ties;

static wbVec3 findPoint(const wbRigid *rigid, int body, wbVec3 point) {
    if (body < 0) return point;
    const wbPose pose = wbRigid_GetPose(rigid, body);
    return wbPose_Apply(&pose, point);
}

static float getSize(const wbRigid *rigid, int body) { return body < 0 ? INFINITY : rigid->reach[body]; }

// Between points of two bodies, in their frames; -1: of the world.
static void addTie(Ties *all, int a, wbVec3 onA, int b, wbVec3 onB) {
    if (all->count < all->capacity)
        all->ties[all->count] = (wbTie){findPoint(all->rigid, a, onA), findPoint(all->rigid, b, onB),
                                        fminf(getSize(all->rigid, a), getSize(all->rigid, b))};
    all->count++;
}

static void addJoints(Ties *all) {
    const wbRigidJoints *joints = &all->rigid->joints;
    for (int i = 0; i < joints->count; i++) {
        const wbJoint *joint = &joints->joints[i];
        const float *a = joint->frames[0].position, *b = joint->frames[1].position;
        if (joint->kind != wb_jointDistance || !(joint->bits & WB_JOINT_ON) || joint->bits & WB_JOINT_BROKEN)
            continue;
        addTie(all, joint->bodies[0], wbMakeVec3(a[0], a[1], a[2]), joint->bodies[1],
               wbMakeVec3(b[0], b[1], b[2]));
    }
}

static bool isAnchored(wbForceKind kind) {
    return kind == wb_forceAnchoredSpring || kind == wb_forceAnchoredBungee;
}

static void addForces(Ties *all) {
    const wbRigidForces *forces = &all->rigid->forces;
    for (int i = 0; i < forces->count; i++) {
        const wbRigidForce *force = (const wbRigidForce *)forces->list.data + i;
        const wbForceParams *params = &force->params;
        const int *bodies = (const int *)forces->members.data + force->first;
        if (!params->on || force->function) continue;
        const int held = force->isOnAll ? all->rigid->count : force->count;
        for (int k = 0; isAnchored(params->kind) && k < held; k++)
            addTie(all, force->isOnAll ? k : bodies[k], params->attach, -1, params->anchor);
        for (int k = 0; wbRigidForce_TiesPairs(force) && k + 1 < force->count; k += 2)
            addTie(all, bodies[k], params->attach, bodies[k + 1], params->attachOther);
    }
}

wbStatus wbWorld_GetTies(wbWorld *world, wbTie *ties, int capacity, int *count) {
    WB_REQUIRE(world);
    WB_REQUIRE(count);
    WB_ASSERT(capacity >= 0 && (ties || capacity == 0), "there is no room for ties");
    WB_TRY(wbPullState(world));
    *count = 0;
    const wbRigidBodies *bodies = wbGetRigidBodies(world);
    if (!bodies) return wb_okStatus;
    Ties all = {&bodies->rigid, ties, capacity, 0};
    addJoints(&all);
    addForces(&all);
    *count = all.count;
    return wb_okStatus;
}
