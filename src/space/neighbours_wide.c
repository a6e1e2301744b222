// SPDX-License-Identifier: MIT
#include "space/neighbours_wide.h"

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

static void lists(int begin, int end, int worker, void *context) {
    wb_build_range(context, begin, end, worker, NULL, NULL, NULL, NULL);
}

const wbSpaceCode WB_WIDE(wb_spaceCode) = {bounds, keys, lists};
