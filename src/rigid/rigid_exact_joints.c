// SPDX-License-Identifier: MIT
// Joints on a compute device. The host plans in which order they are solved, as for the cores, and hears of those that break; what
// moves and what they bear stays on the device.
#include <string.h>

#include "core/status.h"
#include "rigid/rigid_exact_state.h"

extern const char wb_clReal[], wb_clMath[], wb_clPose[], wb_clShapeDevice[], wb_clRigidConstants[],
    wb_clRigidExactDevice[], wb_clBlockTreeFormula[], wb_clRigidJointDevice[], wb_clRigidJointFormula[],
    wb_clRigidJointPassFormula[], wb_clRigidExactJoints[];

// One joint at a time, and how bodies lie in memory: as three quads, starts as two.
static const char layout[] = "#undef WB_LANES\n#define WB_LANES 1\n"
                             "enum { JOINT_BODY_FLOATS = 12, JOINT_START_SPIN = 4 };\n";

static wbStatus buildKernels(wbRigidExactGpu *d) {
    if (d->joints.solve) return wb_okStatus;
    const char *const sources[] = {layout,
                                   wb_clReal,
                                   wb_clMath,
                                   wb_clPose,
                                   wb_clShapeDevice,
                                   wb_clRigidConstants,
                                   wb_clRigidExactDevice,
                                   wb_clBlockTreeFormula,
                                   wb_clRigidJointDevice,
                                   wb_clRigidJointFormula,
                                   wb_clRigidJointPassFormula,
                                   wb_clRigidExactJoints};
    const wbGpuProgramDef def = {"rigid_joints", sources, sizeof sources / sizeof sources[0], ""};
    const wbGpuKernelName kernels[] = {{"joints_begin", &d->joints.begin},
                                       {"joints_end", &d->joints.end},
                                       {"joints_solve", &d->joints.solve}};
    return wbGpu_BuildKernels(d->gpu, &def, kernels, 3);
}

static wbStatus upload(wbRigidExactGpu *d, wbGpuBuffer *buffer, const void *host, size_t bytes) {
    WB_TRY(wbGpuBuffer_Reserve(d->gpu, buffer, "joints", bytes + 64));
    return bytes ? wbGpu_Upload(d->gpu, buffer, host, bytes) : wb_okStatus;
}

// To the device

wbStatus wbDeviceStep_PlanJoints(wbDeviceStep *step) {
    wbRigid *rigid = step->rigid;
    wbRigidJoints *joints = &rigid->joints;
    if (joints->count == 0 && !joints->isDirty) return wb_okStatus;
    WB_TRY(wbPlanJoints(rigid, step->work));
    if (!joints->haveTiesChanged) return wb_okStatus;
    rigid->contacts.isStale = 1;
    step->device->joints.isPlanSent = false;
    return wb_okStatus;
}

static wbStatus pushPlan(wbRigidExactGpu *d, const wbRigidJoints *joints) {
    const int *starts = joints->tieStarts.data;
    const int tiedBodies = joints->count > 0 ? joints->tiedBodies : 0;
    const size_t ties = tiedBodies > 0 ? (size_t)starts[tiedBodies] : 0;
    WB_TRY(upload(d, &d->jointOrder, joints->order.data, sizeof(wbJointPlace) * (size_t)joints->orderCount));
    WB_TRY(upload(d, &d->jointNodes, joints->nodes.data, sizeof(wbJointNode) * (size_t)joints->nodeCount));
    WB_TRY(
        upload(d, &d->jointBatches, joints->batches.data, sizeof(wbJointBatch) * (size_t)joints->batchCount));
    WB_TRY(upload(d, &d->tieStarts, starts, tiedBodies > 0 ? 4 * ((size_t)tiedBodies + 1) : 0));
    WB_TRY(upload(d, &d->ties, joints->ties.data, 4 * ties));
    d->joints.isPlanSent = true;
    return wb_okStatus;
}

static wbStatus reserve(wbRigidExactGpu *d, const wbRigidJoints *joints) {
    const size_t lines = (size_t)joints->orderCount + 1, nodes = (size_t)joints->nodeCount + 1,
                 bodies = joints->count > 0 ? (size_t)d->bodyCount + RIGID_SIDES + 1 : 1;
    WB_TRY(wbGpuBuffer_Reserve(d->gpu, &d->jointLines, "joints", sizeof(wbJointLine) * lines));
    WB_TRY(wbGpuBuffer_Reserve(d->gpu, &d->jointMovers, "joints", sizeof(wbJointMover) * nodes));
    WB_TRY(wbGpuBuffer_Reserve(d->gpu, &d->jointTree, "joints", sizeof(wbTreeNode) * nodes));
    WB_TRY(wbGpuBuffer_Reserve(d->gpu, &d->jointMasses, "joints", sizeof(float[8]) * bodies));
    return wbGpuBuffer_Reserve(d->gpu, &d->jointTurns, "joints", sizeof(float[4]) * bodies);
}

