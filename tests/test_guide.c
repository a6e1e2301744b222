// SPDX-License-Identifier: MIT
// Mechanisms that are free on an axle or a rail: springs, weights, stops, and the water that moves them.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "guide_support.h"
#include "world/collider.h"

static void step(wbWorld *world, int count, double dt) {
    for (int i = 0; i < count; i++) assertOk(wbWorld_Step(world, (float)dt));
}

static wbMechanismStats getStats(const wbWorld *world) {
    return wbMechanism_GetStats(world, wbWorld_GetMechanism(world, 0));
}

static wbWorld *createFlap(const char *mechanism) {
    char text[1000];
    snprintf(text, sizeof text,
             "{'world':{'dimensions':2},'domain':{'min':[-2,-2],'max':[2,2]},"
             "'colliders':[{'name':'plate','size':[0.2,1],'position':[0,-0.5]}],"
             "'mechanisms':[{'name':'flap','colliders':['plate'],'drive':'free',%s}]}",
             mechanism);
    return createFrom(text, 1, wb_backendCpu);
}

// 2 tan(w dt / 2) = dt √(k / M), without an end, however stiff it is.
static void testSpringSwings(void **state) {
    (void)state;
    const double stiffness[] = {8, 8e4}, dt = 0.01;
    for (int k = 0; k < 2; k++) {
        char text[200];
        snprintf(text, sizeof text, "'kind':'wheel','angle':10,'inertia':2,'stiffness':%g", stiffness[k]);
        wbWorld *world = createFlap(text);
        assertOk(wbWorld_SetParam(world, "flap.angle", "0"));
        const double phase = 2 * atan(0.5 * dt * sqrt(stiffness[k] / 2));
        double most = 0;
        for (int i = 1; i <= 1000; i++) {
            step(world, 1, dt);
            // places of the symplectic step, which starts with a speed of 0 half a step ago
            const double right = 10 * cos(phase * (i + 0.5)) / cos(0.5 * phase);
            assert_true(fabs(getStats(world).angle - right) < 1e-3 * i / cos(0.5 * phase));
            if (i > 900) most = fmax(most, fabs(getStats(world).angle));
        }
        assert_true(most > 9 && most < 10.1 / cos(0.5 * phase));
        wbDestroyWorld(world);
    }
}

// A gate on a spring rests where that bears its weight, a flap hangs down, and what falls is stopped at the end of its travel.
static void testWeight(void **state) {
    (void)state;
    wbWorld *world =
        createFlap("'kind':'gate','travel':[0,-1],'mass':2,'stiffness':100,'friction':20,'open':0.2");
    step(world, 600, 0.01);
    assert_float_equal(getStats(world).open[0], 0.2 + 2 * 9.81 / 100, 1e-4);
    assert_float_equal(getStats(world).speed, 0, 1e-4);
    assert_float_equal(wbCollider_GetStats(world, wbWorld_GetCollider(world, 0)).position[1], -0.5 - 0.3962,
                       1e-4);
    assertOk(wbWorld_SetParam(world, "flap.stiffness", "0"));
    step(world, 600, 0.01);
    assert_true(getStats(world).open[0] == 1 && getStats(world).speed == 0);
    wbDestroyWorld(world);
    world = createFlap("'kind':'wheel','angle':80,'mass':2,'inertia':1,'friction':2");
    step(world, 1, 0.01);
    assert_float_equal(getStats(world).speed,
                       -180 / acos(-1.0) * 0.01 * 9.81 * sin(80 * acos(-1.0) / 180) / 1.02, 0.01);
    step(world, 2000, 0.01);
    assert_float_equal(getStats(world).angle, 0, 0.01);
    wbDestroyWorld(world);
}

static void testRefused(void **state) {
    (void)state;
    wbWorld *world = createFlap("'kind':'gate','travel':[0,-1],'mass':2");
    wbStatus status = wbWorld_SetParam(world, "flap.mass", "0");
    assert_int_equal(status.code, wb_errorInput);
    assert_non_null(strstr(status.text, "a free gate has a mass, its is 0 kg, must be more than 0"));
    status = wbWorld_SetParam(world, "flap.travel", "0,0");
    assert_non_null(strstr(status.text, "a free gate has a travel"));
    assertOk(wbWorld_SetParam(world, "flap.drive", "motor"));
    assertOk(wbWorld_SetParam(world, "flap.mass", "0"));
    wbDestroyWorld(world);
}

