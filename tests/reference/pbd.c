// SPDX-License-Identifier: MIT
// Sources: Müller, Heidelberger, Hennix and Ratcliff 2007 (position based dynamics), Macklin, Müller and Chentanez
// 2016 (XPBD), Macklin, Müller, Chentanez and Kim 2014 (averaged Jacobi, friction), English and Bridson 2008 (BDF2).
#include "reference/pbd.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

refPbd *refCreatePbd(int count, int constraintCount) {
    refPbd *pbd = calloc(1, sizeof *pbd);
    size_t n = (size_t)count + 1;
    *pbd = (refPbd){.count = count,
                    .constraintCount = constraintCount,
                    .x = calloc(n, sizeof *pbd->x),
                    .v = calloc(n, sizeof *pbd->v),
                    .w = calloc(n, sizeof *pbd->w),
                    .body = calloc(n, sizeof *pbd->body),
                    .constraints = calloc((size_t)constraintCount + 1, sizeof *pbd->constraints),
                    .iterations = 1,
                    .subSteps = 1,
                    .omega = 1,
                    .p = calloc(n, sizeof *pbd->p),
                    .way = calloc(n, sizeof *pbd->way),
                    .before = calloc(n, sizeof *pbd->before),
                    .acceleration2 = calloc(n, sizeof *pbd->acceleration2),
                    .bank = calloc(n, sizeof *pbd->bank),
                    .push = calloc(n, sizeof *pbd->push),
                    .touches = calloc(n, sizeof *pbd->touches)};
    for (int a = 0; a < 3; a++) pbd->sideMin[a] = -DBL_MAX, pbd->sideMax[a] = DBL_MAX;
    return pbd;
}

void refDestroyPbd(refPbd *pbd) {
    free(pbd->x), free(pbd->v), free(pbd->w), free(pbd->body), free(pbd->constraints);
    free(pbd->way), free(pbd->before), free(pbd->acceleration2), free(pbd->bank);
    free(pbd->p), free(pbd->push), free(pbd->touches), free(pbd);
}

// Unit vector from b to a, and their distance. Points in one place get a direction that is fixed.
static double direct(const double a[3], const double b[3], double n[3]) {
    double r2 = 0;
    for (int k = 0; k < 3; k++) n[k] = a[k] - b[k], r2 += n[k] * n[k];
    double r = sqrt(r2);
    if (r < 1e-12) {
        n[0] = 1, n[1] = n[2] = 0;
        return 0;
    }
    for (int k = 0; k < 3; k++) n[k] /= r;
    return r;
}

// sum k x, at the present positions.
static void combine(const refConstraint *c, double (*x)[3], double sum[3]) {
    memset(sum, 0, sizeof(double[3]));
    for (int m = 0; m < c->count; m++)
        for (int a = 0; a < 3; a++) sum[a] += c->k[m] * x[c->particles[m]][a];
}

// The change of lambda, and the direction that it acts along. XPBD, eq. 18: (-C - alpha~ lambda) / (sum w |grad C|2 +
// alpha~), where |grad C| = |k|; PBD is the same with alpha = 0 and lambda = 0. Inequalities push or pull only.
static double solve(const refPbd *pbd, const refConstraint *c, double dt, double n[3]) {
    static const double origin[3] = {0};
    double sum[3], weight = 0;
    combine(c, pbd->p, sum);
    double error = direct(sum, origin, n) - c->rest;
    double alpha = pbd->xpbd ? c->compliance / (dt * dt) : 0, lambda = pbd->xpbd ? c->lambda : 0;
    for (int m = 0; m < c->count; m++) weight += pbd->w[c->particles[m]] * c->k[m] * c->k[m];
    if (weight == 0) return 0;
    double next = lambda + (-error - alpha * lambda) / (weight + alpha);
    if (c->kind == refAtLeast) next = fmax(next, 0);
    if (c->kind == refAtMost) next = fmin(next, 0);
    return (next - lambda) * (pbd->xpbd ? 1 : c->stiffness) * (1 - pbd->damping);
}

