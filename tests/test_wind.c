// SPDX-License-Identifier: MIT
// The air's drag on cloth, ropes and rigid bodies where no grid computes the air.
#include <unistd.h>

#include "soft_support.h"
#include "wirbel/rigid.h"
#include "world/world.h"

static const double density = 1.2, acrossCoefficient = 1.2, alongCoefficient = 0.02;

// A cloth that is turned, and a rope, whose pins hold all of them; without gravity.
#define HELD                                                                                                 \
    "{\"world\": {\"dt\": 0.01, \"gravity\": [0, 0, 0]}, \"pbd\": {\"subSteps\": 2},"                        \
    "\"coupling\": {\"airSoft\": \"both\", \"wind\": [3, -4, 12]}, \"softBodies\": [%s]}"
#define HELD_CLOTH                                                                                           \
    "{\"name\": \"cloth\", \"shape\": \"cloth\", \"size\": [2, 1, 1], \"counts\": [2, 2, 1], \"rotation\": " \
    "[0, 60, 0],"                                                                                            \
    " \"pins\": [0, 1, 2, 3]}"
#define HELD_ROPE                                                                                            \
    "{\"name\": \"rope\", \"shape\": \"rope\", \"length\": 3, \"count\": 3, \"thickness\": 0.02, "           \
    "\"rotation\": [0, 0, 30],"                                                                              \
    " \"pins\": [0, 1, 2]}"

// Flags, a rope and boxes in the wind, which meet a collider.
#define WINDY                                                                                                \
    "{\"world\": {\"dt\": 0.01}, \"domain\": {\"min\": [-3, 0, -3], \"max\": [3, 3, 3]},"                    \
    "\"pbd\": {\"iterations\": 2, \"subSteps\": 3, \"method\": \"xpbd\", \"radius\": 0.02},"                 \
    "\"coupling\": {\"airSoft\": \"both\", \"airRigid\": \"both\", \"wind\": [6, 1, 2]},"                    \
    "\"softBodies\": [{\"name\": \"flag\", \"shape\": \"cloth\", \"size\": [1.2, 0.8, 1], \"counts\": [40, " \
    "30, 1],"                                                                                                \
    " \"position\": [0, 2, 0], \"density\": 0.1, \"pins\": [0, 1170]},"                                      \
    "{\"name\": \"rope\", \"shape\": \"rope\", \"length\": 1, \"count\": 30, \"position\": [0, 1, 0], "      \
    "\"density\": 0.05,"                                                                                     \
    " \"pins\": [0]}],"                                                                                      \
    "\"bodies\": [{\"name\": \"box\", \"size\": [0.3, 0.2, 0.1], \"density\": 20, \"position\": [-1, 1, "    \
    "0]},"                                                                                                   \
    "{\"name\": \"ball\", \"shape\": \"sphere\", \"radius\": 0.2, \"density\": 10, \"position\": [0, 1, "    \
    "1]}],"                                                                                                  \
    "\"colliders\": [{\"name\": \"block\", \"shape\": \"box\", \"size\": [0.5, 1, 0.5], \"position\": "      \
    "[0.8, 0.5, 0]}]}"

