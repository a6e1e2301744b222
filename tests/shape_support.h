// SPDX-License-Identifier: MIT
// Shapes for tests, and random numbers that are the same every time.
#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "shape/mesh.h"
#include "shape/shape.h"
#include "shape/shape_make.h"
#include "test_support.h"

/// Frees the mesh.
static inline wbShape *shapeOf(wbStatus status, wbMesh *mesh) {
    wbShape *shape;
    assertOk(status);
    assertOk(wbCreateShape(NULL, mesh, &shape));
    wbFreeMesh(mesh);
    return shape;
}

static inline void expectInputError(wbStatus status, const char *text) {
    assert_int_equal(status.code, wb_errorInput);
    if (!strstr(status.text, text)) fail_msg("\"%s\" has no \"%s\"", status.text, text);
}

/// Between -1 and 1; counts the seed on.
static inline float randomNumber(uint32_t *seed) { return 2 * wbHashFloat((*seed)++) - 1; }

static inline wbVec3 randomPoint(uint32_t *seed, float size) {
    float x = randomNumber(seed), y = randomNumber(seed), z = randomNumber(seed);
    return wbMakeVec3(size * x, size * y, size * z);
}

static inline float lengthOf(wbVec3 v) { return sqrtf(wbDot(v, v)); }

static inline wbVec3 normaliseVec(wbVec3 v) { return wbScale(1 / lengthOf(v), v); }
