// SPDX-License-Identifier: MIT
// What particles feel of sheets near them: feet, and what they push there.
#include <float.h>
#include <math.h>

#include "coupling/sheet_place.h"

typedef struct NormalTask {
    const wbSheets *sheets;
    wbVec3d *normals;
    bool isEnd;
} NormalTask;

static void findNormals(int begin, int end, int worker, void *context) {
    (void)worker;
    const NormalTask *task = context;
    for (int e = begin; e < end; e++) {
        wbVec3d corners[3];
        wbSheets_GetCorners(task->sheets, e, task->isEnd, corners);
        task->normals[e] = wbFindTriangleNormal(corners);
    }
}

void wbSheets_UpdateNormals(const wbSheets *sheets, wbVec3d *normals, bool isEnd, const wbWork *work) {
    NormalTask task = {sheets, normals, isEnd};
    wbParallelFor(work->pool, sheets->elementCount, WB_BLOCK, findNormals, &task);
}

typedef struct FeetTask {
    wbSheets *sheets;
    const wbSheetSwarm *swarm;
    float *sums, *squares;
} FeetTask;

static double look(const float *table, double distance, double smoothing) {
    const double at = fmax((distance + 1) / (smoothing + 1) * WB_SHEET_TABLE, 0);
    if (!(at < WB_SHEET_TABLE)) return 0;
    const int k = (int)at;
    return (double)table[k] + (at - k) * ((double)table[k + 1] - (double)table[k]);
}

// A foot on an edge or a corner counts only where no triangle that shares it is nearer.
static bool isHidden(const wbSheets *sheets, const wbNearSheet *near, const wbSheetSlot *slot) {
    const wbSheetElement *own = wbSheets_GetElement(sheets, slot->element);
    for (int k = 0; k < near->slotCount; k++) {
        const wbSheetSlot *other = sheets->slots + near->firstSlot + k;
        if (other == slot || other->side == 0 || !(other->distance2 < slot->distance2 * (1 - 1e-9))) continue;
        const wbSheetElement *element = wbSheets_GetElement(sheets, other->element);
        bool sharesAll = true;
        for (int c = 0; c < 3 && sharesAll; c++)
            sharesAll = slot->weights[c] == 0 || element->corners[0] == own->corners[c] ||
                        element->corners[1] == own->corners[c] || element->corners[2] == own->corners[c];
        if (sharesAll) return true;
    }
    return false;
}

// A distance and a normal for what is a foot.
static void judgeSlot(const wbSheets *sheets, const wbSheetSwarm *swarm, const wbNearSheet *near,
                      wbSheetSlot *slot, wbVec3d place) {
    const wbSheetElement *element = wbSheets_GetElement(sheets, slot->element);
    const double h = (double)swarm->h, spacing = (double)swarm->spacing;
    wbVec3d corners[3];
    slot->distance = DBL_MAX;
    if (slot->distance2 > (h + (double)element->radius) * (h + (double)element->radius)) return;
    wbSheets_GetCorners(sheets, slot->element, true, corners);
    const wbVec3d away = wbSub3d(place, wbCombineCorners(corners, slot->weights)),
                  n = sheets->normals[slot->element];
    const double length = sqrt(slot->distance2);
    const wbVec3d facing = {slot->side * n.x, slot->side * n.y, slot->side * n.z};
    if (slot->side == 0) { // a ball
        if (!(length > 1e-6 * spacing)) return;
        slot->normal = (wbVec3d){away.x / length, away.y / length, away.z / length};
        slot->distance = length - (double)element->radius;
    } else if (slot->kind == 3) {
        slot->normal = facing, slot->distance = wbDot3d(away, facing);
    } else {
        if (wbIsOnRim(element, slot->kind, slot->weights) || isHidden(sheets, near, slot)) return;
        const double across = wbDot3d(away, facing);
        const bool isOn = !(length > 1e-9 * spacing);
        if (!isOn && across < -0.2 * length && length < 0.3 * spacing) return; // it is on its way back
        slot->normal = isOn ? facing : (wbVec3d){away.x / length, away.y / length, away.z / length};
        slot->distance = isOn ? 0 : length;
    }
    if (slot->distance > h || slot->distance < -1.5 * spacing) slot->distance = DBL_MAX;
}

// What of a push its corners feel: the share by which they give way, over that of the particle.
static double getGivingWay(const wbSheets *sheets, const wbSheetElement *element, const float w[3]) {
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += (double)(w[k] * w[k]) * wbSheets_GetNode(sheets, element->corners[k])->response;
    return sum;
}

// How much of another way a slot shows than feet that were taken.
static double getShare(const wbNearSheet *near, const wbSheetSlot *slot) {
    double share = 1;
    for (int f = 0; f < near->footCount; f++)
        share *= 1 - fmax(0, wbDot3d(near->feet[f].normal, slot->normal));
    return share;
}

