// SPDX-License-Identifier: MIT
#include "space/mirror.h"

#include <float.h>

#include "core/sort.h"
#include "core/status.h"

typedef struct MirrorTask {
    const wbBox *box;
    wbPoints points;
    float low[3], high[3]; // nearer to a wall than these: mirrored
    int *blockCounts;      // then: first image of each block
    wbImages *images;
} MirrorTask;

static int countImages(const MirrorTask *task, int i) {
    float p[3] = {task->points.x[i], task->points.y[i], task->points.z[i]};
    int images = 1;
    for (int a = 0; a < 3; a++) images *= 1 + (p[a] < task->low[a]) + (p[a] > task->high[a]);
    return images - 1;
}

static void countRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const MirrorTask *task = context;
    for (int block = begin; block < end; block += WB_BLOCK) {
        int last = block + WB_BLOCK < end ? block + WB_BLOCK : end, count = 0;
        for (int i = block; i < last; i++) count += countImages(task, i);
        task->blockCounts[block / WB_BLOCK] = count;
    }
}

// The coordinate itself and its images along one axis; returns how many.
static int mirrorAxis(const MirrorTask *task, int axis, float position, float places[3], uint32_t sides[3]) {
    int n = 0;
    places[n] = position, sides[n++] = 0;
    if (position < task->low[axis])
        places[n] = 2 * task->box->min[axis] - position, sides[n++] = 1u << (2 * axis);
    if (position > task->high[axis])
        places[n] = 2 * task->box->max[axis] - position, sides[n++] = 2u << (2 * axis);
    return n;
}

static int writeImages(const MirrorTask *task, int i, int k) {
    float places[3][3];
    uint32_t sides[3][3];
    int nx = mirrorAxis(task, 0, task->points.x[i], places[0], sides[0]);
    int ny = mirrorAxis(task, 1, task->points.y[i], places[1], sides[1]);
    int nz = mirrorAxis(task, 2, task->points.z[i], places[2], sides[2]);
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) {
                if (x + y + z == 0) continue; // the point itself
                task->images->x[k] = places[0][x];
                task->images->y[k] = places[1][y];
                task->images->z[k] = places[2][z];
                task->images->source[k] = i;
                task->images->sides[k++] = sides[0][x] | sides[1][y] | sides[2][z];
            }
    return k;
}

static void writeRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const MirrorTask *task = context;
    for (int block = begin; block < end; block += WB_BLOCK) {
        int last = block + WB_BLOCK < end ? block + WB_BLOCK : end, k = task->blockCounts[block / WB_BLOCK];
        for (int i = block; i < last; i++)
            if (countImages(task, i)) k = writeImages(task, i, k);
    }
}

static bool allocateImages(wbArena *arena, wbImages *images, int count) {
    size_t bytes = sizeof(float) * (size_t)(count + WB_PADDING);
    images->count = count;
    images->x = wbArena_Alloc(arena, bytes), images->y = wbArena_Alloc(arena, bytes);
    images->z = wbArena_Alloc(arena, bytes);
    images->source = wbArena_Alloc(arena, bytes), images->sides = wbArena_Alloc(arena, bytes);
    return images->x && images->y && images->z && images->source && images->sides;
}

wbStatus wbMirrorPoints(const wbWork *work, const wbBox *box, wbPoints points, float radius,
                        wbImages *images) {
    int blocks = (points.count + WB_BLOCK - 1) / WB_BLOCK;
    MirrorTask task = {.box = box, .points = points, .images = images};
    for (int a = 0; a < 3; a++) {
        task.low[a] = box->closed[2 * a] ? box->min[a] + radius : -FLT_MAX;
        task.high[a] = box->closed[2 * a + 1] ? box->max[a] - radius : FLT_MAX;
    }
    task.blockCounts = wbArena_Alloc(work->arena, sizeof(int) * (size_t)(blocks + 1));
    if (!task.blockCounts) return wbMemoryError(work->memory, "walls need");
    wbParallelFor(work->pool, points.count, WB_BLOCK, countRange, &task);
    int64_t total = wbPrefixSum(work->pool, task.blockCounts, blocks, task.blockCounts);
    if (total > INT32_MAX - points.count - 64)
        return wbError(wb_errorMemory, "%lld images of particles behind walls are more than a world can hold",
                       (long long)total);
    if (!allocateImages(work->arena, images, (int)total))
        return wbMemoryError(work->memory, "%d images of particles behind walls need", (int)total);
    wbParallelFor(work->pool, points.count, WB_BLOCK, writeRange, &task);
    return wb_okStatus;
}

wbStatus wbSortImages(wbGrid *grid, const wbWork *work, const wbBox *box, float radius, int dimensions,
                      int firstIndex, wbImages *images, wbPointSet *set) {
    wbImages sorted;
    int *order = wbArena_Alloc(work->arena, sizeof(int) * (size_t)(images->count + 1));
    if (!order || !allocateImages(work->arena, &sorted, images->count))
        return wbMemoryError(work->memory, "%d images of particles behind walls need", images->count);
    wbPoints points = {images->x, images->y, images->z, images->count};
    WB_TRY(wbGrid_Sort(grid, work, points, radius, dimensions, wb_gridAuto, order));
    wbMove moves[] = {{images->x, sorted.x},
                      {images->y, sorted.y},
                      {images->z, sorted.z},
                      {images->source, sorted.source},
                      {images->sides, sorted.sides}};
    wbReorder(work, order, images->count, moves, 5);
    *images = sorted;
    *set = (wbPointSet){
        .points = {sorted.x, sorted.y, sorted.z, sorted.count}, .grid = grid, .firstIndex = firstIndex};
    for (int a = 0; a < 3; a++) {
        set->clearMin[a] = box->closed[2 * a] ? box->min[a] : -FLT_MAX;
        set->clearMax[a] = box->closed[2 * a + 1] ? box->max[a] : FLT_MAX;
    }
    return wb_okStatus;
}
