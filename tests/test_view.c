// SPDX-License-Identifier: MIT
// The window's parts that need no window: camera, keys, undo, quality, states to go back to.
#include "test_support.h"

#include "app/view/camera_control.h"
#include "app/view/edits.h"
#include "app/view/keys.h"
#include "app/view/past.h"
#include "app/view/quality.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const float degree = 3.14159265f / 180;

static wbCameraControl makeCamera(int dimensions) {
    const wbCameraParams seen = {.position = {1, 2, 9}, .target = {1, 1, 4}, .fov = 40};
    wbCameraControl camera = {0};
    wbCameraControl_Take(&camera, &seen, dimensions);
    return camera;
}

static void assertNear(wbVec3 a, wbVec3 b, float tolerance) {
    wbVec3 d = wbSub(a, b);
    assert_true(sqrtf(wbDot(d, d)) <= tolerance);
}

static float length(wbVec3 v) { return sqrtf(wbDot(v, v)); }

// What is taken over is what was seen; a second time nothing changes.
static void testTake(void **state) {
    (void)state;
    wbCameraControl camera = makeCamera(3);
    wbCameraParams params = wbCameraControl_GetParams(&camera);
    assertNear(params.position, wbMakeVec3(1, 2, 9), 1e-5f);
    assertNear(params.target, wbMakeVec3(1, 1, 4), 1e-6f);
    assert_true(params.fov == 40);
    const wbCameraParams other = {.position = {5, 5, 5}, .fov = 60};
    wbCameraControl_Take(&camera, &other, 3);
    assertNear(wbCameraControl_GetParams(&camera).target, wbMakeVec3(1, 1, 4), 1e-6f);
}

// An orbit keeps target and distance; the pitch ends at 89 degrees on both sides; in 2D it pans.
static void testOrbit(void **state) {
    (void)state;
    wbCameraControl camera = makeCamera(3);
    float before = camera.distance;
    wbCameraControl_Orbit(&camera, 120, -35, 500);
    wbCameraParams params = wbCameraControl_GetParams(&camera);
    assertNear(params.target, wbMakeVec3(1, 1, 4), 1e-6f);
    assert_true(fabsf(length(wbSub(params.position, params.target)) - before) < 1e-4f);
    wbCameraControl_Orbit(&camera, 0, 1e5f, 500);
    assert_true(fabsf(camera.pitch - 89 * degree) < 1e-5f);
    wbCameraControl_Orbit(&camera, 0, -1e6f, 500);
    assert_true(fabsf(camera.pitch + 89 * degree) < 1e-5f);
    wbCameraControl flat = makeCamera(2);
    float yaw = flat.yaw;
    wbCameraControl_Orbit(&flat, 50, 0, 500);
    assert_true(flat.yaw == yaw && flat.target.x < 1);
}

// A drag over the whole height moves the target by what the picture is high there.
static void testPan(void **state) {
    (void)state;
    wbCameraControl camera = makeCamera(3);
    wbVec3 before = camera.target;
    wbCameraControl_Pan(&camera, 0, 500, 500);
    float expected = 2 * camera.distance * tanf(20 * degree);
    assert_true(fabsf(length(wbSub(camera.target, before)) - expected) < 1e-4f);
    assert_true(camera.target.y > before.y);
}

// The place below the cursor stays below it; in and out again is where it began.
static void testZoom(void **state) {
    (void)state;
    wbCameraControl camera = makeCamera(3);
    wbCameraParams params = wbCameraControl_GetParams(&camera);
    const wbVec3 right = {1, 0, 0}, place = wbAdd(camera.target, wbScale(0.7f, right));
    wbVec3 way = wbSub(place, params.position);
    const wbRay ray = {params.position, wbScale(1 / length(way), way)};
    wbCameraControl_Zoom(&camera, 4, ray);
    wbCameraParams near = wbCameraControl_GetParams(&camera);
    assert_true(camera.distance < 0.65f * length(wbSub(params.position, params.target)));
    wbVec3 toPlace = wbSub(place, near.position);
    wbVec3 miss = wbSub(toPlace, wbScale(wbDot(toPlace, ray.direction), ray.direction));
    assert_true(length(miss) < 1e-4f);
    wbCameraControl_Zoom(&camera, -4, (wbRay){near.position, ray.direction});
    assertNear(wbCameraControl_GetParams(&camera).position, params.position, 1e-3f);
}

