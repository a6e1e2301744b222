// SPDX-License-Identifier: MIT
// Joints in a step. The bias pass looks ahead to where bodies turn within a sub-step, and the relax pass sees where they came to:
// together they are RATTLE (Andersen 1983), by which pendulums keep their energy. Loops are soft constraints (Catto 2011).
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "rigid/block_tree.h"
#include "rigid/rigid.h"

#define TWO_PI 6.283185307f

// A direction in which something is held: its speed is linear (vB - vA) + turnB wB - turnA wA.
typedef struct Row {
    wbVec3 linear, turnA, turnB;
} Row;

// Of what a tree's joints yield, as a share of what a row's bodies alone would: small enough for joints that seem rigid, and large
// enough for those of which there are too many (a door with three hinges).
#define YIELD 1e-4

// A body that moves, with the root S of its inverse mass (S S^t = M^-1): in S^-1 v all masses are 1, and there are none that are infinite.
typedef struct wbJointMover {
    int body;
    double linear;
    double turn[6]; // lower half: xx, yx, yy, zx, zy, zz
} wbJointMover;

// A joint as the passes see it.
typedef struct wbJointLine {
    const wbJoint *joint;
    const wbJointPlace *place;
    wbJointState *state;
    int bodies[2];      // where the solver holds them; -1: the world
    bool isActive;      // one of its bodies is moved
    bool moves[2];      // whether impulses move them
    int rowCount;       // of the block
    bool hasAxis;       // whether it has an axis now
    bool isDriven;      // whether something acts along it
    wbVec3 arms[2];     // m, from the bodies' centres, where the step begins
    wbVec3 apart;       // m, from the first body's centre to the second's, likewise
    float frames[2][4]; // unit quaternions of its frames in the world, likewise
    // where the bodies are now
    wbVec3 nowArms[2], gap; // m; from what it holds of the first body to that of the second
    Row rows[WB_JOINT_ROWS], axis;
    Row drive;                   // how impulses along the axis act: with those of the block that it calls for
    float undone[WB_JOINT_ROWS]; // those, per impulse, negative
    float error[WB_JOINT_ROWS];  // m, rad
    float axisMass;              // kg, kg m2
    float least;                 // 1/kg, 1/(kg m2): of a row that is held
    union {
        struct {                                              // in the tree
            double jacobian[2][WB_JOINT_ROWS][WB_TREE_WIDTH]; // rows times S
            double stiffness[WB_JOINT_ROWS];                  // 1 / what it yields
            double residual[WB_JOINT_ROWS];
        };
        struct {                                       // alone
            float lower[WB_JOINT_ROWS][WB_JOINT_ROWS]; // L of the block's L D L^t
            float pivots[WB_JOINT_ROWS];               // 1 / D, 0 where nothing can be moved
        };
    };
    wbVec3 force, torque; // N s, N m s, on the second body, summed over sub-steps
} wbJointLine;

// Small pieces

static wbVec3 toVec3(const float v[3]) { return wbMakeVec3(v[0], v[1], v[2]); }

static wbVec3 rotate(const float q[4], wbVec3 v) {
    const wbPose pose = {{0, 0, 0}, {q[0], q[1], q[2], q[3]}};
    return wbPose_Rotate(&pose, v);
}

static void multiply(const float a[4], const float b[4], float product[4]) {
    const wbPose p = {{0, 0, 0}, {a[0], a[1], a[2], a[3]}}, q = {{0, 0, 0}, {b[0], b[1], b[2], b[3]}};
    const wbPose both = wbPose_Multiply(&p, &q);
    memcpy(product, both.rotation, sizeof both.rotation);
}

