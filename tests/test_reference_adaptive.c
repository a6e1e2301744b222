// SPDX-License-Identifier: MIT
// The reference of fluids with particles of different sizes is held against closed forms, and against that of one size.
#include <math.h>
#include <string.h>

#include "reference/adaptive.h"
#include "reference/pbf.h"
#include "work_support.h"

// A block of nx x ny x nz sites of particles of one level, jittered by a share of their size, that move at random.
static refAdaptive *makeBlock(const int sites[3], int level, double jitter, double speed, int capacity) {
    const int count = sites[0] * sites[1] * sites[2];
    refAdaptive *a = refCreateAdaptive(3, count, capacity > count ? capacity : count);
    const double size = refGetSize(a, level);
    for (int i = 0; i < count; i++) {
        const int site[3] = {i % sites[0], i / sites[0] % sites[1], i / sites[0] / sites[1]};
        a->level[i] = level;
        for (int k = 0; k < 3; k++) {
            a->x[i][k] = size * (site[k] + 0.5 + jitter * (double)randomSigned((uint32_t)(6 * i + k)));
            a->v[i][k] = speed * (double)randomSigned((uint32_t)(6 * i + k + 3));
        }
    }
    return a;
}

// Levels from 0 to 3 at random; ids that were merged away, so that particles can be split again.
static void mixLevels(refAdaptive *a) {
    for (int i = 0; i < a->count; i++) {
        a->level[i] = (int)(wbHashFloat((uint32_t)(i + 7777)) * 4);
        for (int k = 1; k < 1 << a->level[i]; k++)
            a->freeIds[a->freeCount] = (uint32_t)(a->count + a->freeCount), a->freeCount++;
    }
}

typedef struct Totals {
    double mass, momentum[3], centre[3];
} Totals;

static Totals sumUp(const refAdaptive *a) {
    Totals t = {0};
    for (int i = 0; i < a->count; i++) {
        double m = refGetMass(a->level[i]);
        t.mass += m;
        for (int k = 0; k < 3; k++) t.momentum[k] += m * a->v[i][k], t.centre[k] += m * a->x[i][k];
    }
    for (int k = 0; k < 3; k++) t.centre[k] /= t.mass;
    return t;
}

static void assertEqual(const Totals *a, const Totals *b) {
    assert_true(a->mass == b->mass);
    for (int k = 0; k < 3; k++) {
        assertBelow(fabs(a->momentum[k] - b->momentum[k]), 1e-10 * a->mass, "momentum");
        assertBelow(fabs(a->centre[k] - b->centre[k]), 1e-12, "centre");
    }
}

// Particles of one level are a fluid of a larger spacing, to the last digits.
static void testOneSize(void **state) {
    (void)state;
    for (int level = 0; level <= 3; level += 3) {
        refAdaptive *a = makeBlock((const int[3]){6, 5, 6}, level, 0.2, 1, 0);
        refPbf *pbf = refCreatePbf(3, a->count);
        a->mixedShare = 1;
        pbf->isMixed = true, pbf->spacing = refGetSize(a, level),
        pbf->viscosity = a->viscosity + 0.02 * level;
        pbf->tension = a->tension * a->spacing / pbf->spacing; // the acceleration is that of level 0
        // sides keep particles off by a share of the smallest spacing: the same for level 0 alone
        for (int s = 0; s < 6; s++) a->closed[s] = pbf->closed[s] = s != 3 && level == 0;
        for (int k = 0; k < 3; k++) a->sideMax[k] = pbf->sideMax[k] = 5.7 * pbf->spacing;
        memcpy(pbf->x, a->x, (size_t)a->count * sizeof *a->x),
            memcpy(pbf->v, a->v, (size_t)a->count * sizeof *a->v);
        refSetUpAdaptive(a), refSetUpPbf(pbf);
        refStepPbf(pbf, 0.004), refStepAdaptive(a, 0.004);
        for (int i = 0; i < a->count; i++)
            for (int k = 0; k < 3; k++) {
                assertBelow(fabs(a->x[i][k] - pbf->x[i][k]), 1e-12, "position");
                assertBelow(fabs(a->v[i][k] - pbf->v[i][k]), 1e-9, "velocity");
            }
        refDestroyAdaptive(a), refDestroyPbf(pbf);
    }
}

// Pairs act on each other with opposite forces whatever their sizes are.
static void testPairsCancel(void **state) {
    (void)state;
    refAdaptive *a = makeBlock((const int[3]){6, 6, 6}, 0, 0.2, 1, 2000);
    mixLevels(a);
    memset(a->gravity, 0, sizeof a->gravity);
    for (int i = 0; i < a->count; i++) a->offset[i] = 0.2 * (double)randomSigned((uint32_t)i);
    Totals before = sumUp(a);
    refStepAdaptive(a, 0.01);
    Totals after = sumUp(a);
    for (int k = 0; k < 3; k++) before.centre[k] += 0.01 * before.momentum[k] / before.mass;
    assertEqual(&before, &after);
    refDestroyAdaptive(a);
}

