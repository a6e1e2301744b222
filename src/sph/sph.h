// SPDX-License-Identifier: MIT
// Smoothed particle hydrodynamics: weakly compressible water. Parameters and what follows from them
// (wbSphModel) are constant during a step; the particles (wbSph) change.
#pragma once

#include "core/saved_value.h"
#include "core/work.h"
#include "space/particle_fluid.h"

/// Phases of a step, as they appear in profiles. The density is summed while neighbours are found.
#define WB_SPH_PHASES(X) X(sort) X(boundary) X(neighbours) X(normals) X(forces) X(pressure) X(integrate)

typedef enum wbSphPhase {
#define WB_PHASE(name) wb_sph_##name,
    WB_SPH_PHASES(WB_PHASE)
#undef WB_PHASE
        wb_sphPhaseCount
} wbSphPhase;

typedef struct wbSphModel wbSphModel;

/// Sums over all particles after a step on a device, which the host does not see.
typedef struct wbSphSums {
    double speed2; ///< m2/s2, of v2, times relative densities
    double fall;   ///< m2/s2, of g·x, likewise
    int broken;    ///< particles with something that is not finite
} wbSphSums;

typedef struct wbSph {
    wbFluidState fluid;    ///< pressures are those of the equation of state
    float sinceEvaluation; ///< s that positions have moved since the densities were summed; 0: never summed
    wbSphSums sums;        ///< of the last step, if it was on a device
    /// @name Of the method split, in the last step
    /// @{
    float usualSpeed; ///< m/s, that few particles exceed,
    float usualAmong; ///< m/s, while this was the highest: 0 at first
    float usualPace;  ///< m/s: steps for this speed suit the pressures of all but few particles
    int iterations;   ///< of the pressures
    double residual;  ///< mean of what the last of them changed, in relative density
    /// @}
} wbSph;

enum { WB_SPH_VALUES = WB_FLUID_VALUES + 1, WB_SPH_SPLIT_VALUES = 3 };
/// All single numbers of the state, listed once: hashing and saving walk this list.
void wbSph_ListValues(wbSph *sph, wbSavedValue values[WB_SPH_VALUES]);
/// Those that the method split has beside them.
void wbSph_ListSplitValues(wbSph *sph, wbSavedValue values[WB_SPH_SPLIT_VALUES]);

/// m/s, for the method split: few particles are faster, as far as is known.
float wbSph_GetUsualSpeed(const wbSph *sph);

/// Advances by dt seconds; colliders may be NULL. After wb_errorMemory the particles may be halfway: who needs those of before has a
/// copy of them, as the world has (world/snapshot.h).
wbStatus wbSph_Step(wbSph *sph, const wbSphModel *given, const wbFluidColliders *colliders,
                    const wbWork *work, float dt);
