// SPDX-License-Identifier: MIT
// What stops a run, and what a stopped world says and still does: energy, non-finite states, memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "world/air.h"

static void assertOk(wbStatus status) {
    if (wbIsOk(status)) return;
    print_error("%s\n", status.text);
    fail();
}

static void assertSays(wbStatus status, wbCode code, const char *const *parts, int count) {
    assert_int_equal(status.code, code);
    for (int i = 0; i < count; i++) {
        if (strstr(status.text, parts[i])) continue;
        print_error("\"%s\" lacks \"%s\"\n", status.text, parts[i]);
        fail();
    }
}

#define SAYS(status, code, ...)                                                                              \
    assertSays(status, code, (const char *const[]){__VA_ARGS__},                                             \
               (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))

// A closed box of one metre with a block of water in it.
static wbWorldDef makeDef(float spacing) {
    wbWorldDef def = wbDefaultWorldDef();
    def.threadCount = 1;
    def.sph.spacing = spacing;
    def.domain.max = wbMakeVec3(1, 1, 1);
    for (int s = 0; s < wb_sideCount; s++) def.domain.sides[s].type = wb_sideFreeSlip;
    return def;
}

static wbWorld *makeWorld(const wbWorldDef *def, wbFluidId *fluid) {
    wbWorld *world;
    wbFluidDef water = wbDefaultFluidDef();
    assertOk(wbCreateWorld(def, &world));
    assertOk(wbCreateFluid(world, &water, fluid));
    return world;
}

static wbWorld *makeBlock(const wbWorldDef *def) {
    wbFluidId fluid;
    wbWorld *world = makeWorld(def, &fluid);
    wbBlockDef block = {.max = wbMakeVec3(0.5f, 0.5f, 0.5f)};
    assertOk(wbFluid_AddBlock(world, fluid, &block));
    return world;
}

static wbStatus stepUntilFailure(wbWorld *world, int steps, const char *key, const char *value) {
    for (int k = 0; k < steps; k++) {
        if (key) assertOk(wbWorld_SetParam(world, key, value));
        wbStatus status = wbWorld_Step(world, 0);
        if (!wbIsOk(status)) return status;
    }
    return (wbStatus){0};
}

// Energy

static void testEnergyCheckNamesTheWorstParticle(void **state) {
    (void)state;
    wbWorldDef def = makeDef(0.1f);
    def.params.dt = 0.05f;
    def.sph.sideRestitution = 1;
    wbWorld *world = makeBlock(&def);
    wbStatus status = stepUntilFailure(world, 1000, NULL, NULL);
    SAYS(status, wb_errorUnstable, "unstable at step ", " s): energy ", " J is above its bound ",
         "worst is particle ", " at (", " m/s; dt is 0.05 s, above the stable limit of ",
         "make world.dt smaller or \"auto\"");
    assert_string_equal(wbWorld_Step(world, 0).text, status.text);
    wbDestroyWorld(world);
}

// A program that sets parameters at each step is kept out as any other.
static void testEnergyCheckOutlivesParameters(void **state) {
    (void)state;
    const char *const settings[][2] = {{"sph.viscosity", "0.001"},
                                       {"world.gravity", "0,-9.81,0"},
                                       {"sph.soundSpeed", "20"},
                                       {"world.dt", "0.05"}};
    for (int k = 0; k < 4; k++) {
        wbWorldDef def = makeDef(0.1f);
        def.params.dt = 0.05f;
        def.sph.sideRestitution = 1;
        wbWorld *world = makeBlock(&def);
        wbStatus status = stepUntilFailure(world, 1000, settings[k][0], settings[k][1]);
        SAYS(status, wb_errorUnstable, "energy");
        wbDestroyWorld(world);
    }
}

