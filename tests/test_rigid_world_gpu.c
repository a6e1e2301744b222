// SPDX-License-Identifier: MIT
// Rigid bodies of whole worlds on a compute device: as on the cores, changed while they run, saved, undone, and lost with the device.
#include <math.h>

#include "gpu/gpu_state.h"
#include "gpu_support.h"
#include "rigid_sides_support.h"
#include "world/rigid.h"

static wbRigidContact method; // of all worlds

static int useParticles(void **state) {
    (void)state;
    method = wb_contactParticles;
    return 0;
}
static int useExact(void **state) {
    (void)state;
    method = wb_contactExact;
    return 0;
}

static wbRigidBodyId addBody(wbWorld *world, const wbRigidBodyDef *def) {
    wbRigidBodyId id;
    assertOk(wbCreateRigidBody(world, def, &id));
    return id;
}

static wbRigidBodyId addBox(wbWorld *world, wbVec3 position) {
    wbRigidBodyDef def = wbDefaultRigidBodyDef();
    def.params.size = wbMakeVec3(0.6f, 0.5f, 0.4f), def.params.position = position;
    def.params.rotation = wbMakeVec3(10, 20, 30);
    return addBody(world, &def);
}

static void pushApart(const wbForceCall *call, void *context) {
    (void)context;
    for (int k = 0; k < call->bodyCount; k++)
        call->force[0][call->bodies[k]] += 40 * call->view->x[call->bodies[k]];
}

// What is left to the cores in each sub-step among it.
static void addForces(wbWorld *world) {
    static const wbForceKind kinds[] = {wb_forceDrag, wb_forceSpring, wb_forceCable};
    wbForceId id;
    for (int k = 0; k < 4; k++) {
        wbForceDef def = wbDefaultForceDef();
        const wbRigidBodyId pair[2] = {wbWorld_GetRigidBody(world, 1 + k),
                                       wbWorld_GetRigidBody(world, 3 + k)};
        def.isOnAll = k == 0 || k == 3;
        if (k < 3) def.params.kind = kinds[k];
        if (k == 3) def.function = pushApart;
        def.params.linear = 20, def.params.stiffness = 500, def.params.length = 0.8f;
        def.bodies = pair, def.bodyCount = def.isOnAll ? 0 : 2;
        assertOk(wbCreateForce(world, &def, &id));
    }
}

// A bowl, a post that moves, and a paddle that turns as a body.
static void addObstacles(wbWorld *world) {
    wbColliderDef post = wbDefaultColliderDef(), ring = wbDefaultColliderDef();
    wbRigidBodyDef paddle = wbDefaultRigidBodyDef();
    wbColliderId id;
    post.name = "post", post.params.size = wbMakeVec3(0.3f, 0.3f, 1.5f);
    post.params.position = wbMakeVec3(-0.8f, 0.15f, 0);
    assertOk(wbCreateCollider(world, &post, &id));
    assertOk(wbCollider_SetVelocity(world, id, wbMakeVec3(0.5f, 0, 0), wbMakeVec3(0, 0, 0)));
    ring.name = "ring", ring.params.shape = wb_shapeTorus, ring.params.radius = 0.5f;
    ring.params.thickness = 0.3f, ring.params.position = wbMakeVec3(0.2f, 0.1f, 0);
    assertOk(wbCreateCollider(world, &ring, &id));
    paddle.name = "paddle", paddle.params.type = wb_rigidKinematic;
    paddle.params.shape = wb_rigidCapsule, paddle.params.radius = 0.1f, paddle.params.height = 0.6f;
    paddle.params.position = wbMakeVec3(0, 0.2f, 0.6f), paddle.params.spin = wbMakeVec3(0, 0, 3);
    addBody(world, &paddle);
}

