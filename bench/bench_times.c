// SPDX-License-Identifier: MIT
#include <string.h>

#include "bench/bench_case.h"
#include "bench/samples.h"
#include "core/memory.h"
#include "core/status.h"

static size_t wholeBytes(const wbBenchTimes *times) { return (size_t)times->capacity * sizeof(double); }

wbStatus wbCreateBenchTimes(int capacity, wbBenchTimes *times) {
    *times = (wbBenchTimes){.capacity = capacity};
    times->whole = wbAlloc(NULL, wholeBytes(times));
    times->stages = wbAlloc(NULL, WB_MAX_PHASES * wholeBytes(times));
    if (times->whole != NULL && times->stages != NULL) return wb_okStatus;
    wbDestroyBenchTimes(times);
    return wbError(wb_errorMemory, "no memory for the times of %d steps", capacity);
}

void wbDestroyBenchTimes(wbBenchTimes *times) {
    wbFree(NULL, times->whole, wholeBytes(times));
    wbFree(NULL, times->stages, WB_MAX_PHASES * wholeBytes(times));
    *times = (wbBenchTimes){0};
}

wbStatus wbBenchTimes_Grow(wbBenchTimes *times) {
    wbBenchTimes more;
    if (times->count < times->capacity) return wb_okStatus;
    WB_TRY(wbCreateBenchTimes(2 * times->capacity, &more));
    memcpy(more.whole, times->whole, wholeBytes(times));
    for (int k = 0; k < times->stageCount; k++)
        memcpy(more.stages + k * more.capacity, times->stages + k * times->capacity, wholeBytes(times));
    more.count = times->count, more.stageCount = times->stageCount;
    wbDestroyBenchTimes(times);
    *times = more;
    return wb_okStatus;
}

void wbBenchTimes_Add(wbBenchTimes *times, double wholeMs, const wbBenchStage *stages, int stageCount) {
    WB_ASSERT(times->count < times->capacity, "more steps than announced");
    times->whole[times->count] = wholeMs;
    for (int k = 0; k < stageCount; k++) times->stages[k * times->capacity + times->count] = stages[k].ms;
    times->stageCount = stageCount;
    times->count++;
}

void wbBenchTimes_Summarise(wbBenchTimes *times, wbBenchResult *result) {
    wbSortSamples(times->whole, times->count);
    result->steps = times->count;
    result->msPerStep = wbQuantile(times->whole, times->count, 0.5);
    result->msP95 = wbQuantile(times->whole, times->count, 0.95);
    result->stageCount = times->stageCount;
    for (int k = 0; k < times->stageCount; k++) {
        double *stage = times->stages + k * times->capacity;
        wbSortSamples(stage, times->count);
        result->stages[k].ms = wbQuantile(stage, times->count, 0.5);
    }
}
