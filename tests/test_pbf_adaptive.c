// SPDX-License-Identifier: MIT
// Position based fluids with particles of different sizes: against the reference, and what they promise by themselves.
#include "adaptive_support.h"
#include "reference/adaptive.h"

// A block with room for particles of several levels.
static Setup makeBlock(int dimensions, int nx, int ny, int nz, float packed) {
    Setup setup = makeSetup(dimensions, nx, ny, nz);
    setup.packed = packed, setup.params.viscosity = 0.02f;
    const float length = setup.packed * setup.params.spacing;
    setup.domain.max = wbMakeVec3((float)nx * length, (float)ny * length, (float)nz * length);
    return setup;
}

static int getLevel(int id, int levels) { return (int)(wbHashFloat((uint32_t)(id + 7777)) * (float)levels); }
static float getOffset(int id) { return 0.05f * randomSigned((uint32_t)(id + 999)); }

static void mixLevels(Scene *scene, int levels) {
    wbPbfSizes *sizes = &scene->pbf.sizes;
    const int count = scene->pbf.fluid.particles.count;
    for (int i = 0; i < count; i++)
        sizes->level[i] = (uint8_t)getLevel(i, levels), sizes->offset[i] = getOffset(i);
    freeTheirIds(scene);
}

static refAdaptive *createSizedReference(const Setup *setup, const Scene *scene, int levels) {
    refPbf *pbf = createReference(setup);
    refAdaptive *a = refCreateAdaptive(setup->dimensions, pbf->count, 16 * pbf->count);
    a->spacing = pbf->spacing, a->smoothing = pbf->smoothing, a->iterations = pbf->iterations;
    a->largest = 2 * scene->model.stiffestWave / (double)scene->model.params.omega,
    a->relaxation = pbf->relaxation, a->viscosity = pbf->viscosity;
    a->tension = pbf->tension, a->tensionPoint = pbf->tensionPoint;
    memcpy(a->gravity, pbf->gravity, sizeof a->gravity), memcpy(a->closed, pbf->closed, sizeof a->closed);
    memcpy(a->sideMin, pbf->sideMin, sizeof a->sideMin), memcpy(a->sideMax, pbf->sideMax, sizeof a->sideMax);
    a->topLevel = scene->model.adaptive.topLevel;
    a->fade = 20 / (0.005 * 60); // in steps of 5 ms
    for (int k = 0; k < 3; k++)
        if (pbf->gravity[k] != 0) a->relaxations = 0;
    a->mixedShare = wbGetMixedShare(setup->dimensions);
    refSetUpAdaptive(a);
    memcpy(a->x, pbf->x, (size_t)a->count * sizeof *a->x),
        memcpy(a->v, pbf->v, (size_t)a->count * sizeof *a->v);
    for (int i = 0; i < a->count; i++) a->level[i] = getLevel(i, levels), a->offset[i] = (double)getOffset(i);
    a->freeCount = listSpareIds(&scene->pbf.sizes.spare, a->freeIds);
    refDestroyPbf(pbf);
    return a;
}

// Differences by id: positions in spacings, velocities in m/s.
static void compareSized(const Scene *scene, const refAdaptive *a, double limitX, double limitV) {
    const wbParticles *p = &scene->pbf.fluid.particles;
    double worstX = 0, worstV = 0, worstDensity = 0, worstOffset = 0;
    assert_int_equal(p->count, a->count);
    for (int k = 0; k < p->count; k++) {
        const int i = (int)p->id[k];
        const float x[3] = {p->x[k], p->y[k], p->z[k]}, v[3] = {p->vx[k], p->vy[k], p->vz[k]};
        assert_int_equal(scene->pbf.sizes.level[k], a->level[i]);
        for (int c = 0; c < 3; c++) {
            worstX = fmax(worstX, fabs(x[c] - a->x[i][c]) / a->spacing);
            worstV = fmax(worstV, fabs(v[c] - a->v[i][c]));
        }
        worstDensity = fmax(worstDensity, fabs(p->density[k] / 1000 / a->density[i] - 1));
        worstOffset = fmax(worstOffset, fabs((double)scene->pbf.sizes.offset[k] - a->offset[i]));
    }
    assertBelow(worstX, limitX, "position");
    assertBelow(worstV, limitV, "velocity");
    assertBelow(worstDensity, limitX, "density");
    assertBelow(worstOffset, 1e-6, "offset");
}

