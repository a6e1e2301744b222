// SPDX-License-Identifier: MIT
// For tests of fluids at colliders without a world around them.
#pragma once

#include <stdlib.h>

#include "space/boundary.h"
#include "work_support.h"

// A slab of points, two layers deep, whose face is the plane at `at` across an axis; the fluid is above it, or below.
static inline void addSlab(wbBoundary *boundary, wbMemory *memory, int axis, float at, bool isBelow,
                           const float low[3], const float high[3], float spacing, bool isNoSlip) {
    const int a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
    const int na = (int)((high[a] - low[a]) / spacing + 0.5f),
              nb = (int)((high[b] - low[b]) / spacing + 0.5f);
    const int rows = nb > 0 ? nb : 1, count = 2 * na * rows;
    const float out = isBelow ? 1 : -1;
    float *points = calloc((size_t)count, sizeof(float[3])),
          *normals = calloc((size_t)count, sizeof(float[3])), *depths = calloc((size_t)count, sizeof(float));
    for (int k = 0; k < count; k++) {
        const int layer = k / (na * rows), i = k % na, j = k / na % rows;
        depths[k] = ((float)layer + 0.5f) * spacing;
        points[3 * k + axis] = at - out * depths[k], normals[3 * k + axis] = out;
        points[3 * k + a] = low[a] + ((float)i + 0.5f) * spacing;
        points[3 * k + b] = nb > 0 ? low[b] + ((float)j + 0.5f) * spacing : 0;
    }
    wbBoundaryBodyDef def = {.count = count,
                             .points = points,
                             .normals = normals,
                             .depths = depths,
                             .isNoSlip = isNoSlip,
                             .motion = {.pose = wb_poseAtOrigin}};
    assertOk(wbBoundary_AddBody(boundary, memory, &def));
    free(points), free(normals), free(depths);
}
