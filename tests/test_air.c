// SPDX-License-Identifier: MIT
// Smoke in worlds: what scenes say of it, sources, sides, colliders that move in it, checkpoints, and what goes wrong.
#include <math.h>

#include "air_support.h"
#include "core/array.h"
#include "file_support.h"
#include "shape/mesh.h"
#include "shape/shape_make.h"

static void step(wbWorld *world, int count) {
    for (int n = 0; n < count; n++) assertOk(wbWorld_Step(world, 0));
}

static wbSmokeView getView(wbWorld *world) {
    wbSmokeView view;
    assertOk(wbWorld_GetSmokeView(world, &view));
    return view;
}

static ptrdiff_t place(const wbSmokeView *view, int i, int j, int k) {
    return i + j * view->strideY + k * view->strideZ;
}

static bool isSolid(const wbSmokeView *view, int i, int j, int k) {
    return view->solid[i + j * view->solidStrideY + k * view->solidStrideZ];
}

// Everything at once: hot coloured smoke and fire, a fan, a wheel that turns, a thin plate, an open side and a lid that
// slides.
static const char busy[] =
    "{\"world\":{\"seconds\":1},\"domain\":{\"min\":[0,0,0],\"max\":[1,1.2,0.8],\"sides\":{\"top\":{\"type\":"
    "\"open\"},\"left\":{\"type\":\"noSlip\",\"velocity\":[0,0.5,0]}}},"
    "\"smoke\":{\"cellSize\":0.05,\"coloured\":true,\"fire\":true,\"advection\":\"macCormack\",\"buoyancy\":"
    "0.05},"
    "\"sources\":[{\"name\":\"fire\",\"position\":[0.5,0.2,0.4],\"radius\":0.15,\"density\":1,"
    "\"temperature\":80,"
    "\"fuel\":0.4,\"colour\":[1,0.5,0]},"
    "{\"name\":\"fan\",\"shape\":\"box\",\"position\":[0.2,0.6,0.4],\"size\":[0.1,0.3,0.3],\"density\":0,"
    "\"velocity\":[2,0,0]}],"
    "\"colliders\":[{\"name\":\"paddles\",\"shape\":\"wheel\",\"radius\":0.25,\"width\":0.4,\"thickness\":0."
    "04,"
    "\"paddles\":4,\"position\":[0.6,0.7,0.4]},{\"name\":\"plate\",\"size\":[0.4,0.01,0.4],"
    "\"position\":[0.3,0.45,0.4],\"rotation\":[0,0,20]}],"
    "\"mechanisms\":[{\"name\":\"motor\",\"kind\":\"wheel\",\"colliders\":[\"paddles\"],\"pivot\":[0.6,0.7,0."
    "4],"
    "\"speed\":200}]}";

static void testScene(void **state) {
    (void)state;
    wbWorld *world = createFromText(busy, 2);
    wbSmokeView view = getView(world);
    assert_int_equal(view.cells[0], 20);
    assert_int_equal(view.cells[1], 24);
    assert_int_equal(view.cells[2], 16);
    assert_int_equal(wbWorld_GetCellCount(world), 20 * 24 * 16);
    assert_true(view.cellSize == 0.05f && view.fuel && view.colour[2]);
    assert_true(isSolid(&view, 12, 14, 8)); // before the first step
    step(world, 20);
    view = getView(world);
    ptrdiff_t above = place(&view, 10, 7, 8);
    assert_true(view.density[above] > 0.1f && view.temperature[above] > 5);
    assert_true(fabsf(view.colour[1][above] - 0.5f * view.colour[0][above]) < 1e-3f &&
                view.colour[2][above] == 0);
    wbStats stats = wbWorld_GetStats(world);
    wbSmokeStats smoke = wbWorld_GetSmokeStats(world);
    assert_true(stats.mass > 0.01 && stats.mass == smoke.amount && stats.kinetic == smoke.kinetic);
    assert_true(stats.divergence == smoke.divergence && smoke.divergence <= 1.1e-3 * smoke.divergenceBefore);
    wbProfile profile = wbWorld_GetProfile(world);
    assert_string_equal(profile.phases[0].name, "smoke_colliders");
    assert_true(profile.phaseCount == 14 && profile.phases[0].ms > 0); // the wheel is cut anew
    wbDestroyWorld(world);
    world = createFromText("{}", 1);
    assert_int_equal(getView(world).cells[0], 0);
    assert_true(isnan(wbWorld_GetStats(world).divergence));
    wbDestroyWorld(world);
}

