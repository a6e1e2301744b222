// SPDX-License-Identifier: MIT
// The split scheme of SPH and tension as a stress on a compute device: against the reference and the cores, and what they promise.
#include "boundary_gpu_support.h"
#include "densities_support.h"
#include "split_support.h"
#include "tension_support.h"

static Setup onDevice(Setup setup) {
    setup.def.params.backend = wb_backendOpencl;
    setup.def.params.device = 0;
    return setup;
}

// Against the reference

// Both kernels, with and without the other forces, one lane and sixteen: a program is slow to build, so that not all of them are.
static void testSteps(void **state) {
    (void)state;
    for (int variant = 0; variant < splitVariants; variant++) {
        const int lanes = variant == 3 || variant == 4 ? 1 : 16;
        if (!triesAllShapes() && (variant == 1 || variant == 2 || variant == 5 || variant == 6)) continue;
        Setup setup = onDevice(makeBoxed(variant & 1 ? 2 : 3));
        setSplitVariant(&setup, variant);
        setShape(lanes, 64);
        refSph *sph = createReference(&setup);
        refSplit *reference = stepSplitReference(&setup, sph);
        compareSplit(&setup, reference);
        refDestroySplit(reference);
        refDestroySph(sph);
    }
}

// Hashed cells, and so few particles that vectors and groups are not full.
static void testOddSizes(void **state) {
    (void)state;
    static const int counts[] = {1, 17, 257, 512};
    for (int k = 0; k < 4; k++) {
        Setup setup = onDevice(k == 3 ? makeFarApart(8) : makeShaken(3, 7, 7, 6));
        static float x[3 * maxParticles], v[3 * maxParticles];
        double largest;
        wbFluidId fluid;
        setup.count = counts[k];
        useSplit(&setup, 4);
        refSph *sph = createReference(&setup);
        refSplit *reference = stepSplitReference(&setup, sph);
        wbWorld *world = createWorld(&setup, &fluid);
        for (int n = 0; n < splitSteps; n++) assertOk(wbWorld_Step(world, comparedStep));
        assertOk(wbFluid_CopyById(world, fluid, x, v));
        assertBelow(compareVectors(x, sph->x, setup.count, &largest) / (double)setup.def.sph.spacing, 1e-4,
                    "position in spacings");
        assertBelow(compareVectors(v, sph->v, setup.count, &largest) / largest, 1e-4, "velocity");
        wbDestroyWorld(world);
        refDestroySplit(reference);
        refDestroySph(sph);
    }
}

// A floor, and a plate that comes nearer and turns: what they do to the water, and the other way round.
static void testColliders(void **state) {
    (void)state;
    static Setup setup;
    static Bodies bodies;
    static float x[3 * maxParticles], v[3 * maxParticles];
    for (int run = 0; run < 2; run++) {
        double largest;
        setShape(run & 1 ? 1 : 16, 64);
        makeBasin(2 + (run & 1), &setup, &bodies);
        useSplit(&setup, 3);
        RefTank *reference = createRefTank(&setup, &bodies);
        refSplit *split = refCreateSplit(reference->sph);
        DeviceTank t = createDeviceTank(&setup, &bodies);
        for (int n = 0; n < (run < 2 ? 3 : 1);
             n++) { // a shaken skin parts from the reference, on the cores as well
            reference->dt = (double)comparedStep;
            refStepSplit(split, 3, getSpeed(&setup), (double)comparedStep);
            reference->stepStart += (double)comparedStep;
            assertOk(stepDevice(&t, &bodies, comparedStep));
            compareForces(t.tank, reference, wb_atStart, comparedStep, 1e-4);
        }
        assertOk(wbParticlesGpu_Pull(&t.device->particles, &t.tank->sph.fluid.particles));
        copyById(&t.tank->sph, x, v);
        double worst = compareVectors(x, reference->sph->x, setup.count, &largest);
        assertBelow(worst / (double)setup.def.sph.spacing, 1e-4, "position in spacings");
        worst = compareVectors(v, reference->sph->v, setup.count, &largest);
        assertBelow(worst / largest, 1e-4, "velocity");
        destroyDeviceTank(&t);
        refDestroySplit(split);
        destroyRefTank(reference);
    }
}