// Sizes at random, of which neighbours may differ by a factor of 3, and rest offsets; in 2D and 3D, with ghosts.
static void testAgainstReference(void **state) {
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        const int levels = variant % 2 ? 6 : 1, dimensions = variant < 2 ? 3 : 2;
        const float packed = levels == 1 ? 0.97f : dimensions == 3 ? 2 : 2.8f;
        Setup setup = dimensions == 3 ? makeBlock(3, 9, 8, 7, packed) : makeBlock(2, 20, 17, 1, packed);
        setup.params.iterations = levels == 1 ? 6 : 3; // what is thrown about so much takes rounding along
        if (variant == 1) setup.domain.sides[wb_top].type = wb_sideOpen;
        FOR_EACH_SIMD(simd) {
            Scene scene = createScene(&setup, 2, simd);
            makeAdaptive(&scene, false);
            mixLevels(&scene, levels);
            refAdaptive *a = createSizedReference(&setup, &scene, levels);
            refStepAdaptive(a, 0.005);
            stepScene(&scene, 0.005f);
            compareSized(&scene, a, 1e-3, 5e-2);
            refDestroyAdaptive(a);
            destroyAdaptive(&scene);
        }
    }
}

// A particle far away makes the cells of its octave hashed ones.
static void testFarAway(void **state) {
    (void)state;
    Setup setup = makeBlock(3, 9, 8, 7, 2);
    for (int s = 0; s < wb_sideCount; s++) setup.domain.sides[s].type = wb_sideOpen;
    Scene scene = createScene(&setup, 2, wb_simdAuto);
    makeAdaptive(&scene, false);
    mixLevels(&scene, 6);
    refAdaptive *a = createSizedReference(&setup, &scene, 6);
    wbParticles *p = &scene.pbf.fluid.particles;
    for (int i = 0; i < 300; i += 100) {
        p->x[i] = p->y[i] = p->z[i] = (float)(30 + i);
        for (int k = 0; k < 3; k++) a->x[i][k] = 30 + i;
    }
    refStepAdaptive(a, 0.005);
    stepScene(&scene, 0.005f);
    assert_true(scene.pbf.sizes.grids[0].hashed || scene.pbf.sizes.grids[1].hashed);
    compareSized(&scene, a, 2e-3, 5e-2); // so far away floats are no better
    refDestroyAdaptive(a);
    destroyAdaptive(&scene);
}

// Each particle has one of the reference, of the same level and nearly the same place, which no other has.
static void matchParticles(const Scene *scene, const refAdaptive *a) {
    const wbParticles *p = &scene->pbf.fluid.particles;
    const wbPbfSizes *sizes = &scene->pbf.sizes;
    bool *taken = calloc((size_t)a->count + 1, sizeof *taken);
    double worst = 0, worstOffset = 0, worstDistance = 0;
    assert_int_equal(p->count, a->count);
    for (int k = 0; k < p->count; k++) {
        double nearest = 1e30;
        int best = 0;
        for (int i = 0; i < a->count; i++) {
            double x = p->x[k] - a->x[i][0], y = p->y[k] - a->x[i][1], z = p->z[k] - a->x[i][2];
            double r = sqrt(x * x + y * y + z * z);
            if (r < nearest && a->level[i] == sizes->level[k] && !taken[i]) nearest = r, best = i;
        }
        taken[best] = true;
        worst = fmax(worst, nearest);
        worstOffset = fmax(worstOffset, fabs((double)sizes->offset[k] - a->offset[best]));
        worstDistance = fmax(worstDistance, fabs((double)sizes->distance[k] - a->distance[best]));
    }
    assertBelow(worst / a->spacing, 1e-3, "position");
    assertBelow(worstOffset, 1e-3, "offset");
    assertBelow(worstDistance / a->spacing, 1e-3, "distance");
    free(taken);
}

