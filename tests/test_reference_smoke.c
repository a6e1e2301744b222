// SPDX-License-Identifier: MIT
// The reference of smoke is held against closed forms.
#include <math.h>
#include <stdlib.h>

#include "core/hash.h"
#include "reference/smoke.h"
#include "test_support.h"

static const double pi = 3.14159265358979323846;

static void assertNear(double value, double expected, double tolerance) {
    if (fabs(value - expected) <= tolerance) return;
    print_error("%.12g is not %.12g within %g\n", value, expected, tolerance);
    fail();
}

static void fillRandom(refSmoke *smoke, int field) {
    int count = refCount(smoke, field, 0) * refCount(smoke, field, 1) * refCount(smoke, field, 2);
    for (int c = 0; c < count; c++)
        smoke->field[field][c] = 2 * wbHashFloat((uint32_t)(c + 100000 * field)) - 1;
}

static void openSides(refSmoke *smoke) {
    for (int s = 0; s < wb_sideCount; s++) smoke->sides[s].type = wb_sideOpen;
}

// An even wind of two cells a step shifts smoke by two cells; fresh air comes in behind.
static void testShift(void **state) {
    (void)state;
    for (int method = 0; method < 4; method++) {
        refSmoke *smoke = refCreateSmoke(3, 9, 6, 5, 0.5);
        smoke->params.advection = method & 1;
        smoke->params.backtrace = method >> 1;
        openSides(smoke);
        fillRandom(smoke, refDensity);
        for (int c = 0; c < 10 * 6 * 5; c++) smoke->field[0][c] = 4;
        double before[9];
        for (int i = 0; i < 9; i++)
            before[i] = smoke->field[refDensity][refIndex(smoke, refDensity, i, 3, 2)];
        refAdvect(smoke, 0.25);
        for (int i = 2; i < 9; i++)
            assertNear(smoke->field[refDensity][refIndex(smoke, refDensity, i, 3, 2)], before[i - 2], 1e-12);
        assertNear(smoke->field[refDensity][refIndex(smoke, refDensity, 0, 3, 2)], 0, 1e-12);
        assertNear(smoke->field[0][refIndex(smoke, 0, 4, 3, 2)], 4, 1e-12);
        refDestroySmoke(smoke);
    }
}

// What is left has no divergence; a second projection changes nothing; a closed room inside is no trouble.
static void testProjection(void **state) {
    (void)state;
    for (int open = 0; open < 2; open++) {
        refSmoke *smoke = refCreateSmoke(3, 9, 8, 7, 0.1);
        if (open) openSides(smoke);
        for (int f = 0; f < 3; f++) fillRandom(smoke, f);
        for (int c = 0; c < 9 * 8 * 7; c++) { // a shell around one cell
            int i = c % 9 - 4, j = c / 9 % 8 - 4, k = c / 72 - 3;
            smoke->solid[c] = abs(i) <= 1 && abs(j) <= 1 && abs(k) <= 1 && (i || j || k);
        }
        refSetClosedFaces(smoke);
        refProject(smoke, NULL, 0, 0);
        assert_true(smoke->divergenceBefore > 1);
        assertNear(smoke->divergence, 0, 1e-9);
        double once = smoke->field[1][refIndex(smoke, 1, 1, 4, 1)];
        refProject(smoke, NULL, 0, 0);
        assertNear(smoke->field[1][refIndex(smoke, 1, 1, 4, 1)], once, 1e-9);
        refDestroySmoke(smoke);
    }
}

// A sine between free-slip sides is an eigenvector: it shrinks by 1 / (1 + nu dt lambda).
static void testViscosity(void **state) {
    (void)state;
    enum { n = 12 };
    refSmoke *smoke = refCreateSmoke(2, n, n, 1, 1.0 / n);
    smoke->params.viscosity = 0.01f;
    for (int j = 0; j < n; j++)
        for (int i = 0; i <= n; i++)
            smoke->field[0][refIndex(smoke, 0, i, j, 0)] = sin(pi * i / n) * cos(2 * pi * (j + 0.5) / n);
    double before = smoke->field[0][refIndex(smoke, 0, 5, 3, 0)], h = 1.0 / n, dt = 0.1;
    refDiffuse(smoke, dt);
    double lambda = (2 - 2 * cos(pi * h) + 2 - 2 * cos(2 * pi * h)) / (h * h);
    assertNear(smoke->field[0][refIndex(smoke, 0, 5, 3, 0)],
               before / (1 + smoke->params.viscosity * dt * lambda), 1e-9);
    refDestroySmoke(smoke);
}

