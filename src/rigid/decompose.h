// SPDX-License-Identifier: MIT
// Closed meshes as sets of convex hulls, so that bodies of any shape collide exactly.
#pragma once

#include "rigid/convex.h"

typedef struct wbDecomposeParams {
    int maxParts;   ///< 1 to 1024
    int resolution; ///< voxels along the longest edge, 8 to 256: where cuts may be
    int maxCorners; ///< of a hull, 8 to WB_MAX_HULL_CORNERS
    float excess;   ///< of the volume: it is not cut any more where that would save less
} wbDecomposeParams;

typedef struct wbDecomposition {
    wbHull **hulls;
    int count, capacity;
    double excess; ///< by how much the hulls have more volume than the mesh, as a share of it
} wbDecomposition;

/// Cuts a mesh by planes along the axes, each where the hulls of what it leaves have the least volume, first
/// what is least convex. Hulls are those of the mesh itself between the cuts: they touch, do not overlap, and
/// hold all of it but what maxCorners cuts off.
wbStatus wbDecomposeMesh(wbMemory *memory, const wbMesh *mesh, const wbDecomposeParams *params,
                         wbDecomposition *parts);
void wbDecomposition_Free(wbMemory *memory, wbDecomposition *parts);
