// SPDX-License-Identifier: MIT
// How particles of different sizes are sorted on a device: the same struct in C and in OpenCL C.
#pragma once

#include "space/space_device.h"

#define PBF_MOST_OCTAVES 12

/// Cells of each octave of supports: their buckets stand one octave behind the other, so that one sort orders particles by octave and cell. An octave
/// without particles has buckets, too.
typedef struct PbfOctaves {
    SpaceCells cells[PBF_MOST_OCTAVES];
    int firstBucket[PBF_MOST_OCTAVES + 1];
    float top[PBF_MOST_OCTAVES]; ///< m, the largest support of an octave
    int count;
} PbfOctaves;
