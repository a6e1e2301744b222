// SPDX-License-Identifier: MIT
// What the pressure has to take away, over the wide type: b, from the velocities, and the sums of its squares per plane.
// Rows near solids come after the others, since their faces get their velocity last.
#pragma once

#include "core/real.h"
#include "smoke/smoke_code.h"

// Whether a row is near solids, some of whose faces get their velocity from them later.
WB_INLINE bool is_near(const wbPressureLevel *level, int j, int k) {
    return level->near[(k < level->nz ? k : level->nz - 1) + level->nz * (j < level->ny ? j : level->ny - 1)];
}

WB_INLINE REAL inflow(const wbSmokeProjection *task, int c) {
    const float *u = task->velocity[0] + c, *v = task->velocity[1] + c, *w = task->velocity[2] + c;
    int y = task->grid->plane, z = task->grid->row;
    return (real_load(u) - real_load(u + 1)) +
           ((real_load(v) - real_load(v + y)) + (real_load(w) - real_load(w + z)));
}

// 0 where there is no air.
WB_INLINE REAL store_b(const wbPressureLevel *level, int colour, int diagonal, int place, REAL b) {
    REAL air = diagonal < 0 ? real_set(0) : real_load(level->inverse + diagonal);
    b = real_select(real_less(real_set(0), air), b, real_set(0));
    real_store(level->b[colour] + place, b);
    return b * b;
}

static float divergence_row(const wbSmokeProjection *task, int j, int k) {
    const wbPressureLevel *level = task->level;
    int c = wbSmokeIndex(task->grid, 0, j, k), place = level->row * (k + 1) + level->plane * (j + 1);
    int even = (j + k) & 1;
    const int *diagonals = level->diagonals + 2 * (k + level->nz * j);
    REAL squares = real_set(0);
    for (int t = 0; t < level->length; t += WB_LANES) {
        int evenRow = diagonals[even], oddRow = diagonals[1 - even];
        REAL evens, odds, low = inflow(task, c + 2 * t), high = real_set(0);
        if (2 * t + WB_LANES < task->grid->row) high = inflow(task, c + 2 * t + WB_LANES);
        lane_split(low, high, &evens, &odds);
        squares += store_b(level, even, evenRow < 0 ? -1 : evenRow + t, place + t, evens);
        squares += store_b(level, 1 - even, oddRow < 0 ? -1 : oddRow + t, place + t, odds);
    }
    return real_sum(squares);
}

static void divergence_coarse_rows(const wbSmokeProjection *task, int j) {
    task->sums[j] = 0;
    for (int k = 0; k < task->level->nz; k++)
        if (!is_near(task->level, j, k)) task->sums[j] += divergence_row(task, j, k);
}

static void divergence_near_rows(const wbSmokeProjection *task, int j) {
    for (int k = 0; k < task->level->nz; k++)
        if (is_near(task->level, j, k)) task->sums[j] += divergence_row(task, j, k);
}
