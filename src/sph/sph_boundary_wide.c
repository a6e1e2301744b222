// SPDX-License-Identifier: MIT
#include "space/particle_fluid_wide.h"
#include "sph/sph_boundary_code.h"
#include "sph/sph_formula.h"

WB_INLINE REAL kernel_term(REAL r2, const unsigned terms, const SphConstants *c) {
    return terms & SPH_WENDLAND ? sph_wendland(r2, c) : sph_poly6(r2, c);
}

// Impedances of some particles.
WB_INLINE REAL load_impedances(const wbSphPass *pass, const int *index) {
    if (!pass->roots) return real_set(1);
    REAL root = load_numbers(pass->roots, index);
    return root * root;
}

// What the places of the lists add to the sums of the particles from i on.
WB_INLINE void density_lanes(const wbSphBoundaryPass *boundary, wbLanes at) {
    const wbParticles *p = &boundary->pass->sph->fluid.particles;
    REAL sum = real_set(0);
    at.self = load_columns(p->x, p->y, p->z, at.i);
    while (next_pair(&at))
        sum = real_madd(at.other.w, kernel_term(at.way.w, at.terms, &boundary->constants), sum);
    real_store(boundary->pass->boundarySums + at.i, sum);
}

// A place has the rest density in its volume: without adhesion a collider is no surface.
WB_INLINE void normals_lanes(const wbSphBoundaryPass *boundary, wbLanes at) {
    float *records = boundary->pass->roughRecords;
    REAL4 normal = load_own(records, at.i);
    while (next_pair(&at)) {
        REAL inverse = at.other.w * boundary->constants.inverseRestDensity;
        add_scaled(&normal, -sph_normal(at.terms & SPH_WENDLAND, at.way.w, inverse, &boundary->constants),
                   at.way);
    }
    store_own(records, at.i, normal);
}

// p/rho2 of places, by the particles near them.
WB_INLINE void means_lanes(const wbSphBoundaryPass *boundary, wbLanes at) {
    const wbSphPass *pass = boundary->pass;
    const wbBoundary *points = boundary->near.points;
    REAL4 motion = load_own(points->velocityRecords, at.i);
    REAL terms = real_set(0), weights = real_set(0), rate = real_set(0);
    while (next_pair(&at)) {
        REAL4 velocity = lane_load4(pass->velocityRecords, at.row);
        REAL weight = kernel_term(at.way.w, at.terms, &boundary->constants);
        terms = real_madd(weight, velocity.w, terms);
        weights += weight;
        rate += sph_boundary_rate(at.terms & SPH_WENDLAND, at.way.w, dot3(get_way(velocity, motion), at.way),
                                  load_impedances(pass, at.row), &boundary->constants);
    }
    REAL4 extra = zero4();
    extra.x = sph_boundary_term(terms, weights, rate, &boundary->constants);
    store_own(boundary->extraRecords, at.i, extra);
}

WB_INLINE void forces_lanes(const wbSphBoundaryPass *boundary, wbLanes at) {
    const wbSphPass *pass = boundary->pass;
    const wbBoundary *points = boundary->near.points;
    REAL4 motion = load_own(pass->velocityRecords, at.i);
    REAL root = pass->roots ? real_load(pass->roots + at.i) : real_set(1), impedance = root * root;
    REAL4 sum = load_columns(pass->ax, pass->ay, pass->az, at.i);
    while (next_pair(&at)) {
        REAL4 velocity = lane_load4(points->velocityRecords, at.row), speed = get_way(motion, velocity);
        REAL4 extra = at.terms & SPH_EXTRA ? lane_load4(boundary->extraRecords, at.row) : zero4();
        SphPair pair = sph_boundary_pair(at.terms & SPH_WENDLAND, at.terms & SPH_EXTRA, at.way.w,
                                         -dot3(speed, at.way), at.self.w, motion.w, extra.x, at.other.w,
                                         velocity.w, extra.y, impedance, &boundary->constants);
        add_scaled(&sum, pair.drag, speed);
        add_scaled(&sum, pair.along, at.way);
    }
    store_columns(pass->ax, pass->ay, pass->az, at.i, sum);
}

// The same pairs from the other side: what the listed particles do to the places from i on, in N.
WB_INLINE void body_lanes(const wbSphBoundaryPass *boundary, wbLanes at) {
    const wbSphPass *pass = boundary->pass;
    const wbBoundaryLists *near = &boundary->near;
    REAL4 motion = load_own(near->points->velocityRecords, at.i);
    REAL4 extra = at.terms & SPH_EXTRA ? load_own(boundary->extraRecords, at.i) : zero4(), sum = zero4();
    while (next_pair(&at)) {
        REAL4 velocity = lane_load4(pass->velocityRecords, at.row), speed = get_way(motion, velocity);
        SphPair pair =
            sph_boundary_pair(at.terms & SPH_WENDLAND, at.terms & SPH_EXTRA, at.way.w, -dot3(speed, at.way),
                              at.other.w, velocity.w, extra.x, at.self.w, motion.w, extra.y,
                              load_impedances(pass, at.row), &boundary->constants);
        add_scaled(&sum, pair.drag, speed);
        add_scaled(&sum, pair.along, at.way);
    }
    scale3(&sum, real_set((float)pass->model->mass)); // against what acts on the particles
    store_columns(near->fx, near->fy, near->fz, at.i, sum);
}

WB_LIST_RANGE(density, wbSphBoundaryPass, density_lanes, SPH_WENDLAND)
WB_LIST_RANGE(normals, wbSphBoundaryPass, normals_lanes, SPH_WENDLAND)
WB_LIST_RANGE(means, wbSphBoundaryPass, means_lanes, SPH_WENDLAND)
WB_LIST_RANGE(forces, wbSphBoundaryPass, forces_lanes, SPH_WENDLAND | SPH_EXTRA)
WB_LIST_RANGE(body_forces, wbSphBoundaryPass, body_lanes, SPH_WENDLAND | SPH_EXTRA)

WB_INLINE REAL poly6_term(REAL r2, const void *constants) { return sph_poly6(r2, constants); }
WB_INLINE REAL wendland_term(REAL r2, const void *constants) { return sph_wendland(r2, constants); }
WB_WEIGH_RANGE(weigh_poly6, SphConstants, poly6_term)
WB_WEIGH_RANGE(weigh_wendland, SphConstants, wendland_term)

const wbSphBoundaryCode WB_WIDE(wb_sphBoundaryCode) = {density, normals,     means,
                                                       forces,  body_forces, {weigh_poly6, weigh_wendland}};
