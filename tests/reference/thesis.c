// SPDX-License-Identifier: MIT
#include "reference/thesis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/largest_id.h"

#define PI 3.14159265358979323846

refThesis *refCreateThesis(int dimensions, int count) {
    refThesis *t = calloc(1, sizeof *t);
    *t = (refThesis){.dimensions = dimensions,
                     .iterations = 4,
                     .spacing = 0.1,
                     .width = 4,
                     .slope = dimensions == 3 ? 0.3 : 0.4,
                     .largest = 64,
                     .omega = 0.35,
                     .softness = 0.01,
                     .viscosity = 0.01,
                     .mergeTime = 0.25,
                     .reach = 2.2,
                     .excess = 1.4,
                     .gap = 0.9,
                     .relaxations = 2,
                     .inside = 4,
                     .steep = 0.3,
                     .thin = 0.7,
                     .keepsMomentum = true,
                     .count = count,
                     .capacity = 2 * count};
    t->grains = calloc((size_t)t->capacity + 1, sizeof *t->grains);
    t->freeIds = calloc((size_t)t->capacity + 1, sizeof *t->freeIds);
    for (int i = 0; i < count; i++)
        t->grains[i] = (refGrain){.id = (uint32_t)i,
                                  .parts = refParts,
                                  .h = t->width * t->spacing / 2,
                                  .b = t->spacing / 2,
                                  .target = t->spacing / 2,
                                  .other = -1,
                                  .density = 1,
                                  .lowest = 1};
    return t;
}

void refDestroyThesis(refThesis *t) {
    free(t->grains), free(t->near), free(t->freeIds), free(t->ghosts), free(t->nearPoints);
    free(t);
}

// Spiky and the length of its gradient.
static double kernel(int d, double h, double r) {
    return (d == 3 ? 15 : 10) / PI / pow(h, d) * pow(fmax(1 - r / h, 0), 3);
}
static double slopeOf(int d, double h, double r) {
    return 3 * (d == 3 ? 15 : 10) / PI / pow(h, d + 1) * pow(fmax(1 - r / h, 0), 2);
}

static double sumLattice(int d, double ratio, bool squares) {
    int reach = (int)(ratio / 2) + 1;
    double sum = 0;
    for (int z = d == 3 ? -reach : 0; z <= (d == 3 ? reach : 0); z++)
        for (int y = -reach; y <= reach; y++)
            for (int x = -reach; x <= reach; x++) {
                double r = 2 * sqrt(x * x + y * y + z * z), g = r > 0 ? slopeOf(d, ratio, r) : 0;
                sum += pow(2, d) * (squares ? g * g : kernel(d, ratio, r));
            }
    return squares ? sum * pow(ratio, d + 2) : sum;
}

// Far above the ratios that occur sums are those of ratio 24, scaled: what is not the integral goes as ratio^-(d + 1).
double refSumLattice(int dimensions, double ratio) {
    if (ratio <= 24) return sumLattice(dimensions, ratio, false);
    return 1 + (sumLattice(dimensions, 24, false) - 1) * pow(24 / ratio, dimensions + 1);
}
double refSumLatticeSquares(int dimensions, double ratio) {
    return sumLattice(dimensions, fmin(fmax(ratio, 2.5), 24), true);
}

double refGetGrainRadius(const refThesis *t, int i) {
    return t->spacing / 2 * pow((double)t->grains[i].parts / refParts, 1.0 / t->dimensions);
}
static double getVolume(const refThesis *t, int i) {
    return pow(t->spacing, t->dimensions) * t->grains[i].parts / refParts;
}

double refGetWantedSupport(const refThesis *t, double b) {
    return fmin(fmax(t->slope * b, t->width * t->spacing / 2),
                t->largest * t->spacing / 2 * t->width * (1 + t->slope));
}
double refGetTargetRadius(const refThesis *t, double b) {
    double r = fmax(t->slope / (t->width * (1 + t->slope)) * b, t->spacing / 2);
    return fmin(r, t->largest * t->spacing / 2);
}

