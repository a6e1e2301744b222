// SPDX-License-Identifier: MIT
// Steps of worlds whose dt is auto: their length, the sub-steps of each solver, and what happens between these.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "every_world.h"
#include "world/world.h"

static wbWorld *createFrom(const char *text, int threads) {
    wbScene *scene;
    wbWorld *world;
    assertOk(wbReadSceneText("step.json", text, strlen(text), &scene));
    wbScene_GetWorldDef(scene)->threadCount = threads;
    assertOk(wbScene_CreateWorld(scene, &world));
    wbDestroyScene(scene);
    return world;
}

// Sub-steps of a solver in the last step.
static int countSubSteps(const wbWorld *world, const char *solver) {
    const wbProfile profile = wbWorld_GetProfile(world);
    for (int s = 0; s < profile.solverCount; s++)
        if (strcmp(profile.solvers[s].name, solver) == 0) return profile.solvers[s].subSteps;
    return -1;
}

static const char empty[] = "{\"output\":{\"fps\":%g}}";

// The longest part of a frame that is no longer than 1/60 s; frames end with steps.
static void testLength(void **state) {
    (void)state;
    static const double rates[][2] = {{60, 60}, {25, 75}, {120, 120}, {50, 100}, {30, 60}, {0.5, 60}};
    for (size_t k = 0; k < sizeof rates / sizeof rates[0]; k++) {
        char text[64];
        snprintf(text, sizeof text, empty, rates[k][0]);
        wbWorld *world = createFrom(text, 1);
        assert_true(wbWorld_GetFrameRate(world) == (double)(float)rates[k][0]);
        for (int n = 1; n <= 1000; n++) {
            assert_true(fabs(wbWorld_GetTimeStep(world) * rates[k][1] - 1) < 1e-6);
            assertOk(wbWorld_Step(world, 0));
            assert_true(wbWorld_GetTime(world) == n / rates[k][1]);
        }
        // off its grid, and on again
        assertOk(wbWorld_Step(world, 0.001f));
        assert_true(fabs(wbWorld_GetTimeStep(world) - (1 / rates[k][1] - 0.001)) < 1e-6);
        assertOk(wbWorld_Step(world, 0));
        assert_true(wbWorld_GetTime(world) == 1001 / rates[k][1]);
        wbDestroyWorld(world);
    }
}

// Where what is stable is very short, steps are shorter parts of a frame: a program has not to wait for thousands of sub-steps.
static void testManySubSteps(void **state) {
    (void)state;
    wbWorld *world =
        createFrom("{\"domain\":{\"min\":[0,0,0],\"max\":[1e-3,1e-3,1e-3]},\"sph\":{\"spacing\":2e-4},"
                   "\"fluids\":[{\"name\":\"w\",\"blocks\":[{\"min\":[0,0,0],\"max\":[4e-4,4e-4,4e-4]}]}]}",
                   1);
    const int parts = (int)lround(1 / (60.0 * wbWorld_GetTimeStep(world)));
    assert_in_range(parts, 2, 64);
    assert_int_equal(parts & (parts - 1), 0);
    for (int k = 0; k < parts; k++) {
        assertOk(wbWorld_Step(world, 0));
        assert_in_range(countSubSteps(world, "sph"), 64, 256 + 1);
    }
    assert_true(wbWorld_GetTime(world) == 1 / 60.0);
    wbDestroyWorld(world);
}

static void testFrameRate(void **state) {
    (void)state;
    wbWorldDef def = wbDefaultWorldDef();
    wbWorld *world;
    assert_true(def.frameRate == 60);
    def.frameRate = 0;
    assert_int_equal(wbCreateWorld(&def, &world).code, wb_errorInput);
    def.frameRate = 24;
    assertOk(wbCreateWorld(&def, &world));
    assert_true(wbWorld_GetTimeStep(world) == (float)(1.0 / 72));
    assert_int_equal(wbWorld_SetFrameRate(world, NAN).code, wb_errorInput);
    assert_non_null(strstr(wbWorld_SetFrameRate(world, 1e7).text, "allowed is 0.001 to 1e+06 1/s"));
    assert_true(wbWorld_GetFrameRate(world) == 24);
    assertOk(wbWorld_SetFrameRate(world, 200));
    assert_true(wbWorld_GetTimeStep(world) == (float)(1.0 / 200));
    wbDestroyWorld(world);
}

