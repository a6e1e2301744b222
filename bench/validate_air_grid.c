// SPDX-License-Identifier: MIT
// Rigid bodies in the air of a grid: the air that has to go along with what is jerked, or rises.
#include <math.h>

#include "bench/validate_case.h"
#include "core/status.h"
#include "wirbel/rigid.h"

static const double pi = 3.14159265358979323846, density = 1.2, cell = 0.05; // kg/m3, m

// A box of air around the origin, whose sides are closed across the axes from one on.
static wbStatus createBox(wbValidateRun *run, int dimensions, wbVec3 half, int firstClosed, wbVec3 gravity,
                          wbWorld **world) {
    wbWorldDef def = wbDefaultWorldDef();
    wbCaseMachine machine;
    WB_TRY(wbGetCaseMachine(run, &machine));
    def.threadCount = machine.threadCount, def.simd = machine.simd;
    def.params.backend = machine.backend, def.params.device = machine.deviceIndex;
    def.params.dimensions = dimensions, def.params.gravity = gravity;
    def.hasSmoke = true, def.smoke.cellSize = (float)cell, def.smoke.tolerance = 1e-6f;
    def.coupling.airRigid = wb_pairBoth, def.coupling.airDensity = (float)density;
    def.domain.min = wbScale(-1, half), def.domain.max = half;
    for (int side = 0; side < wb_sideCount; side++)
        def.domain.sides[side].type = side / 2 >= firstClosed ? wb_sideFreeSlip : wb_sideOpen;
    WB_TRY(wbCreateWorld(&def, world));
    wbNameMachine(run, wbWorld_GetDevice(*world), wbWorld_GetSimd(*world));
    return wb_okStatus;
}

// What the air at rest gives to a body that has a speed at once: in the first step it finds out, in the second the body gets it.
static wbStatus measureJerk(wbValidateRun *run, wbWorld *world, const wbRigidBodyDef *body, double *impulse) {
    wbRigidBodyId id;
    WB_TRY(wbCreateRigidBody(world, body, &id));
    WB_TRY(wbStepCase(run, world, 0.3));
    if (!run->stopped) WB_TRY(wbStepCase(run, world, 0.6));
    *impulse = -wbWorld_GetStats(world).airRigid[0];
    return wb_okStatus;
}

static wbStatus runJerk(wbValidateRun *run, int dimensions, wbVec3 half, int firstClosed,
                        const wbRigidBodyDef *body, double *impulse) {
    wbWorld *world;
    WB_TRY(createBox(run, dimensions, half, firstClosed, wbMakeVec3(0, 0, 0), &world));
    const wbStatus status = measureJerk(run, world, body, impulse);
    wbDestroyWorld(world);
    return status;
}

static const double jerk = 0.1; // m/s

wbStatus wbValidateAirAddedMass(wbValidateRun *run) {
    const double radius = 8 * cell;
    static const char *const names[] = {"air along with a disc, of its volume",
                                        "air along with a ball, of its volume"};
    for (int dimensions = 2; dimensions <= 3 && !run->stopped; dimensions++) {
        const float half = (float)(dimensions == 2 ? 16 * radius : 5 * radius);
        const double volume = dimensions == 2 ? pi * radius * radius : 4 * pi / 3 * radius * radius * radius;
        wbRigidBodyDef ball = wbDefaultRigidBodyDef();
        double impulse;
        ball.params.shape = wb_rigidSphere, ball.params.radius = (float)radius;
        ball.params.density = 1000, ball.params.velocity = wbMakeVec3((float)jerk, 0, 0);
        WB_TRY(
            runJerk(run, dimensions, wbMakeVec3(half, half, dimensions == 2 ? 0 : half), 3, &ball, &impulse));
        wbReportQuantity(run, (wbQuantity){.quantity = names[dimensions - 2],
                                           .unit = "",
                                           .value = impulse / (density * volume * jerk),
                                           .reference = dimensions == 2 ? 1 : 0.5,
                                           .tolerance = dimensions == 2 ? 0.07 : 0.035,
                                           .source = "potential flow"});
    }
    return wb_okStatus;
}

// A slab as wide as a duct: all the air in it has to go along.
wbStatus wbValidateAirSlug(wbValidateRun *run) {
    const double length = 2, width = 0.8, thickness = 0.4;
    wbRigidBodyDef slab = wbDefaultRigidBodyDef();
    double impulse;
    // as wide as all middles of cells
    slab.params.size = wbMakeVec3((float)thickness, (float)(width - 0.5 * cell), (float)(width - 0.5 * cell));
    slab.params.density = 1000, slab.params.velocity = wbMakeVec3((float)jerk, 0, 0);
    slab.params.turns = false;
    WB_TRY(runJerk(run, 3, wbMakeVec3(0.5f * (float)length, 0.5f * (float)width, 0.5f * (float)width), 1,
                   &slab, &impulse));
    const double expected = density * width * width * (length - thickness) * jerk;
    wbReportQuantity(run, (wbQuantity){.quantity = "impulse on a slab in a duct",
                                       .unit = "N s",
                                       .value = impulse,
                                       .reference = expected,
                                       .tolerance = 0.01 * expected,
                                       .source = "rho A L v"});
    return wb_okStatus;
}

