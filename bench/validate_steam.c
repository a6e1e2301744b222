// SPDX-License-Identifier: MIT
// Water that boils away in hot air, and a cloud in air that rises.
#include <math.h>

#include "bench/validate_case.h"
#include "core/status.h"

static wbStatus createSteam(wbValidateRun *run, wbWorldDef *def, wbWorld **world) {
    wbCaseMachine machine;
    WB_TRY(wbGetCaseMachine(run, &machine));
    def->threadCount = machine.threadCount, def->simd = machine.simd;
    def->params.backend = machine.backend, def->params.device = machine.deviceIndex;
    def->hasSmoke = true, def->smoke.steam = true;
    WB_TRY(wbCreateWorld(def, world));
    wbNameMachine(run, wbWorld_GetDevice(*world), wbWorld_GetSimd(*world));
    return wb_okStatus;
}

// A gram in 512 drops, all over a cubic metre of air.
static wbStatus addSpray(wbWorld *world) {
    enum { ALONG = 8 };
    wbFluidDef water = wbDefaultFluidDef();
    wbSourceDef heat = wbDefaultSourceDef();
    wbFluidId fluid;
    wbSourceId source;
    water.solver = wb_solverPbf;
    heat.params.shape = wb_sourceBox, heat.params.size = wbMakeVec3(3, 3, 3);
    heat.params.density = 0, heat.params.temperature = 300, heat.params.end = 0.001f;
    WB_TRY(wbCreateSource(world, &heat, &source));
    WB_TRY(wbCreateFluid(world, &water, &fluid));
    for (int n = 0; n < ALONG * ALONG * ALONG; n++) {
        const float p[3] = {((float)(n % ALONG) + 0.5f) / ALONG, ((float)(n / ALONG % ALONG) + 0.5f) / ALONG,
                            ((float)(n / ALONG / ALONG) + 0.5f) / ALONG};
        WB_TRY(wbFluid_AddParticles(world, fluid, 1, p, NULL));
    }
    return wb_okStatus;
}

static double sumHeat(const wbStats *s) { return s->heatAir + s->heatSteam + s->heatWater + s->heatLost; }

static wbStatus quench(wbValidateRun *run, wbWorld *world, wbStats *first, wbStats *last) {
    WB_TRY(addSpray(world));
    for (int k = 1; k <= 300 && !run->stopped; k++) {
        WB_TRY(wbStepCase(run, world, k / 300.0));
        if (k == 1) *first = wbWorld_GetStats(world);
    }
    *last = wbWorld_GetStats(world);
    return wb_okStatus;
}

wbStatus wbValidateQuench(wbValidateRun *run) {
    const double capacity = 1.2 * 1005;
    wbWorldDef def = wbDefaultWorldDef();
    wbStats first, last;
    wbWorld *world;
    def.params.gravity = wbMakeVec3(0, 0, 0), def.params.dt = 1.0f / 60;
    def.domain.min = wbMakeVec3(0, 0, 0), def.domain.max = wbMakeVec3(1, 1, 1);
    def.smoke.cellSize = 0.125f, def.pbf.spacing = 0.00125f;
    def.coupling.airWater = wb_pairBoth, def.coupling.airHeat = true, def.coupling.sprayDiameter = 2e-4f;
    WB_TRY(createSteam(run, &def, &world));
    const wbStatus status = quench(run, world, &first, &last);
    wbDestroyWorld(world);
    if (!wbIsOk(status) || run->stopped) return status;
    wbReportQuantity(run, (wbQuantity){.quantity = "air of 300 K cools by",
                                       .unit = "K",
                                       .value = 300 - last.heatAir / capacity,
                                       .reference = 2.15,
                                       .tolerance = 0.043,
                                       .source = "1 g of water to steam of 100 degrees in 1 m3"});
    wbReportQuantity(run, (wbQuantity){.quantity = "water that is left as steam",
                                       .unit = "g",
                                       .value = 1e3 * last.steam,
                                       .reference = 1,
                                       .tolerance = 1e-5,
                                       .source = "mass"});
    wbReportQuantity(run, (wbQuantity){.quantity = "heat of air, water and steam, over that before",
                                       .unit = "",
                                       .value = sumHeat(&last) / sumHeat(&first),
                                       .reference = 1,
                                       .tolerance = 1e-5,
                                       .source = "enthalpy"});
    return wb_okStatus;
}

static const double lapse = 0.00976, kelvin = 293.15, heat = 2.592e6, perKelvin = 1005, gas = 287, grams = 12;

