// SPDX-License-Identifier: MIT
// What of sheets is near a fluid's particles, and what these feel of it.
#include "coupling/sheet.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/status.h"

void wbSheets_Init(wbSheets *sheets) {
    *sheets =
        (wbSheets){.nodes.elementSize = sizeof(wbSheetNode), .elements.elementSize = sizeof(wbSheetElement)};
}

void wbSheets_Free(wbMemory *memory, wbSheets *sheets) {
    wbArray_Free(memory, &sheets->nodes);
    wbArray_Free(memory, &sheets->elements);
    wbSheets_Init(sheets);
}

wbStatus wbSheets_Reserve(wbSheets *sheets, wbMemory *memory, int nodes, int elements) {
    if (!wbArray_Reserve(memory, &sheets->nodes, nodes) ||
        !wbArray_Reserve(memory, &sheets->elements, elements))
        return wbMemoryError(memory, "%d triangles and balls in fluids need", elements);
    sheets->nodeCount = nodes, sheets->elementCount = elements;
    return wb_okStatus;
}

// Rims

typedef struct Edge {
    int low, high, element, place;
} Edge;

static int compareEdges(const void *first, const void *second) {
    const Edge *a = first, *b = second;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return a->element != b->element ? (a->element < b->element ? -1 : 1) : a->place - b->place;
}

static int listEdges(const wbSheets *sheets, Edge *edges) {
    int count = 0;
    for (int e = 0; e < sheets->elementCount; e++) {
        const wbSheetElement *element = wbSheets_GetElement(sheets, e);
        for (int k = 0; k < 3 && !wbIsBall(element); k++) {
            const int a = element->corners[k], b = element->corners[(k + 1) % 3];
            edges[count++] = (Edge){a < b ? a : b, a < b ? b : a, e, k};
        }
    }
    return count;
}

wbStatus wbSheets_FindRims(wbSheets *sheets, const wbWork *work) {
    const size_t mark = wbArena_Mark(work->arena), most = 3 * (size_t)sheets->elementCount;
    Edge *edges = wbArena_Alloc(work->arena, sizeof *edges * (most + 1));
    uint8_t *areRims = wbArena_Alloc(work->arena, (size_t)sheets->nodeCount + 1);
    if (!edges || !areRims)
        return wbMemoryError(work->memory, "the rims of %d triangles need", sheets->elementCount);
    memset(areRims, 0, (size_t)sheets->nodeCount + 1);
    for (int e = 0; e < sheets->elementCount; e++) wbSheets_GetElement(sheets, e)->rims = 0;
    const int count = listEdges(sheets, edges);
    if (count > 0) qsort(edges, (size_t)count, sizeof *edges, compareEdges);
    for (int k = 0, next; k < count; k = next) {
        for (next = k + 1;
             next < count && edges[next].low == edges[k].low && edges[next].high == edges[k].high;)
            next++;
        if (next > k + 1) continue;
        wbSheets_GetElement(sheets, edges[k].element)->rims |= 1u << edges[k].place;
        areRims[edges[k].low] = areRims[edges[k].high] = 1;
    }
    for (int e = 0; e < sheets->elementCount; e++) {
        wbSheetElement *element = wbSheets_GetElement(sheets, e);
        for (int k = 0; k < 3; k++) element->rims |= (unsigned)areRims[element->corners[k]] << (3 + k);
    }
    wbArena_Release(work->arena, mark);
    return wb_okStatus;
}

// Whether a closest point is on a rim.
static bool isOnRim(const wbSheetElement *element, int kind, const double w[3]) {
    for (int k = 0; k < 3; k++) {
        if (kind == 1 && w[k] > 0) return element->rims >> (3 + k) & 1;
        if (kind == 2 && w[k] == 0) return element->rims >> ((k + 1) % 3) & 1;
    }
    return false;
}

// Places

static wbVec3d getRecord(const float *records, int i) {
    const float *r = records + 4 * (size_t)i;
    return (wbVec3d){r[0], r[1], r[2]};
}

static void getCorners(const wbSheets *sheets, int element, bool isEnd, wbVec3d corners[3]) {
    const wbSheetElement *e = wbSheets_GetElement(sheets, element);
    for (int k = 0; k < 3; k++) {
        const wbSheetNode *node = wbSheets_GetNode(sheets, e->corners[k]);
        corners[k] = isEnd ? node->end : node->start;
    }
}

