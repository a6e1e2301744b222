// SPDX-License-Identifier: MIT
// The reference of the thesis' adaptive fluid is held against closed forms; the search by Z-order against all pairs.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/thesis.h"
#include "reference/z_order.h"
#include "work_support.h"

// Published with the analysis: at h = 4 r, and inside, where h = 4 (1 + a) r with a = 0.4 and 0.3.
static void testLatticeSums(void **state) {
    (void)state;
    const double expected[4] = {1.274, 1.236, 1.099, 1.081};
    const double sums[4] = {refSumLattice(2, 4), refSumLattice(3, 4), refSumLattice(2, 5.6),
                            refSumLattice(3, 5.2)};
    for (int k = 0; k < 4; k++) assertBelow(fabs(sums[k] - expected[k]), 6e-4, "lattice sum");
    assertBelow(fabs(refSumLattice(2, 23.99) - refSumLattice(2, 24.01)), 1e-5, "step of the sum");
    assertBelow(fabs(refSumLattice(3, 1000) - 1), 1e-6, "sum far away");
}

// Of this radius in smallest radii, sites of a lattice.
static refThesis *createBall(int dimensions, double radius) {
    const int m = (int)(radius / 2) + 2, sites = 2 * m;
    refThesis *t = refCreateThesis(dimensions, sites * sites * (dimensions == 3 ? sites : 1));
    int count = 0;
    for (int n = 0; n < t->count; n++) {
        const int site[3] = {n % sites - m, n / sites % sites - m, n / sites / sites - m};
        double x[3] = {0}, r2 = 0;
        for (int k = 0; k < dimensions; k++) x[k] = t->spacing * (site[k] + 0.5), r2 += x[k] * x[k];
        if (r2 < pow(radius * t->spacing / 2, 2)) memcpy(t->grains[count++].x, x, sizeof x);
    }
    t->count = count;
    return t;
}

typedef struct Totals {
    int64_t parts;
    double momentum[3], speed, radius; // fastest; of a ball with this moment of inertia, in smallest radii
} Totals;

static Totals sumUp(const refThesis *t) {
    Totals sums = {0};
    double inertia = 0;
    for (int i = 0; i < t->count; i++) {
        const refGrain *g = &t->grains[i];
        double v2 = 0;
        sums.parts += g->parts;
        for (int k = 0; k < 3; k++) {
            sums.momentum[k] += g->parts * g->v[k], v2 += g->v[k] * g->v[k];
            inertia += g->parts * g->x[k] * g->x[k];
        }
        sums.speed = fmax(sums.speed, sqrt(v2));
    }
    sums.radius = sqrt(inertia / (double)sums.parts * (1 + 2.0 / t->dimensions)) / (t->spacing / 2);
    return sums;
}

// A disc at rest: particles merge, as far as they should, and it keeps its mass, its size and its rest. Boundary particles are the smallest.
static void testDisc(void **state) {
    (void)state;
    refThesis *t = createBall(2, 26);
    t->slope = 0.8; // so that a small disc has several sizes
    const Totals before = sumUp(t);
    const int count = t->count;
    int boundary = 0;
    for (int k = 0; k < 150; k++) refStepThesis(t, 1 / 60.0);
    const Totals after = sumUp(t);
    assert_true(before.parts == after.parts);
    assertBelow(fabs(after.radius / before.radius - 1), 0.01, "radius");
    assertBelow(after.speed, 0.02, "speed");
    for (int k = 0; k < 2; k++) assertBelow(fabs(after.momentum[k]) / (double)after.parts, 1e-12, "momentum");
    assert_true(t->count < 0.85 * count && t->merges - t->splits >= count - t->count);
    for (int i = 0; i < t->count; i++) {
        const refGrain *g = &t->grains[i];
        if (g->role == refAlone) assert_int_equal(g->parts % refParts, 0);
        assert_true(!g->isBoundary || g->parts == refParts);
        boundary += g->isBoundary;
    }
    assert_true(boundary > 50 && boundary < 100); // 2 pi 26 / 2 = 82
    refDestroyThesis(t);
}

