// SPDX-License-Identifier: MIT
// The fast solver through the public interface: against the reference, and what it promises by itself.
#include <stdlib.h>

#include "sph_support.h"

// Every instruction set that this machine has.
static wbSimd nextSimd(wbSimd simd) {
    do {
        simd = (wbSimd)(simd + 1);
    } while (simd <= wb_simdAvx512 && !wbIsSimdSupported(simd));
    return simd;
}
#define FOR_EACH_SIMD(simd)                                                                                  \
    for (wbSimd simd = nextSimd(wb_simdAuto); simd <= wb_simdAvx512; simd = nextSimd(simd))

// Against the reference

static void compareEvaluation(Setup *setup) {
    setup->def.sph.integrator = wb_integratorEuler;
    refSph *reference = createReference(setup);
    refEvaluateSph(reference);
    FOR_EACH_SIMD(simd) {
        setup->def.simd = simd;
        compareFirstStep(setup, reference);
    }
    refDestroySph(reference);
}

static void testEvaluation(void **state) {
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        Setup setup = makeBoxed(dimensions);
        for (int variant = 0; variant < variantCount; variant++) {
            setVariant(&setup.def.sph, variant);
            compareEvaluation(&setup);
        }
    }
}

static void testSurface(void **state) {
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        Setup setup = makeBoxed(dimensions);
        for (int variant = 0; variant < surfaceVariantCount; variant++) {
            setSurfaceVariant(&setup.def.sph, variant);
            compareEvaluation(&setup);
        }
    }
}

// Sides mirror the surface too, which makes a contact angle of 90 degrees: half a drop on one is like a whole one.
static void testSurfaceAtSide(void **state) {
    (void)state;
    static float whole[3 * maxParticles], half[3 * maxParticles];
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        Setup setup = dimensions == 2 ? makeShaken(2, 12, 9, 1) : makeShaken(3, 8, 7, 6);
        wbFluidId fluid;
        setup.def.params.gravity = wbMakeVec3(0, 0, 0);
        setSurfaceVariant(&setup.def.sph, 3);
        setup.def.domain.sides[wb_bottom].type = wb_sideFreeSlip;
        wbWorld *world = createWorld(&setup, &fluid);
        assertOk(wbWorld_Step(world, 1e-3f));
        assertOk(wbFluid_CopyById(world, fluid, NULL, half));
        wbDestroyWorld(world);
        setup.def.domain.sides[wb_bottom].type = wb_sideOpen;
        for (int i = 0; i < 3 * setup.count; i++) {
            float sign = i % 3 == 1 ? -1 : 1;
            setup.x[3 * setup.count + i] = sign * setup.x[i],
                                      setup.v[3 * setup.count + i] = sign * setup.v[i];
        }
        setup.count *= 2;
        world = createWorld(&setup, &fluid);
        assertOk(wbWorld_Step(world, 1e-3f));
        assertOk(wbFluid_CopyById(world, fluid, NULL, whole));
        for (int i = 0; i < 3 * setup.count / 2; i++)
            assertBelow(fabsf(whole[i] - half[i]), 1e-5, "velocity");
        wbDestroyWorld(world);
    }
}

static void testSurfaceOffIsOff(void **state) {
    (void)state;
    Setup setup = makeBoxed(3);
    uint64_t expected = hashAfter(&setup, 10);
    setup.def.sph.smoothNormals = true;
    assert_true(hashAfter(&setup, 10) == expected);
    setup.def.sph.surfaceTension = 1e-3f;
    assert_true(hashAfter(&setup, 10) != expected);
}

static void testFarApart(void **state) {
    (void)state;
    Setup setup = makeFarApart(900);
    compareEvaluation(&setup);
}

static void compareSteps(Setup *setup, wbIntegrator integrator) {
    refSph *reference = stepReference(setup, integrator);
    FOR_EACH_SIMD(simd) {
        setup->def.simd = simd;
        compareState(setup, reference);
    }
    refDestroySph(reference);
}

// Pressure waves, and particles that hit sides: rounding has not grown yet, a wrong term would have.
static void testSteps(void **state) {
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        Setup setup = makeBouncing(dimensions);
        compareSteps(&setup, wb_integratorEuler);
        compareSteps(&setup, wb_integratorSymplectic);
        compareSteps(&setup, wb_integratorLeapfrog);
    }
}

// A parameter that changes while the world runs takes effect with the next step, as if it had been so.
static void testParametersChange(void **state) {
    (void)state;
    wbWorld *world = compareChanges(wb_backendCpu);
    assert_int_equal(wbWorld_SetParam(world, "sph.viscosity", "-1").code, wb_errorInput);
    assert_int_equal(wbWorld_SetParam(world, "sph.spacing", "0.2").code, wb_errorInput); // fixed
    wbDestroyWorld(world);
}

