// SPDX-License-Identifier: MIT
// Surface tension as a stress along the skin: against the reference, and what it promises by itself.
#include "core/status.h"
#include "tension_support.h"

static wbSimd nextSimd(wbSimd simd) {
    do {
        simd = (wbSimd)(simd + 1);
    } while (simd <= wb_simdAvx512 && !wbIsSimdSupported(simd));
    return simd;
}
#define FOR_EACH_SIMD(simd)                                                                                  \
    for (wbSimd simd = nextSimd(wb_simdAuto); simd <= wb_simdAvx512; simd = nextSimd(simd))

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
        Setup boxed = makeBoxed(dimensions),
              free = dimensions == 2 ? makeShaken(2, 16, 14, 1) : makeShaken(3, 8, 8, 7);
        for (int variant = 0; variant < stressVariants; variant++) {
            setStress(&boxed.def.sph, variant), setStress(&free.def.sph, variant);
            compareEvaluation(&boxed);
            compareEvaluation(&free);
        }
    }
}

// On the lattice itself n is exactly 0 inside, where it has no direction, and particles stand h apart.
static void testLattice(void **state) {
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        Setup setup = dimensions == 2 ? makeShaken(2, 14, 12, 1) : makeShaken(3, 9, 9, 8);
        const int sites[3] = {dimensions == 2 ? 14 : 9, dimensions == 2 ? 12 : 9, 8};
        for (int i = 0; i < setup.count; i++) {
            const int at[3] = {i % sites[0], i / sites[0] % sites[1], i / sites[0] / sites[1]};
            for (int k = 0; k < dimensions; k++) setup.x[3 * i + k] = 0.1f * (float)at[k];
        }
        setStress(&setup.def.sph, 2);
        compareEvaluation(&setup);
    }
}

static void testThreadsChangeNothing(void **state) {
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        Setup setup = dimensions == 2 ? makeShaken(2, 61, 41, 1) : makeShaken(3, 14, 12, 10);
        setSides(&setup.def.domain, wb_sideFreeSlip);
        setup.def.domain.max.x *= 1.5f;
        setup.def.sph.surfaceTension = 5, setup.def.sph.tensionMethod = wb_tensionStress;
        setup.def.sph.smoothing = 3, setup.def.sph.contactAngle = 70;
        FOR_EACH_SIMD(simd) {
            setup.def.simd = simd;
            setup.def.threadCount = 1;
            uint64_t expected = hashAfter(&setup, 4);
            for (setup.def.threadCount = 2; setup.def.threadCount <= 3; setup.def.threadCount++)
                assert_true(hashAfter(&setup, 4) == expected);
        }
    }
}

static void testMomentum(void **state) {
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        Setup setup = dimensions == 2 ? makeShaken(2, 30, 30, 1) : makeShaken(3, 8, 8, 8);
        setup.def.params.gravity = wbMakeVec3(0, 0, 0);
        setup.def.sph.surfaceTension = 20, setup.def.sph.tensionMethod = wb_tensionStress;
        setup.def.sph.smoothing = 3;
        wbFluidId fluid;
        wbWorld *world = createWorld(&setup, &fluid);
        wbStats before = wbWorld_GetStats(world);
        for (int i = 0; i < 100; i++) assertOk(wbWorld_Step(world, 0));
        wbStats after = wbWorld_GetStats(world);
        for (int k = 0; k < 3; k++)
            assertBelow(fabs(after.momentum[k] - before.momentum[k]), 1e-6 * before.mass, "momentum drift");
        wbDestroyWorld(world);
    }
}

static double getSpin(const Setup *setup, const float *x, const float *v) {
    double spin = 0;
    for (int i = 0; i < setup->count; i++)
        spin += (double)x[3 * i] * (double)v[3 * i + 1] - (double)x[3 * i + 1] * (double)v[3 * i];
    return spin;
}

