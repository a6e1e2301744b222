// SPDX-License-Identifier: MIT
// The history of a world's states, without a world: what is kept, what goes, and what is found.
#include <stdlib.h>
#include <string.h>

#include "app/view/history.h"
#include "core/memory.h"
#include "test_support.h"

enum { SIZE = 1000 };

// Bytes that say their step; from the spare ones where they have room.
static wbBytes makeBytes(wbHistory *history, int step, int *allocations) {
    wbBytes bytes = wbHistory_TakeSpare(history);
    if (bytes.capacity < SIZE) {
        wbFreeBytes(&bytes);
        bytes = (wbBytes){.data = wbAlloc(NULL, SIZE), .capacity = SIZE};
        ++*allocations;
    }
    bytes.size = SIZE;
    memset(bytes.data, step % 251, SIZE);
    return bytes;
}

static void testThinning(void **state) {
    (void)state;
    wbHistory history = {.mostBytes = 20 * SIZE};
    int allocations = 0, before = 0;
    for (int step = 0; step <= 1000; step++) {
        assertOk(wbHistory_Add(&history, step, 0.5 * step, makeBytes(&history, step, &allocations)));
        assert_true(history.bytes <= history.mostBytes && history.bytes == (size_t)history.count * SIZE);
        if (step == 100) before = allocations;
    }
    assert_true(history.count >= 10); // it never loses more than it must
    assert_int_equal(wbHistory_Get(&history, 0)->step, 0);
    assert_int_equal(wbHistory_Get(&history, history.count - 1)->step, 1000);
    int64_t last = -1;
    for (int i = 0; i < history.count; i++) {
        const wbHistoryState *kept = wbHistory_Get(&history, i);
        assert_true(kept->step > last && kept->time == 0.5 * (double)kept->step);
        assert_int_equal(((const unsigned char *)kept->bytes.data)[SIZE - 1], kept->step % 251);
        last = kept->step;
    }
    // the newer half is dense
    assert_int_equal(wbHistory_Get(&history, history.count - 2)->step, 999);
    // bytes that are given up are used again, all but those of one thinning
    assert_true(allocations - before < 900);
    wbHistory_Free(&history);
}

static void testFind(void **state) {
    (void)state;
    wbHistory history = {.mostBytes = 100 * SIZE};
    int allocations = 0;
    assert_int_equal(wbHistory_Find(&history, 5), -1);
    for (int step = 10; step <= 50; step += 10)
        assertOk(wbHistory_Add(&history, step, step, makeBytes(&history, step, &allocations)));
    assert_int_equal(wbHistory_Find(&history, 9), -1);
    assert_int_equal(wbHistory_Find(&history, 10), 0);
    assert_int_equal(wbHistory_Find(&history, 29), 1);
    assert_int_equal(wbHistory_Find(&history, 30), 2);
    assert_int_equal(wbHistory_Find(&history, 1000), 4);
    // another future takes the place of the known one
    assertOk(wbHistory_Add(&history, 25, 25, makeBytes(&history, 25, &allocations)));
    assert_int_equal(history.count, 3);
    assert_int_equal(wbHistory_Get(&history, 2)->step, 25);
    wbHistory_Cut(&history, 20);
    assert_int_equal(history.count, 2);
    wbHistory_Free(&history);
}

// The first and the last stay, however small the room.
static void testSmall(void **state) {
    (void)state;
    wbHistory history = {.mostBytes = 1};
    int allocations = 0;
    for (int step = 0; step < 9; step++)
        assertOk(wbHistory_Add(&history, step, step, makeBytes(&history, step, &allocations)));
    assert_int_equal(history.count, 2);
    assert_int_equal(wbHistory_Get(&history, 0)->step, 0);
    assert_int_equal(wbHistory_Get(&history, 1)->step, 8);
    wbHistory_Free(&history);
}

static void testDue(void **state) {
    (void)state;
    wbHistory history = {.mostBytes = 100 * SIZE};
    int allocations = 0;
    assert_true(wbHistory_IsDue(&history, 0, 10, 1));
    assertOk(wbHistory_Add(&history, 0, 0, makeBytes(&history, 0, &allocations)));
    assert_false(wbHistory_IsDue(&history, 0, 10, 1));
    assert_false(wbHistory_IsDue(&history, 24, 10, 1));
    assert_true(wbHistory_IsDue(&history, 25, 10, 1));
    assert_false(wbHistory_IsDue(&history, 25, 10, 100)); // to save takes long
    assert_true(wbHistory_IsDue(&history, 200, 10, 100));
    wbHistory_Free(&history);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testThinning), cmocka_unit_test(testFind),
                                       cmocka_unit_test(testSmall), cmocka_unit_test(testDue)};
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
