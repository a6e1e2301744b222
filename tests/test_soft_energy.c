// SPDX-License-Identifier: MIT
// The energy check of soft bodies, both sides: what drives them, or was stored in them, is never taken for a
// runaway, and a runaway ends the run.
#include "soft_energy_support.h"

typedef struct Way {
    const char *solver, *method, *iterations, *subSteps;
} Way;

static const Way ways[] = {
    {"gaussSeidel", "pbd", "1", "5"},      {"gaussSeidel", "xpbd", "50", "1"},
    {"jacobiParticles", "pbd", "20", "2"}, {"jacobiConstraints", "xpbd", "5", "5"},
    {"gaussSeidel", "pbd", "200", "1"},    {"jacobiParticles", "xpbd", "1", "20"},
};

static void setWay(wbWorld *world, const Way *way) {
    setPbd(world, "solver", way->solver), setPbd(world, "method", way->method);
    setPbd(world, "iterations", way->iterations), setPbd(world, "subSteps", way->subSteps);
}

// Stretched by a fifth, held, and let go: all that its lengths make of it was stored.
static void testStretchedRopeSnaps(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
        wbWorld *world = createSoftWorld(STRETCHED_ROPE, wb_backendCpu, 1);
        wbSoftBodyId rope = wbWorld_GetSoftBody(world, 0);
        setWay(world, &ways[k]);
        stepWorld(world, 3);
        assertOk(wbSoftBody_MovePin(world, rope, 39, wbMakeVec3(1.4f, 0, 0)));
        stepWorld(world, 60);
        assertOk(wbSoftBody_Pin(world, rope, 39, false));
        stepWorld(world, 120);
        wbDestroyWorld(world);
    }
}

// Lids that press and let go, plates that throw, sides that carry, gravity that turns, bodies that start in each other.
static void testDriveIsNoRunaway(void **state) {
    (void)state;
    for (size_t k = 0; k < 4; k++) {
        wbWorld *world = createSoftWorld(DRIVEN_BALLS, wb_backendCpu, 1);
        setWay(world, &ways[k]);
        assertOk(wbWorld_SetParam(world, "gate.open", "1"));
        stepWorld(world, 60);
        assertOk(wbWorld_SetParam(world, "hand.frequency", "0"));
        stepWorld(world, 30);
        assertOk(wbWorld_SetParam(world, "gate.open", "0"));
        stepWorld(world, 60);
        assertOk(wbWorld_SetParam(world, "domain.max", "1,0.6,1"));
        assertOk(wbWorld_SetParam(world, "world.gravity", "9,20,0"));
        stepWorld(world, 60);
        assertOk(wbWorld_SetParam(world, "domain.sideSpeed", "1000"));
        assertOk(wbWorld_SetParam(world, "domain.max", "1,9,1"));
        stepWorld(world, 60);
        setPbd(world, "radius", "0.06");
        stepWorld(world, 60);
        wbDestroyWorld(world);
    }
    wbWorld *world = createSoftWorld(
        "{\"domain\": {\"min\": [-1, 0, -1], \"max\": [1, 4, 1], \"sides\":"
        " {\"left\": {\"type\": \"noSlip\", \"velocity\": [0, 5, 0]}}},"
        " \"pbd\": {\"radius\": 0.05, \"friction\": 2}, \"world\": {\"gravity\": [-3, -9, 0]},"
        " \"softBodies\": [{\"name\": \"a\", \"shape\": \"cube\", \"position\": [0, 1, 0], \"counts\": [5, "
        "5, "
        "5]},"
        " {\"name\": \"b\", \"shape\": \"cube\", \"position\": [0.02, 1.01, 0.03], \"counts\": [5, 5, 5]}]}",
        wb_backendCpu, 1);
    stepWorld(world, 300);
    wbDestroyWorld(world);
}

// The automatic step of a fluid beside them becomes shorter, and lengths that gave way are corrected faster.
static void testShorterStepsAreNoRunaway(void **state) {
    (void)state;
    wbWorld *world = createSoftWorld(STRETCHED_ROPE, wb_backendCpu, 1);
    stepWorld(world, 3);
    assertOk(wbSoftBody_MovePin(world, wbWorld_GetSoftBody(world, 0), 39, wbMakeVec3(1.4f, 0, 0)));
    stepWorld(world, 60);
    for (int k = 0; k < 200; k++) assertOk(wbWorld_Step(world, k < 100 ? 1e-3f : 1e-4f));
    wbDestroyWorld(world);
}

// All ties of a cube are pushed to and fro by a side that it hits: for a few steps it has several times its energy.
static void testHardHitIsNoRunaway(void **state) {
    (void)state;
    const char *text =
        "{\"world\": {\"dt\": 0.0333333}, \"domain\": {\"min\": [-1.5, 0, -1.5], \"max\": [1.5, 3, 1.5]},"
        " \"pbd\": {\"radius\": 0.1, \"friction\": 0}, \"softBodies\": [{\"name\": \"cube\", \"shape\": "
        "\"cube\","
        " \"size\": [0.3, 0.3, 0.3], \"counts\": [4, 4, 4], \"position\": [0.08, 0.93, 0.39],"
        " \"rotation\": [66, 141, 0], \"velocity\": [9.4, 4, -9.3]}]}";
    wbWorld *world = createSoftWorld(text, wb_backendCpu, 1);
    double start = wbWorld_GetStats(world).kinetic, most = 0;
    for (int k = 0; k < 60; k++) {
        assertOk(wbWorld_Step(world, 0));
        most = fmax(most, wbWorld_GetStats(world).kinetic);
    }
    assert_true(most > 2 * start);
    wbDestroyWorld(world);
}

// Finite, but more than it can have: it ends long before a number overflows, and nothing of it is saved.
static void testRunawayEndsTheRun(void **state) {
    (void)state;
    wbWorld *world = createSoftWorld(WAVY_ROPE, wb_backendCpu, 1);
    wbStatus status = tryWorld(world, 200);
    assert_int_equal(status.code, wb_errorUnstable);
    assert_non_null(strstr(status.text, "is above its bound"));
    assert_non_null(strstr(status.text, "particle"));
    assert_non_null(strstr(status.text, "of \"rope\""));
    wbView view = getView(world, 0);
    for (int i = 0; i < view.count; i++) assert_true(fabsf(view.vx[i]) < 1e6f);
    assert_int_equal(wbWorld_Save(world, "runaway.checkpoint").code, wb_errorUnstable);
    assert_int_equal(wbWorld_Step(world, 0).code, wb_errorUnstable);
    wbDestroyWorld(world);
}

// A program may set a parameter in each step, and is kept out, unless it is another one.
static void testSettingTheSameIsNoWayOut(void **state) {
    (void)state;
    wbWorld *world = createSoftWorld(WAVY_ROPE, wb_backendCpu, 1);
    wbStatus status = {0};
    for (int k = 0; k < 200 && wbIsOk(status); k++) {
        setPbd(world, "omega", "1.9");
        assertOk(wbWorld_SetParam(world, "world.gravity", k % 2 ? "0,-9,0" : "0,-9.1,0"));
        status = wbWorld_Step(world, 0);
    }
    assert_int_equal(status.code, wb_errorUnstable);
    assert_non_null(strstr(status.text, "is above its bound"));
    wbDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testStretchedRopeSnaps),       cmocka_unit_test(testDriveIsNoRunaway),
        cmocka_unit_test(testShorterStepsAreNoRunaway), cmocka_unit_test(testHardHitIsNoRunaway),
        cmocka_unit_test(testRunawayEndsTheRun),        cmocka_unit_test(testSettingTheSameIsNoWayOut),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
