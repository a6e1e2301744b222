// SPDX-License-Identifier: MIT
// Joints in a step on the cores: which thread solves which batch. What a pass does is in rigid_joint_pass_formula.h.
#include <string.h>

#include "core/status.h"
#include "rigid/rigid.h"

enum { JOINT_BODY_FLOATS = sizeof(wbSolverBody) / sizeof(float), JOINT_START_SPIN = 3 };
#include "rigid/rigid_joint_pass_formula.h"

_Static_assert((int)JOINT_BALL == wb_jointBall && (int)JOINT_HINGE == wb_jointHinge &&
                   (int)JOINT_SLIDER == wb_jointSlider && (int)JOINT_FIXED == wb_jointFixed &&
                   (int)JOINT_DISTANCE == wb_jointDistance,
               "formulas know the same kinds");
_Static_assert((int)JOINT_WARM_START == wb_passWarmStart && (int)JOINT_BIAS == wb_passBias &&
                   (int)JOINT_RELAX == wb_passRelax,
               "and the same passes");
_Static_assert(sizeof(wbSolverMass) == sizeof(float[JOINT_MASS_FLOATS]) &&
                   offsetof(wbSolverBody, turn) == sizeof(float[9]),
               "and the same bodies");

static JointSolve makeSolve(const wbRigid *rigid, const wbSolverMass *masses) {
    const wbRigidJoints *joints = &rigid->joints;
    return (JointSolve){.joints = joints->joints,
                        .states = joints->states,
                        .order = joints->order.data,
                        .lines = joints->lines,
                        .movers = joints->movers,
                        .tree = joints->tree,
                        .masses = (const float *)masses,
                        .softness = joints->softness,
                        .h = joints->subStep};
}

static JointBatch getBatch(const wbRigidJoints *joints, int index) {
    const wbJointBatch *batch = &((const wbJointBatch *)joints->batches.data)[index];
    const wbJointBatch before = index > 0 ? batch[-1] : (wbJointBatch){0, 0};
    return (JointBatch){before.jointEnd, batch->jointEnd, before.nodeEnd, batch->nodeEnd - before.nodeEnd};
}

// Preparing

typedef struct Preparing {
    const wbRigid *rigid;
    JointSolve solve;
    float warmth;
} Preparing;

static JointEnd makeEnd(const Preparing *preparing, int body) {
    const wbRigid *rigid = preparing->rigid;
    JointEnd end = {.pose = wb_poseAtOrigin, .mass = joint_mass(preparing->solve.masses, body)};
    if (body < 0) return end;
    end.pose = wbRigid_GetPose(rigid, body);
    end.isMoved = rigid->bits[body] & WB_RIGID_DYNAMIC && !(rigid->bits[body] & WB_RIGID_ASLEEP);
    end.isOff = rigid->bits[body] & WB_RIGID_OFF;
    return end;
}

static JointMass makeDry(JointMass mass, float floor) {
    mass.inverseMass *= floor;
    for (int k = 0; k < 6; k++) mass.inverseInertia[k] *= floor;
    return mass;
}

// The mass along a joint's axis by its bodies' own masses, over that with the floors under their inertia.
static float findSpringShare(const Preparing *preparing, const JointView *view, const JointEnd *a,
                             const JointEnd *b) {
    const wbRigid *rigid = preparing->rigid;
    const int *bodies = view->joint->bodies;
    const float floors[2] = {bodies[0] < 0 ? 1 : rigid->floor[bodies[0]],
                             bodies[1] < 0 ? 1 : rigid->floor[bodies[1]]};
    const JointFreedom *axis = &view->line->axis;
    if (!(floors[0] > 1 || floors[1] > 1) || !joint_has_spring(view->joint) || !view->line->isActive ||
        !(axis->isDriven && axis->mass > 0))
        return 1;
    const JointWay still = {wbMakeVec3(0, 0, 0), wbMakeVec3(0, 0, 0)};
    const JointMass masses[2] = {makeDry(a->mass, floors[0]), makeDry(b->mass, floors[1])};
    wbJointLine line = *view->line;
    wbJointState state = *view->state;
    const JointView dry = {.joint = view->joint, .place = view->place, .state = &state, .line = &line};
    joint_refresh(&dry, still, still, &masses[0], &masses[1]);
    return line.axis.mass / axis->mass;
}

static void prepareBatches(int begin, int end, int worker, void *context) {
    const Preparing *preparing = context;
    const wbRigidJoints *joints = &preparing->rigid->joints;
    (void)worker;
    for (int index = begin; index < end; index++) {
        const JointBatch batch = getBatch(joints, index);
        for (int k = batch.firstLine; k < batch.lineEnd; k++) {
            const JointView view = joint_view(&preparing->solve, k);
            const JointEnd a = makeEnd(preparing, view.joint->bodies[0]),
                           b = makeEnd(preparing, view.joint->bodies[1]);
            joint_prepare(&view, &a, &b, preparing->warmth);
            view.line->springShare = findSpringShare(preparing, &view, &a, &b);
        }
        joint_begin_batch(&preparing->solve, joints->nodes.data, batch);
    }
}

