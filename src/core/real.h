// SPDX-License-Identifier: MIT
// Wide floats. REAL is a float in the scalar build and a vector of WB_LANES floats in the wide builds; a file
// *_wide.c is compiled once per instruction set. Formulas use + - * / and the real_ functions, no pointers
// and no branches on data, so that they also compile as OpenCL C. Code that walks over particles may use the
// lane_ and ints_ functions of the simd headers as well.
//
// Everything here is static and always inlined: code of one instruction set must not be linked into another
// build.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifndef WB_LANES
#    error "core/real.h belongs into *_wide.c files, which are compiled with WB_LANES set"
#endif

#define WB_INLINE static inline __attribute__((always_inline))

// WB_WIDE(wbForces) is wbForces_avx2 in the AVX2 build
#define WB_JOIN2(a, b) a##b
#define WB_JOIN(a, b)  WB_JOIN2(a, b)
#define WB_WIDE(name)  WB_JOIN(name, WB_SUFFIX)

#if WB_LANES == 1
#    include "core/simd_scalar.h"
#elif WB_LANES == 4
#    include "core/simd_sse.h"
#elif WB_LANES == 8
#    include "core/simd_avx2.h"
#elif WB_LANES == 16
#    include "core/simd_avx512.h"
#endif

/// scale * sqrt(a): the Newton step of the root brings the scale along. `tiny` keeps it finite at a = 0.
WB_INLINE REAL real_scaled_root(REAL a, float scale, float tiny) {
    REAL y = real_rsqrt_rough(a + tiny), r = a * y;
    return r * real_madd(r * y, real_set(-0.5f * scale), real_set(1.5f * scale));
}

/// The bits of floats as they are in memory, and back.
WB_INLINE INTS ints_from_bits(REAL a) {
    union {
        REAL a;
        INTS b;
    } bits = {.a = a};
    return bits.b;
}
WB_INLINE REAL real_from_bits(INTS a) {
    union {
        INTS a;
        REAL b;
    } bits = {.a = a};
    return bits.b;
}

/// table[index & 15]
WB_INLINE REAL lane_look(const float table[16], INTS index) {
#if WB_LANES == 16
    return lane_pick(real_load(table), real_load(table), index);
#elif WB_LANES == 8
    return lane_pick(real_load(table), real_load(table + 8), index);
#else
    float lanes[WB_LANES];
    int places[WB_LANES];
    ints_store(places, index);
    for (int l = 0; l < WB_LANES; l++) lanes[l] = table[places[l] & 15];
    return real_load(lanes);
#endif
}

/// Four fields of WB_LANES records.
typedef struct REAL4 {
    REAL x, y, z, w;
} REAL4;

/// Eight fields of WB_LANES records.
typedef struct REAL8 {
    REAL4 first, second;
} REAL8;

/// Bits of the first n lanes, all of them for n >= WB_LANES; n >= 0.
WB_INLINE unsigned lane_first(int n) { return (1u << (n < WB_LANES ? n : WB_LANES)) - 1; }

#if WB_LANES == 1
WB_INLINE REAL4 lane_load_part(const float *records, const int size, const int *index) {
    const float *r = records + size * (int64_t)index[0];
    return (REAL4){r[0], r[1], r[2], r[3]};
}
WB_INLINE void lane_store_part(float *records, const size_t size, REAL4 a) {
    (void)size;
    records[0] = a.x, records[1] = a.y, records[2] = a.z, records[3] = a.w;
}
WB_INLINE void lane_scatter4(float *records, const int *index, REAL4 a) {
    lane_store_part(records + 4 * (int64_t)index[0], 4, a);
}
#else
/// The first four of the `size` floats of records at the places index[0 … WB_LANES - 1]: 16-byte loads and transposes, which beat
/// gathers of single floats 1.6 times on a Xeon with AVX-512.
WB_INLINE REAL4 lane_load_part(const float *records, const int size, const int *index) {
    REAL row[4];
    for (int k = 0; k < 4; k++) row[k] = lane_load_quads(records, size, index + k);
    REAL4 a;
    lane_transpose(row, &a.x, &a.y, &a.z, &a.w);
    return a;
}
/// The inverse for consecutive records.
WB_INLINE void lane_store_part(float *records, const size_t size, REAL4 a) {
    REAL row[4];
    lane_transpose((REAL[4]){a.x, a.y, a.z, a.w}, &row[0], &row[1], &row[2], &row[3]);
    for (size_t k = 0; k < 4; k++) lane_store_quads(records + size * k, size, row[k]);
}
/// The inverse of lane_load4; where places are equal, one of the records stays.
WB_INLINE void lane_scatter4(float *records, const int *index, REAL4 a) {
    REAL row[4];
    lane_transpose((REAL[4]){a.x, a.y, a.z, a.w}, &row[0], &row[1], &row[2], &row[3]);
    for (int k = 0; k < 4; k++) lane_scatter_quads(records, index + k, row[k]);
}
#endif

/// Records of four floats.
WB_INLINE REAL4 lane_load4(const float *records, const int *index) {
    return lane_load_part(records, 4, index);
}
WB_INLINE void lane_store4(float *records, REAL4 a) { lane_store_part(records, 4, a); }

/// Records of eight floats, aligned by 32 bytes. Where vectors are long, both halves come by one load, and need fewer transposes than two
/// records of four.
WB_INLINE REAL8 lane_load8(const float *records, const int *index) {
#if WB_LANES >= 8
    REAL x[2], y[2], z[2], w[2], row[4];
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < 4; k++) row[k] = lane_load_octets(records, index + k + side * WB_LANES / 2);
        lane_transpose(row, &x[side], &y[side], &z[side], &w[side]);
    }
    return (REAL8){{lane_first_quads(x[0], x[1]), lane_first_quads(y[0], y[1]), lane_first_quads(z[0], z[1]),
                    lane_first_quads(w[0], w[1])},
                   {lane_second_quads(x[0], x[1]), lane_second_quads(y[0], y[1]),
                    lane_second_quads(z[0], z[1]), lane_second_quads(w[0], w[1])}};
#else
    return (REAL8){lane_load_part(records, 8, index), lane_load_part(records + 4, 8, index)};
#endif
}
