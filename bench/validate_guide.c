// SPDX-License-Identifier: MIT
// What has one degree of freedom in water, in the plane: a piston on a spring, a gate on a hinge, a wheel under a jet.
#include <math.h>

#include "bench/couple_method.h"
#include "bench/validate_case.h"
#include "core/status.h"

static const double gravity = 9.81, spacing = 0.02, pi = 3.14159265358979323846;

static wbWorldDef makeDef(double left, double bottom, double right, double top) {
    wbWorldDef def = wbDefaultWorldDef();
    def.params.dimensions = 2, def.params.gravity = wbMakeVec3(0, (float)-gravity, 0);
    def.sph.spacing = def.pbf.spacing = (float)spacing;
    def.domain.min = wbMakeVec3((float)left, (float)bottom, 0);
    def.domain.max = wbMakeVec3((float)right, (float)top, 0);
    return def;
}

static wbStatus addPlate(wbWorld *world, double width, double height, double x, double y, wbColliderId *id) {
    wbColliderDef def = wbDefaultColliderDef();
    def.name = "plate", def.params.size = wbMakeVec3((float)width, (float)height, 1);
    def.params.position = wbMakeVec3((float)x, (float)y, 0);
    return wbCreateCollider(world, &def, id);
}

// A column of 20 layers on a piston

static const double columnWidth = 0.2, columnHeight = 0.4, period = 0.5;
enum { pistonFrames = 270, pistonFirst = 60 };

typedef struct Piston {
    wbWorld *world;
    wbFluidId water;
    wbMechanismId id;
    double mass, stiffness;          // kg, N/m
    double places[pistonFrames + 1]; // m, downwards; frame by frame, by the seconds of them
} Piston;

// It begins a quarter of g away from where it rests.
static wbStatus createPiston(wbValidateRun *run, wbCoupleMethod method, double share, Piston *piston) {
    wbWorldDef def = makeDef(0, -0.5, columnWidth, 1);
    wbMechanismDef gate = wbDefaultMechanismDef();
    wbColliderId head;
    const double water = 1000 * columnWidth * columnHeight, way = 0.3, start = 0.1;
    const wbFluidSolver solver = wbChooseCoupleMethod(method, &def);
    piston->mass = share * water;
    piston->stiffness = (piston->mass + water) * pow(2 * pi / period, 2);
    WB_TRY(wbCreateCaseWorld(run, def, solver, &piston->world, &piston->water));
    WB_TRY(addPlate(piston->world, 2 * columnWidth, 0.2, 0.5 * columnWidth, start - 0.1, &head));
    gate.name = "piston", gate.colliders = &head, gate.colliderCount = 1;
    gate.params.kind = wb_mechanismGate, gate.params.drive = wb_driveFree;
    gate.params.travel = wbMakeVec3(0, (float)-way, 0), gate.params.open = (float)(start / way);
    gate.params.mass = (float)piston->mass, gate.params.stiffness = (float)piston->stiffness;
    WB_TRY(wbCreateMechanism(piston->world, &gate, &piston->id));
    WB_TRY(wbWorld_SetParam(piston->world, "piston.open", "0.175")); // where its spring pulls it
    const wbBlockDef block = {.max = {(float)columnWidth, (float)columnHeight, 0}};
    return wbFluid_AddBlock(piston->world, piston->water, &block);
}

// Least squares of A + B t + (C + D t) cos w t + (E + F t) sin w t: the rest is what shakes.
enum { TERMS = 6 };
static double fit(const double *values, int count, double omega, double found[TERMS]) {
    double a[TERMS][TERMS + 1] = {{0}}, left = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < count; k++) {
            const double t = k / 60.0, c = cos(omega * t), s = sin(omega * t),
                         row[TERMS] = {1, t, c, t * c, s, t * s};
            double value = values[k];
            for (int i = 0; i < TERMS && pass == 0; i++) {
                for (int j = 0; j < TERMS; j++) a[i][j] += row[i] * row[j];
                a[i][TERMS] += row[i] * value;
            }
            for (int i = 0; i < TERMS && pass == 1; i++) value -= found[i] * row[i];
            if (pass == 1) left += value * value / count;
        }
        for (int i = 0; i < TERMS && pass == 0; i++)
            for (int j = 0; j < TERMS; j++) {
                const double factor = j == i ? 0 : a[j][i] / a[i][i];
                for (int m = 0; m <= TERMS; m++) a[j][m] -= factor * a[i][m];
            }
        for (int i = 0; i < TERMS && pass == 0; i++) found[i] = a[i][TERMS] / a[i][i];
    }
    return sqrt(left);
}

