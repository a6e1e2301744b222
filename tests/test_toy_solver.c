// SPDX-License-Identifier: MIT
// A solver that a build adds in one place (toy_solver.h) gets all that the world gives to solvers.
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testParameters),
        cmocka_unit_test(testScene),
        cmocka_unit_test(testStepStatsAndProfile),
        cmocka_unit_test(testHashAndCheckpoint),
        cmocka_unit_test(testDevice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
