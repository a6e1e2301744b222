// SPDX-License-Identifier: MIT
// Rigid bodies with thin walls in liquids: a box of planks floats and stays dry, water on either side of a wall does not feel that on the
// other, and nothing is lost or goes through.
#include <stdlib.h>

#include "shape/pose.h"
#include "soft_support.h"
#include "wirbel/rigid.h"
#include "world/coupling.h"

static wbWorld *create(const char *text) { return createSoftWorld(text, wb_backendCpu, 1); }

// The methods of liquids that feel thin walls, as a scene has them; and how many steps they take in the time of one of position based water.
typedef struct Method {
    const char *solver, *params;
    int steps;
} Method;
static const Method methods[] = {
    {"pbf", "\"pbf\": {\"spacing\": 0.05, \"viscosity\": 0}", 1},
    {"sph", "\"sph\": {\"spacing\": 0.05, \"method\": \"split\"}", 1},
    {"pbf",
     "\"pbf\": {\"spacing\": 0.05, \"viscosity\": 0, \"adaptive\": {\"method\": \"levels\", \"slope\": 0.3, "
     "\"band\": 1, \"interval\": 4}}",
     1},
    {"sph", "\"sph\": {\"spacing\": 0.05, \"soundSpeed\": 15}", 4},
    {"sph", "\"sph\": {\"spacing\": 0.05, \"soundSpeed\": 15, \"integrator\": \"leapfrog\"}", 4},
};
enum { METHODS = sizeof methods / sizeof methods[0] };

static bool isSized(const Method *method) { return strstr(method->params, "levels") != NULL; }

// A scene of which the start, with dt, and what is in it beside the solver are given: there is one place for the solver's name in each fluid.
static wbWorld *createBy(const Method *method, double dt, const char *format, int threads) {
    char rest[4096], text[8192];
    snprintf(rest, sizeof rest, format, method->solver);
    if (dt > 0)
        snprintf(text, sizeof text, "{\"world\": {\"gravity\": [0, 0, 0], \"dt\": %.9g}, %s, %s",
                 dt / method->steps, method->params, rest);
    else
        snprintf(text, sizeof text, "{%s, %s", method->params, rest);
    return createSoftWorld(text, wb_backendCpu, threads);
}

// An open box of planks, 0.6 x 0.3 x 0.4 m and 1 cm thick, a fifth of a spacing: 24 kg float 0.1 m deep.
#define PLANKS                                                                                               \
    "\"shape\": \"compound\", \"mass\": 24, \"parts\": ["                                                    \
    "{\"shape\": \"box\", \"size\": [0.6, 0.01, 0.4], \"position\": [0, 0.005, 0]},"                         \
    "{\"shape\": \"box\", \"size\": [0.01, 0.3, 0.4], \"position\": [-0.295, 0.15, 0]},"                     \
    "{\"shape\": \"box\", \"size\": [0.01, 0.3, 0.4], \"position\": [0.295, 0.15, 0]},"                      \
    "{\"shape\": \"box\", \"size\": [0.6, 0.3, 0.01], \"position\": [0, 0.15, -0.195]},"                     \
    "{\"shape\": \"box\", \"size\": [0.6, 0.3, 0.01], \"position\": [0, 0.15, 0.195]}]"
#define TANK(body)                                                                                           \
    "\"domain\": {\"min\": [0, 0, 0], \"max\": [1.1, 1, 0.8]},"                                              \
    "\"fluids\": [{\"name\": \"water\", \"solver\": \"%s\", \"blocks\": [{\"min\": [0, 0, 0], \"max\": "     \
    "[1.1, 0.25, 0.8]}]}], \"bodies\": [{\"name\": \"boat\", " body "}]}"
#define BOAT PLANKS ", \"position\": [0.55, 0.2, 0.4]"

static wbPose getPose(wbWorld *world) {
    wbRigidMotion motion;
    wbPose pose;
    assertOk(wbRigidBody_GetMotion(world, wbWorld_GetRigidBody(world, 0), &motion));
    const float position[3] = {motion.position.x, motion.position.y, motion.position.z};
    memcpy(pose.position, position, sizeof position);
    memcpy(pose.rotation, motion.rotation, sizeof pose.rotation);
    return pose;
}

static wbView getWater(wbWorld *world) {
    wbView view;
    assertOk(wbFluid_GetView(world, wbWorld_GetFluid(world, 0), &view));
    return view;
}

