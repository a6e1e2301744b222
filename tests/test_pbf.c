// SPDX-License-Identifier: MIT
// Position based fluids: against the reference, and what they promise by themselves.
#include <float.h>

#include "pbd/pbf_depth.h"
#include "pbf_support.h"

static void compareToReference(const Setup *setup) {
    refPbf *reference = createReference(setup);
    refStepPbf(reference, 0.005);
    FOR_EACH_SIMD(simd) {
        Scene scene = createScene(setup, 2, simd);
        stepScene(&scene, 0.005f);
        compare(&scene, reference, 2e-5, 2e-3);
        destroyScene(&scene);
    }
    refDestroyPbf(reference);
}

static void testAgainstReference(void **state) {
    (void)state;
    for (int variant = 0; variant < 8; variant++) {
        for (int dimensions = 2; dimensions <= 3; dimensions++) {
            Setup setup = dimensions == 2 ? makeSetup(2, 17, 13, 1) : makeSetup(3, 9, 8, 7);
            setVariant(&setup, variant);
            compareToReference(&setup);
        }
    }
}

static void testMixtureAgainstReference(void **state) {
    (void)state;
    for (int variant = 1; variant < 8; variant += 2)
        for (int dimensions = 2; dimensions <= 3; dimensions++) {
            Setup setup = dimensions == 2 ? makeSetup(2, 17, 13, 1) : makeSetup(3, 9, 8, 7);
            setVariant(&setup, variant);
            setup.params.constraint = dimensions == 2 ? wb_densityInequality : wb_densityEquality;
            setup.mixture = makeMixture();
            compareToReference(&setup);
        }
}

// What is of one density moves alike, whatever the solver's is: accelerations are what counts.
static void testOneFluidAlone(void **state) {
    (void)state;
    const uint32_t first = 0;
    const float relative = 0.125f;
    Setup setup = makeSetup(3, 9, 8, 7);
    setVariant(&setup, 2);
    refPbf *reference = createReference(&setup);
    refStepPbf(reference, 0.005);
    setup.mixture = (wbMixture){1, &first, &relative};
    Scene scene = createScene(&setup, 1, wb_simdAuto);
    stepScene(&scene, 0.005f);
    compare(&scene, reference, 2e-5, 2e-3);
    destroyScene(&scene);
    refDestroyPbf(reference);
}

// Depth in spacings, of twelve layers of fluid whose upper half has another density than the lower one.
static double findDepth(float upper, float lower) {
    const uint32_t first[2] = {0, 12 * 6};
    const float relative[2] = {lower, upper};
    Setup setup = makeSetup(2, 12, 12, 1);
    setup.packed = 1, setup.jitter = 0;
    double head;
    Scene scene = createScene(&setup, 1, wb_simdAuto);
    const wbMixture mixture = {upper != lower ? 2 : 0, first, relative};
    wbArena_Reset(scene.work.arena);
    assertOk(wbFindPbfHead(&scene.pbf.fluid.particles, &mixture, &scene.model, &scene.work, &head));
    destroyScene(&scene);
    return head / (9.81 * (double)setup.params.spacing);
}

// Fluids are as stiff as they are heavy, so that a light one is compressed by what is on it as by a deeper one of its own.
static void testDepthOfLayers(void **state) {
    (void)state;
    assertBelow(fabs(findDepth(1, 1) - 12), 1e-3, "depth of one fluid");
    assertBelow(fabs(findDepth(4, 1) - (6 * 4 + 6)), 0.5, "depth of light under heavy");
    // no more than 6 + 6 / 4 at the floor, but both sink: 2 (6 * 6 / 2 + 6 * 6 / 4 + 6 * 6 / 2) = 9.5 * 9.5
    assertBelow(fabs(findDepth(1, 4) - 9.5), 0.2, "depth of light above heavy");
    assertBelow(fabs(findDepth(100, 400) - findDepth(1, 4)), 1e-3, "the same in other units");
}

