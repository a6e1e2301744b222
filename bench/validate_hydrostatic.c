// SPDX-License-Identifier: MIT
// A column of water, let go on a lattice, comes to rest: p = rho0 g depth, the level where it was.
#include <math.h>

#include "bench/validate_case.h"
#include "core/status.h"

enum { columns = 16, layers = 30, maxBins = 64 };
static const double spacing = 0.02, gravity = 9.81, duration = 10, averaged = 2; // m, m/s2, s, s
static const double height = layers * 0.02;

// Sums over the last seconds.
typedef struct Means {
    int stepCount, binCount;
    double binSize; // h
    double pressure[maxBins], samples[maxBins];
    double level, kinetic; // m, share of m g H
} Means;

// Mean height of the highest particle of each column one spacing wide, plus the half spacing above it.
static double measureLevel(const wbView *view) {
    double highest[columns] = {0}, sum = 0;
    for (int i = 0; i < view->count; i++) {
        int column = (int)fmin(fmax(view->x[i * view->stride] / spacing, 0), columns - 1);
        highest[column] = fmax(highest[column], view->y[i * view->stride]);
    }
    for (int c = 0; c < columns; c++) sum += highest[c] + spacing / 2;
    return sum / columns;
}

static double measureKinetic(const wbView *view) {
    double sum = 0;
    for (int i = 0; i < view->count; i++) {
        sum += pow(view->vx[i * view->stride], 2) + pow(view->vy[i * view->stride], 2);
    }
    return sum / 2 / (view->count * gravity * height);
}

static wbStatus addToMeans(wbWorld *world, wbFluidId fluid, Means *means) {
    wbView view;
    WB_TRY(wbFluid_GetView(world, fluid, &view));
    for (int i = 0; i < view.count; i++) {
        int bin = (int)(view.y[i * view.stride] / means->binSize);
        if (bin < 0 || bin >= means->binCount) continue;
        means->pressure[bin] += view.pressure[i * view.stride];
        means->samples[bin]++;
    }
    means->level += measureLevel(&view);
    means->kinetic += measureKinetic(&view);
    means->stepCount++;
    return wb_okStatus;
}

static void divideMeans(Means *means) {
    for (int bin = 0; bin < means->binCount; bin++) means->pressure[bin] /= means->samples[bin];
    means->level /= means->stepCount;
    means->kinetic /= means->stepCount;
}

static wbStatus settle(wbValidateRun *run, wbWorld *world, wbFluidId fluid, Means *means) {
    double time;
    means->binSize = wbFluid_GetSupportRadius(world, fluid);
    means->binCount = (int)fmin(height / means->binSize, maxBins);
    while ((time = wbWorld_GetTime(world)) < duration && !run->stopped) {
        WB_TRY(wbStepCase(run, world, time / duration));
        if (time >= duration - averaged) WB_TRY(addToMeans(world, fluid, means));
    }
    divideMeans(means);
    return wb_okStatus;
}

static wbStatus plotProfile(wbValidateRun *run, const Means *means) {
    double depth[maxBins], line[2] = {0, height}, reference[2] = {0, 1000 * gravity * height};
    for (int bin = 0; bin < means->binCount; bin++) depth[bin] = height - (bin + 0.5) * means->binSize;
    wbSeries series[] = {{"Wirbel, mean per layer", depth, means->pressure, means->binCount, true},
                         {"rho0 g depth", line, reference, 2, false}};
    return wbPlotCase(run, "pressure", &(wbPlot){"Water at rest", "depth (m)", "pressure (Pa)", series, 2});
}

// Largest error of a layer, those nearer than h to floor and surface left out: there kernels lack neighbours.
static double findPressureError(const Means *means) {
    double worst = 0, unit = 1000 * gravity * height;
    for (int bin = 1; bin < means->binCount; bin++) {
        double middle = (bin + 0.5) * means->binSize;
        if (middle + means->binSize / 2 > height - means->binSize) break;
        double error = means->pressure[bin] / unit - (height - middle) / height;
        if (!(fabs(error) <= fabs(worst))) worst = error;
    }
    return worst;
}

static void report(wbValidateRun *run, const Means *means) {
    wbReportQuantity(run, (wbQuantity){.quantity = "largest pressure error of a layer",
                                       .unit = "rho0 g H",
                                       .value = findPressureError(means),
                                       .tolerance = 0.05,
                                       .source = "p = rho0 g depth"});
    wbReportQuantity(run, (wbQuantity){.quantity = "level",
                                       .unit = "m",
                                       .value = means->level,
                                       .reference = height,
                                       .tolerance = spacing,
                                       .source = "volume is kept"});
    wbReportQuantity(run, (wbQuantity){.quantity = "kinetic energy, mean of the last 2 s",
                                       .unit = "m g H",
                                       .value = means->kinetic,
                                       .tolerance = 1e-4,
                                       .source = "rest"});
}

wbStatus wbValidateHydrostatic(wbValidateRun *run) {
    wbWorld *world;
    wbFluidId fluid;
    Means means = {0};
    wbBlockDef block = {.max = wbMakeVec3((float)(columns * spacing), (float)height, 0)};
    wbTank tank = {.width = columns * spacing,
                   .height = 2 * height,
                   .spacing = spacing,
                   .soundSpeed = 10 * sqrt(gravity * height),
                   .gravity = gravity,
                   .artificialViscosity = 0.1};
    WB_TRY(wbCreateCaseWorld(run, wbMakeTankDef(&tank), wb_solverSph, &world, &fluid));
    wbStatus status = wbFluid_AddBlock(world, fluid, &block);
    if (wbIsOk(status)) status = settle(run, world, fluid, &means);
    wbDestroyWorld(world);
    if (!wbIsOk(status) || run->stopped) return status;
    report(run, &means);
    return plotProfile(run, &means);
}
