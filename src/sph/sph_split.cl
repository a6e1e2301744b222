// SPDX-License-Identifier: MIT
// The split scheme on a device. Built with HASHED, WENDLAND and MIXED (fluids of different density) 0 or 1. Formulas stand in
// sph_split_formula.h. The host queues updates without asking whether they are needed: those of a solve that is done end at once.
//
// Own columns: k of the last update, and y ahead of it, from which the next one starts; a, and the k + w that press on colliders; B and what
// nears by itself (`nearings`) are read where colliders are alone, `relative` where MIXED alone.

WB_INLINE REAL own_lightness(__global const float *relative, int i) {
#if MIXED
    return 1.0f / real_load(relative + i);
#else
    return real_set(1);
#endif
}
WB_INLINE float other_lightness(__global const float *relative, int j) {
#if MIXED
    return 1.0f / relative[j];
#else
    return 1;
#endif
}

// e = rho/rho0 - 1
WB_INLINE REAL own_excess(__global const float *densities, int i, const SphSplitConstants *c) {
    return real_madd(real_load(densities + i), real_set(c->sph.inverseRestDensity), real_set(-1));
}

// D and dt G v + E, but for what colliders do by themselves; and the pressures of the step before, with which updates begin.
__kernel void sph_split_begin(SEARCHED(particle), SphSplitConstants constants, IN3(vx, vy, vz),
                              __global const float *densities, __global const float *relative,
                              __global const float *pressures, int hasBoundary, IN3(bx, by, bz),
                              __global float *gains, __global float *targets, __global float *ks,
                              __global float *ys, __global SphSplitProgress *progress) {
    WALK(walk, particle);
    if (get_global_id(0) == 0) *progress = split_start();
    if (walk.isPast) return;
    const Real3 v = load3(vx, vy, vz, walk.first);
    const REAL lightness = own_lightness(relative, walk.first);
    Real3 sum = zero3();
    REAL squares = real_set(0), rate = real_set(0);
    while (next_group(&walk)) {
        const Real3 sumBefore = sum;
        const REAL squaresBefore = squares, rateBefore = rate;
        while (next_run_around(&walk)) {
            const Real3 from = less_offset(walk.p, &walk.ghost);
            const Real3 against = less3(ghost_wind(&walk.ghost), v);
            while (next_candidate(&walk)) {
                const Real3 d = find_gap(from, &walk);
                const REAL r2 = square3(d);
                if (is_beyond(r2, constants.sph.h2)) continue;
                const REAL gradient = split_gradient(WENDLAND, r2, &constants);
                sum = madd3(gradient, d, sum);
                squares = real_madd(gradient * gradient, r2 * other_lightness(relative, walk.j), squares);
                rate =
                    real_madd(gradient, dot3(d, find_slip(against, &walk.ghost, vx, vy, vz, walk.j)), rate);
            }
        }
        sum = select3(walk.inside, sum, sumBefore);
        squares = real_select(walk.inside, squares, squaresBefore);
        rate = real_select(walk.inside, rate, rateBefore);
    }
    if (hasBoundary) {
        const Real3 b = load3(bx, by, bz, walk.first);
        sum = add3(sum, b);
        rate -= dot3(b, v);
    }
    const REAL e = own_excess(densities, walk.first, &constants);
    real_store(gains + walk.first, split_gain(real_madd(dot3(sum, sum), lightness, squares), &constants));
    real_store(targets + walk.first, real_madd(rate, real_set(constants.dt), split_allowed(e, &constants)));
    const REAL k = split_remember(real_load(pressures + walk.first), &constants);
    real_store(ks + walk.first, k);
    real_store(ys + walk.first, k);
}

// sum (own + y_j) V F (x_i - x_j)
WB_INLINE Real3 sum_pressures(Walk *walk, REAL own, __global const float *ys, const SphSplitConstants *c) {
    Real3 sum = zero3();
    while (next_group(walk)) {
        const Real3 before = sum;
        while (next_run_around(walk)) {
            const Real3 from = less_offset(walk->p, &walk->ghost);
            while (next_candidate(walk)) {
                const Real3 d = find_gap(from, walk);
                const REAL r2 = square3(d);
                if (is_beyond(r2, c->sph.h2)) continue;
                const REAL gradient = split_gradient(WENDLAND, r2, c);
                sum = madd3(gradient * (own + ys[walk->j]), d, sum);
            }
        }
        sum = select3(walk->inside, sum, before);
    }
    return sum;
}

