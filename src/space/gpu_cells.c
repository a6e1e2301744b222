// SPDX-License-Identifier: MIT
#include "space/gpu_cells.h"

#include "core/status.h"

extern const char wb_clOrderCells[];

// Those of one kind of grid, when it is first needed: few runs need both.
static wbStatus buildKernels(wbGpuCells *cells) {
    bool hashed = cells->grid.hashed;
    const char *const sources[] = {WB_GPU_SEARCH_SOURCES, wb_clOrderCells};
    const wbGpuProgramDef def = {"cells", sources, sizeof sources / sizeof sources[0],
                                 hashed ? "-DHASHED=1" : "-DHASHED=0"};
    // keys last: where they are, all are
    const wbGpuKernelName kernels[] = {{"cells_reorder", &cells->reorderKernel},
                                       {"cells_keys", &cells->keyKernels[hashed]}};
    return cells->keyKernels[hashed] ? wb_okStatus : wbGpu_BuildKernels(cells->gpu, &def, kernels, 2);
}

wbStatus wbGpuCells_Init(wbGpuCells *cells, wbMemory *memory, wbGpu *gpu) {
    *cells = (wbGpuCells){.gpu = gpu};
    wbGrid_Init(&cells->grid);
    return wbCreateGpuSort(memory, gpu, &cells->sort);
}

void wbGpuCells_Free(wbGpuCells *cells) {
    wbGpuBuffer_Free(cells->gpu, &cells->keys);
    wbGpuBuffer_Free(cells->gpu, &cells->order);
    wbGpuBuffer_Free(cells->gpu, &cells->bucketStart);
    if (cells->sort) wbDestroyGpuSort(cells->sort);
}

SpaceCells wbGetSpaceCells(const wbGrid *grid) {
    SpaceCells cells = {.reach = grid->radius * 1.00001f, .slotMask = grid->slotMask};
    for (int a = 0; a < 3; a++) {
        cells.min[a] = grid->origin[a];
        cells.inverseCell[a] = grid->inverseCell[a];
        cells.size[a] = grid->size[a];
    }
    return cells;
}

// The same cells as on the host, but for the slack: kernels search from x - reach to x + reach.
static void layOut(wbGpuCells *cells, const wbGpuPoints *points, float radius, int dimensions) {
    wbGrid *grid = &cells->grid;
    grid->radius = radius;
    grid->dimensions = dimensions;
    wbGrid_LayOut(grid, points->min, points->max, 0, points->count, wb_gridAuto);
    cells->cells = wbGetSpaceCells(grid);
}

wbStatus wbGpuCells_Sort(wbGpuCells *cells, const wbGpuPoints *points, float radius, int dimensions) {
    wbGpu *gpu = cells->gpu;
    size_t words = sizeof(uint32_t) * (size_t)points->count;
    layOut(cells, points, radius, dimensions);
    if (points->count > WB_GPU_SORT_LIMIT || cells->grid.bucketCount > WB_GPU_SORT_LIMIT)
        return wbError(wb_errorInput,
                       "%d particles in %d cells are more than a device can sort: set world.backend=cpu",
                       points->count, cells->grid.bucketCount);
    WB_TRY(buildKernels(cells));
    WB_TRY(wbGpuBuffer_Reserve(gpu, &cells->keys, "cell keys", words));
    WB_TRY(wbGpuBuffer_Reserve(gpu, &cells->order, "order", words));
    WB_TRY(wbGpuBuffer_Reserve(gpu, &cells->bucketStart, "cells",
                               sizeof(int) * ((size_t)cells->grid.bucketCount + 1)));
    WB_TRY(wbGpu_Run(gpu, cells->keyKernels[cells->grid.hashed], points->count,
                     WB_GPU_ARGS(WB_GPU_INT(points->count), WB_GPU_STRUCT(cells->cells),
                                 WB_GPU_BUFFER(*points->x), WB_GPU_BUFFER(*points->y),
                                 WB_GPU_BUFFER(*points->z), WB_GPU_BUFFER(cells->keys))));
    return wbGpuSort_ByCounting(cells->sort, &cells->keys, points->count, cells->grid.bucketCount,
                                &cells->bucketStart, &cells->order);
}

wbStatus wbGpuCells_Reorder(wbGpuCells *cells, int count, wbGpuBuffer *front, wbGpuBuffer *back, int arrays) {
    WB_TRY(buildKernels(cells)); // what drains remove may be the first that is moved
    for (int k = 0; k < arrays; k += 4) {
        int array[4]; // the last ones may be moved twice
        for (int m = 0; m < 4; m++) array[m] = k + m < arrays ? k + m : arrays - 1;
        WB_TRY(wbGpu_Run(cells->gpu, cells->reorderKernel, count,
                         WB_GPU_ARGS(WB_GPU_INT(count), WB_GPU_BUFFER(cells->order),
                                     WB_GPU_BUFFER(front[array[0]]), WB_GPU_BUFFER(front[array[1]]),
                                     WB_GPU_BUFFER(front[array[2]]), WB_GPU_BUFFER(front[array[3]]),
                                     WB_GPU_BUFFER(back[array[0]]), WB_GPU_BUFFER(back[array[1]]),
                                     WB_GPU_BUFFER(back[array[2]]), WB_GPU_BUFFER(back[array[3]]))));
    }
    for (int k = 0; k < arrays; k++) wbGpuBuffer_Swap(&front[k], &back[k]);
    return wb_okStatus;
}

wbStatus wbGpuSearch_Run(const wbGpuSearch *search, wbGpuKernel *kernel, const wbGpuArg *args, int argCount) {
    return wbGpuSearch_RunItems(search, kernel, search->items, args, argCount);
}

wbStatus wbGpuSearch_RunItems(const wbGpuSearch *search, wbGpuKernel *kernel, int items, const wbGpuArg *args,
                              int argCount) {
    return wbGpu_RunJoined(search->cells->gpu, kernel, items,
                           WB_GPU_ARGS(WB_GPU_INT(search->count), WB_GPU_STRUCT(search->space),
                                       WB_GPU_BUFFER(search->cells->bucketStart),
                                       WB_GPU_BUFFER3(search->points), search->constants),
                           args, argCount);
}

SpaceSides wbGetSpaceSides(const wbDomain *domain, float radius) {
    SpaceSides result = {.radius = radius};
    for (int s = 0; s < 6; s++) {
        SpaceSide *side = &result.sides[s];
        side->closed = domain->closed[s];
        side->place = wbDomain_GetEnd(domain, s);
        for (int a = 0; a < 3; a++) side->velocitySign[a] = a == s / 2 ? -1 : 1;
        side->velocityOffset[s / 2] = 2 * domain->velocity[s][s / 2];
    }
    return result;
}