static const char plumeAndWater[] =
    "{\"domain\":{\"min\":[0,0,0],\"max\":[1,1,1],\"sides\":{\"top\":{\"type\":\"open\"}}},"
    "\"smoke\":{\"cellSize\":0.1,\"buoyancy\":0.05},\"sph\":{\"spacing\":0.05,\"soundSpeed\":20},"
    "\"pbd\":{\"radius\":0.02},\"coupling\":{\"waterSoft\":\"off\"},"
    "\"sources\":[{\"name\":\"fire\",\"position\":[0.5,0.3,0.5],\"radius\":0.2,\"temperature\":50}],"
    "\"softBodies\":[{\"name\":\"cloth\",\"shape\":\"cloth\",\"counts\":[4,4,1],\"position\":[0.5,0.8,0.5]}],"
    "\"fluids\":[{\"name\":\"water\",\"blocks\":[{\"min\":[0,0,0],\"max\":[0.3,0.3,0.3]}]}]}";

// Neither smoke nor cloth follow the water's sub-steps, and none of them changes what the water does.
static void testSolversGoTheirOwnWay(void **state) {
    (void)state;
    static const char water[] =
        "{\"domain\":{\"min\":[0,0,0],\"max\":[1,1,1],\"sides\":{\"top\":{\"type\":\"open\"}}},"
        "\"sph\":{\"spacing\":0.05,\"soundSpeed\":20},"
        "\"fluids\":[{\"name\":\"water\",\"blocks\":[{\"min\":[0,0,0],\"max\":[0.3,0.3,0.3]}]}]}";
    wbWorld *world = createFrom(plumeAndWater, 2), *alone = createFrom(water, 2);
    for (int k = 0; k < 5; k++) {
        const int expected = (int)ceilf(1.0f / 60 / wbWorld_GetStableStep(world));
        assertOk(wbWorld_Step(world, 0));
        assertOk(wbWorld_Step(alone, 0));
        assert_true(expected > 5);
        assert_int_equal(countSubSteps(world, "sph"), expected);
        assert_int_equal(countSubSteps(alone, "sph"), expected);
        assert_int_equal(countSubSteps(world, "smoke"), 1);
        assert_int_equal(countSubSteps(world, "pbd"), 1);
    }
    wbView a, b;
    assertOk(wbFluid_GetView(world, wbWorld_GetFluid(world, 0), &a));
    assertOk(wbFluid_GetView(alone, wbWorld_GetFluid(alone, 0), &b));
    assert_int_equal(a.count, b.count);
    for (int i = 0; i < a.count; i++)
        assert_true(a.y[i] == b.y[i] && a.vy[i] == b.vy[i] && a.id[i] == b.id[i]);
    wbDestroyWorld(world), wbDestroyWorld(alone);
}

// A jet turns a free wheel, and a pump carries the water back.
static const char mill[] =
    "{\"world\":{\"dimensions\":2},\"domain\":{\"min\":[0,0],\"max\":[2,1.5]},\"sph\":{\"spacing\":0.04,"
    "\"soundSpeed\":30},\"fluids\":[{\"name\":\"water\",\"blocks\":[{\"min\":[0,0],\"max\":[2,0.2]}]}],"
    "\"colliders\":[{\"name\":\"paddles\",\"shape\":\"wheel\",\"radius\":0.4,\"thickness\":0.06,\"paddles\":"
    "6,"
    "\"position\":[1,0.8]},{\"name\":\"gate\",\"size\":[0.1,0.1],\"position\":[0.2,1.2]}],"
    "\"mechanisms\":[{\"name\":\"wheel\",\"kind\":\"wheel\",\"colliders\":[\"paddles\"],\"pivot\":[1,0.8],"
    "\"drive\":\"free\",\"inertia\":20},{\"name\":\"lift\",\"kind\":\"gate\",\"colliders\":[\"gate\"],"
    "\"travel\":[0,0.1],\"open\":1,\"duration\":1}],"
    "\"emitters\":[{\"name\":\"jet\",\"fluid\":\"water\",\"kind\":\"disc\",\"position\":[1.25,1.4],"
    "\"direction\":[0,-1],\"radius\":0.1,\"velocity\":3}],"
    "\"drains\":[{\"name\":\"pump\",\"min\":[0,0],\"max\":[0.3,0.1],\"emitter\":\"jet\",\"delay\":0.05}]}";

static wbMechanismStats getWheel(const wbWorld *world) {
    return wbMechanism_GetStats(world, wbWorld_GetMechanism(world, 0));
}

