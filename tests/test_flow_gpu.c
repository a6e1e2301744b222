// SPDX-License-Identifier: MIT
// Emitters, drains and pumps on a compute device: the same numbers as on the cores, and no particle lost on the way.
#include <math.h>
#include <unistd.h>

#include "flow_support.h"
#include "gpu/gpu_state.h"
#include "gpu_support.h"
#include "space/particle_flow.h"
#include "world/world.h"

// In free flight nothing depends on rounding: every step has the same particles, to the last bit of their ids.
static void testSameAsOnTheCores(void **state) {
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        wbWorld *worlds[2];
        for (int w = 0; w < 2; w++) {
            wbWorldDef def = makeFlowDef(dimensions, w ? wb_backendOpencl : wb_backendCpu);
            worlds[w] = createFlowWorld(&def);
            wbEmitterDef pipe = makePipe(worlds[w]);
            addEmitter(worlds[w], &pipe);
            pipe.name = "other", pipe.params.position.y = 2, pipe.params.velocity = 3.1f;
            addEmitter(worlds[w], &pipe);
            addDrain(worlds[w], "near", (wbVec3){0.75f, 0.3f, -1}, (wbVec3){0.95f, 0.55f, 2},
                     (wbEmitterId){0});
            addDrain(worlds[w], "far", (wbVec3){1, -9, -9}, (wbVec3){9, 9, 9}, (wbEmitterId){0});
            assertOk(wbWorld_SetParam(worlds[w], "far.rate", "400"));
        }
        for (int i = 0; i < 300; i++) {
            for (int w = 0; w < 2; w++) stepTimes(worlds[w], 1);
            if (i % 7) continue; // between, the device is ahead for several steps
            wbStats cpu = wbWorld_GetStats(worlds[0]), gpu = wbWorld_GetStats(worlds[1]);
            assert_true(cpu.spawned == gpu.spawned && cpu.removed == gpu.removed);
            assertAccounts(worlds[1]);
        }
        wbStats cpu = wbWorld_GetStats(worlds[0]), gpu = wbWorld_GetStats(worlds[1]);
        assert_true(cpu.removed > 50 && cpu.particles > 20);
        assert_true(fabs(cpu.kinetic - gpu.kinetic) < 1e-3 * cpu.kinetic);
        assert_true(fabs(cpu.momentum[0] - gpu.momentum[0]) < 1e-3 * cpu.momentum[0]);
        for (int w = 0; w < 2; w++) wbDestroyWorld(worlds[w]);
    }
}

