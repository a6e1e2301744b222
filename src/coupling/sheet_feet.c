// SPDX-License-Identifier: MIT
// What particles feel of sheets near them: feet, and what they push there.
#include <float.h>
#include <math.h>
#include <string.h>

#include "coupling/sheet_code.h"
#include "coupling/sheet_place.h"

static float look(const float *table, float distance, float smoothing) {
    const float reached = (distance + 1) / (smoothing + 1) * WB_SHEET_TABLE, at = reached > 0 ? reached : 0;
    if (!(at < WB_SHEET_TABLE)) return 0;
    const int k = (int)at;
    return table[k] + (at - (float)k) * (table[k + 1] - table[k]);
}

// How far along a way a node is, beyond a point, over its distance from that where that is asked.
static bool isAhead(const wbSheets *sheets, int node, const float *point, const float away[3], float least,
                    float slack) {
    const float *place = sheets->places[sheets->moment] + 4 * (size_t)node;
    const float x = place[0] - point[0], y = place[1] - point[1], z = place[2] - point[2];
    return away[0] * x + away[1] * y + away[2] * z >
           least + (slack > 0 ? slack * sqrtf(x * x + y * y + z * z) : 0);
}

bool wbSheets_IsCornerHidden(const wbSheets *sheets, int corner, const float away[3], float least,
                             float slack) {
    int count;
    const int *ring = wbSheets_GetRing(sheets, corner, &count);
    const float *point = sheets->places[sheets->moment] + 4 * (size_t)corner;
    for (int k = 0; k < count; k++)
        if (isAhead(sheets, ring[k], point, away, least, slack)) return true;
    return false;
}

// Of an edge that more than two triangles share.
static bool isEdgeHidden(const wbSheets *sheets, const wbNearSheet *near, int first, int last,
                         const float away[3], float least) {
    const float *point = sheets->places[sheets->moment] + 4 * (size_t)first;
    for (int k = 0; k < near->slotCount; k++) {
        const wbSheetElement *element =
            wbSheets_GetElement(sheets, sheets->slotElements[near->firstSlot + k]);
        for (int c = 0; c < 3; c++) {
            const int a = element->corners[(c + 1) % 3], b = element->corners[(c + 2) % 3];
            if (((a == first && b == last) || (a == last && b == first)) &&
                isAhead(sheets, element->corners[c], point, away, least, 0))
                return true;
        }
    }
    return false;
}

// A foot on an edge or a corner counts only where no triangle that shares it is nearer. Of the two at an edge that is known.
static bool isHidden(const wbSheetPass *pass, const wbNearSheet *near, const wbSheetCandidate *candidate) {
    const wbSheets *sheets = pass->sheets;
    const wbSheetElement *own = wbSheets_GetElement(sheets, sheets->slotElements[candidate->slot]);
    const int part = candidate->part, *corners = own->corners;
    const float size = (float)wbGetSheetSize(pass->swarm, near->particle),
                least = 1e-5f * size * size * pass->swarm->h * pass->swarm->spacing;
    const float *place =
        (sheets->moment == 0 ? pass->swarm->starts : pass->swarm->places) + 4 * (size_t)near->particle;
    float away[3];
    wbSheets_FindPoint(sheets, candidate, away);
    for (int a = 0; a < 3; a++)
        away[a] = candidate->isBeyond ? place[a] - away[a] : candidate->distance * candidate->normal[a];
    if (part > 5 || wbIsBall(own)) return false;
    if (part > 2) return wbSheets_IsCornerHidden(sheets, corners[part - 3], away, least, 0);
    return own->across[part] == corners[(part + 2) % 3] &&
           isEdgeHidden(sheets, near, corners[part], corners[(part + 1) % 3], away, least);
}

// What of a push its corners feel: the share by which they give way, over that of the particle.
static double getGivingWay(const wbSheets *sheets, const wbSheetElement *element, const float w[3]) {
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += (double)(w[k] * w[k]) * wbSheets_GetNode(sheets, element->corners[k])->response;
    return sum;
}

// Of a triangle whose corner is closest: which it is; -1: none.
static int getCorner(const wbSheets *sheets, const wbSheetCandidate *candidate) {
    const int corner = candidate->part - 3;
    return corner >= 0 && corner < 3
               ? wbSheets_GetElement(sheets, sheets->slotElements[candidate->slot])->corners[corner]
               : -1;
}

