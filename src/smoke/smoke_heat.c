// SPDX-License-Identifier: MIT
#include "smoke/smoke_heat.h"

#include <math.h>
#include <string.h>

#include "core/status.h"
#include "smoke/smoke_device.h"
#include "smoke/smoke_diffusion.h"
#include "smoke/smoke_walls.h"

bool wbIsHeating(const wbSmokeModel *model, float temperature) {
    return model->params.thermalDiffusivity > 0 && !isnan(temperature) &&
           temperature != model->params.ambient;
}

// Surfaces

// Where the neighbour of a cell across a side is; false: beyond the box.
static bool findNeighbour(const wbSmokeGrid *grid, const int at[3], int side, int to[3]) {
    const int cells[3] = {grid->nx, grid->ny, grid->nz};
    int axis = side / 2;
    memcpy(to, at, sizeof(int[3]));
    to[axis] += side & 1 ? 1 : -1;
    return to[axis] >= 0 && to[axis] < cells[axis];
}

// False if the cell is like any other.
static bool makeEdge(const wbSmokeGrid *grid, const wbSmokeSolids *solids, const int at[3],
                     SmokeHeatEdge *edge) {
    bool isAir = !solids->mask[wbSmokeCell(grid, at[0], at[1], at[2])], isEdge = false;
    *edge = (SmokeHeatEdge){.place = wbSmokeIndex(grid, at[0], at[1], at[2]), .isAir = isAir};
    for (int side = 0; side < 2 * grid->dimensions; side++) {
        int to[3], body = 0;
        bool isInside = findNeighbour(grid, at, side, to);
        if (isInside) body = solids->mask[wbSmokeCell(grid, to[0], to[1], to[2])];
        isEdge |= isInside ? isAir == (body > 0) : !isAir;
        if (!isAir || !body) continue;
        const wbSmokeBody *solid = &solids->bodies[body - 1];
        edge->insulated += solid->hasTemperature ? 0 : 1;
        edge->fixed += solid->hasTemperature ? 1 : 0;
        edge->heat += solid->hasTemperature ? solid->temperature : 0;
    }
    return isEdge;
}

static bool addEdges(wbSmoke *smoke, const wbSmokeSolids *solids, wbMemory *memory, int j, int k) {
    for (int i = 0; i < smoke->grid.nx; i++) {
        SmokeHeatEdge edge;
        if (!makeEdge(&smoke->grid, solids, (int[3]){i, j, k}, &edge)) continue;
        if (!wbArray_Reserve(memory, &smoke->heatEdges, smoke->heatEdgeCount + 1)) return false;
        ((SmokeHeatEdge *)smoke->heatEdges.data)[smoke->heatEdgeCount++] = edge;
    }
    return true;
}

wbStatus wbListHeatEdges(wbSmoke *smoke, const wbSmokeModel *model, const wbSmokeSolids *solids,
                         wbMemory *memory) {
    const wbSmokeGrid *grid = &smoke->grid;
    smoke->heatEdgeCount = 0;
    if (model->params.thermalDiffusivity == 0 || smoke->solidCount == 0) return wb_okStatus;
    for (int j = 0; j < grid->ny; j++)
        for (int k = 0; k < grid->nz; k++)
            if (!addEdges(smoke, solids, memory, j, k))
                return wbMemoryError(memory, "the surfaces of solids in smoke need");
    return wb_okStatus;
}

// Conduction

static void fillHalo(const wbDiffusion *d, float *field, bool atRest) {
    wbSmokeHalos halos = {.model = d->model,
                          .kinds = d->kinds,
                          .count = 1,
                          .fields = {field},
                          .kind = {3},
                          .forHeat = true,
                          .atRest = atRest};
    wbFillHalos(&halos, d->work);
}

static void correctEdges(const wbDiffusion *d, const float *from, float *to, bool atRest) {
    const SmokeHeatEdge *edges = d->smoke->heatEdges.data;
    float factor = atRest ? -d->task.alpha : d->task.alpha;
    for (int n = 0; n < d->smoke->heatEdgeCount; n++) {
        int c = edges[n].place;
        float change = smoke_heat_edge(edges[n], from[c], d->model->params.ambient, atRest ? 0 : 1);
        to[c] = edges[n].isAir ? to[c] + factor * change : 0;
    }
}

// As before conduction: nothing comes in through open sides.
static void restoreHalo(const wbDiffusion *d) {
    wbSmokeHalos halos = {
        .model = d->model, .kinds = d->kinds, .count = 1, .fields = {d->task.u}, .kind = {3}};
    wbFillHalos(&halos, d->work);
}

