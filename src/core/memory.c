// SPDX-License-Identifier: MIT
#include "core/memory.h"

#include <limits.h>
#ifdef __GLIBC__
#    include <malloc.h>
#endif
#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/hash.h"
#include "core/status.h"
#include "core/text.h"

struct wbMemory {
    atomic_size_t bytes, peakBytes;
    atomic_uint_least64_t calls;
    atomic_size_t
        refused; // bytes of the request that failed last, times two, plus one if the limit refused it
    size_t limit;
};

// Large blocks do not begin at the same place of a page: arrays read together at the same index would
// otherwise compete for the same few lines of the cache (measured with 12 arrays: 4.5 against 1.8 ns per
// index). The shift is below a page, so that the begin of the block is found again by rounding down.
enum { PAGE = 4096, SHIFT_STEP = 256, SMALLEST_SHIFTED = 1 << 16 };
static const size_t hugePage = (size_t)2 << 20;

static size_t getShift(const void *block) {
    return wbHash32((uint32_t)((uintptr_t)block / PAGE)) % (PAGE / SHIFT_STEP) * SHIFT_STEP;
}

static void *allocateDefault(size_t bytes, size_t alignment, void *context) {
    (void)context;
    void *block = NULL;
    if (bytes < SMALLEST_SHIFTED) return posix_memalign(&block, alignment, bytes) == 0 ? block : NULL;
    if (posix_memalign(&block, bytes < hugePage ? PAGE : hugePage, bytes + PAGE) != 0) return NULL;
#ifdef MADV_HUGEPAGE
    // huge pages spare misses of address translation; where there are none it is the same memory
    if (bytes >= hugePage) (void)madvise(block, bytes / hugePage * hugePage, MADV_HUGEPAGE);
#endif
    return (char *)block + getShift(block);
}

static void releaseDefault(void *block, size_t bytes, void *context) {
    (void)context;
    free(bytes < SMALLEST_SHIFTED ? block : (char *)block - (uintptr_t)block % PAGE);
}

static const wbAllocator defaultAllocator = {allocateDefault, releaseDefault, NULL};
static wbAllocator allocator = {allocateDefault, releaseDefault, NULL};

void wbSetAllocator(const wbAllocator *replacement) {
    WB_ASSERT(!replacement || (replacement->allocate && replacement->release),
              "an allocator needs both functions");
    allocator = replacement ? *replacement : defaultAllocator;
}

wbMemory *wbCreateMemory(size_t limit) {
    wbMemory *memory = wbAllocZero(NULL, sizeof *memory);
    if (memory) memory->limit = limit;
    return memory;
}

void wbDestroyMemory(wbMemory *memory) {
    if (!memory) return;
    WB_ASSERT(atomic_load(&memory->bytes) == 0, "memory of this account was not freed");
    wbFree(NULL, memory, sizeof *memory);
}

// Enters bytes into the account before they are allocated, so that two threads cannot pass the limit
// together.
static bool reserveBytes(wbMemory *memory, size_t bytes, size_t *total) {
    size_t limit = memory->limit ? memory->limit : SIZE_MAX;
    size_t held = atomic_load_explicit(&memory->bytes, memory_order_relaxed);
    do {
        if (held > limit || bytes > limit - held) return false;
    } while (!atomic_compare_exchange_weak(&memory->bytes, &held, held + bytes));
    *total = held + bytes;
    return true;
}

static void raisePeak(wbMemory *memory, size_t total) {
    size_t peak = atomic_load_explicit(&memory->peakBytes, memory_order_relaxed);
    while (peak < total && !atomic_compare_exchange_weak(&memory->peakBytes, &peak, total)) {
    }
}

static void *refuse(wbMemory *memory, size_t bytes, bool byLimit) {
    if (memory) atomic_store_explicit(&memory->refused, 2 * bytes + byLimit, memory_order_relaxed);
    return NULL;
}

bool wbMemory_HasRoom(wbMemory *memory, size_t bytes) {
    if (!memory) return true;
    size_t limit = memory->limit ? memory->limit : SIZE_MAX, held = atomic_load(&memory->bytes);
    if (held <= limit && bytes <= limit - held) return true;
    refuse(memory, bytes < PTRDIFF_MAX ? bytes : PTRDIFF_MAX, true);
    return false;
}

