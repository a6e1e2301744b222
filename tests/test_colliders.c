// SPDX-License-Identifier: MIT
// Colliders and mechanisms of a world: how they move, what they refuse, files of them.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "box_support.h"
#include "wirbel/scene.h"
#include "wirbel/wirbel.h"

static void assertRefused(wbStatus status, const char *text) {
    assert_int_equal(status.code, wb_errorInput);
    if (!strstr(status.text, text)) fail_msg("\"%s\" does not say \"%s\"", status.text, text);
}

static wbWorld *createWorld(int dimensions) {
    wbWorldDef def = wbDefaultWorldDef();
    wbWorld *world;
    def.params.dimensions = dimensions;
    def.params.dt = 0.01f;
    def.sph.spacing = 0.1f;
    def.threadCount = 1;
    assertOk(wbCreateWorld(&def, &world));
    return world;
}

static wbMechanismId addMechanism(wbWorld *world, const char *name, wbMechanismKind kind,
                                  const wbColliderId *parts, int count) {
    wbMechanismDef def = wbDefaultMechanismDef();
    wbMechanismId id;
    def.name = name;
    def.params.kind = kind;
    def.colliders = parts, def.colliderCount = count;
    assertOk(wbCreateMechanism(world, &def, &id));
    return id;
}

static void step(wbWorld *world, int count) {
    for (int i = 0; i < count; i++) assertOk(wbWorld_Step(world, 0));
}

static void assertPosition(const wbWorld *world, wbColliderId id, double x, double y, double z) {
    wbColliderStats stats = wbCollider_GetStats(world, id);
    const double wanted[3] = {x, y, z};
    for (int a = 0; a < 3; a++)
        if (fabs(stats.position[a] - wanted[a]) > 1e-5)
            fail_msg("at (%g, %g, %g), not (%g, %g, %g)", stats.position[0], stats.position[1],
                     stats.position[2], x, y, z);
}

// A gate goes as fast as its duration says, and stops where it shall.
static void testGateSlides(void **state) {
    (void)state;
    wbWorld *world = createWorld(3);
    wbColliderId box = addBox(world, "plate", wbMakeVec3(1, 2, 3), wbMakeVec3(1, 1, 1));
    wbMechanismId gate = addMechanism(world, "gate", wb_mechanismGate, &box, 1);
    assertOk(wbWorld_SetParam(world, "gate.travel", "0,4,0"));
    assertOk(wbWorld_SetParam(world, "gate.duration", "2"));
    step(world, 10);
    assertPosition(world, box, 1, 2, 3);
    assertOk(wbWorld_SetParam(world, "gate.open", "0.5"));
    step(world, 50);
    assertPosition(world, box, 1, 3, 3);
    step(world, 150);
    assertPosition(world, box, 1, 4, 3);
    assert_float_equal(wbMechanism_GetStats(world, gate).open[0], 0.5, 1e-6);
    assertOk(wbWorld_SetParam(world, "gate.open", "0"));
    step(world, 150);
    assertPosition(world, box, 1, 2, 3);
    wbDestroyWorld(world);
}

// However the gates of a lock are asked for, one of them is shut.
static void testLockNeverOpensBoth(void **state) {
    (void)state;
    wbWorld *world = createWorld(3);
    wbColliderId gates[2] = {addBox(world, "upperGate", wbMakeVec3(0, 0, 0), wbMakeVec3(1, 1, 1)),
                             addBox(world, "lowerGate", wbMakeVec3(5, 0, 0), wbMakeVec3(1, 1, 1))};
    wbMechanismId lock = addMechanism(world, "lock", wb_mechanismLock, gates, 2);
    assertOk(wbWorld_SetParam(world, "lock.duration", "0.3"));
    const char *orders[] = {"upper", "lower", "lower", "upper", "shut", "lower", "upper"};
    double most[2] = {0, 0};
    for (int k = 0; k < 7; k++) {
        assertOk(wbWorld_SetParam(world, "lock.gates", orders[k]));
        for (int i = 0; i < 70 * (1 + k % 3); i++) {
            step(world, 1);
            wbMechanismStats stats = wbMechanism_GetStats(world, lock);
            assert_true(stats.open[0] == 0 || stats.open[1] == 0);
            for (int g = 0; g < 2; g++) most[g] = fmax(most[g], stats.open[g]);
        }
    }
    assert_true(most[0] == 1 && most[1] == 1);
    wbDestroyWorld(world);
}

