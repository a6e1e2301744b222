// SPDX-License-Identifier: MIT
// A puddle that hot air warms as its surface says, and what a closed box of air and water has of heat while the water splashes about.
#include <math.h>

#include "bench/validate_case.h"
#include "core/status.h"

static wbStatus createHeat(wbValidateRun *run, wbWorldDef *def, wbWorld **world) {
    wbCaseMachine machine;
    WB_TRY(wbGetCaseMachine(run, &machine));
    def->threadCount = machine.threadCount, def->simd = machine.simd;
    def->params.backend = machine.backend, def->params.device = machine.deviceIndex;
    def->params.gravity = wbMakeVec3(0, -9.81f, 0);
    def->hasSmoke = true, def->smoke.steam = true;
    def->coupling.airWater = wb_pairBoth, def->coupling.airHeat = true;
    WB_TRY(wbCreateWorld(def, world));
    wbNameMachine(run, wbWorld_GetDevice(*world), wbWorld_GetSimd(*world));
    return wb_okStatus;
}

// Puddle

typedef struct Puddle {
    const char *name;
    wbFluidSolver solver;
    wbSphMethod method;
    int dimensions;
    float spacing; // m; cells are twice as large
} Puddle;

static const double depth = 0.01, length = 0.12, width = 0.06, hot = 60; // m; K over the water's 20 degrees

static wbStatus fillPuddle(wbWorld *world, const Puddle *puddle) {
    wbFluidDef water = wbDefaultFluidDef();
    wbSourceDef heat = wbDefaultSourceDef();
    const wbBlockDef block = {.max = wbMakeVec3((float)length, (float)depth, (float)width)};
    wbFluidId fluid;
    wbSourceId source;
    water.solver = puddle->solver;
    // the air that comes to it is as hot as ever
    heat.params.shape = wb_sourceBox, heat.params.size = wbMakeVec3(1, 1, 1);
    heat.params.density = 0, heat.params.temperature = (float)hot;
    WB_TRY(wbCreateSource(world, &heat, &source));
    WB_TRY(wbCreateFluid(world, &water, &fluid));
    return wbFluid_AddBlock(world, fluid, &block);
}

static double getPuddleCelsius(const wbStats *stats) { return stats->heatWater / (stats->mass * 4186); }

// 1/s, at which its temperature comes nearer to that of the air, once it is at rest.
static wbStatus warmPuddle(wbValidateRun *run, wbWorld *world, const Puddle *puddle, const double done[2],
                           double *rate) {
    enum { REST = 30, STEPS = 90 };
    double before = 0, from = 0;
    WB_TRY(fillPuddle(world, puddle));
    for (int k = 1; k <= STEPS && !run->stopped; k++) {
        WB_TRY(wbStepCase(run, world, done[0] + (done[1] - done[0]) * k / STEPS));
        const wbStats stats = wbWorld_GetStats(world);
        if (k == REST) before = getPuddleCelsius(&stats), from = stats.time;
        if (k == STEPS) *rate = log((hot - before) / (hot - getPuddleCelsius(&stats))) / (stats.time - from);
    }
    return wb_okStatus;
}

static wbStatus runPuddle(wbValidateRun *run, const Puddle *puddle, const double done[2]) {
    const double right = 30 / (1000 * 4186 * depth);
    double rate = 0;
    wbWorldDef def = wbDefaultWorldDef();
    wbWorld *world;
    def.params.dimensions = puddle->dimensions;
    def.domain.min = wbMakeVec3(0, 0, 0);
    def.domain.max = wbMakeVec3((float)length, 0.1f, puddle->dimensions == 3 ? (float)width : 0);
    def.smoke.cellSize = 2 * puddle->spacing;
    def.sph.spacing = def.pbf.spacing = puddle->spacing, def.sph.method = puddle->method;
    WB_TRY(createHeat(run, &def, &world));
    const wbStatus status = warmPuddle(run, world, puddle, done, &rate);
    wbDestroyWorld(world);
    if (!wbIsOk(status) || run->stopped) return status;
    wbReportQuantity(run, (wbQuantity){.quantity = puddle->name,
                                       .unit = "of the rate by its surface",
                                       .value = rate / right,
                                       .reference = 1,
                                       .tolerance = 0.05,
                                       .source = "T = Ta - (Ta - T0) exp(-30 W/m2/K A t/(m c))"});
    return wb_okStatus;
}

