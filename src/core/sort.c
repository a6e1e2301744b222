// SPDX-License-Identifier: MIT
#include "core/sort.h"

#include <string.h>

#include "core/status.h"

// Parts below this size are not worth a thread.
enum { SMALLEST_PART = 4096 };

static int countParts(const wbThreadPool *pool, int64_t work) {
    int threads = wbThreadPool_GetCount(pool);
    int64_t parts = 1 + work / SMALLEST_PART;
    return parts < threads ? (int)parts : threads;
}

static int getPartStart(int count, int parts, int part) { return (int)((int64_t)count * part / parts); }

// Items are cut into parts, and so are the buckets. Each part of the items has a histogram of its own, which
// becomes the places at which that part writes its items: earlier parts first, so equal keys keep their
// order.
typedef struct Sort {
    const uint32_t *keys;
    int count, bucketCount, parts;
    int *histograms;
    size_t stride; // ints from one histogram to the next
    int64_t sums[WB_MAX_THREADS];
    int *bucketStart, *order;
} Sort;

static void countKeys(int begin, int end, int worker, void *context) {
    (void)worker;
    const Sort *sort = context;
    for (int part = begin; part < end; ++part) {
        int *histogram = sort->histograms + (size_t)part * sort->stride;
        memset(histogram, 0, (size_t)sort->bucketCount * sizeof(int));
        int last = getPartStart(sort->count, sort->parts, part + 1);
        for (int i = getPartStart(sort->count, sort->parts, part); i < last; ++i) {
            WB_ASSERT_HOT(sort->keys[i] < (uint32_t)sort->bucketCount, "a key beyond the last bucket");
            ++histogram[sort->keys[i]];
        }
    }
}

static void sumBuckets(int begin, int end, int worker, void *context) {
    (void)worker;
    Sort *sort = context;
    for (int part = begin; part < end; ++part) {
        int first = getPartStart(sort->bucketCount, sort->parts, part);
        int last = getPartStart(sort->bucketCount, sort->parts, part + 1);
        int sum = 0;
        for (int h = 0; h < sort->parts; ++h) {
            const int *histogram = sort->histograms + (size_t)h * sort->stride;
            for (int b = first; b < last; ++b) sum += histogram[b];
        }
        sort->sums[part] = sum;
    }
}

static void placeBuckets(int begin, int end, int worker, void *context) {
    (void)worker;
    const Sort *sort = context;
    for (int part = begin; part < end; ++part) {
        int place = 0;
        for (int p = 0; p < part; ++p) place += (int)sort->sums[p];
        int last = getPartStart(sort->bucketCount, sort->parts, part + 1);
        for (int b = getPartStart(sort->bucketCount, sort->parts, part); b < last; ++b) {
            sort->bucketStart[b] = place;
            int *entry = sort->histograms + b;
            for (int h = 0; h < sort->parts; ++h, entry += sort->stride) {
                int items = *entry;
                *entry = place;
                place += items;
            }
        }
    }
}

static void placeItems(int begin, int end, int worker, void *context) {
    (void)worker;
    const Sort *sort = context;
    for (int part = begin; part < end; ++part) {
        int *places = sort->histograms + (size_t)part * sort->stride;
        int last = getPartStart(sort->count, sort->parts, part + 1);
        for (int i = getPartStart(sort->count, sort->parts, part); i < last; ++i) {
            sort->order[places[sort->keys[i]]++] = i;
        }
    }
}

bool wbCountingSort(wbThreadPool *pool, wbArena *arena, const uint32_t *keys, int count, int bucketCount,
                    int *bucketStart, int *order) {
    WB_ASSERT(count >= 0 && bucketCount >= 0, "counts are not negative");
    Sort sort = {.keys = keys,
                 .count = count,
                 .bucketCount = bucketCount,
                 .parts = countParts(pool, count),
                 .bucketStart = bucketStart,
                 .order = order};
    sort.stride = (size_t)bucketCount + 16; // no cache line in common
    size_t mark = wbArena_Mark(arena);
    sort.histograms = wbArena_Alloc(arena, (size_t)sort.parts * sort.stride * sizeof(int));
    if (!sort.histograms) return false;
    wbParallelFor(pool, sort.parts, 1, countKeys, &sort);
    wbParallelFor(pool, sort.parts, 1, sumBuckets, &sort);
    wbParallelFor(pool, sort.parts, 1, placeBuckets, &sort);
    wbParallelFor(pool, sort.parts, 1, placeItems, &sort);
    bucketStart[bucketCount] = count;
    wbArena_Release(arena, mark);
    return true;
}

typedef struct Prefix {
    const int *values;
    int *sums;
    int count, parts;
    int64_t partSums[WB_MAX_THREADS];
} Prefix;

static void sumParts(int begin, int end, int worker, void *context) {
    (void)worker;
    Prefix *prefix = context;
    for (int part = begin; part < end; ++part) {
        int last = getPartStart(prefix->count, prefix->parts, part + 1);
        int64_t sum = 0;
        for (int i = getPartStart(prefix->count, prefix->parts, part); i < last; ++i)
            sum += prefix->values[i];
        prefix->partSums[part] = sum;
    }
}

static void addParts(int begin, int end, int worker, void *context) {
    (void)worker;
    const Prefix *prefix = context;
    for (int part = begin; part < end; ++part) {
        int64_t sum = 0;
        for (int p = 0; p < part; ++p) sum += prefix->partSums[p];
        int last = getPartStart(prefix->count, prefix->parts, part + 1);
        for (int i = getPartStart(prefix->count, prefix->parts, part); i < last; ++i) {
            int value = prefix->values[i]; // sums may be the same array
            prefix->sums[i] = (int)sum;
            sum += value;
        }
    }
}

int64_t wbPrefixSum(wbThreadPool *pool, const int *values, int count, int *sums) {
    Prefix prefix = {.values = values, .sums = sums, .count = count, .parts = countParts(pool, count)};
    wbParallelFor(pool, prefix.parts, 1, sumParts, &prefix);
    wbParallelFor(pool, prefix.parts, 1, addParts, &prefix);
    int64_t total = 0;
    for (int p = 0; p < prefix.parts; ++p) total += prefix.partSums[p];
    return total;
}
