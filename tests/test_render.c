// SPDX-License-Identifier: MIT
#include "render_support.h"

#include "render/camera.h"
#include "render/font.h"
#include "render/visibility.h"

#include <math.h>

static const wbSize usual = {320, 180};

static Stage stage;

// Spheres are where the projection says, nothing is far from them, and the fast one is lighter.
static void checkPlaces(int dimensions) {
    setStage(&stage, dimensions);
    stage.scene.output.legend = false;
    stage.scene.output.colourMax = 2;
    wbRenderer *renderer = makeRenderer(usual);
    uint8_t *empty = draw(renderer, &stage.scene, usual);
    const wbVec3 slow = {0.5f, 0.5f, dimensions == 2 ? 0 : 0.5f}, fast = {1.4f, 0.6f, slow.z};
    addParticle(&stage, slow, 0);
    addParticle(&stage, fast, 2);
    uint8_t *full = draw(renderer, &stage.scene, usual);
    float x, y;
    assert_true(wbRenderer_Project(renderer, slow, &x, &y));
    const uint8_t *dark = pixelAt(full, usual, x, y);
    assert_true(dark[2] > dark[0] + 30); // blue
    assert_true(wbRenderer_Project(renderer, fast, &x, &y));
    const uint8_t *light = pixelAt(full, usual, x, y);
    assert_true(brightness(light) > brightness(dark) + 200);
    // two radii beside the sphere the picture is as it was without
    assert_true(wbRenderer_Project(renderer, wbMakeVec3(fast.x - 0.1f, fast.y, fast.z), &x, &y));
    assert_true(difference(pixelAt(full, usual, x, y), pixelAt(empty, usual, x, y)) < 12);
    wbDestroyRenderer(renderer);
    test_free(empty);
    test_free(full);
}

static void testPlacesIn3D(void **state) {
    (void)state;
    checkPlaces(3);
}

static void testPlacesIn2D(void **state) {
    (void)state;
    checkPlaces(2);
}

static void testNothingIsBlack(void **state) {
    (void)state;
    setStage(&stage, 3);
    wbRenderer *renderer = makeRenderer(usual);
    assert_true(strlen(wbRenderer_GetDeviceName(renderer)) > 0);
    uint8_t *rgb = draw(renderer, &stage.scene, usual); // no particles: floor, box and legend
    for (int i = 0; i < usual.width * usual.height; ++i) assert_true(brightness(rgb + 3 * i) > 20);
    test_free(rgb);
    wbDestroyRenderer(renderer);
}

static void testShadow(void **state) {
    (void)state;
    setStage(&stage, 3);
    wbRenderer *renderer = makeRenderer(usual);
    uint8_t *empty = draw(renderer, &stage.scene, usual);
    const wbVec3 drop = {0.8f, 0.5f, 0.5f};
    addParticle(&stage, drop, 0);
    stage.scene.spacing = 0.3f;
    uint8_t *full = draw(renderer, &stage.scene, usual);
    wbVec3 sun = wbNormalize(wbMakeVec3(-0.55f, 1, 0.38f));
    wbVec3 below = wbSub(drop, wbScale(drop.y / sun.y, sun));
    float x, y;
    assert_true(wbRenderer_Project(renderer, below, &x, &y));
    assert_true(brightness(pixelAt(full, usual, x, y)) + 60 < brightness(pixelAt(empty, usual, x, y)));
    test_free(empty);
    test_free(full);
    wbDestroyRenderer(renderer);
}

static void testColours(void **state) {
    (void)state;
    setStage(&stage, 3);
    stage.scene.output.colour = wb_colourDensity;
    addParticle(&stage, wbMakeVec3(0.5f, 0.5f, 0.5f), -2); // 900 kg/m3
    addParticle(&stage, wbMakeVec3(1.4f, 0.5f, 0.5f), 2);  // 1100 kg/m3
    wbRenderer *renderer = makeRenderer(usual);
    uint8_t *rgb = draw(renderer, &stage.scene, usual);
    float x, y;
    assert_true(wbRenderer_Project(renderer, wbMakeVec3(0.5f, 0.5f, 0.5f), &x, &y));
    int pale = brightness(pixelAt(rgb, usual, x, y));
    assert_true(wbRenderer_Project(renderer, wbMakeVec3(1.4f, 0.5f, 0.5f), &x, &y));
    int strong = brightness(pixelAt(rgb, usual, x, y));
    assert_true(pale > strong + 200);
    test_free(rgb);
    wbDestroyRenderer(renderer);
}

