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

// What of a push its corners feel: the share by which they give way, over that of the particle.
static double getGivingWay(const wbSheets *sheets, const wbSheetElement *element, const float w[3]) {
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += (double)(w[k] * w[k]) * wbSheets_GetNode(sheets, element->corners[k])->response;
    return sum;
}

// The nearest of those that show another way than feet that were taken; NULL: there is none.
static wbSheetCandidate *findNext(wbSheetCandidate *candidates, int count) {
    wbSheetCandidate *best = NULL;
    float least = FLT_MAX;
    for (wbSheetCandidate *c = candidates; c < candidates + count; c++)
        if (c->share > 0.02f && fabsf(c->distance) < least) best = c, least = fabsf(c->distance);
    return best;
}

// What shows the same way counts less.
static void shareWays(wbSheetCandidate *candidates, int count, const float *taken) {
    for (wbSheetCandidate *c = candidates; c < candidates + count; c++) {
        const float along = c->normal[0] * taken[0] + c->normal[1] * taken[1] + c->normal[2] * taken[2];
        if (along > 0) c->share *= 1 - along;
    }
}

static void takeFoot(const wbSheetPass *pass, wbNearSheet *near, const wbSheetCandidate *candidate) {
    const wbSheets *sheets = pass->sheets;
    const wbSheetSwarm *swarm = pass->swarm;
    const float
        distance = candidate->distance / swarm->spacing,
        smoothing = sheets->table.smoothing, share = candidate->share,
        wallShare =
            0.75f; // of a collider's push, tried: with all of it water before a sheet is not quite calm
    float *sums = pass->sums + 4 * (size_t)near->particle, *squares = pass->squares + near->particle;
    const double mass = swarm->mass * (swarm->relative ? (double)swarm->relative[near->particle] : 1);
    wbSheetFoot *foot = &near->feet[near->footCount++];
    *foot = (wbSheetFoot){.element = sheets->slotElements[candidate->slot],
                          .gradient = wallShare * share * look(sheets->table.gradient, distance, smoothing)};
    memcpy(foot->normal, candidate->normal, sizeof foot->normal);
    memcpy(foot->weights, candidate->weights, sizeof foot->weights);
    for (int a = 0; a < 3; a++) sums[a] += foot->gradient * foot->normal[a];
    sums[3] += share * look(sheets->table.density, distance, smoothing);
    *squares += (float)((double)(foot->gradient * foot->gradient) * mass *
                        getGivingWay(sheets, wbSheets_GetElement(sheets, foot->element), foot->weights));
}

// The nearest first, then others as far as they show another way.
void wbSheets_ChooseFeet(const wbSheetPass *pass, wbNearSheet *near, const wbSheetScratch *scratch,
                         int count) {
    wbSheetCandidate *candidates = scratch->candidates, *next;
    near->footCount = 0;
    while (near->footCount < WB_SHEET_FEET && (next = findNext(candidates, count))) {
        if (!pass->code->isHidden(pass, near, scratch, next)) {
            takeFoot(pass, near, next);
            shareWays(candidates, count, next->normal);
        }
        next->share = 0;
    }
}

void wbSheets_Add(wbSheets *sheets, const wbSheetSwarm *swarm, float *sums, float *squares,
                  const wbWork *work) {
    const wbSheetFeelCode *code = wbGetSheetFeelCode(work->simd);
    wbSheetPass pass = {.sheets = sheets, .swarm = swarm, .code = code, .sums = sums, .squares = squares};
    if (sheets->nearCount == 0) return;
    wbSheets_Shape(sheets, 1, work);
    wbParallelShare(work->pool, sheets->nearCount, 64, code->feel, &pass);
}

void wbSheets_Push(wbSheets *sheets, const wbSheetSwarm *swarm, const float *solved) {
    const double scale = 2 * swarm->mass * (double)swarm->gradientScale;
    for (int n = 0; n < sheets->nearCount; n++) {
        const wbNearSheet *near = &sheets->near[n];
        const double lambda = scale * (double)solved[4 * (size_t)near->particle + 3];
        for (int f = 0; f < near->footCount && lambda != 0; f++) {
            const wbSheetFoot *foot = &near->feet[f];
            const wbSheetElement *element = wbSheets_GetElement(sheets, foot->element);
            const wbVec3d normal = {foot->normal[0], foot->normal[1], foot->normal[2]};
            for (int k = 0; k < 3; k++) {
                wbSheetNode *node = wbSheets_GetNode(sheets, element->corners[k]);
                const double share = lambda * (double)foot->gradient * (double)foot->weights[k];
                if (share == 0) continue;
                node->push = wbAddScaled3d(node->push, share, normal);
                node->given = wbAddScaled3d(node->given, share, normal);
                node->isTouched = 1;
            }
        }
    }
}
