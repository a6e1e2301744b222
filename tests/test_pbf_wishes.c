// SPDX-License-Identifier: MIT
// Wishes for the sizes of adaptive particles: what each of them comes to, by formulas and by plain sums, and what both methods make of them.
#include "pbd/pbf_wishes.h"

#include "pbf_world_support.h"

static const float spacing = 0.1f, radius = 0.05f, h = 0.19f;

static wbAdaptiveParams makeParams(void) {
    wbAdaptiveParams params = wbDefaultWorldDef().pbf.adaptive;
    params.slope = 0.5f, params.band = 0;
    return params;
}

// Particles at rest on a lattice of so many sites, sorted and with lists of neighbours.
typedef struct Lattice {
    wbWork work;
    wbDomain domain;
    wbFluidState fluid;
    wbFluidStep step;
    float *toSurface, *h, *mass, *size; // of the sorted particles
} Lattice;

typedef float DistanceFn(float x, float y);
typedef void MotionFn(const float x[3], float v[3]);

static Lattice *createLattice(int dimensions, int nx, int ny, int nz, wbSimd simd, DistanceFn *distance,
                              MotionFn *motion) {
    Lattice *l = calloc(1, sizeof *l);
    wbParticles *p = &l->fluid.particles;
    wbMove moves[WB_SORTED_COLUMNS];
    wbPointSet ghosts;
    const int count = nx * ny * nz;
    l->work = createWork(2, simd);
    l->domain = wbMakeDomain(&(wbDomainDef){0}, wbMakeVec3(0, 0, 0), dimensions);
    wbFluidState_Init(&l->fluid);
    assertOk(wbParticles_Reserve(p, l->work.memory, count));
    for (int i = 0; i < count; i++) {
        float v[3] = {0};
        p->x[i] = spacing * ((float)(i % nx) + 0.5f), p->y[i] = spacing * ((float)(i / nx % ny) + 0.5f);
        p->z[i] = nz > 1 ? spacing * ((float)(i / nx / ny) + 0.5f) : 0;
        if (motion) motion((const float[]){p->x[i], p->y[i], p->z[i]}, v);
        p->vx[i] = v[0], p->vy[i] = v[1], p->vz[i] = v[2], p->id[i] = (uint32_t)i;
    }
    p->count = count;
    l->step = wbMakeFluidStep(&l->fluid, &l->domain, h, 2, NULL, &l->work);
    wbParticles_ListMoves(p, moves);
    assertOk(wbFluidStep_Sort(&l->step, wbParticles_GetPoints(p), moves, WB_SORTED_COLUMNS));
    wbParticles_Flip(p);
    assertOk(wbFluidStep_FindGhosts(&l->step, wbParticles_GetPoints(p), &ghosts));
    assertOk(wbFluidStep_BuildLists(&l->step, wbParticles_GetPoints(p), &ghosts));
    float **const columns[] = {&l->toSurface, &l->h, &l->mass, &l->size};
    assert_true(wbFluidStep_AllocColumns(&l->step, columns, 4));
    for (int i = 0; i < count; i++) l->toSurface[i] = distance(p->x[i], p->y[i]), l->h[i] = h, l->mass[i] = 1;
    return l;
}

static void findSizes(Lattice *l, const wbAdaptiveParams *params) {
    const PbfWishes wishes = wbMakePbfWishes(params, radius, l->domain.dimensions);
    assertOk(wbFindWishedSizes(
        &l->step, &wishes, &(wbWishInput){.toSurface = l->toSurface, .h = l->h, .mass = l->mass}, l->size));
}

static void destroyLattice(Lattice *l) {
    wbFluidState_Free(l->work.memory, &l->fluid);
    destroyWork(&l->work);
    free(l);
}

static float isDeep(float x, float y) {
    (void)x, (void)y;
    return 0.4f;
}
enum { DEEP = 5 }; // the size there: 1 + 0.5 * 0.4 / 0.05

