// SPDX-License-Identifier: MIT
// Heat in worlds with smoke: the temperature of the air around, conduction, and sides and colliders that have temperatures.
#include <math.h>

#include "air_support.h"

static void step(wbWorld *world, int count) {
    for (int n = 0; n < count; n++) assertOk(wbWorld_Step(world, 0));
}

static wbSmokeView getView(wbWorld *world) {
    wbSmokeView view;
    assertOk(wbWorld_GetSmokeView(world, &view));
    return view;
}

static float getHeat(wbWorld *world, int i, int j, int k) {
    wbSmokeView view = getView(world);
    return view.temperature[i + j * view.strideY + k * view.strideZ];
}

// Mean height of the smoke, m.
static double getHeight(wbWorld *world) {
    wbSmokeView view = getView(world);
    double sum = 0, moment = 0;
    for (int j = 0; j < view.cells[1]; j++)
        for (int i = 0; i < view.cells[0]; i++) {
            double density = view.density[i + j * view.strideY];
            sum += density, moment += density * (j + 0.5) * view.cellSize;
        }
    return moment / sum;
}

#define PLUME(ambient, temperature)                                                                          \
    "{\"world\":{\"dimensions\":2,\"dt\":0.02},\"domain\":{\"min\":[0,0],\"max\":[1,2]},"                    \
    "\"smoke\":{\"cellSize\":0.05,\"weight\":0," ambient "},"                                                \
    "\"sources\":[{\"name\":\"fire\",\"position\":[0.5,1],\"radius\":0.2" temperature ",\"rate\":5}]}"

// Lift is counted from the temperature of the air around; a source without a temperature has that.
static void testAmbient(void **state) {
    (void)state;
    wbWorld *plain = createFromText(PLUME("\"buoyancy\":0.05", ",\"temperature\":60"), 1),
            *warm = createFromText(PLUME("\"buoyancy\":0.05,\"ambient\":20", ",\"temperature\":80"), 1),
            *same = createFromText(PLUME("\"buoyancy\":0.05,\"ambient\":300", ""), 1),
            *cold = createFromText(PLUME("\"buoyancy\":0.05,\"ambient\":20", ",\"temperature\":0"), 1);
    step(plain, 30), step(warm, 30), step(same, 30), step(cold, 30);
    assert_true(getHeight(plain) > 1.04 && getHeight(cold) < 0.99);
    assert_true(fabs(getHeight(warm) - getHeight(plain)) < 1e-6);
    assert_true(fabs(getHeight(same) - 1) < 1e-6);
    // while it runs: what comes from the source is no longer warmer than the air
    float before = getHeat(plain, 10, 20, 0);
    assertOk(wbWorld_SetParam(plain, "smoke.ambient", "60"));
    step(plain, 40);
    assert_true(before > 55 && fabsf(getHeat(plain, 10, 20, 0)) < 1);
    wbDestroyWorld(plain), wbDestroyWorld(warm), wbDestroyWorld(same), wbDestroyWorld(cold);
}

#define BALL(smoke, ball)                                                                                    \
    "{\"world\":{\"dt\":0.02,\"gravity\":[0,0,0]},\"domain\":{\"min\":[0,0,0],\"max\":[1.6,1.6,1.6]},"       \
    "\"smoke\":{\"cellSize\":0.1,\"buoyancy\":0" smoke "},"                                                  \
    "\"colliders\":[{\"name\":\"ball\",\"shape\":\"sphere\",\"radius\":0.3,\"position\":[0.8,0.8,0.8]" ball  \
    "}]}"

static double sumHeat(wbWorld *world) {
    wbSmokeView view = getView(world);
    double sum = 0;
    for (int j = 0; j < view.cells[1]; j++)
        for (int k = 0; k < view.cells[2]; k++)
            for (int i = 0; i < view.cells[0]; i++)
                sum += view.temperature[i + j * view.strideY + k * view.strideZ];
    return sum;
}

// A collider heats the air while it has a temperature, as the ambient one says; in the end all is as hot as it is.
static void testCollider(void **state) {
    (void)state;
    wbWorld *world =
        createFromText(BALL(",\"thermalDiffusivity\":0.05,\"ambient\":10", ",\"temperature\":30"), 2);
    step(world, 5);
    assert_true(getHeat(world, 11, 8, 8) > 5 && getHeat(world, 8, 8, 8) == 0 && getHeat(world, 15, 8, 8) > 0);
    double heated = sumHeat(world);
    assertOk(wbWorld_SetParam(world, "ball.temperature", "auto"));
    step(world, 5);
    assert_true(fabs(sumHeat(world) / heated - 1) < 1e-4); // it insulates, as the sides do
    assertOk(wbWorld_SetParam(world, "ball.temperature", "0"));
    step(world, 5);
    assert_true(sumHeat(world) < heated);
    assertOk(wbWorld_SetParam(world, "smoke.thermalDiffusivity", "1e6"));
    step(world, 2);
    assert_true(fabsf(getHeat(world, 0, 0, 0) + 10) < 1e-3f);
    // off: nothing goes on, also with a collider that is somewhere else
    assertOk(wbWorld_SetParam(world, "smoke.thermalDiffusivity", "0"));
    assertOk(wbWorld_SetParam(world, "ball.temperature", "500"));
    step(world, 2);
    assert_true(fabsf(getHeat(world, 0, 0, 0) + 10) < 1e-3f);
    wbDestroyWorld(world);
    // switched on while it runs
    world = createFromText(BALL("", ",\"temperature\":30"), 1);
    step(world, 2);
    assert_true(sumHeat(world) == 0);
    assertOk(wbWorld_SetParam(world, "smoke.thermalDiffusivity", "0.05"));
    step(world, 1);
    assert_true(sumHeat(world) > 1);
    wbDestroyWorld(world);
}

