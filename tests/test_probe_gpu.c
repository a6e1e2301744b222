// SPDX-License-Identifier: MIT
// Probes in worlds on a compute device.
#include "gpu_support.h"
#include "probe_support.h"

static void testTank(void **state) {
    (void)state;
    checkTank(2, wb_solverSph, wb_backendOpencl);
}

static void testJet(void **state) {
    (void)state;
    checkJet(3, wb_backendOpencl);
}

static void testAir(void **state) {
    (void)state;
    checkAir(3, wb_backendOpencl);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testTank), cmocka_unit_test(testJet),
                                       cmocka_unit_test(testAir)};
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, NULL, NULL);
}
