// SPDX-License-Identifier: MIT
// Water of any particle solver, of PBF with its default parameters: at rest, in standing waves, in a tube, shaken, and spinning in free flight.
#include <math.h>
#include <stdio.h>

#include "bench/validate_case.h"
#include "core/status.h"

#define PI 3.14159265358979323846

static const double gravity = 9.81, restDensity = 1000; // m/s2, kg/m3
static const double frame = 1.0 / 60;                   // s, between two looks

// A box with free-slip sides, and what is measured in it.
typedef struct Basin {
    int dimensions;
    double width, height, depth, spacing; // m; depth along z
    wbFluidSolver solver;
    wbWorld *world;
    wbFluidId fluid;
    double start, highest; // J, total energy
} Basin;

static wbStatus createBasin(wbValidateRun *run, wbFluidSolver solver, Basin *basin) {
    wbWorldDef def = wbDefaultWorldDef();
    def.params.dimensions = basin->dimensions;
    def.sph.spacing = def.pbf.spacing = (float)basin->spacing;
    def.domain.min = wbMakeVec3(0, 0, 0);
    def.domain.max = wbMakeVec3((float)basin->width, (float)basin->height, (float)basin->depth);
    for (int side = 0; side < wb_sideCount; side++) def.domain.sides[side].type = wb_sideFreeSlip;
    def.sph.smoothing = 3, def.sph.artificialViscosity = 0; // with which SPH's waves converge (docs/water.md)
    basin->solver = solver;
    return wbCreateCaseWorld(run, def, solver, &basin->world, &basin->fluid);
}

// SPH's sound is chosen by the water that is there.
static wbStatus tuneBasin(const Basin *basin) {
    return basin->solver == wb_solverSph ? wbWorld_SetParam(basin->world, "sph.soundSpeed", "auto")
                                         : wb_okStatus;
}

static wbStatus fillBasin(Basin *basin, double level) {
    wbBlockDef block = {.max = wbMakeVec3((float)basin->width, (float)level, (float)basin->depth)};
    WB_TRY(wbFluid_AddBlock(basin->world, basin->fluid, &block));
    return tuneBasin(basin);
}

static void followEnergy(Basin *basin, bool isStart) {
    wbStats stats = wbWorld_GetStats(basin->world);
    double energy = stats.kinetic + stats.potential;
    if (isStart) basin->start = basin->highest = energy;
    basin->highest = fmax(basin->highest, energy);
}

// With the solver's own steps, the last of them cut.
static wbStatus stepUntil(wbValidateRun *run, Basin *basin, double time, double duration) {
    for (double left; (left = time - wbWorld_GetStats(basin->world).time) > 1e-6 && !run->stopped;) {
        double dt = fmin((double)wbGetFineStep(basin->world), left);
        if (wbContinueCase(run, time / duration)) WB_TRY(wbWorld_Step(basin->world, (float)dt));
    }
    return wb_okStatus;
}

// The surface: half a spacing above the highest particles of columns two spacings wide, on average.
static double getLevel(const Basin *basin, const wbView *view) {
    enum { maxColumns = 256 };
    double tops[maxColumns] = {0}, level = 0;
    int columns = (int)fmin(fmax(basin->width / (2 * basin->spacing) + 0.5, 1), maxColumns);
    for (int i = 0; i < view->count; i++) {
        int column = (int)fmin(fmax((double)view->x[i] / basin->width * columns, 0), columns - 1);
        tops[column] = fmax(tops[column], (double)view->y[i] + 0.5 * basin->spacing);
    }
    for (int k = 0; k < columns; k++) level += tops[k] / columns;
    return level;
}

// A tank at rest for ten seconds; means are of the last two.
typedef struct Still {
    const char *level, *pressure, *energy; // names of what is reported
    int dimensions, layers;
    double spacing; // m
} Still;

