// SPDX-License-Identifier: MIT
#include "reference/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

refSplit *refCreateSplit(refSph *sph) {
    refSplit *split = calloc(1, sizeof *split);
    split->sph = sph;
    split->k = calloc(sph->count, sizeof *split->k);
    split->y = calloc(sph->count, sizeof *split->y);
    split->w = calloc(sph->count, sizeof *split->w);
    split->e = calloc(sph->count, sizeof *split->e);
    split->d = calloc(sph->count, sizeof *split->d);
    split->b = calloc(sph->count, sizeof *split->b);
    refMeasureSplit(split);
    return split;
}

void refDestroySplit(refSplit *split) {
    free(split->k);
    free(split->y);
    free(split->w);
    free(split->e);
    free(split->d);
    free(split->b);
    free(split);
}

// The sum of V F x sin(q·x) over the lattice, squared.
static double answerTo(const refSplit *split, const double q[3]) {
    const refSph *sph = split->sph;
    double spacing = sph->params.spacing, volume = pow(spacing, sph->dimensions), sum[3] = {0};
    int reach = (int)ceil(sph->params.smoothing), reachZ = sph->dimensions == 3 ? reach : 0;
    for (int i = -reach; i <= reach; i++)
        for (int j = -reach; j <= reach; j++)
            for (int k = -reachZ; k <= reachZ; k++) {
                double x[3] = {spacing * i, spacing * j, spacing * k};
                double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
                if (r >= sph->h || r == 0) continue;
                double wave = sin(q[0] * x[0] + q[1] * x[1] + q[2] * x[2]);
                for (int a = 0; a < 3; a++) sum[a] -= volume * refGetSlope(sph, r) * x[a] * wave;
            }
    return sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2];
}

// |B| of a particle that is so much nearer to a plane of the lattice than half a spacing.
static double findHold(const refSph *sph, double by) {
    double spacing = sph->params.spacing, volume = pow(spacing, sph->dimensions), sum = 0;
    int reach = (int)ceil(sph->params.smoothing), reachZ = sph->dimensions == 3 ? reach : 0;
    for (int i = -reach; i <= reach; i++)
        for (int j = 1; j <= reach; j++)
            for (int k = -reachZ; k <= reachZ; k++) {
                double y = spacing * j - by, r = sqrt(spacing * spacing * (i * i + k * k) + y * y);
                if (r < sph->h) sum -= volume * refGetSlope(sph, r) * y;
            }
    return sum;
}

