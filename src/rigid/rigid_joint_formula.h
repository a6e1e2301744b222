// SPDX-License-Identifier: MIT
// The rows of joints: what they hold, where bodies are now, and what resists. The same in C and in OpenCL C; joints differ too much
// from each other for lanes.
#pragma once

#include "rigid/rigid_joint_device.h"

#ifdef __OPENCL_VERSION__ // functions are overloaded there
#    define sqrtf     sqrt
#    define sinf      sin
#    define cosf      cos
#    define atan2f    atan2
#    define rintf     rint
#    define fabsf     fabs
#    define fmaxf     fmax
#    define fminf     fmin
#    define copysignf copysign
#endif

#define JOINT_TWO_PI 6.283185307f
// Of what a tree's joints yield, as a share of what a row's bodies alone would: small enough for joints that seem rigid, and large
// enough for those of which there are too many (a door with three hinges).
#define JOINT_YIELD 1e-4

/// A joint with all that a step knows of it.
typedef struct JointView {
    WB_GLOBAL const wbJoint *joint;
    WB_GLOBAL const wbJointPlace *place;
    WB_GLOBAL wbJointState *state;
    WB_GLOBAL wbJointLine *line;
} JointView;

/// What of a body resists: as wbSolverMass; 0 of the world.
typedef struct JointMass {
    float inverseMass;       ///< 1/kg
    float inverseInertia[6]; ///< 1/(kg m2): xx, xy, xz, yy, yz, zz
} JointMass;

/// How far a body went and turned since the step began: m, rad.
typedef struct JointWay {
    wbVec3 way, turn;
} JointWay;

// Small pieces

static inline wbVec3 joint_vector(WB_GLOBAL const float *v) { return wbMakeVec3(v[0], v[1], v[2]); }

static inline wbVec3 joint_unit(int axis) { return wbMakeVec3(axis == 0, axis == 1, axis == 2); }

static inline wbPose joint_pose(JointTurn q) {
    wbPose pose = {{0, 0, 0}, {q.x, q.y, q.z, q.w}};
    return pose;
}

static inline wbVec3 joint_rotate(JointTurn q, wbVec3 v) {
    const wbPose pose = joint_pose(q);
    return wbPose_Rotate(&pose, v);
}

static inline JointTurn joint_multiply(JointTurn a, JointTurn b) {
    const wbPose p = joint_pose(a), q = joint_pose(b);
    const wbPose both = wbPose_Multiply(&p, &q);
    JointTurn product = {both.rotation[0], both.rotation[1], both.rotation[2], both.rotation[3]};
    return product;
}

// The quaternion of a turn about a vector by its length.
static inline JointTurn joint_turn(wbVec3 turn) {
    const float half2 = 0.25f * wbDot(turn, turn);
    float share = 1 - half2 * (1.0f / 6 - half2 / 120),
          cosine = 1 - half2 * (0.5f - half2 * (1.0f / 24 - half2 / 720));
    if (half2 > 0.01f) share = sinf(sqrtf(half2)) / sqrtf(half2), cosine = cosf(sqrtf(half2));
    JointTurn q = {0.5f * share * turn.x, 0.5f * share * turn.y, 0.5f * share * turn.z, cosine};
    return q;
}

// The turn from one frame to another, in the first.
static inline JointTurn joint_turn_between(JointTurn from, JointTurn to) {
    JointTurn back = {-from.x, -from.y, -from.z, from.w};
    return joint_multiply(back, to);
}

static inline wbVec3 joint_spin(const JointMass *mass, wbVec3 v) {
    const float *i = mass->inverseInertia;
    return wbMakeVec3(i[0] * v.x + i[1] * v.y + i[2] * v.z, i[1] * v.x + i[3] * v.y + i[4] * v.z,
                      i[2] * v.x + i[4] * v.y + i[5] * v.z);
}

// 1/(kg m2): rows along which bodies turn less are as good as those along which they do not, but for rounding: across the plane in 2D.
static inline float joint_least_turn(const JointMass *a, const JointMass *b) {
    return 1e-11f * (a->inverseInertia[0] + a->inverseInertia[3] + a->inverseInertia[5] +
                     b->inverseInertia[0] + b->inverseInertia[3] + b->inverseInertia[5]);
}

