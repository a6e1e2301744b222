// SPDX-License-Identifier: MIT
// Pictures of smoke: what it takes of the light, what glows, and what hides it.
#include "render_support.h"

#include "render/black_body.h"
#include "render/matrix.h"
#include "render/volume_around.h"
#include "render/volume_grid.h"

#include <math.h>

static const wbSize usual = {160, 120};

static Stage stage;

enum { MAX_CELLS = 32 * 32 * 32 };

/// Air of a test: a box of cells without gaps, in the order x, y, z.
typedef struct Air {
    wbSmokeView view;
    float density[MAX_CELLS], temperature[MAX_CELLS], velocity[3][MAX_CELLS + 3 * 32 * 32];
    float colour[3][MAX_CELLS];
    uint8_t solid[MAX_CELLS];
} Air;

static Air air;

static void setAir(int nx, int ny, int nz, float cellSize) {
    memset(&air, 0, sizeof air);
    assert_true(nx * ny * nz <= MAX_CELLS);
    air.view = (wbSmokeView){.cells = {nx, ny, nz},
                             .boxCells = {nx, ny, nz},
                             .strideY = nx,
                             .strideZ = (ptrdiff_t)nx * ny,
                             .cellSize = cellSize,
                             .density = air.density,
                             .temperature = air.temperature,
                             .pressure = air.density,
                             .u = air.velocity[0],
                             .v = air.velocity[1],
                             .w = air.velocity[2],
                             .solid = air.solid,
                             .solidStrideY = nx,
                             .solidStrideZ = (ptrdiff_t)nx * ny};
}

static int getCell(int i, int j, int k) { return i + air.view.cells[0] * (j + air.view.cells[1] * k); }

/// Calls fill with the middle of each cell, in cells.
static void fillCells(float *field, float (*fill)(float x, float y, float z)) {
    const int *n = air.view.cells;
    for (int k = 0; k < n[2]; ++k)
        for (int j = 0; j < n[1]; ++j)
            for (int i = 0; i < n[0]; ++i)
                field[getCell(i, j, k)] = fill((float)i + 0.5f, (float)j + 0.5f, (float)k + 0.5f);
}

static float fillOne(float x, float y, float z) {
    (void)x, (void)y, (void)z;
    return 1;
}

static float fillHalf(float x, float y, float z) {
    (void)x, (void)y, (void)z;
    return 0.5f;
}

/// A ball around the middle of 32^3 cells.
static float fillBall(float x, float y, float z) {
    float r = sqrtf((x - 16) * (x - 16) + (y - 16) * (y - 16) + (z - 16) * (z - 16));
    return r < 9 ? 1 : 0;
}

/// A scene of smoke alone, in a cube of 1 m, seen from the front.
static void setSmoke(void) {
    setStage(&stage, 3);
    stage.domain = (wbDomainDef){.min = {0, 0, 0}, .max = {1, 1, 1}};
    stage.scene.viewCount = 0;
    stage.scene.smoke = &air.view;
    stage.scene.output.legend = stage.scene.output.box = stage.scene.output.floor = false;
    stage.scene.camera = (wbCameraParams){.position = {0.5f, 0.5f, 4}, .target = {0.5f, 0.5f, 0}, .fov = 20};
}

static uint8_t *drawOnce(wbSize size) {
    wbRenderer *renderer = makeRenderer(size);
    uint8_t *rgb = draw(renderer, &stage.scene, size);
    wbDestroyRenderer(renderer);
    return rgb;
}

static uint8_t *drawWithout(void) {
    stage.scene.smoke = NULL;
    uint8_t *rgb = drawOnce(usual);
    stage.scene.smoke = &air.view;
    return rgb;
}

// Light of a byte: the inverse of encode in shaders/common.glsl.
static double decode(uint8_t byte) {
    double y = byte / 255.0 * byte / 255.0, b = 1 - 0.48 * y;
    return 2 * y / (b + sqrt(b * b + 0.2 * y));
}

/// Mean light in the middle of a picture.
static double measureLight(const uint8_t *rgb) {
    double sum = 0;
    for (int y = -20; y < 20; ++y)
        for (int x = -20; x < 20; ++x)
            for (int c = 0; c < 3; ++c)
                sum += decode(pixelAt(rgb, usual, 80 + (float)x, 60 + (float)y)[c]) / 4800;
    return sum;
}

