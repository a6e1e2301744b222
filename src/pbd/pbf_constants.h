// SPDX-License-Identifier: MIT
// Numbers that the formulas of pbf_formula.h need, computed from the parameters (pbf_model.c): the same structs in C and
// in OpenCL C.
#pragma once

/// Densities are in units of the rest density.
typedef struct PbfConstants {
    float inverseH;      ///< 1/m
    float tiny;          ///< m2, keeps 1/r finite where particles coincide
    float densityScale;  ///< of poly6 without its factor: m/rho0 W(0)
    float gradientScale; ///< m, of spiky's s2/r: m/rho0 times its factor
    float softness;      ///< 1/m2, epsilon' G
    float
        correction; ///< share of what the constraints want that is done in an iteration, times gradientScale
    float lowest;   ///< of C: 0 for an inequality
    float apartScale;   ///< m2, k_s / G
    float apartInverse; ///< 1 / (1 - dq2): poly6's root at delta q, in h
    float viscosity;    ///< XSPH's c
    float vorticity;    ///< m/s
} PbfConstants;

/// Prediction, and the box that particles stay in.
typedef struct PbfMove {
    float dt, rate;        ///< s; 1/s
    float gravity[3];      ///< m/s2
    float low[3], high[3]; ///< m
} PbfMove;
