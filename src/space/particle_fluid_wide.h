// SPDX-License-Identifier: MIT
// Passes of particle fluids, for *_wide.c files: the walk over neighbour lists, records and vectors of WB_LANES points, maxima.
#pragma once

#include "core/real.h"
#include "space/neighbours_wide.h"
#include "space/particle_fluid.h"

/// WB_LANES points from i on and their lists.
typedef struct wbLanes {
    int i;
    unsigned terms;  ///< constant, where a pass is written for WB_LIST_RANGE
    const int *row;  ///< lane l of it is a neighbour of point i + l; there is one after next_pair
    const int *rows; ///< of their group
    int next, rowCount;
    const float *others; ///< records
    REAL4 self, other;   ///< records of the points, and of their neighbours
    REAL4 way;           ///< from the neighbours to the points; w is its square
} wbLanes;

/// A pass over lists as a method writes it: sums over neighbours with `while (next_pair(&at))`, and stores what comes of it.
typedef void wbLanesFn(const void *pass, wbLanes at);

WB_INLINE REAL4 zero4(void) { return (REAL4){real_set(0), real_set(0), real_set(0), real_set(0)}; }

/// Records of the points from i on.
WB_INLINE REAL4 load_own(const float *records, int i) {
    int own[WB_LANES];
    ints_store(own, ints_count() + i);
    return lane_load4(records, own);
}

WB_INLINE void walk_lists(const wbListPass *lists, const void *pass, int begin, int end, wbLanesFn *lanes,
                          const unsigned terms) {
    for (int i = begin; i < end; i += WB_GROUP) {
        wbLanes at = {.terms = terms, .others = lists->others};
        const int *rows = wbNeighbours_GetRows(lists->neighbours, i / WB_GROUP, &at.rowCount);
        if (lists->skipsEmpty && at.rowCount == 0) continue;
        for (int l = 0; l < WB_GROUP; l += WB_LANES) {
            at.i = i + l, at.rows = rows + l;
            if (lists->own) at.self = load_own(lists->own, at.i);
            lanes(pass, at);
        }
    }
}

WB_INLINE void walk_lists_by(const wbListPass *lists, const void *pass, int begin, int end, wbLanesFn *lanes,
                             const unsigned most) {
    unsigned terms = lists->terms & most;
    if (terms == 0)
        walk_lists(lists, pass, begin, end, lanes, 0);
    else if (terms == 1)
        walk_lists(lists, pass, begin, end, lanes, 1);
    else if (most == 3 && terms == 2)
        walk_lists(lists, pass, begin, end, lanes, 2);
    else if (most == 3)
        walk_lists(lists, pass, begin, end, lanes, 3);
}

