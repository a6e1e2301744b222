// SPDX-License-Identifier: MIT
// Where fine values stand among coarse ones: the same in C and in OpenCL C.
#pragma once

/// A grid of fine cells within one of coarse cells. Arrays are along x, y and z.
typedef struct SmokeNest {
    int factor;                    ///< fine cells along a coarse one
    int low[3];                    ///< coarse cell at which the fine grid begins
    int fine[3], coarse[3];        ///< cells
    int innerLow[3], innerHigh[3]; ///< coarse cells where the fine grid leads: beyond them it follows
} SmokeNest;

/// Fine cells along a coarse one: one if there is but one layer.
static inline int smoke_fine_count(const SmokeNest *nest, int axis) {
    return nest->fine[axis] == 1 && nest->coarse[axis] == 1 ? 1 : nest->factor;
}

/// Between two coarse values: which, and the share of the upper one.
typedef struct SmokeBetween {
    int low, high;
    float share;
} SmokeBetween;

/// Of fine value n along an axis. Beyond the last coarse ones their value goes on.
static inline SmokeBetween smoke_between(const SmokeNest *nest, int axis, int isFace, int n) {
    int last = nest->coarse[axis] - !isFace;
    float size = 1 / (float)smoke_fine_count(nest, axis);
    float x = (float)nest->low[axis] + size * (float)n;
    if (!isFace) x += 0.5f * size - 0.5f;
    SmokeBetween between = {(int)x, (int)x + 1, x - (float)(int)x};
    if (x <= 0) between.low = between.high = 0, between.share = 0;
    if (x >= (float)last) between.low = between.high = last, between.share = 0;
    return between;
}

/// Fine cells along an axis that a coarse one stands for begin here, seen from the fine grid.
static inline int smoke_first_fine(const SmokeNest *nest, int axis, int coarse) {
    return (coarse - nest->low[axis]) * smoke_fine_count(nest, axis);
}
/// The coarse cell that a fine one is in.
static inline int smoke_coarse_cell(const SmokeNest *nest, int axis, int fine) {
    return nest->low[axis] + fine / smoke_fine_count(nest, axis);
}
/// From the sum of b over fine cells to b of the coarse one: the mean, times the size of cells.
static inline float smoke_coarse_scale(const SmokeNest *nest) {
    return (float)nest->factor /
           (float)(smoke_fine_count(nest, 0) * smoke_fine_count(nest, 1) * smoke_fine_count(nest, 2));
}
