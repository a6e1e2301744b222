// SPDX-License-Identifier: MIT
// Water of particle solvers, of PBF with its default parameters: at rest, behind a plate, and in free flight.
#include <math.h>
#include <stdio.h>

#include "bench/basin.h"
#include "core/status.h"

static const double gravity = WB_BASIN_GRAVITY, restDensity = 1000; // m/s2, kg/m3
static const double frame = WB_BASIN_FRAME;

// A tank at rest for ten seconds; means are of the last two.
typedef struct Still {
    const char *level, *pressure, *energy; // names of what is reported
    int dimensions, layers;
    double spacing; // m
} Still;

static void reportStill(wbValidateRun *run, const Still *still, const wbBasin *basin, double level,
                        double pressure) {
    double height = still->layers * still->spacing;
    wbReportQuantity(run, (wbQuantity){.quantity = still->level,
                                       .unit = "m",
                                       .value = level,
                                       .reference = height,
                                       .tolerance = fmax(0.02 * height, 0.5 * still->spacing),
                                       .judgement = still->layers <= 20 ? wb_within : wb_noted,
                                       .source = "volume is kept"});
    wbReportQuantity(run, (wbQuantity){.quantity = still->pressure,
                                       .unit = "rho0 g depth",
                                       .value = pressure,
                                       .reference = 1,
                                       .tolerance = 0.03,
                                       .source = "hydrostatics"});
    wbReportQuantity(run, (wbQuantity){.quantity = still->energy,
                                       .unit = "of it",
                                       .value = basin->highest / basin->start - 1,
                                       .tolerance = 1e-3,
                                       .source = "energy is kept"});
}

static wbStatus runStill(wbValidateRun *run, const Still *still, wbBasin *basin) {
    const double height = still->layers * still->spacing, duration = 10;
    double level = 0, pressure = 0;
    int levels = 0, pressures = 0;
    WB_TRY(wbFillBasin(basin, height));
    wbBasin_FollowEnergy(basin, true);
    for (int k = 1; k * frame <= duration + 1e-6 && !run->stopped; k++) {
        WB_TRY(wbBasin_StepUntil(run, basin, k * frame, duration));
        wbBasin_FollowEnergy(basin, false);
        if (k * frame < duration - 2) continue;
        wbView view;
        WB_TRY(wbFluid_GetView(basin->world, basin->fluid, &view));
        level += wbBasin_GetLevel(basin, &view), levels++;
        for (int i = 0; i < view.count; i++)
            if ((double)view.y[i] < 1.5 * still->spacing)
                pressure += (double)view.pressure[i] / (restDensity * gravity * (height - (double)view.y[i])),
                    pressures++;
    }
    if (!run->stopped) reportStill(run, still, basin, level / levels, pressure / fmax(pressures, 1));
    return wb_okStatus;
}

static wbStatus rest(wbValidateRun *run, wbQuality quality, const Still *stills, int count) {
    for (int k = 0; k < count && !run->stopped; k++) {
        const Still *still = &stills[k];
        double width = (still->dimensions == 2 ? 20 : 6) * still->spacing;
        wbBasin basin = {.dimensions = still->dimensions,
                         .width = width,
                         .height = 2 * still->layers * still->spacing,
                         .depth = still->dimensions == 3 ? width : 0,
                         .spacing = still->spacing};
        WB_TRY(wbCreateBasin(run, quality, &basin));
        wbStatus status = runStill(run, still, &basin);
        wbDestroyWorld(basin.world);
        WB_TRY(status);
    }
    return wb_okStatus;
}

#define STILL_NAMES(tank) "level, " tank, "pressure at the floor, " tank, "energy above the start, " tank

wbStatus wbValidatePbfStill(wbValidateRun *run) {
    static const Still stills[] = {{STILL_NAMES("10 layers of 0.2 m"), 2, 10, 0.2},
                                   {STILL_NAMES("20 layers of 0.05 m"), 2, 20, 0.05},
                                   {STILL_NAMES("20 layers of 0.02 m"), 2, 20, 0.02},
                                   {STILL_NAMES("10 layers of 0.005 m"), 2, 10, 0.005},
                                   {STILL_NAMES("10 layers of 0.05 m, 3D"), 3, 10, 0.05},
                                   {STILL_NAMES("10 layers of 1 m, 3D"), 3, 10, 1}};
    return rest(run, wb_qualityFast, stills, sizeof stills / sizeof stills[0]);
}

