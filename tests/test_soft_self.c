// SPDX-License-Identifier: MIT
// Cloth that touches itself and other cloth: nothing goes through, by brute force over all edges and triangles.
#include "soft_support.h"

#include <stdlib.h>

#include "reference/crossings.h"

#define WORLD "{\"domain\": {\"min\": [-1, 0, -1], \"max\": [1, 2, 1]}, \"pbd\": {\"method\": \"xpbd\"},"
#define CLOTH                                                                                                \
    "\"shape\": \"cloth\", \"size\": [0.6, 0.6, 1], \"counts\": [20, 20, 1], \"density\": 0.3, "             \
    "\"selfContact\": true, "
#define BALL                                                                                                 \
    ", \"colliders\": [{\"name\": \"globe\", \"shape\": \"sphere\", \"radius\": 0.12, \"position\": [0, "    \
    "0.4, 0]}]"

#define ON_BALL                                                                                              \
    WORLD "\"softBodies\": [{\"name\": \"cloth\", " CLOTH "\"position\": [0.02, 0.65, 0.01], "               \
          "\"rotation\": [90, 10, 0]}]" BALL "}"
#define ON_EDGE                                                                                              \
    WORLD "\"softBodies\": [{\"name\": \"cloth\", " CLOTH                                                    \
          "\"position\": [0, 0.5, 0], \"bending\": \"none\", "                                               \
          "\"rotation\": [8, 10, 30], \"velocity\": [0, -2, 0]}]}"
#define TWO                                                                                                  \
    WORLD "\"softBodies\": [{\"name\": \"a\", " CLOTH "\"position\": [0.02, 0.65, 0.01], "                   \
          "\"rotation\": [90, 10, 0]}, {\"name\": \"b\", " CLOTH "\"position\": [0.1, 0.9, 0.05], "          \
          "\"rotation\": [80, 0, 20], \"velocity\": [0, -4, 0], \"thickness\": 0.006}]" BALL "}"

// All soft bodies of a world in one list of particles.
typedef struct Surface {
    float *p[3];
    int *triangles;
    int count, triangleCount;
} Surface;

static Surface readSurface(wbWorld *world) {
    Surface s = {.count = 0};
    for (int b = 0; b < wbWorld_GetSoftBodyCount(world); b++) {
        const wbSoftBodyMesh mesh = wbSoftBody_GetMesh(world, wbWorld_GetSoftBody(world, b));
        s.count += wbSoftBody_GetParticleCount(world, wbWorld_GetSoftBody(world, b));
        s.triangleCount += mesh.triangleCount;
    }
    for (int a = 0; a < 3; a++) s.p[a] = malloc(sizeof(float) * (size_t)s.count);
    s.triangles = malloc(sizeof(int[3]) * (size_t)s.triangleCount);
    for (int b = 0, n = 0, t = 0; b < wbWorld_GetSoftBodyCount(world); b++) {
        const wbView view = getView(world, b);
        const wbSoftBodyMesh mesh = wbSoftBody_GetMesh(world, wbWorld_GetSoftBody(world, b));
        for (int i = 0; i < view.count; i++, n++)
            s.p[0][n] = view.x[i], s.p[1][n] = view.y[i], s.p[2][n] = view.z[i];
        memcpy(s.triangles + 3 * t, mesh.triangles, sizeof(int[3]) * (size_t)mesh.triangleCount);
        t += mesh.triangleCount;
    }
    return s;
}

static void freeSurface(Surface *s) {
    for (int a = 0; a < 3; a++) free(s->p[a]);
    free(s->triangles);
}

static int countCrossings(wbWorld *world) {
    Surface s = readSurface(world);
    const int count = wbReferenceCountCrossings((const float *const *)s.p, s.triangles, s.triangleCount);
    freeSurface(&s);
    return count;
}

// In all steps; without contact the same cloth is a tangle.
static void expectApart(const char *text, int steps) {
    wbWorld *world = createSoftWorld(text, wb_backendCpu, 2);
    for (int k = 0; k < steps; k++) {
        stepWorld(world, 1);
        const int count = countCrossings(world);
        if (count > 0) fail_msg("%d edges go through triangles after %d steps", count, k + 1);
    }
    wbDestroyWorld(world);
    world = createSoftWorld(text, wb_backendCpu, 2);
    for (int b = 0; b < wbWorld_GetSoftBodyCount(world); b++)
        assertOk(wbWorld_SetParam(world,
                                  b == 0 && wbWorld_GetSoftBodyCount(world) == 1 ? "cloth.selfContact"
                                  : b == 0                                       ? "a.selfContact"
                                                                                 : "b.selfContact",
                                  "false"));
    int most = 0;
    for (int k = 0; k < steps / 5; k++) {
        stepWorld(world, 5);
        most = countCrossings(world) > most ? countCrossings(world) : most;
    }
    assert_true(most > 5);
    wbDestroyWorld(world);
}

