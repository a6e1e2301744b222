// SPDX-License-Identifier: MIT
// Thin sheets in the water, for steps on the cores: a half space of the lattice behind each foot, which pushes as a plane of colliders' points
// with the pressure of the particle that it pushes.
#pragma once

#include "space/sheets.h"
#include "sph/sph_code.h"

/// In one evaluation of the forces and the drift after it. All of it is in the arena.
typedef struct wbSphSheets {
    const wbFluidSheets *sheets; ///< NULL: none
    wbFluidStep *fluid;
    const wbSphModel *model;
    wbSheetSwarm swarm;
    SpaceRoom room;
    float *sums;    ///< records: what they add to gradients and densities, without factors
    float *nearing; ///< of particles: scratch
} wbSphSheets;

/// A drift of `drift` seconds from a share of the sub-step on: what is near the sorted particles, whose ghosts are known.
wbStatus wbSphSheets_Find(wbSphSheets *sheets, const wbSphPass *pass, wbSheetSwarm part, float drift);
/// Cuts lists of neighbours, and adds to the sums of densities.
void wbSphSheets_AddDensity(wbSphSheets *sheets, float *boundarySums);
/// Adds accelerations; if this is lasting, sheets get the opposite in the sub-step.
void wbSphSheets_AddForces(const wbSphSheets *sheets, const wbSphPass *pass, bool isLasting);
/// @name For the split scheme
/// @{
/// Adds to columns of B, 1/m, and of what nears by itself, 1/s.
void wbSphSheets_AddNearing(const wbSphSheets *sheets, float *const columns[4]);
/// Sheets get what they lack of the pressures that press on them, so many floats apart, beside `given`.
void wbSphSheets_Push(const wbSphSheets *sheets, const float *pressures, int stride, float *given);
/// @}
/// After the drift: nothing goes through. What particles get for it is added to their velocities and, unless NULL, to those that they are kicked from.
void wbSphSheets_Hold(wbSphSheets *sheets, float *const start[3], float (*maxima)[2]);
