// SPDX-License-Identifier: MIT
// What a step works with: passed down instead of the world, so that lower layers do not know it.
#pragma once

#include "core/arena.h"
#include "core/memory.h"
#include "core/thread.h"

typedef struct wbWork {
    wbMemory *memory;
    wbArena *arena;
    wbThreadPool *pool;
    wbSimd simd; ///< resolved, not wb_simdAuto
} wbWork;

/// Work is cut between blocks of this many particles; sums are formed per block.
enum { WB_BLOCK = 256 };
