// SPDX-License-Identifier: MIT
// Heat between fluids and the air: water boils in hot air and puts fire out, vapour condenses, and nothing of it is lost.
#include <unistd.h>

#include "coupling/air_heat.h"
#include "soft_support.h"
#include "world/air.h"

// A closed box of hot air, in which water falls into a pool, and fuel that burns.
#define KITCHEN                                                                                              \
    "{\"world\": {\"gravity\": [0, -9.81, 0]%s}, \"domain\": {\"min\": [0, 0, 0], \"max\": [1, 1, 0.5]},"    \
    "\"smoke\": {\"cellSize\": 0.05, \"steam\": true, \"fire\": %s, \"ignition\": 850}, "                    \
    "\"pbf\": {\"spacing\": 0.04},"                                                                          \
    "\"coupling\": {\"airWater\": \"both\", \"airHeat\": %s, \"waterCelsius\": 99, \"sprayDiameter\": "      \
    "0.0005},"                                                                                               \
    "\"fluids\": [{\"name\": \"water\", \"solver\": \"pbf\", \"blocks\": [{\"min\": [0, 0, 0], \"max\": "    \
    "[1, 0.12, 0.5]}, "                                                                                      \
    "{\"min\": [0.3, 0.6, 0.1], \"max\": [0.5, 0.7, 0.4], \"jitter\": 0.5, \"velocity\": [1, 0, 0]}]}],"     \
    "\"sources\": [{\"name\": \"heat\", \"shape\": \"box\", \"position\": [0.5, 0.6, 0.25], \"size\": [2, "  \
    "0.8, 2], \"density\": 0.1, \"temperature\": 900, \"fuel\": %s, \"end\": 0.001}]}"

static wbWorld *createKitchen(const char *more, const char *fire, const char *heat, int threads) {
    char text[2048];
    snprintf(text, sizeof text, KITCHEN, more, fire, heat, strcmp(fire, "true") == 0 ? "0.05" : "0");
    return createSoftWorld(text, wb_backendCpu, threads);
}

static double sumHeat(const wbStats *s) { return s->heatAir + s->heatSteam + s->heatWater + s->heatLost; }
// Without smoke, which counts as mass, too.
static double sumWater(wbWorld *world, const wbStats *s) {
    return s->mass - wbWorld_GetSmokeStats(world).amount - s->boiling + s->steam + s->clouds;
}

// Water warms up, some of it becomes steam, which is as much less water; heat and water stay what they were.
static void testClosed(void **state) {
    (void)state;
    wbWorld *world = createKitchen("", "false", "true", 2);
    stepWorld(world, 1);
    const wbStats first = wbWorld_GetStats(world);
    stepWorld(world, 90);
    const wbStats last = wbWorld_GetStats(world);
    assert_true(last.heatWater > 1000 && last.heatAir < first.heatAir - 1000);
    if (!(last.evaporated > 1e-4)) fail_msg("%g kg, %g J in water", last.evaporated, last.heatWater);
    // what was there after the first step, in which the source dries its air
    const double inAir = last.steam + last.clouds - first.steam - first.clouds;
    if (!(fabs(inAir / (last.evaporated - first.evaporated) - 1) < 1e-4))
        fail_msg("%g kg in the air, %g evaporated", inAir, last.evaporated - first.evaporated);
    if (!(fabs(sumHeat(&last) / sumHeat(&first) - 1) < 1e-5))
        fail_msg("%.9g J of %.9g J", sumHeat(&last), sumHeat(&first));
    assert_true(fabs(sumWater(world, &last) / sumWater(world, &first) - 1) < 1e-6);
    wbDestroyWorld(world);
}

// Off it changes nothing but where water is.
static void testOff(void **state) {
    (void)state;
    wbWorld *world = createKitchen("", "false", "false", 1);
    stepWorld(world, 30);
    const wbStats stats = wbWorld_GetStats(world);
    assert_true(stats.heatWater == 0 && stats.evaporated == 0 && stats.steam == 0);
    wbDestroyWorld(world);
}

