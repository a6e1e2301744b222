// SPDX-License-Identifier: MIT
// Constraints with masses: C_i = sum V_j W_ij - 1 - o_i, and with mu_i = lambda_i / V_i
//   mu_i = -C_i / (V_i sum V_j |grad W_ij|2 + |sum V_j grad W_ij|2 + epsilon' G_i),  dp_i = sum V_j (mu_i + mu_j + s_corr) grad W_ij.
// V_i dp_i cancels pair by pair. For equal sizes it is the solver of reference/pbf.c.
#include "reference/adaptive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/largest_id.h"
#include "reference/sph.h"

struct refAdaptiveGhost {
    double x[3], v[3];
    int original, sides;
};

refAdaptive *refCreateAdaptive(int dimensions, int count, int capacity) {
    refAdaptive *a = calloc(1, sizeof *a);
    size_t n = (size_t)capacity + 1;
    *a = (refAdaptive){.dimensions = dimensions,
                       .count = count,
                       .capacity = capacity,
                       .spacing = 0.1,
                       .smoothing = 2,
                       .iterations = 4,
                       .largest = 2,
                       .relaxation = 0.01,
                       .tension = 0.03,
                       .tensionPoint = 0.2,
                       .viscosity = 0.01,
                       .gravity = {0, -9.81, 0},
                       .slope = 0.08,
                       .band = 4,
                       .hysteresis = 2,
                       .topLevel = 9,
                       .fade = 20,
                       .relaxations = 3,
                       .mixedShare = 1.015,
                       .x = calloc(n, sizeof *a->x),
                       .v = calloc(n, sizeof *a->v),
                       .level = calloc(n, sizeof *a->level),
                       .offset = calloc(n, sizeof *a->offset),
                       .distance = calloc(n, sizeof *a->distance),
                       .id = calloc(n, sizeof *a->id),
                       .freeIds = calloc(n, sizeof *a->freeIds),
                       .density = calloc(n, sizeof *a->density),
                       .gradient = calloc(n, sizeof *a->gradient),
                       .lambda = calloc(n, sizeof *a->lambda),
                       .sum = calloc(n, sizeof *a->sum),
                       .p = calloc(n, sizeof *a->p),
                       .push = calloc(n, sizeof *a->push),
                       .wish = calloc(n, sizeof *a->wish),
                       .partner = calloc(n, sizeof *a->partner)};
    for (int i = 0; i < count; i++) a->id[i] = (uint32_t)i, a->distance[i] = 1e30;
    refSetUpAdaptive(a);
    return a;
}

void refDestroyAdaptive(refAdaptive *a) {
    free(a->x), free(a->v), free(a->level), free(a->offset), free(a->distance), free(a->id), free(a->freeIds);
    free(a->density), free(a->gradient), free(a->lambda), free(a->sum), free(a->p), free(a->push);
    free(a->wish), free(a->partner), free(a->ghosts), free(a->near), free(a);
}

double refGetMass(int level) { return pow(2, level); }
double refGetSize(const refAdaptive *a, int level) {
    return a->spacing * pow(2, (double)level / a->dimensions);
}
double refGetSupport(const refAdaptive *a, int level) { return a->smoothing * refGetSize(a, level); }

static double volumeOf(const refAdaptive *a, int i) {
    return pow(a->spacing, a->dimensions) * refGetMass(a->level[i]);
}
static double supportOf(const refAdaptive *a, int i, int j) {
    return sqrt(refGetSupport(a, a->level[i]) * refGetSupport(a, a->level[j]));
}
static double kernel(const refAdaptive *a, double h, double r) {
    return a->kernelShare * refPoly6(a->dimensions, h, r);
}
static double slopeOf(const refAdaptive *a, double h, double r) {
    return a->slopeShare * refSpikySlope(a->dimensions, h, r);
}