// A sub-step of one group is a whole step of the world: wheels are kicked, layers let out and water drained in each of them, and
// what is told of a step is the mean of all.
static void testSubStepsAreSteps(void **state) {
    (void)state;
    wbWorld *world = createFrom(mill, 2), *twin = createFrom(mill, 2);
    for (int k = 0; k < 40; k++) {
        assertOk(wbWorld_Step(world, 0));
        const int count = countSubSteps(world, "sph");
        double torque = 0;
        assert_true(count > 10);
        for (int n = 0; n < count; n++) {
            assertOk(wbWorld_Step(twin, (float)(1.0 / 60 / count)));
            torque += getWheel(twin).torque / count;
        }
        assert_true(fabs(getWheel(world).torque - torque) <= 1e-6 * (1 + fabs(torque)));
    }
    assert_true(getWheel(world).speed != 0 && getWheel(world).speed == getWheel(twin).speed);
    assert_true(getWheel(world).angle == getWheel(twin).angle);
    const wbColliderStats a = wbCollider_GetStats(world, wbWorld_GetCollider(world, 1)),
                          b = wbCollider_GetStats(twin, wbWorld_GetCollider(twin, 1));
    assert_memory_equal(a.position, b.position, sizeof a.position);
    const wbEmitterStats jet = wbEmitter_GetStats(world, wbWorld_GetEmitter(world, 0)),
                         other = wbEmitter_GetStats(twin, wbWorld_GetEmitter(twin, 0));
    assert_true(jet.emitted > 50 && jet.emitted == other.emitted && jet.waiting == other.waiting);
    wbView first, second;
    assertOk(wbFluid_GetView(world, wbWorld_GetFluid(world, 0), &first));
    assertOk(wbFluid_GetView(twin, wbWorld_GetFluid(twin, 0), &second));
    assert_int_equal(first.count, second.count);
    for (int i = 0; i < first.count; i++)
        assert_true(first.x[i] == second.x[i] && first.vy[i] == second.vy[i] && first.id[i] == second.id[i]);
    wbDestroyWorld(world), wbDestroyWorld(twin);
}

// With air, the wheel ends where the water has turned it, and the paddles with it.
static void testWheelInAir(void **state) {
    (void)state;
    char text[sizeof mill + 64];
    snprintf(text, sizeof text, "{\"smoke\":{\"cellSize\":0.1},%s", mill + 1);
    wbWorld *world = createFrom(text, 2), *alone = createFrom(mill, 2);
    for (int k = 0; k < 30; k++) {
        assertOk(wbWorld_Step(world, 0));
        assertOk(wbWorld_Step(alone, 0));
        assert_true(getWheel(world).angle == getWheel(alone).angle);
        assert_true(getWheel(world).speed == getWheel(alone).speed);
        const wbColliderStats a = wbCollider_GetStats(world, wbWorld_GetCollider(world, 0)),
                              b = wbCollider_GetStats(alone, wbWorld_GetCollider(alone, 0));
        assert_memory_equal(a.rotation, b.rotation, sizeof a.rotation);
    }
    assert_true(countSubSteps(world, "smoke") < countSubSteps(world, "sph"));
    assert_true(wbWorld_GetSmokeStats(world).kinetic > 0);
    wbDestroyWorld(world), wbDestroyWorld(alone);
}

// At 10 m/s water passes 17 cm in a step: a drain 4 cm thick takes all of it, and layers come out one spacing apart.
static void testThinDrain(void **state) {
    (void)state;
    static const char jet[] =
        "{\"world\":{\"dimensions\":2,\"gravity\":[0,0]},\"domain\":{\"min\":[0,0],\"max\":[2,1],\"sides\":{"
        "\"right\":{\"type\":\"open\"}}},\"sph\":{\"spacing\":0.04,\"soundSpeed\":60},"
        "\"fluids\":[{\"name\":\"water\"}],\"emitters\":[{\"name\":\"jet\",\"fluid\":\"water\",\"kind\":"
        "\"disc\","
        "\"position\":[0.2,0.5],\"direction\":[1,0],\"radius\":0.1,\"velocity\":10}],"
        "\"drains\":[{\"name\":\"slit\",\"min\":[1,0],\"max\":[1.04,1]}]}";
    wbWorld *world = createFrom(jet, 2);
    wbView view;
    for (int k = 0; k < 15; k++) assertOk(wbWorld_Step(world, 0));
    assertOk(wbFluid_GetView(world, wbWorld_GetFluid(world, 0), &view));
    assert_true(wbDrain_GetStats(world, wbWorld_GetDrain(world, 0)).drained > 100);
    for (int i = 0; i < view.count; i++) assert_true(view.x[i] < 1.05f);
    assert_true(wbWorld_GetStats(world).densityErrorMax < 0.1);
    wbDestroyWorld(world);
}

