// SPDX-License-Identifier: MIT
// As pbf_boundary_wide.c, of particles of different sizes: points of colliders act within a particle's own support, weighed by its level.
#include "core/real.h"
#include "pbd/pbf_adaptive_code.h"
#include "pbd/pbf_adaptive_formula.h"
#include "pbd/pbf_lanes.h"

WB_INLINE INTS own_levels(const wbSizedPass *sized, int i) {
    int lanes[WB_LANES];
    for (int l = 0; l < WB_LANES; l++) lanes[l] = sized->level[i + l];
    return ints_load(lanes);
}

// 1/h of a level.
WB_INLINE REAL inverse_support(const wbSizedPass *sized, INTS level) {
    REAL root = lane_look(sized->levels.root, level);
    return root * root * sized->constants.inverseH;
}

// The way from points of colliders, at what depths large particles see them: their shell is as deep as level 0 reaches, so that it is stretched for
// others, from its surface on. Without it they would lie at the surface itself: a thin shell pushes less, the nearer they come.
// A point that is behind what it is seen from belongs to the other face of something thin.
WB_INLINE REAL4 stretch_way(REAL4 way, REAL4 inwards, REAL stretch, REAL *weight) {
    REAL deeper = inwards.w * stretch;
    REAL4 to = {way.x - inwards.x * deeper, way.y - inwards.y * deeper, way.z - inwards.z * deeper,
                real_set(0)};
    to.w = dot3(to, to);
    MASK isBehind = real_less(real_set(0), dot3(to, inwards) * stretch);
    *weight = real_select(isBehind, real_set(0), *weight);
    return to;
}

WB_INLINE void add_lanes(const wbSizedPass *sized, wbLanes at) {
    const PbfLevels *levels = &sized->levels;
    const INTS level = own_levels(sized, at.i);
    const REAL inverse = inverse_support(sized, level), stretch = lane_look(levels->stretch, level);
    const float *gravity = sized->move.room.gravity;
    REAL4 sum = zero4(), heads = zero4();
    REAL squares = real_set(0);
    while (next_pair(&at)) {
        REAL weight = at.other.w;
        REAL4 way = stretch_way(at.way, lane_load4(sized->sunk, at.row), stretch, &weight);
        REAL g = pbf_gradient_of(way.w, inverse, &sized->constants);
        squares = real_madd(g * g, way.w * weight, squares);
        add_scaled(&sum, g * weight, way);
        add_scaled(&heads, g * weight * pbf_head(way.x, way.y, way.z, gravity), way);
        sum.w = real_madd(weight, pbf_density_of(way.w, inverse), sum.w);
    }
    scale3(&sum, lane_look(levels->boundarySlope, level));
    scale3(&heads, lane_look(levels->boundarySlope, level));
    store_own(sized->pass->boundaryHeads, at.i, heads);
    sum.w *= lane_look(levels->boundaryDensity, level);
    store_own(sized->pass->boundary, at.i, sum);
    real_store(sized->pass->boundarySquares + at.i, squares * lane_look(levels->boundarySquares, level));
}

// Adds forces at the places from i on.
WB_INLINE void add_forces(const wbBoundaryLists *near, int i, REAL scale, REAL4 sum) {
    REAL4 force = load_columns(near->fx, near->fy, near->fz, i);
    add_scaled(&force, scale, sum);
    store_columns(near->fx, near->fy, near->fz, i, force);
}

// What pushes particles away, by their masses.
WB_INLINE void force_lanes(const wbSizedPass *sized, wbLanes at) {
    const REAL4 inwards = load_own(sized->sunk, at.i);
    const REAL4 outwards = {-inwards.x, -inwards.y, -inwards.z, inwards.w};
    REAL4 sum = zero4();
    while (next_pair(&at)) {
        const INTS level = ints_from_bits(at.other.w) & 15;
        REAL lambda = at.other.w;
        REAL4 way = stretch_way(at.way, outwards, lane_look(sized->levels.stretch, level), &lambda);
        REAL g = pbf_gradient_of(way.w, inverse_support(sized, level), &sized->constants);
        lambda -= lambda * load_numbers(sized->pass->leans, at.row) *
                  pbf_head(way.x, way.y, way.z, sized->move.room.gravity);
        add_scaled(&sum, g * lambda * lane_look(sized->levels.boundaryForce, level), way);
    }
    add_forces(&sized->near, at.i, at.self.w * -sized->forceScale, sum);
}

// Particles half their own spacing before a surface that nothing slips along take its velocity.
WB_INLINE void stick_lanes(const wbSizedPass *sized, wbLanes at) {
    const wbPbfPass *pass = sized->pass;
    const INTS level = own_levels(sized, at.i);
    const REAL inverse = inverse_support(sized, level), share = lane_look(sized->levels.boundary, level),
               mass = lane_look(sized->levels.mass, level), stretch = lane_look(sized->levels.stretch, level);
    REAL4 mean = zero4(), normal = zero4();
    while (next_pair(&at)) {
        REAL4 motion = lane_load4(sized->near.points->velocityRecords, at.row);
        REAL4 way = stretch_way(at.way, lane_load4(sized->sunk, at.row), stretch, &motion.w);
        REAL weight = pbf_density_of(way.w, inverse) * motion.w;
        add_scaled(&mean, weight, motion);
        mean.w += weight;
        add_scaled(&normal, pbf_gradient_of(way.w, inverse, &sized->constants) * motion.w, way);
    }
    scale3(&mean, share / mass), mean.w *= share / mass;
    PbfStick stick = pbf_stick(mean.w, sized->constants.mixedStickSum);
    REAL4 change = stick_to(&pass->pbf->fluid.particles, pass->velocities, at.i, stick.rate, mean, normal);
    scale3(&change, stick.share * share); // of the momentum, a place's share times the mass
    if (pass->relative) scale3(&change, real_load(pass->relative + at.i));
    change.w = inverse;
    store_own(sized->changes, at.i, change);
}

WB_INLINE void drag_lanes(const wbSizedPass *sized, wbLanes at) {
    const REAL4 inwards = load_own(sized->sunk, at.i);
    const REAL4 outwards = {-inwards.x, -inwards.y, -inwards.z, inwards.w};
    REAL4 sum = zero4();
    while (next_pair(&at)) {
        REAL4 change = lane_load4(sized->changes, at.row);
        REAL weight = real_set(1),
             least = real_set(1e-3f * sized->constants.inverseH); // where nothing changed
        REAL stretch = sized->constants.inverseH / real_max(change.w, least) - 1.0f;
        REAL4 way = stretch_way(at.way, outwards, stretch, &weight);
        add_scaled(&sum, pbf_density_of(way.w, change.w) * weight, change);
    }
    add_forces(&sized->near, at.i, load_own(sized->near.points->velocityRecords, at.i).w * -sized->dragScale,
               sum);
}

WB_LIST_RANGE(add, wbSizedPass, add_lanes, 0)
WB_LIST_RANGE(forces, wbSizedPass, force_lanes, 0)
WB_LIST_RANGE(stick, wbSizedPass, stick_lanes, 0)
WB_LIST_RANGE(drag, wbSizedPass, drag_lanes, 0)

const wbSizedBoundaryCode WB_WIDE(wb_sizedBoundaryCode) = {add, forces, stick, drag};
