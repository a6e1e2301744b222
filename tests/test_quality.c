// SPDX-License-Identifier: MIT
// Qualities of fluids: what they set, that sections of a scene win over them, and what is refused.
#include <math.h>
#include <string.h>

#include "test_support.h"
#include "wirbel/scene.h"

static const wbQuality qualities[] = {wb_qualityFast, wb_qualityBalanced, wb_qualityPrecise};
enum { QUALITY_COUNT = sizeof qualities / sizeof qualities[0] };

static wbScene *readScene(const char *text) {
    wbScene *scene;
    assertOk(wbReadSceneText("t.json", text, strlen(text), &scene));
    return scene;
}

static void expectRefused(const char *text, const char *message) {
    wbScene *scene;
    wbStatus status = wbReadSceneText("t.json", text, strlen(text), &scene);
    assert_int_equal(status.code, wb_errorInput);
    assert_string_equal(status.text, message);
}

static void expectValue(const wbScene *scene, const char *key, const char *expected) {
    char value[64];
    assertOk(wbScene_Get(scene, key, value, sizeof value));
    if (strcmp(value, expected) != 0) fail_msg("%s is %s instead of %s", key, value, expected);
}

// The values of a table are those of a def, and what is set afterwards wins.
static void testDefs(void **state) {
    (void)state;
    assert_null(wbGetQuality(wb_qualityOwn));
    for (int k = 0; k < QUALITY_COUNT; k++) {
        const wbQualityInfo *info = wbGetQuality(qualities[k]);
        int count;
        wbWorldDef def = wbDefaultWorldDef();
        assert_non_null(info);
        assert_int_equal(info->quality, qualities[k]);
        assert_int_equal(wbWorldDef_SetQuality(&def, qualities[k]), info->solver);
        const wbSolverInfo *solver = wbGetSolvers(&count)[info->solver];
        for (int i = 0; i < info->valueCount; i++) {
            char text[64];
            const wbParam *param = wbFindParam(wbGetParams(solver->name), info->values[i].name);
            assertOk(wbParam_GetText(param, (char *)&def + solver->params, text, sizeof text));
            assert_string_equal(text, info->values[i].text);
        }
    }
    wbWorldDef def = wbDefaultWorldDef();
    wbWorldDef_SetQuality(&def, wb_qualityBalanced);
    assert_int_equal(def.sph.method, wb_sphSplit);
    wbWorldDef_SetQuality(&def, wb_qualityPrecise);
    assert_int_equal(def.sph.method, wb_sphExplicit);
    expect_assert_failure(wbWorldDef_SetQuality(&def, wb_qualityOwn));
    expect_assert_failure(wbWorldDef_SetQuality(&def, (wbQuality)17));
    expect_assert_failure(wbGetQuality((wbQuality)-1));
}

// Sections win, wherever they stand in the file; what a world can choose is chosen.
static void testScenes(void **state) {
    (void)state;
    wbScene *scene = readScene("{\"fluids\": [{\"name\": \"water\", \"quality\": \"precise\"}]}");
    expectValue(scene, "sph.method", "explicit");
    expectValue(scene, "sph.smoothing", "3");
    expectValue(scene, "sph.soundSpeed", "auto");
    wbDestroyScene(scene);
    scene = readScene("{\"fluids\": [{\"name\": \"water\", \"quality\": \"balanced\"}, {\"name\": \"oil\"}],"
                      "\"sph\": {\"smoothing\": 2.5, \"soundSpeed\": 30}}");
    expectValue(scene, "sph.method", "split");
    expectValue(scene, "sph.smoothing", "2.5");
    expectValue(scene, "sph.soundSpeed", "30");
    assertOk(wbScene_Set(scene, "sph.smoothing", "2.7"));
    expectValue(scene, "sph.smoothing", "2.7");
    wbDestroyScene(scene);
    scene =
        readScene("{\"fluids\": [{\"name\": \"a\", \"quality\": \"fast\"}, {\"name\": \"b\", \"quality\": "
                  "\"precise\"}, {\"name\": \"c\", \"quality\": \"fast\", \"solver\": \"pbf\"}]}");
    expectValue(scene, "sph.smoothing", "3");
    wbDestroyScene(scene);
}

static void testRefused(void **state) {
    (void)state;
    expectRefused("{\"fluids\": [{\"name\": \"water\", \"quality\": \"good\"}]}",
                  "t.json:1:42: fluids[0].quality is \"good\", allowed is own|fast|balanced|precise");
    expectRefused("{\"fluids\": [{\"name\": \"water\", \"quality\": 2}]}",
                  "t.json:1:42: fluids[0].quality is the number 2, must be a string");
    expectRefused(
        "{\"fluids\": [{\"name\": \"water\", \"solver\": \"pbf\", \"quality\": \"precise\"}]}",
        "t.json:1:41: fluids[0].solver is \"pbf\", but the quality \"precise\" is one of the solver "
        "sph: leave one out");
    expectRefused("{\"fluids\": [{\"name\": \"water\", \"quality\": \"precise\"}, {\"name\": \"oil\", "
                  "\"quality\": \"balanced\"}]}",
                  "t.json:1:81: fluids[1].quality is \"balanced\", but fluid \"water\" has named another for "
                  "all fluids of the solver sph: give both the same, or one of them none");
}

// A tank of ten layers in the plane rests for a second with each of them.
static void testRest(void **state) {
    (void)state;
    for (int k = 0; k < QUALITY_COUNT; k++) {
        wbWorldDef def = wbDefaultWorldDef();
        wbFluidDef water = wbDefaultFluidDef();
        wbFluidId fluid;
        wbWorld *world;
        water.solver = wbWorldDef_SetQuality(&def, qualities[k]);
        def.params.dimensions = 2, def.threadCount = 1;
        def.sph.spacing = def.pbf.spacing = 0.05f;
        def.domain.max = wbMakeVec3(0.5f, 1, 0);
        assertOk(wbCreateWorld(&def, &world));
        assertOk(wbCreateFluid(world, &water, &fluid));
        assertOk(wbFluid_AddBlock(world, fluid, &(wbBlockDef){.max = wbMakeVec3(0.5f, 0.5f, 0)}));
        if (water.solver == wb_solverSph) assertOk(wbWorld_SetParam(world, "sph.soundSpeed", "auto"));
        const double weight = wbWorld_GetStats(world).mass * 9.81 * 0.5;
        while (wbWorld_GetTime(world) < 1) assertOk(wbWorld_Step(world, 0));
        const wbStats stats = wbWorld_GetStats(world);
        if (!(stats.kinetic < 1e-3 * weight))
            fail_msg("quality %d: kinetic energy %g of m g H", (int)qualities[k], stats.kinetic / weight);
        if (fabs(stats.potential / (0.5 * weight) - 1) > 0.05)
            fail_msg("quality %d: potential energy %g", (int)qualities[k], stats.potential / (0.5 * weight));
        wbDestroyWorld(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testDefs), cmocka_unit_test(testScenes),
                                       cmocka_unit_test(testRefused), cmocka_unit_test(testRest)};
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