static void testSameForAnyThreads(void **state) {
    (void)state;
    uint64_t first = 0;
    for (int threads = 1; threads <= 4; threads++) {
        wbWorld *world = createFromText(busy, threads), *other = createFromText(busy, 1);
        for (int n = 0; n < 20; n++) { // two worlds in turn
            step(world, 1);
            step(other, 1);
        }
        if (threads == 1) first = wbWorld_Hash(world);
        assert_true(wbWorld_Hash(world) == first && wbWorld_Hash(other) == first);
        wbDestroyWorld(world);
        wbDestroyWorld(other);
    }
}

static void testNothingAllocated(void **state) {
    (void)state;
    wbWorld *world = createFromText(busy, 2);
    assertOk(wbWorld_SetParam(world, "smoke.cfl", "0.5")); // several sub-steps from the first step on
    step(world, 30);
    uint64_t before = wbWorld_GetProfile(world).allocations;
    step(world, 30);
    assert_int_equal(wbWorld_GetProfile(world).allocations - before, 0);
    wbDestroyWorld(world);
}

static wbSourceId addMeshSource(wbWorld *world) {
    wbSourceDef def = wbDefaultSourceDef();
    wbSourceId id;
    wbMesh mesh;
    assertOk(wbMakeTorus(0.2f, 0.08f, 24, &mesh));
    def.name = "ring", def.mesh = &mesh, def.params.shape = wb_sourceMesh;
    def.params.position = wbMakeVec3(0.5f, 1, 0.4f);
    def.params.velocity = wbMakeVec3(0, 0, 1);
    assertOk(wbCreateSource(world, &def, &id));
    wbFreeMesh(&mesh);
    return id;
}

static void testCheckpoint(void **state) {
    (void)state;
    for (int when = 0; when < 3; when++) {
        wbWorld *world = createFromText(busy, 2);
        wbSourceId ring = addMeshSource(world);
        step(world, 7 * when);
        assertOk(wbWorld_SetParam(world, "smoke.confinement", "0.7"));
        assertOk(wbWorld_SetParam(world, "fan.velocity", "0,1,0"));
        wbWorld *loaded = saveAndLoad(world);
        assert_true(wbWorld_Hash(loaded) == wbWorld_Hash(world));
        assert_true(wbSource_IsValid(loaded, ring));
        assert_true(wbWorld_GetStableStep(loaded) == wbWorld_GetStableStep(world));
        assert_true(wbWorld_GetSmokeStats(loaded).divergence == wbWorld_GetSmokeStats(world).divergence);
        if (when == 1) (void)getView(loaded);
        step(world, 10);
        step(loaded, 10);
        assert_true(wbWorld_Hash(loaded) == wbWorld_Hash(world));
        wbSmokeView view = getView(loaded);
        assert_true(view.density[place(&view, 14, 20, 8)] == 1); // in the ring
        wbDestroyWorld(world);
        wbDestroyWorld(loaded);
    }
}

// Threads with few planes each take other ways through memory, which leave other values beyond the sides.
static void testSameFileForAnyThreads(void **state) {
    (void)state;
    char path[] = "/tmp/wirbel-test-air-XXXXXX", *files[2];
    size_t sizes[2];
    close(mkstemp(path));
    for (int n = 0; n < 2; n++) {
        wbWorld *world = createFromText(busy, n ? 8 : 1);
        step(world, 5);
        assertOk(wbWorld_Save(world, path));
        files[n] = readAll(path, &sizes[n]);
        wbDestroyWorld(world);
    }
    unlink(path);
    assert_int_equal(sizes[0], sizes[1]);
    assert_true(memcmp(files[0], files[1], sizes[0]) == 0);
    for (int n = 0; n < 2; n++) test_free(files[n]);
}

