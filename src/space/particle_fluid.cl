// SPDX-License-Identifier: MIT
// What the particle fluids of all solvers do on a device, beside the search (walk.cl): summaries of particles that moved. A
// kernel that moves particles has groups of FLUID_SUMMARY_GROUP items, which go over the particles with the stride of all items,
// so that there are few groups however many particles there are:
//
//     __kernel IN_SUMMARY_GROUPS void x(int count, …, SUMMARIES(neighbours, shared, summaries)) {
//         Tally tally = begin_tally(count);
//         int i;
//         while (next_lanes(&tally, &i)) {
//             …                                          WB_LANES particles from i on
//             add_to_tally(&tally, …);
//         }
//         end_tally(&tally, shared, summaries);
//     }
#define IN_SUMMARY_GROUPS __attribute__((reqd_work_group_size(FLUID_SUMMARY_GROUP, 1, 1)))
#define SUMMARIES(neighbours, shared, summaries)                                                             \
    __global const int *neighbours, __local FluidSummary *shared, __global FluidSummary *summaries

typedef struct Tally {
    int count, next;
    MASK inside;      // those of the present lanes that count
    FluidSummary sum; // of this item
} Tally;

WB_INLINE Tally begin_tally(int count) {
    const FluidSummary empty = {
        0, 0, {MAXFLOAT, MAXFLOAT, MAXFLOAT}, {-MAXFLOAT, -MAXFLOAT, -MAXFLOAT}, 0, 0, {0, 0}, 0};
    Tally tally = {count, get_global_id(0) * WB_LANES, 0, empty};
    return tally;
}

WB_INLINE bool next_lanes(Tally *tally, int *i) {
    *i = tally->next;
    tally->next += get_global_size(0) * WB_LANES;
    tally->inside = lanes_below(tally->count - *i);
    return *i < tally->count;
}

// Adds another summary to one.
WB_INLINE void join_summaries(FluidSummary *summary, const FluidSummary *other) {
    const uint low = other->neighbours[0];
    summary->maxSpeed2 = max(summary->maxSpeed2, other->maxSpeed2);
    summary->maxDensity = max(summary->maxDensity, other->maxDensity);
    for (int a = 0; a < 3; a++) {
        summary->min[a] = min(summary->min[a], other->min[a]);
        summary->max[a] = max(summary->max[a], other->max[a]);
    }
    summary->speed2 += other->speed2;
    summary->fall += other->fall;
    summary->neighbours[0] += low;
    summary->neighbours[1] += other->neighbours[1] + (summary->neighbours[0] < low ? 1u : 0u);
    summary->broken += other->broken;
}

// v2, 0 in lanes that do not count; not finite where something broke.
WB_INLINE REAL squared_speed(const Tally *tally, Real3 v) {
    return real_select(tally->inside, v.x * v.x + v.y * v.y + v.z * v.z, real_set(0));
}

// Particles where they are now.
WB_INLINE void add_to_tally(Tally *tally, Real3 p, Real3 v, REAL density, MASK neighbours) {
    const REAL speed2 = squared_speed(tally, v);
    const MASK inside = tally->inside;
    const Box box = box_around(p, inside);
    const FluidSummary these = {real_largest(speed2),
                                real_largest(real_select(inside, density, real_set(0))),
                                {box.low[0], box.low[1], box.low[2]},
                                {box.high[0], box.high[1], box.high[2]},
                                0,
                                0,
                                {(uint)mask_sum(real_select(inside, neighbours, (MASK)(0))), 0},
                                mask_sum(mask_ones(!(speed2 < MAXFLOAT)))};
    join_summaries(&tally->sum, &these);
}

// The same particles' v2 and g·x, times their relative densities.
WB_INLINE void add_energies(Tally *tally, Real3 v, REAL fall, REAL heaviness) {
    tally->sum.speed2 +=
        real_sum(real_select(tally->inside, squared_speed(tally, v) * heaviness, real_set(0)));
    tally->sum.fall += real_sum(real_select(tally->inside, fall * heaviness, real_set(0)));
}

// All items of a group come here.
WB_INLINE void end_tally(Tally *tally, __local FluidSummary *shared, __global FluidSummary *summaries) {
    shared[get_local_id(0)] = tally->sum;
    for (int width = FLUID_SUMMARY_GROUP / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(0) >= width) continue;
        FluidSummary other = shared[get_local_id(0) + width];
        join_summaries(&tally->sum, &other);
        shared[get_local_id(0)] = tally->sum;
    }
    if (get_local_id(0) == 0) summaries[get_group_id(0)] = tally->sum;
}
