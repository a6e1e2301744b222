// SPDX-License-Identifier: MIT
// The theory of adaptive fluids against the source's tables, recomputed (L. Geyer 2022, tables 6.1 to 6.3).
#include <math.h>

#include "bench/adaptive_theory.h"
#include "test_support.h"

static void assertNear(double value, double expected, double share) {
    assert_float_equal(value / expected, 1, share);
}

// Particles and pairs of a fluid of 100 radii; the same without growth are volumes times densities.
static void testCounts(void **state) {
    (void)state;
    static const double particles[] = {37.44, 3331, 296159}, pairs[] = {218, 63251, 13773580};
    static const double uniformParticles[] = {100, 7854, 523599}, uniformPairs[] = {400, 98696, 17545963};
    for (int d = 1; d <= 3; d++) {
        wbAdaptiveTheory theory = wbMakeThesisTheory(d, 100);
        assertNear(wbTheory_CountParticles(&theory), particles[d - 1], 2e-3);
        assertNear(wbTheory_CountPairs(&theory), pairs[d - 1], 2e-3);
        theory.slope = 0;
        assertNear(wbTheory_CountParticles(&theory), uniformParticles[d - 1], 1e-4);
        assertNear(wbTheory_CountPairs(&theory), uniformPairs[d - 1], 5e-4);
    }
}

static void testLeastRadius(void **state) {
    (void)state;
    static const double fixed[] = {31.84, 46.48, 60.61}, half[] = {31.84, 50.76, 79.19};
    for (int d = 1; d <= 3; d++) {
        wbAdaptiveTheory theory = wbMakeThesisTheory(d, 0);
        assertNear(wbTheory_FindLeastRadius(theory), fixed[d - 1], 5e-3);
        theory.slope = 0.5;
        assertNear(wbTheory_FindLeastRadius(theory), half[d - 1], 5e-3);
    }
}

static void testBestSlope(void **state) {
    (void)state;
    static const double slopes[3][3] = {{0.44, 0.5, 0.51}, {0, 0.4, 0.44}, {0, 0.31, 0.35}};
    static const double radii[3] = {35, 100, 200};
    for (int d = 1; d <= 3; d++)
        for (int k = 0; k < 3; k++)
            assert_float_equal(wbTheory_FindBestSlope(wbMakeThesisTheory(d, radii[k])), slopes[d - 1][k],
                               0.02);
}

// Levels: with no growth a kernel holds what its volume does; with growth there are as many neighbours everywhere but near the surface. Sizes are
// the nearest powers of two, in mass, of what is wanted.
static void testLevels(void **state) {
    (void)state;
    static const double ball[] = {2, 3.14159265, 4.18879020}, radii[] = {1, 1.41421356, 1.25992105};
    for (int d = 1; d <= 3; d++) {
        wbAdaptiveTheory theory = {wb_theoryLevels, d, 200, 4.2, 0, 4};
        const double uniform = ball[d - 1] * pow(2.1, d);
        assertNear(wbTheory_CountNeighbours(&theory, 0), uniform, 1e-3);
        assertNear(wbTheory_CountNeighbours(&theory, 50), uniform, 1e-3);
        theory.slope = 0.08;
        assertNear(wbTheory_CountNeighbours(&theory, 100), uniform,
                   0.15); // steps of sizes are felt, in 1D most
        assert_true(wbTheory_CountParticles(&theory) < 0.3 * ball[d - 1] * pow(100, d));
        assert_float_equal(wbTheory_GetRadius(&theory, 200 - 8), radii[d - 1], 1e-6); // 1.32 is wanted
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testCounts), cmocka_unit_test(testLeastRadius),
                                       cmocka_unit_test(testBestSlope), cmocka_unit_test(testLevels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
