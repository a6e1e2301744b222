// SPDX-License-Identifier: MIT
// Elements and nodes as the wide loops read them.
#include "coupling/sheet_place.h"

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
    sheets->radii = allocate(work, elements);
    sheets->acrossShapes = wbArena_Alloc(work->arena, sizeof(float[12]) * elements);
    sheets->startNormals = wbArena_Alloc(work->arena, sizeof *sheets->startNormals * elements);
    return isAll && sheets->radii && sheets->acrossShapes && sheets->startNormals;
}

bool wbSheets_Lay(wbSheets *sheets, const wbWork *work) {
    if (!allocateAll(sheets, work)) return false;
    for (int e = 0; e < sheets->elementCount; e++) {
        const wbSheetElement *element = wbSheets_GetElement(sheets, e);
        for (int k = 0; k < 3; k++) {
            sheets->corners[k][e] = element->corners[k], sheets->across[k][e] = element->across[k];
            sheets->rimMarks[k][e] = element->rims >> k & 1 ? 2 : (float)(element->rims >> (3 + k) & 1);
        }
        sheets->radii[e] = element->radius;
    }
    return true;
}

static void placeNodes(const wbSheets *sheets, int moment) {
    float *places = sheets->places[moment];
    for (int n = 0; n < sheets->nodeCount; n++) {
        const wbSheetNode *node = wbSheets_GetNode(sheets, n);
        const wbVec3d at = moment ? node->end : node->start;
        const float place[4] = {(float)at.x, (float)at.y, (float)at.z, 0};
        memcpy(places + 4 * (size_t)n, place, sizeof place);
    }
}

void wbSheets_Shape(wbSheets *sheets, int moment, const wbWork *work) {
    wbSheetPass pass = {.sheets = sheets, .moment = moment};
    placeNodes(sheets, moment);
    wbParallelFor(work->pool, sheets->elementCount, 4 * WB_BLOCK, wbGetSheetFeelCode(work->simd)->shape,
                  &pass);
}
