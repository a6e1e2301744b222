// SPDX-License-Identifier: MIT
// Position based fluids by all solvers: against the reference, each other, and what each promises by itself.
#include "pbd/pbf_solver.h"
#include "pbf_support.h"

static const wbPbdSolver solvers[] = {wb_pbdGaussSeidel, wb_pbdJacobiParticles, wb_pbdJacobiConstraints};

// Ids in the order in which Gauss-Seidel has taken the particles of the last step. Returns how many there are.
static int listOrder(const Scene *scene, int *order) {
    const wbParticles *p = &scene->pbf.fluid.particles;
    const wbGrid *grid = &scene->pbf.fluid.search.grid;
    int count = 0;
    for (int c = 0; c < PBF_COLOURS; c++) {
        PbfColour colour = pbf_colour(c);
        for (int block = 0; block < wbCountColourBlocks(grid, colour); block++) {
            int begin, end;
            wbGetColourBlock(grid, colour, block, &begin, &end);
            for (int i = begin; i < end; i++) order[count++] = (int)p->id[i];
        }
    }
    return count;
}

static void compareWithReference(const Setup *setup) {
    refPbf *reference = createReference(setup);
    int *order = malloc(sizeof(int) * (size_t)countSites(setup));
    bool isDone = false;
    FOR_EACH_SIMD(simd) {
        Scene scene = createScene(setup, 2, simd);
        stepScene(&scene, 0.005f);
        if (!isDone) {
            assert_int_equal(listOrder(&scene, order), countSites(setup));
            reference->order = order;
            refStepPbf(reference, 0.005);
            isDone = true;
        }
        compare(&scene, reference, 2e-5, 2e-3);
        destroyScene(&scene);
    }
    free(order);
    refDestroyPbf(reference);
}

static void testAgainstReference(void **state) {
    (void)state;
    for (int variant = 0; variant < 8; variant++)
        for (int dimensions = 2; dimensions <= 3; dimensions++)
            for (int s = 0; s < 3; s += 2) {
                Setup setup = dimensions == 2 ? makeSetup(2, 17, 13, 1) : makeSetup(3, 9, 8, 7);
                setVariant(&setup, variant);
                setup.params.solver = solvers[s];
                compareWithReference(&setup);
            }
}

// Fluids of different density.
static void testMixture(void **state) {
    (void)state;
    for (int s = 0; s < 3; s += 2) {
        Setup setup = makeSetup(3, 9, 8, 7);
        setup.mixture = makeMixture(), setup.params.solver = solvers[s];
        compareWithReference(&setup);
    }
}