// A few boxes and balls that fall on each other between walls.
static wbWorld *createPile(wbBackend backend) {
    wbWorldDef def = wbDefaultWorldDef();
    wbWorld *world;
    def.domain.min = wbMakeVec3(-1, 0, -1), def.domain.max = wbMakeVec3(1, 6, 1);
    def.params.dt = 0.01f, def.threadCount = 1, def.params.backend = backend;
    def.rigid.contact = method, def.rigid.subSteps = 4;
    assertOk(wbCreateWorld(&def, &world));
    for (int i = 0; i < 12; i++) {
        wbRigidBodyDef body = wbDefaultRigidBodyDef();
        body.params.size = wbMakeVec3(0.6f, 0.5f, 0.4f), body.params.radius = 0.3f;
        body.params.shape = i % 5 == 4 ? wb_rigidSphere : wb_rigidBox;
        body.params.position = wbMakeVec3(0.9f * (float)(i % 2) - 0.45f, 0.4f + 0.55f * (float)(i / 4),
                                          0.9f * (float)(i / 2 % 2) - 0.4f - 0.1f * (float)(i / 4));
        body.params.velocity = wbMakeVec3(0, -1, 0), body.params.spin = wbMakeVec3(0, (float)i, 1);
        addBody(world, &body);
    }
    return world;
}

// A chain, of which a joint breaks on the way, and balls that bounce off each other.
static void addJoints(wbWorld *world) {
    for (int k = 0; k < 3; k++) {
        wbJointDef def = wbDefaultJointDef();
        wbJointId id;
        def.first = wbWorld_GetRigidBody(world, 8 + k), def.second = wbWorld_GetRigidBody(world, 9 + k);
        def.params.kind = wb_jointBall;
        def.params.anchor = wbMakeVec3(0, 1.6f, 0.3f * (float)k - 0.3f);
        def.params.breakForce = k == 2 ? 60 : 0;
        assertOk(wbCreateJoint(world, &def, &id));
    }
    for (int k = 0; k < 2; k++) {
        wbRigidBodyDef ball = wbDefaultRigidBodyDef();
        ball.params.shape = wb_rigidSphere, ball.params.radius = 0.2f, ball.params.restitution = 0.8f;
        ball.params.position = wbMakeVec3(0.02f * (float)k, 3 + 0.6f * (float)k, 0);
        ball.params.velocity.y = -3 * (float)k;
        addBody(world, &ball);
    }
}

// The same with all that bodies can meet and feel on a device.
static wbWorld *createFull(wbBackend backend) {
    wbWorld *world = createPile(backend);
    if (method == wb_contactParticles)
        addObstacles(world);
    else
        addJoints(world);
    addForces(world);
    return world;
}

static void step(wbWorld *world, int count) {
    for (int i = 0; i < count; i++) assertOk(wbWorld_Step(world, 0));
}

static bool isAhead(const wbWorld *world) { return wbSolver_IsAhead(&world->solvers[wb_solverIndex_rigid]); }

// m, that bodies are apart at most.
static float findWorst(wbWorld *a, wbWorld *b) {
    wbRigidView one, two;
    float worst = 0;
    assertOk(wbWorld_GetRigidView(a, &one));
    assertOk(wbWorld_GetRigidView(b, &two));
    assert_int_equal(one.count, two.count);
    for (int i = 0; i < one.count; i++) {
        const wbVec3 gap = {one.x[i] - two.x[i], one.y[i] - two.y[i], one.z[i] - two.z[i]};
        worst = fmaxf(worst, sqrtf(wbDot(gap, gap)));
    }
    return worst;
}

// Exact contacts are solved in another order on a device.
static void assertAlike(wbWorld *cores, wbWorld *device, float tolerance) {
    const float worst = findWorst(cores, device);
    if (method == wb_contactExact) tolerance = 0.1f;
    if (!(worst <= tolerance)) fail_msg("%g m apart, allowed are %g", (double)worst, (double)tolerance);
}

// The same as on the cores, but for roundings, which a pile makes larger from contact to contact; the backend changes while it runs,
// in both directions.
static void testAsOnCores(void **state) {
    (void)state;
    wbWorld *cores = createPile(wb_backendCpu), *device = createPile(wb_backendOpencl);
    step(cores, 10), step(device, 10);
    assert_true(isAhead(device) && !isAhead(cores));
    assertAlike(cores, device, 1e-5f);
    assert_false(isAhead(device));
    assertOk(wbWorld_SetParam(device, "world.backend", "cpu"));
    step(cores, 4), step(device, 4);
    assertOk(wbWorld_SetParam(device, "world.backend", "opencl"));
    step(cores, 4), step(device, 4);
    assertAlike(cores, device, 1e-4f);
    wbDestroyWorld(cores), wbDestroyWorld(device);
}

