// SPDX-License-Identifier: MIT
// The field that a surface is a level of: f(x) = sum of s_i w(|x - x_i|), with the share s_i = 1 / sum of w(|x_j - x_i|) over
// all points j, i too: the volume that a point has by the density of its neighbours. So f is about 1 at every point,
// whether it is in the middle of water, in a sheet, or alone: nothing is too thin to be seen. w = (1 - q2)^6, with q the
// distance over the radius; with a radius of 2.1 spacings the level that runs half a spacing above a flat lattice,
// 0.58, is a ball of one site's volume around a lone point, and within the lattice f is nowhere below 1.
#include <math.h>
#include <string.h>

#include "contour/grid.h"
#include "core/status.h"

static inline float getWeight(float q2) {
    const float t = q2 < 1 ? 1 - q2 : 0, t3 = t * t * t;
    return t3 * t3;
}

// From the grid's node (0, 0, 0), over the radius; doubles, so that those of nodes come out the same in all blocks.
static void getPlace(const wbContourDef *def, int point, double at[3]) {
    double from[3];
    wbContourDef_GetPlace(def, point, from);
    for (int a = 0; a < 3; a++) at[a] = from[a] / (double)def->radius;
}

static bool isHome(const wbContourGrid *grid, const wbBlock *block, const double at[3]) {
    const double scale = (double)grid->def->radius / (double)grid->def->cellSize / WB_EDGE;
    for (int a = 0; a < 3; a++)
        if (floor(scale * at[a]) != block->place[a]) return false;
    return true;
}

/// Some of the points that reach a block, from its corner on. The rest of it is out of reach.
enum { CHUNK = 256, LANES = 8 };
typedef struct Chunk {
    float x[CHUNK], y[CHUNK], z[CHUNK];
} Chunk;

static void getRelative(const wbContourGrid *grid, const wbBlock *block, const double at[3], float from[3]) {
    const double step = WB_EDGE * (double)grid->def->cellSize / (double)grid->def->radius;
    for (int a = 0; a < 3; a++) from[a] = (float)(at[a] - step * block->place[a]);
}

static void fillChunk(const wbContourGrid *grid, const wbBlock *block, const int *list, int count,
                      Chunk *chunk) {
    for (int n = 0; n < CHUNK; n++) {
        double at[3];
        float from[3] = {1e9f, 1e9f, 1e9f};
        if (n < count) {
            getPlace(grid->def, list[n], at);
            getRelative(grid, block, at, from);
        }
        chunk->x[n] = from[0], chunk->y[n] = from[1], chunk->z[n] = from[2];
    }
}

// In lanes, so that compilers make vectors of it.
static float sumWeights(const Chunk *chunk, const float from[3]) {
    float sums[LANES] = {0}, sum = 0;
    for (int n = 0; n < CHUNK; n += LANES)
        for (int l = 0; l < LANES; l++) {
            const float dx = chunk->x[n + l] - from[0], dy = chunk->y[n + l] - from[1],
                        dz = chunk->z[n + l] - from[2];
            sums[l] += getWeight(dx * dx + dy * dy + dz * dz);
        }
    for (int l = 0; l < LANES; l++) sum += sums[l];
    return sum;
}

// Of the points in a block, whose list has all that are near them: one over their shares, so far.
static void addWeights(const wbContourGrid *grid, const wbBlock *block, const Chunk *chunk) {
    const int *list = (const int *)grid->lists.data + block->listStart;
    for (int n = 0; n < block->listCount; n++) {
        double at[3];
        float from[3];
        getPlace(grid->def, list[n], at);
        if (!isHome(grid, block, at)) continue;
        getRelative(grid, block, at, from);
        ((float *)grid->shares.data)[list[n]] += sumWeights(chunk, from);
    }
}

static void measureShares(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbContourGrid *grid = context;
    for (int b = begin; b < end; b++) {
        const wbBlock *block = wbContourGrid_GetBlock(grid, b);
        const int *list = (const int *)grid->lists.data + block->listStart;
        Chunk chunk;
        for (int n = 0; n < block->listCount; n += CHUNK) {
            fillChunk(grid, block, list + n, block->listCount - n, &chunk);
            addWeights(grid, block, &chunk);
        }
    }
}

// Nodes of a block, along an axis, that a point reaches: from *first to *last.
static void findNodes(const wbContourGrid *grid, const wbBlock *block, int axis, double at, int *first,
                      int *last) {
    const double scale = (double)grid->def->radius / (double)grid->def->cellSize,
                 start = WB_EDGE * (double)block->place[axis];
    *first = (int)fmax(ceil(scale * (at - 1) - start), 0);
    *last = (int)fmin(floor(scale * (at + 1) - start), WB_EDGE);
}

/// Nodes of a block in rows of whole vectors.
enum { ROW = 12 };

// Adds a point to the nodes that it reaches; of a slab, in its first layer. Distances come from doubles, so that nodes on the
// border of blocks get the same values in each.
static void addPoint(const wbContourGrid *grid, const wbBlock *block, int point, float *rows) {
    const double step = (double)grid->def->cellSize / (double)grid->def->radius;
    const float share = 1 / ((const float *)grid->shares.data)[point];
    double at[3];
    int first[3], last[3];
    float squares[3][ROW];
    getPlace(grid->def, point, at);
    for (int a = 0; a < 3; a++) {
        findNodes(grid, block, a, at[a], &first[a], &last[a]);
        for (int n = 0; n < ROW; n++) {
            const float d = (float)(step * (WB_EDGE * (double)block->place[a] + n) - at[a]);
            squares[a][n] = d * d;
        }
    }
    if (grid->def->depth > 0) first[2] = last[2] = 1, squares[2][1] = 0;
    for (int k = first[2]; k <= last[2]; k++)
        for (int j = first[1]; j <= last[1]; j++) {
            float *row = rows + (k * WB_NODES + j) * ROW;
            const float square = squares[2][k] + squares[1][j];
            if (square >= 1) continue;
            for (int i = 0; i < ROW; i++) row[i] += share * getWeight(squares[0][i] + square);
        }
}

static void storeRows(const wbContourGrid *grid, const float *rows, wbBlock *block, float *values) {
    block->least = INFINITY, block->most = 0;
    for (int n = 0; n < WB_LAYER * grid->layers; n++) {
        values[n] = rows[n / WB_NODES * ROW + n % WB_NODES];
        if (values[n] < block->least) block->least = values[n];
        if (values[n] > block->most) block->most = values[n];
    }
    if (grid->def->depth > 0) memcpy(values + 2 * WB_LAYER, values + WB_LAYER, sizeof(float) * WB_LAYER);
}

static void evaluateBlocks(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbContourGrid *grid = context;
    for (int b = begin; b < end; b++) {
        wbBlock *block = wbContourGrid_GetBlock(grid, b);
        const int *list = (const int *)grid->lists.data + block->listStart;
        float rows[WB_LAYER * ROW] = {0};
        for (int n = 0; n < block->listCount; n++) addPoint(grid, block, list[n], rows);
        storeRows(grid, rows, block, wbContourGrid_GetValues(grid, b));
    }
}

wbStatus wbContourGrid_Evaluate(wbContourGrid *grid) {
    if (!wbArray_Reserve(grid->memory, &grid->shares, grid->def->count) ||
        !wbArray_Reserve(grid->memory, &grid->values, grid->blockCount)) // zeroed
        return wbContourGrid_Fail(grid);
    wbParallelShare(grid->pool, grid->blockCount, 1, measureShares, grid);
    wbParallelShare(grid->pool, grid->blockCount, 1, evaluateBlocks, grid);
    return wb_okStatus;
}