static wbStatus runPiston(wbValidateRun *run, Piston *piston) {
    for (int k = 0; k <= pistonFrames && !run->stopped; k++) {
        piston->places[k] = 0.3 * wbMechanism_GetStats(piston->world, piston->id).open[0];
        WB_TRY(wbStepCase(run, piston->world, (double)k / pistonFrames));
    }
    return wb_okStatus;
}

static void reportPiston(wbValidateRun *run, const Piston *piston, const char *const names[3]) {
    const double *places = piston->places + pistonFirst;
    const int count = pistonFrames - pistonFirst;
    const double water = wbWorld_GetStats(piston->world).mass, all = piston->mass + water,
                 right = 2 * pi * sqrt(all / piston->stiffness),
                 rest = 0.3 * 0.175 + all * gravity / piston->stiffness;
    double found[TERMS], accelerations[pistonFrames], best = INFINITY, swing = right;
    for (int k = 0; k < 400; k++) {
        const double trial = right * (0.8 + 0.001 * k), left = fit(places, count, 2 * pi / trial, found);
        if (left < best) best = left, swing = trial;
    }
    fit(places, count, 2 * pi / swing, found);
    wbReportQuantity(run, (wbQuantity){.quantity = names[0],
                                       .unit = "s",
                                       .value = swing,
                                       .reference = right,
                                       .tolerance = 0.03 * right,
                                       .source = "2 pi sqrt((m + M) / k)"});
    wbReportQuantity(run, (wbQuantity){.quantity = names[1],
                                       .unit = "m",
                                       .value = found[0] + found[1] * count / 120.0,
                                       .reference = rest,
                                       .tolerance = 0.5 * spacing,
                                       .source = "(m + M) g / k below the spring's end"});
    for (int k = 0; k < count - 1; k++)
        accelerations[k] = 3600 * (places[k + 1] - 2 * places[k] + places[k - 1]);
    wbReportQuantity(run,
                     (wbQuantity){.quantity = names[2],
                                  .unit = "g",
                                  .value = fit(accelerations, count - 1, 2 * pi / swing, found) / gravity,
                                  .tolerance = 0.1,
                                  .source = "it swings and does not shake"});
}

wbStatus wbValidateCouplePiston(wbValidateRun *run) {
    static const struct {
        double share;
        const char *names[3][wb_coupleMethodCount];
    } pistons[] = {
        {1, {WB_COUPLE_NAMES("period", "1"), WB_COUPLE_NAMES("rest", "1"), WB_COUPLE_NAMES("shaking", "1")}},
        {0.1,
         {WB_COUPLE_NAMES("period", "0.1"), WB_COUPLE_NAMES("rest", "0.1"),
          WB_COUPLE_NAMES("shaking", "0.1")}},
        {0.01,
         {WB_COUPLE_NAMES("period", "0.01"), WB_COUPLE_NAMES("rest", "0.01"),
          WB_COUPLE_NAMES("shaking", "0.01")}}};
    for (int k = 0; k < 3 * wb_coupleMethodCount && !run->stopped; k++) {
        Piston piston = {0};
        const int method = k / 3;
        wbStatus status = createPiston(run, (wbCoupleMethod)method, pistons[k % 3].share, &piston);
        if (wbIsOk(status)) status = runPiston(run, &piston);
        if (wbIsOk(status) && !run->stopped)
            reportPiston(run, &piston,
                         (const char *const[3]){pistons[k % 3].names[0][method],
                                                pistons[k % 3].names[1][method],
                                                pistons[k % 3].names[2][method]});
        wbDestroyWorld(piston.world);
        WB_TRY(status);
    }
    return wb_okStatus;
}

