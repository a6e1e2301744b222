// SPDX-License-Identifier: MIT
// What a mouse finds in a still, and what it sets there, without a window: picking, handles, selections.
#include "test_support.h"

#include "app/view/geometry.h"
#include "app/view/selection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char everything[] =
    "{\"domain\": {\"min\": [0,0,0], \"max\": [4,4,4], \"sides\": {\"top\": {\"type\": \"open\"}}},"
    "\"sph\": {\"spacing\": 0.1}, \"smoke\": {\"cellSize\": 0.25},"
    "\"fluids\": [{\"name\": \"water\", \"blocks\": [{\"min\": [0,0,0], \"max\": [1,0.5,1]}]}],"
    "\"colliders\": ["
    "{\"name\": \"plate\", \"size\": [0.2,1,1], \"position\": [3,0.5,3]},"
    "{\"name\": \"upper\", \"size\": [0.2,0.4,0.4], \"position\": [0.5,2.2,3.5]},"
    "{\"name\": \"lower\", \"size\": [0.2,0.4,0.4], \"position\": [1.5,2.2,3.5]},"
    "{\"name\": \"disc\", \"shape\": \"cylinder\", \"radius\": 0.5, \"height\": 0.2, \"position\": [3,3,3], "
    "\"rotation\": [90,0,0]},"
    "{\"name\": \"shaken\", \"size\": [0.2,0.2,0.2], \"position\": [1,3.5,1]},"
    "{\"name\": \"post\", \"size\": [0.4,0.8,0.4], \"position\": [3,0.5,1]},"
    "{\"name\": \"glass\", \"size\": [0.6,0.6,0.1], \"position\": [2,2,3], \"opacity\": 0.3}],"
    "\"mechanisms\": ["
    "{\"name\": \"gate\", \"kind\": \"gate\", \"colliders\": [\"plate\"], \"travel\": [0,0.8,0], \"open\": "
    "0.25},"
    "{\"name\": \"lock\", \"kind\": \"lock\", \"colliders\": [\"upper\", \"lower\"], \"travel\": [0,0.5,0], "
    "\"gates\": \"lower\"},"
    "{\"name\": \"wheel\", \"kind\": \"wheel\", \"colliders\": [\"disc\"], \"pivot\": [3,3,3], \"drive\": "
    "\"hand\", \"angle\": 10},"
    "{\"name\": \"shaker\", \"kind\": \"shaker\", \"colliders\": [\"shaken\"], \"frequency\": 2}],"
    "\"emitters\": [{\"name\": \"tap\", \"fluid\": \"water\", \"position\": [0.5,3,0.5], \"direction\": "
    "[0,-1,0], \"radius\": 0.2}],"
    "\"drains\": [{\"name\": \"sink\", \"min\": [3,0,3], \"max\": [4,0.2,4], \"open\": false}],"
    "\"sources\": [{\"name\": \"fire\", \"shape\": \"sphere\", \"position\": [2,1,1], \"radius\": 0.3}],"
    "\"softBodies\": ["
    "{\"name\": \"cloth\", \"shape\": \"cloth\", \"size\": [1,1,1], \"counts\": [5,5,1], \"position\": "
    "[2,2,2], \"pins\": [0, 24]},"
    "{\"name\": \"rope\", \"shape\": \"rope\", \"length\": 1, \"count\": 11, \"position\": [2,3.5,2]}],"
    "\"rigidBodies\": ["
    "{\"name\": \"crate\", \"size\": [0.4,0.4,0.4], \"position\": [2,2,1], \"rotation\": [0,45,0]},"
    "{\"size\": [0.4,0.4,0.4], \"position\": [1,1.5,1], \"type\": \"static\"}]}";

typedef struct Fixture {
    wbScene *scene;
    wbWorld *world;
    wbFrameScene frame;
    wbStill still;
} Fixture;