// One look: distances, wishes, partners, axes, relaxation and offsets are the reference's.
static void testLook(void **state) {
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        Setup setup = dimensions == 3 ? makeBlock(3, 9, 8, 7, 1.5f) : makeBlock(2, 20, 17, 1, 1.8f);
        setup.params.iterations = 2;
        if (dimensions == 3) setup.gravity = wbMakeVec3(0, 0, 0); // where changes are relaxed
        FOR_EACH_SIMD(simd) {
            Scene scene = createScene(&setup, 2, simd);
            makeAdaptive(&scene, true);
            mixLevels(&scene, 4);
            scene.pbf.sizes.looks = 1;
            refAdaptive *a = createSizedReference(&setup, &scene, 4);
            // far from the surface at one end, so that it pays
            for (int i = 0; i < a->count; i++)
                a->distance[i] = scene.pbf.sizes.distance[i] =
                    5 * scene.pbf.fluid.particles.x[i] / setup.domain.max.x;
            refStepAdaptive(a, 0.005), refEventAdaptive(a, 1, 0);
            const Totals before = sumUp(&scene);
            stepScene(&scene, 0.005f);
            matchParticles(&scene, a);
            assert_true(scene.pbf.sizes.merges > 5 && scene.pbf.sizes.splits > 5);
            assert_true(sumUp(&scene).mass == before.mass);
            refDestroyAdaptive(a);
            destroyAdaptive(&scene);
        }
    }
}

// A pool at rest, of lattice sites, that is adaptive.
static Scene createPool(int nx, int ny, int nz, int threads) {
    Setup setup = makeSetup(3, nx, ny, nz);
    setup.packed = 1, setup.jitter = 0.01f, setup.speed = 0;
    const float s = setup.params.spacing;
    setup.domain.max = wbMakeVec3((float)nx * s, 1.5f * (float)ny * s, (float)nz * s);
    setup.params.subSteps = 0;
    Scene scene = createScene(&setup, threads, wb_simdAuto);
    scene.pbf.softStep = 0;
    makeAdaptive(&scene, true);
    return scene;
}

static uint64_t hashScene(const Scene *scene) {
    const wbParticles *p = &scene->pbf.fluid.particles;
    const size_t bytes = sizeof(float) * (size_t)p->count;
    uint64_t hash = WB_HASH_START;
    const void *columns[] = {
        p->x, p->y, p->z, p->vx, p->vy, p->vz, p->id, scene->pbf.sizes.offset, scene->pbf.sizes.distance};
    for (int c = 0; c < 9; c++) hash = wbHashBytes(hash, columns[c], bytes);
    return wbHashBytes(hash, scene->pbf.sizes.level, (size_t)p->count);
}

// The same bits for any number of threads, while particles merge and split.
static void testThreads(void **state) {
    (void)state;
    uint64_t hashes[3];
    for (int threads = 1; threads <= 3; threads++) {
        Scene scene = createPool(14, 26, 12, threads);
        for (int k = 0; k < 12; k++) stepScene(&scene, 1 / 60.0f);
        assert_true(scene.pbf.sizes.merges > 100);
        assert_int_equal(sumUp(&scene).mass, 14 * 26 * 12);
        hashes[threads - 1] = hashScene(&scene);
        destroyAdaptive(&scene);
    }
    assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
}

