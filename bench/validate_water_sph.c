// SPDX-License-Identifier: MIT
// Water by SPH with its default parameters: how heavy it is, how it rests in a tank, and how hard a jet hits a plate.
#include <math.h>

#include "bench/validate_case.h"
#include "core/status.h"

static const double gravity = 9.81, density = 1000; // m/s2, kg/m3

// A column in a 2D tank, twice as high as the water, whose floor is a plate that feels its weight.
enum { columns = 20 };
static const double duration = 10, averaged = 2; // s

enum { stillRows = 5 };
#define STILL_NAMES(tank)                                                                                    \
    {                                                                                                        \
        "level, " tank, "pressure at the floor, " tank, "pressure at the walls, " tank,                      \
            "weight on the floor, " tank, "energy above the start, " tank                                    \
    }

typedef struct Still {
    const char *names[stillRows]; // of what is reported
    int layers;
    double spacing; // m
    wbWorld *world;
    wbFluidId fluid;
    wbColliderId floor;
    double start, highest; // J, total energy at the start and the most of it
    // sums over the last seconds
    int count;
    double level;               // m
    double force;               // N/m on the floor
    double bottom[2], walls[2]; // of p and of rho0 g depth, nearer than h to floor and walls
} Still;

static double getHeight(const Still *still) { return still->layers * still->spacing; }

static wbStatus addFloor(Still *still) {
    wbColliderDef def = wbDefaultColliderDef();
    double width = columns * still->spacing, thickness = 6 * still->spacing;
    def.name = "floor";
    def.params.size = wbMakeVec3((float)(2 * width), (float)thickness, 1);
    def.params.position = wbMakeVec3((float)(0.5 * width), (float)(-0.5 * thickness), 0);
    return wbCreateCollider(still->world, &def, &still->floor);
}

static wbStatus fillTank(wbValidateRun *run, Still *still) {
    double width = columns * still->spacing, height = getHeight(still);
    wbWorldDef def = wbDefaultWorldDef();
    def.params.dimensions = 2;
    def.sph.spacing = (float)still->spacing;
    def.domain.min = wbMakeVec3(0, (float)(-height), 0);
    def.domain.max = wbMakeVec3((float)width, (float)(2 * height), 0);
    for (int side = 0; side < wb_sideCount; side++) def.domain.sides[side].type = wb_sideFreeSlip;
    WB_TRY(wbCreateCaseWorld(run, def, wb_solverSph, &still->world, &still->fluid));
    WB_TRY(addFloor(still));
    WB_TRY(wbFluid_AddBlock(still->world, still->fluid,
                            &(wbBlockDef){.max = wbMakeVec3((float)width, (float)height, 0)}));
    return wbWorld_SetParam(still->world, "sph.soundSpeed", "auto");
}

// m: half a spacing above the highest particle of columns two spacings wide, on average.
static double getLevel(const Still *still, const wbView *view) {
    enum { slots = columns / 2 };
    double tops[slots] = {0}, level = 0;
    for (int i = 0; i < view->count; i++) {
        int slot = (int)(view->x[i * view->stride] / (2 * still->spacing));
        slot = slot < 0 ? 0 : slot >= slots ? slots - 1 : slot;
        tops[slot] = fmax(tops[slot], view->y[i * view->stride] + 0.5 * still->spacing);
    }
    for (int k = 0; k < slots; k++) level += tops[k] / slots;
    return level;
}

static wbStatus addToMeans(Still *still) {
    wbView view;
    WB_TRY(wbFluid_GetView(still->world, still->fluid, &view));
    double width = columns * still->spacing, height = getHeight(still),
           h = wbFluid_GetSupportRadius(still->world, still->fluid);
    for (int i = 0; i < view.count; i++) {
        double x = view.x[i * view.stride], y = view.y[i * view.stride], p = view.pressure[i * view.stride],
               expected = density * gravity * (height - y);
        if (y < h) still->bottom[0] += p, still->bottom[1] += expected;
        bool isAtWall = x < h || x > width - h;
        if (isAtWall && y < height - h) still->walls[0] += p, still->walls[1] += expected;
    }
    still->level += getLevel(still, &view);
    still->force -= wbCollider_GetStats(still->world, still->floor).force[1];
    still->count++;
    return wb_okStatus;
}

static double getEnergy(const Still *still) {
    wbStats stats = wbWorld_GetStats(still->world);
    return stats.kinetic + stats.potential + stats.mass * gravity * -getHeight(still); // above the plate
}

