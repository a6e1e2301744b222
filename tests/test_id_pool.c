// SPDX-License-Identifier: MIT
#include "core/id_pool.h"
#include "test_support.h"

enum { MOST = 64 };

typedef struct Id {
    uint32_t index1, generation;
} Id;

static Id getId(const wbIdPool *pool, int index) {
    return (Id){wbIdPool_GetIndex1(pool, index), wbIdPool_GetSlot(pool, index)->generation};
}

static int find(const wbIdPool *pool, Id id) { return wbIdPool_Find(pool, id.index1, id.generation); }

static Id acquire(wbMemory *memory, wbIdPool *pool) {
    assert_true(wbIdPool_Acquire(memory, pool));
    return getId(pool, pool->indexCount - 1);
}

static void testGenerations(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(0);
    wbIdPool pool;
    wbIdPool_Init(&pool);
    const Id first = acquire(memory, &pool), other = acquire(memory, &pool);
    assert_int_equal(find(&pool, first), 0);
    assert_int_equal(find(&pool, other), 1);

    wbIdPool_Release(&pool, 0);
    assert_int_equal(find(&pool, first), -1);
    assert_int_equal(find(&pool, (Id){first.index1, first.generation + 1}), -1);
    assert_int_equal(find(&pool, other), 0);
    const Id second = acquire(memory, &pool);
    assert_int_equal(second.index1, first.index1); // its slot is used again
    assert_int_not_equal(second.generation, first.generation);
    assert_int_equal(find(&pool, first), -1);
    assert_int_equal(find(&pool, second), 1);

    assert_int_equal(find(&pool, (Id){3, 1}), -1);
    assert_int_equal(find(&pool, (Id){0, 1}), -1);
    assert_int_equal(find(&pool, (Id){UINT32_MAX, 1}), -1);
    wbIdPool_Free(memory, &pool);
    wbDestroyMemory(memory);
}

// Against a plain list of ids.
static void testOrderOfCreation(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(0);
    wbIdPool pool;
    wbIdPool_Init(&pool);
    Id alive[MOST], last = {0};
    int count = 0;
    uint32_t random = 1;
    for (int n = 0; n < 5000; n++) {
        random = random * 1664525u + 1013904223u;
        if (count == 0 || (count < MOST && random >> 31)) {
            alive[count++] = acquire(memory, &pool);
        } else {
            int gone = (int)((random >> 16) % (uint32_t)count);
            last = alive[gone];
            wbIdPool_Release(&pool, gone);
            for (int i = gone; i + 1 < count; i++) alive[i] = alive[i + 1];
            count--;
        }
        assert_int_equal(pool.indexCount, count);
        for (int i = 0; i < count; i++) assert_int_equal(find(&pool, alive[i]), i);
        assert_int_equal(find(&pool, last), -1);
    }
    assert_true(pool.slotCount <= MOST);
    wbIdPool_Free(memory, &pool);
    wbDestroyMemory(memory);
}

static void testRestore(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(0);
    wbIdPool pool;
    wbIdPool_Init(&pool);
    const uint32_t generations[4] = {7, 4, 1, 3};
    assert_true(wbIdPool_LoadSlots(memory, &pool, generations, 4));
    assert_true(wbIdPool_Restore(&pool, 3));
    assert_false(wbIdPool_Restore(&pool, 3)); // twice
    assert_false(wbIdPool_Restore(&pool, 2)); // dead
    assert_false(wbIdPool_Restore(&pool, 0));
    assert_false(wbIdPool_Restore(&pool, 5));
    assert_int_equal(find(&pool, (Id){1, 7}), -1); // not yet
    assert_true(wbIdPool_Restore(&pool, 1));
    assert_false(wbIdPool_IsWhole(&pool));
    assert_true(wbIdPool_Restore(&pool, 4));
    assert_true(wbIdPool_IsWhole(&pool));
    assert_int_equal(find(&pool, (Id){3, 1}), 0);
    assert_int_equal(find(&pool, (Id){1, 7}), 1);
    assert_int_equal(find(&pool, (Id){4, 3}), 2);
    const Id next = acquire(memory, &pool);
    assert_int_equal(next.index1, 2);
    assert_int_equal(next.generation, 5);
    wbIdPool_Free(memory, &pool);
    wbDestroyMemory(memory);
}

