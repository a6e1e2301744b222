// SPDX-License-Identifier: MIT
#include "pbd/pbf_spare_ids.h"

enum { TAKEN = -2 };

int wbFluidRuns_GetFluid(const wbFluidRuns *runs, uint32_t id) {
    int low = 0, high = runs->count;
    if (high == 0) return 0;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (runs->first[middle] <= id)
            low = middle;
        else
            high = middle;
    }
    return runs->fluid[low];
}

bool wbSpareIds_Begin(wbSpareIds *list, const wbFluidRuns *runs, uint32_t *ids, int *count, wbArena *arena) {
    int fluids = 1;
    for (int k = 0; k < runs->count; k++) fluids = runs->fluid[k] + 1 > fluids ? runs->fluid[k] + 1 : fluids;
    *list = (wbSpareIds){.runs = runs,
                         .ids = ids,
                         .count = count,
                         .last = wbArena_Alloc(arena, sizeof(int) * (size_t)fluids),
                         .before = wbArena_Alloc(arena, sizeof(int) * (size_t)(*count + 1))};
    if (!list->last || !list->before) return false;
    for (int f = 0; f < fluids; f++) list->last[f] = -1;
    for (int k = 0; k < *count; k++) {
        const int fluid = wbFluidRuns_GetFluid(runs, ids[k]);
        list->before[k] = list->last[fluid], list->last[fluid] = k;
    }
    return true;
}

bool wbSpareIds_Take(wbSpareIds *list, int fluid, uint32_t *id) {
    const int taken = list->last[fluid];
    if (taken < 0) return false;
    list->last[fluid] = list->before[taken], list->before[taken] = TAKEN;
    *id = list->ids[taken];
    return true;
}

void wbSpareIds_End(wbSpareIds *list) {
    int kept = 0;
    for (int k = 0; k < *list->count; k++)
        if (list->before[k] != TAKEN) list->ids[kept++] = list->ids[k];
    *list->count = kept;
}