// Two colliders at rest keep their own temperatures, and what moves carries its along.
static void testColliders(void **state) {
    (void)state;
    wbWorld *world = createFromText(
        "{\"world\":{\"dimensions\":2,\"dt\":0.02,\"gravity\":[0,0]},\"domain\":{\"min\":[0,0],\"max\":[4,1]}"
        ","
        "\"smoke\":{\"cellSize\":0.1,\"thermalDiffusivity\":0.02},\"colliders\":["
        "{\"name\":\"hot\",\"size\":[0.4,0.4,1],\"position\":[0.5,0.5],\"temperature\":40},"
        "{\"name\":\"plain\",\"size\":[0.4,0.4,1],\"position\":[1.5,0.5]},"
        "{\"name\":\"cold\",\"size\":[0.4,0.4,1],\"position\":[2.5,0.5],\"temperature\":-40},"
        "{\"name\":\"mover\",\"size\":[0.2,0.4,1],\"position\":[3.2,0.5],\"temperature\":25}]}",
        2);
    step(world, 3);
    assert_true(getHeat(world, 7, 5, 0) > 5 && getHeat(world, 22, 5, 0) < -5);
    assert_true(fabsf(getHeat(world, 17, 5, 0)) < 1 && getHeat(world, 33, 5, 0) > 3);
    for (int n = 1; n <= 20; n++) {
        char position[32];
        snprintf(position, sizeof position, "%g,0.5", 3.2 + 0.02 * n);
        assertOk(wbWorld_SetParam(world, "mover.position", position));
        step(world, 1);
    }
    assert_true(getHeat(world, 37, 5, 0) > 3 && getHeat(world, 38, 5, 0) > 0.5f);
    wbDestroyWorld(world);
}

// Within a collider there is no heat, also where it stands at a warm side.
static void testColliderAtSide(void **state) {
    (void)state;
    wbWorld *world = createFromText(
        "{\"world\":{\"dimensions\":2,\"dt\":0.02},\"domain\":{\"min\":[0,0],\"max\":[2,1],\"sides\":{"
        "\"bottom\":{\"temperature\":50}}},\"smoke\":{\"cellSize\":0.1,\"buoyancy\":0,"
        "\"thermalDiffusivity\":0.1},\"colliders\":[{\"name\":\"block\",\"size\":[1,1,1],\"position\":[1,0]}]"
        "}",
        1);
    step(world, 10);
    assert_true(getHeat(world, 1, 0, 0) > 10);
    for (int j = 0; j < 5; j++)
        for (int i = 5; i < 15; i++) assert_true(getHeat(world, i, j, 0) == 0);
    wbDestroyWorld(world);
}

// Blocks of cells that heat reaches by conduction alone are found, and few others.
static void testMarks(void **state) {
    (void)state;
    wbWorld *world = createFromText("{\"world\":{\"dimensions\":2,\"dt\":0.01,\"gravity\":[0,0]},\"domain\":{"
                                    "\"min\":[0,0],\"max\":[6.4,6.4],"
                                    "\"sides\":{\"left\":{\"temperature\":100}}},"
                                    "\"smoke\":{\"cellSize\":0.1,\"thermalDiffusivity\":1e-3}}",
                                    1);
    step(world, 20);
    assert_true(getHeat(world, 0, 40, 0) > 1 && getHeat(world, 40, 40, 0) == 0);
    const wbSmoke *smoke = &wbGetAir(world)->smoke;
    for (int b = 0; b < 32; b++) assert_true(smoke->marks[b] == (b % 4 == 0));
    wbDestroyWorld(world);
}

static uint64_t hashAfter(const char *text, int threads) {
    wbWorld *world = createFromText(text, threads);
    step(world, 12);
    uint64_t hash = wbWorld_Hash(world);
    wbDestroyWorld(world);
    return hash;
}

static void testThreads(void **state) {
    (void)state;
    uint64_t one = hashAfter(resumeScenes[4], 1);
    for (int threads = 2; threads <= 4; threads++) assert_true(hashAfter(resumeScenes[4], threads) == one);
}

