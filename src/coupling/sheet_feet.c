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

static const wbVec3d *getNormals(const wbSheets *sheets, const wbSheetSwarm *swarm) {
    return swarm->isAtStart ? sheets->startNormals : sheets->normals;
}

// A distance and a normal for what is a foot.
static void judgeSlot(const wbSheets *sheets, const wbSheetSwarm *swarm, const wbNearSheet *near,
                      wbSheetSlot *slot, wbVec3d place) {
    const wbSheetElement *element = wbSheets_GetElement(sheets, slot->element);
    const double size = wbGetSheetSize(swarm, near->particle), h = size * (double)swarm->h,
                 spacing = size * (double)swarm->spacing;
    wbVec3d corners[3];
    slot->distance = DBL_MAX;
    if (slot->distance2 > (h + (double)element->radius) * (h + (double)element->radius)) return;
    wbSheets_GetCorners(sheets, slot->element, !swarm->isAtStart, corners);
    const wbVec3d away = wbSub3d(place, wbCombineCorners(corners, slot->weights)),
                  n = getNormals(sheets, swarm)[slot->element];
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
    const wbSheetSwarm *swarm = task->swarm;
    const wbSheetTable *table = &sheets->tables[swarm->kernel];
    const double distance = slot->distance / (wbGetSheetSize(swarm, near->particle) * (double)swarm->spacing),
                 smoothing = (double)table->smoothing;
    float *sums = task->sums + 4 * (size_t)near->particle;
    wbSheetFoot *foot = &near->feet[near->footCount++];
    *foot =
        (wbSheetFoot){.element = slot->element,
                      .gradient = (double)swarm->share * share * look(table->gradient, distance, smoothing),
                      .normal = slot->normal};
    for (int k = 0; k < 3; k++) foot->weights[k] = (float)slot->weights[k];
    sums[0] += (float)(foot->gradient * foot->normal.x), sums[1] += (float)(foot->gradient * foot->normal.y);
    sums[2] += (float)(foot->gradient * foot->normal.z);
    sums[3] += (float)(share * look(table->density, distance, smoothing));
    if (task->squares)
        task->squares[near->particle] +=
            (float)(foot->gradient * foot->gradient * wbGetSheetMass(swarm, near->particle) *
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

// A plane that is farther away than a kernel reaches has no foot.
static bool isBeyond(const FeetTask *task, wbSheetSlot *slot, wbVec3d place, double h) {
    const wbSheets *sheets = task->sheets;
    wbVec3d corners[3];
    if (slot->side == 0) return false;
    wbSheets_GetCorners(sheets, slot->element, !task->swarm->isAtStart, corners);
    const double above = wbDot3d(getNormals(sheets, task->swarm)[slot->element], wbSub3d(place, corners[0]));
    slot->distance2 = above * above;
    return above * above > h * h;
}

static void feetRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const FeetTask *task = context;
    const wbSheets *sheets = task->sheets;
    const wbSheetSwarm *swarm = task->swarm;
    const bool isEnd = !swarm->isAtStart;
    for (int n = begin; n < end; n++) {
        wbNearSheet *near = &sheets->near[n];
        const wbVec3d place = wbGetSheetRecord(isEnd ? swarm->places : swarm->starts, near->particle);
        const double h = wbGetSheetSize(swarm, near->particle) * (double)swarm->h;
        for (int k = 0; k < near->slotCount; k++) {
            wbSheetSlot *slot = sheets->slots + near->firstSlot + k;
            if (isBeyond(task, slot, place, h)) continue;
            slot->kind =
                wbSheets_FindClosest(sheets, slot->element, isEnd, place, slot->weights, &slot->distance2);
        }
        for (int k = 0; k < near->slotCount; k++)
            judgeSlot(sheets, swarm, near, sheets->slots + near->firstSlot + k, place);
        chooseFeet(task, near);
    }
}

void wbSheets_Add(wbSheets *sheets, const wbSheetSwarm *swarm, float *sums, float *squares,
                  const wbWork *work) {
    FeetTask task = {sheets, swarm, sums, squares};
    if (sheets->nearCount == 0) return;
    if (!swarm->isAtStart) wbSheets_UpdateNormals(sheets, sheets->normals, true, work);
    wbParallelFor(work->pool, sheets->nearCount, 64, feetRange, &task);
}

typedef struct NearTask {
    const wbSheets *sheets;
    double rate; // 1/s: of ways in this part of the sub-step
    float *nearing;
} NearTask;

static void nearRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const NearTask *task = context;
    const wbSheets *sheets = task->sheets;
    for (int n = begin; n < end; n++) {
        const wbNearSheet *near = &sheets->near[n];
        double sum = 0;
        for (int f = 0; f < near->footCount; f++) {
            const wbSheetFoot *foot = &near->feet[f];
            const wbSheetElement *element = wbSheets_GetElement(sheets, foot->element);
            for (int k = 0; k < 3; k++) {
                const wbSheetNode *node = wbSheets_GetNode(sheets, element->corners[k]);
                sum += foot->gradient * (double)foot->weights[k] *
                       wbDot3d(foot->normal, wbSub3d(node->end, node->start));
            }
        }
        task->nearing[near->particle] += (float)(task->rate * sum);
    }
}

void wbSheets_Near(const wbSheets *sheets, const wbSheetSwarm *swarm, float *nearing, const wbWork *work) {
    NearTask task = {sheets, 1 / ((double)(swarm->to - swarm->from) * (double)swarm->dt), nearing};
    wbParallelFor(work->pool, sheets->nearCount, 64, nearRange, &task);
}

void wbSheets_Push(wbSheets *sheets, const wbSheetPush *push) {
    for (int n = 0; n < sheets->nearCount; n++) {
        const wbNearSheet *near = &sheets->near[n];
        const double value =
            push->scale * (double)push->values[(size_t)push->stride * (size_t)near->particle];
        for (int f = 0; f < near->footCount && value != 0; f++) {
            const wbSheetFoot *foot = &near->feet[f];
            const wbSheetElement *element = wbSheets_GetElement(sheets, foot->element);
            for (int k = 0; k < 3; k++) {
                wbSheetNode *node = wbSheets_GetNode(sheets, element->corners[k]);
                const double share = value * foot->gradient * (double)foot->weights[k];
                if (share == 0) continue;
                node->push = wbAddScaled3d(node->push, share, foot->normal);
                node->given = wbAddScaled3d(node->given, share, foot->normal);
                node->isTouched = 1;
            }
        }
    }
}
