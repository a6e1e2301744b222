// SPDX-License-Identifier: MIT
// Searches in the tree of a broad phase against a loop over all boxes.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/thread.h"
#include "space/broad_phase.h"
#include "test_support.h"

enum { MOST = 700 };

static float makeRandom(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) * 0x1p-24f;
}

static BroadBox makeBox(uint32_t *seed, float reach, float size) {
    BroadBox box;
    for (int a = 0; a < 3; a++) {
        box.min[a] = reach * (2 * makeRandom(seed) - 1);
        box.max[a] = box.min[a] + size * makeRandom(seed);
    }
    return box;
}

// Boxes of every kind: small, flat, points, huge, endless, empty, coincident, not numbers.
static BroadBox makeAnyBox(uint32_t *seed) {
    const BroadBox endless = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    BroadBox box = makeBox(seed, 1, 0.1f);
    switch ((int)(40 * makeRandom(seed))) {
    case 0:
        return endless;
    case 1:
        return wbMakeEmptyBox();
    case 2:
        return makeBox(seed, 1e30f, 1e30f);
    case 3:
        return (BroadBox){{-1, -1, -1}, {-0.5f, -0.5f, -0.5f}};
    case 4:
        box.max[1] = box.min[1];
        return box;
    case 5:
        memcpy(box.max, box.min, sizeof box.min);
        return box;
    case 6:
        box.min[2] = NAN;
        return box;
    case 7:
        box.max[0] = INFINITY;
        return box;
    default:
        return box;
    }
}

typedef struct Found {
    int count;
    bool is[MOST];
} Found;

static void addFound(int item, void *context) {
    Found *found = context;
    assert_false(found->is[item]);
    found->is[item] = true, found->count++;
}

static void checkBoxSearch(const wbBroadPhase *tree, const BroadBox *box) {
    Found found = {0};
    int next = -1, touching = 0;
    wbBroadPhase_FindAll(tree, box, addFound, &found);
    for (int i = 0; i < tree->count; i++) {
        const bool touches = broad_touches(wbBroadPhase_GetBox(tree, i), box);
        assert_int_equal(found.is[i], touches);
        touching += touches;
        if (!touches) continue;
        next = wbBroadPhase_FindNext(tree, box, next);
        assert_int_equal(next, i);
    }
    assert_int_equal(found.count, touching);
    assert_int_equal(wbBroadPhase_FindNext(tree, box, next), -1);
}

static double getDistance(const BroadBox *box, wbVec3 point) {
    const float p[3] = {point.x, point.y, point.z};
    double sum = 0;
    for (int a = 0; a < 3; a++) {
        double d = p[a] < box->min[a]   ? (double)box->min[a] - p[a]
                   : p[a] > box->max[a] ? (double)p[a] - box->max[a]
                                        : 0;
        sum += d * d;
    }
    return box->min[0] <= box->max[0] ? sqrt(sum) : INFINITY;
}

// Where a ray enters a box: the first place on one of its six faces, or its start if that is inside.
static double getEntry(const BroadBox *box, wbVec3 origin, wbVec3 direction) {
    const double o[3] = {origin.x, origin.y, origin.z}, d[3] = {direction.x, direction.y, direction.z};
    double entry = INFINITY;
    for (int f = -1; f < 6; f++) {
        const double t = f < 0 ? 0 : ((f % 2 ? box->max[f / 2] : box->min[f / 2]) - o[f / 2]) / d[f / 2];
        bool isOn = t >= 0 && t < entry;
        for (int a = 0; a < 3 && isOn; a++) {
            const double p = o[a] + t * d[a];
            isOn = (f >= 0 && a == f / 2) || (p >= box->min[a] && p <= box->max[a]);
        }
        if (isOn) entry = t;
    }
    return entry;
}

// What is nearest, and how many were looked at.
typedef struct Seek {
    const wbBroadPhase *tree;
    wbVec3 point, direction;
    bool isRay;
    int item, looked;
    float distance;
    bool is[MOST];
} Seek;

static double measure(const Seek *seek, int item) {
    const BroadBox *box = wbBroadPhase_GetBox(seek->tree, item);
    return seek->isRay ? getEntry(box, seek->point, seek->direction) : getDistance(box, seek->point);
}

static float seekNearest(int item, float most, void *context) {
    Seek *seek = context;
    const float distance = (float)measure(seek, item);
    seek->looked++;
    if (distance > seek->distance || (distance == seek->distance && seek->item < item)) return most;
    seek->item = item;
    return seek->distance = distance;
}

