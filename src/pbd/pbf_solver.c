// SPDX-License-Identifier: MIT
#include "pbd/pbf_solver.h"

#include <string.h>

#include "core/status.h"

// Blocks that a worker takes at a time.
enum { SHARE = 8 };

int wbCountColourBlocks(const wbGrid *grid, PbfColour colour) {
    if (grid->hashed) return grid->dimensions == 2 && colour.z > 0 ? 0 : (int)grid->slotMask + 1;
    return pbf_count_blocks_x(grid->size[0], colour) *
           pbf_count_every(grid->size[1], colour.y, PBF_COLOURS_YZ) *
           pbf_count_every(grid->size[2], colour.z, PBF_COLOURS_YZ);
}

void wbGetColourBlock(const wbGrid *grid, PbfColour colour, int block, int *begin, int *end) {
    const int *bucketStart = grid->bucketStart.data;
    const PbfBuckets buckets = grid->hashed ? pbf_hashed_block(block, colour)
                                            : pbf_dense_block(block, colour, grid->size[0], grid->size[1]);
    *begin = bucketStart[buckets.begin], *end = bucketStart[buckets.end];
}

bool wbIsOfColour(const wbGrid *grid, PbfColour colour, float y, float z) {
    return !grid->hashed || (wbGrid_GetCell(grid, 1, y) % PBF_COLOURS_YZ == colour.y &&
                             wbGrid_GetCell(grid, 2, z) % PBF_COLOURS_YZ == colour.z);
}

static int getLongestList(const wbNeighbours *neighbours, int count) {
    const int *lengths = neighbours->lengths.data;
    int longest = 0;
    for (int group = 0; group * WB_GROUP < count; group++)
        if (lengths[group] > longest) longest = lengths[group];
    return longest;
}

static bool allocateStar(wbPbfStar *star, int longest, wbArena *arena) {
    size_t bytes = 4 * (size_t)wbPadCount(longest);
    star->particles = wbArena_Alloc(arena, bytes), star->sides = wbArena_Alloc(arena, bytes);
    star->x = wbArena_Alloc(arena, bytes), star->y = wbArena_Alloc(arena, bytes);
    star->z = wbArena_Alloc(arena, bytes);
    return star->particles && star->sides && star->x && star->y && star->z;
}

bool wbPbfSweep_Begin(wbPbfSweep *sweep, wbPbfPass *pass, const wbWork *work) {
    const wbPbf *pbf = pass->pbf;
    int threads = wbThreadPool_GetCount(work->pool), count = pbf->fluid.particles.count;
    *sweep = (wbPbfSweep){.pass = pass, .work = work, .code = wbGetPbfSweepCode(work->simd)};
    sweep->stars = wbArena_Alloc(work->arena, sizeof(wbPbfStar) * (size_t)threads);
    for (int t = 0; t < threads; t++)
        if (!sweep->stars || !allocateStar(&sweep->stars[t],
                                           getLongestList(&pbf->fluid.search.neighbours, count), work->arena))
            return false;
    if (pass->model->params.solver == wb_pbdGaussSeidel) return true;
    size_t bytes = sizeof(float[4]) * (size_t)wbPadCount(count);
    if (!(sweep->sums = wbArena_Alloc(work->arena, bytes))) return false;
    memset(sweep->sums, 0, bytes);
    return true;
}

static void runColours(wbPbfSweep *sweep, wbRangeFn *range) {
    for (int k = 0; k < PBF_COLOURS; k++) {
        sweep->colour = pbf_colour(sweep->isBack ? PBF_COLOURS - 1 - k : k);
        int blocks = wbCountColourBlocks(&sweep->pass->pbf->fluid.search.grid, sweep->colour);
        wbParallelShare(sweep->work->pool, blocks, SHARE, range, sweep);
    }
    wbParallelShare(sweep->work->pool, sweep->pass->pbf->fluid.particles.count, WB_BLOCK, sweep->code->settle,
                    sweep);
}

void wbPbfSweep_Project(wbPbfSweep *sweep, bool isBack) {
    const int count = sweep->pass->pbf->fluid.particles.count;
    // what colliders add is of these places, and so is what they are pushed by
    memcpy(sweep->pass->solved, sweep->pass->places, sizeof(float[4]) * (size_t)count);
    sweep->isBack = isBack;
    runColours(sweep, sweep->code->project);
}

void wbPbfSweep_Scatter(wbPbfSweep *sweep) { runColours(sweep, sweep->code->scatter); }
