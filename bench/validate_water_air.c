// SPDX-License-Identifier: MIT
// Water and cloth in the air: how fast a drop falls, water that falls through smoke, and what the air loses to a cloth.
#include <math.h>
#include <string.h>

#include "bench/validate_case.h"
#include "core/status.h"
#include "world/air.h"
#include "world/soft.h"

static wbStatus createCase(wbValidateRun *run, wbWorldDef *def, wbWorld **world) {
    wbCaseMachine machine;
    WB_TRY(wbGetCaseMachine(run, &machine));
    def->threadCount = machine.threadCount, def->simd = machine.simd;
    def->params.backend = machine.backend, def->params.device = machine.deviceIndex;
    WB_TRY(wbCreateWorld(def, world));
    wbNameMachine(run, wbWorld_GetDevice(*world), wbWorld_GetSimd(*world));
    return wb_okStatus;
}

// One particle that stands for drops of a millimetre.
static wbStatus dropOne(wbWorld *world) {
    wbFluidDef def = wbDefaultFluidDef();
    const float place[3] = {0, 50, 0};
    wbFluidId id;
    def.solver = wb_solverSph;
    WB_TRY(wbCreateFluid(world, &def, &id));
    return wbFluid_AddParticles(world, id, 1, place, NULL);
}

wbStatus wbValidateSpray(wbValidateRun *run) {
    wbWorldDef def = wbDefaultWorldDef();
    wbWorld *world;
    def.params.dt = 1.0f / 240, def.coupling.airWater = wb_pairBoth, def.coupling.sprayDiameter = 1e-3f;
    def.domain.min = wbMakeVec3(-10, 0, -10), def.domain.max = wbMakeVec3(10, 100, 10);
    WB_TRY(createCase(run, &def, &world));
    wbStatus status = dropOne(world);
    for (int k = 1; k <= 720 && wbIsOk(status) && !run->stopped; k++)
        status = wbStepCase(run, world, k / 720.0);
    const double speed = wbWorld_GetStats(world).maxSpeed;
    wbDestroyWorld(world);
    if (!wbIsOk(status) || run->stopped) return status;
    wbReportQuantity(run, (wbQuantity){.quantity = "final speed of a drop of 1 mm",
                                       .unit = "m/s",
                                       .value = speed,
                                       .reference = 3.86,
                                       .tolerance = 0.0386,
                                       .source = "Schiller and Naumann 1933"});
    wbReportQuantity(run, (wbQuantity){.quantity = "the same, measured",
                                       .unit = "m/s",
                                       .value = speed,
                                       .reference = 4.03,
                                       .tolerance = 0.2015,
                                       .source = "Gunn and Kinzer 1949"});
    return wb_okStatus;
}

static wbStatus createHazy(wbValidateRun *run, wbWorld **world) {
    wbWorldDef def = wbDefaultWorldDef();
    wbFluidDef water = wbDefaultFluidDef();
    wbSourceDef haze = wbDefaultSourceDef();
    wbBlockDef block = {.jitter = 0};
    wbFluidId fluid;
    wbSourceId source;
    def.hasSmoke = true, def.smoke.cellSize = 0.05f, def.pbf.spacing = 0.05f;
    def.coupling.airWater = wb_pairBoth;
    def.domain.min = wbMakeVec3(0, 0, 0), def.domain.max = wbMakeVec3(1.2f, 1.2f, 1.2f);
    WB_TRY(createCase(run, &def, world));
    water.solver = wb_solverPbf;
    block.min = wbMakeVec3(0.4f, 0.7f, 0.4f), block.max = wbMakeVec3(0.8f, 1.1f, 0.8f);
    haze.params.shape = wb_sourceBox, haze.params.size = wbMakeVec3(3, 3, 3);
    haze.params.density = 1, haze.params.end = 0.001f;
    wbStatus status = wbCreateFluid(*world, &water, &fluid);
    if (wbIsOk(status)) status = wbFluid_AddBlock(*world, fluid, &block);
    if (wbIsOk(status)) status = wbCreateSource(*world, &haze, &source);
    if (!wbIsOk(status)) wbDestroyWorld(*world);
    return status;
}

typedef struct Fall {
    double before, after, particles, push; // kg of smoke; N s, of the air against the fall in its first 0.1 s
} Fall;

static wbStatus fallThrough(wbValidateRun *run, wbWorld *world, Fall *fall) {
    const double particles = wbWorld_GetStats(world).particles;
    for (int k = 1; k <= 60 && !run->stopped; k++) {
        WB_TRY(wbStepCase(run, world, k / 60.0));
        if (k == 1) fall->before = wbWorld_GetSmokeStats(world).amount;
        if (k <= 6) fall->push += wbWorld_GetStats(world).airWater[1];
    }
    fall->after = wbWorld_GetSmokeStats(world).amount;
    fall->particles = wbWorld_GetStats(world).particles / particles;
    return wb_okStatus;
}

