// SPDX-License-Identifier: MIT
#include "reference/diffuse.h"

#include <math.h>

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// W = 1 - r/R, eq. 3
static double kernel(const RefDiffuse *f, double r) { return r < f->radius ? 1 - r / f->radius : 0; }

static double sumKernel(const RefDiffuse *f) {
    double sum = 0;
    for (int z = -4; z <= 4; z++)
        for (int y = -4; y <= 4; y++)
            for (int x = -4; x <= 4; x++)
                if (f->dimensions == 3 || z == 0)
                    if (x || y || z) sum += kernel(f, f->spacing * sqrt(x * x + y * y + z * z));
    return sum;
}

static double getDistance(const double a[3], const double b[3], double way[3]) {
    for (int k = 0; k < 3; k++) way[k] = a[k] - b[k];
    return sqrt(dot(way, way));
}

// The sum of W x_ij / R at a flat surface: an integral over half a ball, or half a disc.
static double getFlatNormal(const RefDiffuse *f) {
    const double R = f->radius / f->spacing, pi = acos(-1);
    return f->dimensions == 3 ? pi * R * R * R / 20 : R * R / 6;
}

RefPotential refGetPotential(const RefDiffuse *f, int i) {
    RefPotential p = {0};
    if (dot(f->v[i], f->v[i]) <= f->leastSpeed * f->leastSpeed) return p;
    for (int j = 0; j < f->count; j++) {
        double way[3], v[3];
        const double r = getDistance(f->x[i], f->x[j], way), w = kernel(f, r);
        if (j == i || r >= f->radius) continue;
        for (int k = 0; k < 3; k++) v[k] = f->v[i][k] - f->v[j][k];
        const double speed = sqrt(dot(v, v));
        p.closing += speed > 0 ? speed * (1 - dot(v, way) / (speed * r)) * w : 0;
        p.count++;
        for (int k = 0; k < 3; k++) p.normal[k] += w * way[k] / f->radius;
    }
    p.closing /= sumKernel(f);
    const double length = sqrt(dot(p.normal, p.normal));
    for (int k = 0; k < 3; k++)
        p.normal[k] = length > f->leastNormal * getFlatNormal(f) ? p.normal[k] / length : 0;
    return p;
}

double refGetBend(const RefDiffuse *f, int i, double leastFacing) {
    const RefPotential own = refGetPotential(f, i);
    double sum = 0;
    if (!(dot(own.normal, f->v[i]) > 0 &&
          dot(own.normal, f->v[i]) >= leastFacing * sqrt(dot(f->v[i], f->v[i]))))
        return 0;
    for (int j = 0; j < f->count; j++) {
        double way[3];
        const double r = getDistance(f->x[i], f->x[j], way);
        const RefPotential other = r < f->radius ? refGetPotential(f, j) : (RefPotential){0};
        if (dot(way, own.normal) > 0 && dot(other.normal, other.normal) > 0)
            sum += (1 - dot(own.normal, other.normal)) * kernel(f, r);
    }
    return sum / sumKernel(f);
}

double refSample(const RefDiffuse *f, const double p[3], double v[3]) {
    const double R = f->radius / f->spacing, pi = acos(-1);
    double weight = 0, count = 0;
    v[0] = v[1] = v[2] = 0;
    for (int j = 0; j < f->count; j++) {
        double way[3];
        const double r = getDistance(p, f->x[j], way), w = kernel(f, r);
        count += r < f->radius, weight += w;
        for (int k = 0; k < 3; k++) v[k] += w * f->v[j][k];
    }
    for (int k = 0; k < 3; k++) v[k] = weight > 0 ? v[k] / weight : 0;
    return count / (f->dimensions == 3 ? 4 * pi / 3 * R * R * R : pi * R * R);
}
