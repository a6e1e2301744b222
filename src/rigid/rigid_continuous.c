// SPDX-License-Identifier: MIT
// Continuous collision: a body that went farther in a step than it is thick stops where it first touches something that stands or
// moves by itself; a bullet also at what forces move. It keeps the velocity that it had there, so that the next step finds the contact.
// What comes too slowly to bounce does not stop: it is pushed there and goes on. A needle that tips over its end lifts that a little in
// each step, since contacts see it turn on a straight line, and would lose every other step when it comes down.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "rigid/closest.h"
#include "rigid/rigid_code.h"
#include "rigid/rigid_springs_formula.h"

// Pieces of bodies that forces do not move, in a tree that is made in steps in which something is fast.
typedef struct Sweep {
    wbExactStep *step;
    const wbRigidPiece *pieces;
    wbBroadPhase *tree;
    const int *treePieces;
    // the body that is fast
    int body;
    wbSolverTop *top; // NULL: it does not tumble
    wbPose from, to;
    float begun;    // the share of the step that is over where it begins
    wbImpact first; // on this way
    int other;      // that it meets there, or the number of bodies and a side
    int carrier;    // what it goes along with on this way, as `other`; NOTHING: it moves by itself
} Sweep;
enum { mostPushes = 4, pushPasses = 8, NOTHING = -1 };