// A camera that looks along -z from 1 m: it sees 0.577 m up and down there, and twice as far to both sides. Out of it sizes grow by the slope, up to
// the factor; a box keeps its sizes but for that.
static void testView(void **state) {
    (void)state;
    FOR_EACH_SIMD(simd) {
        Lattice *l = createLattice(2, 30, 12, 1, simd, isDeep, NULL);
        wbAdaptiveParams params = makeParams();
        params.view = wbMakeVec3(0, 0, 1), params.viewAngle = 60, params.viewAspect = 2,
        params.viewFactor = 3;
        params.boxMin = wbMakeVec3(-9, 0.4f, -9), params.boxMax = wbMakeVec3(9, 9, 9);
        findSizes(l, &params);
        int seen = 0, unseen = 0, between = 0;
        for (int i = 0; i < l->fluid.particles.count; i++) {
            const double x = l->fluid.particles.x[i], y = l->fluid.particles.y[i], high = tan(M_PI / 6),
                         wide = 2 * high;
            const double up = (y - high) / hypot(1, high), right = (x - wide) / hypot(1, wide);
            const double out = fmax(fmax(up, right), 0), factor = fmin(1 + 0.5 * out / 0.05, 3);
            const double own = fmin(DEEP, 1 + 0.5 * fmax(0.4 - y, 0) / 0.05);
            assertBelow(fabs((double)l->size[i] - own * factor), 1e-4, "size by the view");
            seen += factor == 1, unseen += factor == 3, between += factor > 1 && factor < 3;
        }
        assert_true(seen > 50 && unseen > 50 && between > 10);
        destroyLattice(l);
    }
}

// Looking straight down, and behind the camera.
static void testViewDown(void **state) {
    (void)state;
    wbAdaptiveParams params = makeParams();
    Lattice *l = createLattice(2, 12, 12, 1, wb_simdAuto, isDeep, NULL);
    params.view = wbMakeVec3(0.6f, 0.6f, 0), params.viewTarget = wbMakeVec3(0.6f, -9, 0);
    params.viewAngle = 90, params.viewFactor = 2, params.slope = 1000;
    findSizes(l, &params);
    for (int i = 0; i < l->fluid.particles.count; i++) {
        const float x = l->fluid.particles.x[i] - 0.6f, y = l->fluid.particles.y[i] - 0.6f;
        const bool isSeen = y < 0 && fabsf(x) < -y * (16 / 9.0f);
        if (fabsf(fabsf(x) + y * (16 / 9.0f)) < 0.01f) continue;
        assert_true(isSeen == (l->size[i] < 1.5f * 8001));
    }
    destroyLattice(l);
}

// A sheet of six layers that widens to a slab of twenty: sizes are a share of the thickness, by the greatest distance to the surface near a particle.
static float getSheetDepth(float x, float y) {
    const float half = x < 1.5f ? 0.3f : 1;
    return fmaxf(half - fabsf(y - 1), 0.001f);
}
static void testFeature(void **state) {
    (void)state;
    FOR_EACH_SIMD(simd) {
        Lattice *l = createLattice(2, 30, 20, 1, simd, getSheetDepth, NULL);
        const wbParticles *p = &l->fluid.particles;
        wbAdaptiveParams params = makeParams();
        params.feature = 0.3f;
        findSizes(l, &params);
        int limited = 0;
        for (int i = 0; i < p->count; i++) {
            double deepest = 0;
            for (int j = 0; j < p->count; j++)
                if (hypot((double)(p->x[i] - p->x[j]), (double)(p->y[i] - p->y[j])) < (double)h - 1e-5)
                    deepest = fmax(deepest, (double)l->toSurface[j]);
            const double wished = 1 + 0.5 * (double)l->toSurface[i] / 0.05, most = 0.3 * 2 * deepest / 0.05;
            assertBelow(fabs((double)l->size[i] - fmax(fmin(wished, most), 1)), 1e-3,
                        "size by the thickness");
            limited += most < wished;
        }
        assert_true(limited > 20 && limited < p->count - 20);
        destroyLattice(l);
    }
}