wbStatus wbValidatePbfStillDeep(wbValidateRun *run) {
    static const Still stills[] = {{STILL_NAMES("40 layers of 0.05 m"), 2, 40, 0.05},
                                   {STILL_NAMES("40 layers of 0.02 m"), 2, 40, 0.02},
                                   {STILL_NAMES("80 layers of 0.02 m"), 2, 80, 0.02},
                                   {STILL_NAMES("80 layers of 0.005 m"), 2, 80, 0.005},
                                   {STILL_NAMES("20 layers of 0.02 m, 3D"), 3, 20, 0.02}};
    return rest(run, wb_qualityFast, stills, sizeof stills / sizeof stills[0]);
}

// A plate across a tank, 10 spacings from its end, holds back the water there: the force on it, apart from what the floor bears, as
// the mean of the last two of ten seconds.
typedef struct Load {
    const char *force; // name of what is reported
    int layers;
    double spacing; // m
} Load;

static wbStatus runPlate(wbValidateRun *run, const Load *load, wbBasin *basin) {
    const double duration = 10, height = load->layers * load->spacing, width = 10 * load->spacing;
    double force = 0;
    int looks = 0;
    wbColliderDef plate = wbDefaultColliderDef();
    wbColliderId id;
    plate.name = "plate", plate.params.shape = wb_shapeBox;
    plate.params.size =
        wbMakeVec3((float)(4 * load->spacing), (float)(4 * height), (float)(3 * basin->depth));
    plate.params.position =
        wbMakeVec3((float)(width + 2 * load->spacing), (float)height, (float)(0.5 * basin->depth));
    WB_TRY(wbCreateCollider(basin->world, &plate, &id));
    wbBlockDef block = {.max = wbMakeVec3((float)width, (float)height, (float)basin->depth)};
    WB_TRY(wbFluid_AddBlock(basin->world, basin->fluid, &block));
    for (int k = 1; k * frame <= duration + 1e-6 && !run->stopped; k++) {
        WB_TRY(wbBasin_StepUntil(run, basin, k * frame, duration));
        if (k * frame < duration - 2) continue;
        force += wbCollider_GetStats(basin->world, id).force[0], looks++;
    }
    if (!run->stopped)
        wbReportQuantity(run,
                         (wbQuantity){.quantity = load->force,
                                      .unit = "rho0 g depth2/2",
                                      .value = force / looks /
                                               (0.5 * restDensity * gravity * height * height * basin->depth),
                                      .reference = 1,
                                      .tolerance = 0.03,
                                      .source = "hydrostatics"});
    return wb_okStatus;
}

wbStatus wbValidatePbfWall(wbValidateRun *run) {
    static const Load loads[] = {{"force on a plate, 10 layers of 0.05 m", 10, 0.05},
                                 {"force on a plate, 10 layers of 0.02 m", 10, 0.02},
                                 {"force on a plate, 20 layers of 0.02 m", 20, 0.02}};
    for (size_t k = 0; k < sizeof loads / sizeof loads[0] && !run->stopped; k++) {
        const double spacing = loads[k].spacing;
        wbBasin basin = {.dimensions = 3,
                         .width = 20 * spacing,
                         .height = 2 * loads[k].layers * spacing,
                         .depth = 5 * spacing,
                         .spacing = spacing};
        WB_TRY(wbCreateBasin(run, wb_qualityFast, &basin));
        wbStatus status = runPlate(run, &loads[k], &basin);
        wbDestroyWorld(basin.world);
        WB_TRY(status);
    }
    return wb_okStatus;
}

// A ball that spins like a rigid one, without gravity and sides, for a second.
static double getSpin(const wbView *view) {
    double sum = 0, x = 0, y = 0;
    for (int i = 0; i < view->count; i++)
        x += (double)view->x[i] / view->count, y += (double)view->y[i] / view->count;
    for (int i = 0; i < view->count; i++)
        sum +=
            ((double)view->x[i] - x) * (double)view->vy[i] - ((double)view->y[i] - y) * (double)view->vx[i];
    return sum;
}

static wbStatus addSpinning(wbBasin *basin, int across, double rate) {
    int layers = basin->dimensions == 3 ? across : 1;
    for (int i = 0; i < across * across * layers; i++) {
        const int site[3] = {i % across, i / across % across, i / across / across};
        float place[3], velocity[3] = {0};
        double square = 0;
        for (int a = 0; a < 3; a++) {
            place[a] = a < basin->dimensions ? (float)((site[a] + 0.5 - 0.5 * across) * basin->spacing) : 0;
            square += (double)place[a] * (double)place[a];
        }
        if (square > pow(0.5 * across * basin->spacing, 2)) continue;
        velocity[0] = (float)(-rate * (double)place[1]), velocity[1] = (float)(rate * (double)place[0]);
        WB_TRY(wbFluid_AddParticles(basin->world, basin->fluid, 1, place, velocity));
    }
    return wb_okStatus;
}

