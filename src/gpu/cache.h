// SPDX-License-Identifier: MIT
// Compiled programs on disk. Whatever is wrong with the cache (no folder, no space, a damaged or foreign file), the
// program is built anew: nothing here is an error.
#pragma once

#include "gpu/gpu_state.h"

typedef struct wbGpuCache {
    char path[1024]; ///< of the program's file; empty: no cache
    uint64_t key;    ///< stands in the file
} wbGpuCache;

/// The file that belongs to this device, its driver, the options and the source. In the folder of WIRBEL_CACHE (empty:
/// no cache), else XDG_CACHE_HOME/wirbel, else ~/.cache/wirbel.
void wbFindCache(const wbGpu *gpu, const char *source, const char *options, wbGpuCache *cache);

/// A built program, or NULL.
cl_program wbLoadCached(wbGpu *gpu, const wbGpuCache *cache, const char *options);
void wbStoreCached(wbGpu *gpu, const wbGpuCache *cache, cl_program program);
