// SPDX-License-Identifier: MIT
#include "smoke/smoke_advect.h"
#include "smoke/smoke_divergence.h"
#include "smoke/smoke_flux.h"
#include "smoke/smoke_forces.h"
#include "smoke/smoke_reflect.h"

// Fire

static void burn(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbSmokeBurn *task = context;
    const wbSmokeGrid *grid = task->grid;
    for (int j = begin; j < end; j++) {
        for (int k = 0; k < grid->nz; k++) {
            int c = wbSmokeIndex(grid, 0, j, k), block = wbSmokeBlockRow(grid, j, k);
            for (int i = 0; i < grid->nx; i += WB_LANES) {
                if (!task->marks[block + i / WB_SMOKE_BLOCK_X]) continue;
                REAL fuel = real_load(task->fuel + c + i), temperature = real_load(task->temperature + c + i);
                REAL burnt = smoke_burnt(fuel, temperature, task->ignition, task->share);
                if (task->steam) // where it takes the place of air nothing burns
                    burnt = real_select(real_less(real_set(task->mostSteam), real_load(task->steam + c + i)),
                                        real_set(0), burnt);
                REAL density = real_load(task->density + c + i);
                real_store(task->fuel + c + i, fuel - burnt);
                real_store(task->temperature + c + i, real_madd(burnt, real_set(task->heat), temperature));
                real_store(task->density + c + i, real_madd(burnt, real_set(task->soot), density));
            }
        }
    }
}

// Projection

// Rows that are known already keep what they have.
static void divergence(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbSmokeProjection *task = context;
    for (int j = begin; j < end; j++) {
        if (task->sums[j] < 0) divergence_coarse_rows(task, j);
        divergence_near_rows(task, j);
    }
}

// Faces first … end - 1 of a row: those whose velocity no side gives.
typedef struct FreeFaces {
    int first, end;
} FreeFaces;

// How fast the lanes from face i on are, but for those that are not free.
WB_INLINE REAL free_speed(REAL u, int i, FreeFaces faces) {
    if (i >= faces.first && i + WB_LANES <= faces.end) return real_abs(u);
    unsigned lanes = lane_first(faces.end - i);
    if (i < faces.first) lanes &= ~1u; // only the first of a row
    return real_select(real_mask(lanes), real_abs(u), real_set(0));
}

// u -= the difference of the values across each face, which are in the other colour: at the same place, or one before.
// Gives how fast the free faces are then.
WB_INLINE REAL subtract_row(float *u, int count, FreeFaces faces, const float *even, const float *odd,
                            const float *evenBefore, const float *oddBefore) {
    REAL most = real_set(0);
    for (int i = 0, t = 0; i < count; i += 2 * WB_LANES, t += WB_LANES) {
        REAL evens = real_load(even + t) - real_load(evenBefore + t), a, b;
        REAL odds = real_load(odd + t) - real_load(oddBefore + t);
        lane_join(evens, odds, &a, &b);
        a = real_load(u + i) - a;
        real_store(u + i, a);
        most = real_max(most, free_speed(a, i, faces));
        if (i + WB_LANES >= count) break;
        b = real_load(u + i + WB_LANES) - b;
        real_store(u + i + WB_LANES, b);
        most = real_max(most, free_speed(b, i + WB_LANES, faces));
    }
    return most;
}

// Whether no closed side gives the velocity of faces number n of count + 1.
WB_INLINE bool is_free(int n, int count, const bool open[2]) {
    return (n > 0 || open[0]) && (n < count || open[1]);
}

static void gradient(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbSmokeProjection *task = context;
    const wbPressureLevel *level = task->level;
    const wbSmokeGrid *grid = task->grid;
    const bool *open = task->open;
    const FreeFaces along = {0, grid->nx}, across = {open[0] ? 0 : 1, open[1] ? grid->nx + 1 : grid->nx};
    for (int j = begin; j < end; j++) {
        REAL most = real_set(0);
        for (int k = 0; k <= grid->nz; k++) {
            int c = wbSmokeIndex(grid, 0, j, k), place = level->row * (k + 1) + level->plane * (j + 1);
            const float *even = level->p[(j + k) & 1] + place, *odd = level->p[(j + k + 1) & 1] + place;
            float *u = task->velocity[0] + c, *v = task->velocity[1] + c, *w = task->velocity[2] + c;
            int y = level->plane, z = level->row;
            REAL speeds[3] = {real_set(0), real_set(0), real_set(0)};
            if (k < grid->nz) speeds[1] = subtract_row(v, grid->nx, along, even, odd, odd - y, even - y);
            if (k < grid->nz && j < grid->ny)
                speeds[0] = subtract_row(u, grid->nx + 1, across, even, odd, odd - 1, even);
            if (grid->dimensions == 3 && j < grid->ny)
                speeds[2] = subtract_row(w, grid->nx, along, even, odd, odd - z, even - z);
            if (is_near(level, j, k)) continue;
            most = real_max(most, speeds[0]);
            if (is_free(j, grid->ny, open + 2)) most = real_max(most, speeds[1]);
            if (is_free(k, grid->nz, open + 4)) most = real_max(most, speeds[2]);
        }
        task->maxima[j] = largest_lane(most);
    }
}

WB_INLINE REAL row_speed(const float *u, int count) {
    REAL most = real_set(0);
    for (int i = 0; i < count; i += WB_LANES)
        most = real_max(most, free_speed(real_load(u + i), i, (FreeFaces){0, count}));
    return most;
}

