// SPDX-License-Identifier: MIT
// Source: Macklin and Müller 2013; the form of lambda and s_corr does not depend on the scale: both are measured in
// G, the sum of squared gradients on the undisturbed lattice.
#include "reference/pbf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/sph.h"

struct refPbfGhost {
    double x[3], v[3], spin[3];
    int original, sides;
};

refPbf *refCreatePbf(int dimensions, int count) {
    refPbf *pbf = calloc(1, sizeof *pbf);
    size_t n = (size_t)count + 1;
    *pbf = (refPbf){.dimensions = dimensions,
                    .count = count,
                    .spacing = 0.1,
                    .smoothing = 2,
                    .restDensity = 1000,
                    .iterations = 4,
                    .solver = refJacobiParticles,
                    .subSteps = 1,
                    .largest = 2,
                    .turnStep = 1,
                    .relaxation = 0.01,
                    .tension = 0.03,
                    .tensionPoint = 0.2,
                    .viscosity = 0.01,
                    .gravity = {0, -9.81, 0},
                    .x = calloc(n, sizeof *pbf->x),
                    .v = calloc(n, sizeof *pbf->v),
                    .relative = calloc(n, sizeof *pbf->relative),
                    .lowest = calloc(n, sizeof *pbf->lowest),
                    .density = calloc(n, sizeof *pbf->density),
                    .lambda = calloc(n, sizeof *pbf->lambda),
                    .sum = calloc(n, sizeof *pbf->sum),
                    .p = calloc(n, sizeof *pbf->p),
                    .push = calloc(n, sizeof *pbf->push),
                    .spin = calloc(n, sizeof *pbf->spin)};
    for (int i = 0; i < count; i++) pbf->relative[i] = 1;
    refSetUpPbf(pbf);
    return pbf;
}

void refDestroyPbf(refPbf *pbf) {
    free(pbf->x), free(pbf->v), free(pbf->density), free(pbf->lambda), free(pbf->sum), free(pbf->p),
        free(pbf->push);
    free(pbf->relative), free(pbf->lowest), free(pbf->spin), free(pbf->ghosts), free(pbf->near), free(pbf);
}

static double kernel(const refPbf *pbf, double r) {
    return pbf->kernelShare *
           (pbf->isMixed ? refPoly6(pbf->dimensions, pbf->h, r) : refBlunt(pbf->dimensions, pbf->h, r));
}
static double slope(const refPbf *pbf, double r) {
    return pbf->slopeShare * (pbf->isMixed ? refSpikySlope : refBluntSlope)(pbf->dimensions, pbf->h, r);
}

double refSumGradients(int dimensions, double spacing, double h) {
    const int reach = (int)ceil(h / spacing), reachZ = dimensions == 3 ? reach : 0;
    double slopes = 0, gradients = 0;
    for (int k = -reachZ; k <= reachZ; k++)
        for (int j = -reach; j <= reach; j++)
            for (int i = -reach; i <= reach; i++) {
                const double r = spacing * sqrt(i * i + j * j + k * k),
                             slope = refBluntSlope(dimensions, h, r);
                slopes -= slope * r * r / dimensions, gradients += slope * slope * r * r;
            }
    return gradients / (slopes * slopes);
}

// Kernels sum to 1 on the lattice, sum V W = 1 and -sum V r dW/dr / dimensions = 1.
void refSetUpPbf(refPbf *pbf) {
    pbf->h = pbf->smoothing * pbf->spacing;
    int reach = (int)ceil(pbf->smoothing), reachZ = pbf->dimensions == 3 ? reach : 0;
    double density = 0, slopes = 0;
    pbf->kernelShare = pbf->slopeShare = 1;
    for (int k = -reachZ; k <= reachZ; k++)
        for (int j = -reach; j <= reach; j++)
            for (int i = -reach; i <= reach; i++) {
                double r = pbf->spacing * sqrt(i * i + j * j + k * k);
                density += kernel(pbf, r);
                slopes -= slope(pbf, r) * r * r / pbf->dimensions;
            }
    double volume = pow(pbf->spacing, pbf->dimensions);
    pbf->mass = pbf->restDensity * volume;
    pbf->kernelShare = 1 / (volume * density), pbf->slopeShare = 1 / (volume * slopes);
    pbf->gradientSum = refSumGradients(pbf->dimensions, pbf->spacing, pbf->h);
}

