// SPDX-License-Identifier: MIT
#include "gpu/gpu_sort.h"

#include <stdio.h>

#include "core/status.h"

/// Text of sort.cl, embedded by the build.
extern const char wb_clSort[];

// Groups of one item still need no more levels than this for the largest count.
enum { SCAN_VALUES = 8, MAX_LEVELS = 10, LARGEST_LOCAL = 32 * 1024 };

struct wbGpuSort {
    wbMemory *memory;
    wbGpu *gpu;
    int groupSize;
    wbGpuKernel *scanBlocks, *scanAdd;
    wbGpuKernel *countKeys, *placeItems, *orderBuckets;
    wbGpuKernel *pairKeys, *bitonicBlocks, *bitonicStride, *bitonicMerge, *unpairOrder, *findBuckets;
    wbGpuBuffer totals[MAX_LEVELS]; // of a scan's blocks, level by level
    wbGpuBuffer ranks;
    wbGpuBuffer pairs; // (key, index), padded to a power of two
};

static wbStatus getKernels(wbGpuSort *sort) {
    static const char *const texts[] = {wb_clSort};
    char options[32];
    snprintf(options, sizeof options, "-DSCAN_VALUES=%d", SCAN_VALUES);
    const wbGpuProgramDef def = {.name = "sort", .sources = texts, .sourceCount = 1, .options = options};
    const wbGpuKernelName kernels[] = {
        {"scan_blocks", &sort->scanBlocks},       {"scan_add", &sort->scanAdd},
        {"count_keys", &sort->countKeys},         {"place_items", &sort->placeItems},
        {"order_buckets", &sort->orderBuckets},   {"pair_keys", &sort->pairKeys},
        {"bitonic_blocks", &sort->bitonicBlocks}, {"bitonic_stride", &sort->bitonicStride},
        {"bitonic_merge", &sort->bitonicMerge},   {"unpair_order", &sort->unpairOrder},
        {"find_buckets", &sort->findBuckets},
    };
    return wbGpu_BuildKernels(sort->gpu, &def, kernels, (int)(sizeof kernels / sizeof kernels[0]));
}

static int minInt(int a, int b) { return a < b ? a : b; }

// One size for all kernels that use local memory, whose largest part is two pairs per item.
static int chooseGroupSize(const wbGpuSort *sort) {
    uint64_t local = wbGpu_GetDevice(sort->gpu)->localBytes;
    int size = wbGpu_GetGroupSize(sort->gpu);
    size = minInt(size, wbGpuKernel_GetMaxGroupSize(sort->scanBlocks));
    size = minInt(size, wbGpuKernel_GetMaxGroupSize(sort->bitonicBlocks));
    size = minInt(size, wbGpuKernel_GetMaxGroupSize(sort->bitonicMerge));
    while (size > 1 &&
           2 * sizeof(uint64_t) * (size_t)size > (local < LARGEST_LOCAL ? local : LARGEST_LOCAL)) {
        size /= 2;
    }
    return size;
}

wbStatus wbCreateGpuSort(wbMemory *memory, wbGpu *gpu, wbGpuSort **sort) {
    *sort = NULL;
    wbGpuSort *made = wbAllocZero(memory, sizeof *made);
    if (!made) return wbMemoryError(memory, "sorting on the device needs");
    made->memory = memory;
    made->gpu = gpu;
    wbStatus status = getKernels(made);
    if (status.code != wb_ok) {
        wbDestroyGpuSort(made);
        return status;
    }
    made->groupSize = chooseGroupSize(made);
    *sort = made;
    return wb_okStatus;
}

void wbDestroyGpuSort(wbGpuSort *sort) {
    if (!sort) return;
    for (int i = 0; i < MAX_LEVELS; ++i) wbGpuBuffer_Free(sort->gpu, &sort->totals[i]);
    wbGpuBuffer_Free(sort->gpu, &sort->ranks);
    wbGpuBuffer_Free(sort->gpu, &sort->pairs);
    wbFree(sort->memory, sort, sizeof *sort);
}

static size_t wordBytes(int count) { return sizeof(uint32_t) * (size_t)count; }

static wbStatus scanLevel(wbGpuSort *sort, const wbGpuBuffer *values, int count, int level) {
    WB_ASSERT(level < MAX_LEVELS, "too many values for groups of this size");
    wbGpuBuffer *totals = &sort->totals[level];
    int blockSize = SCAN_VALUES * sort->groupSize, blocks = (count + blockSize - 1) / blockSize;
    WB_TRY(wbGpuBuffer_Reserve(sort->gpu, totals, "totals of the scan", wordBytes(blocks)));
    WB_TRY(wbGpu_RunGroups(sort->gpu, sort->scanBlocks, blocks, sort->groupSize,
                           WB_GPU_ARGS(WB_GPU_BUFFER(*values), WB_GPU_BUFFER(*totals), WB_GPU_INT(count),
                                       WB_GPU_LOCAL(wordBytes(sort->groupSize)))));
    if (blocks <= 1) return wb_okStatus;
    WB_TRY(scanLevel(sort, totals, blocks, level + 1));
    return wbGpu_Run(sort->gpu, sort->scanAdd, count,
                     WB_GPU_ARGS(WB_GPU_BUFFER(*values), WB_GPU_BUFFER(*totals), WB_GPU_INT(count),
                                 WB_GPU_INT(blockSize)));
}

