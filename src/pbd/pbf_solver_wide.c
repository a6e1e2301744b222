// SPDX-License-Identifier: MIT
#include "pbd/pbf_lanes.h"
#include "pbd/pbf_solver.h"

// Where a ghost of a record is: mirrored at the sides of the box.
static float mirror(const wbDomain *domain, float x, uint32_t sides, int axis) {
    uint32_t side = sides >> (2 * axis) & 3;
    return side == 0 ? x : 2 * (side == 1 ? domain->min[axis] : domain->max[axis]) - x;
}

// The neighbours of particle i as they are in the records now, ghosts too. A list ends where it is filled up.
WB_INLINE void find_star(const wbPbfPass *pass, const float *records, int i, wbPbfStar *star) {
    const wbGhosts *ghosts = &pass->fluid->ghosts;
    const wbDomain *domain = pass->fluid->domain;
    const int firstGhost = pass->fluid->firstGhost, dummy = pass->fluid->dummy;
    int rowCount, n = 0;
    const int *rows =
        wbNeighbours_GetRows(&pass->pbf->fluid.search.neighbours, i / WB_GROUP, &rowCount) + i % WB_GROUP;
    for (int k = 0; k < rowCount && rows[k * WB_GROUP] != dummy; k++) {
        int j = rows[k * WB_GROUP];
        if (j == i) continue;
        uint32_t sides = j < firstGhost ? 0 : ghosts->sides[j - firstGhost];
        if (sides) j = ghosts->source[j - firstGhost];
        const float *record = records + 4 * (size_t)j;
        star->particles[n] = j, star->sides[n] = sides;
        star->x[n] = record[0], star->y[n] = record[1], star->z[n] = record[2];
        if (sides)
            star->x[n] = mirror(domain, star->x[n], sides, 0),
            star->y[n] = mirror(domain, star->y[n], sides, 1),
            star->z[n] = mirror(domain, star->z[n], sides, 2);
        n++;
    }
    star->count = n;
    for (; n % WB_LANES != 0; n++) star->x[n] = star->y[n] = star->z[n] = 1e15f; // which no kernel reaches
}

typedef struct Constraint {
    float density, squares;
} Constraint;

// Density and gradients; the star's places become differences.
WB_INLINE Constraint see_star(const wbPbfPass *pass, int i, const float *self, wbPbfStar *star) {
    const PbfConstants c = pass->model->constants;
    REAL density = real_set(0), squares = density, ownX = density, ownY = density, ownZ = density;
    for (int k = 0; k < star->count; k += WB_LANES) {
        REAL dx = self[0] - real_load(star->x + k), dy = self[1] - real_load(star->y + k);
        REAL dz = self[2] - real_load(star->z + k);
        REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz)), g = pbf_gradient(r2, &c);
        density += pbf_density(r2, &c);
        ownX = real_madd(g, dx, ownX), ownY = real_madd(g, dy, ownY), ownZ = real_madd(g, dz, ownZ);
        squares = real_madd(g * g, r2, squares);
        real_store(star->x + k, dx), real_store(star->y + k, dy), real_store(star->z + k, dz);
    }
    float x = real_sum(ownX), y = real_sum(ownY), z = real_sum(ownZ);
    Constraint seen = {real_sum(density) + 1, real_sum(squares)}; // 1: the particle's own kernel
    if (pass->boundary) {
        const float *added = pass->boundary + 4 * (size_t)i;
        x += added[0], y += added[1], z += added[2], seen.density += added[3];
        seen.squares += pass->boundarySquares[i];
    }
    seen.squares += x * x + y * y + z * z;
    seen.density *= c.densityScale;
    return seen;
}

// 1 over the relative density of a particle's fluid: the heavier gives way less.
WB_INLINE float lightness(const wbPbfPass *pass, int i) { return pass->relative ? 1 / pass->relative[i] : 1; }

// Lambda grad_k C and half of s_corr, but for lightness: the star's differences become what moves them; `own` is what moves the particle.
WB_INLINE void push_star(const wbPbfPass *pass, int i, float lambda, wbPbfStar *star, float own[3]) {
    const PbfConstants c = pass->model->constants;
    const float scale = c.gradientScale, lowest = pass->relative ? pass->lowest[i] : 1,
                apart = 0.5f * pass->move.apartScale * lowest;
    REAL ownX = real_set(0), ownY = ownX, ownZ = ownX;
    for (int k = 0; k < star->count; k += WB_LANES) {
        REAL dx = real_load(star->x + k), dy = real_load(star->y + k), dz = real_load(star->z + k);
        REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
        REAL g = pbf_correction(r2, real_set(lambda), real_set(apart), &c) * scale;
        dx *= g, dy *= g, dz *= g;
        ownX -= dx, ownY -= dy, ownZ -= dz;
        real_store(star->x + k, dx), real_store(star->y + k, dy), real_store(star->z + k, dz);
    }
    own[0] = real_sum(ownX), own[1] = real_sum(ownY), own[2] = real_sum(ownZ);
    for (int a = 0; a < 3 && pass->boundary; a++)
        own[a] -= lambda * PBF_BOUNDARY_SHARE * pass->boundary[4 * (size_t)i + (size_t)a] * scale;
    for (int a = 0; a < 3; a++) own[a] *= lightness(pass, i);
}

