// SPDX-License-Identifier: MIT
// A stress along the skin, S = 2 sigma |n|/m (I - e e^T) less what curvature takes off, in plain loops: after Lafaurie et al. 1994, on particles as
// docs/water.md derives it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/sph.h"

static const double pi = 3.14159265358979323846;

typedef double Matrix[3][3];

typedef struct Skin {
    double n[3], base[3]; // 1/m, of all and of bases
    Matrix moment;
    double cosine, weight; // of contact angles, weighed
    double e[3], share;    // unit normal, how much it belongs to the skin
    double strength;       // N/m2
    double least;          // N/m2, of it in any case
    Matrix stress;         // N/m2
    double across[3];      // unit normal of bases
    double baseStrength;
} Skin;

typedef struct Tension {
    refSph *sph;
    double normalFactor, momentFactor; // that make the lattice's sums d
    Skin *skins;
} Tension;

bool refHasStress(const refSph *sph) {
    return sph->params.surfaceTension > 0 && sph->params.tensionMethod == wb_tensionStress;
}

double refAmbient(const refSph *sph) {
    return refHasStress(sph) ? (double)sph->params.surfaceTension / sph->h : 0;
}

static double normalKernel(const Tension *t, double r) {
    return r < t->sph->h ? t->normalFactor * pow(1 - r / t->sph->h, 3) : 0;
}
static double momentKernel(const Tension *t, double r) {
    double q = r / t->sph->h;
    return q < 1 ? t->momentFactor * (1 - q * q) : 0;
}

static void calibrate(Tension *t) {
    const refSph *sph = t->sph;
    const int reach = (int)ceil(sph->params.smoothing), reachZ = sph->dimensions == 3 ? reach : 0;
    double normal = 0, moment = 0;
    t->normalFactor = t->momentFactor = 1;
    for (int k = -reachZ; k <= reachZ; k++)
        for (int j = -reach; j <= reach; j++)
            for (int i = -reach; i <= reach; i++) {
                double r = sph->params.spacing * sqrt(i * i + j * j + k * k);
                normal += normalKernel(t, r) * r * r, moment += momentKernel(t, r) * r * r;
            }
    t->normalFactor = sph->dimensions / normal, t->momentFactor = sph->dimensions / moment;
}

// What lies at x adds to the sums of a particle. A base counts along the axes that it has 1 for: colliders' points along all, ghosts across
// their sides, because they end where the water does, but the base does not. `base` is NULL for water.
static void addToSums(const Tension *t, int i, const double x[3], double volume, const double base[3],
                      double cosine) {
    Skin *skin = &t->skins[i];
    double way[3], r2 = 0;
    for (int k = 0; k < 3; k++) way[k] = t->sph->x[i][k] - x[k], r2 += way[k] * way[k];
    double normal = volume * normalKernel(t, sqrt(r2)), moment = volume * momentKernel(t, sqrt(r2));
    for (int k = 0; k < 3; k++) {
        skin->n[k] -= normal * way[k];
        if (base) skin->base[k] -= base[k] * normal * way[k];
        for (int l = 0; l < 3; l++) skin->moment[k][l] += moment * way[k] * way[l];
    }
    if (base) skin->cosine += normal * cosine, skin->weight += normal;
}

static double normalize(const double a[3], double unit[3]) {
    double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int k = 0; k < 3; k++) unit[k] = length > 0 ? a[k] / length : 0;
    return length;
}

// Of the moments, along the plane across e.
static double along(const Tension *t, const Matrix m, const double e[3]) {
    double sum = m[0][0] + m[1][1] + m[2][2];
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) sum -= e[k] * m[k][l] * e[l];
    return fmax(sum / (t->sph->dimensions - 1), 0.3);
}

