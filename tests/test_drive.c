// SPDX-License-Identifier: MIT
// Colliders that a program drives by velocities and poses; and that colliders at rest cost nothing.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "box_support.h"
#include "world/collider.h"

static const wbVec3 none = {0, 0, 0};

static wbWorld *createWorld(int dimensions, wbFluidSolver solver, bool hasWater) {
    wbWorldDef def = wbDefaultWorldDef();
    wbWorld *world;
    def.params.dimensions = dimensions, def.params.dt = 2e-3f;
    def.sph.spacing = def.pbf.spacing = 0.1f, def.sph.soundSpeed = 20;
    def.domain = (wbDomainDef){.min = {-1, -1, -0.5f}, .max = {1, 1, 0.5f}};
    def.threadCount = 1;
    assertOk(wbCreateWorld(&def, &world));
    if (!hasWater) return world;
    wbFluidDef water = wbDefaultFluidDef();
    wbFluidId fluid;
    water.solver = solver;
    assertOk(wbCreateFluid(world, &water, &fluid));
    assertOk(wbFluid_AddBlock(world, fluid, &(wbBlockDef){.min = {-1, -1, -0.5f}, .max = {1, -0.4f, 0.5f}}));
    return world;
}

static void step(wbWorld *world, int count) {
    for (int k = 0; k < count; k++) assertOk(wbWorld_Step(world, 0));
}

static void assertNear(double value, double wanted, double most) {
    if (!(fabs(value - wanted) <= most)) fail_msg("%.9g, not %.9g", value, wanted);
}

// Also slower than floats can add up.
static void testVelocityIsExact(void **state) {
    (void)state;
    wbWorld *world = createWorld(3, wb_solverSph, false);
    const wbColliderId box = addBox(world, "box", wbMakeVec3(1, 0, 0), wbMakeVec3(0.4f, 0.3f, 0.4f));
    assertOk(wbCollider_SetVelocity(world, box, wbMakeVec3(1e-5f, 0.5f, 0), wbMakeVec3(0, 0, 1e-5f)));
    step(world, 5000);
    wbColliderStats stats = wbCollider_GetStats(world, box);
    assertNear(stats.position[0], 1 + 1e-4, 1.2e-7);
    assertNear(stats.position[1], 5, 1e-6);
    assertNear(stats.rotation[2], sin(0.5e-4), 1e-9);
    assertOk(wbCollider_SetVelocity(world, box, none, wbMakeVec3(0, 0, (float)acos(-1))));
    step(world, 250);
    stats = wbCollider_GetStats(world, box);
    assertNear(stats.position[1], 5, 1e-6);
    assertNear(stats.rotation[2], sqrt(0.5), 1e-4);
    const wbMotion *motion = wbGetColliderAt(world, 0)->motion;
    assert_true(motion[0].spin[2] == (float)acos(-1) && motion[1].velocity[1] == 0);
    wbDestroyWorld(world);
}

static void testPoseIsReached(void **state) {
    (void)state;
    wbWorld *world = createWorld(3, wb_solverSph, false);
    const wbColliderId box = addBox(world, "box", none, wbMakeVec3(0.4f, 0.3f, 0.4f));
    const float turn[4] = {0.6f, 0, 0, -0.8f};
    assertOk(wbCollider_SetPose(world, box, wbMakeVec3(0.1f, 0.2f, 0.3f), turn));
    assertOk(wbWorld_Step(world, 0.01f));
    wbColliderStats stats = wbCollider_GetStats(world, box);
    assert_true(stats.position[0] == 0.1f && stats.position[1] == 0.2f && stats.position[2] == 0.3f);
    for (int a = 0; a < 4; a++) assertNear(stats.rotation[a], turn[a], 1e-7);
    const wbMotion *motion = wbGetColliderAt(world, 0)->motion;
    assertNear(motion[1].velocity[0], 10, 1e-5), assertNear(motion[1].pose.position[1], 0.1, 1e-6);
    assertNear(motion[1].spin[0], -2 * atan2(0.6, 0.8) / 0.01, 1e-3); // the short way
    step(world, 3);
    assert_memory_equal(wbCollider_GetStats(world, box).rotation, stats.rotation, sizeof stats.rotation);
    assert_true(motion[1].velocity[0] == 0 && motion[1].spin[0] == 0);
    // a path of poses, step by step
    for (int k = 1; k <= 20; k++) {
        assertOk(wbCollider_SetPose(world, box, wbMakeVec3(0.1f + 0.01f * (float)k, 0.2f, 0.3f), turn));
        step(world, 1);
        assert_true(wbCollider_GetStats(world, box).position[0] == 0.1f + 0.01f * (float)k);
    }
    wbDestroyWorld(world);
}