static void testSteps(void **state) {
    (void)state;
    Setup setup = makeSetup(3, 9, 8, 7);
    setVariant(&setup, 2);
    setup.params.subSteps = 2, setup.params.iterations = 2;
    refPbf *reference = createReference(&setup);
    for (int k = 0; k < 3; k++) refStepPbf(reference, 0.008);
    Scene scene = createScene(&setup, 2, wb_simdAuto);
    for (int k = 0; k < 3; k++) stepScene(&scene, 0.008f);
    compare(&scene, reference, 2e-4, 2e-2); // rounding has grown
    destroyScene(&scene);
    refDestroyPbf(reference);
}

// The lattice has the rest density and stays where it is; half a spacing from sides it does not feel them.
static void testLatticeRests(void **state) {
    (void)state;
    for (int equality = 0; equality < 2; equality++) {
        Setup setup = makeSetup(3, 8, 8, 8);
        setup.packed = 1, setup.jitter = setup.speed = 0, setup.gravity = wbMakeVec3(0, 0, 0);
        setup.domain.max = wbMakeVec3(0.8f, 0.8f, 0.8f);
        setup.params.constraint = equality ? wb_densityEquality : wb_densityInequality;
        Scene scene = createScene(&setup, 1, wb_simdAuto);
        for (int k = 0; k < 5; k++) stepScene(&scene, 0.01f);
        for (int i = 0; i < scene.pbf.fluid.particles.count; i++)
            assertBelow(fabsf(scene.pbf.fluid.particles.density[i] / 1000 - 1), 1e-4, "density");
        assertBelow(scene.pbf.fluid.particles.maxSpeed, 1e-3, "speed");
        destroyScene(&scene);
    }
}

// By how much an iteration answers to the stiffest wave, against sums over finer wave vectors made elsewhere.
static void testStiffestWave(void **state) {
    (void)state;
    static const struct {
        int dimensions;
        float smoothing;
        double answer;
    } known[] = {{2, 2.1f, 2.208}, {3, 2.1f, 3.124}, {2, 2.6f, 2.863}, {3, 2.6f, 4.900}, {3, 3.1f, 7.845}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        Setup setup = makeSetup(known[k].dimensions, 9, 9, 9);
        wbPbfModel model;
        setup.params.smoothing = known[k].smoothing;
        const wbDomain domain = wbMakeDomain(&setup.domain, setup.gravity, known[k].dimensions);
        assertOk(wbPbfModel_Init(&model, &setup.params, &domain));
        assertBelow(fabs(model.stiffestWave / known[k].answer - 1), 0.02, "answer");
    }
}

// Pairs push each other alike: the momentum of what touches no side stays.
static void expectMomentum(wbMixture mixture) {
    Setup setup = makeSetup(3, 10, 10, 10);
    setup.mixture = mixture;
    setup.gravity = wbMakeVec3(0, 0, 0), setup.params.viscosity = 0.1f;
    for (int side = 0; side < wb_sideCount; side++) setup.domain.sides[side].type = wb_sideOpen;
    Scene scene = createScene(&setup, 2, wb_simdAuto);
    const wbParticles *p = &scene.pbf.fluid.particles;
    double before = 0, after = 0, size = 0;
    for (int i = 0; i < p->count; i++) {
        double mass = wbMixture_GetRelative(&mixture, p->id[i]);
        before += mass * p->vx[i], size += mass * fabs((double)p->vx[i]);
    }
    for (int k = 0; k < 50; k++) stepScene(&scene, 0.005f);
    for (int i = 0; i < p->count; i++) after += (double)wbMixture_GetRelative(&mixture, p->id[i]) * p->vx[i];
    assertBelow(fabs(after - before) / size, 1e-4, "momentum");
    destroyScene(&scene);
}

static void testMomentum(void **state) {
    (void)state;
    expectMomentum((wbMixture){0});
    expectMomentum(makeMixture());
}

static uint64_t hashParticles(wbPbf *pbf) {
    wbColumn columns[WB_PARTICLE_COLUMNS];
    uint64_t hash = WB_HASH_START;
    wbParticles_ListColumns(&pbf->fluid.particles, columns);
    for (int k = 0; k < WB_SAVED_COLUMNS; k++)
        hash = wbHashBytes(hash, *columns[k].data, sizeof(float) * (size_t)pbf->fluid.particles.count);
    return hash;
}