// Sums on the lattice of the smallest, which are those of every level: as in reference/pbf.c. The first layer of a flat surface has
// the half of it below.
void refSetUpAdaptive(refAdaptive *a) {
    a->h = a->smoothing * a->spacing;
    int reach = (int)ceil(a->smoothing), reachZ = a->dimensions == 3 ? reach : 0;
    double density = 0, slopes = 0, squares = 0, half = 0;
    a->kernelShare = a->slopeShare = 1;
    for (int k = -reachZ; k <= reachZ; k++)
        for (int j = -reach; j <= reach; j++)
            for (int i = -reach; i <= reach; i++) {
                double r = a->spacing * sqrt(i * i + j * j + k * k), s = slopeOf(a, a->h, r);
                density += kernel(a, a->h, r);
                slopes -= s * r * r / a->dimensions;
                squares += s * s * r * r;
                if (j > 0) half -= s * a->spacing * j;
            }
    double volume = pow(a->spacing, a->dimensions);
    a->kernelShare = 1 / (volume * density), a->slopeShare = 1 / (volume * slopes);
    a->gradientSum = squares / (slopes * slopes);
    a->flatGradient = a->h * half / slopes;
}

static double differ(const double a[3], const double b[3], double d[3]) {
    for (int k = 0; k < 3; k++) d[k] = a[k] - b[k];
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

// Ghosts of all particles that could be near anyone: behind a side, farther from it than both together reach, nobody is.
static void mirrorOverAxes(refAdaptive *a, struct refAdaptiveGhost ghost, double reach, int axis) {
    if (axis == 3 || axis == a->dimensions) {
        if (ghost.sides == 0) return;
        if (a->ghostCount == a->ghostCapacity) {
            a->ghostCapacity = 2 * a->ghostCapacity + 64;
            a->ghosts = realloc(a->ghosts, (size_t)a->ghostCapacity * sizeof *a->ghosts);
        }
        a->ghosts[a->ghostCount++] = ghost;
        return;
    }
    mirrorOverAxes(a, ghost, reach, axis + 1);
    for (int side = 2 * axis; side < 2 * axis + 2; side++) {
        double end = side % 2 == 0 ? a->sideMin[axis] : a->sideMax[axis];
        if (!a->closed[side] || fabs(ghost.x[axis] - end) >= reach) continue;
        struct refAdaptiveGhost other = ghost;
        other.sides |= 1 << side;
        mirrorOverAxes(a, other, reach, axis + 1);
    }
}

static void findGhosts(refAdaptive *a) {
    a->ghostCount = 0;
    for (int i = 0; i < a->count; i++) {
        struct refAdaptiveGhost ghost = {.original = i};
        memcpy(ghost.x, a->p[i], sizeof ghost.x);
        double reach = 0;
        for (int j = 0; j < a->count; j++) reach = fmax(reach, supportOf(a, i, j));
        mirrorOverAxes(a, ghost, reach, 0);
    }
}

static void moveGhosts(refAdaptive *a) {
    for (int g = 0; g < a->ghostCount; g++) {
        struct refAdaptiveGhost *ghost = &a->ghosts[g];
        memcpy(ghost->x, a->p[ghost->original], sizeof ghost->x);
        memcpy(ghost->v, a->v[ghost->original], sizeof ghost->v);
        for (int side = 0; side < 6; side++) {
            if (!(ghost->sides >> side & 1)) continue;
            double end = side % 2 == 0 ? a->sideMin[side / 2] : a->sideMax[side / 2];
            ghost->x[side / 2] = 2 * end - ghost->x[side / 2];
            ghost->v[side / 2] *= -1;
        }
    }
}

typedef struct Other {
    const double *x, *v;
    int index;
} Other;

static Other getOther(const refAdaptive *a, int j) {
    if (j < a->count) return (Other){a->p[j], a->v[j], j};
    const struct refAdaptiveGhost *ghost = &a->ghosts[j - a->count];
    return (Other){ghost->x, ghost->v, ghost->original};
}

static int countOthers(const refAdaptive *a) { return a->count + a->ghostCount; }

static bool areNear(const refAdaptive *a, int i, int j) {
    return a->near[(size_t)i * (size_t)countOthers(a) + (size_t)j];
}

// r < h_ij at the places p. A particle is near itself.
static void listNeighbours(refAdaptive *a) {
    double d[3];
    findGhosts(a), moveGhosts(a);
    a->near = realloc(a->near, (size_t)a->count * (size_t)countOthers(a) + 1);
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < countOthers(a); j++) {
            Other other = getOther(a, j);
            a->near[(size_t)i * (size_t)countOthers(a) + (size_t)j] =
                differ(a->p[i], other.x, d) < supportOf(a, i, other.index);
        }
}

