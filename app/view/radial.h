// SPDX-License-Identifier: MIT
// Quantities of fluids over the distance from their middle. Pure: it knows no window.
#pragma once

#include "wirbel/wirbel.h"

enum { WB_RADIAL_PARTS = 48 };

typedef enum wbRadialKind {
    wb_radialDensity,
    wb_radialPressure,
    wb_radialSpeed,
    wb_radialRadius, ///< of particles of different sizes
    WB_RADIAL_KINDS
} wbRadialKind;

typedef struct wbRadial {
    wbVec3 centre; ///< m: the mean place of all particles
    float reach;   ///< m, to the farthest particle
    int counts[WB_RADIAL_PARTS];
    /// Means of the particles in each part of the way from the centre; NAN where there is none, or where they do not have it.
    float means[WB_RADIAL_KINDS][WB_RADIAL_PARTS];
} wbRadial;

/// false: there are no particles.
bool wbRadial_Make(wbRadial *radial, const wbView *views, int count);
