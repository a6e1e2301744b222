// SPDX-License-Identifier: MIT
// Where fine values stand among coarse ones: the same in C and in OpenCL C.
#pragma once

/// A grid of fine cells within one of coarse cells.
typedef struct SmokeNest {
    int factor;                    ///< fine cells along a coarse one
    int low[3];                    ///< coarse cell at which the fine grid begins, along x, y and z
    int fine[3], coarse[3];        ///< cells
    int innerLow[3], innerHigh[3]; ///< coarse cells where the fine grid leads: beyond them it follows
    int fineRow, finePlane;        ///< of fields
    int coarseRow, coarsePlane;    ///< likewise
} SmokeNest;

/// Between two coarse values: which, and the share of the upper one.
typedef struct SmokeBetween {
    int low, high;
    float share;
} SmokeBetween;

/// Of fine value n along an axis. Beyond the last coarse ones their value goes on.
static inline SmokeBetween smoke_between(const SmokeNest *nest, int axis, int isFace, int n) {
    int last = nest->coarse[axis] - !isFace;
    float size = nest->fine[axis] == 1 && nest->coarse[axis] == 1 ? 1 : 1 / (float)nest->factor;
    float x = (float)nest->low[axis] + size * (float)n;
    if (!isFace) x += 0.5f * size - 0.5f;
    if (x <= 0) return (SmokeBetween){0, 0, 0};
    if (x >= (float)last) return (SmokeBetween){last, last, 0};
    return (SmokeBetween){(int)x, (int)x + 1, x - (float)(int)x};
}