wbStatus wbDeviceStep_PushJoints(wbDeviceStep *step) {
    wbRigidExactGpu *d = step->device;
    const wbRigidJoints *joints = &step->rigid->joints;
    if (d->hostIsNewer) {
        d->joints.isPlanSent = false;
        d->joints.count = joints->count;
        d->marks.jointStep = joints->subStep;
        WB_TRY(upload(d, &d->jointData, joints->joints, sizeof(wbJoint) * (size_t)joints->count));
        WB_TRY(upload(d, &d->jointStates, joints->states, sizeof(wbJointState) * (size_t)joints->count));
    }
    step->terms.jointCount = joints->count;
    step->terms.tiedBodies = joints->count > 0 ? joints->tiedBodies : 0;
    if (!d->joints.isPlanSent) WB_TRY(pushPlan(d, joints));
    WB_TRY(reserve(d, joints));
    return joints->count > 0 ? buildKernels(d) : wb_okStatus;
}

// Solving

static JointRun makeRun(const wbDeviceStep *step) {
    const float before = step->device->marks.jointStep, h = step->terms.h;
    return (JointRun){.softness = wbGetJointSoftness(step->model, h),
                      .h = h,
                      .dt = step->dt,
                      .warmth = before > 0 ? h / before : 0};
}

// Components differ in size: on processors each is a group of its own.
static wbStatus run(wbRigidExactGpu *d, wbGpuKernel *kernel, int items, const wbGpuArg *args, int argCount) {
    if (items == 0 || wbGpu_GetLanes(d->gpu) == 1) return wbGpu_Run(d->gpu, kernel, items, args, argCount);
    return wbGpu_RunGroups(d->gpu, kernel, items, 1, args, argCount);
}

wbStatus wbDeviceStep_BeginJoints(const wbDeviceStep *step) {
    wbRigidExactGpu *d = step->device;
    JointRun own = makeRun(step);
    own.count = step->rigid->joints.batchCount;
    if (d->joints.count == 0) return wb_okStatus;
    WB_TRY(wbGpu_CopyAt(d->gpu, &d->masses, 0, &d->jointMasses, 0, sizeof(float[8]) * (size_t)d->bodyCount));
    WB_TRY(wbGpu_Fill(d->gpu, &d->jointTurns, 0, sizeof(float[4]) * (size_t)d->bodyCount));
    return run(d, d->joints.begin, own.count,
               WB_GPU_ARGS(WB_GPU_STRUCT(own), WB_GPU_BUFFER(d->jointData), WB_GPU_BUFFER(d->jointStates),
                           WB_GPU_BUFFER(d->jointOrder), WB_GPU_BUFFER(d->jointBatches),
                           WB_GPU_BUFFER(d->jointNodes), WB_GPU_BUFFER(d->jointLines),
                           WB_GPU_BUFFER(d->jointMovers), WB_GPU_BUFFER(d->jointTree),
                           WB_GPU_BUFFER(d->jointMasses), WB_GPU_BUFFER(d->bits),
                           WB_GPU_BUFFER(d->state[EXACT_CENTRE]), WB_GPU_BUFFER(d->state[EXACT_TURN])));
}

// Batches of a colour are cut anew: a joint for each item.
static wbStatus solveStage(const wbDeviceStep *step, JointRun own) {
    wbRigidExactGpu *d = step->device;
    return run(d, d->joints.solve, own.count,
               WB_GPU_ARGS(
                   WB_GPU_STRUCT(own), WB_GPU_BUFFER(d->jointData), WB_GPU_BUFFER(d->jointStates),
                   WB_GPU_BUFFER(d->jointOrder), WB_GPU_BUFFER(d->jointBatches), WB_GPU_BUFFER(d->jointLines),
                   WB_GPU_BUFFER(d->jointMovers), WB_GPU_BUFFER(d->jointTree), WB_GPU_BUFFER(d->bodies),
                   WB_GPU_BUFFER(d->jointMasses), WB_GPU_BUFFER(d->starts), WB_GPU_BUFFER(d->jointTurns)));
}

