// SPDX-License-Identifier: MIT
// Sheets in swarms of particles against all pairs: feet and their sums, pairs with a sheet between them, and that nothing goes through.
#include "coupling/sheet.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/sheets.h"
#include "work_support.h"

enum {
    SIDE = 13,
    BALLS = 30,
    PARTICLES = 400,
    NODES = SIDE * SIDE + BALLS + 8,
    MOST_ELEMENTS = 2 * SIDE * SIDE + BALLS + 8
};
static const float spacing = 0.03f;

typedef struct Fixture {
    wbWork work;
    wbSheets sheets;
    wbSheetSwarm swarm;
    SpaceRoom room;
    wbGrid grid;
    wbNeighbours neighbours;
    float *starts, *places, *moved; // records, in the arena
    float sums[4 * PARTICLES + 64], squares[PARTICLES + 16];
    int corners[MOST_ELEMENTS][3];
    bool rims[MOST_ELEMENTS][8];
    double radii[MOST_ELEMENTS], nodeStarts[NODES][3], nodeEnds[NODES][3];
    refSheets truth;
    uint32_t counter;
} Fixture;

static double vary(Fixture *f, double by) { return by * (double)randomSigned(f->counter++); }

static wbVec3d toVec(const double p[3]) { return (wbVec3d){p[0], p[1], p[2]}; }

// A cloth in folds, crumpled, then a fan of three triangles at one edge, a triangle without area, and balls.
static int addCloth(Fixture *f, double crumple) {
    int count = 0;
    for (int k = 0; k < SIDE * SIDE; k++) {
        const double u = 1.3 * (k % SIDE), v = 1.3 * (k / SIDE);
        const double place[3] = {0.5 * u + 1.5 * sin(0.8 * v), 2.5 * sin(0.9 * u), v};
        for (int a = 0; a < 3; a++) f->nodeEnds[k][a] = (double)spacing * (place[a] + vary(f, crumple));
    }
    for (int k = 0; k < (SIDE - 1) * (SIDE - 1); k++) {
        const int at = k / (SIDE - 1) * SIDE + k % (SIDE - 1);
        const int both[2][3] = {{at, at + 1, at + SIDE}, {at + 1, at + SIDE + 1, at + SIDE}};
        memcpy(f->corners[count], both, sizeof both), count += 2;
    }
    return count;
}

static int addOthers(Fixture *f, int count) {
    const int first = SIDE * SIDE, fan[4][3] = {{first, first + 1, first + 2},
                                                {first, first + 1, first + 3},
                                                {first + 1, first, first + 4},
                                                {first + 5, first + 6, first + 7}};
    memcpy(f->corners[count], fan, sizeof fan), count += 4;
    for (int k = first; k < NODES; k++)
        for (int a = 0; a < 3; a++)
            f->nodeEnds[k][a] = (double)spacing * (k < first + 8 ? -6 + vary(f, 2) : 10 + vary(f, 10));
    for (int a = 0; a < 3; a++)
        f->nodeEnds[first + 7][a] = 0.5 * (f->nodeEnds[first + 5][a] + f->nodeEnds[first + 6][a]);
    for (int k = first + 8; k < NODES; k++, count++) {
        for (int c = 0; c < 3; c++) f->corners[count][c] = k;
        f->radii[count] = (double)(float)((double)spacing * (0.6 + 0.3 * vary(f, 1)));
    }
    return count;
}

// One of `held` stays where it is; 0: none.
static void setNodes(Fixture *f, double way, int held) {
    for (int n = 0; n < NODES; n++) {
        const bool isFree = held == 0 || n % held != 0;
        for (int a = 0; a < 3; a++)
            f->nodeStarts[n][a] =
                (double)(float)(f->nodeEnds[n][a] + vary(f, isFree ? way * (double)spacing : 0));
        *wbSheets_GetNode(&f->sheets, n) = (wbSheetNode){.start = toVec(f->nodeStarts[n]),
                                                         .end = toVec(f->nodeEnds[n]),
                                                         .mobility = isFree ? 2000 : 0,
                                                         .response = isFree ? 1000 : 0};
    }
}

