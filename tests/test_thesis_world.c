// SPDX-License-Identifier: MIT
// The method thesis of adaptive fluids in worlds: accounts by mass while mass goes over, checkpoints, the same bits.
#include "checkpoint_support.h"
#include "pbf_world_support.h"

enum { SIDE = 36 };

// A square without weight, whose inside merges.
static wbWorld *createSquare(int threads, wbFluidId *fluid) {
    wbWorldDef def = makePbfDef(2, wb_backendCpu, wbMakeVec3(0, 0, 0));
    def.pbf.adaptive.method = wb_adaptiveThesis, def.pbf.adaptive.kernelSlope = 0.6f;
    def.threadCount = threads, def.params.gravity = wbMakeVec3(0, 0, 0);
    wbWorld *world = createPbfWorld(&def, fluid);
    addBlock(world, *fluid, wbMakeVec3(0, 0, 0), wbMakeVec3(0.1f * SIDE, 0.1f * SIDE, 0));
    return world;
}

static int64_t countMass(wbWorld *world, wbFluidId fluid) {
    const wbView view = getView(world, fluid);
    int64_t sum = 0;
    for (int i = 0; i < view.count; i++)
        sum += llround((double)view.mass[i] / wbFluid_GetParticleMass(world, fluid));
    return sum;
}

static void assertMass(wbWorld *world, wbFluidId fluid, int64_t units) {
    const wbStats stats = wbWorld_GetStats(world);
    assert_int_equal(countMass(world, fluid), units);
    assert_int_equal(stats.spawned - stats.removed, units);
}

// Before the first merges are done, and after them.
static void testRemoval(void **state) {
    (void)state;
    for (int steps = 16; steps <= 80; steps += 64) {
        wbFluidId fluid;
        int removed;
        wbWorld *world = createSquare(2, &fluid);
        stepTimes(world, steps);
        assertMass(world, fluid, SIDE * SIDE);
        if (steps > 16) assert_true(wbWorld_GetStats(world).merges > 50);
        assertOk(wbFluid_RemoveParticlesInBox(world, fluid, wbMakeVec3(0, 0, -1), wbMakeVec3(1.8f, 9, 1),
                                              &removed));
        const int64_t left = countMass(world, fluid);
        assert_true(left > SIDE * SIDE / 3 && left < 2 * SIDE * SIDE / 3);
        stepTimes(world, 30);
        assertMass(world, fluid, left);
        wbDestroyWorld(world);
    }
}

static void testSameBits(void **state) {
    (void)state;
    uint64_t hashes[2];
    wbBytes bytes = {0};
    wbFluidId fluid;
    for (int threads = 1; threads <= 2; threads++) {
        wbWorld *world = createSquare(threads, &fluid);
        stepTimes(world, 20);
        if (threads == 2) assertOk(wbWorld_SaveToBytes(world, &bytes));
        stepTimes(world, 15);
        hashes[threads - 1] = wbWorld_Hash(world);
        wbDestroyWorld(world);
    }
    assert_true(hashes[0] == hashes[1]);
    wbWorld *loaded;
    assertOk(wbLoadWorldFromBytes(bytes.data, bytes.size, &loaded));
    stepTimes(loaded, 15);
    assert_true(wbWorld_Hash(loaded) == hashes[0]);
    wbDestroyWorld(loaded);
    wbFreeBytes(&bytes);
}

// While mass goes over, each transfer is between two particles that are there, and ends in time.
static void testTransfers(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorld *world = createSquare(1, &fluid);
    wbTransfer transfers[512];
    wbView view;
    int count, most = 0;
    for (int i = 0; i < 40; i++) {
        stepTimes(world, 1);
        assertOk(wbWorld_GetTransfers(world, transfers, 512, &count));
        assertOk(wbFluid_GetView(world, fluid, &view));
        if (count > most) most = count;
        for (int t = 0; t < count && t < 512; t++) {
            int ends = 0;
            for (int k = 0; k < view.count; k++)
                ends += (view.x[k] == transfers[t].from.x && view.y[k] == transfers[t].from.y) ||
                        (view.x[k] == transfers[t].to.x && view.y[k] == transfers[t].to.y);
            assert_int_equal(ends, 2);
            assert_true(transfers[t].left >= 0);
        }
    }
    assert_true(most > 10);
    wbDestroyWorld(world);
}