static void testResume(void **state) {
    (void)state;
    for (int scene = 0; scene < RESUME_SCENES; scene++)
        for (int before = 5; before <= 30; before += 25) checkResume(scene, wb_backendCpu, before, 12);
}

static void testSources(void **state) {
    (void)state;
    wbWorld *world = createFromText(
        "{\"domain\":{\"min\":[0,0],\"max\":[1,1]},\"world\":{\"dimensions\":2,\"dt\":0.01},\"smoke\":{"
        "\"cellSize\":0.05,"
        "\"buoyancy\":0,\"weight\":0,\"confinement\":0},\"sources\":[{\"name\":\"a\",\"position\":[0.25,0.5],"
        "\"radius\":0.1,\"start\":0.05,\"end\":0.1,\"density\":2},{\"name\":\"b\",\"shape\":\"box\","
        "\"position\":[0.75,0.5],"
        "\"size\":[0.2,0.2],\"rate\":10,\"open\":false}]}",
        1);
    wbSmokeView view = getView(world);
    assert_int_equal(view.cells[2], 1);
    step(world, 4);
    assert_true(wbWorld_GetSmokeStats(world).amount == 0);
    step(world, 3); // past its start
    view = getView(world);
    assert_true(view.density[place(&view, 5, 10, 0)] == 2 && view.density[place(&view, 15, 10, 0)] == 0);
    double amount = wbWorld_GetSmokeStats(world).amount;
    assert_true(fabs(amount - 2 * 3.14159 * 0.01) < 0.02);
    step(world, 10);
    assert_true(fabs(wbWorld_GetSmokeStats(world).amount - amount) < 1e-6); // ended; the box is closed
    assertOk(wbWorld_SetParam(world, "b.open", "true"));
    step(world, 1);
    view = getView(world);
    assert_true(fabsf(view.density[place(&view, 15, 10, 0)] - (1 - expf(-0.1f))) < 1e-4f);
    // a fan blows while it has a velocity
    assertOk(wbWorld_SetParam(world, "b.velocity", "1,0"));
    step(world, 20);
    view = getView(world);
    assert_true(view.u[place(&view, 15, 10, 0)] > 0.2f);
    wbDestroyWorld(world);
}

static void testSides(void **state) {
    (void)state;
    // a lid drags; air leaves through an open side only
    wbWorld *world = createFromText(
        "{\"world\":{\"dimensions\":2,\"dt\":0.02},\"domain\":{\"min\":[0,0],\"max\":[1,1],\"sides\":{"
        "\"top\":{\"type\":"
        "\"noSlip\",\"velocity\":[2,0]},\"right\":{\"type\":\"open\"}}},\"smoke\":{\"cellSize\":0.05,"
        "\"viscosity\":0.05},"
        "\"sources\":[{\"name\":\"bang\",\"position\":[0.5,0.3],\"radius\":0.1,\"expansion\":20}]}",
        1);
    step(world, 40);
    wbSmokeView view = getView(world);
    double out = 0;
    assert_true(view.u[place(&view, 10, 19, 0)] > 0.5f);
    for (int j = 0; j < 20; j++) {
        out += 0.05 * (double)view.u[place(&view, 20, j, 0)];
        assert_true(view.u[place(&view, 0, j, 0)] == 0);
    }
    assert_true(fabs(out / (20 * 3.14159 * 0.01) - 1) < 0.1); // what the source makes
    assert_true(wbWorld_GetSmokeStats(world).amount > 0.01);
    wbDestroyWorld(world);
}

