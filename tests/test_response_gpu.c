// SPDX-License-Identifier: MIT
// Bodies and mechanisms give way within the iterations of liquids on a compute device, as they do on the cores.
#include <math.h>

#include "gpu/gpu_state.h"
#include "gpu_support.h"
#include "guide_support.h"
#include "world/world.h"

static void step(wbWorld *world, int count) {
    for (int k = 0; k < count; k++) assertOk(wbWorld_Step(world, 0));
}

enum { FIRST = 1 }; // of `methods`, that iterates

// A light log that water pushes, heels and turns; in space about an axis that is none of its own.
static wbWorld *createLog(const char *method, bool isFlat, bool isNoSlip, wbBackend backend) {
    char text[1500];
    const char *solver = strstr(method, "pbf") ? "pbf" : "sph", *slip = isNoSlip ? "noSlip" : "freeSlip",
               *scene =
                   isFlat
                       ? "{'world':{'dimensions':2},'domain':{'min':[0,0],'max':[1,1]},%s,"
                         "'fluids':[{'name':'water','solver':'%s','blocks':[{'min':[0,0],'max':[1,0.4]}]}],"
                         "'bodies':[{'name':'log','size':[0.4,0.2],'density':60,'position':[0.4,0.52],"
                         "'slip':'%s','spin':[0,0,1]}]}"
                       : "{'domain':{'min':[0,0,0],'max':[1,1,0.5]},%s,'fluids':[{'name':'water',"
                         "'solver':'%s','blocks':[{'min':[0,0,0],'max':[1,0.4,0.5]}]}],"
                         "'bodies':[{'name':'log','size':[0.4,0.2,0.3],'density':60,"
                         "'position':[0.4,0.52,0.25],'slip':'%s','spin':[0.7,0.4,1]}]}";
    snprintf(text, sizeof text, scene, method, solver, slip);
    return createFrom(text, 1, backend);
}

static wbRigidMotion getLog(wbWorld *world) {
    wbRigidMotion motion;
    assertOk(wbRigidBody_GetMotion(world, wbWorld_GetRigidBody(world, 0), &motion));
    return motion;
}

// The same state on a device.
static wbWorld *copyToDevice(wbWorld *world) {
    wbBytes bytes = {0};
    wbWorld *copy;
    assertOk(wbWorld_SaveToBytes(world, &bytes));
    assertOk(wbLoadWorldFromBytes(bytes.data, bytes.size, &copy));
    wbFreeBytes(&bytes);
    assertOk(wbWorld_SetBackend(copy, wb_backendOpencl, 0));
    return copy;
}

static double getDistance(wbVec3 a, wbVec3 b) {
    return sqrt(pow((double)(a.x - b.x), 2) + pow((double)(a.y - b.y), 2) + pow((double)(a.z - b.z), 2));
}

// Of what a step changes, a hundredth: devices compute bodies' answers in float.
static void compareVectors(const char *method, const char *what, wbVec3 before, wbVec3 host, wbVec3 device) {
    const double change = getDistance(before, host), apart = getDistance(host, device);
    if (!(apart <= 0.01 * change)) fail_msg("%s: %s changes by %g, %g apart", method, what, change, apart);
}

// Steps both, from the same state.
static void compareSteps(const char *what, wbWorld *host, wbWorld *device) {
    const wbRigidMotion before = getLog(host);
    step(host, 1), step(device, 1);
    const wbRigidMotion one = getLog(host), two = getLog(device);
    compareVectors(what, "velocity", before.velocity, one.velocity, two.velocity);
    compareVectors(what, "spin", before.spin, one.spin, two.spin);
    wbDestroyWorld(host), wbDestroyWorld(device);
}

// From the same state a step does to it what it does on the cores, where fluids slip and where they do not, for 1 and 16 lanes.
static void testLog(void **state) {
    (void)state;
    for (int k = FIRST; k < METHODS; k++)
        for (int run = 0; run < 4; run++) {
            setShape(run % 2 ? 1 : 16, 64);
            wbWorld *host = createLog(methods[k], run < 2, run % 2, wb_backendCpu);
            step(host, 20);
            compareSteps(methods[k], host, copyToDevice(host));
        }
}

// Position based water with several sub-steps of its own in one, and by other solvers.
static void testSubSteps(void **state) {
    (void)state;
    static const char *const solvers[] = {"jacobiParticles", "jacobiConstraints"};
    for (int k = 0; k < 2; k++) {
        wbWorld *host = createLog(methods[2], true, false, wb_backendCpu);
        assertOk(wbWorld_SetParam(host, "pbf.subSteps", "3"));
        assertOk(wbWorld_SetParam(host, "pbf.solver", solvers[k]));
        step(host, 20);
        compareSteps(solvers[k], host, copyToDevice(host));
    }
}

