// SPDX-License-Identifier: MIT
// Position based fluids: against the reference, and what they promise by themselves.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pbd/pbf.h"
#include "reference/pbf.h"
#include "work_support.h"

typedef struct Scene {
    wbWork work;
    wbPbf pbf;
    wbPbfModel model;
} Scene;

// What a scene is made from.
typedef struct Setup {
    int dimensions, sites[3];
    float packed; // distance of the sites, in spacings
    float jitter, speed;
    wbPbfParams params;
    wbDomainDef domain;
    wbVec3 gravity;
} Setup;

static Setup makeSetup(int dimensions, int nx, int ny, int nz) {
    Setup setup = {.dimensions = dimensions,
                   .sites = {nx, ny, nz},
                   .packed = 0.97f,
                   .jitter = 0.2f,
                   .speed = 1,
                   .params = wbDefaultPbfParams(),
                   .gravity = {0, -9.81f, 0}};
    float length = setup.packed * setup.params.spacing;
    setup.domain.max = wbMakeVec3((float)nx * length, (float)ny * length, (float)nz * length);
    return setup; // all sides are walls
}

static int countSites(const Setup *setup) { return setup->sites[0] * setup->sites[1] * setup->sites[2]; }

static void fillBlock(const Setup *setup, float *x, float *v) {
    float length = setup->packed * setup->params.spacing;
    for (int i = 0; i < countSites(setup); i++) {
        const int site[3] = {i % setup->sites[0], i / setup->sites[0] % setup->sites[1],
                             i / setup->sites[0] / setup->sites[1]};
        for (int a = 0; a < 3; a++) {
            bool flat = a >= setup->dimensions;
            float jitter = setup->jitter * randomSigned((uint32_t)(6 * i + a));
            x[3 * i + a] = flat ? 0 : length * ((float)site[a] + 0.5f + jitter);
            v[3 * i + a] = flat ? 0 : setup->speed * randomSigned((uint32_t)(6 * i + a + 3));
        }
    }
}

static Scene createScene(const Setup *setup, int threads, wbSimd simd) {
    Scene scene = {.work = createWork(threads, simd)};
    size_t bytes = sizeof(float[3]) * (size_t)countSites(setup);
    float *x = malloc(bytes), *v = malloc(bytes);
    fillBlock(setup, x, v);
    wbPbf_Init(&scene.pbf);
    assertOk(
        wbPbfModel_Init(&scene.model, &setup->params, &setup->domain, setup->gravity, setup->dimensions));
    assertOk(wbPbf_AddParticles(&scene.pbf, scene.work.memory, &scene.model, countSites(setup), x, v));
    free(x), free(v);
    return scene;
}

static void destroyScene(Scene *scene) {
    wbPbf_Free(scene->work.memory, &scene->pbf);
    destroyWork(&scene->work);
}

static void stepScene(Scene *scene, float dt) {
    wbArena_Reset(scene->work.arena);
    assertOk(wbPbf_Step(&scene->pbf, &scene->model, &scene->work, dt));
}

static refPbf *createReference(const Setup *setup) {
    wbPbfModel model;
    assertOk(wbPbfModel_Init(&model, &setup->params, &setup->domain, setup->gravity, setup->dimensions));
    int count = countSites(setup);
    refPbf *reference = refCreatePbf(setup->dimensions, count);
    const wbPbfParams *p = &setup->params;
    reference->spacing = p->spacing, reference->smoothing = p->smoothing,
    reference->restDensity = p->restDensity;
    reference->iterations = p->iterations, reference->subSteps = p->subSteps;
    reference->equality = p->constraint == wb_densityEquality;
    reference->correction = model.constants.correction;
    reference->relaxation = p->relaxation, reference->tension = p->tension;
    reference->tensionPoint = p->tensionPoint;
    reference->viscosity = p->viscosity, reference->vorticity = p->vorticity;
    const float min[3] = {setup->domain.min.x, setup->domain.min.y, setup->domain.min.z};
    const float max[3] = {setup->domain.max.x, setup->domain.max.y, setup->domain.max.z};
    const float g[3] = {setup->gravity.x, setup->gravity.y, setup->gravity.z};
    for (int a = 0; a < 3; a++)
        reference->wallMin[a] = min[a], reference->wallMax[a] = max[a], reference->gravity[a] = g[a];
    for (int side = 0; side < 6; side++)
        reference->closed[side] = setup->domain.sides[side].type != wb_sideOpen;
    refSetUpPbf(reference);
    float *x = malloc(sizeof(float[3]) * (size_t)count), *v = malloc(sizeof(float[3]) * (size_t)count);
    fillBlock(setup, x, v);
    for (int i = 0; i < 3 * count; i++) reference->x[i / 3][i % 3] = x[i], reference->v[i / 3][i % 3] = v[i];
    free(x), free(v);
    return reference;
}