static void fill(Fixture *f) {
    assertOk(wbFrameScene_Gather(&f->frame, f->scene, f->world, NULL));
    assertOk(wbStill_Fill(&f->still, &f->frame, 1, 0));
    assertOk(wbObjects_Gather(&f->still.objects, f->world));
}

static int begin(void **state) {
    Fixture *f = calloc(1, sizeof *f);
    assertOk(wbReadSceneText("everything.json", everything, sizeof everything - 1, &f->scene));
    wbScene_GetWorldDef(f->scene)->threadCount = 1;
    assertOk(wbScene_CreateWorld(f->scene, &f->world));
    fill(f);
    *state = f;
    return 0;
}

static int end(void **state) {
    Fixture *f = *state;
    wbStill_Free(&f->still);
    wbFrameScene_Free(&f->frame);
    wbDestroyWorld(f->world);
    wbDestroyScene(f->scene);
    free(f);
    return 0;
}

static wbRay makeRay(wbVec3 from, wbVec3 to) {
    const wbVec3 way = wbSub(to, from);
    return (wbRay){from, wbScale(1 / wbLength(way), way)};
}

static wbPick pick(const Fixture *f, wbVec3 from, wbVec3 to, unsigned kinds) {
    const wbSight sight = {makeRay(from, to), 0.005f};
    return wbPickStill(&f->still, &sight, kinds);
}

static void assertNear(wbVec3 a, wbVec3 b, float tolerance) {
    const wbVec3 d = wbSub(a, b);
    if (!(wbLength(d) <= tolerance))
        fail_msg("%g %g %g is not %g %g %g", (double)a.x, (double)a.y, (double)a.z, (double)b.x, (double)b.y,
                 (double)b.z);
}

static const wbSeenObject *assertPicked(const Fixture *f, const wbPick *p, wbOwnerKind kind,
                                        const char *name) {
    assert_int_equal(p->owner.kind, kind);
    const wbSeenObject *object = wbObjects_Find(&f->still.objects, p->owner);
    char text[80];
    assert_non_null(object);
    wbSeenObject_Write(object, text, sizeof text);
    assert_string_equal(text, name);
    return object;
}

// A body that is turned: the edge that faces the eye, and where that is in its own frame. Static ones cannot be moved.
static void testRigidBodies(void **state) {
    const Fixture *f = *state;
    wbPick p = pick(f, wbMakeVec3(2, 2, -3), wbMakeVec3(2, 2, 1), WB_PICK_THINGS);
    const wbSeenObject *crate = assertPicked(f, &p, wb_ownerRigidBody, "crate");
    assertNear(p.point, wbMakeVec3(2, 2, 1 - 0.2f * sqrtf(2)), 1e-5f);
    const wbVec3 own = wbSeenObject_ToOwn(crate, p.point);
    assert_true(fabsf(fabsf(own.x) - 0.2f) < 1e-5f && fabsf(fabsf(own.z) - 0.2f) < 1e-5f);
    assertNear(wbSeenObject_ToWorld(crate, own), p.point, 1e-6f);
    assert_true(crate->isMovable && !crate->isAsleep && fabsf(crate->mass - 64) < 0.01f);
    p = pick(f, wbMakeVec3(1, 1.5f, -3), wbMakeVec3(1, 1.5f, 1), WB_PICK_THINGS);
    assert_false(assertPicked(f, &p, wb_ownerRigidBody, "rigidBody#1")->isMovable);
    p = pick(f, wbMakeVec3(2, 2, -3), wbMakeVec3(2, 8, 1), WB_PICK_ALL);
    assert_int_equal(p.owner.kind, wb_ownerNone);
    // not behind the eye
    p = pick(f, wbMakeVec3(2, 2, -3), wbMakeVec3(2, 2, -8), WB_PICK_ALL);
    assert_int_equal(p.owner.kind, wb_ownerNone);
}

