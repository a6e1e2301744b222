// SPDX-License-Identifier: MIT
#include "space/neighbours_wide.h"

#include "space/space_code.h"

static void bounds(const wbPoints *points, int begin, int end, float result[6]) {
    const float *columns[3] = {points->x, points->y, points->z};
    for (int a = 0; a < 3; a++) {
        const float *p = columns[a];
        float low = p[begin], high = p[begin];
        for (int i = begin; i < end; i++) {
            low = p[i] < low ? p[i] : low;
            high = p[i] > high ? p[i] : high;
        }
        result[a] = low, result[a + 3] = high;
    }
}

static void keys(const wbGrid *grid, const wbPoints *points, int begin, int end, uint32_t *result) {
    for (int i = begin; i < end; i++) {
        uint32_t x = (uint32_t)cell_of(grid, 0, points->x[i]), y = (uint32_t)cell_of(grid, 1, points->y[i]);
        uint32_t z = (uint32_t)cell_of(grid, 2, points->z[i]);
        result[i] = grid->hashed ? (wbHashSlot(x >> 3, y, z) & grid->slotMask) << 3 | (x & 7)
                                 : (z * (uint32_t)grid->size[1] + y) * (uint32_t)grid->size[0] + x;
    }
}

static void lists(int begin, int end, int worker, void *context) {
    const wbListTask *task = context;
    wbListStore *store = &task->neighbours->stores[worker];
    float sums[WB_GROUP];
    for (int i = begin; i < end; i += WB_GROUP) {
        if (i % WB_BLOCK == 0) ((uint8_t *)task->neighbours->owners.data)[i / WB_BLOCK] = (uint8_t)worker;
        wb_build_group(task, store, i, NULL, NULL, sums);
    }
}

const wbSpaceCode WB_WIDE(wb_spaceCode) = {bounds, keys, lists};
