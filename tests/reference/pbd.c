// SPDX-License-Identifier: MIT
// Sources: Müller, Heidelberger, Hennix and Ratcliff 2007 (position based dynamics), Macklin, Müller and Chentanez
// 2016 (XPBD), Macklin, Müller, Chentanez and Kim 2014 (averaged Jacobi, friction).
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
                    .push = calloc(n, sizeof *pbd->push),
                    .touches = calloc(n, sizeof *pbd->touches)};
    for (int a = 0; a < 3; a++) pbd->wallMin[a] = -DBL_MAX, pbd->wallMax[a] = DBL_MAX;
    return pbd;
}

void refDestroyPbd(refPbd *pbd) {
    free(pbd->x), free(pbd->v), free(pbd->w), free(pbd->body), free(pbd->constraints);
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

static void solveInTurn(refPbd *pbd, double dt) {
    for (int k = 0; k < pbd->constraintCount; k++) {
        refConstraint *c = &pbd->constraints[k];
        double n[3], change = solve(pbd, c, dt, n);
        c->lambda += change;
        addTo(pbd, c, change, n, pbd->p);
    }
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

// Particles of different bodies keep two radii apart; each takes the mean over its contacts.
static void solveContacts(refPbd *pbd) {
    memset(pbd->push, 0, (size_t)pbd->count * sizeof *pbd->push);
    memset(pbd->touches, 0, (size_t)pbd->count * sizeof *pbd->touches);
    for (int i = 0; i < pbd->count; i++) {
        for (int j = 0; j < pbd->count; j++) {
            if (pbd->body[i] == pbd->body[j] || pbd->w[i] + pbd->w[j] == 0) continue;
            double n[3], slide[3], depth = 2 * pbd->radius - direct(pbd->p[i], pbd->p[j], n);
            if (depth <= 0) continue;
            for (int a = 0; a < 3; a++)
                slide[a] = (pbd->p[i][a] - pbd->x[i][a]) - (pbd->p[j][a] - pbd->x[j][a]);
            rub(pbd, n, depth, slide);
            double share = pbd->w[i] / (pbd->w[i] + pbd->w[j]);
            pbd->touches[i]++;
            for (int a = 0; a < 3; a++) pbd->push[i][a] += share * (depth * n[a] - slide[a]);
        }
    }
    for (int i = 0; i < pbd->count; i++)
        for (int a = 0; a < 3 && pbd->touches[i] > 0; a++) pbd->p[i][a] += pbd->push[i][a] / pbd->touches[i];
}

static void solveWalls(refPbd *pbd, double dt) {
    for (int i = 0; i < pbd->count; i++) {
        for (int side = 0; side < 6 && pbd->w[i] > 0; side++) {
            int axis = side / 2;
            double n[3] = {0}, slide[3];
            n[axis] = side % 2 == 0 ? 1 : -1;
            double wall = side % 2 == 0 ? pbd->wallMin[axis] + pbd->radius : pbd->wallMax[axis] - pbd->radius;
            double depth = (wall - pbd->p[i][axis]) * n[axis];
            if (depth <= 0) continue;
            pbd->p[i][axis] = wall;
            for (int a = 0; a < 3; a++)
                slide[a] = pbd->p[i][a] - pbd->x[i][a] - dt * pbd->wallVelocity[side][a];
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

static void subStep(refPbd *pbd, double dt) {
    predict(pbd, dt);
    for (int side = 0; side < 6; side++)
        *(side % 2 == 0 ? &pbd->wallMin[side / 2] : &pbd->wallMax[side / 2]) +=
            dt * pbd->wallVelocity[side][side / 2];
    for (int k = 0; k < pbd->constraintCount; k++) pbd->constraints[k].lambda = 0;
    for (int k = 0; k < pbd->iterations; k++) {
        pbd->solver == refGaussSeidel ? solveInTurn(pbd, dt) : solveAtOnce(pbd, dt);
        if (pbd->radius > 0) solveContacts(pbd);
        solveWalls(pbd, dt);
    }
    for (int i = 0; i < pbd->count; i++)
        for (int a = 0; a < 3; a++) {
            pbd->v[i][a] = (pbd->p[i][a] - pbd->x[i][a]) / dt * exp(-pbd->drag * dt);
            pbd->x[i][a] = pbd->p[i][a];
        }
    pbd->previousDt = dt;
}

void refStepPbd(refPbd *pbd, double dt) {
    for (int k = 0; k < pbd->subSteps; k++) subStep(pbd, dt / pbd->subSteps);
}