// The stress alone, in single steps: free, and between sides with every angle.
static void testStress(void **state) {
    (void)state;
    for (int variant = 0; variant < stressVariants; variant++) {
        const int dimensions = 2 + variant % 2;
        setShape(variant < 2 ? 16 : 1, 64);
        for (int isFree = 0; isFree < 2; isFree++) {
            Setup setup = onDevice(!isFree           ? makeBoxed(dimensions)
                                   : dimensions == 2 ? makeShaken(2, 16, 14, 1)
                                                     : makeShaken(3, 8, 8, 7));
            setStress(&setup.def.sph, variant);
            setup.def.sph.integrator = wb_integratorEuler;
            refSph *reference = createReference(&setup);
            refEvaluateSph(reference);
            compareFirstStep(&setup, reference);
            refDestroySph(reference);
        }
    }
}

// Against the cores

// Colliders whose contact angle is that of their adhesion, or of sides.
static void testStressAtColliders(void **state) {
    (void)state;
    static Setup setup;
    static Bodies bodies;
    static float x[2][3 * maxParticles], v[2][3 * maxParticles];
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        double worst = 0, largest = 0;
        makeBasin(dimensions, &setup, &bodies);
        useSplit(&setup, 3);
        setup.def.sph.surfaceTension = 20, setup.def.sph.tensionMethod = wb_tensionStress;
        setup.def.sph.smoothing = 2.8f, setup.def.sph.contactAngle = 60;
        Tank *tank = createTank(&setup, &bodies);
        DeviceTank t = createDeviceTank(&setup, &bodies);
        for (int n = 0; n < 2; n++) {
            assertOk(stepTank(tank, &bodies, comparedStep));
            assertOk(stepDevice(&t, &bodies, comparedStep));
            for (int k = 0; k < bodies.count; k++) {
                const double *given = wbBoundary_GetBody(&t.tank->boundary, k)->impulse.linear,
                             *wanted = wbBoundary_GetBody(&tank->boundary, k)->impulse.linear;
                const double size = sqrt(wanted[0] * wanted[0] + wanted[1] * wanted[1]);
                for (int a = 0; a < 3; a++) assertBelow(fabs(given[a] - wanted[a]) / size, 1e-4, "impulse");
            }
        }
        assertOk(wbParticlesGpu_Pull(&t.device->particles, &t.tank->sph.fluid.particles));
        copyById(&tank->sph, x[0], v[0]), copyById(&t.tank->sph, x[1], v[1]);
        for (int i = 0; i < 3 * setup.count; i++) {
            assertBelow(fabsf(x[1][i] - x[0][i]), 1e-5, "position, a ten thousandth of a spacing");
            worst = fmax(worst, fabsf(v[1][i] - v[0][i])), largest = fmax(largest, fabsf(v[0][i]));
        }
        assertBelow(worst / largest, 1e-4, "velocity");
        destroyDeviceTank(&t);
        destroyTank(tank);
    }
}

// Fluids of different density, one of which is poured through a sieve and drained.
static wbWorld *createSplitPipe(wbBackend backend) {
    wbWorld *world = createPipe(wb_solverSph, backend, 1);
    assertOk(wbWorld_SetParam(world, "sph.method", "split"));
    return world;
}

static void stepEvenly(wbWorld *world, int count, float dt) {
    for (int n = 0; n < count; n++) assertOk(wbWorld_Step(world, dt));
}

static void testDensities(void **state) {
    (void)state;
    wbStats stats[2];
    for (int k = 0; k < 2; k++) {
        wbWorld *world = createSplitPipe(k ? wb_backendOpencl : wb_backendCpu);
        stepEvenly(world, 40, 2e-3f);
        stats[k] = wbWorld_GetStats(world);
        wbDestroyWorld(world);
    }
    assert_true(stats[0].spawned > 20);
    assert_int_equal(stats[0].particles, stats[1].particles);
    assertBelow(fabs(stats[1].mass / stats[0].mass - 1), 1e-9, "mass");
    assertBelow(fabs(stats[1].kinetic / stats[0].kinetic - 1), 1e-2, "kinetic energy");
    assertBelow(fabs(stats[1].potential / stats[0].potential - 1), 1e-4, "potential energy");
}

