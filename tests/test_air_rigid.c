// SPDX-License-Identifier: MIT
// Rigid bodies in the air of a grid: they are walls for it, and feel its pressure.
#include <stdlib.h>
#include <unistd.h>

#include "soft_support.h"
#include "wirbel/rigid.h"
#include "world/air.h"

// A ball of eight cells, a card that is too thin to fill any, and smoke that is blown against both.
#define TUNNEL                                                                                               \
    "{\"world\": {\"gravity\": [0, -9.81, 0]%s}, \"domain\": {\"min\": [0, 0, 0], \"max\": [1.6, 0.8, 0.8]," \
    " \"sides\": {\"left\": {\"type\": \"open\"}, \"right\": {\"type\": \"open\"}}},"                        \
    "\"smoke\": {\"cellSize\": 0.05}, \"coupling\": {\"airRigid\": \"%s\"},"                                 \
    "\"sources\": [{\"name\": \"wind\", \"shape\": \"box\", \"position\": [0.1, 0.4, 0.4], \"size\": [0.2, " \
    "0.9, 0.9],"                                                                                             \
    " \"density\": 0.5, \"velocity\": [5, 0, 0]}],"                                                          \
    "\"bodies\": [{\"name\": \"ball\", \"shape\": \"sphere\", \"radius\": 0.2, \"density\": 20, "            \
    "\"gravityScale\": 0,"                                                                                   \
    " \"position\": [0.8, 0.4, 0.4]}, {\"name\": \"card\", \"size\": [0.02, 0.2, 0.2], \"density\": 50,"     \
    " \"gravityScale\": 0, \"position\": [0.4, 0.4, 0.4]}]}"

static wbWorld *createTunnel(const char *mode, const char *more, int threads) {
    char text[2048];
    snprintf(text, sizeof text, TUNNEL, more, mode);
    return createSoftWorld(text, wb_backendCpu, threads);
}

static wbRigidMotion getMotion(wbWorld *world, int body) {
    wbRigidMotion motion;
    assertOk(wbRigidBody_GetMotion(world, wbWorld_GetRigidBody(world, body), &motion));
    return motion;
}

static int countSolid(wbWorld *world) {
    wbSmokeView view;
    int count = 0;
    assertOk(wbWorld_GetSmokeView(world, &view));
    for (int c = 0; c < view.cells[0] * view.cells[1] * view.cells[2]; c++) count += view.solid[c] != 0;
    return count;
}

// The wind drives both along its way; what is in the way of the air is about as large as the ball.
static void testBlown(void **state) {
    (void)state;
    wbWorld *world = createTunnel("both", "", 1);
    stepWorld(world, 30);
    const double volume = 4.0 / 3 * 3.14159265 * 8e-3;
    assert_true(fabs(countSolid(world) * 1.25e-4 / volume - 1) < 0.1);
    assert_true(getMotion(world, 0).velocity.x > 0.1f && getMotion(world, 0).velocity.x < 5);
    assert_true(getMotion(world, 1).velocity.x > 0.1f && getMotion(world, 1).velocity.x < 8);
    assert_true(fabsf(getMotion(world, 0).velocity.y) < 0.1f * getMotion(world, 0).velocity.x);
    assert_true(wbWorld_GetStats(world).airRigid[0] > 0);
    wbDestroyWorld(world);
}

