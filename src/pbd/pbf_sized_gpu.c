// SPDX-License-Identifier: MIT
#include "pbd/pbf_sized_gpu.h"

#include <math.h>

#include "core/status.h"
#include "pbd/pbf_adaptive_step.h"

// Room for so many particles and buckets.
static wbStatus reserveCells(wbGpuCells *cells, int count, int buckets) {
    const size_t words = sizeof(uint32_t) * (size_t)count;
    if (count > WB_GPU_SORT_LIMIT || buckets > WB_GPU_SORT_LIMIT)
        return wbError(wb_errorInput,
                       "%d particles in %d cells are more than a device can sort: set world.backend=cpu",
                       count, buckets);
    WB_TRY(wbGpuBuffer_Reserve(cells->gpu, &cells->keys, "cell keys", words));
    WB_TRY(wbGpuBuffer_Reserve(cells->gpu, &cells->order, "order", words));
    return wbGpuBuffer_Reserve(cells->gpu, &cells->bucketStart, "cells", sizeof(int) * ((size_t)buckets + 1));
}

// All are of one kind, that of the smallest's; hashed ones are half as many from one octave to the next.
wbStatus wbLayOutOctaves(wbFluidStepGpu *step, float smallest, int octaveCount, PbfOctaves *octaves) {
    wbParticlesGpu *particles = &step->fluid->particles;
    wbGpuCells *cells = &particles->cells;
    wbGrid grid;
    int count = step->search.count;
    bool isHashed = false;
    WB_ASSERT(octaveCount <= PBF_MOST_OCTAVES, "octaves are few");
    wbGrid_Init(&grid);
    grid.dimensions = step->domain->dimensions;
    octaves->count = octaveCount, octaves->firstBucket[0] = 0;
    for (int g = 0; g < octaveCount; g++, count /= 2) {
        octaves->top[g] = grid.radius = ldexpf(smallest, g);
        wbGrid_LayOut(&grid, particles->min, particles->max, 0, count,
                      g == 0     ? wb_gridAuto
                      : isHashed ? wb_gridHashed
                                 : wb_gridDense);
        isHashed = grid.hashed;
        octaves->cells[g] = wbGetSpaceCells(&grid);
        octaves->firstBucket[g + 1] = octaves->firstBucket[g] + grid.bucketCount;
    }
    cells->grid.hashed = isHashed, cells->grid.bucketCount = octaves->firstBucket[octaveCount];
    return reserveCells(cells, step->search.count, cells->grid.bucketCount);
}

wbStatus wbSortByOctaves(wbFluidStepGpu *step, const PbfOctaves *octaves, const wbGpuBuffer *points) {
    wbGpuCells *cells = &step->fluid->particles.cells;
    WB_TRY(wbGpuSort_ByCounting(cells->sort, &cells->keys, step->search.count, cells->grid.bucketCount,
                                &cells->bucketStart, &cells->order));
    cells->cells = octaves->cells[0];
    step->search.cells = cells, step->search.space.cells = cells->cells, step->search.points = points;
    return wb_okStatus;
}

wbStatus wbUploadSunk(wbFluidStepGpu *step, wbGpuBuffer *buffer) {
    const wbWork *work = step->work;
    wbGpu *gpu = step->fluid->gpu;
    const wbBoundary *boundary = step->fluid->boundary.boundary;
    const int count = wbBoundary_GetCount(boundary);
    const size_t bytes = sizeof(float[4]) * ((size_t)wbPadCount(count) + WB_PADDING),
                 scratch = wbArena_Mark(work->arena);
    float *sunk = wbArena_Alloc(work->arena, bytes);
    if (!sunk) return wbMemoryError(work->memory, "the normals of %d points of colliders need", count);
    wbFillSunk(boundary, sunk);
    WB_TRY(wbGpuBuffer_Reserve(gpu, buffer, "colliders' normals", bytes));
    const wbStatus status = wbGpu_Upload(gpu, buffer, sunk, sizeof(float[4]) * (size_t)count);
    wbArena_Release(work->arena, scratch);
    return status;
}

wbStatus wbUploadRuns(wbGpu *gpu, const wbFluidRuns *runs, wbGpuBuffer *first, wbGpuBuffer *fluid) {
    const size_t bytes = sizeof(uint32_t) * (size_t)runs->count;
    WB_TRY(wbGpuBuffer_Reserve(gpu, first, "first ids of fluids", bytes + 4));
    WB_TRY(wbGpuBuffer_Reserve(gpu, fluid, "fluids of ids", bytes + 4));
    WB_TRY(wbGpu_Upload(gpu, first, runs->first, bytes));
    return wbGpu_Upload(gpu, fluid, runs->fluid, bytes);
}