// The same, whether entries of lists have two bytes or four; curl is looked for in lists of four. Of more particles than two bytes can count some groups
// have short lists, which are counted from the first that they hold, and others long ones.
static void testShortLists(void **state) {
    (void)state;
    FOR_EACH_SIMD(simd) {
        uint64_t hashes[2];
        for (int k = 0; k < 2; k++) {
            Setup setup = makeBlock(2, 340, 340, 1, 1.3f);
            Scene scene = createScene(&setup, 2, simd);
            makeAdaptive(&scene, true);
            scene.model.adaptive.curl = k ? 1e6f : 0, scene.pbf.sizes.looks = 1;
            mixLevels(&scene, 2);
            stepScene(&scene, 0.005f);
            assert_true(scene.pbf.sizes.merges > 100);
            const int *bases = scene.pbf.sizes.bases.data;
            int kinds[3] = {0, 0, 0};
            for (int g = 0; g < scene.pbf.fluid.particles.count / WB_GROUP; g++)
                kinds[bases[g] < 0 ? 0 : bases[g] > 0 ? 2 : 1]++;
            if (k == 0) assert_true(kinds[0] > 10 && kinds[2] > 10);
            hashes[k] = hashScene(&scene);
            destroyAdaptive(&scene);
        }
        assert_true(hashes[0] == hashes[1]);
    }
}

// Depth of a block of particles of one level, in smallest spacings, for the choice of sub-steps.
static double findDepth(int n, int level) {
    Setup setup = makeBlock(3, n, n, n, level == 3 ? 2 : 1);
    double head;
    setup.jitter = 0;
    Scene scene = createScene(&setup, 2, wb_simdAuto);
    makeAdaptive(&scene, false);
    memset(scene.pbf.sizes.level, level, (size_t)scene.pbf.fluid.particles.count);
    wbArena_Reset(scene.work.arena);
    assertOk(wbFindSizedHead(&scene.pbf.fluid.particles, &scene.pbf.fluid.mixture, &scene.pbf.sizes,
                             &scene.model, &scene.work, &head));
    destroyAdaptive(&scene);
    return head / (9.81 * 0.1);
}

// What counts is how many layers there are, not how high they are.
static void testDepth(void **state) {
    (void)state;
    assertBelow(fabs(findDepth(12, 0) - 12), 1e-3, "depth of smallest particles");
    assertBelow(fabs(findDepth(9, 3) - 9), 0.2, "depth of particles of twice the size");
}

// Where adaptivity would save less than half of the particles it stays off: all is as in a uniform fluid, to the last bit.
static void testShallow(void **state) {
    (void)state;
    Scene adaptive = createPool(20, 4, 20, 2), uniform = createPool(20, 4, 20, 2);
    uniform.model.adaptive.method = wb_adaptiveOff;
    for (int k = 0; k < 40; k++) stepScene(&adaptive, 1 / 60.0f), stepScene(&uniform, 1 / 60.0f);
    const wbParticles *a = &adaptive.pbf.fluid.particles, *b = &uniform.pbf.fluid.particles;
    assert_true(adaptive.pbf.sizes.isOff && !adaptive.pbf.sizes.varied);
    assert_int_equal(adaptive.pbf.sizes.looks, 1); // it is not deep enough for a second one so soon
    const size_t bytes = sizeof(float) * (size_t)a->count;
    assert_memory_equal(a->x, b->x, bytes);
    assert_memory_equal(a->vy, b->vy, bytes);
    assert_memory_equal(a->id, b->id, bytes);
    destroyAdaptive(&adaptive), destroyAdaptive(&uniform);
}

// A limit on the number of particles is obeyed by what splits.
static void testLimit(void **state) {
    (void)state;
    Setup setup = makeBlock(3, 9, 8, 7, 1.5f);
    Scene scene = createScene(&setup, 2, wb_simdAuto);
    makeAdaptive(&scene, true);
    mixLevels(&scene, 4);
    scene.pbf.sizes.looks = 1;
    const int count = scene.pbf.fluid.particles.count;
    for (int i = 0; i < count; i++) scene.pbf.sizes.distance[i] = 0; // all should be small
    scene.model.adaptive.limit = count + 40;
    const int64_t mass = sumUp(&scene).mass;
    for (int k = 0; k < 3; k++) scene.pbf.sizes.age = 1000, stepScene(&scene, 0.005f);
    assert_int_equal(scene.pbf.fluid.particles.count, count + 40);
    assert_true(sumUp(&scene).mass == mass);
    destroyAdaptive(&scene);
}

