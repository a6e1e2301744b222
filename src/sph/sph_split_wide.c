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

// The halves of records.
WB_INLINE void store_place(float *records, int i, REAL4 a) { lane_store_part(records + 8 * (size_t)i, 8, a); }
WB_INLINE void store_vector(float *records, int i, REAL4 a) {
    lane_store_part(records + 8 * (size_t)i + 4, 8, a);
}

WB_INLINE REAL8 load_motions(const wbSphSplitPass *split, int i) {
    int own[WB_LANES];
    ints_store(own, ints_count() + i);
    return lane_load8(split->records, own);
}

// The next neighbours' places and pressures.
WB_INLINE bool next_place(wbLanes *at) {
    if (!next_row(at)) return false;
    at->other = lane_load_part(at->others, 8, at->row);
    at->way = get_way(at->other, at->self);
    return true;
}
// The same, and their vectors.
WB_INLINE bool next_motion(wbLanes *at, REAL4 *vector) {
    if (!next_row(at)) return false;
    REAL8 motion = lane_load8(at->others, at->row);
    at->other = motion.first, *vector = motion.second;
    at->way = get_way(at->other, at->self);
    return true;
}

WB_INLINE REAL way_gradient(const wbSphSplitPass *split, const wbLanes *at) {
    return split_gradient(at->terms & SPH_WENDLAND, at->way.w, &split->constants);
}

WB_INLINE void remember_lanes(const wbSphSplitPass *split, int i) {
    REAL4 place = load_own(split->pass->positionRecords, i),
          motion = load_own(split->pass->velocityRecords, i);
    motion.w = place.w;
    place.w = split_remember(real_load(split->pressure + i), &split->constants);
    real_store(split->k + i, place.w);
    store_place(split->records, i, place);
    store_vector(split->records, i, motion);
}

// a = (f + pressure) / relative density + g, with that of a boundary; then k + w.
WB_INLINE REAL4 find_acceleration(const wbSphSplitPass *split, wbLanes at, REAL4 force) {
    const wbSphPass *pass = split->pass;
    const SphSplitConstants *c = &split->constants;
    REAL lightness = own_lightness(split, at.i);
    add_scaled(&force, real_set(1), load_columns(pass->ax, pass->ay, pass->az, at.i));
    REAL4 a = {real_madd(force.x, lightness, real_set(c->gravity[0])),
               real_madd(force.y, lightness, real_set(c->gravity[1])),
               real_madd(force.z, lightness, real_set(c->gravity[2])), at.self.w};
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
    return a;
}

// What viscosity of pairs adds to accelerations; see sph_pair.
WB_INLINE void add_viscosity(const wbSphSplitPass *split, const wbLanes *at, REAL4 own, REAL4 velocity,
                             REAL4 *sum) {
    REAL4 speed = get_way(own, velocity);
    const REAL none = real_set(0);
    SphPair pair = sph_pair(at->terms & SPH_WENDLAND, true, false, at->way.w, -dot3(speed, at->way), own.w,
                            velocity.w, none, none, real_set(1), &split->forces);
    add_scaled(sum, pair.drag, speed);
    add_scaled(sum, pair.along, at->way);
}

WB_INLINE void store_forces(const wbSphSplitPass *split, wbLanes at, REAL4 forces) {
    const wbSphPass *pass = split->pass;
    if (at.terms & SPH_BOUNDARY)
        add_scaled(&forces, real_set(1), load_columns(pass->ax, pass->ay, pass->az, at.i));
    store_columns(pass->ax, pass->ay, pass->az, at.i, forces);
}

