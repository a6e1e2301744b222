// SPDX-License-Identifier: MIT
#include "space/grid.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/sort.h"
#include "core/status.h"
#include "space/space_code.h"

void wbGrid_Init(wbGrid *grid) { *grid = (wbGrid){.bucketStart = {.elementSize = sizeof(int)}}; }

void wbGrid_Free(wbMemory *memory, wbGrid *grid) { wbArray_Free(memory, &grid->bucketStart); }

typedef struct BoundsTask {
    const wbSpaceCode *code;
    wbPoints points;
    float (*bounds)[6]; // per block
} BoundsTask;

static void boundsRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const BoundsTask *task = context;
    for (int i = begin; i < end; i += WB_BLOCK)
        task->code->bounds(&task->points, i, i + WB_BLOCK < end ? i + WB_BLOCK : end,
                           task->bounds[i / WB_BLOCK]);
}

static bool findBounds(wbGrid *grid, const wbWork *work, const wbSpaceCode *code, wbPoints points) {
    int blocks = (points.count + WB_BLOCK - 1) / WB_BLOCK;
    BoundsTask task = {code, points, wbArena_Alloc(work->arena, sizeof(float[6]) * (size_t)(blocks + 1))};
    if (!task.bounds) return false;
    wbParallelFor(work->pool, points.count, WB_BLOCK, boundsRange, &task);
    for (int a = 0; a < 3; a++) grid->min[a] = FLT_MAX, grid->max[a] = -FLT_MAX;
    for (int b = 0; b < blocks; b++)
        for (int a = 0; a < 3; a++) {
            grid->min[a] = fminf(grid->min[a], task.bounds[b][a]);
            grid->max[a] = fmaxf(grid->max[a], task.bounds[b][a + 3]);
        }
    if (points.count == 0)
        for (int a = 0; a < 3; a++) grid->min[a] = grid->max[a] = 0;
    return true;
}

// A box of the points as cells see it.
typedef struct Window {
    float min[3], max[3];
    bool isPart; // some points lie outside: they count to the cells at its border
} Window;

static int compareFloats(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// Where most of the points are: the middle of a sample, and as much again on both sides.
static Window findBulk(const wbGrid *grid, wbPoints points) {
    enum { SAMPLE = 1024 };
    const float *columns[3] = {points.x, points.y, points.z};
    Window window = {.isPart = false};
    for (int a = 0; a < 3; a++) {
        float sample[SAMPLE];
        int count = 0, stride = points.count / SAMPLE + 1;
        for (int i = 0; i < points.count; i += stride) sample[count++] = columns[a][i];
        qsort(sample, (size_t)count, sizeof sample[0], compareFloats);
        float low = sample[count / 16], high = sample[count - 1 - count / 16];
        float margin = fmaxf(high - low, 1024 * grid->radius);
        window.min[a] = fmaxf(low - margin, grid->min[a]), window.max[a] = fminf(high + margin, grid->max[a]);
        window.isPart |= window.min[a] > grid->min[a] || window.max[a] < grid->max[a];
    }
    return window;
}

static float getSlack(const float min[3], const float max[3]) {
    float farthest = 0;
    for (int a = 0; a < 3; a++) farthest = fmaxf(farthest, fmaxf(fabsf(min[a]), fabsf(max[a])));
    return 1e-6f * farthest;
}

// Chooses cells and the kind of grid. Cells are a little longer than the radius, and by more the farther the
// points are from the origin: neighbours never lie more than one cell apart, however the divisions round. So
// that a few strays far away do not lengthen all cells, the cells then cover most of the points only (measured
// with one of 30,000 at 1e5 m: 33 ms a step without, 8 with, 5 without the stray).
static void layOut(wbGrid *grid, wbPoints points, wbGridKind kind) {
    int count = points.count;
    Window window = {.isPart = false};
    for (int a = 0; a < 3; a++) window.min[a] = grid->min[a], window.max[a] = grid->max[a];
    if (kind != wb_gridDense && count > 0 && getSlack(grid->min, grid->max) > 0.01f * grid->radius)
        window = findBulk(grid, points);
    grid->slack = getSlack(window.min, window.max);
    double cells = 1;
    for (int a = 0; a < 3; a++) {
        float cell = grid->radius * 1.0001f + 2 * grid->slack;
        grid->cell[a] = a == 0 ? 0.5f * cell : cell;
        grid->inverseCell[a] = 1 / grid->cell[a];
        grid->origin[a] = window.min[a];
        double size = ((double)window.max[a] - window.min[a]) * grid->inverseCell[a] + 1;
        grid->size[a] =
            size < 1 << 30 ? (int)size : 1 << 30; // beyond it cells are clamped: slower, not wrong
        cells *= grid->size[a];
    }
    double limit = kind == wb_gridDense ? 1 << 30 : 65536.0 + 8.0 * count;
    grid->hashed = kind == wb_gridHashed || cells > limit || window.isPart;
    if (!grid->hashed) {
        grid->bucketCount = (int)cells;
    } else {
        int slots = 8;
        while (slots < count / 4 && slots < 1 << 26) slots *= 2;
        grid->slotMask = (uint32_t)slots - 1;
        grid->bucketCount = 8 * slots;
    }
}

typedef struct KeyTask {
    const wbSpaceCode *code;
    const wbGrid *grid;
    wbPoints points;
    uint32_t *keys;
} KeyTask;

static void keyRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const KeyTask *task = context;
    task->code->keys(task->grid, &task->points, begin, end, task->keys);
}

