// SPDX-License-Identifier: MIT
#include "bench/adaptive_theory.h"

#include <math.h>

#define PI 3.14159265358979323846

wbAdaptiveTheory wbMakeThesisTheory(int dimensions, double radius) {
    static const double slopes[] = {0.5, 0.4, 0.3}; // table 6.2, "fixed"
    return (wbAdaptiveTheory){wb_theoryThesis, dimensions, radius, 4, slopes[dimensions - 1], 0};
}

wbAdaptiveTheory wbMakeLevelsTheory(const wbPbfParams *params, int dimensions, double radius) {
    return (wbAdaptiveTheory){wb_theoryLevels,
                              dimensions,
                              radius,
                              2 * (double)params->smoothing,
                              (double)params->adaptive.slope,
                              (double)params->adaptive.band};
}

double wbTheory_GetRadius(const wbAdaptiveTheory *theory, double x) {
    const double depth = theory->radius - fabs(x), a = theory->slope;
    if (theory->kind == wb_theoryLevels) {
        // the nearest level is wanted
        const double wanted = 1 + a * fmax(0, depth - theory->band);
        return exp2(floor(theory->dimensions * log2(wanted) + 0.5) / theory->dimensions);
    }
    return fmax(a / (theory->width * (1 + a)) * depth, 1); // (6.3)
}

double wbTheory_GetSupport(const wbAdaptiveTheory *theory, double x) {
    if (theory->kind == wb_theoryLevels) return theory->width * wbTheory_GetRadius(theory, x);
    return fmax(theory->slope * (theory->radius - fabs(x)), theory->width); // (6.2)
}

double wbTheory_GetDensity(const wbAdaptiveTheory *theory, double x) {
    return pow(2 * wbTheory_GetRadius(theory, x), -theory->dimensions);
}

// Integrals by Gauss and Legendre's rule of eight points, in parts.
enum { POINTS = 8 };
typedef double IntegrandFn(const void *context, double x);

static double integrate(IntegrandFn *f, const void *context, double from, double to, int parts) {
    static const double places[POINTS / 2] = {0.18343464249564980, 0.52553240991632899, 0.79666647741362674,
                                              0.96028985649753623};
    static const double weights[POINTS / 2] = {0.36268378337836198, 0.31370664587788729, 0.22238103445337447,
                                               0.10122853629037626};
    const double half = 0.5 * (to - from) / parts;
    double sum = 0;
    for (int p = 0; p < parts; p++)
        for (int k = 0; k < POINTS / 2; k++) {
            const double middle = from + (2 * p + 1) * half, way = places[k] * half;
            sum += weights[k] * (f(context, middle - way) + f(context, middle + way));
        }
    return sum * half;
}

// Points at the distance s from the centre that are within `reach` of one at x: their length, 2 points in a line, or area.
static double measureShell(int dimensions, double x, double s, double reach) {
    if (dimensions == 1) return (fabs(x - s) < reach) + (fabs(x + s) < reach);
    double cosine = x * s > 0 ? (x * x + s * s - reach * reach) / (2 * x * s) : fmax(x, s) < reach ? -1 : 1;
    cosine = fmin(fmax(cosine, -1), 1);
    return dimensions == 2 ? 2 * s * acos(cosine) : 2 * PI * s * s * (1 - cosine);
}

typedef struct Around {
    const wbAdaptiveTheory *theory;
    double x, support;
} Around;

static double getReach(const Around *around, double s) {
    if (around->theory->kind == wb_theoryThesis) return around->support;
    return sqrt(around->support * wbTheory_GetSupport(around->theory, s));
}

static double getShell(const void *context, double s) {
    const Around *around = context;
    return wbTheory_GetDensity(around->theory, s) *
           measureShell(around->theory->dimensions, around->x, s, getReach(around, s));
}

// The end of what is within reach, from x towards `far`, where it is not.
static double findEnd(const Around *around, double far) {
    double in = around->x, out = far;
    for (int k = 0; k < 60; k++) {
        const double middle = 0.5 * (in + out);
        if (fabs(middle - around->x) < getReach(around, middle))
            in = middle;
        else
            out = middle;
    }
    return out;
}

// Between the ends of its reach; where shells begin to be whole, and where particles begin to grow, the integrand has a corner.
double wbTheory_CountNeighbours(const wbAdaptiveTheory *theory, double x) {
    const double a = theory->slope;
    const Around around = {theory, fabs(x), wbTheory_GetSupport(theory, x)};
    const double far = 4 * (around.support + around.x + theory->width);
    const double low = findEnd(&around, -far), high = findEnd(&around, far);
    const double depth = theory->kind == wb_theoryLevels ? theory->band : theory->width * (1 + a) / a;
    const double grows = a > 0 ? theory->radius - depth : -1;
    const double corners[4] = {fmax(low, 0), fmax(-low, 0), grows, high};
    double sum = 0, from = fmax(low, 0);
    while (from < high) {
        double to = high;
        for (int c = 0; c < 4; c++)
            if (corners[c] > from && corners[c] < to) to = corners[c];
        sum += integrate(getShell, &around, from, to, 4);
        from = to;
    }
    return sum;
}

static double measureSphere(int dimensions, double x) {
    return dimensions == 1 ? 2 : dimensions == 2 ? 2 * PI * x : 4 * PI * x * x;
}

static double getParticles(const void *context, double x) {
    const wbAdaptiveTheory *theory = context;
    return wbTheory_GetDensity(theory, x) * measureSphere(theory->dimensions, x);
}

static double getPairs(const void *context, double x) {
    return getParticles(context, x) * wbTheory_CountNeighbours(context, x);
}

enum { PARTS = 48 };

double wbTheory_CountParticles(const wbAdaptiveTheory *theory) {
    return integrate(getParticles, theory, 0, theory->radius, PARTS);
}

double wbTheory_CountPairs(const wbAdaptiveTheory *theory) {
    return integrate(getPairs, theory, 0, theory->radius, PARTS);
}

static double countPairsAt(wbAdaptiveTheory theory, double slope) {
    theory.slope = slope;
    return wbTheory_CountPairs(&theory);
}

// Takes a slope if it has fewer pairs.
static void trySlope(const wbAdaptiveTheory *theory, double slope, double *best, double *fewest) {
    const double pairs = countPairsAt(*theory, slope);
    if (pairs < *fewest) *best = slope, *fewest = pairs;
}

// The best of a row of slopes, then between its neighbours: pairs have one minimum there.
double wbTheory_FindBestSlope(wbAdaptiveTheory theory) {
    double best = 0, fewest = countPairsAt(theory, 0), step = 0.05;
    for (int k = 1; k <= 20; k++) trySlope(&theory, k * step, &best, &fewest);
    for (; best > 0 && step > 1e-3; step *= 0.5)
        for (int side = -1; side <= 1; side += 2) trySlope(&theory, best + side * step, &best, &fewest);
    return best;
}

double wbTheory_FindLeastRadius(wbAdaptiveTheory theory) {
    double low = theory.width, high = 1000;
    while (high - low > 1e-3) {
        theory.radius = 0.5 * (low + high);
        if (countPairsAt(theory, theory.slope) < countPairsAt(theory, 0))
            high = theory.radius;
        else
            low = theory.radius;
    }
    return high;
}
