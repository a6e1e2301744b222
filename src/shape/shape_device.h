// SPDX-License-Identifier: MIT
// A shape's triangles and the tree over them: the same structs in C and in OpenCL C.
#pragma once

#include "wirbel/math.h"

/// A box of the tree. Nodes stand in the order of a walk that goes down first: the first child of an inner node comes
/// next, its second child is the first one's `skip`.
typedef struct ShapeNode {
    float min[3], max[3]; ///< m
    int skip;             ///< the node to go on with when nothing below this one matters
    int first, count;     ///< triangles; count 0: an inner node
} ShapeNode;

/// A node's triangles as seen from afar: one of them all.
typedef struct ShapeCluster {
    float centre[3]; ///< m, weighted with area
    float area[3];   ///< m2: the sum of normals times areas
    float radius;    ///< m
} ShapeCluster;

typedef struct ShapeTriangle {
    wbVec3 corners[3]; ///< m
    wbVec3 normal;     ///< outwards, of length 1; 0 for a triangle without area
    wbVec3 inwards[3]; ///< in the triangle's plane, of length 1, across the edge from corner k to the next
} ShapeTriangle;
