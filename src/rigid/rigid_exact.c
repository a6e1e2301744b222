// SPDX-License-Identifier: MIT
#include "rigid/rigid_exact.h"

#include <math.h>
#include <string.h>

#include "core/status.h"
#include "core/timer.h"
#include "rigid/rigid_code.h"

enum { bodyBlock = 256 };

// Bodies

static bool isMoving(uint32_t bits) {
    return !(bits & (WB_RIGID_OFF | WB_RIGID_ASLEEP)) && bits & (WB_RIGID_DYNAMIC | WB_RIGID_KINEMATIC);
}

static bool isPushed(uint32_t bits) {
    return bits & WB_RIGID_DYNAMIC && !(bits & (WB_RIGID_OFF | WB_RIGID_ASLEEP));
}

// R diag(m) R^T
static void turnInertia(const float q[4], const float m[3], float tensor[6]) {
    const float x = q[0], y = q[1], z = q[2], w = q[3];
    const float r[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                           {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                           {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    for (int i = 0, k = 0; i < 3; i++)
        for (int j = i; j < 3; j++, k++)
            tensor[k] = r[i][0] * m[0] * r[j][0] + r[i][1] * m[1] * r[j][1] + r[i][2] * m[2] * r[j][2];
}

static float larger(float a, float b) { return a > b ? a : b; }
static float smaller(float a, float b) { return a < b ? a : b; }

static bool isRound(const float moments[3]) {
    const float most = larger(larger(moments[0], moments[1]), moments[2]);
    return most - smaller(smaller(moments[0], moments[1]), moments[2]) <= 1e-6f * most;
}

static wbVec3 weigh(const float tensor[6], wbVec3 v) {
    return wbMakeVec3(tensor[0] * v.x + tensor[1] * v.y + tensor[2] * v.z,
                      tensor[1] * v.x + tensor[3] * v.y + tensor[4] * v.z,
                      tensor[2] * v.x + tensor[4] * v.y + tensor[5] * v.z);
}

static void beginMass(const wbRigid *rigid, int i, wbSolverMass *mass) {
    *mass = (wbSolverMass){.isRound = 1};
    if (!isPushed(rigid->bits[i])) return;
    const float moments[3] = {rigid->inverseInertiaX[i], rigid->inverseInertiaY[i],
                              rigid->inverseInertiaZ[i]};
    const float q[4] = {rigid->qx[i], rigid->qy[i], rigid->qz[i], rigid->qw[i]};
    mass->inverseMass = rigid->inverseMass[i];
    mass->isRound = isRound(moments);
    if (mass->isRound > 0) {
        mass->inverseInertia[0] = mass->inverseInertia[3] = mass->inverseInertia[5] = moments[0];
    } else {
        turnInertia(q, moments, mass->inverseInertia);
    }
}

static void beginKick(const wbExactStep *step, int i, wbSolverKick *kick) {
    const wbRigid *rigid = step->rigid;
    const wbSolverMass *mass = &step->masses[i];
    *kick = (wbSolverKick){.keepV = 1, .keepW = 1};
    if (mass->inverseMass <= 0) return;
    const float h = step->h, scale = h * rigid->gravityScale[i], push = h * mass->inverseMass;
    const wbVec3 g = step->model->domain->gravity;
    const wbVec3 turn = weigh(mass->inverseInertia, wbMakeVec3(rigid->tx[i], rigid->ty[i], rigid->tz[i]));
    const bool flat = step->model->domain->dimensions == 2;
    kick->v[0] = scale * g.x + push * rigid->fx[i];
    kick->v[1] = scale * g.y + push * rigid->fy[i];
    kick->v[2] = flat ? 0 : scale * g.z + push * rigid->fz[i];
    kick->w[0] = h * turn.x, kick->w[1] = h * turn.y, kick->w[2] = h * turn.z;
    kick->keepV = 1 / (1 + h * rigid->linearDamping[i]);
    kick->keepW = 1 / (1 + h * rigid->angularDamping[i]);
}

static void beginBody(const wbRigid *rigid, int i, wbSolverBody *body) {
    *body = (wbSolverBody){.v = {0}};
    if (!isMoving(rigid->bits[i])) return;
    body->v[0] = rigid->vx[i], body->v[1] = rigid->vy[i], body->v[2] = rigid->vz[i];
    body->w[0] = rigid->wx[i], body->w[1] = rigid->wy[i], body->w[2] = rigid->wz[i];
}

static void beginBodies(int begin, int end, int worker, void *context) {
    wbExactStep *step = context;
    (void)worker;
    for (int i = begin; i < end; i++) {
        beginBody(step->rigid, i, &step->bodies[i]);
        beginMass(step->rigid, i, &step->masses[i]);
        beginKick(step, i, &step->kicks[i]);
        step->materials[i] = (wbSolverMaterial){step->rigid->friction[i], step->rigid->rollingFriction[i],
                                                step->rigid->restitution[i], step->masses[i].isRound};
    }
}

// Sides are bodies that move at their own velocity.
static void beginSides(wbExactStep *step) {
    const wbDomain *domain = step->model->domain;
    for (int k = 0; k < WB_EXTRA_ROWS; k++) {
        const int i = step->bodyCount + k;
        step->bodies[i] = (wbSolverBody){.v = {0}}, step->masses[i] = (wbSolverMass){.isRound = 1};
        step->kicks[i] = (wbSolverKick){.keepV = 1, .keepW = 1};
        step->materials[i] = (wbSolverMaterial){.isRound = 1};
        if (k < WB_SIDE_ROWS && domain->closed[k])
            memcpy(step->bodies[i].v, domain->velocity[k], sizeof step->bodies[i].v);
    }
}

static bool isTop(const wbExactStep *step, int i) {
    const wbRigid *rigid = step->rigid;
    return !(step->materials[i].isRound > 0) && rigid->inverseInertiaX[i] > 0 &&
           rigid->inverseInertiaY[i] > 0 && rigid->inverseInertiaZ[i] > 0;
}

static void beginTop(const wbRigid *rigid, int i, wbSolverTop *top) {
    const float moments[3] = {rigid->inverseInertiaX[i], rigid->inverseInertiaY[i],
                              rigid->inverseInertiaZ[i]};
    *top = (wbSolverTop){.body = i,
                         .rotation = {rigid->qx[i], rigid->qy[i], rigid->qz[i], rigid->qw[i]},
                         .inverseInertia = {moments[0], moments[1], moments[2]},
                         .spin = {rigid->wx[i], rigid->wy[i], rigid->wz[i]},
                         .axis = -1};
    const int k = moments[0] > moments[1] ? 0 : 1, most = moments[2] > moments[k] ? 2 : k;
    top->slenderness = moments[most] / smaller(moments[(most + 1) % 3], moments[(most + 2) % 3]);
    if (top->slenderness > RIGID_NEEDLE) top->axis = most;
    turnInertia(top->rotation, (float[3]){1 / moments[0], 1 / moments[1], 1 / moments[2]}, top->inertia);
    top->momentum = weigh(top->inertia, top->spin);
}

// Bodies that tumble, and what some ask for, so that it need not be there if none does.
static wbStatus surveyBodies(wbExactStep *step) {
    const wbRigidParams *params = &step->model->params;
    int count = 0;
    step->hasBounce = params->sideMaterial == wb_sideMaterialOwn && params->sideRestitution > 0;
    for (int i = 0; i < step->bodyCount; i++) {
        const wbSolverMaterial *material = &step->materials[i];
        step->hasUneven |= !(material->isRound > 0);
        step->hasRolling |= material->rolling > 0, step->hasBounce |= material->bounce > 0;
        count += isTop(step, i);
    }
    step->topCount = 0;
    step->tops = wbArena_Alloc(step->work->arena, (size_t)count * sizeof(wbSolverTop));
    if (!step->tops) return wbMemoryError(step->work->memory, "%d rigid bodies that tumble need", count);
    for (int i = 0; step->topCount < count; i++)
        if (isTop(step, i)) beginTop(step->rigid, i, &step->tops[step->topCount++]);
    return wb_okStatus;
}

static wbStatus begin(wbExactStep *step) {
    wbArena *arena = step->work->arena;
    const size_t rows = (size_t)(step->bodyCount + WB_EXTRA_ROWS);
    step->bodies = wbArena_Alloc(arena, rows * sizeof(wbSolverBody));
    step->masses = wbArena_Alloc(arena, rows * sizeof(wbSolverMass));
    step->materials = wbArena_Alloc(arena, rows * sizeof(wbSolverMaterial));
    step->kicks = wbArena_Alloc(arena, rows * sizeof(wbSolverKick));
    step->starts = wbArena_Alloc(arena, rows * sizeof(float[8]));
    if (!step->bodies || !step->masses || !step->materials || !step->kicks || !step->starts)
        return wbMemoryError(step->work->memory, "a step of %d rigid bodies needs", step->bodyCount);
    wbParallelFor(step->work->pool, step->bodyCount, bodyBlock, beginBodies, step);
    beginSides(step);
    return surveyBodies(step);
}

// Sub-steps

// Forces, and the impulses of the sub-step before once more: they are the warm start of this one, without a pass over contacts.
static void kickBodies(int begin, int end, int worker, void *context) {
    wbExactStep *step = context;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const wbSolverKick *kick = &step->kicks[i];
        float *v = step->bodies[i].v, *w = step->bodies[i].w, *start = step->starts[i];
        for (int k = 0; k < 3; k++) {
            const float impulse = v[k] - start[k], turn = w[k] - start[k + 3];
            start[k] = (v[k] + kick->v[k]) * kick->keepV, start[k + 3] = (w[k] + kick->w[k]) * kick->keepW;
            v[k] = start[k] + impulse, w[k] = start[k + 3] + turn;
        }
    }
}

// What starts hold becomes the impulses so far, and at the next call starts again: what happens to velocities in between is no
// impulse for the next sub-step to begin with.
static void keepImpulses(int begin, int end, int worker, void *context) {
    wbExactStep *step = context;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const wbSolverBody *body = &step->bodies[i];
        float *start = step->starts[i];
        for (int k = 0; k < 3; k++)
            start[k] = body->v[k] - start[k], start[k + 3] = body->w[k] - start[k + 3];
    }
}

static void moveBodies(int begin, int end, int worker, void *context) {
    wbExactStep *step = context;
    const float h = step->h;
    (void)worker;
    for (int i = begin; i < end; i++) {
        wbSolverBody *body = &step->bodies[i];
        for (int k = 0; k < 3; k++) body->way[k] += h * body->v[k], body->turn[k] += h * body->w[k];
    }
}

// Of half an angle, from its square: the cosine, and the sine by the angle. Series up to half a radian: bodies seldom turn farther in a
// step, and sines cost as much as the rest of it.
static inline double halve(double a2, double *cosine) {
    if (a2 > 0.25) {
        const double angle = sqrt(a2);
        *cosine = cos(0.5 * angle);
        return sin(0.5 * angle) / angle;
    }
    *cosine = 1 - a2 * (1.0 / 8 - a2 * (1.0 / 384 - a2 / 46080));
    return 0.5 - a2 * (1.0 / 48 - a2 * (1.0 / 3840 - a2 / 645120));
}

static inline void turnBy(float q[4], wbVec3 turn) {
    double w;
    const double s = halve((double)turn.x * turn.x + (double)turn.y * turn.y + (double)turn.z * turn.z, &w);
    const double x = s * turn.x, y = s * turn.y, z = s * turn.z;
    const double r[4] = {w * q[0] + x * q[3] + y * q[2] - z * q[1], w * q[1] - x * q[2] + y * q[3] + z * q[0],
                         w * q[2] + x * q[1] - y * q[0] + z * q[3],
                         w * q[3] - x * q[0] - y * q[1] - z * q[2]};
    const double perLength = 1 / sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    for (int k = 0; k < 4; k++) q[k] = (float)(r[k] * perLength);
}

void wbTurnBy(float q[4], wbVec3 turn) { turnBy(q, turn); }

// R diag(m) R^T L, from the right to the left.
static wbVec3 getSpin(const wbSolverTop *top, const float q[4], wbVec3 momentum) {
    const float x = q[0], y = q[1], z = q[2], w = q[3];
    const wbVec3 a = wbMakeVec3(1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)),
                 b = wbMakeVec3(2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)),
                 c = wbMakeVec3(2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y));
    const float *moments = top->inverseInertia;
    return wbAdd(
        wbAdd(wbScale(moments[0] * wbDot(a, momentum), a), wbScale(moments[1] * wbDot(b, momentum), b)),
        wbScale(moments[2] * wbDot(c, momentum), c));
}

