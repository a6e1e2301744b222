// SPDX-License-Identifier: MIT
// Colliders among particles of different sizes on a device: these feel points within their own support, weighed by their level, and points feel
// them. `sunk` are records of points: the unit vector into the collider, and the depth below its surface.
#if SIZED
WB_INLINE REAL inverse_support(PbfSize size, const PbfConstants *c) {
    return size.root * size.root * c->inverseH;
}

// The way from points of colliders, at what depths large particles see them: their shell is as deep as level 0 reaches, so that it is stretched for
// others, from its surface on. A point that is behind what it is seen from belongs to the other face of something thin.
WB_INLINE Real3 stretch_way(Real3 way, Real3 inwards, REAL depth, REAL stretch, REAL *weight) {
    const Real3 to = madd3(-depth * stretch, inwards, way);
    *weight = real_select(real_less(real_set(0), dot3(to, inwards) * stretch), real_set(0), *weight);
    return to;
}

// Particles among points, with the reach of the largest of an item.
#    define WALK_SIZED_PLACES(walk, p, q)                                                                    \
        WALK_PLACES(walk, p, q);                                                                             \
        if (walk.isPast) return;                                                                             \
        walk.reach = largest_support(&walk, sizing, level) * 1.00001f;                                       \
        const int first = walk.first;                                                                        \
        const REAL h = lanes_of(sizing->levels.h, level, first);                                             \
        const REAL inverse = inverse_support(sizes_of(sizing, level, first), &constants);                    \
        const REAL stretch = lanes_of(sizing->levels.stretch, level, first)

// Lanes, of these supports, that are near a point where they are predicted to be.
WB_INLINE MASK find_lanes_near(const Walk *walk, REAL h) {
    return (square3(candidate_gap(walk)) < h * h) & walk->inside;
}

// What the places of a set add to the density of particles and to the gradient of their constraint.
__kernel void sized_boundary_add(SEARCHED_PLACES(predicted, place), PbfConstants constants, SIZES(level),
                                 __global const float *sunk, PbfMove move, IN3(x, y, z),
                                 OUT3(boundaryX, boundaryY, boundaryZ), __global float *boundaryDensity,
                                 __global float *boundarySquares, OUT3(headX, headY, headZ)) {
    WALK_SIZED_PLACES(walk, predicted, place);
    const Real3 p = load3(x, y, z, first);
    Real3 gradient = zero3(), heads = zero3();
    REAL sum = real_set(0), squares = real_set(0);
    while (next_run(&walk))
        while (next_candidate(&walk)) {
            REAL weight =
                real_select(find_lanes_near(&walk, h), weight_at(placePositions, walk.j), real_set(0));
            const Real3 d = stretch_way(gap_from_record(placePositions, walk.j, p), record_at(sunk, walk.j),
                                        weight_at(sunk, walk.j), stretch, &weight);
            const REAL r2 = square3(d), g = pbf_gradient_of(r2, inverse, &constants);
            squares = real_madd(g * g, r2 * weight, squares);
            gradient = madd3(g * weight, d, gradient);
            heads = madd3(g * weight * pbf_head(d.x, d.y, d.z, move.room.gravity), d, heads);
            sum = real_madd(weight, pbf_density_of(r2, inverse), sum);
        }
    const REAL slope = lanes_of(sizing->levels.boundarySlope, level, first);
    gradient = scale3(gradient, slope);
    store3(headX, headY, headZ, first, madd3(slope, heads, load3(headX, headY, headZ, first)));
    sum *= lanes_of(sizing->levels.boundaryDensity, level, first);
    squares *= lanes_of(sizing->levels.boundarySquares, level, first);
    store3(boundaryX, boundaryY, boundaryZ, first,
           add3(gradient, load3(boundaryX, boundaryY, boundaryZ, first)));
    real_store(boundaryDensity + first, sum + real_load(boundaryDensity + first));
    real_store(boundarySquares + first, squares + real_load(boundarySquares + first));
}

// The gradients by which places push, with the weight of water.
__kernel void sized_boundary_lean(int count, PbfConstants constants, SIZES(level), PbfMove move,
                                  __global const float *mus, __global const float *pressures,
                                  __global const float *relative, IN3(headX, headY, headZ),
                                  OUT3(boundaryX, boundaryY, boundaryZ), __global float *leans) {
    const int i = get_global_id(0) * WB_LANES;
    if (i >= count) return;
    REAL own = real_set(1);
#    if MIXED
    own = real_load(relative + i);
#    endif
    const REAL bearing = move.bearing / lanes_of(sizing->levels.width, level, i);
    const REAL lean = pbf_lean(real_load(pressures + i), real_load(mus + i), own, bearing, move.dt);
    real_store(leans + i, lean);
    store3(boundaryX, boundaryY, boundaryZ, i,
           madd3(lean, load3(headX, headY, headZ, i), load3(boundaryX, boundaryY, boundaryZ, i)));
}

