// SPDX-License-Identifier: MIT
// Position based fluids with particles of different sizes, without weight: their theory, discs and balls at rest beside it, and
// momentum in free flight.
#include <math.h>

#include "bench/adaptive_theory.h"
#include "bench/validate_case.h"
#include "core/hash.h"
#include "core/status.h"

// The theory, as recomputed from the source's equations (L. Geyer 2022, chapter 6): the program's integrals against another's.

static void reportTheory(wbValidateRun *run, const char *name, const char *unit, double value,
                         double reference) {
    wbReportQuantity(run, (wbQuantity){.quantity = name,
                                       .unit = unit,
                                       .value = value,
                                       .reference = reference,
                                       .tolerance = 0.005 * reference,
                                       .source = "Geyer 2022, recomputed"});
}

wbStatus wbValidateAdaptiveAnalysis(wbValidateRun *run) {
    static const struct {
        const char *half, *fixed, *particles, *pairs, *uniform;
        double leastHalf, leastFixed, particleCount, pairCount, uniformPairs;
    } rows[] = {
        {"smallest fluid that pays, a = 0.5, 1D", "the same, a = 0.5", "particles of 100 radii, 1D",
         "pairs of 100 radii, 1D", "pairs of one size, 1D", 31.84, 31.84, 37.44, 218, 400},
        {"smallest fluid that pays, a = 0.5, 2D", "smallest fluid that pays, a = 0.4, 2D",
         "particles of 100 radii, 2D", "pairs of 100 radii, 2D", "pairs of one size, 2D", 50.76, 46.48, 3331,
         63251, 98696},
        {"smallest fluid that pays, a = 0.5, 3D", "smallest fluid that pays, a = 0.3, 3D",
         "particles of 100 radii, 3D", "pairs of 100 radii, 3D", "pairs of one size, 3D", 79.19, 60.61,
         296159, 13773580, 17545963},
    };
    wbNameMachine(run, NULL, run->options->simd);
    for (int d = 1; d <= 3 && wbContinueCase(run, d / 4.0); d++) {
        wbAdaptiveTheory theory = wbMakeThesisTheory(d, 100), half = theory;
        half.slope = 0.5;
        reportTheory(run, rows[d - 1].half, "radii", wbTheory_FindLeastRadius(half), rows[d - 1].leastHalf);
        if (d > 1)
            reportTheory(run, rows[d - 1].fixed, "radii", wbTheory_FindLeastRadius(theory),
                         rows[d - 1].leastFixed);
        reportTheory(run, rows[d - 1].particles, "1", wbTheory_CountParticles(&theory),
                     rows[d - 1].particleCount);
        reportTheory(run, rows[d - 1].pairs, "1", wbTheory_CountPairs(&theory), rows[d - 1].pairCount);
        theory.slope = 0;
        reportTheory(run, rows[d - 1].uniform, "1", wbTheory_CountPairs(&theory), rows[d - 1].uniformPairs);
    }
    return wb_okStatus;
}

// Discs and balls

typedef struct Blob {
    wbAdaptiveMethod method;
    int dimensions;
    double radius, spacing; // of the fluid in radii of the smallest particle; m
    double jitter;          // spacings by which sites are off their lattice, at most
    double speed;           // m/s, along x at the start, to which as much at random is added as a tenth
    double slope, band;     // of levels; 0: the default
    wbWorld *world;
    wbFluidId fluid;
} Blob;

static wbStatus addSite(const Blob *blob, const int site[3], uint32_t number) {
    float place[3] = {0}, velocity[3] = {0};
    double square = 0;
    for (int a = 0; a < blob->dimensions; a++) {
        const double random = 2 * (double)wbHashFloat(6 * number + (uint32_t)a) - 1,
                     other = 2 * (double)wbHashFloat(6 * number + 3 + (uint32_t)a) - 1;
        const double on = (site[a] + 0.5) * blob->spacing;
        place[a] = (float)(on + blob->jitter * blob->spacing * random);
        velocity[a] = (float)(blob->speed * ((a == 0) + 0.1 * other));
        square += on * on;
    }
    if (square > pow(0.5 * blob->radius * blob->spacing, 2)) return wb_okStatus;
    return wbFluid_AddParticles(blob->world, blob->fluid, 1, place, velocity);
}