// S r is not along r; yet a drop that turns goes on turning, where no viscosity brakes it.
static void testSpin(void **state) {
    (void)state;
    static float x[3 * maxParticles], v[3 * maxParticles];
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        Setup setup = dimensions == 2 ? makeShaken(2, 14, 14, 1) : makeShaken(3, 9, 9, 9);
        wbFluidId fluid;
        setup.def.params.gravity = wbMakeVec3(0, 0, 0);
        setup.def.sph.surfaceTension = 20, setup.def.sph.tensionMethod = wb_tensionStress;
        setup.def.sph.smoothing = 3, setup.def.sph.viscosity = 0;
        const float middle = dimensions == 2 ? 0.65f : 0.4f;
        for (int i = 0; i < setup.count; i++) {
            setup.v[3 * i] = -0.3f * (setup.x[3 * i + 1] - middle);
            setup.v[3 * i + 1] = 0.3f * (setup.x[3 * i] - middle);
            setup.v[3 * i + 2] = 0;
        }
        wbWorld *world = createWorld(&setup, &fluid);
        const double before = getSpin(&setup, setup.x, setup.v);
        for (int i = 0; i < 400; i++) assertOk(wbWorld_Step(world, 0));
        assertOk(wbFluid_CopyById(world, fluid, x, v));
        assertBelow(fabs(getSpin(&setup, x, v) / before - 1), 0.02, "change of the angular momentum");
        wbDestroyWorld(world);
    }
}

// At 90 degrees a side is a mirror: half a drop on one is like a whole one.
static void testHalfDrop(void **state) {
    (void)state;
    static float whole[3 * maxParticles], half[3 * maxParticles];
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        Setup setup = dimensions == 2 ? makeShaken(2, 12, 9, 1) : makeShaken(3, 8, 7, 6);
        wbFluidId fluid;
        setup.def.params.gravity = wbMakeVec3(0, 0, 0);
        setStress(&setup.def.sph, 0);
        setup.def.domain.sides[wb_bottom].type = wb_sideFreeSlip;
        wbWorld *world = createWorld(&setup, &fluid);
        assertOk(wbWorld_Step(world, 1e-3f));
        assertOk(wbFluid_CopyById(world, fluid, NULL, half));
        wbDestroyWorld(world);
        setup.def.domain.sides[wb_bottom].type = wb_sideOpen;
        for (int i = 0; i < 3 * setup.count; i++) {
            float sign = i % 3 == 1 ? -1 : 1;
            setup.x[3 * setup.count + i] = sign * setup.x[i];
            setup.v[3 * setup.count + i] = sign * setup.v[i];
        }
        setup.count *= 2;
        world = createWorld(&setup, &fluid);
        assertOk(wbWorld_Step(world, 1e-3f));
        assertOk(wbFluid_CopyById(world, fluid, NULL, whole));
        for (int i = 0; i < 3 * setup.count / 2; i++)
            assertBelow(fabsf(whole[i] - half[i]), 1e-4, "velocity");
        wbDestroyWorld(world);
    }
}

// Without a tension neither the method nor the angle matter.
static void testOffIsOff(void **state) {
    (void)state;
    Setup setup = makeBoxed(2);
    uint64_t expected = hashAfter(&setup, 5);
    setup.def.sph.tensionMethod = wb_tensionStress, setup.def.sph.contactAngle = 30;
    assert_true(hashAfter(&setup, 5) == expected);
}

static void testShortSupportIsRefused(void **state) {
    (void)state;
    Setup setup = makeBoxed(2);
    wbWorld *world;
    wbFluidId fluid;
    setup.def.sph.surfaceTension = 1, setup.def.sph.tensionMethod = wb_tensionStress;
    wbStatus status = wbCreateWorld(&setup.def, &world);
    if (wbIsOk(status)) {
        wbFluidDef water = wbDefaultFluidDef();
        status = wbCreateFluid(world, &water, &fluid);
        wbDestroyWorld(world);
    }
    assert_int_equal(status.code, wb_errorInput);
    assert_non_null(strstr(status.text, "sph.smoothing"));
    setup.def.sph.smoothing = 3;
    world = createWorld(&setup, &fluid);
    assert_int_equal(wbWorld_SetParam(world, "sph.smoothing", "2.1").code, wb_errorInput);
    assertOk(wbWorld_SetParam(world, "sph.tensionMethod", "cohesion"));
    assertOk(wbWorld_SetParam(world, "sph.smoothing", "2.1"));
    wbDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testEvaluation),
        cmocka_unit_test(testLattice),
        cmocka_unit_test(testThreadsChangeNothing),
        cmocka_unit_test(testMomentum),
        cmocka_unit_test(testSpin),
        cmocka_unit_test(testHalfDrop),
        cmocka_unit_test(testOffIsOff),
        cmocka_unit_test(testShortSupportIsRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
