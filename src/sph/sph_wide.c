// SPDX-License-Identifier: MIT
#include "space/neighbours_wide.h"
#include "sph/sph_code.h"
#include "sph/sph_formula.h"

WB_INLINE REAL poly6_term(REAL r2, const void *context) { return sph_poly6(r2, context); }
WB_INLINE REAL wendland_term(REAL r2, const void *context) { return sph_wendland(r2, context); }

WB_INLINE SphState state_of(const wbSphPass *pass, REAL density, REAL before, REAL impedance) {
    return sph_state(pass->model->params.equation == wb_equationTait, density, before, impedance,
                     pass->inverseTime, &pass->model->constants);
}

// Roots of the impedances of some particles.
WB_INLINE REAL load_roots(const float *roots, const int *index) {
    float lanes[WB_LANES];
    for (int l = 0; l < WB_LANES; l++) lanes[l] = roots[index[l]];
    return real_load(lanes);
}

// Density and pressure of the particles from i on from their sums, and their records. The new density goes to
// the back: it counts once all of it is there.
WB_INLINE void finish_density(const wbSphPass *pass, int i, const float *sums) {
    wbSph *sph = pass->sph;
    const SphConstants *c = &pass->model->constants;
    REAL sum = real_load(sums), before = real_load(sph->particles.density + i);
    if (pass->boundarySums) sum += real_load(pass->boundarySums + i);
    REAL density = sum * c->densityScale;
    density =
        real_select(real_less(real_set(0), density), density, real_set(c->restDensity)); // lanes past the end
    REAL root = pass->roots ? real_load(pass->roots + i) : real_set(1);
    SphState state = state_of(pass, density, before, root * root);
    real_store(sph->particles.backDensity + i, density);
    real_store(sph->particles.pressure + i, state.pressure);
    REAL4 position = {real_load(sph->particles.x + i), real_load(sph->particles.y + i),
                      real_load(sph->particles.z + i), state.inverseDensity};
    REAL4 velocity = {real_load(sph->particles.vx + i), real_load(sph->particles.vy + i),
                      real_load(sph->particles.vz + i), state.term};
    lane_store4(pass->positionRecords + 4 * (size_t)i, position);
    lane_store4(pass->velocityRecords + 4 * (size_t)i, velocity);
}

WB_INLINE void density_range(const wbSphPass *pass, int begin, int end, int worker, wbPairTerm *term) {
    wbListStore *store = &pass->lists.neighbours->stores[worker];
    uint8_t *owners = pass->lists.neighbours->owners.data;
    const SphConstants constants = pass->model->constants; // a copy that nothing written below can alias
    float sums[WB_GROUP];
    for (int i = begin; i < end; i += WB_GROUP) {
        if (i % WB_BLOCK == 0) owners[i / WB_BLOCK] = (uint8_t)worker;
        wb_build_group(&pass->lists, store, i, term, &constants, sums);
        if (store->failed) return;
        for (int l = 0; l < WB_GROUP; l += WB_LANES) finish_density(pass, i + l, sums + l);
    }
}

static void density(int begin, int end, int worker, void *context) {
    const wbSphPass *pass = context;
    if (pass->model->params.kernel == wb_kernelWendland)
        density_range(pass, begin, end, worker, wendland_term);
    else
        density_range(pass, begin, end, worker, poly6_term);
}

static void pressures(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbSphPass *pass = context;
    for (int i = begin; i < end; i += WB_LANES) {
        REAL density = real_load(pass->sph->particles.density + i);
        real_store(pass->sph->particles.pressure + i, state_of(pass, density, density, real_set(1)).pressure);
    }
}

// A ghost has the density and pressure of its particle; its velocity is mirrored at each side in turn.
static void mirror_velocity(const wbDomain *domain, uint32_t sides, float v[3]) {
    for (int s = 0; s < wb_sideCount; s++) {
        if (!(sides >> s & 1)) continue;
        int axis = s / 2;
        const float *side = domain->velocity[s];
        if (domain->types[s] == wb_sideNoSlip)
            for (int a = 0; a < 3; a++) v[a] = a == axis ? v[a] : 2 * side[a] - v[a];
        v[axis] = -v[axis];
    }
}