// Ghosts of particles nearer to a closed side than h, over edges and corners too: mirrored at one axis after the other.
static void mirrorOverAxes(refPbf *pbf, struct refPbfGhost ghost, int axis) {
    if (axis == 3 || axis == pbf->dimensions) {
        if (ghost.sides == 0) return;
        if (pbf->ghostCount == pbf->ghostCapacity) {
            pbf->ghostCapacity = 2 * pbf->ghostCapacity + 64;
            pbf->ghosts = realloc(pbf->ghosts, (size_t)pbf->ghostCapacity * sizeof *pbf->ghosts);
        }
        pbf->ghosts[pbf->ghostCount++] = ghost;
        return;
    }
    mirrorOverAxes(pbf, ghost, axis + 1);
    for (int side = 2 * axis; side < 2 * axis + 2; side++) {
        double end = side % 2 == 0 ? pbf->sideMin[axis] : pbf->sideMax[axis];
        if (!pbf->closed[side] || fabs(ghost.x[axis] - end) >= pbf->h) continue;
        struct refPbfGhost other = ghost;
        other.sides |= 1 << side;
        mirrorOverAxes(pbf, other, axis + 1);
    }
}

static void findGhosts(refPbf *pbf) {
    pbf->ghostCount = 0;
    for (int i = 0; i < pbf->count; i++) {
        struct refPbfGhost ghost = {.original = i};
        memcpy(ghost.x, pbf->p[i], sizeof ghost.x);
        mirrorOverAxes(pbf, ghost, 0);
    }
}

// Ghosts follow their particles. A free-slip side mirrors velocities; a curl is mirrored the other way.
static void moveGhosts(refPbf *pbf) {
    for (int g = 0; g < pbf->ghostCount; g++) {
        struct refPbfGhost *ghost = &pbf->ghosts[g];
        memcpy(ghost->x, pbf->p[ghost->original], sizeof ghost->x);
        memcpy(ghost->v, pbf->v[ghost->original], sizeof ghost->v);
        memcpy(ghost->spin, pbf->spin[ghost->original], sizeof ghost->spin);
        for (int side = 0; side < 6; side++) {
            if (!(ghost->sides >> side & 1)) continue;
            double end = side % 2 == 0 ? pbf->sideMin[side / 2] : pbf->sideMax[side / 2];
            ghost->x[side / 2] = 2 * end - ghost->x[side / 2];
            ghost->v[side / 2] *= -1;
        }
    }
}

typedef struct Other {
    const double *x, *v, *spin;
    int index;
} Other;

// Particle or ghost number j.
static Other getOther(const refPbf *pbf, int j) {
    if (j < pbf->count) return (Other){pbf->p[j], pbf->v[j], pbf->spin[j], j};
    const struct refPbfGhost *ghost = &pbf->ghosts[j - pbf->count];
    return (Other){ghost->x, ghost->v, ghost->spin, ghost->original};
}

