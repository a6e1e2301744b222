// SPDX-License-Identifier: MIT
// Fluids of different rest density in one solver, on a device.
#include "densities_support.h"
#include "gpu_support.h"

static void testReference(void **state) {
    (void)state;
    expectReference(wb_backendOpencl);
}

static void testMomentum(void **state) {
    (void)state;
    expectMomentum(wb_backendOpencl);
}

static void testResume(void **state) {
    (void)state;
    expectResume(wb_solverSph, wb_backendOpencl);
    expectResume(wb_solverPbf, wb_backendOpencl);
}

// Colliders, emitters and drains: the same flow as on the processor's cores, as long as floats differ little.
static void expectBackendsAgree(wbFluidSolver solver) {
    wbStats stats[2];
    for (int k = 0; k < 2; k++) {
        wbWorld *world = createPipe(solver, k ? wb_backendOpencl : wb_backendCpu, 1);
        stepPipe(solver, world, 100);
        stats[k] = wbWorld_GetStats(world);
        wbDestroyWorld(world);
    }
    assert_int_equal(stats[0].particles, stats[1].particles);
    assertBelow(fabs(stats[1].mass / stats[0].mass - 1), 1e-9, "mass");
    assertBelow(fabs(stats[1].kinetic / stats[0].kinetic - 1), 1e-3, "kinetic energy");
    assertBelow(fabs(stats[1].potential / stats[0].potential - 1), 1e-5, "potential energy");
}

static void testBackendsAgree(void **state) {
    (void)state;
    expectBackendsAgree(wb_solverSph);
    expectBackendsAgree(wb_solverPbf);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testReference),
        cmocka_unit_test(testMomentum),
        cmocka_unit_test(testResume),
        cmocka_unit_test(testBackendsAgree),
    };
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, catchAsserts, NULL);
}
