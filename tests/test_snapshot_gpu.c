// SPDX-License-Identifier: MIT
// A step on a device is all or nothing, too: with every solver, wherever memory runs out, a program does not build, or the
// device is lost.
#include <stdlib.h>

#include "every_world.h"
#include "gpu/gpu_state.h"
#include "gpu_support.h"
#include "world/world.h"

// Without a raft soft bodies are on the device, too; with it the cores move them, and what floats.
static const Variant variants[] = {{",\"longestStep\":0.0025", "", "", "", 0, NULL, true, true, true, false},
                                   {",\"longestStep\":0.0025", "", "", "", 0, NULL, true, false, true, false},
                                   {",\"longestStep\":0.0025", "", "", "", 0, NULL, true, true, true, false}};
static const Variant *every = &variants[0];
static bool becomesSplit(void) { return every == &variants[2]; }

// What makes a world that has stepped need more memory and other programs, without a look at its state. An emitter that finds no
// memory waits, and then lets out other particles: here none does.
static void change(wbWorld *world) {
    static const char *const params[][2] = {
        {"sph.integrator", "leapfrog"},        {"sph.surfaceTension", "0.07"},
        {"pbf.solver", "gaussSeidel"},         {"pbd.integrator", "bdf2"},
        {"smoke.advection", "macCormack"},     {"smoke.thermalDiffusivity", "0.01"},
        {"smoke.pressureSolver", "multigrid"}, {"jet.open", "0"},
        {"domain.max", "1.55,0.8,0.8"},
    };
    for (size_t k = 0; k < sizeof params / sizeof params[0]; k++)
        assertOk(wbWorld_SetParam(world, params[k][0], params[k][1]));
    if (!becomesSplit()) return;
    assertOk(wbWorld_SetParam(world, "sph.method", "split"));
    assertOk(wbWorld_SetParam(world, "sph.smoothing", "2.8"));
    assertOk(wbWorld_SetParam(world, "sph.tensionMethod", "stress"));
}

// Three steps, and three more after a change: hashes when all goes well.
enum { BEFORE = 3, AFTER = 3 };
static uint64_t hashBefore, hashChanged, hashAfter;

static wbWorld *createAhead(void) {
    wbWorld *world = createEvery(every, wb_backendOpencl);
    for (int k = 0; k < BEFORE; k++) assertOk(wbWorld_Step(world, 0));
    return world;
}

static int setHashes(void **state) {
    (void)state;
    wbWorld *world = createAhead();
    hashBefore = wbWorld_Hash(world);
    change(world);
    hashChanged = wbWorld_Hash(world);
    wbDestroyWorld(world);
    world = createAhead();
    change(world);
    for (int k = 0; k < AFTER; k++) assertOk(wbWorld_Step(world, 0));
    hashAfter = wbWorld_Hash(world);
    wbDestroyWorld(world);
    return 0;
}

// Functions of the driver that fail

static wbOpenCl driver;
static const wbWorld *watched;     // NULL: nothing fails
static size_t ceiling, gpuCeiling; // bytes that are allowed on the host, and on the device
static size_t hostBytes;
static int callsLeft; // of the driver, that succeed

// What was refused once is there the next time.
static bool isRefused(size_t needed, size_t *most) {
    if (!watched || needed <= *most) return false;
    *most = needed;
    return true;
}

static void *allocate(size_t bytes, size_t alignment, void *context) {
    (void)context;
    void *block = NULL;
    if (isRefused(hostBytes + bytes, &ceiling) || posix_memalign(&block, alignment, bytes) != 0) return NULL;
    memset(block, 0xff, bytes); // NaN: what is read before it is written shows
    hostBytes += bytes;
    return block;
}

static void release(void *block, size_t bytes, void *context) {
    (void)context;
    hostBytes -= bytes;
    free(block);
}

static int countBytes(void **state) {
    (void)state;
    const wbAllocator allocator = {allocate, release, NULL};
    hostBytes = 0;
    wbSetAllocator(&allocator);
    return 0;
}

static int freeBytes(void **state) {
    (void)state;
    wbSetAllocator(NULL);
    return hostBytes > 0;
}

static cl_mem CL_API_CALL createBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                                       cl_int *code) {
    if (!watched || !isRefused(watched->gpu->heldBytes + size, &gpuCeiling))
        return driver.clCreateBuffer(context, flags, size, host, code);
    *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return NULL;
}

static cl_int CL_API_CALL buildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                                       const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                                       void *context) {
    if (callsLeft-- <= 0) return CL_BUILD_PROGRAM_FAILURE; // also from the text, after the stored binary
    return driver.clBuildProgram(program, count, devices, options, notify, context);
}

static cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                 const size_t *offset, const size_t *global, const size_t *local,
                                 cl_uint waits, const cl_event *waitList, cl_event *event) {
    if (callsLeft-- <= 0) return CL_OUT_OF_RESOURCES;
    return driver.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, waits, waitList,
                                         event);
}

