// SPDX-License-Identifier: MIT
// Parts of the adapter of smoothed particle hydrodynamics: solver_sph.c, choose_sph.c.
#pragma once

#include "sph/sph_gpu.h"
#include "sph/sph_model.h"
#include "world/world.h"

/// wbSolver.self
typedef struct wbSphSolver {
    wbParticleFluid liquid;
    wbSph sph; ///< what of the particles is on the host
    wbSphModel model;
} wbSphSolver;

/// NULL: there is no water.
static inline wbSphSolver *wbGetSphSolver(const wbWorld *world) {
    return world->solvers[wb_solverIndex_sph].self;
}

/// The speed of sound for 1 % compression, by the water and the emitters that are there, whose state is on the host.
wbStatus wbChooseSoundSpeed(const wbSolver *solver, wbSphParams *params);