static void testUserData(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(0);
    wbIdPool pool;
    int mine, other;
    wbIdPool_Init(&pool);
    for (int i = 0; i < 3; i++) acquire(memory, &pool);
    wbIdPool_GetSlot(&pool, 0)->userData = &other;
    wbIdPool_GetSlot(&pool, 1)->userData = &mine;
    wbIdPool_Release(&pool, 0);
    assert_ptr_equal(wbIdPool_GetSlot(&pool, 0)->userData, &mine);
    acquire(memory, &pool);
    assert_null(wbIdPool_GetSlot(&pool, 2)->userData);

    const uint32_t generations[2] = {1, 1}; // the first slot had 3
    assert_true(wbIdPool_LoadSlots(memory, &pool, generations, 2));
    assert_true(wbIdPool_Restore(&pool, 1) && wbIdPool_Restore(&pool, 2));
    assert_null(wbIdPool_GetSlot(&pool, 0)->userData);
    assert_ptr_equal(wbIdPool_GetSlot(&pool, 1)->userData, &mine);

    wbIdPool twin;
    wbIdPool_Init(&twin);
    assert_true(wbIdPool_LoadSlots(memory, &twin, (const uint32_t[]){3, 1, 1}, 3));
    for (uint32_t i = 1; i <= 3; i++) assert_true(wbIdPool_Restore(&twin, i));
    wbIdPool_GetSlot(&pool, 0)->userData = &other;
    wbIdPool_TakeUserData(&twin, &pool);
    assert_null(wbIdPool_GetSlot(&twin, 0)->userData);
    assert_ptr_equal(wbIdPool_GetSlot(&twin, 1)->userData, &mine);
    wbIdPool_Free(memory, &twin);
    wbIdPool_Free(memory, &pool);
    wbDestroyMemory(memory);
}

static void testMisuseIsAsserted(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(0);
    wbIdPool pool;
    wbIdPool_Init(&pool);
    acquire(memory, &pool);
    wbIdPool_Release(&pool, 0);
    expect_assert_failure(wbIdPool_Release(&pool, 0));
    expect_assert_failure(wbIdPool_Release(&pool, 1));
    expect_assert_failure(wbIdPool_Release(&pool, -1));
    wbIdPool_Free(memory, &pool);
    wbDestroyMemory(memory);
}

static void testRecyclingDoesNotAllocate(void **state) {
    (void)state;
    enum { COUNT = 1000 };
    wbMemory *memory = wbCreateMemory(0);
    wbIdPool pool;
    wbIdPool_Init(&pool);
    for (int i = 0; i < COUNT; ++i) acquire(memory, &pool);
    uint64_t calls = wbGetMemoryUse(memory).calls;
    while (pool.indexCount > 0) wbIdPool_Release(&pool, 0);
    for (int i = 0; i < COUNT; ++i) assert_int_equal(acquire(memory, &pool).index1, i + 1);
    assert_int_equal(wbGetMemoryUse(memory).calls, calls);
    assert_int_equal(pool.slotCount, COUNT);
    wbIdPool_Free(memory, &pool);
    wbDestroyMemory(memory);
}

static void testUsedUpSlotIsNotGivenAgain(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(0);
    wbIdPool pool;
    wbIdPool_Init(&pool);
    acquire(memory, &pool);
    wbIdPool_GetSlot(&pool, 0)->generation = UINT32_MAX;
    wbIdPool_Release(&pool, 0);
    assert_int_equal(acquire(memory, &pool).index1, 2);
    assert_int_equal(find(&pool, (Id){1, 1}), -1);
    wbIdPool_Free(memory, &pool);
    wbDestroyMemory(memory);
}

static void testOutOfMemory(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(600); // the slots fit, their order does not
    wbIdPool pool;
    wbIdPool_Init(&pool);
    assert_false(wbIdPool_Acquire(memory, &pool));
    assert_true(pool.slots.capacity > 0);
    assert_int_equal(pool.indexCount, 0);
    assert_int_equal(pool.slotCount, 0);
    wbIdPool_Free(memory, &pool);
    wbDestroyMemory(memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testGenerations),
        cmocka_unit_test(testOrderOfCreation),
        cmocka_unit_test(testRestore),
        cmocka_unit_test(testUserData),
        cmocka_unit_test(testMisuseIsAsserted),
        cmocka_unit_test(testRecyclingDoesNotAllocate),
        cmocka_unit_test(testUsedUpSlotIsNotGivenAgain),
        cmocka_unit_test(testOutOfMemory),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
