// SPDX-License-Identifier: MIT
// A sub-step of pbf_thesis.h on a device, as pbf_thesis_step.c has it. Built with HASHED of the cells, and MIXED 1 for fluids of different density.
// Formulas stand in pbf_thesis_formula.h and pbf_thesis_change_formula.h, the search in pbf_thesis_walk.cl. Neighbours are those at the predicted
// positions; x, y, z are where particles are by now.

// Where particles would go, and the keys of their cells there, by octaves of their reach.
__kernel void thesis_find_cells(int count, ThesisMove move, ThesisSizing sizing,
                                __constant PbfOctaves *octaves, IN3(x, y, z), IN3(vx, vy, vz),
                                __global const uint *id, __global const float *h,
                                __global const float *distance, OUT3(toX, toY, toZ), __global uint *keys) {
    const int i = get_global_id(0);
    if (i >= count) return;
    const float px = thesis_predict(x[i], vx[i], thesis_inset(id[i], 0, &move), 0, &move),
                py = thesis_predict(y[i], vy[i], thesis_inset(id[i], 1, &move), 1, &move),
                pz = thesis_predict(z[i], vz[i], thesis_inset(id[i], 2, &move), 2, &move);
    const float reach = thesis_reach(h[i], distance[i], &sizing);
    int octave = 0;
    while (octave < octaves->count - 1 && octaves->top[octave] < reach) octave++;
    toX[i] = px, toY[i] = py, toZ[i] = pz;
    keys[i] = octave_key(octaves, octave, px, py, pz);
}

// Where particles come to, and the places of the others of transfers, which have moved as well.
__kernel void thesis_invert(int count, __global const uint *order, __global int *places) {
    const int k = get_global_id(0);
    if (k < count) places[order[k]] = k;
}
__kernel void thesis_follow_others(int count, __global const int *places, __global int *others) {
    const int k = get_global_id(0);
    if (k < count && others[k] >= 0) others[k] = places[others[k]];
}

// What a sub-step begins with, of the sorted particles.
__kernel void thesis_begin(int count, ThesisMove move, ThesisSizing sizing, __global const uint *id,
                           __global const float *h, __global const float *distance,
                           __global const float *offset, __global float *reaches,
                           OUT3(insetX, insetY, insetZ), __global float *rests, __global float *mus) {
    const int i = get_global_id(0);
    if (i >= count) return;
    reaches[i] = thesis_reach(h[i], distance[i], &sizing);
    insetX[i] = thesis_inset(id[i], 0, &move), insetY[i] = thesis_inset(id[i], 1, &move);
    insetZ[i] = thesis_inset(id[i], 2, &move);
    rests[i] = 1 + offset[i], mus[i] = 0;
}

// Lattice sums, by masses and kernels as they are. The table of sums of squared gradients stands behind that of S.
__kernel void thesis_calibrate(int count, ThesisSizing sizing, __global const float *table,
                               __global const uint *parts, __global const float *h, __global float *volumes,
                               __global float *inverses, __global float *calibrations,
                               __global float *lattices) {
    const int i = get_global_id(0);
    if (i >= count) return;
    const float r = thesis_least_radius(thesis_radius(parts[i], &sizing), &sizing);
    const ThesisSums sums = thesis_sums(table, table + WB_THESIS_TABLE + 1, r, h[i], sizing.dimensions);
    volumes[i] = thesis_mass(parts[i]), inverses[i] = 1 / h[i];
    calibrations[i] = sums.sum, lattices[i] = sums.squares;
}

#if MIXED
// The least relative density around, see pbf_lightness.
__kernel void thesis_find_lowest(SEARCHED_REACHES(predicted), __global const float *inverses,
                                 __global const float *relative, __global float *lowest) {
    WALK_REACHES(walk, predicted, &predictedSpace.sides);
    const int first = walk.first;
    if (walk.isPast) return;
    const REAL inverseH = real_load(inverses + first);
    REAL lightness = 1.0f / real_load(relative + first);
    while (next_octave(&walk, &walkOctaves))
        while (next_run(&walk))
            while (next_candidate(&walk)) {
                const REAL inverse = real_min(inverseH, real_set(inverses[walk.j]));
                const REAL r2 = square3(find_predicted_gap(&walk));
                const REAL near = real_max(1.0f - r2 * (inverse * inverse), real_set(0));
                const REAL faded = real_min(4.0f * near, real_set(1)) / relative[walk.j];
                lightness = real_select(walk.inside, real_max(faded, lightness), lightness);
            }
    real_store(lowest + first, 1.0f / lightness);
}
#endif

