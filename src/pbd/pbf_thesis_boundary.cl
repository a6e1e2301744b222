// SPDX-License-Identifier: MIT
// Colliders among particles of pbf_thesis.h on a device: a particle feels their points within its own kernel, and they feel it. Built with HASHED of the
// cells that are searched, and MIXED 1 for fluids of different density. Who is near is decided at the predicted positions. `sunk` are records of points: the unit vector
// into the collider, and the depth below its surface.

// Particles among points, with the reach of the farthest reaching of an item.
#define WALK_REACHED_PLACES(walk, p, q)                                                                      \
    WALK_PLACES(walk, p, q);                                                                                 \
    if (walk.isPast) return;                                                                                 \
    const int first = walk.first;                                                                            \
    const REAL reach = real_load(reaches + first);                                                           \
    walk.reach = largest_of(&walk, reach) * 1.00001f

WB_INLINE MASK find_place_near(const Walk *walk, REAL reach) {
    return (square3(candidate_gap(walk)) < reach * reach) & walk->inside;
}

// A point as particles at p see it, with a weight that is 0 for those that are not near it.
WB_INLINE ThesisPoint see_place(const Walk *walk, Real3 p, REAL reach, __global const float *positions,
                                __global const float *sunk, REAL weight, REAL inverseH,
                                const ThesisConstants *c) {
    const Real3 way = gap_from_record(positions, walk->j, p), in = record_at(sunk, walk->j);
    return thesis_see_point(way.x, way.y, way.z, in.x, in.y, in.z, weight_at(sunk, walk->j),
                            real_select(find_place_near(walk, reach), weight, real_set(0)), inverseH, c);
}
WB_INLINE Real3 way_of(ThesisPoint point) { return real3(point.x, point.y, point.z); }

// What the places of a set add to sums of V s^2 times directions, of V s^3 and of V s^4.
__kernel void thesis_boundary_add(SEARCHED_PLACES(predicted, place), ThesisConstants constants,
                                  __global const float *reaches, __global const float *inverses,
                                  __global const float *sunk, ThesisMove move, IN3(x, y, z),
                                  OUT3(boundaryX, boundaryY, boundaryZ), __global float *boundaryDensity,
                                  __global float *boundarySquares, OUT3(headX, headY, headZ)) {
    WALK_REACHED_PLACES(walk, predicted, place);
    const REAL inverseH = real_load(inverses + first);
    const Real3 p = load3(x, y, z, first);
    Real3 sum = load3(boundaryX, boundaryY, boundaryZ, first), heads = load3(headX, headY, headZ, first);
    REAL density = real_load(boundaryDensity + first), squares = real_load(boundarySquares + first);
    while (next_run(&walk))
        while (next_candidate(&walk)) {
            const ThesisPoint point = see_place(&walk, p, reach, placePositions, sunk,
                                                weight_at(placePositions, walk.j), inverseH, &constants);
            const REAL s2 = point.s * point.s, weighed = s2 * point.volume;
            squares = real_madd(weighed, s2, squares);
            const REAL slope = weighed * point.inverse;
            sum = madd3(slope, way_of(point), sum);
            heads =
                madd3(slope * pbf_head(point.x, point.y, point.z, move.room.gravity), way_of(point), heads);
            density = real_madd(weighed, point.s, density);
        }
    store3(boundaryX, boundaryY, boundaryZ, first, sum);
    store3(headX, headY, headZ, first, heads);
    real_store(boundaryDensity + first, density);
    real_store(boundarySquares + first, squares);
}

// The gradients by which places push, with the weight of water.
__kernel void thesis_boundary_lean(int count, ThesisConstants constants, ThesisMove move,
                                   __global const float *inverses, __global const float *pushes,
                                   __global const float *mus, __global const float *relative,
                                   IN3(headX, headY, headZ), OUT3(boundaryX, boundaryY, boundaryZ),
                                   __global float *leans) {
    const int i = get_global_id(0) * WB_LANES;
    if (i >= count) return;
    const REAL inverseH = real_load(inverses + i);
    REAL own = real_set(1);
#if MIXED
    own = real_load(relative + i);
#endif
    const REAL change = real_load(pushes + i) / thesis_slope(inverseH, &constants);
    const REAL lean = pbf_lean(real_load(mus + i), change, own, move.bearing * inverseH, move.dt);
    real_store(leans + i, lean);
    store3(boundaryX, boundaryY, boundaryZ, i,
           madd3(lean, load3(headX, headY, headZ, i), load3(boundaryX, boundaryY, boundaryZ, i)));
}

// Velocities and normals of places that nothing slips along.
__kernel void thesis_boundary_mean(SEARCHED_PLACES(predicted, place), ThesisConstants constants,
                                   __global const float *reaches, __global const float *inverses,
                                   __global const float *sunk, IN3(x, y, z), OUT3(meanX, meanY, meanZ),
                                   __global float *means, OUT3(normalX, normalY, normalZ)) {
    WALK_REACHED_PLACES(walk, predicted, place);
    const REAL inverseH = real_load(inverses + first);
    const Real3 p = load3(x, y, z, first);
    Real3 mean = load3(meanX, meanY, meanZ, first), normal = load3(normalX, normalY, normalZ, first);
    REAL sum = real_load(means + first);
    while (next_run(&walk))
        while (next_candidate(&walk)) {
            const ThesisPoint point = see_place(&walk, p, reach, placePositions, sunk,
                                                weight_at(placeVelocities, walk.j), inverseH, &constants);
            const REAL s2 = point.s * point.s, weight = point.volume * s2 * point.s;
            mean = madd3(weight, record_at(placeVelocities, walk.j), mean);
            sum += weight;
            normal = madd3(point.volume * s2 * point.inverse, way_of(point), normal);
        }
    store3(meanX, meanY, meanZ, first, mean);
    real_store(means + first, sum);
    store3(normalX, normalY, normalZ, first, normal);
}

