// SPDX-License-Identifier: MIT
// Colliders in water on a compute device: against the reference, and what a step promises.
#include "boundary_gpu_support.h"

static void compareEvaluation(Setup *setup, const Bodies *bodies) {
    const float dt = 1e-3f;
    static float x[3 * maxParticles], v[3 * maxParticles];
    double worstDensity = 0, largest;
    setup->def.sph.integrator = wb_integratorEuler;
    RefTank *reference = createRefTank(setup, bodies);
    refEvaluateSph(reference->sph);
    DeviceTank t = createDeviceTank(setup, bodies);
    assertOk(stepDevice(&t, bodies, dt));
    assertOk(wbParticlesGpu_Pull(&t.device->particles, &t.tank->sph.fluid.particles));
    const wbParticles *particles = &t.tank->sph.fluid.particles;
    for (int k = 0; k < particles->count; k++)
        worstDensity =
            fmax(worstDensity, fabs(particles->density[k] / reference->sph->density[particles->id[k]] - 1));
    copyById(&t.tank->sph, x, v);
    for (int i = 0; i < 3 * setup->count; i++) v[i] = (v[i] - setup->v[i]) / dt;
    double worst = compareVectors(v, reference->sph->a, setup->count, &largest);
    assertBelow(worstDensity, 3e-6, "density");
    assertBelow(worst / largest, 2e-5, "acceleration");
    compareForces(t.tank, reference, wb_atStart, dt, 1e-4);
    destroyDeviceTank(&t);
    destroyRefTank(reference);
}

static void testEvaluation(void **state) {
    (void)state;
    static Setup setup;
    static Bodies bodies;
    for (int lanes = 1; lanes <= 16; lanes *= 16)
        for (int dimensions = 2; dimensions <= 3; dimensions++) {
            if (!triesAllShapes() && (lanes == 1) != (dimensions == 2)) continue;
            setShape(lanes, 64);
            makeBasin(dimensions, &setup, &bodies);
            for (int run = 0; run < 6;
                 run++) { // few programs, and those of other tests, for their builds take long
                bool isSecond = run >= 3;
                setVariant(&setup.def.sph, isSecond ? 7 : 4);
                setup.def.sph.boundaryPressure = (wbBoundaryPressure)(run % 3);
                bodies.bodies[1].adhesion = isSecond ? 30 : 0;
                compareEvaluation(&setup, &bodies);
            }
        }
}

// Rough and smooth normals.
static void testSurface(void **state) {
    (void)state;
    static Setup setup;
    static Bodies bodies;
    for (int lanes = triesAllShapes() ? 1 : 16; lanes <= 16; lanes *= 16) {
        setShape(lanes, 64);
        makeBasin(3, &setup, &bodies);
        for (int variant = 4; variant <= 5; variant++) {
            setSurfaceVariant(&setup.def.sph, variant);
            compareEvaluation(&setup, &bodies);
        }
    }
}

// A stress along the skin: the angle at the plate is that of its adhesion, at the ground that of sides.
static void testStress(void **state) {
    (void)state;
    static Setup setup;
    static Bodies bodies;
    for (int variant = 0; variant < 4; variant++) {
        setShape(variant & 1 ? 1 : 16, 64);
        makeBasin(2 + variant / 2, &setup, &bodies);
        setup.def.sph.soundSpeed = 2, setup.def.sph.surfaceTension = 100;
        setup.def.sph.tensionMethod = wb_tensionStress, setup.def.sph.smoothing = 2.8f;
        setup.def.sph.contactAngle = 60;
        bodies.bodies[1].adhesion = 50; // 120 degrees
        compareEvaluation(&setup, &bodies);
    }
}

// Particles and places so far apart that the cells of either must be hashed; with one lane the surface's kernels as well.
static void testHashed(void **state) {
    (void)state;
    static Setup setup;
    static Bodies bodies;
    for (int lanes = 1; lanes <= 16; lanes *= 16) {
        setShape(lanes, 64);
        makeBasin(3, &setup, &bodies);
        setup.x[3 * (setup.count - 1)] = -900, setup.x[3 * (setup.count - 1) + 1] = 700;
        for (int k = 0; k < bodies.bodies[1].count; k += 2) bodies.bodies[1].points[3 * k + 2] += 600;
        if (lanes == 1) setSurfaceVariant(&setup.def.sph, 3);
        compareEvaluation(&setup, &bodies);
    }
}

