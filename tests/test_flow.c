// SPDX-License-Identifier: MIT
// Emitters, drains and pumps: exact counts, places, accounts, limits, names.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "flow_support.h"
#include "wirbel/scene.h"

static int64_t emitted(const wbWorld *world, const wbEmitterId id) {
    return wbEmitter_GetStats(world, id).emitted;
}

static void assertRefused(wbStatus status, const char *text) {
    assert_int_equal(status.code, wb_errorInput);
    if (!strstr(status.text, text)) fail_msg("\"%s\" does not say \"%s\"", status.text, text);
}

// The nearest distance of two particles, all pairs.
static double findNearest(wbWorld *world) {
    wbView view;
    double nearest = 1e30;
    assertOk(wbFluid_GetView(world, wbWorld_GetFluid(world, 0), &view));
    for (int i = 0; i < view.count; i++)
        for (int j = 0; j < i; j++)
            nearest = fmin(nearest,
                           hypot(hypot(view.x[i] - view.x[j], view.y[i] - view.y[j]), view.z[i] - view.z[j]));
    return nearest;
}

// m, the least distance between the last `count` particles that came and all.
static double findNearestToNew(wbWorld *world, int count) {
    wbView view;
    double nearest = 1e30;
    assertOk(wbFluid_GetView(world, wbWorld_GetFluid(world, 0), &view));
    for (int i = view.count - count; i < view.count; i++)
        for (int j = 0; j < i; j++)
            nearest = fmin(nearest,
                           hypot(hypot(view.x[i] - view.x[j], view.y[i] - view.y[j]), view.z[i] - view.z[j]));
    return nearest;
}

// Counts over time

// After every step, and for any length of steps, as many layers are out as fit into the way of the water.
static void testCountsAreExact(void **state) {
    (void)state;
    const float steps[] = {0.0011f, 0.002f, 0.0173f, 0.05f, 0.15f, 0.4f}; // the last ones have several layers
    const wbLattice lattices[] = {wb_latticeSquare, wb_latticeHexagonal};
    for (int k = 0; k < 24; k++) {
        int dimensions = 2 + k % 2;
        float dt = steps[k / 4];
        wbWorldDef def = makeFlowDef(dimensions, wb_backendCpu);
        def.params.dt = dt;
        def.sph.soundSpeed = 0.01f; // calm, whatever the step
        wbWorld *world = createFlowWorld(&def);
        wbEmitterDef pipe = makePipe(world);
        pipe.params.lattice = lattices[k / 2 % 2];
        pipe.params.velocity = 1.7f;
        pipe.params.direction = (wbVec3){1, 2, dimensions == 3 ? -0.5f : 0};
        wbEmitterId id = addEmitter(world, &pipe);
        int perLayer = dimensions == 2 ? 4 : 13; // 2 * 0.2 / 0.1, pi 0.2^2 / 0.1^2
        double time = 0;
        while (time < 1.2) {
            assertOk(wbWorld_Step(world, 0));
            time += dt;
            assert_int_equal(emitted(world, id), perLayer * (int64_t)floor(1.7f * time / 0.1f));
            assertAccounts(world);
        }
        assert_true(emitted(world, id) > 0);
        assertOk(wbWorld_SetParam(world, "pipe.open", "0"));
        if (findNearest(world) < 0.98 * 0.1) fail_msg("two particles are %g m apart", findNearest(world));
        wbDestroyWorld(world);
    }
}

// Stiff water leaves its pipe as a jet: nothing is thrown aside, although no layer is behind the last one yet.
static void testJetStaysTogether(void **state) {
    (void)state;
    const wbIntegrator integrators[] = {wb_integratorEuler, wb_integratorSymplectic, wb_integratorLeapfrog};
    for (int k = 0; k < 6; k++) {
        wbWorldDef def = makeFlowDef(2 + k % 2, wb_backendCpu);
        wbView view;
        def.params.dt = 0.0004f;
        def.sph.soundSpeed = 60, def.sph.integrator = integrators[k / 2];
        wbWorld *world = createFlowWorld(&def);
        wbEmitterDef pipe = makePipe(world);
        wbEmitterId id = addEmitter(world, &pipe);
        stepTimes(world, 1500);
        assertOk(wbFluid_GetView(world, wbWorld_GetFluid(world, 0), &view));
        assert_true(emitted(world, id) > 40);
        for (int i = 0; i < view.count; i++) {
            double aside = hypot(view.y[i] - 0.5, def.params.dimensions == 3 ? view.z[i] - 0.5 : 0);
            if (aside > 0.25 || fabs(view.vx[i] - 2) > 0.2)
                fail_msg("integrator %d: a particle is %g m aside, at %g m/s", k / 2, aside, view.vx[i]);
        }
        wbDestroyWorld(world);
    }
}

// Several layers of one step stand at the places that many short steps would have brought them to.
static void testLayersStandAtTheirDistances(void **state) {
    (void)state;
    wbWorldDef def = makeFlowDef(2, wb_backendCpu);
    def.params.dt = 0.4f;
    wbWorld *world = createFlowWorld(&def);
    wbEmitterDef pipe = makePipe(world);
    pipe.params.radius = 0.05f; // one particle a layer
    pipe.params.start = 0.1f, pipe.params.end = 0.3f;
    addEmitter(world, &pipe);
    stepTimes(world, 1);
    wbView view;
    assertOk(wbFluid_GetView(world, wbWorld_GetFluid(world, 0), &view));
    // 0.2 s at 2 m/s are 4 layers; the last has just left when the emitter ends, 0.1 s before the step does
    assert_int_equal(view.count, 4);
    for (int i = 0; i < 4; i++) {
        assert_true(fabs(view.x[i] - (0.5 + 0.05 + 0.2 + 0.1 * (3 - i))) < 1e-5);
        assert_true(fabs(view.y[i] - 0.5) < 1e-6 && view.z[i] == 0);
        assert_true(view.vx[i] == 2 && view.vy[i] == 0 && view.id[i] == (uint32_t)i);
    }
    stepTimes(world, 2);
    assert_int_equal(wbWorld_GetStats(world).particles, 4);
    wbDestroyWorld(world);
}