// Speeds that rise within a step shorten what is left of it.
static void testIsPlannedAnew(void **state) {
    (void)state;
    static const char burst[] =
        "{\"world\":{\"dimensions\":2,\"gravity\":[0,0]},\"domain\":{\"min\":[0,0],\"max\":[2,1]},"
        "\"sph\":{\"spacing\":0.04,\"soundSpeed\":10},\"fluids\":[{\"name\":\"water\",\"particles\":[{"
        "\"position\":[0.1,0.1]}]}],\"emitters\":[{\"name\":\"jet\",\"fluid\":\"water\",\"kind\":\"disc\","
        "\"position\":[0.2,0.5],\"direction\":[1,0],\"radius\":0.1,\"velocity\":60,\"start\":0.004}]}";
    wbWorld *world = createFrom(burst, 1);
    const int planned = (int)ceilf(1.0f / 60 / wbWorld_GetStableStep(world));
    assertOk(wbWorld_Step(world, 0));
    assert_true(countSubSteps(world, "sph") > 2 * planned);
    assert_true(wbWorld_GetTime(world) == 1.0 / 60);
    wbDestroyWorld(world);
}

static const Variant divided = {",\"longestStep\":0.0025", "", "", "", 0, NULL, true, false, false, false};

static void testSameForAnyThreads(void **state) {
    (void)state;
    uint64_t first = 0;
    for (int threads = 1; threads <= 3; threads++) {
        wbWorld *world = createEvery(&divided, wb_backendCpu);
        assertOk(wbWorld_SetThreadCount(world, threads));
        for (int k = 0; k < 6; k++) assertOk(wbWorld_Step(world, 0));
        assert_true(countSubSteps(world, "smoke") == 2 && countSubSteps(world, "sph") >= 2);
        if (threads == 1) first = wbWorld_Hash(world);
        assert_true(wbWorld_Hash(world) == first);
        wbDestroyWorld(world);
    }
}

static void testResumes(void **state) {
    (void)state;
    char path[] = "/tmp/wirbel-test-step-XXXXXX";
    close(mkstemp(path));
    wbWorld *world = createEvery(&divided, wb_backendCpu), *resumed;
    for (int k = 0; k < 3; k++) assertOk(wbWorld_Step(world, 0));
    assertOk(wbWorld_Save(world, path));
    assertOk(wbLoadWorld(path, &resumed));
    unlink(path);
    assert_true(wbWorld_GetFrameRate(resumed) == 200);
    for (int k = 0; k < 20; k++) assertOk(wbWorld_Step(world, 0)), assertOk(wbWorld_Step(resumed, 0));
    assert_true(wbWorld_GetTime(resumed) == wbWorld_GetTime(world));
    assert_true(wbWorld_Hash(resumed) == wbWorld_Hash(world));
    wbDestroyWorld(world), wbDestroyWorld(resumed);
}

// Times are of all sub-steps, and each has its part of them; in a step that nothing else on the machine has held up, most.
static void testProfile(void **state) {
    (void)state;
    wbWorld *world = createFrom(plumeAndWater, 1);
    double most = 0;
    assert_int_equal(countSubSteps(world, "sph"), 0);
    for (int n = 0; n < 10; n++) {
        assertOk(wbWorld_Step(world, 0));
        const wbProfile profile = wbWorld_GetProfile(world);
        double sum = 0;
        for (int k = 0; k < profile.phaseCount; k++) sum += profile.phases[k].ms;
        assert_true(sum <= profile.stepMs);
        assert_true(profile.dt == (float)(1.0 / 60));
        most = fmax(most, sum / profile.stepMs);
    }
    assert_true(most > 0.3);
    wbDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testLength),
                                       cmocka_unit_test(testManySubSteps),
                                       cmocka_unit_test(testFrameRate),
                                       cmocka_unit_test(testSolversGoTheirOwnWay),
                                       cmocka_unit_test(testSubStepsAreSteps),
                                       cmocka_unit_test(testWheelInAir),
                                       cmocka_unit_test(testThinDrain),
                                       cmocka_unit_test(testIsPlannedAnew),
                                       cmocka_unit_test(testSameForAnyThreads),
                                       cmocka_unit_test(testResumes),
                                       cmocka_unit_test(testProfile)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