// Largest differences by id: positions in spacings, velocities in m/s, densities relative.
static void compare(const Scene *scene, const refPbf *reference, double limitX, double limitV) {
    const wbPbf *pbf = &scene->pbf;
    double worstX = 0, worstV = 0, worstDensity = 0;
    for (int k = 0; k < pbf->count; k++) {
        int i = (int)pbf->id[k];
        const float x[3] = {pbf->x[k], pbf->y[k], pbf->z[k]}, v[3] = {pbf->vx[k], pbf->vy[k], pbf->vz[k]};
        for (int a = 0; a < 3; a++) {
            worstX = fmax(worstX, fabs(x[a] - reference->x[i][a]) / scene->model.params.spacing);
            worstV = fmax(worstV, fabs(v[a] - reference->v[i][a]));
        }
        worstDensity = fmax(worstDensity, fabs(pbf->density[k] / reference->density[i] - 1));
    }
    assertBelow(worstX, limitX, "position");
    assertBelow(worstV, limitV, "velocity");
    assertBelow(worstDensity, 2 * limitX, "density");
}

static void setVariant(Setup *setup, int variant) {
    setup->params.constraint = variant & 1 ? wb_densityEquality : wb_densityInequality;
    setup->params.vorticity = variant & 2 ? 0.5f : 0;
    setup->params.viscosity = variant & 2 ? 0.05f : 0;
    setup->params.smoothing = variant & 4 ? 2.7f : 2.1f;
    setup->params.tension = variant & 4 ? 0.05f : 0.1f;
    if (variant & 4) setup->domain.sides[wb_top].type = setup->domain.sides[wb_right].type = wb_sideOpen;
}

static void testAgainstReference(void **state) {
    (void)state;
    for (int variant = 0; variant < 8; variant++) {
        for (int dimensions = 2; dimensions <= 3; dimensions++) {
            Setup setup = dimensions == 2 ? makeSetup(2, 17, 13, 1) : makeSetup(3, 9, 8, 7);
            setVariant(&setup, variant);
            refPbf *reference = createReference(&setup);
            refStepPbf(reference, 0.005);
            FOR_EACH_SIMD(simd) {
                Scene scene = createScene(&setup, 2, simd);
                stepScene(&scene, 0.005f);
                compare(&scene, reference, 2e-5, 2e-3);
                destroyScene(&scene);
            }
            refDestroyPbf(reference);
        }
    }
}

static void testSteps(void **state) {
    (void)state;
    Setup setup = makeSetup(3, 9, 8, 7);
    setVariant(&setup, 2);
    setup.params.subSteps = 2, setup.params.iterations = 2;
    refPbf *reference = createReference(&setup);
    for (int k = 0; k < 3; k++) refStepPbf(reference, 0.008);
    Scene scene = createScene(&setup, 2, wb_simdAuto);
    for (int k = 0; k < 3; k++) stepScene(&scene, 0.008f);
    compare(&scene, reference, 2e-4, 2e-2); // rounding has grown
    destroyScene(&scene);
    refDestroyPbf(reference);
}

