// SPDX-License-Identifier: MIT
// Rims of open sheets, which fluids go round: a particle near one sees past it. What the sheet hides of the half space behind it is a wedge, from
// its plane to the way from the particle to the rim. Of the half space the particle has the density by psi / pi, and the push along the
// normal, which is the mean of the sine over the wedge, by sin2(psi / 2). At the kernel's end psi is pi or 0: nothing jumps there.
//
// Tried: the sums over the lattice sites that are behind the sheet as it is seen, by distance and by the way to the rim, with their push along the
// sheet: no calmer, and without that push neither. What is left probably comes of pairs round the rim, which begin and end at once.
#include <float.h>
#include <math.h>
#include <string.h>

#include "coupling/sheet_code.h"
#include "coupling/sheet_place.h"

static void readCorner(const wbSheets *sheets, const wbSheetElement *element, int corner, double at[3]) {
    const wbVec3d start = wbSheets_GetNode(sheets, element->corners[corner % 3])->start;
    at[0] = start.x, at[1] = start.y, at[2] = start.z;
}

// Whether an edge is where a sheet ends at a side of the domain: within half a spacing of it, where nothing gets by, and the sheet leads away from
// there by 30 degrees or more: one that lies on the side has its rims there, too, and they are free.
static bool isAtSide(const wbSheets *sheets, const wbSheetSwarm *swarm, const wbSheetElement *element,
                     int edge) {
    const double gap = 0.5 * (double)swarm->spacing;
    double from[3], to[3], third[3], along = 0, length2 = 0, height2 = 0;
    readCorner(sheets, element, edge, from), readCorner(sheets, element, edge + 1, to);
    readCorner(sheets, element, edge + 2, third);
    for (int a = 0; a < 3; a++)
        along += (to[a] - from[a]) * (third[a] - from[a]), length2 += (to[a] - from[a]) * (to[a] - from[a]);
    along = length2 > 0 ? along / length2 : 0;
    for (int a = 0; a < 3; a++) {
        const double beside = third[a] - from[a] - along * (to[a] - from[a]);
        height2 += beside * beside;
    }
    for (int a = 0; a < 3; a++) {
        const double low = (double)swarm->room->low[a] + gap, high = (double)swarm->room->high[a] - gap,
                     away = third[a] - from[a] - along * (to[a] - from[a]);
        const bool isThere = away > 0 ? fmax(from[a], to[a]) < low : fmin(from[a], to[a]) > high;
        if (isThere && away * away > 0.25 * height2) return true;
    }
    return false;
}

// A sheet that lies on a side is like the side: nothing is behind it that a half space could stand for, and ghosts are
// there. Below that gap a particle that comes from the one to the other is hardly moved.
static double getLyingGap(const wbSheetSwarm *swarm) {
    float least = 1;
    for (int i = 0; i < swarm->count && swarm->sizes; i++) least = fminf(least, swarm->sizes[i]);
    return 0.1 * (double)(least * swarm->spacing);
}

// Bit s: on side s.
static uint8_t findLyingSides(const wbSheetSwarm *swarm, const wbSheetNode *node, double gap) {
    const double at[3] = {node->start.x, node->start.y, node->start.z};
    unsigned sides = 0;
    for (int a = 0; a < 3; a++)
        sides |= (at[a] < (double)swarm->room->low[a] + gap ? 1u : 0) << (2 * a) |
                 (at[a] > (double)swarm->room->high[a] - gap ? 2u : 0) << (2 * a);
    return (uint8_t)sides;
}

// Where a sheet leaves a side it has a rim: beyond it there is no more of it than the side's ghosts.
static void endAtLying(wbSheets *sheets, int e, const uint8_t *sides, uint8_t *areRims) {
    wbSheetElement *element = wbSheets_GetElement(sheets, e);
    for (int k = 0; k < 3; k++) {
        const int a = element->corners[k], b = element->corners[(k + 1) % 3],
                  own = element->corners[(k + 2) % 3];
        if (element->across[k] == own || !(sides[a] & sides[b] & sides[element->across[k]])) continue;
        sheets->across[k][e] = own;
        areRims[e] |= (uint8_t)(1u << k);
    }
}

