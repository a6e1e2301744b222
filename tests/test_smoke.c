// SPDX-License-Identifier: MIT
// The solver of smoke against the reference, its pressure, and what must stay the same.
#include "core/status.h"
#include "smoke/pressure_formula.h"
#include "smoke_support.h"

static const wbSimd sets[] = {wb_simdScalar, wb_simdSse, wb_simdAvx2, wb_simdAvx512};

// Two steps of up to 1.6 cells, all phases, every instruction set.
static const float busyTimes[] = {0, 0.1f, 0.18f};

static refSmoke *stepReference(const Volume *volume) {
    wbWork work = makeWork(1, wb_simdScalar);
    Twin twin;
    createTwin(&twin, volume, &work);
    for (int n = 0; n < 2; n++)
        refStepSmoke(twin.reference, busySources, 3, busyTimes[n], busyTimes[n + 1] - busyTimes[n]);
    wbSmoke_Free(work.memory, &twin.smoke);
    freeWork(&work);
    return twin.reference;
}

// Where fuel is so near to ignition that roundings tell whether it burns, fields do not compare: it ignites later then.
static refSmoke *findReference(Volume *volume) {
    for (volume->params.ignition = 0.4f;; volume->params.ignition += 0.01f) {
        assert_true(volume->params.ignition < 0.45f);
        refSmoke *reference = stepReference(volume);
        if (reference->nearest > 2e-5) return reference;
        refDestroySmoke(reference);
    }
}

static void compareStep(const Volume *volume, refSmoke *reference, const char *what, const wbWork *work) {
    Twin twin;
    double worst[refFields];
    createTwin(&twin, volume, work);
    refDestroySmoke(twin.reference);
    twin.reference = reference;
    for (int n = 0; n < 2; n++)
        assertOk(wbSmoke_Step(&twin.smoke, &twin.model, work, busySources, 3, busyTimes[n],
                              busyTimes[n + 1] - busyTimes[n]));
    compareTwin(&twin, worst);
    for (int f = 0; f < refFields; f++)
        if (!(worst[f] <= 3e-4)) fail_msg("field %d, %s: %g", f, what, worst[f]);
    assertBelow(fabs(twin.smoke.divergenceBefore / reference->divergenceBefore - 1), 1e-4,
                "divergence before");
    assertBelow(twin.smoke.divergence, 1e-5 * twin.smoke.divergenceBefore, "divergence left");
    checkMaxSpeed(&twin.smoke, what);
    wbSmoke_Free(work->memory, &twin.smoke);
}

static void checkStep(int dimensions, int variant, int leastThreads, int mostThreads) {
    Volume volume = makeBusy(dimensions, variant);
    refSmoke *reference = findReference(&volume);
    for (int s = 0; s < 4; s++) {
        if (!wbIsSimdSupported(sets[s])) continue;
        for (int threads = leastThreads; threads <= mostThreads; threads++) {
            char what[64];
            wbWork work = makeWork(threads, sets[s]);
            snprintf(what, sizeof what, "%dD, variant %d, %s, %d threads", dimensions, variant,
                     wbGetSimdName(sets[s]), threads);
            compareStep(&volume, reference, what, &work);
            freeWork(&work);
        }
    }
    refDestroySmoke(reference);
}

// One thread carries the velocity in 3D in the same pass that finds the forces, two have too few planes for that.
static void testStep(void **state) {
    (void)state;
    for (int variant = 0; variant < 32; variant++) checkStep(2, variant, 2, 2);
    for (int variant = 0; variant < 32; variant += 5) checkStep(3, variant, 1, 2);
    for (int variant = 0; variant < 16; variant += 3) checkStep(2, BUSY_HEAT + variant, 2, 2);
    for (int variant = 0; variant < 16; variant += 5) checkStep(3, BUSY_HEAT + variant, 1, 1);
}

