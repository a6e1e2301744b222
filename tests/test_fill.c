// SPDX-License-Identifier: MIT
// What fills fluids: balls, meshes and random places, and what they refuse.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test_support.h"
#include "wirbel/scene.h"

static void assertRefused(wbStatus status, const char *text) {
    assert_int_equal(status.code, wb_errorInput);
    if (!strstr(status.text, text)) fail_msg("\"%s\" does not say \"%s\"", status.text, text);
}

static wbWorld *createSeeded(int dimensions, wbFluidSolver solver, int seed, wbFluidId *fluid) {
    wbWorldDef def = wbDefaultWorldDef();
    wbWorld *world;
    def.params.dimensions = dimensions, def.params.gravity = (wbVec3){0, 0, 0}, def.params.seed = seed;
    def.domain = (wbDomainDef){.max = {1, 1, 1}};
    if (dimensions == 2) def.domain.sides[wb_back].type = def.domain.sides[wb_front].type = wb_sideOpen;
    def.sph.spacing = def.pbf.spacing = 0.05f;
    def.threadCount = 1;
    assertOk(wbCreateWorld(&def, &world));
    wbFluidDef water = wbDefaultFluidDef();
    water.solver = solver;
    assertOk(wbCreateFluid(world, &water, fluid));
    return world;
}

static wbWorld *createWorld(int dimensions, wbFluidSolver solver, wbFluidId *fluid) {
    return createSeeded(dimensions, solver, 3, fluid);
}

static wbView getView(wbWorld *world, wbFluidId fluid) {
    wbView view;
    assertOk(wbFluid_GetView(world, fluid, &view));
    return view;
}

static double findNearest(const wbView *view) {
    double nearest = HUGE_VAL;
    for (int i = 0; i < view->count; i++)
        for (int j = 0; j < i; j++)
            nearest =
                fmin(nearest, hypot(hypot((double)view->x[i] - view->x[j], (double)view->y[i] - view->y[j]),
                                    (double)view->z[i] - view->z[j]));
    return nearest;
}

static void assertNear(double value, double wanted, double share, const char *what) {
    if (fabs(value - wanted) > share * wanted) fail_msg("%s: %g, not %g", what, value, wanted);
}

// As many as have its volume, all in it, on a lattice, wherever its middle is; and it stays at rest.
static void testBalls(void **state) {
    (void)state;
    for (int k = 0; k < 12; k++) {
        int dimensions = 2 + k % 2;
        wbFluidId fluid;
        wbWorld *world = createWorld(dimensions, (wbFluidSolver)(k / 2 % 2), &fluid);
        const double radius = 0.2 + 0.07 * (k / 4), pi = 3.14159265358979;
        wbBallDef ball = {{0.43f, 0.51f, 0.49f}, (float)radius, {1, 0, 0}};
        assertOk(wbFluid_AddBall(world, fluid, &ball));
        wbView view = getView(world, fluid);
        double volume = dimensions == 3 ? 4.0 / 3 * pi * pow(radius, 3) : pi * radius * radius;
        assertNear(view.count * pow(0.05, dimensions), volume, 0.03, "volume");
        assertNear(findNearest(&view), 0.05, 1e-4, "spacing");
        double middle[3] = {0, 0, 0};
        for (int i = 0; i < view.count; i++) {
            double x = view.x[i] - 0.43, y = view.y[i] - 0.51, z = dimensions == 3 ? view.z[i] - 0.49 : 0;
            assert_true(sqrt(x * x + y * y + z * z) <= radius + 0.02 && view.vx[i] == 1);
            assert_true(dimensions == 3 || view.z[i] == 0);
            middle[0] += x / view.count, middle[1] += y / view.count, middle[2] += z / view.count;
        }
        for (int a = 0; a < 3; a++) assert_true(fabs(middle[a]) < 1e-4);
        wbDestroyWorld(world);
    }
}

// Sites in a collider, or at a side that it touches, are left out: still water in a corner stays still.
static void testBallBesideSides(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorld *world = createWorld(3, wb_solverSph, &fluid);
    wbColliderDef rock = wbDefaultColliderDef();
    wbColliderId id;
    rock.name = "rock", rock.params.size = (wbVec3){0.31f, 0.31f, 0.31f};
    rock.params.position = (wbVec3){0.5f, 0.37f, 0.31f};
    assertOk(wbCreateCollider(world, &rock, &id));
    wbBallDef ball = {.position = {0.31f, 0.31f, 0.31f}, .radius = 0.31f};
    assertOk(wbFluid_AddBall(world, fluid, &ball));
    wbView view = getView(world, fluid);
    for (int i = 0; i < view.count; i++)
        assert_true(view.x[i] > 0.0244f && view.y[i] > 0.0244f && view.z[i] > 0.0244f);
    for (int i = 0; i < 50; i++) assertOk(wbWorld_Step(world, 0));
    wbStats stats = wbWorld_GetStats(world);
    assert_true(stats.leaked == 0 && sqrt(2 * stats.kinetic / stats.mass) < 0.2);
    wbDestroyWorld(world);
}

