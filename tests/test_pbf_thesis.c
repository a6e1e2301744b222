// SPDX-License-Identifier: MIT
// The thesis' adaptive fluid on the cores: against the reference, and what it promises by itself.
#include "pbd/pbf_thesis_change_formula.h"
#include "thesis_support.h"

// A ball of this radius, in smallest radii, of lattice sites, at rest and without weight.
static Scene *createBall(int dimensions, float radius, int threads, wbSimd simd) {
    Scene *scene = createScene(dimensions, threads, simd, &(wbDomainDef){0}, wbMakeVec3(0, 0, 0));
    const float spacing = scene->model.params.spacing, limit = radius * spacing / 2;
    const int m = (int)(radius / 2) + 2, mz = dimensions == 3 ? m : 0;
    for (int z = -mz; z <= mz; z++)
        for (int y = -m; y <= m; y++)
            for (int x = -m; x <= m; x++) {
                const float at[3] = {spacing * ((float)x + 0.5f), spacing * ((float)y + 0.5f),
                                     dimensions == 3 ? spacing * ((float)z + 0.5f) : 0};
                if (at[0] * at[0] + at[1] * at[1] + at[2] * at[2] < limit * limit) addAt(scene, at);
            }
    return scene;
}

// In 2D and 3D, with a boundary and without one; then kernels that spread, and other ways to merge and split.
static void testAgainstReference(void **state) {
    (void)state;
    for (int variant = 0; variant < 7; variant++) {
        const int dimensions = variant < 2 ? 3 : 2;
        const bool hasBoundary = variant == 0 || variant == 2;
        FOR_EACH_SIMD(simd) {
            Scene *scene = dimensions == 3 ? createBlock(3, simd, 8, 1.5f) : createBlock(2, simd, 20, 1.8f);
            scene->model.params.isGeneral = variant == 4, scene->model.params.losesMomentum = variant == 5;
            scene->model.params.movesTargets = variant == 5,
            scene->model.params.splitsGradually = variant == 6;
            if (!hasBoundary) scene->model.params.thin = 0, scene->model.params.steep = 1e9f;
            // a new half that is still empty is at a side where its id puts it, and settling takes it away by many times as much
            for (int s = 0; s < wb_sideCount && variant == 6; s++) scene->domain.closed[s] = false;
            refThesis *twin = createTwin(scene);
            const int64_t parts = sumUp(scene).parts;
            refStepThesis(twin, 0.005);
            step(scene, 0.005f);
            matchParticles(scene, twin);
            assert_true(sumUp(scene).parts == parts);
            assert_int_equal(scene->thesis.merges, twin->merges);
            assert_int_equal(scene->thesis.splits, twin->splits);
            assert_true(scene->thesis.merges > (hasBoundary ? -1 : 2) && scene->thesis.splits > 5);
            const double mass = 1000 * pow(0.1, dimensions);
            assertBelow(fabs(scene->thesis.lost - mass * twin->lost), 1e-4 * mass * twin->lost,
                        "lost momentum");
            refDestroyThesis(twin);
            destroyScene(scene);
        }
    }
}

// The table of lattice sums, beside sums themselves.
static void testTable(void **state) {
    (void)state;
    const float ratios[] = {1.5f, 2.4f, 2.6f, 3, 4, 5.2f, 5.6f, 8, 20, 30, 300};
    for (int d = 2; d <= 3; d++) {
        Scene *scene = createScene(d, 1, wb_simdAuto, &(wbDomainDef){0}, wbMakeVec3(0, 0, 0));
        for (size_t k = 0; k < sizeof ratios / sizeof *ratios; k++) {
            float sum, squares;
            wbThesisModel_GetSums(&scene->model, 1, ratios[k], &sum, &squares);
            assertBelow(fabs(sum / refSumLattice(d, ratios[k]) - 1), 2e-5, "sum");
            assertBelow(fabs(squares / refSumLatticeSquares(d, ratios[k]) - 1), 2e-3, "squares");
        }
        destroyScene(scene);
    }
}

// Pairs are those of a particle and its neighbours in its own kernel, as the analysis counts them; lists have more.
static void testPairs(void **state) {
    (void)state;
    FOR_EACH_SIMD(simd) {
        Scene *scene = createBlock(3, simd, 7, 1.5f);
        const wbParticles *p = &scene->fluid.particles;
        int64_t pairs = 0, both = 0;
        for (int s = 0; s < wb_sideCount; s++) scene->domain.closed[s] = false;
        scene->model.params.limit = 1; // nothing splits, which would make other lists
        for (int i = 0; i < p->count; i++)
            for (int j = 0; j < p->count; j++) {
                const float x = p->x[i] - p->x[j], y = p->y[i] - p->y[j], z = p->z[i] - p->z[j];
                const float r = sqrtf(x * x + y * y + z * z);
                pairs += i != j && r < scene->thesis.h[i];
                both += i != j && r < fmaxf(scene->thesis.h[i], scene->thesis.h[j]);
            }
        step(scene, 1e-9f);
        assert_true(llabs(scene->fluid.search.neighbours.pairs - pairs) <= 2 && both > 1.1 * (double)pairs);
        destroyScene(scene);
    }
}

