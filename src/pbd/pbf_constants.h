// SPDX-License-Identifier: MIT
// Numbers that the formulas of pbf_formula.h need, computed from the parameters (pbf_model.c): the same structs in C and
// in OpenCL C.
#pragma once

#include "space/space_device.h"

/// How often a particle's own lambda counts against a point of a collider: twice, for the point answers with the same, like
/// the particle's ghost behind a side. With once the lowest layer came twice as near to a collider as to the box.
#define PBF_BOUNDARY_SHARE 2.0f

/// Densities are in units of the rest density.
typedef struct PbfConstants {
    float inverseH;      ///< 1/m
    float tiny;          ///< m2, keeps 1/r finite where particles coincide
    float densityScale;  ///< m/rho0 W(0)
    float mixedScale;    ///< of poly6, which densities of particles of different sizes have, likewise
    float gradientScale; ///< m, of the kernel's slope: m/rho0 times its factor
    float mixedGradient; ///< m, of spiky's, likewise
    float softness;      ///< 1/m2, epsilon' G
    float most;          ///< m2, of lambda: 0 for an inequality, which only pushes
    float apartInverse;  ///< 1 / (1 - dq2): poly6's root at delta q, in h
    float stickSum;      ///< of the kernel: by a flat collider, half a spacing before it
    float mixedStickSum; ///< of poly6, likewise
    float viscosity;     ///< XSPH's c
    float vorticity;     ///< m/s
} PbfConstants;

/// Prediction, and the box that particles stay in.
typedef struct PbfMove {
    float dt, rate;       ///< s; 1/s
    float share;          ///< of the stiffness that a step of this length could have
    float step, momentum; ///< of an iteration: of what the constraints want, of the change in the last one
    float pressureScale;  ///< Pa/m2, of lambda
    float inverseSpacing; ///< 1/m
    float bearing;        ///< s2/m2, by which lambda bears water, see pbf_lean; 0 without weight
    float apartScale;     ///< m2, k_s / G in an iteration
    int sticks[6];        ///< whether fluid slips along a side, in the order of wbSide
    float sideVelocity[6][3]; ///< m/s, of the sides
    SpaceRoom room;
} PbfMove;
