// SPDX-License-Identifier: MIT
// Position based fluids on a device, built with MIXED 1 for fluids of different density, else 0. Formulas stand in pbf_formula.h,
// the search in space/walk.cl. Neighbours are those within h at the predicted positions (pbf_shared.cl).

// Lanes whose neighbour the candidate is, at the predicted positions.
WB_INLINE MASK find_near(const Walk *walk, float h2) {
    return (square3(find_predicted_gap(walk)) < h2) & walk->inside;
}

// p = x + dt (v + dt g), kept in the box
__kernel void pbf_predict(int count, PbfMove move, IN3(x, y, z), IN3(vx, vy, vz), OUT3(px, py, pz)) {
    const int i = get_global_id(0) * WB_LANES;
    if (i >= count) return;
    real_store(px + i, pbf_drift(real_load(x + i), real_load(vx + i), real_set(0), 0, &move).to);
    real_store(py + i, pbf_drift(real_load(y + i), real_load(vy + i), real_set(0), 1, &move).to);
    real_store(pz + i, pbf_drift(real_load(z + i), real_load(vz + i), real_set(0), 2, &move).to);
}

#if MIXED
// The lowest relative density near them, see pbf_lightness.
__kernel void pbf_find_lowest(SEARCHED(predicted), PbfConstants constants, __global const float *relative,
                              __global float *lowest) {
    WALK(walk, predicted);
    if (walk.isPast) return;
    REAL lightness = 1.0f / real_load(relative + walk.first);
    while (next_run(&walk))
        while (next_candidate(&walk)) {
            const REAL other = pbf_lightness(square3(find_predicted_gap(&walk)),
                                             real_set(1.0f / relative[walk.j]), &constants);
            lightness = real_select(walk.inside, real_max(other, lightness), lightness);
        }
    real_store(lowest + walk.first, 1.0f / lightness);
}
#endif

// What the box has moved particles by already.
__kernel void pbf_begin(int count, PbfMove move, IN3(x, y, z), IN3(vx, vy, vz),
                        OUT3(movedX, movedY, movedZ)) {
    const int i = get_global_id(0) * WB_LANES;
    if (i >= count) return;
    real_store(movedX + i, pbf_drift(real_load(x + i), real_load(vx + i), real_set(0), 0, &move).moved);
    real_store(movedY + i, pbf_drift(real_load(y + i), real_load(vy + i), real_set(0), 1, &move).moved);
    real_store(movedZ + i, pbf_drift(real_load(z + i), real_load(vz + i), real_set(0), 2, &move).moved);
}

// What an iteration adds to lambda = -C / (sum |grad C|2 + epsilon' G); `pressures` have the sum.
__kernel void pbf_solve(SEARCHED(predicted), PbfConstants constants, PbfMove move, IN3(x, y, z),
                        int hasBoundary, IN3(boundaryX, boundaryY, boundaryZ),
                        __global const float *boundaryDensity, __global const float *boundarySquares,
                        __global const float *lowest, __global float *lambdas, __global float *densities,
                        __global float *pressures, __global int *neighbours) {
    WALK(walk, predicted);
    const int first = walk.first;
    const float h2 = predictedSpace.sides.radius * predictedSpace.sides.radius;
    if (walk.isPast) return;
    const Real3 p = load3(x, y, z, first);
    Real3 own = zero3();
    REAL density = real_set(0), squares = real_set(0);
    MASK found = 0;
    while (next_run(&walk))
        while (next_candidate(&walk)) {
            const MASK near = find_near(&walk, h2);
            const Real3 d = pbf_gap(p, &walk.ghost, x, y, z, walk.j);
            const REAL r2 = square3(d);
            const REAL g = real_select(near, pbf_gradient(r2, &constants), real_set(0));
            density += real_select(near, pbf_density(r2, &constants), real_set(0));
            own = madd3(g, d, own);
            squares = real_madd(g * g, r2, squares);
            found += mask_ones(near);
        }
    if (hasBoundary) {
        own = add3(own, load3(boundaryX, boundaryY, boundaryZ, first));
        density += real_load(boundaryDensity + first), squares += real_load(boundarySquares + first);
    }
    squares = real_madd(own.x, own.x, real_madd(own.y, own.y, real_madd(own.z, own.z, squares)));
    density *= constants.densityScale;
    const REAL sum = real_load(pressures + first);
    REAL wanted = pbf_lambda(density, squares, &constants);
#if MIXED
    wanted *= real_load(lowest + first);
#endif
    const REAL change = pbf_change(wanted, sum, real_load(lambdas + first), &move, &constants);
    real_store(lambdas + first, change);
    real_store(pressures + first, sum + change);
    real_store(densities + first, density);
    lanes_store(neighbours + first, found);
}