static float seekAll(int item, float most, void *context) {
    assert_false(((Seek *)context)->is[item]);
    ((Seek *)context)->is[item] = true;
    return most;
}

static void run(Seek *seek, float most, wbBroadSeekFn *fn) {
    if (seek->isRay)
        wbBroadPhase_SeekRay(seek->tree, seek->point, seek->direction, most, fn, seek);
    else
        wbBroadPhase_SeekNearest(seek->tree, seek->point, most, fn, seek);
}

static void checkSeek(Seek seek, float most) {
    int nearest = -1;
    float distance = most;
    seek.item = -1, seek.distance = most;
    run(&seek, most, seekNearest);
    run(&seek, most, seekAll);
    for (int i = 0; i < seek.tree->count; i++) {
        const double d = measure(&seek, i);
        if (d < 0.999 * most) assert_true(seek.is[i]);
        if (d > 1.001 * most) assert_false(seek.is[i]);
        if ((float)d < distance || ((float)d == distance && nearest < 0)) nearest = i, distance = (float)d;
    }
    assert_int_equal(seek.item, nearest);
}

static void checkTree(const wbBroadPhase *tree, uint32_t *seed) {
    for (int n = 0; n < 20; n++) {
        const BroadBox box = n % 4 ? makeBox(seed, 1, 0.5f) : makeAnyBox(seed);
        checkBoxSearch(tree, &box);
        const wbVec3 point = {4 * makeRandom(seed) - 2, 4 * makeRandom(seed) - 2, 4 * makeRandom(seed) - 2};
        const wbVec3 way = {makeRandom(seed) - 0.5f, n % 3 ? makeRandom(seed) - 0.5f : 0,
                            makeRandom(seed) - 0.5f};
        checkSeek((Seek){.tree = tree, .point = point}, n % 2 ? 3 : 0.4f * makeRandom(seed));
        checkSeek((Seek){.tree = tree, .point = point, .direction = way, .isRay = true}, n % 2 ? 10 : 1);
    }
}

static wbBroadPhase makeTree(int count) {
    wbBroadPhase tree = {0};
    assert_true(wbBroadPhase_Reserve(NULL, &tree, count));
    wbBroadPhase_SetCount(&tree, count);
    return tree;
}

static void testSearches(void **state) {
    (void)state;
    const int counts[] = {0, 1, 2, 3, 7, 64, MOST};
    uint32_t seed = 1;
    for (int n = 0; n < 7; n++) {
        wbBroadPhase tree = makeTree(counts[n]);
        for (int i = 0; i < tree.count; i++) {
            // numbers everywhere: a NaN would hide how far away a box is
            const BroadBox box = makeBox(&seed, 1, 0.2f);
            wbBroadPhase_SetBox(&tree, i, &box);
        }
        wbBroadPhase_Update(&tree);
        checkTree(&tree, &seed);
        wbBroadPhase_Free(NULL, &tree);
    }
}

static void testOddBoxes(void **state) {
    (void)state;
    uint32_t seed = 2;
    wbBroadPhase tree = makeTree(MOST);
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < MOST; i++) {
            const BroadBox box = makeAnyBox(&seed);
            wbBroadPhase_SetBox(&tree, i, &box);
        }
        wbBroadPhase_Update(&tree);
        for (int n = 0; n < 20; n++) {
            const BroadBox box = makeAnyBox(&seed);
            checkBoxSearch(&tree, &box);
        }
    }
    // all in one place
    const BroadBox same = {{0, 0, 0}, {1, 1, 1}};
    for (int i = 0; i < MOST; i++) wbBroadPhase_SetBox(&tree, i, &same);
    wbBroadPhase_Update(&tree);
    checkTree(&tree, &seed);
    wbBroadPhase_Free(NULL, &tree);
}

// A few or all move, far or not, some go: the tree follows without an allocation, and stays quick.
static void testFollows(void **state) {
    (void)state;
    uint32_t seed = 3;
    wbMemory *memory = wbCreateMemory(0);
    wbBroadPhase tree = {0};
    assert_true(wbBroadPhase_Reserve(memory, &tree, MOST));
    wbBroadPhase_SetCount(&tree, MOST);
    const uint64_t calls = wbGetMemoryUse(memory).calls;
    for (int step = 0; step < 60; step++) {
        const int moved = step % 3 == 0 ? MOST : 5;
        for (int n = 0; n < moved && n < tree.count; n++) {
            const int item = moved == MOST ? n : (int)((float)tree.count * makeRandom(&seed));
            const BroadBox box = makeBox(&seed, 1, 0.1f);
            wbBroadPhase_SetBox(&tree, item, &box);
        }
        if (step % 7 == 6) wbBroadPhase_Remove(&tree, (int)((float)tree.count * makeRandom(&seed)));
        if (step % 11 == 10) wbBroadPhase_SetCount(&tree, MOST);
        wbBroadPhase_Update(&tree);
        checkTree(&tree, &seed);
    }
    // where every box has moved, the nearest is still found among few
    Seek seek = {.tree = &tree, .item = -1, .distance = 3};
    run(&seek, 3, seekNearest);
    assert_true(seek.item >= 0 && seek.looked < 60);
    assert_int_equal(wbGetMemoryUse(memory).calls, calls);
    wbBroadPhase_Free(memory, &tree);
    wbDestroyMemory(memory);
}