// Black smoke leaves exp(-extinction * way) of what is behind, however it is drawn.
static void testTransmittance(void **state) {
    (void)state;
    for (int method = wb_smokeMarch; method <= wb_smokeViewSlices; ++method) {
        for (int half = 0; half < 2; ++half) {
            setAir(20, 20, 20, 0.05f);
            fillCells(air.density, half ? fillHalf : fillOne);
            air.density[0] = 1; // what texels hold is relative to the thickest smoke
            setSmoke();
            stage.scene.camera.position.z = 30;
            stage.scene.camera.fov = 5;
            stage.scene.output.smokeColour = wbMakeVec3(0, 0, 0);
            stage.scene.output.smokeOpacity = 0.8f;
            stage.scene.output.smokeMethod = (wbSmokeMethod)method;
            uint8_t *clear = drawWithout(), *dim = drawOnce(usual);
            double share = measureLight(dim) / measureLight(clear), exact = exp(half ? -0.4 : -0.8);
            if (fabs(share / exact - 1) > 0.02) fail_msg("method %d: %g is not %g", method, share, exact);
            test_free(clear);
            test_free(dim);
        }
    }
}

// Air without smoke changes no pixel, nor does warm air that does not glow.
static void testNothing(void **state) {
    (void)state;
    setAir(32, 32, 32, 1.0f / 32);
    setSmoke();
    stage.scene.output.water = wb_waterSpheres;
    stage.scene.output.box = stage.scene.output.floor = true;
    size_t bytes = (size_t)(usual.width * usual.height * 3);
    uint8_t *without = drawWithout(), *empty = drawOnce(usual);
    assert_memory_equal(without, empty, bytes);
    for (int i = 0; i < MAX_CELLS; ++i) air.temperature[i] = 300;
    uint8_t *warm = drawOnce(usual);
    assert_memory_equal(without, warm, bytes);
    // beside a ball of smoke the picture is as it was, and it is the same each time
    fillCells(air.density, fillBall);
    stage.scene.output.floor = false;
    stage.scene.output.smokeColour = wbMakeVec3(0, 0, 0);
    uint8_t *bare = drawWithout(), *ball = drawOnce(usual), *again = drawOnce(usual);
    assert_memory_equal(ball, again, bytes);
    assert_int_equal(difference(pixelAt(bare, usual, 20, 60), pixelAt(ball, usual, 20, 60)), 0);
    assert_true(difference(pixelAt(bare, usual, 80, 60), pixelAt(ball, usual, 80, 60)) > 30);
    test_free(without);
    test_free(empty);
    test_free(warm);
    test_free(bare);
    test_free(ball);
    test_free(again);
}

static void testBlackBody(void **state) {
    (void)state;
    for (float hottest = 500; hottest < 4500; hottest += 1000) {
        float last[3], next[3];
        wbGetBlackBody(690, hottest, last);
        assert_true(last[0] == 0 && last[1] == 0 && last[2] == 0);
        wbGetBlackBody(720, hottest, last);
        for (float kelvin = 750; kelvin < 2000; kelvin += 50) {
            wbGetBlackBody(kelvin, hottest, next);
            assert_true(next[0] > last[0] && next[1] > last[1] && next[2] > last[2]);
            assert_true(next[1] / next[0] > last[1] / last[0] && next[2] / next[0] > last[2] / last[0]);
            assert_true(next[0] > next[1] && next[1] > next[2]);
            memcpy(last, next, sizeof last);
        }
    }
}

static float fillHeat(float x, float y, float z) {
    (void)y, (void)z;
    return x < 16 ? 750 : 1150;
}

// The hotter side is brighter and less red; daylight is not needed for it.
static void testGlow(void **state) {
    (void)state;
    setAir(32, 32, 32, 1.0f / 32);
    setSmoke();
    fillCells(air.temperature, fillHeat);
    stage.scene.output.smoke = wb_lookFlame;
    stage.scene.output.daylight = 0;
    stage.scene.output.glow = 0.02f;
    uint8_t *rgb = drawOnce(usual);
    const uint8_t *cold = pixelAt(rgb, usual, 65, 60), *hot = pixelAt(rgb, usual, 95, 60);
    assert_true(cold[0] > 20 && brightness(hot) > brightness(cold) + 60);
    assert_true(hot[1] * cold[0] > cold[1] * hot[0]);
    assert_true(brightness(pixelAt(rgb, usual, 10, 60)) < 12); // night around
    test_free(rgb);
}