// Where fluids cut a step into many, it is there when all of them are over.
static void testPoseWithinSubSteps(void **state) {
    (void)state;
    for (int solver = wb_solverSph; solver <= wb_solverPbf; solver++) {
        wbWorld *world = createWorld(2, (wbFluidSolver)solver, true);
        const wbColliderId box = addBox(world, "box", wbMakeVec3(0, 0.1f, 0), wbMakeVec3(0.4f, 0.3f, 0.4f));
        const float turn[4] = {0, 0, 0.1f, sqrtf(0.99f)};
        assertOk(wbWorld_SetParam(world, "world.dt", "auto"));
        step(world, 1);
        const double start = wbWorld_GetTime(world);
        assertOk(wbCollider_SetPose(world, box, wbMakeVec3(0.03f, 0.09f, 0), turn));
        step(world, 1);
        const wbColliderStats stats = wbCollider_GetStats(world, box);
        assert_true(solver != wb_solverSph || world->collidersDt < 0.5 * (wbWorld_GetTime(world) - start));
        assert_true(stats.position[0] == 0.03f && stats.position[1] == 0.09f);
        assertNear(stats.rotation[2], 0.1, 1e-7);
        step(world, 2);
        assert_true(wbCollider_GetStats(world, box).position[0] == 0.03f);
        wbDestroyWorld(world);
    }
}

static void assertRefused(wbStatus status, const char *text) {
    assert_int_equal(status.code, wb_errorInput);
    if (!strstr(status.text, text)) fail_msg("\"%s\" does not say \"%s\"", status.text, text);
}

static void testBadInput(void **state) {
    (void)state;
    const float upright[4] = {0, 0, 0, 1}, tilted[4] = {0.6f, 0, 0, 0.8f}, bad[4] = {0, 0, 0, 0};
    wbWorld *world = createWorld(2, wb_solverSph, false);
    const wbColliderId box = addBox(world, "box", none, wbMakeVec3(0.4f, 0.3f, 0.4f)),
                       part = addBox(world, "part", wbMakeVec3(3, 0, 0), wbMakeVec3(0.4f, 0.3f, 0.4f));
    wbMechanismDef gate = wbDefaultMechanismDef();
    wbMechanismId id;
    gate.name = "gate", gate.colliders = &part, gate.colliderCount = 1;
    assertOk(wbCreateMechanism(world, &gate, &id));
    const uint64_t hash = wbWorld_Hash(world);
    assertRefused(wbCollider_SetVelocity(world, part, none, none), "mechanism \"gate\" moves it");
    assertRefused(wbCollider_SetPose(world, part, none, upright), "mechanism \"gate\" moves it");
    assertRefused(wbCollider_SetVelocity(world, box, wbMakeVec3(NAN, 0, 0), none), "velocity is nan");
    assertRefused(wbCollider_SetVelocity(world, box, none, wbMakeVec3(0, 0, 2e6f)), "spin is 0,0,2e+06");
    assertRefused(wbCollider_SetVelocity(world, box, wbMakeVec3(0, 0, 1), none), "in 2D");
    assertRefused(wbCollider_SetVelocity(world, box, none, wbMakeVec3(1, 0, 0)), "in 2D");
    assertRefused(wbCollider_SetPose(world, box, wbMakeVec3(0, 0, 1), upright), "in 2D");
    assertRefused(wbCollider_SetPose(world, box, none, tilted), "in 2D");
    assertRefused(wbCollider_SetPose(world, box, none, bad), "no unit quaternion");
    assertRefused(wbCollider_SetPose(world, box, wbMakeVec3(INFINITY, 0, 0), upright), "");
    assert_true(wbWorld_Hash(world) == hash);
    step(world, 3);
    assert_true(wbCollider_GetStats(world, box).position[0] == 0);
    wbDestroyWorld(world);
}