static wbStatus measureRise(wbValidateRun *run, wbWorld *world, double *acceleration, double *fastest) {
    wbRigidBodyDef balloon = wbDefaultRigidBodyDef();
    wbRigidBodyId id;
    wbRigidMotion motion;
    balloon.params.shape = wb_rigidSphere, balloon.params.radius = (float)(8 * cell);
    balloon.params.density = (float)(0.6 * density);
    WB_TRY(wbCreateRigidBody(world, &balloon, &id));
    *fastest = 0;
    for (int k = 1; k <= 60 && !run->stopped; k++) {
        WB_TRY(wbStepCase(run, world, k / 60.0));
        WB_TRY(wbRigidBody_GetMotion(world, id, &motion));
        if (k == 15) *acceleration = (double)motion.velocity.y / wbWorld_GetTime(world);
        *fastest = fmax(*fastest, (double)motion.velocity.y);
    }
    return wb_okStatus;
}

wbStatus wbValidateAirBalloon(wbValidateRun *run) {
    const double g = 9.81, expected = 0.4 / 1.1;
    double acceleration = 0, fastest = 0;
    wbWorld *world;
    WB_TRY(createBox(run, 3, wbMakeVec3(1.2f, 2, 1.2f), 3, wbMakeVec3(0, (float)-g, 0), &world));
    const wbStatus status = measureRise(run, world, &acceleration, &fastest);
    wbDestroyWorld(world);
    if (!wbIsOk(status) || run->stopped) return status;
    wbReportQuantity(run, (wbQuantity){.quantity = "acceleration in its first 0.25 s",
                                       .unit = "g",
                                       .value = acceleration / g,
                                       .reference = expected,
                                       .tolerance = 0.1 * expected,
                                       .source = "(1 - s) / (s + 1/2), s = 0.6"});
    wbReportQuantity(run, (wbQuantity){.quantity = "speed of free rise after 1 s, over its fastest",
                                       .unit = "",
                                       .value = expected * g / fastest,
                                       .reference = 1,
                                       .judgement = wb_atLeast,
                                       .source = "it does not shake"});
    return wb_okStatus;
}

// A closed box full of smoke, and a bar that turns in it.
static wbStatus createStirred(wbValidateRun *run, wbWorld **world) {
    wbRigidBodyDef bar = wbDefaultRigidBodyDef();
    wbSourceDef smoke = wbDefaultSourceDef();
    wbRigidBodyId barId;
    wbSourceId smokeId;
    WB_TRY(createBox(run, 2, wbMakeVec3(1, 1, 0), 0, wbMakeVec3(0, 0, 0), world));
    bar.params.type = wb_rigidKinematic, bar.params.size = wbMakeVec3(1, 0.25f, 1);
    bar.params.spin = wbMakeVec3(0, 0, 3);
    smoke.name = "fill", smoke.params.shape = wb_sourceBox, smoke.params.size = wbMakeVec3(3, 3, 3);
    smoke.params.density = 1, smoke.params.end = 0.1f;
    wbStatus status = wbCreateRigidBody(*world, &bar, &barId);
    if (wbIsOk(status)) status = wbCreateSource(*world, &smoke, &smokeId);
    if (!wbIsOk(status)) wbDestroyWorld(*world);
    return status;
}

// The air that solid cells would push out of themselves, of their fastest face times all of their faces.
static wbStatus measureFlux(wbWorld *world, double *share) {
    wbSmokeView view;
    double sum = 0, fastest = 0;
    int count = 0;
    WB_TRY(wbWorld_GetSmokeView(world, &view));
    for (int j = 1; j + 1 < view.cells[1]; j++)
        for (int i = 1; i + 1 < view.cells[0]; i++) {
            const uint8_t *solid = view.solid + i + view.solidStrideY * j;
            const float *u = view.u + i + view.strideY * j, *v = view.v + i + view.strideY * j;
            const double faces[4] = {-u[0], u[1], -v[0], v[view.strideY]};
            const bool isAir[4] = {!solid[-1], !solid[1], !solid[-view.solidStrideY],
                                   !solid[view.solidStrideY]};
            for (int f = 0; f < 4 && solid[0]; f++) {
                if (!isAir[f]) continue;
                sum += faces[f], fastest = fmax(fastest, fabs(faces[f])), count++;
            }
        }
    *share = fastest > 0 ? fabs(sum) / (fastest * count) : INFINITY; // it does turn
    return wb_okStatus;
}

static wbStatus stir(wbValidateRun *run, wbWorld *world, double *drift, double *flux) {
    double first = 0;
    for (int k = 1; k <= 600 && !run->stopped; k++) {
        double now;
        WB_TRY(wbStepCase(run, world, k / 600.0));
        WB_TRY(measureFlux(world, &now));
        *flux = fmax(*flux, now);
        if (k == 12) first = wbWorld_GetSmokeStats(world).amount;
    }
    *drift = wbWorld_GetSmokeStats(world).amount / first - 1;
    return wb_okStatus;
}

wbStatus wbValidateAirVolume(wbValidateRun *run) {
    double drift = 0, flux = 0;
    wbWorld *world;
    WB_TRY(createStirred(run, &world));
    const wbStatus status = stir(run, world, &drift, &flux);
    wbDestroyWorld(world);
    if (!wbIsOk(status) || run->stopped) return status;
    wbReportQuantity(run, (wbQuantity){.quantity = "change of smoke in 10 s",
                                       .unit = "",
                                       .value = drift,
                                       .reference = 0,
                                       .tolerance = 0.01,
                                       .source = "a closed box, stirred"});
    wbReportQuantity(run, (wbQuantity){.quantity = "flux out of the bar, of speed times area",
                                       .unit = "",
                                       .value = flux,
                                       .reference = 0,
                                       .tolerance = 1e-6,
                                       .source = "rigid motion"});
    return wb_okStatus;
}