// A checkpoint with right checksums that lies about mass, kernels and transfers.
static void testForged(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorld *world = createSquare(1, &fluid);
    stepTimes(world, 20);
    assertOk(wbWorld_Save(world, inFolder("thesis.wirbel")));
    wbDestroyWorld(world);
    Bytes file = readFile(inFolder("thesis.wirbel"));
    const struct {
        const char *name, *text;
        uint8_t bytes[4];
    } cases[] = {
        {"pbf.units", "is not possible", {2, 0, 0, 0}},
        {"pbf.parts", "is not possible", {1, 0, 0, 0}},
        {"pbf.width", "is not possible", {0, 0, 0, 0}},
        {"pbf.distance", "is not possible", {0, 0, 0xc0, 0x7f}},
        {"pbf.role", "is not possible", {9, 0, 0, 0}},
        {"pbf.other", "is not possible", {255, 255, 255, 127}},
        {"pbf.spareCount", "", {1, 0, 0, 0}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        size_t size;
        char *copy = copySection(file, cases[k].name, &size);
        memcpy(copy, cases[k].bytes, 4);
        assertRefused(loadForged(file, cases[k].name, copy, size), wb_errorInput, cases[k].text);
        test_free(copy);
    }
    freeBytes(file);
}

static void addColliders(wbWorld *world, wbFluidId fluid) {
    addBox(world, "post", wbMakeVec3(1.4f, 0.4f, 0), wbMakeVec3(0.3f, 0.8f, 1));
    assertOk(wbWorld_SetParam(world, "post.slip", "noSlip"));
    wbColliderId gate = addBox(world, "door", wbMakeVec3(0.5f, 0.4f, 0), wbMakeVec3(0.2f, 0.6f, 1));
    wbMechanismDef slider = wbDefaultMechanismDef();
    wbMechanismId sliderId;
    slider.name = "gate", slider.colliders = &gate, slider.colliderCount = 1;
    slider.params.open = 1, slider.params.duration = 0.3f;
    assertOk(wbCreateMechanism(world, &slider, &sliderId));
    wbEmitterDef jet = wbDefaultEmitterDef();
    jet.name = "jet", jet.fluid = fluid;
    jet.params.position = wbMakeVec3(0.3f, 2.6f, 0), jet.params.radius = 0.15f, jet.params.velocity = 1;
    addDrain(world, "inlet", wbMakeVec3(1.7f, 0, -1), wbMakeVec3(2, 0.3f, 1), addEmitter(world, &jet));
    wbFluidDef oil = wbDefaultFluidDef();
    oil.name = "oil", oil.solver = wb_solverPbf, oil.restDensity = 500;
    wbFluidId id;
    assertOk(wbCreateFluid(world, &oil, &id));
    addBlock(world, id, wbMakeVec3(0.8f, 1.9f, 0), wbMakeVec3(1.8f, 2.2f, 0));
}

// In 2D: water 2 m wide and 1.8 m deep. With a collider it lies on that. With more of them a post that nothing slips along stands in it, a gate slides
// through it, a jet falls into it and a drain takes it away again, and a fluid half as dense is above it.
static wbWorld *createTank(int threads, wbBackend backend, int colliders, wbFluidId *fluid) {
    wbWorldDef def = makePbfDef(2, backend, wbMakeVec3(2, 4, 0));
    def.threadCount = threads, def.pbf.adaptive.method = wb_adaptiveThesis;
    def.pbf.adaptive.kernelSlope = 0.8f; // so that there are several sizes
    if (colliders > 0) def.domain.min.y = -0.5f;
    wbWorld *world = createPbfWorld(&def, fluid);
    if (colliders > 0) addBox(world, "floor", wbMakeVec3(1, -0.25f, 0), wbMakeVec3(2.4f, 0.5f, 1));
    if (colliders > 1) addColliders(world, *fluid);
    addBlock(world, *fluid, wbMakeVec3(0, 0, 0), wbMakeVec3(2, 1.8f, 0));
    return world;
}

static double getCentre(wbWorld *world, wbFluidId fluid) {
    const wbView view = getView(world, fluid);
    double sum = 0, mass = 0;
    for (int i = 0; i < view.count; i++)
        sum += (double)view.mass[i] * (double)view.y[i], mass += (double)view.mass[i];
    return sum / mass;
}

// Sides are no surface to the density: a pool keeps its level.
static void testLevel(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorld *world = createTank(2, wb_backendCpu, 0, &fluid);
    stepTimes(world, 120);
    assertBelow(fabs(getCentre(world, fluid) / 0.9 - 1), 0.015, "level");
    assert_true(wbWorld_GetStats(world).merges > 10);
    wbDestroyWorld(world);
}

// A floor bears the water's weight.
static void testWeight(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorld *world = createTank(2, wb_backendCpu, 1, &fluid);
    const wbColliderId floor = wbWorld_GetCollider(world, 0);
    const double weight = 9.81 * wbFluid_GetMass(world, fluid), level = getCentre(world, fluid);
    double force = 0;
    enum { STEPS = 60 };
    stepTimes(world, 90);
    for (int k = 0; k < STEPS; k++) {
        stepTimes(world, 1);
        force += (double)wbCollider_GetStats(world, floor).force[1] / STEPS;
    }
    assertBelow(fabs(force / -weight - 1), 0.05, "weight on the floor");
    assertBelow(fabs(getCentre(world, fluid) / level - 1), 0.02, "level on the floor");
    wbDestroyWorld(world);
}

// Colliders that stand and move, a pump, and two fluids: mass is exact, nobody is in the post, the light fluid stays above, and threads do not matter.
static void testTank(void **state) {
    (void)state;
    uint64_t hashes[2];
    for (int threads = 1; threads <= 2; threads++) {
        wbFluidId fluid;
        wbWorld *world = createTank(threads, wb_backendCpu, 2, &fluid);
        int inside = 0;
        stepTimes(world, 45);
        const wbStats stats = wbWorld_GetStats(world);
        const wbView view = getView(world, fluid), oil = getView(world, wbWorld_GetFluid(world, 1));
        assert_int_equal(stats.spawned - stats.removed,
                         countMass(world, fluid) + countMass(world, wbWorld_GetFluid(world, 1)));
        assert_int_equal(oil.count > 0 ? countMass(world, wbWorld_GetFluid(world, 1)) : 0, 30);
        for (int i = 0; i < view.count; i++) inside += fabsf(view.x[i] - 1.4f) < 0.14f && view.y[i] < 0.78f;
        assert_int_equal(inside, 0);
        assert_true(stats.merges > 0 && stats.removed > 20);
        assert_true(getCentre(world, wbWorld_GetFluid(world, 1)) > 1.4);
        hashes[threads - 1] = wbWorld_Hash(world);
        wbDestroyWorld(world);
    }
    assert_true(hashes[0] == hashes[1]);
}

// What the method does not have is refused when a world is made, and when a parameter changes.
static void testRefused(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorld *world = createTank(1, wb_backendCpu, 0, &fluid);
    assertRefused(wbWorld_SetParam(world, "pbf.vorticity", "0.1"), wb_errorInput, "pbf.vorticity");
    assertRefused(wbWorld_SetParam(world, "pbf.tension", "0.2"), wb_errorInput, "pbf.tension");
    assertOk(wbWorld_SetParam(world, "pbf.tension", "0"));
    wbDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testRemoval), cmocka_unit_test(testSameBits),
                                       cmocka_unit_test(testForged),  cmocka_unit_test(testLevel),
                                       cmocka_unit_test(testWeight),  cmocka_unit_test(testTank),
                                       cmocka_unit_test(testRefused), cmocka_unit_test(testTransfers)};
    return cmocka_run_group_tests(tests, makeFolder, removeFolder);
}
