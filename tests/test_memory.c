// SPDX-License-Identifier: MIT
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "test_support.h"

static void testCounters(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(0);
    char *a = wbAlloc(memory, 100);
    char *b = wbAllocZero(memory, 1000);
    for (int i = 0; i < 1000; ++i) assert_int_equal(b[i], 0);
    assert_int_equal((uintptr_t)a % WB_ALIGNMENT, 0);
    assert_int_equal((uintptr_t)b % WB_ALIGNMENT, 0);
    wbFree(memory, a, 100);
    wbMemoryUse use = wbGetMemoryUse(memory);
    assert_int_equal(use.bytes, 1000);
    assert_int_equal(use.peakBytes, 1100);
    assert_int_equal(use.calls, 2);
    assert_int_equal(use.limit, 0);
    wbFree(memory, b, 1000);
    wbFree(memory, NULL, 10);
    assert_int_equal(wbGetMemoryUse(memory).bytes, 0);
    wbDestroyMemory(memory);
    wbDestroyMemory(NULL);
}

static void testLimit(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(1000);
    void *a = wbAlloc(memory, 600);
    assert_non_null(a);
    assert_null(wbAlloc(memory, 401));
    void *b = wbAlloc(memory, 400);
    assert_non_null(b);
    assert_null(wbAlloc(memory, 1));
    wbMemoryUse use = wbGetMemoryUse(memory);
    assert_int_equal(use.bytes, 1000);
    assert_int_equal(use.peakBytes, 1000);
    assert_int_equal(use.calls, 2); // what the account refuses never reaches the allocator
    wbFree(memory, a, 600);
    wbFree(memory, b, 400);
    wbDestroyMemory(memory);
}

// What a device holds for a world counts like the rest.
static void testCharges(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(1000);
    void *block = wbAlloc(memory, 300);
    assert_true(wbChargeMemory(memory, 700));
    assert_false(wbChargeMemory(memory, 1));
    assert_null(wbAlloc(memory, 1));
    wbMemoryUse use = wbGetMemoryUse(memory);
    assert_int_equal(use.bytes, 1000);
    assert_int_equal(use.peakBytes, 1000);
    assert_int_equal(use.calls, 2);
    wbDischargeMemory(memory, 700);
    assert_int_equal(wbGetMemoryUse(memory).bytes, 300);
    wbFree(memory, block, 300);
    wbDestroyMemory(memory);
    assert_true(wbChargeMemory(NULL, SIZE_MAX));
    wbDischargeMemory(NULL, SIZE_MAX);
}

static void testImpossibleSizes(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(0);
    assert_null(wbAlloc(memory, 0));
    assert_null(wbAlloc(memory, SIZE_MAX));
    assert_null(wbAlloc(memory, SIZE_MAX - 70));
    assert_null(wbAllocZero(memory, (size_t)PTRDIFF_MAX + 1));
    wbMemoryUse use = wbGetMemoryUse(memory);
    assert_int_equal(use.bytes, 0);
    assert_int_equal(use.peakBytes, 0);
    wbDestroyMemory(memory);
}

static void testRealloc(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(1000);
    char *block = wbRealloc(memory, NULL, 0, 100);
    memset(block, 7, 100);
    block = wbRealloc(memory, block, 100, 300);
    for (int i = 0; i < 100; ++i) assert_int_equal(block[i], 7);
    assert_null(wbRealloc(memory, block, 300, 800)); // both blocks live while one is copied
    for (int i = 0; i < 100; ++i) assert_int_equal(block[i], 7);
    assert_int_equal(wbGetMemoryUse(memory).bytes, 300);
    block = wbRealloc(memory, block, 300, 10);
    for (int i = 0; i < 10; ++i) assert_int_equal(block[i], 7);
    assert_int_equal(wbGetMemoryUse(memory).bytes, 10);
    expect_assert_failure(wbRealloc(memory, block, 10, 0));
    wbFree(memory, block, 10);
    wbDestroyMemory(memory);
}

static void testLargeBlocks(void **state) {
    (void)state;
    static const size_t sizes[] = {65535, 65536, 100000, (2 << 20) - 1, 2 << 20, (5 << 20) + 12345};
    wbMemory *memory = wbCreateMemory(0);
    for (int i = 0; i < 6; ++i) {
        char *block = wbAlloc(memory, sizes[i]);
        assert_int_equal((uintptr_t)block % WB_ALIGNMENT, 0);
        memset(block, i, sizes[i]);
        wbFree(memory, block, sizes[i]);
    }
    wbDestroyMemory(memory);
}