// Gravity that turns at each step moves the potential energy up and down by far more than the bound's room: that is
// the parameter's doing, not a runaway.
static void testEnergyCheckFollowsGravity(void **state) {
    (void)state;
    wbWorldDef def = wbDefaultWorldDef();
    wbFluidId fluid;
    def.threadCount = 1;
    def.sph.soundSpeed = 1;
    def.params.dt = 1e-3f;
    def.sph.spacing = 0.25f;
    wbWorld *world = makeWorld(&def, &fluid);
    wbBlockDef block = {.min = wbMakeVec3(1e3f, 1e3f, 1e3f), .max = wbMakeVec3(1001, 1001, 1001)};
    assertOk(wbFluid_AddBlock(world, fluid, &block));
    for (int k = 0; k < 200; k++) {
        assertOk(wbWorld_SetParam(world, "world.gravity", k % 2 ? "0,100,0" : "0,-100,0"));
        assertOk(wbWorld_Step(world, 0));
    }
    wbDestroyWorld(world);
}

// Particles that arrive later bring their energy with them.
static void testEnergyCheckFollowsNewParticles(void **state) {
    (void)state;
    wbWorldDef def = wbDefaultWorldDef();
    wbFluidId fluid;
    def.threadCount = 1;
    def.sph.soundSpeed = 1;
    wbWorld *world = makeWorld(&def, &fluid);
    for (int k = 0; k < 40; k++) {
        const float position[3] = {(float)k, 500, 0}, velocity[3] = {0, 300, 0};
        assertOk(wbFluid_AddParticles(world, fluid, 1, position, velocity));
        assertOk(wbWorld_Step(world, 1e-3f));
    }
    wbDestroyWorld(world);
}

static void testNonFiniteNamesParticleAndPlace(void **state) {
    (void)state;
    wbWorldDef def = wbDefaultWorldDef();
    wbFluidId fluid;
    def.threadCount = 1;
    wbWorld *world = makeWorld(&def, &fluid);
    const float positions[6] = {1, 2, 3, 4, 5, 6}, velocities[6] = {0, 0, 0, 1e6f, 0, 0};
    assertOk(wbFluid_AddParticles(world, fluid, 2, positions, velocities));
    assertOk(wbWorld_SetParam(world, "world.gravity", "0,0,0"));
    SAYS(wbWorld_Step(world, 1e36f), wb_errorUnstable, "unstable at step 1 (0 s): particle 1 at (",
         ", 5, 6) m with ", "beyond what floats can hold", "above the stable limit");
    wbDestroyWorld(world);
}

static void testClumpIsStoppedBeforeItCosts(void **state) {
    (void)state;
    enum { COUNT = 1000000 };
    wbWorldDef def = wbDefaultWorldDef();
    wbFluidId fluid;
    wbWorld *world = makeWorld(&def, &fluid);
    float *positions = calloc(3 * COUNT, sizeof *positions);
    assert_non_null(positions);
    assertOk(wbFluid_AddParticles(world, fluid, COUNT, positions, NULL));
    free(positions);
    SAYS(wbWorld_Step(world, 0), wb_errorUnstable,
         "unstable at step 1: particles clump, with 1000000 neighbours each", "particle 0 at (0, 0, 0) m",
         "move particles apart");
    assert_true(wbWorld_GetProfile(world).peakBytes < 400e6);
    wbDestroyWorld(world);
}

// The health checks do not need many particles: a thousand never have the neighbours of a clump.
static void testFewUnstableParticlesAreStopped(void **state) {
    (void)state;
    const float steps[] = {0.0025f, 0.004f, 0.01f};
    for (int k = 0; k < 3; k++) {
        wbWorldDef def = makeDef(0.05f);
        def.params.dt = steps[k];
        wbWorld *world = makeBlock(&def);
        assert_true(wbWorld_GetStableStep(world) < 0.0022f && wbWorld_GetTimeStep(world) == steps[k]);
        SAYS(stepUntilFailure(world, 1000, NULL, NULL), wb_errorUnstable,
             "above the stable limit of 0.0021 s");
        wbDestroyWorld(world);
    }
}

