// SPDX-License-Identifier: MIT
// Ids that tests set aside.
#pragma once

#include "space/spare_ids.h"
#include "work_support.h"

/// Behind those that there are.
static inline void addSpan(wbSpareIds *spare, wbMemory *memory, uint32_t first, int count) {
    if (count == 0) return;
    assertOk(wbSpareIds_Reserve(spare, memory, spare->spanCount + 1));
    wbSpareIds_GetSpans(spare)[spare->spanCount++] = (wbIdSpan){first, (uint32_t)count};
    spare->count += count;
}

/// All of them, one by one; how many.
static inline int listSpareIds(const wbSpareIds *spare, uint32_t *ids) {
    int count = 0;
    for (int k = 0; k < spare->spanCount; k++)
        for (uint32_t n = 0; n < wbSpareIds_GetSpans(spare)[k].count; n++)
            ids[count++] = wbSpareIds_GetSpans(spare)[k].first + n;
    return count;
}