// The same bits for any number of threads, also in grids that are cut into slabs of few planes or into tiles of rows.
static void testThreads(void **state) {
    (void)state;
    const struct {
        int dimensions, n[3], variant;
        float confinement;
    } cases[] = {{3, {50, 34, 40}, 8, 0.4f},
                 {3, {33, 41, 35}, 3, 0.4f},
                 {2, {200, 180, 1}, 8, 0.4f},
                 {3, {40, 7, 130}, 8, 0.4f},
                 {3, {13, 33, 2400}, 0, 0.4f},
                 {3, {37, 49, 21}, 4, 0.4f},
                 {3, {37, 49, 21}, 4, 0},
                 {3, {21, 33, 1200}, 0, 0},
                 {3, {50, 34, 40}, 24, 0.4f},
                 {3, {37, 49, 21}, 22, 0.4f},
                 {3, {37, 49, 21}, 2 + BUSY_HEAT, -0.4f}};
    for (int n = 0; n < 11; n++) {
        uint64_t first = 0;
        for (int threads = 1; threads <= 3; threads += 2) {
            wbWork work = makeWork(threads, wbIsSimdSupported(wb_simdAvx2) ? wb_simdAvx2 : wb_simdScalar);
            Volume volume = makeBusy(cases[n].dimensions, cases[n].variant);
            for (int a = 0; a < 3; a++) volume.n[a] = cases[n].n[a];
            volume.domain.max.x = volume.domain.min.x + 0.1f * (float)volume.n[0];
            volume.domain.max.y = volume.domain.min.y + 0.1f * (float)volume.n[1];
            volume.domain.max.z = volume.domain.min.z + 0.1f * (float)volume.n[2];
            volume.params.tolerance = 1e-3f;
            volume.params.confinement = cases[n].confinement;
            if (volume.n[2] > 1000) volume.solid = NULL; // would take many cycles
            Twin twin;
            createTwin(&twin, &volume, &work);
            for (int step = 0; step < 4; step++)
                assertOk(wbSmoke_Step(&twin.smoke, &twin.model, &work, busySources, 3, 0.1 * step, 0.1f));
            uint64_t hash = wbSmoke_Hash(&twin.smoke, WB_HASH_START);
            if (threads == 1) first = hash;
            assert_true(hash == first);
            destroyTwin(&twin, &work);
            freeWork(&work);
        }
    }
}

static void spoilScratch(const Twin *twin, const wbWork *work) {
    int threads = wbThreadPool_GetCount(work->pool);
    size_t mark = wbArena_Mark(work->arena),
           bytes = wbSmoke_GetStepBytes(&twin->smoke, &twin->model, 3, threads);
    void *scratch = wbArena_Alloc(work->arena, bytes);
    assert_non_null(scratch);
    memset(scratch, 0xff, bytes);
    wbArena_Release(work->arena, mark);
}

static void assertFinite(const float *values, int count, const char *what) {
    for (int n = 0; n < count; n++)
        if (!isfinite(values[n])) fail_msg("%s: value %d of %d is not finite", what, n, count);
}

// What was in the scratch memory gets nowhere, not even between rows, which checkpoints keep as well.
static void testSpoiltScratch(void **state) {
    (void)state;
    for (int s = 0; s < 4; s++) {
        if (!wbIsSimdSupported(sets[s])) continue;
        for (int variant = 0; variant < 64; variant++) {
            wbWork work = makeWork(1 + variant % 2, sets[s]);
            Volume volume = makeBusy(variant < 32 ? 2 : 3, variant % 32 + (variant % 3 ? 0 : BUSY_HEAT));
            volume.params.pressureSolver = variant % 3;
            Twin twin;
            char what[64];
            createTwin(&twin, &volume, &work);
            for (int n = 0; n < 3; n++) {
                spoilScratch(&twin, &work);
                assertOk(wbSmoke_Step(&twin.smoke, &twin.model, &work, busySources, 3, 0.1 * n, 0.1f));
                wbArena_Reset(work.arena);
            }
            for (int f = 0; f < wb_smokeDensity + twin.smoke.scalarCount; f++) {
                snprintf(what, sizeof what, "field %d, variant %d, %s", f, variant, wbGetSimdName(sets[s]));
                assertFinite(twin.smoke.fields[f], twin.smoke.grid.total, what);
            }
            for (int colour = 0; colour < 2; colour++)
                assertFinite(twin.smoke.pressure.levels[0].p[colour], twin.smoke.pressure.levels[0].total,
                             what);
            destroyTwin(&twin, &work);
            freeWork(&work);
        }
    }
}

static void testNothingAllocated(void **state) {
    (void)state;
    wbWork work = makeWork(2, wb_simdScalar);
    Volume volume = makeBusy(3, BUSY_HEAT + 11);
    Twin twin;
    uint64_t calls = 0;
    createTwin(&twin, &volume, &work);
    for (int step = 0; step < 6; step++) {
        if (step == 3) calls = wbGetMemoryUse(work.memory).calls;
        assertOk(wbSmoke_SetSolids(
            &twin.smoke, &twin.model, &work,
            &(wbSmokeSolids){(uint16_t[BUSY_CELLS]){[7] = 1, [3000 - 99] = 2}, volume.bodies, 2}));
        assertOk(wbSmoke_Step(&twin.smoke, &twin.model, &work, busySources, 3, 0.1 * step, 0.1f));
        wbArena_Reset(work.arena);
    }
    assert_true(wbGetMemoryUse(work.memory).calls == calls);
    destroyTwin(&twin, &work);
    freeWork(&work);
}

// What is said to be enough is, also with many sources in a small volume, where nothing else is large.
static void testStepBytes(void **state) {
    (void)state;
    enum { SOURCES = 20000 };
    wbWork work = makeWork(1, wb_simdScalar);
    Volume volume = makeBusy(3, BUSY_HEAT);
    wbSmokeSource *sources = test_calloc(SOURCES, sizeof *sources); // at rest
    Twin twin;
    createTwin(&twin, &volume, &work);
    assert_true(wbArena_Reserve(work.arena, wbSmoke_GetStepBytes(&twin.smoke, &twin.model, SOURCES, 1)));
    int64_t calls = (int64_t)wbGetMemoryUse(work.memory).calls;
    assertOk(wbSmoke_Step(&twin.smoke, &twin.model, &work, sources, SOURCES, 0, 0.1f));
    assert_int_equal(wbGetMemoryUse(work.memory).calls, calls);
    test_free(sources);
    destroyTwin(&twin, &work);
    freeWork(&work);
}