static void testFullAsOnCores(void **state) {
    (void)state;
    wbWorld *cores = createFull(wb_backendCpu), *device = createFull(wb_backendOpencl);
    step(cores, 12), step(device, 12);
    assert_true(isAhead(device));
    assertAlike(cores, device, 1e-4f);
    for (int k = 0; k < 2; k++) { // colliders come, move and go
        wbWorld *world = k ? cores : device;
        assertOk(wbWorld_SetParam(world, "ring.on", "0"));
        step(world, 2);
        assertOk(wbDestroyCollider(world, wbWorld_GetCollider(world, 1)));
        step(world, 2);
    }
    assertAlike(cores, device, 5e-4f);
    wbDestroyWorld(cores), wbDestroyWorld(device);
}

// In the plane: boxes and a disc on a disc that stands still and a collider.
static wbWorld *createFlat(wbBackend backend) {
    wbWorldDef def = wbDefaultWorldDef();
    wbColliderDef wedge = wbDefaultColliderDef();
    wbColliderId id;
    wbWorld *world;
    def.params.dimensions = 2, def.params.dt = 0.01f, def.threadCount = 1, def.params.backend = backend;
    def.domain.min = wbMakeVec3(-1, 0, 0), def.domain.max = wbMakeVec3(1, 6, 0);
    def.rigid.contact = wb_contactParticles, def.rigid.subSteps = 4;
    assertOk(wbCreateWorld(&def, &world));
    for (int i = 0; i < 7; i++) {
        wbRigidBodyDef body = wbDefaultRigidBodyDef();
        body.params.type = i == 0 ? wb_rigidStatic : wb_rigidDynamic;
        body.params.shape = i % 3 ? wb_rigidBox : wb_rigidSphere;
        body.params.size = wbMakeVec3(0.4f, 0.3f, 1), body.params.radius = 0.25f;
        body.params.position = wbMakeVec3(0.1f * (float)(i % 2), 0.3f + 0.5f * (float)i, 0);
        body.params.rotation.z = 10 * (float)i;
        addBody(world, &body);
    }
    wedge.params.size = wbMakeVec3(0.5f, 0.5f, 1), wedge.params.position = wbMakeVec3(0.7f, 0.2f, 0);
    wedge.params.rotation.z = 30;
    assertOk(wbCreateCollider(world, &wedge, &id));
    return world;
}

static void testFlat(void **state) {
    (void)state;
    wbWorld *cores = createFlat(wb_backendCpu), *device = createFlat(wb_backendOpencl);
    wbRigidView view;
    step(cores, 30), step(device, 30);
    assertAlike(cores, device, 1e-4f);
    assertOk(wbWorld_GetRigidView(device, &view));
    for (int i = 0; i < view.count; i++) assert_true(view.z[i] == 0 && view.wx[i] == 0 && view.qy[i] == 0);
    wbDestroyWorld(cores), wbDestroyWorld(device);
}

// Springs far too stiff: the world says so, and stands where it broke.
static void testUnstable(void **state) {
    (void)state;
    wbWorld *world = createPile(wb_backendOpencl);
    assertOk(wbWorld_SetParam(world, "rigid.stiffness", "1e12"));
    wbStatus status = wb_okStatus;
    for (int k = 0; k < 200 && wbIsOk(status); k++) status = wbWorld_Step(world, 0);
    expectError(status, wb_errorUnstable, "rigid.subSteps");
    assert_int_equal(wbWorld_Step(world, 0).code, wb_errorUnstable);
    (void)wbWorld_Hash(world);
    wbDestroyWorld(world);
}

