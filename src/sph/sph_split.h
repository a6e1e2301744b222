// SPDX-License-Identifier: MIT
// The split scheme: water that does not yield to pressure, in long steps. Velocities are made free of divergence by pressures that are kept
// from step to step; then places are moved apart once, without memory and without a change of speed. See sph_split_formula.h.
#pragma once

#include "sph/sph_boundary_code.h"
#include "sph/sph_sheets.h"

/// The largest step, s, while most of the water and its colliders are no faster than `speed` (m/s).
float wbSphModel_GetSplitStep(const wbSphModel *model, float speed);
/// The speed, m/s, by which artificial viscosity damps in place of the speed of sound: the fastest that steps follow.
float wbSphModel_GetSplitSpeed(const wbSphModel *model, float speed);
/// The model whose forces are all but pressure.
wbSphModel wbSphModel_WithoutPressure(const wbSphModel *model, float speed);

/// What is known when the forces but pressure have been evaluated.
typedef struct wbSphSplit {
    const wbSphPass *pass;             ///< its accelerations become those that keep the water's volume
    const wbSphBoundaryPass *boundary; ///< NULL: no colliders
    const wbSphSheets *sheets;         ///< NULL: none
    wbBoundaryTime time;               ///< for which they were placed
    bool addsForces;       ///< accelerations are those by colliders alone so far: pairs add theirs
    const float *pressure; ///< Pa, of the step before, in the order of now
    float *push[3];        ///< m, by which places are to be moved apart: written
    float dt;              ///< s
} wbSphSplit;

/// Pressures of the particles, and what they do to accelerations and colliders. Sets the solver's iterations and residual.
wbStatus wbSphSplit_Solve(const wbSphSplit *split);

/// After a step: the speed that 0.5 % of the particles exceed, and that whose steps suit the pressures of all but as many: single drops
/// do not shorten steps. `relative` as in wbSphPass.
void wbSphSplit_FindUsual(const wbSphModel *model, const float *relative, wbSph *sph);
