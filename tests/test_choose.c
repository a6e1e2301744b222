// SPDX-License-Identifier: MIT
// Parameters that are chosen: the spacing by a number of particles, the speed of sound by depth and speed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sph/sph_model.h"
#include "wirbel/scene.h"

static const double gravity = 9.81f;

static void assertNear(double value, double expected, double relative) {
    if (fabs(value - expected) > relative * fabs(expected)) fail_msg("%.9g instead of %.9g", value, expected);
}

// A closed box 1 x 2 m in 2D with a block of water on its floor.
static wbWorld *makeTank(float height, wbFluidId *fluid) {
    wbWorldDef def = wbDefaultWorldDef();
    wbFluidDef water = wbDefaultFluidDef();
    wbWorld *world;
    def.params.dimensions = 2;
    def.threadCount = 1;
    def.sph.spacing = 0.05f;
    def.sph.artificialViscosity = 0.5f;
    def.domain.max = wbMakeVec3(1, 2, 0);
    for (int s = 0; s < wb_sideCount; s++) def.domain.sides[s].type = wb_sideFreeSlip;
    assert_int_equal(wbCreateWorld(&def, &world).code, wb_ok);
    assert_int_equal(wbCreateFluid(world, &water, fluid).code, wb_ok);
    if (height > 0) {
        wbBlockDef block = {.max = wbMakeVec3(1, height, 0)};
        assert_int_equal(wbFluid_AddBlock(world, *fluid, &block).code, wb_ok);
    }
    return world;
}

static double chooseSound(wbWorld *world) {
    wbStatus status = wbWorld_SetParam(world, "sph.soundSpeed", "auto");
    if (!wbIsOk(status)) fail_msg("%s", status.text);
    return (double)wbWorld_GetSphParams(world)->soundSpeed;
}

// One hundredth more density has the pressure of the head, in both equations of state.
static void testSoundGivesOnePercent(void **state) {
    (void)state;
    wbSphParams params = wbDefaultWorldDef().sph;
    const double head = 37;
    params.equation = wb_equationLinear;
    double c = wbSphModel_ChooseSoundSpeed(&params, head);
    assertNear(c * c * 0.01, head, 1e-12);
    params.equation = wb_equationTait;
    c = wbSphModel_ChooseSoundSpeed(&params, head);
    assertNear(c * c / 7 * (pow(1.01, 7) - 1), head, 1e-12);
    // cohesion presses with 2 sigma / h
    params.surfaceTension = 0.073f;
    double withTension = wbSphModel_ChooseSoundSpeed(&params, head),
           h = (double)params.spacing * params.smoothing;
    double pressure = params.restDensity * head + 2 * (double)params.surfaceTension / h;
    assertNear(withTension * withTension / (c * c), pressure / (params.restDensity * head), 1e-6);
}

// Depth counts from the floor to the highest particle; a speed counts like the height that it would reach.
static void testSoundFollowsDepthAndSpeed(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorld *world = makeTank(1, &fluid);
    const double perHead = 7 / (pow(1.01, 7) - 1);
    double c = chooseSound(world);
    assertNear(c * c, perHead * gravity * 0.975, 1e-5);
    const float place[3] = {0.5f, 1.5f, 0}, speed[3] = {0, -3, 0};
    assert_int_equal(wbFluid_AddParticles(world, fluid, 1, place, speed).code, wb_ok);
    c = chooseSound(world);
    assertNear(c * c, perHead * (gravity * 1.5 + 4.5), 1e-5);
    // an emitter counts before its water is there
    wbEmitterDef emitter = wbDefaultEmitterDef();
    wbEmitterId id;
    emitter.fluid = fluid;
    emitter.params.position = wbMakeVec3(0.3f, 1.7f, 0);
    emitter.params.radius = 0.1f;
    emitter.params.velocity = 4;
    assert_int_equal(wbCreateEmitter(world, &emitter, &id).code, wb_ok);
    c = chooseSound(world);
    assertNear(c * c, perHead * (gravity * 1.8 + 8), 1e-5);
    wbDestroyWorld(world);
}

// Sideways gravity: the side that it points to is the floor. Without one the lowest water is.
static void testSoundFollowsGravity(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorld *world = makeTank(1, &fluid);
    const double perHead = 7 / (pow(1.01, 7) - 1);
    assert_int_equal(wbWorld_SetParam(world, "world.gravity", "2,0,0").code, wb_ok);
    double c = chooseSound(world);
    assertNear(c * c, perHead * 2 * 0.975, 1e-5);
    wbDestroyWorld(world);

    wbWorldDef def = wbDefaultWorldDef();
    wbFluidDef water = wbDefaultFluidDef();
    assert_int_equal(wbCreateWorld(&def, &world).code, wb_ok);
    assert_int_equal(wbCreateFluid(world, &water, &fluid).code, wb_ok);
    const float places[6] = {0, 7, 0, 0, 5, 0};
    assert_int_equal(wbFluid_AddParticles(world, fluid, 2, places, NULL).code, wb_ok);
    c = chooseSound(world);
    assertNear(c * c, perHead * gravity * 2, 1e-5);
    wbDestroyWorld(world);
}

// The aim itself: a column at rest is compressed by 1 % at its floor.
static void testColumnIsCompressedByOnePercent(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorld *world = makeTank(1, &fluid);
    chooseSound(world);
    while (wbWorld_GetTime(world) < 3) assert_int_equal(wbWorld_Step(world, 0).code, wb_ok);
    double compression = wbWorld_GetStats(world).densityErrorMax;
    if (!(compression > 0.008 && compression < 0.011)) fail_msg("compressed by %g", compression);
    wbDestroyWorld(world);
}

