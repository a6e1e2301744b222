// SPDX-License-Identifier: MIT
// Position based fluids in worlds on a compute device, against the cores.
#include "core/status.h"
#include "gpu_support.h"
#include "pbf_world_support.h"

// Largest difference of a step from the same state, by id: positions in m, velocities in m/s.
static void compareFluids(wbWorld *one, wbWorld *two, double limitX, double limitV) {
    for (int f = 0; f < wbWorld_GetFluidCount(one); f++) {
        wbFluidId id = wbWorld_GetFluid(one, f);
        int count = wbFluid_GetParticleCount(one, id);
        size_t bytes = sizeof(float[3]) * (size_t)(count + 1);
        assert_int_equal(wbFluid_GetParticleCount(two, id), count);
        float *x[2] = {malloc(bytes), malloc(bytes)}, *v[2] = {malloc(bytes), malloc(bytes)};
        assertOk(wbFluid_CopyById(one, id, x[0], v[0]));
        assertOk(wbFluid_CopyById(two, id, x[1], v[1]));
        double worstX = 0, worstV = 0;
        for (int i = 0; i < 3 * count; i++) {
            worstX = fmax(worstX, fabs((double)x[0][i] - (double)x[1][i]));
            worstV = fmax(worstV, fabs((double)v[0][i] - (double)v[1][i]));
        }
        assertBelow(worstX, limitX, "position");
        assertBelow(worstV, limitV, "velocity");
        for (int k = 0; k < 2; k++) free(x[k]), free(v[k]);
    }
}

static void compareForces(const wbWorld *one, const wbWorld *two, double limit) {
    for (int i = 0; i < wbWorld_GetColliderCount(one); i++) {
        wbColliderStats a = wbCollider_GetStats(one, wbWorld_GetCollider(one, i)),
                        b = wbCollider_GetStats(two, wbWorld_GetCollider(two, i));
        for (int k = 0; k < 3; k++) assertBelow(fabs(a.force[k] - b.force[k]), limit, "force");
    }
}

// A pool with gate, post, jet and pump: from the same state the device's step is that of the cores, for 1 and 16 lanes,
// sub-steps, also automatic ones, and SPH beside it included; and it goes on without a leak or a lost particle.
static void testPoolAlike(void **state) {
    (void)state;
    for (int run = 0; run < 5; run++) {
        int dimensions = run == 1 || run == 3 ? 2 : 3, subSteps = (int[]){2, 1, 1, 0, 0}[run];
        setenv("WIRBEL_GPU_LANES", run == 0 ? "1" : "16", 1);
        wbWorld *host = createPool(dimensions, wb_backendCpu, 1, subSteps, run == 2);
        int64_t all = wbWorld_GetStats(host).particles;
        stepTimes(host, 25);
        assertOk(wbWorld_Save(host, "pbf_world_gpu.checkpoint"));
        wbWorld *device;
        assertOk(wbLoadWorld("pbf_world_gpu.checkpoint", &device));
        assertOk(wbWorld_SetBackend(device, wb_backendOpencl, 0));
        stepTimes(host, 1), stepTimes(device, 1);
        int used = wbWorld_GetProfile(host).pbfSubSteps;
        assert_true(used > (subSteps == 0));
        assert_int_equal(wbWorld_GetProfile(device).pbfSubSteps, used);
        compareFluids(host, device, 2e-4, 2e-2);
        compareForces(host, device, 20); // of some 10,000 N
        stepTimes(device, 10);
        assertAccounts(device);
        wbStats stats = wbWorld_GetStats(device);
        assert_true(stats.particles + countPumped(device) == all && stats.leaked == 0);
        // and back, while it runs
        assertOk(wbWorld_SetBackend(device, wb_backendCpu, 0));
        stepTimes(device, 2);
        assertOk(wbWorld_SetParam(device, "world.backend", "opencl"));
        assertOk(wbWorld_SetParam(device, "pbf.iterations", "5"));
        stepTimes(device, 2);
        assertAccounts(device);
        wbDestroyWorld(host), wbDestroyWorld(device);
    }
    remove("pbf_world_gpu.checkpoint");
    unsetenv("WIRBEL_GPU_LANES");
}

// The same bits every time, also over a checkpoint.
static void testSameBits(void **state) {
    (void)state;
    uint64_t hashes[2];
    for (int run = 0; run < 2; run++) {
        wbWorld *world = createPool(3, wb_backendOpencl, 1, 1, false);
        stepTimes(world, 10);
        if (run == 1) {
            assertOk(wbWorld_Save(world, "pbf_world_gpu.checkpoint"));
            wbDestroyWorld(world);
            assertOk(wbLoadWorld("pbf_world_gpu.checkpoint", &world));
        }
        stepTimes(world, 10);
        hashes[run] = wbWorld_Hash(world);
        wbDestroyWorld(world);
    }
    assert_true(hashes[0] == hashes[1]);
    remove("pbf_world_gpu.checkpoint");
}