// The block's factors

// L D L^t of J M^-1 J^t. A row along which no impulse moves anything has a pivot of 0 and is left out: rows of bodies that do not turn,
// or of needles, and those across the plane in 2D.
static inline void joint_factorise(WB_GLOBAL wbJointLine *line, const JointMass *massA,
                                   const JointMass *massB) {
    const float inverseMass = massA->inverseMass + massB->inverseMass;
    float k[WB_JOINT_ROWS][WB_JOINT_ROWS];
    for (int i = 0; i < line->rowCount; i++) {
        const JointRow row = line->rows[i];
        const wbVec3 linear = wbScale(inverseMass, row.linear), turnA = joint_spin(massA, row.turnA),
                     turnB = joint_spin(massB, row.turnB);
        for (int j = 0; j <= i; j++)
            k[i][j] = wbDot(linear, line->rows[j].linear) + wbDot(turnA, line->rows[j].turnA) +
                      wbDot(turnB, line->rows[j].turnB);
    }
    for (int i = 0; i < line->rowCount; i++) {
        float pivot = k[i][i];
        for (int j = 0; j < i; j++) {
            float sum = k[i][j];
            for (int m = 0; m < j; m++) sum -= k[i][m] * line->lower[j][m];
            k[i][j] = sum;
            line->lower[i][j] = sum * line->pivots[j];
            pivot -= sum * line->lower[i][j];
        }
        line->pivots[i] = k[i][i] > line->least && pivot > 1e-6f * k[i][i] ? 1 / pivot : 0;
    }
}

static inline void joint_solve_block(WB_GLOBAL const wbJointLine *line, float *x) {
    for (int i = 0; i < line->rowCount; i++)
        for (int j = 0; j < i; j++) x[i] -= line->lower[i][j] * x[j];
    for (int i = line->rowCount - 1; i >= 0; i--) {
        x[i] *= line->pivots[i];
        for (int j = i + 1; j < line->rowCount; j++) x[i] -= line->lower[j][i] * x[j];
    }
}

// Rows

// How a joint lies where its bodies are now.
typedef struct JointGeometry {
    wbVec3 arms[2], gap; // m
    JointTurn frames[2];
} JointGeometry;

static inline JointGeometry joint_geometry(WB_GLOBAL const wbJointLine *line, JointWay a, JointWay b) {
    const wbVec3 turns[2] = {a.turn, b.turn};
    JointGeometry geometry;
    for (int k = 0; k < 2; k++) {
        const JointTurn turn = joint_turn(turns[k]);
        geometry.arms[k] = joint_rotate(turn, line->arms[k]);
        geometry.frames[k] = joint_multiply(turn, line->frames[k]);
    }
    const wbVec3 centres = wbAdd(line->apart, wbSub(b.way, a.way));
    geometry.gap = wbAdd(centres, wbSub(geometry.arms[1], geometry.arms[0]));
    return geometry;
}

static inline void joint_add_row(WB_GLOBAL wbJointLine *line, JointRow row, float error) {
    line->rows[line->rowCount] = row;
    line->error[line->rowCount] = error;
    line->rowCount++;
}

static inline JointRow joint_point_row(wbVec3 armA, wbVec3 armB, wbVec3 direction) {
    JointRow row = {direction, wbCross(armA, direction), wbCross(armB, direction)};
    return row;
}

static inline JointRow joint_turn_row(wbVec3 axis) {
    JointRow row = {wbMakeVec3(0, 0, 0), axis, axis};
    return row;
}

static inline void joint_add_point(WB_GLOBAL wbJointLine *line, const JointGeometry *geometry) {
    const float gap[3] = {geometry->gap.x, geometry->gap.y, geometry->gap.z};
    for (int k = 0; k < 3; k++)
        joint_add_row(line, joint_point_row(geometry->arms[0], geometry->arms[1], joint_unit(k)), gap[k]);
}

