// SPDX-License-Identifier: MIT
// Nothing passes a collider: continuous collision on a compute device.
#include "collision_support.h"
#include "gpu_support.h"

#include "space/collision_gpu.h"

// One collision at a time; its trees are uploaded with each run.
static wbCollisionCounts runOnDevice(void *context, wbCollision *collision, const wbCollisionPlace *places,
                                     const wbCollisionPoints *points) {
    TestGpu *test = context;
    wbCollisionGpu *device;
    wbCollisionCounts counts;
    wbGpuBuffer buffers[9] = {0};
    size_t bytes = sizeof(float) * (size_t)points->count;
    const float *from[9] = {points->beforeX, points->beforeY, points->beforeZ, points->x, points->y,
                            points->z,       points->vx,      points->vy,      points->vz};
    float *to[6] = {points->x, points->y, points->z, points->vx, points->vy, points->vz};
    assertOk(wbCreateCollisionGpu(test->memory, test->gpu, collision, &device));
    for (int k = 0; k < 9; k++) {
        assertOk(wbGpuBuffer_Reserve(test->gpu, &buffers[k], "particles", bytes));
        assertOk(wbGpu_Upload(test->gpu, &buffers[k], from[k], bytes));
    }
    wbCollisionBuffers all = {.count = points->count,
                              .isFlat = points->isFlat,
                              .before = {&buffers[0], &buffers[1], &buffers[2]},
                              .position = {&buffers[3], &buffers[4], &buffers[5]},
                              .velocity = {&buffers[6], &buffers[7], &buffers[8]}};
    assertOk(wbCollisionGpu_Run(device, places, &all));
    assertOk(wbCollisionGpu_TakeCounts(device, &counts));
    for (int k = 0; k < 6; k++) assertOk(wbGpu_Download(test->gpu, &buffers[3 + k], to[k], bytes));
    for (int k = 0; k < 9; k++) wbGpuBuffer_Free(test->gpu, &buffers[k]);
    wbDestroyCollisionGpu(device);
    return counts;
}

static void testThinPlates(void **state) {
    (void)state;
    TestGpu test = openTestGpu();
    CollisionRunner runner = {runOnDevice, &test};
    checkThinPlate(&runner, wbMakeVec3(0, 0, 0), 0.002f, 10);
    checkThinPlate(&runner, wbMakeVec3(100, -50, 20), 0.02f, 5);
    closeTestGpu(&test);
}

static void testShakenVessel(void **state) {
    (void)state;
    TestGpu test = openTestGpu();
    CollisionRunner runner = {runOnDevice, &test};
    checkShakenVessel(&runner, wbMakeVec3(1, 2, 3), 40);
    closeTestGpu(&test);
}

static void testExactHits(void **state) {
    (void)state;
    TestGpu test = openTestGpu();
    CollisionRunner runner = {runOnDevice, &test};
    checkExactHits(&runner);
    closeTestGpu(&test);
}

static void testNoColliders(void **state) {
    (void)state;
    TestGpu test = openTestGpu();
    wbCollision *collision = collideOf(NULL, 0);
    wbCollisionGpu *device;
    wbCollisionCounts counts = {1, 1};
    assertOk(wbCreateCollisionGpu(test.memory, test.gpu, collision, &device));
    assertOk(wbCollisionGpu_Run(device, NULL, &(wbCollisionBuffers){.count = 5}));
    assertOk(wbCollisionGpu_TakeCounts(device, &counts));
    assert_true(counts.caught == 0 && counts.lost == 0);
    wbDestroyCollisionGpu(device);
    wbDestroyCollisionGpu(NULL);
    wbDestroyCollision(collision);
    closeTestGpu(&test);
}

static void testManyColliders(void **state) {
    (void)state;
    TestGpu test = openTestGpu();
    CollisionRunner runner = {runOnDevice, &test};
    checkManyColliders(&runner, wbMakeVec3(0, 0, 0), false);
    closeTestGpu(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testThinPlates),  cmocka_unit_test(testShakenVessel),
        cmocka_unit_test(testExactHits),   cmocka_unit_test(testManyColliders),
        cmocka_unit_test(testNoColliders),
    };
    int skipped = findDevice();
    return skipped ? skipped : cmocka_run_group_tests(tests, catchAsserts, NULL);
}