// The particles that a drain leaves are those that it would leave on the host, in the same order, with all their data.
static void testRemoveAndAppend(void **state) {
    (void)state;
    const int mosts[] = {1000000, 0, 1, 37};
    for (int k = 0; k < 8; k++) {
        wbWorldDef def = makeFlowDef(2 + k % 2, wb_backendOpencl);
        def.sph.integrator = k < 4 ? wb_integratorSymplectic : wb_integratorLeapfrog;
        wbWorld *world = createFlowWorld(&def);
        wbBlockDef block = {.max = {1.3f, 1.1f, 0.7f}, .jitter = 0.2f};
        assertOk(wbFluid_AddBlock(world, wbWorld_GetFluid(world, 0), &block));
        stepTimes(world, 3);
        assertOk(wbPullState(world));
        wbParticles host = {0}, *particles = world->solvers[wb_solverSph].liquid->particles;
        assertOk(wbParticles_Reserve(&host, world->memory, particles->count));
        wbColumn from[WB_PARTICLE_COLUMNS], to[WB_PARTICLE_COLUMNS];
        wbParticles_ListColumns(particles, from), wbParticles_ListColumns(&host, to);
        for (int c = 0; c < WB_SAVED_COLUMNS; c++)
            memcpy(*to[c].data, *from[c].data, 4 * (size_t)particles->count);
        host.count = particles->count;
        // the same on the device, which must be ahead
        wbParticleFlowGpu *flow;
        assertOk(wbCreateParticleFlowGpu(world->memory, world->solvers[wb_solverSph].liquid->device, &flow));
        FlowRegion region = {{0.2f, 0.1f, -1}, {0.8f, 0.5f, 0.4f}, k / 2 % 2};
        int removed, most = mosts[k / 2];
        assertOk(wbParticleFlowGpu_Remove(flow, particles, &region, most, &removed));
        assert_int_equal(removed, wbParticles_Remove(&host, &region, most));
        assert_int_equal(particles->count, host.count);
        assert_memory_equal(particles->backId, host.backId, 4 * (size_t)removed);
        assert_memory_equal(particles->backX, host.backX, 4 * (size_t)removed);
        assert_memory_equal(particles->backVz, host.backVz, 4 * (size_t)removed);
        // many more than there were: the buffers grow and keep what they have
        enum { ADDED = 5000 };
        static float values[WB_SAVED_COLUMNS][ADDED];
        wbStagedParticles staged = {.count = ADDED};
        for (int c = 0; c < WB_SAVED_COLUMNS; c++) {
            for (int i = 0; i < ADDED; i++) values[c][i] = (float)(c * ADDED + i);
            staged.columns[c] = values[c];
        }
        assertOk(wbParticles_Reserve(particles, world->memory, particles->count + ADDED));
        assertOk(wbParticles_Reserve(&host, world->memory, host.count + ADDED));
        assertOk(wbParticleFlowGpu_Append(flow, particles, &staged));
        wbParticles_Append(&host, &staged);
        wbGpuBuffer *kept[WB_SAVED_COLUMNS], *spare[WB_SAVED_COLUMNS];
        wbParticlesGpu_ListBuffers(world->solvers[wb_solverSph].liquid->device, kept, spare);
        wbParticles_ListColumns(&host, to);
        static uint32_t got[3 * ADDED];
        for (int c = 0; c < WB_SAVED_COLUMNS; c++) {
            assertOk(wbGpu_Download(world->gpu, kept[c], got, 4 * (size_t)host.count));
            assert_memory_equal(got, *to[c].data, 4 * (size_t)host.count);
        }
        wbDestroyParticleFlowGpu(flow);
        wbParticles_Free(world->memory, &host);
        wbDestroyWorld(world);
    }
}

static void testFountain(void **state) {
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        wbWorld *cpu = createFountain(dimensions, wb_backendCpu, wb_integratorSymplectic);
        wbWorld *gpu = createFountain(dimensions, wb_backendOpencl, wb_integratorSymplectic);
        for (int i = 0; i < 10; i++) {
            stepTimes(cpu, 20), stepTimes(gpu, 20);
            assertAccounts(gpu);
        }
        wbStats one = wbWorld_GetStats(cpu), two = wbWorld_GetStats(gpu);
        assert_true(one.removed > 20 && countPumped(cpu) > 0);
        // a splash comes a little earlier or later
        assert_true(llabs(one.spawned - two.spawned) <= 0.03 * (double)one.spawned);
        assert_true(llabs(one.removed - two.removed) <= 0.1 * (double)one.removed + 5);
        assert_true(fabs(one.potential - two.potential) < 0.05 * one.potential);
        wbDestroyWorld(cpu), wbDestroyWorld(gpu);
    }
}

static void testPumpConserves(void **state) {
    (void)state;
    wbWorld *world = createFountain(3, wb_backendOpencl, wb_integratorLeapfrog);
    assertOk(wbWorld_SetParam(world, "pipe.open", "0"));
    assertOk(wbWorld_SetParam(world, "outlet.open", "0"));
    int64_t all = world->solvers[wb_solverSph].liquid->particles->count;
    for (int i = 0; i < 200; i++) {
        stepTimes(world, 1);
        assert_true(world->solvers[wb_solverSph].liquid->particles->count + countPumped(world) == all);
    }
    assert_true(world->spawned > all);
    assertAccounts(world);
    wbDestroyWorld(world);
}