static void findLying(wbSheets *sheets, const wbSheetSwarm *swarm, uint8_t *sides, uint8_t *areRims) {
    const double gap = getLyingGap(swarm);
    sheets->hasLying = false;
    for (int n = 0; n < sheets->nodeCount; n++)
        sides[n] = findLyingSides(swarm, wbSheets_GetNode(sheets, n), gap);
    for (int e = 0; e < sheets->elementCount; e++) {
        const wbSheetElement *element = wbSheets_GetElement(sheets, e);
        const int *c = element->corners;
        sheets->areLying[e] =
            !wbIsBall(element) && !element->isClosed && sides[c[0]] & sides[c[1]] & sides[c[2]];
        sheets->hasLying |= sheets->areLying[e];
        areRims[e] = element->rims & 7;
    }
    for (int e = 0; e < sheets->elementCount && sheets->hasLying; e++)
        if (!sheets->areLying[e] && !wbIsBall(wbSheets_GetElement(sheets, e)))
            endAtLying(sheets, e, sides, areRims);
}

// As the wide loops read them.
static void writeMarks(const wbSheets *sheets, const uint8_t *areRims, uint8_t *nodes) {
    memset(nodes, 0, (size_t)sheets->nodeCount);
    for (int e = 0; e < sheets->elementCount; e++)
        for (int k = 0; k < 3; k++)
            if (areRims[e] >> k & 1)
                nodes[wbSheets_GetElement(sheets, e)->corners[k]] =
                    nodes[wbSheets_GetElement(sheets, e)->corners[(k + 1) % 3]] = 1;
    for (int e = 0; e < sheets->elementCount; e++) {
        const wbSheetElement *element = wbSheets_GetElement(sheets, e);
        for (int k = 0; k < 3; k++)
            sheets->rimMarks[k][e] = (element->isClosed ? -1.0f : 1.0f) *
                                     (areRims[e] >> k & 1 ? 2 : (float)nodes[element->corners[k]]);
    }
}

bool wbSheets_MarkRims(wbSheets *sheets, const wbSheetSwarm *swarm, const wbWork *work) {
    uint8_t *nodes = wbArena_Alloc(work->arena, (size_t)sheets->nodeCount + 1),
            *areRims = wbArena_Alloc(work->arena, (size_t)sheets->elementCount + 1);
    sheets->openRims = wbArena_Alloc(work->arena, (size_t)sheets->elementCount + 1);
    sheets->areLying = wbArena_Alloc(work->arena, sizeof(bool) * ((size_t)sheets->elementCount + 1));
    if (!nodes || !areRims || !sheets->openRims || !sheets->areLying) return false;
    findLying(sheets, swarm, nodes, areRims);
    if (sheets->hasLying) writeMarks(sheets, areRims, nodes);
    memset(nodes, 0, (size_t)sheets->nodeCount + 1);
    memset(sheets->openRims, 0, (size_t)sheets->elementCount + 1);
    for (int e = 0; e < sheets->elementCount; e++) {
        const wbSheetElement *element = wbSheets_GetElement(sheets, e);
        for (int k = 0; k < 3 && !element->isClosed && !sheets->areLying[e]; k++) {
            if (!(areRims[e] >> k & 1) || isAtSide(sheets, swarm, element, k)) continue;
            sheets->openRims[e] |= (uint8_t)(1u << k);
            nodes[element->corners[k]] = nodes[element->corners[(k + 1) % 3]] = 1;
        }
    }
    for (int e = 0; e < sheets->elementCount; e++) {
        const wbSheetElement *element = wbSheets_GetElement(sheets, e);
        for (int k = 0; k < 3; k++)
            sheets->openRims[e] |= (uint8_t)((unsigned)nodes[element->corners[k]] << (3 + k));
    }
    return true;
}