static void addTo(const refPbd *pbd, const refConstraint *c, double change, const double n[3],
                  double (*to)[3]) {
    for (int m = 0; m < c->count; m++)
        for (int a = 0; a < 3; a++)
            to[c->particles[m]][a] += pbd->w[c->particles[m]] * c->k[m] * change * n[a];
}

static void solveOne(refPbd *pbd, refConstraint *c, double dt) {
    double n[3], change = solve(pbd, c, dt, n);
    c->lambda += change;
    addTo(pbd, c, change, n, pbd->p);
}

// With BDF2 forth and back.
static void solveInTurn(refPbd *pbd, double dt) {
    for (int k = 0; k < pbd->constraintCount; k++) solveOne(pbd, &pbd->constraints[k], dt);
    for (int k = pbd->constraintCount - 1; k >= 0 && pbd->bdf2; k--) solveOne(pbd, &pbd->constraints[k], dt);
}

// All from the same positions. PBD: each particle takes the mean of what its constraints want. XPBD: each constraint
// takes the share that the busiest of its particles has for it, so that lambda stays what was applied.
static void solveAtOnce(refPbd *pbd, double dt) {
    memset(pbd->push, 0, (size_t)pbd->count * sizeof *pbd->push);
    memset(pbd->touches, 0, (size_t)pbd->count * sizeof *pbd->touches);
    for (int k = 0; k < pbd->constraintCount; k++)
        for (int m = 0; m < pbd->constraints[k].count; m++) pbd->touches[pbd->constraints[k].particles[m]]++;
    for (int k = 0; k < pbd->constraintCount; k++) {
        refConstraint *c = &pbd->constraints[k];
        double n[3], change = solve(pbd, c, dt, n) * pbd->omega;
        int busiest = 0;
        for (int m = 0; m < c->count; m++)
            if (pbd->touches[c->particles[m]] > busiest) busiest = pbd->touches[c->particles[m]];
        if (pbd->xpbd) c->lambda += change /= busiest;
        addTo(pbd, c, change, n, pbd->push);
    }
    for (int i = 0; i < pbd->count; i++)
        for (int a = 0; a < 3 && pbd->touches[i] > 0; a++)
            pbd->p[i][a] += pbd->push[i][a] / (pbd->xpbd ? 1 : pbd->touches[i]);
}

// The part of a displacement across n that friction takes back at a contact pressed in by `depth`.
static void rub(const refPbd *pbd, const double n[3], double depth, double slide[3]) {
    double along = 0, across2 = 0;
    for (int a = 0; a < 3; a++) along += slide[a] * n[a];
    for (int a = 0; a < 3; a++) slide[a] -= along * n[a], across2 += slide[a] * slide[a];
    double across = sqrt(across2), share = across > 0 ? fmin(1, pbd->friction * depth / across) : 0;
    for (int a = 0; a < 3; a++) slide[a] *= share;
}

static void countContacts(refPbd *pbd) {
    memset(pbd->touches, 0, (size_t)pbd->count * sizeof *pbd->touches);
    for (int i = 0; i < pbd->count; i++)
        for (int j = 0; j < pbd->count; j++) {
            double n[3];
            if (pbd->body[i] == pbd->body[j] || pbd->w[i] + pbd->w[j] == 0) continue;
            pbd->touches[i] += direct(pbd->p[i], pbd->p[j], n) < 2 * pbd->radius;
        }
}

// Particles of different bodies keep two radii apart. One that has n contacts gives way in each as if it were n times as light.
static void solveContacts(refPbd *pbd) {
    memset(pbd->push, 0, (size_t)pbd->count * sizeof *pbd->push);
    countContacts(pbd);
    for (int i = 0; i < pbd->count; i++) {
        for (int j = 0; j < pbd->count; j++) {
            if (pbd->body[i] == pbd->body[j] || pbd->w[i] + pbd->w[j] == 0) continue;
            double n[3], slide[3], depth = 2 * pbd->radius - direct(pbd->p[i], pbd->p[j], n);
            if (depth <= 0) continue;
            for (int a = 0; a < 3; a++)
                slide[a] = (pbd->p[i][a] - pbd->x[i][a]) - (pbd->p[j][a] - pbd->x[j][a]);
            rub(pbd, n, depth, slide);
            double share = pbd->w[i] / (pbd->touches[i] * pbd->w[i] + pbd->touches[j] * pbd->w[j]);
            for (int a = 0; a < 3; a++) pbd->push[i][a] += share * (depth * n[a] - slide[a]);
        }
    }
    for (int i = 0; i < pbd->count; i++)
        for (int a = 0; a < 3; a++) pbd->p[i][a] += pbd->push[i][a];
}