// Velocities and gradients of places that nothing slips along.
__kernel void sized_boundary_mean(SEARCHED_PLACES(predicted, place), PbfConstants constants, SIZES(level),
                                  __global const float *sunk, IN3(x, y, z), OUT3(meanX, meanY, meanZ),
                                  __global float *means, OUT3(normalX, normalY, normalZ)) {
    WALK_SIZED_PLACES(walk, predicted, place);
    const Real3 p = load3(x, y, z, first);
    Real3 mean = load3(meanX, meanY, meanZ, first), normal = load3(normalX, normalY, normalZ, first);
    REAL sum = real_load(means + first);
    while (next_run(&walk))
        while (next_candidate(&walk)) {
            REAL sticks =
                real_select(find_lanes_near(&walk, h), weight_at(placeVelocities, walk.j), real_set(0));
            const Real3 d = stretch_way(gap_from_record(placePositions, walk.j, p), record_at(sunk, walk.j),
                                        weight_at(sunk, walk.j), stretch, &sticks);
            const REAL r2 = square3(d), weight = pbf_density_of(r2, inverse) * sticks;
            mean = madd3(weight, record_at(placeVelocities, walk.j), mean);
            sum += weight;
            normal = madd3(pbf_gradient_of(r2, inverse, &constants) * sticks, d, normal);
        }
    store3(meanX, meanY, meanZ, first, mean);
    real_store(means + first, sum);
    store3(normalX, normalY, normalZ, first, normal);
}

// Particles half their own spacing before such a surface take its velocity. What changed is for the colliders: of the momentum, a place's share
// times the mass.
__kernel void sized_boundary_stick(int count, PbfConstants constants, SIZES(level), IN3(meanX, meanY, meanZ),
                                   __global const float *means, IN3(normalX, normalY, normalZ),
                                   OUT3(vx, vy, vz), __global const float *relative,
                                   OUT3(changeX, changeY, changeZ)) {
    const int i = get_global_id(0) * WB_LANES;
    if (i >= count) return;
    const REAL boundary = lanes_of(sizing->levels.boundary, level, i),
               scale = boundary / lanes_of(sizing->levels.mass, level, i),
               weight = real_load(means + i) * scale;
    const Real3 v = load3(vx, vy, vz, i), mean = scale3(load3(meanX, meanY, meanZ, i), scale);
    const PbfStick stick = pbf_stick(weight, constants.mixedStickSum);
    const Real3 change = find_change(v, mean, weight, load3(normalX, normalY, normalZ, i), stick.rate);
    store3(vx, vy, vz, i, add3(v, change));
    REAL share = stick.share * boundary;
#    if MIXED
    share *= real_load(relative + i);
#    endif
    store3(changeX, changeY, changeZ, i, scale3(change, share));
}

// For a look: squares of the distances to the nearest points.
__kernel void sized_boundary_nearest(SEARCHED_PLACES(predicted, place), PbfConstants constants, SIZES(level),
                                     __global const float *sunk, IN3(x, y, z), __global float *nearest) {
    WALK_SIZED_PLACES(walk, predicted, place);
    const Real3 p = load3(x, y, z, first);
    REAL least = real_load(nearest + first);
    while (next_run(&walk))
        while (next_candidate(&walk)) {
            const REAL r2 = square3(gap_from_record(placePositions, walk.j, p));
            least = real_select(find_lanes_near(&walk, h), real_min(r2, least), least);
        }
    real_store(nearest + first, least);
}

