// SPDX-License-Identifier: MIT
// Numbers that pbf_wishes_formula.h needs, made of the parameters (wbMakePbfWishes): the same struct in C and in OpenCL C.
#pragma once

/// What is wished of the sizes of particles. Reaches that are off are 0.
typedef struct PbfWishes {
    float radius; ///< m, of the smallest particle
    float slope;
    float band;                 ///< m
    float point[3], pointReach; ///< m
    float boxMin[3], boxMax[3]; ///< m
    int hasBox;
    float nearColliders; ///< m
    float speed;         ///< m/s
} PbfWishes;