static uint64_t hashAfter(const Setup *setup, int threads, wbSimd simd) {
    Scene scene = createScene(setup, threads, simd);
    for (int k = 0; k < 20; k++) stepScene(&scene, 0.01f);
    uint64_t hash = hashParticles(&scene.pbf);
    destroyScene(&scene);
    return hash;
}

static void testThreadsChangeNothing(void **state) {
    (void)state;
    Setup setup = makeSetup(3, 15, 14, 13);
    setup.domain.max.x *= 1.5f, setup.params.vorticity = 0.2f;
    FOR_EACH_SIMD(simd) {
        uint64_t expected = hashAfter(&setup, 1, simd);
        for (int threads = 2; threads <= 4; threads++)
            assert_true(hashAfter(&setup, threads, simd) == expected);
    }
    setup.mixture = makeMixture();
    FOR_EACH_SIMD(simd) assert_true(hashAfter(&setup, 1, simd) == hashAfter(&setup, 3, simd));
}

// A scene behaves alike at every scale: lengths and gravity ten thousand times as large.
static void testScale(void **state) {
    (void)state;
    Setup small = makeSetup(2, 16, 12, 1);
    small.domain.max.x *= 1.5f;
    Setup large = small;
    const float scale = 10000;
    large.params.spacing *= scale, large.domain.max = wbScale(scale, small.domain.max);
    large.gravity = wbScale(scale, small.gravity), large.speed *= scale;
    Scene a = createScene(&small, 1, wb_simdAuto), b = createScene(&large, 1, wb_simdAuto);
    double worst = 0;
    for (int k = 0; k < 5; k++) stepScene(&a, 0.005f), stepScene(&b, 0.005f);
    for (int i = 0; i < a.pbf.fluid.particles.count; i++) {
        assert_int_equal(a.pbf.fluid.particles.id[i], b.pbf.fluid.particles.id[i]);
        worst = fmax(worst, fabs(a.pbf.fluid.particles.x[i] - (double)b.pbf.fluid.particles.x[i] / scale));
    }
    assertBelow(worst, 1e-3 * small.params.spacing, "position");
    destroyScene(&a), destroyScene(&b);
}

// m/s, of particles of a block at rest without weight, after a tenth of a second.
static double getSpeedApart(int iterations, int subSteps) {
    Setup setup = makeSetup(3, 8, 8, 8);
    setup.packed = 1, setup.jitter = 0, setup.speed = 0, setup.gravity = wbMakeVec3(0, 0, 0);
    for (int s = 0; s < wb_sideCount; s++) setup.domain.sides[s].type = wb_sideOpen;
    setup.params.iterations = iterations, setup.params.subSteps = (float)subSteps;
    Scene scene = createScene(&setup, 1, wb_simdAuto);
    const wbParticles *p = &scene.pbf.fluid.particles;
    double sum = 0;
    for (int k = 0; k < 6; k++) stepScene(&scene, 1.0f / 60);
    for (int i = 0; i < p->count; i++)
        sum += (double)p->vx[i] * p->vx[i] + (double)p->vy[i] * p->vy[i] + (double)p->vz[i] * p->vz[i];
    sum = sqrt(sum / p->count);
    destroyScene(&scene);
    return sum;
}

// The pressure between close particles is the same whatever steps and iterations are.
static void testTension(void **state) {
    (void)state;
    double usual = getSpeedApart(4, 1), finer = getSpeedApart(4, 10), more = getSpeedApart(40, 1);
    assert_true(usual > 0.01);
    assertBelow(fabs(finer / usual - 1), 0.2, "sub-steps");
    assertBelow(fabs(more / usual - 1), 0.2, "iterations");
}

static void testWarmStepsAllocateNothing(void **state) {
    (void)state;
    Setup setup = makeSetup(3, 10, 10, 10);
    setup.domain.max.x *= 2;
    Scene scene = createScene(&setup, 2, wb_simdAuto);
    for (int k = 0; k < 400; k++) stepScene(&scene, 0.01f);
    uint64_t calls = wbGetMemoryUse(scene.work.memory).calls;
    for (int k = 0; k < 10; k++) stepScene(&scene, 0.01f);
    assert_true(wbGetMemoryUse(scene.work.memory).calls == calls);
    destroyScene(&scene);
}

