// SPDX-License-Identifier: MIT
#include "pbd/pbf_lanes.h"

static void predict(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbfPass *pass = context;
    const wbPbf *pbf = pass->pbf;
    const PbfMove move = pass->move;
    const float *x[3] = {pbf->fluid.particles.x, pbf->fluid.particles.y, pbf->fluid.particles.z},
                *v[3] = {pbf->fluid.particles.vx, pbf->fluid.particles.vy, pbf->fluid.particles.vz};
    float *p[3] = {pass->px, pass->py, pass->pz};
    for (int a = 0; a < 3; a++)
        for (int i = begin; i < end; i += WB_LANES)
            real_store(p[a] + i,
                       pbf_drift(real_load(x[a] + i), real_load(v[a] + i), real_set(0), a, &move).to);
}

WB_INLINE void arrange_lanes(const wbPbfPass *pass, int i) {
    REAL4 moved = zero4();
    store_columns(pass->px, pass->py, pass->pz, i, drift_lanes(pass, i, &moved));
}

WB_INLINE void place_lanes(const wbPbfPass *pass, int i) {
    REAL4 moved = zero4(), p = drift_lanes(pass, i, &moved);
    store_own(pass->places, i, p);
    store_own(pass->solved, i, p);
    store_own(pass->moved, i, moved);
    real_store(pass->pbf->fluid.particles.pressure + i, real_set(0));
}

WB_LANES_RANGE(arrange, wbPbfPass, arrange_lanes)
WB_LANES_RANGE(place, wbPbfPass, place_lanes)

// Passes over the neighbours of WB_LANES particles from i on. Tried on a Xeon with AVX-512, in a prototype of these loops: fetching rows
// of lists twelve ahead, and entries of lists that are places in memory instead of indices, which spare a shift per load, made no
// difference, alone or both, on one thread or two. What a pass takes is its arithmetic and its shuffles.

WB_INLINE void lowest_lanes(const wbPbfPass *pass, wbLanes at) {
    REAL lightness = 1.0f / real_load(pass->relative + at.i);
    while (next_pair(&at)) {
        REAL other = 1.0f / load_numbers(pass->relative, at.row);
        lightness = real_max(pbf_lightness(at.way.w, other, &pass->constants), lightness);
    }
    real_store(pass->lowest + at.i, 1.0f / lightness);
}

WB_INLINE void lambda_lanes(const wbPbfPass *pass, wbLanes at) {
    REAL4 own = zero4();
    REAL density = real_set(0), squares = real_set(0);
    while (next_pair(&at)) {
        REAL g = pbf_gradient(at.way.w, &pass->constants);
        density += pbf_density(at.way.w, &pass->constants);
        add_scaled(&own, g, at.way);
        squares = real_madd(g * g, at.way.w, squares);
    }
    const bool isNear = has_boundary(pass, at.i);
    if (isNear) {
        const REAL4 added = load_gradient(pass, at.i);
        own.x += added.x, own.y += added.y, own.z += added.z, density += added.w;
        squares += load_squares(pass, at.i);
    }
    squares = real_madd(own.x, own.x, real_madd(own.y, own.y, real_madd(own.z, own.z, squares)));
    density *= pass->constants.densityScale;
    float *pressure = pass->pbf->fluid.particles.pressure + at.i;
    REAL sum = real_load(pressure), last = load_own(pass->solved, at.i).w;
    REAL wanted = pbf_lambda(density, squares, &pass->constants);
    if (at.terms & PBF_MIXED) wanted *= real_load(pass->lowest + at.i);
    at.self.w = pbf_change(wanted, sum, last, &pass->move, &pass->constants);
    real_store(pass->density + at.i, density);
    real_store(pressure, sum + at.self.w);
    store_own(pass->solved, at.i, at.self);
    if (isNear) lean_on_boundary(pass, at.i, sum + at.self.w, at.self.w, real_set(pass->move.bearing));
}

// Pairs push each other with the same force, s_corr as in the lighter of their fluids; the heavier gives way less.
WB_INLINE void correct_lanes(const wbPbfPass *pass, wbLanes at) {
    REAL4 push = zero4();
    REAL apart = real_set(pass->move.apartScale),
         lowest = at.terms & PBF_MIXED ? real_load(pass->lowest + at.i) : real_set(1);
    while (next_pair(&at)) {
        if (at.terms & PBF_MIXED)
            apart = (0.5f * pass->move.apartScale) * (lowest + load_numbers(pass->lowest, at.row));
        add_scaled(&push, pbf_correction(at.way.w, at.self.w + at.other.w, apart, &pass->constants), at.way);
    }
    if (has_boundary(pass, at.i))
        add_scaled(&push, at.self.w * PBF_BOUNDARY_SHARE, load_gradient(pass, at.i));
    REAL4 moved = load_own(pass->moved, at.i);
    REAL scale = real_set(pass->constants.gradientScale);
    if (at.terms & PBF_MIXED) scale = scale / real_load(pass->relative + at.i);
    moved.x -= push.x * scale, moved.y -= push.y * scale, moved.z -= push.z * scale;
    store_own(pass->places, at.i, drift_lanes(pass, at.i, &moved));
    store_own(pass->moved, at.i, moved);
}

