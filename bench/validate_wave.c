// SPDX-License-Identifier: MIT
// Standing waves of length 1 m and amplitude 0.02 m, which start at rest at their crests, for five periods.
#include <math.h>
#include <stdio.h>

#include "bench/basin.h"
#include "core/status.h"

#define PI 3.14159265358979323846

static const double waveNumber = 2 * PI, amplitude = 0.02; // 1/m, m

typedef struct Wave {
    const char *period, *kept, *energy, *falls; // names of what is reported
    double level, spacing;                      // m
} Wave;

// A method's waves: coarse ones, and the same in finer water.
typedef struct Series {
    wbQuality quality;
    double tolerance; // of the period, relative
    double leastKept; // per period, of the finest, and losses have to fall; 0: neither is asked
    const Wave *waves;
    int count;
    double coarseLoss; // per period, of the wave before; 0: there was none
} Series;

// Moved by the displacements of a linear wave, little by little: they have no divergence, so that volumes are kept. At once they
// would press the water together by (a k)2, of which it would make energy.
static void displace(double level, double *x, double *y) {
    enum { parts = 32 };
    const double scale = amplitude / (parts * sinh(waveNumber * level));
    for (int k = 0; k < parts; k++) {
        const double halfX = *x - 0.5 * scale * cosh(waveNumber * *y) * sin(waveNumber * *x),
                     halfY = *y + 0.5 * scale * sinh(waveNumber * *y) * cos(waveNumber * *x);
        *x -= scale * cosh(waveNumber * halfY) * sin(waveNumber * halfX);
        *y += scale * sinh(waveNumber * halfY) * cos(waveNumber * halfX);
    }
}

// Particles of the lattice, displaced; row by row.
static wbStatus addWave(wbBasin *basin, const Wave *wave) {
    enum { maxSites = 256 };
    const int nx = (int)lround(basin->width / wave->spacing), ny = (int)lround(wave->level / wave->spacing);
    float places[3 * maxSites] = {0};
    WB_ASSERT(nx <= maxSites, "too many particles in a row");
    for (int j = 0; j < ny; j++) {
        for (int i = 0; i < nx; i++) {
            double x = (i + 0.5) * wave->spacing, y = (j + 0.5) * wave->spacing;
            displace(wave->level, &x, &y);
            places[3 * i] = (float)x, places[3 * i + 1] = (float)y;
        }
        WB_TRY(wbFluid_AddParticles(basin->world, basin->fluid, nx, places, NULL));
    }
    return wb_okStatus;
}

// The wave's share of the water's shape: 2 <y cos k x>.
static double getWave(const wbView *view) {
    double sum = 0;
    for (int i = 0; i < view->count; i++) sum += (double)view->y[i] * cos(waveNumber * (double)view->x[i]);
    return 2 * sum / view->count;
}

static void reportWave(wbValidateRun *run, Series *series, const Wave *wave, const wbBasin *basin,
                       const double *heights, int count) {
    const double period = 2 * PI / sqrt(WB_BASIN_GRAVITY * waveNumber * tanh(waveNumber * wave->level));
    const double kept = pow(wbFindHighest(heights, 3.75 * period, 4.75 * period) /
                                wbFindHighest(heights, 0.25 * period, 1.25 * period),
                            1 / 3.5);
    const bool isAsked = series->leastKept > 0, isFinest = wave == series->waves + series->count - 1;
    wbReportQuantity(run, (wbQuantity){.quantity = wave->period,
                                       .unit = "s",
                                       .value = wbFindPeriod(heights, count),
                                       .reference = period,
                                       .tolerance = series->tolerance * period,
                                       .source = "omega2 = g k tanh k h"});
    wbReportQuantity(run, (wbQuantity){.quantity = wave->kept,
                                       .unit = "per period",
                                       .value = kept,
                                       .reference = isAsked && isFinest ? series->leastKept : 1,
                                       .judgement = isAsked && isFinest ? wb_atLeast : wb_noted,
                                       .source = "water has next to no viscosity"});
    wbReportQuantity(run, (wbQuantity){.quantity = wave->energy,
                                       .unit = "of it",
                                       .value = basin->highest / basin->start - 1,
                                       .tolerance = 1e-3,
                                       .source = "energy is kept"});
    if (series->coarseLoss > 0)
        wbReportQuantity(run, (wbQuantity){.quantity = wave->falls,
                                           .unit = "of it",
                                           .value = (1 - kept) / series->coarseLoss,
                                           .tolerance = 1,
                                           .judgement = isAsked ? wb_within : wb_noted,
                                           .source = "errors fall with the spacing"});
    series->coarseLoss = 1 - kept;
}

