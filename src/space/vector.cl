// SPDX-License-Identifier: MIT
// Vectors of WB_LANES points, which stand in memory as three arrays: x, y, z.

typedef struct Real3 {
    REAL x, y, z;
} Real3;

typedef struct Points {
    __global const float *x, *y, *z;
} Points;

// Three arrays as parameters of a kernel: what it reads, and what it writes.
#define IN3(x, y, z)  __global const float *x, __global const float *y, __global const float *z
#define OUT3(x, y, z) __global float *x, __global float *y, __global float *z

WB_INLINE Real3 real3(REAL x, REAL y, REAL z) {
    Real3 result = {x, y, z};
    return result;
}
WB_INLINE Real3 zero3(void) { return real3(real_set(0), real_set(0), real_set(0)); }

WB_INLINE Real3 load3(IN3(x, y, z), int i) {
    return real3(real_load(x + i), real_load(y + i), real_load(z + i));
}
WB_INLINE void store3(OUT3(x, y, z), int i, Real3 a) {
    real_store(x + i, a.x);
    real_store(y + i, a.y);
    real_store(z + i, a.z);
}
WB_INLINE Points points_of(IN3(x, y, z)) {
    Points points = {x, y, z};
    return points;
}

// From one of these points to places, and back.
WB_INLINE Real3 gap_from(Points from, int j, Real3 p) {
    return real3(p.x - from.x[j], p.y - from.y[j], p.z - from.z[j]);
}
WB_INLINE Real3 gap_to(Points to, int j, Real3 p) {
    return real3(to.x[j] - p.x, to.y[j] - p.y, to.z[j] - p.z);
}

WB_INLINE REAL dot3(Real3 a, Real3 b) { return real_madd(a.x, b.x, real_madd(a.y, b.y, a.z * b.z)); }
WB_INLINE REAL square3(Real3 a) { return dot3(a, a); }
WB_INLINE Real3 cross3(Real3 a, Real3 b) {
    return real3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
// a b + c
WB_INLINE Real3 madd3(REAL a, Real3 b, Real3 c) {
    return real3(real_madd(a, b.x, c.x), real_madd(a, b.y, c.y), real_madd(a, b.z, c.z));
}
WB_INLINE Real3 add3(Real3 a, Real3 b) { return real3(a.x + b.x, a.y + b.y, a.z + b.z); }
WB_INLINE Real3 less3(Real3 a, Real3 b) { return real3(a.x - b.x, a.y - b.y, a.z - b.z); }
WB_INLINE Real3 scale3(Real3 a, REAL factor) { return real3(a.x * factor, a.y * factor, a.z * factor); }
WB_INLINE Real3 select3(MASK isFirst, Real3 a, Real3 b) {
    return real3(real_select(isFirst, a.x, b.x), real_select(isFirst, a.y, b.y),
                 real_select(isFirst, a.z, b.z));
}

// One field of WB_LANES records of four floats.
WB_INLINE REAL load_field(__global const float *records, int first, int field) {
    float lanes[WB_LANES];
    for (int l = 0; l < WB_LANES; l++) lanes[l] = records[4 * (first + l) + field];
    return lanes_load(lanes);
}
WB_INLINE Real3 load_record(__global const float *records, int first) {
    return real3(load_field(records, first, 0), load_field(records, first, 1), load_field(records, first, 2));
}
// One record, for all lanes; its fourth field is a weight.
WB_INLINE Real3 record_at(__global const float *records, int j) {
    return real3(real_set(records[4 * j]), real_set(records[4 * j + 1]), real_set(records[4 * j + 2]));
}
WB_INLINE Real3 gap_from_record(__global const float *records, int j, Real3 p) {
    return less3(p, record_at(records, j));
}
WB_INLINE REAL weight_at(__global const float *records, int j) { return real_set(records[4 * j + 3]); }
