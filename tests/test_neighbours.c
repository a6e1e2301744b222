// SPDX-License-Identifier: MIT
// Neighbour lists against all pairs, for every grid, instruction set and thread count.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/hash.h"
#include "core/status.h"
#include "space/mirror.h"
#include "space/neighbours.h"
#include "space/space_code.h"

enum { MAX_POINTS = 4096 };

typedef struct Cloud {
    float x[MAX_POINTS + 16], y[MAX_POINTS + 16], z[MAX_POINTS + 16];
    int count, dimensions;
    float radius;
} Cloud;

typedef struct Fixture {
    wbWork work;
    wbGrid grid, ghostGrid;
    wbNeighbours neighbours;
    Cloud cloud, ghosts;
    int order[MAX_POINTS];
} Fixture;

static Fixture *createFixture(wbSimd simd, int threads) {
    Fixture *f = test_calloc(1, sizeof *f);
    f->work.memory = wbCreateMemory(0);
    f->work.arena = wbCreateArena(f->work.memory);
    f->work.pool = wbCreateThreadPool(f->work.memory, threads, NULL, NULL);
    f->work.simd = simd;
    wbGrid_Init(&f->grid);
    wbGrid_Init(&f->ghostGrid);
    wbNeighbours_Init(&f->neighbours);
    return f;
}

static void destroyFixture(Fixture *f) {
    wbNeighbours_Free(f->work.memory, &f->neighbours);
    wbGrid_Free(f->work.memory, &f->grid);
    wbGrid_Free(f->work.memory, &f->ghostGrid);
    wbDestroyThreadPool(f->work.pool);
    wbDestroyArena(f->work.arena);
    wbDestroyMemory(f->work.memory);
    test_free(f);
}

static void assertOk(wbStatus status) {
    if (!wbIsOk(status)) fail_msg("%s", status.text);
}

static wbPoints pointsOf(const Cloud *cloud) {
    return (wbPoints){cloud->x, cloud->y, cloud->z, cloud->count};
}

// Sorts the cloud itself into cell order, as a solver does with its particles.
static void sortCloud(Fixture *f, wbGridKind kind) {
    Cloud sorted = f->cloud;
    assertOk(wbGrid_Sort(&f->grid, &f->work, pointsOf(&f->cloud), f->cloud.radius, f->cloud.dimensions, kind,
                         f->order));
    const wbMove moves[] = {{f->cloud.x, sorted.x}, {f->cloud.y, sorted.y}, {f->cloud.z, sorted.z}};
    wbReorder(&f->work, f->order, f->cloud.count, moves, 3);
    f->cloud = sorted;
}

static double distance(const Cloud *a, int i, const Cloud *b, int j) {
    double dx = (double)a->x[i] - b->x[j], dy = (double)a->y[i] - b->y[j], dz = (double)a->z[i] - b->z[j];
    return sqrt(dx * dx + dy * dy + dz * dz);
}

// How often each point of `others` stands in the list of point i; pairs at the rim may fall on either side.
static void checkList(const Fixture *f, int i, const Cloud *others, int first, const int *seen) {
    double rim = 1e-6 * f->cloud.radius;
    for (int j = 0; j < others->count; j++) {
        double d = distance(&f->cloud, i, others, j);
        int times = seen[first + j];
        if (d < f->cloud.radius - rim && times != 1)
            fail_msg("point %d: neighbour %d at %g of %g is listed %d times", i, j, d, f->cloud.radius,
                     times);
        if (d > f->cloud.radius + rim && times != 0)
            fail_msg("point %d: %d at %g of %g is no neighbour", i, j, d, f->cloud.radius);
        if (times > 1) fail_msg("point %d: neighbour %d is listed %d times", i, j, times);
    }
}

static int64_t checkLists(const Fixture *f, int firstGhost, int dummy) {
    int *seen = test_calloc((size_t)dummy + 1, sizeof(int));
    int64_t pairs = 0;
    for (int i = 0; i < f->cloud.count; i++) {
        int rowCount;
        const int *rows = wbNeighbours_GetRows(&f->neighbours, i / WB_GROUP, &rowCount);
        memset(seen, 0, sizeof(int) * (size_t)(dummy + 1));
        for (int k = 0; k < rowCount; k++) {
            int j = rows[k * WB_GROUP + i % WB_GROUP];
            assert_in_range(j, 0, dummy);
            seen[j]++;
            pairs += j != dummy && j != i;
        }
        checkList(f, i, &f->cloud, 0, seen);
        if (f->ghosts.count) checkList(f, i, &f->ghosts, firstGhost, seen);
    }
    test_free(seen);
    return pairs;
}

