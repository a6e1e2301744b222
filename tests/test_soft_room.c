// SPDX-License-Identifier: MIT
// Fluids that are filled leave soft bodies their room, and soft bodies are not made in fluids.
#include "soft_support.h"

// Blocks and a ball of water around a soft ball and a cloth that stands across.
#define FULL_TANK                                                                                            \
    "{\"domain\": {\"min\": [0, 0, 0], \"max\": [1.2, 1, 0.8]}, \"pbf\": {\"spacing\": 0.05},"               \
    "\"fluids\": [{\"name\": \"water\", \"solver\": \"pbf\", \"blocks\": [{\"min\": [0, 0, 0], \"max\": "    \
    "[1.2, 0.6, 0.8]}], \"balls\": [{\"position\": [0.4, 0.7, 0.4], \"radius\": 0.08}]}],"                   \
    "\"softBodies\": [{\"name\": \"ball\", \"shape\": \"sphere\", \"radius\": 0.15, \"count\": 123, "        \
    "\"density\": 700, \"position\": [0.4, 0.3, 0.4]},"                                                      \
    "{\"name\": \"sheet\", \"shape\": \"cloth\", \"size\": [0.8, 0.8, 1], \"counts\": [9, 9, 1], "           \
    "\"density\": 1, \"position\": [0.812, 0.4, 0.4], \"rotation\": [0, 90, 0], \"pins\": [0, 8, 72, 80]}]}"

static wbView getWater(wbWorld *world) {
    static wbView view;
    assertOk(wbFluid_GetView(world, wbWorld_GetFluid(world, 0), &view));
    return view;
}

static float getDistance(wbVec3 a, wbVec3 b) {
    const wbVec3 off = wbSub(a, b);
    return sqrtf(wbDot(off, off));
}

static wbVec3 getPoint(const wbView *view, int i) { return wbMakeVec3(view->x[i], view->y[i], view->z[i]); }

static float findNearest(const wbView *points, wbVec3 p) {
    float least = INFINITY;
    for (int i = 0; i < points->count; i++) least = fminf(least, getDistance(getPoint(points, i), p));
    return least;
}

static void testFilled(void **state) {
    (void)state;
    wbWorld *world = createSoftWorld(FULL_TANK, wb_backendCpu, 2);
    const wbView water = getWater(world), ball = getView(world, 0);
    const wbVec3 middle = {0.4f, 0.3f, 0.4f};
    float lattice = INFINITY, nearest = INFINITY;
    for (int i = 1; i < ball.count; i++)
        lattice = fminf(lattice, getDistance(getPoint(&ball, 0), getPoint(&ball, i)));
    for (int i = 0; i < water.count; i++) {
        const wbVec3 p = getPoint(&water, i);
        assert_true(findNearest(&ball, p) > 0.5f * lattice + 0.49f * 0.05f - 1e-4f);
        nearest = fminf(nearest, getDistance(p, middle));
        assert_true(fabsf(p.x - 0.812f) > 0.49f * 0.05f - 1e-4f);
    }
    assert_in_range((int)(1000 * nearest), 150, 220); // and no more than that
    // 24 x 12 x 16 sites, one layer of which is at the sheet, and the ball above
    assert_in_range(water.count, 24 * 12 * 16 - 12 * 16 - 220, 24 * 12 * 16 - 12 * 16 - 60);
    stepWorld(world, 1);
    assert_true(wbWorld_GetStats(world).densityErrorMax < 0.1);
    wbDestroyWorld(world);
}

static wbSoftBodyDef makeBall(float height) {
    wbSoftBodyDef def = wbDefaultSoftBodyDef();
    def.name = "late", def.params.shape = wb_softBodySphere, def.params.radius = 0.1f, def.params.count = 57;
    def.params.position = wbMakeVec3(0.2f, height, 0.2f);
    return def;
}

static void testLate(void **state) {
    (void)state;
    wbWorld *world = createSoftWorld(FULL_TANK, wb_backendCpu, 1);
    wbSoftBodyId id;
    const uint64_t before = wbWorld_Hash(world);
    const wbSoftBodyDef in = makeBall(0.3f), above = makeBall(0.78f);
    const wbStatus status = wbCreateSoftBody(world, &in, &id);
    assert_int_equal(status.code, wb_errorInput);
    assert_non_null(strstr(status.text, "soft body \"late\""));
    assert_non_null(strstr(status.text, "particles of fluids would be in it"));
    assert_int_equal(wbWorld_GetSoftBodyCount(world), 2);
    assert_true(wbWorld_Hash(world) == before);
    assertOk(wbCreateSoftBody(world, &above, &id));
    stepWorld(world, 2);
    wbDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testFilled), cmocka_unit_test(testLate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