// About one of its own axes, by the share `rate` of the momentum along it: q times a turn in its own frame. Its length is left to wbTurnBy.
static void turnAbout(float q[4], int k, float rate, wbVec3 momentum) {
    const int i = k, j = (k + 1) % 3, l = (k + 2) % 3;
    const float m[3] = {momentum.x, momentum.y, momentum.z};
    const float along = (1 - 2 * (q[j] * q[j] + q[l] * q[l])) * m[i] +
                        2 * (q[i] * q[j] + q[3] * q[l]) * m[j] + 2 * (q[i] * q[l] - q[3] * q[j]) * m[l];
    const double angle = (double)(rate * along);
    double w;
    const double s = angle * halve(angle * angle, &w), p[4] = {q[0], q[1], q[2], q[3]};
    q[i] = (float)(w * p[i] + s * p[3]), q[j] = (float)(w * p[j] + s * p[l]);
    q[l] = (float)(w * p[l] - s * p[j]), q[3] = (float)(w * p[3] - s * p[i]);
}

// A free body for a time h, by parts of its energy L^2/(2 I) that each turn it in closed form, the lesser in two halves (McLachlan
// 1993; Touma and Wisdom 1994): as a body with two equal moments, which turns about L and about its own axis, and by what the moments
// that differ least do differ. It is exact for bodies with an axis, and energy does not drift for others. Midpoints let needles gain
// energy without end, where they turn far within a sub-step.
void wbTurnFreely(float q[4], const float moments[3], wbVec3 momentum, float h) {
    int axis = 0;
    float least = INFINITY;
    for (int k = 0; k < 3; k++) {
        const float d = fabsf(moments[(k + 1) % 3] - moments[(k + 2) % 3]);
        if (d < least) least = d, axis = k;
    }
    const int other = (axis + 2) % 3;
    const float equal = moments[(axis + 1) % 3], rest = 0.5f * h * (moments[other] - equal);
    if (rest != 0) turnAbout(q, other, rest, momentum);
    turnAbout(q, axis, h * (moments[axis] - equal), momentum);
    wbTurnBy(q, wbScale(h * equal, momentum));
    if (rest != 0) turnAbout(q, other, rest, momentum);
}

