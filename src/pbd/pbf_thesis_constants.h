// SPDX-License-Identifier: MIT
// Numbers that the formulas of pbf_thesis.h need: the same in C and in OpenCL C.
#pragma once

#include "space/space_device.h"

/// Mass is counted in parts of a smallest particle: it is exact.
enum { WB_THESIS_PARTS = 4096 };
/// Kernels whose widths are within a factor of two share a grid.
enum { WB_THESIS_OCTAVES = 12 };
/// Lattice sums over r/h: S, and of squared gradients.
enum { WB_THESIS_TABLE = 512 };

typedef enum wbThesisRole {
    wb_roleAlone,
    wb_roleMergeSource,
    wb_roleMergeTarget,
    wb_roleSplitSource,
    wb_roleSplitTarget
} wbThesisRole;

typedef struct ThesisConstants {
    float kernelScale; ///< m^d: volume of the smallest particle times the factor of W_spiky
    float softness;    ///< the same volume times epsilon over its lattice sum
    float omega;
    float inverseSpacing; ///< 1/m, of the smallest particles
    float narrow;         ///< 1/m, 1/h of the narrowest kernel
    float tiny;           ///< m2, keeps 1/r finite
    float viscosity;      ///< c of XSPH
    float restDensity;    ///< kg/m3
    float steep, thin;    ///< of boundary particles
    float stickSum;       ///< see wbThesisModel
    int isFlat;
} ThesisConstants;

/// A sub-step, and the box that particles stay in, each a little elsewhere (3.2.5).
typedef struct ThesisMove {
    float dt, rate; ///< s; 1/s
    float bearing;  ///< s2/m, of pbf_lean, over h
    SpaceRoom room;
    float inset;              ///< m, that a particle is kept away from sides, at most
    unsigned salt[3];         ///< of this step's hashes, along each axis
    int sticks[6];            ///< sides that nothing slips along
    float sideVelocity[6][3]; ///< m/s
} ThesisMove;

/// What sizes, kernels and transfers follow: wbThesisParams in m.
typedef struct ThesisSizing {
    float smallest; ///< m, radius of the smallest particle
    float width, slope, largest, reach, excess;
    float radiusSlope; ///< radius over distance to the boundary, where particles are not the smallest (4.39)
    float wished;      ///< by how much wishes may make targets larger
    float gap;         ///< m, of halves of one smallest particle each
    float inside;      ///< m
    float mergeTime;   ///< s
    int isGeneral, losesMomentum, movesTargets, splitsGradually;
    int dimensions;
} ThesisSizing;