// What colliders add to the constraints of particles, if there are any.
#define BOUNDARY                                                                                             \
    int hasBoundary, IN3(boundaryX, boundaryY, boundaryZ), __global const float *boundaryDensity,            \
        __global const float *boundarySquares

// Density, gradient and mu G_0; mu is summed up. Beyond `inside` from the boundary particles also come together.
__kernel void thesis_solve(SEARCHED_REACHES(predicted), float inside, IN3(x, y, z),
                           __global const float *volumes, __global const float *inverses,
                           __global const float *calibrations, __global const float *lattices, BOUNDARY,
                           __global const float *distances, __global const float *rests,
                           __global const float *lowest, __global float *mus, __global float *densities,
                           OUT3(gradientX, gradientY, gradientZ), __global float *pushes,
                           __global int *neighbours) {
    WALK_REACHES(walk, predicted, &predictedSpace.sides);
    const int first = walk.first;
    if (walk.isPast) return;
    const REAL reach = real_load(predictedReach + first), inverseH = real_load(inverses + first),
               volume = real_load(volumes + first), zero = real_set(0), one = real_set(1);
    const Real3 p = load3(x, y, z, first);
    Real3 own = zero3();
    REAL density = zero, squares = zero, sum = zero, others = zero;
    MASK found = 0;
    while (next_octave(&walk, &walkOctaves))
        while (next_run(&walk))
            while (next_candidate(&walk)) {
                const REAL predicted2 = square3(find_predicted_gap(&walk));
                const MASK near = are_reached(&walk, predicted2, reach, predictedReach[walk.j]);
                const Real3 way = pbf_gap(p, &walk.ghost, x, y, z, walk.j);
                const REAL r2 = square3(way), inverse = thesis_inverse_distance(r2, &constants);
                const REAL s = real_select(near, thesis_closeness(r2 * inverse, inverseH), zero);
                const REAL s2 = s * s, weighed = s2 * volumes[walk.j];
                const MASK isOther = real_less(zero, s * inverse);
                density = real_madd(weighed, s, density);
                own = madd3(weighed * inverse, way, own);
                squares += real_select(isOther, weighed * s2, zero);
                sum += real_select(isOther, real_set(volumes[walk.j]), zero);
                others += real_select(isOther, one, zero);
                found += mask_ones(near & (predicted2 < reach * reach));
            }
    if (hasBoundary) {
        own = add3(own, load3(boundaryX, boundaryY, boundaryZ, first));
        density += real_load(boundaryDensity + first), squares += real_load(boundarySquares + first);
    }
    const REAL calibration = real_load(calibrations + first), slope = thesis_slope(inverseH, &constants);
    density = density * thesis_kernel(inverseH, &constants) / calibration;
    REAL error = real_max(density - real_load(rests + first),
                          thesis_least_error(real_load(distances + first), inside)) *
                 thesis_weight(volume, sum, others);
#if MIXED
    error *= real_load(lowest + first);
#endif
    const REAL push = thesis_push(error, calibration, volume, squares, square3(own),
                                  real_load(lattices + first), inverseH, &constants);
    real_store(densities + first, density);
    real_store(mus + first, real_load(mus + first) + push / slope);
    real_store(pushes + first, push);
    store3(gradientX, gradientY, gradientZ, first, scale3(own, -slope / calibration));
    lanes_store(neighbours + first, found);
}

// dp_i = sum V_j (mu_i grad W(h_i) + mu_j grad W(h_j)), kept in the room.
__kernel void thesis_correct(SEARCHED_REACHES(predicted), ThesisMove move, IN3(x, y, z),
                             __global const float *volumes, __global const float *inverses, BOUNDARY,
                             __global const float *relative, __global const float *pushes,
                             IN3(insetX, insetY, insetZ), OUT3(toX, toY, toZ)) {
    WALK_REACHES(walk, predicted, &predictedSpace.sides);
    const int first = walk.first;
    if (walk.isPast) return;
    const REAL reach = real_load(predictedReach + first), inverseH = real_load(inverses + first),
               push = real_load(pushes + first);
    const Real3 p = load3(x, y, z, first);
    Real3 sum = zero3();
    while (next_octave(&walk, &walkOctaves))
        while (next_run(&walk))
            while (next_candidate(&walk)) {
                const MASK near = find_near(&walk, reach, predictedReach[walk.j]);
                const Real3 way = pbf_gap(p, &walk.ghost, x, y, z, walk.j);
                const REAL r2 = square3(way), inverse = thesis_inverse_distance(r2, &constants),
                           r = r2 * inverse;
                const REAL mine = thesis_closeness(r, inverseH),
                           theirs = thesis_closeness(r, real_set(inverses[walk.j]));
                const REAL pushed =
                    volumes[walk.j] * inverse * (push * mine * mine + pushes[walk.j] * theirs * theirs);
                sum = madd3(real_select(near, pushed, real_set(0)), way, sum);
            }
    if (hasBoundary)
        sum = madd3(push * PBF_BOUNDARY_SHARE, load3(boundaryX, boundaryY, boundaryZ, first), sum);
#if MIXED
    sum = scale3(sum, 1.0f / real_load(relative + first));
#endif
    store3(toX, toY, toZ, first,
           real3(thesis_keep_inside(p.x - sum.x, real_load(insetX + first), 0, &move),
                 thesis_keep_inside(p.y - sum.y, real_load(insetY + first), 1, &move),
                 thesis_keep_inside(p.z - sum.z, real_load(insetZ + first), 2, &move)));
}