// Bodies move on during a step: leapfrog sees them in its middle.
static void testSteps(void **state) {
    (void)state;
    static float x[3 * maxParticles], v[3 * maxParticles];
    static Setup setup;
    static Bodies bodies;
    for (int run = 0; run < 6; run++) {
        double largestX, largestV;
        makeBasin(run < 3 ? 2 : 3, &setup, &bodies);
        setup.def.sph.integrator = (wbIntegrator)(run % 3);
        bool isLeapfrog = setup.def.sph.integrator == wb_integratorLeapfrog;
        bodies.bodies[1].velocity[0] = 20; // so fast that half a step counts
        RefTank *reference = createRefTank(&setup, &bodies);
        for (int i = 0; i < comparedSteps; i++) stepRefTank(reference, (double)comparedDt);
        DeviceTank t = createDeviceTank(&setup, &bodies);
        for (int i = 0; i < comparedSteps; i++) assertOk(stepDevice(&t, &bodies, comparedDt));
        assertOk(wbParticlesGpu_Pull(&t.device->particles, &t.tank->sph.fluid.particles));
        copyById(&t.tank->sph, x, v);
        double worstX = compareVectors(x, reference->sph->x, setup.count, &largestX);
        double worstV = compareVectors(v, reference->sph->v, setup.count, &largestV);
        assertBelow(worstX / setup.def.sph.spacing, 1e-4, "position in spacings");
        assertBelow(worstV / largestV, 1e-4, "velocity");
        compareForces(t.tank, reference, isLeapfrog ? wb_atMiddle : wb_atStart, comparedDt, 1e-3);
        destroyDeviceTank(&t);
        destroyRefTank(reference);
    }
}

// What the collision is told

typedef struct Watch {
    wbGpu *gpu;
    int calls;
    wbBoundaryTime times[4];
    float before[maxParticles], after[maxParticles], velocity[maxParticles];
} Watch;

static wbStatus watchDrift(const wbGpuDrift *drift, void *context) {
    Watch *watch = context;
    size_t bytes = sizeof(float) * (size_t)drift->count;
    watch->times[2 * watch->calls] = drift->from, watch->times[2 * watch->calls + 1] = drift->to;
    watch->calls++;
    WB_TRY(wbGpu_Download(watch->gpu, drift->before[0], watch->before, bytes));
    WB_TRY(wbGpu_Download(watch->gpu, drift->position[0], watch->after, bytes));
    WB_TRY(wbGpu_Download(watch->gpu, drift->velocity[0], watch->velocity, bytes));
    return wbGpu_Fill(watch->gpu, drift->velocity[2], 0x40e00000u, bytes); // 7: what it changes stays
}

static void testCollisionIsCalled(void **state) {
    (void)state;
    static Setup setup;
    static Bodies bodies;
    static Watch watch;
    makeBasin(3, &setup, &bodies);
    setup.def.domain.sides[wb_right].type = wb_sideOpen;
    for (int k = 0; k < 2; k++) {
        float drift = k == 0 ? 1e-3f : 0.5e-3f;
        setup.def.sph.integrator = k == 0 ? wb_integratorSymplectic : wb_integratorLeapfrog;
        DeviceTank t = createDeviceTank(&setup, &bodies);
        watch = (Watch){.gpu = t.gpu};
        t.tank->colliders.collideGpu = watchDrift, t.tank->colliders.context = &watch;
        assertOk(stepDevice(&t, &bodies, 1e-3f));
        assert_int_equal(watch.calls, k + 1);
        assert_int_equal(watch.times[0], wb_atStart);
        assert_int_equal(watch.times[1], k == 0 ? wb_atEnd : wb_atMiddle);
        if (k == 1) assert_true(watch.times[2] == wb_atMiddle && watch.times[3] == wb_atEnd);
        for (int i = 0; i < setup.count; i++)
            assertBelow(fabsf(watch.after[i] - watch.before[i] - drift * watch.velocity[i]), 1e-6, "drift");
        assertOk(wbParticlesGpu_Pull(&t.device->particles, &t.tank->sph.fluid.particles));
        for (int i = 0; i < setup.count; i++) assert_true(t.tank->sph.fluid.particles.vz[i] == 7);
        destroyDeviceTank(&t);
    }
}