// The nearest comes first, and what is beyond a rim after all that is not. All triangles at one corner of a rim are equally near, whatever floats
// make of it: of them the one that is seen best comes first.
static bool isBefore(const wbSheets *sheets, const wbSheetCandidate *a, const wbSheetCandidate *b) {
    if (a->isBeyond != b->isBeyond) return b->isBeyond;
    if (!a->isBeyond) return fabsf(a->distance) < fabsf(b->distance);
    const int corner = getCorner(sheets, a);
    return corner >= 0 && corner == getCorner(sheets, b) ? a->distance > b->distance : a->length < b->length;
}

// The first of those that show another way than feet that were taken; NULL: there is none.
static wbSheetCandidate *findNext(const wbSheets *sheets, wbSheetCandidate *candidates, int count) {
    wbSheetCandidate *first = NULL;
    for (wbSheetCandidate *c = candidates; c < candidates + count; c++)
        if (c->share > 0.02f && (!first || isBefore(sheets, c, first))) first = c;
    return first;
}

// What shows the same way counts less.
static void shareWays(wbSheetCandidate *candidates, int count, const float *taken) {
    for (wbSheetCandidate *c = candidates; c < candidates + count; c++) {
        const float along = c->normal[0] * taken[0] + c->normal[1] * taken[1] + c->normal[2] * taken[2];
        if (along > 0) c->share *= 1 - along;
    }
}

// Of the half space behind a foot, by the sharp edge that takes most of it: at the edge its wedge, and farther away less by what a plane there would
// leave. Without it fluid beside the edge would be counted twice, and thrown off.
static float findMissing(const wbSheetPass *pass, const wbNearSheet *near,
                         const wbSheetCandidate *candidate) {
    const wbSheets *sheets = pass->sheets;
    const wbSheetTable *table = &sheets->tables[pass->swarm->kernel];
    const float *places = sheets->places[sheets->moment],
                spacing = (float)wbGetSheetSize(pass->swarm, near->particle) * pass->swarm->spacing,
                half = look(table->density, 0, table->smoothing);
    const wbSheetElement *own = wbSheets_GetElement(sheets, sheets->slotElements[candidate->slot]);
    float point[3], most = 0;
    if (!pass->swarm->isSharp || !near->isBySharp || !own->isClosed) return 0;
    wbSheets_FindPoint(sheets, candidate, point);
    for (int n = near->firstSlot; n < near->firstSlot + near->slotCount; n++) {
        const wbSheetElement *element = wbSheets_GetElement(sheets, sheets->slotElements[n]);
        for (int k = 0; k < 3 && element->isSharp; k++) {
            if (element->missing[k] <= most) continue;
            const float away2 =
                wbFindEdgeDistance2(places + 4 * (size_t)element->corners[k],
                                    places + 4 * (size_t)element->corners[(k + 1) % 3], point);
            const float left = look(table->density, sqrtf(away2) / spacing, table->smoothing) / half;
            most = fmaxf(most, element->missing[k] * left);
        }
    }
    return most;
}

// Spacings, at which a particle feels a foot.
static float getDistance(const wbSheetPass *pass, const wbNearSheet *near,
                         const wbSheetCandidate *candidate) {
    const wbSheets *sheets = pass->sheets;
    const wbSheetElement *own = wbSheets_GetElement(sheets, sheets->slotElements[candidate->slot]);
    float distance =
        candidate->distance / ((float)wbGetSheetSize(pass->swarm, near->particle) * pass->swarm->spacing);
    for (int k = 0; k < 3 && !wbIsBall(own); k++) {
        const float apart = wbSheets_GetNode(sheets, own->corners[k])->apart;
        if (apart > 0) distance = fmaxf(distance, apart);
    }
    return distance;
}

