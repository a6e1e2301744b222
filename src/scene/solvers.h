// SPDX-License-Identifier: MIT
// The solvers of a scene, by the library's list of them: nothing here knows one of them.
#pragma once

#include "scene/scene.h"

/// NULL: there is none of that name.
const wbSolverInfo *wbFindSolverInfo(const char *name);
/// The solver of a fluid.
const wbSolverInfo *wbGetFluidSolver(wbFluidSolver solver);

/// Its parameters in a def.
static inline void *wbGetSolverParams(const wbWorldDef *def, const wbSolverInfo *solver) {
    return (char *)def + solver->params;
}
/// Whether a world of the def may have it: false only of one that has to be asked for, and is not.
bool wbMayHaveSolver(const wbWorldDef *def, const wbSolverInfo *solver);
/// Whether the def asks for one, whatever the scene's objects.
bool wbAsksForSolver(const wbWorldDef *def);

/// m, the distance of a fluid's particles.
double wbScene_GetSpacing(const wbScene *scene, wbFluidSolver solver);
/// Of a solver with `particles` beside `spacing`: if that is a number, sets the spacing so that the blocks of its fluids hold
/// about so many, and `particles` to auto.
wbStatus wbScene_ChooseSpacing(wbScene *scene, const wbSolverInfo *solver);

/// Parameters that the world has to choose from its state are set to their least value, which counts for nothing until
/// all objects are there; then they are chosen.
void wbScene_HoldChosen(const wbScene *scene, wbWorldDef *def);
wbStatus wbScene_ChooseParams(const wbScene *scene, wbWorld *world);

/// Whether a world has what the scene asks for, with the same fixed parameters.
wbStatus wbScene_CompareSolvers(const wbScene *scene, const wbWorld *world);