// Promises

static void testThreadsChangeNothing(void **state) {
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        Setup setup = dimensions == 2 ? makeShaken(2, 61, 41, 1) : makeShaken(3, 16, 16, 12);
        setSides(&setup.def.domain, wb_sideFreeSlip);
        setup.def.domain.max.x *= 1.5f;
        setup.def.sph.integrator = dimensions == 2 ? wb_integratorSymplectic : wb_integratorLeapfrog;
        setup.def.sph.surfaceTension = dimensions == 2 ? 0 : 5;
        FOR_EACH_SIMD(simd) {
            setup.def.simd = simd;
            setup.def.threadCount = 1;
            uint64_t expected = hashAfter(&setup, 8);
            setup.def.threadCount = 3;
            assert_true(hashAfter(&setup, 8) == expected);
        }
    }
}

static void runTasks(int count, wbTaskFn *task, void *taskContext, void *hostContext) {
    ++*(int *)hostContext;
    for (int i = count - 1; i >= 0; i--) task(i, taskContext);
}

static void testHostSchedulerChangesNothing(void **state) {
    (void)state;
    int calls = 0;
    Setup setup = makeBoxed(3);
    uint64_t expected = hashAfter(&setup, 20);
    setup.def.parallel = runTasks;
    setup.def.parallelContext = &calls;
    setup.def.threadCount = 3;
    assert_true(hashAfter(&setup, 20) == expected);
    assert_true(calls > 0);
}

static void testWorldsDoNotKnowEachOther(void **state) {
    (void)state;
    Setup setup = makeBoxed(3), other = makeBoxed(2);
    wbFluidId fluid, otherFluid;
    uint64_t alone = hashAfter(&setup, 10);
    wbWorld *world = createWorld(&setup, &fluid), *otherWorld = createWorld(&other, &otherFluid);
    for (int i = 0; i < 10; i++) {
        assertOk(wbWorld_Step(world, 0));
        assertOk(wbWorld_Step(otherWorld, 0));
    }
    assert_true(wbWorld_Hash(world) == alone);
    wbDestroyWorld(world);
    wbDestroyWorld(otherWorld);
}

// At rest every step needs what the step before needed.
static void testWarmStepsAllocateNothing(void **state) {
    (void)state;
    for (int integrator = wb_integratorEuler; integrator <= wb_integratorLeapfrog; integrator++) {
        Setup setup = makeShaken(3, 12, 12, 12);
        setSides(&setup.def.domain, wb_sideFreeSlip);
        setup.def.params.gravity = wbMakeVec3(0, 0, 0);
        setup.def.sph.integrator = (wbIntegrator)integrator;
        setup.def.sph.surfaceTension = 1, setup.def.sph.smoothNormals = true;
        memset(setup.v, 0, sizeof setup.v);
        wbFluidId fluid;
        wbWorld *world = createWorld(&setup, &fluid);
        for (int i = 0; i < 3; i++) assertOk(wbWorld_Step(world, 1e-9f));
        uint64_t before = wbWorld_GetProfile(world).allocations;
        for (int i = 0; i < 100; i++) assertOk(wbWorld_Step(world, 1e-9f));
        assert_int_equal(wbWorld_GetProfile(world).allocations, before);
        wbDestroyWorld(world);
    }
}

static void testMomentum(void **state) {
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        Setup setup = dimensions == 2 ? makeShaken(2, 30, 30, 1) : makeShaken(3, 10, 10, 10);
        setup.def.params.gravity = wbMakeVec3(0, 0, 0);
        setup.def.sph.artificialViscosity = 0.1f;
        setup.def.sph.surfaceTension = 20;
        wbFluidId fluid;
        wbWorld *world = createWorld(&setup, &fluid);
        wbStats before = wbWorld_GetStats(world);
        for (int i = 0; i < 200; i++) assertOk(wbWorld_Step(world, 0));
        wbStats after = wbWorld_GetStats(world);
        for (int k = 0; k < 3; k++) {
            assertBelow(fabs(after.momentum[k] - before.momentum[k]), 1e-6 * before.mass, "momentum drift");
        }
        assert_true(after.mass == before.mass);
        wbDestroyWorld(world);
    }
}

