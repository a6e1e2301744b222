// SPDX-License-Identifier: MIT
// Soft bodies as worlds have them: shapes, sides, colliders, pins, checkpoints.
#include "soft_support.h"

#include <unistd.h>

static void expectRefused(const char *text, const char *words) {
    wbScene *scene;
    wbWorld *world = NULL;
    wbStatus status = wbReadSceneText("soft.json", text, strlen(text), &scene);
    if (status.code == wb_ok) {
        status = wbScene_CreateWorld(scene, &world);
        wbDestroyScene(scene);
        wbDestroyWorld(world);
    }
    assert_int_equal(status.code, wb_errorInput);
    if (!strstr(status.text, words)) fail_msg("\"%s\" does not say \"%s\"", status.text, words);
}

// Shapes

static void expectBody(const char *body, int particles, int constraints, double mass) {
    char text[1024];
    snprintf(text, sizeof text, "{\"softBodies\": [{\"name\": \"it\", %s}]}", body);
    wbWorld *world = createSoftWorld(text, wb_backendCpu, 1);
    wbSoftBodyId id = wbWorld_GetSoftBody(world, 0);
    assert_string_equal(wbSoftBody_GetName(world, id), "it");
    assert_int_equal(wbSoftBody_GetParticleCount(world, id), particles);
    assert_int_equal(wbSoftBody_GetMesh(world, id).constraintCount, constraints);
    double sum = wbWorld_GetStats(world).mass;
    if (fabs(sum - mass) > 1e-4 * mass) fail_msg("%s has %g kg, expected %g", body, sum, mass);
    stepWorld(world, 2);
    wbDestroyWorld(world);
}

static void testShapes(void **state) {
    (void)state;
    expectBody("\"shape\": \"sphere\", \"radius\": 10, \"count\": 220", 220, 24090, 220);
    expectBody("\"shape\": \"sphere\", \"radius\": 10, \"count\": 702, \"constraints\": \"decimated\","
               "\"maxDistance\": 5, \"farMax\": 2, \"furthest\": 19",
               702, 20629, 702);
    expectBody("\"shape\": \"stick\", \"length\": 2, \"count\": 5, \"density\": 3", 5, 10, 6);
    expectBody("\"shape\": \"rope\", \"length\": 2, \"count\": 5", 5, 4 + 3, 5);
    expectBody("\"shape\": \"rope\", \"length\": 2, \"count\": 5, \"bending\": \"none\"", 5, 4, 5);
    expectBody("\"shape\": \"cube\", \"size\": [1, 2, 3], \"counts\": [2, 3, 4], \"density\": 10", 24,
               24 * 23 / 2, 60);
    expectBody("\"shape\": \"grid\", \"spacing\": 0.5, \"counts\": [2, 2, 1], \"mass\": 7", 4, 6, 7);
    // 3 x 2 along x, 2 x 3 along y, 4 + 4 diagonals; over two edges 3 + 3
    expectBody("\"shape\": \"cloth\", \"counts\": [3, 3, 1]", 9, 6 + 6 + 8 + 6, 9);
    expectBody("\"shape\": \"cloth\", \"counts\": [3, 3, 1], \"bending\": \"dihedral\"", 9, 20, 9);
    expectBody("\"shape\": \"random\", \"count\": 6, \"size\": [1, 1, 1], \"density\": 2", 6, 15, 2);
}

