// SPDX-License-Identifier: MIT
// Threads: a pool and one primitive, a parallel for over static contiguous ranges.
//
//     items      |  block 0  |  block 1  |  block 2  |  block 3  |  block 4  |
//     worker 0   |- - - - - - - - - - - -|
//     worker 1                           |- - - - - - - - - - - - - - - - - -|
//
// Ranges are whole blocks: what is summed per block does not depend on who did it. A range whose worker has not come yet
// when the caller is done with its own is run by the caller: a core that is busy with something else costs no more than
// its share.
#pragma once

#include "core/memory.h"
#include "wirbel/types.h"

enum { WB_MAX_THREADS = 256 };

typedef struct wbThreadPool wbThreadPool;

/// threadCount includes the calling thread. A host's scheduler (may be NULL) takes the place of own threads.
/// NULL if memory or threads ran out.
wbThreadPool *wbCreateThreadPool(wbMemory *memory, int threadCount, wbParallelFn *host, void *hostContext);
void wbDestroyThreadPool(wbThreadPool *pool);
int wbThreadPool_GetCount(const wbThreadPool *pool);

/// Work on items begin … end - 1. `worker` counts the ranges of this call from 0, below
/// wbThreadPool_GetCount; no two run at once with the same.
typedef void wbRangeFn(int begin, int end, int worker, void *context);

/// Cuts 0 … count - 1 into one contiguous range per thread at multiples of `block`, runs them and returns
/// when all have ended. Fewer ranges than threads are used when there are fewer blocks. Denormals are flushed
/// to zero inside.
void wbParallelFor(wbThreadPool *pool, int count, int block, wbRangeFn *range, void *context);

/// wbParallelFor for work that does not ask which range it is in: ranges are cut into pieces, and who is done helps
/// the others. `worker` is the thread, which may get many pieces, in any order.
void wbParallelShare(wbThreadPool *pool, int count, int block, wbRangeFn *range, void *context);

/// Work on one range of one phase.
typedef void wbPhaseFn(int phase, int range, int ranges, void *context);

/// Runs phases 0 … phaseCount - 1, each cut into the same number of ranges, at most `mostRanges`; none begins before all ranges of
/// the one before have ended. Cheaper than as many calls of wbParallelFor: threads meet between phases without being called. A
/// range whose thread is late is run by another, so that phases never wait for a thread that has not come.
void wbParallelPhases(wbThreadPool *pool, int phaseCount, int mostRanges, wbPhaseFn *phase, void *context);

/// The range that `worker` gets in wbParallelFor(count, block): for data laid out by worker.
void wbGetRange(const wbThreadPool *pool, int count, int block, int worker, int *begin, int *end);

int wbGetCoreCount(void);