// Rounding grows in a flow that breaks: particles differ, what they do together does not. Both find the same number of updates enough.
static void testDam(void **state) {
    (void)state;
    wbStats stats[2];
    double updates[2] = {0};
    for (int k = 0; k < 2; k++) {
        wbFluidId fluid;
        wbWorld *world = createDam(2, 2, k ? wb_backendOpencl : wb_backendCpu, &fluid);
        const double start = getEnergy(world);
        for (int n = 0; n < 200; n++) {
            assertOk(wbWorld_Step(world, 3e-3f));
            assertBelow(getEnergy(world) / start, 1.001, "energy over that of the start");
            updates[k] += getDerived(world, "updates of pressures");
        }
        stats[k] = wbWorld_GetStats(world);
        wbDestroyWorld(world);
    }
    const double energy = stats[0].kinetic + stats[0].potential;
    assertBelow(fabs(stats[1].kinetic - stats[0].kinetic), 0.01 * energy, "kinetic energy");
    assertBelow(fabs(stats[1].potential - stats[0].potential), 0.01 * energy, "potential energy");
    assertBelow(fabs(updates[1] / updates[0] - 1), 0.1, "updates");
    assert_int_equal(stats[1].leaked, 0);
}

// The speed that steps follow is counted as on the cores: with the same particles to the last bin.
static void testStableStep(void **state) {
    (void)state;
    for (int lanes = 1; lanes <= 16; lanes *= 16) {
        Setup setup = makeBoxed(3);
        float steps[2];
        setShape(lanes, 64);
        setup.def.sph.method = wb_sphSplit;
        setup.def.params.gravity = wbMakeVec3(0, 0, 0);
        for (int i = 0; i < 3 * setup.count; i++) setup.v[i] *= 6;
        for (int k = 0; k < 2; k++) {
            wbFluidId fluid;
            setup.def.params.backend = k ? wb_backendOpencl : wb_backendCpu;
            wbWorld *world = createWorld(&setup, &fluid);
            assertOk(wbWorld_Step(world, 1e-7f)); // velocities are what they were
            steps[k] = wbWorld_GetStableStep(world);
            wbDestroyWorld(world);
        }
        assertBelow(fabs((double)(steps[1] / steps[0]) - 1), 1e-6, "stable step");
    }
}

// A log that is half as heavy as water lies in it on the device as on the cores, though it does not give way within the iterations there.
static double floatLog(wbBackend backend, double *motion) {
    static const char text[] =
        "{'world':{'dimensions':2},'domain':{'min':[0,0],'max':[0.8,0.6]},'sph':{'method':'split','spacing':"
        "0.02},"
        "'fluids':[{'name':'water','blocks':[{'min':[0,0],'max':[0.8,0.3]}]}],"
        "'bodies':[{'name':'log','size':[0.2,0.2,0.2],'density':500,'position':[0.4,0.31]}]}";
    char json[sizeof text];
    wbScene *scene;
    wbWorld *world;
    memcpy(json, text, sizeof text);
    for (char *c = json; *c; c++)
        if (*c == '\'') *c = '"';
    assertOk(wbReadSceneText("log.json", json, strlen(json), &scene));
    wbScene_GetWorldDef(scene)->params.backend = backend;
    assertOk(wbScene_CreateWorld(scene, &world));
    wbDestroyScene(scene);
    double sum = 0;
    int count = 0;
    *motion = 0;
    wbRigidBodyId log = wbWorld_GetRigidBody(world, 0);
    while (wbWorld_GetTime(world) < 3) {
        assertOk(wbWorld_Step(world, 0));
        if (wbWorld_GetTime(world) < 2) continue;
        wbRigidMotion body;
        assertOk(wbRigidBody_GetMotion(world, log, &body));
        *motion = fmax(*motion, fabs((double)body.velocity.y));
        sum += (double)body.position.y, count++;
    }
    wbDestroyWorld(world);
    return sum / count;
}

