// SPDX-License-Identifier: MIT
// What of sheets is near a fluid's particles.
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "coupling/sheet_place.h"

// The search: elements by the cells of a grid around all of them, each in every cell from which a particle may reach it

typedef struct Box {
    double low[3], high[3];
} Box;

typedef struct Search {
    wbSheets *sheets;
    const wbSheetSwarm *swarm;
    double reach;    // m, of a kernel, with half a spacing
    double *margins; // m, per element: how far it goes, twice
    Box *ways;       // of each element: around its way
    Box *boxes;      // where particles must begin that may come to it
    double origin[3], cell;
    int size[3];
    int *begins, *entries;
    int *counts;     // per particle
    double farthest; // m, of particles' ways
} Search;

static void getAxes(wbVec3d v, double axes[3]) { axes[0] = v.x, axes[1] = v.y, axes[2] = v.z; }

static Box boundElement(const wbSheets *sheets, int e, double *way) {
    const wbSheetElement *element = wbSheets_GetElement(sheets, e);
    Box box = {{DBL_MAX, DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX, -DBL_MAX}};
    *way = 0;
    for (int k = 0; k < 3; k++) {
        const wbSheetNode *node = wbSheets_GetNode(sheets, element->corners[k]);
        double places[2][3];
        getAxes(node->start, places[0]), getAxes(node->end, places[1]);
        *way = fmax(*way, wbGetLength3d(wbSub3d(node->end, node->start)));
        for (int t = 0; t < 2; t++)
            for (int a = 0; a < 3; a++)
                box.low[a] = fmin(box.low[a], places[t][a]), box.high[a] = fmax(box.high[a], places[t][a]);
    }
    return box;
}

static int getCell(const Search *search, int axis, double place) {
    const double cell = floor((place - search->origin[axis]) / search->cell);
    return (int)fmin(fmax(cell, 0), search->size[axis] - 1);
}

// Those near it, and those that it or they may cross.
static void widenBox(Search *search, int e) {
    const double more = search->reach + (double)wbSheets_GetElement(search->sheets, e)->radius +
                        search->margins[e] + 2 * search->farthest;
    search->boxes[e] = search->ways[e];
    for (int a = 0; a < 3; a++) search->boxes[e].low[a] -= more, search->boxes[e].high[a] += more;
}

static int countEntries(const Search *search, int e, int cells[2][3]) {
    const Box box = search->boxes[e];
    int count = 1;
    for (int a = 0; a < 3; a++) {
        cells[0][a] = getCell(search, a, box.low[a]), cells[1][a] = getCell(search, a, box.high[a]);
        count *= cells[1][a] - cells[0][a] + 1;
    }
    return count;
}

static int getIndex(const Search *search, const int cell[3]) {
    return (cell[2] * search->size[1] + cell[1]) * search->size[0] + cell[0];
}

// As many cells as there are elements, times a few, and none smaller than a kernel. Places may be as far as floats go before the step
// that finds that out.
enum { MOST_ALONG = 1024 };
static void layGrid(Search *search) {
    const int elements = search->sheets->elementCount;
    Box all = {{DBL_MAX, DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX, -DBL_MAX}};
    double volume = 1, longest = 0;
    for (int e = 0; e < elements; e++) {
        const Box box = search->boxes[e];
        for (int a = 0; a < 3; a++)
            all.low[a] = fmin(all.low[a], box.low[a]), all.high[a] = fmax(all.high[a], box.high[a]);
    }
    for (int a = 0; a < 3; a++)
        volume *= all.high[a] - all.low[a], longest = fmax(longest, all.high[a] - all.low[a]);
    search->cell = fmax(fmax(search->reach, longest / MOST_ALONG), cbrt(volume / (8.0 * elements + 512)));
    for (int a = 0; a < 3; a++) {
        search->origin[a] = all.low[a];
        search->size[a] = (int)fmin(fmax((all.high[a] - all.low[a]) / search->cell, 0), MOST_ALONG) + 1;
    }
}

static wbStatus failByMemory(const wbWork *work, const wbSheets *sheets) {
    return wbMemoryError(work->memory, "%d triangles and balls in a fluid need", sheets->elementCount);
}

