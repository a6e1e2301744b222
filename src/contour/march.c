// SPDX-License-Identifier: MIT
#include "contour/march.h"

#include <math.h>
#include <string.h>

#include "core/status.h"
#include "shape/mesh.h"

/// What the surface is looked for with.
typedef struct March {
    wbContourGrid *grid;
    const wbMarchTable *table;
    float level;
    wbMesh *mesh;
} March;

static bool isInside(const March *march, float value) { return value >= march->level; }

static const int nodeSteps[3] = {1, WB_NODES, WB_LAYER};

static int getSigns(const March *march, const float *values) {
    int signs = 0;
    for (int c = 0; c < 8; c++) {
        const float value = values[(c & 1) + (c >> 1 & 1) * WB_NODES + (c >> 2) * WB_LAYER];
        signs |= isInside(march, value) << c;
    }
    return signs;
}

// The outer layers of a slab lie in the planes of the inner ones: what is cut off there is its flat front and back.
static void getNode(const March *march, const wbBlock *block, const int node[3], double at[3]) {
    const wbContourDef *def = march->grid->def;
    for (int a = 0; a < 3; a++)
        at[a] = (double)def->cellSize * (WB_EDGE * (double)block->place[a] + node[a] + 0.5);
    if (def->depth > 0) at[2] = (node[2] < 2 ? -0.5 : 0.5) * (double)def->depth;
}

// Where the surface cuts the edge from a node, with a value, upwards along an axis. Not at its ends: there, vertices of several
// edges would be one.
static void getCut(const March *march, const wbBlock *block, const int node[3], int axis, const float *value,
                   double at[3]) {
    const double from = (double)value[0], to = (double)value[nodeSteps[axis]],
                 t = fmin(fmax(((double)march->level - from) / (to - from), 0.02), 0.98);
    const int end[3] = {node[0] + (axis == 0), node[1] + (axis == 1), node[2] + (axis == 2)};
    double other[3];
    getNode(march, block, node, at);
    getNode(march, block, end, other);
    at[axis] += t * (other[axis] - at[axis]);
}

/// Of a cell: its cuts, then the middles of loops.
typedef struct Corners {
    double at[WB_CELL_EDGES + WB_MAX_LOOPS][3];
} Corners;

static void getEdgeNode(const int cell[3], int edge, int node[3]) {
    const int axis = edge / 4;
    for (int a = 0; a < 3; a++) node[a] = cell[a];
    node[(axis + 1) % 3] += edge & 1;
    node[(axis + 2) % 3] += edge >> 1 & 1;
}

static void findCorners(const March *march, const wbBlock *block, const float *values, const int cell[3],
                        int signs, Corners *corners) {
    for (int edge = 0; edge < WB_CELL_EDGES; edge++) {
        int node[3];
        if (!(march->table->cases[signs].cuts >> edge & 1)) continue;
        getEdgeNode(cell, edge, node);
        getCut(march, block, node, edge / 4, values + node[0] + node[1] * WB_NODES + node[2] * WB_LAYER,
               corners->at[edge]);
    }
    for (int m = 0; m < march->table->cases[signs].middleCount; m++) {
        double sum[3] = {0}, count = 0;
        for (int edge = 0; edge < WB_CELL_EDGES; edge++) {
            if (!(march->table->cases[signs].middles[m] >> edge & 1)) continue;
            for (int a = 0; a < 3; a++) sum[a] += corners->at[edge][a];
            count++;
        }
        for (int a = 0; a < 3; a++) corners->at[WB_CELL_EDGES + m][a] = sum[a] / count;
    }
}

// Six times the volume between the origin and a triangle.
static double measureTriangle(const double a[3], const double b[3], const double c[3]) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

static double measureCell(const March *march, const wbBlock *block, const float *values, const int cell[3],
                          int signs) {
    Corners corners;
    double sum = 0;
    findCorners(march, block, values, cell, signs, &corners);
    for (int t = 0; t < march->table->cases[signs].triangleCount; t++) {
        const uint8_t *triangle = march->table->cases[signs].triangles[t];
        sum += measureTriangle(corners.at[triangle[0]], corners.at[triangle[1]], corners.at[triangle[2]]);
    }
    return sum;
}

