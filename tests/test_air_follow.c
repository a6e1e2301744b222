// SPDX-License-Identifier: MIT
// Fine cells that follow the smoke: against the whole box in fine cells, threads, checkpoints, and where the window goes.
#include <math.h>

#include "air_support.h"
#include "core/section_file.h"
#include "file_support.h"
#include "shape/mesh.h"
#include "shape/shape_make.h"
#include "world/air.h"
#include "world/checkpoint.h"

static wbWorld *createScene(const char *text, int threads, bool follow) {
    wbScene *scene;
    wbWorld *world;
    assertOk(wbReadSceneText("test.json", text, strlen(text), &scene));
    wbScene_GetWorldDef(scene)->threadCount = threads;
    wbScene_GetWorldDef(scene)->smoke.follow = follow;
    assertOk(wbScene_CreateWorld(scene, &world));
    wbDestroyScene(scene);
    return world;
}

static void step(wbWorld *world, int count) {
    for (int n = 0; n < count; n++) assertOk(wbWorld_Step(world, 0));
}

static wbSmokeView getView(wbWorld *world) {
    wbSmokeView view;
    assertOk(wbWorld_GetSmokeView(world, &view));
    return view;
}

static bool isWindow(const wbSmokeView *view) {
    return view->cells[0] < view->boxCells[0] || view->cells[1] < view->boxCells[1] ||
           view->cells[2] < view->boxCells[2];
}

// Whether cell (i, j, k) of the box is in the window.
static bool isSeen(const wbSmokeView *view, int i, int j, int k) {
    const int at[3] = {i, j, k};
    bool seen = true;
    for (int a = 0; a < 3; a++) seen &= at[a] >= view->first[a] && at[a] < view->first[a] + view->cells[a];
    return seen;
}

static ptrdiff_t place(const wbSmokeView *view, int i, int j, int k) {
    return i - view->first[0] + (j - view->first[1]) * view->strideY + (k - view->first[2]) * view->strideZ;
}

// How far two worlds with the same cells are apart, root mean square over the window as a share of the whole's.
typedef struct Difference {
    double velocity, density;
} Difference;

static Difference compare(wbWorld *whole, wbWorld *follower) {
    wbSmokeView a = getView(whole), b = getView(follower);
    double error[2] = {0, 0}, size[2] = {0, 0};
    for (int j = b.first[1]; j < b.first[1] + b.cells[1]; j++) {
        for (int k = b.first[2]; k < b.first[2] + b.cells[2]; k++) {
            for (int i = b.first[0]; i < b.first[0] + b.cells[0]; i++) {
                ptrdiff_t p = place(&a, i, j, k), q = place(&b, i, j, k);
                const double own[4] = {(double)a.u[p], (double)a.v[p], (double)a.w[p], (double)a.density[p]},
                             other[4] = {(double)b.u[q], (double)b.v[q], (double)b.w[q],
                                         (double)b.density[q]};
                for (int n = 0; n < 4; n++) {
                    error[n / 3] += (own[n] - other[n]) * (own[n] - other[n]);
                    size[n / 3] += own[n] * own[n];
                }
            }
        }
    }
    Difference difference = {sqrt(error[0] / fmax(size[0], 1e-30)), sqrt(error[1] / fmax(size[1], 1e-30))};
    if (isWindow(&b)) return difference;
    fail_msg("the window is all of the box: nothing is compared");
    return difference;
}

// Runs a scene both ways.
static Difference runBoth(const char *text, int steps) {
    wbWorld *whole = createScene(text, 2, false), *follower = createScene(text, 2, true);
    step(whole, steps);
    step(follower, steps);
    Difference difference = compare(whole, follower);
    double amount = wbWorld_GetSmokeStats(whole).amount, own = wbWorld_GetSmokeStats(follower).amount,
           kinetic = wbWorld_GetSmokeStats(whole).kinetic,
           ownKinetic = wbWorld_GetSmokeStats(follower).kinetic;
    print_message("velocity %.3g, smoke %.3g, kinetic %.3g\n", difference.velocity, difference.density,
                  ownKinetic / kinetic - 1);
    assert_true(fabs(own - amount) <= 0.002 * amount);
    assert_true(fabs(ownKinetic - kinetic) <= 0.04 * kinetic); // with that of coarse cells
    wbDestroyWorld(whole);
    wbDestroyWorld(follower);
    return difference;
}