static wbStatus fillGrid(Search *search, const wbWork *work) {
    const int cells = search->size[0] * search->size[1] * search->size[2];
    int corners[2][3], cell[3];
    int64_t total = 0;
    search->begins = wbArena_Alloc(work->arena, sizeof(int) * ((size_t)cells + 1));
    for (int e = 0; e < search->sheets->elementCount; e++) total += countEntries(search, e, corners);
    if (total > INT32_MAX) return failByMemory(work, search->sheets);
    search->entries = wbArena_Alloc(work->arena, sizeof(int) * ((size_t)total + 1));
    if (!search->begins || !search->entries) return failByMemory(work, search->sheets);
    memset(search->begins, 0, sizeof(int) * ((size_t)cells + 1));
    for (int isFill = 0; isFill < 2; isFill++) {
        for (int e = 0; e < search->sheets->elementCount; e++) {
            (void)countEntries(search, e, corners);
            for (cell[2] = corners[0][2]; cell[2] <= corners[1][2]; cell[2]++)
                for (cell[1] = corners[0][1]; cell[1] <= corners[1][1]; cell[1]++)
                    for (cell[0] = corners[0][0]; cell[0] <= corners[1][0]; cell[0]++) {
                        int *begin = &search->begins[getIndex(search, cell)];
                        if (isFill)
                            search->entries[(*begin)++] = e;
                        else
                            ++*begin;
                    }
        }
        // from counts to places, and back from the ends that filling left to the beginnings
        int sum = 0;
        for (int k = 0; k < cells && !isFill; k++) {
            const int own = search->begins[k];
            search->begins[k] = sum, sum += own;
        }
        if (!isFill) search->begins[cells] = sum;
    }
    for (int k = cells; k > 0; k--) search->begins[k] = search->begins[k - 1];
    search->begins[0] = 0;
    search->begins[cells] = (int)total;
    return wb_okStatus;
}

static bool isInBox(const Box *box, wbVec3d p) {
    return p.x >= box->low[0] && p.y >= box->low[1] && p.z >= box->low[2] && p.x <= box->high[0] &&
           p.y <= box->high[1] && p.z <= box->high[2];
}

// m2
static double getBoxDistance2(const Box *box, wbVec3d p) {
    const double x = fmax(fmax(box->low[0] - p.x, p.x - box->high[0]), 0),
                 y = fmax(fmax(box->low[1] - p.y, p.y - box->high[1]), 0),
                 z = fmax(fmax(box->low[2] - p.z, p.z - box->high[2]), 0);
    return x * x + y * y + z * z;
}

// A closed surface, from within or from the other side of a wall.
static bool isBehind(const Search *search, int e, wbVec3d start) {
    const wbSheetElement *element = wbSheets_GetElement(search->sheets, e);
    if (!element->isClosed) return false;
    const wbVec3d corner = wbSheets_GetNode(search->sheets, element->corners[0])->start;
    return !(wbDot3d(search->sheets->startNormals[e], wbSub3d(start, corner)) > 0);
}

// Near enough to feel it at the end, or to come to it from where it begins: corrections may be as long as ways.
static bool mayMeet(const Search *search, int e, wbVec3d start, wbVec3d end) {
    const double radius = (double)wbSheets_GetElement(search->sheets, e)->radius,
                 near = search->reach + radius;
    const Box *way = &search->ways[e];
    double w[3], distance2;
    if (!isInBox(&search->boxes[e], start) || isBehind(search, e, start)) return false;
    if (getBoxDistance2(way, end) <= near * near) {
        (void)wbSheets_FindClosest(search->sheets, e, true, end, w, &distance2);
        if (distance2 <= near * near) return true;
    }
    if (radius > 0) return false;
    const double far =
        search->margins[e] + 2 * wbGetLength3d(wbSub3d(end, start)) + 0.5 * (double)search->swarm->spacing;
    if (getBoxDistance2(way, start) > far * far) return false;
    (void)wbSheets_FindClosest(search->sheets, e, false, start, w, &distance2);
    return distance2 <= far * far;
}

static const int *getEntries(const Search *search, wbVec3d start, int *count) {
    double place[3];
    int cell[3];
    getAxes(start, place);
    *count = 0;
    for (int a = 0; a < 3; a++) {
        const double at = (place[a] - search->origin[a]) / search->cell;
        if (!(at >= 0 && at < search->size[a])) return NULL;
        cell[a] = (int)at;
    }
    const int index = getIndex(search, cell);
    *count = search->begins[index + 1] - search->begins[index];
    return search->entries + search->begins[index];
}

static void countRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const Search *search = context;
    for (int i = begin; i < end; i++) {
        const wbVec3d from = wbGetSheetRecord(search->swarm->starts, i),
                      to = wbGetSheetRecord(search->swarm->places, i);
        int count, found = 0;
        const int *entries = getEntries(search, from, &count);
        for (int k = 0; k < count; k++) found += mayMeet(search, entries[k], from, to);
        search->counts[i] = found;
    }
}

// The side of the triangle that was nearest at the start. Of closed surfaces that says nothing: all are in front of them.
static int findSide(const wbSheets *sheets, const wbNearSheet *near, wbVec3d start) {
    double least = DBL_MAX;
    int side = 0;
    for (int k = 0; k < near->slotCount; k++) {
        const wbSheetSlot *slot = sheets->slots + near->firstSlot + k;
        double w[3], distance2;
        if (slot->side == 0) continue;
        const int kind = wbSheets_FindClosest(sheets, slot->element, false, start, w, &distance2);
        if (!(distance2 < least)) continue;
        least = distance2;
        const wbSheetElement *element = wbSheets_GetElement(sheets, slot->element);
        side = wbIsOnRim(element, kind, w) || element->isClosed ? 0 : slot->side;
    }
    return side;
}

