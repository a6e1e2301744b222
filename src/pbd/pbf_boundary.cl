// SPDX-License-Identifier: MIT
// Colliders in a position based fluid on a device. Built with HASHED of the cells that are searched, MIXED (fluids of
// different density), and SIZED (particles of different sizes, pbf_adaptive_boundary.cl). Who is near is decided at the
// predicted positions, as among particles, and where points were placed; x, y, z are where particles are by now, as
// records of points are of these.

WB_INLINE float squared_radius(const PbfConstants *c) { return 1.0f / (c->inverseH * c->inverseH); }

// Lanes whose neighbour the candidate is, at the predicted positions.
WB_INLINE MASK find_near(const Walk *walk, float h2) {
    const Real3 e = candidate_gap(walk);
    return (square3(e) < h2) & walk->inside;
}

// What the places of a set add to the density of particles and to the gradient of their constraint.
__kernel void pbf_boundary_add(SEARCHED_PLACES(predicted, place), PbfConstants constants, PbfMove move,
                               IN3(x, y, z), OUT3(boundaryX, boundaryY, boundaryZ),
                               __global float *boundaryDensity, __global float *boundarySquares,
                               OUT3(headX, headY, headZ)) {
    WALK_PLACES(walk, predicted, place);
    const int first = walk.first;
    const float h2 = squared_radius(&constants);
    if (walk.isPast) return;
    const Real3 p = load3(x, y, z, first);
    Real3 gradient = load3(boundaryX, boundaryY, boundaryZ, first), heads = load3(headX, headY, headZ, first);
    REAL sum = real_load(boundaryDensity + first), squares = real_load(boundarySquares + first);
    while (next_run(&walk))
        while (next_candidate(&walk)) {
            const MASK near = find_near(&walk, h2);
            const Real3 d = gap_from_record(placePositions, walk.j, p);
            const REAL r2 = square3(d);
            const REAL weight = real_select(near, weight_at(placePositions, walk.j), real_set(0));
            const REAL g = pbf_gradient(r2, &constants) * weight;
            gradient = madd3(g, d, gradient);
            heads = madd3(g * pbf_head(d.x, d.y, d.z, move.room.gravity), d, heads);
            squares = real_madd(g * g, r2, squares);
            sum = real_madd(weight, pbf_density(r2, &constants), sum);
        }
    store3(boundaryX, boundaryY, boundaryZ, first, gradient);
    store3(headX, headY, headZ, first, heads);
    real_store(boundaryDensity + first, sum);
    real_store(boundarySquares + first, squares);
}

// The gradients by which places push, with the weight of water.
__kernel void pbf_boundary_lean(int count, PbfConstants constants, PbfMove move,
                                __global const float *lambdas, __global const float *pressures,
                                __global const float *relative, IN3(headX, headY, headZ),
                                OUT3(boundaryX, boundaryY, boundaryZ), __global float *leans) {
    const int i = get_global_id(0) * WB_LANES;
    if (i >= count) return;
    REAL own = real_set(1);
#if MIXED
    own = real_load(relative + i);
#endif
    const REAL lean =
        pbf_lean(real_load(pressures + i), real_load(lambdas + i), own, real_set(move.bearing), move.dt);
    real_store(leans + i, lean);
    store3(boundaryX, boundaryY, boundaryZ, i,
           madd3(lean, load3(headX, headY, headZ, i), load3(boundaryX, boundaryY, boundaryZ, i)));
}

