// SPDX-License-Identifier: MIT
#include "pbd/pbf_spare_ids.h"

#include <string.h>

#include "core/status.h"

#define TAKEN UINT32_MAX // no particle has it: there are fewer than ints count

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
                         .first = *count,
                         .end = wbArena_Alloc(arena, sizeof(int) * (size_t)fluids)};
    for (int f = 0; f < fluids && list->end; f++) list->end[f] = *count;
    return list->end != NULL;
}

bool wbSpareIds_Take(wbSpareIds *list, int fluid, uint32_t *id) {
    int k = list->end[fluid] - 1;
    while (k >= 0 && (list->ids[k] == TAKEN || wbFluidRuns_GetFluid(list->runs, list->ids[k]) != fluid)) k--;
    list->end[fluid] = k < 0 ? 0 : k;
    if (k < 0) return false;
    *id = list->ids[k], list->ids[k] = TAKEN;
    list->first = k < list->first ? k : list->first;
    return true;
}

void wbSpareIds_End(wbSpareIds *list) {
    int kept = list->first;
    for (int k = list->first; k < *list->count; k++)
        if (list->ids[k] != TAKEN) list->ids[kept++] = list->ids[k];
    *list->count = kept;
}

wbStatus wbKeptIds_Keep(wbKeptIds *kept, wbMemory *memory, const wbArray *ids, int count) {
    if (kept->isKept) return wb_okStatus;
    kept->ids.elementSize = sizeof(uint32_t);
    if (!wbArray_Reserve(memory, &kept->ids, count))
        return wbMemoryError(memory, "ids of %d merged particles need", count);
    if (count > 0) memcpy(kept->ids.data, ids->data, sizeof(uint32_t) * (size_t)count);
    kept->count = count, kept->isKept = true;
    return wb_okStatus;
}

void wbKeptIds_Forget(wbKeptIds *kept) { kept->isKept = false; }

void wbKeptIds_Take(wbKeptIds *kept, wbArray *ids) {
    if (kept->isKept && kept->count > 0)
        memcpy(ids->data, kept->ids.data, sizeof(uint32_t) * (size_t)kept->count);
    kept->isKept = false;
}