static void fillRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const Search *search = context;
    const wbSheets *sheets = search->sheets;
    for (int n = begin; n < end; n++) {
        wbNearSheet *near = &sheets->near[n];
        const wbVec3d from = wbGetSheetRecord(search->swarm->starts, near->particle),
                      to = wbGetSheetRecord(search->swarm->places, near->particle);
        int count;
        const int *entries = getEntries(search, from, &count);
        wbSheetSlot *slot = sheets->slots + near->firstSlot;
        for (int k = 0; k < count; k++) {
            wbVec3d corners[3];
            const int e = entries[k];
            if (!mayMeet(search, e, from, to)) continue;
            wbSheets_GetCorners(sheets, e, false, corners);
            const bool isBall = wbIsBall(wbSheets_GetElement(sheets, e));
            const double above = wbDot3d(sheets->startNormals[e], wbSub3d(from, corners[0]));
            *slot++ = (wbSheetSlot){.element = e, .side = isBall ? 0 : above > 0 ? 1 : -1};
        }
        near->side = findSide(sheets, near, from);
    }
}

static wbStatus listNear(Search *search, const wbWork *work) {
    wbSheets *sheets = search->sheets;
    const int count = search->swarm->count;
    int64_t slots = 0;
    for (int i = 0; i < count; i++) {
        sheets->nearOf[i] = search->counts[i] > 0 ? sheets->nearCount++ : -1;
        slots += search->counts[i];
    }
    if (slots > INT32_MAX) return failByMemory(work, sheets);
    const size_t joined = (size_t)sheets->nearCount + (size_t)sheets->nodeCount + 1;
    sheets->near = wbArena_Alloc(work->arena, sizeof *sheets->near * ((size_t)sheets->nearCount + 1));
    sheets->slots = wbArena_Alloc(work->arena, sizeof *sheets->slots * ((size_t)slots + 1));
    sheets->zone = wbArena_Alloc(work->arena, sizeof(int) * joined);
    sheets->zoneWays = wbArena_Alloc(work->arena, sizeof *sheets->zoneWays * joined);
    sheets->zoneMasses = wbArena_Alloc(work->arena, sizeof(double[2]) * joined);
    if (!sheets->near || !sheets->slots || !sheets->zone || !sheets->zoneWays || !sheets->zoneMasses)
        return failByMemory(work, sheets);
    for (int i = 0, first = 0; i < count; i++) {
        if (sheets->nearOf[i] < 0) continue;
        sheets->near[sheets->nearOf[i]] =
            (wbNearSheet){.particle = i, .firstSlot = first, .slotCount = search->counts[i], .hit = -1};
        first += search->counts[i];
    }
    return wb_okStatus;
}

static double findFarthest(const wbSheetSwarm *swarm) {
    double most2 = 0;
    for (int i = 0; i < swarm->count; i++) {
        const wbVec3d way = wbSub3d(wbGetSheetRecord(swarm->places, i), wbGetSheetRecord(swarm->starts, i));
        most2 = fmax(most2, wbDot3d(way, way));
    }
    return sqrt(most2);
}

static bool allocate(Search *search, const wbWork *work) {
    wbSheets *sheets = search->sheets;
    const size_t elements = (size_t)sheets->elementCount, particles = (size_t)search->swarm->count;
    sheets->normals = wbArena_Alloc(work->arena, sizeof *sheets->normals * elements);
    sheets->startNormals = wbArena_Alloc(work->arena, sizeof *sheets->normals * elements);
    sheets->nearOf = wbArena_Alloc(work->arena, sizeof(int) * particles);
    search->counts = wbArena_Alloc(work->arena, sizeof(int) * particles);
    search->margins = wbArena_Alloc(work->arena, sizeof(double) * elements);
    search->boxes = wbArena_Alloc(work->arena, sizeof(Box) * elements);
    search->ways = wbArena_Alloc(work->arena, sizeof(Box) * elements);
    return sheets->normals && sheets->startNormals && sheets->nearOf && search->counts && search->margins &&
           search->boxes && search->ways;
}

wbStatus wbSheets_Find(wbSheets *sheets, const wbSheetSwarm *swarm, const wbWork *work) {
    Search search = {sheets, swarm, .reach = (double)swarm->h + 0.5 * (double)swarm->spacing};
    sheets->nearCount = 0;
    if (sheets->elementCount == 0) return wb_okStatus;
    wbSheetTable_Make(&sheets->table, swarm->h / swarm->spacing);
    if (!allocate(&search, work)) return failByMemory(work, sheets);
    search.farthest = findFarthest(swarm);
    for (int e = 0; e < sheets->elementCount; e++) {
        double way;
        search.ways[e] = boundElement(sheets, e, &way);
        search.margins[e] = 2 * way;
        widenBox(&search, e);
    }
    layGrid(&search);
    WB_TRY(fillGrid(&search, work));
    wbSheets_UpdateNormals(sheets, sheets->startNormals, false, work);
    wbParallelFor(work->pool, swarm->count, WB_BLOCK, countRange, &search);
    WB_TRY(listNear(&search, work));
    wbParallelFor(work->pool, sheets->nearCount, WB_BLOCK, fillRange, &search);
    return wb_okStatus;
}