/// Defines a range function for wbFluidStep_Run, of a pass `lanes(const Pass *pass, wbLanes at)`, with a loop of its own for each set
/// of terms up to `most`, which is 0, 1 or 3. The pass is a copy that nothing written can alias.
#define WB_LIST_RANGE(name, Pass, lanes, most)                                                               \
    WB_INLINE void name##_of(const void *pass, wbLanes at) { lanes(pass, at); }                              \
    static void name(int begin, int end, int worker, void *context) {                                        \
        (void)worker;                                                                                        \
        const wbListPass *lists = context;                                                                   \
        const Pass pass = *(const Pass *)lists->pass;                                                        \
        walk_lists_by(lists, &pass, begin, end, name##_of, most);                                            \
    }

/// One number of each of these points. Where vectors are long, reading back what was stored one by one takes longer than all else of a pass
/// over pairs: it was half of what colliders' forces cost.
WB_INLINE REAL load_numbers(const float *numbers, const int *index) {
#if WB_LANES >= 8
    return real_from_bits(ints_gather((const int *)numbers, ints_load(index), lane_first(WB_LANES)));
#else
    float lanes[WB_LANES];
    for (int l = 0; l < WB_LANES; l++) lanes[l] = numbers[index[l]];
    return real_load(lanes);
#endif
}

/// Three columns at i.
WB_INLINE REAL4 load_columns(const float *x, const float *y, const float *z, int i) {
    return (REAL4){real_load(x + i), real_load(y + i), real_load(z + i), real_set(0)};
}
WB_INLINE void store_columns(float *x, float *y, float *z, int i, REAL4 a) {
    real_store(x + i, a.x), real_store(y + i, a.y), real_store(z + i, a.z);
}

WB_INLINE REAL dot3(REAL4 a, REAL4 b) { return real_madd(a.x, b.x, real_madd(a.y, b.y, a.z * b.z)); }

/// The way from one place to another; w is its square.
WB_INLINE REAL4 get_way(REAL4 from, REAL4 to) {
    REAL4 way = {to.x - from.x, to.y - from.y, to.z - from.z, real_set(0)};
    way.w = dot3(way, way);
    return way;
}

WB_INLINE bool next_row(wbLanes *at) {
    if (at->next == at->rowCount) return false;
    at->row = at->rows + WB_GROUP * (size_t)at->next++;
    return true;
}

WB_INLINE bool next_pair(wbLanes *at) {
    if (!next_row(at)) return false;
    at->other = lane_load4(at->others, at->row);
    at->way = get_way(at->other, at->self);
    return true;
}

/// sum += scale a; w stays.
WB_INLINE void add_scaled(REAL4 *sum, REAL scale, REAL4 a) {
    sum->x = real_madd(scale, a.x, sum->x);
    sum->y = real_madd(scale, a.y, sum->y);
    sum->z = real_madd(scale, a.z, sum->z);
}
WB_INLINE void scale3(REAL4 *a, REAL scale) { a->x *= scale, a->y *= scale, a->z *= scale; }

WB_INLINE void store_own(float *records, int i, REAL4 a) { lane_store4(records + 4 * (size_t)i, a); }

/// Defines a range function for wbParallelFor and wbParallelShare: `lanes(pass, i)` for the WB_LANES points from i on, and those
/// after them.
#define WB_LANES_RANGE(name, Pass, lanes)                                                                    \
    static void name(int begin, int end, int worker, void *context) {                                        \
        (void)worker;                                                                                        \
        const Pass *pass = context;                                                                          \
        for (int i = begin; i < end; i += WB_LANES) lanes(pass, i);                                          \
    }

/// The first lanes; 0 in those past the end.
WB_INLINE REAL first_lanes(REAL a, int count) {
    float lanes[WB_LANES];
    if (count >= WB_LANES) return a;
    real_store(lanes, a);
    for (int l = count; l < WB_LANES; l++) lanes[l] = 0;
    return real_load(lanes);
}

static inline float largest_lane(REAL a) {
    float lanes[WB_LANES], largest;
    real_store(lanes, a);
    largest = lanes[0];
    for (int l = 1; l < WB_LANES; l++) largest = lanes[l] > largest ? lanes[l] : largest;
    return largest;
}

/// What WB_LANES particles have after they moved; the speed is not finite where something broke.
typedef struct wbMoved {
    REAL speed2, density;
} wbMoved;
typedef wbMoved wbMoveLanesFn(const void *pass, int i);

/// Moves particles, and finds the maxima of their blocks, see wbFluidStep.
WB_INLINE void move_range(const void *pass, int begin, int end, float (*maxima)[2], wbMoveLanesFn *lanes) {
    for (int block = begin; block < end; block += WB_BLOCK) {
        const int last = block + WB_BLOCK < end ? block + WB_BLOCK : end;
        REAL speed2 = real_set(0), density = real_set(0), check = real_set(0);
        for (int i = block; i < last; i += WB_LANES) {
            wbMoved moved = lanes(pass, i);
            moved.speed2 = first_lanes(moved.speed2, last - i);
            moved.density = first_lanes(moved.density, last - i);
            check += moved.speed2 * 0.0f;
            speed2 = real_max(moved.speed2, speed2);
            density = real_max(moved.density, density);
        }
        maxima[block / WB_BLOCK][0] = largest_lane(speed2) + real_sum(check);
        maxima[block / WB_BLOCK][1] = largest_lane(density);
    }
}

WB_INLINE void store_weights(const void *pass, int i, const float *sums) {
    const wbWeighing *weighing = pass;
    for (int l = 0; l < WB_GROUP; l++) weighing->sums[i + l] = sums[l];
}

/// Defines the range function of a wbBoundaryKernel: sums of a wbPairTerm around colliders' points.
#define WB_WEIGH_RANGE(name, Constants, term)                                                                \
    static void name(int begin, int end, int worker, void *context) {                                        \
        const wbWeighing *weighing = context;                                                                \
        const Constants c = *(const Constants *)weighing->constants; /* that nothing written can alias */    \
        wb_build_range(&weighing->lists, begin, end, worker, term, &c, store_weights, weighing);             \
    }