// Between a side at rest and one that slides, very viscous air moves along a straight profile.
static void testSlidingSide(void **state) {
    (void)state;
    enum { n = 8 };
    refSmoke *smoke = refCreateSmoke(2, n, n, 1, 1.0 / n);
    openSides(smoke);
    smoke->params.viscosity = 1e4f;
    smoke->sides[wb_bottom].type = smoke->sides[wb_top].type = wb_sideNoSlip;
    smoke->sides[wb_top].velocity.x = 2;
    refDiffuse(smoke, 10);
    for (int j = 0; j < n; j++)
        assertNear(smoke->field[0][refIndex(smoke, 0, 3, j, 0)], 2 * (j + 0.5) / n, 1e-4);
    refDestroySmoke(smoke);
}

// Heat that can go nowhere is kept; between a side and solid cells of two temperatures it ends as a straight profile.
static void testConduction(void **state) {
    (void)state;
    enum { n = 9, rows = 3 };
    for (int hasEnds = 0; hasEnds < 2; hasEnds++) {
        refSmoke *smoke = refCreateSmoke(2, n, rows, 1, 0.1);
        double *heat = smoke->field[refTemperature], sum = 0;
        smoke->params.thermalDiffusivity = 0.01f;
        smoke->params.ambient = 5;
        for (int s = 0; s < wb_sideCount; s++)
            smoke->sides[s] = (wbSideDef){.type = wb_sideFreeSlip, .temperature = NAN};
        if (hasEnds) {
            smoke->sides[wb_right].temperature = 4;
            for (int j = 0; j < rows; j++) smoke->solid[n * j] = 1;
            smoke->bodies[0] = (wbSmokeBody){.hasTemperature = true, .temperature = 8};
        }
        heat[refIndex(smoke, refTemperature, 4, 1, 0)] = 27;
        refConduct(smoke, hasEnds ? 1e7 : 1);
        for (int c = 0; c < n * rows; c++) sum += heat[c];
        if (!hasEnds) assertNear(sum, 27, 1e-9);
        for (int i = 1; i < n && hasEnds; i++)
            assertNear(heat[refIndex(smoke, refTemperature, i, 2, 0)], 3 - 4 * (i - 0.5) / (n - 1), 1e-4);
        refDestroySmoke(smoke);
    }
}

// Hot air in a cell lifts the faces above and below it by half each.
static void testLift(void **state) {
    (void)state;
    refSmoke *smoke = refCreateSmoke(3, 4, 4, 4, 0.1);
    smoke->params.buoyancy = 3;
    smoke->params.weight = 1;
    int c = refIndex(smoke, refDensity, 2, 1, 2);
    smoke->field[refTemperature][c] = 5;
    smoke->field[refDensity][c] = 1;
    refAccelerate(smoke, 0.1);
    assertNear(smoke->field[1][refIndex(smoke, 1, 2, 1, 2)], 0.7, 1e-12);
    assertNear(smoke->field[1][refIndex(smoke, 1, 2, 2, 2)], 0.7, 1e-12);
    assertNear(smoke->field[1][refIndex(smoke, 1, 2, 3, 2)], 0, 1e-12);
    refDestroySmoke(smoke);
}

// The force of confinement turns the way its vortex does.
static void testConfinement(void **state) {
    (void)state;
    enum { n = 16 };
    refSmoke *smoke = refCreateSmoke(2, n, n, 1, 1);
    smoke->params.confinement = 0.5f;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i <= n; i++) {
            double x = i - 8, y = j - 7.5;
            smoke->field[0][refIndex(smoke, 0, i, j, 0)] = -y * exp(-(x * x + y * y) / 8);
        }
    }
    for (int j = 0; j <= n; j++) {
        for (int i = 0; i < n; i++) {
            double x = i - 7.5, y = j - 8;
            smoke->field[1][refIndex(smoke, 1, i, j, 0)] = x * exp(-(x * x + y * y) / 8);
        }
    }
    double before = smoke->field[1][refIndex(smoke, 1, 9, 8, 0)];
    refAccelerate(smoke, 1);
    assert_true(smoke->field[1][refIndex(smoke, 1, 9, 8, 0)] > before + 0.3);
    refDestroySmoke(smoke);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testShift),       cmocka_unit_test(testProjection),
                                       cmocka_unit_test(testConduction),  cmocka_unit_test(testViscosity),
                                       cmocka_unit_test(testSlidingSide), cmocka_unit_test(testLift),
                                       cmocka_unit_test(testConfinement)};
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
