// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "core/sort.h"
#include "test_support.h"

enum { MOST = 40000, BUCKETS = 30000 };

typedef struct Item {
    uint32_t key;
    int index;
} Item;

static int compareItems(const void *a, const void *b) {
    const Item *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->index - y->index;
}

// Against qsort, with the index breaking ties: that is what stable means.
static void checkSort(const uint32_t *keys, int count, int bucketCount) {
    static Item items[MOST];
    static int order[MOST + 1], starts[BUCKETS + 2];
    for (int i = 0; i < count; ++i) items[i] = (Item){keys[i], i};
    qsort(items, (size_t)count, sizeof(Item), compareItems);
    for (int threads = 1; threads <= 5; ++threads) {
        wbMemory *memory = wbCreateMemory(0);
        wbThreadPool *pool = wbCreateThreadPool(memory, threads, NULL, NULL);
        wbArena *arena = wbCreateArena(memory);
        memset(order, -1, sizeof order);
        memset(starts, -1, sizeof starts);
        size_t mark = wbArena_Mark(arena);
        assert_true(wbCountingSort(pool, arena, keys, count, bucketCount, starts, order));
        assert_int_equal(wbArena_Mark(arena), mark);
        for (int k = 0; k < count; ++k) assert_int_equal(order[k], items[k].index);
        for (int b = 0, k = 0; b <= bucketCount; ++b) {
            while (k < count && items[k].key < (uint32_t)b) ++k;
            assert_int_equal(starts[b], k);
        }
        assert_int_equal(order[count], -1);
        assert_int_equal(starts[bucketCount + 1], -1);
        wbDestroyArena(arena);
        wbDestroyThreadPool(pool);
        wbDestroyMemory(memory);
    }
}

static uint32_t keys[MOST];

static void fillKeys(int bucketCount) {
    for (uint32_t i = 0; i < MOST; ++i) keys[i] = wbHash32(i) % (uint32_t)bucketCount;
}

static void testRandomKeys(void **state) {
    (void)state;
    fillKeys(BUCKETS);
    checkSort(keys, MOST, BUCKETS);
    checkSort(keys, 4097, BUCKETS);
    fillKeys(7);
    checkSort(keys, MOST - 1, 7);
}

static void testEqualKeys(void **state) {
    (void)state;
    for (int i = 0; i < MOST; ++i) keys[i] = 5;
    checkSort(keys, MOST, 6);
    checkSort(keys, MOST, BUCKETS);
    memset(keys, 0, sizeof keys);
    checkSort(keys, MOST, 1);
}

static void testFallingKeys(void **state) {
    (void)state;
    for (int i = 0; i < BUCKETS; ++i) keys[i] = (uint32_t)(BUCKETS - 1 - i);
    checkSort(keys, BUCKETS, BUCKETS);
}

static void testFewItems(void **state) {
    (void)state;
    keys[0] = 3;
    keys[1] = 1;
    checkSort(keys, 0, 0);
    checkSort(keys, 0, 100);
    checkSort(keys, 1, 4);
    checkSort(keys, 2, BUCKETS);
}

static void testOutOfMemory(void **state) {
    (void)state;
    static int order[MOST], starts[BUCKETS + 1];
    fillKeys(BUCKETS);
    wbMemory *memory = wbCreateMemory(100000);
    wbThreadPool *pool = wbCreateThreadPool(NULL, 2, NULL, NULL);
    wbArena *arena = wbCreateArena(memory);
    assert_false(wbCountingSort(pool, arena, keys, MOST, BUCKETS, starts, order));
    assert_int_equal(wbArena_Mark(arena), 0);
    wbDestroyArena(arena);
    wbDestroyThreadPool(pool);
    wbDestroyMemory(memory);
}

static void testPrefixSum(void **state) {
    (void)state;
    static int values[MOST], sums[MOST + 1];
    static const int counts[] = {0, 1, 2, 4095, 4096, 4097, 8193, MOST};
    for (int i = 0; i < MOST; ++i) values[i] = (int)(wbHash32((uint32_t)i) % 2001) - 1000;
    for (int threads = 1; threads <= 5; ++threads) {
        wbThreadPool *pool = wbCreateThreadPool(NULL, threads, NULL, NULL);
        for (int c = 0; c < 8; ++c) {
            int count = counts[c];
            int64_t expected = 0;
            sums[count] = 12345;
            int64_t total = wbPrefixSum(pool, values, count, sums);
            for (int i = 0; i < count; ++i) {
                assert_int_equal(sums[i], expected);
                expected += values[i];
            }
            assert_true(total == expected);
            assert_int_equal(sums[count], 12345);

            static int both[MOST];
            memcpy(both, values, sizeof both);
            assert_true(wbPrefixSum(pool, both, count, both) == expected);
            assert_memory_equal(both, sums, (size_t)count * sizeof(int));
        }
        wbDestroyThreadPool(pool);
    }
}

static void testTotalBeyondInt(void **state) {
    (void)state;
    static int values[20000], sums[20000];
    for (int i = 0; i < 20000; ++i) values[i] = 1000000;
    wbThreadPool *pool = wbCreateThreadPool(NULL, 3, NULL, NULL);
    assert_true(wbPrefixSum(pool, values, 20000, sums) == INT64_C(20000000000));
    wbDestroyThreadPool(pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testRandomKeys),     cmocka_unit_test(testEqualKeys),
        cmocka_unit_test(testFallingKeys),    cmocka_unit_test(testFewItems),
        cmocka_unit_test(testOutOfMemory),    cmocka_unit_test(testPrefixSum),
        cmocka_unit_test(testTotalBeyondInt),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
