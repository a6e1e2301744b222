// SPDX-License-Identifier: MIT
// Fluids of different rest density in one solver.
#include "densities_support.h"

static void testReference(void **state) {
    (void)state;
    expectReference(wb_backendCpu);
}

static void testMomentum(void **state) {
    (void)state;
    expectMomentum(wb_backendCpu);
}

static void testResume(void **state) {
    (void)state;
    expectResume(wb_solverSph, wb_backendCpu);
    expectResume(wb_solverPbf, wb_backendCpu);
}

static void expectThreadsChangeNothing(wbFluidSolver solver) {
    uint64_t hashes[2];
    for (int k = 0; k < 2; k++) {
        wbWorld *world = createPipe(solver, wb_backendCpu, k ? 3 : 1);
        stepPipe(solver, world, 300);
        hashes[k] = wbWorld_Hash(world);
        wbDestroyWorld(world);
    }
    assert_true(hashes[0] == hashes[1]);
}

static void testThreads(void **state) {
    (void)state;
    expectThreadsChangeNothing(wb_solverSph);
    expectThreadsChangeNothing(wb_solverPbf);
}

// What a fluid says of itself, and what the world weighs.
static void testMasses(void **state) {
    (void)state;
    Setup setup = makeShaken(2, 9, 9, 1);
    wbFluidId fluids[fluidKinds];
    wbWorld *world = createMixed(&setup, fluids);
    double site = 0.1 * 0.1, mass = 0;
    for (int k = 0; k < fluidKinds; k++) {
        double density = restDensities[k] > 0 ? restDensities[k] : 1000;
        assertBelow(fabs(wbFluid_GetRestDensity(world, fluids[k]) - density), 0, "rest density");
        assertBelow(fabs(wbFluid_GetParticleMass(world, fluids[k]) / (density * site) - 1), 1e-6, "mass");
        mass += density * site * wbFluid_GetParticleCount(world, fluids[k]);
        wbView view;
        assertOk(wbFluid_GetView(world, fluids[k], &view));
        for (int i = 0; i < view.count; i++)
            assertBelow(fabs(view.density[i] / density - 1), 1e-6, "density");
    }
    wbStats stats = wbWorld_GetStats(world);
    assertBelow(fabs(stats.mass / mass - 1), 1e-6, "mass of all");
    // a new density of the solver leaves what has its own
    assertOk(wbWorld_SetParam(world, "sph.restDensity", "500"));
    assert_true(wbFluid_GetRestDensity(world, fluids[0]) == 500 &&
                wbFluid_GetRestDensity(world, fluids[1]) == 300);
    for (int s = 0; s < 20; s++) assertOk(wbWorld_Step(world, 0));
    wbDestroyWorld(world);
}

// The limit of the step is that of the lightest fluid, whose sound is fastest.
static void testStep(void **state) {
    (void)state;
    Setup setup = makeShaken(2, 9, 9, 1);
    wbFluidId fluids[fluidKinds], water;
    setup.def.sph.viscosity = 0;
    memset(setup.v, 0, sizeof setup.v);
    wbWorld *mixed = createMixed(&setup, fluids), *alone = createWorld(&setup, &water);
    double ratio = wbWorld_GetStableStep(mixed) / wbWorld_GetStableStep(alone);
    assertBelow(fabs(ratio / sqrt(0.3) - 1), 1e-5, "stable step");
    wbDestroyWorld(mixed), wbDestroyWorld(alone);
}

static void testBadDensities(void **state) {
    (void)state;
    Setup setup = makeShaken(2, 3, 3, 1);
    wbWorld *world;
    wbFluidId fluid;
    assertOk(wbCreateWorld(&setup.def, &world));
    const float bad[] = {NAN, -1, 1e-4f, 2e6f, INFINITY};
    for (int k = 0; k < 5; k++) {
        wbFluidDef def = wbDefaultFluidDef();
        def.restDensity = bad[k], def.solver = k % 2 ? wb_solverPbf : wb_solverSph;
        wbStatus status = wbCreateFluid(world, &def, &fluid);
        assert_int_equal(status.code, wb_errorInput);
        assert_non_null(strstr(status.text, "allowed is 0.001 to 1e+06 kg/m3"));
    }
    assert_int_equal(wbWorld_GetFluidCount(world), 0);
    wbDestroyWorld(world);
}