// Within the planks.
static int countInside(wbWorld *world) {
    const wbPose pose = getPose(world);
    const wbView view = getWater(world);
    int count = 0;
    for (int i = 0; i < view.count; i++) {
        const wbVec3 p = wbPose_ApplyInverse(&pose, wbMakeVec3(view.x[i], view.y[i], view.z[i]));
        count += fabsf(p.x) < 0.29f && fabsf(p.z) < 0.19f && p.y > 0.01f && p.y < 0.3f;
    }
    return count;
}

// Of columns two spacings wide, away from the boat: where their highest particles end, in the mean.
static float findLevel(wbWorld *world, float spacing) {
    enum { MOST = 64 };
    const wbView view = getWater(world);
    float highest[MOST][MOST] = {{0}}, sum = 0;
    int count = 0;
    for (int i = 0; i < view.count; i++) {
        if (fabsf(view.x[i] - 0.55f) < 0.4f && fabsf(view.z[i] - 0.4f) < 0.3f) continue;
        float *own = &highest[(int)(view.x[i] / (2 * spacing))][(int)(view.z[i] / (2 * spacing))];
        *own = fmaxf(*own, view.y[i] + (view.radius ? view.radius[i] : 0.5f * spacing));
    }
    for (int k = 0; k < MOST * MOST; k++) {
        const float own = highest[k / MOST][k % MOST];
        if (own > 0) sum += own, count++;
    }
    return sum / (float)count;
}

// It is put into the water that its room was left by: mass / (density, area), to half a spacing. Where levels are coarse in so little water it floats
// a spacing higher.
static void floatBox(const Method *method) {
    wbWorld *world = createBy(method, 0, TANK(BOAT), 1);
    double draft = 0;
    int looks = 0;
    assert_int_equal(countInside(world), 0);
    while (wbWorld_GetTime(world) < 1.65) {
        stepWorld(world, 1);
        if (wbWorld_GetTime(world) < 0.7) continue;
        draft += (double)findLevel(world, 0.05f) - (double)getPose(world).position[1], looks++;
    }
    assert_true(countInside(world) <= (isSized(method) ? 4 : 0)); // large particles throw drops over the rim
    assert_true(fabs(draft / looks - 0.1) < (isSized(method) ? 0.06 : 0.025));
    assert_int_equal(wbWorld_GetStats(world).leaked, 0);
    wbDestroyWorld(world);
}
static void testFloats(void **state) {
    (void)state;
    for (int m = 0; m < METHODS; m++) floatBox(&methods[m]);
}

// Nothing weighs, and there are no sides: a block of water and drops hit a box that turns. Steps are powers of two, as in test_soft_water.c.
#define CRASH                                                                                                \
    "\"fluids\": [{\"name\": \"water\", \"solver\": \"%s\", \"blocks\": [{\"min\": [-0.8, 0, -0.2], "        \
    "\"max\": [-0.4, 0.4, 0.2], \"velocity\": [2, 0, 0]}]}], \"bodies\": [{\"name\": \"box\", " PLANKS       \
    ", \"position\": [0, 0, 0.05], \"rotation\": [0, 10, 5], \"spin\": [0.3, -0.5, 0.2]}]}"

static void crash(const Method *method) {
    wbWorld *world = createBy(method, 0.00390625, CRASH, 1);
    double start[3] = {0}, size = 0, given = 0, drift = 0;
    stepWorld(world, 1);
    wbStats stats = wbWorld_GetStats(world);
    for (int a = 0; a < 3; a++) start[a] = stats.momentum[a] + stats.transit[a], size += fabs(start[a]);
    for (int k = 0; k < 200 * method->steps; k++) {
        stepWorld(world, 1);
        stats = wbWorld_GetStats(world);
        given += fabs(stats.waterRigid[0]);
        for (int a = 0; a < 3; a++)
            drift = fmax(drift, fabs(stats.momentum[a] + stats.transit[a] - start[a]));
    }
    assert_true(drift < 1e-5 * size);
    assert_true(given > 0.1 * size);
    assert_int_equal(stats.leaked, 0);
    wbDestroyWorld(world);
}
static void testMomentum(void **state) {
    (void)state;
    for (int m = 0; m < METHODS; m++) crash(&methods[m]);
}