void wbSheets_FindPoint(const wbSheets *sheets, const wbSheetCandidate *candidate, float point[3]) {
    const wbSheetElement *own = wbSheets_GetElement(sheets, sheets->slotElements[candidate->slot]);
    const float *places = sheets->places[sheets->moment];
    for (int a = 0; a < 3; a++) {
        point[a] = 0;
        for (int k = 0; k < 3; k++)
            point[a] += candidate->weights[k] * places[4 * (size_t)own->corners[k] + (size_t)a];
    }
}

float wbFindEdgeDistance2(const float *from, const float *to, const float point[3]) {
    float length2 = 0, along = 0, distance2 = 0;
    for (int a = 0; a < 3; a++)
        length2 += (to[a] - from[a]) * (to[a] - from[a]), along += (to[a] - from[a]) * (point[a] - from[a]);
    const float at = length2 > 0 ? fminf(fmaxf(along / length2, 0), 1) : 0;
    for (int a = 0; a < 3; a++) {
        const float beside = point[a] - from[a] - at * (to[a] - from[a]);
        distance2 += beside * beside;
    }
    return distance2;
}

// m2, from a foot to the nearest rim.
static float findRim(const wbSheets *sheets, const wbNearSheet *near, const wbSheetCandidate *candidate) {
    const float *places = sheets->places[sheets->moment];
    float point[3], least = FLT_MAX;
    if (!near->isByRim) return least;
    wbSheets_FindPoint(sheets, candidate, point);
    for (int n = near->firstSlot; n < near->firstSlot + near->slotCount; n++) {
        const int e = sheets->slotElements[n];
        const wbSheetElement *element = wbSheets_GetElement(sheets, e);
        for (int k = 0; k < 3 && sheets->openRims[e] & 7; k++)
            if (sheets->openRims[e] >> k & 1)
                least = fminf(least,
                              wbFindEdgeDistance2(places + 4 * (size_t)element->corners[k],
                                                  places + 4 * (size_t)element->corners[(k + 1) % 3], point));
    }
    return least;
}

// psi, of a place so far beside the rim and above the plane.
static float getWedge(float height, float beside2, float reach2, bool isBeyond) {
    const float angle = beside2 < reach2 ? atan2f(height, sqrtf(beside2)) * (1 - beside2 / reach2) : 0;
    return isBeyond ? angle : WB_SHEET_FLAT - angle;
}

// Far inside of the rim it is pi, above the rim half of that, far beyond it 0. Where a sheet ends at a side of the domain it goes on for half a
// spacing, and then less.
float wbSheets_FindWedge(const wbSheetPass *pass, const wbNearSheet *near,
                         const wbSheetCandidate *candidate) {
    const wbSheets *sheets = pass->sheets;
    const int e = sheets->slotElements[candidate->slot];
    const wbSheetElement *own = wbSheets_GetElement(sheets, e);
    const float size = (float)wbGetSheetSize(pass->swarm, near->particle), h = size * pass->swarm->h,
                height = fmaxf(candidate->distance, 0), reach2 = h * h - height * height;
    if (wbIsBall(own) || own->isClosed) return WB_SHEET_FLAT;
    if (!candidate->isBeyond) return getWedge(height, findRim(sheets, near, candidate), reach2, false);
    const float beside2 = fmaxf(candidate->length * candidate->length - height * height, 0),
                wedge = getWedge(height, beside2, reach2, true);
    if (sheets->openRims[e] >> candidate->part & 1) return wedge;
    const float past = 2 * sqrtf(beside2) / (size * pass->swarm->spacing) - 1,
                share = fminf(fmaxf(past, 0), 1);
    return WB_SHEET_FLAT + share * (wedge - WB_SHEET_FLAT);
}