static void testCheckpoint(void **state) {
    (void)state;
    char path[] = "/tmp/wirbel_flow_XXXXXX";
    close(mkstemp(path));
    for (int k = 0; k < 2; k++) {
        wbIntegrator integrator = k ? wb_integratorLeapfrog : wb_integratorEuler;
        wbWorld *world = createFountain(3, wb_backendOpencl, integrator), *loaded;
        stepTimes(world, 61);
        assertOk(wbWorld_Save(world, path));
        assertOk(wbLoadWorld(path, &loaded));
        assert_non_null(wbWorld_GetDevice(loaded));
        assert_true(wbWorld_Hash(loaded) == wbWorld_Hash(world));
        stepTimes(world, 60), stepTimes(loaded, 60);
        assert_true(wbWorld_Hash(loaded) == wbWorld_Hash(world));
        assertAccounts(loaded);
        // to the cores and back
        assertOk(wbWorld_SetBackend(loaded, wb_backendCpu, -1));
        stepTimes(loaded, 5);
        assertOk(wbWorld_SetBackend(loaded, wb_backendOpencl, -1));
        stepTimes(loaded, 5);
        assertAccounts(loaded);
        wbDestroyWorld(world), wbDestroyWorld(loaded);
    }
    unlink(path);
}

static void testEverythingIsDrained(void **state) {
    (void)state;
    wbWorldDef def = makeFlowDef(3, wb_backendOpencl);
    wbWorld *world = createFlowWorld(&def);
    wbBlockDef block = {.max = {0.5f, 0.5f, 0.5f}};
    assertOk(wbFluid_AddBlock(world, wbWorld_GetFluid(world, 0), &block));
    addDrain(world, "all", (wbVec3){-9, -9, -9}, (wbVec3){9, 9, 9}, (wbEmitterId){0});
    stepTimes(world, 3);
    assert_int_equal(wbWorld_GetStats(world).particles, 0);
    assertOk(wbWorld_SetParam(world, "all.open", "0"));
    wbEmitterDef pipe = makePipe(world);
    addEmitter(world, &pipe);
    stepTimes(world, 60);
    assert_int_equal(wbWorld_GetStats(world).particles, 26);
    assertAccounts(world);
    wbDestroyWorld(world);
}

// After the device is lost the world stands where it was copied back last, with all its accounts.
static cl_int failRead(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
                       void *to, cl_uint waits, const cl_event *events, cl_event *event) {
    (void)queue, (void)buffer, (void)blocking, (void)offset, (void)size, (void)to, (void)waits, (void)events,
        (void)event;
    return CL_OUT_OF_RESOURCES;
}

static void testLostDevice(void **state) {
    (void)state;
    wbWorld *world = createFountain(2, wb_backendOpencl, wb_integratorSymplectic);
    stepTimes(world, 100);
    uint64_t hash = wbWorld_Hash(world);
    wbStats before = wbWorld_GetStats(world);
    int64_t pumped = countPumped(world);
    stepTimes(world, 60);
    assert_true(world->spawned > before.spawned);
    world->gpu->cl.clEnqueueReadBuffer = failRead;
    assert_false(wbIsOk(wbWorld_Step(world, 0)));
    assert_true(wbWorld_Hash(world) == hash);
    wbStats after = wbWorld_GetStats(world);
    assert_true(after.spawned == before.spawned && after.removed == before.removed &&
                after.step == before.step);
    assert_true(countPumped(world) == pumped);
    assertAccounts(world);
    assertOk(wbWorld_SetBackend(world, wb_backendCpu, -1));
    stepTimes(world, 60);
    assertAccounts(world);
    wbDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testRemoveAndAppend), cmocka_unit_test(testSameAsOnTheCores),
        cmocka_unit_test(testFountain),        cmocka_unit_test(testPumpConserves),
        cmocka_unit_test(testCheckpoint),      cmocka_unit_test(testEverythingIsDrained),
        cmocka_unit_test(testLostDevice),
    };
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, catchAsserts, NULL);
}