static void testWheelTurnsAboutItsAxle(void **state) {
    (void)state;
    wbWorld *world = createWorld(3);
    wbColliderId box = addBox(world, "paddle", wbMakeVec3(2, 1, 0), wbMakeVec3(1, 1, 1));
    wbMechanismId wheel = addMechanism(world, "wheel", wb_mechanismWheel, &box, 1);
    assertOk(wbWorld_SetParam(world, "wheel.pivot", "1,1,0"));
    assertOk(wbWorld_SetParam(world, "wheel.speed", "90"));
    step(world, 100);
    assertPosition(world, box, 1, 2, 0);
    wbColliderStats stats = wbCollider_GetStats(world, box);
    assert_float_equal(stats.rotation[2], sqrt(0.5), 1e-5);
    assert_float_equal(stats.rotation[3], sqrt(0.5), 1e-5);
    assertOk(wbWorld_SetParam(world, "wheel.drive", "hand"));
    assertOk(wbWorld_SetParam(world, "wheel.angle", "180"));
    step(world, 300);
    assertPosition(world, box, 0, 1, 0);
    assert_float_equal(wbMechanism_GetStats(world, wheel).angle, 180, 1e-4);
    assert_float_equal(wbMechanism_GetStats(world, wheel).speed, 0, 1e-9);
    wbDestroyWorld(world);
}

// Without water a free wheel follows I w' = -friction w - load.
static void testFreeWheelComesToRest(void **state) {
    (void)state;
    wbWorld *world = createWorld(3);
    wbColliderId box = addBox(world, "paddle", wbMakeVec3(0, 0, 0), wbMakeVec3(1, 1, 1));
    wbMechanismId wheel = addMechanism(world, "wheel", wb_mechanismWheel, &box, 1);
    assertOk(wbWorld_SetParam(world, "wheel.speed", "100"));
    step(world, 1);
    assertOk(wbWorld_SetParam(world, "wheel.drive", "free"));
    assertOk(wbWorld_SetParam(world, "wheel.inertia", "2"));
    assertOk(wbWorld_SetParam(world, "wheel.friction", "1"));
    step(world, 200);
    assert_float_equal(wbMechanism_GetStats(world, wheel).speed, 100 * exp(-1), 0.2);
    assertOk(wbWorld_SetParam(world, "wheel.load", "1"));
    step(world, 400);
    assert_true(wbMechanism_GetStats(world, wheel).speed == 0);
    wbDestroyWorld(world);
}

// Two half swings to one side and the other; the start is gentle.
static void testShakerSwings(void **state) {
    (void)state;
    wbWorld *world = createWorld(3);
    wbColliderId box = addBox(world, "cup", wbMakeVec3(0, 0, 0), wbMakeVec3(1, 1, 1));
    addMechanism(world, "shaker", wb_mechanismShaker, &box, 1);
    assertOk(wbWorld_SetParam(world, "shaker.travel", "0.5,0,0"));
    float most = 0, least = 0, last = 0, fastest = 0;
    for (int i = 0; i < 400; i++) {
        step(world, 1);
        float x = wbCollider_GetStats(world, box).position[0];
        if (i < 3) assert_true(fabsf(x) < 0.01f);
        most = fmaxf(most, x), least = fminf(least, x), fastest = fmaxf(fastest, fabsf(x - last) / 0.01f);
        last = x;
    }
    assert_float_equal(most, 0.5, 1e-3);
    assert_float_equal(least, -0.5, 1e-3);
    assert_float_equal(fastest, 2 * 3.14159 * 0.5, 0.01);
    wbDestroyWorld(world);
}

// A program that moves a collider by itself.
static void testPositionIsReachedInAStep(void **state) {
    (void)state;
    wbWorld *world = createWorld(3);
    wbColliderId box = addBox(world, "block", wbMakeVec3(0, 0, 0), wbMakeVec3(1, 1, 1));
    assertOk(wbWorld_SetParam(world, "block.position", "0.1,0.2,0.3"));
    assertOk(wbWorld_SetParam(world, "block.rotation", "0,90,0"));
    assertPosition(world, box, 0, 0, 0);
    step(world, 1);
    assertPosition(world, box, 0.1, 0.2, 0.3);
    assert_float_equal(wbCollider_GetStats(world, box).rotation[1], sqrt(0.5), 1e-6);
    wbDestroyWorld(world);
}

