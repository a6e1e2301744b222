// SPDX-License-Identifier: MIT
// The energy check on a device, whose particles the host does not see.
#include "energy_support.h"
#include "gpu_support.h"

static void testDriveIsNoRunaway(void **state) {
    (void)state;
    expectNoRunaway(wb_backendOpencl, 0.2);
}

static void testRunawayEndsTheRun(void **state) {
    (void)state;
    expectRunaways(wb_backendOpencl);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testDriveIsNoRunaway),
        cmocka_unit_test(testRunawayEndsTheRun),
    };
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, catchAsserts, NULL);
}