// Steps until one happens; gives how many have failed. Each allocation of the host's and the device's memory that needs more than
// there ever was fails once. If the state is looked at each time, it has this hash; if not, a device stays ahead.
static int stepWithFailures(wbWorld *world, const uint64_t *hash) {
    const int64_t count = wbWorld_GetStepCount(world);
    int failures = 0;
    ceiling = hostBytes, gpuCeiling = world->gpu->heldBytes;
    while (true) {
        watched = world;
        wbStatus status = wbWorld_Step(world, 0);
        watched = NULL;
        if (wbIsOk(status)) return failures;
        failures++;
        assert_int_equal(status.code, wb_errorMemory);
        assert_int_equal(wbWorld_GetStepCount(world), count);
        if (hash) assert_true(wbWorld_Hash(world) == *hash);
    }
}

static void watchMemory(wbWorld *world) {
    driver = world->gpu->cl;
    world->gpu->cl.clCreateBuffer = createBuffer;
}

static void failAllocations(bool isLookedAt) {
    wbWorld *world = createAhead();
    watchMemory(world);
    change(world);
    int failures = stepWithFailures(world, isLookedAt ? &hashChanged : NULL);
    for (int k = 1; k < AFTER; k++) failures += stepWithFailures(world, NULL);
    assert_true(failures > (every->hasNoRaft ? 30 : 10)); // what the cores move needs nothing of the device's
    assert_true(wbWorld_Hash(world) == hashAfter);
    wbDestroyWorld(world);
}

// However it fails, the step goes on as if nothing had been.
static void testAllocationsFail(void **state) {
    (void)state;
    failAllocations(false);
    failAllocations(true);
}

// Emitters and drains that find no memory wait, and the step goes on.
static wbWorld *createClosed(void) {
    wbWorld *world = createEvery(every, wb_backendOpencl);
    assertOk(wbWorld_SetParam(world, "jet.open", "0"));
    assertOk(wbWorld_SetParam(world, "burst.open", "0"));
    assertOk(wbWorld_SetParam(world, "sink.open", "0"));
    return world;
}

static void testFirstAllocationsFail(void **state) {
    (void)state;
    wbWorld *world = createClosed(), *twin = createClosed();
    const uint64_t start = wbWorld_Hash(world);
    watchMemory(world);
    assert_true(stepWithFailures(world, &start) > 150);
    assertOk(wbWorld_Step(twin, 0));
    assert_true(wbWorld_Hash(world) == wbWorld_Hash(twin));
    wbDestroyWorld(world), wbDestroyWorld(twin);
}

// The device is still there: the step can be done again.
static void testProgramsFail(void **state) {
    (void)state;
    wbWorld *world = createAhead();
    change(world);
    driver = world->gpu->cl;
    int failures = 0;
    for (int k = 0; k < AFTER;) {
        callsLeft = failures > 0; // each time one more is built
        world->gpu->cl.clBuildProgram = buildProgram;
        wbStatus status = wbWorld_Step(world, 0);
        world->gpu->cl.clBuildProgram = driver.clBuildProgram;
        k += wbIsOk(status);
        if (wbIsOk(status)) continue;
        expectError(status, wb_errorDevice, "program");
        assert_int_equal(wbWorld_GetStepCount(world), BEFORE + k);
        failures++;
    }
    assert_true(failures > 3);
    assert_true(wbWorld_Hash(world) == hashAfter);
    wbDestroyWorld(world);
}

// What the device alone had is lost with it; what the host had, also of the smoke's window and the pressure, is there.
static void testDeviceIsLost(void **state) {
    (void)state;
    static const int places[] = {0, 20, 60, 120, 200};
    for (size_t n = 0; n < sizeof places / sizeof places[0]; n++) {
        wbWorld *world = createAhead();
        assert_true(wbWorld_Hash(world) == hashBefore);
        driver = world->gpu->cl;
        callsLeft = places[n];
        world->gpu->cl.clEnqueueNDRangeKernel = launch;
        expectError(wbWorld_Step(world, 0), wb_errorDevice, "could not be started");
        assert_true(wbWorld_Hash(world) == hashBefore);
        assert_int_equal(wbWorld_Step(world, 0).code, wb_errorDevice);
        assertOk(wbWorld_SetBackend(world, wb_backendCpu, -1));
        assert_true(wbWorld_Hash(world) == hashBefore);
        assertOk(wbWorld_Step(world, 0));
        wbDestroyWorld(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(testAllocationsFail, countBytes, freeBytes),
        cmocka_unit_test_setup_teardown(testFirstAllocationsFail, countBytes, freeBytes),
        cmocka_unit_test(testProgramsFail), cmocka_unit_test(testDeviceIsLost)};
    int missing = findDevice(), failed = 0;
    if (missing) return missing;
    for (size_t k = 0; k < sizeof variants / sizeof variants[0]; k++) {
        every = &variants[k];
        failed += cmocka_run_group_tests(tests, setHashes, NULL);
    }
    return failed;
}