static uint32_t mix(uint32_t b) {
    b ^= b >> 16, b *= 0x7feb352du, b ^= b >> 15, b *= 0x846ca68bu;
    return b ^ b >> 16;
}
static double mixToUnit(uint32_t b) { return (mix(b) >> 8) / 16777216.0; }

// What is put back to a side is put a hair in front of it, each particle a little elsewhere (section 3.2.5).
static void confine(const refThesis *t, refGrain *g) {
    for (int k = 0; k < t->dimensions; k++) {
        double inset = 1e-3 * t->spacing * mixToUnit(g->id + mix(3 * t->steps + (uint32_t)k));
        if (t->closed[2 * k]) g->p[k] = fmax(g->p[k], t->sideMin[k] + 1e-4 * t->spacing + inset);
        if (t->closed[2 * k + 1]) g->p[k] = fmin(g->p[k], t->sideMax[k] - 1e-4 * t->spacing - inset);
    }
}

static double differ(const double a[3], const double b[3], double way[3]) {
    double r2 = 0;
    for (int k = 0; k < 3; k++) way[k] = a[k] - b[k], r2 += way[k] * way[k];
    return sqrt(r2);
}
static bool areNear(const refThesis *t, int i, int j) {
    return t->near[(size_t)i * (size_t)t->nearWidth + (size_t)j];
}

// Of a particle, or from `count` on of an ghost.
static int getSource(const refThesis *t, int j) { return j < t->count ? j : t->ghosts[j - t->count].source; }
static double differFrom(const refThesis *t, int i, int j, double way[3]) {
    double place[3];
    const refGrain *g = &t->grains[getSource(t, j)];
    for (int k = 0; k < 3; k++) {
        const refGhost *ghost = j < t->count ? NULL : &t->ghosts[j - t->count];
        place[k] = ghost ? ghost->sign[k] * g->p[k] + ghost->shift[k] : g->p[k];
    }
    return differ(t->grains[i].p, place, way);
}
static double getRelative(const refThesis *t, int i) {
    return t->relative ? t->relative[t->grains[getSource(t, i)].id] : 1;
}

// At one side each along one axis, two, or three.
static void addGhosts(refThesis *t, int i, double reach) {
    for (int sides = 1; sides < 27; sides++) {
        refGhost ghost = {.source = i, .sign = {1, 1, 1}};
        bool exists = true;
        for (int k = 0, code = sides; k < 3; k++, code /= 3) {
            if (code % 3 == 0) continue;
            int side = 2 * k + code % 3 - 1;
            double end = side % 2 ? t->sideMax[k] : t->sideMin[k];
            exists &= t->closed[side] && fabs(t->grains[i].p[k] - end) < reach;
            ghost.sign[k] = -1, ghost.shift[k] = 2 * (code % 3 == 1 ? t->sideMin[k] : t->sideMax[k]);
        }
        if (exists) t->ghosts[t->ghostCount++] = ghost;
    }
}

static void predict(refThesis *t, double dt) {
    for (int i = 0; i < t->count; i++) {
        refGrain *g = &t->grains[i];
        for (int k = 0; k < t->dimensions; k++) g->p[k] = g->x[k] + dt * g->v[k] + dt * dt * t->gravity[k];
        confine(t, g);
    }
}

// (4.17) to (4.29). A transfer has a part of what is still to be moved, as the step is a part of the time that is left.
static void transfer(refThesis *t, double dt) {
    for (int i = 0; i < t->count; i++) {
        refGrain *s = &t->grains[i], *to = &t->grains[s->role == refAlone ? i : s->other];
        if (s->role != refMergeSource && s->role != refSplitSource) continue;
        uint32_t rest = s->parts, goal = (s->parts + to->parts) / refParts / 2 * refParts;
        if (s->role == refSplitSource) rest = goal - to->parts;
        bool ends = s->left < 1.001 * dt;
        uint32_t q = ends ? rest : (uint32_t)(dt / s->left * rest + 0.5);
        if (!ends && q >= rest && rest > 0) q = rest - 1; // else a source would go before its time
        double mass = (double)to->parts + q, lost = 0;
        for (int k = 0; k < 3; k++) {
            lost += pow(q * (s->v[k] - to->v[k]) / refParts, 2);
            if (t->keepsMomentum) to->v[k] = (to->parts * to->v[k] + q * s->v[k]) / mass;
            if (t->movesTargets) to->p[k] = (to->parts * to->p[k] + q * s->p[k]) / mass;
        }
        if (!t->keepsMomentum) t->lost += sqrt(lost);
        s->parts -= q, to->parts += q;
        s->left -= dt, to->left = s->left;
        if (!ends) continue;
        if (s->role == refSplitSource) s->role = refAlone, s->other = -1;
        to->role = refAlone, to->other = -1;
    }
}