// A tetrahedron beside the test: its corners and edges, or a lattice in it.
static void testMeshes(void **state) {
    (void)state;
    char text[1024];
    const char *path = "test_soft.obj";
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("v 0 0 0\nv 3 0 0\nv 0 3 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", file);
    fclose(file);
    expectBody("\"shape\": \"meshSurface\", \"mesh\": \"test_soft.obj\", \"bending\": \"none\", "
               "\"scale\": 2, \"density\": 1",
               4, 6, 4 * (3 * 4.5 + 0.5 * 9 * sqrt(3)));
    snprintf(text, sizeof text,
             "{\"softBodies\": [{\"name\": \"it\", \"shape\": \"meshVolume\", \"mesh\": \"%s\", \"spacing\": "
             "0.25, \"density\": 2}]}",
             path);
    wbWorld *world = createSoftWorld(text, wb_backendCpu, 1);
    wbView view = getView(world, 0);
    assert_in_range(view.count, 150, 400); // 4.5 m3 have room for 288
    assert_true(fabs(wbWorld_GetStats(world).mass - 9) < 1e-3);
    for (int i = 0; i < view.count; i++)
        assert_true(view.x[i] > 0 && view.y[i] > 0 && view.z[i] > 0 && view.x[i] + view.y[i] + view.z[i] < 3);
    wbDestroyWorld(world);
    remove(path);
}

