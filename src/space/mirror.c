// SPDX-License-Identifier: MIT
#include "space/mirror.h"

#include <float.h>
#include <string.h>

#include "core/sort.h"
#include "core/status.h"

static int countGhosts(const wbMirror *mirror, int i) {
    float p[3] = {mirror->points.x[i], mirror->points.y[i], mirror->points.z[i]};
    int ghosts = 1;
    for (int a = 0; a < 3; a++) ghosts *= 1 + (p[a] < mirror->low[a]) + (p[a] > mirror->high[a]);
    return ghosts - 1;
}

static void countRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbMirror *mirror = context;
    for (int block = begin; block < end; block += WB_BLOCK) {
        int last = block + WB_BLOCK < end ? block + WB_BLOCK : end, count = 0;
        for (int i = block; i < last; i++) count += countGhosts(mirror, i);
        mirror->blockStarts[block / WB_BLOCK] = count;
    }
}

// The coordinate itself and its ghosts along one axis; returns how many.
static int mirrorAxis(const wbMirror *mirror, int axis, float position, float places[3], uint32_t sides[3]) {
    int n = 0;
    places[n] = position, sides[n++] = 0;
    if (position < mirror->low[axis])
        places[n] = 2 * mirror->domain->min[axis] - position, sides[n++] = 1u << (2 * axis);
    if (position > mirror->high[axis])
        places[n] = 2 * mirror->domain->max[axis] - position, sides[n++] = 2u << (2 * axis);
    return n;
}

typedef struct MirrorTask {
    const wbMirror *mirror;
    wbGhosts *ghosts;
} MirrorTask;

static int writeImages(const MirrorTask *task, int i, int k) {
    float places[3][3];
    uint32_t sides[3][3];
    const wbMirror *mirror = task->mirror;
    int nx = mirrorAxis(mirror, 0, mirror->points.x[i], places[0], sides[0]);
    int ny = mirrorAxis(mirror, 1, mirror->points.y[i], places[1], sides[1]);
    int nz = mirrorAxis(mirror, 2, mirror->points.z[i], places[2], sides[2]);
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) {
                if (x + y + z == 0) continue; // the point itself
                task->ghosts->x[k] = places[0][x];
                task->ghosts->y[k] = places[1][y];
                task->ghosts->z[k] = places[2][z];
                task->ghosts->source[k] = i;
                task->ghosts->sides[k++] = sides[0][x] | sides[1][y] | sides[2][z];
            }
    return k;
}

static void writeRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const MirrorTask *task = context;
    for (int block = begin; block < end; block += WB_BLOCK) {
        int last = block + WB_BLOCK < end ? block + WB_BLOCK : end,
            k = task->mirror->blockStarts[block / WB_BLOCK];
        for (int i = block; i < last; i++)
            if (countGhosts(task->mirror, i)) k = writeImages(task, i, k);
    }
}

static bool allocateGhosts(wbArena *arena, wbGhosts *ghosts, int count) {
    size_t bytes = sizeof(float) * (size_t)(count + WB_PADDING);
    ghosts->count = count;
    ghosts->x = wbArena_Alloc(arena, bytes), ghosts->y = wbArena_Alloc(arena, bytes);
    ghosts->z = wbArena_Alloc(arena, bytes);
    ghosts->source = wbArena_Alloc(arena, bytes), ghosts->sides = wbArena_Alloc(arena, bytes);
    return ghosts->x && ghosts->y && ghosts->z && ghosts->source && ghosts->sides;
}