static void testPointIsStopped(void **state) {
    (void)state;
    static float positions[3 * 500];
    for (int k = 0; k < 4; k++)
        for (int count = 100; count <= 500; count += 400) {
            wbWorldDef def = makeDef(0.05f);
            wbFluidDef fluid = wbDefaultFluidDef();
            wbFluidId id;
            wbWorld *world;
            def.params.dimensions = k % 2 ? 2 : 3;
            fluid.solver = k < 2 ? wb_solverSph : wb_solverPbf;
            for (int i = 0; i < 3 * count; i++) positions[i] = 0.5f;
            assertOk(wbCreateWorld(&def, &world));
            assertOk(wbCreateFluid(world, &fluid, &id));
            assertOk(wbFluid_AddParticles(world, id, count, positions, NULL));
            SAYS(stepUntilFailure(world, 3, NULL, NULL), wb_errorUnstable, "unstable at step 1",
                 "particles clump, ");
            wbDestroyWorld(world);
        }
}

// An automatic step that shrinks to nothing, but not because of what was asked for.
static void testCollapsedStepIsStopped(void **state) {
    (void)state;
    const float position[3] = {0.5f, 0.5f, 0.5f}, fast[3] = {0, 0, 1e6f};
    for (int k = 0; k < 2; k++) {
        wbWorldDef def = makeDef(0.1f);
        wbFluidDef fluid = wbDefaultFluidDef();
        wbFluidId id;
        wbWorld *world;
        fluid.solver = k ? wb_solverPbf : wb_solverSph;
        assertOk(wbCreateWorld(&def, &world));
        assertOk(wbCreateFluid(world, &fluid, &id));
        assertOk(wbFluid_AddParticles(world, id, 1, position, NULL));
        assertOk(wbWorld_Step(world, 0));
        world->solvers[fluid.solver].liquid->particles->maxSpeed = 1e6f;
        wbStatus status = wbWorld_Step(world, 0);
        SAYS(status, wb_errorUnstable, "unstable at step 2", "the stable step has collapsed to ",
             "by speeds up to 1e+06 m/s");
        assert_string_equal(wbWorld_Step(world, 0).text, status.text);
        wbDestroyWorld(world);
        assertOk(wbCreateWorld(&def, &world));
        assertOk(wbCreateFluid(world, &fluid, &id));
        assertOk(wbFluid_AddParticles(world, id, 1, position, fast));
        for (int n = 0; n < 3; n++) assertOk(wbWorld_Step(world, 0));
        wbDestroyWorld(world);
    }
}

// Water of split at rest without weight allows minutes; a plate that is driven into it makes that a part of a frame, which is no collapse.
static void testDrivenIntoRestingWater(void **state) {
    (void)state;
    wbWorldDef def = makeDef(0.1f);
    wbRigidBodyDef body = wbDefaultRigidBodyDef();
    wbRigidBodyId bodyId;
    wbFluidId id;
    const wbBlockDef block = {.min = {1.5f, 0.5f, 0.5f}, .max = {2.2f, 1.5f, 1.5f}};
    def.params.gravity = wbMakeVec3(0, 0, 0);
    def.domain.max = wbMakeVec3(3, 2, 2), def.sph.method = wb_sphSplit;
    wbWorld *world = makeWorld(&def, &id);
    assertOk(wbFluid_AddBlock(world, id, &block));
    body.params.type = wb_rigidKinematic, body.params.velocity = wbMakeVec3(3, 0, 0);
    body.params.position = wbMakeVec3(1, 1, 1), body.params.size = wbMakeVec3(0.02f, 0.8f, 0.8f);
    assertOk(wbCreateRigidBody(world, &body, &bodyId));
    for (int n = 0; n < 30; n++) assertOk(wbWorld_Step(world, 0));
    assert_true(world->solvers[wb_solverSph].liquid->particles->maxSpeed > 2);
    wbDestroyWorld(world);
}