// A block collapses and comes to rest: all of it stays in the box, with the density of water, and without layers of
// particles that stick to the sides.
static void testCollapse(void **state) {
    (void)state;
    Setup setup = makeSetup(2, 30, 30, 1);
    setup.packed = 1, setup.jitter = 0, setup.speed = 0;
    setup.domain.max = wbMakeVec3(6, 6, 0);
    setup.params.viscosity = 0.05f, setup.params.iterations = 8;
    setup.params.tension = 0.8f; // which calms the waves
    Scene scene = createScene(&setup, 2, wb_simdAuto);
    for (int k = 0; k < 900; k++) stepScene(&scene, 1.0f / 120);
    int onFloor = 0, onSides = 0;
    double height = 0;
    for (int i = 0; i < 900; i++) {
        float x = scene.pbf.fluid.particles.x[i], y = scene.pbf.fluid.particles.y[i];
        assert_true(x > 0 && x < 6 && y > 0 && y < 6);
        height += y / 900.0;
        onFloor += y < 0.2f * setup.params.spacing;
        onSides += x < 0.2f * setup.params.spacing || x > 6 - 0.2f * setup.params.spacing;
        assert_true(y < 2);
    }
    assertBelow(fabs(height - 0.75), 0.1, "mean height"); // 9 m2 over 6 m
    assertBelow(onFloor, 6, "particles on the floor");    // of 60 in a layer
    assertBelow(onSides, 3, "particles on the sides");
    destroyScene(&scene);
}

static void testUnstableIsFound(void **state) {
    (void)state;
    Setup setup = makeSetup(3, 8, 8, 8);
    for (int side = 0; side < wb_sideCount; side++) setup.domain.sides[side].type = wb_sideOpen;
    Scene scene = createScene(&setup, 1, wb_simdAuto);
    scene.pbf.fluid.particles.vx[100] = FLT_MAX;
    wbArena_Reset(scene.work.arena);
    assert_int_equal(wbPbf_Step(&scene.pbf, &scene.model, NULL, &scene.work, 10).code, wb_errorUnstable);
    destroyScene(&scene);
    scene = createScene(&setup, 1, wb_simdAuto);
    memset(scene.pbf.fluid.particles.x, 0, sizeof(float) * 512),
        memset(scene.pbf.fluid.particles.y, 0, sizeof(float) * 512);
    memset(scene.pbf.fluid.particles.z, 0, sizeof(float) * 512);
    memset(scene.pbf.fluid.particles.vx, 0, sizeof(float) * 512),
        memset(scene.pbf.fluid.particles.vz, 0, sizeof(float) * 512);
    memset(scene.pbf.fluid.particles.vy, 0, sizeof(float) * 512);
    wbArena_Reset(scene.work.arena);
    assert_int_equal(wbPbf_Step(&scene.pbf, &scene.model, NULL, &scene.work, 0.01f).code,
                     wb_ok); // 512 in one place part
    destroyScene(&scene);
}

static void testNarrowBoxIsRefused(void **state) {
    (void)state;
    Setup setup = makeSetup(3, 8, 2, 8);
    wbPbfModel model;
    const wbDomain domain = wbMakeDomain(&setup.domain, setup.gravity, 3);
    wbStatus status = wbPbfModel_Init(&model, &setup.params, &domain);
    assert_int_equal(status.code, wb_errorInput);
    assert_non_null(strstr(status.text, "pbf.spacing"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testAgainstReference),
        cmocka_unit_test(testMixtureAgainstReference),
        cmocka_unit_test(testOneFluidAlone),
        cmocka_unit_test(testDepthOfLayers),
        cmocka_unit_test(testSteps),
        cmocka_unit_test(testLatticeRests),
        cmocka_unit_test(testStiffestWave),
        cmocka_unit_test(testMomentum),
        cmocka_unit_test(testThreadsChangeNothing),
        cmocka_unit_test(testScale),
        cmocka_unit_test(testTension),
        cmocka_unit_test(testWarmStepsAllocateNothing),
        cmocka_unit_test(testCollapse),
        cmocka_unit_test(testUnstableIsFound),
        cmocka_unit_test(testNarrowBoxIsRefused),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