// Density, gradient of the own place, and the denominator of mu.
typedef struct Sums {
    double density, own[3], denominator;
} Sums;

static Sums sumOver(const refAdaptive *a, int i) {
    Sums sums = {0};
    double squares = 0, d[3], hi = refGetSupport(a, a->level[i]);
    for (int j = 0; j < countOthers(a); j++) {
        if (!areNear(a, i, j)) continue;
        Other other = getOther(a, j);
        double h = supportOf(a, i, other.index), r = differ(a->p[i], other.x, d), s = slopeOf(a, h, r),
               volume = volumeOf(a, other.index);
        sums.density += volume * kernel(a, h, r);
        for (int k = 0; k < 3; k++) sums.own[k] += volume * s * d[k];
        squares += volume * volumeOf(a, i) * s * s * r * r;
    }
    if (a->level[i] > 0) sums.density *= a->mixedShare;
    for (int k = 0; k < 3; k++) squares += sums.own[k] * sums.own[k];
    sums.denominator = squares + a->relaxation * a->gradientSum * a->h * a->h / (hi * hi);
    return sums;
}

static void clampToSides(const refAdaptive *a, double p[3]) {
    double inset = 1e-4 * a->spacing;
    for (int k = 0; k < a->dimensions; k++) {
        if (a->closed[2 * k]) p[k] = fmax(p[k], a->sideMin[k] + inset);
        if (a->closed[2 * k + 1]) p[k] = fmin(p[k], a->sideMax[k] - inset);
    }
}

// dp_i = sum V_j (mu_i + mu_j + s_corr) grad W_ij, s_corr = -k/G_ij (W(r) / W(dq h_ij))^4, G_ij = G h2 / h_ij2
static void correct(refAdaptive *a, double tension, double near) {
    for (int i = 0; i < a->count; i++) {
        memset(a->push[i], 0, sizeof a->push[i]);
        for (int j = 0; j < countOthers(a); j++) {
            double d[3];
            if (!areNear(a, i, j)) continue;
            Other other = getOther(a, j);
            double h = supportOf(a, i, other.index), r = differ(a->p[i], other.x, d);
            double apart =
                -(tension * (h / a->h) + near * pow(h / a->h, 2) * fmax(0, 1 - 7 * pow(r / h, 2))) /
                a->gradientSum * pow(kernel(a, h, r) / kernel(a, h, a->tensionPoint * h), 4);
            double scale =
                volumeOf(a, other.index) * (a->lambda[i] + a->lambda[other.index] + apart) * slopeOf(a, h, r);
            for (int k = 0; k < 3; k++) a->push[i][k] += scale * d[k];
        }
    }
    for (int i = 0; i < a->count; i++) {
        for (int k = 0; k < 3; k++) a->p[i][k] += a->push[i][k];
        clampToSides(a, a->p[i]);
    }
    moveGhosts(a);
}

static void evaluate(refAdaptive *a, double step, double momentum) {
    for (int i = 0; i < a->count; i++) {
        Sums sums = sumOver(a, i);
        double sum = fmin(a->sum[i] + momentum * a->lambda[i] -
                              step * (sums.density - 1 - a->offset[i]) / sums.denominator,
                          0);
        a->density[i] = sums.density;
        a->lambda[i] = sum - a->sum[i], a->sum[i] = sum;
    }
}

static void solveDensity(refAdaptive *a, double tension) {
    double y = cosh(acosh(1 / 0.15) / a->iterations), smallest = a->largest * (y - 1) / (y + 1), weight = 1;
    memset(a->lambda, 0, (size_t)a->count * sizeof *a->lambda);
    memset(a->sum, 0, (size_t)a->count * sizeof *a->sum);
    for (int k = 0; k < a->iterations; k++) {
        if (k > 0) weight = 1 / (1 - weight / ((k == 1 ? 2 : 4) * y * y));
        evaluate(a, weight * 2 / (a->largest + smallest), weight - 1);
        correct(a, tension, 0);
    }
}