// A pile that falls and comes to rest: where each body lies is chance, how high they are together is not.
static void testSettles(void **state) {
    (void)state;
    double heights[2];
    for (int k = 0; k < 2; k++) {
        wbWorld *world = createPile(k ? wb_backendOpencl : wb_backendCpu);
        const wbStats before = wbWorld_GetStats(world);
        step(world, 450);
        const wbStats after = wbWorld_GetStats(world);
        assert_true(after.leaked == 0);
        assert_float_equal(after.mass, before.mass, 1e-6 * before.mass);
        assert_true(after.kinetic < 1e-4 * before.potential);
        heights[k] = after.potential / (9.81 * after.mass);
        wbDestroyWorld(world);
    }
    assert_float_equal(heights[0], heights[1], 0.02 * heights[0]);
}

// Whatever a program does to bodies between steps is seen by the next one.
static void change(wbWorld *world) {
    const float turned[4] = {0, 0.6f, 0, 0.8f};
    step(world, 4);
    assertOk(wbRigidBody_ApplyImpulse(world, wbWorld_GetRigidBody(world, 1), wbMakeVec3(0, 100, 0)));
    assertOk(wbRigidBody_ApplyForce(world, wbWorld_GetRigidBody(world, 2), wbMakeVec3(1000, 0, 0)));
    step(world, 2);
    assertOk(wbRigidBody_SetVelocity(world, wbWorld_GetRigidBody(world, 3), wbMakeVec3(0, 2, 0)));
    assertOk(wbDestroyRigidBody(world, wbWorld_GetRigidBody(world, 0)));
    step(world, 2);
    const wbRigidBodyId box = addBox(world, wbMakeVec3(0.3f, 2.2f, 0));
    step(world, 2);
    assertOk(wbRigidBody_SetPose(world, box, wbMakeVec3(-0.3f, 2.3f, 0), turned));
    assertOk(wbRigidBody_SetType(world, wbWorld_GetRigidBody(world, 5), wb_rigidStatic));
    step(world, 2);
    assertOk(wbRigidBody_SetOn(world, wbWorld_GetRigidBody(world, 6), false));
    assertOk(wbWorld_SetParam(world, "world.gravity", "1,-5,0"));
    step(world, 2);
}

static void testChanges(void **state) {
    (void)state;
    wbWorld *cores = createPile(wb_backendCpu), *device = createPile(wb_backendOpencl);
    change(cores), change(device);
    assertAlike(cores, device, 1e-4f);
    wbDestroyWorld(cores), wbDestroyWorld(device);
}

// The other method, and back: the state goes along.
static void testMethodChanges(void **state) {
    (void)state;
    static const char *const methods[] = {"exact", "particles", "exact"};
    wbWorld *cores = createPile(wb_backendCpu), *device = createPile(wb_backendOpencl);
    step(cores, 3), step(device, 3);
    for (int k = 0; k < 3; k++) {
        assertOk(wbWorld_SetParam(cores, "rigid.contact", methods[k]));
        assertOk(wbWorld_SetParam(device, "rigid.contact", methods[k]));
        step(cores, 3), step(device, 3);
    }
    assertAlike(cores, device, 1e-3f);
    wbDestroyWorld(cores), wbDestroyWorld(device);
}