static void reportStill(wbValidateRun *run, const Still *still, const Basin *basin, double level,
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

static wbStatus runStill(wbValidateRun *run, const Still *still, Basin *basin) {
    const double height = still->layers * still->spacing, duration = 10;
    double level = 0, pressure = 0;
    int levels = 0, pressures = 0;
    WB_TRY(fillBasin(basin, height));
    followEnergy(basin, true);
    for (int k = 1; k * frame <= duration + 1e-6 && !run->stopped; k++) {
        WB_TRY(stepUntil(run, basin, k * frame, duration));
        followEnergy(basin, false);
        if (k * frame < duration - 2) continue;
        wbView view;
        WB_TRY(wbFluid_GetView(basin->world, basin->fluid, &view));
        level += getLevel(basin, &view), levels++;
        for (int i = 0; i < view.count; i++)
            if ((double)view.y[i] < 1.5 * still->spacing)
                pressure += (double)view.pressure[i] / (restDensity * gravity * (height - (double)view.y[i])),
                    pressures++;
    }
    if (!run->stopped) reportStill(run, still, basin, level / levels, pressure / fmax(pressures, 1));
    return wb_okStatus;
}

static wbStatus rest(wbValidateRun *run, wbFluidSolver solver, const Still *stills, int count) {
    for (int k = 0; k < count && !run->stopped; k++) {
        const Still *still = &stills[k];
        double width = (still->dimensions == 2 ? 20 : 6) * still->spacing;
        Basin basin = {.dimensions = still->dimensions,
                       .width = width,
                       .height = 2 * still->layers * still->spacing,
                       .depth = still->dimensions == 3 ? width : 0,
                       .spacing = still->spacing};
        WB_TRY(createBasin(run, solver, &basin));
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
    return rest(run, wb_solverPbf, stills, sizeof stills / sizeof stills[0]);
}

wbStatus wbValidatePbfStillDeep(wbValidateRun *run) {
    static const Still stills[] = {{STILL_NAMES("40 layers of 0.05 m"), 2, 40, 0.05},
                                   {STILL_NAMES("40 layers of 0.02 m"), 2, 40, 0.02},
                                   {STILL_NAMES("80 layers of 0.02 m"), 2, 80, 0.02},
                                   {STILL_NAMES("80 layers of 0.005 m"), 2, 80, 0.005},
                                   {STILL_NAMES("20 layers of 0.02 m, 3D"), 3, 20, 0.02}};
    return rest(run, wb_solverPbf, stills, sizeof stills / sizeof stills[0]);
}

// Standing waves of length 1 m and amplitude 0.02 m, which start at rest at their crests.
typedef struct Wave {
    const char *period, *kept, *energy; // names of what is reported
    double level, spacing;              // m
} Wave;

static const double waveNumber = 2 * PI, amplitude = 0.02; // 1/m, m

// Particles on the lattice, moved as a linear wave moves them; row by row.
static wbStatus addWave(Basin *basin, const Wave *wave) {
    enum { maxSites = 256 };
    const int nx = (int)lround(basin->width / wave->spacing), ny = (int)lround(wave->level / wave->spacing);
    const double bottom = sinh(waveNumber * wave->level), edge = 0.2 * wave->spacing;
    float places[3 * maxSites] = {0};
    WB_ASSERT(nx <= maxSites, "too many particles in a row");
    for (int j = 0; j < ny; j++) {
        double y = (j + 0.5) * wave->spacing;
        for (int i = 0; i < nx; i++) {
            double x = (i + 0.5) * wave->spacing;
            double along = -amplitude * cosh(waveNumber * y) / bottom * sin(waveNumber * x);
            double up = amplitude * sinh(waveNumber * y) / bottom * cos(waveNumber * x);
            places[3 * i] = (float)fmin(fmax(x + along, edge), basin->width - edge);
            places[3 * i + 1] = (float)(y + up);
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

enum { maxLooks = 400 };

// Twice the mean distance of the zeros, by straight lines between looks.
static double findPeriod(const double *heights, int count) {
    double first = -1, last = 0;
    int zeros = 0;
    for (int k = 1; k < count; k++) {
        if ((heights[k - 1] < 0) == (heights[k] < 0)) continue; // of a height of 0 exactly, once
        last = (k - 1 + heights[k - 1] / (heights[k - 1] - heights[k])) * frame;
        if (first < 0) first = last;
        zeros++;
    }
    return zeros > 1 ? 2 * (last - first) / (zeros - 1) : 0;
}

static double findHighest(const double *heights, double from, double to) {
    double highest = 0;
    for (int k = (int)(from / frame); k < (int)(to / frame); k++) highest = fmax(highest, fabs(heights[k]));
    return highest;
}

static wbStatus runWave(wbValidateRun *run, const Wave *wave, Basin *basin) {
    const double period = 2 * PI / sqrt(gravity * waveNumber * tanh(waveNumber * wave->level));
    const int count = (int)fmin(5 * period / frame, maxLooks);
    double heights[maxLooks] = {0};
    WB_TRY(addWave(basin, wave));
    WB_TRY(tuneBasin(basin));
    followEnergy(basin, true);
    for (int k = 0; k < count && !run->stopped; k++) {
        wbView view;
        WB_TRY(stepUntil(run, basin, k * frame, count * frame));
        WB_TRY(wbFluid_GetView(basin->world, basin->fluid, &view));
        heights[k] = getWave(&view);
        followEnergy(basin, false);
    }
    if (run->stopped) return wb_okStatus;
    wbReportQuantity(run, (wbQuantity){.quantity = wave->period,
                                       .unit = "s",
                                       .value = findPeriod(heights, count),
                                       .reference = period,
                                       .tolerance = 0.05 * period,
                                       .source = "omega2 = g k tanh k h"});
    double kept = findHighest(heights, 3.75 * period, 4.75 * period) /
                  findHighest(heights, 0.25 * period, 1.25 * period);
    wbReportQuantity(run, (wbQuantity){.quantity = wave->kept,
                                       .unit = "per period",
                                       .value = pow(kept, 1 / 3.5),
                                       .reference = 1,
                                       .judgement = wb_noted,
                                       .source = "water has next to no viscosity"});
    wbReportQuantity(run, (wbQuantity){.quantity = wave->energy,
                                       .unit = "of it",
                                       .value = basin->highest / basin->start - 1,
                                       .tolerance = 1e-3,
                                       .source = "energy is kept"});
    return wb_okStatus;
}

static wbStatus swing(wbValidateRun *run, wbFluidSolver solver, const Wave *waves, int count) {
    for (int k = 0; k < count && !run->stopped; k++) {
        Basin basin = {
            .dimensions = 2, .width = 1, .height = 2 * waves[k].level, .spacing = waves[k].spacing};
        WB_TRY(createBasin(run, solver, &basin));
        wbStatus status = runWave(run, &waves[k], &basin);
        wbDestroyWorld(basin.world);
        WB_TRY(status);
    }
    return wb_okStatus;
}

#define WAVE_NAMES(wave) "period, " wave, "amplitude kept, " wave, "energy above the start, " wave

wbStatus wbValidatePbfWave(wbValidateRun *run) {
    static const Wave waves[] = {{WAVE_NAMES("0.5 m deep, spacing 0.02 m"), 0.5, 0.02},
                                 {WAVE_NAMES("0.25 m deep, spacing 0.02 m"), 0.25, 0.02}};
    return swing(run, wb_solverPbf, waves, sizeof waves / sizeof waves[0]);
}

wbStatus wbValidatePbfWaveFine(wbValidateRun *run) {
    static const Wave waves[] = {{WAVE_NAMES("0.5 m deep, spacing 0.01 m"), 0.5, 0.01},
                                 {WAVE_NAMES("0.25 m deep, spacing 0.01 m"), 0.25, 0.01}};
    return swing(run, wb_solverPbf, waves, sizeof waves / sizeof waves[0]);
}

wbStatus wbValidateSphWave(wbValidateRun *run) {
    static const Wave waves[] = {{WAVE_NAMES("0.5 m deep, spacing 0.02 m"), 0.5, 0.02},
                                 {WAVE_NAMES("0.25 m deep, spacing 0.02 m"), 0.25, 0.02},
                                 {WAVE_NAMES("0.5 m deep, spacing 0.01 m"), 0.5, 0.01},
                                 {WAVE_NAMES("0.25 m deep, spacing 0.01 m"), 0.25, 0.01},
                                 {WAVE_NAMES("0.5 m deep, spacing 0.005 m"), 0.5, 0.005},
                                 {WAVE_NAMES("0.25 m deep, spacing 0.005 m"), 0.25, 0.005}};
    return swing(run, wb_solverSph, waves, sizeof waves / sizeof waves[0]);
}

// A plate across a tank, 10 spacings from its end, holds back the water there: the force on it, apart from what the floor bears, as
// the mean of the last two of ten seconds.
typedef struct Load {
    const char *force; // name of what is reported
    int layers;
    double spacing; // m
} Load;

static wbStatus runPlate(wbValidateRun *run, const Load *load, Basin *basin) {
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
        WB_TRY(stepUntil(run, basin, k * frame, duration));
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
        Basin basin = {.dimensions = 3,
                       .width = 20 * spacing,
                       .height = 2 * loads[k].layers * spacing,
                       .depth = 5 * spacing,
                       .spacing = spacing};
        WB_TRY(createBasin(run, wb_solverPbf, &basin));
        wbStatus status = runPlate(run, &loads[k], &basin);
        wbDestroyWorld(basin.world);
        WB_TRY(status);
    }
    return wb_okStatus;
}

// A tube like a U, 0.25 m wide: the water in it is as long as its volume over the tube's section, and one leg has a tenth of that
// length more than at rest.
static const double tubeRadius = 0.125, tubeBottom = 0.45; // m; bottom: above the bends

static wbStatus addTube(Basin *basin) {
    static const wbVec3 path[] = {
        {0.3f, 1.45f, 0.4f}, {0.3f, 0.325f, 0.4f}, {1.1f, 0.325f, 0.4f}, {1.1f, 1.45f, 0.4f}};
    static const wbBlockDef blocks[] = {
        {.min = {0.475f, 0.2f, 0.275f}, .max = {0.925f, 0.45f, 0.525f}},
        {.min = {0.25f, 0.35f, 0.3f}, .max = {0.475f, 0.55f, 0.5f}},
        {.min = {0.925f, 0.35f, 0.3f}, .max = {1.15f, 0.55f, 0.5f}},
        {.min = {0.175f, 0.55f, 0.275f}, .max = {0.425f, 1.175f, 0.525f}},
        {.min = {0.975f, 0.55f, 0.275f}, .max = {1.225f, 0.9f, 0.525f}},
    };
    wbColliderDef tube = wbDefaultColliderDef();
    wbColliderId id;
    tube.name = "tube", tube.params.shape = wb_shapePipe;
    tube.params.radius = (float)tubeRadius, tube.params.thickness = 0.06f;
    tube.path = path, tube.pathCount = sizeof path / sizeof path[0];
    WB_TRY(wbCreateCollider(basin->world, &tube, &id));
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++)
        WB_TRY(wbFluid_AddBlock(basin->world, basin->fluid, &blocks[k]));
    return wb_okStatus;
}

// m, by which the water is higher in the first leg.
static double getRise(const Basin *basin, const wbView *view) {
    int more = 0;
    for (int i = 0; i < view->count; i++)
        if ((double)view->y[i] > tubeBottom) more += (double)view->x[i] < 0.5 * basin->width ? 1 : -1;
    return 0.5 * more * pow(basin->spacing, 3) / (PI * tubeRadius * tubeRadius);
}

static wbStatus runTube(wbValidateRun *run, Basin *basin) {
    double heights[maxLooks] = {0};
    wbView view;
    WB_TRY(addTube(basin));
    WB_TRY(wbFluid_GetView(basin->world, basin->fluid, &view));
    const double length = view.count * pow(basin->spacing, 3) / (PI * tubeRadius * tubeRadius);
    const double period = 2 * PI * sqrt(length / (2 * gravity));
    const int count = (int)fmin(2.5 * period / frame, maxLooks);
    followEnergy(basin, true);
    for (int k = 0; k < count && !run->stopped; k++) {
        WB_TRY(stepUntil(run, basin, k * frame, count * frame));
        WB_TRY(wbFluid_GetView(basin->world, basin->fluid, &view));
        heights[k] = getRise(basin, &view);
        followEnergy(basin, false);
    }
    if (run->stopped) return wb_okStatus;
    wbReportQuantity(run, (wbQuantity){.quantity = "period in a tube",
                                       .unit = "s",
                                       .value = findPeriod(heights, count),
                                       .reference = period,
                                       .tolerance = 0.03 * period,
                                       .source = "2 pi sqrt(L/2g)"});
    wbReportQuantity(run, (wbQuantity){.quantity = "amplitude kept in a tube",
                                       .unit = "per period",
                                       .value = findHighest(heights, 1.25 * period, 2.25 * period) /
                                                findHighest(heights, 0.25 * period, 1.25 * period),
                                       .reference = 1,
                                       .judgement = wb_noted,
                                       .source = "water has next to no viscosity"});
    wbReportQuantity(run, (wbQuantity){.quantity = "energy above the start in a tube",
                                       .unit = "of it",
                                       .value = basin->highest / basin->start - 1,
                                       .tolerance = 1e-3,
                                       .source = "energy is kept"});
    return wb_okStatus;
}

wbStatus wbValidatePbfTube(wbValidateRun *run) {
    Basin basin = {.dimensions = 3, .width = 1.4, .height = 1.6, .depth = 0.8, .spacing = 0.025};
    WB_TRY(createBasin(run, wb_solverPbf, &basin));
    wbStatus status = runTube(run, &basin);
    wbDestroyWorld(basin.world);
    return status;
}

// A half-full box is shaken sideways at its slowest wave for 10 s and rests until 30 s: the mean level of the last two.
static wbStatus runSlosh(wbValidateRun *run, Basin *basin, double level, const char *name) {
    const double k = PI / basin->width, omega = sqrt(gravity * k * tanh(k * level)), duration = 30;
    double sum = 0;
    int looks = 0;
    WB_TRY(fillBasin(basin, level));
    for (int n = 0; n * frame < duration && !run->stopped; n++) {
        char value[64];
        double time = n * frame, push = time < 10 ? 0.1 * gravity * sin(omega * time) : 0;
        snprintf(value, sizeof value, "%.9g,%.9g,0", push, -gravity);
        if (time < 10 + 2 * frame) WB_TRY(wbWorld_SetParam(basin->world, "world.gravity", value));
        WB_TRY(stepUntil(run, basin, (n + 1) * frame, duration));
        if (time < duration - 2) continue;
        wbView view;
        WB_TRY(wbFluid_GetView(basin->world, basin->fluid, &view));
        sum += getLevel(basin, &view), looks++;
    }
    if (!run->stopped)
        wbReportQuantity(run, (wbQuantity){.quantity = name,
                                           .unit = "m",
                                           .value = sum / looks,
                                           .reference = level,
                                           .tolerance = 0.02 * level,
                                           .source = "volume is kept"});
    return wb_okStatus;
}

static wbStatus slosh(wbValidateRun *run, wbFluidSolver solver) {
    for (int dimensions = 2; dimensions <= 3 && !run->stopped; dimensions++) {
        bool flat = dimensions == 2;
        Basin basin = {.dimensions = dimensions,
                       .width = flat ? 1 : 0.4,
                       .height = 1,
                       .depth = flat ? 0 : 0.2,
                       .spacing = 0.02};
        WB_TRY(createBasin(run, solver, &basin));
        wbStatus status =
            runSlosh(run, &basin, 0.5, flat ? "level after sloshing, 2D" : "level after sloshing, 3D");
        wbDestroyWorld(basin.world);
        WB_TRY(status);
    }
    return wb_okStatus;
}

wbStatus wbValidatePbfSlosh(wbValidateRun *run) { return slosh(run, wb_solverPbf); }

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

static wbStatus addSpinning(Basin *basin, int across, double rate) {
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

static wbStatus runSpin(wbValidateRun *run, Basin *basin, double rate, const char *name) {
    wbView view;
    double start = 0, worst = 0;
    WB_TRY(addSpinning(basin, 12, rate));
    for (int k = 0; k <= 60 && !run->stopped; k++) {
        WB_TRY(stepUntil(run, basin, k * frame, 1));
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

static wbStatus createSpace(wbValidateRun *run, wbFluidSolver solver, Basin *basin) {
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
        Basin basin = {.dimensions = spins[k].dimensions, .spacing = 0.05};
        WB_TRY(createSpace(run, wb_solverPbf, &basin));
        wbStatus status = runSpin(run, &basin, spins[k].rate, spins[k].name);
        wbDestroyWorld(basin.world);
        WB_TRY(status);
    }
    return wb_okStatus;
}

// m, that a ball falls in a second.
static wbStatus fall(wbValidateRun *run, Basin *basin, double *way) {
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
        Basin basin = {.dimensions = 3, .spacing = 0.1};
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