// Velocities and gradients of places that nothing slips along.
__kernel void pbf_boundary_mean(SEARCHED_PLACES(predicted, place), PbfConstants constants, IN3(x, y, z),
                                OUT3(meanX, meanY, meanZ), __global float *means,
                                OUT3(normalX, normalY, normalZ)) {
    WALK_PLACES(walk, predicted, place);
    const int first = walk.first;
    const float h2 = squared_radius(&constants);
    if (walk.isPast) return;
    const Real3 p = load3(x, y, z, first);
    Real3 mean = load3(meanX, meanY, meanZ, first), normal = load3(normalX, normalY, normalZ, first);
    REAL sum = real_load(means + first);
    while (next_run(&walk))
        while (next_candidate(&walk)) {
            const MASK near = find_near(&walk, h2);
            const Real3 d = gap_from_record(placePositions, walk.j, p);
            const REAL r2 = square3(d);
            const REAL sticks = real_select(near, weight_at(placeVelocities, walk.j), real_set(0));
            const REAL g = pbf_gradient(r2, &constants) * sticks;
            const REAL weight = pbf_density(r2, &constants) * sticks;
            mean = madd3(weight, record_at(placeVelocities, walk.j), mean);
            sum += weight;
            normal = madd3(g, d, normal);
        }
    store3(meanX, meanY, meanZ, first, mean);
    real_store(means + first, sum);
    store3(normalX, normalY, normalZ, first, normal);
}

// Particles take it; what changed, over the sum of weights, is for the colliders.
__kernel void pbf_boundary_stick(int count, PbfConstants constants, IN3(meanX, meanY, meanZ),
                                 __global const float *means, IN3(normalX, normalY, normalZ),
                                 OUT3(vx, vy, vz), __global const float *relative,
                                 OUT3(changeX, changeY, changeZ)) {
    const int i = get_global_id(0) * WB_LANES;
    if (i >= count) return;
    const REAL sum = real_load(means + i);
    const Real3 v = load3(vx, vy, vz, i);
    const PbfStick stick = pbf_stick(sum, constants.stickSum);
    const Real3 change =
        find_change(v, load3(meanX, meanY, meanZ, i), sum, load3(normalX, normalY, normalZ, i), stick.rate);
    store3(vx, vy, vz, i, add3(v, change));
    REAL share = stick.share;
#if MIXED
    share *= real_load(relative + i);
#endif
    store3(changeX, changeY, changeZ, i, scale3(change, share));
}

// What an iteration does to places, in N.
__kernel void pbf_boundary_forces(SEARCHED_PARTICLES(place, predicted), PbfConstants constants, float scale,
                                  PbfMove move, IN3(x, y, z), __global const float *lambdas,
                                  __global const float *leans, OUT3(fx, fy, fz)) {
    WALK_PARTICLES(walk, place, predicted);
    const float h2 = squared_radius(&constants);
    if (walk.isPast) return;
    const Real3 at = load_record(placePositions, walk.first);
    Real3 sum = zero3();
    while (next_run(&walk))
        while (next_candidate(&walk)) {
            const MASK near = find_near(&walk, h2);
            const Real3 d = gap_to(points_of(x, y, z), walk.j, at);
            const REAL lean = leans[walk.j] * pbf_head(d.x, d.y, d.z, move.room.gravity);
            const REAL g = pbf_gradient(square3(d), &constants) * (lambdas[walk.j] * (1.0f + lean));
            sum = madd3(real_select(near, g, real_set(0)), d, sum);
        }
    add_forces(sum, load_field(placePositions, walk.first, 3) * scale, fx, fy, fz, walk.first);
}

// What changes of velocity do to them.
__kernel void pbf_boundary_drag(SEARCHED_PARTICLES(place, predicted), PbfConstants constants, float scale,
                                IN3(x, y, z), IN3(changeX, changeY, changeZ), OUT3(fx, fy, fz)) {
    WALK_PARTICLES(walk, place, predicted);
    const float h2 = squared_radius(&constants);
    if (walk.isPast) return;
    const Real3 at = load_record(placePositions, walk.first);
    Real3 sum = zero3();
    while (next_run(&walk))
        while (next_candidate(&walk)) {
            const MASK near = find_near(&walk, h2);
            const Real3 d = gap_to(points_of(x, y, z), walk.j, at);
            const REAL weight = real_select(near, pbf_density(square3(d), &constants), real_set(0));
            const Real3 change =
                real3(real_set(changeX[walk.j]), real_set(changeY[walk.j]), real_set(changeZ[walk.j]));
            sum = madd3(weight, change, sum);
        }
    add_forces(sum, load_field(placeVelocities, walk.first, 3) * -scale, fx, fy, fz, walk.first);
}