// Beside random points of elements.
static void placeParticles(Fixture *f, double beside, double way) {
    for (int i = 0; i < PARTICLES; i++) {
        const int e = (int)(wbHashFloat(f->counter++) * (float)f->truth.count) % f->truth.count;
        const double u = fabs(vary(f, 0.5)), v = fabs(vary(f, 0.5));
        for (int a = 0; a < 3; a++) {
            const double at = (1 - u - v) * f->nodeEnds[f->corners[e][0]][a] +
                              u * f->nodeEnds[f->corners[e][1]][a] + v * f->nodeEnds[f->corners[e][2]][a];
            f->places[4 * i + a] = (float)(at + vary(f, beside * (double)spacing));
            f->starts[4 * i + a] = f->places[4 * i + a] + (float)vary(f, way * (double)spacing);
        }
    }
}

static Fixture *createFixture(int threads, wbSimd simd, uint32_t seed) {
    Fixture *f = test_calloc(1, sizeof *f);
    f->work = createWork(threads, simd), f->counter = seed;
    float **const records[3] = {&f->starts, &f->places, &f->moved};
    for (int k = 0; k < 3; k++) {
        *records[k] = wbArena_Alloc(f->work.arena, sizeof(float[4]) * PARTICLES);
        memset(*records[k], 0, sizeof(float[4]) * PARTICLES);
    }
    for (int a = 0; a < 3; a++) f->room.low[a] = -FLT_MAX, f->room.high[a] = FLT_MAX;
    wbSheets_Init(&f->sheets), wbGrid_Init(&f->grid), wbNeighbours_Init(&f->neighbours);
    const int count = addOthers(f, addCloth(f, seed % 2 ? 0.1 : 0.45));
    f->truth = (refSheets){.count = count,
                           .corners = (const int(*)[3])f->corners,
                           .radii = f->radii,
                           .starts = f->nodeStarts,
                           .ends = f->nodeEnds,
                           .h = 2 * (double)spacing,
                           .spacing = (double)spacing,
                           .rims = f->rims};
    refFindRims(&f->truth);
    assertOk(wbSheets_Reserve(&f->sheets, f->work.memory, NODES, count));
    for (int e = 0; e < count; e++) {
        wbSheetElement *element = wbSheets_GetElement(&f->sheets, e);
        *element = (wbSheetElement){.radius = (float)f->radii[e]};
        memcpy(element->corners, f->corners[e], sizeof element->corners);
    }
    assertOk(wbSheets_FindRims(&f->sheets, &f->work));
    f->swarm = (wbSheetSwarm){.count = PARTICLES,
                              .kernel = wb_sheetBlunt,
                              .firstGhost = PARTICLES,
                              .dummy = PARTICLES,
                              .h = 2 * spacing,
                              .spacing = spacing,
                              .mass = 1e-3,
                              .dt = 1.0f / 240,
                              .share = 0.75f,
                              .to = 1,
                              .starts = f->starts,
                              .places = f->places,
                              .moved = f->moved,
                              .room = &f->room};
    return f;
}

static void destroyFixture(Fixture *f) {
    wbSheets_Free(f->work.memory, &f->sheets), wbGrid_Free(f->work.memory, &f->grid);
    wbNeighbours_Free(f->work.memory, &f->neighbours);
    destroyWork(&f->work);
    test_free(f);
}

static void getPlace(const float *records, int i, double place[3]) {
    for (int a = 0; a < 3; a++) place[a] = (double)records[4 * i + a];
}

static const wbNearSheet *getNear(const Fixture *f, int i) {
    const int near = f->sheets.nearOf[i];
    return near < 0 ? NULL : &f->sheets.near[near];
}

// Feet

