// SPDX-License-Identifier: MIT
// The surface around points as a closed mesh: a field of the points on a sparse grid (grid.c, field.c), marching cubes
// (march.c) at the level that encloses a given volume, and a smoother of the mesh that keeps the volume (smooth.c).
#pragma once

#include "core/thread.h"
#include "wirbel/mesh.h"

typedef struct wbContourDef {
    const float *x, *y, *z; ///< m; point i stands at [i * stride]
    int count, stride;
    float cellSize; ///< m, of the grid
    float radius;   ///< m, that a point reaches
    int smoothing;  ///< passes over the mesh; 0: none
    float depth;    ///< m; above 0 the points lie in a plane, and the mesh is a slab of it that is so thick
    double volume;  ///< m3, that the mesh encloses
} wbContourDef;

/// The mesh is empty without points. Every edge belongs to two triangles; which, does not depend on the number of threads.
/// Memory is counted by the account while it works; the mesh itself is not.
wbStatus wbMakeContour(const wbContourDef *def, wbThreadPool *pool, wbMemory *memory, wbMesh *mesh);
