// SPDX-License-Identifier: MIT
// Colliders among particles of different sizes.
#include "adaptive_support.h"

// A lattice of particles of one level that lies on a floor of points, with nothing around it.
static Scene createLattice(int dimensions, int level, int n) {
    Setup setup = makeSetup(dimensions, n, n, dimensions == 3 ? n : 1);
    const float width = powf(2, (float)level / (float)dimensions);
    setup.packed = width, setup.jitter = 0, setup.speed = 0, setup.gravity = wbMakeVec3(0, 0, 0);
    setup.params.tension = 0;
    for (int s = 0; s < wb_sideCount; s++) setup.domain.sides[s].type = wb_sideOpen;
    Scene scene = createScene(&setup, 2, wb_simdAuto);
    makeAdaptive(&scene, false);
    memset(scene.pbf.sizes.level, level, (size_t)scene.pbf.fluid.particles.count);
    freeTheirIds(&scene);
    return scene;
}

// On a flat collider the first layer of every level has the density of rest: no wall is a surface.
static void testDensityOnWall(void **state) {
    (void)state;
    enum { N = 7 };
    for (int dimensions = 2; dimensions <= 3; dimensions++)
        for (int level = 0; level <= 6; level += 3) {
            Scene scene = createLattice(dimensions, level, N);
            wbBoundary boundary;
            const float s = scene.model.params.spacing,
                        length = N * s * powf(2, (float)level / (float)dimensions);
            const float low[3] = {-4, 0, dimensions == 3 ? -4 : 0},
                        high[3] = {4 + length, 0, dimensions == 3 ? 4 + length : 0};
            wbBoundary_Init(&boundary);
            addSlab(&boundary, scene.work.memory, 1, 0, true, low, high, s, false);
            const wbFluidColliders colliders = {.boundary = &boundary};
            wbArena_Reset(scene.work.arena);
            assertOk(wbPbf_Step(&scene.pbf, &scene.model, &colliders, &scene.work, 1e-4f));
            const wbParticles *p = &scene.pbf.fluid.particles;
            const float middle = 0.5f * length, radius = scene.model.levels.radius[level];
            for (int i = 0; i < p->count; i++)
                if (fabsf(p->x[i] - middle) < radius &&
                    (dimensions == 2 || fabsf(p->z[i] - middle) < radius) && p->y[i] < 1.5f * radius) {
                    assertBelow(
                        fabs((double)p->density[i] / 1000 - (level > 0 ? wbGetMixedShare(dimensions) : 1)),
                        0.001, "density on a wall");
                }
            wbBoundary_Free(scene.work.memory, &boundary);
            destroyAdaptive(&scene);
        }
}

// kg m/s
static void sumMomentum(const Scene *scene, double momentum[3]) {
    const wbParticles *p = &scene->pbf.fluid.particles;
    memset(momentum, 0, sizeof(double[3]));
    for (int i = 0; i < p->count; i++) {
        const double m = scene->model.mass * (1 << scene->pbf.sizes.level[i]) *
                         (double)wbMixture_GetRelative(&scene->pbf.fluid.mixture, p->id[i]);
        momentum[0] += m * (double)p->vx[i], momentum[1] += m * (double)p->vy[i],
            momentum[2] += m * (double)p->vz[i];
    }
}

