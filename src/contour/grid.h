// SPDX-License-Identifier: MIT
// A grid that has cells only where points reach: blocks of 8 x 8 x 8 cells, found by their place.
#pragma once

#include "contour/contour.h"
#include "core/array.h"

enum {
    WB_EDGE = 8,            ///< cells of a block along an axis
    WB_NODES = WB_EDGE + 1, ///< corners of cells likewise; the last are also the first of the next block
    WB_LAYER = WB_NODES * WB_NODES ///< nodes of a block with one z
};

/// m, of a point from the grid's node (0, 0, 0), which is half a cell from the origin: blocks of water tend to end at multiples
/// of their spacing, where a surface along nodes would go up and down between them.
static inline void wbContourDef_GetPlace(const wbContourDef *def, int point, double at[3]) {
    const size_t i = (size_t)point * (size_t)def->stride;
    const double shift = 0.5 * (double)def->cellSize;
    at[0] = (double)def->x[i] - shift;
    at[1] = (double)def->y[i] - shift;
    at[2] = def->depth > 0 ? 0 : (double)def->z[i] - shift;
}

typedef struct wbBlock {
    int place[3];              ///< in blocks, from the origin
    int listStart;             ///< of the points that reach it, in wbContourGrid.lists, by their numbers
    int listCount;             ///< of them
    float least, most;         ///< of the values at its nodes
    uint64_t cuts[3][WB_EDGE]; ///< by axis and layer, a bit per node: its edge along the axis is cut
    uint16_t cutsBefore[3][WB_EDGE];
    int cutCount, vertexCount, triangleCount;
    int firstVertex, firstTriangle; ///< of the mesh
    double volume;                  ///< m3, between the origin and its triangles
} wbBlock;

typedef struct wbContourGrid {
    const wbContourDef *def;
    wbThreadPool *pool;
    wbMemory *memory;
    int layers;     ///< of nodes along z: 9; 4 of a slab, of which the outer two are outside
    wbArray blocks; ///< wbBlock, in the order in which points reach them
    int blockCount;
    wbArray slots; ///< int: blocks by their place; open addressing, -1 is free
    uint32_t slotMask;
    wbArray lists;  ///< int: points by block
    wbArray shares; ///< float per point: one over its share, see field.c
    wbArray values; ///< float per node of a block
} wbContourGrid;

static inline wbBlock *wbContourGrid_GetBlock(const wbContourGrid *grid, int index) {
    return (wbBlock *)grid->blocks.data + index;
}
/// Value of node (i, j, k) of a block: [i + j WB_NODES + k WB_LAYER].
static inline float *wbContourGrid_GetValues(const wbContourGrid *grid, int block) {
    return (float *)grid->values.data + (size_t)block * WB_LAYER * (size_t)grid->layers;
}

/// Blocks and lists for all points of the def. wb_errorInput if one is too far out, or nowhere.
wbStatus wbContourGrid_Build(wbContourGrid *grid);
void wbContourGrid_Free(wbContourGrid *grid);

/// wb_errorMemory
wbStatus wbContourGrid_Fail(const wbContourGrid *grid);

/// -1: there is none.
int wbContourGrid_Find(const wbContourGrid *grid, const int place[3]);

/// The values at all nodes: 0 outside of what points reach, about 1 among them.
wbStatus wbContourGrid_Evaluate(wbContourGrid *grid);
