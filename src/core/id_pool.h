// SPDX-License-Identifier: MIT
// Ids of objects that come and go. An id names a slot and the slot's generation; the slot says where the object stands in
// an array without gaps, in the order of creation. When an object goes, those behind it move up, its slot is free for another
// with the next generation, and its id is stale.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/array.h"

typedef struct wbIdSlot {
    uint32_t generation; ///< odd: alive; 0: used up, and given up
    int index;           ///< of the object in its array; -1: none
    void *userData;
} wbIdSlot;

typedef struct wbIdPool {
    wbArray slots; ///< wbIdSlot
    wbArray order; ///< int: the slot of each object
    int slotCount;
    int indexCount; ///< objects: their indices are 0 … indexCount - 1
} wbIdPool;

void wbIdPool_Init(wbIdPool *pool);
void wbIdPool_Free(wbMemory *memory, wbIdPool *pool);

static inline wbIdSlot *wbIdPool_GetSlot(const wbIdPool *pool, int index) {
    return (wbIdSlot *)pool->slots.data + ((const int *)pool->order.data)[index];
}
/// As ids count slots: from 1.
static inline uint32_t wbIdPool_GetIndex1(const wbIdPool *pool, int index) {
    return (uint32_t)((const int *)pool->order.data)[index] + 1;
}

/// A new object behind all others, in the first slot that is free. False if memory ran out.
bool wbIdPool_Acquire(wbMemory *memory, wbIdPool *pool);
/// The object is gone, and indices behind it are one less.
void wbIdPool_Release(wbIdPool *pool, int index);
/// The index of an object; -1 if the id is null or stale.
int wbIdPool_Find(const wbIdPool *pool, uint32_t index1, uint32_t generation);

/// A pool as it was saved, but for its objects, which wbIdPool_Restore then takes in one by one. User data stays where slot and
/// generation are the same. False if memory ran out: then nothing has changed.
bool wbIdPool_LoadSlots(wbMemory *memory, wbIdPool *pool, const uint32_t *generations, int count);
/// The next object has this slot. False if none is missing there.
bool wbIdPool_Restore(wbIdPool *pool, uint32_t index1);
/// After all of them: whether every slot that is alive has its object.
bool wbIdPool_IsWhole(const wbIdPool *pool);
/// User data of objects that both have, by slot and generation.
void wbIdPool_TakeUserData(wbIdPool *pool, const wbIdPool *from);
