// SPDX-License-Identifier: MIT
#include "space/neighbours.h"

#include <string.h>

#include "core/status.h"
#include "space/space_code.h"

void wbNeighbours_Init(wbNeighbours *neighbours) {
    *neighbours = (wbNeighbours){.begins = {.elementSize = sizeof(uint32_t)},
                                 .lengths = {.elementSize = sizeof(int)},
                                 .owners = {.elementSize = 1}};
}

static size_t foundBytes(int capacity) { return sizeof(int[WB_GROUP]) * ((size_t)capacity + WB_PADDING); }

static size_t candidateBytes(int capacity) { return sizeof(float) * ((size_t)capacity + WB_PADDING); }

static void freeCandidates(wbMemory *memory, wbListStore *store) {
    if (!store->x) return;
    size_t bytes = candidateBytes(store->candidateCapacity);
    wbFree(memory, store->x, bytes);
    wbFree(memory, store->y, bytes);
    wbFree(memory, store->z, bytes);
    wbFree(memory, store->h, bytes);
    wbFree(memory, store->id, bytes);
    wbFree(memory, store->found, foundBytes(store->candidateCapacity));
}

static void freeStore(wbMemory *memory, wbListStore *store) {
    if (store->chunkBegin) {
        wbFree(memory, store->chunkBegin, candidateBytes(store->chunkCapacity));
        wbFree(memory, store->chunkEnd, candidateBytes(store->chunkCapacity));
    }
    freeCandidates(memory, store);
    wbFree(memory, store->lists, sizeof(int[WB_GROUP]) * store->listCapacity);
}

void wbNeighbours_Free(wbMemory *memory, wbNeighbours *neighbours) {
    for (int w = 0; w < neighbours->storeCount; w++) freeStore(memory, &neighbours->stores[w]);
    wbFree(memory, neighbours->stores, sizeof(wbListStore) * (size_t)neighbours->storeCount);
    wbArray_Free(memory, &neighbours->begins);
    wbArray_Free(memory, &neighbours->lengths);
    wbArray_Free(memory, &neighbours->owners);
}

static int grownCapacity(int capacity, int needed) {
    int64_t half = capacity + (int64_t)capacity / 2;
    int64_t grown = needed > half ? needed : half;
    return grown > INT32_MAX - 64 ? needed : (int)grown;
}

bool wbListStore_GrowChunks(wbMemory *memory, wbListStore *store, int needed) {
    int capacity = grownCapacity(store->chunkCapacity, needed < 512 ? 512 : needed);
    size_t oldBytes = store->chunkBegin ? candidateBytes(store->chunkCapacity) : 0;
    int *begin = wbAlloc(memory, candidateBytes(capacity)), *end = wbAlloc(memory, candidateBytes(capacity));
    if (!begin || !end) {
        wbFree(memory, begin, candidateBytes(capacity));
        wbFree(memory, end, candidateBytes(capacity));
        return store->failed = true, false;
    }
    if (oldBytes) {
        memcpy(begin, store->chunkBegin, oldBytes), memcpy(end, store->chunkEnd, oldBytes);
        wbFree(memory, store->chunkBegin, oldBytes), wbFree(memory, store->chunkEnd, oldBytes);
    }
    store->chunkBegin = begin, store->chunkEnd = end, store->chunkCapacity = capacity;
    return true;
}

bool wbListStore_GrowCandidates(wbMemory *memory, wbListStore *store, int needed) {
    wbListStore grown = *store;
    int capacity = grown.candidateCapacity =
        grownCapacity(store->candidateCapacity, needed < 1024 ? 1024 : needed);
    size_t bytes = candidateBytes(capacity);
    grown.x = wbAlloc(memory, bytes), grown.y = wbAlloc(memory, bytes), grown.z = wbAlloc(memory, bytes);
    grown.h = wbAlloc(memory, bytes);
    grown.id = wbAlloc(memory, bytes), grown.found = wbAlloc(memory, foundBytes(capacity));
    if (!grown.x || !grown.y || !grown.z || !grown.h || !grown.id || !grown.found) {
        wbFree(memory, grown.x, bytes), wbFree(memory, grown.y, bytes), wbFree(memory, grown.z, bytes);
        wbFree(memory, grown.h, bytes);
        wbFree(memory, grown.id, bytes), wbFree(memory, grown.found, foundBytes(capacity));
        return store->failed = true, false;
    }
    if (store->x) {
        size_t oldBytes = candidateBytes(store->candidateCapacity);
        memcpy(grown.x, store->x, oldBytes), memcpy(grown.y, store->y, oldBytes);
        memcpy(grown.z, store->z, oldBytes), memcpy(grown.h, store->h, oldBytes);
        memcpy(grown.id, store->id, oldBytes);
        for (int l = 0; l < WB_GROUP; l++) // the rows of points already searched keep what they found
            memcpy(grown.found + (size_t)l * (size_t)(capacity + WB_PADDING),
                   store->found + (size_t)l * (size_t)(store->candidateCapacity + WB_PADDING), oldBytes);
    }
    freeCandidates(memory, store);
    *store = grown;
    return true;
}