static void fillTint(float red, float green, float blue) {
    const float tint[3] = {red, green, blue};
    for (int c = 0; c < 3; ++c) {
        air.view.colour[c] = air.colour[c];
        for (int i = 0; i < MAX_CELLS; ++i) air.colour[c][i] = tint[c] * air.density[i];
    }
}

// Smoke of a tint looks like smoke whose colour the picture was told.
static void testTint(void **state) {
    (void)state;
    static const float tints[3][3] = {{0.12f, 0.25f, 1}, {0.8f, 0.4f, 0.2f}, {0.5f, 0.5f, 0.5f}};
    for (int n = 0; n < 3; ++n) {
        const float *tint = tints[n];
        setAir(32, 32, 32, 1.0f / 32);
        setSmoke();
        fillCells(air.density, fillBall);
        stage.scene.output.smokeColour = wbMakeVec3(tint[0], tint[1], tint[2]);
        uint8_t *told = drawOnce(usual);
        stage.scene.output.smokeColour = wbMakeVec3(1, 1, 1);
        fillTint(tint[0], tint[1], tint[2]);
        uint8_t *own = drawOnce(usual);
        const uint8_t *a = pixelAt(told, usual, 80, 60), *b = pixelAt(own, usual, 80, 60);
        for (int c = 0; c < 3; ++c) assert_true(abs(a[c] - b[c]) <= 4);
        if (n == 0) assert_true(b[2] > 2.5 * b[0]);
        test_free(told);
        test_free(own);
    }
}

// A flame has the colour of its smoke; black soot and white smoke glow by their heat.
static void testColouredFlame(void **state) {
    (void)state;
    uint8_t *pictures[4];
    for (int n = 0; n < 4; ++n) {
        setAir(32, 32, 32, 1.0f / 32);
        setSmoke();
        fillCells(air.density, fillBall);
        for (int i = 0; i < MAX_CELLS; ++i) air.temperature[i] = 1200 * air.density[i];
        stage.scene.output.smoke = wb_lookFlame;
        stage.scene.output.daylight = 0;
        stage.scene.output.glow = 0.05f;
        if (n == 1) fillTint(1, 1, 1);
        if (n == 2) fillTint(0, 0, 0);
        if (n == 3) fillTint(0.1f, 0.3f, 1);
        pictures[n] = drawOnce(usual);
    }
    const uint8_t *plain = pixelAt(pictures[0], usual, 80, 60), *blue = pixelAt(pictures[3], usual, 80, 60);
    assert_true(plain[0] > plain[2] + 20);
    for (int n = 1; n < 3; ++n) assert_true(difference(plain, pixelAt(pictures[n], usual, 80, 60)) <= 3);
    assert_true(blue[2] > blue[0] + 60 && brightness(blue) > 20);
    for (int n = 0; n < 4; ++n) test_free(pictures[n]);
}

static const float corners[24] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1,
                                  -1, -1, 1,  1, -1, 1,  -1, 1, 1,  1, 1, 1};
static const uint32_t faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 4, 2, 2, 4, 6,
                                   1, 3, 5, 3, 7, 5, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7};
static float cubeCorners[24];
static uint32_t cubeFaces[36];
static const wbMesh cube = {8, 12, cubeCorners, cubeFaces};

static int makeCube(void **state) {
    (void)state;
    for (int i = 0; i < 24; ++i) cubeCorners[i] = 0.08f * corners[i];
    memcpy(cubeFaces, faces, sizeof faces);
    return 0;
}

// A body before the smoke looks as without it, one in it is covered in part, one behind it by all of it.
static void testBodies(void **state) {
    (void)state;
    int covered[3];
    for (int n = 0; n < 3; ++n) {
        const float depths[3] = {1.3f, 0.4f, -0.3f};
        setAir(16, 16, 16, 1.0f / 16);
        setSmoke();
        for (int i = 0; i < 16 * 16 * 16; ++i) air.density[i] = 1;
        wbRenderBody body = {.mesh = &cube,
                             .key = 1,
                             .position = {0.5f, 0.5f, depths[n]},
                             .rotation = {0, 0, 0, 1},
                             .colour = {0.9f, 0.1f, 0.1f},
                             .opacity = 1};
        stage.scene.bodies = &body;
        stage.scene.bodyCount = 1;
        stage.scene.output.smokeOpacity = 1;
        uint8_t *clear = drawWithout(), *smoky = drawOnce(usual);
        covered[n] = difference(pixelAt(clear, usual, 80, 60), pixelAt(smoky, usual, 80, 60));
        test_free(clear);
        test_free(smoky);
    }
    assert_int_equal(covered[0], 0);
    assert_true(covered[1] > 20 && covered[2] > covered[1] + 20);
}