// Joints that one thread works on at least, else waking others costs more.
enum { JOINT_BLOCK = 64 };

// Batches share no body that moves: any thread may take any of them.
static void runBatches(const wbWork *work, Preparing *preparing) {
    const int batches = preparing->rigid->joints.batchCount, joints = preparing->rigid->joints.orderCount;
    if (joints < 2 * JOINT_BLOCK || batches < 2)
        prepareBatches(0, batches, 0, preparing);
    else
        wbParallelShare(work->pool, batches, 1 + batches * JOINT_BLOCK / joints, prepareBatches, preparing);
}

wbSoftness wbGetJointSoftness(const wbRigidModel *model, float h) {
    return wbMakeSoftness(fminf(model->params.jointHertz, 0.25f / h), model->params.jointDampingRatio, h);
}

wbStatus wbPrepareJoints(wbRigid *rigid, const wbRigidModel *model, const wbWork *work, float h,
                         const wbSolverMass *masses) {
    wbRigidJoints *joints = &rigid->joints;
    const size_t lines = (size_t)joints->orderCount + 1, nodes = (size_t)joints->nodeCount + 1;
    const float warmth = joints->subStep > 0 ? h / joints->subStep : 0;
    joints->subStep = h;
    joints->softness = wbGetJointSoftness(model, h);
    joints->lines = wbArena_Alloc(work->arena, sizeof(wbJointLine) * lines);
    joints->movers = wbArena_Alloc(work->arena, sizeof(wbJointMover) * nodes);
    joints->tree = wbArena_Alloc(work->arena, sizeof(wbTreeNode) * nodes);
    if (!joints->lines || !joints->movers || !joints->tree)
        return wbMemoryError(work->memory, "%d joints need", joints->count);
    Preparing preparing = {rigid, makeSolve(rigid, masses), warmth};
    runBatches(work, &preparing);
    return wb_okStatus;
}

// Passes

// The batches of a stage, and its joints.
typedef struct Stage {
    int begin, end, jointBegin, jointEnd;
} Stage;

static Stage getStage(const wbRigidJoints *joints, int index) {
    const wbJointBatch *batches = joints->batches.data;
    const int *ends = joints->stageEnds.data, begin = index > 0 ? ends[index - 1] : 0, end = ends[index];
    return (Stage){begin, end, begin > 0 ? batches[begin - 1].jointEnd : 0, batches[end - 1].jointEnd};
}

void wbSolveJoints(wbRigid *rigid, wbSolverBody *bodies, const wbSolverMass *masses, float (*starts)[8],
                   float (*turns)[4], wbSolverPass pass, int index, int range, int ranges) {
    JointSolve solve = makeSolve(rigid, masses);
    solve.bodies = (float *)bodies, solve.starts = (float *)starts, solve.turns = (float *)turns;
    const wbJointBatch *batches = rigid->joints.batches.data;
    const Stage stage = getStage(&rigid->joints, index);
    const int64_t jointCount = stage.jointEnd - stage.jointBegin;
    // a batch is in the range in which its last joint is
    const int64_t from = stage.jointBegin + jointCount * range / ranges,
                  to = stage.jointBegin + jointCount * (range + 1) / ranges;
    for (int batch = stage.begin; batch < stage.end; batch++)
        if (batches[batch].jointEnd > from && batches[batch].jointEnd <= to)
            joint_solve_batch(&solve, getBatch(&rigid->joints, batch), (int)pass);
}

// After the step

static wbVec3 getVelocity(const wbRigid *rigid, int body) {
    return body < 0 ? wbMakeVec3(0, 0, 0) : wbMakeVec3(rigid->vx[body], rigid->vy[body], rigid->vz[body]);
}
static wbVec3 getSpin(const wbRigid *rigid, int body) {
    return body < 0 ? wbMakeVec3(0, 0, 0) : wbMakeVec3(rigid->wx[body], rigid->wy[body], rigid->wz[body]);
}

void wbFinishJoints(wbRigid *rigid, float dt) {
    wbRigidJoints *joints = &rigid->joints;
    const JointSolve solve = makeSolve(rigid, NULL);
    for (int k = 0; k < joints->orderCount; k++) {
        const JointView view = joint_view(&solve, k);
        const int a = view.joint->bodies[0], b = view.joint->bodies[1];
        const JointPair pair = {.vA = getVelocity(rigid, a),
                                .wA = getSpin(rigid, a),
                                .vB = getVelocity(rigid, b),
                                .wB = getSpin(rigid, b)};
        if (!view.line->isActive || !joint_finish(&view, &pair, dt)) continue;
        joints->joints[view.place->joint].bits |= WB_JOINT_BROKEN;
        joints->isDirty = true;
    }
    joints->lines = NULL, joints->movers = NULL, joints->tree = NULL;
}