void *wbAlloc(wbMemory *memory, size_t bytes) {
    // nothing larger exists; also keeps the sums of sizes below from wrapping
    if (bytes == 0 || bytes > PTRDIFF_MAX) return refuse(memory, 0, false);
    size_t total = 0;
    if (memory && !reserveBytes(memory, bytes, &total)) return refuse(memory, bytes, true);
    void *block = allocator.allocate(bytes, WB_ALIGNMENT, allocator.context);
    if (!memory) return block;
    atomic_fetch_add_explicit(&memory->calls, 1, memory_order_relaxed);
    if (block) {
        raisePeak(memory, total);
    } else {
        atomic_fetch_sub(&memory->bytes, bytes);
        refuse(memory, bytes, false);
    }
    return block;
}

void *wbAllocZero(wbMemory *memory, size_t bytes) {
    void *block = wbAlloc(memory, bytes);
    if (block) memset(block, 0, bytes);
    return block;
}

void *wbRealloc(wbMemory *memory, void *block, size_t oldBytes, size_t newBytes) {
    WB_ASSERT(newBytes > 0, "a block cannot shrink to nothing: free it");
    void *moved = wbAlloc(memory, newBytes);
    if (!moved) return NULL;
    if (block) memcpy(moved, block, oldBytes < newBytes ? oldBytes : newBytes);
    wbFree(memory, block, oldBytes);
    return moved;
}

void wbFree(wbMemory *memory, void *block, size_t bytes) {
    if (!block) return;
    if (memory) {
        size_t held = atomic_fetch_sub(&memory->bytes, bytes);
        WB_ASSERT(held >= bytes, "more was freed than allocated");
    }
    allocator.release(block, bytes, allocator.context);
}

bool wbChargeMemory(wbMemory *memory, size_t bytes) {
    size_t total = 0;
    if (!memory) return true;
    if (!reserveBytes(memory, bytes, &total)) {
        refuse(memory, bytes, true);
        return false;
    }
    atomic_fetch_add_explicit(&memory->calls, 1, memory_order_relaxed);
    raisePeak(memory, total);
    return true;
}

void wbDischargeMemory(wbMemory *memory, size_t bytes) {
    if (!memory) return;
    size_t held = atomic_fetch_sub(&memory->bytes, bytes);
    WB_ASSERT(held >= bytes, "more was discharged than charged");
}

wbMemoryUse wbGetMemoryUse(const wbMemory *memory) {
    return (wbMemoryUse){.bytes = atomic_load(&memory->bytes),
                         .peakBytes = atomic_load(&memory->peakBytes),
                         .limit = memory->limit,
                         .refused = atomic_load(&memory->refused) / 2,
                         .calls = atomic_load(&memory->calls)};
}

void wbMemory_SetLimit(wbMemory *memory, size_t limit) { memory->limit = limit; }

// Up to two digits that are enough.
static double roundUp(double value) {
    double unit = pow(10, floor(log10(value)) - 1);
    return ceil(value / unit) * unit;
}

wbStatus wbMemoryError(const wbMemory *memory, const char *format, ...) {
    char what[80], more[32], held[32], limit[32];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    size_t refused = memory ? atomic_load(&memory->refused) : 0, bytes = refused / 2;
    if (bytes == 0) return wbError(wb_errorMemory, "%s more memory than the system gives", what);
    size_t used = atomic_load(&memory->bytes);
    wbFormatBytes((double)bytes, more, sizeof more);
    wbFormatBytes((double)used, held, sizeof held);
    wbFormatBytes((double)memory->limit, limit, sizeof limit);
    if (refused % 2 == 0)
        return wbError(
            wb_errorMemory,
            "%s %s more memory than the %s in use, which the system does not give: end other programs, use "
            "fewer particles or a larger sph.spacing or smoke.cellSize",
            what, more, held);
    return wbError(
        wb_errorMemory,
        "%s %s more memory than the %s in use, world.memoryLimit is %s: set it to %.2g or more, use fewer "
        "particles or a larger sph.spacing or smoke.cellSize",
        what, more, held, limit, roundUp((double)used + (double)bytes));
}

void wbKeepFreedMemory(size_t bytes) {
#ifdef __GLIBC__
    const int kept = bytes < INT_MAX ? (int)bytes : INT_MAX;
    mallopt(M_TRIM_THRESHOLD, kept);
    mallopt(M_MMAP_THRESHOLD, kept);
#else
    (void)bytes;
#endif
}
