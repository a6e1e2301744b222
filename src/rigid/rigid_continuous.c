// SPDX-License-Identifier: MIT
// Continuous collision: a body that went farther in a step than it is thick stops where it first touches something that stands or
// moves by itself; a bullet also at what forces move. It keeps the velocity that it had there, so that the next step finds the contact.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "rigid/rigid_code.h"

// Pieces of bodies that forces do not move, in a tree that is made in steps in which something is fast.
typedef struct Sweep {
    wbExactStep *step;
    const wbRigidPiece *pieces;
    wbBroadPhase *tree;
    const int *treePieces;
    // the body that is fast
    int body;
    wbPose from, to;
    float share; // of its way
} Sweep;

static float lengthOf(const float v[3]) { return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static bool isFast(const wbExactStep *step, int body) {
    const wbRigid *rigid = step->rigid;
    const wbSolverBody *solver = &step->bodies[body];
    if (step->masses[body].inverseMass <= 0 || rigid->bits[body] & WB_RIGID_SENSOR) return false;
    return lengthOf(solver->way) + rigid->reach[body] * lengthOf(solver->turn) > rigid->core[body];
}

static wbPose getEnd(const wbExactStep *step, int body) {
    wbPose pose = wbRigid_GetPose(step->rigid, body);
    const wbSolverBody *solver = &step->bodies[body];
    for (int k = 0; k < 3; k++) pose.position[k] += solver->way[k];
    wbTurnBy(pose.rotation, wbMakeVec3(solver->turn[0], solver->turn[1], solver->turn[2]));
    return pose;
}

static BroadBox boundWay(const wbRigidPiece *piece, const wbPose *from, const wbPose *to) {
    const BroadBox a = wbRigidPiece_Bound(piece, from), b = wbRigidPiece_Bound(piece, to);
    return wbJoinBoxes(&a, &b);
}

static bool mayTouch(const Sweep *sweep, int other) {
    const wbRigid *rigid = sweep->step->rigid;
    const int body = sweep->body;
    if (other == body || rigid->bits[other] & (WB_RIGID_OFF | WB_RIGID_SENSOR)) return false;
    if (!(rigid->category[body] & rigid->mask[other]) || !(rigid->category[other] & rigid->mask[body]))
        return false;
    return rigid->joints.count == 0 || !wbRigidJoints_AreTied(&rigid->joints, body, other);
}

// m: near enough that the next step sees the contact.
static float getSlop(const wbExactStep *step, int a, int b) {
    const float thickness = fminf(step->places[a].centre[3], b < 0 ? INFINITY : step->places[b].centre[3]);
    return 0.5f * step->terms.margin * thickness;
}

// Cuts the way where the first of the body's pieces touches another.
static void meetPiece(Sweep *sweep, const wbRigidPiece *other, const wbPose *from, const wbPose *to,
                      int otherPiece) {
    const wbRigid *rigid = sweep->step->rigid;
    const wbPose otherFrom = wbPose_Multiply(from, &other->pose), otherTo = wbPose_Multiply(to, &other->pose);
    const int first = rigid->firstPiece[sweep->body];
    for (int k = first; k < first + rigid->pieceCount[sweep->body]; k++) {
        const wbRigidPiece *piece = &sweep->pieces[k];
        const wbPose ownFrom = wbPose_Multiply(&sweep->from, &piece->pose),
                     ownTo = wbPose_Multiply(&sweep->to, &piece->pose);
        const float share = wbFindTimeOfImpact(piece, &ownFrom, &ownTo, other, &otherFrom, &otherTo,
                                               getSlop(sweep->step, k, otherPiece));
        sweep->share = fminf(sweep->share, share);
    }
}

static void meetFixed(int item, void *context) {
    Sweep *sweep = context;
    const int piece = sweep->treePieces[item], other = sweep->step->pieceBodies[piece];
    if (!mayTouch(sweep, other)) return;
    const wbPose from = wbRigid_GetPose(sweep->step->rigid, other), to = getEnd(sweep->step, other);
    meetPiece(sweep, &sweep->pieces[piece], &from, &to, piece);
}

static void meetSides(Sweep *sweep) {
    const wbDomain *domain = sweep->step->model->domain;
    const wbRigidPiece plane = {.kind = wb_piecePlane, .pose = wb_poseAtOrigin};
    for (int side = 0; side < wb_sideCount; side++) {
        const float way = domain->velocity[side][side / 2] * sweep->step->dt;
        wbPose from = wbGetSidePose(domain, side), to = from;
        to.position[side / 2] += way;
        if (domain->closed[side]) meetPiece(sweep, &plane, &from, &to, -1);
    }
}

static bool areWaysNear(const Sweep *sweep, int other) {
    const wbExactStep *step = sweep->step;
    const float *way = step->bodies[sweep->body].way;
    const float at[3] = {step->rigid->x[other], step->rigid->y[other], step->rigid->z[other]};
    float reach =
        step->rigid->reach[sweep->body] + step->rigid->reach[other] + lengthOf(step->bodies[other].way);
    float along = 0, way2 = 1e-30f, d2 = 0;
    for (int k = 0; k < 3; k++) along += way[k] * (at[k] - sweep->from.position[k]), way2 += way[k] * way[k];
    const float t = fmaxf(0, fminf(1, along / way2));
    for (int k = 0; k < 3; k++) {
        const float d = sweep->from.position[k] + t * way[k] - at[k];
        d2 += d * d;
    }
    return d2 <= reach * reach;
}

static void meetMoving(Sweep *sweep) {
    const wbRigid *rigid = sweep->step->rigid;
    for (int other = 0; other < rigid->count; other++) {
        if (!(rigid->bits[other] & WB_RIGID_DYNAMIC) || !mayTouch(sweep, other) || !areWaysNear(sweep, other))
            continue;
        const wbPose from = wbRigid_GetPose(rigid, other), to = getEnd(sweep->step, other);
        for (int k = rigid->firstPiece[other]; k < rigid->firstPiece[other] + rigid->pieceCount[other]; k++)
            meetPiece(sweep, &sweep->pieces[k], &from, &to, k);
    }
}

static void meetPlanes(Sweep *sweep) {
    const wbExactStep *step = sweep->step;
    for (int i = 0; i < step->bodyCount; i++) {
        if (isfinite(step->rigid->reach[i]) || !mayTouch(sweep, i)) continue;
        const wbPose from = wbRigid_GetPose(step->rigid, i), to = getEnd(step, i);
        meetPiece(sweep, &sweep->pieces[step->rigid->firstPiece[i]], &from, &to, step->rigid->firstPiece[i]);
    }
}

// Twice the energy of its spin by its mass.
static float weighSpin(const wbExactStep *step, int body) {
    const wbRigid *rigid = step->rigid;
    const float *w = step->bodies[body].w, inverseMass = step->masses[body].inverseMass;
    const wbPose end = getEnd(step, body);
    const wbVec3 own = wbPose_RotateInverse(&end, wbMakeVec3(w[0], w[1], w[2]));
    const float spins[3] = {own.x, own.y, own.z},
                moments[3] = {rigid->inverseInertiaX[body], rigid->inverseInertiaY[body],
                              rigid->inverseInertiaZ[body]};
    float sum = 0;
    for (int k = 0; k < 3; k++)
        if (moments[k] > 0) sum += spins[k] * spins[k] * inverseMass / moments[k];
    return sum;
}

// A body did not fall along the part of its way that is undone: its energy is that of where it stops. What nothing touched turns on.
static void undoFall(const wbExactStep *step, int body, const float undone[3]) {
    float *v = step->bodies[body].v, *w = step->bodies[body].w, energy = 1e-30f, work = 0;
    const float *kick = step->kicks[body].v, *start = step->starts[body];
    const bool isTouched = v[0] != start[0] || v[1] != start[1] || v[2] != start[2];
    for (int k = 0; k < 3; k++) energy += v[k] * v[k], work += kick[k] / step->h * undone[k];
    if (isTouched) energy += weighSpin(step, body), work = fmaxf(0, work);
    const float scale = sqrtf(fmaxf(0, 1 - 2 * work / energy));
    for (int k = 0; k < 3; k++) {
        v[k] *= scale;
        if (isTouched) w[k] *= scale;
    }
}

// A body that tumbles keeps its spin about its own axes: one about the axis of a rod, seen from another direction of the rod, would be
// one across it, with many times its energy.
static void turnBack(const wbExactStep *step, wbSolverTop *top) {
    float *w = step->bodies[top->body].w;
    const wbPose end = getEnd(step, top->body);
    wbPose before = wb_poseAtOrigin;
    memcpy(before.rotation, top->rotation, sizeof before.rotation);
    const wbVec3 own = wbPose_RotateInverse(&before, wbMakeVec3(w[0], w[1], w[2]));
    const wbVec3 spin = wbPose_Rotate(&end, own);
    memcpy(top->rotation, end.rotation, sizeof top->rotation);
    w[0] = spin.x, w[1] = spin.y, w[2] = spin.z;
}

static void stopBody(wbExactStep *step, int body, float share) {
    wbSolverBody *solver = &step->bodies[body];
    float undone[3];
    for (int k = 0; k < 3; k++) {
        undone[k] = (1 - share) * solver->way[k];
        solver->way[k] *= share, solver->turn[k] *= share;
    }
    for (int t = 0; t < step->topCount; t++)
        if (step->tops[t].body == body) turnBack(step, &step->tops[t]);
    undoFall(step, body, undone);
}

static void sweepBody(Sweep *sweep, int body) {
    const wbRigid *rigid = sweep->step->rigid;
    sweep->body = body, sweep->share = 1;
    sweep->from = wbRigid_GetPose(rigid, body), sweep->to = getEnd(sweep->step, body);
    for (int k = rigid->firstPiece[body]; k < rigid->firstPiece[body] + rigid->pieceCount[body]; k++) {
        const BroadBox box = boundWay(&sweep->pieces[k], &sweep->from, &sweep->to);
        if (sweep->tree->count > 0) wbBroadPhase_FindAll(sweep->tree, &box, meetFixed, sweep);
    }
    meetSides(sweep);
    meetPlanes(sweep);
    if (rigid->bits[body] & WB_RIGID_BULLET) meetMoving(sweep);
    if (sweep->share < 1) stopBody(sweep->step, body, sweep->share);
}

static wbStatus growTree(Sweep *sweep) {
    const wbExactStep *step = sweep->step;
    wbPairSearch *search = &step->rigid->contacts.search;
    int count = 0;
    if (!wbArray_Reserve(step->work->memory, &search->sweptPieces, step->pieceCount) ||
        !wbBroadPhase_Reserve(step->work->memory, &search->swept, step->pieceCount))
        return wbMemoryError(step->work->memory, "continuous collision with %d pieces needs",
                             step->pieceCount);
    int *pieces = search->sweptPieces.data;
    for (int k = 0; k < step->pieceCount; k++) {
        const uint32_t bits = step->rigid->bits[step->pieceBodies[k]];
        if (!(bits & (WB_RIGID_DYNAMIC | WB_RIGID_OFF)) && sweep->pieces[k].kind != wb_piecePlane)
            pieces[count++] = k;
    }
    wbBroadPhase_SetCount(&search->swept, count);
    for (int i = 0; i < count; i++) {
        const int body = step->pieceBodies[pieces[i]];
        const wbPose from = wbRigid_GetPose(step->rigid, body), to = getEnd(step, body);
        const BroadBox box = boundWay(&sweep->pieces[pieces[i]], &from, &to);
        wbBroadPhase_SetBox(&search->swept, i, &box);
    }
    wbBroadPhase_Update(&search->swept);
    sweep->tree = &search->swept, sweep->treePieces = pieces;
    return wb_okStatus;
}

wbStatus wbStopFastBodies(wbExactStep *step) {
    Sweep sweep = {.step = step, .pieces = step->rigid->pieces.data};
    if (!step->model->params.continuous) return wb_okStatus;
    for (int body = 0; body < step->rigid->count; body++) {
        if (!isFast(step, body)) continue;
        if (!sweep.tree) WB_TRY(growTree(&sweep));
        sweepBody(&sweep, body);
    }
    return wb_okStatus;
}
