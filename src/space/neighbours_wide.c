// SPDX-License-Identifier: MIT
#include "space/neighbours_wide.h"

#include <string.h>

#include "space/space_code.h"

// Written in lanes: compilers do not reorder minima of floats by themselves.
static void bounds(const wbPoints *points, int begin, int end, float result[6]) {
    const float *columns[3] = {points->x, points->y, points->z};
    for (int a = 0; a < 3; a++) {
        const float *p = columns[a];
        float lows[WB_LANES], highs[WB_LANES];
        REAL low = real_set(p[begin]), high = low;
        int i = begin;
        for (; i + WB_LANES <= end; i += WB_LANES)
            low = real_min(real_load(p + i), low), high = real_max(real_load(p + i), high);
        for (; i < end; i++) low = real_min(real_set(p[i]), low), high = real_max(real_set(p[i]), high);
        real_store(lows, low), real_store(highs, high);
        result[a] = lows[0], result[a + 3] = highs[0];
        for (int l = 1; l < WB_LANES; l++) {
            result[a] = lows[l] < result[a] ? lows[l] : result[a];
            result[a + 3] = highs[l] > result[a + 3] ? highs[l] : result[a + 3];
        }
    }
}

// wbGrid_GetCell for WB_LANES points
WB_INLINE INTS cells_of(const wbGrid *grid, int axis, const float *positions) {
    REAL c = (real_load(positions) - grid->origin[axis]) * grid->inverseCell[axis];
    c = real_min(real_max(c, real_set(0)), real_set(1e9f));
    return ints_min(ints_truncate(c), ints_set(grid->size[axis] - 1));
}

static void keys(const wbGrid *grid, const wbPoints *points, int begin, int end, uint32_t *result) {
    for (int i = begin; i < end; i += WB_LANES) {
        INTS x = cells_of(grid, 0, points->x + i), y = cells_of(grid, 1, points->y + i);
        INTS z = cells_of(grid, 2, points->z + i);
        if (grid->hashed) {
            int cells[3][WB_LANES];
            ints_store(cells[0], x), ints_store(cells[1], y), ints_store(cells[2], z);
            for (int l = 0; l < WB_LANES; l++) {
                uint32_t slot =
                    wbHashSlot((uint32_t)cells[0][l] >> 3, (uint32_t)cells[1][l], (uint32_t)cells[2][l]);
                result[i + l] = (slot & grid->slotMask) << 3 | ((uint32_t)cells[0][l] & 7);
            }
        } else {
            ints_store((int *)result + i, (z * grid->size[1] + y) * grid->size[0] + x);
        }
    }
}

// Most particles are far from all colliders, and most points of colliders are dry: stretches of this many points are left out where
// all of it is far.
enum { STRETCH = 64 };

static bool is_far_from_all(const wbListTask *task, int begin, int end) {
    Box box;
    float ends[6];
    bounds(&task->own, begin, end, ends);
    memcpy(box.min, ends, sizeof box.min), memcpy(box.max, ends + 3, sizeof box.max);
    for (int k = 0; k < task->searchedCount; k++)
        if (!is_far(task->searched[k], &box)) return false;
    return true;
}

static void store_none(const wbListTask *task, int begin, int end, int worker) {
    const wbNeighbours *n = task->neighbours;
    if (begin % WB_BLOCK == 0) ((uint8_t *)n->owners.data)[begin / WB_BLOCK] = (uint8_t)worker;
    for (int g = begin / WB_GROUP; g * WB_GROUP < end; g++)
        ((uint32_t *)n->begins.data)[g] = 0, ((int *)n->lengths.data)[g] = 0;
}

static void lists(int begin, int end, int worker, void *context) {
    const wbListTask *task = context;
    for (int i = begin, next; i < end && !task->findsItself; i = next) {
        next = i + STRETCH < end ? i + STRETCH : end;
        if (is_far_from_all(task, i, next))
            store_none(task, i, next, worker);
        else
            wb_build_range(task, i, next, worker, NULL, NULL, NULL, NULL);
    }
    if (task->findsItself) wb_build_range(task, begin, end, worker, NULL, NULL, NULL, NULL);
}

const wbSpaceCode WB_WIDE(wb_spaceCode) = {bounds, keys, lists};