// Where all fluids have the solver's density, said or not, nothing is another bit; the hash alone knows what was said.
static void testEqualDensities(void **state) {
    (void)state;
    static float a[3 * maxParticles], b[3 * maxParticles];
    Setup setup = makeBoxed(2);
    for (int said = 0; said < 2; said++) {
        wbFluidDef def = wbDefaultFluidDef();
        wbFluidId fluid;
        wbWorld *world;
        def.restDensity = said ? 1000 : 0;
        assertOk(wbCreateWorld(&setup.def, &world));
        assertOk(wbCreateFluid(world, &def, &fluid));
        assertOk(wbFluid_AddParticles(world, fluid, setup.count, setup.x, setup.v));
        for (int s = 0; s < 20; s++) assertOk(wbWorld_Step(world, 0));
        assertOk(wbFluid_CopyById(world, fluid, said ? a : b, NULL));
        wbDestroyWorld(world);
    }
    assert_memory_equal(a, b, sizeof(float[3]) * (size_t)setup.count);
}

// Heavy fluid on a shelf of its own weight: what it rests on bears it, and what turns in it is held back by its mass.
static wbWorld *createTray(float density) {
    wbWorldDef def = wbDefaultWorldDef();
    wbWorld *world;
    wbFluidId fluid;
    wbColliderId tray;
    def.params.dimensions = 2, def.pbf.spacing = 0.05f;
    def.domain.max = wbMakeVec3(1, 1.2f, 0);
    assertOk(wbCreateWorld(&def, &world));
    wbFluidDef water = wbDefaultFluidDef();
    water.solver = wb_solverPbf, water.restDensity = density;
    assertOk(wbCreateFluid(world, &water, &fluid));
    wbColliderDef collider = wbDefaultColliderDef();
    collider.params.shape = wb_shapeBox, collider.params.size = wbMakeVec3(1, 0.2f, 1);
    collider.params.position = wbMakeVec3(0.5f, 0.1f, 0);
    assertOk(wbCreateCollider(world, &collider, &tray));
    wbBlockDef block = {.min = {0, 0.2f, 0}, .max = {1, 0.7f, 0}};
    assertOk(wbFluid_AddBlock(world, fluid, &block));
    return world;
}

static void testWeightOnColliders(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        wbWorld *world = createTray(k ? 4000 : 250);
        double sum = 0;
        for (int s = 0; s < 120; s++) {
            assertOk(wbWorld_Step(world, 1.0f / 60));
            if (s >= 60) sum += wbCollider_GetStats(world, wbWorld_GetCollider(world, 0)).force[1] / 60;
        }
        assertBelow(fabs(-sum / (wbWorld_GetStats(world).mass * 9.81) - 1), 0.03, "weight");
        wbDestroyWorld(world);
    }
}

// A new density of the solver: the account of the energy follows.
static void testDensityOfSolver(void **state) {
    (void)state;
    wbWorld *world = createPipe(wb_solverPbf, wb_backendCpu, 1);
    stepPipe(wb_solverPbf, world, 300);
    assertOk(wbWorld_SetParam(world, "pbf.restDensity", "20"));
    assert_true(wbFluid_GetRestDensity(world, wbWorld_GetFluid(world, 1)) == 200);
    stepPipe(wb_solverPbf, world, 300);
    wbDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testReference),
        cmocka_unit_test(testMomentum),
        cmocka_unit_test(testResume),
        cmocka_unit_test(testThreads),
        cmocka_unit_test(testMasses),
        cmocka_unit_test(testStep),
        cmocka_unit_test(testBadDensities),
        cmocka_unit_test(testEqualDensities),
        cmocka_unit_test(testWeightOnColliders),
        cmocka_unit_test(testDensityOfSolver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