// A disc that has a speed at once has to take along as much air as it displaces.
static void testAddedMass(void **state) {
    (void)state;
    wbWorld *world = createSoftWorld(
        "{\"world\": {\"dimensions\": 2, \"gravity\": [0, 0]}, \"domain\": {\"min\": [-2, -2], "
        "\"max\": [2, 2],"
        " \"sides\": {\"left\": {\"type\": \"open\"}, \"right\": {\"type\": \"open\"}, \"top\": {\"type\": "
        "\"open\"},"
        " \"bottom\": {\"type\": \"open\"}}}, \"smoke\": {\"cellSize\": 0.05, \"tolerance\": 1e-5},"
        "\"coupling\": {\"airRigid\": \"both\"}, \"bodies\": [{\"name\": \"disc\", \"shape\": \"sphere\", "
        "\"radius\": 0.4,"
        " \"velocity\": [0, 0.1]}]}",
        wb_backendCpu, 1);
    stepWorld(world, 2);
    const wbStats stats = wbWorld_GetStats(world);
    const double expected = -1.2 * 3.14159265 * 0.16 * 0.1, *given = stats.airRigid;
    if (!(fabs(given[1] / expected - 1) < 0.1)) fail_msg("%g N s, expected %g", given[1], expected);
    assert_true(fabs(given[0]) < 0.01 * fabs(expected));
    wbDestroyWorld(world);
}

// One way: bodies stir the air and go on as if it were not there. Off: neither knows of the other.
static void testModes(void **state) {
    (void)state;
    const char *const modes[] = {"oneWay", "off"};
    for (int k = 0; k < 2; k++) {
        wbWorld *world = createTunnel(modes[k], "", 1);
        stepWorld(world, 5);
        assert_true((countSolid(world) > 0) == (k == 0));
        assert_true(getMotion(world, 0).velocity.x == 0 && getMotion(world, 1).velocity.x == 0);
        wbDestroyWorld(world);
    }
}

static uint64_t runTunnel(const char *more, int threads) {
    wbWorld *world = createTunnel("both", more, threads);
    stepWorld(world, 8);
    const uint64_t hash = wbWorld_Hash(world);
    wbDestroyWorld(world);
    return hash;
}

static const char *const lengths[] = {"", ", \"dt\": 0.01"};

static void testThreads(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        const uint64_t one = runTunnel(lengths[k], 1);
        for (int threads = 2; threads <= 3; threads++) assert_int_equal(runTunnel(lengths[k], threads), one);
    }
}

// What the air has not given yet follows from the pressure, which is saved.
static void testCheckpoint(void **state) {
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "air_rigid_test_%d.wbc", (int)getpid());
    for (int k = 0; k < 2; k++) {
        wbWorld *world = createTunnel("both", lengths[k], 1), *loaded;
        stepWorld(world, 6);
        assertOk(wbWorld_Save(world, path));
        assertOk(wbLoadWorld(path, &loaded));
        remove(path);
        stepWorld(world, 8), stepWorld(loaded, 8);
        assert_int_equal(wbWorld_Hash(loaded), wbWorld_Hash(world));
        wbDestroyWorld(world), wbDestroyWorld(loaded);
    }
}

// Cells of a body that goes are air again, and those of one that comes are solid.
static void testComeAndGo(void **state) {
    (void)state;
    wbWorld *world = createTunnel("both", "", 1);
    stepWorld(world, 2);
    assertOk(wbDestroyRigidBody(world, wbWorld_GetRigidBody(world, 0)));
    stepWorld(world, 1);
    assert_int_equal(countSolid(world), 0);
    wbRigidBodyDef def = wbDefaultRigidBodyDef();
    wbRigidBodyId id;
    def.params.type = wb_rigidKinematic, def.params.size = wbMakeVec3(0.4f, 0.4f, 0.4f);
    def.params.position = wbMakeVec3(1.2f, 0.4f, 0.4f), def.params.spin = wbMakeVec3(0, 0, 3);
    assertOk(wbCreateRigidBody(world, &def, &id));
    stepWorld(world, 2);
    assert_true(abs(countSolid(world) - 512) < 64);
    assertOk(wbRigidBody_SetOn(world, id, false));
    stepWorld(world, 1);
    assert_int_equal(countSolid(world), 0);
    wbDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testBlown),      cmocka_unit_test(testAddedMass),
                                       cmocka_unit_test(testModes),      cmocka_unit_test(testThreads),
                                       cmocka_unit_test(testCheckpoint), cmocka_unit_test(testComeAndGo)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