// Pressure

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

// Smoke and fire

// A plume in a wide box: what is skipped does not change what is not.
static void checkSkipping(wbSmokeAdvection method, const wbWork *work) {
    const wbSmokeSource source = {.shape = wb_sourceSphere,
                                  .centre = {0.9f, 1.2f, 1},
                                  .radius = 0.4f,
                                  .feeds = true,
                                  .density = 1,
                                  .temperature = 1,
                                  .end = 0.7};
    Volume volume = makeVolume(3, 70, 40, 34);
    volume.params.buoyancy = 4;
    volume.params.densityDecay = volume.params.cooling = 5;
    volume.params.advection = method;
    volume.params.velocityAdvection =
        method == wb_smokeMacCormack ? wb_advectionMacCormack : wb_advectionSemiLagrangian;
    volume.domain.sides[wb_top].type = wb_sideOpen;
    Twin skipping, whole;
    createTwin(&skipping, &volume, work);
    createTwin(&whole, &volume, work);
    for (int f = 0; f < 5; f++) {
        memset(skipping.smoke.fields[f], 0, sizeof(float) * (size_t)skipping.smoke.grid.total);
        memset(whole.smoke.fields[f], 0, sizeof(float) * (size_t)whole.smoke.grid.total);
    }
    wbSmokeBlocks blocks = wbCountSmokeBlocks(&skipping.smoke.grid);
    int active = 0, all = blocks.x * blocks.y * blocks.z;
    for (int n = 0; n < 30; n++) {
        wbSmoke_MarkDirty(&whole.smoke);
        assertOk(wbSmoke_Step(&skipping.smoke, &skipping.model, work, &source, 1, 0.05 * n, 0.05f));
        assertOk(wbSmoke_Step(&whole.smoke, &whole.model, work, &source, 1, 0.05 * n, 0.05f));
        for (int b = 0; b < all && n == 10; b++) active += skipping.smoke.active[b];
    }
    assertBelow(active, 0.7 * all, "active blocks");
    assert_true(active > 0);
    assert_true(wbSmoke_Hash(&skipping.smoke, WB_HASH_START) == wbSmoke_Hash(&whole.smoke, WB_HASH_START));
    destroyTwin(&skipping, work);
    destroyTwin(&whole, work);
}

static void testSkippedBlocks(void **state) {
    (void)state;
    wbWork work = makeWork(2, wbIsSimdSupported(wb_simdAvx2) ? wb_simdAvx2 : wb_simdScalar);
    for (int method = 0; method < 3; method++) checkSkipping(method, &work);
    freeWork(&work);
}

// How many blocks are known to hold something; fails if others do.
static int countDirty(wbSmoke *smoke) {
    const wbSmokeGrid *grid = &smoke->grid;
    int count = 0;
    for (size_t b = 0; b < wbGetSmokeBlockCount(grid); b++) count += smoke->dirty[0][b];
    for (int f = wb_smokeDensity; f < wb_smokeDensity + smoke->scalarCount; f++)
        for (int j = 0; j < grid->ny; j++)
            for (int k = 0; k < grid->nz; k++)
                for (int i = 0; i < grid->nx; i++)
                    if (!smoke->dirty[0][wbSmokeBlockRow(grid, j, k) + i / WB_SMOKE_BLOCK_X])
                        assert_true(*findValue(smoke, f, i, j, k) == 0);
    return count;
}

// Puffs in corners of blocks in gusts along `wind`, where no block is empty if it is warm everywhere.
static void blowPuffs(Twin *twin, const Volume *volume, const wbWork *work, const int wind[3], bool isWarm) {
    createTwin(twin, volume, work);
    wbSmoke *smoke = &twin->smoke;
    for (int f = 0; f < wb_smokeDensity + smoke->scalarCount; f++)
        for (int c = 0; c < smoke->grid.total; c++)
            smoke->fields[f][c] = f < 3 ? smoke->fields[f][c] + 8 * (float)wind[f]
                                        : (float)(isWarm && f == wb_smokeTemperature);
    for (int f = wb_smokeDensity; f < wb_smokeDensity + smoke->scalarCount; f++)
        for (int n = 0; n < 8 && f != wb_smokeTemperature; n++)
            *findValue(smoke, f, n & 1 ? 31 : 16, n & 2 ? 15 : 8, n & 4 ? 15 : 8) = (float)(n + f);
    wbSmoke_MarkDirty(smoke);
    assertOk(wbSmoke_Step(smoke, &twin->model, work, NULL, 0, 0, 0.05f));
}