// Water falls into and beside a box that floats in other water.
#define STIRRED                                                                                              \
    "\"domain\": {\"min\": [0, 0, 0], \"max\": [1, 1.5, 0.8]},"                                              \
    "\"fluids\": [{\"name\": \"water\", \"solver\": \"%s\", \"blocks\": [{\"min\": [0, 0, 0], \"max\": "     \
    "[1, 0.25, 0.8]}, {\"min\": [0.35, 0.7, 0.3], \"max\": [0.95, 0.9, 0.6], \"velocity\": [0, -2, 0]}]}],"  \
    "\"bodies\": [{\"name\": \"boat\", " PLANKS                                                              \
    ", \"position\": [0.5, 0.22, 0.4], \"rotation\": [0, 20, 0]},"                                           \
    "{\"name\": \"crate\", \"size\": [0.15, 0.15, 0.15], \"density\": 400, \"position\": [0.15, 0.5, "       \
    "0.2]}],"                                                                                                \
    "\"softBodies\": [{\"name\": \"sail\", \"shape\": \"cloth\", \"size\": [0.3, 0.3, 1], \"counts\": [5, "  \
    "5, "                                                                                                    \
    "1], \"density\": 0.5, \"position\": [0.8, 0.6, 0.4], \"rotation\": [70, 0, 0]}]}"

static uint64_t runStirred(const Method *method, int threads, int steps) {
    wbWorld *world = createBy(method, 0, STIRRED, threads);
    stepWorld(world, steps);
    const uint64_t hash = wbWorld_Hash(world);
    wbDestroyWorld(world);
    return hash;
}

static void testThreads(void **state) {
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        const int steps = m == 0 ? 15 : methods[m].steps == 1 ? 8 : 3;
        const uint64_t one = runStirred(&methods[m], 1, steps);
        for (int threads = 2; threads <= 4; threads++)
            assert_int_equal(runStirred(&methods[m], threads, steps), one);
    }
}

// What falls into the box stays there, to the last particle; it is saved, and goes on alike.
static void testHolds(void **state) {
    (void)state;
    wbWorld *world = createBy(&methods[0], 0, STIRRED, 1), *loaded;
    stepWorld(world, 25);
    assertOk(wbWorld_Save(world, "hull_test.wbc"));
    assertOk(wbLoadWorld("hull_test.wbc", &loaded));
    remove("hull_test.wbc");
    assert_int_equal(wbWorld_Hash(loaded), wbWorld_Hash(world));
    stepWorld(world, 15), stepWorld(loaded, 15);
    assert_int_equal(wbWorld_Hash(loaded), wbWorld_Hash(world));
    wbDestroyWorld(loaded);
    stepWorld(world, 15);
    const int inside = countInside(world);
    assert_true(inside > 50);
    stepWorld(world, 15);
    assert_true(abs(countInside(world) - inside) <= inside / 20); // drops come and go over the rim
    assert_int_equal(wbWorld_GetStats(world).leaked, 0);
    wbDestroyWorld(world);
}

static void resume(const Method *method) {
    wbWorld *world = createBy(method, 0, STIRRED, 1), *loaded;
    stepWorld(world, method->steps == 1 ? 20 : 12);
    assertOk(wbWorld_Save(world, "hull_test.wbc"));
    assertOk(wbLoadWorld("hull_test.wbc", &loaded));
    remove("hull_test.wbc");
    stepWorld(world, 3), stepWorld(loaded, 3);
    assert_int_equal(wbWorld_Hash(loaded), wbWorld_Hash(world));
    wbDestroyWorld(world), wbDestroyWorld(loaded);
}
static void testResumes(void **state) {
    (void)state;
    for (int m = 1; m < METHODS; m++) resume(&methods[m]);
}

static void testWarmStep(void **state) {
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        if (isSized(&methods[m])) continue; // particles come and go
        wbWorld *world = createBy(&methods[m], 0, TANK(BOAT), 1);
        stepWorld(world, 40);
        const uint64_t before = wbWorld_GetProfile(world).allocations;
        stepWorld(world, methods[m].steps == 1 ? 10 : 3);
        assert_int_equal(wbWorld_GetProfile(world).allocations, before);
        wbDestroyWorld(world);
    }
}