// dp = m/rho0 sum (lambda_i + lambda_j + s_corr) grad W, over the relative density; s_corr as in the lighter fluid of a pair
__kernel void pbf_correct(SEARCHED(predicted), PbfConstants constants, PbfMove move, IN3(x, y, z),
                          int hasBoundary, IN3(boundaryX, boundaryY, boundaryZ),
                          __global const float *relative, __global const float *lowest,
                          __global const float *lambdas, IN3(startX, startY, startZ), IN3(vx, vy, vz),
                          OUT3(movedX, movedY, movedZ), OUT3(toX, toY, toZ)) {
    WALK(walk, predicted);
    const int first = walk.first;
    const float h2 = predictedSpace.sides.radius * predictedSpace.sides.radius;
    if (walk.isPast) return;
    const Real3 p = load3(x, y, z, first);
    const REAL lambda = real_load(lambdas + first);
    Real3 push = zero3();
    REAL apart = real_set(move.apartScale);
#if MIXED
    const REAL own = real_load(lowest + first);
#endif
    while (next_run(&walk))
        while (next_candidate(&walk)) {
            const MASK near = find_near(&walk, h2);
            const Real3 d = pbf_gap(p, &walk.ghost, x, y, z, walk.j);
#if MIXED
            apart = (0.5f * move.apartScale) * (own + lowest[walk.j]);
#endif
            const REAL g = pbf_correction(square3(d), lambda + lambdas[walk.j], apart, &constants);
            push = madd3(real_select(near, g, real_set(0)), d, push);
        }
    if (hasBoundary)
        push = madd3(lambda * PBF_BOUNDARY_SHARE, load3(boundaryX, boundaryY, boundaryZ, first), push);
    REAL scale = real_set(constants.gradientScale);
#if MIXED
    scale = scale / real_load(relative + first);
#endif
    correct_axis(startX + first, vx + first, push.x * scale, 0, &move, movedX + first, toX + first);
    correct_axis(startY + first, vy + first, push.y * scale, 1, &move, movedY + first, toY + first);
    correct_axis(startZ + first, vz + first, push.z * scale, 2, &move, movedZ + first, toZ + first);
}

// Sides of the box that nothing slips along, for one axis of the velocity.
WB_INLINE REAL stick_to_sides(REAL speed, int axis, const REAL to[3], const PbfMove *move) {
    for (int s = 0; s < 6; s++)
        if (move->sticks[s] && s / 2 != axis)
            speed = real_madd(pbf_side_share(to[s / 2], s, move), move->sideVelocity[s][axis] - speed, speed);
    return speed;
}

// Velocities of WB_LANES particles along one axis from what moved them; they arrive.
WB_INLINE REAL arrive(__global float *x, __global float *v, __global const float *moved, int axis,
                      const REAL to[3], const PbfMove *move) {
    REAL speed = stick_to_sides(pbf_arrive(real_load(v), real_load(moved), axis, move), axis, to, move);
    real_store(x, to[axis]);
    real_store(v, speed);
    return speed;
}

