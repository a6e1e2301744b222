// SPDX-License-Identifier: MIT
// Queries into a world whose particles are on a compute device.
#include "gpu_support.h"
#include "query_support.h"

static void testRandomWorlds(void **state) {
    (void)state;
    checkWorld(2, wb_backendOpencl, 11, 6);
    checkWorld(3, wb_backendOpencl, 12, 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testRandomWorlds)};
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, NULL, NULL);
}
