// SPDX-License-Identifier: MIT
// Elements and nodes as the wide loops read them.
#include "coupling/sheet_place.h"

#include <math.h>
#include <string.h>

#include "coupling/sheet_code.h"

static float *allocate(const wbWork *work, size_t floats) {
    float *values = wbArena_Alloc(work->arena, sizeof(float) * floats);
    if (values) memset(values, 0, sizeof(float) * floats);
    return values;
}

static bool allocateAll(wbSheets *sheets, const wbWork *work) {
    const size_t elements = (size_t)wbPadCount(sheets->elementCount) + WB_PADDING,
                 nodes = (size_t)sheets->nodeCount;
    bool isAll = true;
    for (int k = 0; k < 3; k++) {
        sheets->corners[k] = (int *)allocate(work, elements),
        sheets->across[k] = (int *)allocate(work, elements);
        sheets->rimMarks[k] = allocate(work, elements);
        isAll = isAll && sheets->corners[k] && sheets->across[k] && sheets->rimMarks[k];
    }
    for (int m = 0; m < 2; m++) {
        sheets->places[m] = wbArena_Alloc(work->arena, sizeof(float[4]) * nodes);
        sheets->shapes[m] = wbArena_Alloc(work->arena, sizeof(float[16]) * elements);
        isAll = isAll && sheets->places[m] && sheets->shapes[m];
    }
    sheets->found = allocate(work, 4 * nodes);
    sheets->strays = wbArena_Alloc(work->arena, sizeof(float) * (nodes / WB_BLOCK + 1));
    sheets->radii = allocate(work, elements);
    sheets->acrossShapes = wbArena_Alloc(work->arena, sizeof(float[12]) * elements);
    sheets->startNormals = wbArena_Alloc(work->arena, sizeof *sheets->startNormals * elements);
    return isAll && sheets->found && sheets->strays && sheets->radii && sheets->acrossShapes &&
           sheets->startNormals;
}

bool wbSheets_Lay(wbSheets *sheets, const wbWork *work) {
    if (!allocateAll(sheets, work)) return false;
    for (int e = 0; e < sheets->elementCount; e++) {
        const wbSheetElement *element = wbSheets_GetElement(sheets, e);
        for (int k = 0; k < 3; k++) {
            sheets->corners[k][e] = element->corners[k], sheets->across[k][e] = element->across[k];
            sheets->rimMarks[k][e] = (element->isClosed ? -1.0f : 1.0f) *
                                     (element->rims >> k & 1 ? 2 : (float)(element->rims >> (3 + k) & 1));
        }
        sheets->radii[e] = element->radius;
    }
    return true;
}

typedef struct PlaceTask {
    const wbSheets *sheets;
    int moment;
} PlaceTask;

static void placeBlock(const PlaceTask *task, int begin, int end) {
    const wbSheets *sheets = task->sheets;
    float stray2 = 0;
    for (int n = begin; n < end; n++) {
        const wbSheetNode *node = wbSheets_GetNode(sheets, n);
        const wbVec3d at = task->moment ? node->end : node->start;
        const float place[4] = {(float)at.x, (float)at.y, (float)at.z, 0};
        float *found = sheets->found + 4 * (size_t)n, away2 = 0;
        memcpy(sheets->places[task->moment] + 4 * (size_t)n, place, sizeof place);
        for (int a = 0; a < 3; a++) away2 += (place[a] - found[a]) * (place[a] - found[a]);
        if (!(away2 <= stray2)) stray2 = away2;
    }
    sheets->strays[begin / WB_BLOCK] = sqrtf(stray2);
}

static void placeRange(int begin, int end, int worker, void *context) {
    (void)worker;
    for (int block = begin; block < end; block += WB_BLOCK)
        placeBlock(context, block, block + WB_BLOCK < end ? block + WB_BLOCK : end);
}

void wbSheets_Shape(wbSheets *sheets, int moment, const wbWork *work) {
    wbSheetPass pass = {.sheets = sheets, .moment = moment};
    PlaceTask task = {sheets, moment};
    wbParallelFor(work->pool, sheets->nodeCount, 4 * WB_BLOCK, placeRange, &task);
    sheets->stray = 0;
    for (int b = 0; b * WB_BLOCK < sheets->nodeCount; b++)
        if (!(sheets->strays[b] <= sheets->stray)) sheets->stray = sheets->strays[b];
    wbParallelFor(work->pool, sheets->elementCount, 4 * WB_BLOCK, wbGetSheetFeelCode(work->simd)->shape,
                  &pass);
}

void wbSheets_KeepFound(wbSheets *sheets) {
    memcpy(sheets->found, sheets->places[1], sizeof(float[4]) * (size_t)sheets->nodeCount);
    sheets->stray = 0;
}
