// SPDX-License-Identifier: MIT
// The one door to the allocator. Each world has an account, so that its memory is counted and limited.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wirbel/base.h"

/// Everything is aligned to a cache line and to the widest vector.
enum { WB_ALIGNMENT = 64 };

typedef struct wbMemory wbMemory;

/// An account of its own; NULL if even that cannot be had. limit 0: none.
wbMemory *wbCreateMemory(size_t limit);
/// Everything must have been freed (asserted).
void wbDestroyMemory(wbMemory *memory);

/// NULL if the allocator fails or the account's limit would be passed. May be called from several threads at
/// once. `memory` may be NULL: uncounted, for what belongs to no world. bytes 0 gives NULL.
void *wbAlloc(wbMemory *memory, size_t bytes);
void *wbAllocZero(wbMemory *memory, size_t bytes);
/// Moves to a block of newBytes, keeps the first min(oldBytes, newBytes); on failure NULL, and the old block
/// stays.
void *wbRealloc(wbMemory *memory, void *block, size_t oldBytes, size_t newBytes);
/// bytes as in the allocation. NULL is allowed.
void wbFree(wbMemory *memory, void *block, size_t bytes);

/// Counts memory that another allocator holds for the account's world, such as a device's. False if the limit would
/// be passed; nothing is counted then, and wbMemoryError says it. `memory` may be NULL.
bool wbChargeMemory(wbMemory *memory, size_t bytes);
void wbDischargeMemory(wbMemory *memory, size_t bytes);

/// False if so many bytes more would pass the limit. For what is allocated in pieces: it is refused as a whole, and
/// wbMemoryError names the whole.
bool wbMemory_HasRoom(wbMemory *memory, size_t bytes);
/// The limit for what is allocated from now on.
void wbMemory_SetLimit(wbMemory *memory, size_t limit);

/// wb_errorMemory for the request that was refused last: how much it was, what is held, and what to do. Tells the
/// account's limit from a system without memory. The text is subject and verb: "%d particles need".
wbStatus wbMemoryError(const wbMemory *memory, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// For programs whose driver of graphics takes and gives back megabytes for each picture: from now on the C library keeps what is freed, up to so
/// many bytes, instead of returning it to the system, which would clear each page of it anew.
void wbKeepFreedMemory(size_t bytes);

typedef struct wbMemoryUse {
    size_t bytes, peakBytes, limit;
    size_t refused; ///< bytes of the request that failed last; 0: none did
    uint64_t calls; ///< of the allocator: allocations, not releases
} wbMemoryUse;
wbMemoryUse wbGetMemoryUse(const wbMemory *memory);
