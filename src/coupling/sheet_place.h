// SPDX-License-Identifier: MIT
// Where corners of sheets and particles near them are.
#pragma once

#include <math.h>

#include "coupling/sheet.h"

static inline wbVec3d wbGetSheetRecord(const float *records, int i) {
    const float *r = records + 4 * (size_t)i;
    return (wbVec3d){r[0], r[1], r[2]};
}

static inline void wbSheets_GetCorners(const wbSheets *sheets, int element, bool isEnd, wbVec3d corners[3]) {
    const wbSheetElement *e = wbSheets_GetElement(sheets, element);
    for (int k = 0; k < 3; k++) {
        const wbSheetNode *node = wbSheets_GetNode(sheets, e->corners[k]);
        corners[k] = isEnd ? node->end : node->start;
    }
}

static inline wbVec3d wbCombineCorners(const wbVec3d corners[3], const double w[3]) {
    wbVec3d sum = {0, 0, 0};
    for (int k = 0; k < 3; k++) sum = wbAddScaled3d(sum, w[k], corners[k]);
    return sum;
}

static inline wbVec3d wbFindTriangleNormal(const wbVec3d c[3]) {
    const wbVec3d n = wbCross3d(wbSub3d(c[1], c[0]), wbSub3d(c[2], c[0]));
    const double length = sqrt(wbDot3d(n, n));
    return length > 0 ? (wbVec3d){n.x / length, n.y / length, n.z / length} : (wbVec3d){0, 0, 0};
}

/// Columns and records of elements for a sub-step, in the arena; false: no memory.
bool wbSheets_Lay(wbSheets *sheets, const wbWork *work);
/// Records of nodes and elements as they began (0) or as they are now (1).
void wbSheets_Shape(wbSheets *sheets, int moment, const wbWork *work);
/// Particles near nodes as they are now are found: strays count from here.
void wbSheets_KeepFound(wbSheets *sheets);
