// SPDX-License-Identifier: MIT
// What a window needs of the renderer: a borrowed context, other sizes, levels of quality, marks, lines of sight.
#include "render_support.h"

static const wbSize wide = {320, 180}, small = {160, 120};

static Stage *makeStage(void) {
    Stage *stage = test_malloc(sizeof *stage);
    setStage(stage, 3);
    addBlock(stage, wbMakeVec3(0, 0, 0), wbMakeVec3(1, 0.6f, 1));
    return stage;
}

static void assertSame(const uint8_t *a, const uint8_t *b, wbSize size) {
    assert_memory_equal(a, b, (size_t)(3 * size.width * size.height));
}

// A renderer that was resized draws what a new one of that size does, with surfaces and with spheres.
static void testResize(void **state) {
    (void)state;
    Stage *stage = makeStage();
    for (int water = wb_waterSpheres; water <= wb_waterSurface; water++) {
        stage->scene.output.water = (wbWater)water;
        wbRenderer *changed = makeRenderer(wide), *fresh = makeRenderer(small);
        test_free(draw(changed, &stage->scene, wide));
        wbRenderer_Forget(changed);
        assertOk(wbRenderer_Resize(changed, small.width, small.height));
        uint8_t *a = draw(changed, &stage->scene, small), *b = draw(fresh, &stage->scene, small);
        assertSame(a, b, small);
        assert_int_equal(wbRenderer_Resize(changed, 0, 10).code, wb_errorInput);
        test_free(a);
        test_free(b);
        wbDestroyRenderer(changed);
        wbDestroyRenderer(fresh);
    }
    test_free(stage);
}

// In the context of another renderer, which goes on when the guest is gone.
static void testBorrowed(void **state) {
    (void)state;
    Stage *stage = makeStage();
    wbRenderer *host = makeRenderer(wide), *guest;
    uint8_t *expected = draw(host, &stage->scene, wide);
    assertOk(wbCreateRendererHere(wide.width, wide.height, &guest));
    uint8_t *got = draw(guest, &stage->scene, wide);
    assertSame(expected, got, wide);
    wbDestroyRenderer(guest);
    wbRenderer_Forget(host);
    uint8_t *again = draw(host, &stage->scene, wide);
    assertSame(expected, again, wide);
    test_free(expected);
    test_free(got);
    test_free(again);
    wbDestroyRenderer(host);
    test_free(stage);
}

// At each level water is where it is, in colours of water, and the floor is where there is none.
static void testQualities(void **state) {
    (void)state;
    Stage *stage = makeStage();
    stage->scene.output.water = wb_waterSurface;
    stage->scene.output.legend = false;
    wbRenderer *renderer = makeRenderer(wide);
    for (int quality = wb_qualityPoints; quality >= wb_qualityFilm; quality--) {
        stage->scene.quality = (wbRenderQuality)quality;
        uint8_t *rgb = draw(renderer, &stage->scene, wide);
        const uint8_t *water = pixelOf(renderer, rgb, wide, wbMakeVec3(0.5f, 0.3f, 1));
        const uint8_t *floor = pixelOf(renderer, rgb, wide, wbMakeVec3(1.7f, 0, 0.2f));
        assert_true(water[2] > water[0] + 20);
        assert_true(abs(floor[2] - floor[0]) < 20);
        test_free(rgb);
    }
    wbDestroyRenderer(renderer);
    test_free(stage);
}

static void testRays(void **state) {
    (void)state;
    Stage *stage = makeStage();
    wbRenderer *renderer = makeRenderer(wide);
    test_free(draw(renderer, &stage->scene, wide));
    const wbVec3 points[] = {{0.5f, 0.3f, 1}, {1.9f, 0.1f, 0.2f}, {0, 1, 0}};
    for (int i = 0; i < 3; i++) {
        float x, y;
        assert_true(wbRenderer_Project(renderer, points[i], &x, &y));
        wbRay ray = wbRenderer_GetRay(renderer, x, y);
        wbVec3 way = wbSub(points[i], ray.origin);
        wbVec3 miss = wbSub(way, wbScale(wbDot(way, ray.direction), ray.direction));
        assert_true(sqrtf(wbDot(miss, miss)) < 1e-4f);
    }
    // the camera as parameters draws the same picture
    wbCameraParams camera = wbRenderer_GetCamera(renderer);
    float before[2], after[2];
    assert_true(wbRenderer_Project(renderer, points[1], &before[0], &before[1]));
    stage->scene.camera = camera;
    test_free(draw(renderer, &stage->scene, wide));
    assert_true(wbRenderer_Project(renderer, points[1], &after[0], &after[1]));
    assert_true(fabsf(before[0] - after[0]) < 0.1f && fabsf(before[1] - after[1]) < 0.1f);
    wbDestroyRenderer(renderer);
    test_free(stage);
}

// A red point in the air and a green arrow below it; a label changes pixels right of its place.
static void testMarks(void **state) {
    (void)state;
    Stage *stage = makeStage();
    const wbVec3 place = {1.6f, 0.9f, 0.5f}, start = {1.6f, 0.7f, 0.5f}, end = {1.6f, 0.2f, 0.5f};
    const wbMark marks[] = {
        {.kind = wb_markPoint, .from = place, .width = 9, .colour = {255, 0, 0, 255}},
        {.kind = wb_markArrow, .from = start, .to = end, .width = 5, .colour = {0, 255, 0, 255}},
        {.kind = wb_markLabel, .from = place, .width = 20, .text = "HH"},
    };
    wbRenderer *renderer = makeRenderer(wide);
    stage->scene.quality = wb_qualityPoints;
    uint8_t *bare = draw(renderer, &stage->scene, wide);
    stage->scene.marks = marks, stage->scene.markCount = 2;
    uint8_t *marked = draw(renderer, &stage->scene, wide);
    const uint8_t *point = pixelOf(renderer, marked, wide, place);
    const uint8_t *shaft = pixelOf(renderer, marked, wide, wbMakeVec3(1.6f, 0.5f, 0.5f));
    assert_true(point[0] > 200 && point[1] < 60);
    assert_true(shaft[1] > 200 && shaft[0] < 60);
    stage->scene.markCount = 3;
    uint8_t *labelled = draw(renderer, &stage->scene, wide);
    int changed = 0;
    for (int i = 0; i < wide.width * wide.height; i++)
        changed += difference(marked + (size_t)3 * i, labelled + (size_t)3 * i) > 100;
    assert_true(changed > 50);
    test_free(bare);
    test_free(marked);
    test_free(labelled);
    wbDestroyRenderer(renderer);
    test_free(stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testResize), cmocka_unit_test(testBorrowed), cmocka_unit_test(testQualities),
        cmocka_unit_test(testRays),   cmocka_unit_test(testMarks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