static void testNonsenseIsRefused(void **state) {
    (void)state;
    wbWorld *world = createWorld(3), *flat = createWorld(2);
    wbFluidDef water = wbDefaultFluidDef();
    wbFluidId waterId;
    assertOk(wbCreateFluid(world, &water, &waterId));
    wbColliderId box = addBox(world, "box", wbMakeVec3(0, 0, 0), wbMakeVec3(1, 1, 1)), other;
    wbColliderDef def = wbDefaultColliderDef();
    def.name = "box";
    assertRefused(wbCreateCollider(world, &def, &other), "already a collider named \"box\"");
    def.name = "tube", def.params.shape = wb_shapePipe;
    assertRefused(wbCreateCollider(world, &def, &other), "collider \"tube\": ");
    def.params.shape = wb_shapeMesh;
    assertRefused(wbCreateCollider(world, &def, &other), "collider \"tube\": ");
    def.params.shape = wb_shapeSphere, def.params.radius = 0.001f;
    assertRefused(wbCreateCollider(world, &def, &other), "too small to be felt with a spacing of 0.1 m");
    def.params.radius = -1;
    assertRefused(wbCreateCollider(world, &def, &other), "radius is -1");
    assert_int_equal(wbWorld_GetColliderCount(world), 1);
    assertRefused(wbWorld_SetParam(world, "box.size", "1,1,1"), "box.size is fixed");
    assertRefused(wbWorld_SetParam(world, "box.slip", "some"), "allowed is freeSlip|noSlip");
    addBox(flat, "flat", wbMakeVec3(0, 0, 0), wbMakeVec3(1, 1, 1));
    assertRefused(wbWorld_SetParam(flat, "flat.rotation", "0,10,0"), "in 2D its rotation is about z only");
    assertRefused(wbWorld_SetParam(flat, "flat.position", "0,0,1"), "in 2D its position is x,y, not 0,0,1");
    // a collider that stands on the plane z = 0 is not cut by it
    float vertices[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    uint32_t indices[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    wbMesh mesh = {.vertexCount = 4, .triangleCount = 4, .vertices = vertices, .indices = indices};
    wbColliderDef meshDef = wbDefaultColliderDef();
    meshDef.name = "tent", meshDef.params.shape = wb_shapeMesh, meshDef.mesh = &mesh;
    assertRefused(wbCreateCollider(flat, &meshDef, &other), "it reaches from z = 0 to 1");
    for (int v = 0; v < 4; v++) vertices[3 * v + 2] -= 0.5f;
    assertOk(wbCreateCollider(flat, &meshDef, &other));
    wbMechanismDef slide = wbDefaultMechanismDef();
    wbMechanismId slideId;
    slide.name = "slide", slide.params.travel = wbMakeVec3(0, 0, 1);
    slide.colliders = &other, slide.colliderCount = 1;
    assertRefused(wbCreateMechanism(flat, &slide, &slideId), "in 2D its travel is x,y, not 0,0,1");

    wbMechanismDef lock = wbDefaultMechanismDef();
    wbMechanismId id;
    lock.name = "lock", lock.params.kind = wb_mechanismLock;
    lock.colliders = &box, lock.colliderCount = 1;
    assertRefused(wbCreateMechanism(world, &lock, &id), "moves 1 colliders, must be 2");
    lock.params.kind = wb_mechanismWheel, lock.params.axis = wbMakeVec3(0, 0, 0);
    assertRefused(wbCreateMechanism(world, &lock, &id), "its axis must not be 0,0,0");
    lock.params.axis.y = 1;
    assertOk(wbCreateMechanism(world, &lock, &id));
    lock.name = "again";
    assertRefused(wbCreateMechanism(world, &lock, &id), "\"box\" is moved by one already");
    wbDestroyWorld(world);
    wbDestroyWorld(flat);
}

static const char sceneText[] =
    "{\"world\": {\"dt\": 0.002},"
    " \"domain\": {\"min\": [0, 0, 0], \"max\": [2, 2, 1]},"
    " \"sph\": {\"spacing\": 0.1},"
    " \"fluids\": [{\"name\": \"water\", \"blocks\": [{\"min\": [0, 0, 0], \"max\": [1, 1, 1]}]}],"
    " \"colliders\": ["
    "  {\"name\": \"plate\", \"shape\": \"box\", \"size\": [0.25, 2, 1.2], \"position\": [1.2, 1, 0.5]},"
    "  {\"name\": \"ball\", \"shape\": \"sphere\", \"radius\": 0.3, \"position\": [0.5, 0.5, 0.5]}],"
    " \"mechanisms\": [{\"name\": \"gate\", \"kind\": \"gate\", \"colliders\": [\"plate\"], \"duration\": "
    "0.5,"
    "                   \"travel\": [0, 3, 0]}],"
    " \"script\": [{\"at\": 0.05, \"set\": \"gate.open\", \"value\": 1}]}";

static wbScene *readScene(void) {
    wbScene *scene;
    assertOk(wbReadSceneText("text", sceneText, strlen(sceneText), &scene));
    return scene;
}

static void runScene(const wbScene *scene, wbWorld *world, int steps) {
    for (int i = 0; i < steps; i++) {
        assertOk(wbScene_RunScript(scene, world));
        assertOk(wbWorld_Step(world, 0));
    }
}

// Blocks leave out what a collider fills; the gate holds the water, then lets it go.
static void testGateHoldsWater(void **state) {
    (void)state;
    wbScene *scene = readScene();
    wbWorld *world;
    assertOk(wbScene_CreateWorld(scene, &world));
    int count = wbFluid_GetParticleCount(world, wbWorld_GetFluid(world, 0));
    assert_in_range(count, 1000 - 190,
                    1000 - 110); // the ball has 113 of them, with half a spacing around 179
    runScene(scene, world, 200);
    wbView view;
    assertOk(wbFluid_GetView(world, wbWorld_GetFluid(world, 0), &view));
    wbStats stats = wbWorld_GetStats(world);
    assert_int_equal(stats.leaked, 0);
    assert_int_equal(view.count, count);
    for (int i = 0; i < view.count; i++) {
        double d = hypot(hypot(view.x[i] - 0.5, view.y[i] - 0.5), view.z[i] - 0.5);
        if (d < 0.3 * 0.98) fail_msg("a particle is in the ball, %g m from its middle", d);
    }
    float farthest = 0;
    for (int i = 0; i < view.count; i++) farthest = fmaxf(farthest, view.x[i]);
    assert_true(farthest > 1.33f); // under the gate, which is up by now
    wbDestroyWorld(world);
    wbDestroyScene(scene);
}

// A checkpoint in the middle of the gate's way goes on bit for bit.
static void testCheckpointGoesOn(void **state) {
    (void)state;
    wbScene *scene = readScene();
    wbWorld *whole, *part, *resumed;
    char path[] = "colliders-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assertOk(wbScene_CreateWorld(scene, &whole));
    assertOk(wbScene_CreateWorld(scene, &part));
    runScene(scene, whole, 60);
    runScene(scene, part, 40);
    assertOk(wbWorld_Save(part, path));
    assertOk(wbLoadWorld(path, &resumed));
    assertOk(wbScene_CheckWorld(scene, resumed));
    assert_true(wbWorld_Hash(resumed) == wbWorld_Hash(part));
    runScene(scene, resumed, 20);
    assert_true(wbWorld_Hash(resumed) == wbWorld_Hash(whole));
    unlink(path);
    wbDestroyWorld(whole), wbDestroyWorld(part), wbDestroyWorld(resumed);
    wbDestroyScene(scene);
}

// Steps follow the speed of colliders, also the first one after a checkpoint.
static void testCheckpointKeepsTimeStep(void **state) {
    (void)state;
    wbScene *scene = readScene();
    wbWorld *world, *resumed;
    char path[] = "colliders-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assertOk(wbScene_CreateWorld(scene, &world));
    assertOk(wbWorld_SetParam(world, "world.dt", "auto"));
    float slow = wbWorld_GetStableStep(world);
    assertOk(wbWorld_SetParam(world, "gate.open", "1"));
    for (int i = 0; i < 3; i++) assertOk(wbWorld_Step(world, 0));
    assert_true(wbWorld_GetStableStep(world) < slow);
    assertOk(wbWorld_Save(world, path));
    assertOk(wbLoadWorld(path, &resumed));
    unlink(path);
    assert_true(wbWorld_GetStableStep(resumed) == wbWorld_GetStableStep(world));
    for (int i = 0; i < 3; i++) assertOk(wbWorld_Step(world, 0)), assertOk(wbWorld_Step(resumed, 0));
    assert_true(wbWorld_GetTime(resumed) == wbWorld_GetTime(world));
    assert_true(wbWorld_Hash(resumed) == wbWorld_Hash(world));
    wbDestroyWorld(world), wbDestroyWorld(resumed);
    wbDestroyScene(scene);
}

// Each wrong scene, and what is said of it.
static void testWrongScenes(void **state) {
    (void)state;
    static const struct {
        const char *objects, *message;
    } wrong[] = {
        {"\"colliders\": 3", "colliders is the number 3, must be an array"},
        {"\"colliders\": [{\"shape\": \"box\"}]", "colliders[0].name is missing"},
        {"\"colliders\": [{\"name\": \"a\", \"shape\": \"bx\"}]", "allowed is box|sphere"},
        {"\"colliders\": [{\"name\": \"a\", \"sise\": [1, 1, 1]}]", "did you mean \"size\"?"},
        {"\"colliders\": [{\"name\": \"a\", \"mesh\": \"nowhere.obj\"}]", "nowhere.obj"},
        {"\"colliders\": [{\"name\": \"a\", \"shape\": \"mesh\"}]", "needs \"mesh\": its file"},
        {"\"colliders\": [{\"name\": \"a\", \"shape\": \"pipe\"}]", "needs \"path\": its points"},
        {"\"colliders\": [{\"name\": \"a\", \"path\": [[0, 0, 0]]}]",
         "only a pipe, a trough or a polygon has a path"},
        {"\"colliders\": [{\"name\": \"a\", \"shape\": \"pipe\", \"path\": [[0, 0, 0], [1]]}]",
         "colliders[0].path[1] has 1 number, must have 3"},
        {"\"mechanisms\": [{\"name\": \"a\", \"kind\": \"gate\"}]", "mechanisms[0].colliders is missing"},
        {"\"mechanisms\": [{\"name\": \"a\", \"kind\": \"gate\", \"colliders\": [\"b\"]}]",
         "there is no collider named \"b\""},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[512];
        wbScene *scene;
        snprintf(text, sizeof text, "{%s}", wrong[i].objects);
        assertRefused(wbReadSceneText("text", text, strlen(text), &scene), wrong[i].message);
        assert_null(scene);
    }
}

// In 2D vectors have two numbers, sizes too.
static void testFlatSizes(void **state) {
    (void)state;
    static const char text[] =
        "{\"world\": {\"dimensions\": 2}, \"domain\": {\"min\": [0, 0], \"max\": [1, 1]},"
        " \"colliders\": [{\"name\": \"wall\", \"shape\": \"box\", \"size\": [0.1, 0.8],"
        "                  \"position\": [0.5, 0.4]}]}";
    wbScene *scene;
    wbWorld *world;
    assertOk(wbReadSceneText("text", text, strlen(text), &scene));
    assertOk(wbScene_CreateWorld(scene, &world));
    wbVec3 size = wbCollider_GetParams(world, wbWorld_GetCollider(world, 0))->size;
    assert_true(size.x == 0.1f && size.y == 0.8f && size.z > 0);
    wbColliderDef floor = wbDefaultColliderDef();
    wbColliderId id;
    floor.name = "floor", floor.params.size = wbMakeVec3(4000, 1, 1);
    assertOk(wbCreateCollider(world, &floor, &id));
    wbDestroyWorld(world);
    wbDestroyScene(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testGateSlides),
        cmocka_unit_test(testLockNeverOpensBoth),
        cmocka_unit_test(testWheelTurnsAboutItsAxle),
        cmocka_unit_test(testFreeWheelComesToRest),
        cmocka_unit_test(testShakerSwings),
        cmocka_unit_test(testPositionIsReachedInAStep),
        cmocka_unit_test(testNonsenseIsRefused),
        cmocka_unit_test(testGateHoldsWater),
        cmocka_unit_test(testCheckpointGoesOn),
        cmocka_unit_test(testCheckpointKeepsTimeStep),
        cmocka_unit_test(testWrongScenes),
        cmocka_unit_test(testFlatSizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