// Section 4.2: as wide as the widest intrinsic kernel k target_j around it, which fades from there to half as far again.
static double spreadSupport(const refThesis *t, int i) {
    double h = 0, way[3];
    for (int j = 0; j < t->count; j++) {
        if (j != i && !areNear(t, i, j)) continue;
        double own = t->width * t->grains[j].target, r = differ(t->grains[i].p, t->grains[j].p, way);
        h = fmax(h, own * fmin(fmax(3 - 2 * r / own, 0), 1));
    }
    return h;
}

static void widen(refThesis *t) {
    for (int i = 0; i < t->count; i++) {
        refGrain *g = &t->grains[i];
        double wanted = t->isGeneral ? spreadSupport(t, i) : refGetWantedSupport(t, g->b);
        g->h = fmin(fmax(wanted, 0.99 * g->h), 1.01 * g->h);
    }
}

// Sums over the lattice that a particle would be of, if all were as large as it and had its kernel.
static void calibrate(refThesis *t) {
    for (int i = 0; i < t->count; i++) {
        refGrain *g = &t->grains[i];
        double ratio = g->h / fmax(refGetGrainRadius(t, i), 1e-3 * t->spacing);
        g->calibration = refSumLattice(t->dimensions, ratio);
        g->squares = refSumLatticeSquares(t->dimensions, ratio) / pow(g->h, t->dimensions + 2);
    }
}

static double getReach(const refThesis *t, int i) {
    return t->isGeneral ? fmax(t->grains[i].h, 1.5 * t->width * t->grains[i].target) : t->grains[i].h;
}

static void findNear(refThesis *t) {
    double reach = 0;
    t->ghostCount = 0;
    t->ghosts = realloc(t->ghosts, ((size_t)t->count * 26 + 1) * sizeof *t->ghosts);
    for (int i = 0; i < t->count; i++) reach = fmax(reach, getReach(t, i));
    for (int i = 0; i < t->count; i++) addGhosts(t, i, reach);
    t->nearWidth = t->count + t->ghostCount;
    t->near = realloc(t->near, (size_t)t->count * (size_t)t->nearWidth + 1);
    for (int i = 0; i < t->count; i++)
        for (int j = 0; j < t->nearWidth; j++) {
            double way[3], h = fmax(getReach(t, i), getReach(t, getSource(t, j)));
            t->near[(size_t)i * (size_t)t->nearWidth + (size_t)j] = i != j && differFrom(t, i, j, way) < h;
        }
    t->nearPoints = realloc(t->nearPoints, (size_t)t->count * (size_t)t->pointCount + 1);
    for (int i = 0; i < t->count; i++)
        for (int n = 0; n < t->pointCount; n++) {
            double way[3];
            t->nearPoints[(size_t)i * (size_t)t->pointCount + (size_t)n] =
                differ(t->grains[i].p, t->points[n].x, way) < getReach(t, i);
        }
}

// What a particle sees of a collider's point, whose shell is as deep as the narrowest kernel reaches: stretched for wider ones. Gives its volume, as a
// share of the smallest particle's.
static double seePoint(const refThesis *t, int i, int n, double way[3], double *r) {
    const refGrain *g = &t->grains[i];
    const refPoint *point = &t->points[n];
    double wider = fmax(g->h / (t->width * t->spacing / 2), 1), ahead = 0;
    *r = differ(g->p, point->x, way);
    if (!t->nearPoints[(size_t)i * (size_t)t->pointCount + (size_t)n]) return 0;
    for (int k = 0; k < 3; k++) {
        way[k] -= point->inwards[k] * point->depth * (wider - 1);
        ahead += way[k] * point->inwards[k];
    }
    *r = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    return wider > 1 && ahead > 0 ? 0 : point->weight * wider;
}