static void testRateAndCount(void **state) {
    (void)state;
    wbWorldDef def = makeFlowDef(3, wb_backendCpu);
    wbWorld *world = createFlowWorld(&def);
    wbEmitterDef pipe = makePipe(world);
    pipe.params.rate = 100;
    pipe.params.count = 60; // four layers of 13, and 8 of a fifth
    wbEmitterId id = addEmitter(world, &pipe);
    for (int i = 1; i <= 400; i++) {
        stepTimes(world, 1);
        int64_t due = 13 * (int64_t)floor(100 * i * (double)0.002f / 13);
        assert_int_equal(emitted(world, id), due < 60 ? due : 60);
    }
    wbDestroyWorld(world);
}

static void testVelocityZeroIsHarmless(void **state) {
    (void)state;
    wbWorldDef def = makeFlowDef(3, wb_backendCpu);
    wbWorld *world = createFlowWorld(&def);
    wbEmitterDef pipe = makePipe(world);
    pipe.params.velocity = 0;
    pipe.params.rate = 10;
    wbEmitterId id = addEmitter(world, &pipe);
    stepTimes(world, 50);
    assert_int_equal(emitted(world, id), 0);
    // far more layers than a step can place: no overflow, and the account holds
    assertOk(wbWorld_SetParam(world, "pipe.rate", "auto"));
    assertOk(wbWorld_SetParam(world, "pipe.velocity", "1e6"));
    assertOk(wbWorld_SetParam(world, "world.maxParticles", "500"));
    assertOk(wbWorld_Step(world, 0.01f));
    assert_int_equal(wbWorld_GetStats(world).particles, 500);
    assertAccounts(world);
    wbDestroyWorld(world);
}

static void testTwoEmittersInOnePlace(void **state) {
    (void)state;
    wbWorldDef def = makeFlowDef(3, wb_backendCpu);
    wbWorld *world = createFlowWorld(&def);
    wbEmitterDef pipe = makePipe(world);
    wbEmitterId first = addEmitter(world, &pipe);
    pipe.name = "other";
    wbEmitterId second = addEmitter(world, &pipe);
    stepTimes(world, 30);
    assert_int_equal(emitted(world, first), 13);
    assert_int_equal(emitted(world, second), 0); // its places are taken
    pipe.name = "third", pipe.params.position.y = 2;
    wbEmitterId third = addEmitter(world, &pipe);
    assertOk(wbWorld_SetParam(world, "other.open", "0"));
    stepTimes(world, 100); // 0.2 s at 2 m/s, and what was left over
    assert_int_equal(emitted(world, first), 13 * 5);
    assert_int_equal(emitted(world, third), 13 * 4);
    assertAccounts(world);
    wbDestroyWorld(world);
}

// Water and sides in the way

static char notices[4][256];
static int noticeCount;

static void keepNotice(wbLogLevel level, const char *message, void *context) {
    (void)level, (void)context;
    snprintf(notices[noticeCount % 4], sizeof notices[0], "%s", message);
    noticeCount++;
}

// A mouth under water drives the water before it: all comes out, and nothing nearer than half a spacing to another.
static void testMouthUnderWater(void **state) {
    (void)state;
    wbWorldDef def = makeFlowDef(2, wb_backendCpu);
    def.domain = (wbDomainDef){.max = {2, 3, 0}};
    def.domain.sides[wb_back].type = def.domain.sides[wb_front].type = wb_sideOpen;
    wbWorld *world = createFlowWorld(&def);
    wbBlockDef block = {.max = {2, 1, 0}, .jitter = 0.2f};
    assertOk(wbFluid_AddBlock(world, wbWorld_GetFluid(world, 0), &block));
    wbEmitterDef pipe = makePipe(world);
    pipe.params.position = (wbVec3){1, 0, 0}, pipe.params.direction = (wbVec3){0, 1, 0};
    wbEmitterId id = addEmitter(world, &pipe);
    noticeCount = 0;
    wbSetLog(keepNotice, NULL);
    for (int i = 0; i < 600; i++) {
        int64_t before = emitted(world, id);
        stepTimes(world, 1);
        assert_true(findNearestToNew(world, (int)(emitted(world, id) - before)) > 0.0499);
        assertAccounts(world);
    }
    wbSetLog(NULL, NULL);
    assert_int_equal(emitted(world, id), 4 * 24);
    assert_int_equal(noticeCount, 0);
    wbDestroyWorld(world);
}

// What a collider fills is no place for water: it is said once, and a plain emitter loses it.
static void testColliderInTheWay(void **state) {
    (void)state;
    wbWorldDef def = makeFlowDef(3, wb_backendCpu);
    wbWorld *world = createFlowWorld(&def);
    wbEmitterDef pipe = makePipe(world);
    wbEmitterId id = addEmitter(world, &pipe);
    wbColliderDef box = wbDefaultColliderDef();
    wbColliderId collider;
    box.name = "box";
    box.params.position = (wbVec3){0.5f, 0.5f, 0.5f};
    assertOk(wbCreateCollider(world, &box, &collider));
    noticeCount = 0;
    wbSetLog(keepNotice, NULL);
    stepTimes(world, 200);
    wbSetLog(NULL, NULL);
    assert_int_equal(emitted(world, id), 0);
    assert_int_equal(noticeCount, 1);
    assert_non_null(strstr(notices[0], "emitter \"pipe\": water, a side or a collider is in its way"));
    wbDestroyWorld(world);
}

