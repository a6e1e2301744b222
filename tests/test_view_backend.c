// SPDX-License-Identifier: MIT
// The window's switch between cores and a compute device: it is a command, which going back and recordings do again.
#include "view_sim_support.h"

#include "gpu_support.h"

// On cores, on a device from step 10 on, on cores again from step 20 on.
static void testSwitch(void **state) {
    (void)state;
    Start start = {0};
    uint64_t hashes[31];
    wbSim *sim = openSim(&start, "falling-block", "sph.particles=800", true, 64);
    for (int i = 0; i <= 30; i++) {
        if (i == 11) wbSim_SetBackend(sim, wb_backendOpencl, 0);
        if (i == 21) wbSim_SetBackend(sim, wb_backendCpu, -1);
        runTo(sim, i);
        hashes[i] = wbWorld_Hash(sim->world);
        assert_true((wbWorld_GetDevice(sim->world) != NULL) == (i >= 11 && i < 21));
    }
    assert_int_equal(sim->recording.script.count, 4);
    const int steps[] = {5, 15, 25, 12, 30};
    for (int i = 0; i < 5; i++) {
        seekTo(sim, steps[i]);
        assert_true(wbWorld_Hash(sim->world) == hashes[steps[i]]);
    }
    seekTo(sim, 3);
    runTo(sim, 30);
    assert_true(wbWorld_Hash(sim->world) == hashes[30]);
    wbDestroySim(sim);
}

// What was switched to computes the next world, and its recording says so.
static void testRestart(void **state) {
    (void)state;
    Start start = {0};
    wbSim *sim = openSim(&start, "falling-block", "sph.particles=800", true, 64);
    wbSim_SetBackend(sim, wb_backendOpencl, 0);
    runTo(sim, 2);
    wbSim_Open(sim, NULL);
    wbSim_Advance(sim, 0);
    assert_non_null(wbWorld_GetDevice(sim->world));
    assert_int_equal(sim->recording.settings.count, 3);
    assert_string_equal(wbCommandLog_Get(&sim->recording.settings, 2)->value, "opencl");
    wbDestroySim(sim);
}

// A world on a device comes back to it from a comparison.
static void testCompare(void **state) {
    (void)state;
    Start start = {0};
    wbSim *sim = openSim(&start, "falling-block", "sph.particles=800", true, 64);
    wbSim_SetBackend(sim, wb_backendOpencl, 0);
    runTo(sim, 6);
    const uint64_t hash = wbWorld_Hash(sim->world);
    runTo(sim, 12);
    const uint64_t end = wbWorld_Hash(sim->world);
    seekTo(sim, 6);
    wbSim_Compare(sim, 3);
    wbSim_Advance(sim, 0);
    assert_non_null(strstr(sim->state.comparison, "times as fast"));
    assert_non_null(wbWorld_GetDevice(sim->world));
    assert_true(wbWorld_Hash(sim->world) == hash);
    runTo(sim, 12);
    assert_true(wbWorld_Hash(sim->world) == end);
    wbDestroySim(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testSwitch), cmocka_unit_test(testRestart),
                                       cmocka_unit_test(testCompare)};
    const int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, NULL, NULL);
}
