// SPDX-License-Identifier: MIT
// What the kernels of pbd.cl tell the host: the same struct in C and in OpenCL C.
#pragma once

/// Work-items that make one summary.
enum { PBD_SUMMARY_GROUP = 64 };

/// What a group of work-items tells of its particles after they moved.
typedef struct PbdSummary {
    float maxSpeed2;      ///< m2/s2
    float min[3], max[3]; ///< m
    int broken;           ///< particles with something that is not finite
} PbdSummary;