// Each quantity has colours of its own: two particles that differ in it differ in the picture, and two that do not are alike.
static void testQuantities(void **state) {
    (void)state;
    const wbColour colours[] = {wb_colourDeviation, wb_colourPressure, wb_colourNeighbours, wb_colourId};
    const wbRenderFluid fluid = {1000, 0.2f, 0};
    const wbVec3 low = {0.5f, 0.5f, 0}, high = {1.4f, 0.5f, 0}, alike = {0.9f, 0.9f, 0};
    for (int c = 0; c < 4; c++) {
        setStage(&stage, 2);
        stage.scene.fluids = &fluid;
        stage.scene.output.colour = colours[c];
        addParticle(&stage, low, -2);
        addParticle(&stage, high, 2);
        addParticle(&stage, alike, -2);
        stage.data[7][1] = 5000;
        stage.id[1] = 1000;
        // with eleven neighbours that lie below it
        for (int i = 0; i < 11; i++) addParticle(&stage, wbMakeVec3(1.4f, 0.42f, 0), 2);
        wbRenderer *renderer = makeRenderer(usual);
        uint8_t *rgb = draw(renderer, &stage.scene, usual);
        const uint8_t *a = pixelOf(renderer, rgb, usual, low), *b = pixelOf(renderer, rgb, usual, high),
                      *same = pixelOf(renderer, rgb, usual, alike);
        assert_true(abs(a[0] - b[0]) + abs(a[1] - b[1]) + abs(a[2] - b[2]) > 100);
        assert_true(abs(a[0] - same[0]) + abs(a[1] - same[1]) + abs(a[2] - same[2]) < 30);
        if (colours[c] == wb_colourDeviation) assert_true(a[2] > a[0] + 60 && b[0] > b[2] + 60);
        test_free(rgb);
        wbDestroyRenderer(renderer);
    }
}

// Two fluids have two colours.
static void testFluids(void **state) {
    (void)state;
    setStage(&stage, 2);
    addParticle(&stage, wbMakeVec3(0.5f, 0.5f, 0), 1);
    wbView views[2] = {stage.view, stage.view};
    const float right[1] = {1.4f};
    views[1].x = right;
    stage.scene.views = views, stage.scene.viewCount = 2;
    stage.scene.output.colour = wb_colourFluid;
    wbRenderer *renderer = makeRenderer(usual);
    uint8_t *rgb = draw(renderer, &stage.scene, usual);
    const uint8_t *a = pixelOf(renderer, rgb, usual, wbMakeVec3(0.5f, 0.5f, 0)),
                  *b = pixelOf(renderer, rgb, usual, wbMakeVec3(1.4f, 0.5f, 0));
    assert_true(a[2] > a[0] + 60 && b[0] > b[2] + 60);
    test_free(rgb);
    wbDestroyRenderer(renderer);
}

// When the fastest drop is gone, the others' colours move slowly, not at once.
static void testSteadyColours(void **state) {
    (void)state;
    setStage(&stage, 2);
    const wbVec3 place = {0.5f, 0.5f, 0};
    addParticle(&stage, place, 1);
    addParticle(&stage, wbMakeVec3(1.5f, 0.5f, 0), 4);
    wbRenderer *renderer = makeRenderer(usual);
    uint8_t *before = draw(renderer, &stage.scene, usual);
    stage.view.count = 1;
    uint8_t *after = draw(renderer, &stage.scene, usual);
    float x, y;
    assert_true(wbRenderer_Project(renderer, place, &x, &y));
    assert_true(difference(pixelAt(before, usual, x, y), pixelAt(after, usual, x, y)) < 12);
    for (int i = 0; i < 600; ++i) assertOk(wbRenderer_DrawFrame(renderer, &stage.scene));
    uint8_t *late = draw(renderer, &stage.scene, usual);
    assert_true(brightness(pixelAt(late, usual, x, y)) > brightness(pixelAt(after, usual, x, y)) + 200);
    test_free(before);
    test_free(after);
    test_free(late);
    wbDestroyRenderer(renderer);
}

