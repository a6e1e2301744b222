// SPDX-License-Identifier: MIT
// The pressure that takes the divergence away: sum over open faces of (p - p_neighbour) = b in each cell of air, p = 0
// beyond open sides; b and p in m/s. By Jacobi, red-black over-relaxation or multigrid.
//
// Cells are red and black by the parity of i + j + k, each colour in an array of its own: cell i stands at place i / 2
// of its row. The neighbours of a cell are all in the other array, five of them at its own place and one beside it. Solid
// cells and what lies beyond the sides hold p = 0, so that the finest level needs no more than 1 / diagonal, rows of
// which are shared: nearly all are alike.
#pragma once

#include "core/work.h"
#include "smoke/smoke_def.h"
#include "smoke/smoke_grid.h"

enum { WB_PRESSURE_LEVELS = 24 };

/// A coarse cell inside a solid: gets the mean of its neighbours in air while values are interpolated.
typedef struct wbPressureGhost {
    int colour, place;
    int first, count; ///< of its sources
} wbPressureGhost;

typedef struct wbPressureLevel {
    int nx, ny, nz;     ///< cells
    int shiftY, shiftZ; ///< 1: the first coarse cell starts one earlier; odd grids stick out at a closed side
    int cellsZ;         ///< cells along z in a coarse one: 1 in a single layer, else 2
    int row, plane;     ///< places from one row or plane to the next
    int total;          ///< places of a colour
    int length;         ///< places of a row that are computed: whole vectors
    float *p[2], *b[2]; ///< by colour
    int *diagonals;     ///< [2 (k + nz j) + colour]: where its row starts in the two below; -1: no air in it
    float *inverse, *diagonal;
    uint8_t *weighted; ///< [k + nz j]: some face between cells of air lets less pass than a whole one
    uint8_t *near;     ///< [k + nz j]: a solid within two rows
    /// [colour * total + place] of the faces to the neighbours at the same place, beside, -z, +z, -y and +y; NULL on
    /// the finest level, where all are 1
    float *weights[6];
    uint8_t *changed; ///< [k + nz j]: weights of the row became others; until a device has taken them
    float gain;       ///< of the coarse correction on this level
    float beyond[6];  ///< what stands beyond each side, as a share of the last value
    wbArray inverses, diagonalRows, ghosts, ghostSources; ///< float, float, wbPressureGhost, 2 place + colour
    int diagonalCount, ghostCount, ghostSourceCount;
} wbPressureLevel;

/// Cells of air one after the other along x.
typedef struct wbAirRun {
    int row;        ///< k + nz j
    int first, end; ///< cells
    int part;       ///< number of the part that cannot leave; 0: it can
} wbAirRun;

typedef struct wbPressure {
    int levelCount;
    wbPressureLevel levels[WB_PRESSURE_LEVELS];
    int likelyCycles; ///< that the next solution will take, after the last
    int slowSteps; ///< solutions in which rows near solids get more sweeps, since a cycle left much; then without
    int airCount;    ///< cells
    int pocketCount; ///< parts that no open side is reached from
    wbArray runs;    ///< wbAirRun: all air
    int runCount;
    wbSmokeGrid grid; ///< that it was built for
    bool open[6];     ///< sides, likewise
    bool isClosed;    ///< none is open
    void *block;      ///< that the arrays of fixed size stand in
    size_t blockBytes;
} wbPressure;

typedef struct wbPressureResult {
    int cycles;      ///< or sweeps
    double residual; ///< m/s, root mean square over cells of air
} wbPressureResult;

/// For a mask of solids, by wbSmokeCell; `open`: of each side. Pressures start at 0, unless an earlier build had the same
/// grid: then they stay.
wbStatus wbPressure_Build(wbPressure *pressure, const wbWork *work, const wbSmokeGrid *grid,
                          const uint8_t *solid, const bool open[6]);
void wbPressure_Free(wbMemory *memory, wbPressure *pressure);

/// Takes the mean of b away where air cannot leave. Needed where solids move or air is made.
wbStatus wbPressure_Balance(wbPressure *pressure, const wbWork *work);

/// From b of the finest level and the last p. `before`: root mean square of b, what the tolerance refers to.
wbStatus wbPressure_Solve(wbPressure *pressure, const wbWork *work, const wbSmokeParams *params,
                          double before, wbPressureResult *result);