// Density over the rest density and grad_i C_i; -mu_i = C_i / (V_i sum V_j |g|2 + |sum V_j g|2 + epsilon), lambda_i = V_i mu_i, times s_i.
static void solveOne(refThesis *t, int i, double rest, double least) {
    refGrain *g = &t->grains[i];
    int d = t->dimensions, neighbours = 0;
    double own[3] = {0}, squares = 0, masses = 0, v = getVolume(t, i), s = 1, own2 = 0;
    double density = v * kernel(d, g->h, 0), smallest = pow(t->spacing, d);
    for (int j = 0; j < t->nearWidth; j++) {
        double way[3], r;
        if (!areNear(t, i, j) || (r = differFrom(t, i, j, way)) >= g->h || r == 0) continue;
        double slope = slopeOf(d, g->h, r), vj = getVolume(t, getSource(t, j));
        density += vj * kernel(d, g->h, r), squares += vj * slope * slope;
        masses += vj, neighbours++;
        for (int k = 0; k < 3; k++) own[k] -= vj * slope * way[k] / r;
    }
    for (int k = 0; k < 3; k++) g->touch[k] = 0;
    for (int n = 0; n < t->pointCount; n++) {
        double way[3], r, vj = smallest * seePoint(t, i, n, way, &r), slope = slopeOf(d, g->h, r);
        density += vj * kernel(d, g->h, r), squares += vj * slope * slope;
        for (int k = 0; k < 3; k++) own[k] -= vj * slope * way[k] / r, g->touch[k] -= vj * slope * way[k] / r;
    }
    g->density = density / g->calibration;
    for (int k = 0; k < 3; k++) g->gradient[k] = own[k] / g->calibration, own2 += own[k] * own[k];
    if (neighbours > 0 && masses > 0) s = fmin(fmax(v * neighbours / masses, 0.5), 2);
    double soft = t->softness * g->squares * fmax(v, smallest);
    double c = fmax(g->density - rest, least);
    g->mu = -t->omega * s * c * g->calibration / (v * squares + own2 + soft) * g->lowest;
}

// The least relative density near a particle, faded out at the end of the wider kernel.
static void findLowest(refThesis *t) {
    for (int i = 0; i < t->count; i++) {
        double lightness = 1 / getRelative(t, i), way[3];
        for (int j = 0; j < t->nearWidth; j++) {
            if (!areNear(t, i, j)) continue;
            double q = differFrom(t, i, j, way) / fmax(t->grains[i].h, t->grains[getSource(t, j)].h);
            lightness = fmax(lightness, fmin(4 * fmax(1 - q * q, 0), 1) / getRelative(t, j));
        }
        t->grains[i].lowest = 1 / lightness;
    }
}

// dp_i = mu_i sum V_j g_ij(h_i) + sum mu_j V_j g_ij(h_j), over the relative density; points of colliders answer with the same.
static void correct(refThesis *t, bool pushes) {
    double(*push)[3] = calloc((size_t)t->count + 1, sizeof *push);
    for (int i = 0; i < t->count; i++)
        for (int j = 0; j < t->nearWidth; j++) {
            const refGrain *a = &t->grains[i], *b = &t->grains[getSource(t, j)];
            double way[3], r;
            if (!areNear(t, i, j) || (r = differFrom(t, i, j, way)) == 0) continue;
            double scale = getVolume(t, getSource(t, j)) * (a->mu * slopeOf(t->dimensions, a->h, r) +
                                                            b->mu * slopeOf(t->dimensions, b->h, r));
            for (int k = 0; k < 3; k++) push[i][k] -= scale * way[k] / r;
        }
    for (int n = 0; n < t->pointCount && pushes; n++)
        for (int i = 0; i < t->count; i++) {
            const refGrain *g = &t->grains[i];
            double way[3], r, v = pow(t->spacing, t->dimensions) * seePoint(t, i, n, way, &r);
            double scale = 2 * getVolume(t, i) * v * g->mu * slopeOf(t->dimensions, g->h, r);
            for (int k = 0; k < 3; k++) t->points[n].push[k] += scale * way[k] / r;
        }
    for (int i = 0; i < t->count; i++) {
        refGrain *g = &t->grains[i];
        for (int k = 0; k < 3; k++) g->p[k] += (push[i][k] + 2 * g->mu * g->touch[k]) / getRelative(t, i);
        confine(t, g);
    }
    free(push);
}

