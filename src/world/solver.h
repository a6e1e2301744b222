// SPDX-License-Identifier: MIT
// Solvers as the world sees them: a table of functions each, listed once. What walks over all solvers walks this list and
// names none of them; what the world has to know of one stands in its adapter, solver_<name>.c.
#pragma once

#include "wirbel/wirbel.h"

/// The solvers. Those of fluids come first, in the order of wbFluidSolver.
#define WB_SOLVERS(X) X(sph) X(pbf) X(pbd) X(smoke)

enum {
#define WB_SOLVER_INDEX(name) wb_solverIndex_##name,
    WB_SOLVERS(WB_SOLVER_INDEX)
#undef WB_SOLVER_INDEX
        WB_SOLVER_COUNT
};
_Static_assert((int)wb_solverSph == wb_solverIndex_sph && (int)wb_solverPbf == wb_solverIndex_pbf,
               "a fluid's solver is an index of the list");

/// s, a frame of most screens: the step of what is stable at every step.
#define WB_FRAME_STEP (1.0f / 60)

/// When in a step a solver moves: bodies first, since fluids flow around them.
typedef enum wbStepPlace { wb_placeBodies, wb_placeLiquids, wb_placeAir, wb_stepPlaceCount } wbStepPlace;

/// A solver in a world.
typedef struct wbSolver {
    const struct wbSolverKind *kind;
    wbWorld *world;
} wbSolver;

typedef struct wbSolverKind {
    const char *name; ///< of its section of parameters, and before its phases: "sph"
    wbStepPlace place;
    bool (*isUsed)(const wbSolver *solver);
    /// s: the longest step that it allows as it is, or, if isAsked, by what was asked for alone; INFINITY: any.
    float (*getStableStep)(const wbSolver *solver, bool isAsked);
    /// wb_errorUnstable that says when it broke in a step of dt seconds, by `what`, and what the likely cause is.
    wbStatus (*explain)(const wbSolver *solver, float dt, const char *what);
    /// Adds its mass, energy and errors; heights are above `ground`, m.
    void (*addStats)(const wbSolver *solver, double ground, wbStats *stats);
    /// Adds the phases of the last step with their times, its pairs and sub-steps.
    void (*addProfile)(const wbSolver *solver, wbProfile *profile);
} wbSolverKind;

#define WB_SOLVER_KIND(name) extern const wbSolverKind wb_##name##Solver;
WB_SOLVERS(WB_SOLVER_KIND)
#undef WB_SOLVER_KIND

/// When a world begins.
void wbListSolvers(wbWorld *world);

/// For adapters: phases of the last step.
void wbAddPhase(wbProfile *profile, const char *name, double ms);
void wbAddPhases(wbProfile *profile, const char *const *names, const double *ms, int count);
