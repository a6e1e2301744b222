// SPDX-License-Identifier: MIT
// Soft solids of whole worlds on a compute device.
#include "gpu_support.h"
#include "soft_support.h"

static float findWorst(wbWorld *a, wbWorld *b) {
    float worst = 0;
    for (int s = 0; s < wbWorld_GetSolidCount(a); s++) {
        wbView one = getView(a, s), two = getView(b, s);
        for (int i = 0; i < one.count; i++) {
            wbVec3 gap = {one.x[i] - two.x[i], one.y[i] - two.y[i], one.z[i] - two.z[i]};
            worst = fmaxf(worst, sqrtf(wbDot(gap, gap)));
        }
    }
    return worst;
}

// The same as on the cores, but for roundings; the backend changes while it runs, in both directions.
static void testAsOnCores(void **state) {
    (void)state;
    wbWorld *cores = createSoftWorld(SOFT_MIXTURE, wb_backendCpu, 1),
            *device = createSoftWorld(SOFT_MIXTURE, wb_backendOpencl, 1);
    assertOk(wbWorld_SetParam(cores, "domain.max", "1,1.7,1"));
    assertOk(wbWorld_SetParam(device, "domain.max", "1,1.7,1"));
    stepWorld(cores, 8), stepWorld(device, 8);
    assert_true(findWorst(cores, device) < 1e-4f);
    assert_true(wbWorld_GetDomain(device)->max.y == wbWorld_GetDomain(cores)->max.y);
    assertOk(wbWorld_SetParam(device, "world.backend", "cpu"));
    stepWorld(cores, 4), stepWorld(device, 4);
    assertOk(wbWorld_SetParam(device, "world.backend", "opencl"));
    stepWorld(cores, 4), stepWorld(device, 4);
    float worst = findWorst(cores, device);
    if (worst > 1e-3f) fail_msg("%g m apart", worst);
    wbDestroyWorld(cores), wbDestroyWorld(device);
}

static void testCheckpoint(void **state) {
    (void)state;
    const char *path = "test_soft_gpu.wb";
    wbWorld *world = createSoftWorld(SOFT_MIXTURE, wb_backendOpencl, 1), *loaded;
    stepWorld(world, 3);
    assertOk(wbWorld_Save(world, path));
    assertOk(wbLoadWorld(path, &loaded));
    assert_non_null(wbWorld_GetDevice(loaded));
    stepWorld(world, 3), stepWorld(loaded, 3);
    assert_true(wbWorld_Hash(loaded) == wbWorld_Hash(world));
    wbDestroyWorld(world), wbDestroyWorld(loaded);
    remove(path);
}

// What is changed on the host between steps is seen.
static void testPins(void **state) {
    (void)state;
    wbWorld *world = createSoftWorld(SOFT_MIXTURE, wb_backendOpencl, 1);
    wbSolidId ball = wbWorld_GetSolid(world, 0);
    stepWorld(world, 2);
    assertOk(wbSolid_Pin(world, ball, 7, true));
    wbView view = getView(world, 0);
    float y = view.y[7];
    stepWorld(world, 5);
    view = getView(world, 0);
    assert_true(view.y[7] == y);
    wbDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testAsOnCores), cmocka_unit_test(testCheckpoint),
                                       cmocka_unit_test(testPins)};
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, NULL, NULL);
}
