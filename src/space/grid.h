// SPDX-License-Identifier: MIT
// Sorting points into cells. Cells are a search radius long in y and z and half of it in x, where they follow
// each other in memory, so that a neighbourhood is a few contiguous runs of points.
//
// Dense: one bucket per cell of the points' bounding box. Hashed, where that box has too many cells: eight
// cells in a row share one hashed slot of eight buckets. Two rows that fall into one slot cost time, never a
// wrong result.
#pragma once

#include "core/array.h"
#include "core/work.h"

/// Positions, one array per coordinate, readable up to 16 elements past the end.
typedef struct wbPoints {
    const float *x, *y, *z;
    int count;
} wbPoints;

typedef enum wbGridKind { wb_gridAuto, wb_gridDense, wb_gridHashed } wbGridKind;

typedef struct wbGrid {
    int dimensions;
    bool hashed;
    float radius;         ///< m, of the searches to come
    float min[3], max[3]; ///< m, bounding box of the points
    float origin[3];      ///< m, of the cells
    float cell[3];        ///< m
    float inverseCell[3];
    float slack;       ///< m, bound on the rounding of cell edges
    int size[3];       ///< cells; the largest cell coordinate is size - 1
    uint32_t slotMask; ///< hashed: slots - 1
    int bucketCount;
    wbArray bucketStart; ///< int (bucketCount + 1): places of a bucket's points in the sorted order
    float crowding;      ///< points in a point's cell, itself included, on average over a point of each block
    int crowdedPlace;    ///< a point in the fullest of these cells
} wbGrid;

void wbGrid_Init(wbGrid *grid);
void wbGrid_Free(wbMemory *memory, wbGrid *grid);

/// Sorts points by cell: order[k] (count entries) is the point that comes k-th. The caller moves its arrays
/// into that order before it searches. `radius` is the largest distance of neighbours.
wbStatus wbGrid_Sort(wbGrid *grid, const wbWork *work, wbPoints points, float radius, int dimensions,
                     wbGridKind kind, int *order);

/// Chooses cells of the grid's radius and the kind of grid for points that lie between min and max, or outside.
void wbGrid_LayOut(wbGrid *grid, const float min[3], const float max[3], float slack, int count,
                   wbGridKind kind);

/// The cell of a point along an axis.
static inline int wbGrid_GetCell(const wbGrid *grid, int axis, float position) {
    float c = (position - grid->origin[axis]) * grid->inverseCell[axis];
    int cell = c > 0 ? (int)(c < 1e9f ? c : 1e9f) : 0, last = grid->size[axis] - 1;
    return cell < last ? cell : last;
}

/// One array to move into sorted order. Elements of four bytes.
typedef struct wbMove {
    const void *from;
    void *to;
} wbMove;

/// to[k] = from[order[k]] for each of the arrays.
void wbReorder(const wbWork *work, const int *order, int count, const wbMove *moves, int moveCount);

/// Slot of eight cells in a row; the seed's hash of Teschner et al. 2003.
static inline uint32_t wbHashSlot(uint32_t x, uint32_t y, uint32_t z) {
    return x * 73856093u ^ y * 19349663u ^ z * 83492791u;
}