// In a row of sizes that grow linearly, h(x) = h + G x, the geometric mean makes no error of the density in second order: by an
// integral over such a field, of particles as small as one likes.
static void testGradedDensity(void **state) {
    (void)state;
    enum { STEPS = 60 };
    const double slopes[2] = {0.336, 0.63};
    for (int n = 0; n < 2; n++) {
        double density = 0, step = 3.0 / STEPS;
        for (int k = 0; k < STEPS; k++) // y and z together: rings
            for (int i = 0; i < STEPS; i++) {
                double x = -1.5 + (i + 0.5) * step, s = (k + 0.5) * step / 2, r = hypot(x, s);
                double h = sqrt(1 + slopes[n] * x), q = r / h;
                if (q < 1)
                    density += 2 * 3.14159265358979 * s * step * step / 2 * 315 / (64 * 3.14159265358979) *
                               pow(1 - q * q, 3) / (h * h * h);
            }
        assertBelow(fabs(density - 1), 2e-3, "density of graded sizes");
    }
}

static void testTarget(void **state) {
    (void)state;
    refAdaptive *a = refCreateAdaptive(3, 1, 1);
    assert_true(refGetTargetLevel(a, 4 * 0.05) == 0);
    assertBelow(fabs(refGetTargetLevel(a, (4 + 1 / 0.08) * 0.05) - 3), 1e-12,
                "twice the radius, three levels");
    assert_true(refGetTargetLevel(a, 1e30) == 9);
    refDestroyAdaptive(a);
}

// In a pool at rest the surface is its first layer, and the distance the depth.
static void testDistance(void **state) {
    (void)state;
    const int sites[3] = {6, 14, 6};
    refAdaptive *a = makeBlock(sites, 0, 0, 0, 0);
    for (int s = 0; s < 6; s++) a->closed[s] = s != 3;
    for (int k = 0; k < 3; k++) a->sideMax[k] = sites[k] * a->spacing;
    refFindNeighbours(a), refMeasure(a);
    refFindDistances(a, 20);
    for (int i = 0; i < a->count; i++)
        assertBelow(fabs(a->distance[i] - (sites[1] * a->spacing - a->x[i][1])), 1e-9, "distance");
    refDestroyAdaptive(a);
}

static void assertUniqueIds(const refAdaptive *a) {
    for (int i = 0; i < a->count; i++) {
        for (int j = 0; j < i; j++) assert_true(a->id[i] != a->id[j]);
        for (int j = 0; j < a->freeCount; j++) assert_true(a->id[i] != a->freeIds[j]);
    }
}

// Mass is exact, and momentum stays, whatever merges and splits; with splits away from sides so does the centre.
static void testChanges(void **state) {
    (void)state;
    for (int seed = 0; seed < 3; seed++) {
        refAdaptive *a = makeBlock((const int[3]){6, 6, 6}, 0, 0.2, 1, 2000);
        mixLevels(a);
        for (int i = 0; i < a->count; i++) a->distance[i] = (double)wbHashFloat((uint32_t)(i + 99 * seed));
        refFindNeighbours(a), refMeasure(a), refChooseChanges(a);
        double before[2001];
        int most = seed == 2 ? a->count : 0, count = a->count;
        Totals start = sumUp(a);
        assert_true(refChange(a, most, before));
        Totals end = sumUp(a);
        assertEqual(&start, &end);
        assertUniqueIds(a);
        if (most > 0) assert_true(a->count <= most);
        if (most == 0) assert_true(a->count != count);
        refDestroyAdaptive(a);
    }
}

// What a change leaves goes into the offset: the constraint pushes as before.
static void testCarry(void **state) {
    (void)state;
    refAdaptive *a = makeBlock((const int[3]){7, 7, 7}, 0, 0.1, 0, 400);
    for (int i = 0; i < a->count; i++) a->distance[i] = 1;
    refFindNeighbours(a), refMeasure(a), refChooseChanges(a);
    double before[401];
    assert_true(refChange(a, 0, before));
    assert_true(a->count < 250);
    refRelax(a, before), refCarry(a, before);
    for (int i = 0; i < a->count; i++) {
        double pressed = fmax(a->density[i] - a->offset[i], 1);
        if (a->offset[i] > -0.2) assertBelow(pressed - before[i], 1e-12, "pressure");
        if (a->offset[i] > -0.2 && a->offset[i] < 0.6 && before[i] > 1)
            assertBelow(before[i] - pressed, 1e-12, "pressure");
    }
    refDestroyAdaptive(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testOneSize), cmocka_unit_test(testPairsCancel), cmocka_unit_test(testGradedDensity),
        cmocka_unit_test(testTarget),  cmocka_unit_test(testDistance),    cmocka_unit_test(testChanges),
        cmocka_unit_test(testCarry),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