// The case of cell n of a block, and its place.
static int getCell(const March *march, const float *values, int n, int cell[3]) {
    cell[0] = n % WB_EDGE, cell[1] = n / WB_EDGE % WB_EDGE, cell[2] = n / WB_EDGE / WB_EDGE;
    return getSigns(march, values + cell[0] + cell[1] * WB_NODES + cell[2] * WB_LAYER);
}

// None of a block that the surface does not meet.
static int countCells(const March *march, const wbBlock *block) {
    const bool isMet = block->least < march->level && block->most >= march->level;
    return isMet ? WB_EDGE * WB_EDGE * (march->grid->layers - 1) : 0;
}

static void measureBlocks(int begin, int end, int worker, void *context) {
    (void)worker;
    const March *march = context;
    for (int b = begin; b < end; b++) {
        wbBlock *block = wbContourGrid_GetBlock(march->grid, b);
        const float *values = wbContourGrid_GetValues(march->grid, b);
        double sum = 0;
        for (int n = 0; n < countCells(march, block); n++) {
            int cell[3], signs = getCell(march, values, n, cell);
            if (signs != 0 && signs != 255) sum += measureCell(march, block, values, cell, signs);
        }
        block->volume = sum / 6;
    }
}

double wbContourGrid_Measure(wbContourGrid *grid, const wbMarchTable *table, float level) {
    March march = {.grid = grid, .table = table, .level = level};
    double sum = 0;
    wbParallelShare(grid->pool, grid->blockCount, 1, measureBlocks, &march);
    for (int b = 0; b < grid->blockCount; b++) sum += wbContourGrid_GetBlock(grid, b)->volume;
    return sum;
}

// Cuts on the edges from a layer of nodes along an axis: a bit per node.
static uint64_t findCuts(const March *march, const float *values, int axis, int layer) {
    uint64_t cuts = 0;
    if (axis == 2 && layer + 1 == march->grid->layers) return 0; // the last of a slab
    for (int n = 0; n < WB_EDGE * WB_EDGE; n++) {
        const float *value = values + n % WB_EDGE + n / WB_EDGE * WB_NODES + layer * WB_LAYER;
        const bool isHere = isInside(march, value[0]) != isInside(march, value[nodeSteps[axis]]);
        cuts |= (uint64_t)isHere << n;
    }
    return cuts;
}

// Vertices and triangles of each block, which then become its first ones.
static void countBlocks(int begin, int end, int worker, void *context) {
    (void)worker;
    const March *march = context;
    for (int b = begin; b < end; b++) {
        wbBlock *block = wbContourGrid_GetBlock(march->grid, b);
        const float *values = wbContourGrid_GetValues(march->grid, b);
        block->cutCount = block->vertexCount = block->triangleCount = 0;
        memset(block->cuts, 0, sizeof block->cuts);
        if (countCells(march, block) == 0) continue;
        for (int axis = 0; axis < 3; axis++)
            for (int layer = 0; layer < WB_EDGE && layer < march->grid->layers; layer++) {
                block->cuts[axis][layer] = findCuts(march, values, axis, layer);
                block->cutsBefore[axis][layer] = (uint16_t)block->cutCount;
                block->cutCount += __builtin_popcountll(block->cuts[axis][layer]);
            }
        block->vertexCount = block->cutCount;
        for (int n = 0; n < countCells(march, block); n++) {
            int cell[3], signs = getCell(march, values, n, cell);
            block->vertexCount += march->table->cases[signs].middleCount;
            block->triangleCount += march->table->cases[signs].triangleCount;
        }
    }
}

static wbStatus reserveMesh(March *march) {
    int64_t vertices = 0, triangles = 0;
    for (int b = 0; b < march->grid->blockCount; b++) {
        wbBlock *block = wbContourGrid_GetBlock(march->grid, b);
        block->firstVertex = (int)vertices, block->firstTriangle = (int)triangles;
        vertices += block->vertexCount, triangles += block->triangleCount;
        if (triangles > INT32_MAX / 3)
            return wbError(wb_errorInput, "the surface has more than %d triangles: take larger cells",
                           INT32_MAX / 3);
    }
    *march->mesh = (wbMesh){0};
    return triangles > 0 ? wbAllocMesh((int)vertices, (int)triangles, march->mesh) : wb_okStatus;
}

