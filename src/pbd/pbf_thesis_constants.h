// SPDX-License-Identifier: MIT
// Numbers that pbf_thesis_formula.h needs.
#pragma once

typedef struct ThesisConstants {
    float kernel;   ///< m^d: volume of the smallest particle times the factor of W_spiky
    float softness; ///< the same volume times epsilon over its lattice sum
    float omega;
    float inverseSpacing; ///< 1/m, of the smallest particles
    float narrow;         ///< 1/m, 1/h of the narrowest kernel
    float tiny;           ///< m2, keeps 1/r finite
    float viscosity;      ///< c of XSPH
    float restDensity;    ///< kg/m3
    float steep, thin;    ///< of boundary particles
    int isFlat;
} ThesisConstants;