// The quaternion of a turn about a vector by its length.
static void makeTurn(const float turn[3], float q[4]) {
    const float half2 = 0.25f * (turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
    float share = 1 - half2 * (1.0f / 6 - half2 / 120),
          cosine = 1 - half2 * (0.5f - half2 * (1.0f / 24 - half2 / 720));
    if (half2 > 0.01f) share = sinf(sqrtf(half2)) / sqrtf(half2), cosine = cosf(sqrtf(half2));
    for (int k = 0; k < 3; k++) q[k] = 0.5f * share * turn[k];
    q[3] = cosine;
}

// The turn from one frame to another, in the first.
static void findTurn(const float from[4], const float to[4], float turn[4]) {
    const float back[4] = {-from[0], -from[1], -from[2], from[3]};
    multiply(back, to, turn);
}

static wbVec3 multiplyInertia(const wbSolverMass *mass, wbVec3 v) {
    const float *i = mass->inverseInertia;
    return wbMakeVec3(i[0] * v.x + i[1] * v.y + i[2] * v.z, i[1] * v.x + i[3] * v.y + i[4] * v.z,
                      i[2] * v.x + i[4] * v.y + i[5] * v.z);
}

static const wbSolverBody stillWorld = {0};
static const wbSolverMass worldMass = {0};

static const wbSolverBody *getBody(const wbSolverBody *bodies, int place) {
    return place < 0 ? &stillWorld : &bodies[place];
}
static const wbSolverMass *getMass(const wbSolverMass *masses, int place) {
    return place < 0 ? &worldMass : &masses[place];
}

// 1/(kg m2): rows along which bodies turn less are as good as those along which they do not, but for rounding: across the plane in 2D.
static float getLeastTurn(const wbSolverMass *a, const wbSolverMass *b) {
    return 1e-11f * (a->inverseInertia[0] + a->inverseInertia[3] + a->inverseInertia[5] +
                     b->inverseInertia[0] + b->inverseInertia[3] + b->inverseInertia[5]);
}

// The block's factors

// L D L^t of J M^-1 J^t. A row along which no impulse moves anything has a pivot of 0 and is left out: rows of bodies that do not turn,
// or of needles, and those across the plane in 2D.
static void factorise(wbJointLine *line, const wbSolverMass *massA, const wbSolverMass *massB) {
    const float inverseMass = massA->inverseMass + massB->inverseMass;
    float k[WB_JOINT_ROWS][WB_JOINT_ROWS];
    for (int i = 0; i < line->rowCount; i++) {
        const Row *row = &line->rows[i];
        const wbVec3 linear = wbScale(inverseMass, row->linear), turnA = multiplyInertia(massA, row->turnA),
                     turnB = multiplyInertia(massB, row->turnB);
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

static void solveBlock(const wbJointLine *line, float x[WB_JOINT_ROWS]) {
    for (int i = 0; i < line->rowCount; i++)
        for (int j = 0; j < i; j++) x[i] -= line->lower[i][j] * x[j];
    for (int i = line->rowCount - 1; i >= 0; i--) {
        x[i] *= line->pivots[i];
        for (int j = i + 1; j < line->rowCount; j++) x[i] -= line->lower[j][i] * x[j];
    }
}

// Rows

// How a joint lies where its bodies are now.
typedef struct Geometry {
    wbVec3 arms[2], gap; // m
    float frames[2][4];
} Geometry;

static Geometry findGeometry(const wbJointLine *line, const wbSolverBody *a, const wbSolverBody *b) {
    const wbSolverBody *bodies[2] = {a, b};
    Geometry geometry;
    for (int k = 0; k < 2; k++) {
        float turn[4];
        makeTurn(bodies[k]->turn, turn);
        geometry.arms[k] = rotate(turn, line->arms[k]);
        multiply(turn, line->frames[k], geometry.frames[k]);
    }
    const wbVec3 centres = wbAdd(line->apart, wbSub(toVec3(b->way), toVec3(a->way)));
    geometry.gap = wbAdd(centres, wbSub(geometry.arms[1], geometry.arms[0]));
    return geometry;
}

static void addRow(wbJointLine *line, Row row, float error) {
    line->rows[line->rowCount] = row;
    line->error[line->rowCount++] = error;
}

static Row makePointRow(wbVec3 armA, wbVec3 armB, wbVec3 direction) {
    return (Row){direction, wbCross(armA, direction), wbCross(armB, direction)};
}

static Row makeTurnRow(wbVec3 axis) { return (Row){wbMakeVec3(0, 0, 0), axis, axis}; }

static void addPoint(wbJointLine *line, const Geometry *geometry) {
    const float *gap = &geometry->gap.x;
    for (int k = 0; k < 3; k++)
        addRow(line, makePointRow(geometry->arms[0], geometry->arms[1], wbMakeVec3(k == 0, k == 1, k == 2)),
               gap[k]);
}

static void addTurns(wbJointLine *line, const Geometry *geometry) {
    float turn[4];
    findTurn(geometry->frames[0], geometry->frames[1], turn);
    const float twice = copysignf(2, turn[3]);
    const wbVec3 error =
        rotate(geometry->frames[0], wbMakeVec3(twice * turn[0], twice * turn[1], twice * turn[2]));
    const float errors[3] = {error.x, error.y, error.z};
    for (int k = 0; k < 3; k++) addRow(line, makeTurnRow(wbMakeVec3(k == 0, k == 1, k == 2)), errors[k]);
}

static wbVec3 getFrameAxis(const Geometry *geometry, int side, int axis) {
    return rotate(geometry->frames[side], wbMakeVec3(axis == 0, axis == 1, axis == 2));
}

// Both axes stay one: what turns the second body's away from the first's.
static void addAlignment(wbJointLine *line, const Geometry *geometry) {
    const wbVec3 away = wbCross(getFrameAxis(geometry, 0, 0), getFrameAxis(geometry, 1, 0));
    for (int k = 1; k < 3; k++) {
        const wbVec3 axis = getFrameAxis(geometry, 0, k);
        addRow(line, makeTurnRow(axis), wbDot(axis, away));
    }
}

// Directions that turn with the first body: what it holds of the second is as far away as the gap.
static Row makeRailRow(const Geometry *geometry, wbVec3 direction) {
    return makePointRow(wbAdd(geometry->arms[0], geometry->gap), geometry->arms[1], direction);
}

static void addRail(wbJointLine *line, const Geometry *geometry) {
    for (int k = 1; k < 3; k++) {
        const wbVec3 across = getFrameAxis(geometry, 0, k);
        addRow(line, makeRailRow(geometry, across), wbDot(across, geometry->gap));
    }
}

// The axis of a distance: towards the second end; ends in one place part along x.
static wbVec3 findDirection(wbVec3 gap, float *length) {
    *length = sqrtf(wbDot(gap, gap));
    return *length > 1e-9f ? wbScale(1 / *length, gap) : wbMakeVec3(1, 0, 0);
}

// rad, about the axis; that of the last time says how many whole turns it has.
static float findAngle(const Geometry *geometry, float before) {
    float turn[4];
    findTurn(geometry->frames[0], geometry->frames[1], turn);
    const float angle = 2 * atan2f(turn[0], turn[3]);
    return angle + TWO_PI * rintf((before - angle) / TWO_PI);
}

static bool hasLimits(const wbJoint *joint) { return joint->bits & WB_JOINT_LIMITS; }
static bool hasMotor(const wbJoint *joint) {
    return joint->bits & WB_JOINT_MOTOR && (joint->kind == wb_jointHinge || joint->kind == wb_jointSlider);
}
static bool hasSpring(const wbJoint *joint) {
    return joint->hertz > 0 && joint->kind != wb_jointBall && joint->kind != wb_jointFixed;
}

static bool isRod(const wbJoint *joint) {
    return joint->kind == wb_jointDistance && !hasSpring(joint) && !hasLimits(joint);
}

// The row of the axis, and the value that limits and springs see.
static bool findAxisRow(const wbJoint *joint, const Geometry *geometry, Row *row, float *value) {
    switch (joint->kind) {
    case wb_jointHinge:
        *row = makeTurnRow(getFrameAxis(geometry, 0, 0));
        *value = findAngle(geometry, *value);
        return true;
    case wb_jointSlider: {
        const wbVec3 axis = getFrameAxis(geometry, 0, 0);
        *row = makeRailRow(geometry, axis);
        *value = wbDot(axis, geometry->gap);
        return true;
    }
    case wb_jointDistance:
        *row = makePointRow(geometry->arms[0], geometry->arms[1], findDirection(geometry->gap, value));
        return true;
    case wb_jointBall: {
        const wbVec3 a = getFrameAxis(geometry, 0, 0), b = getFrameAxis(geometry, 1, 0),
                     across = wbCross(a, b);
        const float sine = sqrtf(wbDot(across, across));
        *value = atan2f(sine, wbDot(a, b));
        if (!(sine > 1e-6f)) return false;
        *row = makeTurnRow(wbScale(1 / sine, across));
        return true;
    }
    default:
        return false;
    }
}

// An angle between axes, and a distance, do not go below 0, but turn there.
static bool hasLower(const wbJoint *joint) {
    return joint->lower > 0 || joint->kind == wb_jointHinge || joint->kind == wb_jointSlider;
}

// Whether a limit may be reached soon: most are far away most of the time. What was not foreseen is seen a sub-step later.
static bool isNearLimit(const wbJoint *joint, const wbJointState *state) {
    if (!hasLimits(joint)) return false;
    const float above = hasLower(joint) ? state->value - joint->lower : INFINITY;
    const float room = fminf(above, joint->upper - state->value);
    return room < 0.1f + 0.05f * fabsf(state->speed) || state->lower > 0 || state->upper > 0;
}

// Takes out of the axis what the block would undo: a hinge's motor turns a body about the hinge, not about its own centre.
static void clearAxis(wbJointLine *line, const wbSolverMass *massA, const wbSolverMass *massB) {
    const Row *axis = &line->axis;
    const wbVec3 linear = wbScale(massA->inverseMass + massB->inverseMass, axis->linear);
    const wbVec3 turnA = multiplyInertia(massA, axis->turnA), turnB = multiplyInertia(massB, axis->turnB);
    const float whole = wbDot(linear, axis->linear) + wbDot(turnA, axis->turnA) + wbDot(turnB, axis->turnB);
    float coupling[WB_JOINT_ROWS], left = whole;
    for (int k = 0; k < line->rowCount; k++) {
        const Row *row = &line->rows[k];
        coupling[k] = wbDot(linear, row->linear) + wbDot(turnA, row->turnA) + wbDot(turnB, row->turnB);
        line->undone[k] = coupling[k];
    }
    solveBlock(line, line->undone);
    line->drive = *axis;
    for (int k = 0; k < line->rowCount; k++) {
        const Row *row = &line->rows[k];
        const float share = -line->undone[k];
        line->drive.linear = wbAdd(line->drive.linear, wbScale(share, row->linear));
        line->drive.turnA = wbAdd(line->drive.turnA, wbScale(share, row->turnA));
        line->drive.turnB = wbAdd(line->drive.turnB, wbScale(share, row->turnB));
        left += share * coupling[k];
    }
    line->axisMass = whole > line->least && left > 1e-6f * whole ? 1 / left : 0;
}

// All rows where the bodies are now: once before the first sub-step, and at the end of each.
static void refresh(wbJointLine *line, const wbSolverBody *a, const wbSolverBody *b,
                    const wbSolverMass *massA, const wbSolverMass *massB) {
    const wbJoint *joint = line->joint;
    const Geometry geometry = findGeometry(line, a, b);
    line->gap = geometry.gap, line->nowArms[0] = geometry.arms[0], line->nowArms[1] = geometry.arms[1];
    line->rowCount = 0, line->least = getLeastTurn(massA, massB);
    if (joint->kind != wb_jointSlider && joint->kind != wb_jointDistance) addPoint(line, &geometry);
    if (joint->kind == wb_jointSlider) addRail(line, &geometry);
    if (joint->kind == wb_jointSlider || joint->kind == wb_jointFixed) addTurns(line, &geometry);
    if (joint->kind == wb_jointHinge) addAlignment(line, &geometry);
    line->hasAxis = findAxisRow(joint, &geometry, &line->axis, &line->state->value);
    line->isDriven =
        line->hasAxis && (isNearLimit(joint, line->state) || hasMotor(joint) || hasSpring(joint));
    if (isRod(joint)) addRow(line, line->axis, line->state->value - joint->length);
    if (!line->place->isInTree || line->isDriven) factorise(line, massA, massB);
    if (line->isDriven) clearAxis(line, massA, massB);
}

// The tree

// The root of an inverse inertia, by rows; 0 where nothing turns.
static void takeRoot(const float inverse[6], double root[6]) {
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
static void weighRow(const wbJointMover *mover, double sign, wbVec3 linear, wbVec3 turn,
                     double row[WB_TREE_WIDTH]) {
    const double *s = mover->turn, m = sign * mover->linear;
    row[0] = m * linear.x, row[1] = m * linear.y, row[2] = m * linear.z;
    row[3] = sign * (s[0] * turn.x + s[1] * turn.y + s[3] * turn.z);
    row[4] = sign * (s[2] * turn.y + s[4] * turn.z);
    row[5] = sign * s[5] * turn.z;
}

static double multiplyRows(const double a[WB_TREE_WIDTH], const double b[WB_TREE_WIDTH]) {
    double sum = 0;
    for (int k = 0; k < WB_TREE_WIDTH; k++) sum += a[k] * b[k];
    return sum;
}

// A joint's rows, weighed; and its part of the tree's matrix.
static void plantLine(wbJointLine *line, const wbJointMover *movers, wbTreeNode *tree) {
    const int a = line->place->nodes[0], b = line->place->nodes[1];
    const int child = a < 0 || (b >= 0 && tree[b].parent == a) ? 1 : 0;
    const int node = line->place->nodes[child];
    for (int k = 0; k < line->rowCount; k++) {
        const Row *row = &line->rows[k];
        double *own[2] = {line->jacobian[0][k], line->jacobian[1][k]}, sum = 0;
        if (a >= 0) weighRow(&movers[a], -1, row->linear, row->turnA, own[0]);
        if (b >= 0) weighRow(&movers[b], 1, row->linear, row->turnB, own[1]);
        if (a >= 0) sum += multiplyRows(own[0], own[0]);
        if (b >= 0) sum += multiplyRows(own[1], own[1]);
        line->stiffness[k] = sum > (double)line->least ? 1 / (YIELD * sum) : 0;
        wbTree_AddRow(tree, node, own[child], a >= 0 && b >= 0 ? own[1 - child] : NULL, line->stiffness[k]);
    }
}

// Preparing

typedef struct Solve {
    wbRigid *rigid;
    wbSolverBody *bodies;
    const wbSolverMass *masses;
    float (*starts)[8], (*turns)[4];
    wbSolverPass pass;
    float warmth; // by which impulses of the step before are scaled
    float h;      // s, of a sub-step
} Solve;

// The joints and nodes of a batch.
typedef struct Batch {
    int lineCount, nodeCount;
    wbJointLine *lines;
    wbJointMover *movers;
    wbTreeNode *tree;
} Batch;

static Batch getBatch(const wbRigidJoints *joints, int index, int *firstLine, int *firstNode) {
    const wbJointBatch *batch = &((const wbJointBatch *)joints->batches.data)[index];
    *firstLine = index > 0 ? batch[-1].jointEnd : 0, *firstNode = index > 0 ? batch[-1].nodeEnd : 0;
    return (Batch){batch->jointEnd - *firstLine, batch->nodeEnd - *firstNode, joints->lines + *firstLine,
                   joints->movers + *firstNode, joints->tree + *firstNode};
}

static void plantTree(const Solve *solve, const Batch *batch) {
    if (batch->nodeCount == 0) return;
    for (int n = 0; n < batch->nodeCount; n++) {
        const wbSolverMass *mass = &solve->masses[batch->movers[n].body];
        batch->movers[n].linear = sqrt((double)mass->inverseMass);
        takeRoot(mass->inverseInertia, batch->movers[n].turn);
    }
    wbTree_Clear(batch->tree, batch->nodeCount);
    for (int k = 0; k < batch->lineCount; k++) {
        wbJointLine *line = &batch->lines[k];
        if (line->isActive && line->place->isInTree) plantLine(line, batch->movers, batch->tree);
    }
    wbTree_Factorise(batch->tree, batch->nodeCount);
}

static bool isMoved(const wbRigid *rigid, int body) {
    return body >= 0 && rigid->bits[body] & WB_RIGID_DYNAMIC && !(rigid->bits[body] & WB_RIGID_ASLEEP);
}
static bool isOff(const wbRigid *rigid, int body) { return body >= 0 && rigid->bits[body] & WB_RIGID_OFF; }

static wbVec3 getCentre(const wbRigid *rigid, int body) {
    return body < 0 ? wbMakeVec3(0, 0, 0) : wbMakeVec3(rigid->x[body], rigid->y[body], rigid->z[body]);
}

static void scaleImpulses(wbJointState *state, const wbJoint *joint, float scale) {
    for (int k = 0; k < WB_JOINT_ROWS; k++) state->impulse[k] *= scale;
    state->spring *= hasSpring(joint) ? scale : 0;
    state->motor *= hasMotor(joint) ? scale : 0;
    state->lower *= hasLimits(joint) ? scale : 0;
    state->upper *= hasLimits(joint) ? scale : 0;
}

static void prepareLine(const Solve *solve, wbJointLine *line, const wbJointPlace *place) {
    const wbRigid *rigid = solve->rigid;
    const wbJoint *joint = &rigid->joints.joints[place->joint];
    const int *bodies = joint->bodies;
    *line = (wbJointLine){.joint = joint, .place = place, .state = &rigid->joints.states[place->joint]};
    line->isActive = !isOff(rigid, bodies[0]) && !isOff(rigid, bodies[1]);
    for (int k = 0; k < 2; k++) {
        const int body = bodies[k];
        const wbPose pose = body < 0 ? wb_poseAtOrigin : wbRigid_GetPose(rigid, body);
        line->bodies[k] = body;
        line->moves[k] = isMoved(rigid, body);
        line->arms[k] = wbPose_Rotate(&pose, toVec3(joint->frames[k].position));
        multiply(pose.rotation, joint->frames[k].rotation, line->frames[k]);
    }
    line->isActive &= line->moves[0] || line->moves[1];
    line->apart = wbSub(getCentre(rigid, bodies[1]), getCentre(rigid, bodies[0]));
    if (!line->isActive) return;
    scaleImpulses(line->state, joint, solve->warmth);
    refresh(line, &stillWorld, &stillWorld, getMass(solve->masses, line->bodies[0]),
            getMass(solve->masses, line->bodies[1]));
}

static void prepareBatches(int begin, int end, int worker, void *context) {
    const Solve *solve = context;
    const wbRigidJoints *joints = &solve->rigid->joints;
    const wbJointPlace *order = joints->order.data;
    const wbJointNode *nodes = joints->nodes.data;
    (void)worker;
    for (int index = begin; index < end; index++) {
        int firstLine, firstNode;
        const Batch batch = getBatch(joints, index, &firstLine, &firstNode);
        for (int k = 0; k < batch.lineCount; k++) prepareLine(solve, &batch.lines[k], &order[firstLine + k]);
        for (int n = 0; n < batch.nodeCount; n++) {
            const wbJointNode *node = &nodes[firstNode + n];
            batch.tree[n].parent = node->parent;
            batch.movers[n].body = node->body;
        }
        plantTree(solve, &batch);
    }
}

// Joints that one thread works on at least, else waking others costs more.
enum { JOINT_BLOCK = 64 };

// Batches share no body that moves: any thread may take any of them.
static void runBatches(const wbWork *work, const Solve *solve, int batchCount, int jointCount,
                       wbRangeFn *range) {
    if (jointCount < 2 * JOINT_BLOCK || batchCount < 2)
        range(0, batchCount, 0, (void *)solve);
    else
        wbParallelShare(work->pool, batchCount, 1 + batchCount * JOINT_BLOCK / jointCount, range,
                        (void *)solve);
}

wbStatus wbPrepareJoints(wbRigid *rigid, const wbRigidModel *model, const wbWork *work, float h,
                         const wbSolverMass *masses) {
    wbRigidJoints *joints = &rigid->joints;
    const size_t lines = (size_t)joints->orderCount + 1, nodes = (size_t)joints->nodeCount + 1;
    Solve solve = {.rigid = rigid, .masses = masses};
    solve.warmth = joints->subStep > 0 ? h / joints->subStep : 0;
    joints->subStep = h;
    joints->softness =
        wbMakeSoftness(fminf(model->params.jointHertz, 0.25f / h), model->params.jointDampingRatio, h);
    joints->lines = wbArena_Alloc(work->arena, sizeof(wbJointLine) * lines);
    joints->movers = wbArena_Alloc(work->arena, sizeof(wbJointMover) * nodes);
    joints->tree = wbArena_Alloc(work->arena, sizeof(wbTreeNode) * nodes);
    if (!joints->lines || !joints->movers || !joints->tree)
        return wbMemoryError(work->memory, "%d joints need", joints->count);
    runBatches(work, &solve, joints->batchCount, joints->orderCount, prepareBatches);
    return wb_okStatus;
}

// Passes

// Two bodies while a joint works on them.
typedef struct Pair {
    wbVec3 vA, wA, vB, wB;
    const wbSolverMass *massA, *massB;
} Pair;

static float getSpeed(const Pair *pair, const Row *row) {
    return wbDot(row->linear, wbSub(pair->vB, pair->vA)) + wbDot(row->turnB, pair->wB) -
           wbDot(row->turnA, pair->wA);
}

static void push(Pair *pair, wbVec3 linear, wbVec3 turnA, wbVec3 turnB) {
    pair->vA = wbSub(pair->vA, wbScale(pair->massA->inverseMass, linear));
    pair->vB = wbAdd(pair->vB, wbScale(pair->massB->inverseMass, linear));
    pair->wA = wbSub(pair->wA, multiplyInertia(pair->massA, turnA));
    pair->wB = wbAdd(pair->wB, multiplyInertia(pair->massB, turnB));
}

static void pushAlong(Pair *pair, const Row *row, float impulse) {
    push(pair, wbScale(impulse, row->linear), wbScale(impulse, row->turnA), wbScale(impulse, row->turnB));
}

static void pushBlock(Pair *pair, const wbJointLine *line, const float impulse[WB_JOINT_ROWS]) {
    wbVec3 linear = {0, 0, 0}, turnA = {0, 0, 0}, turnB = {0, 0, 0};
    for (int k = 0; k < line->rowCount; k++) {
        linear = wbAdd(linear, wbScale(impulse[k], line->rows[k].linear));
        turnA = wbAdd(turnA, wbScale(impulse[k], line->rows[k].turnA));
        turnB = wbAdd(turnB, wbScale(impulse[k], line->rows[k].turnB));
    }
    push(pair, linear, turnA, turnB);
}

static void pushDrive(Pair *pair, wbJointLine *line, float impulse) {
    pushAlong(pair, &line->drive, impulse);
    for (int k = 0; k < line->rowCount; k++) line->state->impulse[k] -= line->undone[k] * impulse;
}

static float getAxisImpulse(const wbJointState *state) {
    return state->spring + state->motor + state->lower - state->upper;
}

static void warmStart(Pair *pair, const wbJointLine *line) {
    pushBlock(pair, line, line->state->impulse);
    if (line->isDriven) pushAlong(pair, &line->axis, getAxisImpulse(line->state));
}

// m/s: what the bend of the bodies' ways in a sub-step adds to the speed along each row: half of h times the second derivative of
// its error, at constant velocities. It is left out of what turns too fast to be followed (half at 0.1 rad per sub-step), which
// then loses energy: without that the ends of whips do not come to rest.
static void findBend(const wbJointLine *line, const Pair *pair, float h, float bend[WB_JOINT_ROWS]) {
    const wbVec3 turnA = wbCross(pair->wA, line->nowArms[0]), turnB = wbCross(pair->wB, line->nowArms[1]);
    const wbVec3 rate = wbSub(wbAdd(pair->vB, turnB), wbAdd(pair->vA, turnA));
    const wbVec3 second = wbSub(wbCross(pair->wB, turnB), wbCross(pair->wA, turnA));
    const float angle2 = h * h * fmaxf(wbDot(pair->wA, pair->wA), wbDot(pair->wB, pair->wB));
    const float share = 1 / (1 + 1e4f * angle2 * angle2);
    for (int k = 0; k < line->rowCount; k++) {
        const wbVec3 along = line->rows[k].linear;
        float sum = wbDot(along, second);
        if (line->joint->kind == wb_jointSlider) { // directions turn with the first body
            const wbVec3 turned = wbCross(pair->wA, along);
            sum += 2 * wbDot(turned, rate) + wbDot(wbCross(pair->wA, turned), line->gap);
        } else if (line->joint->kind == wb_jointDistance) {
            const float length = line->state->value, closing = wbDot(along, rate);
            if (length > 0) sum += (wbDot(rate, rate) - closing * closing) / length;
        }
        bend[k] = share * 0.5f * h * sum;
    }
}

static void solveRows(wbJointLine *line, Pair *pair, const Solve *solve) {
    const wbSoftness *soft = &solve->rigid->joints.softness;
    float *impulse = line->state->impulse, change[WB_JOINT_ROWS] = {0};
    const bool isBiased = solve->pass == wb_passBias;
    if (isBiased) findBend(line, pair, solve->h, change);
    for (int k = 0; k < line->rowCount; k++) {
        const float speed = getSpeed(pair, &line->rows[k]);
        change[k] =
            isBiased ? -soft->massScale * (speed + change[k] + soft->biasRate * line->error[k]) : -speed;
    }
    solveBlock(line, change);
    for (int k = 0; k < line->rowCount; k++) {
        if (isBiased) change[k] -= soft->impulseScale * impulse[k];
        impulse[k] += change[k];
    }
    pushBlock(pair, line, change);
}

// A spring acts by where it is when a sub-step begins, which keeps its energy, as far as that is stable: if it swings faster than the
// sub-steps see (x = h omega above 1), a share 1 - 1/x2 of it acts by where it will be.
static void solveSpring(wbJointLine *line, Pair *pair, float h) {
    const wbJoint *joint = line->joint;
    const float omega = TWO_PI * joint->hertz, x2 = h * h * omega * omega;
    const float ahead = x2 > 1 ? x2 - 1 : 0;
    const float drag = 2 * joint->dampingRatio * h * omega + ahead, scale = 1 / (1 + drag);
    const float error = line->state->value - (joint->kind == wb_jointDistance ? joint->length : 0);
    const float change =
        -scale * (line->axisMass * (drag * getSpeed(pair, &line->axis) + h * omega * omega * error) +
                  line->state->spring);
    line->state->spring += change;
    pushDrive(pair, line, change);
}

static void changeMotor(wbJointLine *line, Pair *pair, float change, float least, float most) {
    const float before = line->state->motor;
    line->state->motor = fmaxf(least, fminf(before + change, most));
    pushDrive(pair, line, line->state->motor - before);
}

// A motor that is driven against a limit is one with it: as soft, and what holds it there has no bound. Beside each other, the
// limit would yield to all that the motor can. A motor that goes rigidly to the limit makes arms with several of them swing.
static void solveMotor(wbJointLine *line, Pair *pair, const Solve *solve) {
    const wbJoint *joint = line->joint;
    const wbSoftness *soft = &solve->rigid->joints.softness;
    const float speed = getSpeed(pair, &line->axis), most = solve->h * joint->maxForce;
    const float up = soft->biasRate * (joint->upper - line->state->value),
                down = soft->biasRate * (joint->lower - line->state->value);
    const bool isUp = hasLimits(joint) && joint->speed > up, isDown = hasLimits(joint) && joint->speed < down;
    if (!isUp && !isDown) {
        changeMotor(line, pair, line->axisMass * (joint->speed - speed), -most, most);
        return;
    }
    const float change = solve->pass == wb_passBias
                             ? line->axisMass * soft->massScale * ((isUp ? up : down) - speed) -
                                   soft->impulseScale * line->state->motor
                             : -line->axisMass * speed;
    changeMotor(line, pair, change, isUp ? -INFINITY : -most, isDown ? INFINITY : most);
}

// One limit: room is what is left up to it, and sign is 1 for the lower, -1 for the upper one. What is left may be used up in a
// sub-step; what is too much is taken back softly.
static void solveLimit(wbJointLine *line, Pair *pair, const Solve *solve, float room, float sign,
                       float *impulse) {
    const wbSoftness *soft = &solve->rigid->joints.softness;
    const bool isSoft = room <= 0 && solve->pass == wb_passBias;
    const float massScale = isSoft ? soft->massScale : 1, impulseScale = isSoft ? soft->impulseScale : 0;
    const float bias = room > 0 ? room / solve->h : isSoft ? soft->biasRate * room : 0;
    const float speed = sign * getSpeed(pair, &line->axis), before = *impulse;
    *impulse = fmaxf(0, before - line->axisMass * massScale * (speed + bias) - impulseScale * before);
    pushDrive(pair, line, sign * (*impulse - before));
}

static void solveAxis(wbJointLine *line, Pair *pair, const Solve *solve) {
    const wbJoint *joint = line->joint;
    wbJointState *state = line->state;
    if (hasSpring(joint) && solve->pass == wb_passBias) solveSpring(line, pair, solve->h);
    if (hasMotor(joint)) solveMotor(line, pair, solve);
    if (!hasLimits(joint)) return;
    if (hasLower(joint)) solveLimit(line, pair, solve, state->value - joint->lower, 1, &state->lower);
    solveLimit(line, pair, solve, joint->upper - state->value, -1, &state->upper);
}

// Either a force where it is held, or a torque.
static void countImpulse(wbJointLine *line, const Row *row, float impulse) {
    const bool isTurn = wbDot(row->linear, row->linear) == 0;
    if (isTurn)
        line->torque = wbAdd(line->torque, wbScale(impulse, row->turnB));
    else
        line->force = wbAdd(line->force, wbScale(impulse, row->linear));
}

static void countImpulses(wbJointLine *line) {
    for (int k = 0; k < line->rowCount; k++) countImpulse(line, &line->rows[k], line->state->impulse[k]);
    if (line->isDriven) countImpulse(line, &line->axis, getAxisImpulse(line->state));
}

static void setVelocity(const Solve *solve, int place, wbVec3 v, wbVec3 w) {
    wbSolverBody *body = &solve->bodies[place];
    float *start = solve->starts[place], *turn = solve->turns[place];
    const float now[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
    for (int k = 0; k < 3; k++) {
        start[k] += now[k] - body->v[k], start[k + 3] += now[k + 3] - body->w[k];
        turn[k] += now[k + 3] - body->w[k];
        body->v[k] = now[k], body->w[k] = now[k + 3];
    }
}

// Two bodies of a joint, taken out and put back. Those that are not moved may be other joints' at the same time.
static Pair takePair(const Solve *solve, const wbJointLine *line) {
    const int a = line->bodies[0], b = line->bodies[1];
    const wbSolverBody *bodyA = getBody(solve->bodies, a), *bodyB = getBody(solve->bodies, b);
    return (Pair){toVec3(bodyA->v), toVec3(bodyA->w),          toVec3(bodyB->v),
                  toVec3(bodyB->w), getMass(solve->masses, a), getMass(solve->masses, b)};
}
static void putPair(const Solve *solve, const wbJointLine *line, const Pair *pair) {
    if (line->moves[0]) setVelocity(solve, line->bodies[0], pair->vA, pair->wA);
    if (line->moves[1]) setVelocity(solve, line->bodies[1], pair->vB, pair->wB);
}

static void solveLine(const Solve *solve, wbJointLine *line) {
    if (solve->pass != wb_passWarmStart && !line->isDriven && line->place->isInTree) return;
    Pair pair = takePair(solve, line);
    if (solve->pass == wb_passWarmStart) {
        warmStart(&pair, line);
    } else {
        if (line->isDriven) solveAxis(line, &pair, solve);
        if (!line->place->isInTree) solveRows(line, &pair, solve);
    }
    putPair(solve, line, &pair);
}

// What a joint's rows lack, as the right side of its nodes.
static void askLine(const Solve *solve, const Batch *batch, wbJointLine *line) {
    const Pair pair = takePair(solve, line);
    const float rate = solve->rigid->joints.softness.biasRate;
    const bool isBiased = solve->pass == wb_passBias;
    float bend[WB_JOINT_ROWS] = {0};
    if (isBiased) findBend(line, &pair, solve->h, bend);
    for (int k = 0; k < line->rowCount; k++) {
        double lack = getSpeed(&pair, &line->rows[k]);
        if (isBiased && line->stiffness[k] > 0)
            lack += (double)(bend[k] + rate * line->error[k]) + line->state->impulse[k] / line->stiffness[k];
        line->residual[k] = lack;
        for (int side = 0; side < 2; side++) {
            if (line->place->nodes[side] < 0) continue;
            double *x = batch->tree[line->place->nodes[side]].x;
            for (int c = 0; c < WB_TREE_WIDTH; c++)
                x[c] -= line->stiffness[k] * lack * line->jacobian[side][k][c];
        }
    }
}

static void tellLine(const Batch *batch, wbJointLine *line) {
    for (int k = 0; k < line->rowCount; k++) {
        double left = line->residual[k];
        for (int side = 0; side < 2; side++)
            if (line->place->nodes[side] >= 0)
                left += multiplyRows(line->jacobian[side][k], batch->tree[line->place->nodes[side]].x);
        line->state->impulse[k] -= (float)(line->stiffness[k] * left);
    }
}

static void moveNode(const Solve *solve, const wbJointMover *mover, const double x[WB_TREE_WIDTH]) {
    const wbSolverBody *body = &solve->bodies[mover->body];
    const double *s = mover->turn, m = mover->linear;
    const wbVec3 v = {(float)(m * x[0]), (float)(m * x[1]), (float)(m * x[2])};
    const wbVec3 w = {(float)(s[0] * x[3]), (float)(s[1] * x[3] + s[2] * x[4]),
                      (float)(s[3] * x[3] + s[4] * x[4] + s[5] * x[5])};
    setVelocity(solve, mover->body, wbAdd(toVec3(body->v), v), wbAdd(toVec3(body->w), w));
}

static bool isPlanted(const wbJointLine *line) { return line->isActive && line->place->isInTree; }

// (1 + J^t W J) x = -J^t W lack, and the impulses -W (lack + J x).
static void solveTree(const Solve *solve, const Batch *batch) {
    if (batch->nodeCount == 0) return;
    for (int n = 0; n < batch->nodeCount; n++) memset(batch->tree[n].x, 0, sizeof batch->tree[n].x);
    for (int k = 0; k < batch->lineCount; k++)
        if (isPlanted(&batch->lines[k])) askLine(solve, batch, &batch->lines[k]);
    wbTree_Solve(batch->tree, batch->nodeCount);
    for (int k = 0; k < batch->lineCount; k++)
        if (isPlanted(&batch->lines[k])) tellLine(batch, &batch->lines[k]);
    for (int n = 0; n < batch->nodeCount; n++)
        if (batch->movers[n].linear > 0) moveNode(solve, &batch->movers[n], batch->tree[n].x);
}

static void refreshBatch(const Solve *solve, const Batch *batch) {
    for (int k = 0; k < batch->lineCount; k++) {
        wbJointLine *line = &batch->lines[k];
        const int a = line->bodies[0], b = line->bodies[1];
        if (line->isActive)
            refresh(line, getBody(solve->bodies, a), getBody(solve->bodies, b), getMass(solve->masses, a),
                    getMass(solve->masses, b));
    }
    plantTree(solve, batch);
}

static void solveBatch(const Solve *solve, const Batch *batch) {
    if (solve->pass == wb_passRelax) refreshBatch(solve, batch);
    for (int k = 0; k < batch->lineCount; k++)
        if (batch->lines[k].isActive) solveLine(solve, &batch->lines[k]);
    if (solve->pass != wb_passWarmStart) solveTree(solve, batch);
    for (int k = 0; k < batch->lineCount && solve->pass == wb_passRelax; k++)
        if (batch->lines[k].isActive) countImpulses(&batch->lines[k]);
}

static bool isAwake(const Batch *batch) {
    for (int k = 0; k < batch->lineCount; k++)
        if (batch->lines[k].isActive) return true;
    return false;
}

static void solveBatchAt(const Solve *solve, int index) {
    int firstLine, firstNode;
    const Batch batch = getBatch(&solve->rigid->joints, index, &firstLine, &firstNode);
    if (isAwake(&batch)) solveBatch(solve, &batch);
}

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
    const Solve solve = {.rigid = rigid,
                         .bodies = bodies,
                         .masses = masses,
                         .starts = starts,
                         .turns = turns,
                         .pass = pass,
                         .h = rigid->joints.subStep};
    const wbJointBatch *batches = rigid->joints.batches.data;
    const Stage stage = getStage(&rigid->joints, index);
    const int64_t jointCount = stage.jointEnd - stage.jointBegin;
    // a batch is in the range in which its last joint is
    const int64_t from = stage.jointBegin + jointCount * range / ranges,
                  to = stage.jointBegin + jointCount * (range + 1) / ranges;
    for (int batch = stage.begin; batch < stage.end; batch++)
        if (batches[batch].jointEnd > from && batches[batch].jointEnd <= to) solveBatchAt(&solve, batch);
}

// After the step

static wbVec3 getVelocity(const wbRigid *rigid, int body) {
    return body < 0 ? wbMakeVec3(0, 0, 0) : wbMakeVec3(rigid->vx[body], rigid->vy[body], rigid->vz[body]);
}
static wbVec3 getSpin(const wbRigid *rigid, int body) {
    return body < 0 ? wbMakeVec3(0, 0, 0) : wbMakeVec3(rigid->wx[body], rigid->wy[body], rigid->wz[body]);
}

static void readOut(const wbRigid *rigid, wbJointLine *line, float dt) {
    const int a = line->joint->bodies[0], b = line->joint->bodies[1];
    const Pair pair = {.vA = getVelocity(rigid, a),
                       .wA = getSpin(rigid, a),
                       .vB = getVelocity(rigid, b),
                       .wB = getSpin(rigid, b)};
    const wbVec3 force = wbScale(1 / dt, line->force), torque = wbScale(1 / dt, line->torque);
    wbJointState *state = line->state;
    state->speed = line->hasAxis ? getSpeed(&pair, &line->axis) : 0;
    memcpy(state->force, &force, sizeof state->force), memcpy(state->torque, &torque, sizeof state->torque);
}

static bool isTooMuch(const float load[3], float limit) {
    const wbVec3 v = toVec3(load);
    return limit > 0 && wbDot(v, v) > limit * limit;
}

void wbFinishJoints(wbRigid *rigid, float dt) {
    wbRigidJoints *joints = &rigid->joints;
    for (int k = 0; k < joints->orderCount; k++) {
        wbJointLine *line = &joints->lines[k];
        wbJoint *joint = &joints->joints[line->place->joint];
        if (!line->isActive) continue;
        readOut(rigid, line, dt);
        if (!isTooMuch(line->state->force, joint->breakForce) &&
            !isTooMuch(line->state->torque, joint->breakTorque))
            continue;
        joint->bits |= WB_JOINT_BROKEN;
        scaleImpulses(line->state, joint, 0);
        joints->isDirty = true;
    }
    joints->lines = NULL, joints->movers = NULL, joints->tree = NULL;
}
