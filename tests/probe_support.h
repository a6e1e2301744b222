// SPDX-License-Identifier: MIT
// For tests of probes on every backend.
#pragma once

#include <math.h>
#include <string.h>

#include "flow_support.h"
#include "test_support.h"
#include "wirbel/wirbel.h"

static inline wbProbeId addProbe(wbWorld *world, const char *name, wbProbeKind kind, wbVec3 position) {
    wbProbeDef def = wbDefaultProbeDef();
    wbProbeId id;
    def.name = name;
    def.params.kind = kind;
    def.params.position = position;
    assertOk(wbCreateProbe(world, &def, &id));
    return id;
}

static inline double readProbe(wbWorld *world, wbProbeId id, int index) {
    wbProbeValues values;
    assertOk(wbProbe_GetValues(world, id, &values));
    assert_true(index < values.count);
    return values.values[index].value;
}

/// A tank, 1 m wide and 10 layers deep, of spacing 0.05 m, at rest.
static inline wbWorld *createTank(int dimensions, wbFluidSolver solver, wbBackend backend) {
    wbWorldDef def = wbDefaultWorldDef();
    wbFluidDef fluidDef = wbDefaultFluidDef();
    wbFluidId fluid;
    wbWorld *world;
    const float depth = dimensions == 3 ? 0.4f : 0;
    def.params.dimensions = dimensions;
    def.params.backend = backend;
    def.sph.spacing = def.pbf.spacing = 0.05f;
    def.domain.max = wbMakeVec3(1, 1, depth);
    def.threadCount = 2;
    assertOk(wbCreateWorld(&def, &world));
    fluidDef.solver = solver;
    assertOk(wbCreateFluid(world, &fluidDef, &fluid));
    assertOk(wbFluid_AddBlock(world, fluid, &(wbBlockDef){.max = wbMakeVec3(1, 0.5f, depth)}));
    return world;
}

/// Gauges on the floor, in the middle and at a side show the water's weight, and a staff gauge its surface.
static inline void checkTank(int dimensions, wbFluidSolver solver, wbBackend backend) {
    wbWorld *world = createTank(dimensions, solver, backend);
    const float z = dimensions == 3 ? 0.2f : 0;
    const wbVec3 places[4] = {{0.5f, 0.05f, z}, {0.02f, 0.2f, z}, {0.63f, 0.31f, z}, {0.5f, 0, z}};
    const double tolerances[4] = {0.03, 0.03, 0.03, 0.08}; // on the floor itself layers' pressures show
    const wbProbeId gauges[4] = {addProbe(world, "deep", wb_probePressure, places[0]),
                                 addProbe(world, "side", wb_probePressure, places[1]),
                                 addProbe(world, "middle", wb_probePressure, places[2]),
                                 addProbe(world, "floor", wb_probePressure, places[3])};
    const wbProbeId level = addProbe(world, "staff", wb_probeLevel, wbMakeVec3(0.1f, 0, z));
    double means[4] = {0}, mean = 0;
    int count = 0;
    assertOk(wbWorld_SetParam(world, "staff.size", "0.2,0.2,0.2"));
    assert_float_equal(readProbe(world, level, 0), 0.5, 1e-6);
    for (int frame = 1; wbWorld_GetTime(world) < 3; frame++) {
        while (wbWorld_GetTime(world) < frame / 30.0) assertOk(wbWorld_Step(world, 0));
        if (wbWorld_GetTime(world) < 2) continue;
        for (int k = 0; k < 4; k++) means[k] += readProbe(world, gauges[k], 0);
        mean += readProbe(world, level, 0), count++;
    }
    for (int k = 0; k < 4; k++) {
        const double wanted = 1000 * 9.81 * (0.5 - (double)places[k].y);
        if (fabs(means[k] / count - wanted) > tolerances[k] * wanted)
            fail_msg("gauge %d shows %g Pa, not %g", k, means[k] / count, wanted);
    }
    if (fabs(mean / count - 0.5) > 0.025) fail_msg("the level is %g m, not 0.5", mean / count);
    wbDestroyWorld(world);
}

