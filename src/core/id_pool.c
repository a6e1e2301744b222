// SPDX-License-Identifier: MIT
#include "core/id_pool.h"

#include <string.h>

#include "core/status.h"

void wbIdPool_Init(wbIdPool *pool) {
    *pool = (wbIdPool){.slots.elementSize = sizeof(wbIdSlot), .order.elementSize = sizeof(int)};
}

void wbIdPool_Free(wbMemory *memory, wbIdPool *pool) {
    wbArray_Free(memory, &pool->slots);
    wbArray_Free(memory, &pool->order);
    pool->slotCount = pool->indexCount = 0;
}

static wbIdSlot *getSlots(const wbIdPool *pool) { return pool->slots.data; }
static int *getOrder(const wbIdPool *pool) { return pool->order.data; }
static bool isAlive(const wbIdSlot *slot) { return slot->generation & 1; }

static bool reserve(wbMemory *memory, wbIdPool *pool, int count) {
    return wbArray_Reserve(memory, &pool->slots, count) && wbArray_Reserve(memory, &pool->order, count);
}

// The first one, so that which it is follows from what is saved. Behind all slots if none is free.
static int findFree(const wbIdPool *pool) {
    if (pool->indexCount == pool->slotCount) return pool->slotCount;
    int s = 0;
    while (s < pool->slotCount && (isAlive(&getSlots(pool)[s]) || getSlots(pool)[s].generation == 0)) s++;
    return s;
}

static void append(wbIdPool *pool, int slot) {
    getSlots(pool)[slot].index = pool->indexCount;
    getOrder(pool)[pool->indexCount++] = slot;
}

bool wbIdPool_Acquire(wbMemory *memory, wbIdPool *pool) {
    int slot = findFree(pool);
    if (slot == pool->slotCount) {
        if (!reserve(memory, pool, slot + 1)) return false;
        getSlots(pool)[pool->slotCount++] = (wbIdSlot){.index = -1};
    }
    getSlots(pool)[slot].generation++;
    append(pool, slot);
    return true;
}

void wbIdPool_Release(wbIdPool *pool, int index) {
    WB_ASSERT(index >= 0 && index < pool->indexCount, "index out of range");
    int *order = getOrder(pool);
    wbIdSlot *slot = wbIdPool_GetSlot(pool, index);
    *slot = (wbIdSlot){.generation = slot->generation + 1, .index = -1};
    pool->indexCount--;
    memmove(order + index, order + index + 1, sizeof(int) * (size_t)(pool->indexCount - index));
    for (int i = index; i < pool->indexCount; i++) getSlots(pool)[order[i]].index = i;
}

int wbIdPool_Find(const wbIdPool *pool, uint32_t index1, uint32_t generation) {
    if (index1 == 0 || index1 > (uint32_t)pool->slotCount || !(generation & 1)) return -1;
    const wbIdSlot *slot = &getSlots(pool)[index1 - 1];
    return slot->generation == generation ? slot->index : -1;
}

bool wbIdPool_LoadSlots(wbMemory *memory, wbIdPool *pool, const uint32_t *generations, int count) {
    if (!reserve(memory, pool, count)) return false;
    for (int s = 0; s < count; s++) {
        wbIdSlot *slot = &getSlots(pool)[s];
        bool isSame = s < pool->slotCount && slot->generation == generations[s];
        *slot = (wbIdSlot){generations[s], -1, isSame ? slot->userData : NULL};
    }
    pool->slotCount = count, pool->indexCount = 0;
    return true;
}

bool wbIdPool_Restore(wbIdPool *pool, uint32_t index1) {
    if (index1 == 0 || index1 > (uint32_t)pool->slotCount) return false;
    const wbIdSlot *slot = &getSlots(pool)[index1 - 1];
    if (!isAlive(slot) || slot->index >= 0) return false;
    append(pool, (int)index1 - 1);
    return true;
}

bool wbIdPool_IsWhole(const wbIdPool *pool) {
    int alive = 0;
    for (int s = 0; s < pool->slotCount; s++) alive += isAlive(&getSlots(pool)[s]);
    return alive == pool->indexCount;
}

void wbIdPool_TakeUserData(wbIdPool *pool, const wbIdPool *from) {
    wbIdSlot *slots = pool->slots.data;
    const wbIdSlot *others = from->slots.data;
    for (int s = 0; s < pool->slotCount && s < from->slotCount; s++)
        if (slots[s].generation == others[s].generation) slots[s].userData = others[s].userData;
}