// XSPH and, for the confinement, the curl sum m/rho_j (v_j - v_i) x grad_j W [M13, eq. 15].
WB_INLINE void smooth_lanes(const wbPbfPass *pass, wbLanes at) {
    const wbParticles *p = &pass->pbf->fluid.particles;
    const float *velocities = pass->velocities;
    REAL4 motion = load_own(velocities, at.i), change = zero4(), spin = zero4();
    REAL relative = at.terms & PBF_MIXED ? real_load(pass->relative + at.i) : real_set(1);
    while (next_pair(&at)) {
        REAL4 speed = get_way(motion, lane_load4(velocities, at.row));
        REAL mixing = at.terms & PBF_MIXED
                          ? pbf_mixing_of(at.way.w, at.self.w, at.other.w, relative,
                                          load_numbers(pass->relative, at.row), &pass->constants)
                          : pbf_mixing(at.way.w, at.self.w, at.other.w, &pass->constants);
        add_scaled(&change, mixing, speed);
        if (at.terms & PBF_SPINS)
            add_scaled(&spin, pbf_gradient(at.way.w, &pass->constants) * at.other.w, cross3(speed, at.way));
    }
    motion.x += change.x, motion.y += change.y, motion.z += change.z;
    store_columns(p->vx, p->vy, p->vz, at.i, motion);
    if (!(at.terms & PBF_SPINS)) return;
    scale3(&spin, real_set(pass->constants.gradientScale));
    spin.w = real_sqrt(dot3(spin, spin));
    store_own(pass->spins, at.i, spin);
}

// eta = sum m/rho_j (|spin_j| - |spin_i|) grad W [M13, eq. 16]
WB_INLINE void confine_lanes(const wbPbfPass *pass, wbLanes at) {
    REAL4 spin = load_own(pass->spins, at.i), eta = zero4();
    while (next_pair(&at)) {
        REAL slower = spin.w - lane_load4(pass->spins, at.row).w;
        add_scaled(&eta, pbf_gradient(at.way.w, &pass->constants) * at.other.w * slower, at.way);
    }
    scale3(&eta, real_set(pass->constants.gradientScale));
    confine_by(pass, at.i, eta, spin);
}

WB_LIST_RANGE(lowest, wbPbfPass, lowest_lanes, 0)
WB_LIST_RANGE(lambda, wbPbfPass, lambda_lanes, PBF_MIXED)
WB_LIST_RANGE(correct, wbPbfPass, correct_lanes, PBF_MIXED)
WB_LIST_RANGE(smooth, wbPbfPass, smooth_lanes, PBF_MIXED | PBF_SPINS)
WB_LIST_RANGE(confine, wbPbfPass, confine_lanes, 0)

// Sides of the box that nothing slips along.
WB_INLINE void stick_to_sides(const PbfMove *move, const REAL to[3], REAL speed[3]) {
    for (int s = 0; s < 6; s++) {
        if (!move->sticks[s]) continue;
        REAL share = pbf_side_share(to[s / 2], s, move);
        for (int a = 0; a < 3; a++)
            if (a != s / 2) speed[a] = real_madd(share, move->sideVelocity[s][a] - speed[a], speed[a]);
    }
}

// Velocities from the way of WB_LANES particles, which arrive; densities to kg/m3.
WB_INLINE wbMoved finish_lanes(const void *context, int i) {
    const wbPbfPass *pass = context;
    const wbParticles *particles = &pass->pbf->fluid.particles;
    float *x[3] = {particles->x, particles->y, particles->z},
          *v[3] = {particles->vx, particles->vy, particles->vz};
    const float *before[3] = {particles->backVx, particles->backVy, particles->backVz};
    REAL4 p = load_own(pass->places, i), way = load_own(pass->moved, i);
    const REAL to[3] = {p.x, p.y, p.z}, moved[3] = {way.x, way.y, way.z};
    REAL speed[3], speed2 = real_set(0);
    for (int a = 0; a < 3; a++) speed[a] = pbf_arrive(real_load(before[a] + i), moved[a], a, &pass->move);
    stick_to_sides(&pass->move, to, speed);
    for (int a = 0; a < 3; a++) {
        speed2 = real_madd(speed[a], speed[a], speed2);
        real_store(x[a] + i, to[a]);
        real_store(v[a] + i, speed[a]);
    }
    float *pressure = particles->pressure + i;
    real_store(pressure, real_load(pressure) * pass->move.pressureScale);
    REAL density = real_load(pass->density + i), rho = density * pass->model->params.restDensity;
    real_store(particles->density + i, rho);
    p.w = real_rcp(real_max(density, real_set(1e-3f)));
    store_own(pass->places, i, p);
    store_own(pass->velocities, i, (REAL4){speed[0], speed[1], speed[2], real_set(0)});
    return (wbMoved){speed2, rho};
}

static void finish(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbfPass *pass = context;
    move_range(pass, begin, end, pass->fluid->maxima, finish_lanes);
}

const wbPbfCode WB_WIDE(wb_pbfCode) = {predict, arrange, place,  finish, lowest,
                                       lambda,  correct, smooth, confine};
