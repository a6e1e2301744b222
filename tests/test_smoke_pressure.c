// SPDX-License-Identifier: MIT
// The pressure of smoke: how many cycles and sweeps it takes, what they leave, and that they bring no energy.
#include "smoke/pressure_formula.h"
#include "smoke_support.h"

static uint8_t noSolid(const Volume *volume, int i, int j, int k) {
    (void)volume, (void)i, (void)j, (void)k;
    return 0;
}

// Waves as long as the box, ten times as fast as the random field: what coarse levels are for.
static void addWaves(Twin *twin, int f, int i, int j, int k, float *fast, double *reference, void *context) {
    const int *n = context;
    (void)twin, (void)reference;
    float x = (float)i / (float)n[0], y = (float)j / (float)n[1], z = (float)k / (float)n[2];
    const float waves[3] = {sinf(2 * x + y), cosf(1.5f * y), sinf(z + 3 * x)};
    if (f < 2 || (f == 2 && n[2] > 1)) *fast += 10 * waves[f];
}

typedef uint8_t SolidFn(const Volume *volume, int i, int j, int k);

static void checkProjection(const Volume *volume, const char *name, bool waves, int maxCycles) {
    wbWork work = makeWork(2, wbIsSimdSupported(wb_simdAvx2) ? wb_simdAvx2 : wb_simdScalar);
    char what[96];
    Twin twin;
    createTwin(&twin, volume, &work);
    if (waves) visitValues(&twin, addWaves, (void *)volume->n);
    assertOk(wbSmoke_Project(&twin.smoke, &twin.model, &work));
    snprintf(what, sizeof what, "%s in %d x %d x %d, open %d%d%d%d", name, volume->n[0], volume->n[1],
             volume->n[2], twin.model.open[0], twin.model.open[1], twin.model.open[2], twin.model.open[3]);
    assertBelow(twin.smoke.divergence, 1e-3 * twin.smoke.divergenceBefore, what);
    checkReport(&twin.smoke, what);
    assertBelow(twin.smoke.cycles, maxCycles, what);
    destroyTwin(&twin, &work);
    freeWork(&work);
}

// From a random field, with long waves or without, and no pressure: few cycles for any size and set of open sides.
static void testProjection(void **state) {
    (void)state;
    static const int sizes[][4] = {{3, 32, 32, 32}, {3, 33, 31, 29}, {3, 25, 50, 13},  {3, 3, 4, 2},
                                   {3, 64, 5, 7},   {3, 1, 20, 9},   {2, 128, 128, 1}, {2, 97, 65, 1},
                                   {2, 300, 7, 1},  {2, 1, 1, 1},    {3, 65, 14, 29},  {2, 65, 33, 1},
                                   {3, 17, 35, 67}, {3, 48, 52, 4}};
    static const struct {
        SolidFn *solid;
        const char *name;
        bool waves; // long ones are hard to project where air passes thin gaps
        int cycles;
    } solids[] = {{noSolid, "nothing", true, 8},     {ball, "ball", true, 6},
                  {thinPlate, "plate", false, 7},    {closedRoom, "room", false, 4},
                  {slitRoom, "slit room", false, 5}, {rubble, "rubble", false, 11}};
    for (int n = 0; n < 14; n++) {
        for (int s = 0; s < 6; s++) {
            for (int open = 0; open < 4; open++) {
                Volume volume = makeVolume(sizes[n][0], sizes[n][1], sizes[n][2], sizes[n][3]);
                volume.params.tolerance = 1e-3f;
                volume.solid = solids[s].solid;
                volume.bodyCount = 1;
                if (open >= 1) volume.domain.sides[wb_top].type = wb_sideOpen;
                if (open >= 2)
                    volume.domain.sides[wb_right].type = volume.domain.sides[wb_left].type = wb_sideOpen;
                if (open >= 3)
                    volume.domain.sides[wb_bottom].type = volume.domain.sides[wb_front].type = wb_sideOpen;
                // a ball in a grid of few cells leaves gaps like those
                bool waves = solids[s].waves && (s == 0 || (sizes[n][1] > 16 && sizes[n][2] > 16));
                checkProjection(&volume, solids[s].name, waves, solids[s].cycles);
            }
        }
    }
}

// In a long box without an open side no number of cycles lets the pressure grow as a whole.
static void testLongBox(void **state) {
    (void)state;
    wbWork work = makeWork(2, wbIsSimdSupported(wb_simdAvx2) ? wb_simdAvx2 : wb_simdScalar);
    Volume volume = makeVolume(3, 2400, 16, 16);
    volume.params.tolerance = 1e-7f;
    volume.params.maxCycles = 12;
    Twin twin;
    createTwin(&twin, &volume, &work);
    assertOk(wbSmoke_Project(&twin.smoke, &twin.model, &work));
    assertBelow(measureShare(&twin.smoke), 1e-3, "divergence left");
    destroyTwin(&twin, &work);
    freeWork(&work);
}

