// SPDX-License-Identifier: MIT
// Sides that move and change their kind, on a compute device: as on the cores.
#include "domain_support.h"
#include "gpu_support.h"

static void createPair(const char *text, wbWorld *worlds[2]) {
    for (int w = 0; w < 2; w++) worlds[w] = createWorldOf(text, w ? wb_backendOpencl : wb_backendCpu, 2);
}

static void setBoth(wbWorld *worlds[2], const char *key, const char *value) {
    for (int w = 0; w < 2; w++) set(worlds[w], key, value);
}

static void stepBoth(wbWorld *worlds[2], int count, float dt) {
    for (int w = 0; w < 2; w++)
        for (int k = 0; k < count; k++) assertOk(wbWorld_Step(worlds[w], dt));
}

// m: the farthest that a particle is from where it is on the cores, after all of them were copied by id.
static double compareFluids(wbWorld *worlds[2]) {
    static float places[2][3][4096];
    double worst = 0;
    int counts[2];
    for (int w = 0; w < 2; w++) {
        wbView view;
        wbFluidId fluid = wbWorld_GetFluid(worlds[w], 0);
        assertOk(wbFluid_GetView(worlds[w], fluid, &view));
        counts[w] = view.count;
        assert_true(view.count <= 4096);
        for (int i = 0; i < view.count; i++) {
            assert_true(view.id[i] < 4096);
            places[w][0][view.id[i]] = view.x[i], places[w][1][view.id[i]] = view.y[i];
            places[w][2][view.id[i]] = view.z[i];
        }
    }
    assert_int_equal(counts[0], counts[1]);
    for (int i = 0; i < counts[0]; i++)
        for (int a = 0; a < 3; a++)
            worst = fmax(worst, fabs((double)places[0][a][i] - (double)places[1][a][i]));
    return worst;
}

static void comparePress(const char *text, const char *half, float dt) {
    wbWorld *worlds[2];
    createPair(text, worlds);
    setBoth(worlds, "domain.sideSpeed", "0.6");
    setBoth(worlds, "domain.bottom", "noSlip");
    setBoth(worlds, "domain.max", half);
    stepBoth(worlds, (int)(0.15f / dt), dt);
    double worst = compareFluids(worlds);
    if (worst > 0.02 * 0.05)
        fail_msg("%.40s: a particle is %g m away from where it is on the cores", text, worst);
    wbStats cores = wbWorld_GetStats(worlds[0]), device = wbWorld_GetStats(worlds[1]);
    assert_true(device.leaked == 0 && cores.kinetic > 0);
    assert_true(fabs(device.kinetic / cores.kinetic - 1) < 2e-2);
    // to the end of the way, and the other side opens
    setBoth(worlds, "domain.left", "open");
    stepBoth(worlds, (int)(0.3f / dt), dt);
    for (int w = 0; w < 2; w++) addDrainAround(worlds[w], wbMakeVec3(1, 1, 1));
    stepBoth(worlds, (int)(0.2f / dt), dt);
    cores = wbWorld_GetStats(worlds[0]), device = wbWorld_GetStats(worlds[1]);
    assert_true(device.leaked == 0 && device.removed > 10);
    assert_true(device.spawned - device.removed == device.particles);
    assert_true(fabs((double)(device.removed - cores.removed)) <= 0.1 * (double)cores.removed);
    for (int w = 0; w < 2; w++) wbDestroyWorld(worlds[w]);
}

static void testWaterIsPressed(void **state) {
    (void)state;
    comparePress(WATER_2D("sph"), "0.5,1", 0.001f);
    comparePress(WATER_2D("pbf"), "0.5,1", 0.005f);
}

static double compareAir(wbWorld *worlds[2]) {
    wbSmokeView a, b;
    double worst = 0;
    assertOk(wbWorld_GetSmokeView(worlds[0], &a));
    assertOk(wbWorld_GetSmokeView(worlds[1], &b));
    for (int j = 0; j < a.cells[1]; j++)
        for (int k = 0; k < a.cells[2]; k++)
            for (int i = 0; i < a.cells[0]; i++) {
                ptrdiff_t c = i + j * a.strideY + k * a.strideZ;
                worst = fmax(worst, fabsf(a.density[c] - b.density[c]));
                worst = fmax(worst, fmaxf(fabsf(a.u[c] - b.u[c]), fabsf(a.v[c] - b.v[c])));
            }
    return worst;
}

// The operator of the pressure knows of cells that are covered and of sides that open: else air would not flow as it does.
static void testAirIsPressed(void **state) {
    (void)state;
    wbWorld *worlds[2];
    createPair(SMOKE_BOX("\"top\": \"open\""), worlds);
    setBoth(worlds, "domain.sideSpeed", "0.5");
    stepBoth(worlds, 10, 0.02f);
    setBoth(worlds, "domain.max", "0.5,1,0.5");
    stepBoth(worlds, 20, 0.02f);
    if (compareAir(worlds) > 2e-3) fail_msg("pressed, the device is %g away", compareAir(worlds));
    setBoth(worlds, "domain.max", "1,1,0.5");
    stepBoth(worlds, 25, 0.02f);
    assert_true(wbWorld_GetDomain(worlds[1]).max.x == 1);
    setBoth(worlds, "smoke.wind", "1,0,0");
    setBoth(worlds, "domain.left", "open"), setBoth(worlds, "domain.right", "open");
    stepBoth(worlds, 20, 0.02f);
    if (compareAir(worlds) > 2e-3) fail_msg("open, the device is %g away", compareAir(worlds));
    wbSmokeStats cores = wbWorld_GetSmokeStats(worlds[0]), device = wbWorld_GetSmokeStats(worlds[1]);
    assert_true(cores.momentum[0] > 0.1 && device.divergence < 2 * cores.divergence + 1e-3);
    assert_true(fabs(device.momentum[0] / cores.momentum[0] - 1) < 1e-3);
    for (int w = 0; w < 2; w++) wbDestroyWorld(worlds[w]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testWaterIsPressed),
        cmocka_unit_test(testAirIsPressed),
    };
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, catchAsserts, NULL);
}
