// SPDX-License-Identifier: MIT
// Boxes along the axes.
#pragma once

#include "wirbel/math.h"

#include <math.h>
#include <stdbool.h>

typedef struct wbBox {
    wbVec3 min, max;
} wbBox;

/// Corner 0 to 7; bits of the index choose max in x, y, z.
static inline wbVec3 wbBox_GetCorner(const wbBox *box, int index) {
    return wbMakeVec3(index & 1 ? box->max.x : box->min.x, index & 2 ? box->max.y : box->min.y,
                      index & 4 ? box->max.z : box->min.z);
}

static inline wbVec3 wbBox_GetCentre(const wbBox *box) { return wbScale(0.5f, wbAdd(box->min, box->max)); }

static inline wbBox wbBox_Grow(wbBox box, float margin) {
    wbVec3 m = wbMakeVec3(margin, margin, margin);
    return (wbBox){wbSub(box.min, m), wbAdd(box.max, m)};
}

/// Nothing: whatever is included makes it.
static inline wbBox wbBox_Empty(void) {
    return (wbBox){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static inline wbBox wbBox_Join(wbBox a, wbBox b) {
    return (wbBox){{fminf(a.min.x, b.min.x), fminf(a.min.y, b.min.y), fminf(a.min.z, b.min.z)},
                   {fmaxf(a.max.x, b.max.x), fmaxf(a.max.y, b.max.y), fmaxf(a.max.z, b.max.z)}};
}

static inline wbBox wbBox_Include(wbBox box, wbVec3 point) { return wbBox_Join(box, (wbBox){point, point}); }

/// What lies in both; turned inside out where nothing does.
static inline wbBox wbBox_Cut(wbBox a, wbBox b) {
    return (wbBox){{fmaxf(a.min.x, b.min.x), fmaxf(a.min.y, b.min.y), fmaxf(a.min.z, b.min.z)},
                   {fminf(a.max.x, b.max.x), fminf(a.max.y, b.max.y), fminf(a.max.z, b.max.z)}};
}

static inline bool wbBox_IsEmpty(wbBox box) {
    return !(box.min.x <= box.max.x && box.min.y <= box.max.y && box.min.z <= box.max.z);
}
