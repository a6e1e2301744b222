// SPDX-License-Identifier: MIT
// Sorting on the device. Results are the same as those of core/sort.h: stable, and not dependent on how the
// device schedules its work.
#pragma once

#include "gpu/gpu.h"

/// The most items and buckets.
enum { WB_GPU_SORT_LIMIT = 1 << 27 };

/// Kernels and scratch buffers.
typedef struct wbGpuSort wbGpuSort;

wbStatus wbCreateGpuSort(wbMemory *memory, wbGpu *gpu, wbGpuSort **sort);
void wbDestroyGpuSort(wbGpuSort *sort);

/// values[i] becomes values[0] + … + values[i - 1] (uint32), by Blelloch's scan within groups and over groups.
wbStatus wbGpuSort_Scan(wbGpuSort *sort, wbGpuBuffer *values, int count);

/// Counting sort: order[k] = index of the item that comes k-th by its key, bucketStart as in wbCountingSort
/// (bucketCount + 1 entries). All three are uint32 buffers of the caller, large enough.
wbStatus wbGpuSort_ByCounting(wbGpuSort *sort, const wbGpuBuffer *keys, int count, int bucketCount,
                              wbGpuBuffer *bucketStart, wbGpuBuffer *order);
/// What wbGpuSort_ByCounting gives, by a bitonic network over (key, index), for any count; slower: for comparison.
wbStatus wbGpuSort_ByBitonic(wbGpuSort *sort, const wbGpuBuffer *keys, int count, int bucketCount,
                             wbGpuBuffer *bucketStart, wbGpuBuffer *order);
