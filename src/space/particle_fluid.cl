// SPDX-License-Identifier: MIT
// What the particle fluids of all solvers do on a device, beside the search (walk.cl): fluids of different density, and summaries
// of particles that moved. A kernel that moves particles has groups of FLUID_SUMMARY_GROUP items, which go over the particles
// with the stride of all items, so that there are few groups however many particles there are:
//
//     __local FluidSummary shared[FLUID_SUMMARY_GROUP];
//     FluidSummary own = empty_summary();
//     for (int i = get_global_id(0) * WB_LANES; i < count; i += get_global_size(0) * WB_LANES) {
//         …
//         FluidSummary these = summarize(…);
//         join_summaries(&own, &these);
//     }
//     write_summary(own, shared, summaries);

// Of which fluid particles are, by their ids: relative densities. Runs of ids begin at `first`, see wbMixture.
__kernel void fluid_mix(int count, int runs, __global const uint *first, __global const float *densities,
                        __global const uint *ids, __global float *relative) {
    const int i = get_global_id(0);
    if (i >= count) return;
    int low = 0, high = runs;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (first[middle] <= ids[i])
            low = middle;
        else
            high = middle;
    }
    relative[i] = densities[low];
}

WB_INLINE FluidSummary empty_summary(void) {
    FluidSummary summary = {
        0, 0, {MAXFLOAT, MAXFLOAT, MAXFLOAT}, {-MAXFLOAT, -MAXFLOAT, -MAXFLOAT}, 0, 0, {0, 0}, 0};
    return summary;
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

// WB_LANES particles, of which those count that are inside; speed2 is not finite where something broke.
WB_INLINE FluidSummary summarize(Real3 p, REAL speed2, REAL density, MASK neighbours, MASK inside) {
    const Box box = box_around(p, inside);
    FluidSummary summary = {real_largest(speed2),
                            real_largest(real_select(inside, density, real_set(0))),
                            {box.low[0], box.low[1], box.low[2]},
                            {box.high[0], box.high[1], box.high[2]},
                            0,
                            0,
                            {(uint)mask_sum(real_select(inside, neighbours, (MASK)(0))), 0},
                            mask_sum(mask_ones(!(speed2 < MAXFLOAT)))};
    return summary;
}

// v2, 0 in lanes that do not count.
WB_INLINE REAL squared_speed(Real3 v, MASK inside) {
    return real_select(inside, v.x * v.x + v.y * v.y + v.z * v.z, real_set(0));
}

// All items of a group come here, each with its own summary.
WB_INLINE void write_summary(FluidSummary own, __local FluidSummary *shared,
                             __global FluidSummary *summaries) {
    shared[get_local_id(0)] = own;
    for (int width = FLUID_SUMMARY_GROUP / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(0) >= width) continue;
        FluidSummary other = shared[get_local_id(0) + width];
        join_summaries(&own, &other);
        shared[get_local_id(0)] = own;
    }
    if (get_local_id(0) == 0) summaries[get_group_id(0)] = own;
}