// Those that a mechanism moves cannot be held; a clear one hides nothing, but is found where nothing else is.
static void testColliders(void **state) {
    const Fixture *f = *state;
    wbPick p = pick(f, wbMakeVec3(3, 0.5f, -3), wbMakeVec3(3, 0.5f, 1), WB_PICK_THINGS);
    assert_true(assertPicked(f, &p, wb_ownerCollider, "post")->isMovable);
    assertNear(p.point, wbMakeVec3(3, 0.5f, 0.8f), 1e-5f);
    assertNear(p.extent, wbMakeVec3(0.4f, 0.8f, 0.4f), 1e-5f);
    p = pick(f, wbMakeVec3(6, 0.7f, 3), wbMakeVec3(3, 0.7f, 3), WB_PICK_THINGS);
    assert_false(assertPicked(f, &p, wb_ownerCollider, "plate")->isMovable);
    // the gate stands where it is open by a quarter
    p = pick(f, wbMakeVec3(6, 0.1f, 3), wbMakeVec3(3, 0.1f, 3), WB_PICK_THINGS);
    assert_int_equal(p.owner.kind, wb_ownerNone);
    p = pick(f, wbMakeVec3(2.02f, 2.02f, 9), wbMakeVec3(2.02f, 2.02f, 0), WB_PICK_THINGS);
    assertPicked(f, &p, wb_ownerSoftBody, "cloth");
    p = pick(f, wbMakeVec3(1.8f, 1.75f, 9), wbMakeVec3(1.8f, 1.75f, 2.5f), 1u << wb_ownerCollider);
    assertPicked(f, &p, wb_ownerCollider, "glass");
}

// The nearest corner of the triangle that was hit; a rope beside the line of sight, but not far beside it.
static void testSoftBodies(void **state) {
    const Fixture *f = *state;
    const wbView *cloth = &f->still.scene.softs[0].view;
    for (int i = 0; i < cloth->count; i += 4) {
        const wbVec3 corner = {cloth->x[i], cloth->y[i], cloth->z[i]};
        const wbVec3 inside = wbAdd(wbScale(0.98f, corner), wbScale(0.02f, wbMakeVec3(2, 2, 2)));
        wbPick p = pick(f, wbMakeVec3(2, 2, 9), inside, 1u << wb_ownerSoftBody);
        assertPicked(f, &p, wb_ownerSoftBody, "cloth");
        assert_int_equal(p.particle, i);
    }
    assert_true(wbObjects_IsPinned(&f->still.objects, 0, 24) && !wbObjects_IsPinned(&f->still.objects, 0, 3));
    const float beside = 0.004f * 7; // more than its radius, and less than what the sight is wide there
    wbPick p =
        pick(f, wbMakeVec3(2.3f, 3.5f + beside, 9), wbMakeVec3(2.3f, 3.5f + beside, 2), WB_PICK_THINGS);
    assertPicked(f, &p, wb_ownerSoftBody, "rope");
    assert_int_equal(p.particle, 8);
    p = pick(f, wbMakeVec3(2.3f, 3.7f, 9), wbMakeVec3(2.3f, 3.7f, 2), WB_PICK_THINGS);
    assert_int_equal(p.owner.kind, wb_ownerNone);
}

