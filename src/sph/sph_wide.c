// SPDX-License-Identifier: MIT
#include "space/particle_fluid_wide.h"
#include "sph/sph_code.h"
#include "sph/sph_formula.h"

WB_INLINE REAL poly6_term(REAL r2, const void *constants) { return sph_poly6(r2, constants); }
WB_INLINE REAL wendland_term(REAL r2, const void *constants) { return sph_wendland(r2, constants); }

WB_INLINE SphState state_of(const wbSphPass *pass, REAL density, REAL before, REAL impedance) {
    return sph_state(pass->model->params.equation == wb_equationTait, density, before, impedance,
                     pass->inverseTime, &pass->model->constants);
}

// Density and pressure of the particles from i on from their sums, and their records.
WB_INLINE void finish_density(const wbSphPass *pass, int i, REAL sum) {
    wbSph *sph = pass->sph;
    const SphConstants *c = &pass->model->constants;
    REAL before = real_load(sph->fluid.particles.density + i);
    if (pass->boundarySums) sum += real_load(pass->boundarySums + i);
    REAL density = sum * c->densityScale;
    density =
        real_select(real_less(real_set(0), density), density, real_set(c->restDensity)); // lanes past the end
    REAL root = pass->roots ? real_load(pass->roots + i) : real_set(1);
    SphState state = state_of(pass, density, before, root * root);
    real_store(sph->fluid.particles.density + i, density);
    real_store(sph->fluid.particles.pressure + i, state.pressure);
    REAL4 position = {real_load(sph->fluid.particles.x + i), real_load(sph->fluid.particles.y + i),
                      real_load(sph->fluid.particles.z + i), state.inverseDensity};
    REAL4 velocity = {real_load(sph->fluid.particles.vx + i), real_load(sph->fluid.particles.vy + i),
                      real_load(sph->fluid.particles.vz + i), state.term};
    store_own(pass->positionRecords, i, position);
    store_own(pass->velocityRecords, i, velocity);
}

WB_INLINE void finish_group(const void *pass, int i, const float *sums) {
    for (int l = 0; l < WB_GROUP; l += WB_LANES) finish_density(pass, i + l, real_load(sums + l));
}

static void density(int begin, int end, int worker, void *context) {
    const wbSphPass *pass = context;
    const SphConstants c = pass->model->constants; // a copy that nothing written can alias
    if (pass->model->params.kernel == wb_kernelWendland)
        wb_build_range(&pass->lists, begin, end, worker, wendland_term, &c, finish_group, pass);
    else
        wb_build_range(&pass->lists, begin, end, worker, poly6_term, &c, finish_group, pass);
}

// Of lists that were there before.
WB_INLINE void sums_lanes(const wbSphPass *pass, wbLanes at) {
    REAL sum = real_set(0);
    while (next_pair(&at))
        sum += at.terms & SPH_WENDLAND ? sph_wendland(at.way.w, &pass->constants)
                                       : sph_poly6(at.way.w, &pass->constants);
    finish_density(pass, at.i, sum);
}
WB_LIST_RANGE(sums, wbSphPass, sums_lanes, SPH_WENDLAND)

// A ghost has the density and pressure of its particle; its velocity is mirrored at each side in turn.
static void mirror_velocity(const wbDomain *domain, uint32_t sides, float v[3]) {
    for (int s = 0; s < wb_sideCount; s++) {
        if (!(sides >> s & 1)) continue;
        int axis = s / 2;
        const float *side = domain->velocity[s];
        if (domain->types[s] == wb_sideNoSlip)
            for (int a = 0; a < 3; a++) v[a] = a == axis ? v[a] : 2 * side[a] - v[a];
        v[axis] = 2 * side[axis] - v[axis];
    }
}

