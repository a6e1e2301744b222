// SPDX-License-Identifier: MIT
// Sums that threads, or the items of a device, add to in any order: integers in grains, so that the order does not matter.
#pragma once

#include <stdint.h>

/// What a sum counts, in its own unit: far below what floats of everyday size resolve, and 2^33 fit.
#define WB_SUM_GRAIN 0x1p-30f

typedef int64_t wbSharedSum;

/// Rounded to whole grains; what is beyond all measure counts as the most that fits.
void wbSharedSum_Add(wbSharedSum *sum, float value);
static inline double wbSharedSum_Get(wbSharedSum sum) { return (double)sum * (double)WB_SUM_GRAIN; }
