// SPDX-License-Identifier: MIT
#include "core/id_pool.h"

#include "core/status.h"

void wbIdPool_Init(wbIdPool *pool) {
    *pool = (wbIdPool){.generations.elementSize = sizeof(uint32_t), .freeList.elementSize = sizeof(int)};
}

void wbIdPool_Free(wbMemory *memory, wbIdPool *pool) {
    wbArray_Free(memory, &pool->generations);
    wbArray_Free(memory, &pool->freeList);
    pool->indexCount = pool->freeCount = 0;
}

int wbIdPool_Acquire(wbMemory *memory, wbIdPool *pool, uint32_t *generation) {
    int index = pool->indexCount;
    if (pool->freeCount > 0) {
        index = ((int *)pool->freeList.data)[--pool->freeCount];
    } else {
        // the free list always has room for all, so that a release cannot fail
        if (!wbArray_Reserve(memory, &pool->generations, index + 1)) return -1;
        if (!wbArray_Reserve(memory, &pool->freeList, index + 1)) return -1;
        pool->indexCount = index + 1;
    }
    *generation = ++((uint32_t *)pool->generations.data)[index];
    return index;
}

bool wbIdPool_Restore(wbMemory *memory, wbIdPool *pool, uint32_t generation) {
    WB_ASSERT((generation & 1) && pool->freeCount == 0, "only what is alive is restored, into a fresh pool");
    uint32_t first;
    int index = wbIdPool_Acquire(memory, pool, &first);
    if (index >= 0) ((uint32_t *)pool->generations.data)[index] = generation;
    return index >= 0;
}

void wbIdPool_Release(wbIdPool *pool, int index) {
    WB_ASSERT(index >= 0 && index < pool->indexCount, "index out of range");
    uint32_t *generation = &((uint32_t *)pool->generations.data)[index];
    WB_ASSERT(*generation & 1, "released twice");
    // an index whose generations are used up is given up: the first one would be valid again
    if (++*generation != 0) ((int *)pool->freeList.data)[pool->freeCount++] = index;
}

bool wbIdPool_IsAlive(const wbIdPool *pool, int index, uint32_t generation) {
    if (index < 0 || index >= pool->indexCount || !(generation & 1)) return false;
    return ((const uint32_t *)pool->generations.data)[index] == generation;
}
