// SPDX-License-Identifier: MIT
#include "space/spare_ids.h"

#include <stdlib.h>
#include <string.h>

#include "core/status.h"

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

void wbSpareIds_Free(wbMemory *memory, wbSpareIds *spare) { wbArray_Free(memory, &spare->spans); }

wbStatus wbSpareIds_Reserve(wbSpareIds *spare, wbMemory *memory, int spans) {
    spare->spans.elementSize = sizeof(wbIdSpan);
    if (!wbArray_Reserve(memory, &spare->spans, spans))
        return wbMemoryError(memory, "%d spans of ids of merged particles need", spans);
    return wb_okStatus;
}

static int compareIds(const void *a, const void *b) {
    const uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    return one < other ? -1 : one > other;
}

static void append(const wbFluidRuns *runs, wbIdSpan next, wbIdSpan *spans, int *count) {
    wbIdSpan *last = spans + *count - 1;
    const bool touches = *count > 0 && last->first + last->count == next.first &&
                         wbFluidRuns_GetFluid(runs, last->first) == wbFluidRuns_GetFluid(runs, next.first);
    if (touches)
        last->count += next.count;
    else
        spans[(*count)++] = next;
}

wbStatus wbSpareIds_Add(wbSpareIds *spare, const wbFluidRuns *runs, uint32_t *ids, int count,
                        const wbWork *work) {
    const wbIdSpan *old = spare->spans.data;
    const size_t scratch = wbArena_Mark(work->arena), most = (size_t)spare->spanCount + (size_t)count;
    int o = 0, k = 0, spanCount = 0;
    if (count == 0) return wb_okStatus;
    wbIdSpan *spans = wbArena_Alloc(work->arena, sizeof *spans * most);
    if (!spans) return wbMemoryError(work->memory, "ids of %d merged particles need", count);
    qsort(ids, (size_t)count, sizeof *ids, compareIds);
    while (o < spare->spanCount || k < count) {
        const bool isOld = k == count || (o < spare->spanCount && old[o].first < ids[k]);
        append(runs, isOld ? old[o] : (wbIdSpan){ids[k], 1}, spans, &spanCount);
        o += isOld, k += !isOld;
    }
    WB_TRY(wbSpareIds_Reserve(spare, work->memory, spanCount));
    memcpy(spare->spans.data, spans, sizeof *spans * (size_t)spanCount);
    spare->spanCount = spanCount, spare->count += count;
    wbArena_Release(work->arena, scratch);
    return wb_okStatus;
}

void wbSpareIds_Close(wbSpareIds *spare) {
    wbIdSpan *spans = spare->spans.data;
    int kept = 0;
    for (int k = 0; k < spare->spanCount; k++)
        if (spans[k].count > 0) spans[kept++] = spans[k];
    spare->spanCount = kept;
}

bool wbIdTaker_Begin(wbIdTaker *taker, wbSpareIds *spare, const wbFluidRuns *runs, wbArena *arena) {
    int fluids = 1;
    for (int k = 0; k < runs->count; k++) fluids = runs->fluid[k] + 1 > fluids ? runs->fluid[k] + 1 : fluids;
    *taker = (wbIdTaker){spare, runs, wbArena_Alloc(arena, sizeof(int) * (size_t)fluids)};
    for (int f = 0; f < fluids && taker->end; f++) taker->end[f] = spare->spanCount;
    return taker->end != NULL;
}

bool wbIdTaker_Take(wbIdTaker *taker, int fluid, uint32_t *id) {
    wbIdSpan *spans = taker->spare->spans.data;
    int k = taker->end[fluid] - 1;
    while (k >= 0 && (spans[k].count == 0 || wbFluidRuns_GetFluid(taker->runs, spans[k].first) != fluid)) k--;
    taker->end[fluid] = k + 1;
    if (k < 0) return false;
    *id = spans[k].first + --spans[k].count;
    taker->spare->count--;
    return true;
}

void wbIdTaker_End(wbIdTaker *taker) { wbSpareIds_Close(taker->spare); }

wbStatus wbKeptIds_Keep(wbKeptIds *kept, wbMemory *memory, const wbSpareIds *spare) {
    if (kept->isKept) return wb_okStatus;
    kept->spans.elementSize = sizeof(wbIdSpan);
    if (!wbArray_Reserve(memory, &kept->spans, spare->spanCount))
        return wbMemoryError(memory, "%d spans of ids of merged particles need", spare->spanCount);
    if (spare->spanCount > 0)
        memcpy(kept->spans.data, spare->spans.data, sizeof(wbIdSpan) * (size_t)spare->spanCount);
    kept->isKept = true;
    return wb_okStatus;
}

void wbKeptIds_Forget(wbKeptIds *kept) { kept->isKept = false; }

void wbKeptIds_Take(wbKeptIds *kept, wbSpareIds *spare) {
    const wbArray spans = spare->spans;
    if (kept->isKept) spare->spans = kept->spans, kept->spans = spans;
    kept->isKept = false;
}