// What a collider gets is what the fluid loses, whatever its particles' sizes and densities are; by pressure and, where nothing slips, by drag.
static void testImpulse(void **state) {
    (void)state;
    const wbMixture mixture = makeMixture();
    for (int variant = 0; variant < 4; variant++) FOR_EACH_SIMD(simd) {
            wbBoundary boundary;
            Scene scene = createFall(simd, 2, variant & 1 ? &mixture : NULL, &boundary, variant & 2);
            const wbFluidColliders colliders = {.boundary = &boundary};
            double before[3], after[3];
            scene.model.params.vorticity = 0,
            scene.model.constants.vorticity = 0; // which is a force from nowhere
            sumMomentum(&scene, before);
            wbArena_Reset(scene.work.arena);
            assertOk(wbPbf_Step(&scene.pbf, &scene.model, &colliders, &scene.work, 0.02f));
            sumMomentum(&scene, after);
            const wbImpulse *impulse = &wbBoundary_GetBody(&boundary, 0)->impulse;
            assert_true(impulse->linear[1] < -1);
            if (variant & 2) assert_true(fabs(impulse->linear[0]) > 1e-3);
            for (int k = 0; k < 3; k++)
                assertBelow(fabs(after[k] - before[k] + impulse->linear[k]), 1e-4 * fabs(impulse->linear[1]),
                            "momentum");
            wbBoundary_Free(scene.work.memory, &boundary);
            destroyAdaptive(&scene);
        }
}

static uint64_t hashFall(int threads) {
    const wbMixture mixture = makeMixture();
    wbBoundary boundary;
    Scene scene = createFall(wb_simdAuto, threads, &mixture, &boundary, true);
    int fluids[120];
    for (int k = 0; k < mixture.count; k++) fluids[k] = k % 3;
    scene.pbf.sizes.runs = (wbFluidRuns){mixture.count, mixture.first, fluids};
    scene.pbf.sizes.looks = 1;
    const wbFluidColliders colliders = {.boundary = &boundary};
    for (int k = 0; k < 3; k++) {
        scene.pbf.sizes.age = 1000;
        wbArena_Reset(scene.work.arena);
        assertOk(wbPbf_Step(&scene.pbf, &scene.model, &colliders, &scene.work, 0.005f));
    }
    assert_true(scene.pbf.sizes.merges > 5 && scene.pbf.sizes.splits > 5);
    const wbParticles *p = &scene.pbf.fluid.particles;
    const void *columns[] = {p->x, p->y, p->z, p->vx, p->vy, p->vz, p->id, scene.pbf.sizes.offset};
    uint64_t hash = WB_HASH_START;
    for (int c = 0; c < 8; c++) hash = wbHashBytes(hash, columns[c], sizeof(float) * (size_t)p->count);
    wbBoundary_Free(scene.work.memory, &boundary);
    destroyAdaptive(&scene);
    return hash;
}

// Colliders, several fluids, confinement and changes of size together: the same bits for any number of threads.
static void testThreads(void **state) {
    (void)state;
    const uint64_t one = hashFall(1);
    assert_true(one == hashFall(2) && one == hashFall(3));
}

// Only what is of one fluid merges, and halves have ids of theirs: each fluid keeps its mass.
static void testFluids(void **state) {
    (void)state;
    wbBoundary boundary;
    Scene scene = createFall(wb_simdAuto, 2, NULL, &boundary, false);
    const wbParticles *p = &scene.pbf.fluid.particles;
    const int count = p->count;
    const uint32_t first[] = {0, (uint32_t)count / 3, (uint32_t)count, (uint32_t)count + 2000};
    const int fluid[] = {0, 1, 0, 1};
    int64_t before[2] = {0}, after[2] = {0};
    scene.pbf.sizes.runs = (wbFluidRuns){4, first, fluid};
    // free ids enough of both
    addSpan(&scene.pbf.sizes.spare, scene.work.memory, first[2], 2000);
    addSpan(&scene.pbf.sizes.spare, scene.work.memory, first[3], 6000);
    scene.pbf.sizes.looks = 1;
    for (int i = 0; i < count; i++) before[p->id[i] >= first[1]] += 1 << scene.pbf.sizes.level[i];
    for (int k = 0; k < 4; k++) scene.pbf.sizes.age = 1000, stepScene(&scene, 0.005f);
    assert_true(scene.pbf.sizes.merges > 5 && scene.pbf.sizes.splits > 5);
    for (int i = 0; i < p->count; i++) {
        const int run = p->id[i] < first[1] ? 0 : p->id[i] < first[2] ? 1 : p->id[i] < first[3] ? 2 : 3;
        after[fluid[run]] += 1 << scene.pbf.sizes.level[i];
    }
    assert_true(before[0] == after[0] && before[1] == after[1]);
    wbBoundary_Free(scene.work.memory, &boundary);
    destroyAdaptive(&scene);
}