// A particle far away makes the cells of its octave hashed ones.
static void testFarAway(void **state) {
    (void)state;
    Scene *scene = createBall(3, 9, 2, wb_simdAuto);
    addAt(scene, (const float[3]){300, 200, -100});
    addAt(scene, (const float[3]){-400, 100, 90});
    refThesis *twin = createTwin(scene);
    refStepThesis(twin, 0.005);
    step(scene, 0.005f);
    assert_true(scene->thesis.grids[0].hashed);
    matchParticles(scene, twin);
    refDestroyThesis(twin);
    destroyScene(scene);
}

// A disc and a ball at rest merge, and keep mass, radius, rest and momentum; at their boundary particles are the smallest.
static void testRest(void **state) {
    (void)state;
    for (int d = 2; d <= 3; d++) {
        Scene *scene = createBall(d, d == 2 ? 50 : 24, 2, wb_simdAuto);
        if (d == 3) scene->model.params.slope = 0.45f; // so that a small ball has several sizes
        const Totals before = sumUp(scene);
        const int count = scene->fluid.particles.count;
        for (int k = 0; k < (d == 2 ? 200 : 60); k++) step(scene, 1 / 60.0f);
        const Totals after = sumUp(scene);
        assert_true(after.parts == before.parts);
        assertBelow(fabs(after.radius / before.radius - 1), 0.01, "radius");
        assertBelow(after.speed, 0.05, "speed");
        for (int k = 0; k < 3; k++)
            assertBelow(fabs(after.momentum[k]) / (double)after.parts, 1e-4, "mean velocity");
        assert_true(scene->fluid.particles.count < (d == 2 ? 0.8 : 0.98) * count);
        destroyScene(scene);
    }
}

static uint64_t hashScene(const Scene *scene) {
    const wbParticles *p = &scene->fluid.particles;
    const wbThesis *t = &scene->thesis;
    uint64_t hash = WB_HASH_START;
    const void *columns[] = {p->x,     p->y, p->z,        p->vx,     p->vy,   p->id,
                             t->parts, t->h, t->distance, t->offset, t->other};
    for (int c = 0; c < 11; c++) hash = wbHashBytes(hash, columns[c], sizeof(float) * (size_t)p->count);
    return hash;
}

// The same bits for any number of threads, while particles merge and split.
static void testThreads(void **state) {
    (void)state;
    uint64_t hashes[3];
    for (int threads = 1; threads <= 3; threads++) {
        Scene *scene = createBall(2, 40, threads, wb_simdAuto);
        scene->model.params.losesMomentum = true;
        for (int k = 0; k < 60; k++) {
            if (k == 40) scene->model.params.slope = 0.1f; // all split again
            step(scene, 1 / 60.0f);
        }
        assert_true(scene->thesis.merges > 50 && scene->thesis.splits > 20);
        hashes[threads - 1] = hashScene(scene);
        destroyScene(scene);
    }
    assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
}

// A limit on the number of particles is obeyed by what splits, at once or gradually.
static void testLimit(void **state) {
    (void)state;
    for (int gradual = 0; gradual < 2; gradual++) {
        Scene *scene = createBlock(2, wb_simdAuto, 20, 1.8f);
        const int limit = scene->model.params.limit = scene->fluid.particles.count + 30;
        const int64_t parts = sumUp(scene).parts;
        scene->model.params.slope = 1e-3f, scene->model.params.splitsGradually = gradual;
        scene->model.params.mergeTime = 0.01f;
        for (int k = 0; k < 12; k++) {
            step(scene, 0.002f);
            assert_true(scene->fluid.particles.count <= limit);
        }
        assert_int_equal(scene->fluid.particles.count, limit);
        assert_true(sumUp(scene).parts == parts);
        destroyScene(scene);
    }
}

static void testWarmStepsAllocateNothing(void **state) {
    (void)state;
    Scene *scene = createBall(2, 40, 2, wb_simdAuto);
    for (int k = 0; k < 100; k++) step(scene, 1 / 60.0f);
    const uint64_t calls = wbGetMemoryUse(scene->work.memory).calls;
    for (int k = 0; k < 20; k++) step(scene, 1 / 60.0f);
    assert_true(wbGetMemoryUse(scene->work.memory).calls == calls);
    destroyScene(scene);
}

// Whatever share of a sub-step is left of the time, a source has mass until it ends, and none then.
static void testSourcesLast(void **state) {
    (void)state;
    const float dt = 1e-3f;
    for (int k = 0; k < 5000; k++) {
        unsigned parts = WB_THESIS_PARTS;
        float left = dt * (40 + 0.01f * (float)k);
        for (; !thesis_ends(left, dt); left -= dt) {
            parts -= thesis_moved(wb_roleMergeSource, parts, 1, WB_THESIS_PARTS, left, dt);
            assert_true(parts > 0 && parts < WB_THESIS_PARTS);
            assert_false(thesis_is_gone(wb_roleMergeSource, parts));
        }
        assert_int_equal(thesis_moved(wb_roleMergeSource, parts, 1, WB_THESIS_PARTS, left, dt), parts);
    }
    // what splits gradually may have all of its mass before
    assert_int_equal(thesis_moved(wb_roleSplitSource, 0, 1, WB_THESIS_PARTS, 2 * dt, dt), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testTable),
        cmocka_unit_test(testAgainstReference),
        cmocka_unit_test(testSourcesLast),
        cmocka_unit_test(testFarAway),
        cmocka_unit_test(testPairs),
        cmocka_unit_test(testThreads),
        cmocka_unit_test(testLimit),
        cmocka_unit_test(testRest),
        cmocka_unit_test(testWarmStepsAllocateNothing),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