// A fluid that turns has twice its angular velocity as curl everywhere in 2D; one that shears has its rate, where neighbours are all around.
static void turn(const float x[3], float v[3]) { v[0] = 5 - 3 * x[1], v[1] = 7 + 3 * x[0]; }
static void shear(const float x[3], float v[3]) { v[0] = 6 * x[2], v[2] = 1; }
static void testCurl(void **state) {
    (void)state;
    FOR_EACH_SIMD(simd) for (int d = 2; d <= 3; d++) {
        Lattice *l = d == 2 ? createLattice(2, 9, 9, 1, simd, isDeep, turn)
                            : createLattice(3, 7, 7, 7, simd, isDeep, shear);
        const wbParticles *p = &l->fluid.particles;
        wbAdaptiveParams params = makeParams();
        params.curl = 8; // of which 6 leaves half of what sizes are beyond 1
        findSizes(l, &params);
        for (int i = 0; i < p->count; i++) {
            const float low = fminf(fminf(p->x[i], p->y[i]), p->z[i]),
                        high = fmaxf(fmaxf(p->x[i], p->y[i]), p->z[i]);
            if (d == 3 && (low < 0.2f || high > 0.5f)) continue;
            assertBelow(fabs((double)l->size[i] - (1 + 0.5 * (DEEP - 1))), 1e-3, "size by the curl");
        }
        params.curl = 6;
        findSizes(l, &params);
        for (int i = 0; i < p->count && d == 2; i++)
            assertBelow(fabs((double)l->size[i] - 1), 1e-3, "size where it turns fast");
        destroyLattice(l);
    }
}

// Both methods in worlds: a block whose left end is in a box of small particles; then the box goes, and all of it is out of view, where particles at its
// edge may be larger.
static void testWorlds(void **state) {
    (void)state;
    for (int m = wb_adaptiveLevels; m <= wb_adaptiveThesis; m++) {
        wbFluidId fluid;
        wbWorldDef def = makePbfDef(2, wb_backendCpu, wbMakeVec3(0, 0, 0));
        def.params.gravity = wbMakeVec3(0, 0, 0), def.pbf.tension = 0;
        def.pbf.adaptive.method = (wbAdaptiveMethod)m, def.pbf.adaptive.kernelSlope = 0.6f;
        def.pbf.adaptive.slope = 0.4f, def.pbf.adaptive.band = 2, def.pbf.adaptive.fills = false;
        def.pbf.adaptive.boxMin = wbMakeVec3(-9, -9, -9), def.pbf.adaptive.boxMax = wbMakeVec3(1, 9, 9);
        wbWorld *world = createPbfWorld(&def, &fluid);
        addBlock(world, fluid, wbMakeVec3(0, 0, 0), wbMakeVec3(4.8f, 3.6f, 0));
        stepTimes(world, 90);
        wbView view = getView(world, fluid);
        const double mass = wbFluid_GetParticleMass(world, fluid);
        int large = 0, edge = 0;
        for (int i = 0; i < view.count; i++) {
            large += (double)view.mass[i] > 1.5 * mass;
            assert_true(view.x[i] > 0.9f || (double)view.mass[i] < 1.5 * mass);
        }
        assert_true(large > 50);
        assertOk(wbWorld_SetParam(world, "pbf.adaptive.boxMin", "9,0,0"));
        assertOk(wbWorld_SetParam(world, "pbf.adaptive.view", "0,0,50"));
        assertOk(wbWorld_SetParam(world, "pbf.adaptive.viewTarget", "0,0,90"));
        assertOk(wbWorld_SetParam(world, "pbf.adaptive.viewAngle", "40"));
        stepTimes(world, 90);
        view = getView(world, fluid);
        for (int i = 0; i < view.count; i++)
            edge += (double)view.mass[i] > 1.5 * mass && view.distance[i] < 0.12f;
        assert_true(edge > 20);
        wbDestroyWorld(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testView), cmocka_unit_test(testViewDown), cmocka_unit_test(testFeature),
        cmocka_unit_test(testCurl), cmocka_unit_test(testWorlds),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