static inline void joint_add_turns(WB_GLOBAL wbJointLine *line, const JointGeometry *geometry) {
    const JointTurn turn = joint_turn_between(geometry->frames[0], geometry->frames[1]);
    const float twice = copysignf(2.0f, turn.w);
    const wbVec3 error =
        joint_rotate(geometry->frames[0], wbMakeVec3(twice * turn.x, twice * turn.y, twice * turn.z));
    const float errors[3] = {error.x, error.y, error.z};
    for (int k = 0; k < 3; k++) joint_add_row(line, joint_turn_row(joint_unit(k)), errors[k]);
}

static inline wbVec3 joint_frame_axis(const JointGeometry *geometry, int side, int axis) {
    return joint_rotate(geometry->frames[side], joint_unit(axis));
}

// Both axes stay one: what turns the second body's away from the first's.
static inline void joint_add_alignment(WB_GLOBAL wbJointLine *line, const JointGeometry *geometry) {
    const wbVec3 away = wbCross(joint_frame_axis(geometry, 0, 0), joint_frame_axis(geometry, 1, 0));
    for (int k = 1; k < 3; k++) {
        const wbVec3 axis = joint_frame_axis(geometry, 0, k);
        joint_add_row(line, joint_turn_row(axis), wbDot(axis, away));
    }
}

// Directions that turn with the first body: what it holds of the second is as far away as the gap.
static inline JointRow joint_rail_row(const JointGeometry *geometry, wbVec3 direction) {
    return joint_point_row(wbAdd(geometry->arms[0], geometry->gap), geometry->arms[1], direction);
}

static inline void joint_add_rail(WB_GLOBAL wbJointLine *line, const JointGeometry *geometry) {
    for (int k = 1; k < 3; k++) {
        const wbVec3 across = joint_frame_axis(geometry, 0, k);
        joint_add_row(line, joint_rail_row(geometry, across), wbDot(across, geometry->gap));
    }
}

// rad, about the axis; that of the last time says how many whole turns it has.
static inline float joint_angle(const JointGeometry *geometry, float before) {
    const JointTurn turn = joint_turn_between(geometry->frames[0], geometry->frames[1]);
    const float angle = 2 * atan2f(turn.x, turn.w);
    return angle + JOINT_TWO_PI * rintf((before - angle) / JOINT_TWO_PI);
}

static inline bool joint_has_limits(WB_GLOBAL const wbJoint *joint) {
    return (joint->bits & WB_JOINT_LIMITS) != 0;
}
static inline bool joint_has_motor(WB_GLOBAL const wbJoint *joint) {
    return joint->bits & WB_JOINT_MOTOR && (joint->kind == JOINT_HINGE || joint->kind == JOINT_SLIDER);
}
static inline bool joint_has_spring(WB_GLOBAL const wbJoint *joint) {
    return joint->hertz > 0 && joint->kind != JOINT_BALL && joint->kind != JOINT_FIXED;
}
static inline bool joint_is_rod(WB_GLOBAL const wbJoint *joint) {
    return joint->kind == JOINT_DISTANCE && !joint_has_spring(joint) && !joint_has_limits(joint);
}

// The axis: its row, and the value that limits and springs see.
typedef struct JointAxis {
    JointRow row;
    float value;
    bool isThere;
} JointAxis;

// Towards the second end; ends in one place part along x.
static inline JointAxis joint_distance_axis(const JointGeometry *geometry) {
    const float length = sqrtf(wbDot(geometry->gap, geometry->gap));
    const wbVec3 way = length > 1e-9f ? wbScale(1 / length, geometry->gap) : wbMakeVec3(1, 0, 0);
    JointAxis axis = {joint_point_row(geometry->arms[0], geometry->arms[1], way), length, true};
    return axis;
}

static inline JointAxis joint_cone_axis(const JointGeometry *geometry) {
    const wbVec3 a = joint_frame_axis(geometry, 0, 0), b = joint_frame_axis(geometry, 1, 0),
                 across = wbCross(a, b);
    const float sine = sqrtf(wbDot(across, across));
    const bool isThere = sine > 1e-6f;
    JointAxis axis = {joint_turn_row(wbScale(isThere ? 1 / sine : 0, across)), atan2f(sine, wbDot(a, b)),
                      isThere};
    return axis;
}