// Two runs have the same bits, and so has one that was saved, or went back.
static void testCheckpoint(void **state) {
    (void)state;
    wbWorld *world = createFull(wb_backendOpencl), *again = createFull(wb_backendOpencl), *loaded;
    wbBytes bytes = {0};
    step(world, 15), step(again, 15);
    assert_true(isAhead(world));
    assertOk(wbWorld_SaveToBytes(world, &bytes));
    assertOk(wbLoadWorldFromBytes(bytes.data, bytes.size, &loaded));
    assert_non_null(wbWorld_GetDevice(loaded));
    wbForce_SetFunction(loaded, wbWorld_GetForce(loaded, 3), pushApart, NULL);
    assert_true(wbWorld_Hash(loaded) == wbWorld_Hash(world));
    step(world, 10), step(loaded, 10), step(again, 10);
    const uint64_t hash = wbWorld_Hash(world);
    assert_true(wbWorld_Hash(loaded) == hash);
    assert_true(wbWorld_Hash(again) == hash);
    const wbRigid *rigid = &wbGetRigidBodies(world)->rigid;
    for (int k = 0; k < rigid->joints.count; k++) {
        wbJointReading reading;
        assertOk(wbJoint_GetReading(world, wbWorld_GetJoint(world, k), &reading));
        assert_int_equal(reading.isBroken, k == 2);
    }
    assert_true((method == wb_contactExact ? rigid->contacts.count : rigid->particles.contactCount) > 10);
    for (int k = 0; k < 2; k++) { // also while the device is ahead
        assertOk(wbWorld_Restore(world, bytes.data, bytes.size));
        step(world, 10);
        if (k == 0) step(world, 3);
    }
    assert_true(wbWorld_Hash(world) == hash);
    wbFreeBytes(&bytes);
    wbDestroyWorld(world), wbDestroyWorld(again), wbDestroyWorld(loaded);
}

// Colliders are among the bodies, also if they move, come and go, and meshes as well.
static void testColliders(void **state) {
    (void)state;
    wbWorld *worlds[2];
    for (int n = 0; n < 2; n++) {
        wbWorldDef def = wbDefaultWorldDef();
        wbColliderDef belt = wbDefaultColliderDef();
        wbColliderId id;
        def.params.dt = 0.01f, def.threadCount = 1, def.params.backend = n ? wb_backendOpencl : wb_backendCpu;
        assertOk(wbCreateWorld(&def, &worlds[n]));
        belt.params.shape = wb_shapeBox, belt.params.size = wbMakeVec3(8, 1, 8);
        belt.params.position = wbMakeVec3(0, -0.5f, 0);
        assertOk(wbCreateCollider(worlds[n], &belt, &id));
        addBox(worlds[n], wbMakeVec3(0, 0.5f, 0));
        step(worlds[n], 40);
        assertOk(wbCollider_SetVelocity(worlds[n], id, wbMakeVec3(0.5f, 0, 0), wbMakeVec3(0, 0, 0)));
        step(worlds[n], 100);
    }
    assert_true(isAhead(worlds[1]));
    wbRigidView view;
    assertOk(wbWorld_GetRigidView(worlds[1], &view));
    assert_true(view.vx[0] > 0.4f); // it is carried along
    assertAlike(worlds[0], worlds[1], 1e-3f);
    wbWorld *loaded;
    wbBytes bytes = {0};
    assertOk(wbWorld_SaveToBytes(worlds[1], &bytes));
    assertOk(wbLoadWorldFromBytes(bytes.data, bytes.size, &loaded));
    step(worlds[1], 10), step(loaded, 10);
    assert_true(wbWorld_Hash(worlds[1]) == wbWorld_Hash(loaded));
    wbFreeBytes(&bytes);
    wbDestroyWorld(loaded);
    step(worlds[0], 10);
    for (int n = 0; n < 2; n++) {
        wbColliderDef ring = wbDefaultColliderDef();
        wbColliderId id;
        ring.name = "ring", ring.params.shape = wb_shapeTorus, ring.params.position = wbMakeVec3(3, 1, 0);
        assertOk(wbCreateCollider(worlds[n], &ring, &id));
        addBox(worlds[n], wbMakeVec3(3.5f, 1.6f, 0));
        step(worlds[n], 30);
        assert_true(isAhead(worlds[n]) == (n == 1));
        assertOk(wbDestroyCollider(worlds[n], id));
        step(worlds[n], 2);
    }
    assert_true(isAhead(worlds[1]));
    assertAlike(worlds[0], worlds[1], 0.02f);
    wbDestroyWorld(worlds[0]), wbDestroyWorld(worlds[1]);
}