static double differ(const double a[3], const double b[3], double d[3]) {
    for (int k = 0; k < 3; k++) d[k] = a[k] - b[k];
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

// Who is nearer than h at the predicted positions. Those that come near later, and those that leave, are passed over
// until the next sub-step.
static void findNeighbours(refPbf *pbf) {
    int others = pbf->count + pbf->ghostCount;
    double d[3];
    pbf->near = realloc(pbf->near, (size_t)pbf->count * (size_t)others + 1);
    for (int i = 0; i < pbf->count; i++)
        for (int j = 0; j < others; j++)
            pbf->near[(size_t)i * (size_t)others + (size_t)j] =
                differ(pbf->p[i], getOther(pbf, j).x, d) < pbf->h;
}

static bool areNear(const refPbf *pbf, int i, int j) {
    return pbf->near[(size_t)i * (size_t)(pbf->count + pbf->ghostCount) + (size_t)j];
}

// 1 / max(1/r_i, min(1, 4 (1 - d2/h2)) / r_j): the lightest fluid around at the predicted positions.
static void findLowest(refPbf *pbf) {
    double d[3];
    for (int i = 0; i < pbf->count; i++) {
        double lightness = 1 / pbf->relative[i];
        for (int j = 0; j < pbf->count + pbf->ghostCount; j++) {
            Other other = getOther(pbf, j);
            double q = differ(pbf->p[i], other.x, d) / pbf->h;
            if (q < 1) lightness = fmax(lightness, fmin(1, 4 * (1 - q * q)) / pbf->relative[other.index]);
        }
        pbf->lowest[i] = 1 / lightness;
    }
}

// What an iteration adds to lambda: `step` of -C_i / (sum_k |grad_k C_i|2 + epsilon' G), C_i = rho_i / rho0 - 1, and `momentum`
// of what the last one added; in units of the parameters' fluid. An inequality only pushes: the sum of all that was added stays at 0 or below.
static void evaluateOne(refPbf *pbf, int i, double step, double momentum) {
    double scale = pbf->mass / pbf->restDensity, density = 0, own[3] = {0}, squares = 0, d[3];
    for (int j = 0; j < pbf->count + pbf->ghostCount; j++) {
        if (!areNear(pbf, i, j)) continue;
        double r = differ(pbf->p[i], getOther(pbf, j).x, d), s = slope(pbf, r);
        density += pbf->mass * kernel(pbf, r);
        for (int k = 0; k < 3; k++) own[k] += scale * s * d[k];
        squares += pow(scale * s * r, 2);
    }
    double error = density / pbf->restDensity - 1;
    for (int k = 0; k < 3; k++) squares += own[k] * own[k];
    pbf->density[i] = density;
    double sum = pbf->sum[i] + momentum * pbf->lambda[i] -
                 step * pbf->lowest[i] * error / (squares + pbf->relaxation * pbf->gradientSum);
    if (!pbf->equality) sum = fmin(sum, 0);
    pbf->lambda[i] = sum - pbf->sum[i];
    pbf->sum[i] = sum;
}

static void evaluate(refPbf *pbf, double step, double momentum) {
    moveGhosts(pbf);
    for (int i = 0; i < pbf->count; i++) evaluateOne(pbf, i, step, momentum);
}

static void clampToSides(const refPbf *pbf, double p[3]) {
    double inset = 1e-4 * pbf->spacing;
    for (int a = 0; a < pbf->dimensions; a++) {
        if (pbf->closed[2 * a]) p[a] = fmax(p[a], pbf->sideMin[a] + inset);
        if (pbf->closed[2 * a + 1]) p[a] = fmin(p[a], pbf->sideMax[a] - inset);
    }
}

// What the constraints of i and of another want of i, where they want together `lambdas`:
// m/rho0 (lambdas + part s_corr) grad W, s_corr = -k/G (W(r) / W(dq h))^4.
static void getPush(const refPbf *pbf, int i, const double other[3], double lambdas, double tension,
                    double push[3]) {
    double r = differ(pbf->p[i], other, push),
           at = refPoly6(pbf->dimensions, pbf->h, pbf->tensionPoint * pbf->h);
    double apart = -tension / pbf->gradientSum * pow(refPoly6(pbf->dimensions, pbf->h, r) / at, 4);
    for (int k = 0; k < 3; k++) push[k] *= pbf->mass / pbf->restDensity * (lambdas + apart) * slope(pbf, r);
}

// r_i dp_i = m/rho0 sum (lambda_i + lambda_j + s_corr) grad W: each particle sums up what moves it; s_corr times the mean of the
// lowest relative densities.
static void sumByParticles(refPbf *pbf, double tension) {
    for (int i = 0; i < pbf->count; i++)
        for (int j = 0; j < pbf->count + pbf->ghostCount; j++) {
            double push[3];
            if (!areNear(pbf, i, j)) continue;
            Other other = getOther(pbf, j);
            double mean = (pbf->lowest[i] + pbf->lowest[other.index]) / 2;
            getPush(pbf, i, other.x, pbf->lambda[i] + pbf->lambda[other.index], mean * tension, push);
            for (int k = 0; k < 3; k++) pbf->push[i][k] += push[k];
        }
}

// Adds what the constraint of i wants of its particle and of its neighbours: lambda_i grad_k C_i, and half of what s_corr wants
// of each pair. What a ghost is to do, its particle does mirrored.
static void addConstraint(refPbf *pbf, int i, double tension) {
    for (int j = 0; j < pbf->count + pbf->ghostCount; j++) {
        double push[3];
        if (!areNear(pbf, i, j)) continue;
        Other other = getOther(pbf, j);
        getPush(pbf, i, other.x, pbf->lambda[i], 0.5 * pbf->lowest[i] * tension, push);
        for (int k = 0; k < 3; k++) {
            int sides = j < pbf->count ? 0 : pbf->ghosts[j - pbf->count].sides;
            pbf->push[i][k] += push[k];
            pbf->push[other.index][k] -= sides >> (2 * k) & 3 ? -push[k] : push[k];
        }
    }
}

static void takePushes(refPbf *pbf) {
    for (int i = 0; i < 3 * pbf->count; i++)
        pbf->p[i / 3][i % 3] += pbf->push[i / 3][i % 3] / pbf->relative[i / 3];
    memset(pbf->push, 0, (size_t)pbf->count * sizeof *pbf->push);
}

static void clampAll(refPbf *pbf) {
    for (int i = 0; i < pbf->count; i++) clampToSides(pbf, pbf->p[i]);
}

// All constraints from the same positions.
static void solveAtOnce(refPbf *pbf, double step, double momentum, double tension) {
    evaluate(pbf, step, momentum);
    if (pbf->solver == refJacobiParticles) sumByParticles(pbf, tension);
    for (int i = 0; i < pbf->count && pbf->solver == refJacobiConstraints; i++)
        addConstraint(pbf, i, tension);
    takePushes(pbf), clampAll(pbf);
}

// Each constraint from where those before it have left the particles. Its own is put back into the box then.
static void solveInTurn(refPbf *pbf, bool isBack, double tension) {
    for (int n = 0; n < pbf->count; n++) {
        int i = pbf->order[isBack ? pbf->count - 1 - n : n];
        clampToSides(pbf, pbf->p[i]);
        moveGhosts(pbf);
        evaluateOne(pbf, i, pbf->turnStep, 0);
        addConstraint(pbf, i, tension);
        takePushes(pbf);
    }
    clampAll(pbf);
}

// XSPH, v_i += c sum 2m_j/(rho_i + rho_j) (v_j - v_i) W of their own masses and densities, and the curl sum m/rho_j (v_j - v_i) x grad_j W, both of the
// velocities before.
static void smoothVelocities(refPbf *pbf) {
    moveGhosts(pbf);
    for (int i = 0; i < pbf->count; i++) {
        double d[3], u[3];
        memset(pbf->push[i], 0, sizeof pbf->push[i]), memset(pbf->spin[i], 0, sizeof pbf->spin[i]);
        for (int j = 0; j < pbf->count + pbf->ghostCount; j++) {
            if (!areNear(pbf, i, j)) continue;
            Other other = getOther(pbf, j);
            double r = differ(pbf->p[i], other.x, d),
                   s = -slope(pbf, r) * pbf->mass / pbf->density[other.index];
            double ri = pbf->relative[i], rj = pbf->relative[other.index],
                   weight = pbf->viscosity * 2 * rj * pbf->mass /
                            (ri * pbf->density[i] + rj * pbf->density[other.index]);
            differ(other.v, pbf->v[i], u);
            for (int k = 0; k < 3; k++) {
                pbf->push[i][k] += weight * kernel(pbf, r) * u[k];
                pbf->spin[i][k] += s * (u[(k + 1) % 3] * d[(k + 2) % 3] - u[(k + 2) % 3] * d[(k + 1) % 3]);
            }
        }
    }
    for (int i = 0; i < 3 * pbf->count; i++) pbf->v[i / 3][i % 3] += pbf->push[i / 3][i % 3];
}

static double lengthOf(const double a[3]) { return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

// Vorticity confinement: eta = sum m/rho_j (|spin_j| - |spin_i|) grad_i W, v += dt epsilon (eta/|eta|) x spin.
static void confine(refPbf *pbf, double dt) {
    moveGhosts(pbf);
    for (int i = 0; i < pbf->count; i++) {
        double eta[3] = {0}, d[3];
        for (int j = 0; j < pbf->count + pbf->ghostCount; j++) {
            if (!areNear(pbf, i, j)) continue;
            Other other = getOther(pbf, j);
            double s = slope(pbf, differ(pbf->p[i], other.x, d)) * pbf->mass / pbf->density[other.index];
            double more = lengthOf(other.spin) - lengthOf(pbf->spin[i]);
            for (int k = 0; k < 3; k++) eta[k] += s * more * d[k];
        }
        double length = lengthOf(eta), scale = length > 1e-9 ? dt * pbf->vorticity / length : 0;
        for (int k = 0; k < 3; k++)
            pbf->v[i][k] += scale * (eta[(k + 1) % 3] * pbf->spin[i][(k + 2) % 3] -
                                     eta[(k + 2) % 3] * pbf->spin[i][(k + 1) % 3]);
    }
}

// One Chebyshev sweep for answers from `smallest` to `largest`, where it leaves 0.15 after the last iteration; in turn
// without.
static void solveDensity(refPbf *pbf, double tension) {
    double y = cosh(acosh(1 / 0.15) / pbf->iterations), smallest = pbf->largest * (y - 1) / (y + 1),
           weight = 1;
    for (int k = 0; k < pbf->iterations; k++) {
        if (k > 0) weight = 1 / (1 - weight / ((k == 1 ? 2 : 4) * y * y));
        if (pbf->solver == refGaussSeidel)
            solveInTurn(pbf, k % 2 == 1, tension);
        else if (pbf->equality)
            solveAtOnce(pbf, 2 / pbf->largest, 0, tension); // plain
        else
            solveAtOnce(pbf, weight * 2 / (pbf->largest + smallest), weight - 1, tension);
    }
}

static void subStep(refPbf *pbf, double dt) {
    // Verlet: p = 2 x - x_before + dt2 g, for unequal steps
    double kick = pbf->verlet ? 0.5 * dt * (dt + pbf->previousDt) : dt * dt;
    double tension = 2 / pbf->largest * pbf->tension *
                     fmin(1, 3600 * dt * dt * 4 / pbf->iterations); // one acceleration for all steps
    for (int i = 0; i < pbf->count; i++) {
        for (int a = 0; a < pbf->dimensions; a++)
            pbf->p[i][a] = pbf->x[i][a] + dt * pbf->v[i][a] + kick * pbf->gravity[a];
        clampToSides(pbf, pbf->p[i]);
    }
    findGhosts(pbf), moveGhosts(pbf), findNeighbours(pbf), findLowest(pbf);
    memset(pbf->lambda, 0, (size_t)pbf->count * sizeof *pbf->lambda);
    memset(pbf->sum, 0, (size_t)pbf->count * sizeof *pbf->sum);
    memset(pbf->push, 0, (size_t)pbf->count * sizeof *pbf->push);
    solveDensity(pbf, tension);
    for (int i = 0; i < 3 * pbf->count; i++) {
        pbf->v[i / 3][i % 3] = (pbf->p[i / 3][i % 3] - pbf->x[i / 3][i % 3]) / dt;
        pbf->x[i / 3][i % 3] = pbf->p[i / 3][i % 3];
    }
    if (pbf->viscosity > 0 || pbf->vorticity > 0) smoothVelocities(pbf);
    if (pbf->vorticity > 0) confine(pbf, dt);
    pbf->previousDt = dt;
}

void refStepPbf(refPbf *pbf, double dt) {
    for (int k = 0; k < pbf->subSteps; k++) subStep(pbf, dt / pbf->subSteps);
}
