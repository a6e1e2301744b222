// SPDX-License-Identifier: MIT
// What the host and the kernels tell each other: the same structs in C and in OpenCL C.
#pragma once

#include "space/space_device.h"

/// Work-items that make one summary.
enum { SUMMARY_GROUP = 64 };

/// What a group of work-items tells of its particles after they moved.
typedef struct SphSummary {
    float maxSpeed2, maxDensity; ///< m2/s2, kg/m3
    float min[3], max[3];        ///< m
    float speed2, fall;          ///< sums of v2 and of g·x, times relative densities
    unsigned neighbours[2];      ///< low and high word of the pairs i -> j, i -> i included
    int broken;                  ///< particles with something that is not finite
} SphSummary;
