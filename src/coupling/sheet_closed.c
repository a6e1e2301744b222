// SPDX-License-Identifier: MIT
// Triangles of closed surfaces are there for those alone that are in front of them: of a wall the face on their side.
#include <string.h>

#include "coupling/sheet.h"

static void keepRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbSheets *sheets = context;
    for (int n = begin; n < end; n++) {
        wbNearSheet *near = &sheets->near[n];
        int *elements = sheets->slotElements + near->firstSlot, kept = 0, active = 0;
        float *sides = sheets->slotSides + near->firstSlot;
        for (int k = 0; k < near->slotCount; k++) {
            const bool isClosed = wbSheets_GetElement(sheets, elements[k])->isClosed;
            if (isClosed && sides[k] < 0) {
                near->triangleCount--;
                continue;
            }
            if (isClosed) near->side = 0; // all are in front: that says nothing of walls between them
            active += k < near->activeCount;
            near->isBySharp |= wbSheets_GetElement(sheets, elements[k])->isSharp;
            elements[kept] = elements[k], sides[kept++] = sides[k];
        }
        near->slotCount = kept, near->activeCount = active;
        memset(elements + kept, 0, sizeof(int[WB_PADDING])),
            memset(sides + kept, 0, sizeof(float[WB_PADDING]));
    }
}

void wbSheets_KeepFronts(wbSheets *sheets, const wbWork *work) {
    wbParallelFor(work->pool, sheets->nearCount, 64, keepRange, sheets);
}
