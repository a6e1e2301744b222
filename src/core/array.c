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

// Another block with `kept` elements of the old content, zero behind them; the old block stays.
static void *copyResized(wbMemory *memory, const void *data, int kept, int newCapacity, int elementSize) {
    size_t newBytes = getByteCount(newCapacity, elementSize);
    size_t oldBytes = (size_t)kept * (size_t)elementSize;
    char *resized = wbAlloc(memory, newBytes);
    if (!resized) return NULL;
    if (oldBytes) memcpy(resized, data, oldBytes);
    memset(resized + oldBytes, 0, newBytes - oldBytes);
    return resized;
}

bool wbArray_Reserve(wbMemory *memory, wbArray *array, int needed) {
    WB_ASSERT(array->elementSize > 0, "an array needs the size of its elements");
    if (needed <= array->capacity) return true;
    int capacity = growCapacity(array->capacity, needed);
    void *data = copyResized(memory, array->data, array->capacity, capacity, array->elementSize);
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

void wbArray_Shrink(wbMemory *memory, wbArray *array, int kept) {
    const wbColumn column = {.data = &array->data, .elementSize = array->elementSize};
    wbShrinkColumns(memory, &column, 1, &array->capacity, kept);
}

void wbArray_Remove(wbArray *array, int index, int count) {
    const size_t size = (size_t)array->elementSize;
    char *place = (char *)array->data + (size_t)index * size;
    memmove(place, place + size, (size_t)(count - index - 1) * size);
}

// All columns with so much room, of which `kept` elements have their content; or none.
static bool resizeColumns(wbMemory *memory, const wbColumn *columns, int columnCount, int *capacity, int kept,
                          int newCapacity) {
    WB_ASSERT(columnCount <= MAX_COLUMNS, "too many columns in one structure of arrays");
    size_t total = 0;
    for (int i = 0; i < columnCount; ++i) {
        size_t bytes = getByteCount(newCapacity, columns[i].elementSize);
        if (__builtin_add_overflow(total, bytes, &total)) total = SIZE_MAX;
    }
    if (!wbMemory_HasRoom(memory, total)) return false;

    // all or nothing: columns of different capacity could not be freed
    void *resized[MAX_COLUMNS];
    for (int i = 0; i < columnCount; ++i) {
        const wbColumn *column = &columns[i];
        resized[i] = copyResized(memory, *column->data, kept, newCapacity, column->elementSize);
        if (resized[i]) continue;
        while (i-- > 0) wbFree(memory, resized[i], getByteCount(newCapacity, columns[i].elementSize));
        return false;
    }
    wbFreeColumns(memory, columns, columnCount, capacity);
    for (int i = 0; i < columnCount; ++i) *columns[i].data = resized[i];
    *capacity = newCapacity;
    return true;
}

bool wbReserveColumns(wbMemory *memory, const wbColumn *columns, int columnCount, int *capacity, int needed) {
    if (needed <= *capacity) return true;
    return resizeColumns(memory, columns, columnCount, capacity, *capacity, growCapacity(*capacity, needed));
}

void wbShrinkColumns(wbMemory *memory, const wbColumn *columns, int columnCount, int *capacity, int kept) {
    const int needed = growCapacity(0, kept);
    if (needed < *capacity) (void)resizeColumns(memory, columns, columnCount, capacity, needed, needed);
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