static void testLooks(void **state) {
    (void)state;
    wbCameraControl camera = makeCamera(3);
    wbCameraControl_Look(&camera, 0, 0);
    wbVec3 back = wbSub(wbCameraControl_GetParams(&camera).position, camera.target);
    assert_true(back.z > 0 && fabsf(back.x) < 1e-5f && fabsf(back.y) < 1e-5f);
    // without perspective things at the target keep their size
    float before = camera.distance * tanf(0.5f * camera.fov * degree);
    wbCameraControl_SetFlat(&camera, true);
    assert_true(fabsf(camera.distance * tanf(0.5f * camera.fov * degree) - before) < 1e-4f);
    assert_true(camera.fov <= 5);
    // a box that is framed lies within the picture
    wbCameraControl_SetFlat(&camera, false);
    wbCameraControl_Frame(&camera, wbMakeVec3(0, 0, 0), wbMakeVec3(2, 1, 1), 1.5f);
    assertNear(camera.target, wbMakeVec3(1, 0.5f, 0.5f), 1e-6f);
    assert_true(camera.distance * sinf(20 * degree) > 0.5f * sqrtf(6));
}

// No key has two meanings, and each has a name.
static void testKeys(void **state) {
    (void)state;
    for (int i = 0; i < wb_keyCount; i++) {
        assert_true(wb_keys[i].name[0] != 0);
        assert_int_equal(wbFindAction(wb_keys[i].key, wb_keys[i].mods), wb_keys[i].action);
    }
    assert_int_equal(wbFindAction(wb_keySpace, 0), wb_actPause);
    assert_int_equal(wbFindActionNamed("Ctrl+Q"), wb_actQuit);
    assert_int_equal(wbFindActionNamed("Ctrl+Y"), wb_actNone);
    assert_string_equal(wbGetKeyName(wb_actStep), ".");
}

// A drag of a slider is one edit; the first value is what undo gives back.
static void testEdits(void **state) {
    (void)state;
    static wbEdits edits;
    wbEdits_Add(&edits, "sph.viscosity", "0.1", "0.2");
    wbEdits_Add(&edits, "sph.viscosity", "0.2", "0.3");
    wbEdits_Add(&edits, "world.gravity", "0,-9.81,0", "0,0,0");
    assert_int_equal(edits.count, 2);
    assert_string_equal(wbEdits_GetOriginal(&edits, "sph.viscosity"), "0.1");
    assert_string_equal(wbEdits_Undo(&edits)->before, "0,-9.81,0");
    assert_string_equal(wbEdits_Undo(&edits)->before, "0.1");
    assert_null(wbEdits_Undo(&edits));
    for (int i = 0; i < WB_MAX_EDITS + 5; i++) {
        char key[32];
        snprintf(key, sizeof key, "a.b%d", i);
        wbEdits_Add(&edits, key, "0", "1");
    }
    assert_int_equal(edits.count, WB_MAX_EDITS);
    assert_null(wbEdits_GetOriginal(&edits, "a.b0"));
}

// Slow frames lower it, one level after ten of them; quick ones raise it; a level that was chosen stays.
static void testQuality(void **state) {
    (void)state;
    wbPictureQuality quality = {.goalMs = 100};
    wbPictureQuality_Choose(&quality, true, 2);
    for (int i = 0; i < 9; i++) wbPictureQuality_Add(&quality, 300);
    assert_int_equal(quality.level, 2);
    wbPictureQuality_Add(&quality, 300);
    assert_int_equal(quality.level, 1);
    for (int i = 0; i < 10; i++) wbPictureQuality_Add(&quality, 60);
    assert_int_equal(quality.level, 1);
    for (int i = 0; i < 20; i++) wbPictureQuality_Add(&quality, 5);
    assert_true(quality.level >= 2);
    assert_int_equal(wbPictureQuality_Get(&quality, true, false), quality.level - 1);
    assert_int_equal(wbPictureQuality_Get(&quality, false, true), 3);
    wbPictureQuality_Choose(&quality, false, 3);
    for (int i = 0; i < 30; i++) wbPictureQuality_Add(&quality, 1000);
    assert_int_equal(wbPictureQuality_Get(&quality, true, false), 3);
}

static wbWorld *makeWorld(void) {
    wbWorldDef def = wbDefaultWorldDef();
    def.threadCount = 1;
    def.domain.max = wbMakeVec3(0.4f, 0.4f, 0.4f);
    def.sph.spacing = 0.05f;
    wbWorld *world;
    wbFluidId fluid;
    assertOk(wbCreateWorld(&def, &world));
    wbFluidDef fluidDef = wbDefaultFluidDef();
    fluidDef.name = "water";
    assertOk(wbCreateFluid(world, &fluidDef, &fluid));
    const wbBlockDef block = {.max = {0.2f, 0.2f, 0.2f}};
    assertOk(wbFluid_AddBlock(world, fluid, &block));
    return world;
}