// v = (p - x) / dt, x = p; densities to kg/m3 and their inverse.
__kernel IN_SUMMARY_GROUPS void pbf_finish(int count, PbfMove move, float restDensity, OUT3(x, y, z),
                                           OUT3(vx, vy, vz), IN3(px, py, pz), IN3(movedX, movedY, movedZ),
                                           __global float *densities, __global float *pressures,
                                           __global float *inverses,
                                           SUMMARIES(neighbours, shared, summaries)) {
    Tally tally = begin_tally(count);
    int i;
    while (next_lanes(&tally, &i)) {
        const REAL to[3] = {real_load(px + i), real_load(py + i), real_load(pz + i)};
        const Real3 v = real3(arrive(x + i, vx + i, movedX + i, 0, to, &move),
                              arrive(y + i, vy + i, movedY + i, 1, to, &move),
                              arrive(z + i, vz + i, movedZ + i, 2, to, &move));
        const REAL relative = real_load(densities + i), density = relative * restDensity;
        real_store(pressures + i, real_load(pressures + i) * move.pressureScale);
        real_store(inverses + i, real_rcp(real_max(relative, real_set(1e-3f))));
        real_store(densities + i, density);
        add_to_tally(&tally, real3(to[0], to[1], to[2]), v, density, lanes_load(neighbours + i));
    }
    end_tally(&tally, shared, summaries);
}

// XSPH, and the curl of the velocity with its length.
__kernel void pbf_smooth(SEARCHED(predicted), PbfConstants constants, IN3(x, y, z),
                         __global const float *relative, __global const float *inverses, IN3(vx, vy, vz),
                         OUT3(toVx, toVy, toVz), OUT3(spinX, spinY, spinZ), __global float *spin) {
    WALK(walk, predicted);
    const int first = walk.first;
    const float h2 = predictedSpace.sides.radius * predictedSpace.sides.radius;
    if (walk.isPast) return;
    const Real3 p = load3(x, y, z, first), v = load3(vx, vy, vz, first);
    const REAL wi = real_load(inverses + first);
#if MIXED
    const REAL own = real_load(relative + first);
#endif
    Real3 sum = zero3(), turn = zero3();
    while (next_run(&walk))
        while (next_candidate(&walk)) {
            const Ghost *ghost = &walk.ghost;
            const MASK near = find_near(&walk, h2);
            const Real3 d = pbf_gap(p, ghost, x, y, z, walk.j);
            const Real3 u = pbf_speed_gap(v, ghost, vx, vy, vz, walk.j);
            const REAL r2 = square3(d), wj = real_set(inverses[walk.j]);
#if MIXED
            const REAL mixing = pbf_mixing_of(r2, wi, wj, own, real_set(relative[walk.j]), &constants);
#else
            const REAL mixing = pbf_mixing(r2, wi, wj, &constants);
#endif
            const REAL g = real_select(near, pbf_gradient(r2, &constants) * wj, real_set(0));
            sum = madd3(real_select(near, mixing, real_set(0)), u, sum);
            turn = madd3(g, cross3(u, d), turn);
        }
    store3(toVx, toVy, toVz, first, add3(v, sum));
    turn = scale3(turn, real_set(constants.gradientScale));
    store3(spinX, spinY, spinZ, first, turn);
    real_store(spin + first, sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z));
}

// Vorticity confinement: eta = sum m/rho_j (|spin_j| - |spin_i|) grad W, v += dt epsilon (eta / |eta|) x spin
__kernel void pbf_turn(SEARCHED(predicted), PbfConstants constants, PbfMove move, IN3(x, y, z),
                       __global const float *inverses, IN3(spinX, spinY, spinZ), __global const float *spin,
                       OUT3(vx, vy, vz)) {
    WALK(walk, predicted);
    const int first = walk.first;
    const float h2 = predictedSpace.sides.radius * predictedSpace.sides.radius;
    if (walk.isPast) return;
    const Real3 p = load3(x, y, z, first);
    const REAL own = real_load(spin + first);
    Real3 eta = zero3();
    while (next_run(&walk))
        while (next_candidate(&walk)) {
            const MASK near = find_near(&walk, h2);
            const Real3 d = pbf_gap(p, &walk.ghost, x, y, z, walk.j);
            const REAL g = pbf_gradient(square3(d), &constants) * (own - spin[walk.j]) * inverses[walk.j];
            eta = madd3(real_select(near, g, real_set(0)), d, eta);
        }
    eta = scale3(eta, real_set(constants.gradientScale));
    confine_by(eta, load3(spinX, spinY, spinZ, first), &constants, &move, vx, vy, vz, first);
}
