// SPDX-License-Identifier: MIT
// The air of a world on a compute device: the same scene on both machines, changes between them, and lost devices.
#include <math.h>

#include "air_support.h"
#include "gpu/gpu_state.h"
#include "gpu_support.h"

static const float dt = 0.02f;

// Hot smoke below a fan that turns, in a box with an open top.
static wbWorld *createWorld(wbBackend backend) {
    wbWorldDef def = wbDefaultWorldDef();
    def.domain = (wbDomainDef){.max = {1, 1.1f, 0.9f}};
    def.domain.sides[wb_top].type = wb_sideOpen;
    def.hasSmoke = true;
    def.smoke.cellSize = 0.1f;
    def.smoke.confinement = 0.3f;
    def.params.backend = backend;
    def.threadCount = 1;
    wbWorld *world;
    assertOk(wbCreateWorld(&def, &world));
    wbSourceDef source = wbDefaultSourceDef();
    source.name = "fire";
    source.params.position = wbMakeVec3(0.5f, 0.25f, 0.45f);
    source.params.radius = 0.2f;
    source.params.temperature = 60;
    wbSourceId sourceId;
    assertOk(wbCreateSource(world, &source, &sourceId));
    wbColliderDef wheel = wbDefaultColliderDef();
    wheel.name = "paddles";
    wheel.params.shape = wb_shapeWheel;
    wheel.params.position = wbMakeVec3(0.5f, 0.7f, 0.45f);
    wheel.params.radius = 0.3f, wheel.params.width = 0.4f, wheel.params.thickness = 0.12f;
    wheel.params.paddles = 3, wheel.params.hub = 0.5f;
    wbColliderId wheelId;
    assertOk(wbCreateCollider(world, &wheel, &wheelId));
    wbMechanismDef motor = wbDefaultMechanismDef();
    motor.name = "fan";
    motor.params.kind = wb_mechanismWheel, motor.params.drive = wb_driveMotor;
    motor.params.pivot = wheel.params.position;
    motor.params.speed = 200;
    motor.colliders = &wheelId, motor.colliderCount = 1;
    wbMechanismId motorId;
    assertOk(wbCreateMechanism(world, &motor, &motorId));
    return world;
}

static void step(wbWorld *world, int count) {
    for (int n = 0; n < count; n++) assertOk(wbWorld_Step(world, dt));
}

static double compareViews(wbWorld *a, wbWorld *b) {
    wbSmokeView own, other;
    double worst = 0;
    assertOk(wbWorld_GetSmokeView(a, &own));
    assertOk(wbWorld_GetSmokeView(b, &other));
    assert_memory_equal(own.cells, other.cells, sizeof own.cells);
    assert_memory_equal(own.first, other.first, sizeof own.first);
    for (int j = 0; j < own.cells[1]; j++)
        for (int k = 0; k < own.cells[2]; k++)
            for (int i = 0; i < own.cells[0]; i++) {
                ptrdiff_t c = i + j * own.strideY + k * own.strideZ;
                worst = fmax(worst, fabsf(own.density[c] - other.density[c]));
                worst = fmax(worst, fabsf(own.u[c] - other.u[c]));
                worst = fmax(worst, fabsf(own.v[c] - other.v[c]));
                worst = fmax(worst, 0.01 * fabsf(own.temperature[c] - other.temperature[c]));
            }
    return worst;
}

static void assertNear(wbWorld *a, wbWorld *b) {
    double worst = compareViews(a, b);
    if (worst > 2e-3) fail_msg("the device is %g away from the cores", worst);
    wbStats own = wbWorld_GetStats(a), other = wbWorld_GetStats(b);
    assert_true(fabs(own.mass / other.mass - 1) < 1e-4 && other.kinetic > 1e-4);
    assert_true(fabs(own.kinetic / other.kinetic - 1) < 1e-2);
}

// The machine changes twice on the way.
static void testSwitching(void **state) {
    (void)state;
    wbWorld *world = createWorld(wb_backendOpencl), *cores = createWorld(wb_backendCpu);
    assert_non_null(wbWorld_GetDevice(world));
    step(world, 10), step(cores, 10);
    assertNear(world, cores);
    assertOk(wbWorld_SetBackend(world, wb_backendCpu, -1));
    step(world, 5), step(cores, 5);
    assertOk(wbWorld_SetBackend(world, wb_backendOpencl, -1));
    step(world, 10), step(cores, 10);
    assertNear(world, cores);
    wbDestroyWorld(cores);
    wbDestroyWorld(world);
}

// A world that is looked at, saved and loaded on its way ends like one that is left alone.
static void testSaving(void **state) {
    (void)state;
    const char *path = "air-gpu.wirbel";
    wbWorld *world = createWorld(wb_backendOpencl), *alone = createWorld(wb_backendOpencl), *loaded;
    wbSmokeView view;
    step(world, 5), step(alone, 5);
    assertOk(wbWorld_GetSmokeView(world, &view));
    step(world, 3), step(alone, 3);
    assertOk(wbWorld_Save(world, path));
    assertOk(wbLoadWorld(path, &loaded));
    assertOk(wbWorld_SetBackend(loaded, wb_backendOpencl, -1));
    unlink(path);
    step(world, 4), step(alone, 4), step(loaded, 4);
    assert_true(wbWorld_Hash(world) == wbWorld_Hash(alone));
    assert_true(wbWorld_Hash(loaded) == wbWorld_Hash(alone));
    wbDestroyWorld(loaded);
    wbDestroyWorld(alone);
    wbDestroyWorld(world);
}