static void testSizes(void **state) {
    (void)state;
    const wbSize sizes[] = {{333, 77}, {16, 16}, {1, 1}, {101, 303}};
    for (int i = 0; i < 4; ++i) {
        setStage(&stage, 2 + i % 2);
        addParticle(&stage, wbMakeVec3(0.5f, 0.5f, 0), 1);
        wbRenderer *renderer = makeRenderer(sizes[i]);
        uint8_t *rgb = draw(renderer, &stage.scene, sizes[i]);
        assert_true(brightness(rgb) > 0);
        test_free(rgb);
        wbDestroyRenderer(renderer);
    }
    wbRenderer *renderer;
    assert_int_equal(wbCreateRenderer(0, 10, &renderer).code, wb_errorInput);
    assert_int_equal(wbCreateRenderer(10, 10000, &renderer).code, wb_errorInput);
    wbDestroyRenderer(NULL);
}

// Two renderers at once do not disturb each other, and a frame is the same each time it is drawn.
static void testTwoRenderers(void **state) {
    (void)state;
    setStage(&stage, 3);
    for (int i = 0; i < 50; ++i) {
        addParticle(&stage, wbMakeVec3(0.1f + 0.036f * (float)i, 0.4f, 0.3f + 0.01f * (float)i),
                    0.04f * (float)i);
    }
    const wbSize other = {200, 200};
    wbRenderer *first = makeRenderer(usual), *second = makeRenderer(other);
    uint8_t *a = draw(first, &stage.scene, usual);
    test_free(draw(second, &stage.scene, other));
    uint8_t *b = draw(first, &stage.scene, usual);
    assert_memory_equal(a, b, (size_t)(usual.width * usual.height * 3));
    wbDestroyRenderer(first);
    uint8_t *c = draw(second, &stage.scene, other);
    wbDestroyRenderer(second);
    test_free(a);
    test_free(b);
    test_free(c);
}

static void testStrangeParticles(void **state) {
    (void)state;
    setStage(&stage, 3);
    addParticle(&stage, wbMakeVec3(NAN, 0.5f, 0.5f), 1);
    addParticle(&stage, wbMakeVec3(1, INFINITY, 0.5f), 1);
    addParticle(&stage, wbMakeVec3(1e30f, 0.5f, 0.5f), 1);
    addParticle(&stage, wbMakeVec3(1, 0.5f, 0.5f), NAN);
    addParticle(&stage, wbMakeVec3(1, 0.5f, 0.5f), 1);
    wbRenderer *renderer = makeRenderer(usual);
    test_free(draw(renderer, &stage.scene, usual));
    for (int i = 0; i < wb_sideCount; ++i) stage.domain.sides[i].type = wb_sideOpen;
    test_free(draw(renderer, &stage.scene, usual));
    wbDestroyRenderer(renderer);
}

// Whatever the picture's shape, the whole domain is in it, and as large as can be.
static void testFraming(void **state) {
    (void)state;
    const wbSize sizes[] = {{1280, 720}, {200, 900}, {900, 100}};
    const wbBounds boxes[] = {{{0, 0, 0}, {2, 1, 1}}, {{-5, 2, -1}, {-4, 9, 30}}, {{0, 0, 0}, {1, 1, 0}}};
    const wbCameraParams automatic = {.fov = 40};
    for (int k = 0; k < 18; ++k) {
        wbSize size = sizes[k % 3];
        const wbBounds *box = &boxes[k / 3 % 3];
        wbCamera camera = wbMakeCamera(&automatic, 2 + k / 9, box, size);
        float left = 1, right = 0, top = 1, bottom = 0;
        for (int i = 0; i < 8; ++i) {
            float x, y;
            assert_true(wbCamera_Project(&camera, wbBounds_GetCorner(box, i), size, &x, &y));
            x /= (float)size.width, y /= (float)size.height;
            left = fminf(left, x), right = fmaxf(right, x), top = fminf(top, y), bottom = fmaxf(bottom, y);
        }
        assert_true(left > 0.02f && right < 0.98f && top > 0.02f && bottom < 0.98f);
        assert_true(right - left > 0.85f || bottom - top > 0.75f);
    }
}

// Explicit cameras, also straight down where "up" is nowhere.
static void testCamera(void **state) {
    (void)state;
    const wbBounds box = {{0, 0, 0}, {2, 1, 1}};
    const wbCameraParams down = {.position = {1, 5, 0.5f}, .target = {1, 0, 0.5f}, .fov = 60};
    wbCamera camera = wbMakeCamera(&down, 3, &box, usual);
    float x, y;
    assert_true(wbCamera_Project(&camera, down.target, usual, &x, &y));
    assert_true(fabsf(x - 160) < 0.01f && fabsf(y - 90) < 0.01f);
    assert_true(wbCamera_Project(&camera, wbMakeVec3(2, 0, 0.5f), usual, &x, &y));
    assert_true(x > 161 && fabsf(y - 90) < 0.01f);
    assert_false(wbCamera_Project(&camera, wbMakeVec3(1, 6, 0.5f), usual, &x, &y));
}

