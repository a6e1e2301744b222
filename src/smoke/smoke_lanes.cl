// SPDX-License-Identifier: MIT
// What kernels over rows of a grid share: lanes, spans, stores and sums.

#if WB_LANES == 1
#    define lane_index()  0
#    define real_ints(a)  ((int)(a))
#    define ints_reals(a) ((float)(a))
#    define mask_least(a) (a)
WB_INLINE void lane_split(REAL low, REAL high, REAL *evens, REAL *odds) { *evens = low, *odds = high; }
WB_INLINE void lane_join(REAL evens, REAL odds, REAL *low, REAL *high) { *low = evens, *high = odds; }
#else
#    define ints_reals(a) WB_JOIN(convert_float, WB_LANES)(a)
WB_INLINE int least4(int4 a) {
    const int2 b = min(a.lo, a.hi);
    return min(b.x, b.y);
}
#    if WB_LANES == 4
#        define mask_least(a) least4(a)
#    elif WB_LANES == 8
#        define mask_least(a) least4(min((a).lo, (a).hi))
#    else
WB_INLINE int mask_least(MASK a) {
    const int8 b = min(a.lo, a.hi);
    return least4(min(b.lo, b.hi));
}
#    endif
// Of two vectors in a row: every second value, and those between.
WB_INLINE void lane_split(REAL low, REAL high, REAL *evens, REAL *odds) {
    *evens = (REAL)(low.even, high.even);
    *odds = (REAL)(low.odd, high.odd);
}
WB_INLINE void lane_join(REAL evens, REAL odds, REAL *low, REAL *high) {
    REAL a, b;
    a.even = evens.lo, a.odd = odds.lo;
    b.even = evens.hi, b.odd = odds.hi;
    *low = a, *high = b;
}
#endif

// The part of a row that a work-item has: one value on GPUs, so that neighbours read neighbours; the whole row on
// CPUs, where a vector each would cost more to find than to compute.
typedef struct Span {
    int row, begin, end;
} Span;

WB_INLINE Span get_span(int item, int count) {
#if WB_LANES == 1
    return (Span){item / count, item % count, item % count + 1};
#else
    return (Span){item, 0, count};
#endif
}

// Lanes of a vector that are in a row of which `count` values are left.
WB_INLINE REAL first_lanes(REAL a, int count) {
#if WB_LANES == 1
    return a;
#else
    return count >= WB_LANES ? a : real_select(lanes_below(count), a, real_set(0));
#endif
}

// What lies behind a row may be the next row's halo, which another item has.
WB_INLINE void store_first(__global float *to, REAL a, int count) {
#if WB_LANES == 1
    *to = a;
#else
    if (count >= WB_LANES) {
        real_store(to, a);
        return;
    }
    float lanes[WB_LANES];
    lanes_store(lanes, a);
    for (int l = 0; l < count; l++) to[l] = lanes[l];
#endif
}

// Likewise where another item may be writing there.
WB_INLINE REAL load_first(__global const float *from, int count) {
#if WB_LANES == 1
    return *from;
#else
    if (count >= WB_LANES) return real_load(from);
    float lanes[WB_LANES] = {0};
    for (int l = 0; l < count; l++) lanes[l] = from[l];
    return lanes_load(lanes);
#endif
}

// Sums over a group, always in the same order.
WB_INLINE void sum_group(float own, __local float *shared, __global float *sums) {
    shared[get_local_id(0)] = own;
    for (int width = SMOKE_SUM_GROUP / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(0) < width) shared[get_local_id(0)] += shared[get_local_id(0) + width];
    }
    if (get_local_id(0) == 0) sums[get_group_id(0)] = shared[0];
}

WB_INLINE void max_group(float own, __local float *shared, __global float *sums) {
    shared[get_local_id(0)] = own;
    for (int width = SMOKE_SUM_GROUP / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(0) < width)
            shared[get_local_id(0)] = max(shared[get_local_id(0)], shared[get_local_id(0) + width]);
    }
    if (get_local_id(0) == 0) sums[get_group_id(0)] = shared[0];
}

#define SUM_KERNEL __kernel __attribute__((reqd_work_group_size(SMOKE_SUM_GROUP, 1, 1)))

// Where value (i, j, k) of field f stands in a buffer.
WB_INLINE size_t value_index(const SmokeShape *shape, int f, int i, int j, int k) {
    return (size_t)f * shape->stride + SMOKE_MARGIN + i + shape->row * (k + 1) + shape->plane * (j + 1);
}
