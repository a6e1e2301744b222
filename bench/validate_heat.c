// SPDX-License-Identifier: MIT
// Heat in the air: conduction between sides of two temperatures, and when a layer that is heated from below begins to turn.
#include <math.h>

#include "bench/validate_case.h"
#include "core/status.h"

static const double pi = 3.14159265358979323846;

// A box of whole cells from the origin, whose sides insulate.
static wbDomainDef makeBox(double x, double y, double z, wbSideType type) {
    wbDomainDef domain = {.max = {(float)x, (float)y, (float)z}};
    for (int s = 0; s < wb_sideCount; s++) domain.sides[s] = (wbSideDef){.type = type, .temperature = NAN};
    return domain;
}

// Steps, or until the run is stopped; the fields may be read then. `done`: share of the case, before and after.
static wbStatus advance(wbValidateRun *run, wbSmokeVolume *volume, int steps, double dt,
                        const double done[2]) {
    for (int n = 0; n < steps && wbContinueCase(run, done[0] + (done[1] - done[0]) * n / steps); n++)
        WB_TRY(wbSmokeVolume_Step(volume, NULL, 0, n * dt, (float)dt));
    return wbSmokeVolume_Pull(volume);
}

static float *findValue(wbSmokeVolume *volume, wbSmokeField field, int i, int j, int k) {
    return &volume->smoke.fields[field][wbSmokeIndex(&volume->smoke.grid, i, j, k)];
}

// Slab: sides at 1 K (left) and 0, 1 m apart, diffusivity 1; at first all is at 0.

enum { slabCells = 50 };

static double getSlab(double x, double t) {
    double value = 1 - x;
    for (int n = 1; n <= 60; n++) value -= 2 / (n * pi) * sin(n * pi * x) * exp(-n * n * pi * pi * t);
    return value;
}

// The largest difference in the middle of the box, as a share of the difference between the sides.
static double measureSlab(wbSmokeVolume *volume, int first, double t) {
    double worst = 0;
    for (int i = 0; i < slabCells; i++) {
        double x = (i + 0.5) / slabCells, is = *findValue(volume, wb_smokeTemperature, first + i, 2, 0);
        worst = fmax(worst, fabs(is - (isinf(t) ? 1 - x : getSlab(x, t))));
    }
    return worst;
}

static bool isBeside(wbVec3 point, const void *context) {
    (void)context;
    return point.x < 0.1f;
}

// The left end is the side of the box, or solid cells beside it.
static wbStatus runSlab(wbValidateRun *run, int dimensions, bool hasSolid) {
    static const char *const names[2][3] = {{"error at 0.02 L2/kappa, 2D", "error at 0.1 L2/kappa, 2D",
                                             "error after 1000 L2/kappa in one step, 2D"},
                                            {"error at 0.02 L2/kappa beside solid cells, 3D",
                                             "error at 0.1 L2/kappa beside solid cells, 3D",
                                             "error after 1000 L2/kappa in one step, 3D"}};
    const struct { double time, dt; } stages[3] = {{0.02, 1e-4}, {0.1, 4e-4}, {INFINITY, 1000}};
    wbSmokeParams params = wbDefaultSmokeParams();
    params.cellSize = 1.0f / slabCells;
    params.thermalDiffusivity = 1;
    params.buoyancy = 0;
    int first = hasSolid ? slabCells / 10 : 0;
    wbDomainDef domain =
        makeBox(hasSolid ? 1.1 : 1, 6.0 / slabCells, dimensions == 3 ? 0.1 : 0, wb_sideNoSlip);
    domain.sides[wb_right].temperature = 0;
    if (!hasSolid) domain.sides[wb_left].temperature = 1;
    wbSmokeVolume volume;
    WB_TRY(wbCreateCaseVolume(run, &params, &domain, dimensions, &volume));
    wbStatus status = wb_okStatus;
    const wbSmokeBody warm = {.hasTemperature = true, .temperature = 1};
    if (hasSolid) status = wbFillSolids(&volume, isBeside, NULL, &warm);
    double time = 0;
    for (int n = 0; n < 3 && wbIsOk(status) && !run->stopped; n++) {
        int steps = n < 2 ? (int)lround((stages[n].time - time) / stages[n].dt) : 1;
        double part = 0.5 * (dimensions - 2), done[2] = {part + n / 6.0, part + (n + 1) / 6.0};
        status = advance(run, &volume, steps, stages[n].dt, done);
        time = stages[n].time;
        if (!wbIsOk(status) || run->stopped) break;
        wbReportQuantity(run, (wbQuantity){.quantity = names[dimensions - 2][n],
                                           .unit = "of the difference",
                                           .value = measureSlab(&volume, first, time),
                                           .tolerance = 0.01,
                                           .source = n < 2 ? "series of sines" : "linear profile"});
    }
    wbDestroySmokeVolume(&volume);
    return status;
}

