// SPDX-License-Identifier: MIT
// REAL in OpenCL C, the twin of core/real.h: a float on GPUs; on CPUs WB_LANES floats, because their compilers
// vectorise only what is written as vectors. Formula headers compile with both.

#define WB_INLINE static inline __attribute__((always_inline))

#if WB_LANES == 1
typedef float REAL;
typedef int MASK; // of a comparison, for real_select
#    define real_load(p)         (*(p))
#    define real_store(p, a)     (*(p) = (a))
#    define lanes_load(p)        (*(p))
#    define lanes_store(p, a)    (*(p) = (a))
#    define real_select(m, a, b) ((m) ? (a) : (b))
#    define mask_ones(m)         (m)
#    define lanes_below(n)       ((n) > 0)
WB_INLINE float real_sum(REAL a) { return a; }
WB_INLINE float real_largest(REAL a) { return a; }
WB_INLINE int mask_sum(MASK a) { return a; }
#else
#    define WB_JOIN2(a, b)       a##b
#    define WB_JOIN(a, b)        WB_JOIN2(a, b)
typedef WB_JOIN(float, WB_LANES) REAL;
typedef WB_JOIN(int, WB_LANES) MASK;
// PoCL makes vload16 of eight loads, and does not join them again where they are added: one load, then.
typedef REAL LOOSE_REAL __attribute__((aligned(4)));
#    define real_load(p)         (*(__global const LOOSE_REAL *)(p))
#    define real_store(p, a)     (*(__global LOOSE_REAL *)(p) = (a))
// integers, and arrays of an item's own
#    define lanes_load(p)        WB_JOIN(vload, WB_LANES)(0, p)
#    define lanes_store(p, a)    WB_JOIN(vstore, WB_LANES)(a, 0, p)
#    define real_select(m, a, b) select(b, a, m)
#    define real_ints(a)         WB_JOIN(convert_int, WB_LANES)(a)
// 1 in lanes that are true: comparisons give -1
#    define mask_ones(m)         (-(m))
// true in lanes 0 … n - 1
#    define lanes_below(n)       (lane_index() < (n))
#    if WB_LANES == 4
#        define FOLD(op, a) op((a).lo, (a).hi)
WB_INLINE MASK lane_index(void) { return (MASK)(0, 1, 2, 3); }
#    elif WB_LANES == 8
#        define FOLD(op, a) op(op((a).lo.lo, (a).lo.hi), op((a).hi.lo, (a).hi.hi))
WB_INLINE MASK lane_index(void) { return (MASK)(0, 1, 2, 3, 4, 5, 6, 7); }
#    else
#        define FOLD(op, a)                                                                                  \
            op(op(op((a).lo.lo.lo, (a).lo.lo.hi), op((a).lo.hi.lo, (a).lo.hi.hi)),                           \
               op(op((a).hi.lo.lo, (a).hi.lo.hi), op((a).hi.hi.lo, (a).hi.hi.hi)))
WB_INLINE MASK lane_index(void) { return (MASK)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15); }
#    endif
WB_INLINE float2 add_reals(float2 a, float2 b) { return a + b; }
WB_INLINE int2 add_ints(int2 a, int2 b) { return a + b; }
WB_INLINE float real_sum(REAL a) {
    float2 b = FOLD(add_reals, a);
    return b.x + b.y;
}
WB_INLINE float real_largest(REAL a) {
    float2 b = FOLD(max, a);
    return max(b.x, b.y);
}
WB_INLINE int mask_sum(MASK a) {
    int2 b = FOLD(add_ints, a);
    return b.x + b.y;
}
#endif

WB_INLINE REAL real_set(float a) { return (REAL)(a); }
WB_INLINE REAL real_madd(REAL a, REAL b, REAL c) { return fma(a, b, c); }
WB_INLINE REAL real_abs(REAL a) { return fabs(a); }
WB_INLINE REAL real_max(REAL a, REAL b) { return real_select(a > b, a, b); }
WB_INLINE REAL real_min(REAL a, REAL b) { return real_select(a < b, a, b); }
WB_INLINE REAL real_sqrt(REAL a) { return sqrt(a); }
WB_INLINE REAL real_rsqrt(REAL a) { return 1.0f / sqrt(a); }
WB_INLINE REAL real_scaled_root(REAL a, float scale, float tiny) { return sqrt(a) * scale; }
WB_INLINE REAL real_rcp(REAL a) { return 1.0f / a; }
WB_INLINE MASK real_less(REAL a, REAL b) { return a < b; }
