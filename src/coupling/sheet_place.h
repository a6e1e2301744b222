// SPDX-License-Identifier: MIT
// Where corners of sheets and particles near them are.
#pragma once

#include <math.h>

#include "coupling/sheet.h"

static inline wbVec3d wbGetSheetRecord(const float *records, int i) {
    const float *r = records + 4 * (size_t)i;
    return (wbVec3d){r[0], r[1], r[2]};
}

/// h and spacing of a particle over the largest's; kg, its mass.
static inline double wbGetSheetSize(const wbSheetSwarm *swarm, int i) {
    return swarm->sizes ? (double)swarm->sizes[i] : 1;
}
static inline double wbGetSheetMass(const wbSheetSwarm *swarm, int i) {
    return swarm->mass * (swarm->relative ? (double)swarm->relative[i] : 1);
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

static inline double wbGetLength3d(wbVec3d v) { return sqrt(wbDot3d(v, v)); }

static inline int wbSheets_FindClosest(const wbSheets *sheets, int element, bool isEnd, wbVec3d point,
                                       double w[3], double *distance2) {
    wbVec3d corners[3];
    int kind = 1;
    wbSheets_GetCorners(sheets, element, isEnd, corners);
    w[0] = 1, w[1] = w[2] = 0;
    if (!wbIsBall(wbSheets_GetElement(sheets, element))) kind = wbFindClosestOnTriangle(corners, point, w);
    const wbVec3d away = wbSub3d(point, wbCombineCorners(corners, w));
    *distance2 = wbDot3d(away, away);
    return kind;
}

// Whether a closest point is on a rim.
static inline bool wbIsOnRim(const wbSheetElement *element, int kind, const double w[3]) {
    for (int k = 0; k < 3; k++) {
        if (kind == 1 && w[k] > 0) return element->rims >> (3 + k) & 1;
        if (kind == 2 && w[k] == 0) return element->rims >> ((k + 1) % 3) & 1;
    }
    return false;
}

/// Of all triangles, as they began or as they are now.
void wbSheets_UpdateNormals(const wbSheets *sheets, wbVec3d *normals, bool isEnd, const wbWork *work);