static void expectNear(const double value[3], const double expected[3], double tolerance) {
    for (int a = 0; a < 3; a++)
        if (!(fabs(value[a] - expected[a]) <= tolerance))
            fail_msg("(%.8g, %.8g, %.8g) is not (%.8g, %.8g, %.8g)", value[0], value[1], value[2],
                     expected[0], expected[1], expected[2]);
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// The law in double: `axis` is the normal of a surface, or the direction of a rope.
static void findForce(const double wind[3], const double axis[3], bool isRope, double area, double force[3]) {
    const double by = dot(wind, axis), all = sqrt(dot(wind, wind));
    for (int a = 0; a < 3; a++) {
        const double on = by * axis[a], off = wind[a] - on, across = isRope ? off : on,
                     along = isRope ? on : off;
        const double speed = isRope ? sqrt(fmax(all * all - by * by, 0)) : fabs(by);
        force[a] =
            0.5 * density * area * (acrossCoefficient * speed * across + alongCoefficient * all * along);
    }
}

static void expectHeld(const char *body, const double axis[3], bool isRope, double area) {
    char text[1024];
    double force[3], impulse[3];
    const double wind[3] = {3, -4, 12};
    snprintf(text, sizeof text, HELD, body);
    wbWorld *world = createSoftWorld(text, wb_backendCpu, 1);
    stepWorld(world, 1);
    findForce(wind, axis, isRope, area, force);
    for (int a = 0; a < 3; a++) impulse[a] = 0.01 * force[a];
    expectNear(wbWorld_GetStats(world).airSoft, impulse, 1e-5 * sqrt(dot(impulse, impulse)));
    wbDestroyWorld(world);
}

// What is held feels the whole law.
static void testLaw(void **state) {
    (void)state;
    const double normal[3] = {sqrt(0.75), 0, 0.5}, along[3] = {sqrt(0.75), 0.5, 0};
    expectHeld(HELD_CLOTH, normal, false, 2);
    expectHeld(HELD_ROPE, along, true, 0.06);
}

// What soft bodies get is what the air gave.
static void testMomentum(void **state) {
    (void)state;
    wbWorld *world =
        createSoftWorld("{\"world\": {\"dt\": 0.01, \"gravity\": [0, 0, 0]},"
                        "\"coupling\": {\"airSoft\": \"both\", \"wind\": [3, 1, 2]},"
                        "\"softBodies\": [{\"name\": \"cloth\", \"shape\": \"cloth\", \"counts\": [9, 9, 1],"
                        " \"mass\": 0.2}, {\"name\": \"rope\", \"shape\": \"rope\", \"count\": 9,"
                        " \"mass\": 0.1, \"position\": [0, 1, 0]}]}",
                        wb_backendCpu, 1);
    double sum[3] = {0};
    for (int k = 0; k < 20; k++) {
        stepWorld(world, 1);
        for (int a = 0; a < 3; a++) sum[a] += wbWorld_GetStats(world).airSoft[a];
    }
    assert_true(sum[2] > 0.1);
    expectNear(wbWorld_GetStats(world).momentum, sum, 1e-5 * sum[2]);
    wbDestroyWorld(world);
}

// J, as the wind along z sees the first soft body.
static double getRelative(wbWorld *world, double wind) {
    const wbView view = getView(world, 0);
    double sum = 0;
    for (int i = 0; i < view.count; i++) {
        const double vx = view.vx[i], vy = view.vy[i], vz = view.vz[i] - wind;
        sum += 0.5 * (vx * vx + vy * vy + vz * vz) / view.count;
    }
    return sum;
}

// However light it is and however long the step: beside the wind it never moves more than before, and goes with it soon.
static void testLight(void **state) {
    (void)state;
    const char *const integrators[] = {"euler", "verlet", "bdf2"};
    for (int k = 0; k < 3; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "{\"world\": {\"dt\": 0.1, \"gravity\": [0, 0, 0]}, \"pbd\": {\"subSteps\": 1, "
                 "\"integrator\": \"%s\"},"
                 "\"coupling\": {\"airSoft\": \"both\", \"airRigid\": \"both\", \"wind\": [0, 0, 100]}, "
                 "\"softBodies\":"
                 "[{\"name\": \"leaf\", \"shape\": \"cloth\", \"counts\": [5, 5, 1], \"mass\": 1e-4, "
                 "\"rotation\": [20, 10, 0]}],"
                 "\"bodies\": [{\"name\": \"card\", \"size\": [1, 1, 0.001], \"mass\": 1e-4, \"rotation\": "
                 "[20, 10, 0],"
                 " \"position\": [5, 0, 0]}]}",
                 integrators[k]);
        wbWorld *world = createSoftWorld(text, wb_backendCpu, 1);
        double before = getRelative(world, 100);
        // that lengths give back which were pushed together; of second order it sways
        const double most = (k == 2 ? 1e-3 : 1e-5) * before;
        for (int n = 0; n < 60; n++) {
            stepWorld(world, 1);
            const double now = getRelative(world, 100);
            if (!(now <= before + most))
                fail_msg("%s: from %g to %g J/kg in step %d", integrators[k], before, now, n);
            before = now;
        }
        assert_true(before < 1e-3 * 0.5 * 100 * 100);
        wbRigidMotion card;
        assertOk(wbRigidBody_GetMotion(world, wbWorld_GetRigidBody(world, 0), &card));
        assert_true(card.velocity.z > 95 && card.velocity.z < 100.01f);
        wbDestroyWorld(world);
    }
}