static wbStatus createBlob(wbValidateRun *run, Blob *blob) {
    wbWorldDef def = wbDefaultWorldDef();
    def.params.dimensions = blob->dimensions, def.params.gravity = wbMakeVec3(0, 0, 0);
    def.pbf.spacing = (float)blob->spacing, def.pbf.tension = 0;
    def.pbf.adaptive.method = blob->method;
    if (blob->slope > 0)
        def.pbf.adaptive.slope = (float)blob->slope, def.pbf.adaptive.band = (float)blob->band;
    WB_TRY(wbCreateCaseWorld(run, def, wb_solverPbf, &blob->world, &blob->fluid));
    const int half = (int)ceil(0.5 * blob->radius), layers = blob->dimensions == 3 ? half : 0;
    uint32_t number = 0;
    for (int k = -layers; k < layers || k == 0; k++)
        for (int j = -half; j < half; j++)
            for (int i = -half; i < half; i++) WB_TRY(addSite(blob, (const int[3]){i, j, k}, number++));
    return wb_okStatus;
}

// What is there, by mass.
typedef struct BlobSums {
    int particles;
    double mass, radius, pairs; // kg, m, those i to j with j in the kernel of i
    double momentum[3], size;   // kg m/s; size: sum of m |v|
} BlobSums;

static double getMass(const Blob *blob, const wbView *view, int i) {
    return view->mass ? (double)view->mass[i] : wbFluid_GetParticleMass(blob->world, blob->fluid);
}

// As wide as the distance to the boundary asks for (Geyer 2022, 6.2).
static double getKernel(const Blob *blob, const wbView *view, int i) {
    const double least = 2 * blob->spacing, slope = wbMakeThesisTheory(blob->dimensions, 0).slope;
    return view->distance ? fmax(slope * (double)view->distance[i], least) : least;
}

static double countPairs(const Blob *blob, const wbView *view) {
    double count = 0;
    for (int i = 0; i < view->count; i++) {
        const float h = (float)getKernel(blob, view, i), x = view->x[i], y = view->y[i], z = view->z[i];
        int within = 0;
        for (int j = 0; j < view->count; j++) {
            const float dx = view->x[j] - x, dy = view->y[j] - y, dz = view->z[j] - z;
            within += dx * dx + dy * dy + dz * dz < h * h;
        }
        count += within - 1;
    }
    return count;
}

// The ball that has the same second moment; a particle is a cube, with a moment of its own.
static wbStatus sumBlob(const Blob *blob, bool countsPairs, BlobSums *sums) {
    wbView view;
    double centre[3] = {0}, square = 0;
    const int d = blob->dimensions;
    WB_TRY(wbFluid_GetView(blob->world, blob->fluid, &view));
    *sums = (BlobSums){.particles = view.count};
    for (int i = 0; i < view.count; i++) {
        const double m = getMass(blob, &view, i),
                     x[3] = {(double)view.x[i], (double)view.y[i], (double)view.z[i]},
                     v[3] = {(double)view.vx[i], (double)view.vy[i], (double)view.vz[i]};
        sums->mass += m, sums->size += m * sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        for (int a = 0; a < 3; a++) centre[a] += m * x[a], sums->momentum[a] += m * v[a];
    }
    for (int i = 0; i < view.count; i++) {
        const double r = view.radius ? (double)view.radius[i] : 0.5 * blob->spacing,
                     x[3] = {(double)view.x[i], (double)view.y[i], (double)view.z[i]};
        double own = d * r * r / 3;
        for (int a = 0; a < d; a++) own += pow(x[a] - centre[a] / sums->mass, 2);
        square += getMass(blob, &view, i) * own;
    }
    sums->radius = sqrt((d + 2.0) / d * square / sums->mass);
    if (countsPairs) sums->pairs = countPairs(blob, &view);
    return wb_okStatus;
}

static wbStatus settleBlob(wbValidateRun *run, Blob *blob, int steps, bool countsPairs, BlobSums *start,
                           BlobSums *end) {
    WB_TRY(createBlob(run, blob));
    WB_TRY(sumBlob(blob, false, start));
    for (int k = 0; k < steps && !run->stopped; k++) WB_TRY(wbStepCase(run, blob->world, (double)k / steps));
    return sumBlob(blob, countsPairs, end);
}