// What was changed, and what is coarse, is calmed more than the rest.
static double getViscosity(const refAdaptive *a, int i) {
    return fmin(a->viscosity + fmin(10 * fabs(a->offset[i]), 0.5) + 0.02 * a->level[i], 0.6);
}

// What is small among large ones is carried along.
static double getCarrying(const refAdaptive *a, int i, int j) {
    const double ratio = refGetSize(a, a->level[i]) / refGetSize(a, a->level[j]);
    return fmin(fmax(fmax(ratio, 1 / ratio) - 1.6, 0), 1);
}

// v_i += sum (c_i + c_j)/2 2 V_j/(rho_i + rho_j) W_ij (v_j - v_i)
static void smooth(refAdaptive *a) {
    moveGhosts(a);
    for (int i = 0; i < a->count; i++) {
        memset(a->push[i], 0, sizeof a->push[i]);
        for (int j = 0; j < countOthers(a); j++) {
            double d[3];
            if (!areNear(a, i, j)) continue;
            Other other = getOther(a, j);
            double r = differ(a->p[i], other.x, d);
            double c = getViscosity(a, i) + getViscosity(a, other.index) + getCarrying(a, i, other.index);
            double weight = c * volumeOf(a, other.index) / (a->density[i] + a->density[other.index]) *
                            kernel(a, supportOf(a, i, other.index), r);
            for (int k = 0; k < 3; k++) a->push[i][k] += weight * (other.v[k] - a->v[i][k]);
        }
    }
    for (int i = 0; i < 3 * a->count; i++) a->v[i / 3][i % 3] += a->push[i / 3][i % 3];
}

static bool hasWeight(const refAdaptive *a) {
    return a->gravity[0] != 0 || a->gravity[1] != 0 || a->gravity[2] != 0;
}

void refStepAdaptive(refAdaptive *a, double dt) {
    double tension = 2 / a->largest * a->tension * fmin(1, 3600 * dt * dt * 4 / a->iterations) * hasWeight(a);
    for (int i = 0; i < a->count; i++) {
        for (int k = 0; k < a->dimensions; k++)
            a->p[i][k] = a->x[i][k] + dt * a->v[i][k] + dt * dt * a->gravity[k];
        clampToSides(a, a->p[i]);
    }
    listNeighbours(a);
    solveDensity(a, tension);
    for (int i = 0; i < 3 * a->count; i++) {
        a->v[i / 3][i % 3] = (a->p[i / 3][i % 3] - a->x[i / 3][i % 3]) / dt;
        a->x[i / 3][i % 3] = a->p[i / 3][i % 3];
    }
    smooth(a);
    for (int i = 0; i < a->count; i++) a->offset[i] *= hasWeight(a) ? 1 - 1 / a->fade : 1;
}

static void placeAtRest(refAdaptive *a) {
    memcpy(a->p, a->x, (size_t)a->count * sizeof *a->p);
    moveGhosts(a);
}

void refFindNeighbours(refAdaptive *a) {
    memcpy(a->p, a->x, (size_t)a->count * sizeof *a->p);
    listNeighbours(a);
}

void refMeasure(refAdaptive *a) {
    placeAtRest(a);
    for (int i = 0; i < a->count; i++) {
        Sums sums = sumOver(a, i);
        const double *g = sums.own;
        a->density[i] = sums.density;
        a->gradient[i] =
            refGetSupport(a, a->level[i]) * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) / a->flatGradient;
    }
}

// By its own neighbourhood: a large gradient, and less density than inside, by more where no surface was near before, unless the gradient of water with weight is
// that of a surface; or nearly half of it.
static bool looksLikeSurface(const refAdaptive *a, int i) {
    bool isSteep = hasWeight(a) && a->gradient[i] > 1;
    double most = a->distance[i] < 3 * a->spacing || isSteep ? 0.98 : 0.87;
    return (a->gradient[i] > 0.6 && a->density[i] < most) || a->density[i] < 0.75;
}