// A gate hinged at its foot, with water on its left

enum { gateFrames = 240, gateMean = 90 };

static wbStatus runGate(wbValidateRun *run, wbCoupleMethod method, const char *quantity, wbWorld **world) {
    const double width = 0.6, depth = 0.4, thickness = 0.08, stiffness = 2e4;
    wbWorldDef def = makeDef(0, 0, 1, 0.8);
    wbMechanismDef gate = wbDefaultMechanismDef();
    wbFluidId water;
    wbColliderId plate;
    wbMechanismId id;
    const wbFluidSolver solver = wbChooseCoupleMethod(method, &def);
    WB_TRY(wbCreateCaseWorld(run, def, solver, world, &water));
    // down beyond the ground, so that nothing gets below it
    WB_TRY(addPlate(*world, thickness, 1.2, width + 0.5 * thickness, 0.1, &plate));
    gate.name = "gate", gate.colliders = &plate, gate.colliderCount = 1;
    gate.params.kind = wb_mechanismWheel, gate.params.drive = wb_driveFree;
    gate.params.pivot = wbMakeVec3((float)width, 0, 0), gate.params.inertia = 20;
    gate.params.stiffness = (float)stiffness, gate.params.friction = 400;
    WB_TRY(wbCreateMechanism(*world, &gate, &id));
    const wbBlockDef block = {.max = {(float)width, (float)depth, 0}};
    WB_TRY(wbFluid_AddBlock(*world, water, &block));
    double torque = 0, level = 0;
    for (int k = 0; k < gateFrames && !run->stopped; k++) {
        WB_TRY(wbStepCase(run, *world, (double)k / gateFrames));
        if (k < gateFrames - gateMean) continue;
        const double angle = wbMechanism_GetStats(*world, id).angle * pi / 180;
        torque -= stiffness * angle / gateMean;
        // its room: as wide as the gate leans, at half the depth
        level += wbWorld_GetStats(*world).mass / 1000 / (width - 0.5 * depth * angle) / gateMean;
    }
    const double right = 1000 * gravity * pow(level, 3) / 6;
    if (!run->stopped)
        wbReportQuantity(run, (wbQuantity){.quantity = quantity,
                                           .unit = "N m",
                                           .value = torque,
                                           .reference = right,
                                           .tolerance = 0.05 * right,
                                           .source = "rho0 g w H3 / 6"});
    return wb_okStatus;
}

wbStatus wbValidateCoupleGate(wbValidateRun *run) {
    static const char *const names[] = WB_COUPLE_NAMES("torque of its spring", "0.4 m");
    for (int m = 0; m < wb_coupleMethodCount && !run->stopped; m++) {
        wbWorld *world = NULL;
        wbStatus status = runGate(run, (wbCoupleMethod)m, names[m], &world);
        wbDestroyWorld(world);
        WB_TRY(status);
    }
    return wb_okStatus;
}

// A jet from the left

typedef struct Jet {
    wbWorld *world;
    wbFluidId water;
    wbMechanismId id;
} Jet;

static const double jetWidth = 0.1, jetSpeed = 2;

static wbStatus createJet(wbValidateRun *run, wbCoupleMethod method, Jet *jet) {
    wbWorldDef def = makeDef(-3, -3, 3, 3);
    wbEmitterDef spout = wbDefaultEmitterDef();
    wbDrainDef ground = wbDefaultDrainDef();
    wbEmitterId emitter;
    wbDrainId drain;
    def.params.gravity = wbMakeVec3(0, 0, 0);
    for (int s = 0; s < wb_sideCount; s++) def.domain.sides[s].type = wb_sideOpen;
    def.sph.soundSpeed = 40;
    const wbFluidSolver solver = wbChooseCoupleMethod(method, &def);
    WB_TRY(wbCreateCaseWorld(run, def, solver, &jet->world, &jet->water));
    spout.name = "spout", spout.fluid = jet->water, spout.params.radius = (float)(0.5 * jetWidth);
    spout.params.position = wbMakeVec3(-1.6f, 0, 0), spout.params.direction = wbMakeVec3(1, 0, 0);
    spout.params.velocity = (float)jetSpeed;
    WB_TRY(wbCreateEmitter(jet->world, &spout, &emitter));
    ground.name = "outside", ground.params.region = wb_drainOutside;
    ground.params.min = wbMakeVec3(-1.8f, -1, -1), ground.params.max = wbMakeVec3(2, 1, 1);
    return wbCreateDrain(jet->world, &ground, &drain);
}