// A plate on an axle, that stands in water which flows past it.
static wbWorld *createFlap(const char *method) {
    char text[1500];
    snprintf(text, sizeof text,
             "{'world':{'dimensions':2},'domain':{'min':[0,0],'max':[1.5,1]},%s,'fluids':[{'name':'water',"
             "'solver':'%s','blocks':[{'min':[0,0],'max':[0.6,0.6]},{'min':[0.9,0],'max':[1.5,0.3]}]}],"
             "'colliders':[{'name':'plate','size':[0.2,0.7],'position':[0.75,0.5]},"
             "{'name':'knob','size':[0.2,0.2],'position':[0.75,0.95]}],"
             "'mechanisms':[{'name':'flap','kind':'wheel','colliders':['plate','knob'],'drive':'free','pivot'"
             ":[0.75,0.85],"
             "'axis':[0,0,1],'inertia':0.5,'friction':1}]}",
             method, strstr(method, "pbf") ? "pbf" : "sph");
    return createFrom(text, 1, wb_backendCpu);
}

// Along a rail, and about an axle.
static void testMechanisms(void **state) {
    (void)state;
    for (int k = FIRST; k < METHODS; k++)
        for (int turns = 0; turns < 2; turns++) {
            wbWorld *host = turns ? createFlap(methods[k]) : createPiston(methods[k], 5, 1, wb_backendCpu);
            step(host, turns ? 5 : 20);
            wbWorld *device = copyToDevice(host);
            const wbMechanismId id = wbWorld_GetMechanism(host, 0);
            const double before = wbMechanism_GetStats(host, id).speed;
            step(host, 1), step(device, 1);
            const double one = wbMechanism_GetStats(host, id).speed,
                         two = wbMechanism_GetStats(device, id).speed;
            if (!(fabs(two - one) <= 0.01 * fabs(one - before)))
                fail_msg("%s: its speed changes by %g, %g apart", methods[k], one - before, two - one);
            assert_float_equal(wbMechanism_GetStats(device, id).inertia,
                               wbMechanism_GetStats(host, id).inertia, 1e-9);
            wbDestroyWorld(host), wbDestroyWorld(device);
        }
}

// A piston of a tenth of the water that it bears stays calm.
static void testCalm(void **state) {
    (void)state;
    for (int k = FIRST; k < METHODS; k++) {
        wbWorld *world = createPiston(methods[k], 15, 1, wb_backendOpencl);
        const wbMechanismId id = wbWorld_GetMechanism(world, 0);
        step(world, 60);
        double before = wbMechanism_GetStats(world, id).speed, most = 0;
        for (int i = 0; i < 20; i++) {
            step(world, 1);
            const double speed = wbMechanism_GetStats(world, id).speed;
            most = fmax(most, 60 * fabs(speed - before)), before = speed;
        }
        if (most > 0.1 * 9.81) fail_msg("%s: shakes by %g m/s2", methods[k], most);
        wbDestroyWorld(world);
    }
}

// What is in transit is saved, and a resumed run ends with the same bits.
static void testResumed(void **state) {
    (void)state;
    for (int k = FIRST; k < METHODS; k++) {
        wbWorld *world = createLog(methods[k], true, true, wb_backendOpencl), *resumed;
        wbBytes bytes = {0};
        step(world, 12);
        assertOk(wbWorld_SaveToBytes(world, &bytes));
        assertOk(wbLoadWorldFromBytes(bytes.data, bytes.size, &resumed));
        wbFreeBytes(&bytes);
        step(world, 6), step(resumed, 6);
        assert_true(wbWorld_Hash(resumed) == wbWorld_Hash(world));
        wbDestroyWorld(world), wbDestroyWorld(resumed);
    }
}

// A device that is lost

static wbOpenCl driver;
static int launches; // that succeed; below 0: counted

static cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                 const size_t *offset, const size_t *global, const size_t *local,
                                 cl_uint waits, const cl_event *waitList, cl_event *event) {
    if (launches-- == 0) return CL_OUT_OF_RESOURCES;
    return driver.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, waits, waitList,
                                         event);
}

static void watch(wbWorld *world, int succeeding) {
    driver = world->gpu->cl, launches = succeeding;
    world->gpu->cl.clEnqueueNDRangeKernel = launch;
}

// Wherever in a step it is lost: the log is where it was, and goes on from there on the cores.
static void testLost(void **state) {
    (void)state;
    for (int k = FIRST; k < METHODS; k++) {
        wbWorld *world = createLog(methods[k], true, false, wb_backendOpencl);
        step(world, 8);
        const uint64_t hash = wbWorld_Hash(world);
        wbWorld *twin = copyToDevice(world);
        watch(twin, -1);
        step(twin, 1);
        const int all = -1 - launches, lost = all * (k + 1) / (METHODS + 1);
        assert_true(all > 20);
        watch(world, lost);
        expectError(wbWorld_Step(world, 0), wb_errorDevice, "could not be started");
        assert_true(wbWorld_Hash(world) == hash);
        assertOk(wbWorld_SetBackend(world, wb_backendCpu, -1));
        assert_true(wbWorld_Hash(world) == hash);
        step(world, 1);
        wbDestroyWorld(world), wbDestroyWorld(twin);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(testLog, resetShape),
                                       cmocka_unit_test(testSubSteps),
                                       cmocka_unit_test(testMechanisms),
                                       cmocka_unit_test(testCalm),
                                       cmocka_unit_test(testResumed),
                                       cmocka_unit_test(testLost)};
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, catchAsserts, NULL);
}