// The source's disc (table 6.4), beside particles of one size that settled alike. A jitter of 0.01 spacings makes also these drift apart by
// 2 % in that time: nothing holds a fluid without weight together.
wbStatus wbValidateAdaptiveDisc(wbValidateRun *run) {
    enum { steps = 600 };
    BlobSums start, ends[2] = {{0}};
    for (int k = 0; k < 2 && !run->stopped; k++) {
        Blob blob = {k == 0 ? wb_adaptiveOff : wb_adaptiveThesis, 2, 100, .spacing = 0.1, .jitter = 0.003};
        const wbStatus status = settleBlob(run, &blob, steps, true, &start, &ends[k]);
        wbDestroyWorld(blob.world);
        WB_TRY(status);
    }
    if (run->stopped) return wb_okStatus;
    wbReportQuantity(run, (wbQuantity){.quantity = "particles saved, disc of 100 radii, thesis",
                                       .unit = "of one size",
                                       .value = 1 - (double)ends[1].particles / ends[0].particles,
                                       .reference = 0.55,
                                       .judgement = wb_atLeast,
                                       .source = "Geyer 2022: 0.576, 0.598"});
    wbReportQuantity(run, (wbQuantity){.quantity = "pairs saved, disc of 100 radii, thesis",
                                       .unit = "of one size",
                                       .value = 1 - ends[1].pairs / ends[0].pairs,
                                       .reference = 0.25,
                                       .judgement = wb_atLeast,
                                       .source = "Geyer 2022: 0.359, 0.284"});
    wbReportQuantity(run, (wbQuantity){.quantity = "mass, disc of 100 radii, thesis",
                                       .unit = "of it",
                                       .value = ends[1].mass / start.mass,
                                       .reference = 1,
                                       .tolerance = 1e-6,
                                       .source = "mass is kept"});
    return wb_okStatus;
}

// Each method beside its own theory.
typedef struct Settled {
    const char *radius, *count; // names of what is reported
    wbAdaptiveMethod method;
    int dimensions, steps;
    double size;        // radii of the smallest particle
    double slope, band; // of levels; 0: the default
} Settled;

static wbAdaptiveTheory makeTheory(const wbWorld *world, const Settled *settled) {
    if (settled->method == wb_adaptiveThesis) return wbMakeThesisTheory(settled->dimensions, settled->size);
    return wbMakeLevelsTheory(wbWorld_GetPbfParams(world), settled->dimensions, settled->size);
}

static wbStatus restBlob(wbValidateRun *run, const Settled *settled, Blob *blob) {
    BlobSums start, end;
    WB_TRY(settleBlob(run, blob, settled->steps, false, &start, &end));
    if (run->stopped) return wb_okStatus;
    const wbAdaptiveTheory theory = makeTheory(blob->world, settled);
    const double expected = wbTheory_CountParticles(&theory);
    wbReportQuantity(run, (wbQuantity){.quantity = settled->radius,
                                       .unit = "of it",
                                       .value = end.radius / start.radius,
                                       .reference = 1,
                                       .tolerance = 0.01,
                                       .source = "volume is kept"});
    wbReportQuantity(run, (wbQuantity){.quantity = settled->count,
                                       .unit = "1",
                                       .value = end.particles,
                                       .reference = expected,
                                       .tolerance = 0.1 * expected,
                                       .source = "wirbel analyze adaptive"});
    return wb_okStatus;
}

static wbStatus restBlobs(wbValidateRun *run, const Settled *rows, int count) {
    for (int k = 0; k < count && !run->stopped; k++) {
        Blob blob = {rows[k].method, rows[k].dimensions,     rows[k].size,
                     .spacing = 0.1, .slope = rows[k].slope, .band = rows[k].band};
        const wbStatus status = restBlob(run, &rows[k], &blob);
        wbDestroyWorld(blob.world);
        WB_TRY(status);
    }
    return wb_okStatus;
}

#define SETTLED_NAMES(what) "radius kept, " what, "particles, " what

wbStatus wbValidateAdaptiveBall(wbValidateRun *run) {
    static const Settled rows[] = {
        {SETTLED_NAMES("disc of 60 radii, levels"), wb_adaptiveLevels, 2, 120, 60, 0, 0},
        {SETTLED_NAMES("ball of 30 radii, levels"), wb_adaptiveLevels, 3, 60, 30, 0.15, 1}};
    return restBlobs(run, rows, sizeof rows / sizeof rows[0]);
}