// Thrown into every corner of the box at a fifth of the speed of sound.
static void testSidesDoNotLeak(void **state) {
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        Setup setup = dimensions == 2 ? makeShaken(2, 30, 20, 1) : makeShaken(3, 12, 10, 8);
        setSides(&setup.def.domain, wb_sideFreeSlip);
        setup.def.domain.max = wbMakeVec3(4.1f, 3.3f, 1.7f);
        setup.def.sph.soundSpeed = 50;
        wbFluidId fluid;
        wbView view;
        wbWorld *world = createWorld(&setup, &fluid);
        for (int i = 0; i < 240; i++) {
            const char *pulls[] = {"80,60,40", "-80,60,-40", "80,-60,-40", "-80,-60,40"};
            if (i % 40 == 0) assertOk(wbWorld_SetParam(world, "world.gravity", pulls[i / 40 % 4]));
            assertOk(wbWorld_Step(world, 0));
            assert_int_equal(wbWorld_GetStats(world).leaked, 0);
        }
        assertOk(wbFluid_GetView(world, fluid, &view));
        assert_int_equal(view.count, setup.count);
        for (int k = 0; k < view.count * view.stride; k += view.stride) {
            assert_true(view.x[k] >= 0 && view.x[k] <= 4.1f && view.y[k] >= 0 && view.y[k] <= 3.3f);
            assert_true(view.z[k] >= 0 && view.z[k] <= 1.7f);
            if (dimensions == 2) assert_true(view.z[k] == 0 && view.vz[k] == 0);
        }
        wbDestroyWorld(world);
    }
}

// Particles that never meet fly straight on, each under its own id, through many sorts.
static void testIdsStay(void **state) {
    (void)state;
    static float x[3 * maxParticles];
    bool seen[500] = {0};
    Setup setup = {.def = wbDefaultWorldDef(), .count = 500};
    setup.def.params.gravity = wbMakeVec3(0, 0, 0);
    setup.def.sph.spacing = 1e-4f;
    for (int i = 0; i < 3 * setup.count; i++) {
        setup.x[i] = randomSigned((uint32_t)i);
        setup.v[i] = randomSigned((uint32_t)(i + 5000));
    }
    wbFluidId fluid;
    wbView view;
    wbWorld *world = createWorld(&setup, &fluid);
    for (int i = 0; i < 100; i++) assertOk(wbWorld_Step(world, 0.01f));
    assertOk(wbFluid_CopyById(world, fluid, x, NULL));
    for (int i = 0; i < 3 * setup.count; i++)
        assertBelow(fabsf(x[i] - setup.x[i] - setup.v[i]), 1e-4, "path");
    assertOk(wbFluid_GetView(world, fluid, &view));
    for (int k = 0; k < view.count; k++) {
        uint32_t id = view.id[k * view.stride];
        assert_true(id < 500 && !seen[id]);
        seen[id] = true;
        assert_true(view.x[k * view.stride] == x[3 * id]);
    }
    wbDestroyWorld(world);
}

// Free fall: the integrators' own sums.
static void testFreeFall(void **state) {
    (void)state;
    for (int integrator = wb_integratorEuler; integrator <= wb_integratorLeapfrog; integrator++) {
        Setup setup = {.def = wbDefaultWorldDef(), .count = 1};
        float x[3], v[3];
        setup.def.sph.integrator = (wbIntegrator)integrator;
        wbFluidId fluid;
        wbWorld *world = createWorld(&setup, &fluid);
        for (int i = 0; i < 100; i++) assertOk(wbWorld_Step(world, 0.01f));
        assertOk(wbFluid_CopyById(world, fluid, x, v));
        const double late[] = {0.01, -0.01, 0};
        assertBelow(fabs(x[1] + 9.81 * (1 - late[integrator]) / 2), 1e-5, "fallen height");
        assertBelow(fabs(v[1] + 9.81), 1e-5, "speed");
        assertBelow(fabs(wbWorld_GetTime(world) - 1), 1e-6, "time");
        wbDestroyWorld(world);
    }
}

// In 2D nothing leaves the plane, whatever vectors come from outside.
static void testPlaneStaysFlat(void **state) {
    (void)state;
    Setup setup = makeBoxed(2);
    setup.def.params.gravity = wbMakeVec3(0, -10, 7);
    setup.def.domain.sides[wb_top].velocity.z = -0.2f;
    wbFluidId fluid;
    wbView view;
    wbWorld *world = createWorld(&setup, &fluid);
    for (int i = 0; i < 10; i++) assertOk(wbWorld_Step(world, 0));
    assertOk(wbFluid_GetView(world, fluid, &view));
    for (int k = 0; k < view.count * view.stride; k += view.stride) {
        assert_true(view.z[k] == 0 && view.vz[k] == 0);
    }
    wbDestroyWorld(world);
}

// What no float can hold must end in an error that names the particle and the step.
static void testInstabilityIsReported(void **state) {
    (void)state;
    Setup setup = makeShaken(3, 10, 10, 10);
    wbFluidId fluid;
    wbWorld *world = createWorld(&setup, &fluid);
    wbStatus status = wbWorld_Step(world, 1e30f);
    assert_int_equal(status.code, wb_errorUnstable);
    assert_non_null(strstr(status.text, "particle"));
    assert_int_equal(wbWorld_Step(world, 0).code, wb_errorUnstable); // and stays so
    wbDestroyWorld(world);
}

