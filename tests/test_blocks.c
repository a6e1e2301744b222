// SPDX-License-Identifier: MIT
// Blocks of fluid at the start: which layers fit, where they lie, what they weigh, and that they stay calm.
#include <float.h>

#include "pbf_world_support.h"

static const wbFluidSolver solvers[2] = {wb_solverSph, wb_solverPbf};

typedef struct Tank {
    wbWorld *world;
    wbFluidId fluid;
} Tank;

// A closed box of 1 m.
static Tank makeTank(wbFluidSolver solver, int dimensions, float spacing) {
    Tank tank;
    wbWorldDef def = wbDefaultWorldDef();
    wbFluidDef fluid = wbDefaultFluidDef();
    def.threadCount = 1, def.params.dimensions = dimensions;
    def.sph.spacing = def.pbf.spacing = spacing;
    def.domain.max = wbMakeVec3(1, 1, 1);
    for (int s = 0; s < wb_sideCount; s++) def.domain.sides[s].type = wb_sideFreeSlip;
    fluid.solver = solver;
    assertOk(wbCreateWorld(&def, &tank.world));
    assertOk(wbCreateFluid(tank.world, &fluid, &tank.fluid));
    return tank;
}

// What gravity alone gives in a frame, and a little more: nothing presses.
static void assertCalm(wbWorld *world, const char *what, double spacing) {
    while (wbWorld_GetTime(world) < 1.0 / 60) assertOk(wbWorld_Step(world, 0));
    double fall = 9.81 * wbWorld_GetTime(world);
    wbStats stats = wbWorld_GetStats(world);
    if (stats.kinetic < 1.5 * 0.5 * stats.mass * fall * fall) return;
    fail_msg("%s at spacing %g: %g J of %g kg", what, spacing, stats.kinetic, stats.mass);
}

static void fillTank(const Tank *tank) {
    addBlock(tank->world, tank->fluid, wbMakeVec3(0, 0, 0), wbMakeVec3(1, 1, 1));
}

static void testFullBoxesAreCalm(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int d = 2; d <= 3; d++)
            for (float spacing = 0.06f; spacing < 0.125f; spacing += 0.007f) {
                Tank tank = makeTank(solvers[k], d, spacing);
                fillTank(&tank);
                assertCalm(tank.world, k ? "pbf" : "sph", (double)spacing);
                wbDestroyWorld(tank.world);
            }
}

// The lattice keeps half a spacing from the collider, too, on each of its sides.
static void testBlocksAroundCollidersAreCalm(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int d = 2; d <= 3; d++)
            for (float spacing = 0.06f; spacing < 0.125f; spacing += 0.013f) {
                Tank tank = makeTank(solvers[k], d, spacing);
                addBox(tank.world, "post", wbMakeVec3(0.47f, 0.31f, d == 3 ? 0.53f : 0),
                       wbMakeVec3(0.33f, 0.41f, 0.37f));
                fillTank(&tank);
                assertCalm(tank.world, k ? "pbf around a post" : "sph around a post", (double)spacing);
                wbDestroyWorld(tank.world);
            }
}

static void testEmittedBlocksAreCalm(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++)
        for (float spacing = 0.06f; spacing < 0.125f; spacing += 0.02f) {
            Tank tank = makeTank(solvers[k], 3, spacing);
            wbEmitterDef def = wbDefaultEmitterDef();
            addBox(tank.world, "post", wbMakeVec3(0.47f, 0.31f, 0.53f), wbMakeVec3(0.33f, 0.41f, 0.37f));
            def.fluid = tank.fluid, def.params.kind = wb_emitterBlock, def.params.velocity = 0;
            def.params.min = wbMakeVec3(0, 0, 0), def.params.max = wbMakeVec3(1, 1, 1);
            addEmitter(tank.world, &def);
            assertOk(wbWorld_SetParam(tank.world, "sph.soundSpeed", "40"));
            assertCalm(tank.world, k ? "emitted pbf" : "emitted sph", (double)spacing);
            assert_true(wbFluid_GetParticleCount(tank.world, tank.fluid) > 100);
            wbDestroyWorld(tank.world);
        }
}

// Whatever the floats: n spacings are n layers.
static void testWholeLayersAreKept(void **state) {
    (void)state;
    const float starts[] = {0, 0.1f, -0.3f, 7.77f, 1000.1f};
    for (size_t k = 0; k < sizeof starts / sizeof starts[0]; k++)
        for (int n = 1; n < 400; n++)
            for (int tenths = 1; tenths < 30; tenths += 4) {
                float spacing = 0.1f * (float)tenths;
                wbBlockDef block = {.min = wbMakeVec3(starts[k], 0, 0),
                                    .max = wbMakeVec3(starts[k] + (float)n * spacing, spacing, 0)};
                assert_true(wbBlockDef_CountParticles(&block, (double)spacing, 2) == n);
            }
}

static void findBounds(const Tank *tank, float min[3], float max[3]) {
    wbView view = getView(tank->world, tank->fluid);
    for (int a = 0; a < 3; a++) min[a] = FLT_MAX, max[a] = -FLT_MAX;
    for (int i = 0; i < view.count; i++) {
        const float p[3] = {view.x[i], view.y[i], view.z[i]};
        for (int a = 0; a < 3; a++) min[a] = fminf(min[a], p[a]), max[a] = fmaxf(max[a], p[a]);
    }
}