// What is behind thick smoke does not show along the slanted outlines of a body before it.
static void testOutlines(void **state) {
    (void)state;
    setAir(16, 16, 16, 1.0f / 16);
    setSmoke();
    for (int i = 0; i < 16 * 16 * 16; ++i) air.density[i] = 1;
    wbRenderBody body = {.mesh = &cube,
                         .key = 1,
                         .position = {0.5f, 0.5f, 1.3f},
                         .rotation = {0, 0, 0.0872f, 0.9962f},
                         .colour = {0, 0, 0},
                         .opacity = 1};
    stage.scene.bodies = &body;
    stage.scene.bodyCount = 1;
    stage.scene.output.smokeOpacity = 100;
    stage.scene.output.smokeColour = wbMakeVec3(0, 0, 0);
    uint8_t *rgb = drawOnce(usual), *clear = drawWithout();
    int brightest = 0;
    for (int y = 35; y < 85; ++y)
        for (int x = 55; x < 105; ++x) {
            int light = brightness(pixelAt(rgb, usual, (float)x, (float)y));
            if (light > brightest) brightest = light;
        }
    // half of the sky's light at most, in a pixel of a corner
    assert_true(brightest < 0.6 * brightness(pixelAt(clear, usual, 56, 36)));
    test_free(rgb);
    test_free(clear);
}

// Thick smoke hides glass behind it, and not glass before it.
static void testGlass(void **state) {
    (void)state;
    for (int n = 0; n < 2; ++n) {
        setAir(16, 16, 16, 1.0f / 16);
        setSmoke();
        for (int i = 0; i < 16 * 16 * 16; ++i) air.density[i] = 1;
        wbRenderBody pane = {.mesh = &cube,
                             .key = 1,
                             .position = {0.5f, 0.5f, n == 0 ? 1.3f : -0.3f},
                             .rotation = {0, 0, 0, 1},
                             .colour = {0.9f, 0.1f, 0.1f},
                             .opacity = 0.5f};
        stage.scene.output.smokeOpacity = 10;
        uint8_t *without = drawOnce(usual);
        stage.scene.bodies = &pane;
        stage.scene.bodyCount = 1;
        uint8_t *with = drawOnce(usual);
        int change = difference(pixelAt(without, usual, 80, 60), pixelAt(with, usual, 80, 60));
        assert_true(n == 0 ? change > 40 : change < 4);
        test_free(without);
        test_free(with);
    }
}

// Water in the front half of the box: smoke before it and behind it changes it, the one before more.
static void testWater(void **state) {
    (void)state;
    int changes[2];
    for (int n = 0; n < 2; ++n) {
        setAir(16, 16, 16, 1.0f / 16);
        setSmoke();
        stage.scene.output.water = wb_waterSurface;
        stage.scene.viewCount = 1;
        addBlock(&stage, wbMakeVec3(0.2f, 0, 0.4f), wbMakeVec3(0.8f, 1, 0.6f));
        for (int k = 0; k < 16; ++k)
            for (int i = 0; i < 256; ++i) air.density[256 * k + i] = n == 0 ? k >= 11 : k < 5;
        stage.scene.output.smokeColour = wbMakeVec3(0, 0, 0);
        stage.scene.output.smokeOpacity = 10;
        uint8_t *clear = drawWithout(), *smoky = drawOnce(usual);
        changes[n] = brightness(pixelAt(clear, usual, 80, 60)) - brightness(pixelAt(smoky, usual, 80, 60));
        test_free(clear);
        test_free(smoky);
    }
    assert_true(changes[1] > 15 && changes[0] > changes[1] + 15);
}

