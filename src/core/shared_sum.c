// SPDX-License-Identifier: MIT
#include "core/shared_sum.h"

#include <math.h>
#include <stdatomic.h>

_Static_assert(sizeof(atomic_int_least64_t) == sizeof(wbSharedSum), "the same bytes");

void wbSharedSum_Add(wbSharedSum *sum, float value) {
    const float grains = fmaxf(fminf(value * (1 / WB_SUM_GRAIN), 0x1p62f), -0x1p62f);
    atomic_fetch_add_explicit((atomic_int_least64_t *)sum, llrintf(grains), memory_order_relaxed);
}