/// What comes out of a pipe goes through a rectangle before it, in steps that no layer is a multiple of.
static inline void checkJet(int dimensions, wbBackend backend) {
    const wbWorldDef def = makeFlowDef(dimensions, backend);
    wbWorld *world = createFlowWorld(&def);
    const wbEmitterDef pipe = makePipe(world);
    const wbEmitterId emitter = addEmitter(world, &pipe);
    wbProbeDef probeDef = wbDefaultProbeDef();
    wbProbeId one, back, half;
    const float z = dimensions == 3 ? 0.5f : 0;
    probeDef.params.kind = wb_probeFlow;
    probeDef.params.size = wbMakeVec3(1, 1, 1);
    probeDef.params.position = wbMakeVec3(1, 0.5f, z);
    probeDef.name = "one";
    assertOk(wbCreateProbe(world, &probeDef, &one));
    probeDef.name = "back", probeDef.params.rotation.z = 180;
    assertOk(wbCreateProbe(world, &probeDef, &back));
    probeDef.name = "half", probeDef.params.rotation.z = 0, probeDef.params.position.y = 1;
    assertOk(wbCreateProbe(world, &probeDef, &half));
    assert_float_equal(readProbe(world, one, 0), 0, 0);
    wbProbeValues values;
    assertOk(wbProbe_GetValues(world, one, &values));
    assert_string_equal(values.values[0].unit, dimensions == 3 ? "m3/s" : "m2/s");
    while (wbWorld_GetTime(world) < 0.6) assertOk(wbWorld_Step(world, 0));
    const int64_t before = wbEmitter_GetStats(world, emitter).emitted;
    const double start = wbWorld_GetTime(world);
    double sum = 0, mass = 0, least = INFINITY, most = 0;
    int count = 0;
    while (wbWorld_GetTime(world) < 1.3) {
        assertOk(wbWorld_Step(world, 0));
        const double flow = readProbe(world, one, 0);
        sum += flow, mass += readProbe(world, one, 1), count++;
        least = fmin(least, flow), most = fmax(most, flow);
        assert_float_equal(readProbe(world, back, 0), -flow, 1e-6);
    }
    const double particles = (double)(wbEmitter_GetStats(world, emitter).emitted - before),
                 rate = particles * pow(0.1, dimensions) / (wbWorld_GetTime(world) - start);
    if (fabs(sum / count - rate) > 0.02 * rate) fail_msg("flow %g, emitted %g", sum / count, rate);
    if (least < 0.97 * rate || most > 1.03 * rate) fail_msg("flow %g to %g, emitted %g", least, most, rate);
    assert_float_equal(mass, 1000 * sum, 1e-3 * mass);
    assert_float_equal(readProbe(world, half, 0), 0.5 * rate, 0.1 * rate);
    wbDestroyWorld(world);
}

/// At the start the air has the vortices of Taylor and Green.
static inline void checkAir(int dimensions, wbBackend backend) {
    wbWorldDef def = wbDefaultWorldDef();
    wbProbeDef probeDef = wbDefaultProbeDef();
    wbProbeId velocity, density, temperature, outside;
    wbWorld *world;
    const double k = 3.14159265358979;
    def.params.dimensions = dimensions;
    def.params.backend = backend;
    def.params.dt = 0.005f;
    def.hasSmoke = true;
    def.smoke.cellSize = 1 / 32.0f;
    def.smoke.vortices = 1;
    def.smoke.ambient = 290;
    def.threadCount = 2;
    def.domain.max = wbMakeVec3(1, 1, dimensions == 3 ? 1 : 0);
    assertOk(wbCreateWorld(&def, &world));
    const wbVec3 p = {0.21f, 0.66f, dimensions == 3 ? 0.37f : 0};
    probeDef.params.position = p;
    probeDef.params.medium = wb_probeAir;
    probeDef.name = "wind", probeDef.params.kind = wb_probeVelocity;
    assertOk(wbCreateProbe(world, &probeDef, &velocity));
    probeDef.name = "smoky", probeDef.params.kind = wb_probeDensity;
    assertOk(wbCreateProbe(world, &probeDef, &density));
    probeDef.name = "heat", probeDef.params.kind = wb_probeTemperature;
    assertOk(wbCreateProbe(world, &probeDef, &temperature));
    probeDef.name = "beyond", probeDef.params.position.x = 1.01f;
    assertOk(wbCreateProbe(world, &probeDef, &outside));
    const double depth = dimensions == 3 ? cos(k * (double)p.z) : 1;
    const double u = sin(k * (double)p.x) * cos(k * (double)p.y) * depth,
                 v = -cos(k * (double)p.x) * sin(k * (double)p.y) * depth;
    assert_float_equal(readProbe(world, velocity, 0), u, 0.02);
    assert_float_equal(readProbe(world, velocity, 1), v, 0.02);
    assert_float_equal(readProbe(world, velocity, 2), 0, 1e-6);
    assert_float_equal(readProbe(world, density, 0), 0, 0);
    assert_float_equal(readProbe(world, temperature, 0), 290, 1e-4);
    assert_true(isnan(readProbe(world, outside, 0)));
    for (int i = 0; i < 4; i++) assertOk(wbWorld_Step(world, 0));
    assert_float_equal(readProbe(world, velocity, 0), u, 0.03);
    wbDestroyWorld(world);
}
