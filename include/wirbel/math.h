// SPDX-License-Identifier: MIT
// Small vectors. y is up, right-handed, SI units.
#pragma once

typedef struct wbVec3 {
    float x, y, z;
} wbVec3;

/// Pixels.
typedef struct wbSize {
    int width, height;
} wbSize;

static inline wbVec3 wbMakeVec3(float x, float y, float z) {
    wbVec3 v = {x, y, z};
    return v;
}
static inline wbVec3 wbAdd(wbVec3 a, wbVec3 b) { return wbMakeVec3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline wbVec3 wbSub(wbVec3 a, wbVec3 b) { return wbMakeVec3(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline wbVec3 wbScale(float s, wbVec3 a) { return wbMakeVec3(s * a.x, s * a.y, s * a.z); }
static inline float wbDot(wbVec3 a, wbVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline wbVec3 wbCross(wbVec3 a, wbVec3 b) {
    return wbMakeVec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
