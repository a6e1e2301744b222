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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testRemoval), cmocka_unit_test(testSameBits),
                                       cmocka_unit_test(testForged)};
    return cmocka_run_group_tests(tests, makeFolder, removeFolder);
}