// Still air takes energy and gives none.
static void testStill(void **state) {
    (void)state;
    wbWorld *world = createSoftWorld(
        "{\"world\": {\"gravity\": [0, 0, 0]}, \"coupling\": {\"airSoft\": \"both\", \"airRigid\": \"both\"},"
        "\"bodies\": [{\"name\": \"blade\", \"size\": [1, 0.1, 0.02], \"density\": 20, \"spin\": [3, 20, 5]},"
        "{\"name\": \"ball\", \"shape\": \"sphere\", \"radius\": 0.2, \"density\": 20, \"velocity\": [9, 0, "
        "0],"
        " \"position\": [0, 2, 0]}]}",
        wb_backendCpu, 1);
    double before = wbWorld_GetStats(world).kinetic;
    const double first = before;
    for (int k = 0; k < 120; k++) {
        stepWorld(world, 1);
        const double now = wbWorld_GetStats(world).kinetic;
        if (!(now <= before * (1 + 1e-6))) fail_msg("from %g to %g J in step %d", before, now, k);
        before = now;
    }
    assert_true(before < 0.6 * first);
    wbDestroyWorld(world);
}

static double getForceOn(const char *body) {
    char text[1024];
    snprintf(text, sizeof text,
             "{\"world\": {\"dt\": 0.001, \"gravity\": [0, 0, 0]}, \"coupling\": {\"airRigid\": \"both\", "
             "\"wind\": [10, 0, 0]},"
             "\"bodies\": [{\"name\": \"it\", \"mass\": 1e6, %s}]}",
             body);
    wbWorld *world = createSoftWorld(text, wb_backendCpu, 1);
    stepWorld(world, 1);
    const double force = wbWorld_GetStats(world).airRigid[0] / 0.001;
    wbDestroyWorld(world);
    return force;
}

// A plate feels the law on the side that faces the wind; a ball by the integral of it over half of its surface, c_n / 2.
static void testRigidForce(void **state) {
    (void)state;
    const double pressure = 0.5 * density * 100, pi = 3.14159265358979323846;
    const double plate = getForceOn("\"size\": [0.1, 2, 1]"),
                 ball = getForceOn("\"shape\": \"sphere\", \"radius\": 0.5");
    assert_true(fabs(plate / (pressure * acrossCoefficient * 2) - 1) < 1e-4);
    const double friction = alongCoefficient; // along the front: less than this of the section
    const double expected = pressure * pi * 0.25 * 0.5 * acrossCoefficient;
    assert_true(ball > 0.98 * expected && ball < (1.02 + friction) * expected);
}

// A rotor of two blades that are set against each other is turned by the wind, and comes to a speed that it keeps.
static void testRotor(void **state) {
    (void)state;
    wbWorld *world = createSoftWorld(
        "{\"world\": {\"gravity\": [0, 0, 0]}, \"coupling\": {\"airRigid\": \"both\", \"wind\": [0, 0, 8]},"
        "\"bodies\": [{\"name\": \"rotor\", \"shape\": \"compound\", \"density\": 100, \"parts\": ["
        "{\"shape\": \"box\", \"size\": [0.8, 0.2, 0.02], \"position\": [0.5, 0, 0], \"rotation\": [30, 0, "
        "0]},"
        "{\"shape\": \"box\", \"size\": [0.8, 0.2, 0.02], \"position\": [-0.5, 0, 0], \"rotation\": [-30, 0, "
        "0]}]}],"
        "\"joints\": [{\"kind\": \"hinge\", \"bodies\": [\"rotor\", null], \"axis\": [0, 0, 1]}]}",
        wb_backendCpu, 1);
    wbRigidMotion early, late;
    stepWorld(world, 300);
    assertOk(wbRigidBody_GetMotion(world, wbWorld_GetRigidBody(world, 0), &early));
    stepWorld(world, 60);
    assertOk(wbRigidBody_GetMotion(world, wbWorld_GetRigidBody(world, 0), &late));
    assert_true(fabsf(late.spin.z) > 5 && fabsf(late.spin.z) < 60);
    assert_true(fabsf(late.spin.z / early.spin.z - 1) < 0.02f);
    wbDestroyWorld(world);
}