// Fluxes are not computed in empty blocks that nothing comes to: what is in the others does not feel it, bit by bit.
static void checkEmptyBlocks(const Volume *volume, const wbWork *work, const int wind[3]) {
    Twin cold, warm;
    blowPuffs(&cold, volume, work, wind, false);
    blowPuffs(&warm, volume, work, wind, true);
    for (int f = wb_smokeDensity; f < wb_smokeDensity + cold.smoke.scalarCount; f++) {
        for (int j = 0; j < volume->n[1] && f != wb_smokeTemperature; j++) {
            for (int k = 0; k < volume->n[2]; k++) {
                for (int i = 0; i < volume->n[0]; i++) {
                    float own = *findValue(&cold.smoke, f, i, j, k),
                          same = *findValue(&warm.smoke, f, i, j, k);
                    // traces of smoke are dropped where it is cold
                    assert_true(own == same || (own == 0 && same <= (float)1e-6));
                }
            }
        }
    }
    int dirty = countDirty(&cold.smoke), all = countDirty(&warm.smoke);
    assertBelow(dirty, 0.5 * all, "blocks that are not empty");
    assert_true(dirty > 0);
    destroyTwin(&cold, work);
    destroyTwin(&warm, work);
}

static void clearBack(wbSmoke *smoke) {
    for (int f = wb_smokeDensity; f < wb_smokeDensity + smoke->scalarCount; f++)
        memset(smoke->back[f], 0, sizeof(float) * (size_t)smoke->grid.total);
    memset(smoke->dirty[1], 0, wbGetSmokeBlockCount(&smoke->grid));
}

// Blocks that became empty are so where the next steps write to.
static void checkLeftovers(const Volume *volume, const wbWork *work, const int wind[3]) {
    Twin usual, cleared;
    blowPuffs(&usual, volume, work, wind, false);
    blowPuffs(&cleared, volume, work, wind, false);
    for (int n = 1; n < 12; n++) {
        clearBack(&cleared.smoke);
        assertOk(wbSmoke_Step(&usual.smoke, &usual.model, work, NULL, 0, 0.02 * n, 0.02f));
        assertOk(wbSmoke_Step(&cleared.smoke, &cleared.model, work, NULL, 0, 0.02 * n, 0.02f));
    }
    assert_true(wbSmoke_Hash(&usual.smoke, WB_HASH_START) == wbSmoke_Hash(&cleared.smoke, WB_HASH_START));
    destroyTwin(&usual, work);
    destroyTwin(&cleared, work);
}

static void testFluxesSkipEmptyBlocks(void **state) {
    (void)state;
    static const int winds[][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0},
                                   {0, 0, 1}, {0, 0, -1}, {1, -1, 1}};
    for (int simd = wb_simdScalar; simd <= wb_simdAvx512; simd++) {
        if (!wbIsSimdSupported((wbSimd)simd)) continue;
        wbWork work = makeWork(2, (wbSimd)simd);
        for (size_t w = 0; w < sizeof winds / sizeof winds[0]; w++) {
            Volume volume = makeVolume(3, 53, 27, 29);
            volume.params.maxCycles = 1;
            volume.params.coloured = w & 1;
            for (int s = 0; s < wb_sideCount; s++) volume.domain.sides[s].type = wb_sideOpen;
            checkEmptyBlocks(&volume, &work, winds[w]);
            if (w == 0) checkLeftovers(&volume, &work, winds[w]);
        }
        freeWork(&work);
    }
}

// Air that blows smoke six cells up in a step, out of the block that it was in: the correction looks twice as far.
static void testSkippedBlocksInWind(void **state) {
    (void)state;
    wbWork work = makeWork(2, wbIsSimdSupported(wb_simdAvx2) ? wb_simdAvx2 : wb_simdScalar);
    Volume volume = makeVolume(3, 24, 64, 20);
    volume.params.advection = wb_smokeMacCormack;
    volume.params.velocityAdvection = wb_advectionMacCormack;
    for (int s = 0; s < wb_sideCount; s++) volume.domain.sides[s].type = wb_sideOpen;
    Twin twins[2];
    for (int t = 0; t < 2; t++) {
        createTwin(&twins[t], &volume, &work);
        wbSmoke *smoke = &twins[t].smoke;
        for (int f = 0; f < 5; f++)
            for (int c = 0; c < smoke->grid.total; c++)
                smoke->fields[f][c] = f == wb_smokeV ? 12 : f == wb_smokeW ? 1 : 0;
        for (int n = 0; n < 10; n++) *findValue(smoke, wb_smokeDensity, 7 + n % 5, 12 + n / 2, 9) = 1;
        wbSmoke_MarkDirty(smoke);
        for (int n = 0; n < 6; n++) {
            if (t == 1) wbSmoke_MarkDirty(smoke); // nothing is skipped
            assertOk(wbSmoke_Step(smoke, &twins[t].model, &work, NULL, 0, 0.05 * n, 0.05f));
        }
    }
    assertBelow(twins[0].smoke.maxSpeed, 12.001, "speed");
    assert_true(wbSmoke_Hash(&twins[0].smoke, WB_HASH_START) == wbSmoke_Hash(&twins[1].smoke, WB_HASH_START));
    for (int t = 0; t < 2; t++) destroyTwin(&twins[t], &work);
    freeWork(&work);
}

