// SPDX-License-Identifier: MIT
// Adaptive position based fluids by the thesis of L. Geyer (Adaptive Sampling in Position-Based Fluids, TU Wien 2022; its equations
// are named), all pairs in double, with three slips mended: densities are divided by the sum S(h/r) of the kernel over a lattice, a constraint
// weighs m_i over the mean mass of its neighbours instead of over the smallest (4.6), and splits make whole multiples of the smallest
// particle (5.5).
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// Mass is counted in parts of a smallest particle, which transfers move: it is exact.
enum { refParts = 4096 };

typedef enum refRole { refAlone, refMergeSource, refMergeTarget, refSplitSource, refSplitTarget } refRole;

typedef struct refGrain {
    double x[3], v[3], p[3]; ///< where it is, its velocity, where it will be
    uint32_t id, parts;
    double h;      ///< support of its kernel
    double b;      ///< distance to the boundary
    double target; ///< radius that it should have
    double offset; ///< of the rest density: what changes have left of it
    refRole role;
    int other;   ///< of the transfer
    double left; ///< s, of it
    // of the last step
    double density, gradient[3], mu; ///< over the rest density; grad_i C_i; lambda_i / V_i
    double calibration, squares;     ///< lattice sums S, and of squared gradients
    double touch[3];                 ///< what points of colliders add to sum V grad W
    double lowest;                   ///< relative density near it
    bool isBoundary;
} refGrain;

/// A particle mirrored behind sides: no boundary, but part of sums.
typedef struct refGhost {
    int source;
    double sign[3], shift[3]; ///< x of it is sign x + shift
} refGhost;

/// A point of a collider: weight is its volume, in smallest particles; the way into the collider, and its depth there.
typedef struct refPoint {
    double x[3], weight, inwards[3], depth;
    double push[3]; ///< m4 (2D: m3): what particles were moved by, times their volumes, the other way
} refPoint;

typedef struct refThesis {
    // what it is like; lengths in m
    int dimensions, iterations, limit;
    double spacing, width, slope, largest; ///< k; a; the largest target radius, in smallest radii
    double omega, softness, viscosity;     ///< step of an iteration; epsilon over its lattice sum; c of XSPH
    double mergeTime, reach, gap; ///< s; of merges, in radii of the larger; of halves, in their spacings
    double excess;                ///< mass of merges at most, over the target's
    int relaxations;              ///< after transfers, on positions alone
    double inside;                ///< b, in smallest radii, beyond which they also close gaps
    double steep, thin;           ///< h |grad C|, and density, of boundary particles
    bool isGeneral, keepsMomentum, movesTargets, splitsGradually;
    double gravity[3], sideMin[3], sideMax[3];
    bool closed[6];
    // the particles
    int count, capacity, freeCount;
    refGrain *grains;
    refGhost *ghosts;
    int ghostCount;
    refPoint *points; ///< of colliders, which the caller owns
    int pointCount;
    bool
        *near; ///< of each two, then of each and each ghost, at predicted positions: nearer than the larger h
    int nearWidth;
    bool *nearPoints; ///< likewise, of each and each point: nearer than its h
    double *
        relative; ///< densities of the particles' fluids, by id, which the caller owns; NULL: all 1. Fluids differ where these do
    uint32_t *freeIds, steps;
    int64_t merges, splits;
    double lost; ///< momentum that merges lost, in masses of the smallest times m/s
} refThesis;

/// With the defaults of a number of dimensions; particles are the smallest, at rest, at 0.
refThesis *refCreateThesis(int dimensions, int count);
void refDestroyThesis(refThesis *t);

double refGetGrainRadius(const refThesis *t, int i);
/// Sums over the lattice of spacing 2 r: of V W, and of V |grad W|2 times h^(d + 2).
double refSumLattice(int dimensions, double ratio);
double refSumLatticeSquares(int dimensions, double ratio);
/// (4.40), (4.39)
double refGetWantedSupport(const refThesis *t, double b);
double refGetTargetRadius(const refThesis *t, double b);

/// One step, as in section 5.1.
void refStepThesis(refThesis *t, double dt);