static uint64_t runWindy(int threads, int steps) {
    wbWorld *world = createSoftWorld(WINDY, wb_backendCpu, threads);
    stepWorld(world, steps);
    const uint64_t hash = wbWorld_Hash(world);
    wbDestroyWorld(world);
    return hash;
}

static void testThreads(void **state) {
    (void)state;
    const uint64_t one = runWindy(1, 20);
    for (int threads = 2; threads <= 4; threads++) assert_int_equal(runWindy(threads, 20), one);
}

static void testCheckpoint(void **state) {
    (void)state;
    char path[64];
    wbWorld *world = createSoftWorld(WINDY, wb_backendCpu, 1), *loaded;
    snprintf(path, sizeof path, "wind_test_%d.wbc", (int)getpid());
    stepWorld(world, 10);
    assertOk(wbWorld_Save(world, path));
    assertOk(wbLoadWorld(path, &loaded));
    remove(path);
    stepWorld(world, 20), stepWorld(loaded, 20);
    assert_int_equal(wbWorld_Hash(loaded), wbWorld_Hash(world));
    wbDestroyWorld(world), wbDestroyWorld(loaded);
}

// A warm step does not allocate, and bodies that come and go are blown, too.
static void testBodiesComeAndGo(void **state) {
    (void)state;
    wbWorld *world =
        createSoftWorld("{\"coupling\": {\"airSoft\": \"both\", \"wind\": [6, 1, 2]}, \"softBodies\":"
                        "[{\"name\": \"flag\", \"shape\": \"cloth\", \"counts\": [20, 15, 1],"
                        " \"density\": 0.1, \"pins\": [0, 285]}]}",
                        wb_backendCpu, 1);
    stepWorld(world, 5);
    const uint64_t warm = wbGetMemoryUse(world->memory).calls;
    stepWorld(world, 5);
    assert_int_equal(wbGetMemoryUse(world->memory).calls, warm);
    wbSoftBodyDef def = wbDefaultSoftBodyDef();
    wbSoftBodyId id;
    def.name = "leaf", def.params.shape = wb_softBodyCloth, def.params.counts = wbMakeVec3(4, 4, 1);
    def.params.position = wbMakeVec3(-2, 2, 0), def.params.rotation = wbMakeVec3(0, 90, 0);
    def.params.mass = 0.01f, def.params.size = wbMakeVec3(0.3f, 0.3f, 1);
    assertOk(wbDestroySoftBody(world, wbWorld_GetSoftBody(world, 0)));
    assertOk(wbCreateSoftBody(world, &def, &id));
    const float before = -2;
    stepWorld(world, 30);
    wbView leaf;
    assertOk(wbSoftBody_GetView(world, id, &leaf));
    assert_true(getMean(&leaf).x > before + 0.5f);
    wbDestroyWorld(world);
}

// Where bodies do not feel the air it changes nothing.
static void testOff(void **state) {
    (void)state;
    uint64_t hashes[2];
    for (int k = 0; k < 2; k++) {
        wbWorld *world = createSoftWorld(SOFT_MIXTURE, wb_backendCpu, 1);
        if (k == 1) assertOk(wbWorld_SetParam(world, "coupling.wind", "9,9,9"));
        stepWorld(world, 10);
        const wbView view = getView(world, 0);
        hashes[k] = wbWorld_Hash(world);
        assert_true(view.count > 0);
        const double none[3] = {0, 0, 0};
        expectNear(wbWorld_GetStats(world).airSoft, none, 0);
        wbDestroyWorld(world);
    }
    assert_int_equal(hashes[0], hashes[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testLaw),
                                       cmocka_unit_test(testMomentum),
                                       cmocka_unit_test(testLight),
                                       cmocka_unit_test(testStill),
                                       cmocka_unit_test(testRigidForce),
                                       cmocka_unit_test(testRotor),
                                       cmocka_unit_test(testThreads),
                                       cmocka_unit_test(testCheckpoint),
                                       cmocka_unit_test(testBodiesComeAndGo),
                                       cmocka_unit_test(testOff)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