// Smoke that the air carries through an open side is gone: none of it stays in the last cells.
static void testLeaving(void **state) {
    (void)state;
    static const char *const names[] = {"semi-Lagrangian", "MacCormack", "conserving"};
    wbWork work = makeWork(1, wb_simdScalar);
    for (int method = 0; method < 3; method++) {
        for (int down = 0; down < 2; down++) {
            Volume volume = makeVolume(2, 12, 20, 1);
            volume.params.advection = method;
            volume.domain.sides[wb_bottom].type = volume.domain.sides[wb_top].type = wb_sideOpen;
            Twin twin;
            createTwin(&twin, &volume, &work);
            for (int f = 0; f < 5; f++)
                for (int c = 0; c < twin.smoke.grid.total; c++)
                    twin.smoke.fields[f][c] = f != wb_smokeV ? 0 : down ? -0.4f : 0.4f;
            for (int j = 0; j < 4; j++) *findValue(&twin.smoke, wb_smokeDensity, 5, down ? j : 19 - j, 0) = 1;
            wbSmoke_MarkDirty(&twin.smoke);
            for (int n = 0; n < 40; n++)
                assertOk(wbSmoke_Step(&twin.smoke, &twin.model, &work, NULL, 0, 0.1 * n, 0.1f));
            double left;
            assertOk(wbSmoke_SumDensity(&twin.smoke, &work, &left));
            assertBelow(left, 1e-3, names[method]);
            assertBelow(fabs(twin.smoke.left - 4 + left), method == wb_smokeConserving ? 1e-4 : 4,
                        names[method]);
            destroyTwin(&twin, &work);
        }
    }
    freeWork(&work);
}

// A plume in a room that is open all around does not gain speed without end, however little the scheme damps.
static void testOpenRoom(void **state) {
    (void)state;
    wbWork work = makeWork(1, wb_simdScalar);
    Volume volume = makeVolume(3, 16, 22, 16);
    volume.params.velocityAdvection = wb_advectionMacCormack;
    volume.params.buoyancy = 0.06f;
    volume.params.confinement = 3;
    volume.params.tolerance = 1e-3f;
    volume.speed = 0;
    for (int s = 0; s < wb_sideCount; s++)
        if (s != wb_bottom) volume.domain.sides[s].type = wb_sideOpen;
    const wbSmokeSource source = {.shape = wb_sourceSphere,
                                  .feeds = true,
                                  .centre = {0.45f, 0.4f, 0.9f},
                                  .radius = 0.15f,
                                  .density = 1,
                                  .temperature = 50,
                                  .end = 100};
    Twin twin;
    createTwin(&twin, &volume, &work);
    for (int f = 0; f < 5; f++)
        memset(twin.smoke.fields[f], 0, (size_t)twin.smoke.grid.total * sizeof(float));
    wbSmoke_MarkDirty(&twin.smoke);
    for (int n = 0; n < 600; n++)
        assertOk(wbSmoke_Step(&twin.smoke, &twin.model, &work, &source, 1, n / 60.0, 1 / 60.0f));
    assertBelow(twin.smoke.maxSpeed, 6, "speed, m/s");
    destroyTwin(&twin, &work);
    freeWork(&work);
}

static double sumOf(Twin *twin, int field) {
    const wbSmokeGrid *grid = &twin->smoke.grid;
    double sum = 0;
    for (int k = 0; k < grid->nz; k++)
        for (int j = 0; j < grid->ny; j++)
            for (int i = 0; i < grid->nx; i++) sum += *findValue(&twin->smoke, field, i, j, k);
    return sum;
}

// In still air, what the fuel loses becomes heat and smoke; cold fuel stays.
static void testFire(void **state) {
    (void)state;
    for (int hot = 0; hot < 2; hot++) {
        wbWork work = makeWork(1, wb_simdScalar);
        Volume volume = makeVolume(3, 12, 12, 12);
        volume.params.fire = true;
        volume.params.soot = 0.5f, volume.params.burnHeat = 100, volume.params.ignition = 50;
        volume.speed = 0;
        Twin twin;
        createTwin(&twin, &volume, &work);
        for (int c = 0; c < twin.smoke.grid.total; c++)
            twin.smoke.fields[wb_smokeTemperature][c] += hot ? 60 : 10;
        double fuel = sumOf(&twin, wb_smokeFuel), heat = sumOf(&twin, wb_smokeTemperature);
        double density = sumOf(&twin, wb_smokeDensity);
        assertOk(wbSmoke_Step(&twin.smoke, &twin.model, &work, NULL, 0, 0, 0.1f));
        double burnt = fuel - sumOf(&twin, wb_smokeFuel);
        assertBelow(fabs(burnt - (hot ? fuel * (1 - exp(-0.3)) : 0)), 1e-3 * fuel, "burnt fuel");
        assertBelow(fabs(sumOf(&twin, wb_smokeTemperature) - heat - 100 * burnt), 1e-5 * heat, "heat");
        assertBelow(fabs(sumOf(&twin, wb_smokeDensity) - density - 0.5 * burnt), 1e-5 * density, "soot");
        destroyTwin(&twin, &work);
        freeWork(&work);
    }
}

