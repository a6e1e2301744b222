// SPDX-License-Identifier: MIT
#include "pbd/pbf_boundary_code.h"
#include "pbd/pbf_lanes.h"

// What places add to the density of particles and to the gradient of their constraint.
WB_INLINE void add_lanes(const wbPbfBoundaryPass *boundary, wbLanes at) {
    REAL4 sum = zero4();
    REAL squares = real_set(0);
    while (next_pair(&at)) {
        REAL g = pbf_gradient(at.way.w, &boundary->constants) * at.other.w;
        squares = real_madd(g * g, at.way.w, squares);
        add_scaled(&sum, g, at.way);
        sum.w = real_madd(at.other.w, pbf_density(at.way.w, &boundary->constants), sum.w);
    }
    store_own(boundary->pass->boundary, at.i, sum);
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
    REAL4 sum = zero4();
    while (next_pair(&at))
        add_scaled(&sum, pbf_gradient(at.way.w, &boundary->constants) * at.other.w, at.way);
    add_forces(&boundary->near, at.i, at.self.w * -boundary->forceScale, sum);
}

// Changes of velocity as what they do to colliders is of: times the relative densities of their fluids.
WB_INLINE void store_changes(const wbPbfBoundaryPass *boundary, int i, REAL4 change, REAL share) {
    scale3(&change, share);
    if (boundary->pass->relative) scale3(&change, real_load(boundary->pass->relative + i));
    store_own(boundary->changes, i, change);
}

// Particles at a surface that nothing slips along take its velocity, across its normal: fully where they are half a
// spacing before it.
WB_INLINE void stick_lanes(const wbPbfBoundaryPass *boundary, wbLanes at) {
    const wbPbfPass *pass = boundary->pass;
    const wbParticles *p = &pass->pbf->fluid.particles;
    REAL4 mean = zero4(), normal = zero4();
    while (next_pair(&at)) {
        REAL4 motion = lane_load4(boundary->near.points->velocityRecords, at.row);
        REAL weight = pbf_density(at.way.w, &boundary->constants) * motion.w;
        add_scaled(&mean, weight, motion);
        mean.w += weight;
        add_scaled(&normal, pbf_gradient(at.way.w, &boundary->constants) * motion.w, at.way);
    }
    PbfStick stick = pbf_stick(mean.w, &boundary->constants);
    REAL4 velocity = load_columns(p->vx, p->vy, p->vz, at.i);
    REAL4 lack = {mean.x - mean.w * velocity.x, mean.y - mean.w * velocity.y, mean.z - mean.w * velocity.z,
                  real_set(0)};
    REAL across = dot3(lack, normal) * real_rcp(real_max(dot3(normal, normal), real_set(1e-20f)));
    REAL4 change = {stick.rate * (lack.x - across * normal.x), stick.rate * (lack.y - across * normal.y),
                    stick.rate * (lack.z - across * normal.z), real_set(0)};
    velocity.x += change.x, velocity.y += change.y, velocity.z += change.z;
    store_columns(p->vx, p->vy, p->vz, at.i, velocity);
    store_own(pass->velocities, at.i, velocity);
    store_changes(boundary, at.i, change, stick.share);
}

// What continuous collision took from particles, shared out among the places near them.
WB_INLINE void caught_lanes(const wbPbfBoundaryPass *boundary, wbLanes at) {
    const wbParticles *p = &boundary->pass->pbf->fluid.particles;
    REAL4 before = load_columns(p->backVx, p->backVy, p->backVz, at.i);
    REAL4 change = get_way(before, load_columns(p->vx, p->vy, p->vz, at.i));
    change.w = real_set(0);
    REAL share = real_rcp(real_max(load_own(boundary->pass->boundary, at.i).w, real_set(1e-20f)));
    store_changes(boundary, at.i, change, share);
}

// What changes of particles' velocities do to the places from i on.
WB_INLINE void drag_lanes(const wbPbfBoundaryPass *boundary, wbLanes at) {
    REAL4 sum = zero4();
    while (next_pair(&at))
        add_scaled(&sum, pbf_density(at.way.w, &boundary->constants), lane_load4(boundary->changes, at.row));
    add_forces(&boundary->near, at.i, load_own(boundary->dragRecords, at.i).w * -boundary->dragScale, sum);
}

WB_LIST_RANGE(add, wbPbfBoundaryPass, add_lanes, 0)
WB_LIST_RANGE(forces, wbPbfBoundaryPass, force_lanes, 0)
WB_LIST_RANGE(stick, wbPbfBoundaryPass, stick_lanes, 0)
WB_LIST_RANGE(caught, wbPbfBoundaryPass, caught_lanes, 0)
WB_LIST_RANGE(drag, wbPbfBoundaryPass, drag_lanes, 0)

WB_INLINE REAL density_term(REAL r2, const void *constants) { return pbf_density(r2, constants); }

WB_WEIGH_RANGE(weigh, PbfConstants, density_term)

const wbPbfBoundaryCode WB_WIDE(wb_pbfBoundaryCode) = {add, forces, stick, caught, drag, weigh};
