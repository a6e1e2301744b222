// SPDX-License-Identifier: MIT
// Scratch memory of one step: allocation is a pointer bump, everything is released at once. What a step
// needed beyond the block comes from extra blocks; the next wbArena_Reset makes one block of the largest size
// seen, so that a warm step never calls the allocator. Used from the stepping thread only.
#pragma once

#include <stddef.h>

#include "core/memory.h"

typedef struct wbArena wbArena;

wbArena *wbCreateArena(wbMemory *memory);
void wbDestroyArena(wbArena *arena);

/// Uninitialised, aligned to 64 bytes, with 64 bytes of room behind it; NULL if memory ran out.
void *wbArena_Alloc(wbArena *arena, size_t bytes);

/// A mark, and the release of everything allocated since.
size_t wbArena_Mark(const wbArena *arena);
void wbArena_Release(wbArena *arena, size_t mark);

/// Between steps: everything is released, the block grows to the largest size seen. False if memory ran out
/// (the arena stays usable).
int wbArena_Reset(wbArena *arena);
/// A reset after which so many bytes, with what each allocation is rounded up by (at most 2 * WB_ALIGNMENT), are there
/// without the allocator, also after a release of everything.
int wbArena_Reserve(wbArena *arena, size_t bytes);
/// What was needed so far will not be needed again: the next reset makes a block of what is needed from now on.
void wbArena_Forget(wbArena *arena);