// In a block, what lies at the faces towards eye and sun is kept, the middle is not.
static void testHiddenDrops(void **state) {
    (void)state;
    enum { SIDE = 20 };
    setStage(&stage, 3);
    for (int i = 0; i < SIDE * SIDE * SIDE; ++i) {
        wbVec3 p = {(float)(i % SIDE), (float)(i / SIDE % SIDE), (float)(i / SIDE / SIDE)};
        addParticle(&stage, wbScale(0.1f, p), 1);
    }
    wbSwarm swarm = {0};
    wbOccupancy occupancy = {0};
    assertOk(wbSwarm_Gather(&swarm, &stage.scene));
    assert_int_equal(swarm.count, SIDE * SIDE * SIDE);
    assertOk(wbOccupancy_Apply(&occupancy, &swarm, 0.1f));
    assertOk(wbHideDrops(&swarm, &occupancy, wbMakeVec3(30, 20, 40), 0.1f, 3));
    assert_true(swarm.count < SIDE * SIDE * SIDE * 9 / 10);
    assert_true(swarm.seenCount < SIDE * SIDE * SIDE * 3 / 4);
    int front = 0, middle = 0;
    const wbDrop *drops = swarm.drops.data;
    for (int i = 0; i < swarm.seenCount; ++i) {
        front += drops[i].x > 1.85f || drops[i].y > 1.85f || drops[i].z > 1.85f;
        middle += fabsf(drops[i].x - 0.95f) < 0.3f && fabsf(drops[i].y - 0.95f) < 0.3f &&
                  fabsf(drops[i].z - 0.95f) < 0.3f;
    }
    assert_int_equal(front, SIDE * SIDE * SIDE - (SIDE - 1) * (SIDE - 1) * (SIDE - 1));
    assert_int_equal(middle, 0);
    wbOccupancy_Free(&occupancy);
    wbSwarm_Free(&swarm);
}

static void setSurface(int dimensions) {
    setStage(&stage, dimensions);
    stage.scene.output.water = wb_waterSurface;
    stage.scene.output.legend = false;
}

static uint8_t *drawOnce(wbSize size) {
    wbRenderer *renderer = makeRenderer(size);
    uint8_t *rgb = draw(renderer, &stage.scene, size);
    wbDestroyRenderer(renderer);
    return rgb;
}

// Without water a surface changes nothing, and in the plane water is always spheres.
static void testNoSurface(void **state) {
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        setSurface(dimensions);
        if (dimensions == 2) addParticle(&stage, wbMakeVec3(0.5f, 0.5f, 0), 1);
        uint8_t *surface = drawOnce(usual);
        stage.scene.output.water = wb_waterSpheres;
        uint8_t *spheres = drawOnce(usual);
        // samples at the corners of lines make a small difference
        for (int i = 0; i < usual.width * usual.height; ++i)
            assert_true(difference(surface + 3 * i, spheres + 3 * i) <= 12);
        test_free(surface);
        test_free(spheres);
    }
}

// Range of brightness in the middle of a pool that is seen from above.
static int measureRoughness(wbWater water) {
    setSurface(3);
    stage.scene.output.water = water;
    stage.scene.output.floor = stage.scene.output.box = false;
    stage.scene.camera.position = wbMakeVec3(1, 2, 0.9f);
    stage.scene.camera.target = wbMakeVec3(1, 0, 0.5f);
    addBlock(&stage, wbMakeVec3(0, 0, 0), wbMakeVec3(2, 0.4f, 1));
    uint8_t *rgb = drawOnce(usual);
    int low = 765, high = 0;
    for (int y = 70; y < 110; ++y) {
        for (int x = 120; x < 200; ++x) {
            int light = brightness(rgb + 3 * (y * usual.width + x));
            low = light < low ? light : low, high = light > high ? light : high;
        }
    }
    test_free(rgb);
    return high - low;
}