static void ghosts(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbSphPass *pass = context;
    for (int k = begin; k < end; k++) {
        const float *position = pass->positionRecords + 4 * (size_t)pass->fluid->ghosts.source[k];
        const float *velocity = pass->velocityRecords + 4 * (size_t)pass->fluid->ghosts.source[k];
        float v[3] = {velocity[0], velocity[1], velocity[2]};
        mirror_velocity(pass->fluid->domain, pass->fluid->ghosts.sides[k], v);
        float *p = pass->positionRecords + 4 * (size_t)(pass->fluid->firstGhost + k);
        float *u = pass->velocityRecords + 4 * (size_t)(pass->fluid->firstGhost + k);
        p[0] = pass->fluid->ghosts.x[k], p[1] = pass->fluid->ghosts.y[k], p[2] = pass->fluid->ghosts.z[k],
        p[3] = position[3];
        u[0] = v[0], u[1] = v[1], u[2] = v[2], u[3] = velocity[3];
    }
}

// Normals of WB_LANES particles from i on.
WB_INLINE void normals_lanes(const wbSphPass *pass, wbLanes at) {
    REAL4 normal = zero4();
    while (next_pair(&at))
        add_scaled(&normal, -sph_normal(at.terms & SPH_WENDLAND, at.way.w, at.other.w, &pass->constants),
                   at.way);
    store_own(pass->normalRecords, at.i, normal);
}

// The mean over neighbours: sum m/rho_j W n_j.
WB_INLINE void smooth_lanes(const wbSphPass *pass, wbLanes at) {
    REAL4 normal = zero4();
    while (next_pair(&at)) {
        REAL kernel = at.terms & SPH_WENDLAND ? sph_wendland(at.way.w, &pass->constants)
                                              : sph_poly6(at.way.w, &pass->constants);
        add_scaled(&normal, kernel * at.other.w * pass->constants.densityScale,
                   lane_load4(pass->roughRecords, at.row));
    }
    store_own(pass->normalRecords, at.i, normal);
}

WB_LIST_RANGE(normals, wbSphPass, normals_lanes, SPH_WENDLAND)
WB_LIST_RANGE(smooth, wbSphPass, smooth_lanes, SPH_WENDLAND)

// Accelerations of WB_LANES particles from i on.
WB_INLINE void forces_lanes(const wbSphPass *pass, wbLanes at) {
    REAL4 motion = load_own(pass->velocityRecords, at.i), sum = zero4();
    REAL4 normal = at.terms & SPH_SURFACE ? load_own(pass->normalRecords, at.i) : motion;
    REAL root = at.terms & SPH_MIXED ? real_load(pass->roots + at.i) : real_set(1);
    while (next_pair(&at)) {
        REAL4 velocity = lane_load4(pass->velocityRecords, at.row), speed = get_way(motion, velocity);
        REAL vr = at.terms & SPH_ARTIFICIAL ? -dot3(speed, at.way) : real_set(0);
        REAL impedance = at.terms & SPH_MIXED ? root * load_numbers(pass->roots, at.row) : real_set(1);
        SphPair pair =
            sph_pair(at.terms & SPH_WENDLAND, at.terms & SPH_ARTIFICIAL, at.terms & SPH_SURFACE, at.way.w, vr,
                     at.self.w, at.other.w, motion.w, velocity.w, impedance, &pass->constants);
        if (at.terms & SPH_SURFACE)
            add_scaled(&sum, pair.bend, get_way(normal, lane_load4(pass->normalRecords, at.row)));
        add_scaled(&sum, pair.drag, speed);
        add_scaled(&sum, pair.along, at.way);
    }
    store_columns(pass->ax, pass->ay, pass->az, at.i, sum);
}

WB_INLINE void forces_of(const void *pass, wbLanes at) { forces_lanes(pass, at); }

// One copy of the loop for each set of terms. Fluids of different density differ in artificial viscosity alone.
#define FORCES(name, terms)                                                                                  \
    static void name(const wbListPass *lists, int begin, int end) {                                          \
        const wbSphPass pass = *(const wbSphPass *)lists->pass;                                              \
        walk_lists(lists, &pass, begin, end, forces_of, terms);                                              \
    }
