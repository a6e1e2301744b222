// SPDX-License-Identifier: MIT
// A shape: an immutable collider in its own frame, bounded by a closed mesh, with a tree over its triangles. Several
// closed parts that overlap are one shape, their union.
#pragma once

#include "core/memory.h"
#include "core/thread.h"
#include "shape/pose.h"
#include "shape/shape_device.h"
#include "shape/vec3d.h"
#include "wirbel/mesh.h"

typedef struct wbShape wbShape;

/// The mesh is copied. wb_errorInput says what is wrong with a mesh that bounds no collider: see wbMesh_Check.
wbStatus wbCreateShape(wbMemory *memory, const wbMesh *mesh, wbShape **shape);
/// One more owner of it, who destroys it as well: the last one does. Owners have the same memory, and no threads of their own.
wbShape *wbShape_Share(wbShape *shape);
/// NULL is allowed.
void wbDestroyShape(wbShape *shape);

/// Bends below which an edge is flat.
#define WB_FLAT_BEND 1e-8f
/// What lies across the edges of a triangle, from corner k to the next.
typedef struct wbShapeEdges {
    int neighbours[3]; ///< triangles, in the order of the tree
    float bends[3];    ///< 1 - cosine of the angle between both normals; negative: the edge is a valley
} wbShapeEdges;

/// The triangles and the tree, which live as long as the shape.
typedef struct wbShapeTree {
    const ShapeNode *nodes;
    const ShapeCluster *clusters;   ///< of nodes
    const ShapeTriangle *triangles; ///< in the order of the tree
    const int *meshTriangles;       ///< which of the mesh's each of them is
    const wbShapeEdges *edges;      ///< of each of them; NULL before wbShape_FindEdges
    const bool *isFlat; ///< of nodes: all triangles are in one plane, as are those around them; likewise
    int nodeCount, triangleCount;
    wbVec3 min, max, centre; ///< m: the box around all, and its middle
    float radius;            ///< m, of a ball about the centre that holds all
} wbShapeTree;
const wbShapeTree *wbShape_GetTree(const wbShape *shape);

/// So that the tree has edges and knows what is flat, which rigid bodies need that slide over them; once per shape.
wbStatus wbShape_FindEdges(wbShape *shape);

/// The surface as seen from a point.
typedef struct wbSurface {
    float distance;  ///< m; negative inside. Where parts overlap, faces inside another part count as well
    wbVec3 nearest;  ///< m, a point of the surface
    wbVec3 gradient; ///< of the distance: length 1, away from the collider
} wbSurface;
wbSurface wbShape_FindSurface(const wbShape *shape, wbVec3 point);
/// wbShape_FindSurface for a point of which something is known, which is quicker. side: -1 inside, 1 outside, 0: not
/// known. most: m, that the surface is not farther away.
wbSurface wbFindSurfaceFrom(const wbShape *shape, wbVec3 point, int side, float most);

/// How often the surface goes around a point: about 0 outside, 1 inside, 2 inside two parts. Above 1/2 is inside.
double wbShape_GetWinding(const wbShape *shape, wbVec3 point);

/// Where a straight way first crosses the surface, outwards or inwards.
typedef struct wbShapeHit {
    double fraction; ///< of the way, 0 to 1
    int triangle;    ///< in the order of the tree; -1: nowhere
} wbShapeHit;
/// Looks no farther than a fraction `most` of the way. In double: triangles that share an edge leave no gap.
wbShapeHit wbShape_CastRay(const wbShape *shape, wbVec3d origin, wbVec3d translation, double most);

/// Whether the collider, at a pose, and a box of the world share a point.
bool wbShape_MeetsBox(const wbShape *shape, const wbPose *pose, wbVec3d min, wbVec3d max);

/// One point of the collider's shell.
typedef struct wbShapeSample {
    wbVec3 position; ///< m
    wbVec3 normal;   ///< outwards, of the nearest point of the surface
    float depth;     ///< m, below the surface
} wbShapeSample;

typedef struct wbShapeSamples {
    wbShapeSample *samples;
    int count;
    size_t bytes; ///< of the allocation
} wbShapeSamples;

/// Points about a spacing apart in layers (k + 1/2) spacing below the surface, as far down as `depth`; where the collider
/// is too thin for a layer, halfway between its faces. Below a face parallel to the axes they are a square lattice. In
/// two dimensions only the plane z = 0 is filled. The same for any number of threads.
wbStatus wbShape_Sample(const wbShape *shape, float spacing, float depth, int dimensions, wbThreadPool *pool,
                        wbShapeSamples *samples);
void wbShape_FreeSamples(const wbShape *shape, wbShapeSamples *samples);
