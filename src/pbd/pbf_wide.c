// SPDX-License-Identifier: MIT
#include "pbd/pbf_lanes.h"

// One number of some particles.
WB_INLINE REAL load_lanes(const float *numbers, const int *index) {
    float lanes[WB_LANES];
    for (int l = 0; l < WB_LANES; l++) lanes[l] = numbers[index[l]];
    return real_load(lanes);
}

static void predict(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbfPass *pass = context;
    const wbPbf *pbf = pass->pbf;
    const PbfMove move = pass->move;
    const float *x[3] = {pbf->particles.x, pbf->particles.y, pbf->particles.z},
                *v[3] = {pbf->particles.vx, pbf->particles.vy, pbf->particles.vz};
    float *p[3] = {pass->px, pass->py, pass->pz};
    for (int a = 0; a < 3; a++)
        for (int i = begin; i < end; i += WB_LANES)
            real_store(p[a] + i,
                       pbf_drift(real_load(x[a] + i), real_load(v[a] + i), real_set(0), a, &move).to);
}

static void arrange(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbfPass *pass = context;
    for (int i = begin; i < end; i += WB_LANES) {
        REAL4 moved = zero4(), p = drift_lanes(pass, i, &moved);
        real_store(pass->px + i, p.x), real_store(pass->py + i, p.y), real_store(pass->pz + i, p.z);
    }
}

static void place(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbfPass *pass = context;
    for (int i = begin; i < end; i += WB_LANES) {
        REAL4 moved = zero4(), p = drift_lanes(pass, i, &moved);
        lane_store4(pass->places + 4 * (size_t)i, p);
        lane_store4(pass->solved + 4 * (size_t)i, p);
        lane_store4(pass->moved + 4 * (size_t)i, moved);
        real_store(pass->pbf->particles.pressure + i, real_set(0));
    }
}

// Passes over the neighbours of WB_LANES particles from i on; `rows` are their lanes of the group's lists.

WB_INLINE void lowest_lanes(const wbPbfPass *pass, int i, const int *rows, int rowCount) {
    const PbfConstants c = pass->model->constants;
    REAL4 self = load_own(pass->places, i);
    REAL lightness = 1.0f / real_load(pass->relative + i);
    for (int k = 0; k < rowCount; k++, rows += WB_GROUP) {
        REAL4 other = lane_load4(pass->places, rows);
        REAL dx = self.x - other.x, dy = self.y - other.y, dz = self.z - other.z;
        REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
        lightness = real_max(pbf_lightness(r2, 1.0f / load_lanes(pass->relative, rows), &c), lightness);
    }
    real_store(pass->lowest + i, 1.0f / lightness);
}

WB_INLINE void lambda_lanes(const wbPbfPass *pass, int i, const int *rows, int rowCount, const bool mixed) {
    const PbfConstants c = pass->model->constants;
    const PbfMove move = pass->move;
    const float *places = pass->places;
    REAL4 self = load_own(places, i), own = zero4();
    REAL density = real_set(0), squares = real_set(0);
    for (int k = 0; k < rowCount; k++, rows += WB_GROUP) {
        REAL4 other = lane_load4(places, rows);
        REAL dx = self.x - other.x, dy = self.y - other.y, dz = self.z - other.z;
        REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz)), g = pbf_gradient(r2, &c);
        density += pbf_density(r2, &c);
        own.x = real_madd(g, dx, own.x), own.y = real_madd(g, dy, own.y), own.z = real_madd(g, dz, own.z);
        squares = real_madd(g * g, r2, squares);
    }
    if (pass->walls) {
        REAL4 walls = load_own(pass->walls, i);
        own.x += walls.x, own.y += walls.y, own.z += walls.z, density += walls.w;
        squares += real_load(pass->wallSquares + i);
    }
    squares = real_madd(own.x, own.x, real_madd(own.y, own.y, real_madd(own.z, own.z, squares)));
    density *= c.densityScale;
    float *pressure = pass->pbf->particles.pressure + i;
    REAL sum = real_load(pressure), last = load_own(pass->solved, i).w;
    REAL wanted = pbf_lambda(density, squares, &c);
    if (mixed) wanted *= real_load(pass->lowest + i);
    self.w = pbf_change(wanted, sum, last, &move, &c);
    real_store(pass->density + i, density);
    real_store(pressure, sum + self.w);
    lane_store4(pass->solved + 4 * (size_t)i, self);
}

