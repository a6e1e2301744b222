// SPDX-License-Identifier: MIT
// What the host hands to kernels about particles of different sizes: the same structs in C and in OpenCL C.
#pragma once

#include "pbd/pbf_adaptive_constants.h"
#include "pbd/pbf_octaves_device.h"

/// Numbers by level, and the cells of each octave of sizes.
typedef struct PbfSizing {
    PbfLevels levels;
    PbfOctaves octaves;
} PbfSizing;
