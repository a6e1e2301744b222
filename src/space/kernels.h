// SPDX-License-Identifier: MIT
// Smoothing kernels that several methods have (Müller, Charypar and Gross 2003), in double, and the lattice of particles at rest,
// over which methods sum their kernels to calibrate them. Formulas of passes stand in kernel_formula.h.
#pragma once

#include <stdbool.h>

/// Poly6 at r = 0: W = this times (1 - r2/h2)^3.
double wbGetPoly6Factor(double h, int dimensions);
/// Of spiky's gradient: -grad W = this times s2/r (x_i - x_j), s = 1 - r/h.
double wbGetSpikyFactor(double h, int dimensions);

/// Sites of the lattice around one, in units of the spacing:
///
///     wbSite site = wbMakeSites(reach, dimensions);
///     while (wbSite_Next(&site)) …
typedef struct wbSite {
    int x, y, z;
    double r;
    int reach, reachZ;
} wbSite;

/// All within `reach` spacings, and some more; the site itself, too.
wbSite wbMakeSites(double reach, int dimensions);
bool wbSite_Next(wbSite *site);
