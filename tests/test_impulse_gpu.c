// SPDX-License-Identifier: MIT
// What fluids lose to colliders, colliders get, on a compute device; and the same bits each time.
#include "gpu/gpu_state.h"
#include "gpu_support.h"
#include "impulse_support.h"

static void testSph(void **state) {
    (void)state;
    checkSplash(&(Splash){.solver = wb_solverSph,
                          .dimensions = 2,
                          .backend = wb_backendOpencl,
                          .integrator = wb_integratorSymplectic,
                          .isMixed = true});
    checkSplash(&(Splash){.solver = wb_solverSph,
                          .dimensions = 3,
                          .backend = wb_backendOpencl,
                          .integrator = wb_integratorLeapfrog});
}

static void testPbf(void **state) {
    (void)state;
    checkSplash(
        &(Splash){.solver = wb_solverPbf, .dimensions = 2, .backend = wb_backendOpencl, .subSteps = 2});
    checkSplash(&(Splash){.solver = wb_solverPbf,
                          .dimensions = 3,
                          .backend = wb_backendOpencl,
                          .subSteps = 1,
                          .method = wb_pbdGaussSeidel,
                          .isMixed = true});
}

static void testSameBits(void **state) {
    (void)state;
    const Splash splash = {.solver = wb_solverSph,
                           .dimensions = 2,
                           .backend = wb_backendOpencl,
                           .integrator = wb_integratorLeapfrog};
    wbColliderStats stats[2];
    for (int k = 0; k < 2; k++) {
        wbWorld *world = createSplash(&splash, 1);
        for (int i = 0; i < 80; i++) {
            assertOk(wbWorld_Step(world, 0));
            assert_int_equal(world->gpu->pendingCount, 0); // times of all copies are this step's
        }
        assert_true(wbCountCollisions(world).caught > 0);
        stats[k] = wbCollider_GetStats(world, wbWorld_GetCollider(world, 0));
        wbDestroyWorld(world);
    }
    assert_memory_equal(stats[0].impulse, stats[1].impulse, sizeof stats[0].impulse);
    assert_memory_equal(stats[0].angularImpulse, stats[1].angularImpulse, sizeof stats[0].angularImpulse);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testSph), cmocka_unit_test(testPbf),
                                       cmocka_unit_test(testSameBits)};
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, NULL, NULL);
}
