// SPDX-License-Identifier: MIT
// The plain truth about the split scheme of SPH: all pairs, double, plain loops. The equations stand in src/sph/sph_split_formula.h.
#pragma once

#include "reference/sph.h"

typedef struct refSplit {
    refSph *sph;                      ///< of the caller; its pressures are those of the solve
    double *k;                        ///< m2/s2, p/rho0: kept from step to step, 0 at first
    double *y;                        ///< m2/s2, where an update starts: ahead of k by momentum
    double *w;                        ///< m2/s2, the reaction of boundaries: computed
    double *e;                        ///< rho/rho0 - 1, likewise
    double *d;                        ///< 1/m2, D
    double (*b)[3];                   ///< 1/m, B
    double lambda, diagonal, surface; ///< of the lattice
    double nearest, depth; ///< 1/m: |B| as near to a plane as a particle may come; m: density over |B| there
    double residual;       ///< mean of what the last update changed
} refSplit;

refSplit *refCreateSplit(refSph *sph);
void refDestroySplit(refSplit *split);

/// The largest eigenvalue of the lattice's operator over its diagonal, by its spectrum; sets `diagonal` and `surface`, too.
void refMeasureSplit(refSplit *split);
/// A step with so many updates. Artificial viscosity damps by this speed (m/s).
void refStepSplit(refSplit *split, int updates, double speed, double dt);