// The particle in front, found again by its id after steps; all others within its kernel are neighbours.
static void testFluids(void **state) {
    Fixture *f = *state;
    const wbView *water = &f->still.scene.views[0];
    wbPick p = pick(f, wbMakeVec3(0.45f, 0.25f, -3), wbMakeVec3(0.45f, 0.25f, 1), WB_PICK_ALL);
    assertPicked(f, &p, wb_ownerFluid, "water");
    assertNear(wbMakeVec3(water->x[p.particle], water->y[p.particle], water->z[p.particle]),
               wbMakeVec3(0.45f, 0.25f, 0.05f), 1e-4f);
    // also through the gap between four of them
    const wbPick gap = pick(f, wbMakeVec3(0.4f, 0.3f, -3), wbMakeVec3(0.4f, 0.3f, 1), WB_PICK_ALL);
    assert_true(gap.owner.kind == wb_ownerFluid && fabsf(water->z[gap.particle] - 0.05f) < 1e-4f);
    const wbSelection selection = wbSelection_Make(&p);
    wbLook look;
    wbVec3 near[4];
    assert_true(wbSelection_Look(&selection, &f->still, &look));
    assert_true(fabsf(look.support -
                      (float)wbFluid_GetSupportRadius(f->world, wbWorld_GetFluid(f->world, 0))) < 1e-6f);
    int count = -1;
    for (int i = 0; i < water->count; i++) {
        const wbVec3 way = wbSub(wbMakeVec3(water->x[i], water->y[i], water->z[i]), look.position);
        count += wbLength(way) < look.support;
    }
    assert_true(count > 10);
    assert_int_equal(look.neighbourCount, count);
    assert_int_equal(wbFindNeighbours(&f->still, &look, near, 4), count);
    assert_true(wbLength(wbSub(near[3], look.position)) < look.support);
    for (int i = 0; i < 5; i++) assertOk(wbWorld_Step(f->world, 0));
    fill(f);
    char text[512];
    const float fallen = look.position.y;
    assert_true(wbSelection_Look(&selection, &f->still, &look));
    assert_true(look.id == p.id && look.position.y != fallen && look.density > 500);
    wbLook_Describe(&look, text, sizeof text);
    assert_non_null(strstr(text, "water, particle "));
    assert_non_null(strstr(text, " neighbours"));
    assertOk(wbFluid_RemoveParticles(f->world, wbWorld_GetFluid(f->world, 0), 1, &p.id));
    fill(f);
    assert_false(wbSelection_Look(&selection, &f->still, &look));
}

static const wbHandle *findHandle(const Fixture *f, const char *name, int part) {
    const wbHandle *handles = f->still.objects.handles.data;
    for (int i = 0; i < f->still.objects.handleCount; i++)
        if (strcmp(handles[i].name, name) == 0 && handles[i].part == part) return &handles[i];
    fail_msg("there is no handle of %s", name);
    return NULL;
}

// A drag from the handle to a place beside it, seen along -z; the world takes what it sets.
static void assertDrag(Fixture *f, const char *name, int part, wbVec3 to, const char *key,
                       const char *value) {
    const wbHandle *handle = findHandle(f, name, part);
    const wbVec3 eye = {2, 2, 12};
    wbHandleDrag drag = {.handle = *handle};
    wbHandleSet set;
    wbVec3 half = wbScale(0.5f, wbAdd(handle->at, to));
    char before[96];
    assert_true(
        wbHandleDrag_Move(&drag, makeRay(eye, handle->at), makeRay(eye, half), wbMakeVec3(0, 0, 1), &set));
    assert_true(wbHandleDrag_Move(&drag, makeRay(eye, half), makeRay(eye, to), wbMakeVec3(0, 0, 1), &set));
    assert_string_equal(set.key, key);
    assertOk(wbWorld_GetParam(f->world, key, before, sizeof before));
    if (strcmp(before, set.before) != 0 && fabs(atof(before) - atof(set.before)) > 1e-6)
        fail_msg("%s was %s, the handle says %s", key, before, set.before);
    const double wanted = atof(value), got = atof(set.value);
    if (fabs(wanted - got) > 2e-3 && strcmp(value, set.value) != 0)
        fail_msg("%s is set to %s, not %s", key, set.value, value);
    assertOk(wbWorld_SetParam(f->world, set.key, set.value));
    fill(f);
}