static void ghosts(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbSphPass *pass = context;
    for (int k = begin; k < end; k++) {
        const float *position = pass->positionRecords + 4 * (size_t)pass->fluid->ghosts.source[k];
        const float *velocity = pass->velocityRecords + 4 * (size_t)pass->fluid->ghosts.source[k];
        float v[3] = {velocity[0], velocity[1], velocity[2]};
        mirror_velocity(pass->model->domain, pass->fluid->ghosts.sides[k], v);
        float *p = pass->positionRecords + 4 * (size_t)(pass->fluid->firstGhost + k);
        float *u = pass->velocityRecords + 4 * (size_t)(pass->fluid->firstGhost + k);
        p[0] = pass->fluid->ghosts.x[k], p[1] = pass->fluid->ghosts.y[k], p[2] = pass->fluid->ghosts.z[k],
        p[3] = position[3];
        u[0] = v[0], u[1] = v[1], u[2] = v[2], u[3] = velocity[3];
    }
}

// Normals of WB_LANES particles from i on; `rows` are their lanes of the group's lists.
WB_INLINE void normals_lanes(const wbSphPass *pass, int i, const int *rows, int rowCount,
                             const bool wendland) {
    const SphConstants c = pass->model->constants;
    int own[WB_LANES];
    ints_store(own, ints_count() + i);
    REAL4 self = lane_load4(pass->positionRecords, own);
    REAL4 normal = {real_set(0), real_set(0), real_set(0), real_set(0)};
    for (int k = 0; k < rowCount; k++, rows += WB_GROUP) {
        REAL4 other = lane_load4(pass->positionRecords, rows);
        REAL dx = other.x - self.x, dy = other.y - self.y, dz = other.z - self.z;
        REAL weight = sph_normal(wendland, real_madd(dx, dx, real_madd(dy, dy, dz * dz)), other.w, &c);
        normal.x = real_madd(weight, dx, normal.x);
        normal.y = real_madd(weight, dy, normal.y);
        normal.z = real_madd(weight, dz, normal.z);
    }
    lane_store4(pass->normalRecords + 4 * (size_t)i, normal);
}

// The mean over neighbours: sum m/rho_j W n_j.
WB_INLINE void smooth_lanes(const wbSphPass *pass, int i, const int *rows, int rowCount,
                            const bool wendland) {
    const SphConstants c = pass->model->constants;
    int own[WB_LANES];
    ints_store(own, ints_count() + i);
    REAL4 self = lane_load4(pass->positionRecords, own);
    REAL4 normal = {real_set(0), real_set(0), real_set(0), real_set(0)};
    for (int k = 0; k < rowCount; k++, rows += WB_GROUP) {
        REAL4 other = lane_load4(pass->positionRecords, rows), rough = lane_load4(pass->roughRecords, rows);
        REAL dx = other.x - self.x, dy = other.y - self.y, dz = other.z - self.z;
        REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
        REAL weight = (wendland ? sph_wendland(r2, &c) : sph_poly6(r2, &c)) * other.w * c.densityScale;
        normal.x = real_madd(weight, rough.x, normal.x);
        normal.y = real_madd(weight, rough.y, normal.y);
        normal.z = real_madd(weight, rough.z, normal.z);
    }
    lane_store4(pass->normalRecords + 4 * (size_t)i, normal);
}

typedef void LanesFn(const wbSphPass *pass, int i, const int *rows, int rowCount, const bool wendland);

WB_INLINE void lists_range(const wbSphPass *pass, int begin, int end, LanesFn *lanes) {
    bool wendland = pass->model->params.kernel == wb_kernelWendland;
    for (int i = begin; i < end; i += WB_GROUP) {
        int rowCount;
        const int *rows = wbNeighbours_GetRows(pass->lists.neighbours, i / WB_GROUP, &rowCount);
        for (int l = 0; l < WB_GROUP; l += WB_LANES) {
            if (wendland)
                lanes(pass, i + l, rows + l, rowCount, true);
            else
                lanes(pass, i + l, rows + l, rowCount, false);
        }
    }
}