static void testNoLayerBeyondASide(void **state) {
    (void)state;
    wbWorldDef def = makeFlowDef(2, wb_backendCpu);
    def.domain = (wbDomainDef){.max = {1, 1, 0}};
    def.domain.sides[wb_back].type = def.domain.sides[wb_front].type = wb_sideOpen;
    def.params.dt = 0.5f; // ten layers, of which three are before the side
    wbWorld *world = createFlowWorld(&def);
    wbEmitterDef pipe = makePipe(world);
    pipe.params.position.x = 0.7f, pipe.params.radius = 0.05f, pipe.params.velocity = 2.02f;
    wbEmitterId id = addEmitter(world, &pipe);
    stepTimes(world, 1);
    assert_int_equal(emitted(world, id), 3);
    assert_int_equal(wbWorld_GetStats(world).leaked, 0);
    wbDestroyWorld(world);
}

static void testCapacity(void **state) {
    (void)state;
    wbWorldDef def = makeFlowDef(3, wb_backendCpu);
    def.params.maxParticles = 100;
    wbWorld *world = createFlowWorld(&def);
    wbEmitterDef pipe = makePipe(world);
    wbEmitterId id = addEmitter(world, &pipe);
    wbDrainId drain = addDrain(world, "drain", (wbVec3){0.9f, -9, -9}, (wbVec3){9, 9, 9}, (wbEmitterId){0});
    assertOk(wbWorld_SetParam(world, "drain.open", "false"));
    noticeCount = 0;
    wbSetLog(keepNotice, NULL);
    stepTimes(world, 600);
    assert_int_equal(wbWorld_GetStats(world).particles, 100);
    assert_int_equal(emitted(world, id), 100);
    assert_int_equal(noticeCount, 1);
    assert_non_null(strstr(notices[0], "the world is full (world.maxParticles)"));
    assertOk(wbWorld_SetParam(world, "drain.open", "true"));
    stepTimes(world, 300);
    assert_true(emitted(world, id) > 150);
    assert_true(wbWorld_GetStats(world).particles < 100);
    assert_true(wbDrain_GetStats(world, drain).drained == wbWorld_GetStats(world).removed);
    assertAccounts(world);
    assert_int_equal(noticeCount, 1);
    wbSetLog(NULL, NULL);
    wbDestroyWorld(world);
}

static void testMemoryLimitIsNoError(void **state) {
    (void)state;
    wbWorldDef def = makeFlowDef(3, wb_backendCpu);
    def.params.memoryLimit = 1.5e6f;
    def.threadCount = 1;
    wbWorld *world = createFlowWorld(&def);
    wbEmitterDef pipe = makePipe(world);
    pipe.params.radius = 0.6f;
    wbEmitterId id = addEmitter(world, &pipe);
    noticeCount = 0;
    wbSetLog(keepNotice, NULL);
    stepTimes(world, 1500);
    wbSetLog(NULL, NULL);
    assert_int_equal(noticeCount, 1);
    assert_non_null(strstr(notices[0], "world.memoryLimit"));
    assert_true(emitted(world, id) > 300 && emitted(world, id) < 113 * 60);
    assertAccounts(world);
    wbDestroyWorld(world);
}

// Blocks

static void testBlockComesWhenItOpens(void **state) {
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        wbWorldDef def = makeFlowDef(dimensions, wb_backendCpu);
        wbWorld *world = createFlowWorld(&def);
        wbEmitterDef block = makePipe(world);
        block.params.kind = wb_emitterBlock;
        block.params.min = (wbVec3){0, 0, 0}, block.params.max = (wbVec3){0.3f, 0.4f, 0.5f};
        block.params.start = 0.0049f;
        wbEmitterId id = addEmitter(world, &block);
        int count = dimensions == 2 ? 12 : 60;
        stepTimes(world, 2);
        assert_int_equal(emitted(world, id), 0);
        stepTimes(world, 1);
        assert_int_equal(emitted(world, id), count);
        wbView view;
        assertOk(wbFluid_GetView(world, wbWorld_GetFluid(world, 0), &view));
        for (int i = 0; i < count; i++) {
            assert_true(view.x[i] > 0.04f && view.x[i] < 0.26f && view.y[i] > 0.04f && view.y[i] < 0.36f);
            assert_true(view.vx[i] == 2);
        }
        assert_true(findNearest(world) > 0.0999);
        stepTimes(world, 200);
        assert_int_equal(emitted(world, id), count);
        assertOk(wbWorld_SetParam(world, "pipe.open", "0"));
        stepTimes(world, 1);
        assertOk(wbWorld_SetParam(world, "pipe.open", "1"));
        stepTimes(world, 1);
        assert_int_equal(emitted(world, id), 2 * count);
        wbDestroyWorld(world);
    }
}

// Drains

static void testDrainRemovesThoseInside(void **state) {
    (void)state;
    for (int outside = 0; outside < 2; outside++) {
        wbWorldDef def = makeFlowDef(3, wb_backendCpu);
        wbWorld *world = createFlowWorld(&def);
        wbBlockDef block = {.max = {1, 1, 1}};
        assertOk(wbFluid_AddBlock(world, wbWorld_GetFluid(world, 0), &block));
        addDrain(world, "drain", (wbVec3){0.1f, 0.2f, 0.3f}, (wbVec3){0.4f, 0.6f, 0.8f}, (wbEmitterId){0});
        if (outside) assertOk(wbWorld_SetParam(world, "drain.region", "outside"));
        assertOk(wbWorld_Step(world, 1e-6f));
        assert_int_equal(wbWorld_GetStats(world).particles, outside ? 60 : 940);
        wbView view;
        assertOk(wbFluid_GetView(world, wbWorld_GetFluid(world, 0), &view));
        for (int i = 0; i < view.count; i++) {
            bool isInside = view.x[i] > 0.1f && view.x[i] < 0.4f && view.y[i] > 0.2f && view.y[i] < 0.6f &&
                            view.z[i] > 0.3f && view.z[i] < 0.8f;
            assert_true(isInside == (outside == 1));
        }
        assertAccounts(world);
        wbDestroyWorld(world);
    }
}

