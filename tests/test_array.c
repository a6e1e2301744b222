// SPDX-License-Identifier: MIT
#include <limits.h>
#include <string.h>

#include "core/array.h"
#include "test_support.h"

static void testGrowth(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(0);
    wbArray array = {.elementSize = sizeof(int)};
    assert_true(wbArray_Reserve(memory, &array, 0));
    assert_null(array.data);

    assert_true(wbArray_Reserve(memory, &array, 33));
    assert_int_equal(array.capacity, 48);
    assert_int_equal((uintptr_t)array.data % WB_ALIGNMENT, 0);
    for (int i = 0; i < 48; ++i) ((int *)array.data)[i] = i + 1;

    assert_true(wbArray_Reserve(memory, &array, 48));
    assert_int_equal(wbGetMemoryUse(memory).calls, 1);
    assert_true(wbArray_Reserve(memory, &array, 49));
    assert_int_equal(array.capacity, 80); // 72 by half, in whole vectors
    assert_int_equal(wbGetMemoryUse(memory).bytes, (80 + WB_PADDING) * sizeof(int));
    assert_true(wbArray_Reserve(memory, &array, 1000));
    assert_int_equal(array.capacity, 1008);

    const int *data = array.data;
    for (int i = 0; i < 48; ++i) assert_int_equal(data[i], i + 1);
    for (int i = 48; i < array.capacity + WB_PADDING; ++i) assert_int_equal(data[i], 0);
    wbArray_Free(memory, &array);
    assert_null(array.data);
    assert_int_equal(array.capacity, 0);
    wbDestroyMemory(memory);
}

static void testPaddingIsZeroAgainAfterGrowth(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(0);
    wbArray array = {.elementSize = sizeof(float)};
    assert_true(wbArray_Reserve(memory, &array, 16));
    memset(array.data, 0xff, (16 + WB_PADDING) * sizeof(float)); // a careless whole-vector store
    assert_true(wbArray_Reserve(memory, &array, 17));
    const uint32_t *bits = array.data;
    for (int i = 0; i < 16; ++i) assert_int_equal(bits[i], UINT32_MAX);
    for (int i = 16; i < array.capacity + WB_PADDING; ++i) assert_int_equal(bits[i], 0);
    wbArray_Free(memory, &array);
    wbDestroyMemory(memory);
}

static void testFailureChangesNothing(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(4096);
    wbArray array = {.elementSize = 8};
    assert_true(wbArray_Reserve(memory, &array, 16));
    void *data = array.data;
    assert_false(wbArray_Reserve(memory, &array, 1000));
    assert_false(wbArray_Reserve(memory, &array, INT_MAX));
    assert_ptr_equal(array.data, data);
    assert_int_equal(array.capacity, 16);
    wbArray_Free(memory, &array);
    wbDestroyMemory(memory);
}

static void testCountsNearIntMax(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory((size_t)1 << 20);
    wbArray array = {.elementSize = INT_MAX};
    assert_false(wbArray_Reserve(memory, &array, INT_MAX));
    assert_false(wbArray_Reserve(memory, &array, INT_MAX - 40));
    assert_null(array.data);
    wbArray unsized = {0};
    expect_assert_failure(wbArray_Reserve(memory, &unsized, 1));
    wbDestroyMemory(memory);
}

typedef struct Particles {
    float *x;
    double *mass;
    uint8_t *flag;
    int capacity;
} Particles;

enum { COLUMNS = 3 };

static void listColumns(Particles *particles, wbColumn *columns) {
    columns[0] = (wbColumn){"x", (void **)&particles->x, sizeof(float), true};
    columns[1] = (wbColumn){"mass", (void **)&particles->mass, sizeof(double), true};
    columns[2] = (wbColumn){"flag", (void **)&particles->flag, 1, false};
}

static void testColumnsGrowTogether(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(0);
    Particles particles = {0};
    wbColumn columns[COLUMNS];
    listColumns(&particles, columns);
    assert_true(wbReserveColumns(memory, columns, COLUMNS, &particles.capacity, 20));
    assert_int_equal(particles.capacity, 32);
    for (int i = 0; i < 32; ++i) {
        particles.x[i] = (float)i;
        particles.mass[i] = 2.0 * i;
        particles.flag[i] = (uint8_t)(3 * i);
    }
    assert_true(wbReserveColumns(memory, columns, COLUMNS, &particles.capacity, 33));
    assert_int_equal(particles.capacity, 48);
    for (int i = 0; i < 48 + WB_PADDING; ++i) {
        int kept = i < 32 ? i : 0;
        assert_true(particles.x[i] == (float)kept);
        assert_true(particles.mass[i] == 2.0 * kept);
        assert_int_equal(particles.flag[i], 3 * kept);
    }
    assert_true(wbReserveColumns(memory, columns, COLUMNS, &particles.capacity, 48));
    assert_int_equal(wbGetMemoryUse(memory).calls, 2 * COLUMNS);
    wbFreeColumns(memory, columns, COLUMNS, &particles.capacity);
    assert_int_equal(particles.capacity, 0);
    assert_null(particles.x);
    wbDestroyMemory(memory);
}

static void testColumnsGrowAllOrNone(void **state) {
    (void)state;
    // room for the first columns of the larger size, but not for all of them
    wbMemory *memory = wbCreateMemory(6000);
    Particles particles = {0};
    wbColumn columns[COLUMNS];
    listColumns(&particles, columns);
    assert_true(wbReserveColumns(memory, columns, COLUMNS, &particles.capacity, 16));
    particles.x[15] = 5;
    Particles before = particles;
    size_t bytes = wbGetMemoryUse(memory).bytes;
    assert_false(wbReserveColumns(memory, columns, COLUMNS, &particles.capacity, 1000));
    assert_int_equal(wbGetMemoryUse(memory).calls, COLUMNS); // refused as a whole, before the first of them
    assert_memory_equal(&particles, &before, sizeof particles);
    assert_int_equal(wbGetMemoryUse(memory).bytes, bytes);
    assert_true(particles.x[15] == 5);
    wbFreeColumns(memory, columns, COLUMNS, &particles.capacity);
    wbDestroyMemory(memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testGrowth),
        cmocka_unit_test(testPaddingIsZeroAgainAfterGrowth),
        cmocka_unit_test(testFailureChangesNothing),
        cmocka_unit_test(testCountsNearIntMax),
        cmocka_unit_test(testColumnsGrowTogether),
        cmocka_unit_test(testColumnsGrowAllOrNone),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