wbStatus wbValidateAdaptiveBallLarge(wbValidateRun *run) {
    static const Settled rows[] = {
        {SETTLED_NAMES("disc of 100 radii, levels"), wb_adaptiveLevels, 2, 240, 100, 0, 0},
        {SETTLED_NAMES("ball of 60 radii, levels"), wb_adaptiveLevels, 3, 120, 60, 0, 0},
        {SETTLED_NAMES("disc of 100 radii, thesis"), wb_adaptiveThesis, 2, 600, 100, 0, 0},
        {SETTLED_NAMES("ball of 40 radii, thesis"), wb_adaptiveThesis, 3, 240, 40, 0, 0}};
    return restBlobs(run, rows, sizeof rows / sizeof rows[0]);
}

// Free flight: what is wanted inside goes from coarse to fine and back, so that all of it merges and splits.

static wbStatus wishFine(const Blob *blob, bool isFine) {
    if (blob->method == wb_adaptiveThesis)
        return wbWorld_SetParam(blob->world, "pbf.adaptive.kernelSlope", isFine ? "0.01" : "0.4");
    return wbWorld_SetParam(blob->world, "pbf.adaptive.band", isFine ? "100" : "1");
}

typedef struct Flight {
    const char *drift, *changes; // names of what is reported
    wbAdaptiveMethod method;
    int dimensions;
    double size; // radii of the smallest particle
} Flight;

static wbStatus fly(wbValidateRun *run, const Flight *flight, Blob *blob) {
    // the source's kernels grow by 1 % in a step, and its merges take their time
    const int halfPeriod = flight->method == wb_adaptiveThesis ? 90 : 30, steps = 4 * halfPeriod;
    BlobSums start, end;
    double square = 0;
    WB_TRY(createBlob(run, blob));
    WB_TRY(sumBlob(blob, false, &start));
    for (int k = 0; k < steps && !run->stopped; k++) {
        if (k % halfPeriod == 0 && k > 0) WB_TRY(wishFine(blob, k / halfPeriod % 2 == 1));
        WB_TRY(wbStepCase(run, blob->world, (double)k / steps));
    }
    WB_TRY(sumBlob(blob, false, &end));
    if (run->stopped) return wb_okStatus;
    for (int a = 0; a < 3; a++) square += pow(end.momentum[a] - start.momentum[a], 2);
    wbReportQuantity(run, (wbQuantity){.quantity = flight->drift,
                                       .unit = "sum m |v|",
                                       .value = sqrt(square) / start.size,
                                       .tolerance = 1e-5,
                                       .source = "momentum is kept"});
    const wbStats stats = wbWorld_GetStats(blob->world);
    wbReportQuantity(
        run, (wbQuantity){.quantity = flight->changes,
                          .unit = "1",
                          .value = (double)(stats.merges < stats.splits ? stats.merges : stats.splits),
                          .reference = 100,
                          .judgement = wb_atLeast,
                          .source = "of both"});
    return wb_okStatus;
}

static wbStatus flyAll(wbValidateRun *run, const Flight *flights, int count) {
    for (int k = 0; k < count && !run->stopped; k++) {
        Blob blob = {flights[k].method, flights[k].dimensions, flights[k].size, .spacing = 0.1,
                     .speed = 0.1,      .slope = 0.15,         .band = 1};
        const wbStatus status = fly(run, &flights[k], &blob);
        wbDestroyWorld(blob.world);
        WB_TRY(status);
    }
    return wb_okStatus;
}

#define FLIGHT_NAMES(what) "momentum, " what, "merges and splits, " what

wbStatus wbValidateAdaptiveMomentum(wbValidateRun *run) {
    static const Flight flights[] = {{FLIGHT_NAMES("disc, levels"), wb_adaptiveLevels, 2, 50},
                                     {FLIGHT_NAMES("ball, levels"), wb_adaptiveLevels, 3, 24}};
    return flyAll(run, flights, sizeof flights / sizeof flights[0]);
}

wbStatus wbValidateAdaptiveMomentumThesis(wbValidateRun *run) {
    static const Flight flights[] = {{FLIGHT_NAMES("disc, thesis"), wb_adaptiveThesis, 2, 50}};
    return flyAll(run, flights, sizeof flights / sizeof flights[0]);
}