static void testBodies(void **state) {
    (void)state;
    double motions[2],
        heights[2] = {floatLog(wb_backendCpu, &motions[0]), floatLog(wb_backendOpencl, &motions[1])};
    assertBelow(fabs(heights[1] - heights[0]), 0.01, "height, half of a spacing");
    assertBelow(motions[1], 0.1, "speed at rest");
}

// Promises

static uint64_t hashSplit(const Setup *setup) {
    wbFluidId fluid;
    wbWorld *world = createWorld(setup, &fluid);
    for (int n = 0; n < 10; n++) assertOk(wbWorld_Step(world, 0));
    uint64_t hash = wbWorld_Hash(world);
    wbDestroyWorld(world);
    return hash;
}

static void testRepeats(void **state) {
    (void)state;
    for (int hasStress = 0; hasStress < 2; hasStress++) {
        Setup setup = onDevice(makeBoxed(3));
        setup.def.sph.method = wb_sphSplit;
        setup.def.sph.surfaceTension = hasStress ? 1 : 0;
        setup.def.sph.tensionMethod = wb_tensionStress;
        setup.def.sph.smoothing = hasStress ? 3 : 2.1f;
        setup.def.sph.contactAngle = 70;
        setShape(16, 64);
        uint64_t expected = hashSplit(&setup);
        assert_true(hashSplit(&setup) == expected);
        for (int groupSize = 16; groupSize <= (triesAllShapes() ? 256 : 16); groupSize *= 4) {
            setenv("WIRBEL_GROUP_SIZE", groupSize == 16 ? "16" : groupSize == 64 ? "64" : "256", 1);
            assert_true(hashSplit(&setup) == expected);
        }
        resetShape(NULL);
    }
}

// How many updates are queued at once changes nothing: a world that was loaded knows nothing of the step before.
static void testLoadedWorldGoesOn(void **state) {
    (void)state;
    wbBytes bytes = {0};
    wbWorld *loaded, *world = createSplitPipe(wb_backendOpencl);
    stepEvenly(world, 60, 2e-3f);
    assertOk(wbWorld_SaveToBytes(world, &bytes));
    assertOk(wbLoadWorldFromBytes(bytes.data, bytes.size, &loaded));
    assert_non_null(wbWorld_GetDevice(loaded));
    assert_true(wbWorld_GetStableStep(loaded) == wbWorld_GetStableStep(world));
    for (int n = 0; n < 20; n++) {
        stepEvenly(world, 1, 2e-3f), stepEvenly(loaded, 1, 2e-3f);
        assert_true(wbWorld_Hash(world) == wbWorld_Hash(loaded));
    }
    wbFreeBytes(&bytes);
    wbDestroyWorld(loaded);
    wbDestroyWorld(world);
}

// Pressures are above that of the air, sigma/h, so that water without any has that of the air.
static refSplit *createSplitReference(refSph *sph, const Setup *setup) {
    const wbSphParams *p = &setup->def.sph;
    refSplit *split = refCreateSplit(sph);
    if (p->tensionMethod != wb_tensionStress) return split;
    for (int i = 0; i < setup->count; i++)
        split->k[i] = (double)p->surfaceTension / (sph->h * (double)p->restDensity);
    return split;
}