static void searchAndCheck(Fixture *f, wbGridKind kind) {
    sortCloud(f, kind);
    wbPointSet own = {.points = pointsOf(&f->cloud), .grid = &f->grid};
    assertOk(wbNeighbours_Build(&f->neighbours, &f->work, &own, NULL, f->cloud.count));
    assert_int_equal(checkLists(f, 0, f->cloud.count), f->neighbours.pairs);
    wbArena_Reset(f->work.arena);
}

typedef void FillFn(Cloud *cloud);

static float noise(int k) { return wbHashFloat((uint32_t)k); }

static void fillRandom(Cloud *cloud) {
    cloud->count = 1500, cloud->radius = 0.11f;
    for (int i = 0; i < cloud->count; i++)
        cloud->x[i] = noise(3 * i), cloud->y[i] = noise(3 * i + 1) - 0.5f, cloud->z[i] = 2 + noise(3 * i + 2);
}

// most points in a few dense heaps, the rest far between
static void fillClustered(Cloud *cloud) {
    cloud->count = 1501, cloud->radius = 0.05f;
    for (int i = 0; i < cloud->count; i++) {
        float size = i % 10 ? 0.02f : 3.0f;
        cloud->x[i] = (float)(i % 3) + size * noise(3 * i);
        cloud->y[i] = size * noise(3 * i + 1), cloud->z[i] = size * noise(3 * i + 2);
    }
}

static void fillCoincident(Cloud *cloud) {
    cloud->count = 333, cloud->radius = 0.1f;
    for (int i = 0; i < cloud->count; i++) cloud->x[i] = 0.25f, cloud->y[i] = -3, cloud->z[i] = 7;
}

static void fillCoarseOut(Cloud *cloud) {
    cloud->count = 600, cloud->radius = 0.5f;
    for (int i = 0; i < cloud->count; i++) {
        float sign = i % 2 ? 1.0f : -1.0f;
        cloud->x[i] = sign * 1e6f + 3 * noise(3 * i), cloud->y[i] = sign * 1e6f + 3 * noise(3 * i + 1);
        cloud->z[i] = -sign * 1e6f + 3 * noise(3 * i + 2);
    }
}

// a heap, and single points scattered over kilometres: sparse rows of cells
static void fillScattered(Cloud *cloud) {
    cloud->count = 900, cloud->radius = 0.3f;
    for (int i = 0; i < cloud->count; i++) {
        float size = i < 500 ? 1.0f : 4000.0f;
        cloud->x[i] = size * noise(3 * i), cloud->y[i] = size * noise(3 * i + 1),
        cloud->z[i] = size * noise(3 * i + 2);
    }
}

// points at exact multiples of the radius: cell borders and the rim
static void fillLattice(Cloud *cloud) {
    cloud->count = 1000, cloud->radius = 0.2f;
    for (int i = 0; i < cloud->count; i++)
        cloud->x[i] = 0.1f * (float)(i % 10), cloud->y[i] = 0.1f * (float)(i / 10 % 10),
        cloud->z[i] = 0.1f * (float)(i / 100);
}

static void fillFlat(Cloud *cloud) {
    cloud->count = 1000, cloud->radius = 0.06f, cloud->dimensions = 2;
    for (int i = 0; i < cloud->count; i++)
        cloud->x[i] = noise(2 * i), cloud->y[i] = noise(2 * i + 1), cloud->z[i] = 0;
}

static void fillOne(Cloud *cloud) { cloud->count = 1, cloud->radius = 1, cloud->x[0] = 5; }
static void fillNone(Cloud *cloud) { cloud->count = 0, cloud->radius = 1; }

static FillFn *const fills[] = {fillRandom,  fillClustered, fillCoincident, fillCoarseOut, fillScattered,
                                fillLattice, fillFlat,      fillOne,        fillNone};
enum { FILLS = sizeof fills / sizeof fills[0] };

static void everyCloudAgreesWithAllPairs(void **state) {
    (void)state;
    for (int simd = wb_simdScalar; simd <= wb_simdAvx512; simd++) {
        if (!wbIsSimdSupported((wbSimd)simd)) continue;
        for (int threads = 1; threads <= 3; threads++) {
            Fixture *f = createFixture((wbSimd)simd, threads);
            for (int k = 0; k < FILLS; k++)
                for (int kind = wb_gridAuto; kind <= wb_gridHashed; kind++) {
                    // the dense grid of points that are 2,000 km apart does not fit
                    bool isWide = fills[k] == fillCoarseOut || fills[k] == fillScattered;
                    if (kind == wb_gridDense && isWide) continue;
                    f->cloud.dimensions = 3;
                    fills[k](&f->cloud);
                    searchAndCheck(f, (wbGridKind)kind);
                    if (kind == wb_gridAuto && fills[k] == fillRandom) assert_false(f->grid.hashed);
                    if (kind == wb_gridAuto && isWide) assert_true(f->grid.hashed);
                }
            destroyFixture(f);
        }
    }
}

