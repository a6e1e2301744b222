// SPDX-License-Identifier: MIT
// Growable arrays. Capacities grow by half, are multiples of 16 elements, and 16 more elements are always
// allocated behind them, zeroed, so that whole vectors may be read past the end.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/memory.h"

enum { WB_PADDING = 16 };

/// Rounds up to a whole number of vectors of 16.
static inline int wbPadCount(int count) { return (count + WB_PADDING - 1) / WB_PADDING * WB_PADDING; }

/// One array with its capacity in elements.
typedef struct wbArray {
    void *data;
    int capacity;
    int elementSize;
} wbArray;

/// Makes room for at least `needed` elements, keeps the content, zeroes what is new. False if memory ran out
/// (nothing changed then).
bool wbArray_Reserve(wbMemory *memory, wbArray *array, int needed);
void wbArray_Free(wbMemory *memory, wbArray *array);
/// As wbShrinkColumns.
void wbArray_Shrink(wbMemory *memory, wbArray *array, int kept);
/// Removes one of `count` elements: those behind it move up.
void wbArray_Remove(wbArray *array, int index, int count);

/// Arrays of equal length that grow together: a structure of arrays. A module lists its columns once;
/// growing, hashing and saving walk the list.
typedef struct wbColumn {
    const char *name;
    void **data;     ///< where the owner keeps the pointer
    int elementSize; ///< bytes
    bool saved;      ///< read by the next step or shown by views: hashed and saved
} wbColumn;

/// All columns or none; above the account's limit none is allocated.
bool wbReserveColumns(wbMemory *memory, const wbColumn *columns, int columnCount, int *capacity, int needed);
void wbFreeColumns(wbMemory *memory, const wbColumn *columns, int columnCount, int *capacity);
/// Gives the room beyond `kept` elements back; where there is no memory to do so nothing changes.
void wbShrinkColumns(wbMemory *memory, const wbColumn *columns, int columnCount, int *capacity, int kept);
/// Removes those from `begin` to `end` - 1 of `count` elements: those behind them move up, and zeros follow.
void wbRemoveRange(const wbColumn *columns, int columnCount, int begin, int end, int count);