// Between closed sides no position becomes infinite, but speeds run away.
static void testRunawayIsReported(void **state) {
    (void)state;
    Setup setup = makeBoxed(3);
    wbFluidId fluid;
    wbWorld *world = createWorld(&setup, &fluid);
    wbStatus status = wbWorld_Step(world, 0);
    for (int i = 0; i < 200 && wbIsOk(status); i++) status = wbWorld_Step(world, 1);
    assert_int_equal(status.code, wb_errorUnstable);
    assert_non_null(strstr(status.text, "above the stable limit"));
    wbDestroyWorld(world);
}

// The automatic step shrinks with the speeds that are there.
static void testAutomaticStepFollowsSpeed(void **state) {
    (void)state;
    const float at[3] = {0}, fast[3] = {30, 40, 0}; // 50 m/s
    wbWorldDef def = wbDefaultWorldDef();
    wbFluidDef fluidDef = wbDefaultFluidDef();
    wbWorld *world;
    wbFluidId fluid;
    assertOk(wbCreateWorld(&def, &world));
    assertOk(wbCreateFluid(world, &fluidDef, &fluid));
    float h = (float)wbFluid_GetSupportRadius(world, fluid);
    assert_float_equal(wbWorld_GetStableStep(world), 0.4f * h / 20, 1e-9f);
    assertOk(wbFluid_AddParticles(world, fluid, 1, at, fast));
    assert_float_equal(wbWorld_GetStableStep(world), 0.4f * h / 70, 1e-9f);
    assert_true(wbWorld_GetTimeStep(world) == 1.0f / 60);
    // capillary waves, which sound outruns unless the tension is strong
    assertOk(wbWorld_SetParam(world, "sph.surfaceTension", "1e6"));
    assert_float_equal(wbWorld_GetStableStep(world), 0.5f * sqrtf(1000 * h * h * h / (2e6f * 3.14159265f)),
                       1e-9f);
    assert_true(wbWorld_GetTimeStep(world) <= 256 * wbWorld_GetStableStep(world));
    assertOk(wbWorld_SetParam(world, "world.dt", "0.001"));
    assert_float_equal(wbWorld_GetTimeStep(world), 0.001f, 1e-9f);
    wbDestroyWorld(world);
}

// Neither particles nor what the next step reads.
static void testRefusedBlockLeavesNoTrace(void **state) {
    (void)state;
    wbWorldDef def = wbDefaultWorldDef();
    wbFluidDef fluidDef = wbDefaultFluidDef();
    setSides(&def.domain, wb_sideFreeSlip);
    def.domain.max = wbMakeVec3(1, 1, 1);
    wbWorld *world;
    wbFluidId fluid;
    assertOk(wbCreateWorld(&def, &world));
    assertOk(wbCreateFluid(world, &fluidDef, &fluid));
    uint64_t hash = wbWorld_Hash(world);
    float dt = wbWorld_GetStableStep(world);
    wbBlockDef block = {
        .min = {0.5f, 0, 0}, .max = {1.5f, 0.1f, 0.1f}, .velocity = {50, 0, 0}}; // half beyond
    assert_int_equal(wbFluid_AddBlock(world, fluid, &block).code, wb_errorInput);
    assert_int_equal(wbFluid_GetParticleCount(world, fluid), 0);
    assert_true(wbWorld_Hash(world) == hash);
    assert_float_equal(wbWorld_GetStableStep(world), dt, 0);
    wbDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testEvaluation),
        cmocka_unit_test(testSurface),
        cmocka_unit_test(testSurfaceAtSide),
        cmocka_unit_test(testSurfaceOffIsOff),
        cmocka_unit_test(testFarApart),
        cmocka_unit_test(testSteps),
        cmocka_unit_test(testParametersChange),
        cmocka_unit_test(testThreadsChangeNothing),
        cmocka_unit_test(testHostSchedulerChangesNothing),
        cmocka_unit_test(testWorldsDoNotKnowEachOther),
        cmocka_unit_test(testWarmStepsAllocateNothing),
        cmocka_unit_test(testMomentum),
        cmocka_unit_test(testSidesDoNotLeak),
        cmocka_unit_test(testIdsStay),
        cmocka_unit_test(testFreeFall),
        cmocka_unit_test(testPlaneStaysFlat),
        cmocka_unit_test(testInstabilityIsReported),
        cmocka_unit_test(testRunawayIsReported),
        cmocka_unit_test(testAutomaticStepFollowsSpeed),
        cmocka_unit_test(testRefusedBlockLeavesNoTrace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
