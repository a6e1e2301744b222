// SPDX-License-Identifier: MIT
// What the kernels of pbf.cl tell the host: the same struct in C and in OpenCL C.
#pragma once

/// Work-items that make one summary.
enum { PBF_SUMMARY_GROUP = 64 };

/// What a group of work-items tells of its particles after they moved.
typedef struct PbfSummary {
    float maxSpeed2, maxDensity; ///< m2/s2; in units of the rest density
    float min[3], max[3];        ///< m
    unsigned neighbours[2];      ///< low and high word of the pairs i -> j, i -> i included
    int broken;                  ///< particles with something that is not finite
} PbfSummary;