// A cell in a corner that is shut off from the rest.
static uint8_t corner(const Volume *volume, int i, int j, int k) {
    (void)volume;
    return i >= 10 && j <= 1 && k >= 10 && !(i == 11 && j == 0 && k == 11);
}

// Air that a source makes leaves through the open side, as much of it; in a closed box it cannot, and that is told.
static void testExplosion(void **state) {
    (void)state;
    for (int open = 0; open < 2; open++) {
        wbWork work = makeWork(1, wb_simdScalar);
        const wbSmokeSource source = {.shape = wb_sourceBox,
                                      .centre = {0.3f, 0.8f, 0.7f},
                                      .half = {0.24f, 0.24f, 0.24f},
                                      .expansion = 4,
                                      .end = 1};
        Volume volume = makeVolume(3, 12, 12, 12);
        volume.speed = 0;
        volume.solid = corner; // no expansion is blocked there
        volume.bodyCount = 1;
        if (open) volume.domain.sides[wb_top].type = wb_sideOpen;
        Twin twin;
        createTwin(&twin, &volume, &work);
        assertOk(wbSmoke_Step(&twin.smoke, &twin.model, &work, &source, 1, 0, 0.1f));
        assert_int_equal(twin.smoke.pressure.pocketCount, open ? 1 : 2);
        assert_int_equal(twin.smoke.isBlocked, !open);
        double out = 0, cells = 4 * 4 * 4;
        for (int k = 0; k < 12; k++)
            for (int i = 0; i < 12; i++) out += *findValue(&twin.smoke, wb_smokeV, i, 12, k);
        assertBelow(fabs(out * 0.01 - (open ? 4 * cells * 0.001 : 0)), 1e-4, "outflow, m3/s");
        destroyTwin(&twin, &work);
        freeWork(&work);
    }
}

// A ball that moves pushes the air before it; no smoke is in it, and the air does not flow through its surface.
static void testMovingBody(void **state) {
    (void)state;
    wbWork work = makeWork(2, wb_simdScalar);
    Volume volume = makeVolume(3, 24, 20, 20);
    volume.speed = 0;
    volume.solid = ball;
    volume.bodyCount = 1;
    volume.bodies[0].velocity = wbMakeVec3(1.5f, 0, 0);
    Twin twin;
    createTwin(&twin, &volume, &work);
    for (int n = 0; n < 3; n++)
        assertOk(wbSmoke_Step(&twin.smoke, &twin.model, &work, NULL, 0, 0.05 * n, 0.05f));
    float before = *findValue(&twin.smoke, wb_smokeU, 18, 10, 10),
          beside = *findValue(&twin.smoke, wb_smokeU, 12, 17, 10);
    assert_true(before > 0.2f && beside < -0.05f);
    assertBelow(measureShare(&twin.smoke), 2e-5, "divergence around a moving ball");
    for (int k = 0; k < 20; k++)
        for (int j = 0; j < 20; j++)
            for (int i = 1; i < 24; i++)
                if (ball(&volume, i, j, k)) {
                    assert_true(*findValue(&twin.smoke, wb_smokeDensity, i, j, k) == 0);
                    assert_true(*findValue(&twin.smoke, wb_smokeU, i, j, k) == 1.5f);
                }
    destroyTwin(&twin, &work);
    freeWork(&work);
}

// A plate that moves through smoke in a closed box takes none of it away, and leaves none within itself.
static void testPushedSmoke(void **state) {
    (void)state;
    enum { NX = 32, NY = 20, NZ = 12 };
    wbWork work = makeWork(2, wbIsSimdSupported(wb_simdAvx2) ? wb_simdAvx2 : wb_simdScalar);
    Volume volume = makeVolume(3, NX, NY, NZ);
    volume.params.tolerance = 1e-3f;
    volume.speed = 0;
    uint16_t *mask = test_calloc(NX * NY * NZ, sizeof *mask);
    const wbSmokeBody body = {.velocity = {1.5f, 0, 0}};
    Twin twin;
    createTwin(&twin, &volume, &work);
    double before = sumOf(&twin, wb_smokeDensity), heat = sumOf(&twin, wb_smokeTemperature), within = 0;
    for (int n = 0; n < 20; n++) {
        memset(mask, 0, sizeof *mask * NX * NY * NZ);
        for (int j = 4; j < 14; j++)
            for (int k = 3; k < 9; k++)
                for (int i = 0; i < 2; i++) mask[wbSmokeCell(&twin.smoke.grid, 4 + i + 3 * n / 4, j, k)] = 1;
        assertOk(wbSmoke_SetSolids(&twin.smoke, &twin.model, &work, &(wbSmokeSolids){mask, &body, 1}));
        assertOk(wbSmoke_Step(&twin.smoke, &twin.model, &work, NULL, 0, 0.05 * n, 0.05f));
    }
    for (int k = 0; k < NZ; k++)
        for (int j = 0; j < NY; j++)
            for (int i = 0; i < NX; i++)
                if (mask[wbSmokeCell(&twin.smoke.grid, i, j, k)])
                    within += *findValue(&twin.smoke, wb_smokeDensity, i, j, k);
    assertBelow(within, 0, "smoke in the plate");
    assertBelow(fabs(sumOf(&twin, wb_smokeDensity) / before - 1), 1e-5, "change of the smoke");
    assertBelow(fabs(sumOf(&twin, wb_smokeTemperature) / heat - 1), 1e-5, "change of the heat");
    test_free(mask);
    destroyTwin(&twin, &work);
    freeWork(&work);
}