wbStatus wbValidatePuddle(wbValidateRun *run) {
    static const Puddle puddles[] = {
        {"PBF, 3D, a layer", wb_solverPbf, wb_sphExplicit, 3, 0.01f},
        {"PBF, 3D, two layers", wb_solverPbf, wb_sphExplicit, 3, 0.005f},
        {"PBF, 3D, four layers", wb_solverPbf, wb_sphExplicit, 3, 0.0025f},
        {"PBF, 2D, a layer", wb_solverPbf, wb_sphExplicit, 2, 0.01f},
        {"PBF, 2D, two layers", wb_solverPbf, wb_sphExplicit, 2, 0.005f},
        {"PBF, 2D, four layers", wb_solverPbf, wb_sphExplicit, 2, 0.0025f},
        {"SPH, 3D, a layer", wb_solverSph, wb_sphExplicit, 3, 0.01f},
        {"SPH, 3D, two layers", wb_solverSph, wb_sphExplicit, 3, 0.005f},
        {"SPH, 2D, two layers", wb_solverSph, wb_sphExplicit, 2, 0.005f},
        {"SPH, 2D, four layers", wb_solverSph, wb_sphExplicit, 2, 0.0025f},
        {"split, 3D, a layer", wb_solverSph, wb_sphSplit, 3, 0.01f},
        {"split, 3D, two layers", wb_solverSph, wb_sphSplit, 3, 0.005f},
        {"split, 2D, two layers", wb_solverSph, wb_sphSplit, 2, 0.005f},
        {"split, 2D, four layers", wb_solverSph, wb_sphSplit, 2, 0.0025f},
    };
    const int count = (int)(sizeof puddles / sizeof puddles[0]);
    for (int n = 0; n < count && !run->stopped; n++)
        WB_TRY(runPuddle(run, &puddles[n], (double[]){(double)n / count, (n + 1.0) / count}));
    return wb_okStatus;
}

// Balance

// A block falls into a pool under hot air, and some of it boils.
static wbStatus fillBasin(wbWorld *world, wbFluidSolver solver) {
    wbFluidDef water = wbDefaultFluidDef();
    wbSourceDef heat = wbDefaultSourceDef();
    const wbBlockDef pool = {.max = wbMakeVec3(1, 0.12f, 0.5f)}, block = {.min = wbMakeVec3(0.3f, 0.6f, 0.1f),
                                                                          .max = wbMakeVec3(0.5f, 0.9f, 0.4f),
                                                                          .velocity = wbMakeVec3(2, 0, 0)};
    wbFluidId fluid;
    wbSourceId source;
    water.solver = solver;
    heat.params.shape = wb_sourceBox, heat.params.size = wbMakeVec3(3, 3, 3);
    heat.params.density = 0.1f, heat.params.temperature = 900, heat.params.end = 0.001f;
    WB_TRY(wbCreateSource(world, &heat, &source));
    WB_TRY(wbCreateFluid(world, &water, &fluid));
    WB_TRY(wbFluid_AddBlock(world, fluid, &pool));
    return wbFluid_AddBlock(world, fluid, &block);
}

static wbStatus splash(wbValidateRun *run, wbWorld *world, wbFluidSolver solver, double half, wbStats *last) {
    enum { STEPS = 600 };
    WB_TRY(fillBasin(world, solver));
    for (int k = 1; k <= STEPS && !run->stopped; k++)
        WB_TRY(wbStepCase(run, world, 0.5 * half + 0.5 * k / STEPS));
    *last = wbWorld_GetStats(world);
    return wb_okStatus;
}

static wbStatus balance(wbValidateRun *run, wbFluidSolver solver, const char *const names[2], double half) {
    wbWorldDef def = wbDefaultWorldDef();
    wbStats s;
    wbWorld *world;
    def.domain.min = wbMakeVec3(0, 0, 0), def.domain.max = wbMakeVec3(1, 1, 0.5f);
    def.smoke.cellSize = 0.05f, def.sph.spacing = def.pbf.spacing = 0.04f;
    def.coupling.waterCelsius = 99, def.coupling.sprayDiameter = 5e-4f;
    WB_TRY(createHeat(run, &def, &world));
    const wbStatus status = splash(run, world, solver, half, &s);
    wbDestroyWorld(world);
    if (!wbIsOk(status) || run->stopped) return status;
    const double error =
        s.heatAir + s.heatSteam + s.heatWater + s.heatLost - (s.heatSources + s.heatSides + s.heatFluids);
    wbReportQuantity(run, (wbQuantity){.quantity = names[0],
                                       .unit = "J",
                                       .value = error,
                                       .reference = 0,
                                       .tolerance = 0.1,
                                       .source = "enthalpy"});
    wbReportQuantity(run, (wbQuantity){.quantity = names[1],
                                       .unit = "J",
                                       .value = s.heatLost,
                                       .reference = 0,
                                       .tolerance = 1,
                                       .source = "roundings"});
    return wb_okStatus;
}

wbStatus wbValidateHeatBalance(wbValidateRun *run) {
    static const char *const names[2][2] = {{"air, steam, water and lost, less what came, PBF", "lost, PBF"},
                                            {"air, steam, water and lost, less what came, SPH", "lost, SPH"}};
    WB_TRY(balance(run, wb_solverPbf, names[0], 0));
    return run->stopped ? wb_okStatus : balance(run, wb_solverSph, names[1], 1);
}
