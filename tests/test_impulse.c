// SPDX-License-Identifier: MIT
// What fluids lose to colliders, colliders get, by each method on the cores.
#include "core/thread.h"
#include "impulse_support.h"

static void testSph(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++)
        checkSplash(&(Splash){.solver = wb_solverSph,
                              .dimensions = k < 2 ? 2 : 3,
                              .integrator = k % 2 ? wb_integratorLeapfrog : wb_integratorSymplectic,
                              .isMixed = k == 1 || k == 2});
}

static void testPbf(void **state) {
    (void)state;
    const wbPbdSolver methods[] = {wb_pbdJacobiParticles, wb_pbdGaussSeidel, wb_pbdJacobiConstraints};
    for (int k = 0; k < 4; k++)
        checkSplash(&(Splash){.solver = wb_solverPbf,
                              .dimensions = k < 3 ? 2 : 3,
                              .method = methods[k % 3],
                              .subSteps = (float)(1 + k % 2),
                              .isMixed = k == 0 || k == 3});
}

// To the last bit.
static void testThreads(void **state) {
    (void)state;
    for (int solver = wb_solverSph; solver <= wb_solverPbf; solver++) {
        const Splash splash = {.solver = (wbFluidSolver)solver,
                               .dimensions = 2,
                               .integrator = wb_integratorLeapfrog,
                               .subSteps = 1};
        wbColliderStats first = {0};
        for (int threads = 1; threads <= 4; threads++) {
            wbWorld *world = createSplash(&splash, threads);
            for (int k = 0; k < 80; k++) assertOk(wbWorld_Step(world, 0));
            assert_true(wbCountCollisions(world).caught > 0);
            const wbColliderStats stats = wbCollider_GetStats(world, wbWorld_GetCollider(world, 0));
            if (threads == 1) first = stats;
            assert_memory_equal(stats.impulse, first.impulse, sizeof stats.impulse);
            assert_memory_equal(stats.angularImpulse, first.angularImpulse, sizeof stats.angularImpulse);
            assert_true(stats.force[0] == stats.impulse[0] / (double)4e-4f);
            wbDestroyWorld(world);
        }
    }
}

enum { ADDED = 1000 };

static void addRange(int begin, int end, int worker, void *context) {
    (void)worker;
    for (int i = begin; i < end; i++) wbSharedSum_Add(context, (float)(i % 7) * 0.1f - 0.2f);
}

// Sums do not depend on who adds what first, and what no sum can hold does not come out as nonsense.
static void testSharedSums(void **state) {
    (void)state;
    wbSharedSum first = 0;
    for (int threads = 1; threads <= 4; threads++) {
        wbSharedSum sum = 0;
        wbThreadPool *pool = wbCreateThreadPool(NULL, threads, NULL, NULL);
        wbParallelFor(pool, ADDED, 1, addRange, &sum);
        wbDestroyThreadPool(pool);
        if (threads == 1) first = sum;
        assert_true(sum == first);
    }
    double exact = 0;
    for (int i = 0; i < ADDED; i++) exact += (double)((float)(i % 7) * 0.1f - 0.2f);
    assert_true(fabs(wbSharedSum_Get(first) - exact) <= ADDED * (double)WB_SUM_GRAIN);
    wbSharedSum absurd = 0;
    wbSharedSum_Add(&absurd, 1e30f), assert_true(absurd == INT64_C(1) << 62);
    wbSharedSum_Add(&absurd, -1e30f), assert_true(absurd == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testSph), cmocka_unit_test(testPbf),
                                       cmocka_unit_test(testThreads), cmocka_unit_test(testSharedSums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