// It sinks by (m + M) g / k, bears the water, and impulses and what is in transit are what statistics say.
static void testPiston(void **state) {
    (void)state;
    for (int k = 0; k <= METHODS; k++) { // the last does not ask within the iterations
        wbWorld *world = createPiston(methods[k < METHODS ? k : 2], 50, 1, wb_backendCpu);
        if (k == METHODS) assertOk(wbWorld_SetParam(world, "coupling.response", "false"));
        for (int i = 0; i < 90; i++) step(world, 1, 0);
        double way = 0, force = 0;
        for (int i = 0; i < 30; i++) {
            step(world, 1, 0);
            way += 0.5 * getStats(world).open[0] / 30, force += getStats(world).force / 30;
        }
        const double water = wbWorld_GetStats(world).mass, right = (50 + water) * 9.81 / 20000;
        if (fabs(way - right) > 0.05 * right) fail_msg("%d: sank by %g m, not %g", k, way, right);
        if (fabs(force - water * 9.81) > 0.05 * water * 9.81) fail_msg("%d: %g N", k, force);
        const wbStats stats = wbWorld_GetStats(world);
        assert_float_equal(stats.waterMechanism[1] * 60, -getStats(world).force, 1e-3 * force);
        assert_float_equal(stats.transit[1], -getStats(world).transit, 1e-9);
        assert_true(stats.leaked == 0);
        wbDestroyWorld(world);
    }
}

static uint64_t runPiston(int method, int threads) {
    wbWorld *world = createPiston(methods[method], 5, threads, wb_backendCpu);
    step(world, 10, 0);
    const uint64_t hash = wbWorld_Hash(world);
    wbDestroyWorld(world);
    return hash;
}

static void testThreads(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        const uint64_t one = runPiston(k, 1);
        for (int threads = 2; threads <= 4; threads++) assert_int_equal(runPiston(k, threads), one);
    }
}

static void testCheckpoint(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        wbWorld *world = createPiston(methods[k], 5, 1, wb_backendCpu), *loaded;
        step(world, 20, 0);
        assertOk(wbWorld_Save(world, "guide_test.wbc"));
        assertOk(wbLoadWorld("guide_test.wbc", &loaded));
        step(world, 10, 0), step(loaded, 10, 0);
        assert_int_equal(wbWorld_Hash(loaded), wbWorld_Hash(world));
        wbDestroyWorld(world), wbDestroyWorld(loaded);
        remove("guide_test.wbc");
    }
}

static int warnings;
static void countWarnings(wbLogLevel level, const char *message, void *context) {
    (void)context;
    warnings += level == wb_logWarning &&
                strstr(message, "mechanism \"piston\" of 0.001 kg is too light for these fluids");
}

// A light one stays calm, on a floor that is told once.
static void testFloor(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        warnings = 0;
        wbSetLog(countWarnings, NULL);
        wbWorld *world = createPiston(methods[k], 1e-3, 1, wb_backendCpu);
        step(world, 120, 0);
        assert_int_equal(warnings, 1);
        const double inertia = getStats(world).inertia;
        assert_true(inertia > 1);
        double before = getStats(world).speed, most = 0;
        for (int i = 0; i < 30; i++) {
            step(world, 1, 0);
            most = fmax(most, 60 * fabs(getStats(world).speed - before)), before = getStats(world).speed;
        }
        if (most > 0.1 * 9.81) fail_msg("%s: shakes by %g m/s2", methods[k], most);
        assertOk(wbWorld_SetParam(world, "coupling.floor", "0"));
        step(world, 1, 0);
        assert_float_equal(getStats(world).inertia, 1e-3, 1e-9);
        wbDestroyWorld(world);
        wbSetLog(NULL, NULL);
    }
}

// What a motor has to bear: water pushes its plate.
static void testMotorLoad(void **state) {
    (void)state;
    wbWorld *world = createPiston(methods[2], 5, 1, wb_backendCpu);
    assertOk(wbWorld_SetParam(world, "piston.drive", "motor"));
    for (int i = 0; i < 60; i++) step(world, 1, 0);
    double force = 0;
    for (int i = 0; i < 60; i++) step(world, 1, 0), force += getStats(world).force / 60;
    const double weight = wbWorld_GetStats(world).mass * 9.81;
    assert_true(getStats(world).open[0] == 0);
    assert_float_equal(force, weight, 0.05 * weight);
    assert_true(wbWorld_GetStats(world).waterMechanism[1] == 0);
    wbDestroyWorld(world);
}

// A step that has no more to do than those before asks for no memory.
static void testWarm(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        wbWorld *world = createPiston(methods[k], 5, 1, wb_backendCpu);
        step(world, 90, 0);
        const uint64_t before = wbWorld_GetProfile(world).allocations;
        step(world, 5, 0);
        assert_int_equal(wbWorld_GetProfile(world).allocations, before);
        wbDestroyWorld(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testSpringSwings), cmocka_unit_test(testWeight),    cmocka_unit_test(testRefused),
        cmocka_unit_test(testPiston),       cmocka_unit_test(testThreads),   cmocka_unit_test(testCheckpoint),
        cmocka_unit_test(testFloor),        cmocka_unit_test(testMotorLoad), cmocka_unit_test(testWarm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