// rad: how far the second body is turned about the axis, from the middle of its limits half a turn at most.
static inline float joint_twist(WB_GLOBAL const wbJoint *joint, const JointGeometry *geometry) {
    return joint_angle(geometry, 0.5f * (joint->twistLower + joint->twistUpper));
}

// What changes that angle: with the turn between both frames as a swing after a twist, (a + b) / (1 + a b). Axes that point against
// each other have no twist.
static inline JointFreedom joint_twist_freedom(const JointGeometry *geometry) {
    const wbVec3 a = joint_frame_axis(geometry, 0, 0), b = joint_frame_axis(geometry, 1, 0);
    const float sum = 1 + wbDot(a, b);
    JointFreedom freedom = {.isThere = sum > 1e-3f};
    freedom.row = joint_turn_row(wbScale(1 / fmaxf(sum, 1e-3f), wbAdd(a, b)));
    return freedom;
}

static inline JointAxis joint_find_axis(int kind, const JointGeometry *geometry, float before) {
    const wbVec3 along = joint_frame_axis(geometry, 0, 0);
    JointAxis axis = {joint_turn_row(along), before, kind != JOINT_FIXED};
    if (kind == JOINT_HINGE) axis.value = joint_angle(geometry, before);
    if (kind == JOINT_SLIDER)
        axis.row = joint_rail_row(geometry, along), axis.value = wbDot(along, geometry->gap);
    if (kind == JOINT_DISTANCE) axis = joint_distance_axis(geometry);
    if (kind == JOINT_BALL) axis = joint_cone_axis(geometry);
    return axis;
}

// An angle between axes, and a distance, do not go below 0, but turn there.
static inline bool joint_has_lower(WB_GLOBAL const wbJoint *joint) {
    return joint->lower > 0 || joint->kind == JOINT_HINGE || joint->kind == JOINT_SLIDER;
}

// Whether a limit may be reached soon: most are far away most of the time. What was not foreseen is seen a sub-step later.
static inline bool joint_is_near_limit(WB_GLOBAL const wbJoint *joint, WB_GLOBAL const wbJointState *state) {
    if (!joint_has_limits(joint)) return false;
    const float below = joint->upper - state->value;
    const float room = joint_has_lower(joint) ? fminf(state->value - joint->lower, below) : below;
    return room < 0.1f + 0.05f * fabsf(state->speed) || state->lower > 0 || state->upper > 0;
}

static inline bool joint_has_twist(WB_GLOBAL const wbJoint *joint) {
    return joint->kind == JOINT_BALL && joint_has_limits(joint) &&
           (joint->twistLower != 0 || joint->twistUpper != 0);
}

static inline bool joint_is_near_twist(WB_GLOBAL const wbJoint *joint, WB_GLOBAL const wbJointState *state) {
    const float room = fminf(state->twist - joint->twistLower, joint->twistUpper - state->twist);
    return room < 0.5f || state->twistLower > 0 || state->twistUpper > 0;
}

// Takes out of a freedom what the block would undo: a hinge's motor turns a body about the hinge, not about its own centre.
static inline void joint_clear_freedom(WB_GLOBAL wbJointLine *line, WB_GLOBAL JointFreedom *freedom,
                                       const JointMass *massA, const JointMass *massB) {
    const JointRow axis = freedom->row;
    const wbVec3 linear = wbScale(massA->inverseMass + massB->inverseMass, axis.linear);
    const wbVec3 turnA = joint_spin(massA, axis.turnA), turnB = joint_spin(massB, axis.turnB);
    const float whole = wbDot(linear, axis.linear) + wbDot(turnA, axis.turnA) + wbDot(turnB, axis.turnB);
    float coupling[WB_JOINT_ROWS], undone[WB_JOINT_ROWS], left = whole;
    for (int k = 0; k < line->rowCount; k++) {
        const JointRow row = line->rows[k];
        coupling[k] = wbDot(linear, row.linear) + wbDot(turnA, row.turnA) + wbDot(turnB, row.turnB);
        undone[k] = coupling[k];
    }
    joint_solve_block(line, undone);
    JointRow drive = axis;
    for (int k = 0; k < line->rowCount; k++) {
        const JointRow row = line->rows[k];
        const float share = -undone[k];
        drive.linear = wbAdd(drive.linear, wbScale(share, row.linear));
        drive.turnA = wbAdd(drive.turnA, wbScale(share, row.turnA));
        drive.turnB = wbAdd(drive.turnB, wbScale(share, row.turnB));
        left += share * coupling[k];
        freedom->undone[k] = undone[k];
    }
    freedom->drive = drive;
    freedom->mass = whole > line->least && left > 1e-6f * whole ? 1 / left : 0;
}