// A block of water thrown at a plate, without weight, where nothing but the plate ends it: the first of the cells is where a collision leaves a particle.
static wbWorld *throwBlock(wbFluidSolver solver, wbAdaptiveMethod method) {
    wbWorldDef def = makePbfDef(3, wb_backendOpencl, wbMakeVec3(4, 4, 4));
    for (int s = 0; s < wb_sideCount; s++) def.domain.sides[s].type = wb_sideOpen;
    def.params.gravity = (wbVec3){0, 0, 0};
    def.params.dt = solver == wb_solverSph ? 1.0f / 480 : 1.0f / 60;
    def.sph.spacing = 0.1f, def.sph.soundSpeed = 40;
    def.pbf.adaptive.method = method, def.pbf.adaptive.slope = 0.8f, def.pbf.adaptive.band = 1;
    def.pbf.subSteps = 1;
    wbFluidDef fluid = wbDefaultFluidDef();
    wbFluidId id;
    wbWorld *world;
    fluid.name = "water", fluid.solver = solver;
    assertOk(wbCreateWorld(&def, &world));
    assertOk(wbCreateFluid(world, &fluid, &id));
    addBox(world, "plate", wbMakeVec3(1, 2, 2), wbMakeVec3(0.2f, 3, 3));
    const wbBlockDef block = {
        .min = {1.2f, 1.5f, 1.5f}, .max = {2.4f, 2.5f, 2.5f}, .velocity = {-12, 0.5f, 0}, .jitter = 0.2f};
    assertOk(wbFluid_AddBlock(world, id, &block));
    return world;
}

// Whenever it is saved, what is resumed from there ends with the same bits as what went on.
static void testResumedAtAPlate(void **state) {
    (void)state;
    const struct {
        wbFluidSolver solver;
        wbAdaptiveMethod method;
    } cases[] = {
        {wb_solverSph, wb_adaptiveOff}, {wb_solverPbf, wb_adaptiveOff}, {wb_solverPbf, wb_adaptiveLevels}};
    for (int k = 0; k < 3; k++) {
        wbWorld *world = throwBlock(cases[k].solver, cases[k].method), *resumed;
        for (int save = 0; save < 3; save++) {
            wbBytes bytes = {0};
            stepTimes(world, 2);
            assertOk(wbWorld_SaveToBytes(world, &bytes));
            assertOk(wbLoadWorldFromBytes(bytes.data, bytes.size, &resumed));
            stepTimes(world, 2), stepTimes(resumed, 2);
            if (wbWorld_Hash(resumed) != wbWorld_Hash(world)) fail_msg("case %d, save %d", k, save);
            wbDestroyWorld(resumed);
            wbFreeBytes(&bytes);
        }
        if (cases[k].method != wb_adaptiveOff) assert_true(wbWorld_GetStats(world).merges > 100);
        wbDestroyWorld(world);
    }
}

// By constraints at once a step is that of the cores, colliders included.
static void testPoolByConstraints(void **state) {
    (void)state;
    wbWorld *host = createPool(3, wb_backendCpu, 1, 1, false), *device;
    assertOk(wbWorld_SetParam(host, "pbf.solver", "jacobiConstraints"));
    assertOk(wbWorld_SetParam(host, "pbf.integrator", "verlet"));
    stepTimes(host, 25);
    assertOk(wbWorld_Save(host, "pbf_world_gpu.checkpoint"));
    assertOk(wbLoadWorld("pbf_world_gpu.checkpoint", &device));
    assertOk(wbWorld_SetBackend(device, wb_backendOpencl, 0));
    stepTimes(host, 1), stepTimes(device, 1);
    compareFluids(host, device, 2e-4, 2e-2);
    compareForces(host, device, 20); // of some 10,000 N
    wbDestroyWorld(host), wbDestroyWorld(device);
    remove("pbf_world_gpu.checkpoint");
}

// In turn the order is that of the device's cells; but what a collider gets is what the fluid loses.
static void testForcesInTurn(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorldDef def = makePbfDef(3, wb_backendOpencl, wbMakeVec3(1, 1, 1));
    for (int s = 0; s < wb_sideCount; s++) def.domain.sides[s].type = wb_sideOpen;
    def.params.gravity = (wbVec3){0, 0, 0}, def.params.dt = 0.005f;
    def.pbf.subSteps = 1, def.pbf.solver = wb_pbdGaussSeidel;
    wbWorld *world = createPbfWorld(&def, &fluid);
    wbColliderId plate = addBox(world, "plate", wbMakeVec3(1.2f, 0.3f, 0.3f), wbMakeVec3(0.4f, 2, 2));
    wbBlockDef block = {.min = {0.3f, 0, 0}, .max = {0.9f, 0.6f, 0.6f}, .velocity = {2, 1, 0}};
    assertOk(wbFluid_AddBlock(world, fluid, &block));
    double before[3], impulse[3] = {0};
    memcpy(before, wbWorld_GetStats(world).momentum, sizeof before);
    for (int k = 0; k < 60; k++) {
        assertOk(wbWorld_Step(world, 0));
        for (int a = 0; a < 3; a++) impulse[a] += wbCollider_GetStats(world, plate).impulse[a];
    }
    wbStats after = wbWorld_GetStats(world);
    assertBelow(0.3 * before[0], impulse[0], "push");
    for (int a = 0; a < 3; a++)
        assertBelow(fabs(before[a] - after.momentum[a] - impulse[a]), 1e-5 * before[0], "balance");
    wbDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testPoolAlike), cmocka_unit_test(testSameBits),
                                       cmocka_unit_test(testResumedAtAPlate),
                                       cmocka_unit_test(testPoolByConstraints),
                                       cmocka_unit_test(testForcesInTurn)};
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, catchAsserts, NULL);
}