static void normals(int begin, int end, int worker, void *context) {
    (void)worker;
    lists_range(context, begin, end, normals_lanes);
}

static void smooth(int begin, int end, int worker, void *context) {
    (void)worker;
    lists_range(context, begin, end, smooth_lanes);
}

// Accelerations of WB_LANES particles from i on.
WB_INLINE void forces_lanes(const wbSphPass *pass, int i, const int *rows, int rowCount, const bool wendland,
                            const bool artificial, const bool surface, const bool mixed) {
    const SphConstants c = pass->model->constants;
    int own[WB_LANES];
    ints_store(own, ints_count() + i);
    REAL4 self = lane_load4(pass->positionRecords, own), motion = lane_load4(pass->velocityRecords, own);
    REAL4 normal = surface ? lane_load4(pass->normalRecords, own) : self;
    REAL root = mixed ? real_load(pass->roots + i) : real_set(1);
    REAL ax = real_set(0), ay = real_set(0), az = real_set(0);
    for (int k = 0; k < rowCount; k++, rows += WB_GROUP) {
        REAL4 other = lane_load4(pass->positionRecords, rows),
              velocity = lane_load4(pass->velocityRecords, rows);
        REAL dx = self.x - other.x, dy = self.y - other.y, dz = self.z - other.z;
        REAL ux = velocity.x - motion.x, uy = velocity.y - motion.y, uz = velocity.z - motion.z;
        REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
        REAL vr = artificial ? -real_madd(ux, dx, real_madd(uy, dy, uz * dz)) : real_set(0);
        REAL impedance = mixed ? root * load_roots(pass->roots, rows) : real_set(1);
        SphPair pair = sph_pair(wendland, artificial, surface, r2, vr, self.w, other.w, motion.w, velocity.w,
                                impedance, &c);
        if (surface) {
            REAL4 otherNormal = lane_load4(pass->normalRecords, rows);
            ax = real_madd(pair.bend, otherNormal.x - normal.x, ax);
            ay = real_madd(pair.bend, otherNormal.y - normal.y, ay);
            az = real_madd(pair.bend, otherNormal.z - normal.z, az);
        }
        ax = real_madd(pair.along, dx, real_madd(pair.drag, ux, ax));
        ay = real_madd(pair.along, dy, real_madd(pair.drag, uy, ay));
        az = real_madd(pair.along, dz, real_madd(pair.drag, uz, az));
    }
    real_store(pass->ax + i, ax);
    real_store(pass->ay + i, ay);
    real_store(pass->az + i, az);
}

WB_INLINE void forces_range(const wbSphPass *pass, int begin, int end, const bool wendland,
                            const bool artificial, const bool surface, const bool mixed) {
    for (int i = begin; i < end; i += WB_GROUP) {
        int rowCount;
        const int *rows = wbNeighbours_GetRows(pass->lists.neighbours, i / WB_GROUP, &rowCount);
        for (int l = 0; l < WB_GROUP; l += WB_LANES)
            forces_lanes(pass, i + l, rows + l, rowCount, wendland, artificial, surface, mixed);
    }
}

// One copy of the loop for each set of terms. Fluids of different density differ in artificial viscosity alone.
#define FORCES(name, wendland, artificial, surface, mixed)                                                   \
    static void name(const wbSphPass *pass, int begin, int end) {                                            \
        forces_range(pass, begin, end, wendland, artificial, surface, mixed);                                \
    }
