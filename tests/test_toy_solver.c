// SPDX-License-Identifier: MIT
// Solvers that a build adds in one place (toy_solver.h) get all that the world gives to solvers, and to fluids.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test_support.h"
#include "wirbel/scene.h"

static wbWorld *createWorld(wbBackend backend) {
    wbWorldDef def = wbDefaultWorldDef();
    wbWorld *world;
    def.hasToy = true;
    def.toy.points = 10;
    def.params.backend = backend;
    assertOk(wbCreateWorld(&def, &world));
    return world;
}

static void step(wbWorld *world, int count) {
    for (int n = 0; n < count; n++) assertOk(wbWorld_Step(world, 0));
}

static void testParameters(void **state) {
    (void)state;
    char value[32];
    wbWorld *world = createWorld(wb_backendCpu);
    assert_true(wbDefaultWorldDef().toy.fall == 9.81f);
    assert_non_null(wbGetParams("toy"));
    assertOk(wbWorld_GetParam(world, "toy.points", value, sizeof value));
    assert_string_equal(value, "10");
    assertOk(wbWorld_SetParam(world, "toy.fall", "2"));
    assert_int_equal(wbWorld_SetParam(world, "toy.fall", "-2").code, wb_errorInput);
    assert_non_null(strstr(wbWorld_SetParam(world, "toy.points", "3").text, "fixed"));
    wbDestroyWorld(world);
    wbWorldDef without = wbDefaultWorldDef();
    assertOk(wbCreateWorld(&without, &world));
    assert_non_null(strstr(wbWorld_SetParam(world, "toy.fall", "2").text, "the world has no toy"));
    assert_int_equal(wbWorld_GetProfile(world).phaseCount, 0);
    wbDestroyWorld(world);
    without.hasToy = true, without.toy.points = -1;
    assert_int_equal(wbCreateWorld(&without, &world).code, wb_errorInput);
}

// It has a section of scene files, and is there if that is.
static void testScene(void **state) {
    (void)state;
    static const char with[] = "{\"toy\": {\"points\": 5}}", wrong[] = "{\"toy\": {\"point\": 5}}";
    char value[32];
    wbScene *scene;
    wbWorld *world;
    assertOk(wbReadSceneText("toy.json", with, strlen(with), &scene));
    assertOk(wbScene_Set(scene, "toy.fall", "3"));
    assertOk(wbScene_CreateWorld(scene, &world));
    assert_true(wbWorld_HasSolver(world, "toy"));
    assertOk(wbWorld_GetParam(world, "toy.points", value, sizeof value));
    assert_string_equal(value, "5");
    assertOk(wbScene_CheckWorld(scene, world));
    assertOk(wbScene_Set(scene, "toy.points", "6"));
    assert_string_equal(wbScene_CheckWorld(scene, world).text, "its toy.points is 5, the scene's is 6");
    wbDestroyScene(scene);
    assertOk(wbReadSceneText("empty.json", "{}", 2, &scene));
    assert_string_equal(wbScene_CheckWorld(scene, world).text, "it has toy, the scene has none");
    assert_string_equal(wbScene_Set(scene, "toy.fall", "3").text,
                        "the scene has no toy: add \"toy\": {} to its file");
    wbDestroyScene(scene);
    wbDestroyWorld(world);
    assert_non_null(strstr(wbReadSceneText("toy.json", wrong, strlen(wrong), &scene).text,
                           "unknown key \"point\" in \"toy\"; did you mean \"points\"?"));
}

static void testStepStatsAndProfile(void **state) {
    (void)state;
    wbWorld *world = createWorld(wb_backendCpu);
    double before = wbWorld_GetStats(world).potential;
    assert_true(wbWorld_GetTimeStep(world) == 1.0f / 60);
    step(world, 3);
    assert_true(wbWorld_GetStats(world).mass == 10 && wbWorld_GetStats(world).potential < before);
    wbProfile profile = wbWorld_GetProfile(world);
    assert_int_equal(profile.phaseCount, 1);
    assert_string_equal(profile.phases[0].name, "toy_fall");
    wbDestroyWorld(world);
}

static void testHashAndCheckpoint(void **state) {
    (void)state;
    char path[] = "/tmp/wirbel-test-toy-XXXXXX";
    wbWorld *world = createWorld(wb_backendCpu), *loaded;
    uint64_t start = wbWorld_Hash(world);
    close(mkstemp(path));
    step(world, 2);
    assert_true(wbWorld_Hash(world) != start);
    assertOk(wbWorld_SetParam(world, "toy.fall", "3"));
    assertOk(wbWorld_Save(world, path));
    assertOk(wbLoadWorld(path, &loaded));
    assert_true(wbWorld_Hash(world) == wbWorld_Hash(loaded));
    step(world, 3), step(loaded, 3);
    assert_true(wbWorld_Hash(world) == wbWorld_Hash(loaded));
    unlink(path);
    wbDestroyWorld(world), wbDestroyWorld(loaded);
}

// The same motion, there and back.
static void testDevice(void **state) {
    (void)state;
    int count;
    if (!wbIsOk(wbListDevices(NULL, 0, &count)) || count == 0) {
        assert_null(getenv("WIRBEL_NEED_OPENCL"));
        skip();
    }
    wbWorld *host = createWorld(wb_backendCpu), *world = createWorld(wb_backendOpencl);
    step(host, 5), step(world, 5);
    double expected = wbWorld_GetStats(host).potential;
    assert_true(fabs(wbWorld_GetStats(world).potential - expected) < 1e-5 * expected);
    assertOk(wbWorld_SetParam(world, "toy.fall", "1"));
    step(world, 2);
    assertOk(wbWorld_SetBackend(world, wb_backendCpu, -1));
    step(world, 2);
    assertOk(wbWorld_SetBackend(world, wb_backendOpencl, -1));
    step(world, 2);
    assert_true(wbWorld_GetStats(world).potential < expected);
    wbDestroyWorld(host), wbDestroyWorld(world);
}