wbStatus wbGpuSort_Scan(wbGpuSort *sort, wbGpuBuffer *values, int count) {
    WB_ASSERT(count >= 0 && count <= WB_GPU_SORT_LIMIT + 1, "too many values for a scan");
    return scanLevel(sort, values, count, 0);
}

static void checkSizes(const wbGpuBuffer *keys, int count, int bucketCount, const wbGpuBuffer *bucketStart,
                       const wbGpuBuffer *order) {
    WB_ASSERT(count >= 0 && count <= WB_GPU_SORT_LIMIT, "too many items to sort");
    WB_ASSERT(bucketCount >= 0 && bucketCount <= WB_GPU_SORT_LIMIT, "too many buckets");
    WB_ASSERT(keys->bytes >= wordBytes(count) && order->bytes >= wordBytes(count) &&
                  bucketStart->bytes >= wordBytes(bucketCount + 1),
              "a buffer is too small to sort");
}

wbStatus wbGpuSort_ByCounting(wbGpuSort *sort, const wbGpuBuffer *keys, int count, int bucketCount,
                              wbGpuBuffer *bucketStart, wbGpuBuffer *order) {
    wbGpu *gpu = sort->gpu;
    checkSizes(keys, count, bucketCount, bucketStart, order);
    WB_TRY(wbGpuBuffer_Reserve(gpu, &sort->ranks, "ranks", wordBytes(count)));
    WB_TRY(wbGpu_Fill(gpu, bucketStart, 0, wordBytes(bucketCount + 1)));
    WB_TRY(wbGpu_Run(gpu, sort->countKeys, count,
                     WB_GPU_ARGS(WB_GPU_BUFFER(*keys), WB_GPU_INT(count), WB_GPU_BUFFER(*bucketStart),
                                 WB_GPU_BUFFER(sort->ranks))));
    WB_TRY(wbGpuSort_Scan(sort, bucketStart, bucketCount + 1));
    WB_TRY(wbGpu_Run(gpu, sort->placeItems, count,
                     WB_GPU_ARGS(WB_GPU_BUFFER(*keys), WB_GPU_INT(count), WB_GPU_BUFFER(*bucketStart),
                                 WB_GPU_BUFFER(sort->ranks), WB_GPU_BUFFER(*order))));
    return wbGpu_Run(
        gpu, sort->orderBuckets, count > 0 ? bucketCount : 0,
        WB_GPU_ARGS(WB_GPU_BUFFER(*bucketStart), WB_GPU_INT(bucketCount), WB_GPU_BUFFER(*order)));
}

// K. E. Batcher, Sorting Networks and Their Applications, 1968: stages of doubling size, each a row of halving
// strides. What fits into a block runs in local memory.
static wbStatus sortPairs(wbGpuSort *sort, int padded) {
    wbGpu *gpu = sort->gpu;
    wbGpuArg pairs = WB_GPU_BUFFER(sort->pairs);
    int blockSize = 2 * sort->groupSize, blocks = padded / blockSize;
    wbGpuArg part = WB_GPU_LOCAL(sizeof(uint64_t) * (size_t)blockSize);
    WB_TRY(wbGpu_RunGroups(gpu, sort->bitonicBlocks, blocks, sort->groupSize, WB_GPU_ARGS(pairs, part)));
    for (int size = 2 * blockSize; size <= padded; size *= 2) {
        for (int stride = size / 2; stride >= blockSize; stride /= 2) {
            WB_TRY(
                wbGpu_Run(gpu, sort->bitonicStride, padded / 2,
                          WB_GPU_ARGS(pairs, WB_GPU_INT(padded / 2), WB_GPU_INT(size), WB_GPU_INT(stride))));
        }
        WB_TRY(wbGpu_RunGroups(gpu, sort->bitonicMerge, blocks, sort->groupSize,
                               WB_GPU_ARGS(pairs, WB_GPU_INT(size), part)));
    }
    return wb_okStatus;
}

wbStatus wbGpuSort_ByBitonic(wbGpuSort *sort, const wbGpuBuffer *keys, int count, int bucketCount,
                             wbGpuBuffer *bucketStart, wbGpuBuffer *order) {
    wbGpu *gpu = sort->gpu;
    checkSizes(keys, count, bucketCount, bucketStart, order);
    int padded = 2 * sort->groupSize;
    while (padded < count) padded *= 2;
    WB_TRY(wbGpuBuffer_Reserve(gpu, &sort->pairs, "pairs to sort", sizeof(uint64_t) * (size_t)padded));
    WB_TRY(wbGpu_Run(gpu, sort->pairKeys, padded,
                     WB_GPU_ARGS(WB_GPU_BUFFER(*keys), WB_GPU_INT(count), WB_GPU_INT(padded),
                                 WB_GPU_BUFFER(sort->pairs))));
    WB_TRY(sortPairs(sort, padded));
    WB_TRY(wbGpu_Run(gpu, sort->unpairOrder, count,
                     WB_GPU_ARGS(WB_GPU_BUFFER(sort->pairs), WB_GPU_INT(count), WB_GPU_BUFFER(*order))));
    return wbGpu_Run(gpu, sort->findBuckets, bucketCount + 1,
                     WB_GPU_ARGS(WB_GPU_BUFFER(sort->pairs), WB_GPU_INT(count), WB_GPU_INT(bucketCount),
                                 WB_GPU_BUFFER(*bucketStart)));
}