// Moves a ball by hand through smoke in a closed box: none is lost, none is in it, and the air makes way.
static void testMovingBall(void **state) {
    (void)state;
    wbWorld *world = createFromText(
        "{\"world\":{\"dt\":0.02},\"domain\":{\"min\":[0,0,0],\"max\":[2,1,1]},\"smoke\":{\"cellSize\":0."
        "0625,"
        "\"buoyancy\":0,\"weight\":0,\"confinement\":0},\"sources\":[{\"name\":\"cloud\",\"shape\":\"box\","
        "\"position\":[1,0.5,0.5],\"size\":[0.8,1,1],\"end\":0.01}],"
        "\"colliders\":[{\"name\":\"ball\",\"shape\":\"sphere\",\"radius\":0.25,\"position\":[0.4,0.5,0.5]}]"
        "}",
        2);
    step(world, 2);
    double amount = wbWorld_GetSmokeStats(world).amount;
    float ahead = 0;
    for (int n = 1; n <= 40; n++) {
        char position[32];
        snprintf(position, sizeof position, "%g,0.5,0.5", 0.4 + 0.02 * n);
        assertOk(wbWorld_SetParam(world, "ball.position", position));
        step(world, 1);
        wbSmokeView view = getView(world);
        for (int k = 0; k < 16; k++)
            for (int j = 0; j < 16; j++)
                for (int i = 0; i < 32; i++)
                    if (isSolid(&view, i, j, k)) assert_true(view.density[place(&view, i, j, k)] == 0);
        int front = (int)((0.4 + 0.02 * n + 0.25) / 0.0625) + 1;
        ahead = fmaxf(ahead, view.u[place(&view, front, 8, 8)]);
    }
    assert_true(ahead > 0.4f); // the ball has 1 m/s
    assert_true(fabs(wbWorld_GetSmokeStats(world).amount / amount - 1) < 1e-3);
    // it stands: the air comes to rest around it
    step(world, 1);
    wbSmokeView view = getView(world);
    assert_true(isSolid(&view, 19, 8, 8) && view.u[place(&view, 19, 8, 8)] == 0);
    wbDestroyWorld(world);
}

static void testTimeStep(void **state) {
    (void)state;
    wbWorld *world = createFromText(busy, 1);
    assert_true(wbWorld_GetStableStep(world) == 0.016667f); // 2 m/s of the fan would allow 0.05
    assertOk(wbWorld_SetParam(world, "smoke.cfl", "0.25"));
    assert_true(fabsf(wbWorld_GetStableStep(world) - 0.25f * 0.05f / 2) < 1e-6f);
    assertOk(wbWorld_SetParam(world, "fan.velocity", "50,0,0"));
    step(world, 5);
    const wbProfile profile = wbWorld_GetProfile(world);
    assert_true(profile.dt / (float)profile.solvers[0].subSteps <= 0.25f * 0.05f / 50 * 1.0001f);
    assertOk(wbWorld_SetParam(world, "world.dt", "0.003"));
    assert_true(wbWorld_GetTimeStep(world) == 0.003f);
    wbDestroyWorld(world);
}

// Smaller than the radius of the water's sums, which are not used.
static void testSmallBox(void **state) {
    (void)state;
    wbWorld *world = createFromText(
        "{\"domain\":{\"min\":[0,0,0],\"max\":[0.016,0.016,0.016]},\"smoke\":{\"cellSize\":0.001}}", 1);
    assert_int_equal(wbWorld_GetCellCount(world), 4096);
    step(world, 1);
    wbDestroyWorld(world);
}

static void testUnstable(void **state) {
    (void)state;
    wbWorld *world = createFromText(busy, 1);
    step(world, 3);
    assertOk(wbWorld_SetParam(world, "world.dt", "10"));
    assertOk(wbWorld_SetParam(world, "smoke.wind", "1e6,1e6,1e6"));
    assertOk(wbWorld_SetParam(world, "smoke.confinement", "1000"));
    wbStatus status = {0};
    for (int n = 0; n < 200 && wbIsOk(status); n++) status = wbWorld_Step(world, 0);
    assert_int_equal(status.code, wb_errorUnstable);
    assert_non_null(strstr(status.text, "world.dt"));
    assert_non_null(strstr(status.text, "unstable at step"));
    assert_int_equal(wbWorld_Save(world, "/tmp/never").code, wb_errorUnstable);
    wbDestroyWorld(world);
    // a step that follows the air already is not told to do so
    world = createFromText(busy, 1);
    step(world, 1);
    wbSmoke *smoke = &wbGetAir(world)->smoke;
    smoke->fields[wb_smokeU][wbSmokeIndex(&smoke->grid, 5, 5, 5)] = NAN;
    status = wbWorld_Step(world, 0);
    assert_int_equal(status.code, wb_errorUnstable);
    assert_non_null(strstr(status.text, "smoke.longestStep"));
    assert_null(strstr(status.text, "auto"));
    wbDestroyWorld(world);
}