static float lengthOf(const float v[3]) { return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static bool isFast(const wbExactStep *step, int body) {
    const wbRigid *rigid = step->rigid;
    const wbSolverBody *solver = &step->bodies[body];
    if (step->masses[body].inverseMass <= 0 || rigid->bits[body] & WB_RIGID_SENSOR) return false;
    return lengthOf(solver->way) + rigid->reach[body] * lengthOf(solver->turn) > rigid->core[body];
}

static wbPose getPoseAt(const wbExactStep *step, int body, float share) {
    wbPose pose = wbRigid_GetPose(step->rigid, body);
    const wbSolverBody *solver = &step->bodies[body];
    const wbVec3 turn = wbMakeVec3(solver->turn[0], solver->turn[1], solver->turn[2]);
    for (int k = 0; k < 3; k++) pose.position[k] += share * solver->way[k];
    wbTurnBy(pose.rotation, wbScale(share, turn));
    return pose;
}

// The vector of a turn from one rotation to another, on the shorter way.
static wbVec3 findTurn(const float p[4], const float q[4]) {
    const double w = (double)q[3] * p[3] + (double)q[0] * p[0] + (double)q[1] * p[1] + (double)q[2] * p[2];
    const wbVec3d half = {
        (double)q[0] * p[3] - (double)q[3] * p[0] - ((double)q[1] * p[2] - (double)q[2] * p[1]),
        (double)q[1] * p[3] - (double)q[3] * p[1] - ((double)q[2] * p[0] - (double)q[0] * p[2]),
        (double)q[2] * p[3] - (double)q[3] * p[2] - ((double)q[0] * p[1] - (double)q[1] * p[0])};
    const double sine = sqrt(wbDot3d(half, half)), scale = sine > 0 ? 2 * atan2(sine, fabs(w)) / sine : 2;
    return wbToFloat(wbScale3d(w < 0 ? -scale : scale, half));
}

// Where it is after a share of the way from one pose to another.
static wbPose interpolate(const wbPose *from, const wbPose *to, float share) {
    wbPose pose = *from;
    for (int k = 0; k < 3; k++) pose.position[k] += share * (to->position[k] - from->position[k]);
    wbTurnBy(pose.rotation, wbScale(share, findTurn(from->rotation, to->rotation)));
    return pose;
}

static BroadBox boundWay(const wbRigidPiece *piece, const wbPose *from, const wbPose *to) {
    const BroadBox a = wbRigidPiece_Bound(piece, from), b = wbRigidPiece_Bound(piece, to);
    return wbJoinBoxes(&a, &b);
}

static bool mayTouch(const Sweep *sweep, int other) {
    const wbRigid *rigid = sweep->step->rigid;
    const int body = sweep->body;
    if (other == body || other == sweep->carrier || rigid->bits[other] & (WB_RIGID_OFF | WB_RIGID_SENSOR))
        return false;
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
                      int otherPiece, int row) {
    const wbRigid *rigid = sweep->step->rigid;
    const wbPose otherFrom = wbPose_Multiply(from, &other->pose), otherTo = wbPose_Multiply(to, &other->pose);
    const int first = rigid->firstPiece[sweep->body];
    for (int k = first; k < first + rigid->pieceCount[sweep->body]; k++) {
        const wbRigidPiece *piece = &sweep->pieces[k];
        const wbPose ownFrom = wbPose_Multiply(&sweep->from, &piece->pose),
                     ownTo = wbPose_Multiply(&sweep->to, &piece->pose);
        const wbImpact impact = wbFindImpact(piece, &ownFrom, &ownTo, other, &otherFrom, &otherTo,
                                             getSlop(sweep->step, k, otherPiece));
        if (impact.share < sweep->first.share) sweep->first = impact, sweep->other = row;
    }
}

static void meetFixed(int item, void *context) {
    Sweep *sweep = context;
    const int piece = sweep->treePieces[item], other = sweep->step->pieceBodies[piece];
    if (!mayTouch(sweep, other)) return;
    const wbPose from = getPoseAt(sweep->step, other, sweep->begun), to = getPoseAt(sweep->step, other, 1);
    meetPiece(sweep, &sweep->pieces[piece], &from, &to, piece, other);
}

static void meetSides(Sweep *sweep) {
    const wbDomain *domain = sweep->step->model->domain;
    const wbRigidPiece plane = {.kind = wb_piecePlane, .pose = wb_poseAtOrigin};
    for (int side = 0; side < wb_sideCount; side++) {
        const float way = domain->velocity[side][side / 2] * sweep->step->dt;
        wbPose from = wbGetSidePose(domain, side), to = from;
        from.position[side / 2] += sweep->begun * way, to.position[side / 2] += way;
        const int row = sweep->step->bodyCount + side;
        if (domain->closed[side] && row != sweep->carrier) meetPiece(sweep, &plane, &from, &to, -1, row);
    }
}

static bool areWaysNear(const Sweep *sweep, int other) {
    const wbExactStep *step = sweep->step;
    const float *start = sweep->from.position, *end = sweep->to.position;
    const float way[3] = {end[0] - start[0], end[1] - start[1], end[2] - start[2]};
    const float at[3] = {step->rigid->x[other], step->rigid->y[other], step->rigid->z[other]};
    float reach =
        step->rigid->reach[sweep->body] + step->rigid->reach[other] + lengthOf(step->bodies[other].way);
    float along = 0, way2 = 1e-30f, d2 = 0;
    for (int k = 0; k < 3; k++) along += way[k] * (at[k] - start[k]), way2 += way[k] * way[k];
    const float t = fmaxf(0, fminf(1, along / way2));
    for (int k = 0; k < 3; k++) {
        const float d = start[k] + t * way[k] - at[k];
        d2 += d * d;
    }
    return d2 <= reach * reach;
}

static void meetMoving(Sweep *sweep) {
    const wbRigid *rigid = sweep->step->rigid;
    for (int other = 0; other < rigid->count; other++) {
        if (!(rigid->bits[other] & WB_RIGID_DYNAMIC) || !mayTouch(sweep, other) || !areWaysNear(sweep, other))
            continue;
        const wbPose from = getPoseAt(sweep->step, other, sweep->begun),
                     to = getPoseAt(sweep->step, other, 1);
        for (int k = rigid->firstPiece[other]; k < rigid->firstPiece[other] + rigid->pieceCount[other]; k++)
            meetPiece(sweep, &sweep->pieces[k], &from, &to, k, other);
    }
}

static void meetPlanes(Sweep *sweep) {
    const wbExactStep *step = sweep->step;
    for (int i = 0; i < step->bodyCount; i++) {
        if (isfinite(step->rigid->reach[i]) || !mayTouch(sweep, i)) continue;
        const wbPose from = getPoseAt(step, i, sweep->begun), to = getPoseAt(step, i, 1);
        const int piece = step->rigid->firstPiece[i];
        meetPiece(sweep, &sweep->pieces[piece], &from, &to, piece, i);
    }
}

// The first that it meets on its way.
static void findFirst(Sweep *sweep) {
    const wbRigid *rigid = sweep->step->rigid;
    const int body = sweep->body, first = rigid->firstPiece[body];
    sweep->first = (wbImpact){.share = 1};
    for (int k = first; k < first + rigid->pieceCount[body]; k++) {
        const BroadBox box = boundWay(&sweep->pieces[k], &sweep->from, &sweep->to);
        if (sweep->tree->count > 0) wbBroadPhase_FindAll(sweep->tree, &box, meetFixed, sweep);
    }
    meetSides(sweep);
    meetPlanes(sweep);
    if (rigid->bits[body] & WB_RIGID_BULLET) meetMoving(sweep);
}

// What it is there

static wbVec3 getSpin(const wbExactStep *step, int body) {
    const float *w = step->bodies[body].w;
    return wbMakeVec3(w[0], w[1], w[2]);
}
static void setSpin(const wbExactStep *step, int body, wbVec3 spin) {
    float *w = step->bodies[body].w;
    w[0] = spin.x, w[1] = spin.y, w[2] = spin.z;
}

// Its spin by its angular momentum, or the other way round. In the plane it has no moments but one.
static wbVec3 weigh(const float scale[3], const wbPose *pose, wbVec3 v) {
    const wbVec3 own = wbPose_RotateInverse(pose, v);
    return wbPose_Rotate(pose, wbMakeVec3(scale[0] * own.x, scale[1] * own.y, scale[2] * own.z));
}
static void getMoments(const wbRigid *rigid, int body, float inverse[3], float moments[3]) {
    inverse[0] = rigid->inverseInertiaX[body], inverse[1] = rigid->inverseInertiaY[body];
    inverse[2] = rigid->inverseInertiaZ[body];
    for (int k = 0; k < 3; k++) moments[k] = inverse[k] > 0 ? 1 / inverse[k] : 0;
}

// A body did not fall along the part of its way that is undone: its energy is that of where it stops. What nothing touched turns on.
static void undoFall(const Sweep *sweep, const wbPose *at) {
    const wbExactStep *step = sweep->step;
    const int body = sweep->body;
    float *v = step->bodies[body].v, *w = step->bodies[body].w, energy = 1e-30f, work = 0;
    float inverse[3], moments[3];
    const float *kick = step->kicks[body].v, *start = step->starts[body];
    const bool isTouched = v[0] != start[0] || v[1] != start[1] || v[2] != start[2];
    for (int k = 0; k < 3; k++) {
        energy += v[k] * v[k];
        work += kick[k] / step->h * (sweep->to.position[k] - at->position[k]);
    }
    if (isTouched) {
        const wbVec3 spin = getSpin(step, body);
        getMoments(step->rigid, body, inverse, moments);
        energy += step->masses[body].inverseMass * wbDot(spin, weigh(moments, at, spin));
        work = fmaxf(0, work);
    }
    const float scale = sqrtf(fmaxf(0, 1 - 2 * work / energy));
    for (int k = 0; k < 3; k++) {
        v[k] *= scale;
        if (isTouched) w[k] *= scale;
    }
}

// A body that tumbles keeps its spin about its own axes: one about the axis of a rod, seen from another direction of the rod, would be
// one across it, with many times its energy.
static void turnBack(const Sweep *sweep, const wbPose *at) {
    if (!sweep->top) return;
    const wbVec3 own = wbPose_RotateInverse(&sweep->to, getSpin(sweep->step, sweep->body));
    setSpin(sweep->step, sweep->body, wbPose_Rotate(at, own));
}

static wbVec3 getOtherVelocity(const Sweep *sweep, wbVec3 point) {
    const wbExactStep *step = sweep->step;
    const int other = sweep->other;
    if (other >= step->bodyCount) {
        const float *v = step->model->domain->velocity[other - step->bodyCount];
        return wbMakeVec3(v[0], v[1], v[2]);
    }
    const wbPose pose = getPoseAt(step, other, sweep->begun);
    const float *v = step->bodies[other].v;
    const wbVec3 arm = wbSub(point, wbMakeVec3(pose.position[0], pose.position[1], pose.position[2]));
    return wbAdd(wbMakeVec3(v[0], v[1], v[2]), wbCross(getSpin(step, other), arm));
}

static float getFriction(const Sweep *sweep) {
    const wbRigidParams *params = &sweep->step->model->params;
    const float *friction = sweep->step->rigid->friction, own = friction[sweep->body];
    const int rule = (int)params->frictionMix;
    if (sweep->other < sweep->step->bodyCount) return rigid_mix(rule, own, friction[sweep->other]);
    return params->sideMaterial == wb_sideMaterialOwn ? rigid_mix(rule, own, params->sideFriction) : own;
}

// The point where it touches, as contacts see one.
typedef struct Touch {
    const wbPose *at;
    wbVec3 arm, normal, otherVelocity;
    float inverseMass, inverse[3];
} Touch;

static Touch makeTouch(const Sweep *sweep, const wbPose *at) {
    const wbVec3 point = wbToFloat(sweep->first.point);
    float moments[3];
    Touch touch = {.at = at,
                   .arm = wbSub(point, wbMakeVec3(at->position[0], at->position[1], at->position[2])),
                   .normal = wbToFloat(sweep->first.normal),
                   .otherVelocity = getOtherVelocity(sweep, point),
                   .inverseMass = sweep->step->masses[sweep->body].inverseMass};
    getMoments(sweep->step->rigid, sweep->body, touch.inverse, moments);
    return touch;
}

static wbVec3 getVelocity(const wbSolverBody *body, const Touch *touch) {
    const wbVec3 v = wbMakeVec3(body->v[0], body->v[1], body->v[2]),
                 w = wbMakeVec3(body->w[0], body->w[1], body->w[2]);
    return wbSub(wbAdd(v, wbCross(w, touch->arm)), touch->otherVelocity);
}

// 1/kg
static float getYielding(const Touch *touch, wbVec3 direction) {
    const wbVec3 lever = wbCross(touch->arm, direction);
    return touch->inverseMass + wbDot(lever, weigh(touch->inverse, touch->at, lever));
}

static void applyImpulse(wbSolverBody *body, const Touch *touch, wbVec3 impulse) {
    const wbVec3 turn = weigh(touch->inverse, touch->at, wbCross(touch->arm, impulse));
    body->v[0] += touch->inverseMass * impulse.x, body->w[0] += turn.x;
    body->v[1] += touch->inverseMass * impulse.y, body->w[1] += turn.y;
    body->v[2] += touch->inverseMass * impulse.z, body->w[2] += turn.z;
}

// Takes away what of its speed at the point of touch goes on into what it touches, and rubs there. False: that is so fast that the next
// step must see it, or it is another's as well.
static bool pushAway(const Sweep *sweep, const wbPose *at) {
    const wbExactStep *step = sweep->step;
    if (sweep->other < step->bodyCount && step->rigid->bits[sweep->other] & WB_RIGID_DYNAMIC) return false;
    wbSolverBody *body = &step->bodies[sweep->body];
    const Touch touch = makeTouch(sweep, at);
    const wbVec3 n = touch.normal;
    const float friction = getFriction(sweep), yields = getYielding(&touch, n);
    wbVec3 drag = wbMakeVec3(0, 0, 0);
    float push = 0;
    if (wbDot(n, getVelocity(body, &touch)) > step->model->params.restitutionSpeed) return false;
    for (int pass = 0; pass < pushPasses; pass++) {
        const float before = push;
        push = fmaxf(0, push + wbDot(n, getVelocity(body, &touch)) / yields);
        applyImpulse(body, &touch, wbScale(before - push, n));
        const wbVec3 v = getVelocity(body, &touch), across = wbSub(v, wbScale(wbDot(v, n), n));
        const float speed = sqrtf(wbDot(across, across));
        if (!(speed > 0)) continue;
        const wbVec3 wanted =
            wbSub(drag, wbScale(1 / getYielding(&touch, wbScale(1 / speed, across)), across));
        const float size = sqrtf(wbDot(wanted, wanted)), most = friction * push;
        const wbVec3 now = size > most ? wbScale(most / size, wanted) : wanted;
        applyImpulse(body, &touch, wbSub(now, drag));
        drag = now;
    }
    return true;
}

// Freely, for the rest of the step.
static void flyOn(Sweep *sweep) {
    const wbExactStep *step = sweep->step;
    const float time = (1 - sweep->begun) * step->dt, *v = step->bodies[sweep->body].v;
    float inverse[3], moments[3];
    getMoments(step->rigid, sweep->body, inverse, moments);
    const wbVec3 momentum = weigh(moments, &sweep->from, getSpin(step, sweep->body));
    sweep->to = sweep->from;
    for (int k = 0; k < 3; k++) sweep->to.position[k] += time * v[k];
    wbTurnFreely(sweep->to.rotation, inverse, momentum, time);
    setSpin(step, sweep->body, weigh(inverse, &sweep->to, momentum));
}

static void setEnd(const Sweep *sweep, const wbPose *end) {
    const wbPose start = wbRigid_GetPose(sweep->step->rigid, sweep->body);
    wbSolverBody *solver = &sweep->step->bodies[sweep->body];
    const wbVec3 turn = findTurn(start.rotation, end->rotation);
    for (int k = 0; k < 3; k++) solver->way[k] = end->position[k] - start.position[k];
    solver->turn[0] = turn.x, solver->turn[1] = turn.y, solver->turn[2] = turn.z;
    if (sweep->top) memcpy(sweep->top->rotation, end->rotation, sizeof end->rotation);
}

// Where what it met takes it in the rest of the step: a wall that moves on would else leave it behind its back. A bullet whose turn comes
// later may still stop at this body, and does not push it on.
static wbPose findCarried(const Sweep *sweep, const wbPose *at) {
    const wbExactStep *step = sweep->step;
    const int other = sweep->other, side = other - step->bodyCount;
    wbPose carried = *at;
    if (side >= 0) {
        const float way = step->model->domain->velocity[side][side / 2] * step->dt;
        carried.position[side / 2] += (1 - sweep->begun) * way;
        return carried;
    }
    const wbSolverBody *solver = &step->bodies[other];
    const bool isStill = lengthOf(solver->way) + lengthOf(solver->turn) == 0;
    if (isStill || (step->rigid->bits[other] & WB_RIGID_BULLET && other > sweep->body)) return carried;
    const wbPose from = getPoseAt(step, other, sweep->begun), to = getPoseAt(step, other, 1),
                 back = wbPose_Invert(&from), own = wbPose_Multiply(&back, at);
    return wbPose_Multiply(&to, &own);
}

// It stops where it is, or goes along with what it met until something else is in the way.
static void stop(Sweep *sweep, const wbPose *at) {
    sweep->from = *at, sweep->to = findCarried(sweep, at);
    if (memcmp(&sweep->from, &sweep->to, sizeof sweep->from) != 0) {
        sweep->carrier = sweep->other;
        findFirst(sweep);
        if (sweep->first.share < 1) sweep->to = interpolate(&sweep->from, &sweep->to, sweep->first.share);
    }
    setEnd(sweep, &sweep->to);
}

static void sweepBody(Sweep *sweep) {
    sweep->begun = 0, sweep->carrier = NOTHING;
    sweep->from = wbRigid_GetPose(sweep->step->rigid, sweep->body);
    sweep->to = getPoseAt(sweep->step, sweep->body, 1);
    if (sweep->top) memcpy(sweep->to.rotation, sweep->top->rotation, sizeof sweep->to.rotation);
    for (int n = 0;; n++) {
        findFirst(sweep);
        if (sweep->first.share >= 1) {
            if (n > 0) setEnd(sweep, &sweep->to);
            return;
        }
        const wbPose at = interpolate(&sweep->from, &sweep->to, sweep->first.share);
        sweep->begun += (1 - sweep->begun) * sweep->first.share;
        turnBack(sweep, &at);
        if (n == mostPushes || !pushAway(sweep, &at)) {
            undoFall(sweep, &at);
            stop(sweep, &at);
            return;
        }
        sweep->from = at;
        flyOn(sweep);
    }
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
        const wbPose from = wbRigid_GetPose(step->rigid, body), to = getPoseAt(step, body, 1);
        const BroadBox box = boundWay(&sweep->pieces[pieces[i]], &from, &to);
        wbBroadPhase_SetBox(&search->swept, i, &box);
    }
    wbBroadPhase_Update(&search->swept);
    sweep->tree = &search->swept, sweep->treePieces = pieces;
    return wb_okStatus;
}

wbStatus wbStopFastBodies(wbExactStep *step) {
    Sweep sweep = {.step = step, .pieces = step->rigid->pieces.data};
    int top = 0;
    if (!step->model->params.continuous) return wb_okStatus;
    for (int body = 0; body < step->rigid->count; body++) {
        if (!isFast(step, body)) continue;
        if (!sweep.tree) WB_TRY(growTree(&sweep));
        while (top < step->topCount && step->tops[top].body < body) top++;
        sweep.body = body;
        sweep.top = top < step->topCount && step->tops[top].body == body ? &step->tops[top] : NULL;
        sweepBody(&sweep);
    }
    return wb_okStatus;
}
