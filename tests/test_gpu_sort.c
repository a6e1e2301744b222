// SPDX-License-Identifier: MIT
// Scan and sorts of the device against those of the processor.
#include <string.h>

#include "core/hash.h"
#include "core/sort.h"
#include "gpu/gpu_sort.h"
#include "gpu_support.h"

typedef struct Bench {
    TestGpu test;
    wbGpuSort *sort;
    wbThreadPool *pool;
    wbArena *arena;
    wbGpuBuffer keys, bucketStart, order;
} Bench;

static Bench openBench(void) {
    Bench bench = {.test = openTestGpu()};
    wbMemory *memory = bench.test.memory;
    assertOk(wbCreateGpuSort(memory, bench.test.gpu, &bench.sort));
    bench.pool = wbCreateThreadPool(memory, 1, NULL, NULL);
    bench.arena = wbCreateArena(memory);
    return bench;
}

static void closeBench(Bench *bench) {
    wbGpuBuffer_Free(bench->test.gpu, &bench->keys);
    wbGpuBuffer_Free(bench->test.gpu, &bench->bucketStart);
    wbGpuBuffer_Free(bench->test.gpu, &bench->order);
    wbDestroyGpuSort(bench->sort);
    wbDestroyArena(bench->arena);
    wbDestroyThreadPool(bench->pool);
    closeTestGpu(&bench->test);
}

static void *allocate(int count) { return calloc((size_t)count + 1, sizeof(uint32_t)); }

typedef wbStatus SortFn(wbGpuSort *sort, const wbGpuBuffer *keys, int count, int bucketCount,
                        wbGpuBuffer *bucketStart, wbGpuBuffer *order);

// What stood in the buffers behind the last entries must stand there afterwards.
static void checkSort(Bench *bench, SortFn *function, const uint32_t *keys, int count, int bucketCount,
                      const int *starts, const int *order) {
    wbGpu *gpu = bench->test.gpu;
    size_t orderBytes = 4 * ((size_t)count + 1), startBytes = 4 * ((size_t)bucketCount + 2);
    int *deviceOrder = allocate(count + 1), *deviceStarts = allocate(bucketCount + 2);
    assertOk(wbGpuBuffer_Reserve(gpu, &bench->keys, "keys", orderBytes));
    assertOk(wbGpuBuffer_Reserve(gpu, &bench->order, "order", orderBytes));
    assertOk(wbGpuBuffer_Reserve(gpu, &bench->bucketStart, "bucketStart", startBytes));
    assertOk(wbGpu_Fill(gpu, &bench->order, UINT32_MAX, orderBytes));
    assertOk(wbGpu_Fill(gpu, &bench->bucketStart, UINT32_MAX, startBytes));
    assertOk(wbGpu_Upload(gpu, &bench->keys, keys, 4 * (size_t)count));
    assertOk(function(bench->sort, &bench->keys, count, bucketCount, &bench->bucketStart, &bench->order));
    assertOk(wbGpu_Download(gpu, &bench->order, deviceOrder, orderBytes));
    assertOk(wbGpu_Download(gpu, &bench->bucketStart, deviceStarts, startBytes));
    assert_memory_equal(deviceOrder, order, 4 * (size_t)count);
    assert_memory_equal(deviceStarts, starts, 4 * ((size_t)bucketCount + 1));
    assert_int_equal(deviceOrder[count], -1);
    assert_int_equal(deviceStarts[bucketCount + 1], -1);
    free(deviceOrder);
    free(deviceStarts);
}

static void checkSorts(Bench *bench, const uint32_t *keys, int count, int bucketCount) {
    int *starts = allocate(bucketCount + 1), *order = allocate(count);
    assert_true(wbCountingSort(bench->pool, bench->arena, keys, count, bucketCount, starts, order));
    checkSort(bench, wbGpuSort_ByCounting, keys, count, bucketCount, starts, order);
    checkSort(bench, wbGpuSort_ByBitonic, keys, count, bucketCount, starts, order);
    free(starts);
    free(order);
}

typedef enum KeyOrder { RANDOM, EQUAL, ASCENDING, DESCENDING, KEY_ORDERS } KeyOrder;