// The lattice has the rest density and stays where it is; half a spacing from walls it does not feel them.
static void testLatticeRests(void **state) {
    (void)state;
    for (int equality = 0; equality < 2; equality++) {
        Setup setup = makeSetup(3, 8, 8, 8);
        setup.packed = 1, setup.jitter = setup.speed = 0, setup.gravity = wbMakeVec3(0, 0, 0);
        setup.domain.max = wbMakeVec3(0.8f, 0.8f, 0.8f);
        setup.params.constraint = equality ? wb_densityEquality : wb_densityInequality;
        Scene scene = createScene(&setup, 1, wb_simdAuto);
        for (int k = 0; k < 5; k++) stepScene(&scene, 0.01f);
        for (int i = 0; i < scene.pbf.count; i++)
            assertBelow(fabsf(scene.pbf.density[i] / 1000 - 1), 1e-4, "density");
        assertBelow(scene.pbf.maxSpeed, 1e-3, "speed");
        destroyScene(&scene);
    }
}

// Pairs push each other alike: the momentum of what touches no wall stays.
static void testMomentum(void **state) {
    (void)state;
    Setup setup = makeSetup(3, 10, 10, 10);
    setup.gravity = wbMakeVec3(0, 0, 0), setup.params.viscosity = 0.1f;
    for (int side = 0; side < wb_sideCount; side++) setup.domain.sides[side].type = wb_sideOpen;
    Scene scene = createScene(&setup, 2, wb_simdAuto);
    double before = 0, after = 0, size = 0;
    for (int i = 0; i < scene.pbf.count; i++) before += scene.pbf.vx[i], size += fabsf(scene.pbf.vx[i]);
    for (int k = 0; k < 50; k++) stepScene(&scene, 0.005f);
    for (int i = 0; i < scene.pbf.count; i++) after += scene.pbf.vx[i];
    assertBelow(fabs(after - before) / size, 1e-4, "momentum");
    destroyScene(&scene);
}

static uint64_t hashAfter(const Setup *setup, int threads, wbSimd simd) {
    Scene scene = createScene(setup, threads, simd);
    wbColumn columns[WB_PBF_COLUMNS];
    uint64_t hash = WB_HASH_START;
    for (int k = 0; k < 20; k++) stepScene(&scene, 0.01f);
    wbPbf_ListColumns(&scene.pbf, columns);
    for (int k = 0; k < WB_PBF_COLUMNS; k++)
        hash = wbHashBytes(hash, *columns[k].data, sizeof(float) * (size_t)scene.pbf.count);
    destroyScene(&scene);
    return hash;
}

static void testThreadsChangeNothing(void **state) {
    (void)state;
    Setup setup = makeSetup(3, 15, 14, 13);
    setup.domain.max.x *= 1.5f, setup.params.vorticity = 0.2f;
    FOR_EACH_SIMD(simd) {
        uint64_t expected = hashAfter(&setup, 1, simd);
        for (int threads = 2; threads <= 4; threads++)
            assert_true(hashAfter(&setup, threads, simd) == expected);
    }
}

// A scene behaves alike at every scale: lengths and gravity ten thousand times as large.
static void testScale(void **state) {
    (void)state;
    Setup small = makeSetup(2, 16, 12, 1);
    small.domain.max.x *= 1.5f;
    Setup large = small;
    const float scale = 10000;
    large.params.spacing *= scale, large.domain.max = wbScale(scale, small.domain.max);
    large.gravity = wbScale(scale, small.gravity), large.speed *= scale;
    Scene a = createScene(&small, 1, wb_simdAuto), b = createScene(&large, 1, wb_simdAuto);
    double worst = 0;
    for (int k = 0; k < 5; k++) stepScene(&a, 0.005f), stepScene(&b, 0.005f);
    for (int i = 0; i < a.pbf.count; i++) {
        assert_int_equal(a.pbf.id[i], b.pbf.id[i]);
        worst = fmax(worst, fabs(a.pbf.x[i] - (double)b.pbf.x[i] / scale));
    }
    assertBelow(worst, 1e-3 * small.params.spacing, "position");
    destroyScene(&a), destroyScene(&b);
}