// What joints changed of a spin since the last time. They see the inertia as it is now, others as it was when the step began.
static wbVec3 takeJointTurn(wbExactStep *step, wbSolverTop *top) {
    if (step->jointStages == 0) return wbMakeVec3(0, 0, 0);
    float *turn = step->jointTurns[top->body], tensor[6];
    const wbVec3 joined = wbMakeVec3(turn[0], turn[1], turn[2]);
    const float moments[3] = {1 / top->inverseInertia[0], 1 / top->inverseInertia[1],
                              1 / top->inverseInertia[2]};
    turnInertia(top->rotation, moments, tensor);
    top->momentum = wbAdd(top->momentum, weigh(tensor, joined));
    turn[0] = turn[1] = turn[2] = 0;
    return joined;
}

// A needle turns thousands of times as easily about its own axis as across it. Contacts, which take its inertia from where the step
// began, would turn it by far too much once that axis points elsewhere, then turn it back by more. So a needle that they push does not
// turn in the solver beyond where that may be, and turns for the rest of the time when the step ends.
static bool waits(wbSolverTop *top, wbVec3 spin, wbVec3 pushed, float h) {
    if (top->axis < 0 || top->waiting > 0) return top->waiting > 0;
    const float *q = top->rotation;
    const int i = top->axis, j = (i + 1) % 3, l = (i + 2) % 3;
    float own[3];
    own[i] = 1 - 2 * (q[j] * q[j] + q[l] * q[l]);
    own[j] = 2 * (q[i] * q[j] + q[3] * q[l]), own[l] = 2 * (q[i] * q[l] - q[3] * q[j]);
    const float along = own[0] * spin.x + own[1] * spin.y + own[2] * spin.z, all = wbDot(spin, spin);
    const float swing = top->swing + h * sqrtf(larger(all - along * along, 0));
    if (top->slenderness * swing * swing > RIGID_SWING && wbDot(pushed, pushed) > 1e-6f * all) return true;
    top->swing = swing;
    return false;
}

