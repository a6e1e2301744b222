// SPDX-License-Identifier: MIT
// Joints of bodies with exact contacts on a device: a work-item for each component that joints connect, which it solves as one of the
// cores does; of the largest components, which have colours, for each joint.

static JointBatch batch_of(const JointRun *run, __global const wbJointBatch *batches, int item) {
    const int k = run->first + item;
    JointBatch batch = {k, k + 1, 0, 0};
    if (run->arePlaces) return batch;
    batch.firstLine = k > 0 ? batches[k - 1].jointEnd : 0, batch.lineEnd = batches[k].jointEnd;
    batch.firstNode = k > 0 ? batches[k - 1].nodeEnd : 0;
    batch.nodeCount = batches[k].nodeEnd - batch.firstNode;
    return batch;
}

static JointEnd end_of(int body, __global const float *masses, __global const uint *bits,
                       __global const float4 *centres, __global const float4 *turns) {
    JointEnd end = {{{0, 0, 0}, {0, 0, 0, 1}}, joint_mass(masses, body), false, false};
    if (body < 0) return end;
    const float4 p = centres[body], q = turns[body];
    const wbPose pose = {{p.x, p.y, p.z}, {q.x, q.y, q.z, q.w}};
    end.pose = pose;
    end.isMoved = (bits[body] & (BIT_DYNAMIC | BIT_ASLEEP)) == BIT_DYNAMIC;
    end.isOff = (bits[body] & BIT_OFF) != 0;
    return end;
}

__kernel void joints_begin(JointRun run, __global const wbJoint *joints, __global wbJointState *states,
                           __global const wbJointPlace *order, __global const wbJointBatch *batches,
                           __global const wbJointNode *nodes, __global wbJointLine *lines,
                           __global wbJointMover *movers, __global wbTreeNode *tree,
                           __global const float *masses, __global const uint *bits,
                           __global const float4 *centres, __global const float4 *turns) {
    const int i = get_global_id(0);
    if (i >= run.count) return;
    const JointSolve solve = {joints, states, order, lines, movers,       tree,
                              0,      masses, 0,     0,     run.softness, run.h};
    const JointBatch batch = batch_of(&run, batches, i);
    for (int k = batch.firstLine; k < batch.lineEnd; k++) {
        const JointView view = joint_view(&solve, k);
        const JointEnd a = end_of(view.joint->bodies[0], masses, bits, centres, turns),
                       b = end_of(view.joint->bodies[1], masses, bits, centres, turns);
        joint_prepare(&view, &a, &b, run.warmth);
    }
    joint_begin_batch(&solve, nodes, batch);
}

__kernel void joints_solve(JointRun run, __global const wbJoint *joints, __global wbJointState *states,
                           __global const wbJointPlace *order, __global const wbJointBatch *batches,
                           __global wbJointLine *lines, __global wbJointMover *movers,
                           __global wbTreeNode *tree, __global float *bodies, __global const float *masses,
                           __global float *starts, __global float *turns) {
    const int i = get_global_id(0);
    if (i >= run.count) return;
    const JointSolve solve = {joints, states, order,  lines, movers,       tree,
                              bodies, masses, starts, turns, run.softness, run.h};
    joint_solve_batch(&solve, batch_of(&run, batches, i), run.pass);
}

WB_INLINE wbVec3 speed_of(__global const float4 *speeds, int body) {
    const float4 v = body < 0 ? (float4)(0, 0, 0, 0) : speeds[body];
    return wbMakeVec3(v.x, v.y, v.z);
}

// Read-outs, and what breaks: the host takes that over.
__kernel void joints_end(JointRun run, __global wbJoint *joints, __global wbJointState *states,
                         __global const wbJointPlace *order, __global wbJointLine *lines,
                         __global const float4 *velocities, __global const float4 *spins,
                         __global RigidCounters *counters) {
    const int i = get_global_id(0);
    if (i >= run.count || !lines[i].isActive) return;
    const JointSolve solve = {joints, states, order, lines, 0, 0, 0, 0, 0, 0, run.softness, run.h};
    const JointView view = joint_view(&solve, i);
    const int a = view.joint->bodies[0], b = view.joint->bodies[1];
    JointPair pair;
    pair.vA = speed_of(velocities, a), pair.wA = speed_of(spins, a);
    pair.vB = speed_of(velocities, b), pair.wB = speed_of(spins, b);
    if (!joint_finish(&view, &pair, run.dt)) return;
    joints[order[i].joint].bits |= WB_JOINT_BROKEN;
    atomic_inc(&counters->torn);
}