static void solveSides(refPbd *pbd, double dt) {
    for (int i = 0; i < pbd->count; i++) {
        for (int side = 0; side < 6 && pbd->w[i] > 0; side++) {
            int axis = side / 2;
            double n[3] = {0}, slide[3];
            n[axis] = side % 2 == 0 ? 1 : -1;
            double end = side % 2 == 0 ? pbd->sideMin[axis] + pbd->radius : pbd->sideMax[axis] - pbd->radius;
            double depth = (end - pbd->p[i][axis]) * n[axis];
            if (depth <= 0) continue;
            pbd->p[i][axis] = end;
            for (int a = 0; a < 3; a++)
                slide[a] = pbd->p[i][a] - pbd->x[i][a] - dt * pbd->sideVelocity[side][a];
            rub(pbd, n, depth, slide);
            for (int a = 0; a < 3; a++) pbd->p[i][a] -= slide[a];
        }
    }
}

// Verlet is p = 2 x - x_before + dt2 g for equal steps, with x - x_before = dt v; for unequal ones the kick is
// dt (dt + dt_before) / 2.
static void predict(refPbd *pbd, double dt) {
    double kick = pbd->verlet ? 0.5 * dt * (dt + pbd->previousDt) : dt * dt;
    for (int i = 0; i < pbd->count; i++)
        for (int a = 0; a < 3; a++)
            pbd->p[i][a] = pbd->x[i][a] + (pbd->w[i] > 0 ? dt * pbd->v[i][a] + kick * pbd->gravity[a] : 0);
}

// BDF2 for steps of changing length (Hairer, Norsett and Wanner 1993, III.5), with r = dt / dt_before:
//     x' - x = carry (x - x_before) + share dt v',  carry = r2 / (1 + 2 r),  share = (1 + r) / (1 + 2 r),
// and the same for v. Without a sub-step before, or one that is shorter than dt / 2.4: Euler.
typedef struct Bdf2 {
    double carry, share;
} Bdf2;

static Bdf2 getBdf2(const refPbd *pbd, double dt) {
    double r = pbd->previousDt > 0 ? dt / pbd->previousDt : 0;
    return r > 0 && r <= 2.4 ? (Bdf2){r * r / (1 + 2 * r), (1 + r) / (1 + 2 * r)} : (Bdf2){0, 1};
}

static void predictSecond(refPbd *pbd, double dt, Bdf2 c) {
    double part = c.share * dt;
    for (int i = 0; i < pbd->count; i++)
        for (int a = 0; a < 3; a++) {
            double v = pbd->v[i][a] + c.carry * (pbd->v[i][a] - pbd->before[i][a]) + part * pbd->gravity[a];
            pbd->p[i][a] = pbd->x[i][a] + (pbd->w[i] > 0 ? c.carry * pbd->way[i][a] + part * v : 0);
        }
}

// Velocities of first and second order of a particle along an axis.
static void getSpeeds(const refPbd *pbd, int i, int a, double dt, Bdf2 c, double *first, double *second) {
    double way = pbd->p[i][a] - pbd->x[i][a], part = c.share * dt;
    *first = way / dt * exp(-pbd->drag * dt);
    *second = (way - c.carry * pbd->way[i][a]) / part * exp(-pbd->drag * part);
}