wbStatus wbValidateSmokeSlab(wbValidateRun *run) {
    WB_TRY(runSlab(run, 2, false));
    return run->stopped ? wb_okStatus : runSlab(run, 3, true);
}

// Convection: a layer 1 m high between no-slip sides, hotter below by 1 K; viscosity and diffusivity are 1. Half a roll
// fits between free-slip sides pi / 3.117 = 1.008 m apart: here 1 m.

enum { layerCells = 32 };

// The conducting layer with a disturbance that is small, so that it grows or fades by its exponential.
static void fillLayer(wbSmokeVolume *volume) {
    for (int j = 0; j < layerCells; j++) {
        for (int i = 0; i < layerCells; i++) {
            double x = (i + 0.5) / layerCells, y = (j + 0.5) / layerCells;
            *findValue(volume, wb_smokeTemperature, i, j, 0) =
                (float)(0.5 - y + 1e-3 * cos(pi * x) * sin(pi * y));
        }
    }
}

static double sumKinetic(wbSmokeVolume *volume) {
    double sum = 0;
    for (int j = 0; j < layerCells; j++)
        for (int i = 0; i < layerCells; i++)
            sum += pow(*findValue(volume, wb_smokeU, i, j, 0), 2) +
                   pow(*findValue(volume, wb_smokeV, i, j, 0), 2);
    return sum;
}

// 1/s, of the velocity, once the disturbance has the shape that fades slowest.
static wbStatus measureGrowth(wbValidateRun *run, double rayleigh, const double done[2], double *rate) {
    const double dt = 2e-4, middle = 0.5 * (done[0] + done[1]);
    const int steps = 1000;
    wbSmokeParams params = wbDefaultSmokeParams();
    params.cellSize = 1.0f / layerCells;
    params.viscosity = params.thermalDiffusivity = 1;
    params.confinement = 0;
    params.buoyancy = (float)rayleigh;
    wbDomainDef domain = makeBox(1, 1, 0, wb_sideFreeSlip);
    domain.sides[wb_bottom] = (wbSideDef){.type = wb_sideNoSlip, .temperature = 0.5f};
    domain.sides[wb_top] = (wbSideDef){.type = wb_sideNoSlip, .temperature = -0.5f};
    wbSmokeVolume volume;
    WB_TRY(wbCreateCaseVolume(run, &params, &domain, 2, &volume));
    fillLayer(&volume);
    wbStatus status = advance(run, &volume, steps, dt, (double[]){done[0], middle});
    double before = sumKinetic(&volume);
    if (wbIsOk(status)) status = advance(run, &volume, steps, dt, (double[]){middle, done[1]});
    *rate = log(sumKinetic(&volume) / before) / (2 * steps * dt);
    wbDestroySmokeVolume(&volume);
    return status;
}

// Where the rate is 0: between two numbers of Rayleigh, halved as long as the one between them grows or fades, then by a
// straight line.
wbStatus wbValidateSmokeConvection(wbValidateRun *run) {
    const double critical = 1707.76;
    enum { HALVINGS = 2 };
    double numbers[2] = {0.9 * critical, 1.12 * critical}, rates[2];
    for (int n = 0; n < 2 && !run->stopped; n++) {
        WB_TRY(measureGrowth(run, numbers[n], (double[]){0.25 * n, 0.25 * (n + 1)}, &rates[n]));
        if (run->stopped) return wb_okStatus;
        wbReportQuantity(run, (wbQuantity){.quantity = n ? "growth at 1.12 times 1707.76, no less than 0"
                                                         : "decay at 0.9 times 1707.76, no less than 0",
                                           .unit = "kappa/d2",
                                           .value = n ? rates[1] : -rates[0],
                                           .judgement = wb_atLeast,
                                           .source = "linear stability"});
    }
    for (int n = 0; n < HALVINGS && !run->stopped && rates[0] < 0 && rates[1] > 0; n++) {
        double middle = 0.5 * (numbers[0] + numbers[1]), rate;
        WB_TRY(measureGrowth(run, middle, (double[]){0.5 + 0.25 * n, 0.75 + 0.25 * n}, &rate));
        numbers[rate > 0] = middle, rates[rate > 0] = rate;
    }
    if (run->stopped) return wb_okStatus;
    wbReportQuantity(
        run, (wbQuantity){.quantity = "Rayleigh number from which it turns",
                          .unit = "",
                          .value = numbers[0] - rates[0] * (numbers[1] - numbers[0]) / (rates[1] - rates[0]),
                          .reference = critical,
                          .tolerance = 0.05 * critical,
                          .source = "Chandrasekhar 1961"});
    return wb_okStatus;
}
