// SPDX-License-Identifier: MIT
#include "core/id_pool.h"
#include "test_support.h"

static void testGenerations(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(0);
    wbIdPool pool;
    wbIdPool_Init(&pool);
    uint32_t first, second, other;
    int index = wbIdPool_Acquire(memory, &pool, &first);
    int otherIndex = wbIdPool_Acquire(memory, &pool, &other);
    assert_int_equal(index, 0);
    assert_int_equal(otherIndex, 1);
    assert_true(wbIdPool_IsAlive(&pool, index, first));

    wbIdPool_Release(&pool, index);
    assert_false(wbIdPool_IsAlive(&pool, index, first));
    assert_false(wbIdPool_IsAlive(&pool, index, first + 1));
    assert_int_equal(wbIdPool_Acquire(memory, &pool, &second), index);
    assert_int_not_equal(second, first);
    assert_false(wbIdPool_IsAlive(&pool, index, first));
    assert_true(wbIdPool_IsAlive(&pool, index, second));
    assert_true(wbIdPool_IsAlive(&pool, otherIndex, other));

    assert_false(wbIdPool_IsAlive(&pool, 2, 1));
    assert_false(wbIdPool_IsAlive(&pool, -1, 1));
    wbIdPool_Free(memory, &pool);
    wbDestroyMemory(memory);
}

static void testRestore(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(0);
    wbIdPool pool;
    wbIdPool_Init(&pool);
    assert_true(wbIdPool_Restore(memory, &pool, 7));
    assert_true(wbIdPool_Restore(memory, &pool, 1));
    assert_true(wbIdPool_IsAlive(&pool, 0, 7));
    assert_true(wbIdPool_IsAlive(&pool, 1, 1));
    assert_false(wbIdPool_IsAlive(&pool, 0, 1));
    expect_assert_failure(wbIdPool_Restore(memory, &pool, 2));
    uint32_t generation;
    wbIdPool_Release(&pool, 0);
    assert_int_equal(wbIdPool_Acquire(memory, &pool, &generation), 0);
    assert_int_equal(generation, 9);
    wbIdPool_Free(memory, &pool);
    wbDestroyMemory(memory);
}

static void testMisuseIsAsserted(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(0);
    wbIdPool pool;
    wbIdPool_Init(&pool);
    uint32_t generation;
    int index = wbIdPool_Acquire(memory, &pool, &generation);
    wbIdPool_Release(&pool, index);
    expect_assert_failure(wbIdPool_Release(&pool, index));
    expect_assert_failure(wbIdPool_Release(&pool, 1));
    expect_assert_failure(wbIdPool_Release(&pool, -1));
    wbIdPool_Free(memory, &pool);
    wbDestroyMemory(memory);
}

static void testMany(void **state) {
    (void)state;
    enum { COUNT = 1000 };
    wbMemory *memory = wbCreateMemory(0);
    wbIdPool pool;
    wbIdPool_Init(&pool);
    uint32_t generations[COUNT];
    for (int i = 0; i < COUNT; ++i) assert_int_equal(wbIdPool_Acquire(memory, &pool, &generations[i]), i);
    uint64_t calls = wbGetMemoryUse(memory).calls;
    for (int i = 0; i < COUNT; ++i) wbIdPool_Release(&pool, i);
    int seen[COUNT] = {0};
    for (int i = 0; i < COUNT; ++i) ++seen[wbIdPool_Acquire(memory, &pool, &generations[i])];
    for (int i = 0; i < COUNT; ++i) assert_int_equal(seen[i], 1);
    assert_int_equal(wbGetMemoryUse(memory).calls, calls);
    assert_int_equal(pool.indexCount, COUNT);
    wbIdPool_Free(memory, &pool);
    wbDestroyMemory(memory);
}

static void testUsedUpIndexIsNotGivenAgain(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(0);
    wbIdPool pool;
    wbIdPool_Init(&pool);
    uint32_t generation;
    assert_int_equal(wbIdPool_Acquire(memory, &pool, &generation), 0);
    ((uint32_t *)pool.generations.data)[0] = UINT32_MAX;
    wbIdPool_Release(&pool, 0);
    assert_int_equal(wbIdPool_Acquire(memory, &pool, &generation), 1);
    assert_false(wbIdPool_IsAlive(&pool, 0, 1));
    wbIdPool_Free(memory, &pool);
    wbDestroyMemory(memory);
}

static void testOutOfMemory(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(200); // the generations fit, the free list does not
    wbIdPool pool;
    wbIdPool_Init(&pool);
    uint32_t generation;
    assert_int_equal(wbIdPool_Acquire(memory, &pool, &generation), -1);
    assert_int_equal(pool.indexCount, 0);
    wbIdPool_Free(memory, &pool);
    wbDestroyMemory(memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testGenerations),
        cmocka_unit_test(testRestore),
        cmocka_unit_test(testMisuseIsAsserted),
        cmocka_unit_test(testMany),
        cmocka_unit_test(testUsedUpIndexIsNotGivenAgain),
        cmocka_unit_test(testOutOfMemory),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
