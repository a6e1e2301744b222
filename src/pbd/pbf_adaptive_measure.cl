// SPDX-License-Identifier: MIT
// What a look at particles of different sizes measures on a device, where they are: densities, distances to the surface; and how they are relaxed
// after changes. Behind pbf_adaptive.cl.

// Density, and h |grad C| in units of that of a flat surface.
__kernel void sized_measure(SEARCHED_SIZES(predicted), IN3(x, y, z), BOUNDARY, __global float *densities,
                            __global float *gradients) {
    WALK_OCTAVES(walk, predicted);
    const int first = walk.first;
    if (walk.isPast) return;
    const Constraint sums = SUM_CONSTRAINT(walk);
    const REAL h = lanes_of(sizing->levels.h, predictedLevel, first);
    real_store(densities + first, sums.density);
    real_store(gradients + first,
               real_sqrt(sums.gradient2) * h * (constants.mixedGradient / sizing->levels.flatGradient));
}

// Distances of the last look, negative where a particle looks like one of a surface.
__kernel void sized_mark(int count, PbfSurface surface, __global const float *densities,
                         __global const float *gradients, __global const float *distances,
                         __global float *marks) {
    const int i = get_global_id(0) * WB_LANES;
    if (i >= count) return;
    const REAL distance = real_load(distances + i);
    const REAL looks =
        pbf_looks_like_surface(real_load(densities + i), real_load(gradients + i), distance, surface);
    real_store(marks + i, distance * (1.0f - 2.0f * looks));
}

// A surface is where several neighbours agree, fewer where it was near before; or where a particle is nearly alone. The distance is half
// the particle's size there, else the least of b_j + r_ij.
__kernel void sized_find_distances(SEARCHED_SIZES(predicted), PbfSurface surface, IN3(x, y, z),
                                   __global const float *densities, __global const float *marks,
                                   __global float *distances, __global float *toMarks) {
    WALK_OCTAVES(walk, predicted);
    const int first = walk.first;
    if (walk.isPast) return;
    __constant const PbfLevels *levels = &sizing->levels;
    const REAL h = lanes_of(levels->h, predictedLevel, first), mark = real_load(marks + first);
    const Real3 p = load3(x, y, z, first);
    const REAL unknown = real_set(PBF_UNKNOWN_DISTANCE), zero = real_set(0), one = real_set(1);
    REAL nearest = unknown, agree = zero;
    while (next_octave(&walk, &walkOctaves))
        while (next_run(&walk))
            while (next_candidate(&walk)) {
                const MASK near = find_sized_near(&walk, h, levels->h[level_at(predictedLevel, walk.j)]);
                const REAL r2 = square3(pbf_gap(p, &walk.ghost, x, y, z, walk.j));
                const MASK isOther = near & real_less(real_set(constants.tiny), r2);
                const REAL other = real_set(marks[walk.j]), distance = real_abs(other) + real_sqrt(r2);
                nearest = real_min(nearest, real_select(isOther, distance, unknown));
                agree += real_select(isOther & real_less(other, zero), one, zero);
            }
    const REAL now = pbf_find_distance(mark, nearest, agree, real_load(densities + first),
                                       lanes_of(levels->radius, predictedLevel, first), surface);
    real_store(distances + first, now);
    real_store(toMarks + first, real_select(real_less(mark, zero), -now, now));
}

// Towards the density from before a change.
__kernel void sized_relax(SEARCHED_SIZES(predicted), float step, float most, IN3(x, y, z), BOUNDARY,
                          __global const float *distances, __global const float *before,
                          __global const float *lowest, __global float *mus) {
    WALK_OCTAVES(walk, predicted);
    const int first = walk.first;
    if (walk.isPast) return;
    const Constraint sums = SUM_CONSTRAINT(walk);
    REAL mu = sums.mu *
              pbf_relax_error(sums.density, real_load(before + first), real_load(distances + first),
                              real_set(sizing->levels.radius[0]), most) *
              step;
#if MIXED
    mu *= real_load(lowest + first);
#endif
    real_store(mus + first, mu);
}

__kernel void sized_shift(SEARCHED_SIZES(predicted), PbfMove move, PbfApart apart, IN3(x, y, z), BOUNDARY,
                          __global const float *relative, __global const float *lowest,
                          __global const float *mus, OUT3(toX, toY, toZ)) {
    WALK_OCTAVES(walk, predicted);
    const int first = walk.first;
    if (walk.isPast) return;
    const Real3 push = SUM_PUSHES(walk, apart, true), p = load3(x, y, z, first);
    store3(toX, toY, toZ, first,
           real3(pbf_confine(p.x - push.x, 0, &move), pbf_confine(p.y - push.y, 1, &move),
                 pbf_confine(p.z - push.z, 2, &move)));
}

// What is still off becomes the rest offset.
__kernel void sized_carry(int count, __global const float *densities, __global const float *before,
                          PbfCarry carry, __global float *offsets) {
    const int i = get_global_id(0);
    if (i < count) offsets[i] = pbf_carried(densities[i], before[i], carry);
}