// Kelvin of air with so much water that rises from the bottom: dry until it is saturated, then with the heat of its droplets, by small steps.
static double liftAir(double height) {
    const double step = 0.25;
    double t = kelvin, p = 101325;
    for (double y = 0; y < height; y += step) {
        const double celsius = t - 273.15, e = 611.2 * exp(17.62 * celsius / (243.12 + celsius)),
                     most = 0.622 * e / p, ratio = grams / 1200,
                     slope = most * 17.62 * 243.12 / ((243.12 + celsius) * (243.12 + celsius));
        double rate = lapse;
        // cp dT + L dr = - g dz, for r(T, p) at saturation; p is that of the air around
        if (ratio > most)
            rate = lapse * (1 + heat * most / (gas * (kelvin - lapse * y))) / (1 + heat / perKelvin * slope);
        p *= 1 - step * lapse * perKelvin / (gas * (kelvin - lapse * y));
        t -= step * rate;
    }
    return t;
}

// A shaft of two kilometres through which air rises.
static wbStatus rise(wbValidateRun *run, wbWorld *world) {
    wbSourceDef below = wbDefaultSourceDef();
    wbSourceId source;
    below.params.shape = wb_sourceBox, below.params.position = wbMakeVec3(50, 30, 0);
    below.params.size = wbMakeVec3(200, 60, 1), below.params.density = 0;
    below.params.velocity = wbMakeVec3(0, 20, 0), below.params.steam = (float)grams;
    WB_TRY(wbCreateSource(world, &below, &source));
    for (int k = 1; k <= 300 && !run->stopped; k++) WB_TRY(wbStepCase(run, world, k / 300.0));
    return wb_okStatus;
}

// In the middle of the shaft: K where it is, g/m3.
static wbStatus readShaft(wbWorld *world, int cell, double *temperature, double *cloud) {
    wbSmokeView view;
    WB_TRY(wbWorld_GetSmokeView(world, &view));
    const ptrdiff_t at = view.cells[0] / 2 + cell * view.strideY;
    const double height = ((double)cell + 0.5) * (double)view.cellSize;
    *temperature = (kelvin + (double)view.temperature[at]) * (1 - lapse * height / kelvin);
    *cloud = (double)view.cloud[at];
    return wb_okStatus;
}

static wbStatus lift(wbValidateRun *run, wbWorld *world, const int cells[2], double temperatures[2],
                     double clouds[2]) {
    WB_TRY(rise(run, world));
    for (int n = 0; n < 2; n++) WB_TRY(readShaft(world, cells[n], &temperatures[n], &clouds[n]));
    return wb_okStatus;
}

wbStatus wbValidateCloud(wbValidateRun *run) {
    static const char *const names[] = {"air that rose to 500 m, dry", "air that rose to 1,500 m, in cloud"};
    const int cells[2] = {24, 74};
    double temperatures[2] = {0, 0}, clouds[2] = {0, 0};
    wbWorldDef def = wbDefaultWorldDef();
    wbWorld *world;
    def.params.dimensions = 2, def.params.gravity = wbMakeVec3(0, -9.81f, 0);
    def.domain.min = wbMakeVec3(0, 0, 0), def.domain.max = wbMakeVec3(100, 2000, 0);
    def.domain.sides[wb_top].type = def.domain.sides[wb_bottom].type = wb_sideOpen;
    def.smoke.cellSize = 20, def.smoke.buoyancy = 0, def.smoke.lapse = (float)lapse;
    def.smoke.longestStep = 1, def.smoke.weight = 0, def.params.dt = 0.5f;
    WB_TRY(createSteam(run, &def, &world));
    const wbStatus status = lift(run, world, cells, temperatures, clouds);
    wbDestroyWorld(world);
    if (!wbIsOk(status) || run->stopped) return status;
    for (int n = 0; n < 2; n++)
        wbReportQuantity(run, (wbQuantity){.quantity = names[n],
                                           .unit = "K",
                                           .value = temperatures[n],
                                           .reference = liftAir(20 * (cells[n] + 0.5)),
                                           .tolerance = 0.1,
                                           .source = n ? "the moist adiabat" : "the dry adiabat"});
    wbReportQuantity(run, (wbQuantity){.quantity = "droplets at 500 m",
                                       .unit = "g/m3",
                                       .value = clouds[0],
                                       .reference = 0,
                                       .tolerance = 0,
                                       .source = "below saturation"});
    wbReportQuantity(run, (wbQuantity){.quantity = "droplets at 1,500 m",
                                       .unit = "g/m3",
                                       .value = clouds[1],
                                       .reference = 1,
                                       .judgement = wb_atLeast,
                                       .source = "above it"});
    return wb_okStatus;
}
