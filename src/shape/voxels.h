// SPDX-License-Identifier: MIT
// Closed meshes as cells of a grid, by rays along its lines.
#pragma once

#include "core/arena.h"
#include "core/array.h"
#include "shape/pose.h"
#include "wirbel/mesh.h"

/// Cell (i, j, k) stands at [i stride[0] + j stride[1] + k stride[2]] of a mask.
typedef struct wbVoxelGrid {
    int count[3];
    ptrdiff_t stride[3];
    float size;  ///< m, the edge of a cell
    wbVec3 min;  ///< m, the lower corner
    bool isFlat; ///< one layer, which is cut by the plane z = 0
} wbVoxelGrid;

/// Cells that follow each other along x: the place of the first in a mask, and how many.
typedef struct wbVoxelRun {
    int first, count;
} wbVoxelRun;

/// Zero is one without cells. A cell may be in several runs.
typedef struct wbVoxels {
    wbArray runs; ///< wbVoxelRun
    int runCount;
} wbVoxels;
void wbVoxels_Free(wbMemory *memory, wbVoxels *voxels);

/// The cells whose centres are inside a closed mesh, instead of those before. Where it is thinner than a cell and lies between
/// two centres, the cell that its middle is in is one as well: whoever goes from cell to cell across faces cannot pass a
/// wall, however thin. Scratch comes from the arena.
wbStatus wbVoxelise(const wbVoxelGrid *grid, const wbMesh *mesh, const wbPose *pose, wbArena *arena,
                    wbMemory *memory, wbVoxels *voxels);