static void near_speed(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbSmokeProjection *task = context;
    const wbSmokeGrid *grid = task->grid;
    for (int j = begin; j < end; j++) {
        REAL most = real_set(0);
        for (int k = 0; k <= grid->nz; k++) {
            if (!is_near(task->level, j, k)) continue;
            int c = wbSmokeIndex(grid, 0, j, k);
            if (k < grid->nz) most = real_max(most, row_speed(task->velocity[1] + c, grid->nx));
            if (k < grid->nz && j < grid->ny)
                most = real_max(most, row_speed(task->velocity[0] + c, grid->nx + 1));
            if (grid->dimensions == 3 && j < grid->ny)
                most = real_max(most, row_speed(task->velocity[2] + c, grid->nx));
        }
        float largest = largest_lane(most);
        if (largest > task->maxima[j]) task->maxima[j] = largest;
    }
}

// Sums and scales

static void sum(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbSmokeSum *task = context;
    const size_t blocks = (size_t)wbCountSmokeBlocks(task->grid).x;
    for (int j = begin; j < end; j++) {
        task->sums[j] = 0;
        for (int k = 0; k < task->grid->nz; k++) {
            const float *row = task->field + wbSmokeIndex(task->grid, 0, j, k);
            if (!memchr(task->dirty + wbSmokeBlockRow(task->grid, j, k), 1, blocks)) continue;
            REAL total = real_set(0);
            for (int i = 0; i < task->grid->nx; i += WB_LANES)
                total += first_lanes(real_load(row + i), task->grid->nx - i);
            task->sums[j] += real_sum(total);
        }
    }
}

static void scale(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbSmokeSum *task = context;
    for (int j = begin; j < end; j++) {
        for (int k = 0; k < task->grid->nz; k++) {
            float *row = task->field + wbSmokeIndex(task->grid, 0, j, k);
            for (int i = 0; i < task->grid->nx; i += WB_LANES)
                real_store(row + i, real_load(row + i) * task->scale);
        }
    }
}

// Viscosity

typedef REAL RowFn(const wbSmokeDiffusion *task, int c, int lanesLeft);

WB_INLINE void walk_rows(const wbSmokeDiffusion *task, int begin, int end, RowFn *lanes, const bool sums) {
    for (int j = begin; j < end; j++) {
        double total = 0;
        for (int k = 0; k < task->kind->count[2]; k++) {
            REAL row = real_set(0);
            int c = wbSmokeIndex(task->grid, 0, j, k), count = task->kind->count[0];
            for (int i = 0; i < count; i += WB_LANES) row += lanes(task, c + i, count - i);
            total += real_sum(row);
        }
        if (sums) task->sums[j] = total;
    }
}

// alpha times the sum over neighbours minus own
WB_INLINE REAL spread(const wbSmokeDiffusion *task, const float *u, int c) {
    int y = task->grid->plane, z = task->grid->row;
    REAL own = real_load(u + c), around = (real_load(u + c - 1) - own) + (real_load(u + c + 1) - own);
    around += (real_load(u + c - y) - own) + (real_load(u + c + y) - own);
    around += (real_load(u + c - z) - own) + (real_load(u + c + z) - own);
    return around * task->alpha;
}

WB_INLINE REAL laplace_lanes(const wbSmokeDiffusion *task, int c, int left) {
    real_store(task->residual + c, first_lanes(spread(task, task->u, c), left));
    return real_set(0);
}
WB_INLINE REAL apply_lanes(const wbSmokeDiffusion *task, int c, int left) {
    REAL product = real_load(task->direction + c) - spread(task, task->direction, c);
    real_store(task->product + c, first_lanes(product, left));
    return real_set(0);
}
WB_INLINE REAL dot_lanes(const wbSmokeDiffusion *task, int c, int left) {
    return first_lanes(real_load(task->direction + c) * real_load(task->product + c), left);
}
WB_INLINE REAL advance_lanes(const wbSmokeDiffusion *task, int c, int left) {
    REAL along = real_set(task->along), direction = first_lanes(real_load(task->direction + c), left);
    REAL residual = real_load(task->residual + c) - along * real_load(task->product + c);
    real_store(task->u + c, real_madd(along, direction, real_load(task->u + c)));
    real_store(task->residual + c, residual);
    return first_lanes(residual * residual, left);
}
WB_INLINE REAL turn_lanes(const wbSmokeDiffusion *task, int c, int left) {
    REAL direction =
        real_madd(real_set(task->turn), real_load(task->direction + c), real_load(task->residual + c));
    real_store(task->direction + c, first_lanes(direction, left));
    return real_set(0);
}

static void laplace(int begin, int end, int worker, void *context) {
    (void)worker;
    walk_rows(context, begin, end, laplace_lanes, false);
}
static void apply(int begin, int end, int worker, void *context) {
    (void)worker;
    walk_rows(context, begin, end, apply_lanes, false);
}
static void dot_product(int begin, int end, int worker, void *context) {
    (void)worker;
    walk_rows(context, begin, end, dot_lanes, true);
}
static void advance(int begin, int end, int worker, void *context) {
    (void)worker;
    walk_rows(context, begin, end, advance_lanes, true);
}
static void turn(int begin, int end, int worker, void *context) {
    (void)worker;
    walk_rows(context, begin, end, turn_lanes, false);
}

const wbSmokeCode WB_WIDE(wb_smokeCode) = {advect,  sweep,      outflow,     burn,       reflect, bend,
                                           forces,  divergence, gradient,    near_speed, sum,     scale,
                                           laplace, apply,      dot_product, advance,    turn};
