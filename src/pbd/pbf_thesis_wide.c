// SPDX-License-Identifier: MIT
#include "core/real.h"
#include "pbd/pbf_constants.h"
#include "pbd/pbf_formula.h"
#include "pbd/pbf_thesis_code.h"
#include "pbd/pbf_thesis_formula.h"
#include "pbd/pbf_thesis_lists.h"
#include "space/particle_fluid_wide.h"

WB_INLINE REAL load_inverse_h(const wbThesisPass *pass, int i) {
    return 1.0f / real_load(pass->thesis->h + i);
}

// The gradients by which points of colliders push, with the weight of water.
WB_INLINE void lean_on_boundary(const wbThesisPass *pass, int i, REAL sum, REAL change, REAL inverseH) {
    const REAL relative = pass->relative ? real_load(pass->relative + i) : real_set(1);
    const REAL lean = pbf_lean(sum, change, relative, pass->move.bearing * inverseH, pass->move.dt);
    REAL4 gradient = load_own(pass->boundary, i);
    add_scaled(&gradient, lean, load_own(pass->boundaryHeads, i));
    store_own(pass->boundary, i, gradient);
    real_store(pass->leans + i, lean);
}

WB_INLINE void solve_lanes(const wbThesisPass *pass, wbLanes at) {
    const ThesisConstants *c = &pass->constants;
    const REAL inverseH = load_inverse_h(pass, at.i), volume = at.self.w, zero = real_set(0),
               one = real_set(1);
    REAL4 own = zero4();
    REAL density = zero, squares = zero, volumes = zero, neighbours = zero;
    while (next_pair(&at)) {
        const REAL inverse = thesis_inverse_distance(at.way.w, c),
                   s = thesis_closeness(at.way.w * inverse, inverseH);
        const REAL s2 = s * s, weighed = s2 * at.other.w;
        const MASK isNear = real_less(zero, s * inverse);
        density = real_madd(weighed, s, density);
        add_scaled(&own, weighed * inverse, at.way);
        squares += real_select(isNear, weighed * s2, zero);
        volumes += real_select(isNear, at.other.w, zero);
        neighbours += real_select(isNear, one, zero);
    }
    if (pass->boundary) {
        const REAL4 added = load_own(pass->boundary, at.i);
        own.x += added.x, own.y += added.y, own.z += added.z, density += added.w;
        squares += real_load(pass->boundarySquares + at.i);
    }
    const REAL calibration = real_load(pass->calibration + at.i);
    density = density * thesis_kernel(inverseH, c) / calibration;
    REAL error = real_max(density - real_load(pass->rest + at.i), real_load(pass->least + at.i)) *
                 thesis_weight(volume, volumes, neighbours);
    if (at.terms & THESIS_MIXED) error *= real_load(pass->lowest + at.i);
    const REAL push = thesis_push(error, calibration, volume, squares, dot3(own, own),
                                  real_load(pass->squares + at.i), inverseH, c);
    scale3(&own, thesis_slope(inverseH, c) / calibration);
    real_store(pass->density + at.i, density);
    const REAL change = push / thesis_slope(inverseH, c), sum = real_load(pass->mu + at.i) + change;
    real_store(pass->mu + at.i, sum);
    if (pass->boundary) lean_on_boundary(pass, at.i, sum, change, inverseH);
    store_columns(pass->gradient[0], pass->gradient[1], pass->gradient[2], at.i,
                  (REAL4){-own.x, -own.y, -own.z, zero});
    const REAL calming = thesis_calming(real_load(pass->thesis->offset + at.i), c);
    store_own(pass->kernels, at.i, (REAL4){inverseH, push, calming, zero});
}

