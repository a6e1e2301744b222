// SPDX-License-Identifier: MIT
// Passes over joints: the same in C and in OpenCL C. The bias pass looks ahead to where bodies turn within a sub-step, and the relax
// pass sees where they came to: together they are RATTLE (Andersen 1983), by which pendulums keep their energy. Loops are soft
// constraints (Catto 2011).
//
// Whoever includes this says how bodies lie in memory: JOINT_BODY_FLOATS from one to the next, of which the first twelve are
// velocity, spin, way and turn; and JOINT_START_SPIN, where a start has its spin.
#pragma once

#include "rigid/rigid_joint_formula.h"

/// As wbSolverPass.
enum { JOINT_WARM_START, JOINT_BIAS, JOINT_RELAX };
enum { JOINT_MASS_FLOATS = 8, JOINT_START_FLOATS = 8, JOINT_TURN_FLOATS = 4 };

/// What passes work on.
typedef struct JointSolve {
    WB_GLOBAL const wbJoint *joints;
    WB_GLOBAL wbJointState *states;
    WB_GLOBAL const wbJointPlace *order;
    WB_GLOBAL wbJointLine *lines;    ///< by place in the order
    WB_GLOBAL wbJointMover *movers;  ///< by node
    WB_GLOBAL wbTreeNode *tree;      ///< by node
    WB_GLOBAL float *bodies;         ///< as wbSolverBody
    WB_GLOBAL const float *masses;   ///< as wbSolverMass
    WB_GLOBAL float *starts, *turns; ///< what joints changed of velocities is added to them
    wbSoftness softness;
    float h; ///< s, of a sub-step
} JointSolve;

/// The joints and nodes of a batch.
typedef struct JointBatch {
    int firstLine, lineEnd, firstNode, nodeCount;
} JointBatch;

static inline JointView joint_view(const JointSolve *solve, int k) {
    WB_GLOBAL const wbJointPlace *place = &solve->order[k];
    JointView view = {&solve->joints[place->joint], place, &solve->states[place->joint], &solve->lines[k]};
    return view;
}

static inline JointMass joint_mass(WB_GLOBAL const float *masses, int body) {
    JointMass mass = {0, {0, 0, 0, 0, 0, 0}};
    if (body < 0) return mass;
    WB_GLOBAL const float *own = masses + JOINT_MASS_FLOATS * body;
    mass.inverseMass = own[0];
    for (int k = 0; k < 6; k++) mass.inverseInertia[k] = own[k + 1];
    return mass;
}

static inline JointWay joint_way(const JointSolve *solve, int body) {
    JointWay way = {wbMakeVec3(0, 0, 0), wbMakeVec3(0, 0, 0)};
    if (body < 0) return way;
    WB_GLOBAL const float *own = solve->bodies + JOINT_BODY_FLOATS * body;
    way.way = joint_vector(own + 6), way.turn = joint_vector(own + 9);
    return way;
}

// Two bodies while a joint works on them. Those that are not moved may be other joints' at the same time.
typedef struct JointPair {
    wbVec3 vA, wA, vB, wB;
    JointMass massA, massB;
} JointPair;

static inline JointPair joint_take_pair(const JointSolve *solve, WB_GLOBAL const wbJoint *joint) {
    const int a = joint->bodies[0], b = joint->bodies[1];
    const wbVec3 zero = wbMakeVec3(0, 0, 0);
    WB_GLOBAL const float *ownA = solve->bodies + JOINT_BODY_FLOATS * (a < 0 ? b : a),
                          *ownB = solve->bodies + JOINT_BODY_FLOATS * (b < 0 ? a : b);
    JointPair pair = {a < 0 ? zero : joint_vector(ownA), a < 0 ? zero : joint_vector(ownA + 3),
                      b < 0 ? zero : joint_vector(ownB), b < 0 ? zero : joint_vector(ownB + 3),
                      joint_mass(solve->masses, a),      joint_mass(solve->masses, b)};
    return pair;
}

