// SPDX-License-Identifier: MIT
// 4 x 4 matrices, column by column as OpenGL reads them.
#pragma once

#include "wirbel/math.h"

#include <math.h>

typedef struct wbMat4 {
    float m[16];
} wbMat4;

static inline wbVec3 wbNormalize(wbVec3 v) {
    float length = sqrtf(wbDot(v, v));
    return length > 0 ? wbScale(1 / length, v) : wbMakeVec3(0, 0, 1);
}

static inline wbMat4 wbMulMat4(const wbMat4 *a, const wbMat4 *b) {
    wbMat4 c;
    for (int column = 0; column < 4; ++column) {
        for (int row = 0; row < 4; ++row) {
            float sum = 0;
            for (int k = 0; k < 4; ++k) sum += a->m[4 * k + row] * b->m[4 * column + k];
            c.m[4 * column + row] = sum;
        }
    }
    return c;
}

/// World to the axes right, up, back around `origin`.
static inline wbMat4 wbMakeView(wbVec3 right, wbVec3 up, wbVec3 back, wbVec3 origin) {
    wbMat4 view = {{right.x, up.x, back.x, 0, right.y, up.y, back.y, 0, right.z, up.z, back.z, 0,
                    -wbDot(right, origin), -wbDot(up, origin), -wbDot(back, origin), 1}};
    return view;
}

/// tanX, tanY: of half the angles of view.
static inline wbMat4 wbMakePerspective(float tanX, float tanY, float near, float far) {
    float depth = far - near;
    wbMat4 p = {{1 / tanX, 0, 0, 0, 0, 1 / tanY, 0, 0, 0, 0, -(far + near) / depth, -1, 0, 0,
                 -2 * far * near / depth, 0}};
    return p;
}

/// Maps the box from min to max (z towards the eye) to the clip cube.
static inline wbMat4 wbMakeOrthographic(wbVec3 min, wbVec3 max) {
    wbVec3 d = wbSub(max, min);
    wbMat4 p = {{2 / d.x, 0, 0, 0, 0, 2 / d.y, 0, 0, 0, 0, -2 / d.z, 0, -(max.x + min.x) / d.x,
                 -(max.y + min.y) / d.y, (max.z + min.z) / d.z, 1}};
    return p;
}