// A cloud is darker on the side away from the sun, and its shadow lies on the floor.
// Smoke without water, at each level one after another in a window: a dark ball in the middle, the background beside it.
static void testQualities(void **state) {
    (void)state;
    setAir(32, 32, 32, 1.0f / 32);
    setSmoke();
    fillCells(air.density, fillBall);
    stage.scene.output.smokeColour = wbMakeVec3(0, 0, 0);
    uint8_t *clear = drawWithout();
    wbRenderer *renderer = makeRenderer(usual);
    for (int quality = wb_qualityPoints; quality >= wb_qualityFilm; quality--) {
        stage.scene.quality = (wbRenderQuality)quality;
        uint8_t *rgb = draw(renderer, &stage.scene, usual);
        assert_true(difference(pixelAt(clear, usual, 80, 60), pixelAt(rgb, usual, 80, 60)) > 30);
        assert_true(difference(pixelAt(clear, usual, 20, 60), pixelAt(rgb, usual, 20, 60)) < 6);
        test_free(rgb);
    }
    wbDestroyRenderer(renderer);
    test_free(clear);
}

static void testShadows(void **state) {
    (void)state;
    setAir(32, 32, 32, 1.0f / 32);
    setSmoke();
    fillCells(air.density, fillBall);
    stage.scene.output.floor = true;
    stage.scene.camera = (wbCameraParams){.position = {0.5f, 1.5f, 4}, .target = {0.5f, 0.3f, 0}, .fov = 30};
    wbRenderer *renderer = makeRenderer(usual);
    uint8_t *smoky = draw(renderer, &stage.scene, usual);
    stage.scene.smoke = NULL;
    uint8_t *clear = draw(renderer, &stage.scene, usual);
    wbVec3 middle = {0.5f, 0.5f, 0.5f}, sun = wbNormalize(wbMakeVec3(-0.55f, 1, 0.38f));
    wbVec3 lit = wbAdd(middle, wbScale(0.2f, sun)), dark = wbAdd(middle, wbScale(-0.2f, sun));
    assert_true(brightness(pixelOf(renderer, smoky, usual, lit)) >
                brightness(pixelOf(renderer, smoky, usual, dark)) + 60);
    wbVec3 below = wbSub(middle, wbScale(0.5f / sun.y, sun));
    assert_true(brightness(pixelOf(renderer, clear, usual, below)) >
                brightness(pixelOf(renderer, smoky, usual, below)) + 60);
    wbDestroyRenderer(renderer);
    test_free(smoky);
    test_free(clear);
}

static void testColours(void **state) {
    (void)state;
    setAir(32, 32, 32, 1.0f / 32);
    setSmoke();
    fillCells(air.density, fillOne);
    for (int c = 0; c < 3; ++c) air.view.colour[c] = air.colour[c];
    for (int i = 0; i < MAX_CELLS; ++i) air.colour[i % 32 < 16 ? 0 : 2][i] = 1;
    uint8_t *rgb = drawOnce(usual);
    const uint8_t *red = pixelAt(rgb, usual, 60, 60), *blue = pixelAt(rgb, usual, 100, 60);
    assert_true(red[0] > red[2] + 60 && blue[2] > blue[0] + 60);
    test_free(rgb);
}

static float *getFace(int component, int i, int j, int k) {
    return &air.velocity[component][getCell(i, j, k)];
}

// Air that turns to the left and to the right has opposite colours; fast air is lighter than slow air.
static void checkFields(int dimensions) {
    int layers = dimensions == 2 ? 1 : 16;
    setAir(32, 16, layers, 1.0f / 16);
    setSmoke();
    stage.domain.max.x = 2;
    stage.scene.dimensions = dimensions;
    stage.scene.output.slice = wb_axisZ;
    stage.scene.camera = (wbCameraParams){.position = {1, 0.5f, 4}, .target = {1, 0.5f, 0}, .fov = 30};
    for (int k = 0; k < layers; ++k)
        for (int j = 0; j < 16; ++j)
            for (int i = 0; i < 32; ++i) {
                // two vortices side by side, that at the right turns against the clock
                float x = ((float)(i % 16) - 7.5f) / 16, way = i < 16 ? -1 : 1;
                *getFace(1, i, j, k) = way * x;
            }
    const wbField fields[] = {wb_fieldVorticity, wb_fieldSpeed};
    for (int n = 0; n < 2; ++n) {
        stage.scene.output.field = fields[n];
        wbRenderer *renderer = makeRenderer(usual);
        uint8_t *rgb = draw(renderer, &stage.scene, usual);
        float z = dimensions == 2 ? 0 : 0.5f;
        const uint8_t *left = pixelOf(renderer, rgb, usual, wbMakeVec3(0.5f, 0.5f, z));
        const uint8_t *right = pixelOf(renderer, rgb, usual, wbMakeVec3(1.5f, 0.5f, z));
        const uint8_t *edge = pixelOf(renderer, rgb, usual, wbMakeVec3(0.05f, 0.5f, z));
        if (fields[n] == wb_fieldVorticity)
            assert_true(left[2] > left[0] + 40 && right[0] > right[2] + 40);
        else
            assert_true(brightness(edge) > brightness(left) + 150);
        wbDestroyRenderer(renderer);
        test_free(rgb);
    }
}