static wbStatus settle(wbValidateRun *run, Still *still, double done, double share) {
    double time;
    still->start = still->highest = getEnergy(still);
    while ((time = wbWorld_GetTime(still->world)) < duration && !run->stopped) {
        WB_TRY(wbStepCase(run, still->world, done + share * time / duration));
        still->highest = fmax(still->highest, getEnergy(still));
        if (time >= duration - averaged) WB_TRY(addToMeans(still));
    }
    return wb_okStatus;
}

static void reportStill(wbValidateRun *run, const Still *still) {
    double height = getHeight(still), weight = density * gravity * height * columns * still->spacing;
    const wbQuantity rows[stillRows] = {
        {.unit = "depth",
         .value = still->level / still->count / height,
         .reference = 1,
         .tolerance = fmax(0.02, 0.5 / still->layers),
         .source = "volume is kept"},
        {.unit = "rho0 g depth",
         .value = still->bottom[0] / still->bottom[1],
         .reference = 1,
         .tolerance = 0.03,
         .source = "p = rho0 g depth"},
        {.unit = "rho0 g depth",
         .value = still->walls[0] / still->walls[1],
         .reference = 1,
         .tolerance = 0.03,
         .source = "p = rho0 g depth"},
        {.unit = "m g",
         .value = still->force / still->count / weight,
         .reference = 1,
         .tolerance = 0.03,
         .source = "equilibrium"},
        {.unit = "of it",
         .value = still->highest / still->start - 1,
         .tolerance = 1e-3,
         .source = "water has no engine"},
    };
    for (int k = 0; k < stillRows; k++) {
        wbQuantity row = rows[k];
        row.quantity = still->names[k];
        wbReportQuantity(run, row);
    }
}

static wbStatus restTank(wbValidateRun *run, Still *still, double done, double share) {
    wbStatus status = fillTank(run, still);
    if (wbIsOk(status)) status = settle(run, still, done, share);
    wbDestroyWorld(still->world);
    if (wbIsOk(status) && !run->stopped) reportStill(run, still);
    return status;
}

// What a box of 1 m, full of water, weighs.
static wbStatus weighCube(wbValidateRun *run, double spacing, double *mass) {
    wbWorld *world;
    wbFluidId fluid;
    wbWorldDef def = wbDefaultWorldDef();
    def.sph.spacing = (float)spacing;
    def.domain.max = wbMakeVec3(1, 1, 1);
    for (int side = 0; side < wb_sideCount; side++) def.domain.sides[side].type = wb_sideFreeSlip;
    WB_TRY(wbCreateCaseWorld(run, def, wb_solverSph, &world, &fluid));
    wbStatus status = wbFluid_AddBlock(world, fluid, &(wbBlockDef){.max = def.domain.max});
    *mass = wbWorld_GetStats(world).mass;
    wbDestroyWorld(world);
    return status;
}

static wbStatus reportWeight(wbValidateRun *run, double spacing, const char *name) {
    double mass;
    WB_TRY(weighCube(run, spacing, &mass));
    wbReportQuantity(run, (wbQuantity){.quantity = name,
                                       .unit = "kg",
                                       .value = mass,
                                       .reference = 1000,
                                       .tolerance = 1e-3,
                                       .source = "rho0 times volume"});
    return wb_okStatus;
}

wbStatus wbValidateSphStill(wbValidateRun *run) {
    Still tank = {.names = STILL_NAMES("20 layers of 0.05 m"), .layers = 20, .spacing = 0.05};
    WB_TRY(reportWeight(run, 0.2, "weight of 1 m3, spacing 0.2 m"));
    WB_TRY(reportWeight(run, 0.05, "weight of 1 m3, spacing 0.05 m"));
    return restTank(run, &tank, 0, 1);
}

wbStatus wbValidateSphStillDeep(wbValidateRun *run) {
    Still tanks[] = {
        {.names = STILL_NAMES("10 layers of 0.2 m"), .layers = 10, .spacing = 0.2},
        {.names = STILL_NAMES("40 layers of 0.02 m"), .layers = 40, .spacing = 0.02},
        {.names = STILL_NAMES("80 layers of 0.005 m"), .layers = 80, .spacing = 0.005},
    };
    const double starts[] = {0, 0.05, 0.25, 1};
    for (int k = 0; k < 3 && !run->stopped; k++)
        WB_TRY(restTank(run, &tanks[k], starts[k], starts[k + 1] - starts[k]));
    return wb_okStatus;
}