static void endWaiting(const wbExactStep *step) {
    for (int t = 0; t < step->topCount; t++) {
        wbSolverTop *top = &step->tops[t];
        float *w = step->bodies[top->body].w;
        if (!(top->waiting > 0)) continue;
        const wbVec3 pushed = wbSub(wbMakeVec3(w[0], w[1], w[2]), top->spin);
        top->momentum = wbAdd(top->momentum, weigh(top->inertia, pushed));
        wbTurnFreely(top->rotation, top->inverseInertia, top->momentum, top->waiting);
        const wbVec3 spin = getSpin(top, top->rotation, top->momentum);
        w[0] = spin.x, w[1] = spin.y, w[2] = spin.z;
    }
}

// Between impulses a body's angular momentum stays, not its spin. Contacts see the turn of the mean spin.
static void tumble(int begin, int end, int worker, void *context) {
    wbExactStep *step = context;
    (void)worker;
    for (int t = begin; t < end; t++) {
        wbSolverTop *top = &step->tops[t];
        wbSolverBody *body = &step->bodies[top->body];
        float *start = step->starts[top->body];
        const wbVec3 joined = takeJointTurn(step, top);
        const wbVec3 pushed = wbSub(wbMakeVec3(body->w[0], body->w[1], body->w[2]), wbAdd(top->spin, joined));
        top->momentum = wbAdd(top->momentum, weigh(top->inertia, pushed));
        const wbVec3 spin = getSpin(top, top->rotation, top->momentum);
        if (waits(top, spin, pushed, step->h)) {
            top->waiting += step->h;
            top->spin = wbMakeVec3(body->w[0], body->w[1], body->w[2]);
            continue;
        }
        wbTurnFreely(top->rotation, top->inverseInertia, top->momentum, step->h);
        top->spin = getSpin(top, top->rotation, top->momentum);
        const wbVec3 middle = wbScale(0.5f, wbAdd(spin, top->spin));
        const float now[3] = {top->spin.x, top->spin.y, top->spin.z},
                    mean[3] = {middle.x, middle.y, middle.z};
        for (int k = 0; k < 3; k++) {
            start[k + 3] += now[k] - body->w[k];
            body->turn[k] += step->h * (mean[k] - body->w[k]);
            body->w[k] = now[k];
        }
        if (step->jointStages > 0)
            turnInertia(top->rotation, top->inverseInertia, step->masses[top->body].inverseInertia);
    }
}

// Phases of the solver, which all threads go through together.
typedef enum PhaseKind { phaseKick, phaseMove, phaseTumble, phasePass, phaseJoints, phaseKeep } PhaseKind;

typedef struct Phase {
    PhaseKind kind;
    int pass;
    int firstColour, lastColour; // more than one: by one thread, since they are short
    int stage;                   // of joints
    bool keeps;                  // contacts, after the last pass over them
} Phase;

typedef struct Phases {
    const wbExactStep *step;
    Phase *phases;
    int count;
} Phases;

// Colours with fewer groups than this are done by one thread: waiting for others would take longer.
enum { fewGroups = 6 };

static int countGroups(const wbExactStep *step, int colour) {
    int count = 0;
    for (int b = step->colourBatches[colour]; b < step->colourBatches[colour + 1]; b++)
        count += step->batches[b].count;
    return count;
}