// Pairs push each other with the same force, s_corr as in the lighter of their fluids; the heavier gives way less.
WB_INLINE void correct_lanes(const wbPbfPass *pass, int i, const int *rows, int rowCount, const bool mixed) {
    const PbfConstants c = pass->model->constants;
    const PbfMove move = pass->move;
    const float *solved = pass->solved;
    REAL4 self = load_own(solved, i), push = zero4();
    REAL apart = real_set(move.apartScale), lowest = mixed ? real_load(pass->lowest + i) : real_set(1);
    for (int k = 0; k < rowCount; k++, rows += WB_GROUP) {
        REAL4 other = lane_load4(solved, rows);
        REAL dx = self.x - other.x, dy = self.y - other.y, dz = self.z - other.z;
        REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
        if (mixed) apart = (0.5f * move.apartScale) * (lowest + load_lanes(pass->lowest, rows));
        REAL g = pbf_correction(r2, self.w + other.w, apart, &c);
        push.x = real_madd(g, dx, push.x), push.y = real_madd(g, dy, push.y),
        push.z = real_madd(g, dz, push.z);
    }
    if (pass->walls) {
        REAL4 walls = load_own(pass->walls, i);
        REAL lambda = self.w * PBF_WALL_SHARE;
        push.x = real_madd(lambda, walls.x, push.x), push.y = real_madd(lambda, walls.y, push.y);
        push.z = real_madd(lambda, walls.z, push.z);
    }
    REAL4 moved = load_own(pass->moved, i);
    REAL scale = real_set(c.gradientScale);
    if (mixed) scale = scale / real_load(pass->relative + i);
    moved.x -= push.x * scale, moved.y -= push.y * scale, moved.z -= push.z * scale;
    lane_store4(pass->places + 4 * (size_t)i, drift_lanes(pass, i, &moved));
    lane_store4(pass->moved + 4 * (size_t)i, moved);
}

// XSPH and, for the confinement, the curl sum m/rho_j (v_j - v_i) x grad_j W [M13, eq. 15].
WB_INLINE void smooth_lanes(const wbPbfPass *pass, int i, const int *rows, int rowCount, const bool spins,
                            const bool mixed) {
    const PbfConstants c = pass->model->constants;
    const float *places = pass->places, *velocities = pass->velocities;
    REAL4 self = load_own(places, i), motion = load_own(velocities, i), change = zero4(), spin = zero4();
    REAL relative = mixed ? real_load(pass->relative + i) : real_set(1);
    for (int k = 0; k < rowCount; k++, rows += WB_GROUP) {
        REAL4 other = lane_load4(places, rows), velocity = lane_load4(velocities, rows);
        REAL dx = self.x - other.x, dy = self.y - other.y, dz = self.z - other.z;
        REAL ux = velocity.x - motion.x, uy = velocity.y - motion.y, uz = velocity.z - motion.z;
        REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
        REAL mixing = mixed
                          ? pbf_mixing_of(r2, self.w, other.w, relative, load_lanes(pass->relative, rows), &c)
                          : pbf_mixing(r2, self.w, other.w, &c);
        change.x = real_madd(mixing, ux, change.x), change.y = real_madd(mixing, uy, change.y);
        change.z = real_madd(mixing, uz, change.z);
        if (!spins) continue;
        REAL g = pbf_gradient(r2, &c) * other.w;
        spin.x = real_madd(g, uy * dz - uz * dy, spin.x), spin.y = real_madd(g, uz * dx - ux * dz, spin.y);
        spin.z = real_madd(g, ux * dy - uy * dx, spin.z);
    }
    real_store(pass->pbf->particles.vx + i, motion.x + change.x);
    real_store(pass->pbf->particles.vy + i, motion.y + change.y);
    real_store(pass->pbf->particles.vz + i, motion.z + change.z);
    if (!spins) return;
    spin.x *= c.gradientScale, spin.y *= c.gradientScale, spin.z *= c.gradientScale;
    spin.w = real_sqrt(real_madd(spin.x, spin.x, real_madd(spin.y, spin.y, spin.z * spin.z)));
    lane_store4(pass->spins + 4 * (size_t)i, spin);
}