// Soft bodies alone fill cells of the air: fluids that it does not meet have no heat of theirs.
static void testNoWater(void **state) {
    (void)state;
    wbWorld *world = createSoftWorld(
        "{\"domain\": {\"min\": [0, 0, 0], \"max\": [0.6, 0.6, 0.6]}, \"pbf\": {\"spacing\": 0.05}, "
        "\"smoke\": {\"cellSize\": 0.05, \"steam\": true}, "
        "\"coupling\": {\"airSoft\": \"both\", \"airHeat\": true, \"waterCelsius\": 99}, \"fluids\": "
        "[{\"name\": \"water\", "
        "\"solver\": \"pbf\", \"blocks\": [{\"min\": [0, 0, 0], \"max\": [0.3, 0.1, 0.6]}]}], "
        "\"softBodies\": [{\"name\": \"ball\", \"shape\": \"sphere\", \"radius\": 0.12, \"count\": 81, "
        "\"density\": 300, \"position\": [0.4, 0.4, 0.3]}]}",
        wb_backendCpu, 1);
    stepWorld(world, 3);
    assert_true(wbGetAir(world)->fill.cellCount > 0);
    assert_true(wbWorld_GetStats(world).heatWater == 0);
    wbDestroyWorld(world);
}

// A jet of drops into a fire: less of the fuel burns, and what the water reaches does not any more.
static double burnFuel(const char *heat) {
    wbWorld *world = createKitchen("", "true", heat, 1);
    wbSmokeView view;
    double fuel = 0;
    stepWorld(world, 40);
    assertOk(wbWorld_GetSmokeView(world, &view));
    for (int j = 0; j < view.cells[1]; j++)
        for (int k = 0; k < view.cells[2]; k++)
            for (int i = 0; i < view.cells[0]; i++)
                fuel += (double)view.fuel[i + view.strideY * j + view.strideZ * k];
    assert_true(wbWorld_GetStats(world).fuelDrowned > 0);
    wbDestroyWorld(world);
    return fuel;
}
static void testFire(void **state) {
    (void)state;
    const double with = burnFuel("true"), without = burnFuel("false");
    if (!(with > 1.02 * without)) fail_msg("%g of fuel are left, %g without water", with, without);
}

// Where steam takes the place of the air nothing burns.
static void testOxygen(void **state) {
    (void)state;
    wbWorld *world = createKitchen("", "true", "true", 1);
    stepWorld(world, 1);
    wbSmoke *smoke = &wbGetAir(world)->smoke;
    const int c = wbSmokeIndex(&smoke->grid, 3, 12, 5), d = wbSmokeIndex(&smoke->grid, 16, 12, 5);
    for (int n = 0; n < 2; n++) {
        const int at = n ? c : d;
        smoke->fields[wb_smokeTemperature][at] = 900, smoke->fields[wb_smokeFuel][at] = 1;
        smoke->fields[smoke->steam][at] = n ? 300 : 0;
    }
    const float sums[2] = {smoke->fields[wb_smokeFuel][c], smoke->fields[wb_smokeFuel][d]};
    stepWorld(world, 1);
    double left[2] = {0, 0};
    for (int y = -2; y <= 2; y++)
        for (int z = -2; z <= 2; z++)
            for (int x = -2; x <= 2; x++) {
                left[0] +=
                    (double)smoke->fields[wb_smokeFuel][wbSmokeIndex(&smoke->grid, 3 + x, 12 + y, 5 + z)];
                left[1] +=
                    (double)smoke->fields[wb_smokeFuel][wbSmokeIndex(&smoke->grid, 16 + x, 12 + y, 5 + z)];
            }
    assert_true(sums[0] == sums[1] && left[0] > left[1]);
    wbDestroyWorld(world);
}

static uint64_t runKitchen(const char *more, int threads) {
    wbWorld *world = createKitchen(more, "true", "true", threads);
    stepWorld(world, 10);
    const uint64_t hash = wbWorld_Hash(world);
    wbDestroyWorld(world);
    return hash;
}

static void testThreads(void **state) {
    (void)state;
    const uint64_t one = runKitchen("", 1);
    for (int threads = 2; threads <= 4; threads++) assert_int_equal(runKitchen("", threads), one);
}

static void testCheckpoint(void **state) {
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "air_heat_test_%d.wbc", (int)getpid());
    wbWorld *world = createKitchen("", "true", "true", 1), *loaded;
    stepWorld(world, 20);
    assertOk(wbWorld_Save(world, path));
    assertOk(wbLoadWorld(path, &loaded));
    remove(path);
    stepWorld(world, 20), stepWorld(loaded, 20);
    assert_int_equal(wbWorld_Hash(loaded), wbWorld_Hash(world));
    assert_true(wbWorld_GetStats(loaded).evaporated == wbWorld_GetStats(world).evaporated);
    wbDestroyWorld(world), wbDestroyWorld(loaded);
}

static void testWarm(void **state) {
    (void)state;
    wbWorld *world = createKitchen(", \"dt\": 0.004", "true", "true", 2);
    stepWorld(world, 60);
    const uint64_t before = wbWorld_GetProfile(world).allocations;
    stepWorld(world, 10);
    assert_int_equal(wbWorld_GetProfile(world).allocations - before, 0);
    wbDestroyWorld(world);
}