// Whoever says last where it goes counts.
static void testOrdersEnd(void **state) {
    (void)state;
    wbWorld *world = createWorld(3, wb_solverSph, false);
    const wbColliderId box = addBox(world, "box", none, wbMakeVec3(0.4f, 0.3f, 0.4f));
    const wbVec3 fast = {10, 0, 0};
    assertOk(wbCollider_SetVelocity(world, box, fast, none));
    step(world, 10);
    assertNear(wbCollider_GetStats(world, box).position[0], 0.2, 1e-6);
    assertOk(wbCollider_MoveTo(world, box, wbMakeVec3(0.2f, 0.1f, 0), none));
    step(world, 100);
    assertNear(wbCollider_GetStats(world, box).position[1], 0.1, 1e-6);
    assertOk(wbCollider_SetVelocity(world, box, fast, none));
    assertOk(wbWorld_SetParam(world, "box.position", "0,0,0"));
    step(world, 100);
    assertNear(wbCollider_GetStats(world, box).position[0], 0, 1e-6);
    assertOk(wbCollider_SetVelocity(world, box, fast, none));
    assertOk(wbCollider_Place(world, box, wbMakeVec3(0.5f, 0, 0), none));
    step(world, 10);
    assertNear(wbCollider_GetStats(world, box).position[0], 0.5, 0);
    assertOk(wbCollider_SetVelocity(world, box, fast, none));
    wbMechanismDef gate = wbDefaultMechanismDef();
    wbMechanismId id;
    gate.name = "gate", gate.colliders = &box, gate.colliderCount = 1;
    assertOk(wbCreateMechanism(world, &gate, &id));
    step(world, 10);
    assertNear(wbCollider_GetStats(world, box).position[0], 0.5, 0);
    wbDestroyWorld(world);
}

// Colliders at rest are looked at no more; one that is told to move, is.
static void testOnlyMoversAreListed(void **state) {
    (void)state;
    enum { COUNT = 20 };
    wbWorld *world = createWorld(3, wb_solverSph, true);
    wbColliderId ids[COUNT];
    for (int k = 0; k < COUNT; k++) {
        char name[8];
        snprintf(name, sizeof name, "b%d", k);
        ids[k] =
            addBox(world, name, wbMakeVec3(-0.7f + 0.07f * (float)k, 0.5f, 0), wbMakeVec3(0.4f, 0.3f, 0.4f));
    }
    step(world, 2);
    assert_int_equal(world->moverCount, 0);
    assertOk(wbCollider_SetVelocity(world, ids[7], wbMakeVec3(0, 1, 0), none));
    assertOk(wbCollider_MoveTo(world, ids[3], wbMakeVec3(0, 0.6f, 0), none));
    step(world, 1);
    const int *movers = world->movers.data;
    assert_true(world->moverCount == 2 && movers[0] == 3 && movers[1] == 7);
    const wbBoundary *boundary = &wbGetNextLiquid(world, NULL)->boundary;
    assert_true(wbBoundary_GetBody(boundary, 7)->isMoving && !wbBoundary_GetBody(boundary, 3)->isMoving);
    assertNear(wbBoundary_GetTopSpeed(boundary), 2, 1); // the other's limit
    assertOk(wbCollider_SetVelocity(world, ids[7], none, none));
    step(world, 400);
    assert_int_equal(world->moverCount, 0);
    assert_true(wbBoundary_GetTopSpeed(boundary) == 0);
    wbDestroyWorld(world);
}

static wbWorld *createDriven(wbFluidSolver solver) {
    wbWorld *world = createWorld(2, solver, true);
    const wbColliderId box = addBox(world, "box", wbMakeVec3(0, 0.1f, 0), wbMakeVec3(0.4f, 0.3f, 0.4f));
    (void)addBox(world, "still", wbMakeVec3(-0.6f, 0.1f, 0), wbMakeVec3(0.4f, 0.3f, 0.4f));
    step(world, 2);
    assertOk(wbCollider_SetVelocity(world, box, wbMakeVec3(0.2f, -1, 0), wbMakeVec3(0, 0, 3)));
    step(world, 100);
    return world;
}

// Whatever it was told since: back in place it goes on as it did.
// Water that comes when colliders have long been at rest does not pass through them.
static void testWaterComesLate(void **state) {
    (void)state;
    for (wbFluidSolver solver = wb_solverSph; solver <= wb_solverPbf; solver++) {
        wbWorld *world = createWorld(3, solver, false);
        const wbColliderId box = addBox(world, "box", wbMakeVec3(0, 0.6f, 0), wbMakeVec3(0.4f, 0.3f, 0.4f));
        step(world, 3);
        assertOk(wbCollider_SetPose(world, box, none, (const float[4]){0, 0, 0, 1}));
        step(world, 3);
        wbFluidDef water = wbDefaultFluidDef();
        wbFluidId fluid;
        wbView view;
        water.solver = solver;
        assertOk(wbCreateFluid(world, &water, &fluid));
        assertOk(wbFluid_AddParticles(world, fluid, 1, (const float[3]){-0.9f, 0, 0},
                                      (const float[3]){500, 0, 0}));
        step(world, 1); // of 1 m: it would be behind the box
        assertOk(wbFluid_GetView(world, fluid, &view));
        assert_true(view.x[0] > -0.9f && view.x[0] < 0);
        wbDestroyWorld(world);
    }
}