static void testOnBall(void **state) {
    (void)state;
    expectApart(ON_BALL, 60);
}

static void testOnEdge(void **state) {
    (void)state;
    expectApart(ON_EDGE, 40);
}

static void testTwo(void **state) {
    (void)state;
    expectApart(TWO, 50);
}

// The same bits for any number of threads.
static void testThreads(void **state) {
    (void)state;
    uint64_t hash = 0;
    for (int threads = 1; threads <= 4; threads++) {
        wbWorld *world = createSoftWorld(TWO, wb_backendCpu, threads);
        stepWorld(world, 30);
        if (threads == 1) hash = wbWorld_Hash(world);
        assert_true(wbWorld_Hash(world) == hash);
        wbDestroyWorld(world);
    }
}

// A run that was saved in the middle of a fold goes on as it would have.
static void testCheckpoint(void **state) {
    (void)state;
    wbWorld *world = createSoftWorld(TWO, wb_backendCpu, 2), *loaded;
    stepWorld(world, 25);
    assertOk(wbWorld_Save(world, "soft_self_test.wbc"));
    assertOk(wbLoadWorld("soft_self_test.wbc", &loaded));
    stepWorld(world, 10), stepWorld(loaded, 10);
    assert_int_equal(wbWorld_Hash(loaded), wbWorld_Hash(world));
    wbDestroyWorld(world), wbDestroyWorld(loaded);
    remove("soft_self_test.wbc");
}

// A crumpled cloth comes to rest, and needs no more memory then.
static void testRest(void **state) {
    (void)state;
    wbWorld *world = createSoftWorld(ON_EDGE, wb_backendCpu, 2);
    const wbStats first = wbWorld_GetStats(world);
    stepWorld(world, 150);
    const uint64_t before = wbWorld_GetProfile(world).allocations;
    stepWorld(world, 10);
    const wbStats stats = wbWorld_GetStats(world);
    assert_int_equal(wbWorld_GetProfile(world).allocations, before);
    if (!(stats.kinetic < 1e-3 * first.kinetic))
        fail_msg("it still has %g of %g J", stats.kinetic, first.kinetic);
    wbDestroyWorld(world);
}

// Two cloths that fly at each other, without weight: momentum is kept, and energy does not grow.
static void testMomentum(void **state) {
    (void)state;
    wbWorld *world = createSoftWorld(
        "{\"world\": {\"gravity\": [0, 0, 0], \"dt\": 0.015625}, \"pbd\": {\"method\": \"xpbd\", "
        "\"subSteps\": 4},"
        "\"domain\": {\"min\": [-9, -9, -9], \"max\": [9, 9, 9]}, \"softBodies\": ["
        "{\"name\": \"a\", " CLOTH "\"velocity\": [0, 0, 3], \"rotation\": [5, 9, 0]},"
        "{\"name\": \"b\", " CLOTH "\"position\": [0.1, 0.05, 0.3], \"velocity\": [0.5, 0, -2]}]}",
        wb_backendCpu, 1);
    const wbStats first = wbWorld_GetStats(world);
    for (int k = 0; k < 60; k++) {
        stepWorld(world, 1);
        assert_true(wbWorld_GetStats(world).kinetic < first.kinetic * (1 + 1e-4));
        assert_int_equal(countCrossings(world), 0);
    }
    const wbStats stats = wbWorld_GetStats(world);
    assert_true(stats.kinetic < 0.9 * first.kinetic); // they met
    for (int a = 0; a < 3; a++)
        if (fabs(stats.momentum[a] - first.momentum[a]) > 2e-5 * 0.108 * 3)
            fail_msg("momentum %d was %g and is %g kg m/s", a, first.momentum[a], stats.momentum[a]);
    wbDestroyWorld(world);
}

