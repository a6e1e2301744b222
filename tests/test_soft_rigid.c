// SPDX-License-Identifier: MIT
// Soft bodies and rigid bodies in one world: they push and hold each other, and nothing is lost between them.
#include "soft_support.h"
#include "wirbel/rigid.h"

static wbWorld *create(const char *text) { return createSoftWorld(text, wb_backendCpu, 1); }

static wbRigidMotion getMotion(wbWorld *world, int body) {
    wbRigidMotion motion;
    assertOk(wbRigidBody_GetMotion(world, wbWorld_GetRigidBody(world, body), &motion));
    return motion;
}

// A box falls upon a ball and a cloth, and hangs in a rope: all that may happen between them.
#define MIXTURE                                                                                              \
    "{\"world\": {\"gravity\": [0, -9.81, 0]}, \"domain\": {\"min\": [-2, 0, -2], \"max\": [2, 3, 2]},"      \
    "\"pbd\": {\"radius\": 0.02, \"subSteps\": 8, \"iterations\": 2},"                                       \
    "\"softBodies\": ["                                                                                      \
    "{\"name\": \"ball\", \"shape\": \"sphere\", \"radius\": 0.2, \"count\": 57, \"position\": [0, 0.25, "   \
    "0],"                                                                                                    \
    " \"mass\": 2},"                                                                                         \
    "{\"name\": \"cloth\", \"shape\": \"cloth\", \"size\": [1, 1, 1], \"counts\": [6, 6, 1], \"mass\": 0.5," \
    " \"position\": [0, 0.9, 0], \"rotation\": [90, 0, 0], \"pins\": [0, 5, 30, 35]},"                       \
    "{\"name\": \"rope\", \"shape\": \"rope\", \"length\": 0.8, \"count\": 9, \"mass\": 0.2, \"bending\": "  \
    "\"none\","                                                                                              \
    " \"position\": [1.4, 2, 0], \"pins\": [0], \"attach\": [{\"particle\": -1, \"body\": \"crate\","        \
    " \"point\": [0, 0.1, 0]}]}],"                                                                           \
    "\"bodies\": [{\"name\": \"box\", \"size\": [0.2, 0.2, 0.2], \"mass\": 2, \"position\": [0.05, 1.2, "    \
    "0.02],"                                                                                                 \
    " \"rotation\": [30, 20, 40]},"                                                                          \
    "{\"name\": \"crate\", \"size\": [0.2, 0.2, 0.2], \"mass\": 1, \"position\": [1.8, 1.9, 0]},"            \
    "{\"name\": \"slab\", \"size\": [0.6, 0.05, 0.6], \"mass\": 3, \"position\": [0, 0.53, 0]}]}"

// Without weight and sides: a spinning box hits a ball off its middle. Sub-steps are powers of two, so that dt times 1 / dt is 1, and velocities
// that become ways and velocities again lose nothing.
#define CRASH                                                                                                \
    "{\"world\": {\"gravity\": [0, 0, 0], \"dt\": 0.00390625}, \"pbd\": {\"radius\": 0.02, \"subSteps\": "   \
    "4},"                                                                                                    \
    "\"softBodies\": [{\"name\": \"ball\", \"shape\": \"sphere\", \"radius\": 0.2, \"count\": 57, "          \
    "\"mass\": 2}],"                                                                                         \
    "\"bodies\": [{\"name\": \"box\", \"size\": [0.2, 0.2, 0.2], \"mass\": 3, \"position\": [-0.5, 0.08, "   \
    "0.02],"                                                                                                 \
    " \"velocity\": [4, 0, 0], \"spin\": [0, 3, 2]}]}"

static void testMomentum(void **state) {
    (void)state;
    wbWorld *world = create(CRASH);
    const wbStats before = wbWorld_GetStats(world);
    double given = 0;
    for (int k = 0; k < 240; k++) {
        stepWorld(world, 1);
        given += wbWorld_GetStats(world).softRigid[0];
    }
    const wbStats after = wbWorld_GetStats(world);
    for (int a = 0; a < 3; a++) assert_true(fabs(after.momentum[a] - before.momentum[a]) < 12 * 1e-6);
    assert_true(after.kinetic < before.kinetic);
    const double change = 3 * ((double)getMotion(world, 0).velocity.x - 4);
    assert_true(change < -1 && fabs(given - change) < 1e-5 * fabs(change));
    wbDestroyWorld(world);
}

static uint64_t runMixture(int threads, int steps) {
    wbWorld *world = createSoftWorld(MIXTURE, wb_backendCpu, threads);
    stepWorld(world, steps);
    const uint64_t hash = wbWorld_Hash(world);
    wbDestroyWorld(world);
    return hash;
}

static void testThreads(void **state) {
    (void)state;
    const uint64_t one = runMixture(1, 30);
    for (int threads = 2; threads <= 4; threads++) assert_int_equal(runMixture(threads, 30), one);
}

