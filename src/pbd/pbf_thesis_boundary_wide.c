// SPDX-License-Identifier: MIT
// As pbf_boundary_wide.c, of the particles of pbf_thesis.h: points of colliders act within a particle's own kernel.
#include "core/real.h"
#include "pbd/pbf_lanes.h"
#include "pbd/pbf_thesis_code.h"
#include "pbd/pbf_thesis_formula.h"

typedef struct Point {
    REAL4 way;
    REAL inverse, s, volume;
} Point;

WB_INLINE Point see_point(REAL4 way, REAL4 inwards, REAL volume, REAL inverseH, const ThesisConstants *c) {
    const ThesisPoint seen = thesis_see_point(way.x, way.y, way.z, inwards.x, inwards.y, inwards.z, inwards.w,
                                              volume, inverseH, c);
    return (Point){{seen.x, seen.y, seen.z, real_set(0)}, seen.inverse, seen.s, seen.volume};
}

WB_INLINE REAL inverse_width(const wbThesisPass *pass, int i) {
    return 1.0f / real_load(pass->thesis->h + i);
}

WB_INLINE void add_lanes(const wbThesisPass *pass, wbLanes at) {
    const REAL inverseH = inverse_width(pass, at.i);
    const float *gravity = pass->move.room.gravity;
    REAL4 sum = zero4(), heads = zero4();
    REAL squares = real_set(0);
    while (next_pair(&at)) {
        const Point point =
            see_point(at.way, lane_load4(pass->sunk, at.row), at.other.w, inverseH, &pass->constants);
        const REAL s2 = point.s * point.s, weighed = s2 * point.volume;
        squares = real_madd(weighed, s2, squares);
        add_scaled(&sum, weighed * point.inverse, point.way);
        add_scaled(&heads, weighed * point.inverse * pbf_head(point.way.x, point.way.y, point.way.z, gravity),
                   point.way);
        sum.w = real_madd(weighed, point.s, sum.w);
    }
    store_own(pass->boundary, at.i, sum);
    store_own(pass->boundaryHeads, at.i, heads);
    real_store(pass->boundarySquares + at.i, squares);
}

WB_INLINE void add_forces(const wbBoundaryLists *near, int i, REAL scale, REAL4 sum) {
    REAL4 force = load_columns(near->fx, near->fy, near->fz, i);
    add_scaled(&force, scale, sum);
    store_columns(near->fx, near->fy, near->fz, i, force);
}

WB_INLINE REAL4 turn(REAL4 inwards) { return (REAL4){-inwards.x, -inwards.y, -inwards.z, inwards.w}; }

// What pushes particles away, by their masses.
WB_INLINE void force_lanes(const wbThesisPass *pass, wbLanes at) {
    const REAL4 outwards = turn(load_own(pass->sunk, at.i));
    REAL4 sum = zero4();
    while (next_pair(&at)) {
        const REAL4 kernel = lane_load4(pass->kernels, at.row);
        const Point point = see_point(at.way, outwards, real_set(1), kernel.x, &pass->constants);
        const REAL lean = load_numbers(pass->leans, at.row) *
                          pbf_head(point.way.x, point.way.y, point.way.z, pass->move.room.gravity);
        add_scaled(&sum,
                   kernel.y * (1.0f - lean) * at.other.w * point.volume * (point.s * point.s) * point.inverse,
                   point.way);
    }
    add_forces(&pass->near, at.i, at.self.w * -pass->forceScale, sum);
}

// Particles half their own spacing before a surface that nothing slips along take its velocity.
WB_INLINE void stick_lanes(const wbThesisPass *pass, wbLanes at) {
    const REAL inverseH = inverse_width(pass, at.i);
    const REAL volume = real_max(at.self.w, real_set(1));
    REAL4 mean = zero4(), normal = zero4();
    while (next_pair(&at)) {
        const REAL4 motion = lane_load4(pass->near.points->velocityRecords, at.row);
        const Point point =
            see_point(at.way, lane_load4(pass->sunk, at.row), motion.w, inverseH, &pass->constants);
        const REAL s2 = point.s * point.s, weight = point.volume * s2 * point.s;
        add_scaled(&mean, weight, motion);
        mean.w += weight;
        add_scaled(&normal, point.volume * s2 * point.inverse, point.way);
    }
    scale3(&mean, 1.0f / volume), mean.w = mean.w / volume;
    const REAL rate = real_rcp(real_max(mean.w, real_set(pass->constants.stickSum)));
    REAL4 change = stick_to(pass->particles, pass->extra, at.i, rate, mean, normal);
    scale3(&change, real_rcp(real_max(mean.w, real_set(1e-20f)))); // a place's share of the momentum
    if (pass->relative) scale3(&change, real_load(pass->relative + at.i));
    change.w = inverseH;
    store_own(pass->changes, at.i, change);
}

WB_INLINE void drag_lanes(const wbThesisPass *pass, wbLanes at) {
    const REAL4 outwards = turn(load_own(pass->sunk, at.i));
    REAL4 sum = zero4();
    while (next_pair(&at)) {
        const REAL4 change = lane_load4(pass->changes, at.row);
        const Point point = see_point(at.way, outwards, real_set(1), change.w, &pass->constants);
        const REAL share =
            real_min(at.other.w, real_set(1)); // of the mass, whose volume the sum was divided by
        add_scaled(&sum, point.volume * share * (point.s * point.s * point.s), change);
    }
    add_forces(&pass->near, at.i, load_own(pass->near.points->velocityRecords, at.i).w * -pass->dragScale,
               sum);
}

WB_LIST_RANGE(add, wbThesisPass, add_lanes, 0)
WB_LIST_RANGE(forces, wbThesisPass, force_lanes, 0)
WB_LIST_RANGE(stick, wbThesisPass, stick_lanes, 0)
WB_LIST_RANGE(drag, wbThesisPass, drag_lanes, 0)

WB_INLINE REAL density_term(REAL r2, const void *constants) {
    const ThesisConstants *c = constants;
    const REAL s = thesis_closeness(r2 * real_rsqrt(r2 + c->tiny), real_set(c->narrow));
    return s * s * s;
}

WB_WEIGH_RANGE(weigh, ThesisConstants, density_term)

const wbThesisBoundaryCode WB_WIDE(wb_thesisBoundaryCode) = {add, forces, stick, drag, weigh};