static void testFlatSurface(void **state) {
    (void)state;
    int spheres = measureRoughness(wb_waterSpheres), surface = measureRoughness(wb_waterSurface);
    assert_true(spheres > 100);
    assert_true(surface < 40);
}

// Rows between the highest and the lowest place where the surface of a pool meets the front side.
static int measureContact(wbSize size) {
    setSurface(3);
    stage.scene.output.box = false;
    stage.scene.camera.position = wbMakeVec3(1, 1, 3.5f);
    stage.scene.camera.target = wbMakeVec3(1, 0.3f, 0.5f);
    addBlock(&stage, wbMakeVec3(0, 0, 0), wbMakeVec3(2, 0.4f, 1));
    for (int i = 0; i < stage.view.count; i += 2) stage.data[1][i] -= 0.05f; // every other column is lower
    wbRenderer *renderer = makeRenderer(size);
    uint8_t *rgb = draw(renderer, &stage.scene, size);
    float left, right, y;
    assert_true(wbRenderer_Project(renderer, wbMakeVec3(0.5f, 0.4f, 1), &left, &y));
    assert_true(wbRenderer_Project(renderer, wbMakeVec3(1.5f, 0.4f, 1), &right, &y));
    int lowest = 0, highest = size.height;
    for (int x = (int)left; x < (int)right; ++x) {
        int row = 0, most = 0;
        for (int k = (int)y - 15; k < (int)y + 15; ++k) {
            int step = difference(pixelAt(rgb, size, (float)x, (float)(k - 1)),
                                  pixelAt(rgb, size, (float)x, (float)(k + 1)));
            if (step > most) most = step, row = k;
        }
        assert_true(most > 20);
        lowest = row > lowest ? row : lowest, highest = row < highest ? row : highest;
    }
    test_free(rgb);
    wbDestroyRenderer(renderer);
    return lowest - highest;
}

// Where water meets a side single particles are not seen: unsmoothed they stand out by ten rows here.
static void testContactLine(void **state) {
    (void)state;
    assert_true(measureContact((wbSize){640, 360}) <= 6);
}

// A surface shows values too: dense water is stronger in colour.
static void testSurfaceColours(void **state) {
    (void)state;
    setSurface(3);
    stage.scene.output.colour = wb_colourDensity;
    addBlock(&stage, wbMakeVec3(0, 0, 0), wbMakeVec3(2, 0.5f, 1));
    for (int i = 0; i < stage.view.count; ++i) stage.data[6][i] = stage.data[0][i] < 1 ? 900 : 1100;
    wbRenderer *renderer = makeRenderer(usual);
    uint8_t *rgb = draw(renderer, &stage.scene, usual);
    int pale = brightness(pixelOf(renderer, rgb, usual, wbMakeVec3(0.5f, 0.5f, 0.5f)));
    int strong = brightness(pixelOf(renderer, rgb, usual, wbMakeVec3(1.5f, 0.5f, 0.5f)));
    assert_true(pale > strong + 100);
    test_free(rgb);
    wbDestroyRenderer(renderer);
}

// A ball of water mirrors the sun where it should, and is darker on the other side.
static void testBall(void **state) {
    (void)state;
    setSurface(3);
    stage.scene.spacing = 0.05f;
    stage.scene.output.floor = false;
    for (int i = 0; i < wb_sideCount; ++i) stage.domain.sides[i].type = wb_sideOpen;
    const wbVec3 centre = {1, 0.5f, 0.5f};
    for (int i = 0; i < 21 * 21 * 21; ++i) {
        wbVec3 p = {(float)(i % 21 - 10), (float)(i / 21 % 21 - 10), (float)(i / 21 / 21 - 10)};
        if (wbDot(p, p) < 81) addParticle(&stage, wbAdd(centre, wbScale(0.05f, p)), 0);
    }
    stage.scene.camera.position = wbMakeVec3(1, 0.5f, 4);
    stage.scene.camera.target = centre;
    wbRenderer *renderer = makeRenderer(usual);
    uint8_t *rgb = draw(renderer, &stage.scene, usual);
    // the point whose normal lies half-way between eye and sun
    wbVec3 half = wbNormalize(wbAdd(wbNormalize(wbMakeVec3(-0.55f, 1, 0.38f)), wbMakeVec3(0, 0, 1)));
    float x, y;
    assert_true(wbRenderer_Project(renderer, wbAdd(centre, wbScale(0.49f, half)), &x, &y));
    int shine = 0;
    for (int i = -6; i <= 6; ++i)
        for (int k = -6; k <= 6; ++k) {
            int light = brightness(pixelAt(rgb, usual, x + (float)i, y + (float)k));
            shine = light > shine ? light : shine;
        }
    assert_true(wbRenderer_Project(renderer, centre, &x, &y));
    const uint8_t *middle = pixelAt(rgb, usual, x, y);
    assert_true(shine > brightness(middle) + 150);
    assert_true(middle[2] > middle[0] + 40); // blue
    assert_true(wbRenderer_Project(renderer, wbAdd(centre, wbMakeVec3(0.2f, -0.35f, 0)), &x, &y));
    assert_true(brightness(pixelAt(rgb, usual, x, y)) < brightness(middle));
    test_free(rgb);
    wbDestroyRenderer(renderer);
}

