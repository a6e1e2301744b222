// SPDX-License-Identifier: MIT
// Closed meshes as cells of a grid, by rays along its lines.
#pragma once

#include "core/arena.h"
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

/// Sets cells whose centres are inside a closed mesh. Where it is thinner than a cell and lies between two
/// centres, the cell that its middle is in is set as well: whoever goes from cell to cell across faces cannot pass a
/// wall, however thin. Scratch comes from the arena.
wbStatus wbVoxelise(const wbVoxelGrid *grid, const wbMesh *mesh, const wbPose *pose, wbArena *arena,
                    uint8_t value, uint8_t *mask);
