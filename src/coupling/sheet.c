// SPDX-License-Identifier: MIT
// What sheets are made of.
#include "coupling/sheet.h"

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
        for (int k = 0; k < 3 && !wbIsBall(element) && !element->isEdge; k++) {
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