void refMeasureSplit(refSplit *split) {
    const refSph *sph = split->sph;
    double spacing = sph->params.spacing, volume = pow(spacing, sph->dimensions), surface = 0, most = 0;
    int reach = (int)ceil(sph->params.smoothing), reachZ = sph->dimensions == 3 ? reach : 0;
    split->diagonal = 0;
    for (int i = -reach; i <= reach; i++)
        for (int j = -reach; j <= reach; j++)
            for (int k = -reachZ; k <= reachZ; k++) {
                double r = spacing * sqrt(i * i + j * j + k * k);
                if (r >= sph->h || r == 0) continue;
                double gradient = -volume * refGetSlope(sph, r);
                split->diagonal += gradient * gradient * r * r;
                if (j > 0) surface += gradient * j * spacing;
            }
    split->surface = surface * surface;
    split->nearest = findHold(sph, 0.02 * spacing);
    split->depth = surface * 0.02 * spacing / (split->nearest - surface);
    for (int i = 0; i <= 16; i++)
        for (int j = 0; j <= 16; j++)
            for (int k = 0; k <= (sph->dimensions == 3 ? 16 : 0); k++) {
                double unit = pi / 16 / spacing, q[3] = {unit * i, unit * j, unit * k};
                most = fmax(most, answerTo(split, q));
            }
    split->lambda = most / split->diagonal;
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// V F (x_i - x), 0 beyond the kernel.
static void findGradient(const refSph *sph, int i, const double x[3], double volume, double gradient[3]) {
    double way[3] = {sph->x[i][0] - x[0], sph->x[i][1] - x[1], sph->x[i][2] - x[2]};
    double r = sqrt(dot(way, way)), scale = r < sph->h && r > 0 ? -volume * refGetSlope(sph, r) : 0;
    for (int a = 0; a < 3; a++) gradient[a] = scale * way[a];
}

// The j-th of particles and ghosts: where it is, whose it is, and the signs of its vectors.
static const double *findOther(const refSph *sph, int j, int *original, double sign[3]) {
    for (int a = 0; a < 3; a++) sign[a] = j < sph->count ? 1 : sph->ghosts[j - sph->count].sign[a];
    *original = j < sph->count ? j : sph->ghosts[j - sph->count].original;
    return j < sph->count ? sph->x[j] : sph->ghosts[j - sph->count].x;
}

// (G u)_i over particles and ghosts, whose u is mirrored; boundaries move by themselves if u is a velocity.
static double findRate(const refSplit *split, int i, double (*u)[3], bool isVelocity) {
    const refSph *sph = split->sph;
    double volume = pow(sph->params.spacing, sph->dimensions), rate = 0, gradient[3], sign[3];
    for (int j = 0; j < sph->count + sph->ghostCount; j++) {
        int original;
        findGradient(sph, i, findOther(sph, j, &original, sign), volume, gradient);
        for (int a = 0; a < 3; a++) rate += gradient[a] * (sign[a] * u[original][a] - u[i][a]);
    }
    for (int b = 0; b < sph->boundaryCount; b++) {
        findGradient(sph, i, sph->boundary[b].x, sph->boundary[b].psi / sph->params.restDensity, gradient);
        for (int a = 0; a < 3; a++)
            rate += gradient[a] * ((isVelocity ? sph->boundary[b].v[a] : 0) - u[i][a]);
    }
    return rate;
}

static double allowed(double e) { return 0.05 * fmin(e, 0) + 0.3 * fmax(e - 0.03, 0); }

// D, B and e.
static void begin(refSplit *split) {
    const refSph *sph = split->sph;
    double volume = pow(sph->params.spacing, sph->dimensions), gradient[3], sign[3];
    for (int i = 0; i < sph->count; i++) {
        double sum[3] = {0};
        int original;
        split->d[i] = 0, split->b[i][0] = split->b[i][1] = split->b[i][2] = 0;
        split->e[i] = sph->density[i] / sph->params.restDensity - 1;
        for (int j = 0; j < sph->count + sph->ghostCount; j++) {
            findGradient(sph, i, findOther(sph, j, &original, sign), volume, gradient);
            split->d[i] += dot(gradient, gradient) / sph->relative[original];
            for (int a = 0; a < 3; a++) sum[a] += gradient[a];
        }
        for (int b = 0; b < sph->boundaryCount; b++) {
            findGradient(sph, i, sph->boundary[b].x, sph->boundary[b].psi / sph->params.restDensity,
                         gradient);
            for (int a = 0; a < 3; a++) split->b[i][a] += gradient[a], sum[a] += gradient[a];
        }
        split->d[i] = fmax(split->d[i] + dot(sum, sum) / sph->relative[i], 0.2 * split->diagonal);
    }
}

// What pressures k accelerate a particle by, without its boundary.
static void addPressure(const refSplit *split, const double *k, int i, double a[3]) {
    const refSph *sph = split->sph;
    double volume = pow(sph->params.spacing, sph->dimensions), gradient[3], sign[3];
    for (int j = 0; j < sph->count + sph->ghostCount; j++) {
        int original;
        findGradient(sph, i, findOther(sph, j, &original, sign), volume, gradient);
        for (int c = 0; c < 3; c++) a[c] += (k[i] + k[original]) * gradient[c] / sph->relative[i];
    }
}

// a = ext + pressure; what still nears a boundary is stopped.
static void accelerate(refSplit *split, double (*ext)[3], double (*a)[3], double dt) {
    const refSph *sph = split->sph;
    for (int i = 0; i < sph->count; i++) {
        const double *b = split->b[i];
        double b2 = dot(b, b), floor = 0.01 * split->surface, nearing = 0, gradient[3];
        memcpy(a[i], ext[i], sizeof a[i]);
        addPressure(split, split->y, i, a[i]);
        for (int c = 0; c < 3; c++) a[i][c] += split->y[i] * b[c] / sph->relative[i];
        for (int p = 0; p < sph->boundaryCount; p++) {
            findGradient(sph, i, sph->boundary[p].x, sph->boundary[p].psi / sph->params.restDensity,
                         gradient);
            for (int c = 0; c < 3; c++)
                nearing += dt * gradient[c] * (sph->boundary[p].v[c] - sph->v[i][c] - dt * a[i][c]);
        }
        nearing -= fmax(split->nearest - sqrt(b2), 0) * split->depth;
        split->w[i] = b2 > floor ? fmax(nearing + allowed(split->e[i]), 0) * (1 - floor / b2) *
                                       sph->relative[i] / (b2 * dt * dt)
                                 : 0;
        for (int c = 0; c < 3; c++) a[i][c] += split->w[i] * b[c] / sph->relative[i];
    }
}

static double getGain(const refSplit *split, int i, double dt) {
    return 1.4 / (split->lambda * dt * dt * split->d[i]);
}

// k from y, then y ahead of it by what changed since the k before.
static void update(refSplit *split, double (*a)[3], double share, double momentum, double dt) {
    const refSph *sph = split->sph;
    split->residual = 0;
    for (int i = 0; i < sph->count; i++) {
        double residual = dt * dt * findRate(split, i, a, false) + dt * findRate(split, i, sph->v, true) +
                          allowed(split->e[i]);
        double gain = share * getGain(split, i, dt), next = fmax(split->y[i] + gain * residual, 0);
        split->residual += fabs(next - split->y[i]) / gain / sph->count;
        split->y[i] = fmax(next + momentum * (next - split->k[i]), 0);
        split->k[i] = next;
    }
}

// Nesterov 1983: momentum and the share of the gain, from the third update on; anew where changes have grown.
static void iterate(refSplit *split, double (*ext)[3], double *before, int updates, double dt) {
    refSph *sph = split->sph;
    double t = 1, share = 1, momentum = 0, size = INFINITY;
    memcpy(split->y, split->k, sph->count * sizeof *split->y);
    for (int n = 1; n <= updates; n++) {
        memcpy(before, split->y, sph->count * sizeof *before);
        accelerate(split, ext, sph->a, dt);
        update(split, sph->a, share, momentum, dt);
        bool isAnew = n < 3 || split->residual > size;
        double last = isAnew ? 1 : t;
        t = 0.5 + sqrt(0.25 + last * last), size = split->residual;
        momentum = isAnew ? 0 : (last - 1) / t, share = n < 3 ? 1 : 1 / 1.4;
    }
}

// Of a boundary point, by y before the last update and the reaction w.
static void addForces(refSplit *split, const double *k) {
    refSph *sph = split->sph;
    double gradient[3];
    for (int b = 0; b < sph->boundaryCount; b++)
        for (int i = 0; i < sph->count; i++) {
            refBoundaryPoint *point = &sph->boundary[b];
            findGradient(sph, i, point->x, point->psi / sph->params.restDensity, gradient);
            for (int c = 0; c < 3; c++) point->f[c] -= sph->mass * (k[i] + split->w[i]) * gradient[c];
        }
}

// Beside a boundary, and unless density lacks: to where neighbours and points are even around a particle.
static void addShift(const refSplit *split, int i, double dt, double push[3]) {
    const refSph *sph = split->sph;
    double volume = pow(sph->params.spacing, sph->dimensions), b2 = dot(split->b[i], split->b[i]),
           floor = 0.01 * split->surface, gradient[3], sign[3];
    if (b2 <= floor) return;
    double shift = 0.1 * fmax(1 + 50 * fmin(split->e[i], 0), 0) * (1 - floor / b2) * getGain(split, i, dt);
    for (int j = 0; j < sph->count + sph->ghostCount; j++) {
        int original;
        findGradient(sph, i, findOther(sph, j, &original, sign), volume, gradient);
        for (int c = 0; c < 3; c++) push[c] += shift * gradient[c] / sph->relative[i];
    }
    for (int c = 0; c < 3; c++) push[c] += shift * split->b[i][c] / sph->relative[i];
}

// One update from 0 on what is too dense, cut at 0.3 spacings; boundaries push by twice the particle's own.
static void findPush(const refSplit *split, double (*push)[3], double dt) {
    const refSph *sph = split->sph;
    double *k = malloc(sph->count * sizeof *k), most = 0.3 * (double)sph->params.spacing;
    for (int i = 0; i < sph->count; i++) k[i] = fmax(split->e[i], 0) * getGain(split, i, dt);
    for (int i = 0; i < sph->count; i++) {
        memset(push[i], 0, sizeof push[i]);
        addPressure(split, k, i, push[i]);
        addShift(split, i, dt, push[i]);
        for (int c = 0; c < 3; c++)
            push[i][c] = dt * dt * (push[i][c] + 2 * k[i] * split->b[i][c] / sph->relative[i]);
        double length = sqrt(dot(push[i], push[i]));
        for (int c = 0; c < 3; c++) push[i][c] *= length > most ? most / length : 1;
    }
    free(k);
}

void refStepSplit(refSplit *split, int updates, double speed, double dt) {
    refSph *sph = split->sph;
    double(*ext)[3] = malloc(sph->count * sizeof *ext), (*push)[3] = malloc(sph->count * sizeof *push);
    double *before = malloc(sph->count * sizeof *before);
    sph->hasNoPressure = true, sph->params.soundSpeed = (float)speed;
    refPlaceBoundary(sph, 0);
    refEvaluateSph(sph);
    memcpy(ext, sph->a, sph->count * sizeof *ext);
    begin(split);
    iterate(split, ext, before, updates, dt);
    addForces(split, before);
    findPush(split, push, dt);
    for (int i = 0; i < sph->count; i++) {
        sph->pressure[i] = split->k[i] * sph->params.restDensity;
        for (int c = 0; c < 3; c++) {
            sph->v[i][c] += dt * sph->a[i][c];
            sph->x[i][c] += push[i][c] + dt * sph->v[i][c];
        }
        refClampToSides(sph, sph->x[i], sph->v[i]);
    }
    free(ext), free(push), free(before);
}
