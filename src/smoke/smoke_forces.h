// SPDX-License-Identifier: MIT
// Forces over the wide type: curl, the gradient of its size, the force of each cell and the faces in one walk over the
// planes, a tile of rows at a time: what is between them stays in the cache. The velocity may come from advection on the
// same walk, which spares it a way to memory and back: a tenth of both at 150^3 cells; and the divergence that they leave
// may be found on it.
//
// Tried: stages that follow each other by a row instead of a plane lose 6 %.
#pragma once

#include "smoke/smoke_advect.h"
#include "smoke/smoke_divergence.h"
#include "smoke/smoke_sources.h"
#include "smoke/smoke_walls.h"

// 0 in lanes beyond a row of which `count` values are left.
WB_INLINE REAL first_lanes(REAL a, int count) {
    return count >= WB_LANES ? a : real_select(real_mask(lane_first(count)), a, real_set(0));
}

// Scratch of a thread: planes of a tile that are still needed.
enum { RING_VELOCITY = 3, RING_SIZE = 3, RING_CURL = 2, RING_LIFT = 2 };
_Static_assert(3 * RING_VELOCITY + RING_SIZE + 3 * RING_CURL + RING_LIFT + 2 == WB_SMOKE_RING_PLANES,
               "as make_ring cuts it");
typedef struct Ring {
    float *velocity[RING_VELOCITY][3]; // carried
    float *size[RING_SIZE];            // of the curl
    float *curl[RING_CURL][3];
    float *lift[RING_LIFT]; // force along y
    float *forceX, *forceZ;
    int first; // row that stands first
    int row;
} Ring;

static Ring make_ring(const wbSmokeForces *task, int worker) {
    Ring ring = {.row = task->grid->row};
    float *next = task->rings + (size_t)worker * task->ringLength + WB_SMOKE_MARGIN;
    int plane = task->grid->row * (task->tile + WB_SMOKE_RING_EDGE);
    for (int p = 0; p < RING_VELOCITY; p++)
        for (int c = 0; c < 3; c++, next += plane) ring.velocity[p][c] = next;
    for (int p = 0; p < RING_SIZE; p++, next += plane) ring.size[p] = next;
    for (int p = 0; p < RING_CURL; p++)
        for (int c = 0; c < 3; c++, next += plane) ring.curl[p][c] = next;
    for (int p = 0; p < RING_LIFT; p++, next += plane) ring.lift[p] = next;
    ring.forceX = next, ring.forceZ = next + plane;
    return ring;
}

WB_INLINE int ring_row(const Ring *ring, int k) { return ring->row * (k - ring->first); }

// Component `axis` of the carried velocity from value (0, j, k) on, j and k from -1 on.
WB_INLINE const float *velocity_row(const wbSmokeForces *task, const Ring *ring, int axis, int j, int k) {
    if (!task->carry) return task->velocity[axis] + wbSmokeIndex(task->grid, 0, j, k);
    return ring->velocity[(j + RING_VELOCITY) % RING_VELOCITY][axis] + ring_row(ring, k);
}

// Carrying

// Rows first … end - 1 of a plane of one component.
WB_INLINE void carry_rows(const wbSmokeAdvect *advect, float *to, int j, int first, int end, const int kind) {
    Pass pass = make_pass(advect, kind, 1);
    pass.to[0] = to, pass.shift = -wbSmokeIndex(&pass.grid, 0, j, first);
    for (int k = first; k < end; k++) advect_row(&pass, j, k, kind, 1, false);
}

// A plane of faces, with what sides and sources do to it. The plane below the lowest comes with that one.
static void carry_plane(const wbSmokeForces *task, const Ring *ring, int j, int firstRow, int endRow) {
    const wbSmokeGrid *grid = task->grid;
    const wbSmokeCarry *carry = task->carry;
    float *const *planes = ring->velocity[(j + RING_VELOCITY) % RING_VELOCITY];
    for (int axis = 0; axis < 3; axis++) {
        int rows = axis == 2 ? grid->nz + 1 : grid->nz;
        wbSmokePatch patch = {.axis = axis, .j = j, .first = firstRow > 0 ? firstRow : 0};
        patch.end = endRow < rows ? endRow : rows;
        patch.values = planes[axis] + ring_row(ring, patch.first);
        if (j == grid->ny && axis != 1) { // there is none: beyond the top
            const float *last = ring->velocity[(j - 1) % RING_VELOCITY][axis] + ring_row(ring, patch.first);
            wbFillPatchBeyond(carry->model, &patch, last, wb_top);
            continue;
        }
        const wbSmokeAdvect *advect = &carry->components[axis];
        if (axis == 0) carry_rows(advect, patch.values, j, patch.first, patch.end, 0);
        if (axis == 1) carry_rows(advect, patch.values, j, patch.first, patch.end, 1);
        if (axis == 2) carry_rows(advect, patch.values, j, patch.first, patch.end, 2);
        wbSlowInflow(carry->model, &patch, carry->cells);
        wbFeedPatch(grid, carry->feedings, carry->feedingCount, &patch);
        wbFillPatchHalo(carry->model, advect->kinds, &patch);
        if (j > 0 || axis == 1) continue;
        wbSmokePatch below = patch;
        below.values = ring->velocity[RING_VELOCITY - 1][axis] + ring_row(ring, patch.first);
        wbFillPatchBeyond(carry->model, &below, patch.values, wb_bottom);
    }
}