FORCES(forces_0, 0)
FORCES(forces_s, SPH_SURFACE)
FORCES(forces_a, SPH_ARTIFICIAL)
FORCES(forces_as, SPH_ARTIFICIAL | SPH_SURFACE)
FORCES(forces_am, SPH_ARTIFICIAL | SPH_MIXED)
FORCES(forces_ams, SPH_ARTIFICIAL | SPH_MIXED | SPH_SURFACE)
FORCES(forces_w, SPH_WENDLAND)
FORCES(forces_ws, SPH_WENDLAND | SPH_SURFACE)
FORCES(forces_wa, SPH_WENDLAND | SPH_ARTIFICIAL)
FORCES(forces_was, SPH_WENDLAND | SPH_ARTIFICIAL | SPH_SURFACE)
FORCES(forces_wam, SPH_WENDLAND | SPH_ARTIFICIAL | SPH_MIXED)
FORCES(forces_wams, SPH_WENDLAND | SPH_ARTIFICIAL | SPH_MIXED | SPH_SURFACE)
#undef FORCES

static void forces(int begin, int end, int worker, void *context) {
    (void)worker;
    static void (*const loops[16])(const wbListPass *, int, int) = {
        [0] = forces_0,
        [SPH_SURFACE] = forces_s,
        [SPH_ARTIFICIAL] = forces_a,
        [SPH_ARTIFICIAL | SPH_SURFACE] = forces_as,
        [SPH_ARTIFICIAL | SPH_MIXED] = forces_am,
        [SPH_ARTIFICIAL | SPH_MIXED | SPH_SURFACE] = forces_ams,
        [SPH_WENDLAND] = forces_w,
        [SPH_WENDLAND | SPH_SURFACE] = forces_ws,
        [SPH_WENDLAND | SPH_ARTIFICIAL] = forces_wa,
        [SPH_WENDLAND | SPH_ARTIFICIAL | SPH_SURFACE] = forces_was,
        [SPH_WENDLAND | SPH_ARTIFICIAL | SPH_MIXED] = forces_wam,
        [SPH_WENDLAND | SPH_ARTIFICIAL | SPH_MIXED | SPH_SURFACE] = forces_wams};
    const wbListPass *lists = context;
    loops[lists->terms](lists, begin, end);
}

// Moves WB_LANES particles along one axis; returns their velocities, NaN where something is not finite.
WB_INLINE REAL move_axis(const SphMove *move, int axis, float *position, float *velocity, const float *start,
                         const float *acceleration, REAL lightness) {
    SphMotion motion = sph_move(real_load(position), real_load(velocity), real_load(start),
                                real_load(acceleration) * lightness, axis, move);
    real_store(position, motion.position);
    real_store(velocity, motion.velocity);
    return motion.check;
}

WB_INLINE wbMoved move_lanes(const void *pass, int i) {
    const wbSphMove *m = pass;
    const wbParticles *p = &m->sph->fluid.particles;
    REAL lightness = m->relative ? 1.0f / real_load(m->relative + i) : real_set(1);
    REAL vx = move_axis(&m->move, 0, p->x + i, p->vx + i, m->startVx + i, m->ax + i, lightness);
    REAL vy = move_axis(&m->move, 1, p->y + i, p->vy + i, m->startVy + i, m->ay + i, lightness);
    REAL vz = move_axis(&m->move, 2, p->z + i, p->vz + i, m->startVz + i, m->az + i, lightness);
    return (wbMoved){vx * vx + vy * vy + vz * vz, real_load(p->density + i)};
}

static void integrate(int begin, int end, int worker, void *context) {
    const wbSphMove move = *(const wbSphMove *)context; // a copy that nothing written can alias
    (void)worker;
    move_range(&move, begin, end, move.maxima, move_lanes);
}

// rho c over that of the reference fluid is the root of the relative density; pairs have the geometric mean of two.
WB_INLINE void roots_lanes(const wbSphPass *pass, int i) {
    real_store(pass->roots + i, real_sqrt(real_sqrt(real_load(pass->relative + i))));
}
WB_LANES_RANGE(roots, wbSphPass, roots_lanes)

const wbSphCode WB_WIDE(wb_sphCode) = {roots, density, sums, ghosts, normals, smooth, forces, integrate};