// What is too large at the boundary is split until it is small again, into whole particles: 7 into 3 and 4, ...
static void testSplits(void **state) {
    (void)state;
    for (int gradual = 0; gradual < 2; gradual++) {
        refThesis *t = createBall(2, 8);
        t->splitsGradually = gradual;
        const int count = t->count;
        for (int i = 0; i < t->count; i++) {
            t->grains[i].parts = 7 * refParts, t->grains[i].h *= sqrt(7);
            for (int k = 0; k < 2; k++) t->grains[i].x[k] *= sqrt(7);
        }
        for (int k = 0; k < count; k++) t->freeIds[t->freeCount++] = (uint32_t)(count + k);
        t->slope = 1e-3, t->limit = 2 * count;
        for (int k = 0; k < 60; k++) {
            refStepThesis(t, 1 / 60.0);
            assert_true(t->count <= t->limit);
        }
        assert_int_equal(t->count, t->limit);
        assert_int_equal(t->splits, count);
        assert_true(sumUp(t).parts == (int64_t)count * 7 * refParts);
        for (int i = 0; i < t->count; i++)
            if (t->grains[i].role == refAlone) assert_int_equal(t->grains[i].parts % refParts, 0);
        refDestroyThesis(t);
    }
}

// Two overlapping particles that fly in different directions: momentum stays, or is lost as the source loses it, and counted.
static void testMomentum(void **state) {
    (void)state;
    for (int keeps = 0; keeps < 2; keeps++) {
        refThesis *t = refCreateThesis(3, 2);
        t->keepsMomentum = keeps, t->viscosity = 0, t->omega = 0;
        t->mergeTime = 1 / 60.0;
        for (int i = 0; i < 2; i++) {
            t->grains[i].x[0] = 0.1 * i, t->grains[i].v[1] = i;
            t->grains[i].b = 100, t->grains[i].h = 1, t->thin = 0, t->steep = 1e9;
        }
        refStepThesis(t, 1 / 60.0);
        assert_int_equal(t->count, 1);
        const Totals sums = sumUp(t);
        assertBelow(fabs(sums.momentum[1] / refParts - keeps), 1e-12, "momentum");
        assertBelow(fabs(t->lost - !keeps), 1e-12, "counted loss");
        refDestroyThesis(t);
    }
}

// A kernel is as wide as the intrinsic ones that it lies in, and three quarters of that at 1.125 of their width (section 4.2). The third
// particle is thin, and thus a boundary.
static void testGeneral(void **state) {
    (void)state;
    refThesis *t = refCreateThesis(2, 3);
    t->isGeneral = true, t->thin = 0.45, t->steep = 1e9, t->omega = 0, t->relaxations = 0;
    t->largest = 2, t->slope = 20;
    const double wide = 4 * 2 * t->spacing / 2;
    for (int i = 0; i < 2; i++)
        t->grains[i].b = 100, t->grains[i].target = wide / 4, t->grains[i].parts = 4 * refParts;
    t->grains[1].x[0] = 0.9 * wide, t->grains[2].x[0] = -1.125 * wide;
    for (int i = 0; i < 3; i++) t->grains[i].h = (i == 2 ? 0.752 : 0.996) * wide;
    refStepThesis(t, 1e-9);
    assert_true(t->grains[2].isBoundary && !t->grains[0].isBoundary);
    assertBelow(fabs(t->grains[1].h - wide), 1e-9, "within reach");
    assertBelow(fabs(t->grains[2].h - 0.75 * wide), 1e-9, "beyond it");
    refDestroyThesis(t);
}

static void testZOrder(void **state) {
    (void)state;
    enum { COUNT = 900 };
    static float x[COUNT], y[COUNT], z[COUNT], h[COUNT];
    int found[COUNT];
    for (int d = 2; d <= 3; d++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            x[i] = randomSigned(4 * i), y[i] = randomSigned(4 * i + 1),
            z[i] = d == 3 ? randomSigned(4 * i + 2) : 0;
            h[i] = 0.05f * powf(10, wbHashFloat(4 * i + 3)); // that vary tenfold
        }
        refZOrder *search = refCreateZOrder(d, COUNT, x, y, z, h);
        for (int i = 0; i < COUNT; i++) {
            bool seen[COUNT] = {false};
            int count = refFindByZOrder(search, i, found), expected = 0;
            for (int k = 0; k < count; k++) assert_false(seen[found[k]]), seen[found[k]] = true;
            for (int j = 0; j < COUNT; j++) {
                const float dx = x[i] - x[j], dy = y[i] - y[j], dz = z[i] - z[j];
                const bool isNear = dx * dx + dy * dy + dz * dz < h[i] * h[i];
                assert_true(seen[j] == isNear), expected += isNear;
            }
            assert_int_equal(count, expected);
        }
        refDestroyZOrder(search);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testLatticeSums), cmocka_unit_test(testDisc),    cmocka_unit_test(testSplits),
        cmocka_unit_test(testMomentum),    cmocka_unit_test(testGeneral), cmocka_unit_test(testZOrder),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