// a from y; beside colliders w stops what still comes nearer.
__kernel void sph_split_accelerate(SEARCHED(particle), SphSplitConstants constants,
                                   __global const SphSplitProgress *progress, __global const float *ys,
                                   IN3(fx, fy, fz), IN3(vx, vy, vz), __global const float *densities,
                                   __global const float *relative, int hasBoundary, IN3(bx, by, bz),
                                   __global const float *nearings, OUT3(ax, ay, az),
                                   __global float *presses) {
    WALK(walk, particle);
    if (walk.isPast || progress->isDone) return;
    const int i = walk.first;
    const REAL lightness = own_lightness(relative, i), y = real_load(ys + i);
    const Real3 force = add3(sum_pressures(&walk, y, ys, &constants), load3(fx, fy, fz, i));
    Real3 a = real3(real_madd(force.x, lightness, real_set(constants.gravity[0])),
                    real_madd(force.y, lightness, real_set(constants.gravity[1])),
                    real_madd(force.z, lightness, real_set(constants.gravity[2])));
    REAL press = y;
    if (hasBoundary) {
        const Real3 b = load3(bx, by, bz, i);
        a = madd3(y * lightness, b, a);
        const Real3 v = madd3(real_set(constants.dt), a, load3(vx, vy, vz, i));
        const REAL nearing = (real_load(nearings + i) - dot3(b, v)) * constants.dt;
        const REAL allowed = split_allowed(own_excess(densities, i, &constants), &constants);
        const REAL w = split_contact(nearing, allowed, dot3(b, b), lightness, &constants);
        a = madd3(w * lightness, b, a);
        press += w;
    }
    store3(ax, ay, az, i, a);
    real_store(presses + i, press);
}

// The next k and y from a, and for each item what it changed.
__kernel void sph_split_update(SEARCHED(particle), SphSplitConstants constants,
                               __global const SphSplitProgress *progress, IN3(ax, ay, az),
                               __global const float *gains, __global const float *targets, int hasBoundary,
                               IN3(bx, by, bz), __global const float *nearings, __global float *ks,
                               __global float *ys, __global float *changes) {
    WALK(walk, particle);
    if (walk.isPast || progress->isDone) return;
    const int i = walk.first;
    const Real3 a = load3(ax, ay, az, i);
    REAL rate = real_set(0);
    while (next_group(&walk)) {
        const REAL before = rate;
        while (next_run_around(&walk)) {
            const Real3 from = less_offset(walk.p, &walk.ghost);
            while (next_candidate(&walk)) {
                const Real3 d = find_gap(from, &walk), other = mirrored_at(ax, ay, az, &walk);
                const REAL r2 = square3(d);
                if (is_beyond(r2, constants.sph.h2)) continue;
                rate = real_madd(split_gradient(WENDLAND, r2, &constants), dot3(d, less3(other, a)), rate);
            }
        }
        rate = real_select(walk.inside, rate, before);
    }
    REAL residual = real_load(targets + i);
    if (hasBoundary) {
        rate -= dot3(load3(bx, by, bz, i), a);
        residual = real_madd(real_load(nearings + i), real_set(constants.dt), residual);
    }
    residual = real_madd(rate, real_set(constants.dt2), residual);
    const SphSplitUpdate update =
        split_update(real_load(ys + i), residual, real_load(gains + i) * progress->share);
    const REAL ahead = update.k - real_load(ks + i);
    real_store(ks + i, update.k);
    real_store(ys + i, real_max(real_madd(ahead, real_set(progress->momentum), update.k), real_set(0)));
    const MASK inside = lanes_below(particleCount - i);
    const int item = get_global_id(0);
    changes[2 * item] = real_sum(real_select(inside, real_abs(update.change), real_set(0)));
    changes[2 * item + 1] = real_sum(real_select(inside, update.change, real_set(0)));
}

// Sums over groups of items are those of a tree; how many groups there are follows from the number of particles alone.
#define IN_SUM_GROUPS __attribute__((reqd_work_group_size(SPLIT_SUM_GROUP, 1, 1)))

WB_INLINE SphSplitChange sum_in_group(SphSplitChange own, __local SphSplitChange *shared) {
    const int item = get_local_id(0);
    shared[item] = own;
    for (int width = SPLIT_SUM_GROUP / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item >= width) continue;
        shared[item].size += shared[item + width].size;
        shared[item].smooth += shared[item + width].smooth;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return shared[0];
}

// Changes of items, summed over groups of neighbours, then over all of these that a group of items has.
__kernel IN_SUM_GROUPS void sph_split_sum(int items, __global const SphSplitProgress *progress,
                                          __global const float *changes, __local SphSplitChange *shared,
                                          __global SphSplitChange *sums) {
    const int width = SPLIT_NEIGHBOURS / WB_LANES;
    SphSplitChange own = {0, 0};
    if (progress->isDone) return;
    for (int first = get_global_id(0) * width; first < items; first += get_global_size(0) * width) {
        float group = 0;
        for (int k = first; k < min(first + width, items); k++)
            own.size += changes[2 * k], group += changes[2 * k + 1];
        own.smooth += fabs(group);
    }
    const SphSplitChange all = sum_in_group(own, shared);
    if (get_local_id(0) == 0) sums[get_group_id(0)] = all;
}