// Saturated air keeps its heat and water, whether droplets form or dry up; where water boils there are none.
static void testSettle(void **state) {
    (void)state;
    wbSmokeParams params = wbDefaultSmokeParams();
    params.steam = true, params.lapse = 0.00976f;
    const wbSteamModel model = wbMakeSteamModel(&params);
    assert_true(fabs(wbFindSaturation(&model, 0, 0) - 17.3) < 0.4); // g/m3 at 20 degrees, by tables
    for (int n = 0; n < 400; n++) {
        const double height = n % 4 * 500, cooling = 1 - 0.00976 * height / 293.15;
        double t = n % 40 * 10 - 60, v = n % 7 * 9, d = n % 5 * 6;
        const double heat = 1206 * t * cooling + 1e-3 * WB_STEAM_HEAT * v, all = v + d;
        wbSettleSteam(&model, height, &t, &v, &d);
        assert_true(v >= 0 && d >= 0 && fabs(v + d - all) <= 1e-12 * all);
        // constants of the solver are floats
        assert_true(fabs(1206 * t * cooling + 1e-3 * WB_STEAM_HEAT * v - heat) < 1e-6 * 4e5);
        const double most = wbFindSaturation(&model, t, height);
        if (d > 0) assert_true(fabs(v / most - 1) < 1e-5);
        assert_true(v <= most * (1 + 1e-5));
    }
}

// Neither side overshoots, however long it takes.
static void testExchange(void **state) {
    (void)state;
    assert_true(fabs(wbExchangeHeat(5, 1e9, 2, 3, 100) - 120) < 1e-9); // to 60: 2 x 60 = 3 x 40
    assert_true(fabs(wbExchangeHeat(5, 1e-6, 2, 3, 100) / 5e-4 - 1) < 1e-5);
    assert_true(fabs(wbExchangeHeat(5, 1e9, 2, INFINITY, 100) - 200) < 1e-9);
    assert_true(wbGetBoiledShare(1e5) == 0 && wbGetBoiledShare(WB_STEAM_HEAT) == 1);
    assert_true(fabs(wbGetHeldHeat(WB_STEAM_HEAT)) < 1e-6 && wbGetWaterCelsius(1e6) == 100);
}

// A film in cells that it does not fill. The air above it is held at `temperature`, K above 20 degrees; the water is of `celsius` at first.
#define FILM                                                                                                 \
    "{\"world\": {\"gravity\": [0, -9.81%s], \"dimensions\": %d}, \"domain\": {\"min\": [0, 0%s], "          \
    "\"max\": [0.3, 0.2%s]}, \"smoke\": {\"cellSize\": 0.05, \"steam\": true}, "                             \
    "\"%s\": {\"spacing\": 0.02%s}, \"coupling\": {\"airWater\": \"both\", \"airHeat\": true, "              \
    "\"waterCelsius\": %g}, \"fluids\": [{\"name\": \"water\", \"solver\": \"%s\", \"blocks\": [{\"min\": "  \
    "[0, 0%s], \"max\": [0.3, 0.02%s]}]}], \"sources\": [{\"name\": \"heat\", \"shape\": \"box\", "          \
    "\"size\": [2, 2%s], \"density\": 0.1, \"temperature\": %g}]}"

static wbWorld *createFilm(const char *solver, const char *method, int dimensions, double celsius,
                           double temperature) {
    char text[2048];
    const char *zero = dimensions == 3 ? ", 0" : "", *deep = dimensions == 3 ? ", 0.2" : "";
    snprintf(text, sizeof text, FILM, zero, dimensions, zero, deep, solver, method, celsius, solver, zero,
             deep, dimensions == 3 ? ", 2" : "", temperature);
    return createSoftWorld(text, wb_backendCpu, 1);
}

static double heatFilm(const char *solver, const char *method, int dimensions, double celsius,
                       double temperature) {
    wbWorld *world = createFilm(solver, method, dimensions, celsius, temperature);
    const double first = wbWorld_GetStats(world).heatWater;
    stepWorld(world, 60);
    const uint8_t *filled = wbGetAir(world)->fill.filled.data;
    for (int c = 0; c < wbGetAir(world)->fill.cellCount; c++) assert_false(filled[c]);
    const double last = wbWorld_GetStats(world).heatWater;
    wbDestroyWorld(world);
    return last - first;
}

