// SPDX-License-Identifier: MIT
// Colliders that are made, put or moved where something is: fluids, soft bodies, smoke.
#include "place_support.h"

#include <unistd.h>

#include "wirbel/scene.h"

static void assertRefused(wbStatus status, const char *text) {
    assert_int_equal(status.code, wb_errorInput);
    if (!strstr(status.text, text)) fail_msg("\"%s\" does not say \"%s\"", status.text, text);
}

static void testPlacing(void **state) {
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++)
        for (int solver = 0; solver < 2; solver++)
            checkPlacing(dimensions, (wbFluidSolver)solver, wb_backendCpu);
}

static void testSweeping(void **state) {
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++)
        for (int solver = 0; solver < 2; solver++)
            checkSweeping(dimensions, (wbFluidSolver)solver, wb_backendCpu);
}

// Its parameters say the same as wbCollider_MoveTo, and a world that was saved on its way goes on alike.
static void testParametersAndCheckpoints(void **state) {
    (void)state;
    char path[] = "/tmp/wirbel_place_XXXXXX";
    close(mkstemp(path));
    Tank one = createTank(3, wb_solverSph, wb_backendCpu), two = createTank(3, wb_solverSph, wb_backendCpu);
    wbWorld *loaded;
    assertOk(wbCollider_MoveTo(one.world, one.box, wbMakeVec3(0.5f, 0.3f, 0.25f), wbMakeVec3(0, 90, 0)));
    assertOk(wbWorld_SetParam(two.world, "box.rotation", "0,90,0"));
    assertOk(wbWorld_SetParam(two.world, "box.position", "0.5,0.3,0.25"));
    runFor(one.world, 0.05), runFor(two.world, 0.05);
    assert_true(wbWorld_Hash(one.world) == wbWorld_Hash(two.world));
    assert_true(wbCollider_GetStats(one.world, one.box).position[1] > 0.4f);
    assertOk(wbWorld_Save(one.world, path));
    assertOk(wbLoadWorld(path, &loaded));
    runFor(one.world, 0.3), runFor(loaded, 0.3);
    assert_true(wbWorld_Hash(one.world) == wbWorld_Hash(loaded));
    assertStands(&one, wbMakeVec3(0.5f, 0.3f, 0.25f));
    assert_float_equal(wbCollider_GetStats(one.world, one.box).rotation[1], sqrt(0.5), 1e-6);
    wbDestroyWorld(one.world), wbDestroyWorld(two.world), wbDestroyWorld(loaded);
    unlink(path);
}

// Where floats are too coarse nothing can be; what goes far away does not slow the world down.
static void testFarAway(void **state) {
    (void)state;
    Tank tank = createTank(3, wb_solverSph, wb_backendCpu);
    const wbVec3 far = {1e9f, 0.7f, 0.25f}, still = {0, 0, 0};
    assertRefused(wbWorld_SetParam(tank.world, "box.position", "1e9,0.7,0.25"), "too coarse");
    assertRefused(wbCollider_MoveTo(tank.world, tank.box, far, still), "too coarse");
    assertRefused(wbCollider_Place(tank.world, tank.box, far, still), "too coarse");
    wbColliderDef other = wbDefaultColliderDef();
    wbColliderId id;
    other.name = "other", other.params.position = far;
    assertRefused(wbCreateCollider(tank.world, &other, &id), "too coarse");
    assertRefused(wbCollider_Place(tank.world, tank.box, wbMakeVec3(NAN, 0, 0), still),
                  "box.position.x is nan");
    runFor(tank.world, 0.02);
    float dt = wbWorld_GetStableStep(tank.world);
    assertOk(wbWorld_SetParam(tank.world, "box.position", "10000,0.7,0.25"));
    runFor(tank.world, 0.1);
    assert_true(wbWorld_GetStableStep(tank.world) > 0.8f * dt);
    assertOk(wbCollider_Place(tank.world, tank.box, wbMakeVec3(10000, 0.7f, 0.25f), still));
    runFor(tank.world, 0.1);
    assert_true(wbWorld_GetStableStep(tank.world) > 0.8f * dt);
    wbDestroyWorld(tank.world);
}