// By one group.
__kernel IN_SUM_GROUPS void sph_split_decide(int groups, int count, SphSplitLimits limits,
                                             __global const SphSplitChange *sums,
                                             __local SphSplitChange *shared,
                                             __global SphSplitProgress *progress) {
    SphSplitChange own = {0, 0};
    if (progress->isDone) return;
    for (int k = get_local_id(0); k < groups; k += SPLIT_SUM_GROUP)
        own.size += sums[k].size, own.smooth += sums[k].smooth;
    SphSplitChange all = sum_in_group(own, shared);
    if (get_local_id(0) > 0) return;
    all.size /= count, all.smooth /= count;
    *progress = split_go_on(*progress, all, &limits);
}

// Pressures; accelerations as forces of a move; y of the correction of places.
__kernel void sph_split_end(int count, SphSplitConstants constants, IN3(ax, ay, az),
                            __global const float *densities, __global const float *relative,
                            __global const float *gains, __global const float *ks, __global float *pressures,
                            __global float *ys, OUT3(fx, fy, fz)) {
    const int i = get_global_id(0) * WB_LANES;
    if (i >= count) return;
#if MIXED
    const REAL heaviness = real_load(relative + i);
#else
    const REAL heaviness = real_set(1);
#endif
    const REAL e = own_excess(densities, i, &constants);
    real_store(fx + i, (real_load(ax + i) - constants.gravity[0]) * heaviness);
    real_store(fy + i, (real_load(ay + i) - constants.gravity[1]) * heaviness);
    real_store(fz + i, (real_load(az + i) - constants.gravity[2]) * heaviness);
    real_store(pressures + i, split_pressure(real_load(ks + i), &constants));
    real_store(ys + i, split_push(e, real_load(gains + i)));
}

// A boundary pushes by twice the particle's own: as if it were water of the same density.
__kernel void sph_split_part(SEARCHED(particle), SphSplitConstants constants, __global const float *ys,
                             __global const float *gains, __global const float *densities,
                             __global const float *relative, int hasBoundary, IN3(bx, by, bz),
                             OUT3(pushX, pushY, pushZ)) {
    WALK(walk, particle);
    if (walk.isPast) return;
    const int i = walk.first;
    const REAL own = real_load(ys + i);
    Real3 b = zero3();
    REAL shift = real_set(0);
    if (hasBoundary) {
        b = load3(bx, by, bz, i);
        shift =
            split_shift(own_excess(densities, i, &constants), dot3(b, b), real_load(gains + i), &constants);
    }
    Real3 push = madd3(2.0f * own + shift, b, sum_pressures(&walk, own + shift, ys, &constants));
    push = scale3(push, own_lightness(relative, i) * constants.dt2);
    store3(pushX, pushY, pushZ, i, scale3(push, split_cut(dot3(push, push), &constants)));
}

__kernel void sph_split_move(int count, IN3(pushX, pushY, pushZ), OUT3(x, y, z)) {
    const int i = get_global_id(0) * WB_LANES;
    if (i < count) store3(x, y, z, i, add3(load3(x, y, z, i), load3(pushX, pushY, pushZ, i)));
}

// As wbSphSplit_FindUsual: speeds, then paces. Integers do not depend on the order in which they are counted.
__kernel void sph_split_count_speeds(int count, SphSplitConstants constants, IN3(vx, vy, vz),
                                     __global const float *pressures, __global const float *relative,
                                     __global uint *counts) {
    const int i = get_global_id(0) * WB_LANES;
    for (int k = i; k < min(i + WB_LANES, count); k++) {
        const float speed2 = vx[k] * vx[k] + vy[k] * vy[k] + vz[k] * vz[k];
        float pressure = pressures[k] + constants.sph.ambient;
#if MIXED
        pressure /= relative[k];
#endif
        const uint pace = as_uint(constants.paceOfPressure * pressure);
        atomic_inc(&counts[as_uint(speed2) >> SPLIT_SPEED_SHIFT & (SPLIT_SPEED_BINS - 1)]);
        atomic_inc(&counts[SPLIT_SPEED_BINS + (pace >> SPLIT_SPEED_SHIFT & (SPLIT_SPEED_BINS - 1))]);
    }
}

// A group for speeds, one for paces: each item sums a range of bins, then the first goes down these, and down the bins
// of the one in question.
__kernel IN_SUM_GROUPS void sph_split_find_speed(int count, __global const uint *counts, __local uint *shared,
                                                 __global float *speed) {
    const int range = SPLIT_SPEED_BINS / SPLIT_SUM_GROUP, item = get_local_id(0);
    const long most = count / SPLIT_FASTER;
    uint own = 0;
    counts += SPLIT_SPEED_BINS * get_group_id(0);
    for (int k = 0; k < range; k++) own += counts[range * item + k];
    shared[item] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item > 0) return;
    long faster = 0;
    int last = SPLIT_SUM_GROUP - 1;
    while (last > 0 && faster + shared[last] <= most) faster += shared[last--];
    int bin = range * (last + 1) - 1;
    while (bin > 0 && (faster += counts[bin]) <= most) bin--;
    speed[get_group_id(0)] = sqrt(as_float((uint)(bin + 1) << SPLIT_SPEED_SHIFT)); // the upper end
}