// The first group of a batch that is a range's. Each batch is cut at the same share of it, so that threads stay where their bodies are;
// what is left over by rounding goes to another range in each, or the last thread would get all groups that are alone in their batch.
static int cutBatch(const wbContactBatch *batch, int index, int range, int ranges) {
    const int64_t rest = (int64_t)(index * 40503u % 65536u) * ranges / 65536; // multiples of the golden ratio
    return (int)(((int64_t)batch->count * range + rest) / ranges);
}

static void solveColour(wbExactStep *step, int colour, const Phase *phase, int range, int ranges) {
    const int pass = phase->pass;
    for (int b = step->colourBatches[colour]; b < step->colourBatches[colour + 1]; b++) {
        const wbContactBatch *batch = &step->batches[b];
        const int begin = cutBatch(batch, b, range, ranges), end = cutBatch(batch, b, range + 1, ranges);
        wbSolveGroupsFn *solve = pass < WB_PASS_MEET ? step->solveCode->solve : step->bounceCode->solve;
        if (begin < end) solve(step, batch, begin, end, pass);
        if (phase->keeps) step->solveCode->keep(batch->first + begin, batch->first + end, range, step);
    }
}

static void runPhase(int index, int range, int ranges, void *context) {
    const Phases *phases = context;
    wbExactStep *step = (wbExactStep *)phases->step;
    const Phase *phase = &phases->phases[index];
    const int rows = step->bodyCount + WB_EXTRA_ROWS,
              items = phase->kind == phaseTumble ? step->topCount : rows;
    const int begin = (int)((int64_t)items * range / ranges),
              end = (int)((int64_t)items * (range + 1) / ranges);
    switch (phase->kind) {
    case phaseKick:
        kickBodies(begin, end, range, step);
        break;
    case phaseMove:
        moveBodies(begin, end, range, step);
        break;
    case phaseTumble:
        tumble(begin, end, range, step);
        break;
    case phaseKeep:
        keepImpulses(begin, end, range, step);
        break;
    case phasePass:
        if (phase->lastColour == phase->firstColour) {
            solveColour(step, phase->firstColour, phase, range, ranges);
        } else if (range == 0) {
            for (int c = phase->firstColour; c <= phase->lastColour; c++) solveColour(step, c, phase, 0, 1);
        }
        break;
    case phaseJoints:
        wbSolveJoints(step->rigid, step->bodies, step->masses, step->starts, step->jointTurns,
                      (wbSolverPass)phase->pass, phase->stage, range, ranges);
    }
}

static void addJoints(Phases *phases, wbSolverPass pass) {
    for (int stage = 0; stage < phases->step->jointStages; stage++)
        phases->phases[phases->count++] = (Phase){.kind = phaseJoints, .pass = (int)pass, .stage = stage};
}

// Always in the same order: to and fro, so that passes begin with what is in the caches, saved 14 % of the solver's time with 10,000 boxes
// and a third of their largest overlap, but bodies at rest trembled and did not fall asleep.
static void addPass(Phases *phases, int pass) {
    const wbExactStep *step = phases->step;
    for (int colour = 0; colour < step->colourCount; colour++) {
        Phase *before = phases->count > 0 ? &phases->phases[phases->count - 1] : NULL;
        const bool isShort = countGroups(step, colour) < fewGroups;
        const bool follows = colour > 0 && before->kind == phasePass && before->pass == pass &&
                             countGroups(step, before->firstColour) < fewGroups;
        if (isShort && follows)
            before->lastColour = colour;
        else
            phases->phases[phases->count++] =
                (Phase){.kind = phasePass, .pass = pass, .firstColour = colour, .lastColour = colour};
    }
}

static void addPhase(Phases *phases, PhaseKind kind) {
    phases->phases[phases->count++] = (Phase){.kind = kind};
}

static void runPhases(Phases *phases) {
    const wbExactStep *step = phases->step;
    const int ranges = step->groupCount + step->bodyCount / 32 < fewGroups ? 1 : WB_MAX_THREADS;
    wbParallelPhases(step->work->pool, phases->count, ranges, runPhase, phases);
    phases->count = 0;
}

static int findBounceState(const wbExactStep *step) {
    int most = wb_bounceNone;
    for (int g = 0; g < step->manyCount + step->oneCount; g++)
        most = step->bounces[g] > most ? step->bounces[g] : most;
    return most;
}

// A sweep passes impulses on between contacts that meet at one body; few bodies have more than some of these.
enum { mostBounceSweeps = 32 };

// What meets bounces, then what meets by that, until nothing does. A blow runs through a row in as many rounds as this has contacts;
// what is left after so many, of heavy bodies on light ones, does not bounce in this sub-step.
static void bounce(Phases *phases) {
    const wbExactStep *step = phases->step;
    addPass(phases, WB_PASS_MEET);
    runPhases(phases);
    if (findBounceState(step) == wb_bounceNone) return;
    addPhase(phases, phaseKeep);
    for (int round = 0; round < WB_CONTACT_LANES * step->bounceCount; round++) {
        for (int sweep = 0; sweep < mostBounceSweeps && findBounceState(step) == wb_bounceUnsettled;
             sweep++) {
            addPass(phases, WB_PASS_BOUNCE);
            runPhases(phases);
        }
        addPass(phases, WB_PASS_SCRAPE);
        addPass(phases, WB_PASS_MEET);
        runPhases(phases);
        if (findBounceState(step) == wb_bounceNone) break;
    }
    addPhase(phases, phaseKeep);
}