static void setVertex(wbMesh *mesh, int index, const double at[3]) {
    for (int a = 0; a < 3; a++) mesh->vertices[3 * (size_t)index + (size_t)a] = (float)at[a];
}

static void addCuts(const March *march, const wbBlock *block, const float *values) {
    int next = block->firstVertex;
    for (int axis = 0; axis < 3; axis++)
        for (int layer = 0; layer < WB_EDGE; layer++)
            for (uint64_t cuts = block->cuts[axis][layer]; cuts; cuts &= cuts - 1) {
                const int n = __builtin_ctzll(cuts), node[3] = {n % WB_EDGE, n / WB_EDGE, layer};
                double at[3];
                getCut(march, block, node, axis, values + node[0] + node[1] * WB_NODES + layer * WB_LAYER,
                       at);
                setVertex(march->mesh, next++, at);
            }
}

// A block and those behind it along x, y and z: bits 0, 1 and 2. NULL: no point reaches it, and nothing is cut there.
static void findNeighbours(const March *march, const wbBlock *block, const wbBlock *neighbours[8]) {
    for (int n = 0; n < 8; n++) {
        const int place[3] = {block->place[0] + (n & 1), block->place[1] + (n >> 1 & 1),
                              block->place[2] + (n >> 2)};
        const int found = wbContourGrid_Find(march->grid, place);
        neighbours[n] = found < 0 ? NULL : wbContourGrid_GetBlock(march->grid, found);
    }
}

static uint32_t findVertex(const wbBlock *const neighbours[8], const int cell[3], int edge) {
    int node[3], axis = edge / 4, owner = 0;
    getEdgeNode(cell, edge, node);
    for (int a = 0; a < 3; a++) {
        owner |= (node[a] == WB_EDGE) << a;
        node[a] %= WB_EDGE;
    }
    const wbBlock *block = neighbours[owner];
    const uint64_t before = ((uint64_t)1 << (node[0] + WB_EDGE * node[1])) - 1;
    return (uint32_t)(block->firstVertex + block->cutsBefore[axis][node[2]] +
                      __builtin_popcountll(block->cuts[axis][node[2]] & before));
}

static void addCells(const March *march, const wbBlock *block, const float *values) {
    const wbBlock *neighbours[8];
    int middle = block->firstVertex + block->cutCount;
    uint32_t *index = march->mesh->indices + 3 * (size_t)block->firstTriangle;
    findNeighbours(march, block, neighbours);
    for (int n = 0; n < countCells(march, block); n++) {
        int cell[3], signs = getCell(march, values, n, cell);
        const int middles = march->table->cases[signs].middleCount;
        for (int t = 0; t < march->table->cases[signs].triangleCount; t++)
            for (int c = 0; c < 3; c++) {
                const int corner = march->table->cases[signs].triangles[t][c];
                *index++ = corner < WB_CELL_EDGES ? findVertex(neighbours, cell, corner)
                                                  : (uint32_t)(middle + corner - WB_CELL_EDGES);
            }
        Corners corners;
        if (middles > 0) findCorners(march, block, values, cell, signs, &corners);
        for (int m = 0; m < middles; m++) setVertex(march->mesh, middle++, corners.at[WB_CELL_EDGES + m]);
    }
}

static void addBlocks(int begin, int end, int worker, void *context) {
    (void)worker;
    const March *march = context;
    for (int b = begin; b < end; b++) {
        const wbBlock *block = wbContourGrid_GetBlock(march->grid, b);
        const float *values = wbContourGrid_GetValues(march->grid, b);
        addCuts(march, block, values);
        addCells(march, block, values);
    }
}

wbStatus wbContourGrid_March(wbContourGrid *grid, const wbMarchTable *table, float level, wbMesh *mesh) {
    March march = {grid, table, level, mesh};
    wbParallelShare(grid->pool, grid->blockCount, 1, countBlocks, &march);
    WB_TRY(reserveMesh(&march));
    if (mesh->triangleCount > 0) wbParallelShare(grid->pool, grid->blockCount, 1, addBlocks, &march);
    return wb_okStatus;
}