static const float octahedron[] = {1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1};
static const uint32_t faces[] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};

static wbMesh makeOctahedron(void) {
    return (wbMesh){
        .vertices = (float *)octahedron, .indices = (uint32_t *)faces, .vertexCount = 6, .triangleCount = 8};
}

// Scaled, turned and put: |x| + |y| + |z| < 0.4 in its own frame.
static void testMeshes(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        wbFluidId fluid;
        wbWorld *world = createWorld(3, (wbFluidSolver)(k % 2), &fluid);
        wbMesh mesh = makeOctahedron();
        float angle = k / 2 ? 45.0f : 0.0f;
        wbFillMeshDef def = {&mesh, {0.5f, 0.5f, 0.45f}, {0, 0, angle}, 0.4f, {0, 2, 0}};
        assertOk(wbFluid_AddMesh(world, fluid, &def));
        wbView view = getView(world, fluid);
        assertNear(view.count * pow(0.05, 3), 4.0 / 3 * pow(0.4, 3), 0.05, "volume");
        assertNear(findNearest(&view), 0.05, 1e-4, "spacing");
        for (int i = 0; i < view.count; i++) {
            double c = k / 2 ? sqrt(0.5) : 1, s = k / 2 ? sqrt(0.5) : 0, x = view.x[i] - 0.5,
                   y = view.y[i] - 0.5;
            assert_true(fabs(c * x + s * y) + fabs(c * y - s * x) + fabs(view.z[i] - 0.45) < 0.4 + 1e-5);
            assert_true(view.vy[i] == 2);
        }
        wbDestroyWorld(world);
    }
}

// A spacing apart from each other and from what is there; by the seed alone.
static void testRandom(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        int dimensions = 2 + k % 2, count = dimensions == 3 ? 1200 : 120;
        wbFluidSolver solver = (wbFluidSolver)(k / 2);
        uint64_t hashes[3];
        for (int run = 0; run < 3; run++) {
            wbFluidId fluid;
            wbWorld *world = createSeeded(dimensions, solver, run == 2 ? 4 : 3, &fluid);
            wbBlockDef block = {.max = {1, 0.3f, 1}};
            assertOk(wbFluid_AddBlock(world, fluid, &block));
            int before = getView(world, fluid).count;
            wbRandomDef def = {{0, 0, 0}, {1, 0.9f, 1}, count, {0, -1, 0}};
            assertOk(wbFluid_AddRandom(world, fluid, &def));
            wbView view = getView(world, fluid);
            assert_int_equal(view.count, before + count);
            assert_true(findNearest(&view) > 0.0499);
            hashes[run] = wbWorld_Hash(world);
            for (int i = 0; i < 3; i++) assertOk(wbWorld_Step(world, 0));
            wbDestroyWorld(world);
        }
        assert_true(hashes[0] == hashes[1] && hashes[0] != hashes[2]);
    }
}

static void testRefusals(void **state) {
    (void)state;
    wbFluidId fluid, flat;
    wbWorld *world = createWorld(3, wb_solverSph, &fluid), *plane = createWorld(2, wb_solverSph, &flat);
    uint64_t hash = wbWorld_Hash(world);
    wbMesh mesh = makeOctahedron(), open = mesh;
    open.triangleCount = 7;
    wbBallDef balls[] = {{{0.5f, 0.5f, 0.5f}, 0, {0, 0, 0}},
                         {{0.5f, 0.5f, 0.5f}, 0.51f, {0, 0, 0}},
                         {{0.525f, 0.5f, 0.5f}, NAN, {0, 0, 0}},
                         {{1e9f, 0.5f, 0.5f}, 0.1f, {0, 0, 0}},
                         {{0.5f, 0.5f, 0.5f}, 0.1f, {0, NAN, 0}}};
    const char *ballTexts[] = {"must be above 0", "beyond the closed sides", "must be above 0", "too coarse",
                               "not finite"};
    for (int i = 0; i < 5; i++) assertRefused(wbFluid_AddBall(world, fluid, &balls[i]), ballTexts[i]);
    wbFillMeshDef meshes[] = {{NULL, {0, 0, 0}, {0, 0, 0}, 1, {0, 0, 0}},
                              {&mesh, {0.5f, 0.5f, 0.5f}, {0, 0, 0}, 0, {0, 0, 0}},
                              {&mesh, {0.5f, 0.5f, 0.5f}, {0, 0, 0}, 1, {0, 0, 0}},
                              {&open, {0.5f, 0.5f, 0.5f}, {0, 0, 0}, 0.3f, {0, 0, 0}},
                              {&mesh, {0.51f, 0.51f, 0.51f}, {0, 0, 0}, 1e-5f, {0, 0, 0}}};
    const char *meshTexts[] = {"no triangles", "must be above 0", "beyond the closed sides",
                               "a mesh that is filled: "};
    for (int i = 0; i < 4; i++) assertRefused(wbFluid_AddMesh(world, fluid, &meshes[i]), meshTexts[i]);
    assertRefused(wbFluid_AddMesh(world, fluid, &meshes[4]), "a mesh holds no particle: it is too small");
    assertRefused(wbFluid_AddMesh(plane, flat, &meshes[4]), "in 2D");
    wbRandomDef random[] = {{{0, 0, 0}, {1, 1, 1}, 0, {0, 0, 0}},
                            {{0, 0.5f, 0}, {1, 0.5f, 1}, 10, {0, 0, 0}},
                            {{0, 0, 0}, {1, 1.5f, 1}, 10, {0, 0, 0}},
                            {{0, 0, 0}, {1, 1, 1}, 8000, {0, 0, 0}},
                            {{0, 0, 0}, {1, 1, 1}, INT_MAX, {0, 0, 0}}};
    const char *randomTexts[] = {"must be 1 or more", "must be less than max", "beyond the closed sides",
                                 "of 8000 found no place",
                                 "the count is 2147483647, but the box has room for"};
    for (int i = 0; i < 5; i++) assertRefused(wbFluid_AddRandom(world, fluid, &random[i]), randomTexts[i]);
    assert_int_equal(wbFluid_GetParticleCount(world, fluid), 0);
    assert_true(wbWorld_Hash(world) == hash);
    wbDestroyWorld(world), wbDestroyWorld(plane);
}