static void expectRefusal(wbStatus status, wbCode code, const char *text) {
    if (status.code != code || !strstr(status.text, text))
        fail_msg("%d \"%s\", expected \"%s\"", (int)status.code, status.text, text);
}

static void testMemoryLimit(void **state) {
    (void)state;
    wbWorld *world = createFromText(busy, 1), *twin = createFromText(busy, 1), *none;
    char limit[32];
    snprintf(limit, sizeof limit, "%zu", wbWorld_GetProfile(world).bytes + 2000);
    assertOk(wbWorld_SetParam(world, "world.memoryLimit", limit));
    uint64_t before = wbWorld_Hash(world);
    expectRefusal(wbWorld_Step(world, 0), wb_errorMemory, "memoryLimit");
    assert_true(wbWorld_Hash(world) == before && wbWorld_GetStepCount(world) == 0);
    assertOk(wbWorld_SetParam(world, "world.memoryLimit", "1e9"));
    step(world, 3);
    step(twin, 3);
    assert_true(wbWorld_Hash(world) == wbWorld_Hash(twin));
    wbDestroyWorld(world);
    wbDestroyWorld(twin);
    wbWorldDef def = wbDefaultWorldDef();
    def.hasSmoke = true, def.domain.max = wbMakeVec3(4, 4, 4), def.params.memoryLimit = 1e6f;
    expectRefusal(wbCreateWorld(&def, &none), wb_errorMemory, "smoke of 200 x 200 x 200 cells");
    assert_null(none);
}

static void expectBadScene(const char *text, const char *message) {
    wbScene *scene;
    expectRefusal(wbReadSceneText("test.json", text, strlen(text), &scene), wb_errorInput, message);
    assert_null(scene);
}

static void testBadInput(void **state) {
    (void)state;
    expectBadScene("{\"sources\":[{\"name\":\"a\"}]}", "a source feeds smoke, and the scene has none");
    expectBadScene("{\"domain\":{\"min\":[0,0,0],\"max\":[1,1,1]},\"smoke\":{\"cellsize\":1}}", "cellSize");
    expectBadScene("{\"domain\":{\"min\":[0,0,0],\"max\":[1,1,1]},\"smoke\":{\"cellSize\":-1}}",
                   "allowed is");
    expectBadScene("{\"domain\":{\"min\":[0,0,0],\"max\":[1,1,1]},\"smoke\":{},\"sources\":[{\"name\":\"a\","
                   "\"shape\":\"mesh\"}]}",
                   "needs \"mesh\"");
    wbWorld *world;
    wbWorldDef def = wbDefaultWorldDef();
    wbSourceDef source = wbDefaultSourceDef();
    wbSourceId id;
    def.hasSmoke = true;
    expectRefusal(wbCreateWorld(&def, &world), wb_errorInput, "smoke fills the box");
    def.domain.max = wbMakeVec3(1, 1, 1);
    def.smoke.cellSize = 1e-6f;
    expectRefusal(wbCreateWorld(&def, &world), wb_errorInput, "raise smoke.cellSize");
    def.hasSmoke = false;
    assertOk(wbCreateWorld(&def, &world));
    expectRefusal(wbCreateSource(world, &source, &id), wb_errorInput, "no smoke");
    expectRefusal(wbWorld_SetParam(world, "smoke.wind", "1,0,0"), wb_errorInput, "no smoke");
    wbDestroyWorld(world);
    world = createFromText(busy, 1);
    source.name = "fire";
    expectRefusal(wbCreateSource(world, &source, &id), wb_errorInput, "already a source named");
    source.name = "smoke";
    expectRefusal(wbCreateSource(world, &source, &id), wb_errorInput, "a section of parameters");
    source.name = "ring", source.params.shape = wb_sourceMesh;
    expectRefusal(wbCreateSource(world, &source, &id), wb_errorInput, "it has none");
    expectRefusal(wbWorld_SetParam(world, "smoke.cellSize", "0.1"), wb_errorInput, "fixed");
    expectRefusal(wbWorld_SetParam(world, "fan.rate", "-1"), wb_errorInput, "fan.rate is");
    wbDestroyWorld(world);
}