// A jet hits a plate that is wide enough to turn it by a right angle.
typedef struct Jet {
    int dimensions;
    double spacing, radius, speed, plate, seconds; // m, m, m/s, half the plate's width, s
    wbWorld *world;
    wbColliderId id;
    double force; // N, or N/m
} Jet;

static wbStatus aimJet(wbValidateRun *run, Jet *jet) {
    wbFluidId fluid;
    wbEmitterId emitter;
    wbWorldDef def = wbDefaultWorldDef();
    def.params.dimensions = jet->dimensions;
    def.params.gravity = wbMakeVec3(0, 0, 0);
    def.sph.spacing = (float)jet->spacing;
    for (int side = 0; side < wb_sideCount; side++) def.domain.sides[side].type = wb_sideOpen;
    WB_TRY(wbCreateCaseWorld(run, def, wb_solverSph, &jet->world, &fluid));
    wbEmitterDef pipe = wbDefaultEmitterDef();
    pipe.fluid = fluid, pipe.params.radius = (float)jet->radius, pipe.params.velocity = (float)jet->speed;
    pipe.params.position = wbMakeVec3((float)(-8 * jet->radius), 0, 0);
    WB_TRY(wbCreateEmitter(jet->world, &pipe, &emitter));
    wbColliderDef plate = wbDefaultColliderDef();
    double thickness = 6 * jet->spacing;
    plate.params.position = wbMakeVec3((float)(0.5 * thickness), 0, 0);
    plate.params.size = wbMakeVec3((float)thickness, (float)(2 * jet->plate), (float)(2 * jet->plate));
    WB_TRY(wbCreateCollider(jet->world, &plate, &jet->id));
    return wbWorld_SetParam(jet->world, "sph.soundSpeed", "auto");
}

static wbStatus shoot(wbValidateRun *run, Jet *jet, double done, double share) {
    double time, sum = 0;
    int count = 0;
    WB_TRY(aimJet(run, jet));
    while ((time = wbWorld_GetTime(jet->world)) < jet->seconds && !run->stopped) {
        WB_TRY(wbStepCase(run, jet->world, done + share * time / jet->seconds));
        if (time < 0.5 * jet->seconds) continue;
        sum += wbCollider_GetStats(jet->world, jet->id).force[0], count++;
    }
    jet->force = count > 0 ? sum / count : 0;
    return wb_okStatus;
}

// kg/s that come out, times their speed.
static double getThrust(const Jet *jet) {
    wbStats stats = wbWorld_GetStats(jet->world);
    return stats.mass / wbWorld_GetTime(jet->world) * jet->speed;
}

static wbStatus hitPlate(wbValidateRun *run, Jet *jet, double done, double share) {
    wbStatus status = shoot(run, jet, done, share);
    bool isFlat = jet->dimensions == 2, isWhole = wbIsOk(status) && !run->stopped;
    double area = isFlat ? 2 * jet->radius : 3.14159265358979 * jet->radius * jet->radius;
    if (isWhole) {
        wbReportQuantity(run,
                         (wbQuantity){.quantity = isFlat ? "force of a flat jet" : "force of a round jet",
                                      .unit = isFlat ? "rho b v2" : "rho A v2",
                                      .value = jet->force / (density * area * jet->speed * jet->speed),
                                      .reference = 1,
                                      .tolerance = 0.04,
                                      .source = "momentum"});
        wbReportQuantity(run,
                         (wbQuantity){.quantity = isFlat ? "momentum that comes out of a slit"
                                                         : "momentum that comes out of a pipe",
                                      .unit = isFlat ? "rho b v2" : "rho A v2",
                                      .value = getThrust(jet) / (density * area * jet->speed * jet->speed),
                                      .reference = 1,
                                      .tolerance = 0.04,
                                      .source = "rate of the emitter"});
    }
    wbDestroyWorld(jet->world);
    return status;
}

wbStatus wbValidateSphJet(wbValidateRun *run) {
    return hitPlate(
        run, &(Jet){.dimensions = 2, .spacing = 0.02, .radius = 0.12, .speed = 2, .plate = 1.2, .seconds = 2},
        0, 1);
}

wbStatus wbValidateSphRoundJet(wbValidateRun *run) {
    return hitPlate(
        run,
        &(Jet){.dimensions = 3, .spacing = 0.02, .radius = 0.1, .speed = 2, .plate = 0.5, .seconds = 1.2}, 0,
        1);
}