// Section 4.5.1, by particles alone: sides and colliders are boundary as well. What is on its way into another is none.
static bool isBoundary(const refThesis *t, int i) {
    const refGrain *g = &t->grains[i];
    int d = t->dimensions;
    double density = getVolume(t, i) * kernel(d, g->h, 0), gradient[3] = {0}, way[3], r;
    if (g->parts < refParts) return false;
    for (int j = 0; j < t->count; j++) {
        if (!areNear(t, i, j) || (r = differ(g->p, t->grains[j].p, way)) >= g->h || r == 0) continue;
        density += getVolume(t, j) * kernel(d, g->h, r);
        for (int k = 0; k < 3; k++) gradient[k] -= getVolume(t, j) * slopeOf(d, g->h, r) * way[k] / r;
    }
    double length = sqrt(gradient[0] * gradient[0] + gradient[1] * gradient[1] + gradient[2] * gradient[2]);
    if (density / g->calibration < t->thin) return true;
    if (g->h * length / g->calibration <= t->steep) return false;
    for (int j = 0; j < t->count; j++) {
        double along = 0;
        if (!areNear(t, i, j) || (r = differ(t->grains[j].p, g->p, way)) >= g->h) continue;
        for (int k = 0; k < 3; k++) along -= gradient[k] * way[k];
        if (along > 0.6 * length * r) return false; // (4.31)
    }
    return true;
}

// Section 4.5.2: the boundary's own radius there, else one neighbourhood farther (4.32).
static void findDistances(refThesis *t) {
    double *before = calloc((size_t)t->count + 1, sizeof *before), way[3];
    for (int i = 0; i < t->count; i++) {
        t->grains[i].isBoundary = isBoundary(t, i);
        before[i] = t->grains[i].isBoundary ? refGetGrainRadius(t, i) : t->grains[i].b;
    }
    for (int i = 0; i < t->count; i++) {
        double b = 1e30;
        for (int j = 0; j < t->count; j++)
            if (areNear(t, i, j)) b = fmin(b, before[j] + differ(t->grains[i].p, t->grains[j].p, way));
        t->grains[i].b = t->grains[i].isBoundary || b == 1e30 ? before[i] : b;
        t->grains[i].target = refGetTargetRadius(t, t->grains[i].b);
    }
    free(before);
}

static double getTargetMass(const refThesis *t, int i) {
    return pow(2 * t->grains[i].target / t->spacing, t->dimensions) * refParts;
}

// Squared distance, a little longer by a hash of both ids, the same from both sides.
static double getKey(const refThesis *t, int i, int j) {
    double way[3], r = differ(t->grains[i].p, t->grains[j].p, way);
    uint32_t a = t->grains[i].id, b = t->grains[j].id, low = a < b ? a : b, high = a ^ b ^ low;
    return r * r * (1 + 0.1 * mixToUnit(low * 0x9e3779b9u + mix(high)));
}

