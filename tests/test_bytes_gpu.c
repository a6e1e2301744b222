// SPDX-License-Identifier: MIT
// Worlds on a device go back to bytes, and stay on it.
#include "bytes_support.h"
#include "gpu_support.h"

static void testGoesBackBehindChanges(void **state) {
    (void)state;
    goBackBehindChanges(wb_backendOpencl);
}

// A window of fine cells that has moved since, and what a device alone has when the bytes are refused.
static void testWindowGoesBack(void **state) {
    (void)state;
    const Variant variant = {
        ",\"follow\":true,\"margin\":4", "", "", "", 1, NULL, false, false, false, false};
    wbWorld *world = createEvery(&variant, wb_backendOpencl);
    wbBytes bytes = save(world);
    step(world, 6);
    const uint64_t hash = wbWorld_Hash(world);
    for (int k = 0; k < 2; k++) {
        restore(world, &bytes);
        step(world, 6);
        assert_int_equal(wbWorld_Restore(world, bytes.data, bytes.size - 1).code, wb_errorInput);
        assert_true(wbWorld_Hash(world) == hash);
    }
    wbFreeBytes(&bytes);
    wbDestroyWorld(world);
}

// What was saved on a device goes on on the cores of a world that computes there, and the other way round.
static void testBackendStays(void **state) {
    (void)state;
    wbWorld *host = createEvery(&plain, wb_backendCpu), *device = createEvery(&plain, wb_backendOpencl);
    wbBytes one = save(host), two = save(device);
    restore(host, &two), restore(device, &one);
    assert_null(wbWorld_GetDevice(host));
    assert_non_null(wbWorld_GetDevice(device));
    step(host, 2), step(device, 2);
    wbFreeBytes(&one), wbFreeBytes(&two);
    wbDestroyWorld(host), wbDestroyWorld(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testGoesBackBehindChanges),
        cmocka_unit_test(testWindowGoesBack),
        cmocka_unit_test(testBackendStays),
    };
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, catchAsserts, NULL);
}
