// SPDX-License-Identifier: MIT
// The energy check, both sides: what drives a fluid is never taken for a runaway, and a runaway ends the run.
#include "energy_support.h"

static void testDriveIsNoRunaway(void **state) {
    (void)state;
    expectNoRunaway(wb_backendCpu, 2);
}

static void testRunawayEndsTheRun(void **state) {
    (void)state;
    expectRunaways(wb_backendCpu);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testDriveIsNoRunaway),
        cmocka_unit_test(testRunawayEndsTheRun),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