// Ten times as wide as the jet, and held.
static wbStatus hitPlate(wbValidateRun *run, wbCoupleMethod method, Jet *jet, const char *quantity) {
    wbColliderId plate;
    wbMechanismDef gate = wbDefaultMechanismDef();
    double force = 0;
    const double right = 1000 * jetWidth * jetSpeed * jetSpeed;
    enum { frames = 180, first = 120 };
    WB_TRY(createJet(run, method, jet));
    WB_TRY(addPlate(jet->world, 0.1, 10 * jetWidth, 0, 0, &plate));
    gate.name = "gate", gate.colliders = &plate, gate.colliderCount = 1,
    gate.params.travel = wbMakeVec3(1, 0, 0);
    WB_TRY(wbCreateMechanism(jet->world, &gate, &jet->id));
    for (int k = 0; k < frames && !run->stopped; k++) {
        WB_TRY(wbStepCase(run, jet->world, (double)k / frames));
        if (k >= first) force += wbMechanism_GetStats(jet->world, jet->id).force / (frames - first);
    }
    if (!run->stopped)
        wbReportQuantity(run, (wbQuantity){.quantity = quantity,
                                           .unit = "N",
                                           .value = force,
                                           .reference = right,
                                           .tolerance = 0.07 * right,
                                           .source = "rho0 A v2"});
    return wb_okStatus;
}

// A motor moves it on half as fast as the jet. Of a row of such paddles each gets that while water meets it, for v / (v - u) = 2 times as
// long as one lets by: so they get half of the jet's power.
static wbStatus hitPaddle(wbValidateRun *run, wbCoupleMethod method, Jet *jet, const char *quantity) {
    wbColliderId plate;
    wbMechanismDef motor = wbDefaultMechanismDef();
    double force = 0;
    const double rate = 0.5 * jetSpeed, way = 2.6, right = 1000 * jetWidth * pow(jetSpeed - rate, 2) * rate;
    enum { frames = 150, first = 75 };
    WB_TRY(createJet(run, method, jet));
    WB_TRY(addPlate(jet->world, 0.1, 10 * jetWidth, -1.2, 0, &plate));
    motor.name = "motor", motor.colliders = &plate, motor.colliderCount = 1;
    motor.params.travel = wbMakeVec3((float)way, 0, 0), motor.params.duration = (float)(way / rate);
    WB_TRY(wbCreateMechanism(jet->world, &motor, &jet->id));
    WB_TRY(wbMechanism_SetOpen(jet->world, jet->id, 1));
    for (int k = 0; k < frames && !run->stopped; k++) {
        WB_TRY(wbStepCase(run, jet->world, (double)k / frames));
        if (k >= first) force += wbMechanism_GetStats(jet->world, jet->id).force / (frames - first);
    }
    if (!run->stopped)
        wbReportQuantity(run, (wbQuantity){.quantity = quantity,
                                           .unit = "W",
                                           .value = force * rate,
                                           .reference = right,
                                           .tolerance = 0.1 * right,
                                           .source = "rho0 A (v - u)2 u"});
    return wb_okStatus;
}

wbStatus wbValidateCoupleWheel(wbValidateRun *run) {
    static const char *const forces[] = WB_COUPLE_NAMES("force", "plate"), *const powers[] = WB_COUPLE_NAMES(
                                                                               "power", "paddle");
    for (int k = 0; k < 2 * wb_coupleMethodCount && !run->stopped; k++) {
        const wbCoupleMethod method = (wbCoupleMethod)(k / 2);
        Jet jet = {0};
        wbStatus status = k % 2 ? hitPaddle(run, method, &jet, powers[method])
                                : hitPlate(run, method, &jet, forces[method]);
        wbDestroyWorld(jet.world);
        WB_TRY(status);
    }
    return wb_okStatus;
}
