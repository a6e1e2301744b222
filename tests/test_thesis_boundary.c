// SPDX-License-Identifier: MIT
// Colliders and several fluids among the particles of the thesis' adaptive fluid.
#include "slab_support.h"
#include "thesis_support.h"

typedef struct Slab {
    wbBoundary boundary;
    wbFluidColliders colliders;
} Slab;

// Below y = 0.
static void addFloor(Slab *slab, const Scene *scene, bool isNoSlip) {
    const bool isFlat = scene->domain.dimensions == 2;
    const float low[3] = {-1, 0, isFlat ? 0 : -1}, high[3] = {4, 0, isFlat ? 0 : 4};
    wbBoundary_Init(&slab->boundary);
    addSlab(&slab->boundary, scene->work.memory, 1, 0, true, low, high, scene->model.params.spacing,
            isNoSlip);
    slab->colliders = (wbFluidColliders){.boundary = &slab->boundary};
}

static void stepOn(Scene *scene, const Slab *slab, float dt) {
    wbArena_Reset(scene->work.arena);
    assertOk(
        wbThesis_Step(&scene->thesis, &scene->fluid, &scene->model, &slab->colliders, &scene->work, dt, 1));
}

static void destroy(Scene *scene, Slab *slab) {
    wbBoundary_Free(scene->work.memory, &slab->boundary);
    destroyScene(scene);
}

// A block of many sizes that goes down onto the slab, with nothing else around it.
static Scene *createFall(int dimensions, wbSimd simd) {
    Scene *scene = dimensions == 3 ? createBlock(3, simd, 7, 1.6f) : createBlock(2, simd, 16, 1.8f);
    for (int s = 0; s < wb_sideCount; s++) scene->domain.closed[s] = false;
    scene->domain.gravity = wbMakeVec3(0, 0, 0);
    for (int i = 0; i < scene->fluid.particles.count; i++) scene->fluid.particles.vy[i] -= 2;
    return scene;
}

static refPoint *copyPoints(const wbBoundary *b) {
    const int count = wbBoundary_GetCount(b);
    refPoint *points = calloc((size_t)count, sizeof *points);
    for (int k = 0; k < count; k++) {
        const float *record = b->positionRecords + 4 * (size_t)k;
        const int source = b->source[k];
        points[k] = (refPoint){.x = {record[0], record[1], record[2]},
                               .weight = record[3],
                               .inwards = {-b->normalX[source], -b->normalY[source], -b->normalZ[source]},
                               .depth = b->depth[source]};
    }
    return points;
}

static void testAgainstReference(void **state) {
    (void)state;
    for (int d = 2; d <= 3; d++) FOR_EACH_SIMD(simd) {
            Scene *scene = createFall(d, simd);
            Slab slab;
            addFloor(&slab, scene, false);
            refThesis *twin = createTwin(scene);
            stepOn(scene, &slab, 0.005f);
            twin->points = copyPoints(&slab.boundary), twin->pointCount = wbBoundary_GetCount(&slab.boundary);
            refStepThesis(twin, 0.005);
            matchParticles(scene, twin);
            double push[3] = {0};
            for (int n = 0; n < twin->pointCount; n++)
                for (int k = 0; k < 3; k++) push[k] += 1000 * twin->points[n].push[k] / 0.005;
            const double *got = wbBoundary_GetBody(&slab.boundary, 0)->impulse.linear;
            assert_true(push[1] < -1);
            for (int k = 0; k < 3; k++) assertBelow(fabs(got[k] - push[k]), 2e-3 * fabs(push[1]), "impulse");
            free(twin->points);
            refDestroyThesis(twin);
            destroy(scene, &slab);
        }
}

// Lattices of equal particles, small ones and large ones, on the slab: the first layer has the rest density.
static void testDensityOnFloor(void **state) {
    (void)state;
    for (int d = 2; d <= 3; d++)
        for (int size = 1; size <= 2; size++) {
            const int n = d == 3 ? 7 : 11;
            const float spacing = 0.1f * (float)size;
            Scene *scene = createScene(d, 1, wb_simdAuto, &(wbDomainDef){0}, wbMakeVec3(0, 0, 0));
            for (int k = 0; k < n * n * (d == 3 ? n : 1); k++) {
                const float x[3] = {spacing * ((float)(k % n) + 0.5f), spacing * ((float)(k / n % n) + 0.5f),
                                    d == 3 ? spacing * ((float)(k / n / n) + 0.5f) : 0};
                addAt(scene, x);
                const uint32_t units = (uint32_t)(size == 1 ? 1 : d == 3 ? 8 : 4);
                scene->thesis.units[k] = units, scene->thesis.parts[k] = units * WB_THESIS_PARTS;
                scene->thesis.h[k] = 2 * spacing, scene->thesis.distance[k] = 28 * spacing;
            }
            Slab slab;
            addFloor(&slab, scene, false);
            scene->model.params.relaxations = 0;
            stepOn(scene, &slab, 1e-4f);
            const wbParticles *p = &scene->fluid.particles;
            const float middle = 0.5f * (float)n * spacing;
            for (int i = 0; i < p->count; i++)
                if (p->y[i] < spacing && fabsf(p->x[i] - middle) < 0.6f * spacing &&
                    (d == 2 || fabsf(p->z[i] - middle) < 0.6f * spacing))
                    assertBelow(fabs((double)p->density[i] / 1000 - 1), size == 1 ? 0.001 : 0.03,
                                "density on a floor");
            destroy(scene, &slab);
        }
}