/// All rows where the bodies are now: once before the first sub-step, and at the end of each.
static inline void joint_refresh(const JointView *v, JointWay a, JointWay b, const JointMass *massA,
                                 const JointMass *massB) {
    WB_GLOBAL const wbJoint *joint = v->joint;
    WB_GLOBAL wbJointLine *line = v->line;
    const int kind = joint->kind;
    const JointGeometry geometry = joint_geometry(line, a, b);
    line->gap = geometry.gap, line->nowArms[0] = geometry.arms[0], line->nowArms[1] = geometry.arms[1];
    line->rowCount = 0, line->least = joint_least_turn(massA, massB);
    if (kind != JOINT_SLIDER && kind != JOINT_DISTANCE) joint_add_point(line, &geometry);
    if (kind == JOINT_SLIDER) joint_add_rail(line, &geometry);
    if (kind == JOINT_SLIDER || kind == JOINT_FIXED) joint_add_turns(line, &geometry);
    if (kind == JOINT_HINGE) joint_add_alignment(line, &geometry);
    const JointAxis axis = joint_find_axis(kind, &geometry, v->state->value);
    line->axis.row = axis.row, v->state->value = axis.value, line->axis.isThere = axis.isThere;
    line->axis.isDriven = axis.isThere && (joint_is_near_limit(joint, v->state) || joint_has_motor(joint) ||
                                           joint_has_spring(joint));
    if (kind == JOINT_BALL) line->twist = joint_twist_freedom(&geometry);
    if (kind == JOINT_BALL && line->twist.isThere) v->state->twist = joint_twist(joint, &geometry);
    line->twist.isDriven =
        joint_has_twist(joint) && line->twist.isThere && joint_is_near_twist(joint, v->state);
    if (joint_is_rod(joint)) joint_add_row(line, axis.row, axis.value - joint->length);
    if (!v->place->isInTree || line->axis.isDriven || line->twist.isDriven)
        joint_factorise(line, massA, massB);
    if (line->axis.isDriven) joint_clear_freedom(line, &line->axis, massA, massB);
    if (line->twist.isDriven) joint_clear_freedom(line, &line->twist, massA, massB);
}

// Before the first sub-step

static inline void joint_scale_impulses(const JointView *v, float scale) {
    WB_GLOBAL wbJointState *state = v->state;
    for (int k = 0; k < WB_JOINT_ROWS; k++) state->impulse[k] *= scale;
    state->spring *= joint_has_spring(v->joint) ? scale : 0;
    state->motor *= joint_has_motor(v->joint) ? scale : 0;
    state->lower *= joint_has_limits(v->joint) ? scale : 0;
    state->upper *= joint_has_limits(v->joint) ? scale : 0;
    state->twistLower *= joint_has_twist(v->joint) ? scale : 0;
    state->twistUpper *= joint_has_twist(v->joint) ? scale : 0;
}

/// A body of a joint where the step begins; the world is at the origin and is not moved.
typedef struct JointEnd {
    wbPose pose;
    JointMass mass;
    bool isMoved, isOff;
} JointEnd;