WB_INLINE void correct_lanes(const wbThesisPass *pass, wbLanes at) {
    const ThesisConstants *c = &pass->constants;
    const REAL4 kernel = load_own(pass->kernels, at.i);
    REAL4 push = zero4();
    while (next_pair(&at)) {
        const REAL4 other = lane_load4(pass->kernels, at.row);
        const REAL inverse = thesis_inverse_distance(at.way.w, c), r = at.way.w * inverse;
        const REAL mine = thesis_closeness(r, kernel.x), theirs = thesis_closeness(r, other.x);
        add_scaled(&push, at.other.w * inverse * (kernel.y * mine * mine + other.y * theirs * theirs),
                   at.way);
    }
    if (pass->boundary) add_scaled(&push, kernel.y * PBF_BOUNDARY_SHARE, load_own(pass->boundary, at.i));
    if (at.terms & THESIS_MIXED) scale3(&push, 1.0f / real_load(pass->relative + at.i));
    store_own(pass->result, at.i, push);
}

// The least relative density around, see pbf_lightness.
WB_INLINE void lowest_lanes(const wbThesisPass *pass, wbLanes at) {
    const REAL inverseH = load_inverse_h(pass, at.i), one = real_set(1);
    REAL lightness = 1.0f / real_load(pass->relative + at.i);
    while (next_pair(&at)) {
        const REAL inverse = real_min(inverseH, lane_load4(pass->kernels, at.row).x);
        const REAL near = real_max(1.0f - at.way.w * (inverse * inverse), real_set(0));
        const REAL faded = real_min(4.0f * near, one) / load_numbers(pass->relative, at.row);
        lightness = real_max(faded, lightness);
    }
    real_store(pass->lowest + at.i, 1.0f / lightness);
}

WB_INLINE REAL keep_inside(const wbThesisPass *pass, REAL x, int axis, int i) {
    return thesis_keep_inside(x, real_load(pass->inset[axis] + i), axis, &pass->move);
}

WB_INLINE void move_lanes(const wbThesisPass *pass, int i) {
    const REAL4 place = load_own(pass->places, i), push = load_own(pass->result, i);
    store_own(pass->places, i,
              (REAL4){keep_inside(pass, place.x - push.x, 0, i), keep_inside(pass, place.y - push.y, 1, i),
                      keep_inside(pass, place.z - push.z, 2, i), place.w});
}
WB_LANES_RANGE(move, wbThesisPass, move_lanes)

// 1 for particles, 0 for ghosts and the dummy.
WB_INLINE REAL are_real(const wbThesisPass *pass, const int *row) {
    return real_select(real_mask(ints_less(ints_load(row), ints_set(pass->firstGhost))), real_set(1),
                       real_set(0));
}

// By particles alone, for sides and colliders are a boundary too.
WB_INLINE void boundary_lanes(const wbThesisPass *pass, wbLanes at) {
    const ThesisConstants *c = &pass->constants;
    const REAL inverseH = load_inverse_h(pass, at.i), volume = at.self.w,
               calibration = real_load(pass->calibration + at.i);
    wbLanes again = at;
    REAL4 gradient = zero4();
    REAL density = real_set(0);
    while (next_pair(&at)) {
        const REAL inverse = thesis_inverse_distance(at.way.w, c),
                   s = thesis_closeness(at.way.w * inverse, inverseH);
        const REAL weighed = s * s * at.other.w * are_real(pass, at.row);
        density = real_madd(weighed, s, density);
        add_scaled(&gradient, weighed * inverse, at.way);
    }
    density = density * thesis_kernel(inverseH, c) / calibration;
    scale3(&gradient, -thesis_slope(inverseH, c) / calibration);
    const REAL length = real_sqrt(dot3(gradient, gradient));
    REAL is = thesis_is_steep(length, inverseH, c);
    while (next_pair(&again)) {
        const REAL r = real_sqrt(again.way.w), along = dot3(gradient, again.way) * are_real(pass, again.row);
        is = thesis_if_nobody_ahead(is, length, r, along, inverseH);
    }
    real_store(pass->isBoundary + at.i, thesis_is_boundary(is, density, volume, c));
}

// (4.32)
WB_INLINE void distance_lanes(const wbThesisPass *pass, wbLanes at) {
    const REAL none = real_set(1e30f);
    REAL nearest = none;
    while (next_pair(&at)) {
        const REAL b = lane_load4(pass->extra, at.row).x + real_sqrt(at.way.w);
        nearest =
            real_min(nearest, real_select(real_less(real_set(pass->constants.tiny), at.way.w), b, none));
    }
    real_store(pass->result + at.i, nearest);
}

