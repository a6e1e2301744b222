// SPDX-License-Identifier: MIT
// Gives out small indices with generations: freed ones are used again with the next generation.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/array.h"

typedef struct wbIdPool {
    wbArray generations; ///< uint32_t per index; odd: alive
    wbArray freeList;    ///< int
    int indexCount, freeCount;
} wbIdPool;

void wbIdPool_Init(wbIdPool *pool);
void wbIdPool_Free(wbMemory *memory, wbIdPool *pool);
/// The index, or -1 if memory ran out.
int wbIdPool_Acquire(wbMemory *memory, wbIdPool *pool, uint32_t *generation);
/// Makes the next index alive with this odd generation: a pool as it was saved. False if memory ran out.
bool wbIdPool_Restore(wbMemory *memory, wbIdPool *pool, uint32_t generation);
void wbIdPool_Release(wbIdPool *pool, int index);
bool wbIdPool_IsAlive(const wbIdPool *pool, int index, uint32_t generation);
