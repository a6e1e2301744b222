// SPDX-License-Identifier: MIT
#include <string.h>

#include "core/arena.h"
#include "test_support.h"

// A step's worth of scratch: writes all of it, also the room behind.
static void useArena(wbArena *arena, int blocks, size_t bytes) {
    for (int i = 0; i < blocks; ++i) {
        char *block = wbArena_Alloc(arena, bytes);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % WB_ALIGNMENT, 0);
        memset(block, i, bytes + 64);
    }
}

static void testBlocksDoNotOverlap(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(0);
    wbArena *arena = wbCreateArena(memory);
    char *blocks[40];
    for (int i = 0; i < 40; ++i) {
        blocks[i] = wbArena_Alloc(arena, 20000);
        memset(blocks[i], i, 20064);
    }
    for (int i = 0; i < 40; ++i) {
        for (int k = 0; k < 20064; k += 32) assert_int_equal(blocks[i][k], i);
    }
    wbDestroyArena(arena);
    wbDestroyMemory(memory);
}

static void testWarmStepsDoNotAllocate(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(0);
    wbArena *arena = wbCreateArena(memory);
    useArena(arena, 30, 100000);
    assert_int_equal(wbArena_Reset(arena), 1);
    uint64_t warm = wbGetMemoryUse(memory).calls;
    size_t bytes = wbGetMemoryUse(memory).bytes;
    for (int step = 0; step < 100; ++step) {
        useArena(arena, 30, 100000);
        assert_int_equal(wbArena_Reset(arena), 1);
    }
    assert_int_equal(wbGetMemoryUse(memory).calls, warm);
    assert_int_equal(wbGetMemoryUse(memory).bytes, bytes);
    assert_true(bytes < 30 * 100200); // one block, of what was needed
    wbDestroyArena(arena);
    wbDestroyMemory(memory);
}

static void testSlowGrowthIsInSteps(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(0);
    wbArena *arena = wbCreateArena(memory);
    for (size_t step = 0; step < 1000; ++step) {
        useArena(arena, 1, 1000000 + 1000 * step);
        assert_int_equal(wbArena_Reset(arena), 1);
    }
    assert_true(wbGetMemoryUse(memory).calls < 16);
    wbDestroyArena(arena);
    wbDestroyMemory(memory);
}

static void testMarkAndRelease(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(0);
    wbArena *arena = wbCreateArena(memory);
    size_t empty = wbArena_Mark(arena);
    char *kept = wbArena_Alloc(arena, 1000);
    memset(kept, 42, 1064);
    size_t mark = wbArena_Mark(arena);
    char *first = wbArena_Alloc(arena, 500);
    wbArena_Release(arena, mark);
    assert_ptr_equal(wbArena_Alloc(arena, 500), first);

    useArena(arena, 20, 100000); // into further blocks
    wbArena_Release(arena, mark);
    assert_int_equal(wbArena_Mark(arena), mark);
    for (int i = 0; i < 1064; ++i) assert_int_equal(kept[i], 42);
    assert_ptr_equal(wbArena_Alloc(arena, 500), first);
    wbArena_Release(arena, empty);
    expect_assert_failure(wbArena_Release(arena, mark));
    assert_int_equal(wbArena_Reset(arena), 1);
    wbDestroyArena(arena);
    wbDestroyMemory(memory);
}

static void testReleaseToTheSeamOfTwoBlocks(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(0);
    wbArena *arena = wbCreateArena(memory);
    useArena(arena, 1, 300000); // alone in its block, and filling it
    size_t seam = wbArena_Mark(arena);
    for (int i = 0; i < 3; ++i) {
        useArena(arena, 2, 300000);
        wbArena_Release(arena, seam);
        assert_int_equal(wbArena_Mark(arena), seam);
    }
    wbDestroyArena(arena);
    wbDestroyMemory(memory);
}

static void testOutOfMemory(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(3000000);
    wbArena *arena = wbCreateArena(memory);
    assert_null(wbArena_Alloc(arena, SIZE_MAX - 10));
    assert_null(wbArena_Alloc(arena, SIZE_MAX / 2));
    assert_null(wbArena_Alloc(arena, 4000000));
    useArena(arena, 2, 1000000);
    assert_null(wbArena_Alloc(arena, 1000000));
    assert_non_null(wbArena_Alloc(arena, 0));
    void *rest = wbAlloc(memory, 500000);
    assert_int_equal(wbArena_Reset(arena), 1);

    // the larger block cannot be had: the arena goes on with extra blocks
    useArena(arena, 1, 2000000);
    wbFree(memory, rest, 500000);
    useArena(arena, 1, 300000);
    wbArena_Release(arena, 0);
    rest = wbAlloc(memory, 800000);
    assert_non_null(rest);
    assert_int_equal(wbArena_Reset(arena), 0);
    useArena(arena, 1, 1000000);
    wbFree(memory, rest, 800000);
    wbDestroyArena(arena);
    wbDestroyMemory(memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testBlocksDoNotOverlap),          cmocka_unit_test(testWarmStepsDoNotAllocate),
        cmocka_unit_test(testSlowGrowthIsInSteps),         cmocka_unit_test(testMarkAndRelease),
        cmocka_unit_test(testReleaseToTheSeamOfTwoBlocks), cmocka_unit_test(testOutOfMemory),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