// Columns of a structure of arrays do not all begin at the same place of a page. (Addresses are random: a
// bound that is passed once in 1e10 runs.)
static void testLargeBlocksAreSpread(void **state) {
    (void)state;
    enum { BLOCKS = 16 };
    static const size_t sizes[] = {131136, 400064, 4000064};
    wbMemory *memory = wbCreateMemory(0);
    for (int s = 0; s < 3; ++s) {
        void *blocks[BLOCKS];
        int places[64] = {0};
        for (int i = 0; i < BLOCKS; ++i) {
            blocks[i] = wbAlloc(memory, sizes[s]);
            int *place = &places[(uintptr_t)blocks[i] / 64 % 64];
            assert_true(++*place <= 12);
        }
        for (int i = 0; i < BLOCKS; ++i) wbFree(memory, blocks[i], sizes[s]);
    }
    wbDestroyMemory(memory);
}

static void testLeaksAreAsserted(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(0);
    void *block = wbAlloc(memory, 64);
    expect_assert_failure(wbDestroyMemory(memory));
    wbFree(memory, block, 64);
    wbDestroyMemory(memory);
}

typedef struct Host {
    int allocations, releases;
    int failAt; // the allocation that fails, counted from 1
    size_t lastBytes, lastAlignment, releasedBytes;
} Host;

static void *hostAllocate(size_t bytes, size_t alignment, void *context) {
    Host *host = context;
    host->lastBytes = bytes;
    host->lastAlignment = alignment;
    if (++host->allocations == host->failAt) return NULL;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void hostRelease(void *memory, size_t bytes, void *context) {
    Host *host = context;
    ++host->releases;
    host->releasedBytes += bytes;
    free(memory);
}

static void testHostAllocator(void **state) {
    (void)state;
    Host host = {0};
    wbSetAllocator(&(wbAllocator){hostAllocate, hostRelease, &host});
    wbMemory *memory = wbCreateMemory(0);
    assert_int_equal(host.allocations, 1);
    void *a = wbAlloc(memory, 100);
    assert_int_equal(host.lastBytes, 100);
    assert_int_equal(host.lastAlignment, WB_ALIGNMENT);
    host.failAt = 3;
    assert_null(wbAlloc(memory, 500));
    wbMemoryUse use = wbGetMemoryUse(memory);
    assert_int_equal(use.bytes, 100); // what failed is not held
    assert_int_equal(use.peakBytes, 100);
    assert_int_equal(use.calls, 2);
    size_t released = host.releasedBytes;
    wbFree(memory, a, 100);
    assert_int_equal(host.releasedBytes - released, 100);
    wbDestroyMemory(memory);
    assert_int_equal(host.releases, 2);
    host.failAt = host.allocations + 1;
    assert_null(wbCreateMemory(0));
    int calls = host.allocations;
    wbSetAllocator(NULL);
    wbDestroyMemory(wbCreateMemory(0));
    assert_int_equal(host.allocations, calls);
}

enum { THREADS = 4, ROUNDS = 5000, BLOCK = 128, ROOM = 3 };

// Four threads in an account with room for three blocks: never more, and nothing lost at the end.
static void *allocateMany(void *context) {
    wbMemory *memory = context;
    size_t most = 0;
    for (int i = 0; i < ROUNDS; ++i) {
        void *block = wbAlloc(memory, BLOCK);
        wbMemoryUse use = wbGetMemoryUse(memory);
        if (use.bytes > most) most = use.bytes;
        if (use.peakBytes > most) most = use.peakBytes;
        wbFree(memory, block, BLOCK);
    }
    return (void *)most;
}

static void testLimitAcrossThreads(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(ROOM * BLOCK);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; ++i) {
        assert_int_equal(pthread_create(&threads[i], NULL, allocateMany, memory), 0);
    }
    for (int i = 0; i < THREADS; ++i) {
        void *most;
        pthread_join(threads[i], &most);
        assert_true((size_t)most <= ROOM * BLOCK);
    }
    assert_int_equal(wbGetMemoryUse(memory).bytes, 0);
    wbDestroyMemory(memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testCounters),
        cmocka_unit_test(testLimit),
        cmocka_unit_test(testCharges),
        cmocka_unit_test(testImpossibleSizes),
        cmocka_unit_test(testRealloc),
        cmocka_unit_test(testLargeBlocks),
        cmocka_unit_test(testLargeBlocksAreSpread),
        cmocka_unit_test(testLeaksAreAsserted),
        cmocka_unit_test(testHostAllocator),
        cmocka_unit_test(testLimitAcrossThreads),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