// A deep pool: many particles fewer, in which sizes change for long, that keeps its mass, its volume and its calm, and needs no memory any more.
static void testPool(void **state) {
    (void)state;
    enum { NX = 18, NY = 30, NZ = 14, STEPS = 200 };
    Scene scene = createPool(NX, NY, NZ, 2);
    wbPbfSizes *sizes = &scene.pbf.sizes;
    double volume = 0, motion = 0, error = 0, lowest = 1;
    int inner = 0;
    sizes->isFilled = 0; // at its first step it becomes as it should be
    for (int k = 0; k < STEPS; k++) {
        wbPbf_GiveFillingBack(&scene.pbf, &scene.work);
        stepScene(&scene, 1 / 60.0f);
        if (k == 0) assert_true(scene.pbf.fluid.particles.count < NX * NY * NZ / 2);
        if (k == 1) assert_true(scene.pbf.fluid.particles.capacity < NX * NY * NZ / 2); // room was given back
        lowest = fmin(lowest, sumUp(&scene).centre[1] / (0.1 * NY / 2));
    }
    const wbParticles *p = &scene.pbf.fluid.particles;
    for (int i = 0; i < p->count; i++) {
        const double m = 1 << sizes->level[i],
                     v2 = p->vx[i] * p->vx[i] + p->vy[i] * p->vy[i] + p->vz[i] * p->vz[i];
        volume += m * (double)p->y[i], motion += m * v2;
        if (sizes->distance[i] > 0.3f) inner++, error += fabs((double)p->density[i] / 1000 - 1);
    }
    assert_int_equal(sumUp(&scene).mass, NX * NY * NZ);
    assert_true(p->count < NX * NY * NZ / 2);
    assertBelow(fabs(volume / (NX * NY * NZ) / (0.1 * NY / 2) - 1), 0.01, "height of the centre");
    assertBelow(1 - lowest, 0.022, "depth that the centre ever sank by");
    assertBelow(sqrt(motion / (NX * NY * NZ)), 0.3, "speed");
    assertBelow(error / inner, 0.02, "density inside");
    destroyAdaptive(&scene);
}

static double findSpread(const Scene *scene, double *speed) {
    const wbParticles *p = &scene->pbf.fluid.particles;
    const Totals totals = sumUp(scene);
    double spread = 0, motion = 0;
    for (int i = 0; i < p->count; i++) {
        const double m = 1 << scene->pbf.sizes.level[i], x = (double)p->x[i] - totals.centre[0],
                     y = (double)p->y[i] - totals.centre[1];
        spread += m * (x * x + y * y);
        motion += m * (double)(p->vx[i] * p->vx[i] + p->vy[i] * p->vy[i]);
    }
    *speed = sqrt(motion / (double)totals.mass);
    return sqrt(spread / (double)totals.mass);
}

// Distance of the nearest two, over the mean of their spacings.
static double findNearestPair(const Scene *scene) {
    const wbParticles *p = &scene->pbf.fluid.particles;
    const PbfLevels *levels = &scene->model.levels;
    double least = INFINITY;
    for (int i = 0; i < p->count; i++)
        for (int j = 0; j < i; j++) {
            const double x = (double)p->x[i] - (double)p->x[j], y = (double)p->y[i] - (double)p->y[j];
            const float spacing =
                levels->radius[scene->pbf.sizes.level[i]] + levels->radius[scene->pbf.sizes.level[j]];
            least = fmin(least, sqrt(x * x + y * y) / (double)spacing);
        }
    return least;
}

