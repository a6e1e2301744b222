// SPDX-License-Identifier: MIT
// Four lanes: SSE4.1. The meaning of each operation stands in simd_scalar.h.
#pragma once

#include <smmintrin.h>

typedef float REAL __attribute__((vector_size(16)));
typedef int32_t INTS __attribute__((vector_size(16)));
typedef __m128 MASK;

WB_INLINE REAL real_set(float a) { return _mm_set1_ps(a); }
WB_INLINE REAL real_load(const float *p) { return _mm_loadu_ps(p); }
WB_INLINE void real_store(float *p, REAL a) { _mm_storeu_ps(p, a); }
WB_INLINE REAL real_madd(REAL a, REAL b, REAL c) { return a * b + c; }
WB_INLINE REAL real_max(REAL a, REAL b) { return _mm_max_ps(a, b); }
WB_INLINE REAL real_min(REAL a, REAL b) { return _mm_min_ps(a, b); }
WB_INLINE REAL real_abs(REAL a) { return _mm_andnot_ps(_mm_set1_ps(-0.0f), a); }
WB_INLINE REAL real_sqrt(REAL a) { return _mm_sqrt_ps(a); }
WB_INLINE REAL real_floor(REAL a) { return _mm_floor_ps(a); }
WB_INLINE REAL real_rsqrt_rough(REAL a) { return _mm_rsqrt_ps(a); }
// 12 bits and one Newton step
WB_INLINE REAL real_rsqrt(REAL a) {
    REAL y = _mm_rsqrt_ps(a);
    return y * (1.5f - 0.5f * (a * y) * y);
}
WB_INLINE REAL real_rcp(REAL a) {
    REAL y = _mm_rcp_ps(a);
    return y * (2.0f - a * y);
}
WB_INLINE MASK real_less(REAL a, REAL b) { return _mm_cmplt_ps(a, b); }
WB_INLINE REAL real_select(MASK m, REAL a, REAL b) { return _mm_blendv_ps(b, a, m); }
WB_INLINE float real_sum(REAL a) { return (a[0] + a[2]) + (a[1] + a[3]); }

WB_INLINE unsigned lane_less(REAL a, REAL b) { return (unsigned)_mm_movemask_ps(_mm_cmplt_ps(a, b)); }
WB_INLINE bool lane_any(REAL a) { return !_mm_testz_si128(_mm_castps_si128(a), _mm_castps_si128(a)); }

// byte shuffles that move the lanes of a 4-bit mask to the front
#define LANE(l) 4 * l, 4 * l + 1, 4 * l + 2, 4 * l + 3
static const uint8_t lane_packs[16][16] __attribute__((aligned(16))) = {
    {LANE(0), LANE(0), LANE(0), LANE(0)}, {LANE(0), LANE(0), LANE(0), LANE(0)},
    {LANE(1), LANE(0), LANE(0), LANE(0)}, {LANE(0), LANE(1), LANE(0), LANE(0)},
    {LANE(2), LANE(0), LANE(0), LANE(0)}, {LANE(0), LANE(2), LANE(0), LANE(0)},
    {LANE(1), LANE(2), LANE(0), LANE(0)}, {LANE(0), LANE(1), LANE(2), LANE(0)},
    {LANE(3), LANE(0), LANE(0), LANE(0)}, {LANE(0), LANE(3), LANE(0), LANE(0)},
    {LANE(1), LANE(3), LANE(0), LANE(0)}, {LANE(0), LANE(1), LANE(3), LANE(0)},
    {LANE(2), LANE(3), LANE(0), LANE(0)}, {LANE(0), LANE(2), LANE(3), LANE(0)},
    {LANE(1), LANE(2), LANE(3), LANE(0)}, {LANE(0), LANE(1), LANE(2), LANE(3)},
};
#undef LANE
WB_INLINE __m128i lane_packed(unsigned bits, __m128i a) {
    return _mm_shuffle_epi8(a, _mm_load_si128((const __m128i *)lane_packs[bits]));
}
WB_INLINE void lane_pack(float *p, unsigned bits, REAL a) {
    _mm_storeu_si128((__m128i *)p, lane_packed(bits, _mm_castps_si128(a)));
}
WB_INLINE int lane_pack_ints(int *p, unsigned bits, INTS a) {
    _mm_storeu_si128((__m128i *)p, lane_packed(bits, (__m128i)a));
    return __builtin_popcount(bits);
}