static void takeFoot(const wbSheetPass *pass, wbNearSheet *near, const wbSheetCandidate *candidate) {
    const wbSheets *sheets = pass->sheets;
    const wbSheetSwarm *swarm = pass->swarm;
    const wbSheetTable *table = &sheets->tables[swarm->kernel];
    const float distance = getDistance(pass, near, candidate), smoothing = table->smoothing,
                share = candidate->share * (1 - findMissing(pass, near, candidate));
    // (1 - cos psi) / 2 of the push
    const float wedge = wbSheets_FindWedge(pass, near, candidate), towards = sinf(0.5f * wedge);
    float *sums = pass->sums + 4 * (size_t)near->particle;
    wbSheetFoot *foot = &near->feet[near->footCount++];
    *foot = (wbSheetFoot){.element = sheets->slotElements[candidate->slot],
                          .gradient = swarm->share * share * towards * towards *
                                      look(table->gradient, distance, smoothing)};
    memcpy(foot->normal, candidate->normal, sizeof foot->normal);
    memcpy(foot->weights, candidate->weights, sizeof foot->weights);
    for (int a = 0; a < 3; a++) sums[a] += foot->gradient * foot->normal[a];
    sums[3] += share * (wedge / WB_SHEET_FLAT) * look(table->density, distance, smoothing);
    if (pass->squares)
        pass->squares[near->particle] +=
            (float)((double)(foot->gradient * foot->gradient) * wbGetSheetMass(swarm, near->particle) *
                    getGivingWay(sheets, wbSheets_GetElement(sheets, foot->element), foot->weights));
}

// Edges of walls have no feet, nor has what lies on a side of the domain.
static void leaveFootless(const wbSheets *sheets, wbSheetCandidate *candidates, int count) {
    for (wbSheetCandidate *c = candidates; c < candidates + count; c++) {
        const int e = sheets->slotElements[c->slot];
        if (wbSheets_GetElement(sheets, e)->isEdge || sheets->areLying[e]) c->share = 0;
    }
}

// The nearest first, then others as far as they show another way.
void wbSheets_ChooseFeet(const wbSheetPass *pass, wbNearSheet *near, const wbSheetScratch *scratch,
                         int count) {
    wbSheetCandidate *candidates = scratch->candidates, *next;
    near->footCount = 0;
    if (pass->sheets->hasClosed || pass->sheets->hasLying) leaveFootless(pass->sheets, candidates, count);
    while (near->footCount < WB_SHEET_FEET && (next = findNext(pass->sheets, candidates, count))) {
        if (!isHidden(pass, near, next)) {
            takeFoot(pass, near, next);
            shareWays(candidates, count, next->normal);
        }
        next->share = 0;
    }
}

void wbSheets_Add(wbSheets *sheets, const wbSheetSwarm *swarm, float *sums, float *squares,
                  const wbWork *work) {
    wbSheetPass pass = {.sheets = sheets, .swarm = swarm, .sums = sums, .squares = squares};
    if (sheets->nearCount == 0) return;
    if (sheets->moment == 1) wbSheets_Shape(sheets, 1, work);
    wbParallelShare(work->pool, sheets->nearCount, 64, wbGetSheetFeelCode(work->simd)->feel, &pass);
}

typedef struct NearTask {
    const wbSheets *sheets;
    double rate; // 1/s: of ways in this part of the sub-step
    float *nearing;
} NearTask;

static double getNearing(const wbSheets *sheets, const wbSheetFoot *foot) {
    const wbSheetElement *element = wbSheets_GetElement(sheets, foot->element);
    const wbVec3d normal = {foot->normal[0], foot->normal[1], foot->normal[2]};
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        const wbSheetNode *node = wbSheets_GetNode(sheets, element->corners[k]);
        sum += (double)foot->weights[k] * wbDot3d(normal, wbSub3d(node->end, node->start));
    }
    return (double)foot->gradient * sum;
}

static void nearRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const NearTask *task = context;
    for (int n = begin; n < end; n++) {
        const wbNearSheet *near = &task->sheets->near[n];
        for (int f = 0; f < near->footCount; f++)
            task->nearing[near->particle] += (float)(task->rate * getNearing(task->sheets, &near->feet[f]));
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
            const wbVec3d normal = {foot->normal[0], foot->normal[1], foot->normal[2]};
            for (int k = 0; k < 3; k++) {
                wbSheetNode *node = wbSheets_GetNode(sheets, element->corners[k]);
                const double share = value * (double)foot->gradient * (double)foot->weights[k];
                if (share == 0) continue;
                node->push = wbAddScaled3d(node->push, share, normal);
                node->given = wbAddScaled3d(node->given, share, normal);
                node->isTouched = 1;
            }
        }
    }
}