// After the search everything goes on, as it does in iterations.
static void iterate(Fixture *f, double way) {
    for (int i = 0; i < PARTICLES; i++)
        for (int a = 0; a < 3; a++) f->places[4 * i + a] += (float)vary(f, way * (double)spacing);
    for (int n = 0; n < NODES; n++) {
        for (int a = 0; a < 3; a++) f->nodeEnds[n][a] += vary(f, 0.5 * way * (double)spacing);
        wbSheets_GetNode(&f->sheets, n)->end = toVec(f->nodeEnds[n]);
    }
}

static double look(const float *table, double distance, double smoothing) {
    const double at = fmax((distance + 1) / (smoothing + 1) * WB_SHEET_TABLE, 0);
    const int k = (int)at;
    return at < WB_SHEET_TABLE ? (double)table[k] + (at - k) * ((double)table[k + 1] - (double)table[k]) : 0;
}

static void compareFoot(const Fixture *f, const wbSheetFoot *foot, const refFoot *right) {
    const wbSheetElement *element = wbSheets_GetElement(&f->sheets, foot->element);
    for (int a = 0; a < 3; a++) {
        double place = 0;
        for (int c = 0; c < 3; c++) place += (double)foot->weights[c] * f->nodeEnds[element->corners[c]][a];
        assertBelow(fabs(place - right->place[a]), 1e-5 * (double)spacing, "closest point");
        assertBelow(fabs((double)foot->normal[a] - right->normal[a]),
                    1e-4 + 1e-6 * (double)spacing / (fabs(right->distance) + 1e-9), "normal");
    }
}

static void compareFeet(Fixture *f, int i, int *feet, int *doubtful) {
    refFoot right[3];
    double start[3], place[3], sums[4] = {0};
    bool isDoubtful;
    getPlace(f->starts, i, start), getPlace(f->places, i, place);
    const int count = refFindFeet(&f->truth, start, place, right, &isDoubtful);
    const wbNearSheet *near = getNear(f, i);
    *doubtful += isDoubtful, *feet += count;
    if (isDoubtful) return;
    assert_int_equal(near ? near->footCount : 0, count);
    for (int k = 0; k < count; k++) {
        const double share = right[k].share, distance = right[k].distance / (double)spacing,
                     towards = sin(0.5 * right[k].angle),
                     gradient = 0.75 * share * towards * towards *
                                look(f->sheets.tables[wb_sheetBlunt].gradient, distance, 2);
        compareFoot(f, &near->feet[k], &right[k]);
        for (int a = 0; a < 3; a++) sums[a] += gradient * right[k].normal[a];
        sums[3] += share * right[k].angle / M_PI * look(f->sheets.tables[wb_sheetBlunt].density, distance, 2);
    }
    for (int a = 0; a < 4; a++) assertBelow(fabs((double)f->sums[4 * i + a] - sums[a]), 3e-4, "sum");
}

static void feetAreThoseOfAllPairs(void **state) {
    (void)state;
    FOR_EACH_SIMD(simd)
    for (uint32_t seed = 1; seed < 5; seed++) {
        Fixture *f = createFixture(1, simd, seed);
        int feet = 0, doubtful = 0;
        setNodes(f, 0.1, 5), placeParticles(f, 2.2, 0.2);
        assertOk(wbSheets_Find(&f->sheets, &f->swarm, &f->work));
        iterate(f, seed < 3 ? 0.06 : 0.18);
        wbSheets_Add(&f->sheets, &f->swarm, f->sums, f->squares, &f->work);
        for (int i = 0; i < PARTICLES; i++) compareFeet(f, i, &feet, &doubtful);
        assert_true(feet > PARTICLES && doubtful < PARTICLES / 10);
        destroyFixture(f);
    }
}