// A surface is where several neighbours agree, fewer where it was near before; or where a particle is nearly alone. There b is half
// the particle's size, else the least of b_j + r_ij. Small changes are noise of the detection and followed slowly.
static double findDistance(const refAdaptive *a, int i, const double *before, const bool *looks) {
    double nearest = 1e30, d[3];
    int agree = 0;
    for (int j = 0; j < countOthers(a); j++) {
        Other other = getOther(a, j);
        if (!areNear(a, i, j) || j == i) continue;
        nearest = fmin(nearest, before[other.index] + differ(a->p[i], other.x, d));
        agree += looks[other.index];
    }
    const double old = before[i], smallest = a->spacing / 2;
    const bool wasNear = old < 6 * smallest || old >= 1e29;
    const int few = a->dimensions == 3 ? 3 : 2, many = a->dimensions == 3 ? 8 : hasWeight(a) ? 2 : 3;
    bool isSurface = (looks[i] && agree >= (wasNear ? few : many)) || a->density[i] < 0.5;
    double now = isSurface ? refGetSize(a, a->level[i]) / 2 : nearest;
    return fabs(now - old) < 4 * smallest ? old + 0.25 * (now - old) : now;
}

void refFindDistances(refAdaptive *a, int passes) {
    double *before = calloc((size_t)a->count + 1, sizeof *before);
    bool *looks = calloc((size_t)a->count + 1, sizeof *looks);
    for (int i = 0; i < a->count; i++) looks[i] = looksLikeSurface(a, i);
    for (int k = 0; k < passes; k++) {
        memcpy(before, a->distance, (size_t)a->count * sizeof *before);
        for (int i = 0; i < a->count; i++) a->distance[i] = fmin(findDistance(a, i, before, looks), 1e30);
    }
    free(before), free(looks);
}

// If there were no topmost one.
static double getWishedLevel(const refAdaptive *a, double distance) {
    double size = 1 + a->slope * fmax(0, 2 * distance / a->spacing - a->band);
    return a->dimensions * log2(size);
}

double refGetTargetLevel(const refAdaptive *a, double distance) {
    return fmin(getWishedLevel(a, distance), a->topLevel);
}

// What is two levels too small merges. What still fades does not split, unless it is far from what it should be.
static refWish getWish(const refAdaptive *a, int i) {
    double target = refGetTargetLevel(a, a->distance[i]), level = a->level[i];
    bool isCalm = fabs(a->offset[i]) < 0.03;
    if (level < a->topLevel && getWishedLevel(a, a->distance[i]) >= level + 1.5) return refMerge;
    if (level > 0 && a->distance[i] < 0.25 * a->band * a->spacing) return refSplit;
    bool isCoarse = target < level - a->hysteresis;
    return level > 0 && isCoarse && (isCalm || target < level - a->hysteresis - 1) ? refSplit : refKeep;
}

static uint32_t mix(uint32_t b) {
    b ^= b >> 16, b *= 0x7feb352du, b ^= b >> 15, b *= 0x846ca68bu;
    return b ^ b >> 16;
}

// Squared distance, made a little longer by a hash of both ids, the same from both sides.
static double getKey(const refAdaptive *a, int i, int j) {
    double d[3], r = differ(a->p[i], a->p[j], d);
    uint32_t low = a->id[i] < a->id[j] ? a->id[i] : a->id[j], high = a->id[i] ^ a->id[j] ^ low;
    return r * r * (1 + 0.1 * (mix(low * 0x9e3779b9u + mix(high)) >> 8) / 16777216);
}

static bool canMerge(const refAdaptive *a, int i, int j) {
    return j != i && a->wish[j] == refMerge && a->level[j] == a->level[i];
}

// The nearest of the same level that wants to merge. What is three levels behind looks farther, and if need be among the
// neighbours of its larger neighbours.
static int findPartner(const refAdaptive *a, int i) {
    if (a->wish[i] != refMerge) return -1;
    const bool isBehind = hasWeight(a) && refGetTargetLevel(a, a->distance[i]) >= a->level[i] + 2.5;
    const double reach = (isBehind ? 2.1 : 1.3) * refGetSize(a, a->level[i]);
    double best = reach * reach;
    int partner = -1;
    for (int j = 0; j < a->count; j++)
        if (areNear(a, i, j) && canMerge(a, i, j) && getKey(a, i, j) < best)
            best = getKey(a, i, j), partner = j;
    if (partner >= 0 || !isBehind) return partner;
    best = 1e30;
    for (int j = 0; j < a->count; j++)
        for (int k = 0; k < a->count && areNear(a, i, j) && a->level[j] > a->level[i]; k++)
            if (areNear(a, j, k) && canMerge(a, i, k) && getKey(a, i, k) < best)
                best = getKey(a, i, k), partner = k;
    return partner;
}

