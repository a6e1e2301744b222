// SPDX-License-Identifier: MIT
// Water, cloth and soft bodies in the air of a grid: they are in its way, it pushes them, and loses what they get.
#include <stdlib.h>
#include <unistd.h>

#include "coupling/air_points.h"
#include "soft_support.h"
#include "world/air.h"

// A block of water above haze, a ball of jelly, a flag in the wind of a fan, and drops that fly.
#define POND                                                                                                 \
    "{\"world\": {\"gravity\": [0, -9.81, 0]%s}, \"domain\": {\"min\": [0, 0, 0], \"max\": [1.2, 1, 0.6]},"  \
    "\"smoke\": {\"cellSize\": 0.05}, \"pbf\": {\"spacing\": 0.04}, \"pbd\": {\"subSteps\": 4},"             \
    "\"coupling\": {\"airWater\": \"%s\", \"airSoft\": \"%s\"},"                                             \
    "\"fluids\": [{\"name\": \"water\", \"solver\": \"pbf\", \"blocks\": [{\"min\": [0.1, 0.4, 0.1], "       \
    "\"max\": [0.5, 0.7, 0.5]}, {\"min\": [0.8, 0.9, 0.3], \"max\": [0.83, 0.93, 0.33], \"velocity\": [1, "  \
    "0, 0]}]}],"                                                                                             \
    "\"sources\": [{\"name\": \"haze\", \"shape\": \"box\", \"position\": [0.6, 0.1, 0.3], \"size\": [1.2, " \
    "0.2, 0.6], \"density\": 1, \"end\": 0.001},"                                                            \
    "{\"name\": \"fan\", \"shape\": \"box\", \"position\": [0.9, 0.7, 0.1], \"size\": [0.2, 0.2, 0.1], "     \
    "\"density\": 0, \"velocity\": [0, 0, 4]}],"                                                             \
    "\"softBodies\": [{\"name\": \"jelly\", \"shape\": \"sphere\", \"radius\": 0.15, \"count\": 80, "        \
    "\"density\": 900, \"position\": [0.9, 0.3, 0.3]},"                                                      \
    "{\"name\": \"flag\", \"shape\": \"cloth\", \"size\": [0.3, 0.3, 1], \"counts\": [8, 8, 1], "            \
    "\"density\": 0.2, \"position\": [0.9, 0.7, 0.25], \"pins\": [0, 7]}]}"

static wbWorld *createPond(const char *more, const char *water, const char *soft, int threads) {
    char text[4096];
    snprintf(text, sizeof text, POND, more, water, soft);
    return createSoftWorld(text, wb_backendCpu, threads);
}

static int countSolid(wbWorld *world) {
    wbSmokeView view;
    int count = 0;
    assertOk(wbWorld_GetSmokeView(world, &view));
    for (int c = 0; c < view.cells[0] * view.cells[1] * view.cells[2]; c++) count += view.solid[c] != 0;
    return count;
}

// Water and jelly fill about as many cells as they have room, and no smoke is lost by that.
static void testFilled(void **state) {
    (void)state;
    wbWorld *world = createPond("", "both", "both", 1), *off = createPond("", "off", "off", 1);
    const double water = 0.4 * 0.3 * 0.4, jelly = 4.0 / 3 * 3.14159265 * 0.15 * 0.15 * 0.15;
    stepWorld(world, 2), stepWorld(off, 2);
    const double filled = countSolid(world) * 1.25e-4;
    if (!(fabs(filled / (water + jelly) - 1) < 0.15)) fail_msg("%g m3, expected %g", filled, water + jelly);
    assert_int_equal(countSolid(off), 0);
    const double before = wbWorld_GetSmokeStats(world).amount;
    stepWorld(world, 40);
    assert_true(fabs(wbWorld_GetSmokeStats(world).amount / before - 1) < 0.01);
    const wbStats stats = wbWorld_GetStats(world);
    assert_true(stats.airWater[1] != 0 && stats.airSoft[2] != 0);
    assert_true(fabs(wbWorld_GetStats(off).airWater[1]) == 0);
    wbDestroyWorld(world), wbDestroyWorld(off);
}

// One way it is in the way of the air, and goes on as if there were none.
static void testOneWay(void **state) {
    (void)state;
    wbWorld *world = createPond("", "oneWay", "off", 1), *off = createPond("", "off", "off", 1);
    stepWorld(world, 5), stepWorld(off, 5);
    assert_true(countSolid(world) > 100);
    const wbStats here = wbWorld_GetStats(world), there = wbWorld_GetStats(off);
    assert_true(here.airWater[1] == 0);
    wbView one, other;
    assertOk(wbFluid_GetView(world, wbWorld_GetFluid(world, 0), &one));
    assertOk(wbFluid_GetView(off, wbWorld_GetFluid(off, 0), &other));
    assert_memory_equal(one.x, other.x, sizeof(float) * (size_t)one.count);
    assert_true(here.particles == there.particles);
    wbDestroyWorld(world), wbDestroyWorld(off);
}