static void tableIsTheHalfSpace(void **state) {
    (void)state;
    wbSheetTable table = {0};
    wbSheetTable_Make(&table, wb_sheetBlunt, 2);
    for (double distance = -0.9; distance < 2; distance += 0.037) {
        double density, gradient;
        refSumHalfSpace(2, distance, &density, &gradient);
        assertBelow(fabs(look(table.density, distance, 2) - density), 1e-3, "density");
        assertBelow(fabs(look(table.gradient, distance, 2) - gradient), 2e-3, "gradient");
    }
}

// Pairs

static void buildLists(Fixture *f) {
    float columns[3][PARTICLES + 64], sorted[3][PARTICLES + 64];
    int order[PARTICLES + 64];
    for (int i = 0; i < PARTICLES; i++)
        for (int a = 0; a < 3; a++) columns[a][i] = f->starts[4 * i + a];
    const wbPoints points = {columns[0], columns[1], columns[2], PARTICLES};
    assertOk(wbGrid_Sort(&f->grid, &f->work, points, 2 * spacing, 3, wb_gridAuto, order));
    const wbMove moves[] = {{columns[0], sorted[0]}, {columns[1], sorted[1]}, {columns[2], sorted[2]}};
    wbReorder(&f->work, order, PARTICLES, moves, 3);
    for (int i = 0; i < PARTICLES; i++)
        for (int a = 0; a < 3; a++) f->starts[4 * i + a] = f->places[4 * i + a] = sorted[a][i];
    const wbPointSet own = {.points = {sorted[0], sorted[1], sorted[2], PARTICLES}, .grid = &f->grid};
    assertOk(wbNeighbours_Build(&f->neighbours, &f->work, &own, NULL, PARTICLES));
}

static int listPairs(const Fixture *f, bool *pairs) {
    int count = 0;
    memset(pairs, 0, sizeof(bool) * PARTICLES * PARTICLES);
    for (int i = 0; i < PARTICLES; i++) {
        int rowCount;
        const int *rows = wbNeighbours_GetRows(&f->neighbours, i / WB_GROUP, &rowCount);
        for (int k = 0; k < rowCount; k++) {
            const int j = rows[k * WB_GROUP + i % WB_GROUP];
            if (j < PARTICLES && j != i) pairs[i * PARTICLES + j] = true, count++;
        }
    }
    return count;
}

// Two on the same side of what is nearest to them are not asked.
static bool shouldPart(const Fixture *f, int i, int j, bool *isDoubtful) {
    double a[3], b[3];
    bool doubts[3];
    const double reach = 1.4 * (double)spacing;
    getPlace(f->starts, i, a), getPlace(f->starts, j, b);
    const int one = refFindSide(&f->truth, a, reach, &doubts[0]),
              other = refFindSide(&f->truth, b, reach, &doubts[1]);
    const bool isBetween = refIsBetween(&f->truth, a, b, &doubts[2]);
    *isDoubtful = doubts[0] || doubts[1] || doubts[2];
    return isBetween && !(one == other && one != 0);
}

static void pairsBehindSheetsArePartedAsByAllPairs(void **state) {
    (void)state;
    bool *before = test_malloc(sizeof(bool) * PARTICLES * PARTICLES),
         *after = test_malloc(sizeof(bool) * PARTICLES * PARTICLES);
    FOR_EACH_SIMD(simd) {
        Fixture *f = createFixture(1, simd, 5);
        int parted = 0, doubtful = 0;
        setNodes(f, 0, 5), placeParticles(f, 1, 0);
        buildLists(f);
        const int count = listPairs(f, before);
        assertOk(wbSheets_Find(&f->sheets, &f->swarm, &f->work));
        wbSheets_Cut(&f->sheets, &f->swarm, &f->neighbours, &f->work);
        assert_true(listPairs(f, after) < count);
        for (int k = 0; k < PARTICLES * PARTICLES; k++) {
            const int i = k / PARTICLES, j = k % PARTICLES;
            bool isDoubtful;
            if (!before[k]) continue;
            assert_int_equal(after[k], after[j * PARTICLES + i]); // both of a pair
            if (j < i) continue;
            const bool should = shouldPart(f, i, j, &isDoubtful);
            doubtful += isDoubtful, parted += should;
            if (!isDoubtful) assert_int_equal(after[k], !should);
        }
        assert_true(parted > 100 && doubtful < count / 4);
        destroyFixture(f);
    }
    test_free(before), test_free(after);
}

