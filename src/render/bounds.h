// SPDX-License-Identifier: MIT
// Boxes along the axes.
#pragma once

#include "wirbel/math.h"

#include <math.h>
#include <stdbool.h>

typedef struct wbBounds {
    wbVec3 min, max;
} wbBounds;

/// Corner 0 to 7; bits of the index choose max in x, y, z.
static inline wbVec3 wbBounds_GetCorner(const wbBounds *box, int index) {
    return wbMakeVec3(index & 1 ? box->max.x : box->min.x, index & 2 ? box->max.y : box->min.y,
                      index & 4 ? box->max.z : box->min.z);
}

static inline wbVec3 wbBounds_GetCentre(const wbBounds *box) {
    return wbScale(0.5f, wbAdd(box->min, box->max));
}

static inline wbBounds wbBounds_Grow(wbBounds box, float margin) {
    wbVec3 m = wbMakeVec3(margin, margin, margin);
    return (wbBounds){wbSub(box.min, m), wbAdd(box.max, m)};
}

/// Nothing: whatever is included makes it.
static inline wbBounds wbBounds_Empty(void) {
    return (wbBounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static inline wbBounds wbBounds_Join(wbBounds a, wbBounds b) {
    return (wbBounds){{fminf(a.min.x, b.min.x), fminf(a.min.y, b.min.y), fminf(a.min.z, b.min.z)},
                      {fmaxf(a.max.x, b.max.x), fmaxf(a.max.y, b.max.y), fmaxf(a.max.z, b.max.z)}};
}

static inline wbBounds wbBounds_Include(wbBounds box, wbVec3 point) {
    return wbBounds_Join(box, (wbBounds){point, point});
}

/// What lies in both; turned inside out where nothing does.
static inline wbBounds wbBounds_Cut(wbBounds a, wbBounds b) {
    return (wbBounds){{fmaxf(a.min.x, b.min.x), fmaxf(a.min.y, b.min.y), fmaxf(a.min.z, b.min.z)},
                      {fminf(a.max.x, b.max.x), fminf(a.max.y, b.max.y), fminf(a.max.z, b.max.z)}};
}

static inline bool wbBounds_IsEmpty(wbBounds box) {
    return !(box.min.x <= box.max.x && box.min.y <= box.max.y && box.min.z <= box.max.z);
}