// The mean level of particles nearer to a box than `reach`, and of all others.
static void findLevels(const Scene *scene, const float low[3], const float high[3], float reach, double *near,
                       double *far) {
    const wbParticles *p = &scene->pbf.fluid.particles;
    double sums[2] = {0}, counts[2] = {1e-9, 1e-9};
    for (int i = 0; i < p->count; i++) {
        const float x[3] = {p->x[i], p->y[i], p->z[i]};
        float distance2 = 0;
        for (int a = 0; a < 3; a++) {
            const float d = fmaxf(fmaxf(low[a] - x[a], x[a] - high[a]), 0);
            distance2 += d * d;
        }
        const int k = distance2 < reach * reach ? 0 : 1;
        sums[k] += scene->pbf.sizes.level[i], counts[k]++;
    }
    *near = sums[0] / counts[0], *far = sums[1] / counts[1];
}

// Inside of a pool particles are small where something asks for it: near a point, in a box, beside colliders, or where they are fast.
static void testWishes(void **state) {
    (void)state;
    for (int wish = 0; wish < 5; wish++) {
        Setup setup = makeSetup(3, 20, 26, 20);
        setup.packed = 1, setup.jitter = 0.01f, setup.speed = 0;
        setup.domain.max = wbMakeVec3(2, 4, 2);
        Scene scene = createScene(&setup, 2, wb_simdAuto);
        makeAdaptive(&scene, true);
        scene.pbf.sizes.isFilled = 0;
        wbAdaptiveParams *params = &scene.model.adaptive;
        const float place[3] = {1, 0.6f, 1};
        wbBoundary boundary;
        wbBoundary_Init(&boundary);
        if (wish == 1) params->point = wbMakeVec3(1, 0.6f, 1), params->pointReach = 0.4f;
        if (wish == 2)
            params->boxMin = wbMakeVec3(0.9f, 0.5f, 0.9f), params->boxMax = wbMakeVec3(1.1f, 0.7f, 1.1f);
        if (wish == 3) params->nearColliders = 4;
        if (wish == 4) params->speed = 0.5f;
        // a post of points that stands there
        const float low[3] = {0.9f, 0, 0.9f}, high[3] = {1.1f, 1.2f, 1.1f};
        if (wish == 3) addSlab(&boundary, scene.work.memory, 0, 1, true, low, high, 0.1f, false);
        wbParticles *p = &scene.pbf.fluid.particles;
        for (int i = 0; i < p->count; i++) {
            const float x = p->x[i] - 1, y = p->y[i] - 0.6f, z = p->z[i] - 1;
            if (wish == 4 && x * x + y * y + z * z < 0.2f) p->vx[i] = 1;
        }
        const wbFluidColliders colliders = {.boundary = &boundary};
        wbArena_Reset(scene.work.arena);
        assertOk(wbPbf_Step(&scene.pbf, &scene.model, &colliders, &scene.work, 1e-3f));
        double near, far;
        if (wish == 3) // what reaches no farther than the wish
            findLevels(&scene, low, high, 0.2f, &near, &far);
        else
            findLevels(&scene, place, place, 0.5f, &near, &far);
        if (wish == 0 ? near <= far : near >= far)
            fail_msg("wish %d: levels %g near, %g far", wish, near, far);
        wbBoundary_Free(scene.work.memory, &boundary);
        destroyAdaptive(&scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testDensityOnWall), cmocka_unit_test(testImpulse), cmocka_unit_test(testThreads),
        cmocka_unit_test(testFluids),        cmocka_unit_test(testWishes),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