// Nothing goes through

static int countThrough(const Fixture *f) {
    int count = 0;
    for (int i = 0; i < PARTICLES; i++) {
        double from[3], to[3];
        getPlace(f->starts, i, from), getPlace(f->places, i, to);
        count += refGoesThrough(&f->truth, from, to);
    }
    return count;
}

static void sumImpulse(const Fixture *f, double sum[3]) {
    for (int a = 0; a < 3; a++) sum[a] = 0;
    for (int i = 0; i < PARTICLES; i++)
        for (int a = 0; a < 3; a++) sum[a] += f->swarm.mass * (double)f->moved[4 * i + a];
    for (int n = 0; n < NODES; n++) {
        const wbSheetNode *node = wbSheets_GetNode(&f->sheets, n);
        sum[0] += node->given.x, sum[1] += node->given.y, sum[2] += node->given.z;
    }
}

// What is held takes up what zones around it give up, and nothing counts it.
static void holdAndCompare(wbSimd simd, int held) {
    Fixture *f = createFixture(1, simd, 7);
    double left[3];
    setNodes(f, 0.1, held), placeParticles(f, 0.8, 0.8);
    const int before = countThrough(f);
    assertOk(wbSheets_Find(&f->sheets, &f->swarm, &f->work));
    wbSheets_Hold(&f->sheets, &f->swarm, &f->work);
    for (int n = 0; n < NODES; n++) {
        const wbVec3d end = wbSheets_GetNode(&f->sheets, n)->end;
        f->nodeEnds[n][0] = end.x, f->nodeEnds[n][1] = end.y, f->nodeEnds[n][2] = end.z;
    }
    assert_true(before > PARTICLES / 8 && f->sheets.counts.held >= before && f->sheets.counts.zones > 0);
    assert_int_equal(f->sheets.counts.lost, 0);
    assert_int_equal(countThrough(f), 0);
    sumImpulse(f, left);
    for (int a = 0; a < 3 && held == 0; a++) assertBelow(fabs(left[a]), 1e-9, "impulse");
    destroyFixture(f);
}

static void nothingGoesThrough(void **state) {
    (void)state;
    FOR_EACH_SIMD(simd) holdAndCompare(simd, 0), holdAndCompare(simd, 5);
}

// All of it on several threads

static uint64_t hashAll(Fixture *f) {
    setNodes(f, 0.1, 5), placeParticles(f, 1, 0.3);
    assertOk(wbSheets_Find(&f->sheets, &f->swarm, &f->work));
    wbSheets_Add(&f->sheets, &f->swarm, f->sums, f->squares, &f->work);
    wbSheets_Hold(&f->sheets, &f->swarm, &f->work);
    uint64_t hash = wbHashBytes(0, f->sums, sizeof f->sums);
    hash = wbHashBytes(hash, f->places, sizeof(float[4]) * PARTICLES);
    return wbHashBytes(hash, f->sheets.nodes.data, sizeof(wbSheetNode) * NODES);
}

static void threadsDoNotMatter(void **state) {
    (void)state;
    FOR_EACH_SIMD(simd) {
        uint64_t one = 0;
        for (int threads = 1; threads <= 4; threads++) {
            Fixture *f = createFixture(threads, simd, 9);
            const uint64_t hash = hashAll(f);
            if (threads == 1) one = hash;
            assert_true(hash == one);
            destroyFixture(f);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(feetAreThoseOfAllPairs), cmocka_unit_test(tableIsTheHalfSpace),
        cmocka_unit_test(pairsBehindSheetsArePartedAsByAllPairs), cmocka_unit_test(nothingGoesThrough),
        cmocka_unit_test(threadsDoNotMatter)};
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