// Points in no order that search two other sets, one of them hashed: all that is near, and never each other.
static void checkAmong(wbSimd simd) {
    Fixture *f = createFixture(simd, 2);
    wbGrid grid;
    wbListTask task;
    int seen[2 * MAX_POINTS + 1];
    f->cloud.dimensions = 3;
    fillScattered(&f->cloud);
    f->cloud.radius = 0.11f;
    sortCloud(f, wb_gridAuto);
    Cloud scattered = f->cloud;
    grid = f->grid, wbGrid_Init(&f->grid);
    fillRandom(&f->cloud);
    for (int i = 0; i < f->cloud.count; i++) f->cloud.z[i] -= 1.5f;
    sortCloud(f, wb_gridAuto);
    f->ghosts = f->cloud;
    for (int i = 0; i < f->cloud.count; i++)
        f->cloud.x[i] = 1.3f * noise(9 * i), f->cloud.y[i] = noise(9 * i + 1),
        f->cloud.z[i] = noise(9 * i + 2);
    f->cloud.x[7] = 5000;
    const wbPointSet random = {.points = pointsOf(&f->ghosts), .grid = &f->grid, .clearMin = {1}},
                     wide = {.points = pointsOf(&scattered),
                             .grid = &grid,
                             .firstIndex = f->ghosts.count,
                             .clearMin = {1}};
    const wbPointSet *const sets[] = {&random, &wide};
    int dummy = f->ghosts.count + scattered.count;
    int64_t pairs = 0;
    assert_true(grid.hashed && !f->grid.hashed);
    assertOk(wbNeighbours_BeginAmong(&f->neighbours, &f->work, pointsOf(&f->cloud), sets, 2, dummy, &task));
    wbParallelFor(f->work.pool, f->cloud.count, WB_BLOCK, wbGetSpaceCode(simd)->lists, &task);
    assertOk(wbNeighbours_End(&f->neighbours, &f->work));
    for (int i = 0; i < f->cloud.count; i++) {
        int rowCount;
        const int *rows = wbNeighbours_GetRows(&f->neighbours, i / WB_GROUP, &rowCount);
        memset(seen, 0, sizeof seen);
        for (int k = 0; k < rowCount; k++) seen[rows[k * WB_GROUP + i % WB_GROUP]]++;
        for (int j = 0; j < dummy; j++) pairs += seen[j];
        checkList(f, i, &f->ghosts, 0, seen);
        checkList(f, i, &scattered, f->ghosts.count, seen);
    }
    assert_true(pairs > 1000 && pairs == f->neighbours.pairs);
    wbGrid_Free(f->work.memory, &grid);
    destroyFixture(f);
}

static void otherSetsAloneAreSearched(void **state) {
    (void)state;
    for (int simd = wb_simdScalar; simd <= wb_simdAvx512; simd++)
        if (wbIsSimdSupported((wbSimd)simd)) checkAmong((wbSimd)simd);
}

// The ghosts of a box corner, as a second set of points. A stray beyond an open side makes the cells of the
// two grids differ in length.
static void checkImages(wbSimd simd, float stray) {
    Fixture *f = createFixture(simd, 2);
    f->cloud.dimensions = 3;
    fillRandom(&f->cloud);
    f->cloud.y[0] += stray;
    sortCloud(f, wb_gridAuto);
    const wbDomain domain = {.dimensions = 3,
                             .min = {0, -0.5f, 2},
                             .max = {1, 0.5f, 3},
                             .closed = {true, true, true, false, true, true}};
    wbGhosts ghosts;
    wbPointSet set;
    int firstGhost = wbPadCount(f->cloud.count), inside = 0;
    assertOk(wbMirrorPoints(&f->work, &domain, pointsOf(&f->cloud), f->cloud.radius, &ghosts));
    for (int k = 0; k < ghosts.count; k++) {
        int s = ghosts.source[k];
        inside +=
            ghosts.x[k] > 0 && ghosts.x[k] < 1 && ghosts.y[k] > -0.5f && ghosts.z[k] > 2 && ghosts.z[k] < 3;
        float x = ghosts.sides[k] & 1   ? -f->cloud.x[s]
                  : ghosts.sides[k] & 2 ? 2 - f->cloud.x[s]
                                        : f->cloud.x[s];
        assert_float_equal(ghosts.x[k], x, 1e-6f);
        assert_int_equal(ghosts.sides[k] & 8, 0); // the top is open
    }
    assert_int_equal(inside, 0);
    assertOk(wbSortGhosts(&f->ghostGrid, &f->work, &domain, f->cloud.radius, firstGhost, &ghosts, &set));
    f->ghosts.count = ghosts.count;
    assert_in_range(ghosts.count, 500, MAX_POINTS);
    memcpy(f->ghosts.x, ghosts.x, sizeof(float) * (size_t)ghosts.count);
    memcpy(f->ghosts.y, ghosts.y, sizeof(float) * (size_t)ghosts.count);
    memcpy(f->ghosts.z, ghosts.z, sizeof(float) * (size_t)ghosts.count);
    wbPointSet own = {.points = pointsOf(&f->cloud), .grid = &f->grid};
    int dummy = firstGhost + ghosts.count;
    assertOk(wbNeighbours_Build(&f->neighbours, &f->work, &own, &set, dummy));
    assert_int_equal(checkLists(f, firstGhost, dummy), f->neighbours.pairs);
    destroyFixture(f);
}