WB_INLINE void spread_lanes(const wbThesisPass *pass, wbLanes at) {
    REAL widest = real_set(0);
    while (next_pair(&at))
        widest = real_max(widest, thesis_spread(lane_load4(pass->extra, at.row).x, real_sqrt(at.way.w)));
    real_store(pass->result + at.i, widest);
}

WB_INLINE void smooth_lanes(const wbThesisPass *pass, wbLanes at) {
    const ThesisConstants *c = &pass->constants;
    const REAL4 velocity = load_own(pass->extra, at.i);
    const REAL4 kernel = load_own(pass->kernels, at.i);
    const REAL relative = at.terms & THESIS_MIXED ? real_load(pass->relative + at.i) : real_set(1);
    REAL4 change = zero4();
    while (next_pair(&at)) {
        const REAL4 other = lane_load4(pass->kernels, at.row);
        REAL w = thesis_mixing(real_sqrt(at.way.w), kernel.x, other.x, c);
        if (at.terms & THESIS_MIXED) {
            const REAL relativeJ = load_numbers(pass->relative, at.row);
            w *= 2.0f * relativeJ / (relative + relativeJ);
        }
        add_scaled(&change, 0.25f * (kernel.z + other.z) * at.other.w * w,
                   get_way(velocity, lane_load4(pass->extra, at.row)));
    }
    store_columns(pass->particles->vx, pass->particles->vy, pass->particles->vz, at.i,
                  (REAL4){velocity.x + change.x, velocity.y + change.y, velocity.z + change.z, real_set(0)});
}

WB_LIST_RANGE(solve, wbThesisPass, solve_lanes, THESIS_MIXED)
WB_LIST_RANGE(correct, wbThesisPass, correct_lanes, THESIS_MIXED)
WB_LIST_RANGE(lowest, wbThesisPass, lowest_lanes, 0)
WB_LIST_RANGE(boundary, wbThesisPass, boundary_lanes, 0)
WB_LIST_RANGE(distance, wbThesisPass, distance_lanes, 0)
WB_LIST_RANGE(spread, wbThesisPass, spread_lanes, 0)
WB_LIST_RANGE(smooth, wbThesisPass, smooth_lanes, THESIS_MIXED)

// Sides of the box that nothing slips along.
WB_INLINE void stick_to_sides(const wbThesisPass *pass, REAL4 to, REAL4 *v) {
    const REAL place[3] = {to.x, to.y, to.z};
    REAL speed[3] = {v->x, v->y, v->z};
    for (int s = 0; s < 6; s++) {
        if (!pass->move.sticks[s]) continue;
        const REAL share = thesis_side_share(place[s / 2], s, &pass->move, &pass->constants);
        for (int a = 0; a < 3; a++)
            if (a != s / 2) speed[a] += share * (pass->move.sideVelocity[s][a] - speed[a]);
    }
    v->x = speed[0], v->y = speed[1], v->z = speed[2];
}

WB_INLINE wbMoved finish_lanes(const void *context, int i) {
    const wbThesisPass *pass = context;
    const wbParticles *p = pass->particles;
    const REAL4 to = load_own(pass->places, i), from = load_columns(p->x, p->y, p->z, i);
    const float rate = pass->move.rate;
    REAL4 v = {(to.x - from.x) * rate, (to.y - from.y) * rate, (to.z - from.z) * rate, real_set(0)};
    stick_to_sides(pass, to, &v);
    const REAL density = real_load(pass->density + i) * pass->constants.restDensity;
    store_columns(p->x, p->y, p->z, i, to);
    store_columns(p->vx, p->vy, p->vz, i, v);
    store_own(pass->extra, i, v);
    real_store(p->density + i, density);
    real_store(p->pressure + i, real_load(pass->mu + i) * (-pass->constants.restDensity * rate * rate));
    return (wbMoved){dot3(v, v), density};
}
static void finish(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbThesisPass *pass = context;
    move_range(pass, begin, end, pass->fluid->maxima, finish_lanes);
}

const wbThesisCode WB_WIDE(wb_thesisCode) = {build_reached, solve,  correct, boundary, distance,
                                             spread,        lowest, smooth,  move,     finish};
