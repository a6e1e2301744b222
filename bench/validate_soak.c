// SPDX-License-Identifier: MIT
// Half an hour of water: a pipe fills a box, and the water in it must come to rest and stay so.
#include <math.h>

#include "bench/pipe.h"
#include "bench/validate_case.h"
#include "core/status.h"

static const double minutes = 30, stepLength = 0.006; // s: how long steps have to be stable
static const double watched = 0.1, pause = 0.5;       // share of the run at its end; s between looks

// The worst of all looks at the end of the run.
typedef struct Rest {
    double energy;          // J/kg
    double speed;           // m/s, of the fastest particle
    double lowest, highest; // m, level
    int64_t lost;           // particles that are missing or beyond a closed side
} Rest;

static double findHighestSpeed(const wbView *view) {
    double speed2 = 0;
    for (int i = 0; i < view->count; i++) {
        int k = i * view->stride;
        double vx = view->vx[k], vy = view->vy[k], vz = view->vz[k];
        speed2 = fmax(speed2, vx * vx + vy * vy + vz * vz);
    }
    return sqrt(speed2);
}

// The level is twice the height of the centre of mass.
static wbStatus look(wbWorld *world, wbFluidId fluid, Rest *rest) {
    wbView view;
    WB_TRY(wbFluid_GetView(world, fluid, &view));
    wbStats stats = wbWorld_GetStats(world);
    double g = -(double)wbWorld_GetWorldParams(world)->gravity.y,
           level = 2 * stats.potential / (stats.mass * g);
    rest->energy = fmax(rest->energy, stats.kinetic / stats.mass);
    rest->speed = fmax(rest->speed, findHighestSpeed(&view));
    rest->lowest = fmin(rest->lowest, level);
    rest->highest = fmax(rest->highest, level);
    rest->lost = stats.spawned - stats.particles + stats.leaked;
    return wb_okStatus;
}

static wbStatus soak(wbValidateRun *run, wbWorld *world, wbFluidId fluid, Rest *rest) {
    double duration = wbWorld_GetWorldParams(world)->seconds, next = (1 - watched) * duration, time;
    *rest = (Rest){.lowest = INFINITY, .highest = -INFINITY};
    while ((time = wbWorld_GetTime(world)) < duration && !run->stopped) {
        WB_TRY(wbStepCase(run, world, time / duration));
        if (time < next) continue;
        WB_TRY(look(world, fluid, rest));
        next += pause;
    }
    return wb_okStatus;
}

static void report(wbValidateRun *run, wbWorld *world, wbFluidId fluid, const Rest *rest) {
    const wbDomainDef domain = wbWorld_GetDomain(world);
    wbVec3 size = wbSub(domain.max, domain.min);
    double g = -(double)wbWorld_GetWorldParams(world)->gravity.y,
           spacing = wbWorld_GetSphParams(world)->spacing;
    double volume = wbFluid_GetParticleCount(world, fluid) * pow(spacing, 3),
           level = volume / (size.x * size.z);
    wbReportQuantity(run, (wbQuantity){.quantity = "simulated time",
                                       .unit = "s",
                                       .value = wbWorld_GetTime(world),
                                       .judgement = wb_noted,
                                       .source = "-"});
    wbReportQuantity(run, (wbQuantity){.quantity = "kinetic energy at the end, highest",
                                       .unit = "m g H",
                                       .value = rest->energy / (g * level),
                                       .tolerance = 1e-4,
                                       .source = "rest"});
    wbReportQuantity(run, (wbQuantity){.quantity = "speed of a particle at the end, highest",
                                       .unit = "m/s",
                                       .value = rest->speed,
                                       .tolerance = 0.01 * sqrt(2 * g * level),
                                       .source = "rest: 1 % of sqrt(2 g H)"});
    wbReportQuantity(run, (wbQuantity){.quantity = "level at the end, lowest",
                                       .unit = "m",
                                       .value = rest->lowest,
                                       .reference = level,
                                       .tolerance = spacing,
                                       .source = "volume is kept"});
    wbReportQuantity(run, (wbQuantity){.quantity = "level at the end, highest",
                                       .unit = "m",
                                       .value = rest->highest,
                                       .reference = level,
                                       .tolerance = spacing,
                                       .source = "volume is kept"});
    wbReportQuantity(
        run, (wbQuantity){
                 .quantity = "particles lost", .unit = "", .value = (double)rest->lost, .source = "none"});
}

wbStatus wbValidateSoak(wbValidateRun *run) {
    wbWorldDef def = wbMakePipeWorld();
    wbWorld *world;
    wbFluidId fluid;
    Rest rest;
    def.params.dt = (float)stepLength;
    def.params.seconds = (float)(60 * minutes);
    WB_TRY(wbCreateCaseWorld(run, def, wb_solverSph, &world, &fluid));
    wbStatus status = wbAddPipe(world, fluid);
    if (wbIsOk(status)) status = soak(run, world, fluid, &rest);
    if (wbIsOk(status) && !run->stopped) report(run, world, fluid, &rest);
    wbDestroyWorld(world);
    return status;
}
