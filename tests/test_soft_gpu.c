// SPDX-License-Identifier: MIT
// Soft bodies of whole worlds on a compute device.
#include "gpu/gpu_state.h"
#include "gpu_support.h"
#include "soft_energy_support.h"
#include "world/world.h"

static float findWorst(wbWorld *a, wbWorld *b) {
    float worst = 0;
    for (int s = 0; s < wbWorld_GetSoftBodyCount(a); s++) {
        wbView one = getView(a, s), two = getView(b, s);
        for (int i = 0; i < one.count; i++) {
            wbVec3 gap = {one.x[i] - two.x[i], one.y[i] - two.y[i], one.z[i] - two.z[i]};
            worst = fmaxf(worst, sqrtf(wbDot(gap, gap)));
        }
    }
    return worst;
}

// The same as on the cores, but for roundings; the backend changes while it runs, in both directions.
static void checkAsOnCores(const char *integrator) {
    wbWorld *cores = createSoftWorld(SOFT_MIXTURE, wb_backendCpu, 1),
            *device = createSoftWorld(SOFT_MIXTURE, wb_backendOpencl, 1);
    assertOk(wbWorld_SetParam(cores, "pbd.integrator", integrator));
    assertOk(wbWorld_SetParam(device, "pbd.integrator", integrator));
    assertOk(wbWorld_SetParam(cores, "domain.max", "1,1.7,1"));
    assertOk(wbWorld_SetParam(device, "domain.max", "1,1.7,1"));
    stepWorld(cores, 8), stepWorld(device, 8);
    assert_true(findWorst(cores, device) < 1e-4f);
    assert_true(wbWorld_GetDomain(device).max.y == wbWorld_GetDomain(cores).max.y);
    assertOk(wbWorld_SetParam(device, "world.backend", "cpu"));
    stepWorld(cores, 4), stepWorld(device, 4);
    assertOk(wbWorld_SetParam(device, "world.backend", "opencl"));
    stepWorld(cores, 4), stepWorld(device, 4);
    float worst = findWorst(cores, device);
    if (worst > 1e-3f) fail_msg("%s: %g m apart", integrator, worst);
    wbDestroyWorld(cores), wbDestroyWorld(device);
}

static void testAsOnCores(void **state) {
    (void)state;
    checkAsOnCores("euler");
    checkAsOnCores("bdf2");
}

static void testCheckpoint(void **state) {
    (void)state;
    const char *path = "test_soft_gpu.wb";
    wbWorld *world = createSoftWorld(SOFT_MIXTURE, wb_backendOpencl, 1), *loaded;
    assertOk(wbWorld_SetParam(world, "pbd.integrator", "bdf2"));
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
    wbSoftBodyId ball = wbWorld_GetSoftBody(world, 0);
    stepWorld(world, 2);
    assertOk(wbSoftBody_Pin(world, ball, 7, true));
    wbView view = getView(world, 0);
    float y = view.y[7];
    stepWorld(world, 5);
    view = getView(world, 0);
    assert_true(view.y[7] == y);
    wbDestroyWorld(world);
}

// Failing devices: functions that call the driver's until it is their turn

static wbOpenCl driver;
static int callsLeft; ///< that succeed

static cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                 const size_t *offset, const size_t *global, const size_t *local,
                                 cl_uint waits, const cl_event *waitList, cl_event *event) {
    if (callsLeft-- <= 0) return CL_OUT_OF_RESOURCES;
    return driver.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, waits, waitList,
                                         event);
}

static cl_int CL_API_CALL readBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                     size_t size, void *host, cl_uint waits, const cl_event *waitList,
                                     cl_event *event) {
    if (callsLeft-- > 0)
        return driver.clEnqueueReadBuffer(queue, buffer, blocking, offset, size, host, waits, waitList,
                                          event);
    memset(host, 0xee, size); // what a read that fails half-way may leave
    return CL_OUT_OF_RESOURCES;
}