// Three levels behind, and nobody is near.
static bool isStranded(const refAdaptive *a, int i) {
    return a->wish[i] == refMerge && a->partner[i] < 0 &&
           refGetTargetLevel(a, a->distance[i]) >= a->level[i] + 2.5;
}

// The nearest stranded one of the same level within the support of the size that it should have.
static int findStranded(const refAdaptive *a, int i, const bool *stranded) {
    const double reach = a->h * pow(2, refGetTargetLevel(a, a->distance[i]) / a->dimensions);
    double best = reach * reach;
    int partner = -1;
    for (int j = 0; j < a->count; j++)
        if (stranded[j] && canMerge(a, i, j) && getKey(a, i, j) < best) best = getKey(a, i, j), partner = j;
    return partner;
}

void refChooseChanges(refAdaptive *a) {
    bool *stranded = calloc((size_t)a->count + 1, sizeof *stranded);
    placeAtRest(a);
    for (int i = 0; i < a->count; i++) a->wish[i] = getWish(a, i);
    for (int i = 0; i < a->count; i++) a->partner[i] = findPartner(a, i);
    for (int i = 0; i < a->count; i++) stranded[i] = isStranded(a, i);
    for (int i = 0; i < a->count; i++)
        if (stranded[i] && hasWeight(a)) a->partner[i] = findStranded(a, i, stranded);
    free(stranded);
}

static bool isMerged(const refAdaptive *a, int i) {
    return a->partner[i] >= 0 && a->partner[a->partner[i]] == i;
}

// Half the way from one half of a split particle to the other: along the axis on which the ends have most room.
static void findAxis(const refAdaptive *a, int i, double axis[3]) {
    static const int axes[13][3] = {{1, 0, 0},  {0, 1, 0},  {1, 1, 0}, {1, -1, 0}, {0, 0, 1},
                                    {1, 0, 1},  {1, 0, -1}, {0, 1, 1}, {0, 1, -1}, {1, 1, 1},
                                    {1, 1, -1}, {1, -1, 1}, {-1, 1, 1}};
    const int count = a->dimensions == 3 ? 13 : 4;
    double half = 0.45 * refGetSize(a, a->level[i] - 1), most = -1;
    for (int n = 0; n < count; n++) {
        int k = (n + (int)(a->id[i] % (uint32_t)count)) % count;
        double length = sqrt(abs(axes[k][0]) + abs(axes[k][1]) + abs(axes[k][2])), room = 1e30, way[3], d[3];
        for (int c = 0; c < 3; c++) way[c] = half * axes[k][c] / length;
        for (int j = 0; j < countOthers(a); j++) {
            Other other = getOther(a, j);
            if (!areNear(a, i, j) || j == i) continue;
            for (int sign = -1; sign <= 1; sign += 2) {
                double end[3];
                for (int c = 0; c < 3; c++) end[c] = a->p[i][c] + sign * way[c];
                room = fmin(room, differ(other.x, end, d) / refGetSize(a, a->level[other.index]));
            }
        }
        if (room * room > 1.001 * most * fabs(most))
            most = room, memcpy(axis, way, sizeof way); // ghosts make ties
    }
}

// The density over which the constraint pushed; 1 where it did not.
static double getPressed(const refAdaptive *a, int i) { return fmax(a->density[i] - a->offset[i], 1); }

static void copyParticle(refAdaptive *to, int k, const refAdaptive *from, int i) {
    memcpy(to->x[k], from->x[i], sizeof to->x[k]), memcpy(to->v[k], from->v[i], sizeof to->v[k]);
    to->level[k] = from->level[i], to->offset[k] = from->offset[i], to->distance[k] = from->distance[i];
    to->id[k] = from->id[i];
}