static float distance2(const float *a, const float *b) {
    float sum = 0;
    for (int k = 0; k < 3; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

// Each particle is in one block of one colour, and what two blocks of a colour hold is twice the radius apart: within the radius
// of both there is nobody.
static void testColoursAreApart(void **state) {
    (void)state;
    enum { COUNT = 4000 };
    const float radius = 0.1f;
    static float x[3][COUNT + WB_PADDING], sorted[COUNT][3];
    static int order[COUNT], block[COUNT], colours[COUNT];
    wbWork work = createWork(1, wb_simdAuto);
    for (int kind = wb_gridDense; kind <= wb_gridHashed; kind++) {
        wbGrid grid;
        wbGrid_Init(&grid);
        for (int i = 0; i < 3 * COUNT; i++) x[i % 3][i / 3] = 0.8f * randomSigned((uint32_t)i) + 3;
        assertOk(wbGrid_Sort(&grid, &work, (wbPoints){x[0], x[1], x[2], COUNT}, radius, 3, (wbGridKind)kind,
                             order));
        for (int i = 0; i < COUNT; i++) {
            for (int a = 0; a < 3; a++) sorted[i][a] = x[a][order[i]];
            colours[i] = -1;
        }
        for (int c = 0; c < PBF_COLOURS; c++)
            for (int b = 0; b < wbCountColourBlocks(&grid, pbf_colour(c)); b++) {
                int begin, end;
                wbGetColourBlock(&grid, pbf_colour(c), b, &begin, &end);
                for (int i = begin; i < end; i++) {
                    if (!wbIsOfColour(&grid, pbf_colour(c), sorted[i][1], sorted[i][2])) continue;
                    assert_int_equal(colours[i], -1);
                    colours[i] = c, block[i] = b;
                }
            }
        for (int i = 0; i < COUNT; i++) {
            assert_true(colours[i] >= 0);
            for (int j = 0; j < i; j++)
                if (colours[i] == colours[j] && block[i] != block[j])
                    assert_true(distance2(sorted[i], sorted[j]) > 4 * radius * radius);
        }
        wbGrid_Free(work.memory, &grid);
    }
    destroyWork(&work);
}

// The same constraints, summed by those who are moved or by those who move.
static void testJacobisAgree(void **state) {
    (void)state;
    Setup setup = makeSetup(3, 15, 14, 13);
    Scene scenes[2];
    double worst = 0;
    for (int k = 0; k < 2; k++) {
        setup.params.solver = solvers[1 + k];
        scenes[k] = createScene(&setup, 1, wb_simdAuto);
        stepScene(&scenes[k], 0.005f);
    }
    const wbParticles *a = &scenes[0].pbf.fluid.particles, *b = &scenes[1].pbf.fluid.particles;
    for (int i = 0; i < a->count; i++) {
        assert_int_equal(a->id[i], b->id[i]);
        worst = fmax(worst, fabsf(a->x[i] - b->x[i]) + fabsf(a->y[i] - b->y[i]) + fabsf(a->z[i] - b->z[i]));
    }
    assertBelow(worst / setup.params.spacing, 2e-5, "position");
    assert_true(worst > 0);
    destroyScene(&scenes[0]), destroyScene(&scenes[1]);
}

// Constraints push in pairs: the momentum of what touches no side stays.
static void testMomentum(void **state) {
    (void)state;
    for (int s = 0; s < 3; s++) {
        Setup setup = makeSetup(3, 10, 10, 10);
        setup.gravity = wbMakeVec3(0, 0, 0), setup.params.solver = solvers[s];
        for (int side = 0; side < wb_sideCount; side++) setup.domain.sides[side].type = wb_sideOpen;
        Scene scene = createScene(&setup, 2, wb_simdAuto);
        const wbParticles *p = &scene.pbf.fluid.particles;
        double before = 0, after = 0, size = 0;
        for (int i = 0; i < p->count; i++) before += p->vx[i], size += fabsf(p->vx[i]);
        for (int k = 0; k < 30; k++) stepScene(&scene, 0.005f);
        for (int i = 0; i < p->count; i++) after += p->vx[i];
        assertBelow(fabs(after - before) / size, 1e-4, "momentum");
        destroyScene(&scene);
    }
}

static uint64_t hashAfter(const Setup *setup, int threads, wbSimd simd, bool isHashed) {
    Scene scene = createScene(setup, threads, simd);
    wbParticles *p = &scene.pbf.fluid.particles;
    for (int i = 0; i < p->count / 2 && isHashed; i++) p->x[i] -= 3000, p->z[i] += 2000;
    for (int k = 0; k < 5; k++) stepScene(&scene, 0.01f);
    assert_true(scene.pbf.fluid.search.grid.hashed == isHashed);
    uint64_t hash = wbHashBytes(WB_HASH_START, p->x, sizeof(float) * (size_t)p->count);
    hash = wbHashBytes(hash, p->vy, sizeof(float) * (size_t)p->count);
    destroyScene(&scene);
    return hash;
}

static void testThreadsChangeNothing(void **state) {
    (void)state;
    for (int run = 0; run < 4; run++) {
        const bool isHashed = run >= 2;
        Setup setup = makeSetup(3, 15, 14, 13);
        setup.params.solver = solvers[run % 2 * 2], setup.domain.max.x *= 1.5f;
        for (int side = 0; side < wb_sideCount && isHashed; side++)
            setup.domain.sides[side].type = wb_sideOpen;
        FOR_EACH_SIMD(simd) {
            uint64_t expected = hashAfter(&setup, 1, simd, isHashed);
            for (int threads = 2; threads <= 3; threads++)
                assert_true(hashAfter(&setup, threads, simd, isHashed) == expected);
        }
    }
}

// Steps of different lengths, the first of which takes half of gravity.
static void testVerlet(void **state) {
    (void)state;
    static const float steps[] = {0.0045f, 0.006f, 0.008f};
    Setup setup = makeSetup(3, 9, 8, 7);
    setup.params.integrator = wb_pbfVerlet, setup.params.iterations = 2;
    refPbf *reference = createReference(&setup);
    Scene scene = createScene(&setup, 2, wb_simdAuto);
    for (int k = 0; k < 3; k++) refStepPbf(reference, (double)steps[k]), stepScene(&scene, steps[k]);
    compare(&scene, reference, 2e-4, 2e-2); // rounding has grown
    destroyScene(&scene);
    refDestroyPbf(reference);
    // in free flight: half of g dt, then g times the mean of the steps around
    setup = makeSetup(3, 1, 1, 1);
    for (int side = 0; side < wb_sideCount; side++) setup.domain.sides[side].type = wb_sideOpen;
    setup.params.integrator = wb_pbfVerlet, setup.speed = 0;
    scene = createScene(&setup, 1, wb_simdAuto);
    for (int k = 0; k < 3; k++) stepScene(&scene, steps[k]);
    assertBelow(fabs(scene.pbf.fluid.particles.vy[0] + 9.81 * (0.00225 + 0.00525 + 0.007)), 1e-6, "velocity");
    destroyScene(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testAgainstReference), cmocka_unit_test(testMixture),
        cmocka_unit_test(testColoursAreApart),  cmocka_unit_test(testJacobisAgree),
        cmocka_unit_test(testMomentum),         cmocka_unit_test(testThreadsChangeNothing),
        cmocka_unit_test(testVerlet),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