// A mechanism puts its parts where it starts, and leads them: they are never put, and catch up when it is changed.
static void testMechanisms(void **state) {
    (void)state;
    Tank tank = createTank(3, wb_solverSph, wb_backendCpu);
    wbMechanismDef def = wbDefaultMechanismDef();
    wbMechanismId id;
    def.name = "gate";
    def.colliders = &tank.box, def.colliderCount = 1;
    def.params.travel = wbMakeVec3(0, -0.5f, 0), def.params.open = 1;
    assertTrapped(&tank, wbCreateMechanism(tank.world, &def, &id), wbWorld_Hash(tank.world));
    assert_int_equal(wbWorld_GetMechanismCount(tank.world), 0);
    def.params.travel = wbMakeVec3(0.1f, 0, 0);
    assertOk(wbCreateMechanism(tank.world, &def, &id));
    assertStands(&tank, wbMakeVec3(0.6f, 0.7f, 0.25f));
    assertRefused(wbCollider_Place(tank.world, tank.box, wbMakeVec3(0, 0.8f, 0.25f), wbMakeVec3(0, 0, 0)),
                  "\"gate\"");
    assertOk(wbWorld_SetParam(tank.world, "box.speed", "1"));
    assertOk(wbWorld_SetParam(tank.world, "gate.travel", "0.1,-0.4,0"));
    runFor(tank.world, 0.2);
    float height = wbCollider_GetStats(tank.world, tank.box).position[1];
    if (!(height > 0.48f && height < 0.52f)) fail_msg("it is at %g m", (double)height);
    runFor(tank.world, 0.25);
    assertStands(&tank, wbMakeVec3(0.6f, 0.7f - 0.4f, 0.25f));
    assert_int_equal(wbWorld_GetStats(tank.world).leaked, 0);
    wbDestroyWorld(tank.world);
}

static wbWorld *createFromText(const char *text) {
    wbScene *scene;
    wbWorld *world;
    assertOk(wbReadSceneText("test.json", text, strlen(text), &scene));
    wbScene_GetWorldDef(scene)->threadCount = 1;
    assertOk(wbScene_CreateWorld(scene, &world));
    wbDestroyScene(scene);
    return world;
}

// Particles of soft bodies count too, and are swept away without being thrown.
static void testSoftBodies(void **state) {
    (void)state;
    wbWorld *world = createFromText(
        "{\"domain\": {\"min\": [-1, 0, -1], \"max\": [1, 2, 1]}, \"pbd\": {\"radius\": 0.05},"
        "\"softBodies\": [{\"name\": \"ball\", \"shape\": \"sphere\", \"radius\": 0.3, \"count\": 200,"
        " \"position\": [0, 0.4, 0]}],"
        "\"colliders\": [{\"name\": \"box\", \"size\": [0.3, 0.3, 0.3], \"position\": [0.8, 0.5, 0]}]}");
    wbColliderId box = wbWorld_GetCollider(world, 0);
    runFor(world, 0.3);
    assertRefused(wbCollider_Place(world, box, wbMakeVec3(0, 0.4f, 0), wbMakeVec3(0, 0, 0)),
                  "soft bodies) would be");
    assertOk(wbWorld_SetParam(world, "box.speed", "1"));
    assertOk(wbWorld_SetParam(world, "box.position", "0,0.4,0"));
    for (int i = 0; i < 60; i++) {
        assertOk(wbWorld_Step(world, 0));
        wbStats stats = wbWorld_GetStats(world);
        assertBelow(sqrt(2 * stats.kinetic / stats.mass), 3, "speed");
    }
    wbDestroyWorld(world);
}

// Smoke is no obstacle: what is in the cells of a collider that is put there goes to the air beside it.
static void testSmoke(void **state) {
    (void)state;
    wbWorld *world = createFromText(
        "{\"world\": {\"dt\": 0.02}, \"domain\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1]},"
        "\"smoke\": {\"cellSize\": 0.0625, \"buoyancy\": 0, \"keepMass\": false},"
        "\"sources\": [{\"name\": \"cloud\", \"shape\": \"box\", \"position\": [0.5, 0.5, 0.5],"
        " \"size\": [0.5, 0.5, 0.5], \"end\": 0.01}],"
        "\"colliders\": [{\"name\": \"box\", \"size\": [0.25, 0.25, 0.25], \"position\": [0.2, 0.2, 0.2]}]}");
    for (int i = 0; i < 3; i++) assertOk(wbWorld_Step(world, 0));
    double amount = wbWorld_GetSmokeStats(world).amount;
    assertOk(wbCollider_Place(world, wbWorld_GetCollider(world, 0), wbMakeVec3(0.5f, 0.5f, 0.5f),
                              wbMakeVec3(0, 0, 0)));
    for (int i = 0; i < 3; i++) assertOk(wbWorld_Step(world, 0));
    wbSmokeStats stats = wbWorld_GetSmokeStats(world);
    assertBelow(fabs(stats.amount / amount - 1), 1e-5, "smoke that is gone");
    assertBelow(stats.kinetic, 1e-4, "wind");
    wbDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testPlacing),
        cmocka_unit_test(testSweeping),
        cmocka_unit_test(testParametersAndCheckpoints),
        cmocka_unit_test(testFarAway),
        cmocka_unit_test(testMechanisms),
        cmocka_unit_test(testSoftBodies),
        cmocka_unit_test(testSmoke),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