static void testDegenerateMesh(void **state) {
    (void)state;
    float vertices[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    uint32_t indices[] = {0, 1, 2, 1, 1, 2};
    const wbMesh mesh = {3, 2, vertices, indices};
    wbWorld *world = createSoftWorld("{}", wb_backendCpu, 1);
    wbSoftBodyDef def = wbDefaultSoftBodyDef();
    wbSoftBodyId id;
    def.params.shape = wb_softBodyMeshSurface, def.mesh = &mesh;
    wbStatus status = wbCreateSoftBody(world, &def, &id);
    assert_int_equal(status.code, wb_errorInput);
    assert_non_null(strstr(status.text, "triangle 1 of the mesh has vertex 1 twice"));
    wbDestroyWorld(world);
}

// It stands where it shall stand, turned and moving.
static void testPlace(void **state) {
    (void)state;
    wbWorld *world = createSoftWorld(
        "{\"world\": {\"gravity\": [0, 0, 0], \"dt\": 0.5}, \"softBodies\": [{\"name\": \"it\", \"shape\": "
        "\"stick\", \"length\": 2, \"count\": 3, \"position\": [1, 2, 3], \"rotation\": [0, 0, 90], "
        "\"velocity\": [4, 0, 0]}]}",
        wb_backendCpu, 1);
    wbView view = getView(world, 0);
    for (int i = 0; i < 3; i++) {
        assert_true(fabsf(view.x[i] - 1) < 1e-6f && fabsf(view.z[i] - 3) < 1e-6f);
        assert_true(fabsf(view.y[i] - (float)(1 + i)) < 1e-6f);
    }
    stepWorld(world, 1);
    view = getView(world, 0);
    assert_true(fabsf(view.x[1] - 3) < 1e-5f && view.density == NULL);
    wbDestroyWorld(world);
}

// On the floor, where its lowest particles are beyond it by a rounding.
static void testOnTheFloor(void **state) {
    (void)state;
    wbWorld *world = createSoftWorld(
        "{\"domain\": {\"min\": [-1, 0, -1], \"max\": [1, 2, 1]}, \"softBodies\": [{\"name\": \"it\", "
        "\"shape\": "
        "\"cube\", \"size\": [0.4, 0.4, 0.4], \"counts\": [4, 4, 4], \"position\": [0, 0.2, 0]}]}",
        wb_backendCpu, 1);
    assert_true(getView(world, 0).y[0] < 0);
    stepWorld(world, 10);
    assert_true(wbWorld_GetStats(world).kinetic < 1e-6);
    assert_int_equal(wbWorld_SetParam(world, "pbd.radius", "1.5").code, wb_errorInput);
    wbDestroyWorld(world);
}

static void testRefusals(void **state) {
    (void)state;
#define ONE(rest) "{\"softBodies\": [{\"name\": \"it\", " rest "}]}"
    expectRefused(ONE("\"shape\": \"blob\""), "allowed is stick|cube|sphere");
    expectRefused(ONE("\"shape\": \"cube\", \"counts\": [2, 2.5, 2]"), "whole numbers");
    expectRefused(ONE("\"shape\": \"cube\", \"constraints\": \"edges\""), "take all or decimated");
    expectRefused(ONE("\"shape\": \"cube\", \"constraints\": \"decimated\""), "give a distance");
    expectRefused(ONE("\"shape\": \"rope\", \"bending\": \"dihedral\""), "needs triangles");
    expectRefused(ONE("\"shape\": \"rope\", \"pins\": [100]"), "pin 100 is none of its 100 particles");
    expectRefused(ONE("\"shape\": \"rope\", \"pins\": [0.5]"), "must be a whole number");
    expectRefused(ONE("\"shape\": \"cube\", \"mass\": 1, \"density\": 1"), "give one of them");
    expectRefused(ONE("\"shape\": \"meshVolume\""), "need \"mesh\"");
    expectRefused(ONE("\"shape\": \"cloth\", \"farMax\": 2, \"furthest\": 0.01"), "make it longer");
    expectRefused(ONE("\"shape\": \"cloth\", \"counts\": [1, 9, 1]"), "at least 2 particles");
    expectRefused(
        "{\"domain\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1]}, \"softBodies\": [{\"name\": \"it\", "
        "\"shape\": \"cube\"}]}",
        "beyond the domain's closed sides");
    expectRefused(
        "{\"domain\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1]}, \"pbd\": {\"radius\": 2}, \"softBodies\": "
        "[{\"name\": \"it\", \"shape\": \"cube\"}]}",
        "pbd.radius is 2 m, but the domain is 1 m wide along x");
    expectRefused(
        "{\"world\": {\"dimensions\": 2}, \"softBodies\": [{\"name\": \"it\", \"shape\": \"cube\"}]}",
        "3 dimensions");
    expectRefused("{\"softBodies\": [{\"name\": \"pbd\", \"shape\": \"cube\"}]}", "is taken");
#undef ONE
}

// A soft body that cannot be made leaves the world as it was.
static void testFailureLeavesNothing(void **state) {
    (void)state;
    wbWorld *world = createSoftWorld(SOFT_MIXTURE, wb_backendCpu, 1);
    uint64_t hash = wbWorld_Hash(world);
    wbSoftBodyDef def = wbDefaultSoftBodyDef();
    wbSoftBodyId id;
    def.name = "late";
    def.params.position = wbMakeVec3(50, 0, 0);
    assert_int_equal(wbCreateSoftBody(world, &def, &id).code, wb_errorInput);
    assert_true(wbWorld_Hash(world) == hash);
    wbWorld *other = createSoftWorld(SOFT_MIXTURE, wb_backendCpu, 1);
    stepWorld(world, 5), stepWorld(other, 5);
    assert_true(wbWorld_Hash(world) == wbWorld_Hash(other));
    wbDestroyWorld(world), wbDestroyWorld(other);
}

static void testContactRadius(void **state) {
    (void)state;
    wbWorld *world = createSoftWorld(SOFT_MIXTURE, wb_backendCpu, 1);
    assert_true(wbIsOk(wbWorld_SetParam(world, "pbd.radius", "0.125")));
    assert_true(wbSoftBody_GetContactRadius(world, wbWorld_GetSoftBody(world, 0)) == 0.125f);
    wbDestroyWorld(world);
}

// Messages call it a soft body, not as its table is called.
static void testWordOfMessages(void **state) {
    (void)state;
    wbWorld *world = createSoftWorld(SOFT_MIXTURE, wb_backendCpu, 1);
    const char *name = wbSoftBody_GetName(world, wbWorld_GetSoftBody(world, 0));
    wbSoftBodyDef def = wbDefaultSoftBodyDef();
    wbSoftBodyId id;
    char text[128], key[64];
    def.name = name;
    snprintf(text, sizeof text, "there is already a soft body named \"%s\"", name);
    assert_string_equal(wbCreateSoftBody(world, &def, &id).text, text);
    def.name = "two words";
    assert_string_equal(wbCreateSoftBody(world, &def, &id).text,
                        "the name of a new soft body must be letters, digits, - and _, the first a letter");
    snprintf(key, sizeof key, "%s.shape", name);
    snprintf(text, sizeof text, "%s is fixed when the soft body is made", key);
    assert_string_equal(wbWorld_SetParam(world, key, "cube").text, text);
    wbDestroyWorld(world);
}

// Promises

static void testThreadsAgree(void **state) {
    (void)state;
    uint64_t first = 0;
    for (int threads = 1; threads <= 4; threads++) {
        wbWorld *world = createSoftWorld(SOFT_MIXTURE, wb_backendCpu, threads);
        stepWorld(world, 20);
        if (threads == 1) first = wbWorld_Hash(world);
        assert_true(wbWorld_Hash(world) == first);
        wbDestroyWorld(world);
    }
}

static void testNothingAllocated(void **state) {
    (void)state;
    wbWorld *world = createSoftWorld(SOFT_MIXTURE, wb_backendCpu, 2);
    stepWorld(world, 120); // until the ball has slid off the block, and most has touched
    uint64_t before = wbWorld_GetProfile(world).allocations;
    stepWorld(world, 60);
    assert_true(wbWorld_GetProfile(world).allocations == before);
    wbDestroyWorld(world);
}

static void testCrash(void **state) {
    (void)state;
    checkSoftCrashes(wb_backendCpu);
}

static void checkCheckpoint(const char *integrator) {
    const char *path = "test_soft.wb";
    wbWorld *world = createSoftWorld(SOFT_MIXTURE, wb_backendCpu, 1), *loaded;
    assertOk(wbWorld_SetParam(world, "pbd.solver", "jacobiConstraints"));
    assertOk(wbWorld_SetParam(world, "pbd.integrator", integrator));
    assertOk(wbWorld_SetParam(world, "domain.max", "1,1.2,1"));
    stepWorld(world, 5);
    assertOk(wbWorld_Save(world, path));
    assertOk(wbLoadWorld(path, &loaded));
    assert_true(wbWorld_Hash(loaded) == wbWorld_Hash(world));
    stepWorld(world, 20), stepWorld(loaded, 20);
    assert_true(wbWorld_Hash(loaded) == wbWorld_Hash(world));
    assert_true(wbWorld_GetDomain(loaded).max.y == wbWorld_GetDomain(world).max.y);
    assert_int_equal(wbSoftBody_GetParams(loaded, wbWorld_GetSoftBody(loaded, 2))->shape, wb_softBodyCloth);
    assert_int_equal(wbSoftBody_GetMesh(loaded, wbWorld_GetSoftBody(loaded, 2)).triangleCount, 2 * 11 * 11);
    wbScene *scene = readScene(SOFT_MIXTURE);
    assertOk(wbScene_CheckWorld(scene, loaded));
    wbDestroyScene(scene);
    wbDestroyWorld(world), wbDestroyWorld(loaded);
    remove(path);
}

static void testCheckpoint(void **state) {
    (void)state;
    checkCheckpoint("euler");
    checkCheckpoint("verlet");
    checkCheckpoint("bdf2");
}

// What is pinned in motion stands still at once, and starts from rest when it is let go.
static void testPinStops(void **state) {
    (void)state;
    wbWorld *world = createSoftWorld(SOFT_MIXTURE, wb_backendCpu, 1);
    assertOk(wbWorld_SetParam(world, "pbd.integrator", "bdf2"));
    wbSoftBodyId ball = wbWorld_GetSoftBody(world, 0);
    stepWorld(world, 6);
    assertOk(wbSoftBody_Pin(world, ball, 7, true));
    wbView view = getView(world, 0);
    float y = view.y[7];
    stepWorld(world, 1);
    view = getView(world, 0);
    assert_true(view.y[7] == y && view.vy[7] == 0);
    wbDestroyWorld(world);
}

// Memory that runs out in a step leaves the state before it, and the step can be done again.
static void testMemoryLimit(void **state) {
    (void)state;
    const char *text =
        "{\"softBodies\": [{\"name\": \"ball\", \"shape\": \"sphere\", \"radius\": 1, \"count\": 500}]}";
    wbWorld *world = createSoftWorld(text, wb_backendCpu, 1),
            *other = createSoftWorld(text, wb_backendCpu, 1);
    char limit[32];
    stepWorld(world, 1), stepWorld(other, 1);
    uint64_t hash = wbWorld_Hash(world);
    snprintf(limit, sizeof limit, "%zu", wbWorld_GetProfile(world).bytes + 20000);
    assertOk(wbWorld_SetParam(world, "world.memoryLimit", limit));
    assertOk(wbWorld_SetParam(world, "pbd.solver", "jacobiParticles"));
    assertOk(wbWorld_SetParam(world, "pbd.integrator", "bdf2"));
    assert_int_equal(wbWorld_Step(world, 0).code, wb_errorMemory);
    assert_true(wbWorld_Hash(world) == hash);
    assertOk(wbWorld_SetParam(world, "world.memoryLimit", "1e9"));
    assertOk(wbWorld_SetParam(other, "pbd.solver", "jacobiParticles"));
    assertOk(wbWorld_SetParam(other, "pbd.integrator", "bdf2"));
    stepWorld(world, 3), stepWorld(other, 3);
    assert_true(wbWorld_Hash(world) == wbWorld_Hash(other));
    wbDestroyWorld(world), wbDestroyWorld(other);
}

static void testUnstable(void **state) {
    (void)state;
    wbWorld *world =
        createSoftWorld("{\"softBodies\": [{\"name\": \"it\", \"shape\": \"cube\", \"counts\": [2, 2, 2]}]}",
                        wb_backendCpu, 1);
    wbStatus status = wbWorld_Step(world, 3e38f);
    assert_int_equal(status.code, wb_errorUnstable);
    assert_non_null(strstr(status.text, "soft bodies"));
    assert_int_equal(wbWorld_Step(world, 0).code, wb_errorUnstable);
    wbDestroyWorld(world);
}

// Sides

#define BALL_IN_BOX                                                                                          \
    "{\"world\": {\"dt\": 0.0166666667}, \"domain\": {\"min\": [-20, 0, -20], \"max\": [20, 30, 20], "       \
    "\"sideSpeed\": 20},"                                                                                    \
    "\"pbd\": {\"subSteps\": 1, \"radius\": 1}, \"softBodies\": [{\"name\": \"ball\","                       \
    "\"shape\": \"sphere\", \"radius\": 10, \"count\": 220, \"position\": [0, 11.5, 0]}]}"

// The lid comes down no faster than it may, presses the ball flat and lets it go: with one iteration a step Gauss-Seidel
// has it in shape again after five steps, which the Jacobis have not.
static void testSqueeze(void **state) {
    (void)state;
    static const char *const solvers[] = {"gaussSeidel", "jacobiParticles", "jacobiConstraints"};
    for (int s = 0; s < 3; s++) {
        wbWorld *world = createSoftWorld(BALL_IN_BOX, wb_backendCpu, 1);
        double pressed, free;
        assertOk(wbWorld_SetParam(world, "pbd.solver", solvers[s]));
        assertOk(wbWorld_SetParam(world, "domain.max", "20,5,20"));
        stepWorld(world, 30);
        assert_true(fabsf(wbWorld_GetDomain(world).max.y - 20) < 1e-3f);
        stepWorld(world, 90);
        assert_true(wbWorld_GetDomain(world).max.y == 5);
        wbView view = getView(world, 0);
        for (int i = 0; i < view.count; i++) assert_true(view.y[i] < 4.001f && view.y[i] > 0.999f);
        assertOk(wbWorld_GetLengthError(world, &pressed));
        assertOk(wbWorld_SetParam(world, "domain.sideSpeed", "1e5"));
        assertOk(wbWorld_SetParam(world, "domain.max", "20,1000,20"));
        stepWorld(world, 5);
        assertOk(wbWorld_GetLengthError(world, &free));
        assert_true(pressed > 0.2);
        if (s == 0 ? free > 0.005 : free < 0.1) fail_msg("%s: %g, then %g", solvers[s], pressed, free);
        wbDestroyWorld(world);
    }
}

// Water is in the box, too.
static void testSidesPressBoth(void **state) {
    (void)state;
    wbWorld *world = createSoftWorld(BALL_IN_BOX, wb_backendCpu, 1);
    wbFluidDef water = wbDefaultFluidDef();
    water.solver = wb_solverPbf;
    wbFluidId fluid;
    const wbBlockDef block = {.min = {-20, 0, -20}, .max = {-19.4f, 0.4f, -19.4f}};
    assert_int_equal(wbWorld_SetParam(world, "domain.min", "0,50,0").code, wb_errorInput);
    assertOk(wbCreateFluid(world, &water, &fluid));
    assertOk(wbFluid_AddBlock(world, fluid, &block));
    assertOk(wbWorld_SetParam(world, "world.dt", "auto"));
    assertOk(wbWorld_SetParam(world, "domain.max", "20,25,20"));
    while (wbWorld_GetDomain(world).max.y > 25) {
        assertOk(wbWorld_Step(world, 0));
        assert_int_equal(wbWorld_GetStats(world).leaked, 0);
    }
    assertOk(wbWorld_SetParam(world, "domain.max", "20,10,20"));
    for (int k = 0; k < 300 && wbWorld_GetDomain(world).max.y > 10; k++) assertOk(wbWorld_Step(world, 0));
    assert_int_equal(wbWorld_GetStats(world).leaked, 0);
    wbDestroyWorld(world);
}

static void testOpenSidesStand(void **state) {
    (void)state;
    wbWorld *world = createSoftWorld(
        "{\"domain\": {\"min\": [-1, 0, -1], \"max\": [1, 2, 1], \"sides\": {\"top\": {\"type\": \"open\"}}},"
        "\"softBodies\": [{\"name\": \"it\", \"shape\": \"cube\", \"counts\": [2, 2, 2], \"position\": [0, "
        "1, "
        "0]}]}",
        wb_backendCpu, 1);
    wbStatus status = wbWorld_SetParam(world, "domain.max", "1,1,1");
    assert_int_equal(status.code, wb_errorInput);
    assert_non_null(strstr(status.text, "the top side is open"));
    assertOk(wbWorld_SetParam(world, "domain.max", "0.8,2,1"));
    stepWorld(world, 10);
    assert_true(wbWorld_GetDomain(world).max.x == 0.8f && wbWorld_GetDomain(world).max.y == 2);
    wbDestroyWorld(world);
}

// Colliders

#define CUBE_ON_SLOPE                                                                                        \
    "{\"world\": {\"dt\": 0.01}, \"pbd\": {\"iterations\": 10, \"subSteps\": 4, \"radius\": 0.05},"          \
    "\"softBodies\": [{\"name\": \"cube\", \"shape\": \"cube\", \"size\": [0.4, 0.4, 0.4], \"counts\": [4, " \
    "4, "                                                                                                    \
    "4],"                                                                                                    \
    "\"position\": [0, 0.26, 0], \"rotation\": [0, 0, -15]}],"                                               \
    "\"colliders\": [{\"name\": \"slope\", \"shape\": \"box\", \"size\": [20, 1, 4], \"rotation\": [0, 0, "  \
    "-15],"                                                                                                  \
    " \"position\": [-0.129409523, -0.482962913, 0]}]}"

// tan 15° = 0.268: with more friction it stays, with none it slides at g sin 15°.
static void testSlope(void **state) {
    (void)state;
    for (int rough = 0; rough < 2; rough++) {
        wbWorld *world = createSoftWorld(CUBE_ON_SLOPE, wb_backendCpu, 1);
        assertOk(wbWorld_SetParam(world, "pbd.friction", rough ? "0.5" : "0"));
        stepWorld(world, 20);
        wbView view = getView(world, 0);
        wbVec3 from = getMean(&view);
        float speed = -wbWorld_GetStats(world).momentum[0] < 0 ? 1 : 0;
        stepWorld(world, 100);
        view = getView(world, 0);
        wbVec3 way = wbSub(getMean(&view), from);
        double length = sqrt((double)wbDot(way, way));
        // v t + g sin(15°) t2 / 2 with v after 0.2 s
        double slide = 2.539 * (0.2 + 0.5);
        if (rough ? length > 0.02 : fabs(length - slide) > 0.1) fail_msg("slid by %g m", length);
        assert_true(rough || speed == 1);
        wbDestroyWorld(world);
    }
}

// A collider that moves takes along what lies on it, and does not let it through.
static void testLift(void **state) {
    (void)state;
    wbWorld *world = createSoftWorld(
        "{\"world\": {\"dt\": 0.01}, \"pbd\": {\"iterations\": 10, \"subSteps\": 4, \"radius\": 0.05},"
        "\"softBodies\": [{\"name\": \"cube\", \"shape\": \"cube\", \"size\": [0.4, 0.4, 0.4], \"counts\": "
        "[4, "
        "4, 4],"
        "\"position\": [0, 0.26, 0]}],"
        "\"colliders\": [{\"name\": \"plate\", \"shape\": \"box\", \"size\": [2, 0.02, 2], \"position\": [0, "
        "-0.01, 0]}]}",
        wb_backendCpu, 1);
    for (int k = 1; k <= 100; k++) {
        char place[64];
        snprintf(place, sizeof place, "%g,%g,0", 0.005 * k, -0.01 + 0.02 * k);
        assertOk(wbWorld_SetParam(world, "plate.position", place));
        stepWorld(world, 1);
    }
    wbView view = getView(world, 0);
    wbVec3 mean = getMean(&view);
    assert_true(fabsf(mean.y - 2.25f) < 0.03f && mean.x > 0.3f && mean.x < 0.52f);
    wbDestroyWorld(world);
}

// A thin plate stops what would fly through it in one step.
static void testThinPlate(void **state) {
    (void)state;
    wbWorld *world =
        createSoftWorld("{\"world\": {\"dt\": 0.01, \"gravity\": [0, 0, 0]}, \"pbd\": {\"radius\": 0.05},"
                        "\"softBodies\": [{\"name\": \"cube\", \"shape\": \"cube\", \"size\": [0.4, 0.4, "
                        "0.4], \"counts\": [4, "
                        "4, 4],"
                        "\"position\": [0, 1, 0], \"velocity\": [0, -100, 0]}],"
                        "\"colliders\": [{\"name\": \"plate\", \"shape\": \"box\", \"size\": [4, 0.02, 4]}]}",
                        wb_backendCpu, 1);
    stepWorld(world, 30);
    wbView view = getView(world, 0);
    for (int i = 0; i < view.count; i++) assert_true(view.y[i] > 0.05f);
    assert_int_equal(wbWorld_GetStats(world).leaked, 0);
    wbDestroyWorld(world);
}

// Bodies

// Two cubes, one on the other: contacts carry the upper one.
static void testStack(void **state) {
    (void)state;
    wbWorld *world =
        createSoftWorld("{\"world\": {\"dt\": 0.01}, \"domain\": {\"min\": [-1, 0, -1], \"max\": [1, 2, 1]},"
                        "\"pbd\": {\"iterations\": 10, \"subSteps\": 4, \"radius\": 0.05}, \"softBodies\": ["
                        "{\"name\": \"low\", \"shape\": \"cube\", \"size\": [0.6, 0.3, 0.6], \"counts\": [7, "
                        "4, 7], \"position\": [0, 0.2, 0]},"
                        "{\"name\": \"high\", \"shape\": \"cube\", \"size\": [0.3, 0.3, 0.3], \"counts\": "
                        "[4, 4, 4], \"position\": [0, 0.65, 0]}]}",
                        wb_backendCpu, 1);
    stepWorld(world, 150);
    wbView view = getView(world, 1);
    wbVec3 mean = getMean(&view);
    if (fabsf(mean.y - 0.58f) > 0.04f) fail_msg("the upper cube is at %g m", mean.y);
    wbDestroyWorld(world);
}

static void testPins(void **state) {
    (void)state;
    wbWorld *world = createSoftWorld(SOFT_MIXTURE, wb_backendCpu, 1);
    wbSoftBodyId cloth = wbWorld_GetSoftBody(world, 2);
    wbView view = getView(world, 2);
    float x = view.x[0], y = view.y[0];
    stepWorld(world, 30);
    view = getView(world, 2);
    assert_true(view.x[0] == x && view.y[0] == y && view.y[70] < y - 0.1f);
    for (int k = 1; k <= 20; k++) {
        assertOk(wbSoftBody_MovePin(world, cloth, 0, wbMakeVec3(x, y + 0.01f * (float)k, view.z[0])));
        stepWorld(world, 1);
    }
    view = getView(world, 2);
    assert_true(fabsf(view.y[0] - y - 0.2f) < 1e-5f);
    int pins[1] = {-1}, count, before;
    assertOk(wbSoftBody_GetPins(world, cloth, pins, 1, &before));
    assert_true(before >= 1 && pins[0] == 0);
    assertOk(wbSoftBody_Pin(world, cloth, 0, false));
    assertOk(wbSoftBody_GetPins(world, cloth, NULL, 0, &count));
    assert_int_equal(count, before - 1);
    stepWorld(world, 20);
    view = getView(world, 2);
    assert_true(fabsf(view.y[0] - y - 0.2f) > 1e-3f);
    wbDestroyWorld(world);
}

// Soft bodies beside water: both go on, and the statistics are those of both.
static void testBesideWater(void **state) {
    (void)state;
    wbWorld *world = createSoftWorld(
        "{\"domain\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1]}, \"sph\": {\"spacing\": 0.1},"
        "\"fluids\": [{\"name\": \"water\", \"blocks\": [{\"min\": [0, 0, 0], \"max\": [0.4, 0.4, 0.4]}]}],"
        "\"softBodies\": [{\"name\": \"cube\", \"shape\": \"cube\", \"size\": [0.2, 0.2, 0.2], \"counts\": "
        "[2, "
        "2, 2],"
        "\"position\": [0.7, 0.5, 0.7]}]}",
        wb_backendCpu, 1);
    stepWorld(world, 10);
    wbStats stats = wbWorld_GetStats(world);
    assert_int_equal(stats.particles, 64 + 8);
    assert_true(fabs(stats.mass - 64 - 8) < 2);
    assert_true(wbWorld_GetProfile(world).phaseCount == 16); // with those of what they exchange
    wbDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testShapes),
        cmocka_unit_test(testMeshes),
        cmocka_unit_test(testDegenerateMesh),
        cmocka_unit_test(testPlace),
        cmocka_unit_test(testOnTheFloor),
        cmocka_unit_test(testRefusals),
        cmocka_unit_test(testFailureLeavesNothing),
        cmocka_unit_test(testContactRadius),
        cmocka_unit_test(testWordOfMessages),
        cmocka_unit_test(testThreadsAgree),
        cmocka_unit_test(testNothingAllocated),
        cmocka_unit_test(testCheckpoint),
        cmocka_unit_test(testPinStops),
        cmocka_unit_test(testMemoryLimit),
        cmocka_unit_test(testUnstable),
        cmocka_unit_test(testSqueeze),
        cmocka_unit_test(testSidesPressBoth),
        cmocka_unit_test(testOpenSidesStand),
        cmocka_unit_test(testSlope),
        cmocka_unit_test(testLift),
        cmocka_unit_test(testThinPlate),
        cmocka_unit_test(testStack),
        cmocka_unit_test(testCrash),
        cmocka_unit_test(testPins),
        cmocka_unit_test(testBesideWater),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