static wbStatus beginBounces(wbExactStep *step) {
    const size_t groups = (size_t)(step->manyCount + step->oneCount);
    if (step->bounceCount == 0) return wb_okStatus;
    step->bounces = wbArena_Alloc(step->work->arena, groups);
    if (!step->bounces) return wbMemoryError(step->work->memory, "%zu groups of contacts need", groups);
    memset(step->bounces, wb_bounceNone, groups);
    return wb_okStatus;
}

static wbStatus doSubSteps(wbExactStep *step) {
    const size_t most =
        (size_t)(step->colourCount + 2 * step->jointStages + 3) * (size_t)(2 * step->subSteps + 2);
    Phases phases = {step, wbArena_Alloc(step->work->arena, sizeof(Phase) * most), 0};
    if (!phases.phases)
        return wbMemoryError(step->work->memory, "phases of %d colours need", step->colourCount);
    int last = 0; // of the phases of the last pass
    WB_TRY(beginBounces(step));
    for (int i = 0; i < step->bodyCount + WB_EXTRA_ROWS; i++) {
        memcpy(step->starts[i], step->bodies[i].v, sizeof(float[3]));
        memcpy(step->starts[i] + 3, step->bodies[i].w, sizeof(float[3]));
    }
    for (int s = 0; s < step->subSteps; s++) {
        addPhase(&phases, phaseKick);
        if (s == 0) addPass(&phases, wb_passWarmStart);
        if (step->bounceCount > 0) bounce(&phases);
        // joints first: contacts, which are harder to bear, have the last word
        addJoints(&phases, wb_passWarmStart);
        addJoints(&phases, wb_passBias);
        addPass(&phases, wb_passBias);
        addPhase(&phases, phaseMove);
        if (step->topCount > 0) addPhase(&phases, phaseTumble);
        addJoints(&phases, wb_passRelax);
        if (s == step->subSteps - 1) last = phases.count;
        addPass(&phases, wb_passRelax);
    }
    for (int p = last; p < phases.count; p++) phases.phases[p].keeps = true;
    runPhases(&phases);
    endWaiting(step);
    return wb_okStatus;
}

// After the last

static void endBodies(int begin, int end, int worker, void *context) {
    wbExactStep *step = context;
    wbRigid *rigid = step->rigid;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const wbSolverBody *body = &step->bodies[i];
        rigid->fx[i] = rigid->fy[i] = rigid->fz[i] = rigid->tx[i] = rigid->ty[i] = rigid->tz[i] = 0;
        if (!isMoving(rigid->bits[i])) continue;
        rigid->x[i] += body->way[0], rigid->y[i] += body->way[1], rigid->z[i] += body->way[2];
        rigid->vx[i] = body->v[0], rigid->vy[i] = body->v[1], rigid->vz[i] = body->v[2];
        rigid->wx[i] = body->w[0], rigid->wy[i] = body->w[1], rigid->wz[i] = body->w[2];
        float q[4] = {rigid->qx[i], rigid->qy[i], rigid->qz[i], rigid->qw[i]};
        turnBy(q, wbMakeVec3(body->turn[0], body->turn[1], body->turn[2]));
        rigid->qx[i] = q[0], rigid->qy[i] = q[1], rigid->qz[i] = q[2], rigid->qw[i] = q[3];
    }
}

// Bodies that tumble know where they turned to.
static void endTops(wbExactStep *step) {
    wbRigid *rigid = step->rigid;
    for (int t = 0; t < step->topCount; t++) {
        const wbSolverTop *top = &step->tops[t];
        const int i = top->body;
        rigid->qx[i] = top->rotation[0], rigid->qy[i] = top->rotation[1];
        rigid->qz[i] = top->rotation[2], rigid->qw[i] = top->rotation[3];
    }
}

// m/s, of the fastest point of a body, by blocks; not finite if a body's place or motion is not.
typedef struct Speeds {
    const wbRigid *rigid;
    float *most;
} Speeds;

static void findSpeeds(int begin, int end, int worker, void *context) {
    const Speeds *speeds = context;
    const wbRigid *rigid = speeds->rigid;
    float most = 0, sum = 0;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const float v2 = rigid->vx[i] * rigid->vx[i] + rigid->vy[i] * rigid->vy[i] +
                         rigid->vz[i] * rigid->vz[i],
                    w2 = rigid->wx[i] * rigid->wx[i] + rigid->wy[i] * rigid->wy[i] +
                         rigid->wz[i] * rigid->wz[i];
        const float reach = w2 > 0 && rigid->reach[i] < INFINITY ? rigid->reach[i] : 0;
        most = larger(most, sqrtf(v2) + reach * sqrtf(w2));
        sum += 0 * (v2 + w2 + rigid->x[i] + rigid->y[i] + rigid->z[i] + rigid->qw[i]);
    }
    speeds->most[begin / bodyBlock] = most + sum;
}