// Forces

WB_INLINE REAL sum_of_two(const float *f, int a, int b) { return real_load(f + a) + real_load(f + b); }

// Four h times the curl at cell centres, from velocities there, which are means of two faces; differences over two cells.
static void curl_row(const wbSmokeForces *task, const Ring *ring, int j, int k) {
    const int x = 1, z = ring->row, to = ring_row(ring, k);
    const float *below[3], *here[3], *above[3];
    for (int axis = 0; axis < 3; axis++) {
        below[axis] = velocity_row(task, ring, axis, j - 1, k);
        here[axis] = velocity_row(task, ring, axis, j, k);
        above[axis] = velocity_row(task, ring, axis, j + 1, k);
    }
    const int nx = task->grid->nx;
    float *const *curl = ring->curl[j % RING_CURL], *size = ring->size[j % RING_SIZE] + to;
    for (int i = 0; i < nx; i += WB_LANES) {
        const float *u = here[0] + i, *v = here[1] + i, *vAbove = above[1] + i, *w = here[2] + i;
        REAL a = (sum_of_two(above[2] + i, 0, z) - sum_of_two(below[2] + i, 0, z)) -
                 ((real_load(v + z) + real_load(vAbove + z)) - (real_load(v - z) + real_load(vAbove - z)));
        REAL b = (sum_of_two(u, z, z + x) - sum_of_two(u, -z, x - z)) -
                 (sum_of_two(w, x, x + z) - sum_of_two(w, -x, z - x));
        REAL d = ((real_load(v + x) + real_load(vAbove + x)) - (real_load(v - x) + real_load(vAbove - x))) -
                 (sum_of_two(above[0] + i, 0, x) - sum_of_two(below[0] + i, 0, x));
        real_store(curl[0] + to + i, a);
        real_store(curl[1] + to + i, b);
        real_store(curl[2] + to + i, d);
        REAL square = real_madd(a, a, real_madd(b, b, d * d));
        real_store(size + i, square * real_rsqrt(square + 1e-30f));
    }
    // beyond the sides as within
    size[-1] = size[0], size[nx] = size[nx - 1];
}

// Twice what the faces of a cell get: lift, wind and confinement.
static void force_row(const wbSmokeForces *task, const Ring *ring, int j, int k) {
    const wbSmokeGrid *grid = task->grid;
    int c = wbSmokeIndex(grid, 0, j, k), to = ring_row(ring, k);
    float *const *curl = ring->curl[j % RING_CURL];
    const float *size = ring->size[j % RING_SIZE] + to;
    const float *above = ring->size[(j < grid->ny - 1 ? j + 1 : j) % RING_SIZE] + to;
    const float *below = ring->size[(j > 0 ? j - 1 : j) % RING_SIZE] + to;
    int front = k < grid->nz - 1 ? grid->row : 0, behind = k > 0 ? -grid->row : 0;
    float *const force[3] = {ring->forceX + to, ring->lift[j % RING_LIFT] + to, ring->forceZ + to};
    const uint8_t *marks = task->marks + wbSmokeBlockRow(grid, j, k);
    for (int i = 0; i < grid->nx; i += WB_LANES) {
        REAL lift = real_set(0);
        if (marks[i / WB_SMOKE_BLOCK_X])
            lift = smoke_lift(real_load(task->temperature + c + i), real_load(task->density + c + i),
                              task->buoyancy, task->weight);
        SmokeVector sum = {real_madd(lift, real_set(task->up.x), real_set(task->wind.x)),
                           real_madd(lift, real_set(task->up.y), real_set(task->wind.y)),
                           real_madd(lift, real_set(task->up.z), real_set(task->wind.z))};
        if (task->confinement != 0) {
            SmokeVector grad = {real_load(size + i + 1) - real_load(size + i - 1),
                                real_load(above + i) - real_load(below + i),
                                real_load(size + i + front) - real_load(size + i + behind)};
            SmokeVector turn = {real_load(curl[0] + to + i), real_load(curl[1] + to + i),
                                real_load(curl[2] + to + i)};
            SmokeVector extra = smoke_confinement(turn, grad, task->confinement);
            sum.x += extra.x, sum.y += extra.y, sum.z += extra.z;
        }
        real_store(force[0] + i, sum.x);
        real_store(force[1] + i, sum.y);
        real_store(force[2] + i, sum.z);
    }
    force[0][-1] = force[0][0], force[0][grid->nx] = force[0][grid->nx - 1];
}