bool wbListStore_GrowLists(wbMemory *memory, wbListStore *store, size_t needed) {
    enum { MANY = 4096 }; // rows: of these lists are much of a world's memory, and grow by less
    size_t capacity = store->listCapacity + store->listCapacity / (store->listCapacity < MANY ? 2 : 8);
    if (capacity < needed) capacity = needed;
    const size_t rowBytes = sizeof(int[WB_GROUP]);
    int *lists = store->lists
                     ? wbRealloc(memory, store->lists, rowBytes * store->listCapacity, rowBytes * capacity)
                     : wbAlloc(memory, rowBytes * capacity);
    if (!lists) return store->failed = true, false;
    store->lists = lists;
    store->listCapacity = capacity;
    return true;
}

static bool reserveStores(wbNeighbours *neighbours, const wbWork *work) {
    int count = wbThreadPool_GetCount(work->pool);
    if (count <= neighbours->storeCount) return true;
    wbListStore *stores = wbAllocZero(work->memory, sizeof(wbListStore) * (size_t)count);
    if (!stores) return false;
    if (neighbours->stores)
        memcpy(stores, neighbours->stores, sizeof(wbListStore) * (size_t)neighbours->storeCount);
    wbFree(work->memory, neighbours->stores, sizeof(wbListStore) * (size_t)neighbours->storeCount);
    neighbours->stores = stores;
    neighbours->storeCount = count;
    return true;
}

// Lists start with room for usual neighbourhoods: growing them block by block would hold old and new at once.
static bool reserveLists(wbNeighbours *neighbours, const wbWork *work, int count, size_t rowsPerGroup) {
    for (int w = 0; w < wbThreadPool_GetCount(work->pool); w++) {
        int begin, end;
        wbGetRange(work->pool, count, WB_BLOCK, w, &begin, &end);
        size_t rows = (size_t)(wbPadCount(end - begin) / WB_GROUP) * rowsPerGroup;
        wbListStore *store = &neighbours->stores[w];
        if (!store->lists && rows > 0 && !wbListStore_GrowLists(work->memory, store, rows)) return false;
    }
    return true;
}

static wbStatus begin(wbNeighbours *neighbours, const wbWork *work, int count, size_t rowsPerGroup) {
    if (!reserveStores(neighbours, work) || !reserveLists(neighbours, work, count, rowsPerGroup) ||
        !wbArray_Reserve(work->memory, &neighbours->begins, wbPadCount(count) / WB_GROUP) ||
        !wbArray_Reserve(work->memory, &neighbours->lengths, wbPadCount(count) / WB_GROUP) ||
        !wbArray_Reserve(work->memory, &neighbours->owners, count / WB_BLOCK + 1))
        return wbMemoryError(work->memory, "neighbour lists of %d particles need", count);
    for (int w = 0; w < neighbours->storeCount; w++) {
        neighbours->stores[w].listUsed = 0;
        neighbours->stores[w].pairs = 0;
        neighbours->stores[w].failed = false;
    }
    return wb_okStatus;
}

wbStatus wbNeighbours_Begin(wbNeighbours *neighbours, const wbWork *work, const wbPointSet *own,
                            const wbPointSet *other, int dummy, wbListTask *task) {
    int usual = neighbours->usualRows ? neighbours->usualRows : own->grid->dimensions == 2 ? 20 : 44;
    WB_TRY(begin(neighbours, work, own->points.count, (size_t)usual));
    *task = (wbListTask){.neighbours = neighbours,
                         .memory = work->memory,
                         .own = own->points,
                         .searched = {own, other},
                         .searchedCount = other ? 2 : 1,
                         .findsItself = true,
                         .radius = own->grid->radius,
                         .dummy = dummy};
    return wb_okStatus;
}

wbStatus wbNeighbours_BeginAmong(wbNeighbours *neighbours, const wbWork *work, wbPoints own,
                                 const wbPointSet *const *sets, int setCount, int dummy, wbListTask *task) {
    WB_ASSERT(setCount >= 1 && setCount <= WB_SEARCHED_SETS, "too many sets to search");
    WB_TRY(begin(neighbours, work, own.count, 4)); // most points are far from the others
    *task = (wbListTask){.neighbours = neighbours,
                         .memory = work->memory,
                         .own = own,
                         .searchedCount = setCount,
                         .radius = sets[0]->grid->radius,
                         .dummy = dummy};
    for (int s = 0; s < setCount; s++) task->searched[s] = sets[s];
    return wb_okStatus;
}

wbStatus wbNeighbours_End(wbNeighbours *neighbours, const wbWork *work) {
    neighbours->pairs = 0;
    for (int w = 0; w < neighbours->storeCount; w++) {
        if (neighbours->stores[w].failed) return wbMemoryError(work->memory, "neighbour lists need");
        neighbours->pairs += neighbours->stores[w].pairs;
    }
    return wb_okStatus;
}

wbStatus wbNeighbours_Build(wbNeighbours *neighbours, const wbWork *work, const wbPointSet *own,
                            const wbPointSet *other, int dummy) {
    wbListTask task;
    WB_TRY(wbNeighbours_Begin(neighbours, work, own, other, dummy, &task));
    wbParallelFor(work->pool, own->points.count, WB_BLOCK, wbGetSpaceCode(work->simd)->lists, &task);
    return wbNeighbours_End(neighbours, work);
}
