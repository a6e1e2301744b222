// SPDX-License-Identifier: MIT
// Position based fluids, solved by constraints: each in turn (Gauss-Seidel), or all at once, and each hands out what it wants of
// its neighbours. A colour of cells after another (pbf_colours.h), so that nothing is written by two threads, and the order
// is the same however many there are.
#pragma once

#include "pbd/pbf_code.h"
#include "pbd/pbf_colours.h"

/// The neighbours of one particle, one behind the other: a worker's scratch.
typedef struct wbPbfStar {
    int count;
    int *particles;   ///< a ghost's particle
    uint32_t *sides;  ///< that it is mirrored at, as in wbGhosts
    float *x, *y, *z; ///< m, where they are; then from them to the particle; then how far they are pushed
} wbPbfStar;

/// A sub-step's sweeps over the constraints; and what one pass over a colour works with.
typedef struct wbPbfSweep {
    wbPbfPass *pass;
    const wbPbfSweepCode *code;
    const wbWork *work;
    wbPbfStar *stars; ///< per worker
    float *sums;      ///< m, records of what is to be added; NULL for Gauss-Seidel
    PbfColour colour;
    bool isBack;
} wbPbfSweep;

/// Makes room in the arena; lists and records are there. False: there is none.
bool wbPbfSweep_Begin(wbPbfSweep *sweep, wbPbfPass *pass, const wbWork *work);
/// One iteration of Gauss-Seidel: dp_k = lambda_i grad_k C_i for one i after another, forth or back.
void wbPbfSweep_Project(wbPbfSweep *sweep, bool isBack);
/// One of Jacobi's, after lambda: the same for all at once.
void wbPbfSweep_Scatter(wbPbfSweep *sweep);

/// Blocks of a colour; and the particles of one, among which are some of other colours where cells are hashed.
int wbCountColourBlocks(const wbGrid *grid, PbfColour colour);
void wbGetColourBlock(const wbGrid *grid, PbfColour colour, int block, int *begin, int *end);
bool wbIsOfColour(const wbGrid *grid, PbfColour colour, float y, float z);