static wbVec3d combine(const wbVec3d corners[3], const double w[3]) {
    wbVec3d sum = {0, 0, 0};
    for (int k = 0; k < 3; k++) sum = wbAddScaled3d(sum, w[k], corners[k]);
    return sum;
}

static wbVec3d findNormal(const wbVec3d c[3]) {
    const wbVec3d n = wbCross3d(wbSub3d(c[1], c[0]), wbSub3d(c[2], c[0]));
    const double length = sqrt(wbDot3d(n, n));
    return length > 0 ? (wbVec3d){n.x / length, n.y / length, n.z / length} : (wbVec3d){0, 0, 0};
}

static double getLength(wbVec3d v) { return sqrt(wbDot3d(v, v)); }

static int findClosest(const wbSheets *sheets, int element, bool isEnd, wbVec3d point, double w[3],
                       double *distance2) {
    wbVec3d corners[3];
    int kind = 1;
    getCorners(sheets, element, isEnd, corners);
    w[0] = 1, w[1] = w[2] = 0;
    if (!wbIsBall(wbSheets_GetElement(sheets, element))) kind = wbFindClosestOnTriangle(corners, point, w);
    const wbVec3d away = wbSub3d(point, combine(corners, w));
    *distance2 = wbDot3d(away, away);
    return kind;
}

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
        *way = fmax(*way, getLength(wbSub3d(node->end, node->start)));
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

// Near enough to feel it at the end, or to come to it from where it begins: corrections may be as long as ways.
static bool mayMeet(const Search *search, int e, wbVec3d start, wbVec3d end) {
    const double radius = (double)wbSheets_GetElement(search->sheets, e)->radius,
                 near = search->reach + radius;
    const Box *way = &search->ways[e];
    double w[3], distance2;
    if (!isInBox(&search->boxes[e], start)) return false;
    if (getBoxDistance2(way, end) <= near * near) {
        (void)findClosest(search->sheets, e, true, end, w, &distance2);
        if (distance2 <= near * near) return true;
    }
    if (radius > 0) return false;
    const double far =
        search->margins[e] + 2 * getLength(wbSub3d(end, start)) + 0.5 * (double)search->swarm->spacing;
    if (getBoxDistance2(way, start) > far * far) return false;
    (void)findClosest(search->sheets, e, false, start, w, &distance2);
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
        const wbVec3d from = getRecord(search->swarm->starts, i), to = getRecord(search->swarm->places, i);
        int count, found = 0;
        const int *entries = getEntries(search, from, &count);
        for (int k = 0; k < count; k++) found += mayMeet(search, entries[k], from, to);
        search->counts[i] = found;
    }
}

// The side of the triangle that was nearest at the start.
static int findSide(const wbSheets *sheets, const wbNearSheet *near, wbVec3d start) {
    double least = DBL_MAX;
    int side = 0;
    for (int k = 0; k < near->slotCount; k++) {
        const wbSheetSlot *slot = sheets->slots + near->firstSlot + k;
        double w[3], distance2;
        if (slot->side == 0) continue;
        const int kind = findClosest(sheets, slot->element, false, start, w, &distance2);
        if (!(distance2 < least)) continue;
        least = distance2;
        side = isOnRim(wbSheets_GetElement(sheets, slot->element), kind, w) ? 0 : slot->side;
    }
    return side;
}

static void fillRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const Search *search = context;
    const wbSheets *sheets = search->sheets;
    for (int n = begin; n < end; n++) {
        wbNearSheet *near = &sheets->near[n];
        const wbVec3d from = getRecord(search->swarm->starts, near->particle),
                      to = getRecord(search->swarm->places, near->particle);
        int count;
        const int *entries = getEntries(search, from, &count);
        wbSheetSlot *slot = sheets->slots + near->firstSlot;
        for (int k = 0; k < count; k++) {
            wbVec3d corners[3];
            const int e = entries[k];
            if (!mayMeet(search, e, from, to)) continue;
            getCorners(sheets, e, false, corners);
            const bool isBall = wbIsBall(wbSheets_GetElement(sheets, e));
            const double above = wbDot3d(sheets->startNormals[e], wbSub3d(from, corners[0]));
            *slot++ = (wbSheetSlot){.element = e, .side = isBall ? 0 : above > 0 ? 1 : -1};
        }
        near->side = findSide(sheets, near, from);
    }
}

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
        getCorners(task->sheets, e, task->isEnd, corners);
        task->normals[e] = findNormal(corners);
    }
}

