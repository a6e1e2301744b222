// SPDX-License-Identifier: MIT
// What sheets are made of.
#include "coupling/sheet.h"

#include <stdlib.h>
#include <string.h>

#include "core/status.h"

void wbSheets_Init(wbSheets *sheets) {
    *sheets = (wbSheets){.nodes.elementSize = sizeof(wbSheetNode),
                         .elements.elementSize = sizeof(wbSheetElement),
                         .rings.elementSize = sizeof(int),
                         .ringBegins.elementSize = sizeof(int)};
}

void wbSheets_Free(wbMemory *memory, wbSheets *sheets) {
    wbArray_Free(memory, &sheets->nodes);
    wbArray_Free(memory, &sheets->elements);
    wbArray_Free(memory, &sheets->rings);
    wbArray_Free(memory, &sheets->ringBegins);
    wbSheets_Init(sheets);
}

wbStatus wbSheets_Reserve(wbSheets *sheets, wbMemory *memory, int nodes, int elements) {
    if (!wbArray_Reserve(memory, &sheets->nodes, nodes) ||
        !wbArray_Reserve(memory, &sheets->elements, elements) ||
        !wbArray_Reserve(memory, &sheets->rings, 6 * elements) ||
        !wbArray_Reserve(memory, &sheets->ringBegins, nodes + 1))
        return wbMemoryError(memory, "%d triangles and balls in fluids need", elements);
    sheets->nodeCount = nodes, sheets->elementCount = elements;
    return wb_okStatus;
}

// Edges

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
        for (int k = 0; k < 3 && !wbIsBall(element) && !element->isEdge; k++) {
            const int a = element->corners[k], b = element->corners[(k + 1) % 3];
            edges[count++] = (Edge){a < b ? a : b, a < b ? b : a, e, k};
        }
    }
    return count;
}

static int getThird(const wbSheets *sheets, const Edge *edge) {
    return wbSheets_GetElement(sheets, edge->element)->corners[(edge->place + 2) % 3];
}

// Of the triangles at one edge.
static void tieEdges(const wbSheets *sheets, const Edge *edges, int count, uint8_t *areRims) {
    for (int k = 0; k < count; k++)
        wbSheets_GetElement(sheets, edges[k].element)->across[edges[k].place] =
            getThird(sheets, &edges[count == 2 ? 1 - k : k]);
    if (count > 1) return;
    wbSheets_GetElement(sheets, edges->element)->rims |= 1u << edges->place;
    areRims[edges->low] = areRims[edges->high] = 1;
}

static bool isSame(const Edge *a, const Edge *b) { return a->low == b->low && a->high == b->high; }

// By counts, and the ends that filling leaves, which are the beginnings of those behind.
static void listRings(const wbSheets *sheets, const Edge *edges, int count) {
    int *begins = sheets->ringBegins.data, *rings = sheets->rings.data;
    memset(begins, 0, sizeof(int) * ((size_t)sheets->nodeCount + 1));
    for (int k = 0; k < count; k++)
        if (k == 0 || !isSame(&edges[k], &edges[k - 1])) begins[edges[k].low]++, begins[edges[k].high]++;
    for (int n = 0, sum = 0; n <= sheets->nodeCount; n++) {
        const int own = begins[n];
        begins[n] = sum, sum += own;
    }
    for (int k = 0; k < count; k++)
        if (k == 0 || !isSame(&edges[k], &edges[k - 1]))
            rings[begins[edges[k].low]++] = edges[k].high, rings[begins[edges[k].high]++] = edges[k].low;
    for (int n = sheets->nodeCount; n > 0; n--) begins[n] = begins[n - 1];
    begins[0] = 0;
}

wbStatus wbSheets_FindRims(wbSheets *sheets, const wbWork *work) {
    const size_t mark = wbArena_Mark(work->arena), most = 3 * (size_t)sheets->elementCount;
    Edge *edges = wbArena_Alloc(work->arena, sizeof *edges * (most + 1));
    uint8_t *areRims = wbArena_Alloc(work->arena, (size_t)sheets->nodeCount + 1);
    if (!edges || !areRims)
        return wbMemoryError(work->memory, "the rims of %d triangles need", sheets->elementCount);
    memset(areRims, 0, (size_t)sheets->nodeCount + 1);
    sheets->hasClosed = false;
    for (int e = 0; e < sheets->elementCount; e++) {
        wbSheetElement *element = wbSheets_GetElement(sheets, e);
        element->rims = 0;
        sheets->hasClosed |= element->isClosed;
        memcpy(element->across, element->corners, sizeof element->across);
    }
    const int count = listEdges(sheets, edges);
    if (count > 0) qsort(edges, (size_t)count, sizeof *edges, compareEdges);
    for (int k = 0, next; k < count; k = next) {
        for (next = k + 1; next < count && isSame(&edges[next], &edges[k]);) next++;
        tieEdges(sheets, edges + k, next - k, areRims);
    }
    for (int e = 0; e < sheets->elementCount; e++) {
        wbSheetElement *element = wbSheets_GetElement(sheets, e);
        for (int k = 0; k < 3; k++) element->rims |= (unsigned)areRims[element->corners[k]] << (3 + k);
    }
    listRings(sheets, edges, count);
    wbArena_Release(work->arena, mark);
    return wb_okStatus;
}
