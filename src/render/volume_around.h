// SPDX-License-Identifier: MIT
// Light that reaches smoke from all around: what of the sky it sees, and what shines near it.
#pragma once

#include "render/volume_grid.h"

typedef struct wbVolumeAround {
    int size[3]; ///< nodes of the finest level, each of 2 x 2 x 2 cells of the grid
    wbArray
        levels; ///< four floats per node: red, green and blue of fire, share of the sky; the finest level is the first
} wbVolumeAround;

/// After wbVolumeGrid_Fill.
wbStatus wbVolumeAround_Fill(wbVolumeAround *around, const wbVolumeGrid *grid, const wbVolumeLight *light,
                             float cellSize);
void wbVolumeAround_Free(wbVolumeAround *around);
