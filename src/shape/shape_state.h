// SPDX-License-Identifier: MIT
// What a shape is made of, for the files that implement it.
#pragma once

#include "shape/shape.h"

struct wbShape {
    wbMemory *memory;
    int moreOwners; ///< beside the first
    wbShapeTree tree;
    ShapeNode *nodes;
    ShapeTriangle *triangles;
    int *meshTriangles;
    ShapeCluster *clusters; ///< one per node
    wbShapeEdges *edges;    ///< one per triangle, or NULL
    bool *isFlat;           ///< one per node, or NULL
    int nodeCapacity;
};

/// wbShape_FindSurface for a point of which something is known, which is quicker. side: -1 inside, 1 outside, 0: not
/// known. most: m, that the surface is not farther away.
wbSurface wbFindSurfaceFrom(const wbShape *shape, wbVec3 point, int side, float most);
