// SPDX-License-Identifier: MIT
// Numbers of the multigrid, and how coarse values are interpolated: the same in C and in OpenCL C.
#pragma once

/// Sweeps over the coarsest level, and more of them near solids if cycles are slow.
enum { PRESSURE_BOTTOM_SWEEPS = 12, PRESSURE_NEAR_SWEEPS = 2 };

/// A cycle that leaves more than this of the residual has trouble at thin solids.
#define PRESSURE_SLOW_RATE 0.2
/// Solutions until one is tried without more sweeps: the thin solid may be gone.
enum { PRESSURE_SLOW_STEPS = 32 };

/// What a coarse correction is multiplied by on the finest level: it is a little too small for waves of a few cells. Long
/// waves come out too large by this much, which the next cycle sees: on coarser levels as well, they would add up (1.2
/// on all diverges).
#define PRESSURE_FINEST_GAIN 1.15f

/// How far the first red values of a cycle go beyond the best ones on the finest level. The others cannot: after the
/// coarse correction red is not known yet, and black must have no residual when it is restricted or measured.
#define PRESSURE_FIRST_RELAXATION 1.4f

/// Sweeps after the coarse correction: two, on the finest level only in cycles that may be the last.
static inline int pressure_sweeps_up(int level, int isMeasured) { return level > 0 || isMeasured ? 2 : 1; }

/// Whether what is left is looked at after cycle n: from the likely number of cycles on, and at powers of two, so that
/// the many of a hard step are soon forgotten.
static inline int pressure_is_measured(int n, int likelyCycles, int maxCycles) {
    return n >= likelyCycles || n == maxCycles || (n >= 4 && (n & (n - 1)) == 0);
}

/// How many cycles the next solution is likely to take: as many as this one, or one less if the last of them was hardly
/// needed, since one leaves less than a tenth where it goes well.
static inline int pressure_likely_cycles(int cycles, double residual, double allowed) {
    return cycles > 0 && residual < 0.1 * allowed ? cycles - 1 : cycles;
}

/// @name Slow solutions
/// Where narrow gaps join rooms a cycle may go many times too far, and the next ones farther still: coarse levels let less
/// through a gap than there is. So slow solutions go by shares along the cycle's way and along the last one, those that
/// make the error least in the norm of the energy: conjugate gradients with cycles as preconditioner, in the form that is
/// called locally optimal (Knyazev 2001).
/// @{
/// Of s1 r, s0 r, s1 c1, s1 c0 and s0 c0: the cycle's way s1 and the last one s0, what was left before the cycle r, and
/// what the ways change of it, c1 and c0.
enum { PRESSURE_SUMS = 5 };
/// So many cycles in a row that leave more than this: rounding is all that is left.
#define PRESSURE_STALL_RATE 0.9
enum { PRESSURE_STALLS = 4 };
#ifndef __OPENCL_VERSION__
static inline void pressure_best_shares(const double sums[PRESSURE_SUMS], float shares[2]) {
    double a = sums[2], b = sums[3], c = sums[4], determinant = a * c - b * b;
    double x = sums[0] / a, y = 0;
    // The last cycle went as far along s0 as is best, so that s0 r would be 0. Where it is not small, rounding makes the ways,
    // and what seems best along both at once would be far too far.
    const int isClear = sums[1] * sums[1] < 1e-3 * sums[0] * c;
    if (isClear &&
        determinant > 1e-6 * a * c) { // else nearly the same ways, or there is none before this one
        x = (sums[0] * c - sums[1] * b) / determinant;
        y = (sums[1] * a - sums[0] * b) / determinant;
    }
    // all else is rounding
    if (!(x > 0 && x < 30 && y > -30 && y < 30)) x = 1, y = 0;
    shares[0] = (float)x, shares[1] = (float)y;
}
#endif
/// @}

/// Of two neighbouring coarse rows or planes: their numbers and shares. Beyond a side stands a share of the last value.
typedef struct PressurePair {
    int near, far;
    float nearShare, farShare;
} PressurePair;

static inline PressurePair pressure_pair(int fine, int shift, int count, float beyondLow, float beyondHigh) {
    int near = (fine + shift) >> 1, far = (fine + shift) & 1 ? near + 1 : near - 1;
    PressurePair pair = {near, far, 0.75f, 0.25f};
    if (near >= count) {
        pair.near = far, pair.nearShare = 0.25f + 0.75f * beyondHigh, pair.farShare = 0;
    } else if (far < 0) {
        pair.far = near, pair.nearShare = 0.75f + 0.25f * beyondLow, pair.farShare = 0;
    } else if (far >= count) {
        pair.far = near, pair.nearShare = 0.75f + 0.25f * beyondHigh, pair.farShare = 0;
    }
    return pair;
}