static uint32_t makeKey(KeyOrder order, int i, int count, int bucketCount) {
    switch (order) {
    case RANDOM:
        return wbHash32((uint32_t)i) % (uint32_t)bucketCount;
    case EQUAL:
        return (uint32_t)bucketCount / 3;
    case ASCENDING:
        return (uint32_t)((int64_t)i * bucketCount / count);
    default:
        return (uint32_t)((int64_t)(count - 1 - i) * bucketCount / count);
    }
}

static void checkAllOrders(Bench *bench, int count, int bucketCount) {
    uint32_t *keys = allocate(count);
    for (KeyOrder order = RANDOM; order < KEY_ORDERS; order++) {
        for (int i = 0; i < count; ++i) keys[i] = makeKey(order, i, count, bucketCount);
        checkSorts(bench, keys, count, bucketCount);
    }
    free(keys);
}

static const int sizes[] = {0, 1, 31, 33, 255, 256, 257, 4096, 100003, 1000001};
enum { sizeCount = sizeof sizes / sizeof sizes[0] };

// oclgrind takes seconds for what a device does in a millisecond
static int getLargest(void) { return getenv("WIRBEL_TEST_SMALL") ? 4096 : 1000001; }

static void testSorts(void **state) {
    (void)state;
    Bench bench = openBench();
    for (int i = 0; i < sizeCount && sizes[i] <= getLargest(); ++i) checkAllOrders(&bench, sizes[i], 1000);
    checkAllOrders(&bench, 4096, 1);
    checkAllOrders(&bench, 1000, getenv("WIRBEL_TEST_SMALL") ? 5000 : 300000);
    checkSorts(&bench, NULL, 0, 0);
    closeBench(&bench);
}

static void checkScan(Bench *bench, int count) {
    wbGpu *gpu = bench->test.gpu;
    size_t bytes = 4 * ((size_t)count + 1);
    uint32_t *values = allocate(count + 1), *sums = allocate(count + 1);
    // the largest sums pass 32 bits and wrap, as unsigned numbers do
    for (int i = 0; i <= count; ++i) values[i] = wbHash32((uint32_t)i) >> 4;
    assertOk(wbGpuBuffer_Reserve(gpu, &bench->keys, "values", bytes));
    assertOk(wbGpu_Upload(gpu, &bench->keys, values, bytes));
    assertOk(wbGpuSort_Scan(bench->sort, &bench->keys, count));
    assertOk(wbGpu_Download(gpu, &bench->keys, sums, bytes));
    uint32_t sum = 0;
    for (int i = 0; i < count; ++i) {
        if (sums[i] != sum) fail_msg("sum %d of %d is %u, not %u", i, count, sums[i], sum);
        sum += values[i];
    }
    assert_int_equal(sums[count], values[count]);
    free(values);
    free(sums);
}

static void testScan(void **state) {
    (void)state;
    Bench bench = openBench();
    for (int i = 0; i < sizeCount && sizes[i] <= getLargest(); ++i) checkScan(&bench, sizes[i]);
    closeBench(&bench);
}

// Small groups need more levels of a scan; large ones more local memory.
static void testGroupSizes(void **state) {
    (void)state;
    static const char *const groupSizes[] = {"16", "64", "1024"};
    for (int i = 0; i < (triesAllShapes() ? 3 : 2); ++i) {
        setenv("WIRBEL_GROUP_SIZE", groupSizes[i], 1);
        Bench bench = openBench();
        assert_int_equal(wbGpu_GetGroupSize(bench.test.gpu), atoi(groupSizes[i]));
        int count = getLargest() > 100003 ? 100003 : 3000;
        checkScan(&bench, count);
        checkAllOrders(&bench, count, 4000);
        closeBench(&bench);
    }
    unsetenv("WIRBEL_GROUP_SIZE");
}

static void testTooSmallBuffers(void **state) {
    (void)state;
    Bench bench = openBench();
    wbGpuBuffer none = {0};
    wbSetAssert(failByCmocka);
    expect_assert_failure(wbGpuSort_ByCounting(bench.sort, &none, 1, 1, &none, &none));
    wbSetAssert(NULL);
    closeBench(&bench);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testScan),
        cmocka_unit_test(testSorts),
        cmocka_unit_test(testGroupSizes),
        cmocka_unit_test(testTooSmallBuffers),
    };
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, NULL, NULL);
}