// D and dt G v + E, but for what places of colliders do by themselves; with D, k of the push; and the first a.
WB_INLINE void begin_by(const wbSphSplitPass *split, wbLanes at, const bool addsForces) {
    const SphSplitConstants *c = &split->constants;
    REAL8 own = load_motions(split, at.i);
    REAL4 velocity, sum = zero4(), force = zero4(), viscosity = zero4();
    REAL squares = real_set(0), rate = real_set(0), lightness = own_lightness(split, at.i);
    at.self = own.first;
    while (next_motion(&at, &velocity)) {
        REAL gradient = way_gradient(split, &at);
        add_scaled(&sum, gradient, at.way);
        add_scaled(&force, gradient * (at.self.w + at.other.w), at.way);
        squares = real_madd(gradient * gradient, at.way.w * other_lightness(split, at.row), squares);
        rate = real_madd(gradient, dot3(at.way, get_way(own.second, velocity)), rate);
        if (addsForces) add_viscosity(split, &at, own.second, velocity, &viscosity);
    }
    if (addsForces) store_forces(split, at, viscosity);
    if (at.terms & SPH_BOUNDARY) {
        REAL4 b = load_boundary(split, at.i);
        add_scaled(&sum, real_set(1), b);
        rate -= dot3(b, own.second);
    }
    REAL e = own_excess(split, at.i);
    REAL gain = split_gain(real_madd(dot3(sum, sum), lightness, squares), c);
    real_store(split->gain + at.i, gain);
    real_store(split->target + at.i, real_madd(rate, real_set(c->dt), split_allowed(e, c)));
    store_vector(split->nextRecords, at.i, find_acceleration(split, at, force));
    at.self.w = split_push(e, gain);
    store_place(split->nextRecords, at.i, at.self);
}

WB_INLINE void begin_lanes(const wbSphSplitPass *split, wbLanes at) { begin_by(split, at, false); }
WB_INLINE void begin_with_forces_lanes(const wbSphSplitPass *split, wbLanes at) { begin_by(split, at, true); }

WB_INLINE void accelerate_lanes(const wbSphSplitPass *split, wbLanes at) {
    REAL4 force = zero4();
    at.self = load_motions(split, at.i).first;
    while (next_place(&at)) add_scaled(&force, way_gradient(split, &at) * (at.self.w + at.other.w), at.way);
    store_vector(split->records, at.i, find_acceleration(split, at, force));
}

// From what neighbours' a nears, `rate`: the next k, from `k`, which records of places have then.
WB_INLINE void update_pressures(const wbSphSplitPass *split, wbLanes at, REAL4 a, REAL rate, REAL k) {
    const SphSplitConstants *c = &split->constants;
    REAL residual = real_load(split->target + at.i);
    if (at.terms & SPH_BOUNDARY) {
        rate -= dot3(load_boundary(split, at.i), a);
        residual = real_madd(real_load(split->nearing + at.i), real_set(c->dt), residual);
    }
    residual = real_madd(rate, real_set(c->dt2), residual);
    SphSplitUpdate update = split_update(k, residual, real_load(split->gain + at.i) * split->progress.share);
    REAL ahead = update.k - real_load(split->k + at.i);
    real_store(split->k + at.i, update.k);
    at.self.w = real_max(real_madd(ahead, real_set(split->progress.momentum), update.k), real_set(0));
    store_place(split->nextRecords, at.i, at.self);
    const int left = split->pass->sph->fluid.particles.count - at.i;
    const int vector = at.i / WB_LANES;
    split->changes[2 * vector] = left > 0 ? real_sum(first_lanes(real_abs(update.change), left)) : 0;
    split->changes[2 * vector + 1] = left > 0 ? real_sum(first_lanes(update.change, left)) : 0;
}

WB_INLINE void update_lanes(const wbSphSplitPass *split, wbLanes at) {
    REAL8 own = load_motions(split, at.i);
    REAL4 other;
    REAL rate = real_set(0);
    at.self = own.first;
    while (next_motion(&at, &other))
        rate = real_madd(way_gradient(split, &at), dot3(at.way, get_way(own.second, other)), rate);
    update_pressures(split, at, own.second, rate, own.first.w);
}

