// SPDX-License-Identifier: MIT
// What the command line says of the solvers of a scene, by the library's list of them. What belongs to one alone stands in
// check_<name>.c; a solver without such a file is told of by what all have.
#pragma once

#include "wirbel/scene.h"

/// What is special about a solver. Each may be NULL.
typedef struct wbSolverReport {
    const char *name;
    /// Prints lines of `wirbel check`, if it has something to do.
    void (*describe)(const wbScene *scene, wbWorld *world);
    /// Complains of what does nothing or cannot be meant, also where it has nothing to do.
    void (*warn)(const wbScene *scene, wbWorld *world);
    /// Complains of how a run starts, before its first step.
    void (*warnOfStart)(wbWorld *world);
} wbSolverReport;

#define WB_SOLVER_REPORTS(X)   X(sph) X(pbf) X(smoke) X(rigid)
#define WB_SOLVER_REPORT(name) extern const wbSolverReport wb_##name##Report;
WB_SOLVER_REPORTS(WB_SOLVER_REPORT)
#undef WB_SOLVER_REPORT

void wbDescribeSolvers(const wbScene *scene, wbWorld *world);
/// Also of parameters of solvers that have nothing to do, and of a scene without any.
void wbWarnOfSolvers(const wbScene *scene, wbWorld *world);
void wbWarnOfStart(wbWorld *world);
