// SPDX-License-Identifier: MIT
// Eight lanes: AVX2 with FMA. The meaning of each operation stands in simd_scalar.h.
#pragma once

#include <immintrin.h>

typedef float REAL __attribute__((vector_size(32)));
typedef int32_t INTS __attribute__((vector_size(32)));
typedef __m256 MASK;

WB_INLINE REAL real_set(float a) { return _mm256_set1_ps(a); }
WB_INLINE REAL real_load(const float *p) { return _mm256_loadu_ps(p); }
WB_INLINE void real_store(float *p, REAL a) { _mm256_storeu_ps(p, a); }
WB_INLINE REAL real_madd(REAL a, REAL b, REAL c) { return _mm256_fmadd_ps(a, b, c); }
WB_INLINE REAL real_max(REAL a, REAL b) { return _mm256_max_ps(a, b); }
WB_INLINE REAL real_min(REAL a, REAL b) { return _mm256_min_ps(a, b); }
WB_INLINE REAL real_abs(REAL a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
WB_INLINE REAL real_sqrt(REAL a) { return _mm256_sqrt_ps(a); }
WB_INLINE REAL real_floor(REAL a) { return _mm256_floor_ps(a); }
WB_INLINE REAL real_rsqrt_rough(REAL a) { return _mm256_rsqrt_ps(a); }
// 12 bits and one Newton step
WB_INLINE REAL real_rsqrt(REAL a) {
    REAL y = _mm256_rsqrt_ps(a);
    return y * _mm256_fnmadd_ps((a * y) * y, real_set(0.5f), real_set(1.5f));
}
WB_INLINE REAL real_rcp(REAL a) {
    REAL y = _mm256_rcp_ps(a);
    return y * _mm256_fnmadd_ps(a, y, real_set(2.0f));
}
WB_INLINE MASK real_less(REAL a, REAL b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
WB_INLINE REAL real_select(MASK m, REAL a, REAL b) { return _mm256_blendv_ps(b, a, m); }
WB_INLINE float real_sum(REAL a) {
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}

WB_INLINE unsigned lane_less(REAL a, REAL b) { return (unsigned)_mm256_movemask_ps(real_less(a, b)); }
WB_INLINE bool lane_any(REAL a) {
    return !_mm256_testz_si256(_mm256_castps_si256(a), _mm256_castps_si256(a));
}

// for each 8-bit mask the lane numbers of its set bits, one byte each, from the lowest byte up
#define BIT(m, i) ((m) >> i & 1 ? (uint64_t)i << 8 * __builtin_popcount((m) & ((1 << i) - 1)) : 0)
#define PACK(m)   BIT(m, 0) | BIT(m, 1) | BIT(m, 2) | BIT(m, 3) | BIT(m, 4) | BIT(m, 5) | BIT(m, 6) | BIT(m, 7)
#define PACK4(m)  PACK(m), PACK(m + 1), PACK(m + 2), PACK(m + 3)
#define PACK16(m) PACK4(m), PACK4(m + 4), PACK4(m + 8), PACK4(m + 12)
#define PACK64(m) PACK16(m), PACK16(m + 16), PACK16(m + 32), PACK16(m + 48)
static const uint64_t lane_packs[256] = {PACK64(0), PACK64(64), PACK64(128), PACK64(192)};
#undef BIT
#undef PACK
#undef PACK4
#undef PACK16
#undef PACK64
WB_INLINE __m256i lane_packed(unsigned bits, __m256i a) {
    __m256i order = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)&lane_packs[bits]));
    return _mm256_permutevar8x32_epi32(a, order);
}
WB_INLINE void lane_pack(float *p, unsigned bits, REAL a) {
    _mm256_storeu_si256((__m256i *)p, lane_packed(bits, _mm256_castps_si256(a)));
}
WB_INLINE int lane_pack_ints(int *p, unsigned bits, INTS a) {
    _mm256_storeu_si256((__m256i *)p, lane_packed(bits, (__m256i)a));
    return __builtin_popcount(bits);
}