// Air that flows apart on the left and together on the right.
static void testDivergence(void **state) {
    (void)state;
    setAir(16, 16, 16, 1.0f / 16);
    setSmoke();
    for (int k = 0; k < 16; ++k)
        for (int j = 0; j < 16; ++j)
            for (int i = 0; i <= 16; ++i) *getFace(0, i, j, k) = i < 8 ? (float)i : (float)(16 - i);
    stage.scene.output.field = wb_fieldDivergence;
    stage.scene.output.slice = wb_axisZ;
    uint8_t *rgb = drawOnce(usual);
    const uint8_t *left = pixelAt(rgb, usual, 65, 60), *right = pixelAt(rgb, usual, 95, 60);
    assert_true(left[0] > left[2] + 40 && right[2] > right[0] + 40);
    test_free(rgb);
}

// Components of the velocity are signed: air goes left on the left, right on the right. Cells in colliders are bright, sharply.
static void testComponents(void **state) {
    (void)state;
    setAir(16, 16, 16, 1.0f / 16);
    setSmoke();
    for (int k = 0; k < 16; ++k)
        for (int j = 0; j < 16; ++j)
            for (int i = 0; i <= 16; ++i) *getFace(0, i, j, k) = i < 8 ? -2 : 2;
    stage.scene.output.field = wb_fieldVelocityX;
    stage.scene.output.slice = wb_axisZ;
    uint8_t *rgb = drawOnce(usual);
    const uint8_t *left = pixelAt(rgb, usual, 65, 60), *right = pixelAt(rgb, usual, 95, 60);
    assert_true(left[2] > left[0] + 40 && right[0] > right[2] + 40);
    test_free(rgb);
    for (int k = 0; k < 16; ++k)
        for (int j = 0; j < 16; ++j)
            for (int i = 8; i < 16; ++i) air.solid[getCell(i, j, k)] = 1;
    stage.scene.output.field = wb_fieldSolids;
    rgb = drawOnce(usual);
    left = pixelAt(rgb, usual, 65, 60), right = pixelAt(rgb, usual, 95, 60);
    assert_true(brightness(right) > brightness(left) + 300);
    test_free(rgb);
}

static void testFields(void **state) {
    (void)state;
    checkFields(2);
    checkFields(3);
}

static float fillSlope(float x, float y, float z) {
    (void)y;
    return x + z;
}

static int drawMiddle(void) {
    uint8_t *rgb = drawOnce(usual);
    int light = brightness(pixelAt(rgb, usual, 80, 60));
    test_free(rgb);
    return light;
}

// A slice at 0 and colours that end at 0 are what they say; the middle is where nothing is said.
static void testZeros(void **state) {
    (void)state;
    setAir(16, 16, 16, 1.0f / 16);
    air.view.min.z = -0.25f;
    setSmoke();
    fillCells(air.density, fillSlope);
    stage.scene.output.field = wb_fieldDensity;
    stage.scene.output.slice = wb_axisZ;
    stage.scene.output.colourMin = 0, stage.scene.output.colourMax = 32;
    int middle = drawMiddle();
    stage.scene.output.sliceAt = 0.25f;
    assert_int_equal(drawMiddle(), middle);
    stage.scene.output.sliceAt = 0;
    int low = drawMiddle();
    assert_true(low < middle - 15);
    stage.scene.output.colourMin = -16, stage.scene.output.colourMax = 0; // all of it is above
    int most = drawMiddle();
    stage.scene.output.colourMax = NAN;
    assert_true(most > low + 100 && drawMiddle() < most - 40);
}

