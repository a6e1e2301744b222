// SPDX-License-Identifier: MIT
// Grabs in worlds on a compute device: they do what they do on the cores, within what the solvers' results differ by.
#include "gpu_support.h"
#include "grab_support.h"

static void testAll(void **state) {
    (void)state;
    wbWorld *device = makeGrabWorld(wb_backendOpencl, 1), *cores = makeGrabWorld(wb_backendCpu, 1);
    grabAll(device), grabAll(cores);
    stepTimes(device, 12), stepTimes(cores, 12);
    for (int g = 0; g < 4; g++) {
        wbVec3 here, there;
        bool isHere, isThere;
        assertOk(wbGrab_GetPoint(device, wbWorld_GetGrab(device, g), &isHere, &here));
        assertOk(wbGrab_GetPoint(cores, wbWorld_GetGrab(cores, g), &isThere, &there));
        const wbVec3 way = wbSub(here, there);
        assert_true(isHere && isThere && sqrtf(wbDot(way, way)) < 2e-3f);
    }
    for (int f = 0; f < 2; f++)
        assert_float_equal(getMomentum(device, f), getMomentum(cores, f), 0.1 * fabs(getMomentum(cores, f)));
    const double kinetic = wbWorld_GetSmokeStats(cores).kinetic;
    assert_float_equal(wbWorld_GetSmokeStats(device).kinetic, kinetic, 0.1 * kinetic);
    // let go, all of it is the device's again
    for (int g = 0; g < 4; g++) assertOk(wbGrab_SetOn(device, wbWorld_GetGrab(device, g), false));
    stepTimes(device, 3);
    wbDestroyWorld(device);
    wbDestroyWorld(cores);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testAll)};
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, NULL, NULL);
}