// By itself what has thin walls wider than kernels; others by a word, or not.
static void testKinds(void **state) {
    (void)state;
    const struct {
        const char *body;
        bool isThin;
    } kinds[] = {
        {BOAT, true},
        {BOAT ", \"hull\": \"solid\"", false},
        {"\"size\": [0.2, 0.2, 0.2], \"position\": [0.6, 0.6, 0.45]", false},
        {"\"size\": [0.2, 0.2, 0.2], \"position\": [0.6, 0.6, 0.45], \"hull\": \"thin\"", true},
        {"\"size\": [0.5, 0.5, 0.02], \"position\": [0.6, 0.6, 0.45]", true},
        {"\"size\": [0.5, 0.5, 0.12], \"position\": [0.6, 0.6, 0.45]", false},
        {"\"size\": [0.5, 0.02, 0.02], \"position\": [0.6, 0.6, 0.45]", false},
        {"\"size\": [0.06, 0.06, 0.06], \"position\": [0.6, 0.6, 0.45]", false},
        {"\"shape\": \"sphere\", \"radius\": 0.04, \"position\": [0.6, 0.6, 0.45]", false},
        {"\"shape\": \"cylinder\", \"radius\": 0.3, \"height\": 0.02, \"position\": [0.6, 0.6, 0.45]", true},
    };
    const char *const start = "{\"domain\": {\"min\": [0, 0, 0], \"max\": [1.2, 1, 0.9]}, \"pbf\": "
                              "{\"spacing\": 0.05}, \"fluids\": [{\"name\": \"water\", \"solver\": \"pbf\", "
                              "\"blocks\": [{\"min\": [0, 0, 0], \"max\": [0.2, 0.2, 0.2]}]}], \"bodies\": "
                              "[{\"name\": \"body\", ";
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        char text[2048];
        snprintf(text, sizeof text, "%s%s}]}", start, kinds[k].body);
        wbWorld *world = create(text);
        stepWorld(world, 1);
        if (wbHasHulls(world) != kinds[k].isThin) fail_msg("%s", kinds[k].body);
        wbDestroyWorld(world);
    }
}

// Beside a plate's rim a quarter of the space about the edge is the plate: half of the half space behind a face is missing. Across its middle nothing is.
static void testSharpEdges(void **state) {
    (void)state;
    wbWorld *world = create(
        "{\"domain\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1]}, \"sph\": {\"spacing\": 0.05},"
        "\"fluids\": [{\"name\": \"water\", \"blocks\": [{\"min\": [0, 0, 0], \"max\": [0.2, 0.2, 0.2]}]}],"
        "\"bodies\": [{\"name\": \"plate\", \"size\": [0.4, 0.02, 0.4], \"position\": [0.5, 0.5, 0.5]}]}");
    stepWorld(world, 1);
    const wbSheets *sheets = &wbGetCoupling(world)->thin.sheets;
    int wide = 0;
    assert_true(sheets->elementCount >= 12);
    for (int e = 0; e < sheets->elementCount; e++) {
        const wbSheetElement *element = wbSheets_GetElement(sheets, e);
        if (element->isEdge) continue;
        float sum = 0;
        for (int k = 0; k < 3; k++) {
            assert_true(element->missing[k] == 0 || element->missing[k] == 0.5f);
            sum += element->missing[k];
        }
        assert_true(element->isSharp);
        assert_true(sum == 1); // two edges on the rim, one across
        wide++;
    }
    assert_int_equal(wide, 4);
    wbDestroyWorld(world);
}

// kg/m3, of a particle above a plate beside its rim, with another one or without.
static float getDensityBeside(const float *other) {
    wbWorld *world =
        create("{\"world\": {\"gravity\": [0, 0, 0]}, \"domain\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1]},"
               "\"sph\": {\"spacing\": 0.05}, \"fluids\": [{\"name\": \"water\"}],"
               "\"bodies\": [{\"name\": \"plate\", \"type\": \"static\", \"size\": [0.4, 0.02, 0.4],"
               "\"position\": [0.5, 0.5, 0.5]}]}");
    const float place[3] = {0.69f, 0.515f, 0.5f};
    const wbFluidId water = wbWorld_GetFluid(world, 0);
    assertOk(wbFluid_AddParticles(world, water, 1, place, NULL));
    if (other) assertOk(wbFluid_AddParticles(world, water, 1, other, NULL));
    assertOk(wbWorld_Step(world, 1e-6f));
    wbView view;
    assertOk(wbFluid_GetView(world, water, &view));
    float density = 0;
    for (int i = 0; i < view.count; i++)
        if (view.id[i] == 0) density = view.density[i];
    wbDestroyWorld(world);
    return density;
}