// The edges of the box behind thin water are seen through it, but not where they are without it.
static void testSeenThrough(void **state) {
    (void)state;
    const wbSize large = {640, 360};
    uint8_t *rgb[4]; // bit 0: water, bit 1: box
    for (int i = 0; i < 4; ++i) {
        setSurface(3);
        stage.scene.spacing = 0.05f;
        if (i & 1) addBlock(&stage, wbMakeVec3(0.3f, 0, 0), wbMakeVec3(1.7f, 0.05f, 0.9f));
        stage.scene.output.box = i & 2;
        rgb[i] = drawOnce(large);
    }
    int through = 0, moved = 0;
    for (int i = 0; i < large.width * large.height; ++i) {
        bool wet = difference(rgb[0] + 3 * i, rgb[1] + 3 * i) > 30;
        if (!wet || difference(rgb[1] + 3 * i, rgb[3] + 3 * i) < 12) continue;
        ++through;
        moved += difference(rgb[0] + 3 * i, rgb[2] + 3 * i) < 12;
    }
    assert_true(through > 20);
    assert_true(moved > through / 4);
    for (int i = 0; i < 4; ++i) test_free(rgb[i]);
}

// The same state gives the same picture, whatever was drawn before; far from the water nothing changes.
static void testSurfaceAgain(void **state) {
    (void)state;
    setSurface(3);
    addBlock(&stage, wbMakeVec3(0, 0, 0), wbMakeVec3(0.5f, 0.5f, 1));
    wbRenderer *renderer = makeRenderer(usual);
    uint8_t *first = draw(renderer, &stage.scene, usual);
    int count = stage.view.count;
    stage.view.count = 0;
    uint8_t *empty = draw(renderer, &stage.scene, usual);
    stage.view.count = count;
    uint8_t *again = draw(renderer, &stage.scene, usual);
    assert_memory_equal(first, again, (size_t)(usual.width * usual.height * 3));
    float x, y;
    assert_true(wbRenderer_Project(renderer, wbMakeVec3(1.9f, 0.9f, 0.5f), &x, &y));
    assert_int_equal(difference(pixelAt(first, usual, x, y), pixelAt(empty, usual, x, y)), 0);
    test_free(first);
    test_free(empty);
    test_free(again);
    wbDestroyRenderer(renderer);
}

// Odd sizes, spheres from specks to larger than the picture, an eye in the water, no sides, strays.
static void testStrangeSurfaces(void **state) {
    (void)state;
    const wbSize sizes[] = {{333, 77}, {16, 16}, {1, 1}, {101, 303}};
    const float radii[] = {0.01f, 5, 0.5f, 1};
    for (int i = 0; i < 4; ++i) {
        setSurface(3);
        stage.scene.output.radius = radii[i];
        addBlock(&stage, wbMakeVec3(0, 0, 0), wbMakeVec3(1, 0.5f, 1));
        addParticle(&stage, wbMakeVec3(NAN, 0.5f, 0.5f), 1);
        addParticle(&stage, wbMakeVec3(1e30f, 0.5f, 0.5f), 1);
        if (i == 2) stage.scene.camera.position = wbMakeVec3(0.5f, 0.25f, 0.5f);
        for (int s = 0; i == 3 && s < wb_sideCount; ++s) stage.domain.sides[s].type = wb_sideOpen;
        uint8_t *rgb = drawOnce(sizes[i]);
        for (int k = 0; k < sizes[i].width * sizes[i].height; ++k) assert_true(brightness(rgb + 3 * k) > 20);
        test_free(rgb);
    }
}