// Joints need a device with double precision: without it they and their bodies are the cores'.
static void testNoDoubles(void **state) {
    (void)state;
    wbWorld *world = createFull(wb_backendOpencl);
    world->gpu->hasDoubles = false;
    step(world, 2);
    assert_false(isAhead(world));
    world->gpu->hasDoubles = true;
    step(world, 2);
    assert_true(isAhead(world));
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

// What needs more memory than there ever was is refused once.
static const wbGpu *watched;
static size_t ceiling;
static cl_mem CL_API_CALL createBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                                       cl_int *code) {
    if (watched->heldBytes + size <= ceiling) return driver.clCreateBuffer(context, flags, size, host, code);
    ceiling = watched->heldBytes + size;
    *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return NULL;
}

// The world goes back to the last state that was copied, says so, and goes on without the device.
static void loseDevice(bool inRead, int after) {
    wbWorld *world = createFull(wb_backendOpencl);
    step(world, 6);
    const uint64_t hash = wbWorld_Hash(world);
    step(world, 1);
    wbOpenCl *cl = &world->gpu->cl;
    driver = *cl, callsLeft = after;
    if (inRead)
        cl->clEnqueueReadBuffer = readBuffer;
    else
        cl->clEnqueueNDRangeKernel = launch;
    expectError(wbWorld_Step(world, 0), wb_errorDevice, "the world is back at step 6");
    assert_int_equal(wbWorld_GetStepCount(world), 6);
    assert_true(wbWorld_Hash(world) == hash);
    *cl = driver;
    assertOk(wbWorld_SetBackend(world, wb_backendCpu, -1));
    step(world, 2);
    wbDestroyWorld(world);
}

static void testLostDevice(void **state) {
    (void)state;
    static const int launches[] = {0, 1, 9, 20}, reads[] = {0, 1, 2};
    for (int k = 0; k < 4; k++) loseDevice(false, launches[k]);
    for (int k = 0; k < 3; k++) loseDevice(true, reads[k]);
}

// A step that finds no memory has not happened, and the next one goes on from where the device was.
static void testUndone(void **state) {
    (void)state;
    wbWorld *world = createFull(wb_backendOpencl), *twin = createFull(wb_backendOpencl);
    int failures = 0;
    driver = world->gpu->cl;
    for (int k = 0; k < 24; k++) {
        const char *gravity = k % 2 ? "9,-9,9" : "-9,-9,9"; // more contacts than ever
        if (k % 3 == 2) assertOk(wbWorld_SetParam(world, "world.gravity", gravity));
        if (k % 3 == 2) assertOk(wbWorld_SetParam(twin, "world.gravity", gravity));
        assertOk(wbWorld_Step(twin, 0));
        watched = world->gpu, ceiling = watched->heldBytes;
        world->gpu->cl.clCreateBuffer = createBuffer;
        for (wbStatus status; !wbIsOk(status = wbWorld_Step(world, 0)); failures++)
            assert_int_equal(status.code, wb_errorMemory);
        world->gpu->cl = driver;
        if (k % 3 > 0) assert_true(wbWorld_Hash(world) == wbWorld_Hash(twin)); // else the device stays ahead
    }
    assert_true(failures > 10);
    wbDestroyWorld(world), wbDestroyWorld(twin);
}

static void testSides(void **state) {
    (void)state;
    checkSides(wb_backendOpencl, method);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testAsOnCores),  cmocka_unit_test(testFlat),
                                       cmocka_unit_test(testChanges),    cmocka_unit_test(testMethodChanges),
                                       cmocka_unit_test(testCheckpoint), cmocka_unit_test(testLostDevice),
                                       cmocka_unit_test(testUndone),     cmocka_unit_test(testSides)};
    const struct CMUnitTest particles[] = {cmocka_unit_test(testFullAsOnCores), cmocka_unit_test(testSettles),
                                           cmocka_unit_test(testUnstable)},
                            exact[] = {cmocka_unit_test(testColliders), cmocka_unit_test(testNoDoubles)};
    const int missing = findDevice();
    if (missing) return missing;
    return cmocka_run_group_tests_name("particles", tests, useParticles, NULL) +
           cmocka_run_group_tests_name("exact", tests, useExact, NULL) +
           cmocka_run_group_tests_name("particles with others", particles, useParticles, NULL) +
           cmocka_run_group_tests_name("exact with others", exact, useExact, NULL);
}
