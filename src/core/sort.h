// SPDX-License-Identifier: MIT
// Stable parallel counting sort and prefix sum. Results do not depend on the number of threads.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/arena.h"
#include "core/thread.h"

/// order[k] = index of the item that comes k-th when sorted by key (equal keys keep their order);
/// bucketStart[b] … bucketStart[b + 1] - 1 are the places of key b, for b = 0 … bucketCount - 1 (so it has
/// bucketCount + 1 entries). Keys are below bucketCount. False if memory ran out.
bool wbCountingSort(wbThreadPool *pool, wbArena *arena, const uint32_t *keys, int count, int bucketCount,
                    int *bucketStart, int *order);

/// sums[i] = values[0] + … + values[i - 1]; returns the total. In place is allowed. Fixed blocks, so that it
/// can be parallel.
int64_t wbPrefixSum(wbThreadPool *pool, const int *values, int count, int *sums);
