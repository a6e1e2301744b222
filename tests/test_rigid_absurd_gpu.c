// SPDX-License-Identifier: MIT
// Absurd scenes of rigid bodies on a compute device: they end as on the cores.
#include "gpu_support.h"
#include "rigid_absurd_cases.h"

static wbStatus runOnDevice(wbWorld *world) {
    const wbStatus status = wbWorld_SetBackend(world, wb_backendOpencl, -1);
    return wbIsOk(status) ? runSteps(world) : status;
}

static void testScenesStepOrAreRefused(void **state) {
    (void)state;
    assertStepOrRefused(rigidCases, sizeof rigidCases / sizeof rigidCases[0], runOnDevice, assertFinite);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testScenesStepOrAreRefused)};
    const int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, NULL, NULL);
}