wbStatus wbValidateWaterInAir(wbValidateRun *run) {
    Fall fall = {0};
    wbWorld *world;
    WB_TRY(createHazy(run, &world));
    const wbStatus status = fallThrough(run, world, &fall);
    wbDestroyWorld(world);
    if (!wbIsOk(status) || run->stopped) return status;
    // a cube takes along 0.67 of the air that it displaces, with g, for 0.1 s, in a box that is three times as wide: more
    const double least = 1.2 * 0.064 * 0.67 * 9.81 * 0.1;
    wbReportQuantity(run, (wbQuantity){.quantity = "change of smoke that water falls through",
                                       .unit = "",
                                       .value = fall.after / fall.before - 1,
                                       .reference = 0,
                                       .tolerance = 0.01,
                                       .source = "a closed box"});
    wbReportQuantity(run, (wbQuantity){.quantity = "water that is left",
                                       .unit = "",
                                       .value = fall.particles,
                                       .reference = 1,
                                       .tolerance = 0,
                                       .source = "none may be lost"});
    wbReportQuantity(run, (wbQuantity){.quantity = "push against the fall, over that of free air",
                                       .unit = "",
                                       .value = fall.push / least,
                                       .reference = 1.3,
                                       .tolerance = 0.3,
                                       .source = "added mass of a cube, 0.67, in a box: more"});
    return wb_okStatus;
}

// A cloth of a cell across a wind that is the same everywhere.
static wbStatus createWindy(wbValidateRun *run, wbWorld **world) {
    wbWorldDef def = wbDefaultWorldDef();
    wbSoftBodyDef cloth = wbDefaultSoftBodyDef();
    wbSoftBodyId id;
    def.params.gravity = wbMakeVec3(0, 0, 0), def.hasSmoke = true, def.smoke.cellSize = 0.1f;
    def.coupling.airSoft = wb_pairBoth;
    for (int side = 0; side < wb_sideCount; side++) def.domain.sides[side].type = wb_sideOpen;
    def.domain.min = wbMakeVec3(-1, -1, -1), def.domain.max = wbMakeVec3(1, 1, 1);
    WB_TRY(createCase(run, &def, world));
    cloth.params.shape = wb_softBodyCloth, cloth.params.counts = wbMakeVec3(4, 4, 1);
    cloth.params.size = wbMakeVec3(0.1f, 0.1f, 1), cloth.params.mass = 1e6f;
    const wbStatus status = wbCreateSoftBody(*world, &cloth, &id);
    if (!wbIsOk(status)) wbDestroyWorld(*world);
    return status;
}

static void sumMomentum(const wbSmoke *smoke, double sums[3]) {
    const double mass = 1.2 * pow((double)smoke->grid.h, 3);
    for (int a = 0; a < 3; a++) {
        sums[a] = 0;
        for (int i = 0; i < smoke->grid.total; i++) sums[a] += mass * (double)smoke->fields[a][i];
    }
}

static wbStatus blowOnce(wbWorld *world, double dt, double *lost, double *given) {
    wbSmoke *smoke = &wbGetAir(world)->smoke;
    wbSoft *soft = wbGetSoft(world);
    double before[3], after[3];
    float *acceleration[3];
    WB_TRY(wbPullState(world));
    for (int i = 0; i < smoke->grid.total; i++) smoke->fields[wb_smokeW][i] = 8;
    for (int a = 0; a < 3; a++) {
        acceleration[a] = wbArena_Alloc(world->work.arena, sizeof(float) * 64);
        if (!acceleration[a]) return wbMemoryError(world->memory, "a case needs");
    }
    memset(soft->air.given, 0, sizeof soft->air.given);
    sumMomentum(smoke, before);
    WB_TRY(wbBlowSoft(&soft->pbd, (float)dt, &world->work, acceleration, world));
    sumMomentum(smoke, after);
    *lost = before[2] - after[2], *given = soft->air.given[2];
    return wb_okStatus;
}

wbStatus wbValidateAirGridDrag(wbValidateRun *run) {
    static const double lengths[] = {1e-4, 0.03, 1};
    wbWorld *world;
    for (int k = 0; k < 3 && !run->stopped; k++) {
        double lost = 0, given = 0;
        WB_TRY(createWindy(run, &world));
        wbStatus status = wbStepCase(run, world, 1e-3);
        if (wbIsOk(status)) status = blowOnce(world, lengths[k], &lost, &given);
        wbDestroyWorld(world);
        WB_TRY(status);
        // in a short one it loses little beside what floats of its velocity round off
        if (k > 0)
            wbReportQuantity(run, (wbQuantity){.quantity = k == 1 ? "air's loss over the cloth's gain, 0.03 s"
                                                                  : "air's loss over the cloth's gain, 1 s",
                                               .unit = "",
                                               .value = lost / given,
                                               .reference = 1,
                                               .tolerance = 1e-5,
                                               .source = "momentum"});
        const double whole = 0.5 * 1.2 * 1.2 * 0.01 * 64 * 1e-4;
        if (k == 0)
            wbReportQuantity(run, (wbQuantity){.quantity = "impulse on the cloth in 0.1 ms",
                                               .unit = "N s",
                                               .value = given,
                                               .reference = whole,
                                               .tolerance = 0.01 * whole,
                                               .source = "rho c A v2 t / 2"});
    }
    return wb_okStatus;
}
