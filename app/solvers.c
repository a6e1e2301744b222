// SPDX-License-Identifier: MIT
#include "app/solvers.h"

#include <stdio.h>
#include <string.h>

#include "app/args.h"
#include "scene/solvers.h"

static const wbSolverReport *const reports[] = {
#define WB_REPORT_ROW(name) &wb_##name##Report,
    WB_SOLVER_REPORTS(WB_REPORT_ROW)
#undef WB_REPORT_ROW
};
enum { REPORT_COUNT = sizeof reports / sizeof reports[0] };

void wbDescribeSolvers(const wbScene *scene, wbWorld *world) {
    for (int r = 0; r < REPORT_COUNT; r++)
        if (reports[r]->describe && wbWorld_HasSolver(world, reports[r]->name))
            reports[r]->describe(scene, world);
}

// The name of a parameter that is not at its default; NULL: all are.
static const char *findChanged(const wbScene *scene, const wbSolverInfo *solver) {
    const wbWorldDef defaults = wbDefaultWorldDef();
    const wbParamTable *table = wbGetParams(solver->name);
    for (int i = 0; i < table->count; i++) {
        char own[128], usual[128];
        wbParam_GetText(&table->params[i], wbGetSolverParams(&scene->def, solver), own, sizeof own);
        wbParam_GetText(&table->params[i], wbGetSolverParams(&defaults, solver), usual, sizeof usual);
        if (strcmp(own, usual) != 0) return table->params[i].name;
    }
    return NULL;
}

// It comes by itself, with what others move.
static bool isBetweenOthers(const wbSolverInfo *solver) { return !solver->object && solver->isAsked == 0; }

// Parameters that nothing uses: often those of another solver were meant.
static void warnOfSection(const wbScene *scene, const wbWorld *world, const wbSolverInfo *solver) {
    const char *changed = wbWorld_HasSolver(world, solver->name) ? NULL : findChanged(scene, solver);
    if (!changed || isBetweenOthers(solver)) return;
    if (solver->isFluid)
        wbComplain("warning: %s.%s is set, but no fluid has the solver %s", solver->name, changed,
                   solver->name);
    else
        wbComplain("warning: %s.%s is set, but there are no %s", solver->name, changed, solver->moves);
}

// "no fluids, no soft bodies, no rigid bodies and no smoke"
static void warnOfNothing(const wbWorld *world) {
    int count;
    const wbSolverInfo *const *solvers = wbGetSolvers(&count);
    char text[256] = "";
    for (int s = 0; s < count; s++) {
        size_t length = strlen(text);
        if (wbWorld_HasSolver(world, solvers[s]->name)) return;
        if (isBetweenOthers(solvers[s]) || (s > 0 && strcmp(solvers[s]->moves, solvers[s - 1]->moves) == 0))
            continue;
        snprintf(text + length, sizeof text - length, "%sno %s",
                 s == 0          ? ""
                 : s < count - 1 ? ", "
                                 : " and ",
                 solvers[s]->moves);
    }
    wbComplain("warning: the scene has %s", text);
}

void wbWarnOfSolvers(const wbScene *scene, wbWorld *world) {
    int count;
    const wbSolverInfo *const *solvers = wbGetSolvers(&count);
    for (int s = 0; s < count; s++) warnOfSection(scene, world, solvers[s]);
    for (int r = 0; r < REPORT_COUNT; r++)
        if (reports[r]->warn) reports[r]->warn(scene, world);
    warnOfNothing(world);
}

void wbWarnOfStart(wbWorld *world) {
    for (int r = 0; r < REPORT_COUNT; r++)
        if (reports[r]->warnOfStart) reports[r]->warnOfStart(world);
}