static wbStatus countDrifts(const wbGpuDrift *drift, void *context) {
    (void)drift;
    ++*(int *)context;
    return wb_okStatus;
}

static void testWarmStepsAllocateNothing(void **state) {
    (void)state;
    static Setup setup;
    static Bodies bodies;
    makeBasin(3, &setup, &bodies);
    setup.def.params.gravity = wbMakeVec3(0, 0, 0);
    setup.def.sph.integrator = wb_integratorLeapfrog;
    DeviceTank t = createDeviceTank(&setup, &bodies);
    int drifts = 0;
    t.tank->colliders.collideGpu = countDrifts, t.tank->colliders.context = &drifts;
    for (int i = 0; i < 3; i++) assertOk(stepDevice(&t, &bodies, 1e-9f));
    wbMemoryUse before = wbGetMemoryUse(t.tank->work.memory);
    for (int i = 0; i < 20; i++) assertOk(stepDevice(&t, &bodies, 1e-9f));
    assert_int_equal(wbGetMemoryUse(t.tank->work.memory).calls, before.calls);
    assert_int_equal(wbGetMemoryUse(t.tank->work.memory).bytes, before.bytes);
    destroyDeviceTank(&t);
}

// Memory that is short, a little less each time, at the first step and at one whose bodies spread: with the particles of
// before, which the host has, the step then is the same as without.
static void testMemoryFailure(void **state) {
    (void)state;
    static Setup setup;
    static Bodies bodies;
    static float x[3 * maxParticles], v[3 * maxParticles], foundX[3 * maxParticles], foundV[3 * maxParticles];
    makeBasin(2, &setup, &bodies);
    setup.def.sph.integrator = wb_integratorLeapfrog;
    bodies.bodies[2] = bodies.bodies[1], bodies.count = 3; // two that part
    DeviceTank t = createDeviceTank(&setup, &bodies), twin = createDeviceTank(&setup, &bodies);
    int drifts = 0;
    t.tank->colliders.collideGpu = countDrifts, t.tank->colliders.context = &drifts;
    for (int round = 0; round < 2; round++) {
        int failures = 0, failedInMiddle = 0;
        wbStatus status;
        bodies.bodies[2].velocity[0] = round * -1e5; // half a step takes it 50 m away
        float sinceEvaluation = t.tank->sph.sinceEvaluation;
        size_t held = wbGetMemoryUse(t.tank->work.memory).bytes, more = 0;
        do {
            wbMemory_SetLimit(t.tank->work.memory, held + more);
            drifts = 0;
            status = stepDevice(&t, &bodies, comparedDt);
            if (wbIsOk(status)) break;
            assert_int_equal(status.code, wb_errorMemory);
            (void)wbParticlesGpu_Discard(&t.device->particles, status);
            t.tank->sph.sinceEvaluation = sinceEvaluation;
            failures++, failedInMiddle += drifts > 0;
            more += 1000;
        } while (true);
        wbMemory_SetLimit(t.tank->work.memory, 0);
        assertOk(wbParticlesGpu_Pull(&t.device->particles, &t.tank->sph.fluid.particles));
        assert_true(failures > 0 && (round == 0 || failedInMiddle > 0));
        assertOk(stepDevice(&twin, &bodies, comparedDt));
        assertOk(wbParticlesGpu_Pull(&twin.device->particles, &twin.tank->sph.fluid.particles));
        copyById(&t.tank->sph, foundX, foundV), copyById(&twin.tank->sph, x, v);
        assert_memory_equal(foundX, x, sizeof(float[3]) * (size_t)setup.count);
        assert_memory_equal(foundV, v, sizeof(float[3]) * (size_t)setup.count);
    }
    destroyDeviceTank(&t), destroyDeviceTank(&twin);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(testEvaluation, resetShape),
        cmocka_unit_test_teardown(testSurface, resetShape),
        cmocka_unit_test_teardown(testStress, resetShape),
        cmocka_unit_test_teardown(testHashed, resetShape),
        cmocka_unit_test(testSteps),
        cmocka_unit_test(testCollisionIsCalled),
        cmocka_unit_test(testWarmStepsAllocateNothing),
        cmocka_unit_test(testMemoryFailure),
    };
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, NULL, NULL);
}
