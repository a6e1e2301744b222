// SPDX-License-Identifier: MIT
// Scenes for the tests of pictures, and ways to look at pixels.
#pragma once

#include "test_support.h"

#include "render/renderer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COUNT = 8192 };

/// A scene that owns its particles.
typedef struct Stage {
    float data[8][MAX_COUNT];
    uint32_t id[MAX_COUNT];
    wbView view;
    wbDomainDef domain;
    wbRenderScene scene;
} Stage;

static inline void setStage(Stage *stage, int dimensions) {
    memset(stage, 0, sizeof *stage);
    stage->view = (wbView){0,
                           1,
                           stage->data[0],
                           stage->data[1],
                           stage->data[2],
                           stage->data[3],
                           stage->data[4],
                           stage->data[5],
                           stage->data[6],
                           stage->data[7],
                           stage->id,
                           NULL,
                           NULL,
                           NULL};
    stage->domain = (wbDomainDef){.min = {0, 0, 0}, .max = {2, 1, dimensions == 2 ? 0 : 1}};
    stage->scene = (wbRenderScene){
        .views = &stage->view,
        .viewCount = 1,
        .domain = &stage->domain,
        .dimensions = dimensions,
        .spacing = 0.1f,
        .restDensity = 1000,
        .camera = {.fov = 40},
        .output = {.colour = wb_colourSpeed,
                   .colourMin = NAN,
                   .colourMax = NAN,
                   .sliceAt = NAN,
                   .radius = 0.5f,
                   .box = true,
                   .floor = true,
                   .legend = true,
                   .daylight = 1,
                   .glow = 1,
                   .smokeColour = {0.8f, 0.8f, 0.8f}},
        .time = 1.5,
        .title = "test",
    };
}

static inline void addParticle(Stage *stage, wbVec3 position, float speed) {
    assert_true(stage->view.count < MAX_COUNT);
    int i = stage->view.count++;
    stage->data[0][i] = position.x, stage->data[1][i] = position.y, stage->data[2][i] = position.z;
    stage->data[3][i] = speed;
    stage->data[6][i] = 1000 + 50 * speed;
}

/// A block of particles on a lattice with the stage's spacing.
static inline void addBlock(Stage *stage, wbVec3 min, wbVec3 max) {
    float d = stage->scene.spacing;
    for (float z = min.z + 0.5f * d; z < max.z; z += d)
        for (float y = min.y + 0.5f * d; y < max.y; y += d)
            for (float x = min.x + 0.5f * d; x < max.x; x += d) addParticle(stage, wbMakeVec3(x, y, z), 0);
}

/// Pixels of one frame; the caller frees.
static inline uint8_t *draw(wbRenderer *renderer, const wbRenderScene *scene, wbSize size) {
    uint8_t *rgb = test_malloc((size_t)(size.width * size.height * 3));
    assertOk(wbRenderer_DrawFrame(renderer, scene));
    assertOk(wbRenderer_ReadPixels(renderer, rgb));
    return rgb;
}

static inline wbRenderer *makeRenderer(wbSize size) {
    wbRenderer *renderer;
    assertOk(wbCreateRenderer(size.width, size.height, &renderer));
    return renderer;
}

static inline const uint8_t *pixelAt(const uint8_t *rgb, wbSize size, float x, float y) {
    int column = (int)x, row = (int)y;
    assert_true(column >= 0 && column < size.width && row >= 0 && row < size.height);
    return rgb + 3 * (row * size.width + column);
}

/// The pixel where a point of the world is seen.
static inline const uint8_t *pixelOf(const wbRenderer *renderer, const uint8_t *rgb, wbSize size,
                                     wbVec3 point) {
    float x, y;
    assert_true(wbRenderer_Project(renderer, point, &x, &y));
    return pixelAt(rgb, size, x, y);
}

static inline int brightness(const uint8_t *pixel) { return pixel[0] + pixel[1] + pixel[2]; }

static inline int difference(const uint8_t *a, const uint8_t *b) {
    return abs(a[0] - b[0]) + abs(a[1] - b[1]) + abs(a[2] - b[2]);
}