static void sumSkin(const Tension *t, int i) {
    const refSph *sph = t->sph;
    const double sigma = sph->params.surfaceTension, side = cos(pi / 180 * sph->params.contactAngle);
    static const double same[3] = {1, 1, 1};
    Skin *skin = &t->skins[i];
    for (int j = 0; j < sph->count; j++) addToSums(t, i, sph->x[j], 1, NULL, 0);
    for (int j = 0; j < sph->ghostCount; j++) {
        const double *sign = sph->ghosts[j].sign, base[3] = {sign[0] < 0, sign[1] < 0, sign[2] < 0};
        addToSums(t, i, sph->ghosts[j].x, 1, base, side);
    }
    for (int b = 0; b < sph->boundaryCount; b++) {
        const refBoundaryPoint *point = &sph->boundary[b];
        double cosine = point->adhesion > 0 ? fmin(point->adhesion / sigma - 1, 1) : side;
        addToSums(t, i, point->x, point->psi / sph->mass, same, cosine);
    }
    double length = normalize(skin->n, skin->e), part = fmin(fmax(length * sph->h / 0.3 - 1, 0), 1);
    skin->share = part * part * (3 - 2 * part);
    double base = normalize(skin->base, skin->across),
           cosine = skin->weight > 0 ? skin->cosine / skin->weight : 0;
    skin->strength = 2 * sigma * length / along(t, skin->moment, skin->e);
    // what a base takes off counts although it is little: else it would push films apart
    skin->least = 2 * sigma * fmin(length, base * fmax(cosine, 0)) / along(t, skin->moment, skin->e);
    skin->baseStrength = -2 * sigma * cosine * base / along(t, skin->moment, skin->across);
}

// The stress: the strength counts by the cosine between e and its mean around i; and the skin of a drop is smaller than the drop, which its
// curvature B tells along each direction, by how normals turn: S is (1 - o H)^(d-1) (I - e e^T - o B).
static void bend(const Tension *t, int i) {
    const refSph *sph = t->sph;
    Skin *skin = &t->skins[i];
    Matrix turned = {{0}}, flat, curvature = {{0}};
    double mean[3] = {0}, unit[3] = {0}, all = 0, reached = 0, H = 0, spread = 0, d = sph->dimensions;
    for (int j = 0; j < sph->count + sph->ghostCount; j++) {
        const refGhost *ghost = j < sph->count ? NULL : &sph->ghosts[j - sph->count];
        const double *x = ghost ? ghost->x : sph->x[j];
        const Skin *other = &t->skins[ghost ? ghost->original : j];
        double way[3], e[3], r2 = 0, mine = 0;
        for (int k = 0; k < 3; k++) {
            way[k] = sph->x[i][k] - x[k], r2 += way[k] * way[k];
            mine += skin->e[k] * way[k];
            e[k] = other->e[k] * (ghost ? ghost->sign[k] : 1);
        }
        double moment = momentKernel(t, sqrt(r2)), weight = skin->share * other->share * moment;
        for (int k = 0; k < 3; k++) {
            mean[k] += moment * other->share * e[k];
            for (int l = 0; l < 3; l++) turned[k][l] += 0.5 * weight * (e[k] * way[l] + e[l] * way[k]);
        }
        all += moment, reached += weight * (r2 - mine * mine);
    }
    double part = all > 0 ? fmin(fmax(normalize(mean, unit) / all / 0.1 - 1, 0), 1) : 0, cosine = 0;
    for (int k = 0; k < 3; k++) {
        cosine += unit[k] * skin->e[k];
        for (int l = 0; l < 3; l++) flat[k][l] = (k == l) - skin->e[k] * skin->e[l];
    }
    double f = cosine * fmax(skin->strength * part * part * (3 - 2 * part), skin->least);
    // o B and o H
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    curvature[k][l] +=
                        0.38 * sph->h * flat[k][a] * turned[a][b] * flat[b][l] / (reached / (d - 1) + 0.02);
    for (int k = 0; k < 3; k++) H += curvature[k][k] / (d - 1);
    double limited = fmin(fmax(H, -0.5), 0.5);
    // less its mean, and that limited, too
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) {
            curvature[k][l] = d > 2 ? curvature[k][l] - H * flat[k][l] : 0;
            spread += 0.5 * curvature[k][l] * curvature[k][l];
        }
    double shrink = spread > 0.25 ? 0.5 / sqrt(spread) : 1;
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
            skin->stress[k][l] =
                f * pow(1 - limited, d - 1) * ((1 - limited) * flat[k][l] - shrink * curvature[k][l]);
}