static void testDrainRate(void **state) {
    (void)state;
    wbWorldDef def = makeFlowDef(2, wb_backendCpu);
    wbWorld *world = createFlowWorld(&def);
    wbBlockDef block = {.max = {2, 2, 0}};
    assertOk(wbFluid_AddBlock(world, wbWorld_GetFluid(world, 0), &block));
    wbDrainId drain = addDrain(world, "drain", (wbVec3){-9, -9, -9}, (wbVec3){9, 9, 9}, (wbEmitterId){0});
    assertOk(wbWorld_SetParam(world, "drain.rate", "130"));
    for (int i = 1; i <= 500; i++) {
        stepTimes(world, 1);
        assert_int_equal(wbDrain_GetStats(world, drain).drained, (int64_t)floor(130 * i * (double)0.002f));
    }
    // what was not there to be drained does not come at once later
    assertOk(wbWorld_SetParam(world, "drain.rate", "1e9"));
    stepTimes(world, 1);
    assert_int_equal(wbWorld_GetStats(world).particles, 0);
    assertOk(wbWorld_SetParam(world, "drain.rate", "130"));
    stepTimes(world, 500);
    assertOk(wbFluid_AddBlock(world, wbWorld_GetFluid(world, 0), &block));
    stepTimes(world, 1);
    assert_true(wbWorld_GetStats(world).particles >= 399);
    assertAccounts(world);
    wbDestroyWorld(world);
}

// Ids are not used again, and the others keep their order.
static void testRemovalKeepsOrderAndIds(void **state) {
    (void)state;
    wbWorldDef def = makeFlowDef(2, wb_backendCpu);
    wbWorld *world = createFlowWorld(&def);
    wbBlockDef block = {.max = {1, 1, 0}};
    assertOk(wbFluid_AddBlock(world, wbWorld_GetFluid(world, 0), &block));
    assertOk(wbWorld_Step(world, 1e-6f));
    wbView view;
    uint32_t before[100], kept = 0;
    assertOk(wbFluid_GetView(world, wbWorld_GetFluid(world, 0), &view));
    for (int i = 0; i < 100; i++)
        if (view.x[i] > 0.5f) before[kept++] = view.id[i];
    addDrain(world, "drain", (wbVec3){-9, -9, 0}, (wbVec3){0.5f, 9, 0.1f}, (wbEmitterId){0});
    assertOk(wbWorld_Step(world, 1e-6f));
    assertOk(wbFluid_GetView(world, wbWorld_GetFluid(world, 0), &view));
    assert_int_equal(view.count, kept);
    assert_memory_equal(view.id, before, kept * sizeof *before);
    float position[3 * 50];
    assertOk(wbFluid_CopyById(world, wbWorld_GetFluid(world, 0), position, NULL));
    for (int i = 0; i < 50; i++) assert_true(position[3 * i] > 0.5f);
    assertOk(wbFluid_AddParticles(world, wbWorld_GetFluid(world, 0), 1, (float[]){3, 3, 0}, NULL));
    assertOk(wbFluid_GetView(world, wbWorld_GetFluid(world, 0), &view));
    assert_int_equal(view.id[view.count - 1], 100);
    wbDestroyWorld(world);
}

// Pumps

static void testPumpConserves(void **state) {
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        wbWorld *world = createFountain(dimensions, wb_backendCpu, wb_integratorSymplectic);
        assertOk(wbWorld_SetParam(world, "pipe.open", "0"));
        assertOk(wbWorld_SetParam(world, "outlet.open", "0"));
        int64_t all = wbWorld_GetStats(world).particles;
        for (int i = 0; i < 500; i++) {
            stepTimes(world, 1);
            assert_true(wbWorld_GetStats(world).particles + countPumped(world) == all);
            assertAccounts(world);
            if (i == 200) assertOk(wbWorld_SetParam(world, "inlet.delay", "0.5"));
            if (i == 300) assertOk(wbWorld_SetParam(world, "inlet.delay", "0"));
        }
        assert_true(emitted(world, wbWorld_GetEmitter(world, 0)) > (dimensions == 2 ? 20 : 40));
        wbDestroyWorld(world);
    }
}

// A pump takes in no more than its emitter lets out, by itself and by a rate that is too high: nothing piles up unseen.
static void testPumpKeepsUp(void **state) {
    (void)state;
    for (int run = 0; run < 4; run++) {
        wbWorldDef def = makeFlowDef(3, wb_backendCpu);
        def.params.gravity = (wbVec3){0, -9.81f, 0};
        def.domain = (wbDomainDef){.max = {1.2f, 1, 0.8f}};
        wbWorld *world = createFlowWorld(&def);
        wbBlockDef pool = {.max = {1.2f, 0.5f, 0.8f}};
        assertOk(wbFluid_AddBlock(world, wbWorld_GetFluid(world, 0), &pool));
        wbEmitterDef spout = makePipe(world);
        spout.params.position = (wbVec3){0.2f, 0.8f, 0.4f}, spout.params.radius = 0.11f;
        wbEmitterId id = addEmitter(world, &spout);
        addDrain(world, "inlet", (wbVec3){0.8f, 0, 0}, (wbVec3){1.2f, 0.3f, 0.8f}, id);
        if (run & 1) addDrain(world, "other", (wbVec3){0.4f, 0, 0}, (wbVec3){0.8f, 0.3f, 0.8f}, id);
        if (run & 2) assertOk(wbWorld_SetParam(world, "inlet.rate", "1e6"));
        if (run & 1) assertOk(wbWorld_SetParam(world, "other.delay", "0.1"));
        int64_t all = wbWorld_GetStats(world).particles;
        for (int i = 0; i < 500; i++) {
            stepTimes(world, 1);
            wbStats stats = wbWorld_GetStats(world);
            assert_true(stats.particles + stats.held == all && stats.held == countPumped(world));
            // two layers of four, and what comes out within the delay at 2 m/s
            if (stats.held > (run & 1 ? 16 : 8)) fail_msg("run %d holds %d", run, (int)stats.held);
        }
        assert_in_range(emitted(world, id), 68, 80); // 1 s: twenty layers
        if (run & 1) assert_true(wbDrain_GetStats(world, wbWorld_GetDrain(world, 1)).drained > 20);
        assertOk(wbWorld_SetParam(world, "pipe.open", "0"));
        stepTimes(world, 100);
        assert_true(wbWorld_GetStats(world).held <= 16);
        wbDestroyWorld(world);
    }
}