static void testPlume(void **state) {
    (void)state;
    Difference d = runBoth(
        "{\"world\":{\"dt\":0.02},\"domain\":{\"min\":[0,0,0],\"max\":[1.92,1.28,1.6],\"sides\":{\"top\":{"
        "\"type\":\"open\"}}},\"smoke\":{\"cellSize\":0.02,\"buoyancy\":0.06},\"sources\":[{\"name\":\"a\","
        "\"position\":[0.8,0.2,0.8],\"radius\":0.08,\"temperature\":40}]}",
        50);
    assert_true(d.velocity < 0.002 && d.density < 0.002);
}

static void testPlumeIn2d(void **state) {
    (void)state;
    Difference d = runBoth(
        "{\"world\":{\"dt\":0.02,\"dimensions\":2},\"domain\":{\"min\":[0,0],\"max\":[2.56,2.56],\"sides\":{"
        "\"top\":{\"type\":\"open\"}}},\"smoke\":{\"cellSize\":0.02,\"buoyancy\":0.06},\"sources\":[{"
        "\"name\":\"a\",\"position\":[1.2,0.2],\"radius\":0.08,\"temperature\":30}]}",
        60);
    assert_true(d.velocity < 0.02 && d.density < 0.02);
}

// In a closed box the air comes back around the window.
static void testExplosions(void **state) {
    (void)state;
    static const char text[] =
        "{\"world\":{\"dt\":0.005},\"domain\":{\"min\":[0,0,0],\"max\":[1.92,1.28,1.28],\"sides\":{\"%s\":{"
        "\"type\":\"%s\"}}},\"smoke\":{\"cellSize\":0.02,\"buoyancy\":0.06},\"sources\":[{\"name\":\"a\","
        "\"position\":[0.8,0.4,0.6],\"radius\":0.1,\"temperature\":100,\"expansion\":20}]}";
    char scene[1024];
    snprintf(scene, sizeof scene, text, "right", "open");
    Difference d = runBoth(scene, 10);
    assert_true(d.velocity < 0.02 && d.density < 0.01);
    snprintf(scene, sizeof scene, text, "top", "freeSlip");
    d = runBoth(scene, 10);
    assert_true(d.velocity < 0.02 && d.density < 0.01);
}

// A ball that swings, and a plate that the rim cuts: the coarse cells know both only roughly.
static void testColliders(void **state) {
    (void)state;
    Difference d = runBoth(
        "{\"world\":{\"dt\":0.02},\"domain\":{\"min\":[0,0,0],\"max\":[2.56,1.28,1.28]},\"smoke\":{"
        "\"cellSize\":0.02,\"buoyancy\":0,\"weight\":0},"
        "\"colliders\":[{\"name\":\"ball\",\"shape\":\"sphere\",\"radius\":0.15,\"position\":[0.8,0.6,0.6]},"
        "{\"name\":\"plate\",\"size\":[1.4,0.04,0.4],\"position\":[1.4,0.9,0.6]}],"
        "\"mechanisms\":[{\"name\":\"arm\",\"kind\":\"shaker\",\"colliders\":[\"ball\"],\"travel\":[0.2,0,0],"
        "\"frequency\":0.5,\"axis\":[0,0,1]}]}",
        20);
    assert_true(d.velocity < 0.04);
}

// Everything at once: fire and colours, a mesh, a source that starts later elsewhere, a ball that moves, explosions.
static const char busy[] =
    "{\"world\":{\"seconds\":1},\"domain\":{\"min\":[0,0,0],\"max\":[5.76,1.92,1.6],\"sides\":{\"right\":{"
    "\"type\":\"open\"}}},"
    "\"smoke\":{\"cellSize\":0.04,\"coloured\":true,\"fire\":true,\"advection\":\"macCormack\","
    "\"buoyancy\":0.05},"
    "\"sources\":[{\"name\":\"fire\",\"position\":[0.6,0.3,0.8],\"radius\":0.15,\"temperature\":80,"
    "\"fuel\":0.4,\"expansion\":2,\"colour\":[1,0.5,0]},"
    "{\"name\":\"later\",\"position\":[2.2,0.5,0.9],\"radius\":0.1,\"start\":0.2,\"velocity\":[0.5,0,0]}],"
    "\"colliders\":[{\"name\":\"ball\",\"shape\":\"sphere\",\"radius\":0.2,\"position\":[1,1,0.8]}],"
    "\"mechanisms\":[{\"name\":\"arm\",\"kind\":\"shaker\",\"colliders\":[\"ball\"],\"travel\":[0.1,0,0],"
    "\"frequency\":1,\"axis\":[0,0,1]}]}";