static wbStatus runSpin(wbValidateRun *run, wbBasin *basin, double rate, const char *name) {
    wbView view;
    double start = 0, worst = 0;
    WB_TRY(addSpinning(basin, 12, rate));
    for (int k = 0; k <= 60 && !run->stopped; k++) {
        WB_TRY(wbBasin_StepUntil(run, basin, k * frame, 1));
        WB_TRY(wbFluid_GetView(basin->world, basin->fluid, &view));
        double spin = getSpin(&view);
        if (k == 0) start = spin;
        worst = fmax(worst, fabs(spin / start - 1));
    }
    if (!run->stopped)
        wbReportQuantity(run, (wbQuantity){.quantity = name,
                                           .unit = "of it",
                                           .value = worst,
                                           .tolerance = 0.005,
                                           .source = "angular momentum is kept"});
    return wb_okStatus;
}

static wbStatus createSpace(wbValidateRun *run, wbFluidSolver solver, wbBasin *basin) {
    wbWorldDef def = wbDefaultWorldDef();
    def.params.dimensions = basin->dimensions, def.params.gravity = wbMakeVec3(0, 0, 0);
    def.sph.spacing = def.pbf.spacing = (float)basin->spacing;
    for (int side = 0; side < wb_sideCount; side++) def.domain.sides[side].type = wb_sideOpen;
    return wbCreateCaseWorld(run, def, solver, &basin->world, &basin->fluid);
}

wbStatus wbValidatePbfSpin(wbValidateRun *run) {
    static const struct {
        const char *name;
        int dimensions;
        double rate; // 1/s
    } spins[] = {{"angular momentum, 2D, 5 1/s", 2, 5},
                 {"angular momentum, 2D, 20 1/s", 2, 20},
                 {"angular momentum, 3D, 5 1/s", 3, 5},
                 {"angular momentum, 3D, 20 1/s", 3, 20}};
    for (size_t k = 0; k < sizeof spins / sizeof spins[0] && !run->stopped; k++) {
        wbBasin basin = {.dimensions = spins[k].dimensions, .spacing = 0.05};
        WB_TRY(createSpace(run, wb_solverPbf, &basin));
        wbStatus status = runSpin(run, &basin, spins[k].rate, spins[k].name);
        wbDestroyWorld(basin.world);
        WB_TRY(status);
    }
    return wb_okStatus;
}

// m, that a ball falls in a second.
static wbStatus fall(wbValidateRun *run, wbBasin *basin, double *way) {
    wbView view;
    *way = 0;
    WB_TRY(addSpinning(basin, 6, 0));
    for (int k = 0; k < 60 && !run->stopped; k++)
        if (wbContinueCase(run, k / 60.0)) WB_TRY(wbWorld_Step(basin->world, 0));
    WB_TRY(wbFluid_GetView(basin->world, basin->fluid, &view));
    for (int i = 0; i < view.count; i++) *way -= (double)view.y[i] / view.count;
    return wb_okStatus;
}

// In whole steps of 1/60 s, by both integrators: Euler goes on with the speed of a step's end, and so g t dt/2 too far.
wbStatus wbValidatePbfFall(wbValidateRun *run) {
    static const struct {
        const char *name;
        wbPbfIntegrator integrator;
        wbJudgement judgement;
    } falls[] = {{"way of a fall in 1 s, verlet", wb_pbfVerlet, wb_within},
                 {"way of a fall in 1 s, euler", wb_pbfEuler, wb_noted}};
    for (size_t k = 0; k < sizeof falls / sizeof falls[0] && !run->stopped; k++) {
        wbWorldDef def = wbDefaultWorldDef();
        wbBasin basin = {.dimensions = 3, .spacing = 0.1};
        double way;
        def.params.dt = (float)frame, def.params.gravity = wbMakeVec3(0, (float)-gravity, 0);
        def.pbf.spacing = (float)basin.spacing, def.pbf.subSteps = 1;
        def.pbf.integrator = falls[k].integrator;
        for (int side = 0; side < wb_sideCount; side++) def.domain.sides[side].type = wb_sideOpen;
        WB_TRY(wbCreateCaseWorld(run, def, wb_solverPbf, &basin.world, &basin.fluid));
        wbStatus status = fall(run, &basin, &way);
        wbDestroyWorld(basin.world);
        WB_TRY(status);
        if (!run->stopped)
            wbReportQuantity(run, (wbQuantity){.quantity = falls[k].name,
                                               .unit = "m",
                                               .value = way,
                                               .reference = 0.5 * gravity,
                                               .tolerance = 0.005,
                                               .judgement = falls[k].judgement,
                                               .source = "g t2/2"});
    }
    return wb_okStatus;
}