// Two fluids, one four times as dense: what particles lose the slab gets, also by sticking. Their fluids never merge into each other.
static void testMomentum(void **state) {
    (void)state;
    for (int sticks = 0; sticks < 2; sticks++) {
        Scene *scene = createFall(3, wb_simdAuto);
        wbParticles *p = &scene->fluid.particles;
        const uint32_t half = (uint32_t)p->count / 2, first[] = {0, half};
        const float relative[] = {1, 4};
        const int fluids[] = {0, 1};
        scene->fluid.mixture = (wbMixture){2, first, relative};
        scene->thesis.runs = (wbFluidRuns){2, first, fluids};
        scene->model.params.thin = 0, scene->model.params.steep = 1e9f, scene->model.params.largest = 8;
        for (int i = 0; i < p->count; i++) {
            scene->thesis.distance[i] = 4;
            p->vx[i] += 1;
        }
        Slab slab;
        addFloor(&slab, scene, sticks);
        double before[3] = {0}, after[3] = {0}, gained[3] = {0};
        int64_t parts[2] = {0};
        for (int i = 0; i < p->count; i++) {
            const double m = (double)scene->thesis.parts[i] / WB_THESIS_PARTS * (p->id[i] < half ? 1 : 4);
            before[0] += m * (double)p->vx[i], before[1] += m * (double)p->vy[i];
            parts[p->id[i] < half ? 0 : 1] += scene->thesis.parts[i];
        }
        scene->thesis.spare.count = scene->thesis.spare.spanCount = 0;
        scene->model.params.mergeTime = 0.005f;
        for (int n = 0; n < 4; n++) {
            stepOn(scene, &slab, 0.005f);
            for (int k = 0; k < 3; k++) gained[k] += wbBoundary_GetBody(&slab.boundary, 0)->impulse.linear[k];
        }
        assert_true(scene->thesis.merges > 10);
        for (int i = 0; i < p->count; i++) {
            const double m = (double)scene->thesis.parts[i] / WB_THESIS_PARTS * (p->id[i] < half ? 1 : 4);
            after[0] += m * (double)p->vx[i], after[1] += m * (double)p->vy[i];
            parts[p->id[i] < half ? 0 : 1] -= scene->thesis.parts[i];
        }
        assert_true(sticks ? gained[0] > 1 : gained[1] < -10);
        for (int k = 0; k < 2; k++)
            assertBelow(fabs(after[k] - before[k] + gained[k]), 1e-3 * fabs(gained[1]), "momentum");
        for (int k = 0; k < 2; k++) assert_true(llabs(parts[k]) < 64 * (int64_t)WB_THESIS_PARTS);
        destroy(scene, &slab);
    }
}

// One fluid, however dense, moves as one of the rest density.
static void testOneDensity(void **state) {
    (void)state;
    const uint32_t first[] = {0};
    const float relative[] = {4};
    Scene *scenes[2];
    for (int k = 0; k < 2; k++) {
        scenes[k] = createBlock(2, wb_simdAuto, 18, 1.6f);
        if (k == 1) scenes[k]->fluid.mixture = (wbMixture){1, first, relative};
        step(scenes[k], 0.005f);
    }
    const wbParticles *one = &scenes[0]->fluid.particles, *other = &scenes[1]->fluid.particles;
    double worst = 0;
    assert_int_equal(one->count, other->count);
    for (int i = 0; i < one->count; i++)
        worst =
            fmax(worst, fabs((double)(one->x[i] - other->x[i])) + fabs((double)(one->y[i] - other->y[i])));
    assertBelow(worst, 1e-5, "position");
    for (int k = 0; k < 2; k++) destroyScene(scenes[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testAgainstReference),
        cmocka_unit_test(testDensityOnFloor),
        cmocka_unit_test(testMomentum),
        cmocka_unit_test(testOneDensity),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
