// SPDX-License-Identifier: MIT
// Water and colliders of whole worlds on the cores: nothing leaks, wheels turn, files go on, threads do not matter.
#include <stdlib.h>
#include <unistd.h>

#include "colliders_support.h"

// The wall is a third of a spacing thin, and is thrown about: nothing passes it.
static void testCupHolds(void **state) {
    (void)state;
    const wbIntegrator integrators[] = {wb_integratorSymplectic, wb_integratorLeapfrog};
    for (int k = 0; k < 2; k++) {
        Cup cup = createCup(wb_backendCpu, 1, integrators[k]);
        int count = wbWorld_GetStats(cup.world).particles;
        assert_true(count > 400);
        for (int i = 1; i <= 10; i++) {
            stepTo(cup.world, 0.2 * i);
            assert_int_equal(countOutside(&cup), 0);
            assert_int_equal(wbWorld_GetStats(cup.world).leaked, 0);
        }
        assert_int_equal(wbWorld_GetStats(cup.world).particles, count);
        wbDestroyWorld(cup.world);
    }
}

static void testThreadsDoNotMatter(void **state) {
    (void)state;
    uint64_t first = 0;
    for (int threads = 1; threads <= 3; threads++) {
        Cup cup = createCup(wb_backendCpu, threads, wb_integratorLeapfrog);
        stepTo(cup.world, 0.1);
        uint64_t hash = wbWorld_Hash(cup.world);
        if (threads == 1) first = hash;
        assert_true(hash == first);
        wbDestroyWorld(cup.world);
    }
}

// Water that falls on its right turns it clockwise, in space and in the plane.
static void testWaterTurnsTheWheel(void **state) {
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        wbMechanismId mill;
        wbWorld *world = createMill(wb_backendCpu, dimensions, &mill);
        stepTo(world, 0.6);
        wbMechanismStats stats = wbMechanism_GetStats(world, mill);
        assert_true(stats.speed < -10 && stats.angle < -2);
        assert_int_equal(wbWorld_GetStats(world).leaked, 0);
        wbDestroyWorld(world);
    }
}

// What the water gains by a push, the collider feels: a block of water at rest on a plate weighs m g.
static void testWeightOfWater(void **state) {
    (void)state;
    wbWorld *world;
    wbWorldDef def = wbDefaultWorldDef();
    def.domain = (wbDomainDef){.min = {0, -1, 0}, .max = {0.5f, 2, 0.5f}};
    def.sph.spacing = 0.05f, def.sph.soundSpeed = 25;
    def.threadCount = 1;
    assertOk(wbCreateWorld(&def, &world));
    wbColliderDef plate = wbDefaultColliderDef();
    wbColliderId id;
    plate.name = "plate";
    plate.params.size = wbMakeVec3(0.8f, 0.2f, 0.8f); // beyond the sides
    plate.params.position = wbMakeVec3(0.25f, -0.1f, 0.25f);
    assertOk(wbCreateCollider(world, &plate, &id));
    wbFluidDef water = wbDefaultFluidDef();
    wbFluidId fluid;
    assertOk(wbCreateFluid(world, &water, &fluid));
    assertOk(wbFluid_AddBlock(world, fluid, &(wbBlockDef){.max = {0.5f, 0.5f, 0.5f}}));
    stepTo(world, 1.5);
    double sum = 0;
    for (int i = 0; i < 400; i++) {
        assertOk(wbWorld_Step(world, 0));
        sum += wbCollider_GetStats(world, id).force[1] / 400;
    }
    double weight = 9.81 * wbWorld_GetStats(world).mass;
    if (fabs(sum + weight) > 0.02 * weight)
        fail_msg("the plate feels %g N, the water weighs %g N", sum, weight);
    wbDestroyWorld(world);
}

// Colliders that moved, a wheel that turns: all of it is in the file.
static void testCheckpoint(void **state) {
    (void)state;
    char path[] = "mill-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    wbMechanismId mill;
    wbWorld *whole = createMill(wb_backendCpu, 2, &mill), *resumed;
    stepTo(whole, 0.3);
    assertOk(wbWorld_Save(whole, path));
    assertOk(wbLoadWorld(path, &resumed));
    for (int i = 0; i < 50; i++) assertOk(wbWorld_Step(whole, 0)), assertOk(wbWorld_Step(resumed, 0));
    assert_true(wbWorld_Hash(whole) == wbWorld_Hash(resumed));
    assert_true(wbMechanism_GetStats(whole, mill).speed ==
                wbMechanism_GetStats(resumed, wbWorld_GetMechanism(resumed, 0)).speed);
    unlink(path);
    wbDestroyWorld(whole), wbDestroyWorld(resumed);
}

// Time steps that follow a wheel which is far too light, without a floor, would shrink to nothing.
static void testTooLightWheelStops(void **state) {
    (void)state;
    wbMechanismId mill;
    wbWorld *world = createMill(wb_backendCpu, 2, &mill);
    assertOk(wbWorld_SetParam(world, "mill.inertia", "1e-9"));
    assertOk(wbWorld_SetParam(world, "coupling.floor", "0"));
    wbStatus status = wbWorld_Step(world, 0);
    for (int i = 0; i < 1000 && wbIsOk(status); i++) status = wbWorld_Step(world, 0);
    assert_int_equal(status.code, wb_errorUnstable);
    assert_non_null(strstr(status.text, "may be too small"));
    wbDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testCupHolds),           cmocka_unit_test(testThreadsDoNotMatter),
        cmocka_unit_test(testWaterTurnsTheWheel), cmocka_unit_test(testWeightOfWater),
        cmocka_unit_test(testCheckpoint),         cmocka_unit_test(testTooLightWheelStops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