// Of every solver, in the plane and in space: as much as its surface says, either way.
static void testFilm(void **state) {
    (void)state;
    static const char *const solvers[][2] = {{"pbf", ""}, {"sph", ""}, {"sph", ", \"method\": \"split\""}};
    for (int n = 0; n < 6; n++) {
        const int dimensions = 2 + n % 2;
        const double area = dimensions == 3 ? 0.06 : 0.3, right = 30 * 60 * area * 60 / 60;
        const double gain = heatFilm(solvers[n / 2][0], solvers[n / 2][1], dimensions, 20, 60),
                     loss = heatFilm(solvers[n / 2][0], solvers[n / 2][1], dimensions, 80, 0);
        if (!(fabs(gain / right - 1) < 0.12 && fabs(loss / -right - 1) < 0.12))
            fail_msg("%s%s, %d: %g J and %g J instead of %g J", solvers[n / 2][0], solvers[n / 2][1],
                     dimensions, gain, loss, right);
    }
}

static double getImbalance(const wbWorld *world) {
    const wbStats s = wbWorld_GetStats((wbWorld *)world);
    return sumHeat(&s) - s.heatSources - s.heatSides - s.heatFluids;
}

// Sources, fire, cooling, open sides, a hose and a drain; the exchange is switched off and on again, and the run resumed: all of it counts.
static void testCounted(void **state) {
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "air_heat_count_%d.wbc", (int)getpid());
    wbWorld *world = createSoftWorld(
        "{\"world\": {\"gravity\": [0, -9.81, 0]}, \"domain\": {\"min\": [0, 0, 0], \"max\": [1, 1, 0.5], "
        "\"sides\": {\"top\": {\"type\": \"open\"}}}, \"smoke\": {\"cellSize\": 0.05, \"steam\": true, "
        "\"fire\": "
        "true, \"cooling\": 0.3, \"lapse\": 0.5, \"ignition\": 200}, \"sph\": {\"spacing\": 0.04}, "
        "\"coupling\": "
        "{\"airWater\": \"both\", \"airHeat\": true, \"waterCelsius\": 99, \"sprayDiameter\": 0.0005}, "
        "\"fluids\": [{\"name\": \"water\", \"solver\": \"sph\", \"blocks\": [{\"min\": [0, 0, 0], \"max\": "
        "[1, "
        "0.08, 0.5]}]}], \"emitters\": [{\"name\": \"hose\", \"position\": [0.1, 0.5, 0.25], \"direction\": "
        "[1, "
        "0, 0], \"radius\": 0.06, \"velocity\": 2}], \"drains\": [{\"name\": \"gully\", \"min\": [0.8, 0, "
        "0], "
        "\"max\": [1, 0.1, 0.5]}], \"sources\": [{\"name\": \"fire\", \"position\": [0.5, 0.3, 0.25], "
        "\"radius\": "
        "0.2, \"temperature\": 800, \"fuel\": 0.5, \"rate\": 5}]}",
        wb_backendCpu, 1);
    wbWorld *loaded;
    double worst = fabs(getImbalance(world));
    for (int n = 0; n < 60; n++) {
        if (n == 30 || n == 40)
            assertOk(wbWorld_SetParam(world, "coupling.airHeat", n == 30 ? "false" : "true"));
        stepWorld(world, 1);
        worst = fmax(worst, fabs(getImbalance(world)));
    }
    assertOk(wbWorld_Save(world, path));
    assertOk(wbLoadWorld(path, &loaded));
    remove(path);
    stepWorld(loaded, 20);
    const wbStats s = wbWorld_GetStats(loaded);
    if (!(worst < 0.1 && fabs(getImbalance(loaded)) < 0.1))
        fail_msg("%g J and %g J are missing", worst, getImbalance(loaded));
    if (!(s.heatSources > 1e4 && s.heatSides < -1e3 && s.heatFluids > 1e4 && s.evaporated > 0))
        fail_msg("%g J, %g J, %g J, %g kg", s.heatSources, s.heatSides, s.heatFluids, s.evaporated);
    if (!(fabs(s.heatLost) < 1)) fail_msg("%g J are lost", s.heatLost);
    wbDestroyWorld(world), wbDestroyWorld(loaded);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testFilm),     cmocka_unit_test(testCounted),    cmocka_unit_test(testSettle),
        cmocka_unit_test(testExchange), cmocka_unit_test(testClosed),     cmocka_unit_test(testOff),
        cmocka_unit_test(testNoWater),  cmocka_unit_test(testFire),       cmocka_unit_test(testOxygen),
        cmocka_unit_test(testWarm),     cmocka_unit_test(testCheckpoint), cmocka_unit_test(testThreads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