static void addRing(wbWorld *world) {
    wbSourceDef def = wbDefaultSourceDef();
    wbSourceId id;
    wbMesh mesh;
    assertOk(wbMakeTorus(0.2f, 0.08f, 24, &mesh));
    def.name = "ring", def.mesh = &mesh, def.params.shape = wb_sourceMesh;
    def.params.position = wbMakeVec3(0.7f, 0.6f, 0.8f);
    assertOk(wbCreateSource(world, &def, &id));
    wbFreeMesh(&mesh);
}

static void testThreadsAndCheckpoints(void **state) {
    (void)state;
    uint64_t last = 0;
    for (int threads = 1; threads <= 3; threads++) {
        wbWorld *world = createScene(busy, threads, true);
        addRing(world);
        step(world, 8);
        wbSmokeView before = getView(world);
        assert_true(isWindow(&before) && !isSeen(&before, 60, 12, 22));
        wbWorld *loaded = saveAndLoad(world);
        assert_true(wbWorld_Hash(loaded) == wbWorld_Hash(world));
        assert_true(wbWorld_GetStableStep(loaded) == wbWorld_GetStableStep(world));
        step(world, 12);
        step(loaded, 12);
        wbSmokeView after = getView(world); // the second source has started
        assert_true(isWindow(&after) && isSeen(&after, 60, 12, 22));
        assert_true(after.density[place(&after, 55, 12, 22)] > 0.9f);
        assert_true(after.density[place(&after, 22, 15, 20)] == 1); // in the ring
        assert_true(wbWorld_Hash(loaded) == wbWorld_Hash(world));
        if (threads == 1) last = wbWorld_Hash(world);
        assert_true(wbWorld_Hash(world) == last);
        wbDestroyWorld(world);
        wbDestroyWorld(loaded);
    }
}

// Smoke that was let go in a closed box stays as much as it was, wherever the window goes.
static void testAmount(void **state) {
    (void)state;
    wbWorld *world = createScene(
        "{\"world\":{\"dt\":0.02},\"domain\":{\"min\":[0,0,0],\"max\":[1.28,2.56,1.28]},\"smoke\":{"
        "\"cellSize\":0.04,\"buoyancy\":0.1},\"sources\":[{\"name\":\"a\",\"position\":[0.6,0.3,0.6],"
        "\"radius\":0.15,\"temperature\":60,\"end\":0.1}]}",
        2, true);
    step(world, 6);
    double amount = wbWorld_GetSmokeStats(world).amount;
    wbSmokeView view = getView(world);
    int height = view.cells[1];
    step(world, 40);
    view = getView(world);
    assert_true(view.cells[1] != height && isWindow(&view));
    assert_true(fabs(wbWorld_GetSmokeStats(world).amount / amount - 1) < 1e-5);
    assert_true(wbWorld_GetSmokeStats(world).drift != 0);
    wbDestroyWorld(world);
}

// Without smoke there is next to nothing to compute; the window is large while there is some, and small again after it.
static void testGrowsAndShrinks(void **state) {
    (void)state;
    wbWorld *world = createScene(
        "{\"world\":{\"dt\":0.02},\"domain\":{\"min\":[0,0,0],\"max\":[5.12,2.56,2.56]},\"smoke\":{"
        "\"cellSize\":0.04,\"densityDecay\":100,\"cooling\":100},\"sources\":[{\"name\":\"a\",\"position\":["
        "2.5,1.2,1.2],\"radius\":0.1,\"temperature\":60,\"start\":0.1,\"end\":0.2}]}",
        2, true);
    const int64_t coarse = 32 * 16 * 16, smallest = 16 * 8 * 8;
    step(world, 2);
    assert_int_equal(wbWorld_GetCellCount(world), smallest + coarse);
    assert_int_equal(wbWorld_GetSmokeStats(world).cells, smallest + coarse);
    step(world, 6);
    wbSmokeView view = getView(world);
    assert_true(isSeen(&view, 62, 30, 30) && view.density[place(&view, 62, 30, 30)] > 0.5f);
    assert_true(wbWorld_GetCellCount(world) > smallest + coarse && isWindow(&view));
    size_t bytes = wbWorld_GetProfile(world).bytes;
    step(world, 20);
    assert_int_equal(wbWorld_GetCellCount(world), smallest + coarse);
    assert_true(wbWorld_GetProfile(world).bytes < bytes);
    wbDestroyWorld(world);
}