// Air that is colder than ambient has 0 in the middle of its colours.
static void testCold(void **state) {
    (void)state;
    setAir(16, 16, 16, 1.0f / 16);
    setSmoke();
    for (int i = 0; i < 16 * 16 * 16; ++i) air.temperature[i] = i % 16 < 8 ? -40 : 40;
    stage.scene.output.field = wb_fieldTemperature;
    stage.scene.output.slice = wb_axisZ;
    uint8_t *rgb = drawOnce(usual);
    const uint8_t *cold = pixelAt(rgb, usual, 65, 60), *warm = pixelAt(rgb, usual, 95, 60);
    assert_true(cold[2] > cold[0] + 40 && warm[0] > warm[2] + 40);
    test_free(rgb);
}

// The legend says what a field's colours mean; smoke alone has none.
static void testLegend(void **state) {
    (void)state;
    setAir(16, 16, 16, 1.0f / 16);
    setSmoke();
    for (int i = 0; i < 16 * 16 * 16; ++i) air.temperature[i] = 5;
    stage.scene.output.legend = true;
    const wbSize size = {640, 360};
    uint8_t *plain = drawOnce(size);
    stage.scene.output.field = wb_fieldTemperature;
    uint8_t *field = drawOnce(size);
    // letters are larger than 360 of 720 lines would say, and the bar is not
    float unit = 0.7f, left = 32 * unit, end = left + 125, y = 360 - 48 * unit;
    const uint8_t *low = pixelAt(field, size, left + 2, y), *high = pixelAt(field, size, end - 2, y);
    assert_true(brightness(high) > brightness(low) + 250);
    assert_true(difference(pixelAt(plain, size, end - 2, y), high) > 100);
    test_free(plain);
    test_free(field);
}

// Numbers that are none, and cells without a size that a picture could show, do no harm.
static void testStrangeAir(void **state) {
    (void)state;
    setAir(5, 3, 1, 0.2f);
    setSmoke();
    const float strange[] = {NAN, INFINITY, -INFINITY, -5, 1e38f, 1};
    for (int i = 0; i < 15; ++i) air.density[i] = strange[i % 6], air.temperature[i] = strange[(i + 1) % 6];
    test_free(drawOnce(usual));
    stage.scene.output.field = wb_fieldDensity;
    test_free(drawOnce((wbSize){1, 1}));
    air.solid[3] = air.solid[4] = 1;
    stage.scene.dimensions = 2;
    test_free(drawOnce(usual));
    stage.scene.output.field = wb_fieldFuel; // there is none
    test_free(drawOnce(usual));
}

// Below a layer of smoke the sun is weaker by exp(-extinction * way); solid cells leave nothing.
static void testLight(void **state) {
    (void)state;
    setAir(24, 24, 24, 0.1f);
    for (int k = 0; k < 24; ++k)
        for (int j = 12; j < 18; ++j)
            for (int i = 0; i < 24; ++i) air.density[getCell(i, j, k)] = 0.25f;
    const wbVolumeLight light = {.toSun = wbNormalize(wbMakeVec3(-0.3f, 1, 0.2f)), .extinction = 4};
    wbVolumeGrid grid = {0};
    assertOk(wbVolumeGrid_Fill(&grid, &air.view, &light));
    const uint8_t *texels = grid.texels.data;
    double exact = exp(-4 * 0.25 * 0.6 / (double)light.toSun.y);
    assert_true(fabs(texels[4 * getCell(12, 6, 12) + 3] / 255.0 - exact) < 0.02);
    assert_int_equal(texels[4 * getCell(12, 20, 12) + 3], 255);
    assert_int_equal(texels[4 * getCell(12, 20, 12)], 0);
    for (int k = 8; k < 16; ++k)
        for (int i = 8; i < 16; ++i) air.solid[getCell(i, 21, k)] = 1;
    assertOk(wbVolumeGrid_Fill(&grid, &air.view, &light));
    texels = grid.texels.data;
    assert_true(texels[4 * getCell(13, 19, 12) + 2] < 8);   // below the plate: smoke gets no light
    assert_true(texels[4 * getCell(13, 19, 12) + 3] > 250); // what is drawn by itself has shadows of its own
    assert_true(texels[4 * getCell(2, 19, 12) + 2] > 250);
    wbVolumeGrid_Free(&grid);
}

static const float *getNode(const wbVolumeAround *around, int i, int j, int k) {
    const int *n = around->size;
    return (const float *)around->levels.data + 4 * (i + (ptrdiff_t)n[0] * (j + (ptrdiff_t)n[1] * k));
}

