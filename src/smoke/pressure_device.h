// SPDX-License-Identifier: MIT
// The levels of pressure.h as kernels see them: all levels in the same buffers, each with places of its own.
#pragma once

enum {
    PRESSURE_WEIGHTED = 1, ///< flags of a row, as in wbPressureLevel
    PRESSURE_NEAR = 2,
    PRESSURE_TAIL_GROUP = 64, ///< work-items that solve the coarse levels alone
    PRESSURE_PATCH_GROUP = 16 ///< that place the weights of a row
};

/// How a colour is smoothed: all rows, those near solids, or all where the other colour is 0.
enum { PRESSURE_SMOOTH, PRESSURE_SMOOTH_NEAR, PRESSURE_START };

typedef struct PressureLevel {
    int nx, ny, nz, places; ///< cells; places of a row that have some
    int shiftY, shiftZ, cellsZ, row, plane, length;
    int p[2], b[2];               ///< where the colours start among all values
    int diagonals, flags;         ///< where its rows start
    int weights[2], weightStride; ///< where those of the colours start, and from one face to the next
    int ghosts, ghostCount;
    float gain, beyond[6];
} PressureLevel;

typedef struct PressureGhost {
    int place; ///< among all values
    int first, count;
} PressureGhost;

/// Weights of a row, of one colour, that are to be placed: six times `length` values from `from` on.
typedef struct PressurePatch {
    int to, stride, from, length;
} PressurePatch;

/// Cells of air one after the other along x, of a part that cannot leave.
typedef struct PressureRun {
    int row, first, end, part;
} PressureRun;