// (4.34), section 4.5.4: near, together no larger than one of them should be, and than their kernels are wide enough for.
static int findPartner(const refThesis *t, int i) {
    int partner = -1;
    double best = 1e30, way[3];
    if (t->grains[i].role != refAlone) return -1;
    for (int j = 0; j < t->count; j++) {
        const refGrain *g = &t->grains[j];
        if (!areNear(t, i, j) || g->role != refAlone || getRelative(t, i) != getRelative(t, j)) continue;
        double own = getTargetMass(t, i), theirs = getTargetMass(t, j);
        double mass = fmax(fmax(own, theirs), t->excess * fmin(own, theirs));
        double reach = t->reach * fmax(refGetGrainRadius(t, i), refGetGrainRadius(t, j));
        double together =
            t->spacing / 2 * pow(((double)t->grains[i].parts + g->parts) / refParts, 1.0 / t->dimensions);
        if ((double)t->grains[i].parts + g->parts > mass * 1.0001) continue;
        if (fmin(t->grains[i].h, g->h) < 0.9999 * t->width * together) continue;
        if (differ(t->grains[i].p, g->p, way) >= reach || getKey(t, i, j) >= best) continue;
        best = getKey(t, i, j), partner = j;
    }
    return partner;
}

// The smaller into the larger; of equal ones that with the larger id into the other.
static void startMerges(refThesis *t) {
    int *partner = calloc((size_t)t->count + 1, sizeof *partner);
    for (int i = 0; i < t->count; i++) partner[i] = findPartner(t, i);
    for (int i = 0; i < t->count; i++) {
        int j = partner[i];
        refGrain *a = &t->grains[i];
        if (j < 0 || partner[j] != i) continue;
        const refGrain *b = &t->grains[j];
        bool isSource = a->parts != b->parts ? a->parts < b->parts : a->id > b->id;
        a->role = isSource ? refMergeSource : refMergeTarget;
        a->other = j, a->left = t->mergeTime;
    }
    free(partner);
}

// Section 4.4.3, at once, or as in 4.4.1: the new one is empty at first. Away from the density, with the centre of both where it was.
static void split(refThesis *t, int i) {
    refGrain *s = &t->grains[i], *to = &t->grains[t->count];
    uint32_t units = s->parts / refParts, half = units / 2;
    double way[3], length = 0, room = t->gap * t->spacing * pow(half, 1.0 / t->dimensions);
    *to = *s;
    for (int k = 0; k < 3; k++) {
        way[k] = -s->h * s->gradient[k];
        if (k < t->dimensions) way[k] += 0.02 * mixToUnit(s->id + mix(3 * t->steps + (uint32_t)k)) - 0.01;
        length += way[k] * way[k];
    }
    double ahead = t->splitsGradually ? 1 : (double)(units - half) / units, back = 1 - ahead;
    for (int k = 0; k < 3; k++) {
        double shift = room * way[k] / sqrt(length);
        to->p[k] += ahead * shift, s->p[k] -= back * shift;
    }
    to->id = takeLargest(t->freeIds, &t->freeCount);
    to->parts = half * refParts, s->parts = (units - half) * refParts;
    confine(t, to), confine(t, s);
    memcpy(to->x, to->p, sizeof to->x), memcpy(s->x, s->p, sizeof s->x);
    if (t->splitsGradually) {
        s->parts = units * refParts, to->parts = 0;
        s->role = refSplitSource, to->role = refSplitTarget;
        s->left = to->left = t->mergeTime, s->other = t->count, to->other = i;
    }
    t->count++, t->splits++;
}

// (4.33), by masses
static void startSplits(refThesis *t) {
    int count = t->count;
    for (int i = 0; i < count; i++) {
        const refGrain *g = &t->grains[i];
        if (g->role != refAlone || (double)g->parts < 1.9999 * getTargetMass(t, i)) continue;
        if (t->freeCount > 0 && (t->limit == 0 || t->count < t->limit)) split(t, i);
    }
}

// c of XSPH: what changes left is calmed more than the rest.
static double getCalming(const refThesis *t, const refGrain *g) {
    return t->viscosity + fmin(10 * fabs(g->offset), 0.5);
}