static void expectError(wbStatus status, const char *words) {
    assert_int_equal(status.code, wb_errorInput);
    if (!strstr(status.text, words)) fail_msg("\"%s\" lacks \"%s\"", status.text, words);
}

// Where there is nothing to choose by, the message says so and the world keeps its value.
static void testNothingToChooseBy(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorldDef def = wbDefaultWorldDef();
    wbWorld *world;
    def.sph.soundSpeed = 0;
    expectError(wbCreateWorld(&def, &world), "neither water nor an emitter");
    def = wbDefaultWorldDef();
    def.sph.particles = 100;
    expectError(wbCreateWorld(&def, &world), "give a world sph.spacing");

    world = makeTank(0, &fluid);
    expectError(wbWorld_SetParam(world, "sph.soundSpeed", "auto"), "neither water nor an emitter");
    assert_true(wbWorld_GetSphParams(world)->soundSpeed == 20);
    wbDestroyWorld(world);
    world = makeTank(1, &fluid);
    assert_int_equal(wbWorld_SetParam(world, "world.gravity", "0,0,0").code, wb_ok);
    expectError(wbWorld_SetParam(world, "sph.soundSpeed", "auto"), "neither lies deep nor moves");
    assert_true(wbWorld_GetSphParams(world)->soundSpeed == 20);
    wbDestroyWorld(world);
}

static wbStatus readText(const char *text, wbScene **scene) {
    return wbReadSceneText("test.json", text, strlen(text), scene);
}

static int countParticles(const wbScene *scene) {
    wbWorld *world;
    wbStatus status = wbScene_CreateWorld(scene, &world);
    if (!wbIsOk(status)) fail_msg("%s", status.text);
    int count = wbWorld_GetStats(world).particles;
    wbDestroyWorld(world);
    return count;
}

// A cube is divided exactly; other blocks nearly. --set changes either number afterwards.
static void testSpacingFollowsParticles(void **state) {
    (void)state;
    wbScene *scene;
    wbStatus status =
        readText("{\"sph\": {\"particles\": 4096}, \"fluids\": [{\"name\": \"water\", \"blocks\": "
                 "[{\"min\": [0, 0, 0], \"max\": [16, 16, 16]}]}]}",
                 &scene);
    if (!wbIsOk(status)) fail_msg("%s", status.text);
    assertNear((double)wbScene_GetWorldDef(scene)->sph.spacing, 1, 1e-6);
    assert_int_equal(countParticles(scene), 4096);
    assert_int_equal(wbScene_Set(scene, "sph.particles", "1000").code, wb_ok);
    assertNear((double)wbScene_GetWorldDef(scene)->sph.spacing, 1.6, 1e-6);
    assert_int_equal(countParticles(scene), 1000);
    assert_int_equal(wbScene_Set(scene, "sph.spacing", "4").code, wb_ok);
    assert_int_equal(countParticles(scene), 64);
    wbDestroyScene(scene);

    status = readText(
        "{\"world\": {\"dimensions\": 2}, \"sph\": {\"particles\": 5000}, \"fluids\": [{\"name\": "
        "\"water\", \"blocks\": [{\"min\": [0, 0], \"max\": [0.7, 0.31]}, {\"min\": [1, 0], \"max\": "
        "[1.33, 1.1]}]}]}",
        &scene);
    if (!wbIsOk(status)) fail_msg("%s", status.text);
    assert_in_range(countParticles(scene), 4950, 5050);
    wbDestroyScene(scene);
}

static void testSpacingIsGivenOnce(void **state) {
    (void)state;
    wbScene *scene;
    expectError(readText("{\"sph\": {\"spacing\": 1, \"particles\": 4096}}", &scene), "give one of the two");
    expectError(readText("{\"sph\": {\"particles\": 4096}, \"fluids\": [{\"name\": \"water\"}]}", &scene),
                "the scene has none");
}

// A scene's sound is chosen when all its water is there.
static void testSceneChoosesSound(void **state) {
    (void)state;
    wbScene *scene;
    wbWorld *world;
    wbStatus status =
        readText("{\"sph\": {\"spacing\": 0.5, \"soundSpeed\": \"auto\", \"equation\": \"linear\"}, "
                 "\"domain\": {\"min\": [0, 0, 0], \"max\": [8, 8, 8]}, \"fluids\": [{\"name\": "
                 "\"water\", \"blocks\": [{\"min\": [0, 0, 0], \"max\": [4, 4, 4]}]}]}",
                 &scene);
    if (!wbIsOk(status)) fail_msg("%s", status.text);
    status = wbScene_CreateWorld(scene, &world);
    if (!wbIsOk(status)) fail_msg("%s", status.text);
    assertNear((double)wbWorld_GetSphParams(world)->soundSpeed, 10 * sqrt(gravity * 3.75), 1e-5);
    assert_int_equal(wbWorld_Step(world, 0).code, wb_ok);
    wbDestroyWorld(world);
    wbDestroyScene(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testSoundGivesOnePercent), cmocka_unit_test(testSoundFollowsDepthAndSpeed),
        cmocka_unit_test(testSoundFollowsGravity),  cmocka_unit_test(testColumnIsCompressedByOnePercent),
        cmocka_unit_test(testNothingToChooseBy),    cmocka_unit_test(testSpacingFollowsParticles),
        cmocka_unit_test(testSpacingIsGivenOnce),   cmocka_unit_test(testSceneChoosesSound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