// Who is at the boundary, section 4.5.1: by particles alone, for sides and colliders are a boundary too.
__kernel void thesis_find_boundary(SEARCHED_REACHES(predicted), IN3(x, y, z), __global const float *volumes,
                                   __global const float *inverses, __global const float *calibrations,
                                   __global float *marks) {
    WALK_REACHES(walk, predicted, 0);
    const int first = walk.first;
    if (walk.isPast) return;
    const REAL reach = real_load(predictedReach + first), inverseH = real_load(inverses + first),
               calibration = real_load(calibrations + first);
    const Points now = points_of(x, y, z);
    const Real3 p = load3(x, y, z, first);
    Real3 gradient = zero3();
    REAL density = real_set(0);
    while (next_octave(&walk, &walkOctaves))
        while (next_run(&walk))
            while (next_candidate(&walk)) {
                const MASK near = find_real_near(&walk, reach, predictedReach[walk.j]);
                const Real3 way = gap_from(now, walk.j, p);
                const REAL r2 = square3(way), inverse = thesis_inverse_distance(r2, &constants);
                const REAL s = real_select(near, thesis_closeness(r2 * inverse, inverseH), real_set(0));
                const REAL weighed = s * s * volumes[walk.j];
                density = real_madd(weighed, s, density);
                gradient = madd3(weighed * inverse, way, gradient);
            }
    density = density * thesis_kernel(inverseH, &constants) / calibration;
    gradient = scale3(gradient, -thesis_slope(inverseH, &constants) / calibration);
    const REAL length = real_sqrt(square3(gradient));
    REAL is = thesis_is_steep(length, inverseH, &constants);
    begin_again(&walkOctaves);
    while (next_octave(&walk, &walkOctaves))
        while (next_run(&walk))
            while (next_candidate(&walk)) {
                const MASK near = find_real_near(&walk, reach, predictedReach[walk.j]);
                const Real3 way = gap_from(now, walk.j, p);
                const REAL seen = thesis_if_nobody_ahead(is, length, real_sqrt(square3(way)),
                                                         dot3(gradient, way), inverseH);
                is = real_select(near, seen, is);
            }
    real_store(marks + first, thesis_is_boundary(is, density, real_load(volumes + first), &constants));
}

// The distances that the boundary begins with.
__kernel void thesis_mark(int count, ThesisSizing sizing, __global const uint *parts,
                          __global const float *marks, __global const float *distances,
                          __global float *known) {
    const int i = get_global_id(0);
    if (i < count) known[i] = marks[i] > 0 ? thesis_radius(parts[i], &sizing) : distances[i];
}

// (4.32), one neighbourhood farther than in the last step.
__kernel void thesis_find_distances(SEARCHED_REACHES(predicted), IN3(x, y, z), __global const float *marks,
                                    __global const float *known, __global float *distances) {
    WALK_REACHES(walk, predicted, 0);
    const int first = walk.first;
    if (walk.isPast) return;
    const REAL reach = real_load(predictedReach + first), none = real_set(1e30f),
               own = real_load(known + first), zero = real_set(0);
    const Real3 p = load3(x, y, z, first);
    REAL nearest = none;
    while (next_octave(&walk, &walkOctaves))
        while (next_run(&walk))
            while (next_candidate(&walk)) {
                const MASK near = find_real_near(&walk, reach, predictedReach[walk.j]);
                const REAL r2 = square3(gap_from(points_of(x, y, z), walk.j, p));
                const MASK isOther = near & real_less(real_set(constants.tiny), r2);
                nearest = real_min(nearest, real_select(isOther, known[walk.j] + real_sqrt(r2), none));
            }
    const REAL inner = real_select(real_less(nearest, real_set(1e14f)), nearest, own);
    real_store(distances + first, real_select(real_less(zero, real_load(marks + first)), own, inner));
}