wbStatus wbDeviceStep_SolveJoints(const wbDeviceStep *step, int pass) {
    const wbRigidJoints *joints = &step->rigid->joints;
    const wbJointBatch *batches = joints->batches.data;
    const int *ends = joints->stageEnds.data;
    JointRun own = makeRun(step);
    own.pass = pass;
    for (int stage = 0; step->device->joints.count > 0 && stage < joints->stageCount; stage++) {
        const int begin = stage > 0 ? ends[stage - 1] : 0, end = ends[stage];
        const wbJointBatch before = begin > 0 ? batches[begin - 1] : (wbJointBatch){0, 0};
        own.first = begin, own.count = end - begin;
        own.arePlaces = batches[end - 1].nodeEnd == before.nodeEnd;
        if (own.arePlaces) own.first = before.jointEnd, own.count = batches[end - 1].jointEnd - own.first;
        WB_TRY(solveStage(step, own));
    }
    return wb_okStatus;
}

// After the last sub-step

wbStatus wbDeviceStep_EndJoints(const wbDeviceStep *step) {
    wbRigidExactGpu *d = step->device;
    JointRun own = makeRun(step);
    own.count = step->rigid->joints.orderCount;
    if (d->joints.count == 0) return wb_okStatus;
    return wbGpu_Run(d->gpu, d->joints.end, own.count,
                     WB_GPU_ARGS(WB_GPU_STRUCT(own), WB_GPU_BUFFER(d->jointData),
                                 WB_GPU_BUFFER(d->jointStates), WB_GPU_BUFFER(d->jointOrder),
                                 WB_GPU_BUFFER(d->jointLines), WB_GPU_BUFFER(d->after[EXACT_VELOCITY]),
                                 WB_GPU_BUFFER(d->after[EXACT_SPIN]), WB_GPU_BUFFER(d->counters)));
}

wbStatus wbDeviceStep_TakeBroken(wbDeviceStep *step) {
    wbRigidExactGpu *d = step->device;
    wbRigidJoints *joints = &step->rigid->joints;
    if (d->joints.count > 0) d->marks.jointStep = step->terms.h;
    if (step->counters.torn == 0) return wb_okStatus;
    const size_t mark = wbArena_Mark(step->work->arena), bytes = sizeof(wbJoint) * (size_t)joints->count;
    wbJoint *now = wbArena_Alloc(step->work->arena, bytes);
    if (!now) return wbMemoryError(step->work->memory, "copies of %d joints need", joints->count);
    WB_TRY(wbGpu_Download(d->gpu, &d->jointData, now, bytes));
    for (int i = 0; i < joints->count; i++) joints->joints[i].bits = now[i].bits;
    joints->isDirty = true;
    wbArena_Release(step->work->arena, mark);
    return wb_okStatus;
}

// Back to the host

wbStatus wbFetchDeviceJoints(wbRigidExactGpu *d) {
    if (d->joints.count == 0) return wb_okStatus;
    if (!wbArray_Reserve(d->memory, &d->joints.pulled, d->joints.count))
        return wbMemoryError(d->memory, "copies of %d joints need", d->joints.count);
    return wbGpu_Download(d->gpu, &d->jointStates, d->joints.pulled.data,
                          sizeof(wbJointState) * (size_t)d->joints.count);
}

void wbTakeDeviceJoints(const wbRigidExactGpu *d, wbRigid *rigid) {
    if (d->joints.count == 0) return;
    rigid->joints.subStep = d->marks.jointStep;
    memcpy(rigid->joints.states, d->joints.pulled.data, sizeof(wbJointState) * (size_t)d->joints.count);
}

wbStatus wbNoteDeviceJoints(wbRigidExactGpu *d, const wbRigid *rigid) {
    if (!wbArray_Reserve(d->memory, &d->joints.noted, rigid->joints.count + 1))
        return wbMemoryError(d->memory, "copies of %d joints need", rigid->joints.count);
    uint32_t *bits = d->joints.noted.data;
    for (int i = 0; i < rigid->joints.count; i++) bits[i] = rigid->joints.joints[i].bits;
    return wb_okStatus;
}

void wbReturnDeviceJoints(const wbRigidExactGpu *d, wbRigid *rigid) {
    const uint32_t *bits = d->joints.noted.data;
    for (int i = 0; i < d->joints.count; i++) {
        rigid->joints.isDirty |= rigid->joints.joints[i].bits != bits[i];
        rigid->joints.joints[i].bits = bits[i];
    }
}
