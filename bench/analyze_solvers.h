// SPDX-License-Identifier: MIT
// `wirbel analyze solvers`: the three solvers of soft bodies and of position based fluids side by side.
#pragma once

#include <signal.h>
#include <stdio.h>

#include "wirbel/scene.h"

enum { WB_COMPARED_SOLVERS = 3 };

/// "gaussSeidel", and as people write it: "Gauss-Seidel".
extern const char *const wb_comparedSolverNames[WB_COMPARED_SOLVERS],
    *const wb_comparedSolverLabels[WB_COMPARED_SOLVERS];

/// Called with frame 0 and each further one, with a world per solver.
typedef wbStatus wbSolverFrameFn(wbWorld *const worlds[WB_COMPARED_SOLVERS], int frame, void *context);

typedef struct wbAnalyzeOptions {
    bool json;                 ///< one object per line instead of tables
    double seconds;            ///< simulated; negative: as long as the scene
    const char *plotDirectory; ///< SVG plots go there; it must exist; NULL: none
    const char *colouring;     ///< file to take the colours of constraints from; NULL: they are chosen
    const char *saveColouring; ///< file to write them to; NULL: none
    wbSolverFrameFn *onFrame;  ///< NULL: none
    void *context;             ///< of onFrame
    const volatile sig_atomic_t *stop; ///< checked after each step; NULL: never
} wbAnalyzeOptions;

/// Runs the scene with each solver and writes how far lengths are off while it runs. Then lets each solver bring the most
/// deformed state of the scene's own solver to rest, without sides, contacts and gravity: how far lengths are off after
/// each number of iterations, and the milliseconds that these take; beside it Gauss-Seidel without colours
/// (wbSolveUncoloured). Then runs the scene again with other numbers of iterations, and writes what iterations and
/// sub-steps bring (wbAnalyzeSteps), and what the solvers do to a fluid (wbAnalyzeFluid).
wbStatus wbAnalyzeSolvers(const wbScene *scene, const wbAnalyzeOptions *options, FILE *out);
