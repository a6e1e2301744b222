// SPDX-License-Identifier: MIT
#include "core/arena.h"

#include <stdint.h>

#include "core/status.h"

// Positions count bytes over all blocks, as if they were one: a mark is a position, and the largest position
// is the size that one block needs.
typedef struct Block {
    struct Block *previous;
    size_t start; // position of its first byte
    size_t size, used;
} Block;

// Large requests get a block of their own size; small ones share one.
enum { BLOCK_HEADER = WB_ALIGNMENT, SMALLEST_EXTRA = 1 << 18, LARGE = SMALLEST_EXTRA / 4 };
_Static_assert(sizeof(Block) <= BLOCK_HEADER, "the header keeps the data aligned");

struct wbArena {
    wbMemory *memory;
    Block *first; // the one that is left by a reset; NULL before the first
    Block *top;
    size_t peak;
    int isForgetful; // the block that is left may be too large
};

static Block *createBlock(wbArena *arena, size_t size, size_t start) {
    Block *block = wbAlloc(arena->memory, BLOCK_HEADER + size);
    if (block) *block = (Block){.previous = arena->top, .start = start, .size = size};
    return block;
}

static void destroyBlock(wbArena *arena, Block *block) {
    if (block) wbFree(arena->memory, block, BLOCK_HEADER + block->size);
}

wbArena *wbCreateArena(wbMemory *memory) {
    wbArena *arena = wbAllocZero(memory, sizeof *arena);
    if (arena) arena->memory = memory;
    return arena;
}

void wbDestroyArena(wbArena *arena) {
    if (!arena) return;
    wbArena_Release(arena, 0);
    destroyBlock(arena, arena->first);
    wbFree(arena->memory, arena, sizeof *arena);
}

size_t wbArena_Mark(const wbArena *arena) { return arena->top ? arena->top->start + arena->top->used : 0; }

void *wbArena_Alloc(wbArena *arena, size_t bytes) {
    if (bytes > SIZE_MAX / 4) return NULL;
    size_t size = (bytes + 2 * WB_ALIGNMENT - 1) / WB_ALIGNMENT * WB_ALIGNMENT;
    Block *top = arena->top;
    if (!top || size > top->size - top->used) {
        top = createBlock(arena, size > LARGE ? size : SMALLEST_EXTRA, wbArena_Mark(arena));
        if (!top) return NULL;
        arena->top = top;
    }
    void *memory = (char *)top + BLOCK_HEADER + top->used;
    top->used += size;
    size_t position = top->start + top->used;
    if (arena->peak < position) arena->peak = position;
    return memory;
}

void wbArena_Release(wbArena *arena, size_t mark) {
    WB_ASSERT(mark <= wbArena_Mark(arena), "an arena is released in the reverse order of its marks");
    while (arena->top != arena->first && mark <= arena->top->start) {
        Block *block = arena->top;
        arena->top = block->previous;
        destroyBlock(arena, block);
    }
    if (arena->top) arena->top->used = mark - arena->top->start;
}

int wbArena_Reset(wbArena *arena) {
    wbArena_Release(arena, 0);
    if (arena->isForgetful) {
        destroyBlock(arena, arena->first);
        arena->first = arena->top = NULL, arena->isForgetful = 0;
    }
    size_t size = arena->first ? arena->first->size : 0;
    if (arena->peak <= size) return 1;

    // by an eighth, so that slowly growing needs do not reallocate at each step; there is no content to move, so a
    // larger share would save little and cost every world memory
    size_t ample = size + size / 8 / WB_ALIGNMENT * WB_ALIGNMENT;
    destroyBlock(arena, arena->first);
    arena->first = arena->top = NULL;
    Block *block = ample > arena->peak ? createBlock(arena, ample, 0) : NULL;
    if (!block) block = createBlock(arena, arena->peak, 0);
    arena->first = arena->top = block;
    return arena->first != NULL;
}

int wbArena_Reserve(wbArena *arena, size_t bytes) {
    if (arena->peak < bytes) arena->peak = bytes;
    return wbArena_Reset(arena);
}

void wbArena_Forget(wbArena *arena) { arena->peak = wbArena_Mark(arena), arena->isForgetful = 1; }