static wbStatus findMaxSpeed(wbRigid *rigid, const wbWork *work) {
    const int blocks = (rigid->count + bodyBlock - 1) / bodyBlock;
    Speeds speeds = {rigid, wbArena_Alloc(work->arena, sizeof(float) * (size_t)blocks)};
    if (!speeds.most) return wbMemoryError(work->memory, "speeds of %d rigid bodies need", rigid->count);
    memset(speeds.most, 0, sizeof(float) * (size_t)blocks);
    wbParallelFor(work->pool, rigid->count, bodyBlock, findSpeeds, &speeds);
    float most = 0, sum = 0;
    for (int b = 0; b < blocks; b++) most = larger(most, speeds.most[b]), sum += 0 * speeds.most[b];
    rigid->maxSpeed = most + sum;
    return wb_okStatus;
}

static wbStatus explainMotion(const wbRigid *rigid) {
    for (int i = 0; i < rigid->count; i++) {
        const float v2 = rigid->vx[i] * rigid->vx[i] + rigid->vy[i] * rigid->vy[i] +
                         rigid->vz[i] * rigid->vz[i],
                    w2 = rigid->wx[i] * rigid->wx[i] + rigid->wy[i] * rigid->wy[i] +
                         rigid->wz[i] * rigid->wz[i];
        if (isfinite(v2 + w2 + rigid->x[i] + rigid->y[i] + rigid->z[i] + rigid->qw[i])) continue;
        return wbError(wb_errorUnstable,
                       "body %d left what floats can hold, with (%g, %g, %g) m/s and (%g, %g, %g) rad/s: use "
                       "a smaller world.dt or more rigid.subSteps",
                       i, (double)rigid->vx[i], (double)rigid->vy[i], (double)rigid->vz[i],
                       (double)rigid->wx[i], (double)rigid->wy[i], (double)rigid->wz[i]);
    }
    return wbError(wb_errorUnstable,
                   "rigid bodies are too fast for floats: use a smaller world.dt or more rigid.subSteps");
}

// A contact that is near nothing, behind those of the step before.
static wbStatus beginContacts(wbExactStep *step) {
    wbRigidContacts *contacts = &step->rigid->contacts;
    if (!wbArray_Reserve(step->work->memory, &contacts->contacts, contacts->count + 1))
        return wbMemoryError(step->work->memory, "%d contacts of rigid bodies need", contacts->count);
    wbContact *none = (wbContact *)contacts->contacts.data + contacts->count;
    memset(none, 0, sizeof *none);
    for (int i = 0; i < WB_MANIFOLD_POINTS; i++) none->points[i][0] = 2 * RIGID_FAR;
    step->oldContacts = contacts->contacts.data;
    step->noContact = contacts->count;
    step->warmScale = contacts->subStep > 0 ? step->h / contacts->subStep : 0;
    return wb_okStatus;
}

// A soft contact gives way by g / w2 under a weight, whatever its size is: 0.07 mm at 60 Hz, which is nothing to a crate and a
// tenth of a grain. So it is given as much stiffness as keeps that below this share of the thinner body's thickness. Bodies that
// overlap part as fast as before, so that it stays stable.
static const float sagShare = 1e-4f;
// Likewise under what they bear, however much it is.
static const float giveShare = 0.02f;

RigidTerms wbGetRigidTerms(const wbRigidModel *model, float h) {
    const wbRigidParams *params = &model->params;
    const wbSoftness soft = wbMakeSoftness(fminf(params->hertz, 0.25f / h), params->dampingRatio, h);
    const wbVec3 g = model->domain->gravity;
    return (RigidTerms){.biasRate = soft.biasRate,
                        .stiffness = soft.massScale / soft.impulseScale,
                        .sag = sqrtf(wbDot(g, g)) * h / (soft.biasRate * sagShare),
                        .give = soft.biasRate * giveShare,
                        .pushSpeed = params->pushSpeed,
                        .perSubStep = 1 / h,
                        .margin = params->margin,
                        .bounceSpeed = params->restitutionSpeed};
}

// Bodies that something touches wake up, with all that touch those.
static wbStatus collideAwake(wbExactStep *step) {
    for (;;) {
        WB_TRY(wbCollidePairs(step));
        if (!step->hasSleepers) return wb_okStatus;
        WB_TRY(wbPlanContacts(step));
        const size_t mark = wbArena_Mark(step->work->arena);
        int *pairs = wbArena_Alloc(step->work->arena, 2 * sizeof(int) * (size_t)step->contactCount),
            count = 0;
        if (!pairs) return wbMemoryError(step->work->memory, "%d contacts need", step->contactCount);
        for (int k = 0; k < step->contactCount; k++) {
            const wbContactPlan *plan = &step->plans[k];
            if (plan->kind >= wb_contactKindCount || plan->rows[1] >= step->bodyCount) continue;
            pairs[2 * count] = plan->rows[0], pairs[2 * count++ + 1] = plan->rows[1];
        }
        const int woken = wbWakeTouched(step->rigid, pairs, count);
        wbArena_Release(step->work->arena, mark);
        if (woken == 0) return wb_okStatus;
        WB_TRY(begin(step));
        WB_TRY(wbPlacePieces(step));
    }
}
// All that acts on bodies from outside, once per step: program's forces are there already.
static wbStatus sumForces(wbExactStep *step) {
    wbRigid *rigid = step->rigid;
    const wbRigidLoads loads = {{rigid->fx, rigid->fy, rigid->fz}, {rigid->tx, rigid->ty, rigid->tz}};
    if (rigid->forces.count == 0) return wb_okStatus;
    return wbRigidForces_Apply(rigid, step->model, step->work, step->dt, step->subSteps, &loads);
}