static void testWarmStepsAllocateNothing(void **state) {
    (void)state;
    Setup setup = makeSetup(3, 10, 10, 10);
    setup.domain.max.x *= 2;
    Scene scene = createScene(&setup, 2, wb_simdAuto);
    for (int k = 0; k < 400; k++) stepScene(&scene, 0.01f);
    uint64_t calls = wbGetMemoryUse(scene.work.memory).calls;
    for (int k = 0; k < 10; k++) stepScene(&scene, 0.01f);
    assert_true(wbGetMemoryUse(scene.work.memory).calls == calls);
    destroyScene(&scene);
}

// A block collapses and comes to rest: all of it stays in the box, with the density of water, and without layers of
// particles that stick to the walls.
static void testCollapse(void **state) {
    (void)state;
    Setup setup = makeSetup(2, 30, 30, 1);
    setup.packed = 1, setup.jitter = 0, setup.speed = 0;
    setup.domain.max = wbMakeVec3(6, 6, 0);
    setup.params.viscosity = 0.05f, setup.params.iterations = 8;
    Scene scene = createScene(&setup, 2, wb_simdAuto);
    for (int k = 0; k < 900; k++) stepScene(&scene, 1.0f / 120);
    int onFloor = 0, onSides = 0;
    double height = 0;
    for (int i = 0; i < 900; i++) {
        float x = scene.pbf.x[i], y = scene.pbf.y[i];
        assert_true(x > 0 && x < 6 && y > 0 && y < 6);
        height += y / 900.0;
        onFloor += y < 0.2f * setup.params.spacing;
        onSides += x < 0.2f * setup.params.spacing || x > 6 - 0.2f * setup.params.spacing;
        assert_true(y < 2);
    }
    assertBelow(fabs(height - 0.75), 0.1, "mean height"); // 9 m2 over 6 m
    assertBelow(onFloor, 6, "particles on the floor");    // of 60 in a layer
    assertBelow(onSides, 3, "particles on the sides");
    destroyScene(&scene);
}

static void testUnstableIsFound(void **state) {
    (void)state;
    Setup setup = makeSetup(3, 8, 8, 8);
    for (int side = 0; side < wb_sideCount; side++) setup.domain.sides[side].type = wb_sideOpen;
    Scene scene = createScene(&setup, 1, wb_simdAuto);
    scene.pbf.vx[100] = FLT_MAX;
    wbArena_Reset(scene.work.arena);
    assert_int_equal(wbPbf_Step(&scene.pbf, &scene.model, &scene.work, 10).code, wb_errorUnstable);
    destroyScene(&scene);
    scene = createScene(&setup, 1, wb_simdAuto);
    memset(scene.pbf.x, 0, sizeof(float) * 512), memset(scene.pbf.y, 0, sizeof(float) * 512);
    memset(scene.pbf.z, 0, sizeof(float) * 512);
    memset(scene.pbf.vx, 0, sizeof(float) * 512), memset(scene.pbf.vz, 0, sizeof(float) * 512);
    memset(scene.pbf.vy, 0, sizeof(float) * 512);
    wbArena_Reset(scene.work.arena);
    assert_int_equal(wbPbf_Step(&scene.pbf, &scene.model, &scene.work, 0.01f).code,
                     wb_ok); // 512 in one place part
    destroyScene(&scene);
}

static void testNarrowBoxIsRefused(void **state) {
    (void)state;
    Setup setup = makeSetup(3, 8, 2, 8);
    wbPbfModel model;
    wbStatus status = wbPbfModel_Init(&model, &setup.params, &setup.domain, setup.gravity, 3);
    assert_int_equal(status.code, wb_errorInput);
    assert_non_null(strstr(status.text, "pbf.spacing"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testAgainstReference),
        cmocka_unit_test(testSteps),
        cmocka_unit_test(testLatticeRests),
        cmocka_unit_test(testMomentum),
        cmocka_unit_test(testThreadsChangeNothing),
        cmocka_unit_test(testScale),
        cmocka_unit_test(testWarmStepsAllocateNothing),
        cmocka_unit_test(testCollapse),
        cmocka_unit_test(testUnstableIsFound),
        cmocka_unit_test(testNarrowBoxIsRefused),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