// Nothing holds water without weight together, but nothing drives it apart either: neither what changes leave nor the tension, which only pushes.
static void testWeightless(void **state) {
    (void)state;
    enum { N = 50, STEPS = 120 };
    Setup setup = makeSetup(2, N, N, 1);
    double speed;
    setup.packed = 1, setup.jitter = 0, setup.speed = 0, setup.gravity = wbMakeVec3(0, 0, 0);
    setup.params.tension = 0.1f;
    for (int s = 0; s < wb_sideCount; s++) setup.domain.sides[s].type = wb_sideOpen;
    Scene scene = createScene(&setup, 2, wb_simdAuto);
    makeAdaptive(&scene, true);
    scene.pbf.sizes.isFilled = 0;
    const double before = findSpread(&scene, &speed);
    for (int k = 0; k < STEPS; k++) stepScene(&scene, 1 / 60.0f);
    assert_true(scene.pbf.fluid.particles.count < N * N / 2);
    assertBelow(fabs(findSpread(&scene, &speed) / before - 1), 0.01, "spread");
    assertBelow(speed, 0.01, "speed");
    assert_true(findNearestPair(&scene) > 0.1); // two in one place fly apart, sooner or later
    destroyAdaptive(&scene);
}

// Without gravity and sides nothing changes the momentum: neither pairs of any sizes nor merges, splits and relaxations.
static void testMomentum(void **state) {
    (void)state;
    Setup setup = makeBlock(3, 9, 8, 7, 1.5f);
    setup.gravity = wbMakeVec3(0, 0, 0);
    for (int s = 0; s < wb_sideCount; s++) setup.domain.sides[s].type = wb_sideOpen;
    Scene scene = createScene(&setup, 2, wb_simdAuto);
    makeAdaptive(&scene, true);
    mixLevels(&scene, 4);
    scene.pbf.sizes.looks = 1;
    const wbParticles *p = &scene.pbf.fluid.particles;
    for (int i = 0; i < p->count; i++) scene.pbf.sizes.distance[i] = 4 * p->x[i];
    const Totals before = sumUp(&scene);
    for (int k = 0; k < 4; k++) scene.pbf.sizes.age = 1000, stepScene(&scene, 0.005f);
    const Totals after = sumUp(&scene);
    assert_true(scene.pbf.sizes.merges > 20 && scene.pbf.sizes.splits > 20);
    assert_true(after.mass == before.mass);
    for (int k = 0; k < 3; k++)
        assertBelow(fabs(after.momentum[k] - before.momentum[k]) / (double)before.mass, 1e-5, "momentum");
    destroyAdaptive(&scene);
}

// What needs no more memory than before asks for none, with looks going on.
static void testWarmStepsAllocateNothing(void **state) {
    (void)state;
    Scene scene = createPool(12, 24, 10, 2);
    for (int k = 0; k < 60; k++) stepScene(&scene, 1 / 60.0f);
    const uint64_t calls = wbGetMemoryUse(scene.work.memory).calls;
    const int looks = scene.pbf.sizes.looks;
    for (int k = 0; k < 20; k++) stepScene(&scene, 1 / 60.0f);
    assert_true(scene.pbf.sizes.looks > looks);
    assert_true(wbGetMemoryUse(scene.work.memory).calls == calls);
    destroyAdaptive(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testAgainstReference),
        cmocka_unit_test(testFarAway),
        cmocka_unit_test(testLook),
        cmocka_unit_test(testThreads),
        cmocka_unit_test(testShortLists),
        cmocka_unit_test(testDepth),
        cmocka_unit_test(testShallow),
        cmocka_unit_test(testLimit),
        cmocka_unit_test(testPool),
        cmocka_unit_test(testWeightless),
        cmocka_unit_test(testMomentum),
        cmocka_unit_test(testWarmStepsAllocateNothing),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