// pulled += scale S way
static void apply(const Matrix stress, const double sign[3], const double way[3], double scale,
                  double pulled[3]) {
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) pulled[k] += scale * sign[k] * sign[l] * stress[k][l] * way[l];
}

// pulled += scale f (I - e e^T) way
static void stretch(const double e[3], const double sign[3], double f, const double way[3], double scale,
                    double pulled[3]) {
    double dot = 0;
    for (int k = 0; k < 3; k++) dot += sign[k] * e[k] * way[k];
    for (int k = 0; k < 3; k++) pulled[k] += scale * f * (way[k] - sign[k] * e[k] * dot);
}

static void pull(const Tension *t, int i, int j, const double x[3], const double sign[3]) {
    static const double same[3] = {1, 1, 1};
    refSph *sph = t->sph;
    const Skin *mine = &t->skins[i], *theirs = &t->skins[j];
    double way[3], r2 = 0;
    for (int k = 0; k < 3; k++) way[k] = sph->x[i][k] - x[k], r2 += way[k] * way[k];
    double scale = -momentKernel(t, sqrt(r2)) / sph->params.restDensity;
    apply(mine->stress, same, way, scale, sph->a[i]);
    apply(theirs->stress, sign, way, scale, sph->a[i]);
    stretch(mine->across, same, mine->baseStrength, way, scale, sph->a[i]);
    stretch(theirs->across, sign, theirs->baseStrength, way, scale, sph->a[i]);
}

// A base's point has the stress of the particle, mirrored at the base.
static void pullAtPoint(const Tension *t, int i, refBoundaryPoint *point) {
    static const double same[3] = {1, 1, 1};
    refSph *sph = t->sph;
    const Skin *skin = &t->skins[i];
    double way[3], mirrored[3], pulled[3] = {0}, r2 = 0, across = 0, along = 0, a[3] = {0};
    for (int k = 0; k < 3; k++) {
        way[k] = sph->x[i][k] - point->x[k], r2 += way[k] * way[k];
        across += way[k] * skin->across[k];
    }
    for (int k = 0; k < 3; k++) mirrored[k] = way[k] - 2 * across * skin->across[k];
    double scale = -point->psi / sph->mass * momentKernel(t, sqrt(r2)) / sph->params.restDensity;
    apply(skin->stress, same, way, scale, a);
    apply(skin->stress, same, mirrored, scale, pulled);
    for (int k = 0; k < 3; k++) along += pulled[k] * skin->across[k];
    for (int k = 0; k < 3; k++) a[k] += pulled[k] - 2 * along * skin->across[k];
    stretch(skin->across, same, skin->baseStrength, way, 2 * scale, a);
    for (int k = 0; k < 3; k++) sph->a[i][k] += a[k], point->f[k] -= sph->mass * a[k];
}

void refAddTension(refSph *sph) {
    static const double same[3] = {1, 1, 1};
    Tension t = {sph, 1, 1, calloc(sph->count, sizeof(Skin))};
    calibrate(&t);
    for (int i = 0; i < sph->count; i++) sumSkin(&t, i);
    for (int i = 0; i < sph->count; i++) bend(&t, i);
    for (int i = 0; i < sph->count; i++) {
        for (int j = 0; j < sph->count; j++)
            if (j != i) pull(&t, i, j, sph->x[j], same);
        for (int j = 0; j < sph->ghostCount; j++)
            pull(&t, i, sph->ghosts[j].original, sph->ghosts[j].x, sph->ghosts[j].sign);
        for (int b = 0; b < sph->boundaryCount; b++) pullAtPoint(&t, i, &sph->boundary[b]);
    }
    free(t.skins);
}