static void testCheckpoint(void **state) {
    (void)state;
    wbWorld *world = create(MIXTURE), *loaded;
    stepWorld(world, 25);
    assertOk(wbWorld_Save(world, "soft_rigid_test.wbc"));
    assertOk(wbLoadWorld("soft_rigid_test.wbc", &loaded));
    remove("soft_rigid_test.wbc");
    assert_int_equal(wbWorld_Hash(loaded), wbWorld_Hash(world));
    stepWorld(world, 20), stepWorld(loaded, 20);
    assert_int_equal(wbWorld_Hash(loaded), wbWorld_Hash(world));
    wbDestroyWorld(world), wbDestroyWorld(loaded);
}

static void testWarmStep(void **state) {
    (void)state;
    wbWorld *world = create(MIXTURE);
    stepWorld(world, 90);
    const uint64_t before = wbWorld_GetProfile(world).allocations;
    stepWorld(world, 10);
    assert_int_equal(wbWorld_GetProfile(world).allocations, before);
    wbDestroyWorld(world);
}

// A box that falls on its tip, slowly or fast, onto a cloth whose triangles are larger than the box.
static void testCornersStayOut(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        static const char *const rotations[] = {"[35, 0, 45]", "[0, 0, 0]"};
        char text[1024];
        snprintf(
            text, sizeof text,
            "{\"pbd\": {\"radius\": 0.01, \"subSteps\": 16, \"iterations\": 4}, \"softBodies\": [{\"name\": "
            "\"cloth\","
            " \"shape\": \"cloth\", \"size\": [1.2, 1.2, 1], \"counts\": [4, 4, 1], \"mass\": 2, "
            "\"rotation\":"
            " [90, 0, 0], \"pins\": [0, 3, 12, 15]}], \"bodies\": [{\"name\": \"box\", \"size\": [0.1, 0.1,"
            " 0.1], \"mass\": 0.5, \"position\": [0.03, 0.3, -0.05], \"rotation\": %s, \"velocity\": [0, %s,"
            " 0]}]}",
            rotations[k % 2], k < 2 ? "0" : "-20");
        wbWorld *world = create(text);
        float lowest = 1;
        for (int i = 0; i < 60; i++) {
            stepWorld(world, 1);
            lowest = fminf(lowest, getMotion(world, 0).position.y);
        }
        if (!(lowest > -0.6f)) fail_msg("case %d: the box went down to %g m", k, (double)lowest);
        wbDestroyWorld(world);
    }
}

// A ball falls on a plate that is free: on its way down, on or off.
static void testModes(void **state) {
    (void)state;
    static const char text[] = "{\"pbd\": {\"radius\": 0.02}, \"softBodies\": [{\"name\": \"ball\", "
                               "\"shape\": \"sphere\", \"radius\": "
                               "0.1, \"count\": 33, \"mass\": 5, \"position\": [0, 0.3, 0]}], \"bodies\": "
                               "[{\"name\": \"plate\", \"size\": "
                               "[1, 0.1, 1], \"mass\": 1, \"gravityScale\": 0}]}";
    static const char *const modes[] = {"both", "oneWay", "off"};
    for (int k = 0; k < 3; k++) {
        wbWorld *world = create(text);
        assertOk(wbWorld_SetParam(world, "coupling.rigidSoft", modes[k]));
        stepWorld(world, 40);
        const float plate = getMotion(world, 0).position.y;
        const wbView view = getView(world, 0);
        const float ball = getMean(&view).y;
        assert_true(k == 0 ? plate < -0.5f && ball > plate : plate == 0);
        assert_true(k == 2 ? ball < -1 : k == 0 || (ball > 0.1f && ball < 0.2f));
        const wbStats stats = wbWorld_GetStats(world);
        assert_true((stats.softRigid[1] != 0) == (k == 0));
        wbDestroyWorld(world);
    }
}

// A light plate between a heavy ball and the ground is not gone through, nor shot away.
static void testLightPlate(void **state) {
    (void)state;
    wbWorld *world = create(
        "{\"domain\": {\"min\": [-2, 0, -2], \"max\": [2, 4, 2]}, \"pbd\": {\"radius\": 0.02, "
        "\"subSteps\": 8, \"iterations\": 2}, \"softBodies\": [{\"name\": \"ball\", \"shape\": \"sphere\","
        " \"radius\": 0.2, \"count\": 123, \"mass\": 4, \"position\": [0, 0.5, 0]}], \"bodies\": [{\"name\":"
        " \"plate\", \"size\": [0.6, 0.1, 0.6], \"mass\": 0.05, \"position\": [0, 0.05, 0]}]}");
    const wbStats start = wbWorld_GetStats(world);
    for (int k = 0; k < 25; k++) {
        stepWorld(world, 1);
        const wbStats now = wbWorld_GetStats(world);
        const wbView ball = getView(world, 0);
        assert_true(now.kinetic + now.potential < start.kinetic + start.potential);
        for (int i = 0; i < ball.count; i++) assert_true(ball.y[i] > 0.08f);
    }
    assert_true(fabsf(getMotion(world, 0).position.y - 0.05f) < 0.005f);
    wbDestroyWorld(world);
}

