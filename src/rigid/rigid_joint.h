// SPDX-License-Identifier: MIT
// Joints: what ties two bodies, or one to the world, solved in the same passes as exact contacts. What a joint holds is up to six
// rows, its block; its motor, its limits and its spring act along one row more, its axis:
//
//     kind        block                            axis
//     ball        a point                          the angle between its axes at both bodies: a cone
//     hinge       a point, two turns               the turn about its axis
//     slider      two ways across, three turns     the way along its axis
//     fixed       a point, three turns
//     distance    the way between its ends         the same, with limits or a spring
//
// All blocks of bodies that joints connect are solved at once, exactly, as far as they form a tree (rigid/block_tree_formula.h):
// chains hold whatever hangs on them. Joints that close loops, and those of very large components, are solved one after another, softly.
#pragma once

#include "core/array.h"
#include "core/saved_value.h"
#include "core/work.h"
#include "rigid/rigid_exact.h"
#include "rigid/rigid_joint_device.h"
#include "wirbel/params.h"

struct wbRigid;
struct wbRigidModel;

typedef struct wbRigidJoints {
    int count, capacity;
    wbJoint *joints;
    wbJointState *states;
    float subStep; ///< s, that impulses are of; 0: there are none
    // in which order they are solved, and which bodies do not touch: planned anew after a change
    bool isDirty;
    bool haveTiesChanged; ///< in the last wbPlanJoints
    wbArray order;        ///< wbJointPlace, by stage and batch
    wbArray nodes;        ///< wbJointNode, by batch
    wbArray batches;      ///< wbJointBatch
    wbArray stageEnds;    ///< int: ends of stages in `batches`; batches of a stage share no body that moves
    int orderCount, nodeCount, batchCount, stageCount;
    int tiedBodies;          ///< bodies that may have ties
    wbArray tieStarts, ties; ///< int: by body, with which others it is tied
    // of the step that is being done, in the arena
    wbJointLine *lines;   ///< by place in `order`
    wbJointMover *movers; ///< by node
    wbTreeNode *tree;     ///< by node
    wbSoftness softness;
} wbRigidJoints;

void wbRigidJoints_Init(wbRigidJoints *joints);
void wbRigidJoints_Free(wbMemory *memory, wbRigidJoints *joints);

enum { WB_JOINT_COLUMNS = 2 };
/// Of `count` joints. Beside them `subStep` is saved.
void wbRigidJoints_ListColumns(wbRigidJoints *joints, wbColumn columns[WB_JOINT_COLUMNS]);
/// Whether what a file says of a joint can be stepped.
wbStatus wbCheckJoint(const wbJoint *joint, const wbJointState *state, int bodyCount);

/// Behind all others, where the bodies are now; a or b may be -1: the world. The status says what cannot be joined. Wakes them.
wbStatus wbRigid_AddJoint(struct wbRigid *rigid, wbMemory *memory, const struct wbRigidModel *model,
                          const wbJointParams *params, int a, int b);
/// Takes over what may change while a world runs, and wakes its bodies. One that is switched on is whole again.
wbStatus wbRigid_SetJoint(struct wbRigid *rigid, int joint, const wbJointParams *params);
/// Those behind it move up. Wakes its bodies.
void wbRigid_RemoveJoint(struct wbRigid *rigid, int joint);
/// The last joint of a body, -1: it has none. For what must be gone before the body.
int wbRigid_FindJoint(const struct wbRigid *rigid, int body);
/// After a body was removed: those behind it have moved up.
void wbRigidJoints_Renumber(wbRigidJoints *joints, int removedBody);

/// Whether a joint keeps two bodies from touching, as wbPlanJoints saw it. Quick: for the search of pairs.
bool wbRigidJoints_AreTied(const wbRigidJoints *joints, int a, int b);

// In the order of a step, by the stepping thread:

/// Before pairs are searched: ties and batches, if joints or the types of their bodies changed.
wbStatus wbPlanJoints(struct wbRigid *rigid, const wbWork *work);
/// How soft joints are that close loops, and limits, in sub-steps of h seconds.
wbSoftness wbGetJointSoftness(const struct wbRigidModel *model, float h);
/// Before the first sub-step of h seconds: arms, masses, and impulses of the step before.
wbStatus wbPrepareJoints(struct wbRigid *rigid, const struct wbRigidModel *model, const wbWork *work, float h,
                         const wbSolverMass *masses);
/// One pass over a stage, 0 to stageCount - 1, one after another; ranges of one may run at once. The warm start, which may be left out,
/// and the bias pass see the bodies where a sub-step begins, the relax pass where it ends. What joints change goes into `starts`,
/// too: repeated as it was, it would push along where bodies have turned away from; and of spins into `turns`.
void wbSolveJoints(struct wbRigid *rigid, wbSolverBody *bodies, const wbSolverMass *masses,
                   float (*starts)[8], float (*turns)[4], wbSolverPass pass, int stage, int range,
                   int ranges);
/// After the last, when the bodies are where the step ends: read-outs over its dt seconds, and what breaks.
void wbFinishJoints(struct wbRigid *rigid, float dt);