// The first update. Records have k of the push in the place of k, which no neighbour needs. A boundary pushes by twice the particle's own:
// as if it were water of the same density.
WB_INLINE void push_lanes(const wbSphSplitPass *split, wbLanes at) {
    const SphSplitConstants *c = &split->constants;
    REAL8 own = load_motions(split, at.i);
    REAL4 b = at.terms & SPH_BOUNDARY ? load_boundary(split, at.i) : zero4(), push = zero4(), other;
    REAL rate = real_set(0), shift = real_set(0);
    if (at.terms & SPH_BOUNDARY)
        shift = split_shift(own_excess(split, at.i), dot3(b, b), real_load(split->gain + at.i), c);
    at.self = own.first;
    at.self.w += shift;
    while (next_motion(&at, &other)) {
        REAL gradient = way_gradient(split, &at);
        rate = real_madd(gradient, dot3(at.way, get_way(own.second, other)), rate);
        add_scaled(&push, gradient * (at.self.w + at.other.w), at.way);
    }
    add_scaled(&push, 2.0f * own.first.w + shift, b);
    scale3(&push, own_lightness(split, at.i) * c->dt2);
    scale3(&push, split_cut(dot3(push, push), c));
    store_columns(split->push[0], split->push[1], split->push[2], at.i, push);
    update_pressures(split, at, own.second, rate, real_load(split->k + at.i));
}

WB_INLINE void end_lanes(const wbSphSplitPass *split, int i) {
    const wbSphPass *pass = split->pass;
    const SphSplitConstants *c = &split->constants;
    REAL4 a = load_motions(split, i).second;
    REAL relative = pass->relative ? real_load(pass->relative + i) : real_set(1);
    REAL4 force = {(a.x - c->gravity[0]) * relative, (a.y - c->gravity[1]) * relative,
                   (a.z - c->gravity[2]) * relative, real_set(0)};
    store_columns(pass->ax, pass->ay, pass->az, i, force);
    real_store(pass->sph->fluid.particles.pressure + i, split_pressure(real_load(split->k + i), c));
}

// What the listed particles press on places of colliders, in N.
WB_INLINE void body_lanes(const wbSphSplitPass *split, wbLanes at) {
    REAL4 sum = zero4();
    while (next_pair(&at)) {
        REAL press = lane_load_part(split->records + 4, 8, at.row).w;
        add_scaled(&sum, way_gradient(split, &at) * press * at.self.w, at.way);
    }
    scale3(&sum, real_set((float)split->pass->model->mass)); // against what acts on the particles
    store_columns(split->fx, split->fy, split->fz, at.i, sum);
}

WB_LIST_RANGE(boundary, wbSphSplitPass, boundary_lanes, SPH_WENDLAND)
WB_LANES_RANGE(remember, wbSphSplitPass, remember_lanes)
WB_LIST_RANGE(begin, wbSphSplitPass, begin_lanes, SPH_WENDLAND | SPH_BOUNDARY)
WB_LIST_RANGE(begin_with_forces, wbSphSplitPass, begin_with_forces_lanes, SPH_WENDLAND | SPH_BOUNDARY)
WB_LIST_RANGE(accelerate, wbSphSplitPass, accelerate_lanes, SPH_WENDLAND | SPH_BOUNDARY)
WB_LIST_RANGE(push, wbSphSplitPass, push_lanes, SPH_WENDLAND | SPH_BOUNDARY)
WB_LIST_RANGE(update, wbSphSplitPass, update_lanes, SPH_WENDLAND | SPH_BOUNDARY)
WB_LANES_RANGE(end, wbSphSplitPass, end_lanes)
WB_LIST_RANGE(body_forces, wbSphSplitPass, body_lanes, SPH_WENDLAND)

const wbSphSplitCode WB_WIDE(wb_sphSplitCode) = {WB_LANES,   boundary, remember, begin, begin_with_forces,
                                                 accelerate, push,     update,   end,   body_forces};