// A fluid: a block of it, an emitter above and a drain below.
static const char dustText[] =
    "{\"world\": {\"dimensions\": 2, \"seconds\": 1}, \"dust\": {\"spacing\": 0.1}, \"toy\": {},"
    "\"domain\": {\"min\": [0, 0], \"max\": [2, 2]},"
    "\"fluids\": [{\"name\": \"sand\", \"solver\": \"dust\","
    "\"blocks\": [{\"min\": [0, 0], \"max\": [0.5, 0.5]}]}],"
    "\"emitters\": [{\"name\": \"mouth\", \"fluid\": \"sand\", \"position\": [1.5, 1.5], \"radius\": 0.2,"
    "\"direction\": [0, -1], \"velocity\": 2}],"
    "\"drains\": [{\"name\": \"hole\", \"min\": [0, 0], \"max\": [0.25, 0.25]}]}";

static wbWorld *createDust(wbBackend backend) {
    wbScene *scene;
    wbWorld *world;
    assertOk(wbReadSceneText("dust.json", dustText, strlen(dustText), &scene));
    assertOk(wbScene_Set(scene, "world.backend", backend == wb_backendCpu ? "cpu" : "opencl"));
    assertOk(wbScene_CreateWorld(scene, &world));
    wbDestroyScene(scene);
    return world;
}

static void testFluid(void **state) {
    (void)state;
    char path[] = "/tmp/wirbel-test-dust-XXXXXX";
    wbView view;
    wbWorld *world = createDust(wb_backendCpu), *loaded;
    wbFluidId fluid = wbWorld_GetFluid(world, 0);
    assert_true(wbWorld_HasSolver(world, "dust") && !wbWorld_HasSolver(world, "sph"));
    assert_int_equal(wbFluid_GetParticleCount(world, fluid), 25);
    assert_true(fabs(wbFluid_GetParticleMass(world, fluid) - 10) < 1e-4);
    step(world, 20);
    wbFluidStats stats = wbFluid_GetStats(world, fluid);
    assert_true(stats.spawned > 29 && stats.removed >= 4);
    assertOk(wbFluid_GetView(world, fluid, &view));
    for (int i = 0; i < view.count; i++) assert_true(view.y[i] >= 0 && view.y[i] <= 1.6f);
    close(mkstemp(path));
    assertOk(wbWorld_Save(world, path));
    assertOk(wbLoadWorld(path, &loaded));
    step(world, 5), step(loaded, 5);
    assert_true(wbWorld_Hash(world) == wbWorld_Hash(loaded));
    unlink(path);
    wbDestroyWorld(world), wbDestroyWorld(loaded);
}

// Points fall first, dust then finds no memory: both are where they were.
static void checkFailedStep(wbBackend backend) {
    wbWorld *world = createDust(backend), *other = createDust(backend);
    step(world, 3), step(other, 3);
    for (int isLookedAt = 0; isLookedAt < 2; isLookedAt++) { // until then a device is ahead
        uint64_t hash = isLookedAt ? wbWorld_Hash(world) : 0;
        assertOk(wbWorld_SetParam(world, "dust.fails", "true"));
        assert_int_equal(wbWorld_Step(world, 0).code, wb_errorMemory);
        if (isLookedAt) assert_true(wbWorld_Hash(world) == hash);
        assertOk(wbWorld_SetParam(world, "dust.fails", "false"));
        step(world, 2), step(other, 2);
    }
    assert_true(wbWorld_Hash(world) == wbWorld_Hash(other));
    wbDestroyWorld(world), wbDestroyWorld(other);
}

static void testFailedStep(void **state) {
    (void)state;
    int count;
    checkFailedStep(wb_backendCpu);
    if (wbIsOk(wbListDevices(NULL, 0, &count)) && count > 0) checkFailedStep(wb_backendOpencl);
}

static void testFluidOnDevice(void **state) {
    (void)state;
    int count;
    if (!wbIsOk(wbListDevices(NULL, 0, &count)) || count == 0) {
        assert_null(getenv("WIRBEL_NEED_OPENCL"));
        skip();
    }
    wbWorld *host = createDust(wb_backendCpu), *world = createDust(wb_backendOpencl);
    step(host, 20), step(world, 20);
    wbStats expected = wbWorld_GetStats(host), stats = wbWorld_GetStats(world);
    assert_int_equal(stats.particles, expected.particles);
    assert_true(fabs(stats.potential - expected.potential) < 1e-4 * expected.potential);
    assertOk(wbWorld_SetBackend(world, wb_backendCpu, -1));
    step(world, 2);
    wbDestroyWorld(host), wbDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testParameters),
        cmocka_unit_test(testScene),
        cmocka_unit_test(testStepStatsAndProfile),
        cmocka_unit_test(testHashAndCheckpoint),
        cmocka_unit_test(testDevice),
        cmocka_unit_test(testFluid),
        cmocka_unit_test(testFailedStep),
        cmocka_unit_test(testFluidOnDevice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
