// SPDX-License-Identifier: MIT
// Sixteen lanes: AVX-512 (F, DQ, BW, VL). The meaning of each operation stands in simd_scalar.h.
#pragma once

#include <immintrin.h>

typedef float REAL __attribute__((vector_size(64)));
typedef int32_t INTS __attribute__((vector_size(64)));
typedef __mmask16 MASK;

WB_INLINE REAL real_set(float a) { return _mm512_set1_ps(a); }
WB_INLINE REAL real_load(const float *p) { return _mm512_loadu_ps(p); }
WB_INLINE void real_store(float *p, REAL a) { _mm512_storeu_ps(p, a); }
WB_INLINE REAL real_madd(REAL a, REAL b, REAL c) { return _mm512_fmadd_ps(a, b, c); }
WB_INLINE REAL real_max(REAL a, REAL b) { return _mm512_max_ps(a, b); }
WB_INLINE REAL real_min(REAL a, REAL b) { return _mm512_min_ps(a, b); }
WB_INLINE REAL real_abs(REAL a) { return _mm512_abs_ps(a); }
WB_INLINE REAL real_sqrt(REAL a) { return _mm512_sqrt_ps(a); }
WB_INLINE REAL real_floor(REAL a) {
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
WB_INLINE REAL real_rsqrt_rough(REAL a) { return _mm512_rsqrt14_ps(a); }
// 14 bits and one Newton step
WB_INLINE REAL real_rsqrt(REAL a) {
    REAL y = _mm512_rsqrt14_ps(a);
    return y * _mm512_fnmadd_ps((a * y) * y, real_set(0.5f), real_set(1.5f));
}
WB_INLINE REAL real_rcp(REAL a) {
    REAL y = _mm512_rcp14_ps(a);
    return y * _mm512_fnmadd_ps(a, y, real_set(2.0f));
}
WB_INLINE MASK real_less(REAL a, REAL b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
WB_INLINE REAL real_select(MASK m, REAL a, REAL b) { return _mm512_mask_blend_ps(m, b, a); }
WB_INLINE float real_sum(REAL a) {
    __m256 t = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(t), _mm256_extractf128_ps(t, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}

WB_INLINE unsigned lane_less(REAL a, REAL b) { return real_less(a, b); }
WB_INLINE bool lane_any(REAL a) {
    return _mm512_test_epi32_mask(_mm512_castps_si512(a), _mm512_castps_si512(a)) != 0;
}
// compressing in a register and storing it whole: the compressing store is slow on some CPUs
WB_INLINE void lane_pack(float *p, unsigned bits, REAL a) {
    _mm512_storeu_ps(p, _mm512_maskz_compress_ps((MASK)bits, a));
}
WB_INLINE int lane_pack_ints(int *p, unsigned bits, INTS a) {
    _mm512_storeu_si512(p, _mm512_maskz_compress_epi32((MASK)bits, (__m512i)a));
    return __builtin_popcount(bits);
}

WB_INLINE INTS ints_set(int a) { return (INTS)_mm512_set1_epi32(a); }
WB_INLINE INTS ints_load(const int *p) { return (INTS)_mm512_loadu_si512(p); }
WB_INLINE void ints_store(int *p, INTS a) { _mm512_storeu_si512(p, (__m512i)a); }
WB_INLINE INTS ints_count(void) { return (INTS){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}; }
WB_INLINE INTS ints_truncate(REAL a) { return (INTS)_mm512_cvttps_epi32(a); }
WB_INLINE INTS ints_min(INTS a, INTS b) { return (INTS)_mm512_min_epi32((__m512i)a, (__m512i)b); }
WB_INLINE INTS ints_max(INTS a, INTS b) { return (INTS)_mm512_max_epi32((__m512i)a, (__m512i)b); }
WB_INLINE unsigned ints_less(INTS a, INTS b) { return _mm512_cmplt_epi32_mask((__m512i)a, (__m512i)b); }
WB_INLINE unsigned ints_equal(INTS a, INTS b) { return _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b); }
WB_INLINE int ints_first(INTS a) { return _mm_cvtsi128_si32(_mm512_castsi512_si128((__m512i)a)); }
WB_INLINE REAL real_from_ints(INTS a) { return _mm512_cvtepi32_ps((__m512i)a); }
WB_INLINE MASK real_mask(unsigned bits) { return (MASK)bits; }
WB_INLINE INTS ints_gather(const int *base, INTS index, unsigned bits) {
    return (INTS)_mm512_mask_i32gather_epi32(_mm512_setzero_si512(), (MASK)bits, (__m512i)index, base, 4);
}

WB_INLINE REAL lane_pick(REAL a, REAL b, INTS index) { return _mm512_permutex2var_ps(a, (__m512i)index, b); }
WB_INLINE void lane_split(REAL a, REAL b, REAL *even, REAL *odd) {
    const __m512i places = (__m512i)(ints_count() + ints_count());
    *even = _mm512_permutex2var_ps(a, places, b);
    *odd = _mm512_permutex2var_ps(a, _mm512_add_epi32(places, _mm512_set1_epi32(1)), b);
}
WB_INLINE void lane_join(REAL even, REAL odd, REAL *a, REAL *b) {
    const __m512i places = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    *a = _mm512_permutex2var_ps(even, places, odd);
    *b = _mm512_permutex2var_ps(even, _mm512_add_epi32(places, _mm512_set1_epi32(8)), odd);
}

// the first four of the `size` floats of records index[0], index[4], index[8] and index[12], one per 128 bits
WB_INLINE REAL lane_load_quads(const float *records, const int size, const int *index) {
    __m128 q[4];
    for (int k = 0; k < 4; k++) q[k] = _mm_load_ps(records + size * (int64_t)index[4 * k]);
    __m256 low = _mm256_insertf128_ps(_mm256_castps128_ps256(q[0]), q[1], 1);
    __m256 high = _mm256_insertf128_ps(_mm256_castps128_ps256(q[2]), q[3], 1);
    return _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
}
// records of eight floats, index[0] and index[4], one per 256 bits
WB_INLINE REAL lane_load_octets(const float *records, const int *index) {
    __m256 low = _mm256_load_ps(records + 8 * (int64_t)index[0]),
           high = _mm256_load_ps(records + 8 * (int64_t)index[4]);
    return _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
}
// the first, or second, quads of 256 bits: those of a, then those of b
WB_INLINE REAL lane_first_quads(REAL a, REAL b) { return _mm512_shuffle_f32x4(a, b, 0x88); }
WB_INLINE REAL lane_second_quads(REAL a, REAL b) { return _mm512_shuffle_f32x4(a, b, 0xdd); }
WB_INLINE void lane_store_quads(float *records, const size_t size, REAL a) {
    _mm_store_ps(records, _mm512_castps512_ps128(a));
    _mm_store_ps(records + 4 * size, _mm512_extractf32x4_ps(a, 1));
    _mm_store_ps(records + 8 * size, _mm512_extractf32x4_ps(a, 2));
    _mm_store_ps(records + 12 * size, _mm512_extractf32x4_ps(a, 3));
}
// the inverse of lane_load_quads
WB_INLINE void lane_scatter_quads(float *records, const int *index, REAL a) {
    _mm_store_ps(records + 4 * (int64_t)index[0], _mm512_castps512_ps128(a));
    _mm_store_ps(records + 4 * (int64_t)index[4], _mm512_extractf32x4_ps(a, 1));
    _mm_store_ps(records + 4 * (int64_t)index[8], _mm512_extractf32x4_ps(a, 2));
    _mm_store_ps(records + 4 * (int64_t)index[12], _mm512_extractf32x4_ps(a, 3));
}
WB_INLINE void lane_transpose(const REAL row[4], REAL *x, REAL *y, REAL *z, REAL *w) {
    __m512d a = _mm512_castps_pd(_mm512_unpacklo_ps(row[0], row[1]));
    __m512d b = _mm512_castps_pd(_mm512_unpackhi_ps(row[0], row[1]));
    __m512d c = _mm512_castps_pd(_mm512_unpacklo_ps(row[2], row[3]));
    __m512d d = _mm512_castps_pd(_mm512_unpackhi_ps(row[2], row[3]));
    *x = _mm512_castpd_ps(_mm512_unpacklo_pd(a, c)), *y = _mm512_castpd_ps(_mm512_unpackhi_pd(a, c));
    *z = _mm512_castpd_ps(_mm512_unpacklo_pd(b, d)), *w = _mm512_castpd_ps(_mm512_unpackhi_pd(b, d));
}

WB_INLINE void lane_transpose_ints(const int *src, size_t srcStride, int *dst, size_t dstStride) {
    REAL row[4], column[4];
    for (size_t l = 0; l < 4; l++) {
        const float *p = (const float *)(src + l * srcStride);
        __m256 low =
            _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p)), _mm_loadu_ps(p + 4 * srcStride), 1);
        p += 8 * srcStride;
        __m256 high =
            _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p)), _mm_loadu_ps(p + 4 * srcStride), 1);
        row[l] = _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
    }
    lane_transpose(row, &column[0], &column[1], &column[2], &column[3]);
    for (size_t k = 0; k < 4; k++) real_store((float *)(dst + k * dstStride), column[k]);
}
