// SPDX-License-Identifier: MIT
// Samples of a shape's shell: a lattice below flat faces, and no holes anywhere.
#include "shape_support.h"

static wbThreadPool *pool;

static bool isOnLattice(float x, float low, float spacing) {
    float place = (x - low) / spacing - 0.5f;
    return fabsf(place - roundf(place)) < 1e-3f;
}

static void testBoxIsLattice(void **state) {
    (void)state;
    wbMesh mesh;
    wbShapeSamples samples;
    wbShape *box = shapeOf(wbMakeBox(wbMakeVec3(1, 0.8f, 0.6f), &mesh), &mesh);
    assertOk(wbShape_Sample(box, 0.1f, 1, 3, pool, &samples));
    assert_int_equal(samples.count, 10 * 8 * 6);
    for (int i = 0; i < samples.count; i++) {
        const wbShapeSample *s = &samples.samples[i];
        assert_true(isOnLattice(s->position.x, -0.5f, 0.1f) && isOnLattice(s->position.y, -0.4f, 0.1f) &&
                    isOnLattice(s->position.z, -0.3f, 0.1f));
        assert_true(isOnLattice(s->depth, 0, 0.1f));
    }
    wbShape_FreeSamples(box, &samples);
    assertOk(wbShape_Sample(box, 0.1f, 0.2f, 3, pool, &samples)); // two layers
    assert_int_equal(samples.count, 10 * 8 * 6 - 6 * 4 * 2);
    wbShape_FreeSamples(box, &samples);
    wbDestroyShape(box);
    const float corners[][2] = {{0, 0}, {1, 0}, {1, 0.8f}, {0, 0.8f}};
    box = shapeOf(wbMakePrism(corners, 4, 10, &mesh), &mesh);
    assertOk(wbShape_Sample(box, 0.1f, 1, 2, pool, &samples));
    assert_int_equal(samples.count, 10 * 8);
    for (int i = 0; i < samples.count; i++) assert_true(samples.samples[i].position.z == 0);
    wbShape_FreeSamples(box, &samples);
    wbDestroyShape(box);
}

// Also where its size is no multiple of the spacing, each face has a lattice below it, which fills it.
static void testFacesOfOddBox(void **state) {
    (void)state;
    wbMesh mesh;
    wbShapeSamples samples;
    wbShape *box = shapeOf(wbMakeBox(wbMakeVec3(1.03f, 0.77f, 0.61f), &mesh), &mesh);
    assertOk(wbShape_Sample(box, 0.1f, 0.1f, 3, pool, &samples));
    int below = 0;
    for (int i = 0; i < samples.count; i++) {
        const wbShapeSample *s = &samples.samples[i];
        if (fabsf(s->position.y - 0.335f) > 1e-4f || fabsf(s->position.x) > 0.4f ||
            fabsf(s->position.z) > 0.2f)
            continue;
        below++;
        assert_true(isOnLattice(s->position.x, -0.515f, 0.103f) &&
                    isOnLattice(s->position.z, -0.305f, 0.61f / 6));
        assert_true(s->normal.y > 0.999f && fabsf(s->depth - 0.05f) < 1e-4f);
    }
    assert_int_equal(below, 8 * 4);
    wbShape_FreeSamples(box, &samples);
    wbDestroyShape(box);
}

// Spacings from a point to the nearest sample.
static float findNearest(const wbShapeSamples *samples, wbVec3 p, float spacing) {
    float nearest2 = INFINITY;
    for (int i = 0; i < samples->count; i++) {
        wbVec3 d = wbSub(samples->samples[i].position, p);
        nearest2 = fminf(nearest2, wbDot(d, d));
    }
    return sqrtf(nearest2) / spacing;
}

// Fills to a depth and looks for holes and crowds; `volume` of the shell is 0 where it is not known.
static void expectNoHoles(const wbShape *shape, float spacing, float depth, double volume, float farthest) {
    wbShapeSamples samples;
    assertOk(wbShape_Sample(shape, spacing, depth, 3, pool, &samples));
    const wbShapeTree *tree = wbShape_GetTree(shape);
    uint32_t seed = 1;
    float worst = 0;
    int tried = 0;
    for (int i = 0; i < 4000; i++) {
        wbVec3 r = randomPoint(&seed, 1), extent = wbScale(0.5f, wbSub(tree->max, tree->min));
        wbVec3 p = wbAdd(tree->centre, wbMakeVec3(r.x * extent.x, r.y * extent.y, r.z * extent.z));
        float distance = wbShape_FindSurface(shape, p).distance;
        if (distance > 0 || distance < -depth) continue;
        worst = fmaxf(worst, findNearest(&samples, p, spacing));
        tried++;
    }
    assert_true(tried > 100);
    if (!(worst < farthest))
        fail_msg("a point is %g spacings from all %d samples", (double)worst, samples.count);
    for (int i = 0; i < samples.count; i++) {
        const wbShapeSample *s = &samples.samples[i];
        wbSurface surface = wbShape_FindSurface(shape, s->position);
        assert_true(fabsf(surface.distance + s->depth) < 1e-3f * spacing && s->depth > 0);
        assert_true(fabsf(lengthOf(s->normal) - 1) < 1e-3f);
    }
    double expected = volume / pow((double)spacing, 3);
    if (volume > 0 && fabs(samples.count - expected) > 0.2 * expected)
        fail_msg("%d samples, not about %g", samples.count, expected);
    wbShape_FreeSamples(shape, &samples);
}