// Even smoke stays even in air without divergence, however it flows, and sharp edges stay positive and do not rise.
static void testEvenSmoke(void **state) {
    (void)state;
    for (int sharp = 0; sharp < 2; sharp++) {
        wbWork work = makeWork(1, wb_simdScalar);
        Volume volume = makeVolume(3, 24, 20, 16);
        volume.params.tolerance = 1e-6f;
        Twin twin;
        createTwin(&twin, &volume, &work);
        assertOk(wbSmoke_Project(&twin.smoke, &twin.model, &work));
        for (int k = 0; k < 16; k++)
            for (int j = 0; j < 20; j++)
                for (int i = 0; i < 24; i++)
                    *findValue(&twin.smoke, wb_smokeDensity, i, j, k) = !sharp || (i > 8 && i < 16 && j > 9);
        wbSmoke_MarkDirty(&twin.smoke);
        double before = sumOf(&twin, wb_smokeDensity), least = 1, most = 0;
        for (int n = 0; n < 8; n++)
            assertOk(wbSmoke_Step(&twin.smoke, &twin.model, &work, NULL, 0, 0.1 * n, 0.1f));
        for (int k = 0; k < 16; k++)
            for (int j = 0; j < 20; j++)
                for (int i = 0; i < 24; i++) {
                    double q = *findValue(&twin.smoke, wb_smokeDensity, i, j, k);
                    least = fmin(least, q), most = fmax(most, q);
                }
        assertBelow(fabs(sumOf(&twin, wb_smokeDensity) / before - 1), 1e-5, "change of the smoke");
        assertBelow(most, 1 + 1e-3, "most");
        assertBelow(sharp ? -least : 1 - least, sharp ? 1e-6 : 1e-3, "least");
        destroyTwin(&twin, &work);
        freeWork(&work);
    }
}

static uint8_t floorOfCells(const Volume *volume, int i, int j, int k) {
    (void)volume, (void)i, (void)k;
    return j < 3;
}

// A wind that blew along an open top, or through open ends, has less energy with every step after it has ended: what comes
// in brings none.
static void testInflowBringsNoEnergy(void **state) {
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        wbWork work = makeWork(1, wb_simdScalar);
        Volume volume = makeVolume(3, 24, 20, 16);
        volume.params.scheme = variant & 1 ? wb_schemeReflect : wb_schemeProject;
        volume.params.velocityAdvection = variant & 1 ? wb_advectionSemiLagrangian : wb_advectionMacCormack;
        volume.params.tolerance = 1e-4f;
        volume.params.wind = wbMakeVec3(6, 0, 0);
        volume.speed = 0;
        volume.domain.sides[wb_top].type = wb_sideOpen;
        if (variant & 2) volume.domain.sides[wb_left].type = volume.domain.sides[wb_right].type = wb_sideOpen;
        Twin twin;
        createTwin(&twin, &volume, &work);
        double before = 0;
        for (int n = 0; n < 60; n++) {
            if (n == 30) twin.model.params.wind.x = 0, before = sumSquares(&twin.smoke);
            assertOk(wbSmoke_Step(&twin.smoke, &twin.model, &work, NULL, 0, 0, 0.04f));
            if (n < 30) continue;
            double now = sumSquares(&twin.smoke);
            if (now > before) fail_msg("variant %d, step %d: %g times the energy", variant, n, now / before);
            before = now;
        }
        destroyTwin(&twin, &work);
        freeWork(&work);
    }
}

