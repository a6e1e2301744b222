// SPDX-License-Identifier: MIT
// For tests of surface tension as a stress along the skin, on every backend.
#pragma once

#include "sph_support.h"

// Soft water, whose surface tension is the larger part of the forces.
static inline void setStress(wbSphParams *params, int variant) {
    params->soundSpeed = 4;
    params->surfaceTension = 100;
    params->tensionMethod = wb_tensionStress;
    params->smoothing = variant & 1 ? 2.8f : 3;
    params->kernel = variant & 2 ? wb_kernelWendland : wb_kernelMuller;
    params->contactAngle = (const float[]){90, 60, 125}[variant % 3];
}
enum { stressVariants = 4 };