FORCES(forces_muller, false, false, false, false)
FORCES(forces_muller_surface, false, false, true, false)
FORCES(forces_muller_artificial, false, true, false, false)
FORCES(forces_muller_artificial_surface, false, true, true, false)
FORCES(forces_muller_mixed, false, true, false, true)
FORCES(forces_muller_mixed_surface, false, true, true, true)
FORCES(forces_wendland, true, false, false, false)
FORCES(forces_wendland_surface, true, false, true, false)
FORCES(forces_wendland_artificial, true, true, false, false)
FORCES(forces_wendland_artificial_surface, true, true, true, false)
FORCES(forces_wendland_mixed, true, true, false, true)
FORCES(forces_wendland_mixed_surface, true, true, true, true)
#undef FORCES

static void forces(int begin, int end, int worker, void *context) {
    (void)worker;
    static void (*const loops[2][3][2])(const wbSphPass *, int, int) = {
        {{forces_muller, forces_muller_surface},
         {forces_muller_artificial, forces_muller_artificial_surface},
         {forces_muller_mixed, forces_muller_mixed_surface}},
        {{forces_wendland, forces_wendland_surface},
         {forces_wendland_artificial, forces_wendland_artificial_surface},
         {forces_wendland_mixed, forces_wendland_mixed_surface}}};
    const wbSphPass *pass = context;
    const wbSphParams *p = &pass->model->params;
    int damping = p->artificialViscosity > 0 ? (pass->roots ? 2 : 1) : 0;
    loops[p->kernel == wb_kernelWendland][damping][p->surfaceTension > 0](pass, begin, end);
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

// Highest squared speed and density, and a NaN if something was not finite.
typedef struct Maxima {
    REAL speed2, density, check;
} Maxima;

// Lanes past the end of the particles do not count.
WB_INLINE void take_maxima(Maxima *maxima, REAL speed2, REAL density, int lanesLeft) {
    if (lanesLeft < WB_LANES) {
        float lanes[WB_LANES], count[WB_LANES];
        for (int l = 0; l < WB_LANES; l++) lanes[l] = (float)l, count[l] = (float)lanesLeft;
        MASK inside = real_less(real_load(lanes), real_load(count));
        speed2 = real_select(inside, speed2, real_set(0)),
        density = real_select(inside, density, real_set(0));
    }
    maxima->check += speed2 * 0.0f;
    maxima->speed2 = real_max(speed2, maxima->speed2);
    maxima->density = real_max(density, maxima->density);
}

static float largest_lane(REAL a) {
    float lanes[WB_LANES], largest;
    real_store(lanes, a);
    largest = lanes[0];
    for (int l = 1; l < WB_LANES; l++) largest = lanes[l] > largest ? lanes[l] : largest;
    return largest;
}

// Moves a block and finds its highest squared speed (NaN if something is not finite) and density.
WB_INLINE void move_block(const wbSphMove *m, int begin, int end, float result[2]) {
    wbSph *sph = m->sph;
    const SphMove move = m->move;
    Maxima maxima = {real_set(0), real_set(0), real_set(0)};
    for (int i = begin; i < end; i += WB_LANES) {
        REAL lightness = m->relative ? 1.0f / real_load(m->relative + i) : real_set(1);
        REAL vx = move_axis(&move, 0, sph->particles.x + i, sph->particles.vx + i, m->startVx + i, m->ax + i,
                            lightness);
        REAL vy = move_axis(&move, 1, sph->particles.y + i, sph->particles.vy + i, m->startVy + i, m->ay + i,
                            lightness);
        REAL vz = move_axis(&move, 2, sph->particles.z + i, sph->particles.vz + i, m->startVz + i, m->az + i,
                            lightness);
        take_maxima(&maxima, vx * vx + vy * vy + vz * vz, real_load(sph->particles.density + i), end - i);
    }
    result[0] = largest_lane(maxima.speed2) + real_sum(maxima.check);
    result[1] = largest_lane(maxima.density);
}

static void integrate(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbSphMove *m = context;
    for (int block = begin; block < end; block += WB_BLOCK)
        move_block(m, block, block + WB_BLOCK < end ? block + WB_BLOCK : end, m->maxima[block / WB_BLOCK]);
}

const wbSphCode WB_WIDE(wb_sphCode) = {density, ghosts, normals, smooth, forces, integrate, pressures};