// Air that a wind draws in from rest and that leaves as a jet: its pressure falls by u2 / 2 as it comes in, all of which the
// wind gives back over the length: u2 = 2 a L, one cell longer for the half ones beyond both ends.
static void testDrawnWind(void **state) {
    (void)state;
    for (int scheme = 0; scheme < 2; scheme++) {
        wbWork work = makeWork(1, wb_simdScalar);
        Volume volume = makeVolume(2, 39, 4, 1);
        volume.params.scheme = scheme;
        volume.params.wind = wbMakeVec3(-2, 0, 0);
        volume.speed = 0;
        volume.domain.sides[wb_left].type = volume.domain.sides[wb_right].type = wb_sideOpen;
        Twin twin;
        createTwin(&twin, &volume, &work);
        for (int n = 0; n < 250; n++)
            assertOk(wbSmoke_Step(&twin.smoke, &twin.model, &work, NULL, 0, 0, 0.04f));
        assertBelow(fabs(*findValue(&twin.smoke, wb_smokeU, 20, 2, 0) + 4), 0.01, "drawn wind");
        destroyTwin(&twin, &work);
        freeWork(&work);
    }
}

// An even wind over a floor of solid cells is no slower there than above; viscous air is.
static void testSlip(void **state) {
    (void)state;
    for (int viscous = 0; viscous < 2; viscous++) {
        wbWork work = makeWork(1, wb_simdScalar);
        Volume volume = makeVolume(3, 16, 12, 8);
        volume.params.viscosity = viscous ? 0.01f : 0;
        volume.speed = 0;
        volume.solid = floorOfCells;
        volume.bodyCount = 1;
        volume.domain.sides[wb_left].type = volume.domain.sides[wb_right].type = wb_sideOpen;
        Twin twin;
        createTwin(&twin, &volume, &work);
        for (int c = 0; c < twin.smoke.grid.total; c++) twin.smoke.fields[wb_smokeU][c] = 1;
        for (int n = 0; n < 10; n++)
            assertOk(wbSmoke_Step(&twin.smoke, &twin.model, &work, NULL, 0, 0, 0.05f));
        float beside = *findValue(&twin.smoke, wb_smokeU, 8, 3, 4),
              above = *findValue(&twin.smoke, wb_smokeU, 8, 8, 4);
        assert_true(viscous ? beside < 0.9f * above : fabsf(beside / above - 1) < 1e-5f);
        destroyTwin(&twin, &work);
        freeWork(&work);
    }
}

// What is not a number ends the run with a message.
static void testBrokenVelocity(void **state) {
    (void)state;
    wbWork work = makeWork(1, wb_simdScalar);
    Volume volume = makeVolume(2, 16, 16, 1);
    Twin twin;
    createTwin(&twin, &volume, &work);
    *findValue(&twin.smoke, wb_smokeU, 5, 5, 0) = NAN;
    wbStatus status = wb_okStatus;
    for (int n = 0; n < 3 && wbIsOk(status); n++)
        status = wbSmoke_Step(&twin.smoke, &twin.model, &work, NULL, 0, 0, 0.01f);
    assert_int_equal(status.code, wb_errorUnstable);
    destroyTwin(&twin, &work);
    freeWork(&work);
}

// A box with less than half a cell is refused, and one with too many.
static void testBadGrids(void **state) {
    (void)state;
    wbSmokeModel model;
    wbSmokeParams params = wbDefaultSmokeParams();
    wbDomain domain = {.dimensions = 3, .madeMax = {1, 1, 0}};
    assert_int_equal(wbSmokeModel_Init(&model, &params, &domain).code, wb_errorInput);
    domain.madeMax[2] = 1;
    params.cellSize = 1e-4f;
    wbStatus status = wbSmokeModel_Init(&model, &params, &domain);
    assert_int_equal(status.code, wb_errorInput);
    assert_non_null(strstr(status.text, "cellSize"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testStep),
                                       cmocka_unit_test(testThreads),
                                       cmocka_unit_test(testSpoiltScratch),
                                       cmocka_unit_test(testNothingAllocated),
                                       cmocka_unit_test(testStepBytes),
                                       cmocka_unit_test(testProjection),
                                       cmocka_unit_test(testLongBox),
                                       cmocka_unit_test(testWindyBox),
                                       cmocka_unit_test(testNarrowGap),
                                       cmocka_unit_test(testFewAfterMany),
                                       cmocka_unit_test(testSharesOfRounding),
                                       cmocka_unit_test(testCyclesEndByRounding),
                                       cmocka_unit_test(testSlowSteps),
                                       cmocka_unit_test(testSweeps),
                                       cmocka_unit_test(testFewSweepsBringNoEnergy),
                                       cmocka_unit_test(testSkippedBlocks),
                                       cmocka_unit_test(testFluxesSkipEmptyBlocks),
                                       cmocka_unit_test(testSkippedBlocksInWind),
                                       cmocka_unit_test(testLeaving),
                                       cmocka_unit_test(testOpenRoom),
                                       cmocka_unit_test(testFire),
                                       cmocka_unit_test(testExplosion),
                                       cmocka_unit_test(testMovingBody),
                                       cmocka_unit_test(testPushedSmoke),
                                       cmocka_unit_test(testInflowBringsNoEnergy),
                                       cmocka_unit_test(testDrawnWind),
                                       cmocka_unit_test(testEvenSmoke),
                                       cmocka_unit_test(testSlip),
                                       cmocka_unit_test(testBrokenVelocity),
                                       cmocka_unit_test(testBadGrids)};
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
