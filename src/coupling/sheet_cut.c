// SPDX-License-Identifier: MIT
// Pairs of particles behind a sheet do not feel each other.
#include <math.h>

#include "coupling/sheet_place.h"

// Whether a way of no time goes through a triangle of this normal.
static bool crosses(const wbVec3d corners[3], wbVec3d n, wbVec3d a, wbVec3d b) {
    double w[3];
    const double from = wbDot3d(n, wbSub3d(a, corners[0])), to = wbDot3d(n, wbSub3d(b, corners[0]));
    if ((from > 0) == (to > 0)) return false;
    const wbVec3d at = wbAddScaled3d(a, from / (from - to), wbSub3d(b, a));
    (void)wbFindClosestOnTriangle(corners, at, w);
    const wbVec3d beside = wbSub3d(at, wbCombineCorners(corners, w)), way = wbSub3d(b, a);
    return wbDot3d(beside, beside) <= 1e-12 * wbDot3d(way, way);
}

// What a way goes through, of what a particle is in front of.
enum { SHEET = 1, WALL = 2 };
static unsigned findBetween(const wbSheets *sheets, const wbNearSheet *near, wbVec3d a, wbVec3d b) {
    unsigned between = 0;
    if (near->triangleCount == 0) return 0;
    for (int slot = near->firstSlot; slot < near->firstSlot + near->slotCount && between != (SHEET | WALL);
         slot++) {
        const int index = sheets->slotElements[slot];
        const wbSheetElement *element = wbSheets_GetElement(sheets, index);
        const unsigned bit = element->isClosed ? WALL : SHEET;
        wbVec3d corners[3];
        if (sheets->slotSides[slot] == 0 || element->isEdge || sheets->areLying[index] || between & bit)
            continue;
        wbSheets_GetCorners(sheets, index, false, corners);
        if (crosses(corners, sheets->startNormals[index], a, b)) between |= bit;
    }
    return between;
}

bool wbSheets_Parts(const wbSheets *sheets, int particle, wbVec3d from, wbVec3d to) {
    if (sheets->elementCount == 0 || sheets->nearOf[particle] < 0) return false;
    const wbNearSheet *near = &sheets->near[sheets->nearOf[particle]];
    for (int slot = near->firstSlot; slot < near->firstSlot + near->slotCount; slot++) {
        wbVec3d corners[3];
        if (sheets->slotSides[slot] == 0) continue;
        wbSheets_GetCorners(sheets, sheets->slotElements[slot], true, corners);
        if (crosses(corners, wbFindTriangleNormal(corners), from, to)) return true;
    }
    return false;
}

typedef struct CutTask {
    const wbSheets *sheets;
    const wbSheetSwarm *swarm;
    wbNeighbours *neighbours;
} CutTask;

static bool isWayCut(const wbSheets *sheets, const wbNearSheet *one, const wbNearSheet *other, wbVec3d a,
                     wbVec3d b) {
    const unsigned first = findBetween(sheets, one, a, b);
    if (first & SHEET) return true;
    const unsigned last = findBetween(sheets, other, a, b);
    // a way in through a wall's face and out through its edge is one around its rim: what meets there would not feel each other until
    // it is on top of each other, and be thrown off
    return last & SHEET || (first & last & WALL);
}

static bool hasSheet(const wbSheets *sheets, const wbNearSheet *one, const wbNearSheet *other, wbVec3d a,
                     wbVec3d b) {
    return (findBetween(sheets, one, a, b) | findBetween(sheets, other, a, b)) & SHEET;
}

static double mirror(double place, double twice, bool isMirrored) {
    return isMirrored ? twice - place : place;
}

// A way to a ghost is one that the sides throw back: behind each of those that mirror it there are images of sheets. So
// one that ends at a side is whole with its image, and one that lies on it is before all ghosts there. Walls have no
// images: they keep away from sides, and what passes through that gap is held back by the ghosts behind it; a plate a
// twentieth of a spacing from the sides let explicit SPH through without them.
static bool isGhostCut(const CutTask *task, int i, int ghost, const wbNearSheet *one,
                       const wbNearSheet *other, int j) {
    const wbGhosts *ghosts = task->swarm->ghosts;
    const uint32_t sides = ghosts->sides[ghost - task->swarm->firstGhost];
    const wbVec3d own = wbGetSheetRecord(task->swarm->starts, i),
                  there = wbGetSheetRecord(task->swarm->starts, ghost),
                  source = wbGetSheetRecord(task->swarm->starts, j);
    const double twice[3] = {there.x + source.x, there.y + source.y, there.z + source.z};
    const wbVec3d a = i <= j ? own : there, b = i <= j ? there : own;
    for (unsigned some = 0; some < 8; some++) {
        const bool is[3] = {some & 1, some & 2, some & 4};
        bool isThere = true;
        for (int k = 0; k < 3; k++) isThere = isThere && (!is[k] || (sides >> (2 * k) & 3));
        if (!isThere) continue;
        const wbVec3d from = {mirror(a.x, twice[0], is[0]), mirror(a.y, twice[1], is[1]),
                              mirror(a.z, twice[2], is[2])},
                      to = {mirror(b.x, twice[0], is[0]), mirror(b.y, twice[1], is[1]),
                            mirror(b.z, twice[2], is[2])};
        const bool isCut = some == 0 ? isWayCut(task->sheets, one, other, from, to)
                                     : hasSheet(task->sheets, one, other, from, to);
        if (isCut) return true;
    }
    return false;
}

// Both of a pair must find the same: they ask in the same order.
static bool areParted(const CutTask *task, int i, int entry) {
    const wbSheets *sheets = task->sheets;
    const bool isGhost = entry >= task->swarm->firstGhost;
    const int j = isGhost ? task->swarm->ghosts->source[entry - task->swarm->firstGhost] : entry;
    if (i == entry || sheets->nearOf[j] < 0) return false;
    const int low = i < j ? i : j, high = i < j ? j : i;
    const wbNearSheet *one = &sheets->near[sheets->nearOf[low]], *other = &sheets->near[sheets->nearOf[high]];
    if (one->slotCount == 0 || other->slotCount == 0 || one->triangleCount + other->triangleCount == 0)
        return false;
    if (isGhost) return isGhostCut(task, i, entry, one, other, j);
    if (one->side == other->side && one->side != 0) return false;
    return isWayCut(sheets, one, other, wbGetSheetRecord(task->swarm->starts, low),
                    wbGetSheetRecord(task->swarm->starts, high));
}

static void cutRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const CutTask *task = context;
    for (int n = begin; n < end; n++) {
        const int i = task->sheets->near[n].particle;
        int rowCount;
        int *rows = wbNeighbours_EditRows(task->neighbours, i / WB_GROUP, &rowCount) + i % WB_GROUP;
        for (int k = 0; k < rowCount; k++, rows += WB_GROUP)
            if (*rows != task->swarm->dummy && areParted(task, i, *rows)) *rows = task->swarm->dummy;
    }
}

void wbSheets_Cut(wbSheets *sheets, const wbSheetSwarm *swarm, wbNeighbours *neighbours, const wbWork *work) {
    CutTask task = {sheets, swarm, neighbours};
    int triangles = 0;
    for (int n = 0; n < sheets->nearCount; n++) triangles += sheets->near[n].triangleCount;
    if (triangles == 0) return;
    wbParallelFor(work->pool, sheets->nearCount, WB_BLOCK, cutRange, &task);
}