// Deep in smoke there is less sky than at its edge, and more of it far away; a fire lights what is near more than what is
// far, and smoke around it takes of its light.
static void testSurroundings(void **state) {
    (void)state;
    const wbVolumeLight light = {.toSun = {0, 1, 0}, .extinction = 8, .shine = 1};
    float reached[2];
    for (int smoky = 0; smoky < 2; ++smoky) {
        wbVolumeGrid grid = {0};
        wbVolumeAround around = {0};
        setAir(32, 31, 30, 0.1f);
        if (smoky) fillCells(air.density, fillBall);
        for (int n = 0; n < 8; ++n)
            air.temperature[getCell(15 + (n & 1), 15 + (n >> 1 & 1), 15 + (n >> 2))] = 1500;
        assertOk(wbVolumeGrid_Fill(&grid, &air.view, &light));
        assertOk(wbVolumeAround_Fill(&around, &grid, &light, 0.1f));
        assert_int_equal(around.size[0] * 10000 + around.size[1] * 100 + around.size[2], 161615);
        const float *middle = getNode(&around, 8, 8, 8), *edge = getNode(&around, 4, 8, 8),
                    *far = getNode(&around, 0, 0, 0);
        assert_true(middle[0] > 4 * edge[0] && middle[0] > 4 * far[0] && far[0] > 0);
        assert_true(middle[0] > middle[1] && middle[1] > middle[2]); // fire is red
        if (smoky)
            assert_true(middle[3] < 0.1f && edge[3] > 3 * middle[3] && far[3] > edge[3]);
        else
            assert_true(middle[3] == 1 && far[3] == 1);
        reached[smoky] = far[0];
        wbVolumeAround_Free(&around);
        wbVolumeGrid_Free(&grid);
    }
    assert_true(reached[1] < 0.7f * reached[0]);
}

// From each block the next one with smoke is as far as it says, and no smoke lies in blocks that are skipped.
static void testSteps(void **state) {
    (void)state;
    setAir(32, 28, 30, 1);
    const int places[3][3] = {{3, 5, 7}, {20, 4, 29}, {31, 27, 0}};
    for (int n = 0; n < 3; ++n) air.density[getCell(places[n][0], places[n][1], places[n][2])] = 1;
    const wbVolumeLight light = {.toSun = {0, 1, 0}, .extinction = 1};
    wbVolumeGrid grid = {0};
    assertOk(wbVolumeGrid_Fill(&grid, &air.view, &light));
    const uint8_t *steps = grid.steps.data;
    const int *b = grid.blocks;
    assert_int_equal(b[0] * 100 + b[1] * 10 + b[2], 878);
    for (int n = 0; n < b[0] * b[1] * b[2]; ++n) {
        int x = n % b[0], y = n / b[0] % b[1], z = n / b[0] / b[1], nearest = 255;
        for (int m = 0; m < b[0] * b[1] * b[2]; ++m) {
            if (steps[m] != 0) continue;
            int dx = abs(x - m % b[0]), dy = abs(y - m / b[0] % b[1]), dz = abs(z - m / b[0] / b[1]);
            int most = dx > dy ? dx : dy;
            most = most > dz ? most : dz;
            nearest = most < nearest ? most : nearest;
        }
        assert_int_equal(steps[n], nearest);
    }
    for (int n = 0; n < 3; ++n)
        assert_int_equal(steps[places[n][0] / 4 + b[0] * (places[n][1] / 4 + b[1] * (places[n][2] / 4))], 0);
    wbVolumeGrid_Free(&grid);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testTransmittance), cmocka_unit_test(testNothing),
        cmocka_unit_test(testBlackBody),     cmocka_unit_test(testTint),
        cmocka_unit_test(testColouredFlame), cmocka_unit_test(testGlow),
        cmocka_unit_test(testBodies),        cmocka_unit_test(testOutlines),
        cmocka_unit_test(testWater),         cmocka_unit_test(testShadows),
        cmocka_unit_test(testColours),       cmocka_unit_test(testFields),
        cmocka_unit_test(testComponents),    cmocka_unit_test(testLegend),
        cmocka_unit_test(testZeros),         cmocka_unit_test(testCold),
        cmocka_unit_test(testStrangeAir),    cmocka_unit_test(testLight),
        cmocka_unit_test(testSteps),         cmocka_unit_test(testSurroundings),
        cmocka_unit_test(testGlass),         cmocka_unit_test(testDivergence),
        cmocka_unit_test(testQualities),
    };
    return cmocka_run_group_tests(tests, makeCube, NULL);
}