static void measureCrowding(wbGrid *grid, const uint32_t *keys, int count) {
    const int *start = grid->bucketStart.data;
    int64_t sum = 0, samples = 0, most = 0;
    for (int i = 0; i < count; i += WB_BLOCK, samples++) {
        int64_t points = start[keys[i] + 1] - start[keys[i]];
        sum += points;
        if (points > most) most = points, grid->crowdedPlace = start[keys[i]];
    }
    grid->crowding = samples ? (float)((double)sum / (double)samples) : 0;
}

wbStatus wbGrid_Sort(wbGrid *grid, const wbWork *work, wbPoints points, float radius, int dimensions,
                     wbGridKind kind, int *order) {
    const wbSpaceCode *code = wbGetSpaceCode(work->simd);
    size_t mark = wbArena_Mark(work->arena);
    grid->radius = radius;
    grid->dimensions = dimensions;
    wbStatus status = {.code = wb_errorMemory};
    if (!findBounds(grid, work, code, points)) goto done;
    for (int a = 0; a < 3; a++)
        if (!isfinite(grid->min[a]) || !isfinite(grid->max[a])) {
            status = wbError(wb_errorUnstable, "a particle's position is not finite");
            goto done;
        }
    layOut(grid, points, kind);
    KeyTask task = {code, grid, points,
                    wbArena_Alloc(work->arena, sizeof(uint32_t) * (size_t)wbPadCount(points.count))};
    if (!task.keys || !wbArray_Reserve(work->memory, &grid->bucketStart, grid->bucketCount + 1)) goto done;
    wbParallelFor(work->pool, points.count, WB_BLOCK, keyRange, &task);
    if (!wbCountingSort(work->pool, work->arena, task.keys, points.count, grid->bucketCount,
                        grid->bucketStart.data, order))
        goto done;
    measureCrowding(grid, task.keys, points.count);
    status = wb_okStatus;
done:
    if (status.code == wb_errorMemory)
        status = wbMemoryError(work->memory, "cells for %d particles need", points.count);
    wbArena_Release(work->arena, mark);
    return status;
}

typedef struct ReorderTask {
    const int *order;
    const wbMove *moves;
    int moveCount;
} ReorderTask;

static void reorderRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const ReorderTask *task = context;
    for (int block = begin; block < end; block += WB_BLOCK) {
        int last = block + WB_BLOCK < end ? block + WB_BLOCK : end;
        for (int m = 0; m < task->moveCount; m++) {
            const uint32_t *from = task->moves[m].from;
            uint32_t *to = task->moves[m].to;
            for (int k = block; k < last; k++) to[k] = from[task->order[k]];
        }
    }
}

void wbReorder(const wbWork *work, const int *order, int count, const wbMove *moves, int moveCount) {
    ReorderTask task = {order, moves, moveCount};
    wbParallelFor(work->pool, count, WB_BLOCK, reorderRange, &task);
}