// One copy of the loop for each set of terms.
#define LANES(name, ...)                                                                                     \
    WB_INLINE void name(const wbPbfPass *pass, int i, const int *rows, int rowCount) { __VA_ARGS__; }
LANES(lambda_one, lambda_lanes(pass, i, rows, rowCount, false))
LANES(lambda_mixed, lambda_lanes(pass, i, rows, rowCount, true))
LANES(correct_one, correct_lanes(pass, i, rows, rowCount, false))
LANES(correct_mixed, correct_lanes(pass, i, rows, rowCount, true))
LANES(smooth_one, smooth_lanes(pass, i, rows, rowCount, false, false))
LANES(smooth_mixed, smooth_lanes(pass, i, rows, rowCount, false, true))
LANES(spin_one, smooth_lanes(pass, i, rows, rowCount, true, false))
LANES(spin_mixed, smooth_lanes(pass, i, rows, rowCount, true, true))
#undef LANES

// eta = sum m/rho_j (|spin_j| - |spin_i|) grad W, v += dt epsilon (eta / |eta|) x spin [M13, eq. 16]
WB_INLINE void confine_lanes(const wbPbfPass *pass, int i, const int *rows, int rowCount) {
    const PbfConstants c = pass->model->constants;
    const float *places = pass->places, *spins = pass->spins;
    wbPbf *pbf = pass->pbf;
    REAL4 self = load_own(places, i), spin = load_own(spins, i), eta = zero4();
    for (int k = 0; k < rowCount; k++, rows += WB_GROUP) {
        REAL4 other = lane_load4(places, rows), turn = lane_load4(spins, rows);
        REAL dx = self.x - other.x, dy = self.y - other.y, dz = self.z - other.z;
        REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
        REAL g = pbf_gradient(r2, &c) * other.w * (spin.w - turn.w);
        eta.x = real_madd(g, dx, eta.x), eta.y = real_madd(g, dy, eta.y), eta.z = real_madd(g, dz, eta.z);
    }
    eta.x *= c.gradientScale, eta.y *= c.gradientScale, eta.z *= c.gradientScale;
    REAL length2 = real_madd(eta.x, eta.x, real_madd(eta.y, eta.y, eta.z * eta.z));
    REAL scale = real_rsqrt(length2 + 1e-18f) * (c.vorticity * pass->move.dt);
    scale = real_select(real_less(real_set(1e-18f), length2), scale, real_set(0));
    real_store(pbf->particles.vx + i,
               real_load(pbf->particles.vx + i) + scale * (eta.y * spin.z - eta.z * spin.y));
    real_store(pbf->particles.vy + i,
               real_load(pbf->particles.vy + i) + scale * (eta.z * spin.x - eta.x * spin.z));
    real_store(pbf->particles.vz + i,
               real_load(pbf->particles.vz + i) + scale * (eta.x * spin.y - eta.y * spin.x));
}

typedef void LanesFn(const wbPbfPass *pass, int i, const int *rows, int rowCount);

WB_INLINE void lists_range(const wbPbfPass *pass, int begin, int end, LanesFn *lanes) {
    for (int i = begin; i < end; i += WB_GROUP) {
        int rowCount;
        const int *rows = wbNeighbours_GetRows(&pass->pbf->search.neighbours, i / WB_GROUP, &rowCount);
        for (int l = 0; l < WB_GROUP; l += WB_LANES) lanes(pass, i + l, rows + l, rowCount);
    }
}

static void lowest(int begin, int end, int worker, void *context) {
    (void)worker;
    lists_range(context, begin, end, lowest_lanes);
}

static void lambda(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbfPass *pass = context;
    if (pass->relative)
        lists_range(pass, begin, end, lambda_mixed);
    else
        lists_range(pass, begin, end, lambda_one);
}

static void correct(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbfPass *pass = context;
    if (pass->relative)
        lists_range(pass, begin, end, correct_mixed);
    else
        lists_range(pass, begin, end, correct_one);
}

