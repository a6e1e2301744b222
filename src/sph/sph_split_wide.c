// SPDX-License-Identifier: MIT
#include "space/particle_fluid_wide.h"
#include "sph/sph_split_code.h"
#include "sph/sph_split_formula.h"

// The rest density over that of the particles' fluids.
WB_INLINE REAL own_lightness(const wbSphSplitPass *split, int i) {
    const float *relative = split->pass->relative;
    return relative ? 1.0f / real_load(relative + i) : real_set(1);
}

// e = rho/rho0 - 1
WB_INLINE REAL own_excess(const wbSphSplitPass *split, int i) {
    return real_madd(real_load(split->pass->sph->fluid.particles.density + i),
                     real_set(split->constants.sph.inverseRestDensity), real_set(-1));
}

WB_INLINE REAL4 load_boundary(const wbSphSplitPass *split, int i) {
    return load_columns(split->bx, split->by, split->bz, i);
}

// Of particles among places of colliders: B, and what the places' own velocities bring nearer.
WB_INLINE void boundary_lanes(const wbSphSplitPass *split, wbLanes at) {
    const wbBoundary *points = split->boundary->near.points;
    REAL4 sum = zero4();
    while (next_pair(&at)) {
        REAL4 velocity = lane_load4(points->velocityRecords, at.row);
        REAL gradient = at.other.w * split_gradient(at.terms & SPH_WENDLAND, at.way.w, &split->constants);
        add_scaled(&sum, gradient, at.way);
        sum.w = real_madd(gradient, dot3(at.way, velocity), sum.w);
    }
    store_columns(split->bx, split->by, split->bz, at.i, sum);
    real_store(split->nearing + at.i, sum.w);
}

// The same of listed particles and ghosts.
WB_INLINE REAL other_lightness(const wbSphSplitPass *split, const int *index) {
    if (!split->pass->roots) return real_set(1);
    REAL root = load_numbers(split->pass->roots, index), root2 = root * root;
    return 1.0f / (root2 * root2);
}

// D and dt G v + E, but for what places of colliders do by themselves.
WB_INLINE void begin_lanes(const wbSphSplitPass *split, wbLanes at) {
    const wbSphPass *pass = split->pass;
    const SphSplitConstants *c = &split->constants;
    REAL4 own = load_own(pass->velocityRecords, at.i), sum = zero4();
    REAL squares = real_set(0), rate = real_set(0), lightness = own_lightness(split, at.i);
    while (next_pair(&at)) {
        REAL4 velocity = lane_load4(pass->velocityRecords, at.row);
        REAL gradient = split_gradient(at.terms & SPH_WENDLAND, at.way.w, c);
        add_scaled(&sum, gradient, at.way);
        squares = real_madd(gradient * gradient, at.way.w * other_lightness(split, at.row), squares);
        rate = real_madd(gradient, dot3(at.way, get_way(own, velocity)), rate);
    }
    if (at.terms & SPH_BOUNDARY) {
        REAL4 b = load_boundary(split, at.i);
        add_scaled(&sum, real_set(1), b);
        rate -= dot3(b, own);
    }
    REAL e = own_excess(split, at.i);
    real_store(split->gain + at.i, split_gain(real_madd(dot3(sum, sum), lightness, squares), c));
    real_store(split->target + at.i, real_madd(rate, real_set(c->dt), split_allowed(e, c)));
}

WB_INLINE void remember_lanes(const wbSphSplitPass *split, int i) {
    REAL4 record = load_own(split->records, i);
    record.w = split_remember(real_load(split->pressure + i), &split->constants);
    real_store(split->k + i, record.w);
    store_own(split->nextRecords, i, record);
}

// Pressures times gradients, over neighbours.
WB_INLINE REAL4 sum_pressures(const wbSphSplitPass *split, wbLanes *at) {
    REAL4 sum = zero4();
    while (next_pair(at))
        add_scaled(&sum,
                   split_gradient(at->terms & SPH_WENDLAND, at->way.w, &split->constants) *
                       (at->self.w + at->other.w),
                   at->way);
    return sum;
}

// a = (f + pressure) / relative density + g
WB_INLINE REAL4 find_acceleration(const wbSphSplitPass *split, REAL4 force, REAL lightness) {
    REAL4 a = {real_madd(force.x, lightness, real_set(split->constants.gravity[0])),
               real_madd(force.y, lightness, real_set(split->constants.gravity[1])),
               real_madd(force.z, lightness, real_set(split->constants.gravity[2])), real_set(0)};
    return a;
}

WB_INLINE void accelerate_lanes(const wbSphSplitPass *split, wbLanes at) {
    const wbSphPass *pass = split->pass;
    const SphSplitConstants *c = &split->constants;
    REAL lightness = own_lightness(split, at.i);
    REAL4 force = sum_pressures(split, &at);
    add_scaled(&force, real_set(1), load_columns(pass->ax, pass->ay, pass->az, at.i));
    REAL4 a = find_acceleration(split, force, lightness);
    a.w = at.self.w;
    if (at.terms & SPH_BOUNDARY) {
        const wbParticles *p = &pass->sph->fluid.particles;
        REAL4 b = load_boundary(split, at.i), velocity = load_columns(p->vx, p->vy, p->vz, at.i);
        REAL e = own_excess(split, at.i);
        add_scaled(&a, at.self.w * lightness, b);
        add_scaled(&velocity, real_set(c->dt), a);
        REAL nearing = (real_load(split->nearing + at.i) - dot3(b, velocity)) * c->dt;
        REAL w = split_contact(nearing, split_allowed(e, c), dot3(b, b), lightness, c);
        add_scaled(&a, w * lightness, b);
        a.w += w;
    }
    store_own(split->accelerations, at.i, a);
}

