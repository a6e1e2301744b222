// SPDX-License-Identifier: MIT
// For tests of emitters and drains on every backend: worlds with a pipe, and what must always hold.
#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test_support.h"
#include "wirbel/wirbel.h"

static inline void assertAccounts(wbWorld *world) {
    wbStats stats = wbWorld_GetStats(world);
    int64_t spawned = 0, removed = 0;
    int particles = 0;
    assert_true(stats.spawned - stats.removed == stats.particles);
    for (int i = 0; i < wbWorld_GetFluidCount(world); i++) {
        wbFluidStats fluid = wbFluid_GetStats(world, wbWorld_GetFluid(world, i));
        assert_true(fluid.spawned - fluid.removed == fluid.particles);
        spawned += fluid.spawned, removed += fluid.removed, particles += fluid.particles;
    }
    assert_true(spawned == stats.spawned && removed == stats.removed && particles == stats.particles);
}

/// Spacing 0.1, no gravity, no sides, one fluid "water".
static inline wbWorldDef makeFlowDef(int dimensions, wbBackend backend) {
    wbWorldDef def = wbDefaultWorldDef();
    def.params.dimensions = dimensions;
    def.params.gravity = (wbVec3){0, 0, 0};
    def.params.dt = 0.002f;
    def.params.backend = backend;
    def.sph.spacing = 0.1f;
    def.threadCount = 2;
    return def;
}

static inline wbWorld *createFlowWorld(const wbWorldDef *def) {
    wbWorld *world;
    wbFluidDef fluid = wbDefaultFluidDef();
    wbFluidId id;
    assertOk(wbCreateWorld(def, &world));
    assertOk(wbCreateFluid(world, &fluid, &id));
    return world;
}

static inline wbEmitterDef makePipe(const wbWorld *world) {
    wbEmitterDef pipe = wbDefaultEmitterDef();
    pipe.name = "pipe";
    pipe.fluid = wbWorld_GetFluid(world, 0);
    pipe.params.position = (wbVec3){0.5f, 0.5f, 0.5f};
    pipe.params.radius = 0.2f;
    pipe.params.velocity = 2;
    return pipe;
}

static inline wbEmitterId addEmitter(wbWorld *world, const wbEmitterDef *def) {
    wbEmitterId id;
    assertOk(wbCreateEmitter(world, def, &id));
    return id;
}

static inline wbDrainId addDrain(wbWorld *world, const char *name, wbVec3 min, wbVec3 max,
                                 wbEmitterId emitter) {
    wbDrainDef def = wbDefaultDrainDef();
    wbDrainId id;
    def.name = name;
    def.emitter = emitter;
    def.params.min = min, def.params.max = max;
    assertOk(wbCreateDrain(world, &def, &id));
    return id;
}

/// A box with a pool, a jet that its drains feed with a delay, a second pipe that is poured away over the open top, and
/// another fluid. Everything in it has gravity.
static inline wbWorld *createFountain(int dimensions, wbBackend backend, wbIntegrator integrator) {
    wbWorldDef def = makeFlowDef(dimensions, backend);
    def.params.gravity = (wbVec3){0, -9.81f, 0};
    def.sph.integrator = integrator;
    def.domain = (wbDomainDef){.max = {1.2f, 1, 0.8f}};
    def.domain.sides[wb_top].type = wb_sideOpen;
    if (dimensions == 2) def.domain.sides[wb_back].type = def.domain.sides[wb_front].type = wb_sideOpen;
    wbWorld *world = createFlowWorld(&def);
    wbBlockDef pool = {.max = {1.2f, 0.3f, 0.8f}};
    assertOk(wbFluid_AddBlock(world, wbWorld_GetFluid(world, 0), &pool));
    wbFluidDef oil = wbDefaultFluidDef();
    oil.name = "oil";
    wbFluidId oilId;
    assertOk(wbCreateFluid(world, &oil, &oilId));
    wbEmitterDef jet = makePipe(world);
    jet.name = "jet";
    jet.params.position = (wbVec3){0.6f, 0.45f, 0.4f};
    jet.params.direction = (wbVec3){0.3f, 1, 0};
    jet.params.radius = 0.1f;
    wbEmitterId jetId = addEmitter(world, &jet);
    wbEmitterDef pipe = makePipe(world);
    pipe.fluid = oilId;
    pipe.params.position = (wbVec3){0.3f, 0.8f, 0.4f};
    pipe.params.radius = 0.12f;
    pipe.params.lattice = wb_latticeHexagonal;
    addEmitter(world, &pipe);
    addDrain(world, "inlet", (wbVec3){0, 0, 0}, (wbVec3){0.25f, 0.2f, 0.8f}, jetId);
    addDrain(world, "outlet", (wbVec3){1, 0, 0}, (wbVec3){1.2f, 0.3f, 0.8f}, (wbEmitterId){0});
    assertOk(wbWorld_SetParam(world, "inlet.rate", "300"));
    assertOk(wbWorld_SetParam(world, "inlet.delay", "0.02"));
    assertOk(wbWorld_SetParam(world, "outlet.rate", "250"));
    return world;
}

/// Particles that a pump holds: on their way and ready to come out.
static inline int64_t countPumped(const wbWorld *world) {
    int64_t count = 0;
    for (int i = 0; i < wbWorld_GetEmitterCount(world); i++)
        count += wbEmitter_GetStats(world, wbWorld_GetEmitter(world, i)).waiting;
    for (int i = 0; i < wbWorld_GetDrainCount(world); i++)
        count += wbDrain_GetStats(world, wbWorld_GetDrain(world, i)).inPipe;
    return count;
}

static inline void stepTimes(wbWorld *world, int count) {
    for (int i = 0; i < count; i++) assertOk(wbWorld_Step(world, 0));
}
