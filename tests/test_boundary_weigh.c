// SPDX-License-Identifier: MIT
// The volumes of colliders' points: what is full of them is as dense as water from half a spacing above its surface.
#include "pbd/pbf_boundary.h"
#include "pbd/pbf_model.h"
#include "shape_support.h"
#include "space/boundary.h"
#include "work_support.h"

static const float spacing = 0.1f;

typedef struct Weighed {
    wbWork work;
    wbDomain domain;
    wbPbfModel model;
    wbBoundary boundary;
} Weighed;

static void addShape(Weighed *w, wbShape *shape) {
    wbShapeSamples samples;
    assertOk(wbShape_Sample(shape, spacing, w->model.h, w->domain.dimensions, w->work.pool, &samples));
    const size_t count = (size_t)samples.count;
    float *points = malloc(sizeof(float[3]) * count), *normals = malloc(sizeof(float[3]) * count),
          *depths = malloc(sizeof(float) * count);
    for (size_t k = 0; k < count; k++) {
        memcpy(points + 3 * k, &samples.samples[k].position, sizeof(float[3]));
        memcpy(normals + 3 * k, &samples.samples[k].normal, sizeof(float[3]));
        depths[k] = samples.samples[k].depth;
    }
    const wbBoundaryBodyDef def = {.count = samples.count,
                                   .shape = shape,
                                   .points = points,
                                   .normals = normals,
                                   .depths = depths,
                                   .motion = {.pose = wb_poseAtOrigin}};
    assertOk(wbBoundary_AddBody(&w->boundary, w->work.memory, &def));
    free(points), free(normals), free(depths);
    wbShape_FreeSamples(shape, &samples);
}

static void weigh(Weighed *w) {
    const wbBoundaryKernel kernel = wbPbfModel_GetBoundaryKernel(&w->model, false, w->work.simd);
    assertOk(wbBoundary_Weigh(&w->boundary, &kernel, &w->work));
}

static Weighed *begin(int dimensions, int threads) {
    Weighed *w = calloc(1, sizeof *w);
    wbWorldDef def = wbDefaultWorldDef();
    def.pbf.spacing = spacing;
    w->work = createWork(threads, wb_simdAuto);
    w->domain = wbMakeDomain(&def.domain, wbMakeVec3(0, -9.81f, 0), dimensions);
    assertOk(wbPbfModel_Init(&w->model, &def.pbf, &w->domain));
    wbBoundary_Init(&w->boundary);
    return w;
}

static void end(Weighed *w) {
    wbBoundary_Free(w->work.memory, &w->boundary);
    destroyWork(&w->work);
    free(w);
}

static void assertWeights(const Weighed *w, float low, float high) {
    for (int k = 0; k < w->boundary.pointCount; k++) {
        const float weight = w->boundary.weight[k];
        if (weight < low || weight > high)
            fail_msg("%g at (%g, %g, %g)", (double)weight, (double)w->boundary.localX[k],
                     (double)w->boundary.localY[k], (double)w->boundary.localZ[k]);
    }
}

static double sumWeights(const Weighed *w) {
    double sum = 0;
    for (int k = 0; k < w->boundary.pointCount; k++) sum += (double)w->boundary.weight[k];
    return sum;
}

static wbShape *createBox(float size) {
    wbMesh mesh;
    return shapeOf(wbMakeBox(wbMakeVec3(size, size, size), &mesh), &mesh);
}

// Also those of edges and corners, and in all layers.
static void testCubes(void **state) {
    (void)state;
    static const float sizes[] = {4, 5, 8, 16};
    for (int d = 2; d <= 3; d++)
        for (int k = 0; k < 4; k++) {
            Weighed *w = begin(d, 1);
            wbShape *shape = createBox(sizes[k] * spacing);
            addShape(w, shape);
            weigh(w);
            assertWeights(w, 0.999f, 1.001f);
            wbDestroyShape(shape);
            end(w);
        }
}

// Faces that are no whole number of spacings wide are filled, too.
static void testCubesBetween(void **state) {
    (void)state;
    static const float sizes[] = {4.2f, 4.5f, 6.3f, 8.8f};
    for (int k = 0; k < 4; k++) {
        Weighed *w = begin(3, 1);
        wbShape *shape = createBox(sizes[k] * spacing);
        addShape(w, shape);
        weigh(w);
        const double inside = fmax((double)sizes[k] - 4, 0),
                     shell = pow((double)sizes[k], 3) - pow(inside, 3);
        assertBelow(fabs(sumWeights(w) / shell - 1), 0.08, "volume");
        wbDestroyShape(shape);
        end(w);
    }
}

// A notch is no edge: within it the shell goes on.
static void testTank(void **state) {
    (void)state;
    const wbTankParams tank = {.innerSize = wbMakeVec3(8 * spacing, 6 * spacing, 8 * spacing),
                               .wall = 2 * spacing,
                               .floor = 2 * spacing};
    Weighed *w = begin(3, 1);
    wbMesh mesh;
    wbShape *shape = shapeOf(wbMakeTank(&tank, &mesh), &mesh);
    addShape(w, shape);
    weigh(w);
    assertWeights(w, 0.8f, 1.2f);
    wbDestroyShape(shape);
    end(w);
}

static void testBalls(void **state) {
    (void)state;
    static const double radii[] = {2, 4, 8};
    for (int k = 0; k < 3; k++) {
        Weighed *w = begin(3, 1);
        wbMesh mesh;
        wbShape *shape = shapeOf(wbMakeSphere((float)radii[k] * spacing, 64, &mesh), &mesh);
        addShape(w, shape);
        weigh(w);
        const double shell = 4 * acos(-1.0) / 3 * (pow(radii[k], 3) - pow(radii[k] - 2, 3));
        assertBelow(fabs(sumWeights(w) / shell - 1), 0.15, "volume");
        wbDestroyShape(shape);
        end(w);
    }
}

// Bodies of one form have the same, whoever came first and however many threads weigh them.
static void testTwins(void **state) {
    (void)state;
    Weighed *w[2];
    for (int k = 0; k < 2; k++) {
        wbMesh mesh;
        wbShape *shape = shapeOf(wbMakeSphere(0.37f, 24, &mesh), &mesh);
        w[k] = begin(3, k + 1);
        addShape(w[k], shape);
        if (k == 1) weigh(w[k]);
        addShape(w[k], shape);
        weigh(w[k]);
        wbDestroyShape(shape);
    }
    const int count = w[0]->boundary.pointCount / 2;
    const size_t bytes = sizeof(float) * (size_t)count;
    assert_true(count > 0 && w[1]->boundary.pointCount == 2 * count);
    assert_memory_equal(w[0]->boundary.weight, w[0]->boundary.weight + count, bytes);
    assert_memory_equal(w[0]->boundary.weight, w[1]->boundary.weight, 2 * bytes);
    end(w[0]), end(w[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testCubes), cmocka_unit_test(testCubesBetween),
                                       cmocka_unit_test(testTank), cmocka_unit_test(testBalls),
                                       cmocka_unit_test(testTwins)};
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