// From one machine to the other, again and again, is as if it had stayed on one.
static void testMoves(void **state) {
    (void)state;
    for (int hasStress = 0; hasStress < 2; hasStress++) {
        static float x[3 * maxParticles], v[3 * maxParticles];
        Setup setup = makeBoxed(2);
        double largest;
        wbFluidId fluid;
        useSplit(&setup, 4);
        if (hasStress) {
            setup.def.sph.surfaceTension = 20, setup.def.sph.tensionMethod = wb_tensionStress;
            setup.def.sph.smoothing = 3, setup.def.sph.contactAngle = 60;
        }
        refSph *sph = createReference(&setup);
        refSplit *reference = createSplitReference(sph, &setup);
        wbWorld *world = createWorld(&setup, &fluid);
        for (int n = 0; n < 4; n++) {
            const char *const path = "test_sph_split.wirbel";
            wbWorld *next;
            refStepSplit(reference, 4, getSpeed(&setup), (double)comparedStep);
            assertOk(wbWorld_Step(world, comparedStep));
            assertOk(wbWorld_Save(world, path));
            assertOk(wbLoadWorldOn(path, n % 2 ? wb_backendCpu : wb_backendOpencl, -1, &next));
            assert_true(wbWorld_Hash(next) == wbWorld_Hash(world));
            remove(path);
            wbDestroyWorld(world);
            world = next, fluid = wbWorld_GetFluid(world, 0);
        }
        assertOk(wbFluid_CopyById(world, fluid, x, v));
        assertBelow(compareVectors(x, sph->x, setup.count, &largest) / (double)setup.def.sph.spacing, 1e-4,
                    "position in spacings");
        assertBelow(compareVectors(v, sph->v, setup.count, &largest) / largest, 1e-4, "velocity");
        wbDestroyWorld(world);
        refDestroySplit(reference);
        refDestroySph(sph);
    }
}

// Methods change while the water runs on the device, with the pressures that it has.
static void testMethodChanges(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorld *world = createDam(2, 2, wb_backendOpencl, &fluid);
    const double start = getEnergy(world);
    assertOk(wbWorld_SetParam(world, "sph.smoothing", "3"));
    for (int n = 0; n < 24; n++) {
        assertOk(wbWorld_SetParam(world, "sph.method", n % 2 ? "explicit" : "split"));
        assertOk(wbWorld_SetParam(world, "sph.tensionMethod", n % 3 ? "stress" : "cohesion"));
        assertOk(wbWorld_SetParam(world, "sph.surfaceTension", n % 4 ? "0.07" : "0"));
        assertOk(wbWorld_Step(world, 0));
    }
    assertBelow(getEnergy(world) / start, 1.001, "energy");
    wbDestroyWorld(world);
}

static void testWarmStepsAllocateNothing(void **state) {
    (void)state;
    static Setup setup;
    static Bodies bodies;
    makeBasin(3, &setup, &bodies);
    setup.def.sph.method = wb_sphSplit;
    setup.def.sph.surfaceTension = 1, setup.def.sph.tensionMethod = wb_tensionStress;
    setup.def.sph.smoothing = 2.8f;
    setup.def.params.gravity = wbMakeVec3(0, 0, 0);
    DeviceTank t = createDeviceTank(&setup, &bodies);
    for (int i = 0; i < 3; i++) assertOk(stepDevice(&t, &bodies, 1e-6f));
    wbMemoryUse before = wbGetMemoryUse(t.tank->work.memory);
    for (int i = 0; i < 20; i++) assertOk(stepDevice(&t, &bodies, 1e-6f));
    assert_int_equal(wbGetMemoryUse(t.tank->work.memory).calls, before.calls);
    assert_int_equal(wbGetMemoryUse(t.tank->work.memory).bytes, before.bytes);
    destroyDeviceTank(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(testSteps, resetShape),
        cmocka_unit_test(testOddSizes),
        cmocka_unit_test_teardown(testColliders, resetShape),
        cmocka_unit_test_teardown(testStress, resetShape),
        cmocka_unit_test(testStressAtColliders),
        cmocka_unit_test(testDensities),
        cmocka_unit_test(testDam),
        cmocka_unit_test_teardown(testStableStep, resetShape),
        cmocka_unit_test(testBodies),
        cmocka_unit_test_teardown(testRepeats, resetShape),
        cmocka_unit_test(testLoadedWorldGoesOn),
        cmocka_unit_test(testMoves),
        cmocka_unit_test(testMethodChanges),
        cmocka_unit_test(testWarmStepsAllocateNothing),
    };
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, NULL, NULL);
}