static void smooth(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbfPass *pass = context;
    if (pass->relative && pass->spins)
        lists_range(pass, begin, end, spin_mixed);
    else if (pass->relative)
        lists_range(pass, begin, end, smooth_mixed);
    else if (pass->spins)
        lists_range(pass, begin, end, spin_one);
    else
        lists_range(pass, begin, end, smooth_one);
}

static void confine(int begin, int end, int worker, void *context) {
    (void)worker;
    lists_range(context, begin, end, confine_lanes);
}

static float largest_lane(REAL a) {
    float lanes[WB_LANES], largest;
    real_store(lanes, a);
    largest = lanes[0];
    for (int l = 1; l < WB_LANES; l++) largest = lanes[l] > largest ? lanes[l] : largest;
    return largest;
}

// Lanes past the end of the particles count as at rest and as empty.
WB_INLINE REAL keep_lanes(REAL a, int count) {
    float lanes[WB_LANES];
    if (count >= WB_LANES) return a;
    real_store(lanes, a);
    for (int l = count; l < WB_LANES; l++) lanes[l] = 0;
    return real_load(lanes);
}

// Sides of the box that nothing slips along.
WB_INLINE void stick_to_sides(const PbfMove *move, const REAL to[3], REAL speed[3]) {
    for (int s = 0; s < 6; s++) {
        if (!move->sticks[s]) continue;
        REAL share = pbf_side_share(to[s / 2], s, move);
        for (int a = 0; a < 3; a++)
            if (a != s / 2) speed[a] = real_madd(share, move->walls[s][a] - speed[a], speed[a]);
    }
}

// Velocities from the way of WB_LANES particles; returns their squared speeds.
WB_INLINE REAL finish_lanes(const wbPbfPass *pass, int i) {
    wbPbf *pbf = pass->pbf;
    float *x[3] = {pbf->particles.x, pbf->particles.y, pbf->particles.z},
          *v[3] = {pbf->particles.vx, pbf->particles.vy, pbf->particles.vz};
    const float *before[3] = {pbf->particles.backVx, pbf->particles.backVy, pbf->particles.backVz};
    REAL4 p = load_own(pass->places, i), way = load_own(pass->moved, i);
    const REAL to[3] = {p.x, p.y, p.z}, moved[3] = {way.x, way.y, way.z};
    REAL speed[3], speed2 = real_set(0);
    for (int a = 0; a < 3; a++) speed[a] = pbf_arrive(real_load(before[a] + i), moved[a], a, &pass->move);
    stick_to_sides(&pass->move, to, speed);
    for (int a = 0; a < 3; a++) {
        speed2 = real_madd(speed[a], speed[a], speed2);
        real_store(x[a] + i, to[a]);
        real_store(v[a] + i, speed[a]);
    }
    float *pressure = pbf->particles.pressure + i;
    real_store(pressure, real_load(pressure) * pass->move.pressureScale);
    p.w = real_rcp(real_max(real_load(pass->density + i), real_set(1e-3f)));
    lane_store4(pass->places + 4 * (size_t)i, p);
    lane_store4(pass->velocities + 4 * (size_t)i, (REAL4){speed[0], speed[1], speed[2], real_set(0)});
    return speed2;
}

static void finish(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbfPass *pass = context;
    float restDensity = pass->model->params.restDensity;
    for (int block = begin; block < end; block += WB_BLOCK) {
        int last = block + WB_BLOCK < end ? block + WB_BLOCK : end;
        REAL speed2 = real_set(0), density = speed2, check = speed2;
        for (int i = block; i < last; i += WB_LANES) {
            REAL square = keep_lanes(finish_lanes(pass, i), last - i);
            REAL rho = keep_lanes(real_load(pass->density + i), last - i) * restDensity;
            real_store(pass->pbf->particles.density + i, rho);
            speed2 = real_max(square, speed2), density = real_max(rho, density), check += square * 0.0f;
        }
        pass->fluid->maxima[block / WB_BLOCK][0] = largest_lane(speed2) + real_sum(check);
        pass->fluid->maxima[block / WB_BLOCK][1] = largest_lane(density);
    }
}

const wbPbfCode WB_WIDE(wb_pbfCode) = {predict, arrange, place,  lowest, lambda,
                                       correct, finish,  smooth, confine};