static void measureStroke(wbPen from, wbPen to, void *context) {
    int *count = context;
    ++*count;
    assert_true(from.x >= -1 && to.x <= 14 && from.y >= -5 && from.y <= 15 && to.y >= -5 && to.y <= 15);
}

static void testFont(void **state) {
    (void)state;
    for (int c = '!'; c <= '~'; ++c) {
        const char text[2] = {(char)c, '\0'};
        int count = 0;
        float width = wbDrawText(text, measureStroke, &count);
        assert_true(count > 0 && width >= 0 && width <= 13);
    }
    int count = 0;
    assert_true(wbDrawText("m\u00b3", NULL, NULL) < wbDrawText("m3", NULL, NULL));
    wbDrawText("\u00e4", measureStroke, &count); // not known: a question mark
    assert_true(count > 0);
    assert_true(wbDrawText("", NULL, NULL) == 0);
}

// A world as it is: a red ball that hangs over blue water.
static void testWorld(void **state) {
    (void)state;
    wbWorldDef def = wbDefaultWorldDef();
    def.domain.max = wbMakeVec3(1, 1, 1);
    def.sph.spacing = 0.1f;
    wbFluidDef fluidDef = wbDefaultFluidDef();
    wbColliderDef ballDef = wbDefaultColliderDef();
    ballDef.name = "ball";
    ballDef.params.shape = wb_shapeSphere;
    ballDef.params.radius = 0.2f;
    ballDef.params.position = wbMakeVec3(0.5f, 0.7f, 0.5f);
    ballDef.params.colour = wbMakeVec3(0.9f, 0.1f, 0.1f);
    const wbBlockDef block = {.max = wbMakeVec3(1, 0.4f, 1)};
    wbCameraParams camera;
    wbOutputParams output;
    int tableCount;
    const wbParamTable *tables = wbGetSceneParamTables(&tableCount);
    assert_int_equal(tableCount, 2);
    wbSetParamDefaults(&tables[0], &camera);
    wbSetParamDefaults(&tables[1], &output);

    wbWorld *world;
    wbFluidId water;
    wbColliderId ball;
    assertOk(wbCreateWorld(&def, &world));
    assertOk(wbCreateFluid(world, &fluidDef, &water));
    assertOk(wbFluid_AddBlock(world, water, &block));
    assertOk(wbCreateCollider(world, &ballDef, &ball));
    wbRenderer *renderer = makeRenderer(usual);
    uint8_t *rgb = test_malloc((size_t)usual.width * (size_t)usual.height * 3);
    assertOk(wbRenderer_DrawWorld(renderer, world, &camera, &output, "a ball"));
    assertOk(wbRenderer_ReadPixels(renderer, rgb));
    float x, y;
    assert_true(wbRenderer_Project(renderer, ballDef.params.position, &x, &y));
    const uint8_t *red = pixelAt(rgb, usual, x, y);
    assert_true(red[0] > red[1] + 50 && red[0] > red[2] + 50);
    assert_true(wbRenderer_Project(renderer, wbMakeVec3(0.5f, 0.2f, 1), &x, &y));
    const uint8_t *blue = pixelAt(rgb, usual, x, y);
    assert_true(blue[2] > blue[0] + 20);
    test_free(rgb);
    wbDestroyRenderer(renderer);
    wbDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testPlacesIn3D),
        cmocka_unit_test(testPlacesIn2D),
        cmocka_unit_test(testNothingIsBlack),
        cmocka_unit_test(testShadow),
        cmocka_unit_test(testColours),
        cmocka_unit_test(testQuantities),
        cmocka_unit_test(testFluids),
        cmocka_unit_test(testSteadyColours),
        cmocka_unit_test(testSizes),
        cmocka_unit_test(testTwoRenderers),
        cmocka_unit_test(testStrangeParticles),
        cmocka_unit_test(testFraming),
        cmocka_unit_test(testCamera),
        cmocka_unit_test(testHiddenDrops),
        cmocka_unit_test(testNoSurface),
        cmocka_unit_test(testFlatSurface),
        cmocka_unit_test(testContactLine),
        cmocka_unit_test(testSurfaceColours),
        cmocka_unit_test(testBall),
        cmocka_unit_test(testSeenThrough),
        cmocka_unit_test(testSurfaceAgain),
        cmocka_unit_test(testStrangeSurfaces),
        cmocka_unit_test(testFont),
        cmocka_unit_test(testWorld),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
