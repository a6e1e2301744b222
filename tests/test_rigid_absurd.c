// SPDX-License-Identifier: MIT
// Absurd scenes of rigid bodies on the cores.
#include "rigid_absurd_cases.h"

static void testScenesStepOrAreRefused(void **state) {
    (void)state;
    assertStepOrRefused(rigidCases, sizeof rigidCases / sizeof rigidCases[0], runSteps, assertFinite);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testScenesStepOrAreRefused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