static void ghostsAreFoundToo(void **state) {
    (void)state;
    for (int simd = wb_simdScalar; simd <= wb_simdAvx512; simd++) {
        if (!wbIsSimdSupported((wbSimd)simd)) continue;
        const float strays[] = {0, 1e3f, 1e5f, 1e6f};
        for (int k = 0; k < 4; k++) checkImages((wbSimd)simd, strays[k]);
    }
}

// The same lists whoever builds them: entries and their order.
static void listsDoNotDependOnThreads(void **state) {
    (void)state;
    uint64_t hashes[4];
    for (int threads = 1; threads <= 4; threads++) {
        Fixture *f = createFixture(wb_simdScalar, threads);
        f->cloud.dimensions = 3;
        fillClustered(&f->cloud);
        searchAndCheck(f, wb_gridAuto);
        uint64_t hash = wbHashBytes(WB_HASH_START, f->order, sizeof(int) * (size_t)f->cloud.count);
        for (int g = 0; g * WB_GROUP < f->cloud.count; g++) {
            int rowCount;
            const int *rows = wbNeighbours_GetRows(&f->neighbours, g, &rowCount);
            hash = wbHashBytes(hash, rows, sizeof(int[WB_GROUP]) * (size_t)rowCount);
        }
        hashes[threads - 1] = hash;
        destroyFixture(f);
    }
    for (int k = 1; k < 4; k++) assert_int_equal(hashes[k], hashes[0]);
}

static void nonFinitePointsAreRefused(void **state) {
    (void)state;
    Fixture *f = createFixture(wb_simdScalar, 1);
    f->cloud.dimensions = 3;
    fillRandom(&f->cloud);
    f->cloud.y[700] = INFINITY;
    wbStatus status =
        wbGrid_Sort(&f->grid, &f->work, pointsOf(&f->cloud), f->cloud.radius, 3, wb_gridAuto, f->order);
    assert_int_equal(status.code, wb_errorUnstable);
    destroyFixture(f);
}

static void warmSearchDoesNotAllocate(void **state) {
    (void)state;
    Fixture *f = createFixture(wb_simdScalar, 2);
    f->cloud.dimensions = 3;
    fillRandom(&f->cloud);
    for (int k = 0; k < 3; k++) searchAndCheck(f, wb_gridAuto);
    uint64_t calls = wbGetMemoryUse(f->work.memory).calls;
    for (int k = 0; k < 5; k++) searchAndCheck(f, wb_gridAuto);
    assert_int_equal(wbGetMemoryUse(f->work.memory).calls, calls);
    destroyFixture(f);
}

static void aFullAccountIsAnError(void **state) {
    (void)state;
    Fixture *f = createFixture(wb_simdScalar, 1);
    wbMemory *small = wbCreateMemory(100000);
    f->cloud.dimensions = 3;
    fillCoincident(&f->cloud); // 333 * 333 entries need more
    sortCloud(f, wb_gridAuto);
    wbWork work = f->work;
    work.memory = small;
    wbNeighbours neighbours;
    wbNeighbours_Init(&neighbours);
    wbPointSet own = {.points = pointsOf(&f->cloud), .grid = &f->grid};
    wbStatus status = wbNeighbours_Build(&neighbours, &work, &own, NULL, f->cloud.count);
    assert_int_equal(status.code, wb_errorMemory);
    wbNeighbours_Free(small, &neighbours);
    wbDestroyMemory(small);
    destroyFixture(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyCloudAgreesWithAllPairs), cmocka_unit_test(ghostsAreFoundToo),
        cmocka_unit_test(otherSetsAloneAreSearched),    cmocka_unit_test(listsDoNotDependOnThreads),
        cmocka_unit_test(nonFinitePointsAreRefused),    cmocka_unit_test(warmSearchDoesNotAllocate),
        cmocka_unit_test(aFullAccountIsAnError),
    };
    return cmocka_run_group_tests_name("neighbours", tests, NULL, NULL);
}