static void testPumpDelay(void **state) {
    (void)state;
    wbWorldDef def = makeFlowDef(2, wb_backendCpu);
    wbWorld *world = createFlowWorld(&def);
    wbEmitterDef pipe = makePipe(world);
    wbEmitterId id = addEmitter(world, &pipe);
    addDrain(world, "drain", (wbVec3){-9, -9, 0}, (wbVec3){-8, -8, 1}, id);
    assertOk(wbWorld_SetParam(world, "drain.delay", "0.2"));
    stepTimes(world, 100);
    assert_int_equal(emitted(world, id), 0); // there is nothing in it
    float drop[] = {-8.5f, -8.5f, 0};
    assertOk(wbFluid_AddParticles(world, wbWorld_GetFluid(world, 0), 1, drop, NULL));
    stepTimes(world, 1);
    assert_int_equal(wbWorld_GetStats(world).particles, 0);
    stepTimes(world, 97); // 0.194 s
    assert_int_equal(emitted(world, id), 0);
    assert_int_equal(countPumped(world), 1);
    stepTimes(world, 4);
    assert_int_equal(emitted(world, id), 1);
    assert_int_equal(countPumped(world), 0);
    wbDestroyWorld(world);
}

// What waits comes out, then nothing, also of a world that was saved; until another drain feeds it.
static void testPumpWithoutDrainRunsDry(void **state) {
    (void)state;
    wbWorldDef def = makeFlowDef(2, wb_backendCpu);
    wbWorld *world = createFlowWorld(&def), *loaded;
    wbEmitterDef pipe = makePipe(world);
    wbEmitterId id = addEmitter(world, &pipe);
    wbDrainId drain = addDrain(world, "drain", (wbVec3){-9, -9, 0}, (wbVec3){-8, -8, 1}, id);
    const float drops[] = {-8.5f, -8.5f, 0, -8.3f, -8.5f, 0};
    assertOk(wbFluid_AddParticles(world, wbWorld_GetFluid(world, 0), 2, drops, NULL));
    stepTimes(world, 1);
    assert_int_equal(wbWorld_GetStats(world).held, 2);
    wbDestroyDrain(world, drain);
    assert_int_equal(wbWorld_GetStats(world).held, 2);
    wbBytes bytes = {0};
    assertOk(wbWorld_SaveToBytes(world, &bytes));
    stepTimes(world, 200);
    assert_int_equal(emitted(world, id), 2);
    assert_int_equal(wbWorld_GetStats(world).held, 0);
    assertOk(wbLoadWorldFromBytes(bytes.data, bytes.size, &loaded));
    stepTimes(loaded, 200);
    assert_int_equal(emitted(loaded, id), 2);
    assert_true(wbWorld_Hash(loaded) == wbWorld_Hash(world));
    addDrain(world, "another", (wbVec3){-9, -9, 0}, (wbVec3){-8, -8, 1}, id);
    assertOk(wbFluid_AddParticles(world, wbWorld_GetFluid(world, 0), 1, drops, NULL));
    stepTimes(world, 200);
    assert_int_equal(emitted(world, id), 3);
    wbFreeBytes(&bytes);
    wbDestroyWorld(loaded);
    wbDestroyWorld(world);
}

// Emitters and drains do the same for any number of threads, and for a world that was saved in between.

static void testThreadsAndCheckpoints(void **state) {
    (void)state;
    char path[] = "/tmp/wirbel_flow_XXXXXX";
    close(mkstemp(path));
    for (int k = 0; k < 4; k++) {
        wbIntegrator integrator = k / 2 ? wb_integratorLeapfrog : wb_integratorEuler;
        wbWorld *world = createFountain(2 + k % 2, wb_backendCpu, integrator), *other, *loaded;
        other = createFountain(2 + k % 2, wb_backendCpu, integrator);
        assertOk(wbWorld_SetThreadCount(other, 1 + k));
        stepTimes(world, 137);
        assertOk(wbWorld_Save(world, path));
        assertOk(wbLoadWorld(path, &loaded));
        assert_true(wbWorld_Hash(loaded) == wbWorld_Hash(world));
        stepTimes(world, 150), stepTimes(loaded, 150), stepTimes(other, 287);
        assert_true(wbWorld_Hash(loaded) == wbWorld_Hash(world));
        assert_true(wbWorld_Hash(other) == wbWorld_Hash(world));
        assert_true(countPumped(loaded) == countPumped(world));
        assertAccounts(loaded);
        for (int i = 0; i < 2; i++) {
            wbFluidStats one = wbFluid_GetStats(world, wbWorld_GetFluid(world, i));
            wbFluidStats two = wbFluid_GetStats(loaded, wbWorld_GetFluid(loaded, i));
            assert_true(one.spawned == two.spawned && one.removed == two.removed);
            assert_true(wbEmitter_IsValid(loaded, wbWorld_GetEmitter(world, i)));
            assert_true(wbDrain_IsValid(loaded, wbWorld_GetDrain(world, i)));
        }
        wbDestroyWorld(world), wbDestroyWorld(other), wbDestroyWorld(loaded);
    }
    unlink(path);
}

