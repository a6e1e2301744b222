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