// One by one they come, and find their places.
static void testGrows(void **state) {
    (void)state;
    uint32_t seed = 5;
    wbMemory *memory = wbCreateMemory(0);
    wbBroadPhase tree = {0};
    for (int i = 0; i < MOST; i++) {
        const BroadBox box = makeBox(&seed, 1, 0.1f);
        assert_true(wbBroadPhase_Reserve(memory, &tree, i + 1));
        wbBroadPhase_SetCount(&tree, i + 1);
        wbBroadPhase_SetBox(&tree, i, &box);
        wbBroadPhase_Update(&tree);
        if (i % 50 == 0) checkTree(&tree, &seed);
    }
    checkTree(&tree, &seed);
    Seek seek = {.tree = &tree, .item = -1, .distance = 3};
    run(&seek, 3, seekNearest);
    assert_true(seek.item >= 0 && seek.looked < 60);
    wbBroadPhase_Free(memory, &tree);
    wbDestroyMemory(memory);
}

static void testNoMemory(void **state) {
    (void)state;
    int failures = 0;
    for (size_t limit = 0x1000; limit < 0x40000; limit += 0x1000) {
        wbMemory *memory = wbCreateMemory(limit);
        wbBroadPhase tree = {0};
        failures += !wbBroadPhase_Reserve(memory, &tree, MOST);
        assert_int_equal(tree.count, 0);
        wbBroadPhase_Free(memory, &tree);
        wbDestroyMemory(memory);
    }
    assert_in_range(failures, 10, 62);
}

typedef struct Sums {
    const wbBroadPhase *tree;
    int sums[4096];
} Sums;

static void sumRange(int begin, int end, int worker, void *context) {
    (void)worker;
    Sums *sums = context;
    for (int i = begin; i < end; i++) {
        uint32_t seed = (uint32_t)i;
        const BroadBox box = makeBox(&seed, 1, 0.3f);
        sums->sums[i] = 0;
        for (int item = -1; (item = wbBroadPhase_FindNext(sums->tree, &box, item)) >= 0;)
            sums->sums[i] = 31 * sums->sums[i] % 100003 + item;
    }
}

// Threads search at once.
static void testThreads(void **state) {
    (void)state;
    static Sums one, many;
    uint32_t seed = 4;
    wbBroadPhase tree = makeTree(MOST);
    for (int i = 0; i < MOST; i++) {
        const BroadBox box = makeBox(&seed, 1, 0.2f);
        wbBroadPhase_SetBox(&tree, i, &box);
    }
    wbBroadPhase_Update(&tree);
    one.tree = many.tree = &tree;
    sumRange(0, 4096, 0, &one);
    for (int threads = 1; threads <= 4; threads++) {
        wbThreadPool *pool = wbCreateThreadPool(NULL, threads, NULL, NULL);
        wbParallelFor(pool, 4096, 16, sumRange, &many);
        assert_memory_equal(one.sums, many.sums, sizeof one.sums);
        wbDestroyThreadPool(pool);
    }
    wbBroadPhase_Free(NULL, &tree);
}

static void testMisuse(void **state) {
    (void)state;
    wbBroadPhase tree = makeTree(3);
    const BroadBox box = {{0, 0, 0}, {1, 1, 1}};
    Found found = {0};
    expect_assert_failure(wbBroadPhase_FindAll(&tree, &box, addFound, &found));
    expect_assert_failure(wbBroadPhase_SetCount(&tree, 1000));
    wbBroadPhase_Free(NULL, &tree);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testSearches), cmocka_unit_test(testOddBoxes),
                                       cmocka_unit_test(testFollows),  cmocka_unit_test(testGrows),
                                       cmocka_unit_test(testNoMemory), cmocka_unit_test(testThreads),
                                       cmocka_unit_test(testMisuse)};
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