// What is stable is known from the step before. If it turns out to be much shorter, the step is not gone through to its end: with
// speeds that a damaged checkpoint may hold that took minutes.
static void testCollapseWithinAStepIsStopped(void **state) {
    (void)state;
    const float position[3] = {0.5f, 0.5f, 0.5f};
    wbWorldDef def = makeDef(0.02f);
    wbFluidId id;
    def.sph.sideRestitution = 1;
    wbWorld *world = makeWorld(&def, &id);
    assertOk(wbFluid_AddParticles(world, id, 1, position, NULL));
    assertOk(wbWorld_Step(world, 0));
    world->solvers[wb_solverSph].liquid->particles->vx[0] = 5e4f;
    SAYS(wbWorld_Step(world, 0), wb_errorUnstable, "unstable at step 2",
         " sub-steps, since what is stable fell to ", " s; allowed are 4096");
    wbDestroyWorld(world);
}

static void testCollapsedStepOfAirIsStopped(void **state) {
    (void)state;
    wbWorldDef def = makeDef(0.1f);
    wbWorld *world;
    def.hasSmoke = true;
    assertOk(wbCreateWorld(&def, &world));
    assertOk(wbWorld_Step(world, 0));
    wbGetAir(world)->smoke.maxSpeed = 1e8f;
    SAYS(wbWorld_Step(world, 0), wb_errorUnstable, "unstable at step 2", "the stable step has collapsed to ",
         "smoke.longestStep");
    wbDestroyWorld(world);
}

// Memory

static void testParticlesAboveTheLimitAreRefused(void **state) {
    (void)state;
    wbWorldDef def = makeDef(0.01f);
    wbFluidId fluid;
    def.params.memoryLimit = 4e6f;
    wbWorld *world = makeWorld(&def, &fluid);
    wbBlockDef small = {.max = wbMakeVec3(0.1f, 0.1f, 0.1f)}, large = {.max = wbMakeVec3(1, 1, 1)};
    assertOk(wbFluid_AddBlock(world, fluid, &small));
    size_t bytes = wbWorld_GetProfile(world).bytes;
    uint64_t allocations = wbWorld_GetProfile(world).allocations, hash = wbWorld_Hash(world);
    SAYS(wbFluid_AddBlock(world, fluid, &large), wb_errorMemory,
         "1001000 particles need 68.1 MB more memory than the ",
         " kB in use, world.memoryLimit is 4.0 MB: set it to 6.9e+07 or more, use fewer particles or a "
         "larger sph.spacing");
    assert_int_equal(wbFluid_GetParticleCount(world, fluid), 1000);
    assert_int_equal(wbWorld_GetProfile(world).bytes, bytes);
    assert_int_equal(wbWorld_GetProfile(world).allocations, allocations);
    assert_true(wbWorld_Hash(world) == hash);
    wbDestroyWorld(world);
}

static void *refuseAll(size_t bytes, size_t alignment, void *context) {
    (void)bytes, (void)alignment, (void)context;
    return NULL;
}

static void refuseRelease(void *memory, size_t bytes, void *context) {
    (void)memory, (void)bytes, (void)context;
    fail();
}

static void testSystemWithoutMemoryIsToldFromTheLimit(void **state) {
    (void)state;
    wbWorldDef def = makeDef(0.01f);
    wbFluidId fluid;
    wbWorld *world = makeWorld(&def, &fluid);
    wbBlockDef block = {.max = wbMakeVec3(0.5f, 0.5f, 0.5f)};
    wbSetAllocator(&(wbAllocator){refuseAll, refuseRelease, NULL});
    wbStatus status = wbFluid_AddBlock(world, fluid, &block);
    wbSetAllocator(NULL);
    SAYS(status, wb_errorMemory, "125000 particles need 500.1 kB more memory than the ",
         "which the system does not give: end other programs");
    wbDestroyWorld(world);
}

static float getMemoryLimit(const wbWorld *world) { return wbWorld_GetWorldParams(world)->memoryLimit; }