// Hash: a carried remainder is state.
static void testHashSeesRemainders(void **state) {
    (void)state;
    wbWorldDef def = makeFlowDef(3, wb_backendCpu);
    wbWorld *one = createFlowWorld(&def), *two = createFlowWorld(&def);
    wbEmitterDef pipe = makePipe(one);
    addEmitter(one, &pipe);
    pipe.params.velocity = 3;
    addEmitter(two, &pipe);
    assert_true(wbWorld_Hash(one) == wbWorld_Hash(two));
    stepTimes(one, 1), stepTimes(two, 1);
    assert_true(wbWorld_Hash(one) != wbWorld_Hash(two));
    wbDestroyWorld(one), wbDestroyWorld(two);
}

// A fountain that has reached its numbers calls the allocator no more, though its ids go on.
static void testWarmStepsDoNotAllocate(void **state) {
    (void)state;
    wbWorld *world = createFountain(2, wb_backendCpu, wb_integratorSymplectic);
    stepTimes(world, 1500);
    uint64_t calls = wbWorld_GetProfile(world).allocations;
    int64_t spawned = wbWorld_GetStats(world).spawned;
    int most = wbWorld_GetStats(world).particles;
    assertOk(wbWorld_SetParam(world, "pipe.open", "0"));
    assertOk(wbWorld_SetParam(world, "outlet.open", "0")); // which would leave the jet's pump dry
    stepTimes(world, 500);
    assert_true(wbWorld_GetStats(world).particles <= most);
    assert_true(wbWorld_GetStats(world).spawned > spawned);
    assert_true(wbWorld_GetProfile(world).allocations - calls <= 2);
    calls = wbWorld_GetProfile(world).allocations;
    stepTimes(world, 500);
    assert_true(wbWorld_GetProfile(world).allocations == calls);
    wbDestroyWorld(world);
}

// Names and parameters

static void testNamesAndParams(void **state) {
    (void)state;
    wbWorldDef def = makeFlowDef(3, wb_backendCpu);
    wbWorld *world = createFlowWorld(&def);
    wbEmitterDef pipe = makePipe(world);
    wbEmitterId id = addEmitter(world, &pipe), none;
    char value[64];
    assertOk(wbWorld_SetParam(world, "pipe.velocity", "2.5"));
    assertOk(wbWorld_GetParam(world, "pipe.velocity", value, sizeof value));
    assert_string_equal(value, "2.5");
    assert_true(wbEmitter_GetParams(world, id)->velocity == 2.5f);
    assertRefused(wbWorld_SetParam(world, "pipe.velocity", "-1"),
                  "pipe.velocity is -1, allowed is 0 to 1e+06 m/s");
    assertRefused(wbWorld_SetParam(world, "pipe.speed", "1"), "unknown parameter \"pipe.speed\"");
    assertRefused(wbWorld_SetParam(world, "pipe.radios", "1"), "did you mean \"pipe.radius\"?");
    assertRefused(wbWorld_SetParam(world, "pipe.kind", "block"), "fixed");
    assertRefused(wbWorld_SetParam(world, "pope.rate", "1"), "unknown section");
    assertRefused(wbWorld_SetParam(world, "water.rate", "1"), "has no parameters of its own");
    assertRefused(wbWorld_SetParam(world, "pipe.radius", "0"), "radius is 0");
    assertRefused(wbWorld_SetParam(world, "pipe.radius", "1e6"), "at most 1048576 are allowed");
    assertRefused(wbWorld_SetParam(world, "pipe.direction", "0,0,0"), "has no direction");
    assertRefused(wbWorld_SetParam(world, "pipe.position", "1e9,0,0"), "too coarse");
    assert_true(wbEmitter_GetParams(world, id)->radius == 0.2f);

    const char *const bad[] = {"", "1pipe", "a.b", "sph", "a b"};
    for (int i = 0; i < 5; i++) {
        pipe.name = bad[i];
        assert_int_equal(wbCreateEmitter(world, &pipe, &none).code, wb_errorInput);
    }
    pipe.name = "water";
    assertRefused(wbCreateEmitter(world, &pipe, &none), "there is already a fluid named \"water\"");
    wbDrainDef drain = wbDefaultDrainDef();
    wbDrainId noDrain;
    drain.name = "pipe";
    drain.params.max = (wbVec3){1, 1, 1};
    assertRefused(wbCreateDrain(world, &drain, &noDrain), "there is already an emitter named \"pipe\"");
    drain.name = "sink", drain.params.max.y = 0;
    assertRefused(wbCreateDrain(world, &drain, &noDrain), "is empty");
    drain.params.max.y = NAN;
    assertRefused(wbCreateDrain(world, &drain, &noDrain), "sink.max.y is nan");
    wbFluidDef fluid = wbDefaultFluidDef();
    wbFluidId noFluid;
    fluid.name = "pipe";
    assertRefused(wbCreateFluid(world, &fluid, &noFluid), "already");
    pipe.name = "block", pipe.params.kind = wb_emitterBlock;
    assertRefused(wbCreateEmitter(world, &pipe, &none), "thinner than half");
    pipe.params.max = (wbVec3){100, 100, 100};
    assertRefused(wbCreateEmitter(world, &pipe, &none), "at most 16777216");
    pipe.params.max = (wbVec3){1, 1, 1};
    wbEmitterId block = addEmitter(world, &pipe);
    drain.params.max.y = 1, drain.emitter = block;
    assertRefused(wbCreateDrain(world, &drain, &noDrain), "a pump needs an emitter of kind disc");
    wbDestroyWorld(world);
}

static void testMouthBeyondASideIsRefused(void **state) {
    (void)state;
    wbWorldDef def = makeFlowDef(3, wb_backendCpu);
    def.domain = (wbDomainDef){.max = {1, 1, 1}};
    wbWorld *world = createFlowWorld(&def);
    wbEmitterDef pipe = makePipe(world);
    wbEmitterId id;
    pipe.params.position.x = 2;
    assertRefused(wbCreateEmitter(world, &pipe, &id),
                  "emitter \"pipe\" reaches to x = 2.05, beyond the closed sides");
    pipe.params.position.x = 0.5f, pipe.params.radius = 0.9f;
    assertRefused(wbCreateEmitter(world, &pipe, &id), "beyond the closed sides");
    wbDestroyWorld(world);
}