WB_INLINE INTS ints_set(int a) { return (INTS)_mm_set1_epi32(a); }
WB_INLINE INTS ints_load(const int *p) { return (INTS)_mm_loadu_si128((const __m128i *)p); }
WB_INLINE void ints_store(int *p, INTS a) { _mm_storeu_si128((__m128i *)p, (__m128i)a); }
WB_INLINE INTS ints_count(void) { return (INTS){0, 1, 2, 3}; }
WB_INLINE INTS ints_truncate(REAL a) { return (INTS)_mm_cvttps_epi32(a); }
WB_INLINE INTS ints_min(INTS a, INTS b) { return (INTS)_mm_min_epi32((__m128i)a, (__m128i)b); }
WB_INLINE INTS ints_max(INTS a, INTS b) { return (INTS)_mm_max_epi32((__m128i)a, (__m128i)b); }
WB_INLINE unsigned ints_less(INTS a, INTS b) {
    return (unsigned)_mm_movemask_ps(_mm_castsi128_ps(_mm_cmplt_epi32((__m128i)a, (__m128i)b)));
}
WB_INLINE unsigned ints_equal(INTS a, INTS b) {
    return (unsigned)_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32((__m128i)a, (__m128i)b)));
}
WB_INLINE int ints_first(INTS a) { return a[0]; }
WB_INLINE REAL real_from_ints(INTS a) { return _mm_cvtepi32_ps((__m128i)a); }
WB_INLINE MASK real_mask(unsigned bits) {
    __m128i bit = _mm_setr_epi32(1, 2, 4, 8);
    return _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32((int)bits), bit), bit));
}
WB_INLINE INTS ints_gather(const int *base, INTS index, unsigned bits) {
    INTS a = {0, 0, 0, 0};
    for (int k = 0; k < 4; k++)
        if (bits >> k & 1) a[k] = base[index[k]];
    return a;
}

// bytes 4 i … 4 i + 3 of either vector, of which the shuffle takes the lower four bits
WB_INLINE REAL lane_pick(REAL a, REAL b, INTS index) {
    __m128i bytes = _mm_add_epi32(_mm_mullo_epi32((__m128i)index, _mm_set1_epi32(0x04040404)),
                                  _mm_set1_epi32(0x03020100));
    __m128 low = _mm_castsi128_ps(_mm_shuffle_epi8(_mm_castps_si128(a), bytes));
    __m128 high = _mm_castsi128_ps(_mm_shuffle_epi8(_mm_castps_si128(b), bytes));
    return _mm_blendv_ps(low, high, _mm_castsi128_ps(_mm_slli_epi32((__m128i)index, 29)));
}
WB_INLINE void lane_split(REAL a, REAL b, REAL *even, REAL *odd) {
    *even = _mm_shuffle_ps(a, b, 0x88), *odd = _mm_shuffle_ps(a, b, 0xdd);
}
WB_INLINE void lane_join(REAL even, REAL odd, REAL *a, REAL *b) {
    *a = _mm_unpacklo_ps(even, odd), *b = _mm_unpackhi_ps(even, odd);
}

WB_INLINE REAL lane_load_quads(const float *records, const int size, const int *index) {
    return _mm_load_ps(records + size * (int64_t)index[0]);
}
WB_INLINE void lane_store_quads(float *records, const size_t size, REAL a) {
    (void)size;
    _mm_store_ps(records, a);
}
WB_INLINE void lane_scatter_quads(float *records, const int *index, REAL a) {
    _mm_store_ps(records + 4 * (int64_t)index[0], a);
}
WB_INLINE void lane_transpose(const REAL row[4], REAL *x, REAL *y, REAL *z, REAL *w) {
    __m128 a = row[0], b = row[1], c = row[2], d = row[3];
    _MM_TRANSPOSE4_PS(a, b, c, d);
    *x = a, *y = b, *z = c, *w = d;
}

WB_INLINE void lane_transpose_ints(const int *src, size_t srcStride, int *dst, size_t dstStride) {
    __m128 r[4];
    for (size_t l = 0; l < 4; l++) r[l] = _mm_loadu_ps((const float *)(src + l * srcStride));
    _MM_TRANSPOSE4_PS(r[0], r[1], r[2], r[3]);
    for (size_t k = 0; k < 4; k++) _mm_storeu_ps((float *)(dst + k * dstStride), r[k]);
}
