// SPDX-License-Identifier: MIT
// Water and colliders of whole worlds on a compute device.
#include "colliders_support.h"
#include "gpu_support.h"
#include "guide_support.h"
#include "many_colliders_support.h"
#include "place_support.h"

static void testCupHolds(void **state) {
    (void)state;
    Cup cup = createCup(wb_backendOpencl, 1, wb_integratorLeapfrog);
    int count = wbWorld_GetStats(cup.world).particles;
    for (int i = 1; i <= 4; i++) {
        stepTo(cup.world, 0.15 * i);
        assert_int_equal(countOutside(&cup), 0);
        assert_int_equal(wbWorld_GetStats(cup.world).leaked, 0);
    }
    assert_int_equal(wbWorld_GetStats(cup.world).particles, count);
    wbDestroyWorld(cup.world);
}

// The wheel turns as on the cores, until chaos parts them; and it goes on there when the device is left.
static void testWheelTurnsAlike(void **state) {
    (void)state;
    wbMechanismId mills[2];
    wbWorld *worlds[2] = {createMill(wb_backendCpu, 3, &mills[0]),
                          createMill(wb_backendOpencl, 3, &mills[1])};
    for (int w = 0; w < 2; w++) stepTo(worlds[w], 0.45);
    wbMechanismStats cpu = wbMechanism_GetStats(worlds[0], mills[0]),
                     gpu = wbMechanism_GetStats(worlds[1], mills[1]);
    assert_true(cpu.speed < -5);
    if (fabs(cpu.speed - gpu.speed) > 0.05 * fabs(cpu.speed))
        fail_msg("%g deg/s on the cores, %g on the device", cpu.speed, gpu.speed);
    assertOk(wbWorld_SetParam(worlds[1], "world.backend", "cpu"));
    stepTo(worlds[1], 0.5);
    assertOk(wbWorld_SetParam(worlds[1], "world.backend", "opencl"));
    stepTo(worlds[1], 0.55);
    assert_int_equal(wbWorld_GetStats(worlds[1]).leaked, 0);
    for (int w = 0; w < 2; w++) wbDestroyWorld(worlds[w]);
}

// What is counted before a collider is put somewhere has come from the device, and goes on there.
static void testPlacing(void **state) {
    (void)state;
    checkPlacing(3, wb_solverSph, wb_backendOpencl);
    checkPlacing(2, wb_solverPbf, wb_backendOpencl);
    checkSweeping(2, wb_solverSph, wb_backendOpencl);
    checkSweeping(3, wb_solverPbf, wb_backendOpencl);
}

static void testManyColliders(void **state) {
    (void)state;
    checkManyColliders(wb_backendOpencl, 1, 40);
}

static void testBodiesInSmoke(void **state) {
    (void)state;
    wbWorld *world = createManyBodies(wb_backendOpencl, 1);
    stepWorld(world, 1);
    checkMask(world, 0.02f);
    checkBodyFaces(world);
    wbDestroyWorld(world);
}

// A piston that a spring bears sinks by (m + M) g / k: the cores move it, by what the device's water does.
static void testPiston(void **state) {
    (void)state;
    for (int k = 0; k < 3; k += 2) {
        wbWorld *world = createPiston(methods[k], 50, 1, wb_backendOpencl);
        double way = 0;
        for (int i = 0; i < 120; i++) {
            assertOk(wbWorld_Step(world, 0));
            if (i >= 90)
                way += 0.5 * wbMechanism_GetStats(world, wbWorld_GetMechanism(world, 0)).open[0] / 30;
        }
        const double right = (50 + wbWorld_GetStats(world).mass) * 9.81 / 20000;
        if (fabs(way - right) > 0.05 * right) fail_msg("%s: sank by %g m, not %g", methods[k], way, right);
        wbDestroyWorld(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testCupHolds),      cmocka_unit_test(testWheelTurnsAlike),
        cmocka_unit_test(testPlacing),       cmocka_unit_test(testManyColliders),
        cmocka_unit_test(testBodiesInSmoke), cmocka_unit_test(testPiston)};
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, NULL, NULL);
}
