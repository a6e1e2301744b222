// SPDX-License-Identifier: MIT
// Boxes along the axes.
#pragma once

#include "wirbel/math.h"

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