// The rows of a block, one after the other: 0 at the end of them.
typedef struct Block {
    int first[3], j, k; // cell, and where the next row is
} Block;

static float *nextRow(const wbSmokeGrid *grid, float *field, Block *block, int *count) {
    if (block->k >= block->first[2] + WB_SMOKE_BLOCK || block->k >= grid->nz)
        block->k = block->first[2], block->j++;
    if (block->j >= block->first[1] + WB_SMOKE_BLOCK || block->j >= grid->ny) return NULL;
    int left = grid->nx - block->first[0];
    *count = left < WB_SMOKE_BLOCK_X ? left : WB_SMOKE_BLOCK_X;
    return field + wbSmokeIndex(grid, block->first[0], block->j, block->k++);
}

// True if there is heat in the block; if there is nearly none, it is taken away.
static bool keepHeat(const wbSmokeGrid *grid, float *field, int x, int y, int z) {
    const Block start = {.first = {x * WB_SMOKE_BLOCK_X, y * WB_SMOKE_BLOCK, z * WB_SMOKE_BLOCK},
                         .j = y * WB_SMOKE_BLOCK,
                         .k = z * WB_SMOKE_BLOCK};
    Block block = start;
    int count;
    for (float *row; (row = nextRow(grid, field, &block, &count));)
        for (int i = 0; i < count; i++)
            if (fabsf(row[i]) > SMOKE_LEAST) return true;
    block = start;
    for (float *row; (row = nextRow(grid, field, &block, &count));)
        memset(row, 0, sizeof(float) * (size_t)count);
    return false;
}

static void markPlanes(int begin, int end, int worker, void *context) {
    (void)worker;
    wbSmoke *smoke = context;
    const wbSmokeBlocks blocks = wbCountSmokeBlocks(&smoke->grid);
    for (int y = begin; y < end; y++) {
        for (int z = 0; z < blocks.z; z++) {
            int row = blocks.x * (z + blocks.z * y);
            uint8_t *marks = smoke->marks + row;
            for (int x = 0; x < blocks.x; x++) {
                if (marks[x]) continue;
                marks[x] = keepHeat(&smoke->grid, smoke->fields[wb_smokeTemperature], x, y, z);
                if (marks[x]) smoke->dirty[0][row + x] = 1;
            }
        }
    }
}

static const wbDiffusionWalls walls = {fillHalo, correctEdges};

enum { SCRATCH = 3 };

size_t wbCountHeatFloats(const wbSmoke *smoke, const wbSmokeModel *model) {
    return model->params.thermalDiffusivity > 0 ? SCRATCH * wbGetSmokeStride(&smoke->grid) : 0;
}

wbStatus wbConductHeat(wbSmoke *smoke, const wbSmokeModel *model, const wbSmokeKind kinds[4],
                       const wbWork *work, float dt) {
    const wbSmokeGrid *grid = &smoke->grid;
    size_t mark = wbArena_Mark(work->arena), stride = wbGetSmokeStride(grid);
    float *scratch = wbArena_Alloc(work->arena, sizeof(float) * wbCountHeatFloats(smoke, model));
    double *sums = wbArena_Alloc(work->arena, sizeof(double) * (size_t)(grid->ny + 1));
    if (!scratch || !sums) return wbMemoryError(work->memory, "conduction of heat needs");
    memset(scratch, 0, sizeof(float) * wbCountHeatFloats(smoke, model));
    wbDiffusion d = {.smoke = smoke,
                     .model = model,
                     .kinds = kinds,
                     .work = work,
                     .walls = &walls,
                     .tolerance = WB_CONDUCTION_TOLERANCE};
    d.task = (wbSmokeDiffusion){.grid = grid,
                                .kind = &kinds[3],
                                .alpha = model->params.thermalDiffusivity * dt / (grid->h * grid->h),
                                .u = smoke->fields[wb_smokeTemperature],
                                .residual = scratch + WB_SMOKE_MARGIN,
                                .direction = scratch + WB_SMOKE_MARGIN + stride,
                                .product = scratch + WB_SMOKE_MARGIN + 2 * stride,
                                .sums = sums};
    wbDiffuse(&d);
    restoreHalo(&d);
    wbParallelFor(work->pool, wbCountSmokeBlocks(grid).y, 1, markPlanes, smoke);
    wbArena_Release(work->arena, mark);
    return wb_okStatus;
}