// A ball that swings in a closed box, an explosion, and a source that starts later elsewhere.
static const char following[] =
    "{\"domain\":{\"min\":[0,0,0],\"max\":[6.4,2.4,1.6]},\"smoke\":{\"cellSize\":0.1,\"follow\":true,"
    "\"margin\":4},\"sources\":[{\"name\":\"a\",\"position\":[0.9,0.5,0.8],\"radius\":0.3,\"temperature\":60,"
    "\"expansion\":0.5,\"end\":0.15},{\"name\":\"b\",\"position\":[2.6,0.5,0.8],\"radius\":0.25,\"start\":0."
    "11}],"
    "\"colliders\":[{\"name\":\"ball\",\"shape\":\"sphere\",\"radius\":0.25,\"position\":[1,1.2,0.8]}],"
    "\"mechanisms\":[{\"name\":\"arm\",\"kind\":\"shaker\",\"colliders\":[\"ball\"],\"travel\":[0.2,0,0]}]}";

static const char followingIn2d[] =
    "{\"world\":{\"dimensions\":2},\"domain\":{\"min\":[0,0],\"max\":[6.4,6.4],\"sides\":{\"top\":{\"type\":"
    "\"open\"}}},\"smoke\":{\"cellSize\":0.1,\"follow\":true},\"sources\":[{\"name\":\"a\",\"position\":[2,0."
    "9],"
    "\"radius\":0.3,\"temperature\":60,\"expansion\":1}]}";

// A device that works like a GPU: one value per item.
static void testFollowIn2d(void **state) {
    (void)state;
    wbWorld *cores = createFromText(followingIn2d, 1), *world = createFromText(followingIn2d, 1);
    wbSmokeView view;
    setenv("WIRBEL_GPU_LANES", "1", 1);
    assertOk(wbWorld_SetBackend(world, wb_backendOpencl, -1));
    unsetenv("WIRBEL_GPU_LANES");
    step(cores, 8), step(world, 8);
    assertOk(wbWorld_GetSmokeView(world, &view));
    assert_true(view.cells[0] < view.boxCells[0]);
    assertNear(world, cores);
    wbDestroyWorld(world);
    wbDestroyWorld(cores);
}

// Fine cells follow the smoke on a device as they do on the processor, also through changes between them.
static void testFollow(void **state) {
    (void)state;
    wbWorld *cores = createFromText(following, 1), *world = createFromText(following, 1);
    wbSmokeView first, last;
    assertOk(wbWorld_SetBackend(world, wb_backendOpencl, -1));
    step(cores, 3), step(world, 3);
    assertOk(wbWorld_GetSmokeView(world, &first));
    assert_true(first.cells[0] < first.boxCells[0]);
    assertNear(world, cores);
    wbWorld *loaded = saveAndLoad(world);
    assertOk(wbWorld_SetBackend(loaded, wb_backendOpencl, -1));
    step(cores, 4), step(world, 4), step(loaded, 4);
    assertOk(wbWorld_GetSmokeView(world, &last));
    assert_true(last.cells[0] > first.cells[0] && last.cells[0] < last.boxCells[0]);
    assertNear(world, cores);
    assert_true(wbWorld_Hash(loaded) == wbWorld_Hash(world));
    assertOk(wbWorld_SetBackend(world, wb_backendCpu, -1));
    step(cores, 2), step(world, 2);
    assertNear(world, cores);
    wbDestroyWorld(loaded);
    wbDestroyWorld(world);
    wbDestroyWorld(cores);
}

static void testResume(void **state) {
    (void)state;
    for (int scene = 0; scene < RESUME_SCENES; scene++) checkResume(scene, wb_backendOpencl, 6, 6);
}

// Failing devices

static wbOpenCl driver;
static int callsLeft;

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

// Wherever in a step or in a pull the device is lost: the world is back at the last state that was copied, and goes on
// from there on the cores.
static void testLostDevice(void **state) {
    (void)state;
    for (int failure = 0; failure < 16; failure++) {
        bool follows = failure >= 8;
        wbWorld *world = follows ? createFromText(following, 1) : createWorld(wb_backendOpencl);
        if (follows) assertOk(wbWorld_SetBackend(world, wb_backendOpencl, -1));
        step(world, 3);
        uint64_t hash = wbWorld_Hash(world);
        double time = wbWorld_GetTime(world);
        float longest = wbWorld_GetStableStep(world);
        step(world, 2);
        driver = world->gpu->cl;
        callsLeft = (int[]){0, 5, 15, 40, 0, 1, 3, 5, 0, 15, 40, 75, 0, 5, 8, 11}[failure];
        if (failure % 8 < 4) {
            world->gpu->cl.clEnqueueNDRangeKernel = launch;
            expectError(wbWorld_Step(world, dt), wb_errorDevice, "back at step 3");
        } else {
            world->gpu->cl.clEnqueueReadBuffer = readBuffer;
        }
        assert_true(wbWorld_Hash(world) == hash);
        assert_true(wbWorld_GetTime(world) == time && wbWorld_GetStableStep(world) == longest);
        expectError(wbWorld_Step(world, dt), wb_errorDevice, "back at step 3");
        assertOk(wbWorld_SetBackend(world, wb_backendCpu, -1));
        step(world, 2);
        wbDestroyWorld(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testSwitching), cmocka_unit_test(testSaving),
                                       cmocka_unit_test(testFollow),    cmocka_unit_test(testFollowIn2d),
                                       cmocka_unit_test(testResume),    cmocka_unit_test(testLostDevice)};
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, catchAsserts, NULL);
}