// A step that fails for memory leaves the state as it was; with a higher limit the world goes on as one that never
// failed.
static void checkStepGoesBack(const char *integrator, const char *tension) {
    wbWorldDef def = makeDef(0.05f);
    wbWorld *smooth = makeBlock(&def), *failing = makeBlock(&def);
    char text[32];
    for (int k = 0; k < 3; k++) {
        assertOk(wbWorld_SetParam(smooth, "sph.integrator", integrator));
        assertOk(wbWorld_SetParam(failing, "sph.integrator", integrator));
        assertOk(wbWorld_SetParam(smooth, "sph.surfaceTension", tension));
        assertOk(wbWorld_SetParam(failing, "sph.surfaceTension", tension));
        assertOk(wbWorld_Step(smooth, 0));
        assertOk(wbWorld_Step(failing, 0));
    }
    // a wider kernel needs longer lists: from the memory that is held on, each step fails a little later
    assertOk(wbWorld_SetParam(smooth, "sph.smoothing", "5"));
    assertOk(wbWorld_SetParam(failing, "sph.smoothing", "5"));
    wbFluidId fluid = wbWorld_GetFluid(failing, 0);
    static float before[3000], velocityBefore[3000], after[3000], velocityAfter[3000];
    assertOk(wbFluid_CopyById(failing, fluid, before, velocityBefore));
    int failures = 0;
    double limit = (double)wbWorld_GetProfile(failing).bytes;
    if (limit < 1e6) limit = 1e6;
    for (;; limit *= 1.05) {
        snprintf(text, sizeof text, "%.0f", limit);
        assertOk(wbWorld_SetParam(failing, "world.memoryLimit", text));
        wbStatus status = wbWorld_Step(failing, 0);
        if (wbIsOk(status)) break;
        SAYS(status, wb_errorMemory, "more memory than the", "in use, world.memoryLimit is", "set it to");
        failures++;
        memset(after, 0, sizeof after);
        assertOk(wbFluid_CopyById(failing, fluid, after, velocityAfter));
        assert_memory_equal(after, before, sizeof before);
        assert_memory_equal(velocityAfter, velocityBefore, sizeof velocityBefore);
        assert_true(wbWorld_GetStepCount(failing) == 3);
    }
    assert_true(failures > 3);
    assertOk(wbWorld_Step(smooth, 0));
    assert_true(wbWorld_Hash(smooth) == wbWorld_Hash(failing));
    assert_true((double)getMemoryLimit(failing) < 8e9);
    wbDestroyWorld(smooth);
    wbDestroyWorld(failing);
}

static void testStepGoesBackAndOn(void **state) {
    (void)state;
    checkStepGoesBack("euler", "0");
    checkStepGoesBack("euler", "0.07");
    checkStepGoesBack("symplectic", "0");
    checkStepGoesBack("symplectic", "0.07");
    checkStepGoesBack("leapfrog", "0");
    checkStepGoesBack("leapfrog", "0.07");
}

static void testLimitBelowUseIsRefused(void **state) {
    (void)state;
    wbWorldDef def = makeDef(0.02f);
    wbWorld *world = makeBlock(&def);
    SAYS(wbWorld_SetParam(world, "world.memoryLimit", "1e6"), wb_errorInput,
         "world.memoryLimit is 1e+06, but the world", "already uses");
    assert_true(getMemoryLimit(world) == 8e9f);
    wbDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testEnergyCheckNamesTheWorstParticle),
        cmocka_unit_test(testEnergyCheckOutlivesParameters),
        cmocka_unit_test(testEnergyCheckFollowsGravity),
        cmocka_unit_test(testEnergyCheckFollowsNewParticles),
        cmocka_unit_test(testNonFiniteNamesParticleAndPlace),
        cmocka_unit_test(testClumpIsStoppedBeforeItCosts),
        cmocka_unit_test(testFewUnstableParticlesAreStopped),
        cmocka_unit_test(testPointIsStopped),
        cmocka_unit_test(testCollapsedStepIsStopped),
        cmocka_unit_test(testDrivenIntoRestingWater),
        cmocka_unit_test(testCollapseWithinAStepIsStopped),
        cmocka_unit_test(testCollapsedStepOfAirIsStopped),
        cmocka_unit_test(testParticlesAboveTheLimitAreRefused),
        cmocka_unit_test(testSystemWithoutMemoryIsToldFromTheLimit),
        cmocka_unit_test(testStepGoesBackAndOn),
        cmocka_unit_test(testLimitBelowUseIsRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