// Nor does it from step to step.
static void testWindyBox(void **state) {
    (void)state;
    wbWork work = makeWork(2, wbIsSimdSupported(wb_simdAvx2) ? wb_simdAvx2 : wb_simdScalar);
    Volume volume = makeVolume(3, 600, 16, 16);
    volume.params.tolerance = 1e-3f;
    volume.params.wind.x = 1;
    volume.speed = 0;
    Twin twin;
    createTwin(&twin, &volume, &work);
    for (int step = 0; step < 500; step++)
        assertOk(wbSmoke_Step(&twin.smoke, &twin.model, &work, NULL, 0, 0, 0.0167f));
    assertBelow(twin.smoke.maxSpeed, 0.1, "speed of air that wind presses against a side");
    destroyTwin(&twin, &work);
    freeWork(&work);
}

// A wall with a gap of four cells: a cycle goes too far there, seven times as far as the last.
static uint8_t gap(const Volume *volume, int i, int j, int k) {
    (void)k;
    return j == volume->n[1] / 3 && i >= 4;
}

static void testNarrowGap(void **state) {
    (void)state;
    const int sizes[][4] = {{2, 60, 192, 1}, {2, 192, 96, 1}, {3, 32, 96, 32}};
    for (int n = 0; n < 3; n++) {
        wbWork work = makeWork(2, wbIsSimdSupported(wb_simdAvx2) ? wb_simdAvx2 : wb_simdScalar);
        Volume volume = makeVolume(sizes[n][0], sizes[n][1], sizes[n][2], sizes[n][3]);
        volume.params.tolerance = 1e-3f;
        volume.solid = gap;
        volume.bodyCount = 1;
        volume.domain.sides[wb_top].type = wb_sideOpen;
        Twin twin;
        createTwin(&twin, &volume, &work);
        visitValues(&twin, addWaves, volume.n);
        for (int step = 0; step < 3; step++) {
            assertOk(wbSmoke_Step(&twin.smoke, &twin.model, &work, NULL, 0, 0, 0.1f));
            assertBelow(measureShare(&twin.smoke), 1e-3, "divergence left");
        }
        destroyTwin(&twin, &work);
        freeWork(&work);
    }
}

// After a step that took many cycles, those that need few do not take as many.
static void testFewAfterMany(void **state) {
    (void)state;
    wbWork work = makeWork(1, wb_simdScalar);
    Volume volume = makeVolume(3, 32, 32, 32);
    volume.params.tolerance = 1e-3f;
    Twin twin;
    createTwin(&twin, &volume, &work);
    twin.smoke.pressure.likelyCycles = 60;
    assertOk(wbSmoke_Project(&twin.smoke, &twin.model, &work));
    assertBelow(twin.smoke.cycles, 8, "cycles");
    assertBelow(measureShare(&twin.smoke), 1e-3, "divergence left");
    destroyTwin(&twin, &work);
    freeWork(&work);
}

static void setSolids(Twin *twin, Volume *volume, SolidFn *solid, const wbWork *work) {
    const int *n = volume->n;
    uint16_t mask[32 * 32 * 32];
    for (int c = 0; c < n[0] * n[1] * n[2]; c++)
        mask[c] = solid(volume, c % n[0], c / n[0] / n[2], c / n[0] % n[2]);
    assertOk(wbSmoke_SetSolids(&twin->smoke, &twin->model, work, &(wbSmokeSolids){mask, volume->bodies, 1}));
}

// A last way that rounding has made is not gone along again.
static void testSharesOfRounding(void **state) {
    (void)state;
    const double clear[PRESSURE_SUMS] = {0.0515, 3.49e-6, 0.0496, -0.0595, 1.04},
                 noise[PRESSURE_SUMS] = {1.86e-10, -1.15e-10, 1.85e-10, -1.67e-10, 1.57e-10};
    float shares[2];
    pressure_best_shares(clear, shares);
    assertBelow(fabs(shares[0] - 1.115), 0.01, "along the cycle");
    assertBelow(fabs(shares[1] - 0.0638), 0.001, "along the last way");
    pressure_best_shares(noise, shares);
    assertBelow(fabs(shares[0] - 1), 0.01, "along the cycle, of rounding");
    assert_true(shares[1] == 0);
}