static const char *const lengths[] = {"", ", \"dt\": 0.004"};

static uint64_t runPond(const char *more, int threads) {
    wbWorld *world = createPond(more, "both", "both", threads);
    stepWorld(world, 8);
    const uint64_t hash = wbWorld_Hash(world);
    wbDestroyWorld(world);
    return hash;
}

static void testThreads(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        const uint64_t one = runPond(lengths[k], 1);
        for (int threads = 2; threads <= 4; threads++) assert_int_equal(runPond(lengths[k], threads), one);
    }
}

// Which cells are filled is saved: they may be less than that, and no longer obstacles where they were not before.
static void testCheckpoint(void **state) {
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "water_air_test_%d.wbc", (int)getpid());
    for (int k = 0; k < 2; k++) {
        wbWorld *world = createPond(lengths[k], "both", "both", 1), *loaded;
        stepWorld(world, 12);
        assertOk(wbWorld_Save(world, path));
        assertOk(wbLoadWorld(path, &loaded));
        remove(path);
        stepWorld(world, 12), stepWorld(loaded, 12);
        assert_int_equal(wbWorld_Hash(loaded), wbWorld_Hash(world));
        wbDestroyWorld(world), wbDestroyWorld(loaded);
    }
}

// After a while no step takes memory.
static void testWarm(void **state) {
    (void)state;
    wbWorld *world = createPond(", \"dt\": 0.004", "both", "both", 2);
    stepWorld(world, 40);
    const uint64_t before = wbWorld_GetProfile(world).allocations;
    stepWorld(world, 10);
    assert_int_equal(wbWorld_GetProfile(world).allocations - before, 0);
    wbDestroyWorld(world);
}

// Points beside each other, some in one cell: each gets the wind that blows there, and the air loses what they get.
static void testPoints(void **state) {
    (void)state;
    enum { COUNT = 64 };
    wbWorld *world = createPond("", "both", "both", 2);
    stepWorld(world, 1);
    wbAir *air = wbGetAir(world);
    wbSmoke *smoke = &air->smoke;
    for (int i = 0; i < smoke->grid.total; i++)
        for (int a = 0; a < 3; a++) smoke->fields[a][i] = 1 + (float)a;
    wbAirPoints points;
    assert_true(wbArena_Reset(world->work.arena));
    assert_true(wbAirPoints_Allocate(&points, world->work.arena, COUNT + 1, true));
    for (int k = 0; k < COUNT; k++) {
        points.place[0][k] = 0.3f + 0.01f * (float)k, points.place[1][k] = 0.4f + 0.002f * (float)k;
        points.place[2][k] = 0.3f;
    }
    for (int a = 0; a < 3; a++) points.place[a][COUNT] = 7, points.wind[a][COUNT] = -5;
    assertOk(wbAirPoints_Read(&points, smoke, 1.2f, &air->shares, &world->work));
    for (int k = 0; k < COUNT; k++) assert_true(fabsf(points.wind[2][k] - 3) < 1e-5f);
    assert_true(points.wind[0][COUNT] == -5 && points.mobility[COUNT] == 0);
    double given[3] = {0, 0, 0}, lost[3] = {0, 0, 0}, energy = 0;
    const double mass = 1.2 * 1.25e-4;
    for (int k = 0; k <= COUNT; k++)
        for (int a = 0; a < 3; a++) {
            // what stops the air at each, were it alone
            points.impulse[a][k] = points.mobility[k] > 0 ? points.wind[a][k] / points.mobility[k] : 0;
            given[a] += (double)points.impulse[a][k];
        }
    wbAirPoints_Push(&points, smoke, 1.2f, &world->work);
    for (int a = 0; a < 3; a++) {
        for (int i = 0; i < smoke->grid.total; i++) {
            const double first = 1 + a, now = (double)smoke->fields[a][i];
            lost[a] += mass * (first - now);
            energy += now * now - first * first;
        }
        assert_true(fabs(lost[a] / given[a] - 1) < 1e-5);
    }
    assert_true(energy < 0); // all of them together do not turn it round
    wbDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testPoints), cmocka_unit_test(testFilled),
                                       cmocka_unit_test(testOneWay), cmocka_unit_test(testThreads),
                                       cmocka_unit_test(testWarm),   cmocka_unit_test(testCheckpoint)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
