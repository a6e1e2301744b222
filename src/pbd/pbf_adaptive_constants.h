// SPDX-License-Identifier: MIT
// Numbers that the formulas of pbf_adaptive_formula.h need, by the level of particles: the same structs in C and in OpenCL C.
#pragma once

/// A level has four bits of a record's last float.
#define PBF_LEVELS 16
/// Sizes of particles whose supports differ by less than a factor of two share a grid: level 0, then three levels each in 3D and two in 2D.
#define PBF_OCTAVES 9

/// By level l, in d dimensions. A pair's support is h_ij = h / (root_i root_j), h of level 0.
typedef struct PbfLevels {
    float root[PBF_LEVELS]; ///< 2^(-l/2d)
    float inverseRoot[PBF_LEVELS];
    float width[PBF_LEVELS]; ///< 2^(l/d): its support over that of level 0
    // of the own level: what sums over neighbours are multiplied by
    float densityOwn[PBF_LEVELS]; ///< root^d, times wbGetMixedShare
    float mixingOwn[PBF_LEVELS];  ///< root^d, of velocities
    float slopeOwn[PBF_LEVELS];   ///< root^(d+1)
    float squaresOwn[PBF_LEVELS]; ///< mass times root^(2d+2)
    float softOwn[PBF_LEVELS];    ///< root^4
    float mass[PBF_LEVELS];       ///< 2^l
    float h[PBF_LEVELS];          ///< m, support
    float radius[PBF_LEVELS];     ///< m, half the side of the cube that a particle stands for
    // points of colliders, within the particle's own support: factors of their sums
    float stretch[PBF_LEVELS];  ///< 2^(l/d) - 1, of a point's depth below its surface: what is farther down
    float boundary[PBF_LEVELS]; ///< of the points that are left, with the stretch
    float boundaryDensity
        [PBF_LEVELS]; ///< weight root^d, which the own level's factor is to follow, as with the next two
    float boundarySlope[PBF_LEVELS];   ///< weight root^(d+1)
    float boundarySquares[PBF_LEVELS]; ///< weight root^(2d+2)
    float boundaryForce[PBF_LEVELS];   ///< weight mass root^(2d+2)
    float flatGradient;                ///< h |grad C| in the first layer of a flat surface
    int dimensions;
} PbfLevels;

/// How particles are pushed apart where positions are evened out without time: k_s / G, m2.
typedef struct PbfApart {
    float far, near; ///< of large ones, of pairs that are much too near
} PbfApart;

/// What is taken for a surface.
typedef struct PbfSurface {
    float smallest;  ///< m, radius of level 0
    float few, many; ///< neighbours that must agree: where it was near before, elsewhere
    float steep;     ///< gradient, over that of a flat surface, from which on it is one wherever it is
} PbfSurface;

/// m, to the surface, before the first look.
#define PBF_UNKNOWN_DISTANCE 1e30f

/// Octave of a level, in so many dimensions: its supports are above half of its top, and no more than it.
static inline int pbf_octave(int level, int dimensions) { return (level + dimensions - 1) / dimensions; }
