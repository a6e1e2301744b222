// SPDX-License-Identifier: MIT
// Soft bodies of a world against Coulomb's law: a block of particles slides down a collider.
#include <math.h>

#include "bench/validate_case.h"
#include "core/status.h"

static const float slope = 15, gravity = 9.81f; // degrees, m/s2

static wbStatus createSlope(wbValidateRun *run, float friction, wbWorld **world) {
    wbCaseMachine machine;
    WB_TRY(wbGetCaseMachine(run, &machine));
    wbWorldDef def = wbDefaultWorldDef();
    def.threadCount = machine.threadCount, def.simd = machine.simd;
    def.params.backend = machine.backend, def.params.device = machine.deviceIndex;
    def.params.dt = 0.01f, def.params.gravity = wbMakeVec3(0, -gravity, 0);
    def.pbd.iterations = 5, def.pbd.subSteps = 4, def.pbd.radius = 0.05f, def.pbd.friction = friction;
    return wbCreateWorld(&def, world);
}

// The face of the slope goes through the origin; the block lies on it.
static wbStatus addBlock(wbWorld *world) {
    double angle = slope * 3.14159265358979323846 / 180;
    wbVec3 up = {(float)sin(angle), (float)cos(angle), 0};
    wbSoftBodyDef block = wbDefaultSoftBodyDef();
    wbColliderDef plank = wbDefaultColliderDef();
    wbSoftBodyId blockId;
    wbColliderId plankId;
    block.name = "block", plank.name = "plank";
    block.params.size = wbMakeVec3(0.4f, 0.4f, 0.4f), block.params.counts = wbMakeVec3(4, 4, 4);
    plank.params.size = wbMakeVec3(40, 1, 4);
    block.params.rotation = plank.params.rotation = wbMakeVec3(0, 0, -slope);
    block.params.position = wbScale(0.25f, up), plank.params.position = wbScale(-0.5f, up);
    WB_TRY(wbCreateSoftBody(world, &block, &blockId));
    return wbCreateCollider(world, &plank, &plankId);
}

static double getSpeed(wbWorld *world) {
    wbStats stats = wbWorld_GetStats(world);
    return hypot(stats.momentum[0], stats.momentum[1]) / stats.mass;
}

static wbStatus measureAcceleration(wbValidateRun *run, wbWorld *world, double *acceleration) {
    WB_TRY(addBlock(world));
    wbNameMachine(run, wbWorld_GetDevice(world), wbWorld_GetSimd(world));
    for (int k = 0; k < 30 && !run->stopped; k++) WB_TRY(wbStepCase(run, world, k / 130.0));
    double before = getSpeed(world), start = wbWorld_GetTime(world);
    for (int k = 30; k < 130 && !run->stopped; k++) WB_TRY(wbStepCase(run, world, k / 130.0));
    *acceleration = (getSpeed(world) - before) / (wbWorld_GetTime(world) - start);
    return wb_okStatus;
}

wbStatus wbValidateSlope(wbValidateRun *run) {
    static const struct {
        const char *name;
        float friction;
    } rows[] = {{"acceleration down 15 degrees, no friction", 0},
                {"acceleration down 15 degrees, friction 0.1", 0.1f},
                {"acceleration down 15 degrees, friction 0.2", 0.2f},
                {"acceleration down 15 degrees, friction 0.3", 0.3f}}; // more than tan 15: it stays
    for (size_t k = 0; k < sizeof rows / sizeof rows[0] && !run->stopped; k++) {
        wbWorld *world;
        double acceleration = 0, angle = slope * 3.14159265358979323846 / 180;
        WB_TRY(createSlope(run, rows[k].friction, &world));
        wbStatus status = measureAcceleration(run, world, &acceleration);
        wbDestroyWorld(world);
        if (!wbIsOk(status) || run->stopped) return status;
        wbReportQuantity(
            run, (wbQuantity){.quantity = rows[k].name,
                              .unit = "m/s2",
                              .value = acceleration,
                              .reference = fmax(0, gravity * (sin(angle) - rows[k].friction * cos(angle))),
                              .tolerance = 0.01 * gravity,
                              .source = "g (sin - mu cos)"});
    }
    return wb_okStatus;
}
