// SPDX-License-Identifier: MIT
// What the host hands to kernels about particles of different sizes: the same structs in C and in OpenCL C.
#pragma once

#include "pbd/pbf_adaptive_constants.h"
#include "space/space_device.h"

/// Numbers by level, and the cells of each octave of sizes: their buckets stand one octave behind the other, so that one sort orders particles by
/// octave and cell. An octave without particles has buckets, too.
typedef struct PbfSizing {
    PbfLevels levels;
    SpaceCells cells[PBF_OCTAVES];
    int firstBucket[PBF_OCTAVES + 1];
    float top[PBF_OCTAVES]; ///< m, the largest support of an octave
    int octaves;
} PbfSizing;