// States lie apart, the first one stays however little room there is, and from each one the world comes to the same end.
static void testPast(void **state) {
    (void)state;
    wbPast past = {.limit = 1 << 20};
    wbWorld *world = makeWorld();
    assertOk(wbPast_Update(&past, world, 100));
    for (int i = 0; i < 60; i++) {
        assertOk(wbWorld_Step(world, 0));
        assertOk(wbPast_Update(&past, world, 100)); // three steps make a quarter of a second
    }
    const uint64_t end = wbWorld_Hash(world);
    assert_true(past.count >= 4);
    assert_int_equal(wbPast_Find(&past, 0)->step, 0);
    for (int64_t step = 0; step <= 60; step += 7) {
        const wbPastState *from = wbPast_Find(&past, step);
        assert_true(from->step <= step);
        assertOk(wbWorld_Restore(world, from->bytes.data, from->bytes.size));
        assert_int_equal(wbWorld_GetStepCount(world), from->step);
        while (wbWorld_GetStepCount(world) < 60) assertOk(wbWorld_Step(world, 0));
        assert_true(wbWorld_Hash(world) == end);
    }
    wbPast_Cut(&past, 20);
    assert_true(wbPast_Find(&past, 60)->step <= 20);
    wbPast_Free(&past);
    // room for nothing: the first state and a few others
    past.limit = 1;
    wbWorld *other = makeWorld();
    for (int i = 0; i < 60; i++) {
        assertOk(wbPast_Update(&past, other, 1000));
        assertOk(wbWorld_Step(other, 0));
    }
    assert_true(past.count <= 5);
    assert_int_equal(wbPast_Find(&past, 0)->step, 0);
    wbPast_Free(&past);
    wbDestroyWorld(other);
    wbDestroyWorld(world);
}

// ms of computing between states that lie beside each other, at most.
static double getLongest(const wbPast *past, double lastMs, double dearMs, int64_t dearFrom) {
    const wbPastState *states = past->states.data;
    double longest = 0;
    for (int i = 1; i < past->count; i++) {
        double ms = 0;
        for (int64_t step = states[i - 1].step + 1; step <= states[i].step; step++)
            ms += step > dearFrom ? dearMs : lastMs;
        assert_true(fabs(ms - states[i].ms) < 1e-6 * ms);
        longest = fmax(longest, ms);
    }
    return longest;
}

static void runPast(wbPast *past, wbWorld *world, int steps, double ms) {
    for (int i = 0; i < steps; i++) {
        assertOk(wbWorld_Step(world, 0));
        assertOk(wbPast_Update(past, world, ms));
    }
}

// States lie denser where steps took longer, and where there is room for few of them, they are evenly far apart by time of computing;
// a way back into the past and on again counts no step twice.
static void testPastCosts(void **state) {
    (void)state;
    wbPast past = {.limit = 64 << 20};
    wbWorld *world = makeWorld();
    assertOk(wbPast_Update(&past, world, 0));
    runPast(&past, world, 100, 10);
    const wbPastState *back = wbPast_Find(&past, 60);
    assert_true(back->step > 0);
    assertOk(wbWorld_Restore(world, back->bytes.data, back->bytes.size));
    runPast(&past, world, (int)(100 - back->step), 10);
    runPast(&past, world, 40, 200);
    assert_true(past.count >= 4 + 20);
    assert_true(getLongest(&past, 10, 200, 100) <= 250 + 200);
    const size_t bytes = past.bytes / (size_t)past.count;
    wbPast_Free(&past);
    past.limit = 12 * bytes;
    runPast(&past, world, 300, 100);
    assert_true(past.count >= 8 && past.bytes <= past.limit);
    const double even = 300 * 100.0 / past.count, longest = getLongest(&past, 100, 100, 0);
    assert_true(longest <= 2.5 * even);
    wbPast_Free(&past);
    wbDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testTake),      cmocka_unit_test(testOrbit),   cmocka_unit_test(testPan),
        cmocka_unit_test(testZoom),      cmocka_unit_test(testLooks),   cmocka_unit_test(testKeys),
        cmocka_unit_test(testEdits),     cmocka_unit_test(testQuality), cmocka_unit_test(testPast),
        cmocka_unit_test(testPastCosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