// The nearest of those that show another way; NULL: there is none.
static wbSheetSlot *findNext(const wbSheets *sheets, const wbNearSheet *near, double *share) {
    wbSheetSlot *best = NULL;
    for (int k = 0; k < near->slotCount; k++) {
        wbSheetSlot *slot = sheets->slots + near->firstSlot + k;
        if (!(slot->distance < DBL_MAX) || (best && !(fabs(slot->distance) < fabs(best->distance)))) continue;
        const double own = getShare(near, slot);
        if (own > 0.02) best = slot, *share = own;
    }
    return best;
}

static void takeFoot(const FeetTask *task, wbNearSheet *near, wbSheetSlot *slot, double share) {
    const wbSheets *sheets = task->sheets;
    const double
        distance = slot->distance / (double)task->swarm->spacing,
        smoothing = (double)sheets->table.smoothing,
        wallShare =
            0.75; // of a collider's push, tried: with all of it water before a sheet is not quite calm
    float *sums = task->sums + 4 * (size_t)near->particle, *squares = task->squares + near->particle;
    const double mass =
        task->swarm->mass * (task->swarm->relative ? (double)task->swarm->relative[near->particle] : 1);
    wbSheetFoot *foot = &near->feet[near->footCount++];
    *foot = (wbSheetFoot){.element = slot->element,
                          .gradient = wallShare * share * look(sheets->table.gradient, distance, smoothing),
                          .normal = slot->normal};
    for (int k = 0; k < 3; k++) foot->weights[k] = (float)slot->weights[k];
    sums[0] += (float)(foot->gradient * foot->normal.x), sums[1] += (float)(foot->gradient * foot->normal.y);
    sums[2] += (float)(foot->gradient * foot->normal.z);
    sums[3] += (float)(share * look(sheets->table.density, distance, smoothing));
    *squares += (float)(foot->gradient * foot->gradient * mass *
                        getGivingWay(sheets, wbSheets_GetElement(sheets, slot->element), foot->weights));
    slot->distance = DBL_MAX; // taken
}

// The nearest first, then others as far as they show another way.
static void chooseFeet(const FeetTask *task, wbNearSheet *near) {
    wbSheetSlot *slot;
    double share = 1;
    near->footCount = 0;
    while (near->footCount < WB_SHEET_FEET && (slot = findNext(task->sheets, near, &share)))
        takeFoot(task, near, slot, share);
}

// A plane that is farther away than a kernel reaches has no foot, nor has the edge of a wall.
static bool isBeyond(const FeetTask *task, wbSheetSlot *slot, wbVec3d place) {
    const wbSheets *sheets = task->sheets;
    const double h = (double)task->swarm->h;
    wbVec3d corners[3];
    if (slot->side == 0) return false;
    if (wbSheets_GetElement(sheets, slot->element)->isEdge) return slot->distance2 = DBL_MAX, true;
    wbSheets_GetCorners(sheets, slot->element, true, corners);
    const double above = wbDot3d(sheets->normals[slot->element], wbSub3d(place, corners[0]));
    slot->distance2 = above * above;
    return above * above > h * h;
}

static void feetRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const FeetTask *task = context;
    const wbSheets *sheets = task->sheets;
    for (int n = begin; n < end; n++) {
        wbNearSheet *near = &sheets->near[n];
        const wbVec3d place = wbGetSheetRecord(task->swarm->places, near->particle);
        for (int k = 0; k < near->slotCount; k++) {
            wbSheetSlot *slot = sheets->slots + near->firstSlot + k;
            if (isBeyond(task, slot, place)) continue;
            slot->kind =
                wbSheets_FindClosest(sheets, slot->element, true, place, slot->weights, &slot->distance2);
        }
        for (int k = 0; k < near->slotCount; k++)
            judgeSlot(sheets, task->swarm, near, sheets->slots + near->firstSlot + k, place);
        chooseFeet(task, near);
    }
}

void wbSheets_Add(wbSheets *sheets, const wbSheetSwarm *swarm, float *sums, float *squares,
                  const wbWork *work) {
    FeetTask task = {sheets, swarm, sums, squares};
    if (sheets->nearCount == 0) return;
    wbSheets_UpdateNormals(sheets, sheets->normals, true, work);
    wbParallelFor(work->pool, sheets->nearCount, 64, feetRange, &task);
}

void wbSheets_Push(wbSheets *sheets, const wbSheetSwarm *swarm, const float *solved) {
    const double scale = 2 * swarm->mass * (double)swarm->gradientScale;
    for (int n = 0; n < sheets->nearCount; n++) {
        const wbNearSheet *near = &sheets->near[n];
        const double lambda = scale * (double)solved[4 * (size_t)near->particle + 3];
        for (int f = 0; f < near->footCount && lambda != 0; f++) {
            const wbSheetFoot *foot = &near->feet[f];
            const wbSheetElement *element = wbSheets_GetElement(sheets, foot->element);
            for (int k = 0; k < 3; k++) {
                wbSheetNode *node = wbSheets_GetNode(sheets, element->corners[k]);
                const double share = lambda * foot->gradient * (double)foot->weights[k];
                if (share == 0) continue;
                node->push = wbAddScaled3d(node->push, share, foot->normal);
                node->given = wbAddScaled3d(node->given, share, foot->normal);
                node->isTouched = 1;
            }
        }
    }
}
