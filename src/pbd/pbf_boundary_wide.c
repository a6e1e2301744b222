// SPDX-License-Identifier: MIT
#include "pbd/pbf_boundary_code.h"
#include "pbd/pbf_lanes.h"

// What places add to the density of particles and to the gradient of their constraint.
WB_INLINE void add_lanes(const wbPbfBoundaryPass *boundary, wbLanes at) {
    const float *gravity = boundary->pass->move.room.gravity;
    REAL4 sum = zero4(), heads = zero4();
    REAL squares = real_set(0);
    while (next_pair(&at)) {
        REAL g = pbf_gradient(at.way.w, &boundary->constants) * at.other.w;
        add_scaled(&heads, g * pbf_head(at.way.x, at.way.y, at.way.z, gravity), at.way);
        squares = real_madd(g * g, at.way.w, squares);
        add_scaled(&sum, g, at.way);
        sum.w = real_madd(at.other.w, pbf_density(at.way.w, &boundary->constants), sum.w);
    }
    store_own(boundary->pass->boundary, at.i, sum);
    store_own(boundary->pass->boundaryHeads, at.i, heads);
    real_store(boundary->pass->boundarySquares + at.i, squares);
}

// Adds forces at the places from i on.
WB_INLINE void add_forces(const wbBoundaryLists *near, int i, REAL scale, REAL4 sum) {
    REAL4 force = load_columns(near->fx, near->fy, near->fz, i);
    add_scaled(&force, scale, sum);
    store_columns(near->fx, near->fy, near->fz, i, force);
}

// Places from i on are pushed by what pushes particles away: by lambda times the same gradient.
WB_INLINE void force_lanes(const wbPbfBoundaryPass *boundary, wbLanes at) {
    const wbPbfPass *pass = boundary->pass;
    REAL4 sum = zero4();
    while (next_pair(&at)) {
        const REAL lean = load_numbers(pass->leans, at.row) *
                          pbf_head(at.way.x, at.way.y, at.way.z, pass->move.room.gravity);
        add_scaled(&sum, pbf_gradient(at.way.w, &boundary->constants) * (at.other.w - at.other.w * lean),
                   at.way);
    }
    add_forces(&boundary->near, at.i, at.self.w * -boundary->forceScale, sum);
}

// Particles at a surface that nothing slips along take its velocity, across its normal: fully where they are half a
// spacing before it.
WB_INLINE void stick_lanes(const wbPbfBoundaryPass *boundary, wbLanes at) {
    const wbPbfPass *pass = boundary->pass;
    REAL4 mean = zero4(), normal = zero4();
    while (next_pair(&at)) {
        REAL4 motion = lane_load4(boundary->near.points->velocityRecords, at.row);
        REAL weight = pbf_density(at.way.w, &boundary->constants) * motion.w;
        add_scaled(&mean, weight, motion);
        mean.w += weight;
        add_scaled(&normal, pbf_gradient(at.way.w, &boundary->constants) * motion.w, at.way);
    }
    PbfStick stick = pbf_stick(mean.w, boundary->constants.stickSum);
    REAL4 change = stick_to(&pass->pbf->fluid.particles, pass->velocities, at.i, stick.rate, mean, normal);
    scale3(&change, stick.share); // of what colliders get, which is times the relative density
    if (pass->relative) scale3(&change, real_load(pass->relative + at.i));
    store_own(boundary->changes, at.i, change);
}

// What changes of particles' velocities do to the places from i on.
WB_INLINE void drag_lanes(const wbPbfBoundaryPass *boundary, wbLanes at) {
    REAL4 sum = zero4();
    while (next_pair(&at))
        add_scaled(&sum, pbf_density(at.way.w, &boundary->constants), lane_load4(boundary->changes, at.row));
    add_forces(&boundary->near, at.i,
               load_own(boundary->near.points->velocityRecords, at.i).w * -boundary->dragScale, sum);
}

WB_LIST_RANGE(add, wbPbfBoundaryPass, add_lanes, 0)
WB_LIST_RANGE(forces, wbPbfBoundaryPass, force_lanes, 0)
WB_LIST_RANGE(stick, wbPbfBoundaryPass, stick_lanes, 0)
WB_LIST_RANGE(drag, wbPbfBoundaryPass, drag_lanes, 0)

WB_INLINE REAL density_term(REAL r2, const void *constants) { return pbf_density(r2, constants); }

WB_WEIGH_RANGE(weigh, PbfConstants, density_term)

WB_INLINE REAL mixed_term(REAL r2, const void *constants) {
    return kernel_poly6(r2, ((const PbfConstants *)constants)->inverseH);
}

WB_WEIGH_RANGE(weighMixed, PbfConstants, mixed_term)

const wbPbfBoundaryCode WB_WIDE(wb_pbfBoundaryCode) = {add, forces, stick, drag, weigh, weighMixed};