WB_INLINE INTS ints_set(int a) { return (INTS)_mm256_set1_epi32(a); }
WB_INLINE INTS ints_load(const int *p) { return (INTS)_mm256_loadu_si256((const __m256i *)p); }
WB_INLINE void ints_store(int *p, INTS a) { _mm256_storeu_si256((__m256i *)p, (__m256i)a); }
WB_INLINE INTS ints_count(void) { return (INTS){0, 1, 2, 3, 4, 5, 6, 7}; }
WB_INLINE INTS ints_truncate(REAL a) { return (INTS)_mm256_cvttps_epi32(a); }
WB_INLINE INTS ints_min(INTS a, INTS b) { return (INTS)_mm256_min_epi32((__m256i)a, (__m256i)b); }
WB_INLINE INTS ints_max(INTS a, INTS b) { return (INTS)_mm256_max_epi32((__m256i)a, (__m256i)b); }
WB_INLINE unsigned ints_less(INTS a, INTS b) {
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32((__m256i)b, (__m256i)a)));
}
WB_INLINE unsigned ints_equal(INTS a, INTS b) {
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32((__m256i)a, (__m256i)b)));
}
WB_INLINE int ints_first(INTS a) { return a[0]; }
WB_INLINE REAL real_from_ints(INTS a) { return _mm256_cvtepi32_ps((__m256i)a); }
WB_INLINE MASK real_mask(unsigned bits) {
    __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)bits), bit), bit));
}
WB_INLINE INTS ints_gather(const int *base, INTS index, unsigned bits) {
    __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256i mask = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)bits), bit), bit);
    return (INTS)_mm256_mask_i32gather_epi32(_mm256_setzero_si256(), base, (__m256i)index, mask, 4);
}

WB_INLINE REAL lane_pick(REAL a, REAL b, INTS index) {
    __m256 low = _mm256_permutevar8x32_ps(a, (__m256i)index),
           high = _mm256_permutevar8x32_ps(b, (__m256i)index);
    return _mm256_blendv_ps(low, high, _mm256_castsi256_ps(_mm256_slli_epi32((__m256i)index, 28)));
}
WB_INLINE void lane_split(REAL a, REAL b, REAL *even, REAL *odd) {
    __m256 low = _mm256_permute2f128_ps(a, b, 0x20), high = _mm256_permute2f128_ps(a, b, 0x31);
    *even = _mm256_shuffle_ps(low, high, 0x88), *odd = _mm256_shuffle_ps(low, high, 0xdd);
}
WB_INLINE void lane_join(REAL even, REAL odd, REAL *a, REAL *b) {
    __m256 low = _mm256_unpacklo_ps(even, odd), high = _mm256_unpackhi_ps(even, odd);
    *a = _mm256_permute2f128_ps(low, high, 0x20), *b = _mm256_permute2f128_ps(low, high, 0x31);
}

// the first four of the `size` floats of records index[0] and index[4], one per 128 bits
WB_INLINE REAL lane_load_quads(const float *records, const int size, const int *index) {
    __m128 low = _mm_load_ps(records + size * (int64_t)index[0]),
           high = _mm_load_ps(records + size * (int64_t)index[4]);
    return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
}
// a record of eight floats
WB_INLINE REAL lane_load_octets(const float *records, const int *index) {
    return _mm256_load_ps(records + 8 * (int64_t)index[0]);
}
// the first, or second, quads of 256 bits: that of a, then that of b
WB_INLINE REAL lane_first_quads(REAL a, REAL b) { return _mm256_permute2f128_ps(a, b, 0x20); }
WB_INLINE REAL lane_second_quads(REAL a, REAL b) { return _mm256_permute2f128_ps(a, b, 0x31); }
WB_INLINE void lane_store_quads(float *records, const size_t size, REAL a) {
    _mm_store_ps(records, _mm256_castps256_ps128(a));
    _mm_store_ps(records + 4 * size, _mm256_extractf128_ps(a, 1));
}
WB_INLINE void lane_scatter_quads(float *records, const int *index, REAL a) {
    _mm_store_ps(records + 4 * (int64_t)index[0], _mm256_castps256_ps128(a));
    _mm_store_ps(records + 4 * (int64_t)index[4], _mm256_extractf128_ps(a, 1));
}
WB_INLINE void lane_transpose(const REAL row[4], REAL *x, REAL *y, REAL *z, REAL *w) {
    __m256d a = _mm256_castps_pd(_mm256_unpacklo_ps(row[0], row[1]));
    __m256d b = _mm256_castps_pd(_mm256_unpackhi_ps(row[0], row[1]));
    __m256d c = _mm256_castps_pd(_mm256_unpacklo_ps(row[2], row[3]));
    __m256d d = _mm256_castps_pd(_mm256_unpackhi_ps(row[2], row[3]));
    *x = _mm256_castpd_ps(_mm256_unpacklo_pd(a, c)), *y = _mm256_castpd_ps(_mm256_unpackhi_pd(a, c));
    *z = _mm256_castpd_ps(_mm256_unpacklo_pd(b, d)), *w = _mm256_castpd_ps(_mm256_unpackhi_pd(b, d));
}

WB_INLINE void lane_transpose_ints(const int *src, size_t srcStride, int *dst, size_t dstStride) {
    REAL row[4], column[4];
    for (size_t l = 0; l < 4; l++) {
        const float *p = (const float *)(src + l * srcStride);
        row[l] =
            _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p)), _mm_loadu_ps(p + 4 * srcStride), 1);
    }
    lane_transpose(row, &column[0], &column[1], &column[2], &column[3]);
    for (size_t k = 0; k < 4; k++) real_store((float *)(dst + k * dstStride), column[k]);
}