static void finishVelocities(refThesis *t, double dt) {
    double(*change)[3] = calloc((size_t)t->count + 1, sizeof *change);
    for (int i = 0; i < t->count; i++)
        for (int k = 0; k < 3; k++) t->grains[i].v[k] = (t->grains[i].p[k] - t->grains[i].x[k]) / dt;
    for (int i = 0; i < t->count; i++)
        for (int j = 0; j < t->nearWidth; j++) {
            const refGrain *a = &t->grains[i], *b = &t->grains[getSource(t, j)];
            double way[3], relative = getRelative(t, j);
            if (!areNear(t, i, j)) continue;
            double r = differFrom(t, i, j, way), v = getVolume(t, getSource(t, j));
            double w = 0.5 * (kernel(t->dimensions, a->h, r) + kernel(t->dimensions, b->h, r));
            w *= 2 * relative / (relative + getRelative(t, i));
            for (int k = 0; k < 3; k++) {
                double sign = j < t->count ? 1 : t->ghosts[j - t->count].sign[k]; // sides slip, at rest
                change[i][k] +=
                    (getCalming(t, a) + getCalming(t, b)) / 2 * v * w * (sign * b->v[k] - a->v[k]);
            }
        }
    for (int i = 0; i < t->count; i++)
        for (int k = 0; k < 3; k++) {
            t->grains[i].v[k] += change[i][k];
            t->grains[i].x[k] = t->grains[i].p[k];
        }
    free(change);
}

// Moves particles, without velocity, towards the density that they had before something was transferred or widened; inside also together.
// What is left of the difference is a rest offset, so that constraints push as they did: a free disc would fly apart by it.
static void settle(refThesis *t, const double *before) {
    for (int n = 0; n < t->relaxations; n++) {
        for (int i = 0; i < t->count; i++)
            solveOne(t, i, before[i], t->grains[i].b > t->inside * t->spacing / 2 ? -0.1 : 0);
        correct(t, false);
    }
    for (int i = 0; i < t->count; i++) {
        refGrain *g = &t->grains[i];
        solveOne(t, i, 1, 0);
        g->offset = fmin(fmax(g->density - before[i], -fmin(1e3 * (before[i] - 1), 0.2)), 0.6);
    }
    for (int i = 0; i < t->count; i++) memcpy(t->grains[i].x, t->grains[i].p, sizeof t->grains[i].x);
}

// What was merged goes; references to the others follow.
static void removeEmpty(refThesis *t) {
    int *place = calloc((size_t)t->count + 1, sizeof *place), count = 0;
    for (int i = 0; i < t->count; i++) {
        bool isGone = t->grains[i].role == refMergeSource && t->grains[i].parts == 0;
        if (isGone) t->freeIds[t->freeCount++] = t->grains[i].id, t->merges++;
        place[i] = isGone ? -1 : count++;
    }
    for (int i = 0; i < t->count; i++) {
        if (place[i] < 0) continue;
        t->grains[place[i]] = t->grains[i];
        if (t->grains[i].role != refAlone) t->grains[place[i]].other = place[t->grains[i].other];
    }
    t->count = count;
    free(place);
}

// Halves have the density of what they came from.
static void settleSplits(refThesis *t, double *before) {
    for (int i = 0; i < t->count; i++) before[i] = fmax(t->grains[i].density - t->grains[i].offset, 1);
    calibrate(t);
    predict(t, 0);
    findNear(t);
    findLowest(t);
    settle(t, before);
}

void refStepThesis(refThesis *t, double dt) {
    double *before = calloc((size_t)t->capacity + 1, sizeof *before);
    const int64_t splits = t->splits;
    calibrate(t);
    predict(t, dt);
    findNear(t);
    findLowest(t);
    for (int n = 0; n < t->pointCount; n++) memset(t->points[n].push, 0, sizeof t->points[n].push);
    for (int k = 0; k < t->iterations; k++) {
        for (int i = 0; i < t->count; i++) solveOne(t, i, 1 + t->grains[i].offset, 0);
        correct(t, true);
    }
    for (int i = 0; i < t->count; i++) {
        solveOne(t, i, 1, 0);
        before[i] = fmax(t->grains[i].density - t->grains[i].offset, 1);
    }
    findDistances(t);
    finishVelocities(t, dt);
    startMerges(t);
    transfer(t, dt);
    widen(t);
    calibrate(t);
    settle(t, before);
    removeEmpty(t);
    startSplits(t);
    if (t->splits > splits) settleSplits(t, before);
    t->steps++;
    free(before);
}