// What the rings hold beyond a row is anything, and must not get between rows of the velocity.
WB_INLINE void push_row(const float *velocity, float *target, int count, const float *a, const float *b) {
    for (int i = 0; i < count; i += WB_LANES) {
        REAL push = real_load(a + i) + real_load(b + i);
        real_store(target + i, first_lanes(real_load(velocity + i) + push, count - i));
    }
}

// The faces below the cells of a plane get the mean of the forces on both sides; at a side, of the one that there is.
static void push_faces(const wbSmokeForces *task, const Ring *ring, int j, int k) {
    const wbSmokeGrid *grid = task->grid;
    int c = wbSmokeIndex(grid, 0, j, k);
    int own = ring_row(ring, k < grid->nz ? k : k - 1), behind = ring_row(ring, k > 0 ? k - 1 : k);
    const float *lift = ring->lift[(j < grid->ny ? j : j - 1) % RING_LIFT],
                *below = ring->lift[(j > 0 ? j - 1 : j) % RING_LIFT];
    if (k < grid->nz)
        push_row(velocity_row(task, ring, 1, j, k), task->target[1] + c, grid->nx, lift + own, below + own);
    if (j == grid->ny) return;
    if (k < grid->nz)
        push_row(velocity_row(task, ring, 0, j, k), task->target[0] + c, grid->nx + 1, ring->forceX + own,
                 ring->forceX + own - 1);
    if (grid->dimensions == 3)
        push_row(velocity_row(task, ring, 2, j, k), task->target[2] + c, grid->nx, ring->forceZ + own,
                 ring->forceZ + behind);
}

// Closed sides give plane j of faces its last values, but near solids: the cells below it can be measured, unless those
// below them belong to another range.
static void project_plane(const wbSmokeProjection *projection, int begin, int j) {
    wbCloseSides(projection->grid, projection->open, projection->velocity, j);
    if (j > begin) divergence_coarse_rows(projection, j - 1);
}

// Planes begin … end - 1 of faces in rows firstRow … endRow - 1. With confinement, what faces get depends on three planes
// of velocities below and two above, and on as many rows; without, on their own, of which the last tile has one more.
static void forces_tile(const wbSmokeForces *task, Ring *ring, int begin, int end, int firstRow, int endRow) {
    const wbSmokeGrid *grid = task->grid;
    const bool confines = task->confinement != 0;
    int nz = grid->nz, lastRow = endRow == nz ? nz : endRow - 1, below = confines ? 3 : 0,
        above = confines ? 2 : 1;
    ring->first = firstRow - 3;
    for (int front = begin - 4; front <= end; front++) {
        int next = front + 1;
        if (task->carry && next >= 0 && next >= begin - below && next < end + above && next <= grid->ny)
            carry_plane(task, ring, next, firstRow - below, endRow + above);
        if (front >= 0 && front >= begin - 2 && front < grid->ny && confines)
            for (int k = firstRow > 2 ? firstRow - 2 : 0; k <= endRow && k < nz; k++)
                curl_row(task, ring, front, k);
        int j = front - 1;
        if (j >= 0 && j >= begin - 1 && j < grid->ny)
            for (int k = firstRow > 1 ? firstRow - 1 : 0; k < endRow; k++) force_row(task, ring, j, k);
        if (j < begin || j >= end) continue;
        for (int k = firstRow; k <= lastRow; k++) push_faces(task, ring, j, k);
        if (task->projection) project_plane(task->projection, begin, j);
    }
}

static void forces(int begin, int end, int worker, void *context) {
    const wbSmokeForces *task = context;
    const int nz = task->grid->nz;
    Ring ring = make_ring(task, worker);
    for (int k = 0; k < nz; k += task->tile)
        forces_tile(task, &ring, begin, end, k, k + task->tile < nz ? k + task->tile : nz);
}