// How much of the second order a body takes: nothing where its acceleration leaps, unless that has less energy; else as
// much as keeps its energy below that of before, with what it lost lately, or that of the first order.
static double judge(refPbd *pbd, int body, double dt, Bdf2 c) {
    double now = 0, before = 0, room = 0, rise = 0, bend = 0, last = pbd->previousDt;
    for (int i = 0; i < pbd->count; i++) {
        double mass = pbd->w[i] > 0 ? 1 / pbd->w[i] : 0, acceleration2 = 0, gravity2 = 0;
        if (pbd->body[i] != body) continue;
        for (int a = 0; a < 3; a++) {
            double first, second, v = pbd->v[i][a], g = pbd->gravity[a];
            getSpeeds(pbd, i, a, dt, c, &first, &second);
            double lastSpeed = c.carry > 0 ? pbd->way[i][a] / last * exp(-pbd->drag * last) : v;
            double rate = (first - lastSpeed) / (c.carry > 0 ? 0.5 * (dt + last) : dt);
            acceleration2 += rate * rate, gravity2 += g * g;
            room += mass * (0.5 * (v * v - first * first) + g * (pbd->p[i][a] - pbd->x[i][a]));
            rise += mass * first * (second - first), bend += mass * 0.5 * pow(second - first, 2);
        }
        now += mass * acceleration2;
        before += mass * (c.carry > 0 ? pbd->acceleration2[i] : gravity2);
        pbd->acceleration2[i] = acceleration2;
    }
    double bank = c.carry > 0 ? pbd->bank[body] : 0, most = fmax(room + bank, 0), share = 1;
    if (rise + bend > most) share = fmin(1, (sqrt(rise * rise + 4 * bend * most) - rise) / (2 * bend));
    bool leaps = now > 2.25 * before;
    if (leaps) share = rise + bend < 0 ? 1 : 0;
    pbd->bank[body] = leaps ? 0 : 0.99 * fmax(bank + room - share * (rise + share * bend), 0);
    return share;
}

static void finishSecond(refPbd *pbd, double dt, Bdf2 c) {
    int bodies = 0;
    for (int i = 0; i < pbd->count; i++)
        if (pbd->body[i] >= bodies) bodies = pbd->body[i] + 1;
    for (int body = 0; body < bodies; body++) {
        double share = judge(pbd, body, dt, c);
        for (int i = 0; i < pbd->count; i++)
            for (int a = 0; a < 3 && pbd->body[i] == body; a++) {
                double first, second;
                getSpeeds(pbd, i, a, dt, c, &first, &second);
                double v = first + share * (second - first);
                pbd->before[i][a] = v + share * (pbd->v[i][a] - v);
                pbd->v[i][a] = v, pbd->way[i][a] = pbd->p[i][a] - pbd->x[i][a];
                pbd->x[i][a] = pbd->p[i][a];
            }
    }
}

static void finish(refPbd *pbd, double dt) {
    for (int i = 0; i < pbd->count; i++)
        for (int a = 0; a < 3; a++) {
            pbd->v[i][a] = (pbd->p[i][a] - pbd->x[i][a]) / dt * exp(-pbd->drag * dt);
            pbd->x[i][a] = pbd->p[i][a];
        }
}

static void subStep(refPbd *pbd, double dt) {
    Bdf2 c = getBdf2(pbd, dt);
    double part = pbd->bdf2 ? c.share * dt : dt; // that constraints act in
    pbd->bdf2 ? predictSecond(pbd, dt, c) : predict(pbd, dt);
    for (int side = 0; side < 6; side++)
        *(side % 2 == 0 ? &pbd->sideMin[side / 2] : &pbd->sideMax[side / 2]) +=
            dt * pbd->sideVelocity[side][side / 2];
    for (int k = 0; k < pbd->constraintCount; k++) pbd->constraints[k].lambda = 0;
    for (int k = 0; k < pbd->iterations; k++) {
        pbd->solver == refGaussSeidel ? solveInTurn(pbd, part) : solveAtOnce(pbd, part);
        if (pbd->radius > 0) solveContacts(pbd);
        solveSides(pbd, dt);
    }
    pbd->bdf2 ? finishSecond(pbd, dt, c) : finish(pbd, dt);
    pbd->previousDt = dt;
}

void refStepPbd(refPbd *pbd, double dt) {
    for (int k = 0; k < pbd->subSteps; k++) subStep(pbd, dt / pbd->subSteps);
}
