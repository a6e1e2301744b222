// SPDX-License-Identifier: MIT
// Collapse of a column of water in 2D, a wide and 2a high, on a dry bed: Martin and Moyce 1952, "An
// experimental study of the collapse of liquid columns on a rigid horizontal plane", Phil. Trans. R. Soc. A
// 244.
#include <math.h>

#include "bench/validate_case.h"
#include "core/status.h"

enum { across = 40, wallColumns = 4, maxSamples = 1024 };
static const double a = 0.05715, gravity = 9.81; // m, m/s2
static const double spacing = 0.05715 / across;
static const double bed = 20; // of a; the front must not come back from its end
static const double lastTau = 7.5, maxShift = 0.2;

// Position of the front, Z = x/a at T = t sqrt(2g/a), up to T = 3
static const double frontT[] = {0.41, 0.84, 1.19, 1.43, 1.63, 1.83, 1.98, 2.20, 2.32, 2.51, 2.65, 2.83, 2.98};
static const double frontZ[] = {1.11, 1.22, 1.44, 1.67, 1.89, 2.11, 2.33, 2.56, 2.78, 3.00, 3.22, 3.44, 3.67};
enum { frontCount = sizeof frontT / sizeof frontT[0] };

// Height at the wall, H = y/2a at tau = t sqrt(g/a)
static const double heightTau[] = {0.56, 0.93, 1.28, 1.66, 2.00, 2.45, 3.06, 4.20, 7.40};
static const double heightH[] = {0.94, 0.83, 0.72, 0.61, 0.50, 0.39, 0.28, 0.17, 0.06};
enum { heightCount = sizeof heightTau / sizeof heightTau[0] };

typedef struct History {
    int count;
    double frontT[maxSamples], heightTau[maxSamples]; // the same instants, in the units of each table
    double frontZ[maxSamples], heightH[maxSamples];
} History;

// The front is the foremost particle's edge; the height that of the water in the columns next to the wall, if
// it lay there without gaps.
static wbStatus sample(wbWorld *world, wbFluidId fluid, History *history) {
    wbView view;
    WB_TRY(wbFluid_GetView(world, fluid, &view));
    double front = 0, atWall = 0, time = wbWorld_GetTime(world);
    for (int i = 0; i < view.count; i++) {
        front = fmax(front, view.x[i * view.stride]);
        atWall += view.x[i * view.stride] < wallColumns * spacing;
    }
    int k = history->count++;
    history->frontT[k] = time * sqrt(2 * gravity / a);
    history->heightTau[k] = time * sqrt(gravity / a);
    history->frontZ[k] = (front + spacing / 2) / a;
    history->heightH[k] = atWall / wallColumns * spacing / (2 * a);
    return wb_okStatus;
}

static wbStatus collapse(wbValidateRun *run, wbWorld *world, wbFluidId fluid, History *history) {
    double time, end = lastTau * sqrt(a / gravity);
    WB_TRY(sample(world, fluid, history));
    while ((time = wbWorld_GetTime(world)) < end && !run->stopped) {
        WB_TRY(wbStepCaseFinely(run, world, time / end));
        bool due = wbWorld_GetTime(world) >= end * history->count / (maxSamples - 1);
        if (due && history->count < maxSamples) WB_TRY(sample(world, fluid, history));
    }
    return wb_okStatus;
}

static double interpolate(const double *x, const double *y, int count, double at) {
    int k = 1;
    while (k < count - 1 && x[k] < at) k++;
    return y[k - 1] + (y[k] - y[k - 1]) * (at - x[k - 1]) / (x[k] - x[k - 1]);
}

// Mean error relative to the experiment, if the simulation is `shift` ahead of the experiment's clock: there
// the column was let go by a waxed diaphragm that needed its time.
static double frontError(const History *history, double shift) {
    double sum = 0;
    for (int i = 0; i < frontCount; i++) {
        double z = interpolate(history->frontT, history->frontZ, history->count, frontT[i] - shift);
        sum += fabs(z / frontZ[i] - 1);
    }
    return sum / frontCount;
}

static double fitShift(const History *history) {
    double best = 0;
    for (double shift = 0; shift <= maxShift + 1e-9; shift += 0.002) {
        if (frontError(history, shift) < frontError(history, best)) best = shift;
    }
    return best;
}

static double heightError(const History *history) {
    double sum = 0;
    for (int i = 0; i < heightCount; i++) {
        sum += fabs(interpolate(history->heightTau, history->heightH, history->count, heightTau[i]) -
                    heightH[i]);
    }
    return sum / heightCount;
}

static void report(wbValidateRun *run, const History *history) {
    static const char source[] = "Martin and Moyce 1952";
    wbReportQuantity(run, (wbQuantity){.quantity = "front for T < 3, mean error (lead <= 0.2)",
                                       .unit = "relative",
                                       .value = frontError(history, fitShift(history)),
                                       .tolerance = 0.07,
                                       .source = source});
    wbReportQuantity(run, (wbQuantity){.quantity = "height at the wall, mean error",
                                       .unit = "2a",
                                       .value = heightError(history),
                                       .tolerance = 0.05,
                                       .source = source});
}

static wbStatus plot(wbValidateRun *run, const History *history) {
    int early = 0;
    while (early < history->count && history->frontT[early] < 3.2 && history->frontZ[early] < 5) early++;
    wbSeries front[] = {{"Wirbel", history->frontT, history->frontZ, early, false},
                        {"experiment", frontT, frontZ, frontCount, true}};
    wbSeries height[] = {{"Wirbel", history->heightTau, history->heightH, history->count, false},
                         {"experiment", heightTau, heightH, heightCount, true}};
    WB_TRY(wbPlotCase(run, "front", &(wbPlot){"Dam break: front", "t (2g/a)^½", "front / a", front, 2}));
    return wbPlotCase(run, "height",
                      &(wbPlot){"Dam break: height at the wall", "t (g/a)^½", "height / 2a", height, 2});
}

wbStatus wbValidateDamBreak(wbValidateRun *run) {
    wbWorld *world;
    wbFluidId fluid;
    History history = {0};
    wbBlockDef block = {.max = wbMakeVec3((float)a, (float)(2 * a), 0)};
    wbTank tank = {.width = bed * a,
                   .height = 3 * a,
                   .spacing = spacing,
                   .soundSpeed = 10 * sqrt(2 * gravity * 2 * a), // ten times the speed of a fall from the top
                   .gravity = gravity,
                   .artificialViscosity = 0.05};
    WB_TRY(wbCreateCaseWorld(run, wbMakeTankDef(&tank), wb_solverSph, &world, &fluid));
    wbStatus status = wbFluid_AddBlock(world, fluid, &block);
    if (wbIsOk(status)) status = collapse(run, world, fluid, &history);
    wbDestroyWorld(world);
    if (!wbIsOk(status) || run->stopped) return status;
    report(run, &history);
    return plot(run, &history);
}