// Only what may meet shares sub-steps.
static void testSubSteps(void **state) {
    (void)state;
    for (int isNear = 0; isNear < 2; isNear++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{\"softBodies\": [{\"name\": \"cube\", \"shape\": \"cube\", \"counts\": [3, 3, 3]}], "
                 "\"bodies\": "
                 "[{\"name\": \"box\", \"position\": [%s, 0, 0]}]}",
                 isNear ? "1.1" : "20");
        wbWorld *world = create(text);
        stepWorld(world, 1);
        const wbProfile profile = wbWorld_GetProfile(world);
        for (int s = 0; s < profile.solverCount; s++)
            assert_int_equal(profile.solvers[s].subSteps, isNear ? 4 : 1);
        wbDestroyWorld(world);
    }
}

static bool isAwake(wbWorld *world) {
    bool isAwake;
    assertOk(wbRigidBody_IsAwake(world, wbWorld_GetRigidBody(world, 0), &isAwake));
    return isAwake;
}

static void testWakes(void **state) {
    (void)state;
    wbWorld *world =
        create("{\"domain\": {\"min\": [-1, 0, -1], \"max\": [1, 3, 1]}, \"pbd\": {\"radius\": 0.02}, "
               "\"softBodies\": [{\"name\": \"ball\", \"shape\": \"sphere\", \"radius\": 0.1, \"count\":"
               " 33, \"mass\": 5, \"position\": [0.15, 1, 0]}], \"bodies\": [{\"name\": \"box\", "
               "\"size\": [0.4, 0.2, 0.4], \"mass\": 1, \"position\": [0, 0.1, 0]}]}");
    stepWorld(world, 1); // the first one wakes all
    assertOk(wbRigidBody_Sleep(world, wbWorld_GetRigidBody(world, 0)));
    stepWorld(world, 4);
    assert_false(isAwake(world));
    stepWorld(world, 25);
    assert_true(isAwake(world));
    wbDestroyWorld(world);
}

// Ties

#define HANGING                                                                                              \
    "{\"pbd\": {\"subSteps\": 20, \"radius\": 0.01}, \"softBodies\": [{\"name\": \"rope\", \"shape\": "      \
    "\"rope\","                                                                                              \
    " \"length\": 1, \"count\": 11, \"mass\": 0.5, \"bending\": \"none\", \"rotation\": [0, 0, -90], "       \
    "\"pins\": "                                                                                             \
    "[0], \"attach\": [{\"particle\": -1, \"body\": \"crate\", \"point\": [0, 0.1, 0]}]}], \"bodies\": "     \
    "[{\"name\": \"post\", \"type\": \"static\", \"size\": [0.1, 0.1, 0.1], \"position\": [3, 0, 0]}, "      \
    "{\"name\": \"crate\", \"size\": [0.2, 0.2, 0.2], \"mass\": 2, \"position\": [0, -0.6, 0]}]}"

// It hangs where the rope ends, and the rope bears its weight.
static void testHangs(void **state) {
    (void)state;
    wbWorld *world = create(HANGING);
    double given = 0;
    stepWorld(world, 60);
    for (int k = 0; k < 60; k++) {
        stepWorld(world, 1);
        given += wbWorld_GetStats(world).softRigid[1];
    }
    const wbRigidMotion crate = getMotion(world, 1);
    assert_true(fabsf(crate.position.x) < 1e-3f && fabsf(crate.position.y + 0.6f) < 0.02f);
    assert_true(fabs(given - 2 * 9.81) < 0.02 * 2 * 9.81);
    const wbView rope = getView(world, 0);
    assert_true(fabsf(rope.y[10] - crate.position.y - 0.1f) < 1e-3f);
    wbDestroyWorld(world);
}

// A heavy rope whirls a small box round that holds its end at an arm's length: by how much it turns within a step depends on when it was
// pushed in it. Each step gave it energy, up to 600 m/s in half a second.
#define WHIRLING                                                                                             \
    "{\"world\": {\"dt\": 0.001}, \"domain\": {\"min\": [-3, -3, -3], \"max\": [3, 5, 3]}, "                 \
    "\"pbd\": {\"method\": \"xpbd\", \"subSteps\": 7}, \"softBodies\": [{\"name\": \"rope\", "               \
    "\"shape\": \"rope\", \"length\": 0.5, \"count\": 9, \"density\": 25, \"thickness\": 0.03, "             \
    "\"position\": [0.305, 1.425, 0.386], \"velocity\": [-0.129, -1.753, 2.129], "                           \
    "\"attach\": [{\"particle\": 0, \"body\": \"box\"}]}], \"bodies\": [{\"name\": \"box\", "                \
    "\"size\": [0.05, 0.05, 0.05], \"density\": 2330, \"position\": [0, 1.425, 0.386]}]}"