// Particles half their own spacing before such a surface take its velocity. What changed is for the colliders: a place's share of the momentum.
__kernel void thesis_boundary_stick(int count, ThesisConstants constants, __global const float *volumes,
                                    IN3(meanX, meanY, meanZ), __global const float *means,
                                    IN3(normalX, normalY, normalZ), OUT3(vx, vy, vz),
                                    __global const float *relative, OUT3(changeX, changeY, changeZ)) {
    const int i = get_global_id(0) * WB_LANES;
    if (i >= count) return;
    const REAL scale = 1.0f / real_max(real_load(volumes + i), real_set(1)),
               weight = real_load(means + i) * scale,
               rate = real_rcp(real_max(weight, real_set(constants.stickSum)));
    const Real3 v = load3(vx, vy, vz, i), mean = scale3(load3(meanX, meanY, meanZ, i), scale);
    const Real3 change = find_change(v, mean, weight, load3(normalX, normalY, normalZ, i), rate);
    store3(vx, vy, vz, i, add3(v, change));
    REAL share = real_rcp(real_max(weight, real_set(1e-20f)));
#if MIXED
    share *= real_load(relative + i);
#endif
    store3(changeX, changeY, changeZ, i, scale3(change, share));
}

// Squares of the distances to the nearest points.
__kernel void thesis_boundary_nearest(SEARCHED_PLACES(predicted, place), ThesisConstants constants,
                                      __global const float *reaches, IN3(x, y, z), __global float *nearest) {
    WALK_REACHED_PLACES(walk, predicted, place);
    const Real3 p = load3(x, y, z, first);
    REAL least = real_load(nearest + first);
    while (next_run(&walk))
        while (next_candidate(&walk)) {
            const REAL r2 = square3(gap_from_record(placePositions, walk.j, p));
            least = real_select(find_place_near(&walk, reach), real_min(r2, least), least);
        }
    real_store(nearest + first, least);
}

// Points as seen from a particle: the other way round.
WB_INLINE ThesisPoint see_particle(const Walk *walk, Real3 way, Real3 in, REAL depth, float reach,
                                   float inverseH, const ThesisConstants *c) {
    return thesis_see_point(way.x, way.y, way.z, -in.x, -in.y, -in.z, depth,
                            real_select(find_place_near(walk, real_set(reach)), real_set(1), real_set(0)),
                            real_set(inverseH), c);
}

// What pushes particles away, by their masses, in N.
__kernel void thesis_boundary_forces(SEARCHED_PARTICLES(place, predicted), ThesisConstants constants,
                                     __constant PbfOctaves *octaves, __global const float *reaches,
                                     __global const float *inverses, __global const float *volumes,
                                     __global const float *sunk, float scale, IN3(x, y, z), ThesisMove move,
                                     __global const float *pushes, __global const float *leans,
                                     OUT3(fx, fy, fz)) {
    const int first = get_global_id(0) * WB_LANES;
    if (first >= placeCount) return;
    const Real3 in = load_record(sunk, first), at = load_record(placePositions, first);
    const REAL depth = load_field(sunk, first, 3);
    Real3 sum = zero3();
    for (int octave = 0; octave < octaves->count; octave++) {
        if (is_empty_octave(octaves, predictedStart, octave)) continue;
        WALK_OCTAVE(walk, octave, octaves, place, predicted);
        while (next_run(&walk))
            while (next_candidate(&walk)) {
                const int j = walk.j;
                const Real3 way = gap_from(points_of(x, y, z), j, at);
                const ThesisPoint point =
                    see_particle(&walk, way, in, depth, reaches[j], inverses[j], &constants);
                const REAL lean = leans[j] * pbf_head(point.x, point.y, point.z, move.room.gravity);
                const REAL push = pushes[j] * volumes[j] * (1.0f - lean);
                sum = madd3(push * point.volume * (point.s * point.s) * point.inverse, way_of(point), sum);
            }
    }
    add_forces(sum, load_field(placePositions, first, 3) * -scale, fx, fy, fz, first);
}

// What changes of velocity do to them.
__kernel void thesis_boundary_drag(SEARCHED_PARTICLES(place, predicted), ThesisConstants constants,
                                   __constant PbfOctaves *octaves, __global const float *reaches,
                                   __global const float *inverses, __global const float *volumes,
                                   __global const float *sunk, float scale, IN3(x, y, z),
                                   IN3(changeX, changeY, changeZ), OUT3(fx, fy, fz)) {
    const int first = get_global_id(0) * WB_LANES;
    if (first >= placeCount) return;
    const Real3 in = load_record(sunk, first), at = load_record(placePositions, first);
    const REAL depth = load_field(sunk, first, 3);
    Real3 sum = zero3();
    for (int octave = 0; octave < octaves->count; octave++) {
        if (is_empty_octave(octaves, predictedStart, octave)) continue;
        WALK_OCTAVE(walk, octave, octaves, place, predicted);
        while (next_run(&walk))
            while (next_candidate(&walk)) {
                const int j = walk.j;
                const Real3 way = gap_from(points_of(x, y, z), j, at),
                            change = real3(real_set(changeX[j]), real_set(changeY[j]), real_set(changeZ[j]));
                const ThesisPoint point =
                    see_particle(&walk, way, in, depth, reaches[j], inverses[j], &constants);
                const float share =
                    fmin(volumes[j], 1.0f); // of the mass, whose volume the sum was divided by
                sum = madd3(point.volume * share * (point.s * point.s * point.s), change, sum);
            }
    }
    add_forces(sum, load_field(placeVelocities, first, 3) * -scale, fx, fy, fz, first);
}