/// `warmth` scales the impulses of the step before.
static inline void joint_prepare(const JointView *v, const JointEnd *a, const JointEnd *b, float warmth) {
    const wbVec3 zero = wbMakeVec3(0, 0, 0);
    const JointWay still = {zero, zero};
    WB_GLOBAL wbJointLine *line = v->line;
    for (int k = 0; k < 2; k++) {
        const wbPose pose = k == 0 ? a->pose : b->pose, frame = v->joint->frames[k];
        const wbPose at = wbPose_Multiply(&pose, &frame);
        const JointTurn turn = {at.rotation[0], at.rotation[1], at.rotation[2], at.rotation[3]};
        line->frames[k] = turn;
        line->arms[k] =
            wbPose_Rotate(&pose, wbMakeVec3(frame.position[0], frame.position[1], frame.position[2]));
    }
    line->apart =
        wbMakeVec3(b->pose.position[0] - a->pose.position[0], b->pose.position[1] - a->pose.position[1],
                   b->pose.position[2] - a->pose.position[2]);
    line->moves[0] = a->isMoved, line->moves[1] = b->isMoved;
    line->isActive = !a->isOff && !b->isOff && (a->isMoved || b->isMoved);
    line->force = line->torque = zero, line->springShare = 1;
    if (!line->isActive) return;
    joint_scale_impulses(v, warmth);
    joint_refresh(v, still, still, &a->mass, &b->mass);
}

// The tree

/// The root of an inverse inertia, by rows; 0 where nothing turns.
static inline void joint_take_root(WB_GLOBAL const float *inverse, WB_GLOBAL double *root) {
    const double least = 1e-12 * ((double)inverse[0] + inverse[3] + inverse[5]);
    double pivot = inverse[0];
    root[0] = pivot > least ? sqrt(pivot) : 0;
    const double scale = root[0] > 0 ? 1 / root[0] : 0;
    root[1] = scale * inverse[1], root[3] = scale * inverse[2];
    pivot = inverse[3] - root[1] * root[1];
    root[2] = pivot > least ? sqrt(pivot) : 0;
    root[4] = root[2] > 0 ? (inverse[4] - root[1] * root[3]) / root[2] : 0;
    pivot = inverse[5] - root[3] * root[3] - root[4] * root[4];
    root[5] = pivot > least ? sqrt(pivot) : 0;
}

// J S
static inline void joint_weigh_row(WB_GLOBAL const wbJointMover *mover, double sign, wbVec3 linear,
                                   wbVec3 turn, WB_GLOBAL double *row) {
    WB_GLOBAL const double *s = mover->turn;
    const double m = sign * mover->linear;
    row[0] = m * linear.x, row[1] = m * linear.y, row[2] = m * linear.z;
    row[3] = sign * (s[0] * turn.x + s[1] * turn.y + s[3] * turn.z);
    row[4] = sign * (s[2] * turn.y + s[4] * turn.z);
    row[5] = sign * s[5] * turn.z;
}

static inline double joint_multiply_rows(WB_GLOBAL const double *a, WB_GLOBAL const double *b) {
    double sum = 0;
    for (int k = 0; k < WB_TREE_WIDTH; k++) sum += a[k] * b[k];
    return sum;
}

/// A joint's rows, weighed; and its part of the tree's matrix.
static inline void joint_plant(const JointView *v, WB_GLOBAL const wbJointMover *movers,
                               WB_GLOBAL wbTreeNode *tree) {
    WB_GLOBAL wbJointLine *line = v->line;
    const int a = v->place->nodes[0], b = v->place->nodes[1];
    const int child = a < 0 || (b >= 0 && tree[b].parent == a) ? 1 : 0;
    for (int k = 0; k < line->rowCount; k++) {
        const JointRow row = line->rows[k];
        double sum = 0;
        if (a >= 0) joint_weigh_row(&movers[a], -1, row.linear, row.turnA, line->jacobian[0][k]);
        if (b >= 0) joint_weigh_row(&movers[b], 1, row.linear, row.turnB, line->jacobian[1][k]);
        if (a >= 0) sum += joint_multiply_rows(line->jacobian[0][k], line->jacobian[0][k]);
        if (b >= 0) sum += joint_multiply_rows(line->jacobian[1][k], line->jacobian[1][k]);
        line->stiffness[k] = sum > line->least ? 1 / (JOINT_YIELD * sum) : 0;
        tree_add_row(tree, v->place->nodes[child], line->jacobian[child][k],
                     a >= 0 && b >= 0 ? line->jacobian[1 - child][k] : 0, line->stiffness[k]);
    }
}