// What is behind a plate is not felt; what is beyond its rim is, also where the straight way there cuts the corner.
static void testRoundTheRim(void **state) {
    (void)state;
    const float behind[3] = {0.66f, 0.485f, 0.5f}, beyond[3] = {0.705f, 0.505f, 0.5f};
    const float alone = getDensityBeside(NULL);
    assert_true(alone > 0);
    assert_true(getDensityBeside(behind) == alone);
    assert_true(getDensityBeside(beyond) > 1.2f * alone);
}

// It changes while it floats.
static void testChange(void **state) {
    (void)state;
    wbWorld *world = createBy(&methods[0], 0, TANK(BOAT), 1);
    stepWorld(world, 10);
    assertOk(wbWorld_SetParam(world, "boat.hull", "solid"));
    stepWorld(world, 1);
    assert_false(wbHasHulls(world));
    assertOk(wbWorld_SetParam(world, "boat.hull", "thin"));
    assertOk(wbWorld_SetParam(world, "boat.on", "false"));
    stepWorld(world, 1);
    assert_false(wbHasHulls(world));
    assertOk(wbWorld_SetParam(world, "boat.on", "true"));
    assertOk(wbWorld_SetParam(world, "coupling.waterRigid", "oneWay"));
    stepWorld(world, 1);
    assert_true(wbHasHulls(world));
    assertOk(wbDestroyRigidBody(world, wbWorld_GetRigidBody(world, 0)));
    stepWorld(world, 2);
    assert_false(wbHasHulls(world));
    wbDestroyWorld(world);
}

// What does not feel sheets says so once, and feels it by points.
static int warningCount;
static void countWarnings(wbLogLevel level, const char *text, void *context) {
    (void)context;
    warningCount += level == wb_logWarning && strstr(text, "hull solid") != NULL;
}
// By itself a plate that is wide is thin, a cube of two spacings is not.
static void testAuto(void **state) {
    (void)state;
    static const char *const sizes[] = {"0.4, 0.02, 0.4", "0.1, 0.1, 0.1", "0.4, 0.02, 0.1"};
    for (int k = 0; k < 3; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{\"domain\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1]}, \"pbf\": {\"spacing\": 0.05}, "
                 "\"fluids\": [{\"name\": \"water\", \"solver\": \"pbf\", \"blocks\": [{\"min\": [0, 0, 0], "
                 "\"max\": [0.2, 0.2, 0.2]}]}],"
                 "\"bodies\": [{\"name\": \"body\", \"size\": [%s], \"position\": [0.5, 0.5, 0.5]}]}",
                 sizes[k]);
        wbWorld *world = create(text);
        stepWorld(world, 1);
        assert_int_equal(wbHasHulls(world), k == 0);
        wbDestroyWorld(world);
    }
}

static void testOtherFluids(void **state) {
    (void)state;
    warningCount = 0;
    wbSetLog(countWarnings, NULL);
    wbWorld *world = create(
        "{\"domain\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1]}, \"pbf\": {\"spacing\": 0.05, \"adaptive\": "
        "{\"method\": \"thesis\"}}, \"fluids\": [{\"name\": \"water\", \"solver\": \"pbf\", \"blocks\": "
        "[{\"min\": "
        "[0, 0, 0], \"max\": [0.2, 0.2, 0.2]}]}],"
        "\"bodies\": [{\"name\": \"plate\", \"size\": [0.4, 0.02, 0.4], \"position\": [0.5, 0.5, 0.5]}]}");
    stepWorld(world, 2);
    wbSetLog(NULL, NULL);
    assert_int_equal(warningCount, 1);
    assert_false(wbHasHulls(world));
    wbDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testFloats),      cmocka_unit_test(testMomentum), cmocka_unit_test(testThreads),
        cmocka_unit_test(testHolds),       cmocka_unit_test(testResumes),  cmocka_unit_test(testWarmStep),
        cmocka_unit_test(testAuto),        cmocka_unit_test(testKinds),    cmocka_unit_test(testSharpEdges),
        cmocka_unit_test(testRoundTheRim), cmocka_unit_test(testChange),   cmocka_unit_test(testOtherFluids)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
