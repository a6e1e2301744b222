// SPDX-License-Identifier: MIT
// The solver of smoke against the reference, and what must stay the same.
#include "core/status.h"
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testStep),          cmocka_unit_test(testThreads),
        cmocka_unit_test(testSpoiltScratch), cmocka_unit_test(testNothingAllocated),
        cmocka_unit_test(testStepBytes),     cmocka_unit_test(testBrokenVelocity),
        cmocka_unit_test(testBadGrids)};
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