static void updateNormals(const wbSheets *sheets, wbVec3d *normals, bool isEnd, const wbWork *work) {
    NormalTask task = {sheets, normals, isEnd};
    wbParallelFor(work->pool, sheets->elementCount, WB_BLOCK, findNormals, &task);
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
        const wbVec3d way = wbSub3d(getRecord(swarm->places, i), getRecord(swarm->starts, i));
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
    updateNormals(sheets, sheets->startNormals, false, work);
    wbParallelFor(work->pool, swarm->count, WB_BLOCK, countRange, &search);
    WB_TRY(listNear(&search, work));
    wbParallelFor(work->pool, sheets->nearCount, WB_BLOCK, fillRange, &search);
    return wb_okStatus;
}

// Pairs behind a sheet

// Whether a way of no time goes through a triangle where it began.
static bool crosses(const wbSheets *sheets, int element, wbVec3d a, wbVec3d b) {
    wbVec3d corners[3];
    double w[3];
    getCorners(sheets, element, false, corners);
    const wbVec3d n = sheets->startNormals[element];
    const double from = wbDot3d(n, wbSub3d(a, corners[0])), to = wbDot3d(n, wbSub3d(b, corners[0]));
    if ((from > 0) == (to > 0)) return false;
    const wbVec3d at = wbAddScaled3d(a, from / (from - to), wbSub3d(b, a));
    (void)wbFindClosestOnTriangle(corners, at, w);
    const wbVec3d beside = wbSub3d(at, combine(corners, w)), way = wbSub3d(b, a);
    return wbDot3d(beside, beside) <= 1e-12 * wbDot3d(way, way);
}

static bool isBetween(const wbSheets *sheets, const wbNearSheet *near, wbVec3d a, wbVec3d b) {
    for (int k = 0; k < near->slotCount; k++) {
        const wbSheetSlot *slot = sheets->slots + near->firstSlot + k;
        if (slot->side != 0 && crosses(sheets, slot->element, a, b)) return true;
    }
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
    if (one->side == other->side && one->side != 0) return false;
    const wbVec3d own = getRecord(task->swarm->starts, i), there = getRecord(task->swarm->starts, entry);
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
    wbParallelFor(work->pool, sheets->nearCount, WB_BLOCK, cutRange, &task);
}

// Feet

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
    getCorners(sheets, slot->element, true, corners);
    const wbVec3d away = wbSub3d(place, combine(corners, slot->weights)), n = sheets->normals[slot->element];
    const double length = sqrt(slot->distance2);
    const wbVec3d facing = {slot->side * n.x, slot->side * n.y, slot->side * n.z};
    if (slot->side == 0) { // a ball
        if (!(length > 1e-6 * spacing)) return;
        slot->normal = (wbVec3d){away.x / length, away.y / length, away.z / length};
        slot->distance = length - (double)element->radius;
    } else if (slot->kind == 3) {
        slot->normal = facing, slot->distance = wbDot3d(away, facing);
    } else {
        if (isOnRim(element, slot->kind, slot->weights) || isHidden(sheets, near, slot)) return;
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

// A plane that is farther away than a kernel reaches has no foot.
static bool isBeyond(const FeetTask *task, wbSheetSlot *slot, wbVec3d place) {
    const wbSheets *sheets = task->sheets;
    const double h = (double)task->swarm->h;
    wbVec3d corners[3];
    if (slot->side == 0) return false;
    getCorners(sheets, slot->element, true, corners);
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
        const wbVec3d place = getRecord(task->swarm->places, near->particle);
        for (int k = 0; k < near->slotCount; k++) {
            wbSheetSlot *slot = sheets->slots + near->firstSlot + k;
            if (isBeyond(task, slot, place)) continue;
            slot->kind = findClosest(sheets, slot->element, true, place, slot->weights, &slot->distance2);
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
    updateNormals(sheets, sheets->normals, true, work);
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