static void testDrags(void **state) {
    Fixture *f = *state;
    assertDrag(f, "gate", 0, wbMakeVec3(3, 1.1f, 3), "gate.open", "0.75");
    assertDrag(f, "gate", 0, wbMakeVec3(3, 9, 3), "gate.open", "1");
    assertDrag(f, "lock", 0, wbMakeVec3(0.5f, 2.6f, 3.5f), "lock.gates", "upper");
    // a quarter turn, against the clock as its axis is z
    const wbHandle *wheel = findHandle(f, "wheel", 0);
    const wbVec3 arm = wbSub(wheel->at, wheel->pivot);
    assert_true(fabsf(wbLength(arm) - 0.5f) < 0.02f);
    assertDrag(f, "wheel", 0, wbAdd(wheel->pivot, wbMakeVec3(-arm.y, arm.x, 0)), "wheel.angle", "100");
    assertDrag(f, "shaker", 0, wbMakeVec3(1, -20, 1), "shaker.frequency", "0");
    assertDrag(f, "fire", 0, wbMakeVec3(2.5f, 1.25f, 1), "fire.position", "2.5,1.25,1");
    assertDrag(f, "right", wb_right, wbMakeVec3(3.5f, 2, 2), "domain.max", "3.5");
    assertDrag(f, "left", wb_left, wbMakeVec3(0.25f, 2, 2), "domain.min", "0.25");
    // a valve is not pulled
    wbHandleDrag tap = {.handle = *findHandle(f, "tap", 0)};
    wbHandleSet set;
    assert_false(wbHandleDrag_Move(&tap, makeRay(wbMakeVec3(0, 0, 9), tap.handle.at),
                                   makeRay(wbMakeVec3(0, 0, 9), wbMakeVec3(1, 1, 1)), wbMakeVec3(0, 0, 1),
                                   &set));
}

static void assertClick(Fixture *f, const char *name, int part, const char *key, const char *value) {
    wbHandleSet set;
    char text[256];
    assert_true(wbHandle_Click(findHandle(f, name, part), &set));
    assert_string_equal(set.key, key);
    assert_string_equal(set.value, value);
    assertOk(wbWorld_SetParam(f->world, set.key, set.value));
    wbHandle_Describe(findHandle(f, name, part), text, sizeof text);
    assert_non_null(strstr(text, name));
}

static void testClicks(void **state) {
    Fixture *f = *state;
    wbHandleSet set;
    assertClick(f, "tap", 0, "tap.open", "false");
    assertClick(f, "sink", 0, "sink.open", "true");
    assertClick(f, "gate", 0, "gate.open", "1");
    assertClick(f, "lock", 1, "lock.gates", "shut");
    assertClick(f, "lock", 0, "lock.gates", "upper");
    assertClick(f, "shaker", 0, "shaker.frequency", "0");
    assert_false(wbHandle_Click(findHandle(f, "wheel", 0), &set));
    assert_false(wbHandle_Click(findHandle(f, "right", wb_right), &set));
}

// A slice has a handle on its upper edge, which is dragged along its axis as far as there are layers.
static void testSlice(void **state) {
    Fixture *f = *state;
    wbRenderScene *scene = &f->still.scene;
    wbObjects *objects = &f->still.objects;
    const int before = objects->handleCount;
    wbHandleSet set;
    assertOk(wbAddSliceHandle(scene, &objects->handles, &objects->handleCount));
    assert_int_equal(objects->handleCount, before); // the air is shown as smoke
    scene->output.field = wb_fieldSpeed, scene->output.slice = wb_axisZ, scene->output.sliceAt = NAN;
    assertOk(wbAddSliceHandle(scene, &objects->handles, &objects->handleCount));
    const wbHandle *handle = findHandle(f, "slice", 2);
    wbHandleDrag drag = {.handle = *handle};
    const wbVec3 eye = wbAdd(handle->at, wbMakeVec3(5, 0, 0)), back = {1, 0, 0};
    const float size = scene->smoke->cellSize;
    assert_true(wbHandleDrag_Move(&drag, makeRay(eye, handle->at),
                                  makeRay(eye, wbAdd(handle->at, wbMakeVec3(0, 0, size))), back, &set));
    assert_string_equal(set.key, "output.sliceAt");
    assert_string_equal(set.before, "auto");
    assert_true(fabs(atof(set.value) - (double)(handle->at.z + size)) < 1e-4);
    assert_true(wbHandleDrag_Move(&drag, makeRay(eye, handle->at),
                                  makeRay(eye, wbAdd(handle->at, wbMakeVec3(0, 0, 99))), back, &set));
    assert_true(fabs(atof(set.value) - (double)handle->max.z) < 1e-4);
    fill(f);
}