static wbStatus planJoints(wbExactStep *step) {
    wbRigid *rigid = step->rigid;
    if (rigid->joints.count == 0 && !rigid->joints.isDirty) return wb_okStatus;
    WB_TRY(wbPlanJoints(rigid, step->work));
    if (rigid->joints.haveTiesChanged) rigid->contacts.isStale = 1;
    return wb_okStatus;
}

static wbStatus prepareJoints(wbExactStep *step) {
    wbRigid *rigid = step->rigid;
    if (rigid->joints.count == 0) return wb_okStatus;
    const size_t bytes = sizeof(float[4]) * (size_t)step->bodyCount;
    step->jointStages = rigid->joints.stageCount;
    step->jointTurns = wbArena_Alloc(step->work->arena, bytes);
    if (!step->jointTurns) return wbMemoryError(step->work->memory, "%d joints need", rigid->joints.count);
    memset(step->jointTurns, 0, bytes);
    return wbPrepareJoints(rigid, step->model, step->work, step->h, step->masses);
}

static wbStatus endStep(wbExactStep *step) {
    wbRigid *rigid = step->rigid;
    wbParallelFor(step->work->pool, rigid->count, bodyBlock, endBodies, step);
    endTops(step);
    if (rigid->joints.count > 0) wbFinishJoints(rigid, step->dt);
    WB_TRY(findMaxSpeed(rigid, step->work));
    return isfinite(rigid->maxSpeed) ? wb_okStatus : explainMotion(rigid);
}

static wbStatus tell(wbExactStep *step) {
    WB_TRY(wbTellContacts(step));
    return wbFallAsleep(step->rigid, step->model, step->work, step->dt);
}

static wbExactStep makeStep(wbRigid *rigid, const wbRigidModel *model, const wbWork *work, float dt) {
    const int subSteps = model->params.subSteps > 0 ? (int)model->params.subSteps : 4;
    const float h = dt / (float)subSteps;
    wbExactStep step = {.rigid = rigid,
                        .model = model,
                        .work = work,
                        .manifoldCode = wbGetManifoldCode(work->simd),
                        .solveCode = wbGetSolveCode(work->simd),
                        .bounceCode = wbGetBounceCode(work->simd),
                        .dt = dt,
                        .h = h,
                        .subSteps = subSteps,
                        .bodyCount = rigid->count + rigid->guestCount,
                        .terms = wbGetRigidTerms(model, h)};
    for (int i = 0; i < rigid->count; i++) step.hasSleepers |= (rigid->bits[i] & WB_RIGID_ASLEEP) != 0;
    return step;
}

wbStatus wbRigid_StepExact(wbRigid *rigid, const wbRigidModel *model, const wbWork *work, float dt) {
    double mark = wbGetSeconds();
    wbRigidEvents_Clear(&rigid->events);
    rigid->maxSpeed = 0;
    if (!wbWakePushed(rigid, model)) return wb_okStatus;
    wbExactStep step = makeStep(rigid, model, work, dt);
    WB_TRY(wbHoldLists(&rigid->contacts, work));
    WB_TRY(planJoints(&step));
    WB_TRY(sumForces(&step));
    WB_TRY(begin(&step));
    WB_TRY(wbPlacePieces(&step));
    rigid->ms[wb_rigid_forces] = wbLapMs(&mark);
    WB_TRY(wbSearchPairs(&step));
    rigid->ms[wb_rigid_search] = wbLapMs(&mark);
    WB_TRY(beginContacts(&step));
    WB_TRY(collideAwake(&step));
    rigid->ms[wb_rigid_collide] = wbLapMs(&mark);
    WB_TRY(wbPlanContacts(&step));
    WB_TRY(wbGroupContacts(&step));
    rigid->ms[wb_rigid_colour] = wbLapMs(&mark);
    WB_TRY(wbBuildContacts(&step));
    rigid->ms[wb_rigid_manifolds] = wbLapMs(&mark);
    WB_TRY(prepareJoints(&step));
    WB_TRY(wbBeginKeeping(&step));
    WB_TRY(doSubSteps(&step));
    rigid->ms[wb_rigid_solve] = wbLapMs(&mark);
    WB_TRY(wbStopFastBodies(&step));
    rigid->ms[wb_rigid_continuous] = wbLapMs(&mark);
    wbKeepContacts(&step);
    rigid->ms[wb_rigid_contacts] = wbLapMs(&mark);
    WB_TRY(endStep(&step));
    rigid->ms[wb_rigid_integrate] = wbLapMs(&mark);
    WB_TRY(tell(&step));
    rigid->ms[wb_rigid_sleep] = wbLapMs(&mark);
    return wb_okStatus;
}