static void testRestore(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        wbWorld *world = createDriven(wb_solverSph), *twin = createDriven(wb_solverSph);
        const wbColliderId box = wbWorld_GetCollider(world, 0);
        wbBytes bytes = {0};
        assertOk(wbWorld_SaveToBytes(world, &bytes));
        if (k == 0) assertOk(wbCollider_MoveTo(world, box, wbMakeVec3(0.3f, 0.1f, 0), none));
        if (k == 1) assertOk(wbCollider_SetVelocity(world, box, none, none));
        step(world, 20);
        assertOk(wbWorld_Restore(world, bytes.data, bytes.size));
        step(world, 20), step(twin, 20);
        assert_true(wbWorld_Hash(world) == wbWorld_Hash(twin));
        wbFreeBytes(&bytes);
        wbDestroyWorld(world), wbDestroyWorld(twin);
    }
}

// Led through water, saved, and gone on with: bit for bit; and steps with orders allocate nothing.
static void testResume(void **state) {
    (void)state;
    for (int solver = wb_solverSph; solver <= wb_solverPbf; solver++) {
        char path[] = "drive-XXXXXX";
        const int file = mkstemp(path);
        assert_true(file >= 0);
        close(file);
        wbWorld *whole = createWorld(2, (wbFluidSolver)solver, true), *resumed;
        const wbColliderId box = addBox(whole, "box", wbMakeVec3(0, 0.1f, 0), wbMakeVec3(0.4f, 0.3f, 0.4f)),
                           lid =
                               addBox(whole, "lid", wbMakeVec3(0.6f, 0.1f, 0), wbMakeVec3(0.4f, 0.3f, 0.4f));
        (void)addBox(whole, "still", wbMakeVec3(-0.6f, 0.1f, 0), wbMakeVec3(0.4f, 0.3f, 0.4f));
        const float upright[4] = {0, 0, 0, 1};
        step(whole, 2);
        assertOk(wbCollider_SetVelocity(whole, box, wbMakeVec3(0.2f, -1, 0), wbMakeVec3(0, 0, 3)));
        assertOk(wbCollider_SetVelocity(whole, lid, wbMakeVec3(0, -1, 0), none));
        step(whole, 100);
        assertOk(wbCollider_SetPose(whole, lid, wbMakeVec3(0.6f, -0.12f, 0), upright));
        assertOk(wbWorld_Save(whole, path));
        assertOk(wbLoadWorld(path, &resumed));
        assertOk(wbWorld_SetThreadCount(resumed, 2));
        assert_true(wbWorld_Hash(whole) == wbWorld_Hash(resumed));
        step(whole, 60), step(resumed, 60);
        assert_true(wbWorld_Hash(whole) == wbWorld_Hash(resumed));
        assert_true(wbCollider_GetStats(resumed, wbWorld_GetCollider(resumed, 1)).position[1] == -0.12f);
        uint64_t allocations = 0;
        for (int k = 0; k < 80; k++) { // the first ones make room
            if (k == 60) allocations = wbWorld_GetProfile(whole).allocations;
            assertOk(wbCollider_SetVelocity(whole, box, wbMakeVec3(0, k % 2 ? 0.1f : -0.1f, 0), none));
            step(whole, 1);
        }
        assert_true(wbWorld_GetProfile(whole).allocations == allocations);
        unlink(path);
        wbDestroyWorld(whole), wbDestroyWorld(resumed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testVelocityIsExact),
                                       cmocka_unit_test(testPoseIsReached),
                                       cmocka_unit_test(testPoseWithinSubSteps),
                                       cmocka_unit_test(testBadInput),
                                       cmocka_unit_test(testOrdersEnd),
                                       cmocka_unit_test(testOnlyMoversAreListed),
                                       cmocka_unit_test(testWaterComesLate),
                                       cmocka_unit_test(testRestore),
                                       cmocka_unit_test(testResume)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