static void add_to(float *record, float x, float y, float z) {
    record[0] += x, record[1] += y, record[2] += z;
}

// What a ghost is to do, its particle does mirrored.
WB_INLINE void add_star(const wbPbfPass *pass, const wbPbfStar *star, float *records, float *others) {
    for (int k = 0; k < star->count; k++) {
        const float share = lightness(pass, star->particles[k]);
        const uint32_t sides = star->sides[k];
        const size_t at = 4 * (size_t)star->particles[k];
        float x = share * (sides & 3 ? -star->x[k] : star->x[k]);
        float y = share * (sides >> 2 & 3 ? -star->y[k] : star->y[k]);
        float z = share * (sides >> 4 & 3 ? -star->z[k] : star->z[k]);
        add_to(records + at, x, y, z);
        if (others) add_to(others + at, x, y, z);
    }
}

static float first_lane(REAL a) {
    float lanes[WB_LANES];
    real_store(lanes, a);
    return lanes[0];
}

// As lean_on_boundary, for one particle.
static void lean_on(const wbPbfPass *pass, int i, float sum, float change) {
    const float relative = pass->relative ? pass->relative[i] : 1;
    const float lean = first_lane(pbf_lean(real_set(sum), real_set(change), real_set(relative),
                                           real_set(pass->move.bearing), pass->move.dt));
    for (size_t a = 0; a < 3; a++)
        pass->boundary[4 * (size_t)i + a] += lean * pass->boundaryHeads[4 * (size_t)i + a];
    pass->leans[i] = lean;
}

// Gauss-Seidel: one constraint, from where those before it have left the particles.
static void project_one(const wbPbfSweep *sweep, int i, wbPbfStar *star) {
    const wbPbfPass *pass = sweep->pass;
    float *place = pass->places + 4 * (size_t)i, *moved = pass->moved + 4 * (size_t)i, own[3];
    for (int a = 0; a < 3; a++) {
        float to = first_lane(pbf_confine(real_set(place[a]), a, &pass->move));
        moved[a] += to - place[a], place[a] = to;
    }
    find_star(pass, pass->places, i, star);
    Constraint seen = see_star(pass, i, place, star);
    const PbfConstants *c = &pass->model->constants;
    float *sum = pass->pbf->fluid.particles.pressure + i;
    REAL wanted = pbf_lambda(real_set(seen.density), real_set(seen.squares), c);
    if (pass->relative) wanted *= pass->lowest[i];
    float change = first_lane(pbf_change(wanted, real_set(*sum), real_set(0), &pass->move, c));
    *sum += change, pass->density[i] = seen.density, pass->solved[4 * (size_t)i + 3] = change;
    if (pass->boundaryHeads) lean_on(pass, i, *sum, change);
    push_star(pass, i, change, star, own);
    add_to(place, own[0], own[1], own[2]), add_to(moved, own[0], own[1], own[2]);
    add_star(pass, star, pass->places, pass->moved);
}

// Jacobi: what one constraint wants of all, from the places where lambda was found.
static void scatter_one(const wbPbfSweep *sweep, int i, wbPbfStar *star) {
    const wbPbfPass *pass = sweep->pass;
    const float *solved = pass->solved + 4 * (size_t)i;
    float own[3];
    find_star(pass, pass->solved, i, star);
    see_star(pass, i, solved, star);
    push_star(pass, i, solved[3], star, own);
    add_to(sweep->sums + 4 * (size_t)i, own[0], own[1], own[2]);
    add_star(pass, star, sweep->sums, NULL);
}

typedef void OneFn(const wbPbfSweep *sweep, int i, wbPbfStar *star);

WB_INLINE void blocks_range(const wbPbfSweep *sweep, int begin, int end, int worker, OneFn *one) {
    const wbPbfPass *pass = sweep->pass;
    const wbGrid *grid = &pass->pbf->fluid.search.grid;
    for (int block = begin; block < end; block++) {
        int first, last;
        wbGetColourBlock(grid, sweep->colour, block, &first, &last);
        for (int k = first; k < last; k++) {
            int i = sweep->isBack ? first + last - 1 - k : k;
            if (wbIsOfColour(grid, sweep->colour, pass->py[i], pass->pz[i]))
                one(sweep, i, &sweep->stars[worker]);
        }
    }
}

static void project(int begin, int end, int worker, void *context) {
    blocks_range(context, begin, end, worker, project_one);
}

static void scatter(int begin, int end, int worker, void *context) {
    blocks_range(context, begin, end, worker, scatter_one);
}

// Places from what moved particles, in the box again.
WB_INLINE void settle_lanes(const wbPbfSweep *sweep, int i) {
    const wbPbfPass *pass = sweep->pass;
    REAL4 moved = load_own(pass->moved, i);
    if (sweep->sums) {
        add_scaled(&moved, real_set(1), load_own(sweep->sums, i));
        store_own(sweep->sums, i, zero4());
    }
    store_own(pass->places, i, drift_lanes(pass, i, &moved));
    store_own(pass->moved, i, moved);
}
WB_LANES_RANGE(settle, wbPbfSweep, settle_lanes)

const wbPbfSweepCode WB_WIDE(wb_pbfSweepCode) = {project, scatter, settle};
