// SPDX-License-Identifier: MIT
// Ids of merged particles, as spans, beside a table with a mark for each.
#include "spare_support.h"

enum { IDS = 4000, ROUNDS = 300 };

// Ids from 1000 to 2499 are of fluid 1, others of fluid 0.
static const uint32_t first[] = {0, 1000, 2500};
static const int fluid[] = {0, 1, 0};
static const wbFluidRuns runs = {3, first, fluid};

static void compare(const wbSpareIds *spare, const bool *isSpare) {
    static uint32_t ids[IDS];
    const wbIdSpan *spans = wbSpareIds_GetSpans(spare);
    const int count = listSpareIds(spare, ids);
    int marks = 0;
    for (int i = 0; i < IDS; i++) marks += isSpare[i];
    assert_int_equal(count, marks);
    assert_int_equal(spare->count, marks);
    for (int k = 0; k < count; k++) assert_true(isSpare[ids[k]]);
    for (int k = 1; k < spare->spanCount; k++) {
        const uint32_t end = spans[k - 1].first + spans[k - 1].count;
        assert_true(end < spans[k].first || (end == spans[k].first && (end == 1000 || end == 2500)));
    }
}

// The largest of a fluid, or -1.
static int findLargest(const bool *isSpare, int of) {
    for (int i = IDS - 1; i >= 0; i--)
        if (isSpare[i] && wbFluidRuns_GetFluid(&runs, (uint32_t)i) == of) return i;
    return -1;
}

static void testSpans(void **state) {
    (void)state;
    wbWork work = createWork(1, wb_simdAuto);
    wbSpareIds spare = {0};
    bool isSpare[IDS] = {false};
    uint32_t seed = 0, ids[IDS], id;
    for (int round = 0; round < ROUNDS; round++) {
        wbIdTaker taker;
        int count = 0;
        const size_t scratch = wbArena_Mark(work.arena);
        for (int n = 0; n < 100; n++) {
            const int i = (int)(wbHashFloat(seed++) * IDS);
            if (!isSpare[i]) ids[count++] = (uint32_t)i, isSpare[i] = true;
        }
        assertOk(wbSpareIds_Add(&spare, &runs, ids, count, &work));
        compare(&spare, isSpare);
        assert_true(wbIdTaker_Begin(&taker, &spare, &runs, work.arena));
        for (int n = 0; n < 110; n++) {
            const int of = wbHashFloat(seed++) < 0.4f, largest = findLargest(isSpare, of);
            assert_int_equal(wbIdTaker_Take(&taker, of, &id), largest >= 0);
            if (largest < 0) continue;
            assert_int_equal(id, largest);
            isSpare[id] = false;
        }
        wbIdTaker_End(&taker);
        compare(&spare, isSpare);
        wbArena_Release(work.arena, scratch);
    }
    wbSpareIds_Free(work.memory, &spare);
    destroyWork(&work);
}

// A device changes what the host has; then it is lost, or not.
static void testKept(void **state) {
    (void)state;
    wbWork work = createWork(1, wb_simdAuto);
    wbSpareIds spare = {0};
    wbKeptIds kept = {0};
    uint32_t ids[] = {7, 3, 4};
    addSpan(&spare, work.memory, 10, 5);
    assertOk(wbKeptIds_Keep(&kept, work.memory, &spare));
    assertOk(wbSpareIds_Add(&spare, &(wbFluidRuns){0}, ids, 3, &work));
    assert_int_equal(spare.spanCount, 3);
    assertOk(wbKeptIds_Keep(&kept, work.memory, &spare)); // those of before are kept
    wbKeptIds_Take(&kept, &spare);
    assert_int_equal(wbSpareIds_GetSpans(&spare)[0].first, 10);
    wbArray_Free(work.memory, &kept.spans);
    wbSpareIds_Free(work.memory, &spare);
    destroyWork(&work);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testSpans), cmocka_unit_test(testKept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
