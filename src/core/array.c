// SPDX-License-Identifier: MIT
#include "core/array.h"

#include <limits.h>
#include <string.h>

#include "core/status.h"

enum { MAX_COLUMNS = 64 };

// Half as much again, at least what is needed, whole vectors; 0 if an int cannot count it.
static int growCapacity(int capacity, int needed) {
    const int64_t most = INT_MAX / WB_PADDING * WB_PADDING - WB_PADDING;
    int64_t wanted = (int64_t)capacity + capacity / 2;
    if (wanted < needed) wanted = needed;
    wanted = (wanted + WB_PADDING - 1) / WB_PADDING * WB_PADDING;
    if (wanted > most) wanted = most;
    return wanted < needed ? 0 : (int)wanted;
}

// Bytes of an array with its padding; 0 if nothing is held or a size_t cannot count it.
static size_t getByteCount(int capacity, int elementSize) {
    size_t bytes;
    if (capacity == 0) return 0;
    return __builtin_mul_overflow((size_t)capacity + WB_PADDING, (size_t)elementSize, &bytes) ? 0 : bytes;
}

// A larger block with the old content, zero behind it; the old block stays.
static void *copyGrown(wbMemory *memory, const void *data, int capacity, int newCapacity, int elementSize) {
    size_t newBytes = getByteCount(newCapacity, elementSize);
    size_t oldBytes = (size_t)capacity * (size_t)elementSize;
    char *grown = wbAlloc(memory, newBytes);
    if (!grown) return NULL;
    if (oldBytes) memcpy(grown, data, oldBytes);
    memset(grown + oldBytes, 0, newBytes - oldBytes);
    return grown;
}

bool wbArray_Reserve(wbMemory *memory, wbArray *array, int needed) {
    WB_ASSERT(array->elementSize > 0, "an array needs the size of its elements");
    if (needed <= array->capacity) return true;
    int capacity = growCapacity(array->capacity, needed);
    void *data = copyGrown(memory, array->data, array->capacity, capacity, array->elementSize);
    if (!data) return false;
    wbFree(memory, array->data, getByteCount(array->capacity, array->elementSize));
    array->data = data;
    array->capacity = capacity;
    return true;
}

void wbArray_Free(wbMemory *memory, wbArray *array) {
    wbFree(memory, array->data, getByteCount(array->capacity, array->elementSize));
    array->data = NULL;
    array->capacity = 0;
}

void wbArray_Remove(wbArray *array, int index, int count) {
    const size_t size = (size_t)array->elementSize;
    char *place = (char *)array->data + (size_t)index * size;
    memmove(place, place + size, (size_t)(count - index - 1) * size);
}

bool wbReserveColumns(wbMemory *memory, const wbColumn *columns, int columnCount, int *capacity, int needed) {
    WB_ASSERT(columnCount <= MAX_COLUMNS, "too many columns in one structure of arrays");
    if (needed <= *capacity) return true;
    int newCapacity = growCapacity(*capacity, needed);

    size_t total = 0;
    for (int i = 0; i < columnCount; ++i) {
        size_t bytes = getByteCount(newCapacity, columns[i].elementSize);
        if (__builtin_add_overflow(total, bytes, &total)) total = SIZE_MAX;
    }
    if (!wbMemory_HasRoom(memory, total)) return false;

    // all or nothing: columns of different capacity could not be freed
    void *grown[MAX_COLUMNS];
    for (int i = 0; i < columnCount; ++i) {
        const wbColumn *column = &columns[i];
        grown[i] = copyGrown(memory, *column->data, *capacity, newCapacity, column->elementSize);
        if (grown[i]) continue;
        while (i-- > 0) wbFree(memory, grown[i], getByteCount(newCapacity, columns[i].elementSize));
        return false;
    }
    wbFreeColumns(memory, columns, columnCount, capacity);
    for (int i = 0; i < columnCount; ++i) *columns[i].data = grown[i];
    *capacity = newCapacity;
    return true;
}

void wbRemoveRange(const wbColumn *columns, int columnCount, int begin, int end, int count) {
    for (int c = 0; c < columnCount && begin < end; c++) {
        const size_t size = (size_t)columns[c].elementSize, gone = (size_t)(end - begin) * size;
        char *data = *columns[c].data;
        memmove(data + (size_t)begin * size, data + (size_t)end * size, (size_t)(count - end) * size);
        memset(data + (size_t)count * size - gone, 0, gone);
    }
}

void wbFreeColumns(wbMemory *memory, const wbColumn *columns, int columnCount, int *capacity) {
    for (int i = 0; i < columnCount; ++i) {
        wbFree(memory, *columns[i].data, getByteCount(*capacity, columns[i].elementSize));
        *columns[i].data = NULL;
    }
    *capacity = 0;
}