// Nearest to the cursor, sides only where they are asked for; an open side has none.
static void testHandlePicks(void **state) {
    const Fixture *f = *state;
    const wbHandle *handles = f->still.objects.handles.data;
    const wbVec3 eye = {2, 2, 12}, tap = {0.5f, 3, 0.5f};
    wbSight sight = {makeRay(eye, wbAdd(tap, wbMakeVec3(0.05f, 0, 0))), 0.01f};
    int found = wbPickHandle(&f->still, &sight, false);
    assert_true(found >= 0);
    assert_string_equal(handles[found].name, "tap");
    sight.ray = makeRay(eye, wbMakeVec3(4, 2, 2));
    assert_int_equal(wbPickHandle(&f->still, &sight, false), -1);
    found = wbPickHandle(&f->still, &sight, true);
    assert_true(found >= 0);
    assert_string_equal(handles[found].name, "right");
    for (int i = 0; i < f->still.objects.handleCount; i++) assert_string_not_equal(handles[i].name, "top");
}

// Air is met in its middle, and nearer where there is smoke.
static void testAir(void **state) {
    Fixture *f = *state;
    wbVec3 point;
    assert_true(wbPickAir(&f->still, makeRay(wbMakeVec3(3.5f, 3, 12), wbMakeVec3(3.5f, 3, 0)), &point));
    assertNear(point, wbMakeVec3(3.5f, 3, 2), 1e-4f);
    assert_false(wbPickAir(&f->still, makeRay(wbMakeVec3(5, 3, 12), wbMakeVec3(5, 3, 0)), &point));
    const size_t cells = (size_t)f->still.air.strideZ * 17;
    float *smoke = calloc(cells, sizeof *smoke);
    for (size_t i = 0; i < cells; i++) smoke[i] = 1;
    f->still.air.density = smoke;
    assert_true(wbPickAir(&f->still, makeRay(wbMakeVec3(3.5f, 3, 12), wbMakeVec3(3.5f, 3, 0)), &point));
    assert_true(point.z > 3.2f);
    free(smoke);
}

// A grab is seen with what it holds and where.
static void testGrabs(void **state) {
    Fixture *f = *state;
    assertOk(wbWorld_Apply(f->world, "world.addGrab", "mouse1 of=crate target=2,3,1 point=0,0.2,0"));
    fill(f);
    const wbSeenGrab *grab = wbObjects_FindGrab(&f->still.objects, "mouse1");
    assert_non_null(grab);
    assert_string_equal(grab->of, "crate");
    assert_true(grab->isOn && grab->isThere);
    assertNear(grab->point, wbMakeVec3(2, 2.2f, 1), 1e-5f);
    assertNear(grab->target, wbMakeVec3(2, 3, 1), 0);
    assert_null(wbObjects_FindGrab(&f->still.objects, "mouse2"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(testRigidBodies, begin, end),
        cmocka_unit_test_setup_teardown(testColliders, begin, end),
        cmocka_unit_test_setup_teardown(testSoftBodies, begin, end),
        cmocka_unit_test_setup_teardown(testFluids, begin, end),
        cmocka_unit_test_setup_teardown(testDrags, begin, end),
        cmocka_unit_test_setup_teardown(testClicks, begin, end),
        cmocka_unit_test_setup_teardown(testHandlePicks, begin, end),
        cmocka_unit_test_setup_teardown(testSlice, begin, end),
        cmocka_unit_test_setup_teardown(testAir, begin, end),
        cmocka_unit_test_setup_teardown(testGrabs, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