static void testLayersLieInTheMiddle(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int isEmitted = 0; isEmitted < 2; isEmitted++) {
            Tank tank = makeTank(solvers[k], 3, 0.08f);
            float min[3], max[3];
            wbEmitterDef def = wbDefaultEmitterDef();
            def.fluid = tank.fluid, def.params.kind = wb_emitterBlock, def.params.velocity = 0;
            def.params.min = wbMakeVec3(0, 0.1f, 0), def.params.max = wbMakeVec3(1, 0.75f, 0.05f);
            if (isEmitted) {
                assertOk(wbWorld_SetParam(tank.world, "world.gravity", "0,0,0"));
                addEmitter(tank.world, &def);
                assertOk(wbWorld_Step(tank.world, 1e-6f));
            } else {
                addBlock(tank.world, tank.fluid, def.params.min, def.params.max);
            }
            assert_int_equal(wbFluid_GetParticleCount(tank.world, tank.fluid), 12 * 8);
            findBounds(&tank, min, max);
            assert_float_equal(min[0], 0.02 + 0.04, 1e-5);
            assert_float_equal(max[0], 1 - 0.02 - 0.04, 1e-5);
            assert_float_equal(min[1], 0.105 + 0.04, 1e-5);
            assert_float_equal(max[1], 0.745 - 0.04, 1e-5);
            assert_float_equal(min[2], 0.04, 1e-5); // thinner than a layer: it keeps off the side
            wbDestroyWorld(tank.world);
        }
}

// A block that reaches a little behind a side is one that ends there.
static void testBlockBeyondASideEndsThere(void **state) {
    (void)state;
    Tank tank = makeTank(wb_solverSph, 2, 0.1f);
    float min[3], max[3];
    addBlock(tank.world, tank.fluid, wbMakeVec3(-0.04f, 0, 0), wbMakeVec3(1.03f, 0.5f, 0));
    assert_int_equal(wbFluid_GetParticleCount(tank.world, tank.fluid), 50);
    findBounds(&tank, min, max);
    assert_float_equal(min[0], 0.05, 1e-6);
    assert_float_equal(max[0], 0.95, 1e-6);
    wbBlockDef block = {.min = wbMakeVec3(-0.2f, 0, 0), .max = wbMakeVec3(0.5f, 0.5f, 0)};
    assert_int_equal(wbFluid_AddBlock(tank.world, tank.fluid, &block).code, wb_errorInput);
    wbDestroyWorld(tank.world);
}

static void testSpeedsAreThoseOfScenes(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        Tank tank = makeTank(solvers[k], 3, 0.1f);
        const float place[3] = {0.5f, 0.5f, 0.5f}, fast[3] = {0, -1.1e6f, 0}, allowed[3] = {0, 1e6f, 0};
        wbBlockDef block = {.max = wbMakeVec3(1, 1, 1), .velocity = wbMakeVec3(0, 0, 1e30f)};
        wbStatus status = wbFluid_AddBlock(tank.world, tank.fluid, &block);
        assert_int_equal(status.code, wb_errorInput);
        assert_non_null(strstr(status.text, "velocity along z is 1e+30, allowed is -1e+06 to 1e+06 m/s"));
        status = wbFluid_AddParticles(tank.world, tank.fluid, 1, place, fast);
        assert_int_equal(status.code, wb_errorInput);
        assert_non_null(strstr(status.text, "velocity along y is -1.1e+06"));
        assert_int_equal(wbFluid_GetParticleCount(tank.world, tank.fluid), 0);
        assertOk(wbFluid_AddParticles(tank.world, tank.fluid, 1, place, allowed));
        wbDestroyWorld(tank.world);
    }
}

static void testVolumeWeighsRestDensity(void **state) {
    (void)state;
    const float spacings[] = {0.2f, 0.1f, 0.05f, 0.04f};
    const char *const smoothings[] = {"1.7", "2.1", "3"};
    for (int d = 2; d <= 3; d++)
        for (int k = 0; k < 12; k++) {
            Tank tank = makeTank(wb_solverSph, d, spacings[k % 4]);
            assertOk(wbWorld_SetParam(tank.world, "sph.smoothing", smoothings[k % 3]));
            assertOk(wbWorld_SetParam(tank.world, "sph.kernel", k % 2 ? "muller" : "wendland"));
            assertOk(wbWorld_SetParam(tank.world, "sph.restDensity", k < 6 ? "1000" : "790"));
            fillTank(&tank);
            double mass = wbWorld_GetStats(tank.world).mass, wanted = k < 6 ? 1000 : 790;
            if (fabs(mass / wanted - 1) > 1e-6) fail_msg("%g kg instead of %g", mass, wanted);
            // and the lattice is as dense
            wbView view;
            assertOk(wbWorld_Step(tank.world, 1e-6f));
            view = getView(tank.world, tank.fluid);
            for (int i = 0; i < view.count; i++)
                assert_true(fabs((double)view.density[i] / wanted - 1) < 1e-5);
            wbDestroyWorld(tank.world);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testFullBoxesAreCalm),       cmocka_unit_test(testBlocksAroundCollidersAreCalm),
        cmocka_unit_test(testEmittedBlocksAreCalm),   cmocka_unit_test(testWholeLayersAreKept),
        cmocka_unit_test(testLayersLieInTheMiddle),   cmocka_unit_test(testBlockBeyondASideEndsThere),
        cmocka_unit_test(testSpeedsAreThoseOfScenes), cmocka_unit_test(testVolumeWeighsRestDensity),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
