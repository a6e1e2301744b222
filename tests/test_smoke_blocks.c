// SPDX-License-Identifier: MIT
// Blocks of air that hold nothing: to skip them changes nothing elsewhere.
#include "smoke_support.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testSkippedBlocks),
                                       cmocka_unit_test(testFluxesSkipEmptyBlocks),
                                       cmocka_unit_test(testSkippedBlocksInWind)};
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