wbStatus wbMirror_Count(wbMirror *mirror, const wbWork *work, const wbDomain *domain, wbPoints points,
                        float radius) {
    int blocks = (points.count + WB_BLOCK - 1) / WB_BLOCK;
    *mirror = (wbMirror){.domain = domain, .points = points};
    for (int a = 0; a < 3; a++) {
        mirror->low[a] = domain->closed[2 * a] ? domain->min[a] + radius : -FLT_MAX;
        mirror->high[a] = domain->closed[2 * a + 1] ? domain->max[a] - radius : FLT_MAX;
    }
    mirror->blockStarts = wbArena_Alloc(work->arena, sizeof(int) * (size_t)(blocks + 1));
    if (!mirror->blockStarts) return wbMemoryError(work->memory, "ghosts of %d particles need", points.count);
    wbParallelFor(work->pool, points.count, WB_BLOCK, countRange, mirror);
    int64_t total = wbPrefixSum(work->pool, mirror->blockStarts, blocks, mirror->blockStarts);
    if (total > INT32_MAX - points.count - 64)
        return wbError(wb_errorMemory, "%lld ghosts of particles behind sides are more than a world can hold",
                       (long long)total);
    mirror->count = (int)total;
    return wb_okStatus;
}

void wbMirror_Write(const wbMirror *mirror, const wbWork *work, wbGhosts *ghosts) {
    MirrorTask task = {mirror, ghosts};
    wbParallelFor(work->pool, mirror->points.count, WB_BLOCK, writeRange, &task);
}

wbStatus wbMirrorPoints(const wbWork *work, const wbDomain *domain, wbPoints points, float radius,
                        wbGhosts *ghosts) {
    wbMirror mirror;
    WB_TRY(wbMirror_Count(&mirror, work, domain, points, radius));
    if (!allocateGhosts(work->arena, ghosts, mirror.count))
        return wbMemoryError(work->memory, "%d ghosts of particles behind sides need", mirror.count);
    wbMirror_Write(&mirror, work, ghosts);
    return wb_okStatus;
}

wbStatus wbSortGhosts(wbGrid *grid, const wbWork *work, const wbDomain *domain, float radius, int firstIndex,
                      wbGhosts *ghosts, wbPointSet *set) {
    const size_t scratch = wbArena_Mark(work->arena), bytes = sizeof(int) * (size_t)ghosts->count;
    wbGhosts found;
    int *order = wbArena_Alloc(work->arena, bytes);
    if (!order || !allocateGhosts(work->arena, &found, ghosts->count))
        return wbMemoryError(work->memory, "%d ghosts of particles behind sides need", ghosts->count);
    const wbPoints points = {ghosts->x, ghosts->y, ghosts->z, ghosts->count};
    WB_TRY(wbGrid_Sort(grid, work, points, radius, domain->dimensions, wb_gridAuto, order));
    const wbMove moves[] = {{found.x, ghosts->x},
                            {found.y, ghosts->y},
                            {found.z, ghosts->z},
                            {found.source, ghosts->source},
                            {found.sides, ghosts->sides}};
    for (int c = 0; c < 5; c++)
        memcpy((void *)moves[c].from, moves[c].to, bytes); // scratch, to be given back
    wbReorder(work, order, ghosts->count, moves, 5);
    wbArena_Release(work->arena, scratch);
    *set = (wbPointSet){.points = points, .grid = grid, .firstIndex = firstIndex};
    for (int a = 0; a < 3; a++) {
        set->clearMin[a] = domain->closed[2 * a] ? domain->min[a] : -FLT_MAX;
        set->clearMax[a] = domain->closed[2 * a + 1] ? domain->max[a] : FLT_MAX;
    }
    return wb_okStatus;
}

wbStatus wbCheckRoom(const wbDomain *domain, float radius, const char *solver) {
    float width;
    int axis = wbDomain_FindNarrow(domain, radius, &width);
    if (axis < 0) return wb_okStatus;
    return wbError(wb_errorInput,
                   "the domain is %g m long in %c, less than the support radius h = %g m: make it larger, or "
                   "%s.spacing or %s.smoothing smaller",
                   width, "xyz"[axis], radius, solver, solver);
}

SpaceRoom wbGetRoom(const wbDomain *domain, float spacing) {
    const float inset = 1e-4f * spacing;
    SpaceRoom room = {.gravity = {domain->gravity.x, domain->gravity.y, domain->gravity.z}};
    for (int a = 0; a < 3; a++) {
        room.low[a] = domain->closed[2 * a] ? domain->min[a] + inset : -FLT_MAX;
        room.high[a] = domain->closed[2 * a + 1] ? domain->max[a] - inset : FLT_MAX;
    }
    return room;
}