// Viscous air needs all of the box: the air goes over to it and back.
static void testViscosity(void **state) {
    (void)state;
    wbWorld *world = createScene(busy, 2, true);
    step(world, 6);
    wbSmokeStats before = wbWorld_GetSmokeStats(world);
    assertOk(wbWorld_SetParam(world, "smoke.viscosity", "1e-5"));
    step(world, 1);
    wbSmokeView view = getView(world);
    assert_true(!isWindow(&view) && wbWorld_GetCellCount(world) == 144 * 48 * 40);
    double amount = wbWorld_GetSmokeStats(world).amount, kinetic = wbWorld_GetSmokeStats(world).kinetic;
    assert_true(fabs(amount / before.amount - 1) < 0.1 && fabs(kinetic / before.kinetic - 1) < 0.3);
    assertOk(wbWorld_SetParam(world, "smoke.viscosity", "0"));
    step(world, 1);
    view = getView(world);
    assert_true(isWindow(&view));
    assert_true(fabs(wbWorld_GetSmokeStats(world).kinetic / kinetic - 1) < 0.3);
    wbDestroyWorld(world);
}

// Wind that turns at closed sides needs all of the box; wind through it does not.
static void testWind(void **state) {
    (void)state;
    static const char text[] =
        "{\"world\":{\"dt\":0.02},\"domain\":{\"min\":[0,0,0],\"max\":[2.56,1.28,1.28],\"sides\":{\"%s\":{"
        "\"type\":\"open\"},\"%s\":{\"type\":\"%s\"}}},\"smoke\":{\"cellSize\":0.04},"
        "\"sources\":[{\"name\":\"a\",\"position\":[0.4,0.3,0.6],\"radius\":0.1}]}";
    const struct {
        const char *open, *other, *type, *wind;
        bool isAll;
    } cases[] = {{"left", "right", "open", "1,0,0", false},   {"left", "right", "open", "1,0.1,0", true},
                 {"left", "top", "open", "1,0,0", true},      {"right", "back", "noSlip", "1,0,0", false},
                 {"top", "back", "freeSlip", "0,0,-1", true}, {"top", "left", "freeSlip", "0,0,0", false}};
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        char scene[1024];
        snprintf(scene, sizeof scene, text, cases[n].open, cases[n].other, cases[n].type);
        wbWorld *world = createScene(scene, 1, true);
        assertOk(wbWorld_SetParam(world, "smoke.wind", cases[n].wind));
        step(world, 1);
        wbSmokeView view = getView(world);
        assert_true(isWindow(&view) == !cases[n].isAll);
        wbDestroyWorld(world);
    }
}

// A checkpoint with another content of one section, and right checksums.
static wbStatus loadForged(const char *file, size_t size, const char *name, const void *data, size_t bytes) {
    char path[] = "/tmp/wirbel-test-forged-XXXXXX";
    wbSectionList list;
    wbStatus status = {0};
    wbWorld *world;
    assertOk(wbReadSections(file, size, NULL, &list));
    wbSection *section = (wbSection *)wbFindAnySection(&list, name, &status);
    assertOk(status);
    section->data = data, section->size = bytes;
    close(mkstemp(path));
    assertOk(wbWriteSections(path, &list));
    wbFreeSections(&list);
    status = wbLoadWorld(path, &world);
    unlink(path);
    if (wbIsOk(status)) wbDestroyWorld(world);
    return status;
}