// Room on the axes of what splits, before points of colliders. Rooms stand axis by axis, `stride` apart.
__kernel void sized_boundary_room(SEARCHED_PLACES(predicted, place), PbfConstants constants, SIZES(level),
                                  __global const float *sunk, IN3(x, y, z), __global const int *slots,
                                  int stride, __global float *rooms) {
    WALK_SIZED_PLACES(walk, predicted, place);
    const Real3 p = load3(x, y, z, first);
    const int axes = pbf_count_axes(sizing->levels.dimensions);
    float radii[WB_LANES];
    bool splits = false;
    for (int l = 0; l < WB_LANES; l++) {
        radii[l] = sizing->levels.radius[max(level_at(level, first + l) - 1, 0)];
        splits |= first + l < walk.itemEnd && slots[first + l + 1] - slots[first + l] == 2;
    }
    if (!splits) return;
    const REAL radius = lanes_load(radii), way = pbf_half_way(1) * radius,
               size = pbf_collider_size(1) * radius;
    REAL room[PBF_AXES];
    for (int k = 0; k < axes; k++) room[k] = real_load(rooms + k * stride + first);
    while (next_run(&walk))
        while (next_candidate(&walk)) {
            const MASK near = find_lanes_near(&walk, h);
            const Real3 d = gap_from_record(placePositions, walk.j, p);
            const REAL d2 = square3(d) + way * way;
            for (int k = 0; k < axes; k++) {
                const REAL along =
                    real_abs(d.x * pbf_axis(k, 0) + d.y * pbf_axis(k, 1) + d.z * pbf_axis(k, 2));
                const REAL here = (d2 - 2.0f * way * along) / (size * size);
                room[k] = real_select(near, real_min(here, room[k]), room[k]);
            }
        }
    for (int k = 0; k < axes; k++) real_store(rooms + k * stride + first, room[k]);
}

// What pushes particles away, by their masses, in N.
__kernel void sized_boundary_forces(SEARCHED_PARTICLES(place, predicted), PbfConstants constants,
                                    SIZES(level), __global const float *sunk, float scale, PbfMove move,
                                    IN3(x, y, z), __global const float *mus, __global const float *leans,
                                    OUT3(fx, fy, fz)) {
    const int first = get_global_id(0) * WB_LANES;
    if (first >= placeCount) return;
    const Real3 inwards = load_record(sunk, first), at = load_record(placePositions, first);
    const REAL depth = load_field(sunk, first, 3);
    Real3 sum = zero3();
    for (int octave = 0; octave < sizing->octaves.count; octave++) {
        if (is_empty_octave(&sizing->octaves, predictedStart, octave)) continue;
        WALK_OCTAVE(walk, octave, &sizing->octaves, place, predicted);
        while (next_run(&walk))
            while (next_candidate(&walk)) {
                const int l = level_at(level, walk.j);
                REAL mu = real_select(find_lanes_near(&walk, real_set(sizing->levels.h[l])),
                                      real_set(mus[walk.j]), real_set(0));
                const Real3 d = stretch_way(gap_to(points_of(x, y, z), walk.j, at), inwards, depth,
                                            real_set(sizing->levels.stretch[l]), &mu);
                mu += mu * leans[walk.j] * pbf_head(d.x, d.y, d.z, move.room.gravity);
                const REAL g =
                    pbf_gradient_of(square3(d), inverse_support(size_at(sizing, l), &constants), &constants);
                sum = madd3(g * mu * sizing->levels.boundaryForce[l], d, sum);
            }
    }
    add_forces(sum, load_field(placePositions, first, 3) * scale, fx, fy, fz, first);
}

// What changes of velocity do to them.
__kernel void sized_boundary_drag(SEARCHED_PARTICLES(place, predicted), PbfConstants constants, SIZES(level),
                                  __global const float *sunk, float scale, IN3(x, y, z),
                                  IN3(changeX, changeY, changeZ), OUT3(fx, fy, fz)) {
    const int first = get_global_id(0) * WB_LANES;
    if (first >= placeCount) return;
    const Real3 inwards = load_record(sunk, first), at = load_record(placePositions, first);
    const REAL depth = load_field(sunk, first, 3);
    Real3 sum = zero3();
    for (int octave = 0; octave < sizing->octaves.count; octave++) {
        if (is_empty_octave(&sizing->octaves, predictedStart, octave)) continue;
        WALK_OCTAVE(walk, octave, &sizing->octaves, place, predicted);
        while (next_run(&walk))
            while (next_candidate(&walk)) {
                const int l = level_at(level, walk.j);
                REAL weight = real_select(find_lanes_near(&walk, real_set(sizing->levels.h[l])), real_set(1),
                                          real_set(0));
                const Real3 d = stretch_way(gap_to(points_of(x, y, z), walk.j, at), inwards, depth,
                                            real_set(sizing->levels.stretch[l]), &weight);
                const Real3 change =
                    real3(real_set(changeX[walk.j]), real_set(changeY[walk.j]), real_set(changeZ[walk.j]));
                weight *= pbf_density_of(square3(d), inverse_support(size_at(sizing, l), &constants));
                sum = madd3(weight, change, sum);
            }
    }
    add_forces(sum, load_field(placeVelocities, first, 3) * -scale, fx, fy, fz, first);
}
#endif
