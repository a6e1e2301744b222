// SPDX-License-Identifier: MIT
// Objects that come and go while a compute device has the state.
#include "come_and_go.h"
#include "gpu_support.h"

static void testRandom(void **state) {
    (void)state;
    const int operations = getOperations(120);
    int done = 0;
    for (uint32_t seed = 1; done < operations; seed++) done += runTwins(seed, wb_backendOpencl, 20, 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testRandom)};
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, catchAsserts, NULL);
}