// Fine cells follow a warm collider; a warm side needs them everywhere.
static void testFollow(void **state) {
    (void)state;
    static const char *const texts[] = {
        "{\"world\":{\"dt\":0.02},\"domain\":{\"min\":[0,0,0],\"max\":[6.4,6.4,6.4]%s},"
        "\"smoke\":{\"cellSize\":0.1,\"follow\":%s,\"thermalDiffusivity\":0.002,\"buoyancy\":0.01},"
        "\"colliders\":[{\"name\":\"stove\",\"size\":[0.6,0.4,0.6],\"position\":[3.2,1.2,3.2],"
        "\"temperature\":80}]}"};
    char text[1024];
    wbWorld *worlds[2];
    for (int n = 0; n < 2; n++) {
        snprintf(text, sizeof text, texts[0], "", n ? "true" : "false");
        worlds[n] = createFromText(text, 1);
        step(worlds[n], 30);
    }
    wbSmokeView all = getView(worlds[0]), part = getView(worlds[1]);
    assert_int_equal(all.cells[0], 64);
    assert_true(part.cells[1] < 64 && part.cells[2] < 64);
    double worst = 0, most = 0;
    for (int j = 0; j < part.cells[1]; j++)
        for (int k = 0; k < part.cells[2]; k++)
            for (int i = 0; i < part.cells[0]; i++) {
                double own = part.temperature[i + j * part.strideY + k * part.strideZ];
                double is = all.temperature[i + part.first[0] + (j + part.first[1]) * all.strideY +
                                            (k + part.first[2]) * all.strideZ];
                worst = fmax(worst, fabs(own - is)), most = fmax(most, is);
            }
    assert_true(most > 10 && worst < 0.03 * most);
    wbDestroyWorld(worlds[0]), wbDestroyWorld(worlds[1]);
    snprintf(text, sizeof text, texts[0], ",\"sides\":{\"bottom\":{\"temperature\":30}}", "true");
    worlds[0] = createFromText(text, 1);
    assert_int_equal(getView(worlds[0]).cells[0], 64);
    wbDestroyWorld(worlds[0]);
}

// What takes vortices away neither turns them round nor grows, at any strength and step.
static void testNegativeConfinement(void **state) {
    (void)state;
    static const char *const strengths[] = {"0", "-5", "-50", "-1000"};
    double energies[4];
    for (int n = 0; n < 4; n++) {
        wbWorld *world =
            createFromText("{\"world\":{\"dt\":0.05},\"domain\":{\"min\":[0,0,0],\"max\":[1,1,1]},"
                           "\"smoke\":{\"cellSize\":0.03125,\"vortices\":4}}",
                           2);
        assertOk(wbWorld_SetParam(world, "smoke.confinement", strengths[n]));
        double last = wbWorld_GetSmokeStats(world).kinetic;
        for (int s = 0; s < 40; s++) {
            step(world, 1);
            energies[n] = wbWorld_GetSmokeStats(world).kinetic;
            assert_true(energies[n] < 1.1 * last);
            last = energies[n];
        }
        if (n > 0) assert_true(energies[n] < energies[0]);
        wbDestroyWorld(world);
    }
}

static void expectRefused(const char *text, const char *message) {
    wbScene *scene;
    wbStatus status = wbReadSceneText("test.json", text, strlen(text), &scene);
    assert_false(wbIsOk(status));
    assert_string_equal(status.text, message);
}

static void testBadInput(void **state) {
    (void)state;
    expectRefused(
        "{\"domain\":{\"min\":[0,0,0],\"max\":[1,1,1],\n \"sides\":{\"left\":{\"temperature\":1e9}}}}",
        "test.json:2:33: domain.sides.left.temperature is 1e+09, allowed is -1e+06 to 1e+06 K, or auto");
#define SMOKE_SCENE(text) "{\"domain\":{\"min\":[0,0,0],\"max\":[1,1,1]},\n\"smoke\":{" text "}}"
    expectRefused(SMOKE_SCENE("\"thermalDiffusivity\":-1"),
                  "test.json:2:31: smoke.thermalDiffusivity is -1, allowed is 0 to 1e+06 m2/s");
    expectRefused(SMOKE_SCENE("\"confinement\":-1001"),
                  "test.json:2:24: smoke.confinement is -1001, allowed is -1000 to 1000");
    expectRefused(SMOKE_SCENE("\"ambient\":\"hot\""),
                  "test.json:2:20: smoke.ambient is the string \"hot\", must be a number");
    const float bad[] = {2e6f, INFINITY, -INFINITY};
    for (int n = 0; n < 3; n++) {
        wbWorldDef def = wbDefaultWorldDef();
        wbWorld *world;
        assert_true(isnan(def.domain.sides[wb_left].temperature));
        def.domain.sides[wb_left].temperature = bad[n];
        wbStatus status = wbCreateWorld(&def, &world);
        assert_int_equal(status.code, wb_errorInput);
        assert_non_null(strstr(status.text, "the temperature of domain side left is"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testAmbient),
        cmocka_unit_test(testCollider),
        cmocka_unit_test(testColliders),
        cmocka_unit_test(testColliderAtSide),
        cmocka_unit_test(testMarks),
        cmocka_unit_test(testThreads),
        cmocka_unit_test(testFollow),
        cmocka_unit_test(testBadInput),
        cmocka_unit_test(testNegativeConfinement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