// Scenes: places in messages, and a number of particles that chooses the spacing.
static void testScenes(void **state) {
    (void)state;
    static const struct {
        const char *rest, *text;
    } cases[] = {
        {"\"balls\": 3", "s.json:4:30: fluids[0].balls is the number 3, must be an array"},
        {"\"balls\": [{\"radius\": 1}]", "position"},
        {"\"balls\": [{\"position\": [0.5, 0.5, 0.5], \"radius\": -1}]", "radius is -1, allowed is"},
        {"\"balls\": [{\"position\": [0.5, 0.5, 0.5], \"radius\": 0.6}]",
         "s.json:4:31: fluids[0].balls[0] reaches to x = -0.1"},
        {"\"balls\": [{\"position\": [0.5, 0.5], \"radius\": 0.1}]", "must have 3"},
        {"\"balls\": [{\"centre\": [0.5, 0.5, 0.5], \"radius\": 0.1}]", "centre"},
        {"\"meshes\": [{\"position\": [0.5, 0.5, 0.5]}]", "mesh"},
        {"\"meshes\": [{\"mesh\": \"not-there.obj\"}]", "not-there.obj"},
        {"\"meshes\": [{\"mesh\": 3}]", "must be a string"},
        {"\"random\": [{\"min\": [0, 0, 0], \"max\": [1, 1, 1]}]", "count"},
        {"\"random\": [{\"min\": [0, 0, 0], \"max\": [1, 0, 1], \"count\": 5}]",
         "s.json:4:32: fluids[0].random[0] is empty"},
        {"\"random\": [{\"min\": [0, 0, 0], \"max\": [1, 2, 1], \"count\": 5}]",
         "beyond the closed side \"top\""},
        {"\"random\": [{\"min\": [0, 0, 0], \"max\": [1, 1, 1], \"count\": 2.5}]", "count"},
    };
    char text[1024];
    wbScene *scene;
    wbWorld *world;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(text, sizeof text,
                 "{\"domain\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1]},\n \"sph\": {\"spacing\": 0.05},\n"
                 " \"fluids\": [\n  {\"name\": \"water\", %s}]}",
                 cases[i].rest);
        assertRefused(wbReadSceneText("s.json", text, strlen(text), &scene), cases[i].text);
    }
    snprintf(text, sizeof text,
             "{\"domain\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1]}, \"sph\": {\"particles\": 3000},"
             "\"fluids\": [{\"name\": \"water\", \"balls\": [{\"position\": [0.3, 0.4, 0.5], \"radius\": "
             "0.3}]}]}");
    assertOk(wbReadSceneText("s.json", text, strlen(text), &scene));
    assertOk(wbScene_CreateWorld(scene, &world));
    assertNear(wbFluid_GetParticleCount(world, wbWorld_GetFluid(world, 0)), 3000, 0.05, "particles");
    wbDestroyWorld(world);
    wbDestroyScene(scene);
    snprintf(text, sizeof text,
             "{\"domain\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1]}, \"pbf\": {\"spacing\": 0.05},"
             "\"fluids\": [{\"name\": \"water\", \"solver\": \"pbf\", \"random\": [{\"min\": [0, 0, 0], "
             "\"max\": [1, 1, 1], \"count\": 7000}]}]}");
    assertOk(wbReadSceneText("s.json", text, strlen(text), &scene));
    assertRefused(wbScene_CreateWorld(scene, &world), "random[0] of fluid \"water\": random places: ");
    wbDestroyScene(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testBalls),  cmocka_unit_test(testBallBesideSides), cmocka_unit_test(testMeshes),
        cmocka_unit_test(testRandom), cmocka_unit_test(testRefusals),        cmocka_unit_test(testScenes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
