// SPDX-License-Identifier: MIT
// Numbers that the formulas of sph_split_formula.h need, computed for each step (sph_split_model.c): the same struct in C and in
// OpenCL C.
#pragma once

#include "sph/sph_constants.h"

typedef struct SphSplitConstants {
    /// gradientScale is over the rest density: V F = gradientScale * (function of s)
    SphConstants sph;
    float dt, dt2;        ///< s, s2
    float gravity[3];     ///< m/s2
    float gain;           ///< 1/s2, omega / (lambda dt2): times r / D it is the change of k in an update
    float leastDiagonal;  ///< 1/m2, that D is kept above
    float slack;          ///< share of a lack of density that may be closed in a step
    float push, deadZone; ///< share of an excess of density beyond the dead zone that speeds remove in a step
    float contactFloor;   ///< 1/m2, of B2, from which on a boundary holds what nears it
    float contactRest;    ///< 1/m, |B| from which on it lets nothing nearer
    float contactRoom;    ///< m, by which density grows with |B| there
    float longestPush;    ///< m, of a place in a step
    float paceOfPressure; ///< m2/(s2 Pa), squared speed whose steps are as short as a pressure needs
    float shift,
        shiftFade; ///< of particles beside a boundary, as an excess of density; less of it per lack of density
} SphSplitConstants;