static void testWhirls(void **state) {
    (void)state;
    wbWorld *world = create(WHIRLING);
    stepWorld(world, 1); // velocities of what is held begin to be those of one body
    wbStats stats = wbWorld_GetStats(world);
    const double start = stats.kinetic + stats.potential;
    for (int k = 0; k < 450; k++) {
        stepWorld(world, 1);
        stats = wbWorld_GetStats(world);
        assert_true(stats.kinetic + stats.potential < 1.01 * start);
    }
    wbDestroyWorld(world);
}

static void testAttachments(void **state) {
    (void)state;
    wbWorld *world = create(HANGING);
    const wbSoftBodyId rope = wbWorld_GetSoftBody(world, 0);
    wbAttachment list[2];
    int count;
    assertOk(wbSoftBody_GetAttachments(world, rope, list, 2, &count));
    assert_int_equal(count, 1);
    assert_int_equal(list[0].particle, 10);
    assert_true(fabsf(list[0].point.y - 0.1f) < 1e-6f && fabsf(list[0].point.x) < 1e-6f);
    // where the particle is; and again elsewhere, which is one tie still
    assertOk(wbSoftBody_Attach(world, rope, 5, wbWorld_GetRigidBody(world, 0), NULL));
    assertOk(wbSoftBody_Attach(world, rope, 5, wbWorld_GetRigidBody(world, 1), NULL));
    assertOk(wbSoftBody_GetAttachments(world, rope, list, 2, &count));
    assert_int_equal(count, 2);
    assertOk(wbSoftBody_Detach(world, rope, 5));
    assertOk(wbSoftBody_Detach(world, rope, 5));
    // those behind a body that goes are others then
    assertOk(wbDestroyRigidBody(world, wbWorld_GetRigidBody(world, 0)));
    assertOk(wbSoftBody_GetAttachments(world, rope, list, 2, &count));
    assert_int_equal(count, 1);
    assert_int_equal(list[0].body.index1, wbWorld_GetRigidBody(world, 0).index1);
    stepWorld(world, 2);
    assertOk(wbDestroyRigidBody(world, list[0].body));
    assertOk(wbSoftBody_GetAttachments(world, rope, list, 2, &count));
    assert_int_equal(count, 0);
    stepWorld(world, 2);
    wbDestroyWorld(world);
}

static void expectRefused(const char *attach, const char *words) {
    char text[1024];
    wbScene *scene;
    wbWorld *world = NULL;
    snprintf(text, sizeof text,
             "{\"softBodies\": [{\"name\": \"rope\", \"shape\": \"rope\", \"count\": 5, \"attach\": %s}], "
             "\"bodies\": [{\"name\": \"crate\"}]}",
             attach);
    wbStatus status = wbReadSceneText("soft.json", text, strlen(text), &scene);
    if (status.code == wb_ok) {
        status = wbScene_CreateWorld(scene, &world);
        wbDestroyScene(scene);
        wbDestroyWorld(world);
    }
    assert_int_equal(status.code, wb_errorInput);
    if (!strstr(status.text, words)) fail_msg("\"%s\" does not say \"%s\"", status.text, words);
}

static void testRefused(void **state) {
    (void)state;
    expectRefused("[{\"particle\": 5, \"body\": \"crate\"}]", "particle 5, allowed is -5 to 4");
    expectRefused("[{\"particle\": 1, \"body\": \"crat\"}]", "did you mean \"crate\"");
    expectRefused("[{\"particle\": 1, \"body\": \"crate\", \"point\": [0, 500, 0]}]", "nearer");
    expectRefused("[{\"particle\": 1}]", "attach[0].body is missing");
    expectRefused("[{\"particle\": 1.5, \"body\": \"crate\"}]", "particle");
    expectRefused("[{\"particle\": 1, \"body\": \"crate\", \"at\": 3}]", "at");
    expectRefused("{}", "must be an array");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testMomentum),   cmocka_unit_test(testThreads),
        cmocka_unit_test(testCheckpoint), cmocka_unit_test(testWarmStep),
        cmocka_unit_test(testModes),      cmocka_unit_test(testCornersStayOut),
        cmocka_unit_test(testLightPlate), cmocka_unit_test(testSubSteps),
        cmocka_unit_test(testWakes),      cmocka_unit_test(testHangs),
        cmocka_unit_test(testWhirls),     cmocka_unit_test(testAttachments),
        cmocka_unit_test(testRefused),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