static void testMisuse(void **state) {
    (void)state;
    wbWorldDef def = makeFlowDef(3, wb_backendCpu);
    wbWorld *world = createFlowWorld(&def);
    wbEmitterDef pipe = {.name = "pipe"};
    wbDrainDef drain = {.name = "drain"};
    wbEmitterId id = {0};
    wbDrainId drainId = {0};
    expect_assert_failure(wbCreateEmitter(world, &pipe, &id));
    expect_assert_failure(wbCreateDrain(world, &drain, &drainId));
    pipe = wbDefaultEmitterDef();
    expect_assert_failure(wbCreateEmitter(world, &pipe, &id)); // no fluid
    drain = wbDefaultDrainDef();
    drain.emitter = (wbEmitterId){3, 1};
    expect_assert_failure(wbCreateDrain(world, &drain, &drainId));
    expect_assert_failure(wbEmitter_GetName(world, id));
    expect_assert_failure(wbEmitter_GetStats(world, (wbEmitterId){1, 7}));
    expect_assert_failure(wbDrain_GetStats(world, drainId));
    expect_assert_failure(wbWorld_GetEmitter(world, 0));
    expect_assert_failure(wbWorld_GetDrain(world, -1));
    assert_false(wbEmitter_IsValid(world, id));
    assert_true(wbEmitterId_IsNull(id) && wbDrainId_IsNull(drainId));
    wbDestroyWorld(world);
}

// Scenes

#define SCENE_HEAD                                                                                           \
    "{\"world\": {\"dimensions\": 2, \"dt\": 0.002},\n"                                                      \
    "\"domain\": {\"min\": [0, 0], \"max\": [2, 1]},\n"                                                      \
    "\"sph\": {\"spacing\": 0.1}, \"fluids\": [{\"name\": \"water\"}],\n"

static wbStatus readScene(const char *rest, wbScene **scene) {
    static char text[4096];
    snprintf(text, sizeof text, SCENE_HEAD "%s}", rest);
    return wbReadSceneText("s.json", text, strlen(text), scene);
}

static void testScript(void **state) {
    (void)state;
    wbScene *scene;
    wbWorld *world;
    assertOk(readScene(
        "\"emitters\": [{\"name\": \"pipe\", \"position\": [0.4, 0.5], \"velocity\": 2, \"open\": false}],\n"
        "\"drains\": [{\"name\": \"sink\", \"min\": [1, 0], \"max\": [2, 1], \"emitter\": \"pipe\"}],\n"
        "\"script\": [{\"at\": 0.1, \"set\": \"pipe.open\", \"value\": true},\n"
        "{\"at\": 0.3, \"set\": \"pipe.open\", \"value\": false}]",
        &scene));
    assertOk(wbScene_Set(scene, "pipe.velocity", "1"));
    assertRefused(wbScene_Set(scene, "pip.velocity", "1"), "did you mean \"pipe\"?");
    assertRefused(wbScene_Set(scene, "pipe.velocity", "-1"), "pipe.velocity is -1");
    assertRefused(wbScene_Set(scene, "pipe.position", "1,2,3"), "must have 2");
    assertRefused(wbScene_SetAt(scene, 1, "pipe.kind", "block"), "fixed");
    assertRefused(wbScene_SetAt(scene, 1, "pipe.rate", "x"), "pipe.rate is \"x\"");
    assertOk(wbScene_CreateWorld(scene, &world));
    assertOk(wbScene_CheckWorld(scene, world));
    // a pump has only what it was fed with
    float drops[3 * 20] = {0};
    for (int i = 0; i < 20; i++)
        drops[3 * i] = 1.05f + 0.1f * (float)(i % 5), drops[3 * i + 1] = 0.15f + 0.1f * (float)(i / 5);
    assertOk(wbFluid_AddParticles(world, wbWorld_GetFluid(world, 0), 20, drops, NULL));
    wbEmitterId pipe = wbWorld_GetEmitter(world, 0);
    for (int i = 0; i < 250; i++) {
        assertOk(wbScene_RunScript(scene, world));
        stepTimes(world, 1);
        if (wbWorld_GetTime(world) < 0.101) assert_int_equal(emitted(world, pipe), 0);
    }
    // 0.2 s at 1 m/s: two layers of two; two more wait, and the pump leaves the rest where it is
    assert_int_equal(emitted(world, pipe), 4);
    assert_int_equal(countPumped(world), 4);
    assert_int_equal(wbWorld_GetStats(world).particles, 16);
    wbDestroyWorld(world);
    wbDestroyScene(scene);
}

