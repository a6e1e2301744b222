// SPDX-License-Identifier: MIT
// The sorts of the compute device: pseudo-random keys stay on the device, and every repeat sorts them anew.
#include <string.h>

#include "bench/bench_case.h"
#include "core/hash.h"
#include "core/status.h"
#include "core/timer.h"
#include "gpu/gpu_sort.h"

enum { bucketCount = 65536 };

typedef struct Sorting {
    wbMemory *memory;
    wbGpu *gpu;
    wbGpuSort *sort;
    wbGpuBuffer keys, bucketStart, order;
    uint32_t *host; // keys, then the order
    int count;
    bool isBitonic;
} Sorting;

static size_t getBytes(const Sorting *sorting) { return sizeof(uint32_t) * (size_t)sorting->count; }

static wbStatus createSorting(Sorting *sorting, int device) {
    wbGpu **gpu = &sorting->gpu;
    size_t bytes = getBytes(sorting);
    sorting->memory = wbCreateMemory(0);
    if (sorting->memory) sorting->host = wbAlloc(sorting->memory, bytes);
    if (!sorting->host) return wbError(wb_errorMemory, "no memory for %d keys", sorting->count);
    WB_TRY(wbOpenGpu(sorting->memory, device, gpu));
    WB_TRY(wbCreateGpuSort(sorting->memory, *gpu, &sorting->sort));
    WB_TRY(wbGpuBuffer_Reserve(*gpu, &sorting->keys, "keys", bytes));
    WB_TRY(wbGpuBuffer_Reserve(*gpu, &sorting->order, "order", bytes));
    WB_TRY(wbGpuBuffer_Reserve(*gpu, &sorting->bucketStart, "bucketStart",
                               sizeof(uint32_t) * (bucketCount + 1)));
    for (int i = 0; i < sorting->count; i++) sorting->host[i] = wbHash32((uint32_t)i) % bucketCount;
    return wbGpu_Upload(*gpu, &sorting->keys, sorting->host, bytes);
}

static void destroySorting(Sorting *sorting) {
    if (sorting->gpu != NULL) {
        wbGpuBuffer_Free(sorting->gpu, &sorting->keys);
        wbGpuBuffer_Free(sorting->gpu, &sorting->order);
        wbGpuBuffer_Free(sorting->gpu, &sorting->bucketStart);
        wbDestroyGpuSort(sorting->sort);
        wbCloseGpu(sorting->gpu);
    }
    wbFree(sorting->memory, sorting->host, getBytes(sorting));
    wbDestroyMemory(sorting->memory);
}

// The whole is what the host waits, with all launches; the stage is what the device itself measured.
static wbStatus repeat(Sorting *sorting, double *ms, double *deviceMs) {
    double before = 0;
    WB_TRY(wbGpu_TakeTimes(sorting->gpu, &before, 1));
    double mark = wbGetSeconds();
    WB_TRY((sorting->isBitonic ? wbGpuSort_ByBitonic : wbGpuSort_ByCounting)(
        sorting->sort, &sorting->keys, sorting->count, bucketCount, &sorting->bucketStart, &sorting->order));
    WB_TRY(wbGpu_Finish(sorting->gpu));
    *ms = wbLapMs(&mark);
    *deviceMs = 0;
    return wbGpu_TakeTimes(sorting->gpu, deviceMs, 1);
}

static wbStatus timeRepeats(Sorting *sorting, const wbBenchCase *benchCase, const wbBenchOptions *options,
                            wbBenchTimes *times) {
    double ms;
    wbBenchStage stage;
    for (int i = 0; i < benchCase->warmUp; i++) WB_TRY(repeat(sorting, &ms, &stage.ms));
    while (times->count < times->capacity && !wbIsBenchStopped(options)) {
        WB_TRY(repeat(sorting, &ms, &stage.ms));
        wbBenchTimes_Add(times, ms, &stage, 1);
    }
    return wb_okStatus;
}

static wbStatus describe(const Sorting *sorting, wbBenchResult *result) {
    size_t bytes = getBytes(sorting);
    WB_TRY(wbGpu_Download(sorting->gpu, &sorting->order, sorting->host, bytes));
    result->backend = "opencl";
    wbCopyPlain(result->device, sizeof result->device, wbGpu_GetDevice(sorting->gpu)->name);
    result->particles = sorting->count;
    result->bytes = wbGetMemoryUse(sorting->memory).peakBytes;
    result->hash = wbHashBytes(WB_HASH_START, sorting->host, bytes);
    result->stages[0].name = "device";
    return wb_okStatus;
}

wbStatus wbBenchGpuSort(const wbBenchCase *benchCase, const wbBenchOptions *options, wbBenchResult *result) {
    Sorting sorting = {.isBitonic = strstr(benchCase->name, "bitonic") != NULL};
    wbBenchTimes times = {0};
    int read = sscanf(benchCase->name, "gpu-sort-%d-", &sorting.count);
    WB_ASSERT(read == 1, "the name of the benchmark has no count");
    if (options->isBackendGiven && options->backend == wb_backendCpu)
        return wbError(wb_errorInput, "%s sorts on a compute device: take --backend opencl, or leave it out",
                       benchCase->name);
    wbStatus status = createSorting(&sorting, options->deviceIndex);
    if (wbIsOk(status)) status = wbCreateBenchTimes(benchCase->timed, &times);
    if (wbIsOk(status)) status = timeRepeats(&sorting, benchCase, options, &times);
    if (wbIsOk(status)) status = describe(&sorting, result);
    if (wbIsOk(status)) {
        wbBenchTimes_Summarise(&times, result);
        result->stopped = wbIsBenchStopped(options);
    }
    wbDestroyBenchTimes(&times);
    destroySorting(&sorting);
    return status;
}