static wbStatus runWave(wbValidateRun *run, Series *series, const Wave *wave, wbBasin *basin) {
    const double period = 2 * PI / sqrt(WB_BASIN_GRAVITY * waveNumber * tanh(waveNumber * wave->level));
    const int count = (int)fmin(5 * period / WB_BASIN_FRAME, WB_BASIN_LOOKS);
    double heights[WB_BASIN_LOOKS] = {0};
    WB_TRY(addWave(basin, wave));
    WB_TRY(wbBasin_ChooseSound(basin));
    wbBasin_FollowEnergy(basin, true);
    for (int k = 0; k < count && !run->stopped; k++) {
        wbView view;
        WB_TRY(wbBasin_StepUntil(run, basin, k * WB_BASIN_FRAME, count * WB_BASIN_FRAME));
        WB_TRY(wbFluid_GetView(basin->world, basin->fluid, &view));
        heights[k] = getWave(&view);
        wbBasin_FollowEnergy(basin, false);
    }
    if (!run->stopped) reportWave(run, series, wave, basin, heights, count);
    return wb_okStatus;
}

static wbStatus swing(wbValidateRun *run, Series series) {
    for (int k = 0; k < series.count && !run->stopped; k++) {
        const Wave *wave = &series.waves[k];
        wbBasin basin = {.dimensions = 2, .width = 1, .height = 2 * wave->level, .spacing = wave->spacing};
        WB_TRY(wbCreateBasin(run, series.quality, &basin));
        wbStatus status = runWave(run, &series, wave, &basin);
        wbDestroyWorld(basin.world);
        WB_TRY(status);
    }
    return wb_okStatus;
}

#define WAVE(depth, size)                                                                                    \
    {                                                                                                        \
        "period, " #depth " m deep, spacing " #size " m",                                                    \
            "amplitude kept, " #depth " m deep, spacing " #size " m",                                        \
            "energy above the start, " #depth " m deep, spacing " #size " m",                                \
            "loss by that of twice the spacing, " #depth " m deep, spacing " #size " m", depth, size         \
    }

static const Wave coarse[] = {WAVE(0.5, 0.02), WAVE(0.25, 0.02)};
static const Wave deep[] = {WAVE(0.5, 0.02), WAVE(0.5, 0.01), WAVE(0.5, 0.005)};
static const Wave shallow[] = {WAVE(0.25, 0.02), WAVE(0.25, 0.01), WAVE(0.25, 0.005)};

static const double usual = 0.02, coarsely = 0.05; // of periods

static wbStatus swingCoarse(wbValidateRun *run, wbQuality quality, double tolerance) {
    for (int k = 0; k < 2; k++) WB_TRY(swing(run, (Series){quality, tolerance, 0, &coarse[k], 1, 0}));
    return wb_okStatus;
}

// At three resolutions.
static wbStatus swingFinely(wbValidateRun *run, wbQuality quality, double tolerance, double leastKept) {
    WB_TRY(swing(run, (Series){quality, tolerance, leastKept, deep, sizeof deep / sizeof deep[0], 0}));
    return swing(run,
                 (Series){quality, tolerance, leastKept, shallow, sizeof shallow / sizeof shallow[0], 0});
}

wbStatus wbValidatePbfWave(wbValidateRun *run) { return swingCoarse(run, wb_qualityFast, coarsely); }
wbStatus wbValidateSplitWave(wbValidateRun *run) { return swingCoarse(run, wb_qualityBalanced, usual); }
wbStatus wbValidateSphWave(wbValidateRun *run) { return swingCoarse(run, wb_qualityPrecise, usual); }
wbStatus wbValidatePbfWaveFine(wbValidateRun *run) { return swingFinely(run, wb_qualityFast, coarsely, 0); }
wbStatus wbValidateSplitWaveFine(wbValidateRun *run) {
    return swingFinely(run, wb_qualityBalanced, usual, 0);
}
wbStatus wbValidateSphWaveFine(wbValidateRun *run) {
    return swingFinely(run, wb_qualityPrecise, usual, 0.95);
}