// A patch slides down a cloth that is held at an angle: a = g (sin - mu cos), or stays.
static double slide(const char *friction) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "{\"domain\": {\"min\": [-5, -5, -5], \"max\": [5, 5, 5]}, \"pbd\": {\"method\": \"xpbd\", "
        "\"subSteps\": 10, \"friction\": %s},"
        "\"softBodies\": [{\"name\": \"slope\", \"shape\": \"cloth\", \"size\": [2, 0.6, 1], \"counts\": "
        "[21, 7, 1],"
        "\"selfContact\": true, \"rotation\": [90, 0, 0]},"
        "{\"name\": \"patch\", \"shape\": \"cloth\", \"size\": [0.2, 0.2, 1], \"counts\": [6, 6, 1], "
        "\"bending\": \"dihedral\","
        "\"selfContact\": true, \"position\": [0.5, 0.0101, 0], \"rotation\": [90, 0, 0], \"mass\": 0.1}]}",
        friction);
    wbWorld *world = createSoftWorld(text, wb_backendCpu, 1);
    for (int i = 0; i < 21 * 7; i++) assertOk(wbSoftBody_Pin(world, wbWorld_GetSoftBody(world, 0), i, true));
    assertOk(wbWorld_SetParam(world, "world.gravity", "-3.3552,-9.2184,0")); // by 20 degrees
    wbView view = getView(world, 1);
    const double start = (double)getMean(&view).x;
    stepWorld(world, 30);
    view = getView(world, 1);
    const double end = (double)getMean(&view).x;
    wbDestroyWorld(world);
    return start - end;
}

static void testFriction(void **state) {
    (void)state;
    const double free = slide("0"), rubbed = slide("0.2"), held = slide("0.6"), t2 = 0.5 * 0.5;
    if (fabs(free - 0.5 * 3.3552 * t2) > 0.03 * free) fail_msg("without friction it goes %g m", free);
    if (fabs(rubbed - 0.5 * (3.3552 - 0.2 * 9.2184) * t2) > 0.1 * rubbed)
        fail_msg("with 0.2 it goes %g m", rubbed);
    if (!(fabs(held) < 0.003)) fail_msg("with 0.6 it goes %g m", held);
}

// Ropes do not go through each other, nor balls through cloth whose particles are far apart.
static void testOthers(void **state) {
    (void)state;
    wbWorld *world = createSoftWorld(
        "{\"domain\": {\"min\": [-2, 0, -2], \"max\": [2, 3, 2]}, \"pbd\": {\"method\": \"xpbd\", "
        "\"radius\": 0.01, \"subSteps\": 10},"
        "\"softBodies\": [{\"name\": \"low\", \"shape\": \"rope\", \"length\": 1, \"count\": 11, "
        "\"position\": [0, 1, 0],"
        "\"pins\": [0, -1], \"selfContact\": true},"
        "{\"name\": \"high\", \"shape\": \"rope\", \"length\": 1, \"count\": 11, \"position\": [0.04, 1.3, "
        "0.03],"
        "\"rotation\": [0, 90, 0], \"selfContact\": true},"
        "{\"name\": \"net\", \"shape\": \"cloth\", \"size\": [1, 1, 1], \"counts\": [6, 6, 1], \"position\": "
        "[0, 0.7, 0],"
        "\"rotation\": [90, 0, 0], \"pins\": [0, 5, 30, 35], \"selfContact\": true, \"density\": 2},"
        "{\"name\": \"ball\", \"shape\": \"sphere\", \"radius\": 0.05, \"count\": 13, \"position\": [0.21, "
        "0.9, 0.19],"
        "\"mass\": 0.1}]}",
        wb_backendCpu, 1);
    stepWorld(world, 120);
    const wbView high = getView(world, 1), net = getView(world, 2), ball = getView(world, 3);
    assert_true(getMean(&high).y > 0.6f && getMean(&ball).y > getMean(&net).y - 0.2f &&
                getMean(&ball).y > 0.3f);
    wbDestroyWorld(world);
}

static void expectRefused(const char *body, const char *words) {
    char text[512];
    wbScene *scene;
    wbWorld *world;
    snprintf(text, sizeof text, "{\"softBodies\": [{\"name\": \"it\", %s}]}", body);
    assertOk(wbReadSceneText("soft.json", text, strlen(text), &scene));
    const wbStatus status = wbScene_CreateWorld(scene, &world);
    assert_int_equal(status.code, wb_errorInput);
    if (!strstr(status.text, words)) fail_msg("\"%s\" does not say \"%s\"", status.text, words);
    wbDestroyScene(scene);
}

static void testBadInput(void **state) {
    (void)state;
    expectRefused("\"shape\": \"cube\", \"selfContact\": true", "pbd.radius");
    expectRefused("\"shape\": \"cloth\", \"selfContact\": true, \"thickness\": 0", "thickness");
    expectRefused("\"shape\": \"cloth\", \"selfContact\": true, \"thickness\": 3", "edges");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testOnBall),     cmocka_unit_test(testOnEdge),
                                       cmocka_unit_test(testTwo),        cmocka_unit_test(testThreads),
                                       cmocka_unit_test(testCheckpoint), cmocka_unit_test(testRest),
                                       cmocka_unit_test(testMomentum),   cmocka_unit_test(testFriction),
                                       cmocka_unit_test(testOthers),     cmocka_unit_test(testBadInput)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