// The world goes back to the last state that was copied, says so, and goes on without the device.
static void loseDevice(bool inRead, int after) {
    wbWorld *world = createSoftWorld(SOFT_MIXTURE, wb_backendOpencl, 1);
    assertOk(wbWorld_SetParam(world, "domain.max", "1,1.7,1"));
    assertOk(wbWorld_SetParam(world, "pbd.integrator", "bdf2"));
    stepWorld(world, 2);
    uint64_t hash = wbWorld_Hash(world);
    float top = wbWorld_GetDomain(world).max.y;
    stepWorld(world, 1);
    wbOpenCl *cl = &world->gpu->cl;
    driver = *cl, callsLeft = after;
    if (inRead)
        cl->clEnqueueReadBuffer = readBuffer;
    else
        cl->clEnqueueNDRangeKernel = launch;
    expectError(wbWorld_Step(world, 0), wb_errorDevice, "the world is back at step 2");
    assert_int_equal(wbWorld_GetStepCount(world), 2);
    assert_true(wbWorld_Hash(world) == hash && wbWorld_GetDomain(world).max.y == top);
    *cl = driver;
    assertOk(wbWorld_SetBackend(world, wb_backendCpu, -1));
    stepWorld(world, 2);
    assert_int_equal(wbWorld_GetStepCount(world), 4);
    wbDestroyWorld(world);
}

// In the wind the cores compute them, and the device goes on from there.
static void testWind(void **state) {
    (void)state;
    wbWorld *cores = createSoftWorld(SOFT_MIXTURE, wb_backendCpu, 1),
            *device = createSoftWorld(SOFT_MIXTURE, wb_backendOpencl, 1);
    const char *const modes[] = {"off", "both", "off"};
    for (int k = 0; k < 3; k++) {
        assertOk(wbWorld_SetParam(cores, "coupling.airSoft", modes[k]));
        assertOk(wbWorld_SetParam(device, "coupling.airSoft", modes[k]));
        assertOk(wbWorld_SetParam(cores, "coupling.wind", "5,0,1"));
        assertOk(wbWorld_SetParam(device, "coupling.wind", "5,0,1"));
        stepWorld(cores, 4), stepWorld(device, 4);
        const wbStats one = wbWorld_GetStats(cores), other = wbWorld_GetStats(device);
        assert_true((one.airSoft[0] > 0) == (k == 1) && fabs(one.airSoft[0] - other.airSoft[0]) < 1e-4);
    }
    const float worst = findWorst(cores, device);
    if (!(worst < 1e-3f)) fail_msg("%g m apart", worst);
    wbDestroyWorld(cores), wbDestroyWorld(device);
}

static void testCrash(void **state) {
    (void)state;
    checkSoftCrashes(wb_backendOpencl);
}

static void testLostDevice(void **state) {
    (void)state;
    static const int launches[] = {0, 1, 7, 30};
    for (int k = 0; k < 4; k++) loseDevice(false, launches[k]);
    for (int after = 0; after < 14; after += 3) loseDevice(true, after);
}

// What is judged there by the box around all and the highest speed is copied where these do not tell.
static void testRunawayEndsTheRun(void **state) {
    (void)state;
    wbWorld *world = createSoftWorld(WAVY_ROPE, wb_backendOpencl, 1);
    wbStatus status = tryWorld(world, 200);
    assert_int_equal(status.code, wb_errorUnstable);
    assert_non_null(strstr(status.text, "is above its bound"));
    wbDestroyWorld(world);
}

static void testDriveIsNoRunaway(void **state) {
    (void)state;
    wbWorld *world = createSoftWorld(DRIVEN_BALLS, wb_backendOpencl, 1);
    setPbd(world, "subSteps", "2");
    assertOk(wbWorld_SetParam(world, "gate.open", "1"));
    stepWorld(world, 40);
    assertOk(wbWorld_SetParam(world, "hand.frequency", "0"));
    assertOk(wbWorld_SetParam(world, "world.gravity", "3,-9,0"));
    assertOk(wbWorld_SetParam(world, "gate.open", "0"));
    stepWorld(world, 60);
    wbDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testAsOnCores),
                                       cmocka_unit_test(testCheckpoint),
                                       cmocka_unit_test(testPins),
                                       cmocka_unit_test(testWind),
                                       cmocka_unit_test(testCrash),
                                       cmocka_unit_test(testLostDevice),
                                       cmocka_unit_test(testRunawayEndsTheRun),
                                       cmocka_unit_test(testDriveIsNoRunaway)};
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, NULL, NULL);
}
