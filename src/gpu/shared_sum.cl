// SPDX-License-Identifier: MIT
// The sums of core/shared_sum.h on a device: two words each, the lower one first.

typedef uint SharedSum;

static inline void shared_sum_add(__global SharedSum *sums, int index, float value) {
    const long grains = convert_long_sat_rte(value * 0x1p30f); // in WB_SUM_GRAIN
    const uint low = (uint)grains, before = atomic_add(&sums[2 * index], low);
    atomic_add(&sums[2 * index + 1], (uint)(grains >> 32) + (before + low < before ? 1u : 0u));
}