static void testBadScenes(void **state) {
    (void)state;
    static const struct {
        const char *rest, *text;
    } cases[] = {
        {"\"emitters\": {}", "s.json:4:13: emitters is the object {}, must be an array"},
        {"\"emitters\": [3]", "s.json:4:14: emitters[0] is the number 3, must be an object"},
        {"\"emitters\": [{}]", "s.json:4:14: emitters[0].name is missing"},
        {"\"emitters\": [{\"name\": 3}]", "s.json:4:23: emitters[0].name is the number 3"},
        {"\"emitters\": [{\"name\": \"1\"}]", "s.json:4:23: name \"1\" must be"},
        {"\"emitters\": [{\"name\": \"water\"}]", "s.json:4:23: name \"water\" is taken"},
        {"\"emitters\": [{\"name\": \"sph\"}]", "is taken"},
        {"\"emitters\": [{\"name\": \"p\", \"fluid\": 1}]", "s.json:4:37: emitters[0].fluid is the number 1"},
        {"\"emitters\": [{\"name\": \"p\", \"fluid\": \"oil\"}]",
         "s.json:4:37: there is no fluid named \"oil\""},
        {"\"emitters\": [{\"name\": \"p\", \"speed\": 1}]", "s.json:4:28: unknown key \"speed\""},
        {"\"emitters\": [{\"name\": \"p\", \"kind\": \"ring\"}]",
         "s.json:4:36: emitters[0].kind is \"ring\""},
        {"\"emitters\": [{\"name\": \"p\", \"position\": 1}]",
         "s.json:4:40: emitters[0].position is the number 1"},
        {"\"emitters\": [{\"name\": \"p\", \"position\": [1]}]", "has 1 number, must have 2"},
        {"\"emitters\": [{\"name\": \"p\", \"position\": [3, 0]}]",
         "s.json:4:14: emitters[0] reaches to x = 3"},
        {"\"emitters\": [{\"name\": \"p\", \"direction\": \"up\"}]", "s.json:4:41: emitters[0].direction"},
        {"\"emitters\": [{\"name\": \"p\", \"radius\": 0}]", "s.json:4:38: emitters[0].radius is 0"},
        {"\"emitters\": [{\"name\": \"p\", \"lattice\": \"bcc\"}]",
         "s.json:4:39: emitters[0].lattice is \"bcc\""},
        {"\"emitters\": [{\"name\": \"p\", \"min\": 0}]", "s.json:4:35: emitters[0].min"},
        {"\"emitters\": [{\"name\": \"p\", \"max\": 0}]", "s.json:4:35: emitters[0].max"},
        {"\"emitters\": [{\"name\": \"p\", \"kind\": \"block\", \"max\": [3, 1]}]",
         "emitters[0] reaches to x = 3"},
        {"\"emitters\": [{\"name\": \"p\", \"kind\": \"block\"}]", "emitters[0] is empty"},
        {"\"emitters\": [{\"name\": \"p\", \"velocity\": -1}]", "s.json:4:40: emitters[0].velocity is -1"},
        {"\"emitters\": [{\"name\": \"p\", \"rate\": 0}]", "s.json:4:36: emitters[0].rate is 0"},
        {"\"emitters\": [{\"name\": \"p\", \"rate\": 1e12}]", "emitters[0].rate is 1e+12"},
        {"\"emitters\": [{\"name\": \"p\", \"count\": 1.5}]", "s.json:4:37: emitters[0].count is 1.5"},
        {"\"emitters\": [{\"name\": \"p\", \"start\": -1}]", "s.json:4:37: emitters[0].start is -1"},
        {"\"emitters\": [{\"name\": \"p\", \"end\": -1}]", "s.json:4:35: emitters[0].end is -1"},
        {"\"emitters\": [{\"name\": \"p\", \"open\": 1}]", "s.json:4:36: emitters[0].open is the number 1"},
        {"\"drains\": [{\"name\": \"d\"}]", "s.json:4:12: drains[0].min is missing"},
        {"\"drains\": [{\"name\": \"d\", \"min\": [0, 0], \"max\": [1, 0]}]",
         "s.json:4:12: drains[0] is empty"},
        {"\"drains\": [{\"name\": \"d\", \"min\": [0, 0], \"max\": [1, 1], \"region\": 1}]",
         "drains[0].region is the number 1"},
        {"\"drains\": [{\"name\": \"d\", \"min\": [0, 0], \"max\": [1, 1], \"rate\": -1}]",
         "drains[0].rate is -1"},
        {"\"drains\": [{\"name\": \"d\", \"min\": [0, 0], \"max\": [1, 1], \"delay\": -1}]",
         "drains[0].delay is -1"},
        {"\"drains\": [{\"name\": \"d\", \"min\": [0, 0], \"max\": [1, 1], \"start\": -1}]",
         "drains[0].start is -1"},
        {"\"drains\": [{\"name\": \"d\", \"min\": [0, 0], \"max\": [1, 1], \"end\": -1}]",
         "drains[0].end is -1"},
        {"\"drains\": [{\"name\": \"d\", \"min\": [0, 0], \"max\": [1, 1], \"open\": \"no\"}]",
         "drains[0].open is the string \"no\""},
        {"\"drains\": [{\"name\": \"d\", \"min\": [0, 0], \"max\": [1, 1], \"emitter\": \"p\"}]",
         "s.json:4:67: there is no emitter named \"p\""},
        {"\"script\": [{\"at\": 1, \"set\": \"p.open\", \"value\": true}]",
         "s.json:4:29: unknown section or object \"p\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wbScene *scene;
        assertRefused(readScene(cases[i].rest, &scene), cases[i].text);
        assert_null(scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testCountsAreExact),
        cmocka_unit_test(testJetStaysTogether),
        cmocka_unit_test(testColliderInTheWay),
        cmocka_unit_test(testLayersStandAtTheirDistances),
        cmocka_unit_test(testRateAndCount),
        cmocka_unit_test(testVelocityZeroIsHarmless),
        cmocka_unit_test(testTwoEmittersInOnePlace),
        cmocka_unit_test(testMouthUnderWater),
        cmocka_unit_test(testNoLayerBeyondASide),
        cmocka_unit_test(testCapacity),
        cmocka_unit_test(testMemoryLimitIsNoError),
        cmocka_unit_test(testBlockComesWhenItOpens),
        cmocka_unit_test(testDrainRemovesThoseInside),
        cmocka_unit_test(testDrainRate),
        cmocka_unit_test(testRemovalKeepsOrderAndIds),
        cmocka_unit_test(testPumpConserves),
        cmocka_unit_test(testPumpKeepsUp),
        cmocka_unit_test(testPumpDelay),
        cmocka_unit_test(testPumpWithoutDrainRunsDry),
        cmocka_unit_test(testThreadsAndCheckpoints),
        cmocka_unit_test(testHashSeesRemainders),
        cmocka_unit_test(testWarmStepsDoNotAllocate),
        cmocka_unit_test(testNamesAndParams),
        cmocka_unit_test(testMouthBeyondASideIsRefused),
        cmocka_unit_test(testMisuse),
        cmocka_unit_test(testScript),
        cmocka_unit_test(testBadScenes),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
