// SPDX-License-Identifier: MIT
// What kernels tell the host of the particles of a fluid: the same struct in C and in OpenCL C.
#pragma once

/// Work-items that make one summary.
enum { FLUID_SUMMARY_GROUP = 64 };

/// What a group of work-items tells of its particles after they moved.
typedef struct FluidSummary {
    float maxSpeed2, maxDensity; ///< m2/s2, kg/m3
    float min[3], max[3];        ///< m
    float speed2, fall;     ///< sums of v2 and of g·x, times relative densities, of solvers that need them
    unsigned neighbours[2]; ///< low and high word of the pairs i -> j, i -> i included
    int broken;             ///< particles with something that is not finite
} FluidSummary;