static void testNoHoles(void **state) {
    (void)state;
    const double pi = 3.14159265358979;
    wbMesh mesh;
    wbShape *sphere = shapeOf(wbMakeSphere(0.5f, 64, &mesh), &mesh);
    expectNoHoles(sphere, 0.05f, 0.1f, 4 * pi / 3 * (0.125 - 0.064), 1.2f);
    wbDestroyShape(sphere);
    wbShape *torus = shapeOf(wbMakeTorus(0.5f, 0.2f, 64, &mesh), &mesh);
    expectNoHoles(torus, 0.05f, 0.1f, 2 * pi * pi * 0.5 * (0.04 - 0.01), 1.2f);
    wbDestroyShape(torus);
    wbVec3 path[] = {{0, 1, 0}, {1, 0.8f, 0}, {1, 0.7f, 1}};
    wbTroughParams params = {path, 3, 0.3f, 0.2f, 0.11f};
    wbShape *trough = shapeOf(wbMakeTrough(&params, &mesh), &mesh);
    expectNoHoles(trough, 0.04f, 0.08f, 0, 1.2f);
    wbDestroyShape(trough);
    wbWheelParams wheelParams = {0.2f, 0.5f, 0.3f, 0.05f, 6, 0.05f, 32};
    wbShape *wheel = shapeOf(wbMakeWheel(&wheelParams, &mesh), &mesh);
    expectNoHoles(wheel, 0.03f, 0.06f, 0, 1.3f); // faces inside other parts keep samples away
    wbDestroyShape(wheel);
}

// Thinner than a spacing, and thinner than the lattice of the candidates: one layer in the middle.
static void testThinPlates(void **state) {
    (void)state;
    for (int thin = 0; thin < 2; thin++) {
        wbMesh mesh;
        wbShapeSamples samples;
        wbShape *plate = shapeOf(wbMakeBox(wbMakeVec3(1, thin ? 0.003f : 0.07f, 1), &mesh), &mesh);
        assertOk(wbShape_Sample(plate, 0.1f, 0.2f, 3, pool, &samples));
        for (int i = 0; i < samples.count; i++)
            assert_true(fabsf(samples.samples[i].position.y) < (thin ? 0.0003f : 0.007f));
        assert_true(samples.count >= 90 && samples.count <= 110);
        uint32_t seed = 1;
        for (int i = 0; i < 1000; i++) {
            wbVec3 p = randomPoint(&seed, 0.5f);
            p.y = 0;
            assert_true(findNearest(&samples, p, 0.1f) < 1.2f);
        }
        wbShape_FreeSamples(plate, &samples);
        wbDestroyShape(plate);
    }
}

static void testThreadsDoNotMatter(void **state) {
    (void)state;
    wbMesh mesh;
    wbShape *torus = shapeOf(wbMakeTorus(0.5f, 0.2f, 64, &mesh), &mesh);
    wbThreadPool *one = wbCreateThreadPool(NULL, 1, NULL, NULL);
    wbShapeSamples samples, others;
    assertOk(wbShape_Sample(torus, 0.03f, 0.1f, 3, pool, &samples));
    assertOk(wbShape_Sample(torus, 0.03f, 0.1f, 3, one, &others));
    assert_int_equal(samples.count, others.count);
    assert_memory_equal(samples.samples, others.samples, sizeof(wbShapeSample) * (size_t)samples.count);
    wbShape_FreeSamples(torus, &samples);
    wbShape_FreeSamples(torus, &others);
    wbDestroyThreadPool(one);
    wbDestroyShape(torus);
}

static void testRefusesTooFineSpacing(void **state) {
    (void)state;
    wbMesh mesh;
    wbShapeSamples samples;
    wbShape *box = shapeOf(wbMakeBox(wbMakeVec3(1000, 1, 1), &mesh), &mesh);
    expectInputError(wbShape_Sample(box, 1e-3f, 1, 3, pool, &samples),
                     "1000 m is too large for a spacing of 0.001 m");
    wbDestroyShape(box);
    box = shapeOf(wbMakeBox(wbMakeVec3(1000, 1, 1000), &mesh), &mesh);
    expectInputError(wbShape_Sample(box, 0.05f, 0.1f, 3, pool, &samples),
                     "a surface of 2.004e+06 m2 is too large for a spacing of 0.05 m");
    wbDestroyShape(box);
}

static int createPool(void **state) {
    pool = wbCreateThreadPool(NULL, 3, NULL, NULL);
    return catchAsserts(state);
}

static int destroyPool(void **state) {
    (void)state;
    wbDestroyThreadPool(pool);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testBoxIsLattice),
        cmocka_unit_test(testFacesOfOddBox),
        cmocka_unit_test(testNoHoles),
        cmocka_unit_test(testThinPlates),
        cmocka_unit_test(testThreadsDoNotMatter),
        cmocka_unit_test(testRefusesTooFineSpacing),
    };
    return cmocka_run_group_tests(tests, createPool, destroyPool);
}