// The density that is to stay where changes are settled, from densities in this unit: where constraints push, at least the rest density.
__kernel void thesis_press(int count, __global const float *densities, float unit,
                           __global const float *offset, __global float *rests) {
    const int i = get_global_id(0);
    if (i < count) rests[i] = pbf_pressed(densities[i] / unit, offset[i]);
}

// Sides of the box that nothing slips along, for one axis of the velocity.
WB_INLINE REAL stick_to_sides(REAL speed, int axis, const REAL to[3], const ThesisMove *move,
                              const ThesisConstants *c) {
    for (int s = 0; s < 6; s++)
        if (move->sticks[s] && s / 2 != axis)
            speed += thesis_side_share(to[s / 2], s, move, c) * (move->sideVelocity[s][axis] - speed);
    return speed;
}

// Velocities of WB_LANES particles along one axis from their way; they arrive.
WB_INLINE REAL arrive(__global float *x, __global float *v, int axis, const REAL to[3],
                      const ThesisMove *move, const ThesisConstants *c) {
    const REAL speed = stick_to_sides((to[axis] - real_load(x)) * move->rate, axis, to, move, c);
    real_store(x, to[axis]);
    real_store(v, speed);
    return speed;
}

__kernel IN_SUMMARY_GROUPS void thesis_finish(int count, ThesisConstants constants, ThesisMove move,
                                              OUT3(x, y, z), OUT3(vx, vy, vz), IN3(px, py, pz),
                                              __global const float *relative, __global const float *mus,
                                              __global float *densities, __global float *pressures,
                                              SUMMARIES(neighbours, shared, summaries)) {
    Tally tally = begin_tally(count);
    int i;
    while (next_lanes(&tally, &i)) {
        const REAL to[3] = {real_load(px + i), real_load(py + i), real_load(pz + i)};
        const Real3 v = real3(arrive(x + i, vx + i, 0, to, &move, &constants),
                              arrive(y + i, vy + i, 1, to, &move, &constants),
                              arrive(z + i, vz + i, 2, to, &move, &constants));
        const REAL density = real_load(relative + i) * constants.restDensity;
        real_store(pressures + i, real_load(mus + i) * (-constants.restDensity * move.rate * move.rate));
        real_store(densities + i, density);
        add_to_tally(&tally, real3(to[0], to[1], to[2]), v, density, lanes_load(neighbours + i));
    }
    end_tally(&tally, shared, summaries);
}

// XSPH
__kernel void thesis_smooth(SEARCHED_REACHES(predicted), IN3(x, y, z), __global const float *volumes,
                            __global const float *inverses, __global const float *offset,
                            __global const float *relative, IN3(vx, vy, vz), OUT3(toVx, toVy, toVz)) {
    WALK_REACHES(walk, predicted, &predictedSpace.sides);
    const int first = walk.first;
    if (walk.isPast) return;
    const REAL reach = real_load(predictedReach + first), inverseH = real_load(inverses + first),
               calming = thesis_calming(real_load(offset + first), &constants);
    const Real3 p = load3(x, y, z, first), v = load3(vx, vy, vz, first);
#if MIXED
    const REAL own = real_load(relative + first);
#endif
    Real3 change = zero3();
    while (next_octave(&walk, &walkOctaves))
        while (next_run(&walk))
            while (next_candidate(&walk)) {
                const MASK near = find_near(&walk, reach, predictedReach[walk.j]);
                const REAL r = real_sqrt(square3(pbf_gap(p, &walk.ghost, x, y, z, walk.j)));
                REAL w = thesis_mixing(r, inverseH, real_set(inverses[walk.j]), &constants);
#if MIXED
                const REAL other = real_set(relative[walk.j]);
                w *= 2.0f * other / (own + other);
#endif
                w *= 0.25f * (calming + thesis_calming(real_set(offset[walk.j]), &constants)) *
                     volumes[walk.j];
                change = madd3(real_select(near, w, real_set(0)),
                               pbf_speed_gap(v, &walk.ghost, vx, vy, vz, walk.j), change);
            }
    store3(toVx, toVy, toVz, first, add3(v, change));
}

// What particles weigh over the smallest, for continuous collision.
__kernel void thesis_weigh(int count, __global const uint *parts, __global const float *relative,
                           __global float *weights) {
    const int i = get_global_id(0);
    if (i >= count) return;
    weights[i] = thesis_mass(parts[i]) * (MIXED ? relative[i] : 1);
}

// What is left of a change becomes the rest offset.
__kernel void thesis_carry(int count, float restDensity, __global const float *relative,
                           __global const float *rests, __global float *offset, __global float *densities) {
    const int i = get_global_id(0);
    if (i >= count) return;
    const PbfCarry carry = THESIS_CARRY;
    offset[i] = pbf_carried(relative[i], rests[i], carry);
    densities[i] = relative[i] * restDensity;
}