// Vortices of Taylor and Green fade as viscosity says, by exp(-2 nu k2 t), k = 2 pi, and a little by the grid.
static void testVortices(void **state) {
    (void)state;
    wbWorld *world = createFromText("{\"world\":{\"dimensions\":2,\"dt\":0.01},\"domain\":{\"min\":[0,0],"
                                    "\"max\":[1,1]},\"smoke\":{\"cellSize\":0.015625,"
                                    "\"vortices\":2,\"viscosity\":0.01,\"confinement\":0,"
                                    "\"velocityAdvection\":\"macCormack\",\"backtrace\":"
                                    "\"midpoint\"}}",
                                    1);
    double start = wbWorld_GetSmokeStats(world).kinetic;
    step(world, 50);
    double left = wbWorld_GetSmokeStats(world).kinetic / start;
    assert_true(fabs(start - 0.25 * WB_AIR_DENSITY) < 0.002);
    assert_true(fabs(left / exp(-4 * 0.01 * 4 * 9.8696 * 0.5) - 1) < 0.08);
    wbDestroyWorld(world);
}

// Water and smoke in one world share the box and the colliders.
static void testWithWater(void **state) {
    (void)state;
    wbWorld *world = createFromText(
        "{\"domain\":{\"min\":[0,0,0],\"max\":[1,1,0.4]},\"sph\":{\"spacing\":0.1},\"smoke\":{\"cellSize\":0."
        "1},"
        "\"fluids\":[{\"name\":\"water\",\"blocks\":[{\"min\":[0,0,0],\"max\":[0.5,0.4,0.4]}]}],"
        "\"sources\":[{\"name\":\"fire\",\"position\":[0.5,0.6,0.2],\"temperature\":50}],"
        "\"colliders\":[{\"name\":\"box\",\"size\":[0.3,0.3,0.4],\"position\":[0.8,0.15,0.2]}]}",
        1);
    step(world, 10);
    wbSmokeView view = getView(world);
    wbProfile profile = wbWorld_GetProfile(world);
    assert_true(isSolid(&view, 7, 1, 2) && wbWorld_GetSmokeStats(world).amount > 0);
    assert_string_equal(profile.phases[profile.phaseCount - 1].name, "smoke_gradient");
    assert_true(wbWorld_GetStats(world).mass > 70);
    wbWorld *loaded = saveAndLoad(world);
    step(world, 5);
    step(loaded, 5);
    assert_true(wbWorld_Hash(loaded) == wbWorld_Hash(world));
    wbDestroyWorld(loaded);
    wbDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testScene),
        cmocka_unit_test(testSameForAnyThreads),
        cmocka_unit_test(testNothingAllocated),
        cmocka_unit_test(testCheckpoint),
        cmocka_unit_test(testSameFileForAnyThreads),
        cmocka_unit_test(testResume),
        cmocka_unit_test(testSources),
        cmocka_unit_test(testSides),
        cmocka_unit_test(testMovingBall),
        cmocka_unit_test(testTimeStep),
        cmocka_unit_test(testSmallBox),
        cmocka_unit_test(testUnstable),
        cmocka_unit_test(testMemoryLimit),
        cmocka_unit_test(testBadInput),
        cmocka_unit_test(testVortices),
        cmocka_unit_test(testWithWater),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