// More is asked than rounding leaves: cycles end near the least that they can leave.
static void testCyclesEndByRounding(void **state) {
    (void)state;
    wbWork work = makeWork(1, wb_simdScalar);
    for (int variant = 8; variant < 16; variant++) {
        for (int n = 0; n < 16; n++) {
            Volume volume = makeBusy(2, variant);
            volume.params.confinement = 0.1f * (float)(n - 8);
            Twin twin;
            createTwin(&twin, &volume, &work);
            for (int step = 0; step < 2; step++)
                assertOk(wbSmoke_Step(&twin.smoke, &twin.model, &work, busySources, 3, 0.1 * step, 0.1f));
            assertBelow(twin.smoke.divergence, 1e-5 * twin.smoke.divergenceBefore, "divergence left");
            destroyTwin(&twin, &work);
        }
    }
    freeWork(&work);
}

// More sweeps near solid cells end some solutions after a thin plate is gone, and come back while it is there.
static void testSlowSteps(void **state) {
    (void)state;
    wbWork work = makeWork(1, wb_simdScalar);
    Volume volume = makeVolume(3, 32, 32, 32);
    volume.params.tolerance = 1e-4f;
    volume.bodyCount = 1;
    Twin twin;
    createTwin(&twin, &volume, &work);
    const wbPressure *pressure = &twin.smoke.pressure;
    const int gone = PRESSURE_SLOW_STEPS + 8;
    for (int n = 0; n < gone + PRESSURE_SLOW_STEPS + 4; n++) {
        if (n == 0 || n == gone) setSolids(&twin, &volume, n == 0 ? thinPlate : ball, &work);
        for (int colour = 0; colour < 2; colour++)
            memset(pressure->levels[0].p[colour], 0, sizeof(float) * (size_t)pressure->levels[0].total);
        visitValues(&twin, setRandom, &volume);
        assertOk(wbSmoke_Project(&twin.smoke, &twin.model, &work));
        assertBelow(measureShare(&twin.smoke), 1e-4, "divergence left");
        if (n < gone) assert_true(pressure->slowSteps > 0);
    }
    assert_int_equal(pressure->slowSteps, 0);
    destroyTwin(&twin, &work);
    freeWork(&work);
}

// Forty sweeps leave what they leave; over-relaxation leaves less; both less than nothing would.
static void testSweeps(void **state) {
    (void)state;
    double left[3];
    for (int solver = 0; solver < 3; solver++) {
        wbWork work = makeWork(2, wb_simdScalar);
        Volume volume = makeVolume(3, 30, 26, 22);
        volume.params.pressureSolver = solver;
        volume.params.tolerance = 1e-3f;
        volume.params.sweeps = 41;
        volume.solid = ball;
        volume.bodyCount = 1;
        Twin twin;
        createTwin(&twin, &volume, &work);
        assertOk(wbSmoke_Project(&twin.smoke, &twin.model, &work));
        left[solver] = measureShare(&twin.smoke);
        checkReport(&twin.smoke, "sweeps");
        destroyTwin(&twin, &work);
        freeWork(&work);
    }
    assertBelow(left[wb_pressureJacobi], 0.2, "Jacobi");
    assertBelow(left[wb_pressureSor], 0.3 * left[wb_pressureJacobi], "over-relaxation");
    assertBelow(left[wb_pressureMultigrid], 1e-3, "multigrid");
}

// Sweeps that are far from the pressure do not feed the air as they go on from it.
static void testFewSweepsBringNoEnergy(void **state) {
    (void)state;
    for (int solver = wb_pressureJacobi; solver <= wb_pressureSor; solver++) {
        wbWork work = makeWork(1, wb_simdScalar);
        Volume volume = makeFewSweeps(solver);
        Twin twin;
        createTwin(&twin, &volume, &work);
        double before = sumSquares(&twin.smoke);
        for (int n = 0; n < 60; n++) {
            assertOk(wbSmoke_Step(&twin.smoke, &twin.model, &work, NULL, 0, 0, 0.01f));
            assertBelow(sumSquares(&twin.smoke), before, "energy");
        }
        destroyTwin(&twin, &work);
        freeWork(&work);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testProjection),
                                       cmocka_unit_test(testLongBox),
                                       cmocka_unit_test(testWindyBox),
                                       cmocka_unit_test(testNarrowGap),
                                       cmocka_unit_test(testFewAfterMany),
                                       cmocka_unit_test(testSharesOfRounding),
                                       cmocka_unit_test(testCyclesEndByRounding),
                                       cmocka_unit_test(testSlowSteps),
                                       cmocka_unit_test(testSweeps),
                                       cmocka_unit_test(testFewSweepsBringNoEnergy)};
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
