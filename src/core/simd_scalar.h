// SPDX-License-Identifier: MIT
// One lane: plain C, on any CPU. Also the readable meaning of each operation.
#pragma once

#include <math.h>
#include <stddef.h>

typedef float REAL;
typedef int32_t INTS;
typedef int MASK; ///< of a comparison, for real_select

WB_INLINE REAL real_set(float a) { return a; }
WB_INLINE REAL real_load(const float *p) { return *p; }
WB_INLINE void real_store(float *p, REAL a) { *p = a; }
WB_INLINE REAL real_madd(REAL a, REAL b, REAL c) { return a * b + c; }
WB_INLINE REAL real_max(REAL a, REAL b) { return a > b ? a : b; }
WB_INLINE REAL real_min(REAL a, REAL b) { return a < b ? a : b; }
WB_INLINE REAL real_abs(REAL a) { return fabsf(a); }
WB_INLINE REAL real_sqrt(REAL a) { return sqrtf(a); }
WB_INLINE REAL real_floor(REAL a) { return floorf(a); }
WB_INLINE REAL real_rsqrt(REAL a) { return 1.0f / sqrtf(a); }
/// At least 11 bits of it, for formulas that do the Newton step themselves.
WB_INLINE REAL real_rsqrt_rough(REAL a) { return 1.0f / sqrtf(a); }
WB_INLINE REAL real_rcp(REAL a) { return 1.0f / a; }
WB_INLINE MASK real_less(REAL a, REAL b) { return a < b; }
WB_INLINE REAL real_select(MASK m, REAL a, REAL b) { return m ? a : b; }
WB_INLINE float real_sum(REAL a) { return a; }

/// Bit k: lane k of a is less than that of b.
WB_INLINE unsigned lane_less(REAL a, REAL b) { return a < b; }
/// Whether a lane is anything but 0: -0 and what is no number are.
WB_INLINE bool lane_any(REAL a) { return a != 0 || signbit(a); }
/// Stores the lanes whose bit is set one behind the other (whole vectors are written) and, for ints, counts
/// them.
WB_INLINE void lane_pack(float *p, unsigned bits, REAL a) { (void)bits, *p = a; }
WB_INLINE int lane_pack_ints(int *p, unsigned bits, INTS a) {
    *p = a;
    return (int)bits;
}

WB_INLINE INTS ints_set(int a) { return a; }
WB_INLINE INTS ints_load(const int *p) { return *p; }
WB_INLINE void ints_store(int *p, INTS a) { *p = a; }
WB_INLINE INTS ints_count(void) { return 0; } ///< 0, 1, 2, …
WB_INLINE INTS ints_truncate(REAL a) { return (INTS)a; }
WB_INLINE INTS ints_min(INTS a, INTS b) { return a < b ? a : b; }
WB_INLINE INTS ints_max(INTS a, INTS b) { return a > b ? a : b; }
WB_INLINE unsigned ints_less(INTS a, INTS b) { return a < b; }
WB_INLINE unsigned ints_equal(INTS a, INTS b) { return a == b; }
WB_INLINE int ints_first(INTS a) { return a; }
WB_INLINE REAL real_from_ints(INTS a) { return (REAL)a; }
/// The lanes whose bit is set.
WB_INLINE MASK real_mask(unsigned bits) { return (MASK)bits; }
/// base[index] in the lanes whose bit is set, 0 in the others.
WB_INLINE INTS ints_gather(const int *base, INTS index, unsigned bits) { return bits ? base[index] : 0; }

/// Two vectors as one row: its places `index`, each below 2 WB_LANES.
WB_INLINE REAL lane_pick(REAL a, REAL b, INTS index) { return index ? b : a; }
/// Two vectors as one row: its even and its odd places; and back.
WB_INLINE void lane_split(REAL a, REAL b, REAL *even, REAL *odd) { *even = a, *odd = b; }
WB_INLINE void lane_join(REAL even, REAL odd, REAL *a, REAL *b) { *a = even, *b = odd; }

/// dst[k][l] = src[l][k] for 4 x WB_LANES ints.
WB_INLINE void lane_transpose_ints(const int *src, size_t srcStride, int *dst, size_t dstStride) {
    (void)srcStride;
    for (int k = 0; k < 4; k++) dst[k * dstStride] = src[k];
}