static void testForged(void **state) {
    (void)state;
    char path[] = "/tmp/wirbel-test-window-XXXXXX";
    wbWorld *world = createScene(busy, 1, true);
    step(world, 3);
    close(mkstemp(path));
    assertOk(wbWorld_Save(world, path));
    size_t size;
    char *file = readAll(path, &size);
    unlink(path);
    int32_t window[6];
    for (int a = 0; a < 3; a++)
        window[a] = wbGetAir(world)->coarse->low[a], window[3 + a] = wbGetAir(world)->coarse->high[a];
    assertOk(loadForged(file, size, "smoke.window", window, sizeof window));
    // before the box, beyond it, the wrong way round, half blocks, far away; another one that fields do not fit
    const struct {
        int at;
        int32_t value;
    } wrong[] = {{0, -16}, {3, 160},       {3, 0},         {4, -8}, {1, 4},
                 {5, 20},  {0, INT32_MIN}, {3, INT32_MAX}, {3, 144}};
    for (size_t n = 0; n < sizeof wrong / sizeof wrong[0]; n++) {
        int32_t forged[6];
        memcpy(forged, window, sizeof forged);
        forged[wrong[n].at] = wrong[n].value;
        wbStatus status = loadForged(file, size, "smoke.window", forged, sizeof forged);
        assert_int_equal(status.code, wb_errorInput);
        assert_non_null(strstr(status.text, "smoke."));
    }
    assert_int_equal(loadForged(file, size, "smoke.window", window, sizeof window - 4).code, wb_errorInput);
    assert_int_equal(loadForged(file, size, "smoke.coarseU", window, sizeof window).code, wb_errorInput);
    // air of any speed leaves no time for a step
    const float endless = INFINITY;
    assert_int_equal(loadForged(file, size, "smoke.maxSpeed", &endless, sizeof endless).code, wb_errorInput);
    assert_int_equal(loadForged(file, size, "coarse.maxSpeed", &endless, sizeof endless).code, wb_errorInput);
    test_free(file);
    wbDestroyWorld(world);
}

static int warningCount;
static void countWarnings(wbLogLevel level, const char *text, void *context) {
    (void)context;
    warningCount += level == wb_logWarning && strstr(text, "whole box is computed") != NULL;
}

static void testNoCoarseCells(void **state) {
    (void)state;
    warningCount = 0;
    wbSetLog(countWarnings, NULL);
    wbWorld *world = createScene(
        "{\"domain\":{\"min\":[0,0,0],\"max\":[0.33,0.32,0.32]},\"smoke\":{\"cellSize\":0.01}}", 1, true);
    wbSetLog(NULL, NULL);
    wbSmokeView view = getView(world);
    assert_int_equal(warningCount, 1);
    assert_true(!isWindow(&view) && view.cells[0] == 33);
    step(world, 1);
    wbDestroyWorld(world);
}

// Whoever asks for fine cells around smoke alone, and cannot have it, is told so.
static void testWarnings(void **state) {
    (void)state;
    const char *const smokes[] = {"\"viscosity\":0.001", "\"wind\":[1,0,0]", "\"wind\":[0,1,0]"};
    for (int n = 0; n < 3; n++) {
        char scene[256];
        snprintf(scene, sizeof scene,
                 "{\"domain\":{\"min\":[0,0,0],\"max\":[0.64,0.64,0.64],\"sides\":{\"top\":{\"type\":"
                 "\"open\"}}},\"smoke\":{\"cellSize\":0.02,%s}}",
                 smokes[n]);
        warningCount = 0;
        wbSetLog(countWarnings, NULL);
        wbWorld *world = createScene(scene, 1, true);
        wbSetLog(NULL, NULL);
        assert_int_equal(warningCount, n < 2);
        wbDestroyWorld(world);
    }
}

// A window that finds no memory leaves the world as it was.
static void testMemoryLimit(void **state) {
    (void)state;
    wbWorld *world = createScene(busy, 1, true), *twin = createScene(busy, 1, true);
    char limit[32];
    snprintf(limit, sizeof limit, "%zu", wbWorld_GetProfile(world).bytes + 2000);
    assertOk(wbWorld_SetParam(world, "world.memoryLimit", limit));
    uint64_t before = wbWorld_Hash(world);
    assert_int_equal(wbWorld_Step(world, 0).code, wb_errorMemory);
    assert_true(wbWorld_Hash(world) == before && wbWorld_GetStepCount(world) == 0);
    assertOk(wbWorld_SetParam(world, "world.memoryLimit", "1e9"));
    step(world, 3);
    step(twin, 3);
    assert_true(wbWorld_Hash(world) == wbWorld_Hash(twin));
    wbDestroyWorld(world);
    wbDestroyWorld(twin);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testPlume),
        cmocka_unit_test(testPlumeIn2d),
        cmocka_unit_test(testExplosions),
        cmocka_unit_test(testColliders),
        cmocka_unit_test(testThreadsAndCheckpoints),
        cmocka_unit_test(testAmount),
        cmocka_unit_test(testGrowsAndShrinks),
        cmocka_unit_test(testViscosity),
        cmocka_unit_test(testWind),
        cmocka_unit_test(testForged),
        cmocka_unit_test(testNoCoarseCells),
        cmocka_unit_test(testWarnings),
        cmocka_unit_test(testMemoryLimit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
