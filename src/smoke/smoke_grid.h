// SPDX-License-Identifier: MIT
// Where the values of a staggered grid stand in memory. Cell (i, j, k) spans i h … (i + 1) h along x, likewise j along
// y and k along z. Scalars stand at its centre; u, v and w with the same numbers at its lower face along x, y and z.
//
// Rows of x are padded to whole vectors; rows follow each other along z, and planes of rows along y: threads cut the
// height, and a 2D grid is planes of one row. One value lies beyond each side, two beyond the upper ones, for the
// faces.
#pragma once

#include <stdint.h>

#include "core/array.h"
#include "wirbel/math.h"

typedef struct wbSmokeGrid {
    int dimensions;
    int nx, ny, nz; ///< cells
    int row;        ///< values from one row to the next; also the value before the first of a row
    int plane;      ///< from one plane to the next
    int total;      ///< of a field
    float h;        ///< m
    wbVec3 origin;  ///< m, the lower corner
} wbSmokeGrid;

/// Values of memory before and behind a field, which whole vectors may touch.
enum { WB_SMOKE_MARGIN = 64 };

/// Values from one field to the next. Fields start a different number of cache lines behind a page each, or they would
/// share the same few sets of the cache.
static inline size_t wbGetSmokeStride(const wbSmokeGrid *grid) {
    enum { STAGGER = 13 * 16 };
    return (size_t)wbPadCount(grid->total) + 2 * WB_SMOKE_MARGIN + STAGGER;
}

static inline int wbSmokeIndex(const wbSmokeGrid *grid, int i, int j, int k) {
    return i + grid->row * (k + 1) + grid->plane * (j + 1);
}

/// Blocks of 16 × 8 × 8 cells (x, y, z), of which those without smoke are skipped.
enum { WB_SMOKE_BLOCK_X = 16, WB_SMOKE_BLOCK = 8 };

typedef struct wbSmokeBlocks {
    int x, y, z; ///< how many
} wbSmokeBlocks;

static inline wbSmokeBlocks wbCountSmokeBlocks(const wbSmokeGrid *grid) {
    wbSmokeBlocks blocks = {(grid->nx + WB_SMOKE_BLOCK_X - 1) / WB_SMOKE_BLOCK_X,
                            (grid->ny + WB_SMOKE_BLOCK - 1) / WB_SMOKE_BLOCK,
                            (grid->nz + WB_SMOKE_BLOCK - 1) / WB_SMOKE_BLOCK};
    return blocks;
}

static inline size_t wbGetSmokeBlockCount(const wbSmokeGrid *grid) {
    wbSmokeBlocks blocks = wbCountSmokeBlocks(grid);
    return (size_t)blocks.x * (size_t)blocks.y * (size_t)blocks.z;
}

/// The first block of the row of cells (j, k).
static inline int wbSmokeBlockRow(const wbSmokeGrid *grid, int j, int k) {
    wbSmokeBlocks blocks = wbCountSmokeBlocks(grid);
    return blocks.x * (k / WB_SMOKE_BLOCK + blocks.z * (j / WB_SMOKE_BLOCK));
}

/// Where a cell stands in arrays without padding, such as the mask of solids.
static inline int wbSmokeCell(const wbSmokeGrid *grid, int i, int j, int k) {
    return i + grid->nx * (k + grid->nz * j);
}
