// SPDX-License-Identifier: MIT
// Pairs of particles behind a sheet do not feel each other.
#include <math.h>

#include "coupling/sheet_place.h"

// Whether a way of no time goes through a triangle where it began.
static bool crosses(const wbSheets *sheets, int element, wbVec3d a, wbVec3d b) {
    wbVec3d corners[3];
    double w[3];
    wbSheets_GetCorners(sheets, element, false, corners);
    const wbVec3d n = sheets->startNormals[element];
    const double from = wbDot3d(n, wbSub3d(a, corners[0])), to = wbDot3d(n, wbSub3d(b, corners[0]));
    if ((from > 0) == (to > 0)) return false;
    const wbVec3d at = wbAddScaled3d(a, from / (from - to), wbSub3d(b, a));
    (void)wbFindClosestOnTriangle(corners, at, w);
    const wbVec3d beside = wbSub3d(at, wbCombineCorners(corners, w)), way = wbSub3d(b, a);
    return wbDot3d(beside, beside) <= 1e-12 * wbDot3d(way, way);
}

static bool isBetween(const wbSheets *sheets, const wbNearSheet *near, wbVec3d a, wbVec3d b) {
    if (near->triangleCount == 0) return false;
    for (int slot = near->firstSlot; slot < near->firstSlot + near->slotCount; slot++)
        if (sheets->slotSides[slot] != 0 && crosses(sheets, sheets->slotElements[slot], a, b)) return true;
    return false;
}

typedef struct CutTask {
    const wbSheets *sheets;
    const wbSheetSwarm *swarm;
    wbNeighbours *neighbours;
} CutTask;

// Both of a pair must find the same: they ask in the same order.
static bool areParted(const CutTask *task, int i, int entry) {
    const wbSheets *sheets = task->sheets;
    const int j = entry < task->swarm->firstGhost
                      ? entry
                      : task->swarm->ghosts->source[entry - task->swarm->firstGhost];
    if (i == entry || sheets->nearOf[j] < 0) return false;
    const int low = i < j ? i : j, high = i < j ? j : i;
    const wbNearSheet *one = &sheets->near[sheets->nearOf[low]], *other = &sheets->near[sheets->nearOf[high]];
    if (one->slotCount == 0 || other->slotCount == 0 || one->triangleCount + other->triangleCount == 0 ||
        (one->side == other->side && one->side != 0))
        return false;
    const wbVec3d own = wbGetSheetRecord(task->swarm->starts, i),
                  there = wbGetSheetRecord(task->swarm->starts, entry);
    const wbVec3d a = i == low ? own : there, b = i == low ? there : own;
    return isBetween(sheets, one, a, b) || isBetween(sheets, other, a, b);
}

static void cutRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const CutTask *task = context;
    for (int n = begin; n < end; n++) {
        const int i = task->sheets->near[n].particle;
        int rowCount;
        int *rows = wbNeighbours_EditRows(task->neighbours, i / WB_GROUP, &rowCount) + i % WB_GROUP;
        for (int k = 0; k < rowCount; k++, rows += WB_GROUP)
            if (*rows < task->swarm->dummy && areParted(task, i, *rows)) *rows = task->swarm->dummy;
    }
}

void wbSheets_Cut(wbSheets *sheets, const wbSheetSwarm *swarm, wbNeighbours *neighbours, const wbWork *work) {
    CutTask task = {sheets, swarm, neighbours};
    int triangles = 0;
    for (int n = 0; n < sheets->nearCount; n++) triangles += sheets->near[n].triangleCount;
    if (triangles == 0) return;
    wbParallelFor(work->pool, sheets->nearCount, WB_BLOCK, cutRange, &task);
}