static inline void joint_set_velocity(const JointSolve *solve, int body, wbVec3 v, wbVec3 w) {
    WB_GLOBAL float *own = solve->bodies + JOINT_BODY_FLOATS * body,
                    *start = solve->starts + JOINT_START_FLOATS * body,
                    *turn = solve->turns + JOINT_TURN_FLOATS * body;
    const float now[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
    for (int k = 0; k < 3; k++) {
        start[k] += now[k] - own[k], start[k + JOINT_START_SPIN] += now[k + 3] - own[k + 3];
        turn[k] += now[k + 3] - own[k + 3];
        own[k] = now[k], own[k + 3] = now[k + 3];
    }
}

static inline void joint_put_pair(const JointSolve *solve, const JointView *v, const JointPair *pair) {
    if (v->line->moves[0]) joint_set_velocity(solve, v->joint->bodies[0], pair->vA, pair->wA);
    if (v->line->moves[1]) joint_set_velocity(solve, v->joint->bodies[1], pair->vB, pair->wB);
}

// One joint

static inline float joint_speed(const JointPair *pair, WB_GLOBAL const JointRow *row) {
    return wbDot(row->linear, wbSub(pair->vB, pair->vA)) + wbDot(row->turnB, pair->wB) -
           wbDot(row->turnA, pair->wA);
}

static inline void joint_push(JointPair *pair, wbVec3 linear, wbVec3 turnA, wbVec3 turnB) {
    pair->vA = wbSub(pair->vA, wbScale(pair->massA.inverseMass, linear));
    pair->vB = wbAdd(pair->vB, wbScale(pair->massB.inverseMass, linear));
    pair->wA = wbSub(pair->wA, joint_spin(&pair->massA, turnA));
    pair->wB = wbAdd(pair->wB, joint_spin(&pair->massB, turnB));
}

static inline void joint_push_along(JointPair *pair, WB_GLOBAL const JointRow *row, float impulse) {
    joint_push(pair, wbScale(impulse, row->linear), wbScale(impulse, row->turnA),
               wbScale(impulse, row->turnB));
}

static inline void joint_push_block(JointPair *pair, WB_GLOBAL const wbJointLine *line,
                                    const float *impulse) {
    wbVec3 linear = {0, 0, 0}, turnA = {0, 0, 0}, turnB = {0, 0, 0};
    for (int k = 0; k < line->rowCount; k++) {
        linear = wbAdd(linear, wbScale(impulse[k], line->rows[k].linear));
        turnA = wbAdd(turnA, wbScale(impulse[k], line->rows[k].turnA));
        turnB = wbAdd(turnB, wbScale(impulse[k], line->rows[k].turnB));
    }
    joint_push(pair, linear, turnA, turnB);
}

static inline void joint_push_drive(JointPair *pair, const JointView *v,
                                    WB_GLOBAL const JointFreedom *freedom, float impulse) {
    joint_push_along(pair, &freedom->drive, impulse);
    for (int k = 0; k < v->line->rowCount; k++) v->state->impulse[k] -= freedom->undone[k] * impulse;
}

static inline float joint_axis_impulse(WB_GLOBAL const wbJointState *state) {
    return state->spring + state->motor + state->lower - state->upper;
}

static inline float joint_twist_impulse(WB_GLOBAL const wbJointState *state) {
    return state->twistLower - state->twistUpper;
}

static inline void joint_warm_start(JointPair *pair, const JointView *v) {
    float impulse[WB_JOINT_ROWS];
    for (int k = 0; k < WB_JOINT_ROWS; k++) impulse[k] = v->state->impulse[k];
    joint_push_block(pair, v->line, impulse);
    if (v->line->axis.isDriven) joint_push_along(pair, &v->line->axis.row, joint_axis_impulse(v->state));
    if (v->line->twist.isDriven) joint_push_along(pair, &v->line->twist.row, joint_twist_impulse(v->state));
}

// m/s: what the bend of the bodies' ways in a sub-step adds to the speed along each row: half of h times the second derivative of
// its error, at constant velocities. It is left out of what turns too fast to be followed (half at 0.1 rad per sub-step), which
// then loses energy: without that the ends of whips do not come to rest.
static inline void joint_find_bend(const JointView *v, const JointPair *pair, float h, float *bend) {
    WB_GLOBAL const wbJointLine *line = v->line;
    const wbVec3 turnA = wbCross(pair->wA, line->nowArms[0]), turnB = wbCross(pair->wB, line->nowArms[1]);
    const wbVec3 rate = wbSub(wbAdd(pair->vB, turnB), wbAdd(pair->vA, turnA));
    const wbVec3 second = wbSub(wbCross(pair->wB, turnB), wbCross(pair->wA, turnA));
    const float angle2 = h * h * fmaxf(wbDot(pair->wA, pair->wA), wbDot(pair->wB, pair->wB));
    const float share = 1 / (1 + 1e4f * angle2 * angle2);
    for (int k = 0; k < line->rowCount; k++) {
        const wbVec3 along = line->rows[k].linear;
        float sum = wbDot(along, second);
        if (v->joint->kind == JOINT_SLIDER) { // directions turn with the first body
            const wbVec3 turned = wbCross(pair->wA, along);
            sum += 2 * wbDot(turned, rate) + wbDot(wbCross(pair->wA, turned), line->gap);
        } else if (v->joint->kind == JOINT_DISTANCE) {
            const float length = v->state->value, closing = wbDot(along, rate);
            if (length > 0) sum += (wbDot(rate, rate) - closing * closing) / length;
        }
        bend[k] = share * 0.5f * h * sum;
    }
}

static inline void joint_solve_rows(const JointView *v, JointPair *pair, const JointSolve *solve, int pass) {
    WB_GLOBAL const wbJointLine *line = v->line;
    const wbSoftness soft = solve->softness;
    WB_GLOBAL float *impulse = v->state->impulse;
    float change[WB_JOINT_ROWS] = {0, 0, 0, 0, 0, 0};
    const bool isBiased = pass == JOINT_BIAS;
    if (isBiased) joint_find_bend(v, pair, solve->h, change);
    for (int k = 0; k < line->rowCount; k++) {
        const float speed = joint_speed(pair, &line->rows[k]);
        change[k] =
            isBiased ? -soft.massScale * (speed + change[k] + soft.biasRate * line->error[k]) : -speed;
    }
    joint_solve_block(line, change);
    for (int k = 0; k < line->rowCount; k++) {
        if (isBiased) change[k] -= soft.impulseScale * impulse[k];
        impulse[k] += change[k];
    }
    joint_push_block(pair, line, change);
}

// A spring acts by where it is when a sub-step begins, which keeps its energy, as far as that is stable: if it swings faster than the
// sub-steps see (x = h omega above 1), a share 1 - 1/x2 of it acts by where it will be. How strong it is, hertz says by the bodies' own
// masses: a floor under their inertia slows its swings, and does not shift where it comes to rest.
static inline void joint_solve_spring(const JointView *v, JointPair *pair, float h) {
    WB_GLOBAL const wbJoint *joint = v->joint;
    const float omega = JOINT_TWO_PI * joint->hertz, share = v->line->springShare,
                omega2 = share * omega * omega, x2 = h * h * omega2;
    const float ahead = x2 > 1 ? x2 - 1 : 0;
    const float drag = 2 * joint->dampingRatio * share * h * omega + ahead, scale = 1 / (1 + drag);
    const float error = v->state->value - (joint->kind == JOINT_DISTANCE ? joint->length : 0);
    const float change =
        -scale * (v->line->axis.mass * (drag * joint_speed(pair, &v->line->axis.row) + h * omega2 * error) +
                  v->state->spring);
    v->state->spring += change;
    joint_push_drive(pair, v, &v->line->axis, change);
}

static inline void joint_change_motor(const JointView *v, JointPair *pair, float change, float least,
                                      float most) {
    const float before = v->state->motor;
    v->state->motor = fmaxf(least, fminf(before + change, most));
    joint_push_drive(pair, v, &v->line->axis, v->state->motor - before);
}

// A motor that is driven against a limit is one with it: as soft, and what holds it there has no bound. Beside each other, the
// limit would yield to all that the motor can. A motor that goes rigidly to the limit makes arms with several of them swing.
static inline void joint_solve_motor(const JointView *v, JointPair *pair, const JointSolve *solve, int pass) {
    WB_GLOBAL const wbJoint *joint = v->joint;
    const wbSoftness soft = solve->softness;
    const float speed = joint_speed(pair, &v->line->axis.row), most = solve->h * joint->maxForce,
                mass = v->line->axis.mass;
    const float up = soft.biasRate * (joint->upper - v->state->value),
                down = soft.biasRate * (joint->lower - v->state->value);
    const bool isUp = joint_has_limits(joint) && joint->speed > up,
               isDown = joint_has_limits(joint) && joint->speed < down;
    if (!isUp && !isDown) {
        joint_change_motor(v, pair, mass * (joint->speed - speed), -most, most);
        return;
    }
    const float change = pass == JOINT_BIAS ? mass * soft.massScale * ((isUp ? up : down) - speed) -
                                                  soft.impulseScale * v->state->motor
                                            : -mass * speed;
    joint_change_motor(v, pair, change, isUp ? -INFINITY : -most, isDown ? INFINITY : most);
}

// One limit: room is what is left up to it, and sign is 1 for the lower, -1 for the upper one. What is left may be used up in a
// sub-step; what is too much is taken back softly.
static inline void joint_solve_limit(const JointView *v, JointPair *pair, const JointSolve *solve, int pass,
                                     WB_GLOBAL const JointFreedom *freedom, float room, float sign,
                                     WB_GLOBAL float *impulse) {
    const wbSoftness soft = solve->softness;
    const bool isSoft = room <= 0 && pass == JOINT_BIAS;
    const float massScale = isSoft ? soft.massScale : 1, impulseScale = isSoft ? soft.impulseScale : 0;
    const float bias = room > 0 ? room / solve->h : isSoft ? soft.biasRate * room : 0;
    const float speed = sign * joint_speed(pair, &freedom->row), before = *impulse;
    const float after =
        fmaxf(0.0f, before - freedom->mass * massScale * (speed + bias) - impulseScale * before);
    *impulse = after;
    joint_push_drive(pair, v, freedom, sign * (after - before));
}

static inline void joint_solve_axis(const JointView *v, JointPair *pair, const JointSolve *solve, int pass) {
    WB_GLOBAL const wbJoint *joint = v->joint;
    WB_GLOBAL wbJointState *state = v->state;
    WB_GLOBAL const JointFreedom *axis = &v->line->axis;
    if (joint_has_spring(joint) && pass == JOINT_BIAS) joint_solve_spring(v, pair, solve->h);
    if (joint_has_motor(joint)) joint_solve_motor(v, pair, solve, pass);
    if (!joint_has_limits(joint)) return;
    if (joint_has_lower(joint))
        joint_solve_limit(v, pair, solve, pass, axis, state->value - joint->lower, 1, &state->lower);
    joint_solve_limit(v, pair, solve, pass, axis, joint->upper - state->value, -1, &state->upper);
}

static inline void joint_solve_twist(const JointView *v, JointPair *pair, const JointSolve *solve, int pass) {
    WB_GLOBAL wbJointState *state = v->state;
    const float below = state->twist - v->joint->twistLower, above = v->joint->twistUpper - state->twist;
    joint_solve_limit(v, pair, solve, pass, &v->line->twist, below, 1, &state->twistLower);
    joint_solve_limit(v, pair, solve, pass, &v->line->twist, above, -1, &state->twistUpper);
}

// Either a force where it is held, or a torque.
static inline void joint_count_impulse(WB_GLOBAL wbJointLine *line, WB_GLOBAL const JointRow *row,
                                       float impulse) {
    const bool isTurn = wbDot(row->linear, row->linear) == 0;
    if (isTurn)
        line->torque = wbAdd(line->torque, wbScale(impulse, row->turnB));
    else
        line->force = wbAdd(line->force, wbScale(impulse, row->linear));
}

static inline void joint_count_impulses(const JointView *v) {
    for (int k = 0; k < v->line->rowCount; k++)
        joint_count_impulse(v->line, &v->line->rows[k], v->state->impulse[k]);
    if (v->line->axis.isDriven)
        joint_count_impulse(v->line, &v->line->axis.row, joint_axis_impulse(v->state));
    if (v->line->twist.isDriven)
        joint_count_impulse(v->line, &v->line->twist.row, joint_twist_impulse(v->state));
}

static inline void joint_solve_line(const JointSolve *solve, const JointView *v, int pass) {
    const bool isDriven = v->line->axis.isDriven, isTwisted = v->line->twist.isDriven,
               isInTree = v->place->isInTree;
    if (pass != JOINT_WARM_START && !isDriven && !isTwisted && isInTree) return;
    JointPair pair = joint_take_pair(solve, v->joint);
    if (pass == JOINT_WARM_START) {
        joint_warm_start(&pair, v);
    } else {
        if (isDriven) joint_solve_axis(v, &pair, solve, pass);
        if (isTwisted) joint_solve_twist(v, &pair, solve, pass);
        if (!isInTree) joint_solve_rows(v, &pair, solve, pass);
    }
    joint_put_pair(solve, v, &pair);
}

// The tree

// What a joint's rows lack, as the right side of its nodes.
static inline void joint_ask(const JointSolve *solve, const JointView *v, WB_GLOBAL wbTreeNode *tree,
                             int pass) {
    WB_GLOBAL wbJointLine *line = v->line;
    const JointPair pair = joint_take_pair(solve, v->joint);
    const bool isBiased = pass == JOINT_BIAS;
    float bend[WB_JOINT_ROWS] = {0, 0, 0, 0, 0, 0};
    if (isBiased) joint_find_bend(v, &pair, solve->h, bend);
    for (int k = 0; k < line->rowCount; k++) {
        double lack = joint_speed(&pair, &line->rows[k]);
        if (isBiased && line->stiffness[k] > 0)
            lack += (double)(bend[k] + solve->softness.biasRate * line->error[k]) +
                    v->state->impulse[k] / line->stiffness[k];
        line->residual[k] = lack;
        for (int side = 0; side < 2; side++) {
            if (v->place->nodes[side] < 0) continue;
            WB_GLOBAL double *x = tree[v->place->nodes[side]].x;
            for (int c = 0; c < WB_TREE_WIDTH; c++)
                x[c] -= line->stiffness[k] * lack * line->jacobian[side][k][c];
        }
    }
}

static inline void joint_tell(const JointView *v, WB_GLOBAL const wbTreeNode *tree) {
    WB_GLOBAL wbJointLine *line = v->line;
    for (int k = 0; k < line->rowCount; k++) {
        double left = line->residual[k];
        for (int side = 0; side < 2; side++)
            if (v->place->nodes[side] >= 0)
                left += joint_multiply_rows(line->jacobian[side][k], tree[v->place->nodes[side]].x);
        v->state->impulse[k] -= (float)(line->stiffness[k] * left);
    }
}

static inline void joint_move_node(const JointSolve *solve, WB_GLOBAL const wbJointMover *mover,
                                   WB_GLOBAL const double *x) {
    WB_GLOBAL const float *own = solve->bodies + JOINT_BODY_FLOATS * mover->body;
    WB_GLOBAL const double *s = mover->turn;
    const double m = mover->linear;
    const wbVec3 v = {(float)(m * x[0]), (float)(m * x[1]), (float)(m * x[2])};
    const wbVec3 w = {(float)(s[0] * x[3]), (float)(s[1] * x[3] + s[2] * x[4]),
                      (float)(s[3] * x[3] + s[4] * x[4] + s[5] * x[5])};
    joint_set_velocity(solve, mover->body, wbAdd(joint_vector(own), v), wbAdd(joint_vector(own + 3), w));
}

static inline bool joint_is_planted(const JointView *v) { return v->line->isActive && v->place->isInTree; }

/// The matrix of a batch, where the bodies are now.
static inline void joint_plant_batch(const JointSolve *solve, JointBatch batch) {
    WB_GLOBAL wbJointMover *movers = solve->movers + batch.firstNode;
    WB_GLOBAL wbTreeNode *tree = solve->tree + batch.firstNode;
    if (batch.nodeCount == 0) return;
    for (int n = 0; n < batch.nodeCount; n++) {
        WB_GLOBAL const float *mass = solve->masses + JOINT_MASS_FLOATS * movers[n].body;
        movers[n].linear = sqrt((double)mass[0]);
        joint_take_root(mass + 1, movers[n].turn);
    }
    tree_clear(tree, batch.nodeCount);
    for (int k = batch.firstLine; k < batch.lineEnd; k++) {
        const JointView v = joint_view(solve, k);
        if (joint_is_planted(&v)) joint_plant(&v, movers, tree);
    }
    tree_factorise(tree, batch.nodeCount);
}

// (1 + J^t W J) x = -J^t W lack, and the impulses -W (lack + J x).
static inline void joint_solve_tree(const JointSolve *solve, JointBatch batch, int pass) {
    WB_GLOBAL const wbJointMover *movers = solve->movers + batch.firstNode;
    WB_GLOBAL wbTreeNode *tree = solve->tree + batch.firstNode;
    if (batch.nodeCount == 0) return;
    for (int n = 0; n < batch.nodeCount; n++)
        for (int c = 0; c < WB_TREE_WIDTH; c++) tree[n].x[c] = 0;
    for (int k = batch.firstLine; k < batch.lineEnd; k++) {
        const JointView v = joint_view(solve, k);
        if (joint_is_planted(&v)) joint_ask(solve, &v, tree, pass);
    }
    tree_solve(tree, batch.nodeCount);
    for (int k = batch.firstLine; k < batch.lineEnd; k++) {
        const JointView v = joint_view(solve, k);
        if (joint_is_planted(&v)) joint_tell(&v, tree);
    }
    for (int n = 0; n < batch.nodeCount; n++)
        if (movers[n].linear > 0) joint_move_node(solve, &movers[n], tree[n].x);
}

// Batches

/// Of a batch whose lines are prepared: its nodes, and the matrix.
static inline void joint_begin_batch(const JointSolve *solve, WB_GLOBAL const wbJointNode *nodes,
                                     JointBatch batch) {
    for (int n = batch.firstNode; n < batch.firstNode + batch.nodeCount; n++)
        solve->tree[n].parent = nodes[n].parent, solve->movers[n].body = nodes[n].body;
    joint_plant_batch(solve, batch);
}

static inline void joint_refresh_batch(const JointSolve *solve, JointBatch batch) {
    for (int k = batch.firstLine; k < batch.lineEnd; k++) {
        const JointView v = joint_view(solve, k);
        const int a = v.joint->bodies[0], b = v.joint->bodies[1];
        const JointMass massA = joint_mass(solve->masses, a), massB = joint_mass(solve->masses, b);
        if (v.line->isActive) joint_refresh(&v, joint_way(solve, a), joint_way(solve, b), &massA, &massB);
    }
    joint_plant_batch(solve, batch);
}

static inline bool joint_is_awake(const JointSolve *solve, JointBatch batch) {
    for (int k = batch.firstLine; k < batch.lineEnd; k++)
        if (solve->lines[k].isActive) return true;
    return false;
}

static inline void joint_solve_batch(const JointSolve *solve, JointBatch batch, int pass) {
    if (!joint_is_awake(solve, batch)) return;
    if (pass == JOINT_RELAX) joint_refresh_batch(solve, batch);
    for (int k = batch.firstLine; k < batch.lineEnd; k++) {
        const JointView v = joint_view(solve, k);
        if (v.line->isActive) joint_solve_line(solve, &v, pass);
    }
    if (pass != JOINT_WARM_START) joint_solve_tree(solve, batch, pass);
    for (int k = batch.firstLine; k < batch.lineEnd && pass == JOINT_RELAX; k++) {
        const JointView v = joint_view(solve, k);
        if (v.line->isActive) joint_count_impulses(&v);
    }
}

// After the step

static inline bool joint_is_too_much(WB_GLOBAL const float *load, float limit) {
    const wbVec3 v = joint_vector(load);
    return limit > 0 && wbDot(v, v) > limit * limit;
}

/// Read-outs over a step of dt seconds, with the velocities of its end: whether the joint breaks.
static inline bool joint_finish(const JointView *v, const JointPair *pair, float dt) {
    WB_GLOBAL wbJointState *state = v->state;
    const wbVec3 force = wbScale(1 / dt, v->line->force), torque = wbScale(1 / dt, v->line->torque);
    state->speed = v->line->axis.isThere ? joint_speed(pair, &v->line->axis.row) : 0;
    state->force[0] = force.x, state->force[1] = force.y, state->force[2] = force.z;
    state->torque[0] = torque.x, state->torque[1] = torque.y, state->torque[2] = torque.z;
    if (!joint_is_too_much(state->force, v->joint->breakForce) &&
        !joint_is_too_much(state->torque, v->joint->breakTorque))
        return false;
    joint_scale_impulses(v, 0);
    return true;
}