WB_INLINE void update_lanes(const wbSphSplitPass *split, wbLanes at) {
    const SphSplitConstants *c = &split->constants;
    REAL4 own = load_own(split->accelerations, at.i);
    REAL rate = real_set(0);
    while (next_pair(&at)) {
        REAL4 other = lane_load4(split->accelerations, at.row);
        REAL gradient = split_gradient(at.terms & SPH_WENDLAND, at.way.w, c);
        rate = real_madd(gradient, dot3(at.way, get_way(own, other)), rate);
    }
    REAL residual = real_load(split->target + at.i);
    if (at.terms & SPH_BOUNDARY) {
        rate -= dot3(load_boundary(split, at.i), own);
        residual = real_madd(real_load(split->nearing + at.i), real_set(c->dt), residual);
    }
    residual = real_madd(rate, real_set(c->dt2), residual);
    SphSplitUpdate update =
        split_update(at.self.w, residual, real_load(split->gain + at.i) * split->progress.share);
    REAL ahead = update.k - real_load(split->k + at.i);
    real_store(split->k + at.i, update.k);
    at.self.w = real_max(real_madd(ahead, real_set(split->progress.momentum), update.k), real_set(0));
    store_own(split->nextRecords, at.i, at.self);
    const int left = split->pass->sph->fluid.particles.count - at.i;
    const int vector = at.i / WB_LANES;
    split->changes[2 * vector] = left > 0 ? real_sum(first_lanes(real_abs(update.change), left)) : 0;
    split->changes[2 * vector + 1] = left > 0 ? real_sum(first_lanes(update.change, left)) : 0;
}

WB_INLINE void end_lanes(const wbSphSplitPass *split, int i) {
    const wbSphPass *pass = split->pass;
    const SphSplitConstants *c = &split->constants;
    const wbParticles *p = &pass->sph->fluid.particles;
    REAL4 record = load_own(split->records, i), a = load_own(split->accelerations, i);
    REAL relative = pass->relative ? real_load(pass->relative + i) : real_set(1);
    REAL e = own_excess(split, i);
    REAL4 force = {(a.x - split->constants.gravity[0]) * relative,
                   (a.y - split->constants.gravity[1]) * relative,
                   (a.z - split->constants.gravity[2]) * relative, real_set(0)};
    store_columns(pass->ax, pass->ay, pass->az, i, force);
    real_store(p->pressure + i, split_pressure(real_load(split->k + i), c));
    record.w = split_push(e, real_load(split->gain + i));
    store_own(split->nextRecords, i, record);
}

// A boundary pushes by twice the particle's own: as if it were water of the same density.
WB_INLINE void push_lanes(const wbSphSplitPass *split, wbLanes at) {
    const SphSplitConstants *c = &split->constants;
    REAL4 b = at.terms & SPH_BOUNDARY ? load_boundary(split, at.i) : zero4();
    REAL own = at.self.w, shift = real_set(0);
    if (at.terms & SPH_BOUNDARY)
        shift = split_shift(own_excess(split, at.i), dot3(b, b), real_load(split->gain + at.i), c);
    at.self.w += shift;
    REAL4 push = sum_pressures(split, &at);
    add_scaled(&push, 2.0f * own + shift, b);
    scale3(&push, own_lightness(split, at.i) * c->dt2);
    scale3(&push, split_cut(dot3(push, push), c));
    store_columns(split->push[0], split->push[1], split->push[2], at.i, push);
}

// What the listed particles press on places of colliders, in N.
WB_INLINE void body_lanes(const wbSphSplitPass *split, wbLanes at) {
    REAL4 sum = zero4();
    while (next_pair(&at)) {
        REAL4 a = lane_load4(split->accelerations, at.row);
        add_scaled(&sum,
                   split_gradient(at.terms & SPH_WENDLAND, at.way.w, &split->constants) * a.w * at.self.w,
                   at.way);
    }
    scale3(&sum, real_set((float)split->pass->model->mass)); // against what acts on the particles
    store_columns(split->fx, split->fy, split->fz, at.i, sum);
}

WB_LIST_RANGE(boundary, wbSphSplitPass, boundary_lanes, SPH_WENDLAND)
WB_LIST_RANGE(begin, wbSphSplitPass, begin_lanes, SPH_WENDLAND | SPH_BOUNDARY)
WB_LANES_RANGE(remember, wbSphSplitPass, remember_lanes)
WB_LIST_RANGE(accelerate, wbSphSplitPass, accelerate_lanes, SPH_WENDLAND | SPH_BOUNDARY)
WB_LIST_RANGE(update, wbSphSplitPass, update_lanes, SPH_WENDLAND | SPH_BOUNDARY)
WB_LANES_RANGE(end, wbSphSplitPass, end_lanes)
WB_LIST_RANGE(push, wbSphSplitPass, push_lanes, SPH_WENDLAND | SPH_BOUNDARY)
WB_LIST_RANGE(body_forces, wbSphSplitPass, body_lanes, SPH_WENDLAND)

const wbSphSplitCode WB_WIDE(wb_sphSplitCode) = {WB_LANES, boundary, begin, remember,   accelerate,
                                                 update,   end,      push,  body_forces};
