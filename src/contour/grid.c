// SPDX-License-Identifier: MIT
#include "contour/grid.h"

#include <math.h>
#include <string.h>

#include "core/status.h"

/// Cells, from the first to the last along each axis, that a point may reach a corner of.
typedef struct Reach {
    int first[3], last[3];
} Reach;

// Farther out than so many cells, places of blocks and floats are no longer exact.
static const double farthest = 1e9;

static wbStatus findReach(const wbContourDef *def, int point, Reach *reach) {
    double at[3];
    wbContourDef_GetPlace(def, point, at);
    for (int a = 0; a < 3; a++) {
        const double low = (at[a] - (double)def->radius) / (double)def->cellSize,
                     high = (at[a] + (double)def->radius) / (double)def->cellSize;
        if (!(fabs(low) < farthest && fabs(high) < farthest))
            return wbError(
                wb_errorInput,
                "a surface around a particle at (%g, %g, %g): with cells of %g m it may be %g m out", at[0],
                at[1], at[2], (double)def->cellSize, farthest * (double)def->cellSize);
        reach->first[a] = (int)ceil(low) - 1;
        reach->last[a] = (int)floor(high);
    }
    if (def->depth > 0) reach->first[2] = 0, reach->last[2] = 2;
    return wb_okStatus;
}

// Rounds down, also below 0.
static int getBlockOf(int cell) { return (cell >= 0 ? cell : cell - WB_EDGE + 1) / WB_EDGE; }

static uint32_t hashPlace(const int place[3]) {
    uint32_t hash = (uint32_t)place[0] * 0x9e3779b1u ^ (uint32_t)place[1] * 0x85ebca77u ^
                    (uint32_t)place[2] * 0xc2b2ae3du;
    return hash ^ hash >> 15;
}

// The slot of a place: that of its block, or the free one where it would be.
static int *findSlot(const wbContourGrid *grid, const int place[3]) {
    int *slots = grid->slots.data;
    uint32_t slot = hashPlace(place) & grid->slotMask;
    while (slots[slot] >= 0 &&
           memcmp(wbContourGrid_GetBlock(grid, slots[slot])->place, place, sizeof(int[3])) != 0)
        slot = (slot + 1) & grid->slotMask;
    return &slots[slot];
}

int wbContourGrid_Find(const wbContourGrid *grid, const int place[3]) { return *findSlot(grid, place); }

wbStatus wbContourGrid_Fail(const wbContourGrid *grid) {
    return wbMemoryError(grid->memory, "a surface around %d particles needs", grid->def->count);
}

// Twice as many slots, or the first.
static wbStatus growSlots(wbContourGrid *grid) {
    int count = grid->slots.data ? 2 * ((int)grid->slotMask + 1) : 1024;
    wbArray_Free(grid->memory, &grid->slots);
    if (grid->blockCount > 1 << 28 || !wbArray_Reserve(grid->memory, &grid->slots, count))
        return wbContourGrid_Fail(grid);
    memset(grid->slots.data, -1, sizeof(int) * (size_t)count);
    grid->slotMask = (uint32_t)count - 1;
    for (int b = 0; b < grid->blockCount; b++) *findSlot(grid, wbContourGrid_GetBlock(grid, b)->place) = b;
    return wb_okStatus;
}

static wbStatus findOrAddBlock(wbContourGrid *grid, const int place[3], int *block) {
    int *slot = findSlot(grid, place);
    if (*slot < 0) {
        if (!wbArray_Reserve(grid->memory, &grid->blocks, grid->blockCount + 1))
            return wbContourGrid_Fail(grid);
        *slot = grid->blockCount++;
        memcpy(wbContourGrid_GetBlock(grid, *slot)->place, place, sizeof(int[3]));
    }
    *block = *slot;
    return 2 * grid->blockCount > (int)grid->slotMask ? growSlots(grid) : wb_okStatus;
}

// Each block that a point reaches: counts it there, or lists it where the block has been counted.
static wbStatus visitBlocks(wbContourGrid *grid, int point, bool isListing) {
    Reach reach;
    WB_TRY(findReach(grid->def, point, &reach));
    int *lists = grid->lists.data, place[3], block = -1;
    for (place[2] = getBlockOf(reach.first[2]); place[2] <= getBlockOf(reach.last[2]); place[2]++)
        for (place[1] = getBlockOf(reach.first[1]); place[1] <= getBlockOf(reach.last[1]); place[1]++)
            for (place[0] = getBlockOf(reach.first[0]); place[0] <= getBlockOf(reach.last[0]); place[0]++) {
                WB_TRY(findOrAddBlock(grid, place, &block));
                wbBlock *found = wbContourGrid_GetBlock(grid, block);
                if (isListing) lists[found->listStart + found->listCount] = point;
                found->listCount++;
            }
    return wb_okStatus;
}

static wbStatus makeLists(wbContourGrid *grid) {
    int64_t total = 0;
    for (int b = 0; b < grid->blockCount; b++) total += wbContourGrid_GetBlock(grid, b)->listCount;
    if (total > INT32_MAX / 2 || !wbArray_Reserve(grid->memory, &grid->lists, (int)total))
        return wbContourGrid_Fail(grid);
    int start = 0;
    for (int b = 0; b < grid->blockCount; b++) {
        wbBlock *block = wbContourGrid_GetBlock(grid, b);
        block->listStart = start;
        start += block->listCount;
        block->listCount = 0;
    }
    for (int i = 0; i < grid->def->count; i++) WB_TRY(visitBlocks(grid, i, true));
    return wb_okStatus;
}

wbStatus wbContourGrid_Build(wbContourGrid *grid) {
    grid->layers = grid->def->depth > 0 ? 4 : WB_NODES;
    grid->blocks.elementSize = (int)sizeof(wbBlock);
    grid->slots.elementSize = grid->lists.elementSize = (int)sizeof(int);
    grid->shares.elementSize = (int)sizeof(float);
    grid->values.elementSize = (int)sizeof(float) * WB_LAYER * grid->layers;
    WB_TRY(growSlots(grid));
    for (int i = 0; i < grid->def->count; i++) WB_TRY(visitBlocks(grid, i, false));
    return makeLists(grid);
}

void wbContourGrid_Free(wbContourGrid *grid) {
    wbArray_Free(grid->memory, &grid->blocks);
    wbArray_Free(grid->memory, &grid->slots);
    wbArray_Free(grid->memory, &grid->lists);
    wbArray_Free(grid->memory, &grid->shares);
    wbArray_Free(grid->memory, &grid->values);
}