// Of equal masses: means keep mass, momentum and centre.
static void mergeInto(refAdaptive *to, int k, const refAdaptive *from, int i, double *before) {
    int j = from->partner[i];
    copyParticle(to, k, from, i);
    for (int c = 0; c < 3; c++) {
        to->x[k][c] = 0.5 * (from->x[i][c] + from->x[j][c]);
        to->v[k][c] = 0.5 * (from->v[i][c] + from->v[j][c]);
    }
    to->level[k]++, to->distance[k] = 0.5 * (from->distance[i] + from->distance[j]);
    before[k] = 0.5 * (getPressed(from, i) + getPressed(from, j));
}

bool refChange(refAdaptive *a, int most, double *before) {
    refAdaptive *old = refCreateAdaptive(a->dimensions, a->count, a->capacity);
    int count = 0, room = (most > 0 ? most : a->capacity) - a->count;
    bool changed = false;
    for (int i = 0; i < a->count; i++) {
        copyParticle(old, i, a, i);
        old->partner[i] = a->partner[i], old->wish[i] = a->wish[i], old->density[i] = a->density[i];
    }
    double(*axes)[3] = calloc((size_t)a->count + 1, sizeof *axes);
    for (int i = 0; i < a->count; i++)
        if (a->wish[i] == refSplit) findAxis(a, i, axes[i]);
    for (int i = 0; i < old->count; i++)
        if (isMerged(old, i) && old->id[old->partner[i]] < old->id[i])
            a->freeIds[a->freeCount++] = old->id[i];
    for (int i = 0; i < old->count; i++) {
        bool gone = isMerged(old, i) && old->id[old->partner[i]] < old->id[i];
        bool split = old->wish[i] == refSplit && room > 0;
        changed |= gone || split;
        if (gone) continue;
        if (isMerged(old, i)) {
            mergeInto(a, count++, old, i, before);
            continue;
        }
        for (int half = 0; half <= split; half++, count++) {
            copyParticle(a, count, old, i);
            before[count] = getPressed(old, i);
            if (!split) continue;
            a->level[count]--;
            for (int c = 0; c < 3; c++) a->x[count][c] += half ? axes[i][c] : -axes[i][c];
            clampToSides(a, a->x[count]);
            if (half) a->id[count] = takeLargest(a->freeIds, &a->freeCount), room--;
        }
    }
    a->count = count;
    free(axes), refDestroyAdaptive(old);
    return changed;
}

// Moves particles, without velocity, towards the density from before the change; by a tenth at most in an iteration; inside also together.
void refRelax(refAdaptive *a, const double *before) {
    refFindNeighbours(a);
    for (int n = 0; n < a->relaxations; n++) {
        for (int i = 0; i < a->count; i++) {
            Sums sums = sumOver(a, i);
            double least = a->distance[i] > 2 * a->spacing ? -0.1 : 0;
            a->lambda[i] =
                -2 / a->largest * fmin(fmax(sums.density - before[i], least), 0.1) / sums.denominator;
        }
        correct(a, 0, hasWeight(a) ? 0 : 2 / a->largest * 0.06);
    }
    memcpy(a->x, a->p, (size_t)a->count * sizeof *a->x);
}

// What is still off becomes the rest offset: max(C, 0) is what it was. Where there was no pressure, none is made, and next to
// none where there was next to none.
void refCarry(refAdaptive *a, const double *before) {
    refMeasure(a);
    for (int i = 0; i < a->count; i++) {
        const double rate = hasWeight(a) ? 1e6 : 20, most = hasWeight(a) ? 0.6 : 10;
        const double least = -fmin(rate * (before[i] - 1), 0.2);
        a->offset[i] = fmin(fmax(a->density[i] - before[i], least), most);
    }
}

void refEventAdaptive(refAdaptive *a, int passes, int most) {
    double *before = calloc((size_t)a->capacity + 1, sizeof *before);
    refMeasure(a);
    refFindDistances(a, passes);
    refChooseChanges(a);
    if (refChange(a, most, before)) refRelax(a, before), refCarry(a, before);
    free(before);
}
