// SPDX-License-Identifier: MIT
#include "world/world.h"

static const wbSolverKind *const kinds[WB_SOLVER_COUNT] = {
#define WB_SOLVER_ROW(name) &wb_##name##Solver,
    WB_SOLVERS(WB_SOLVER_ROW)
#undef WB_SOLVER_ROW
};

void wbListSolvers(wbWorld *world) {
    for (int s = 0; s < WB_SOLVER_COUNT; s++)
        world->solvers[s] = (wbSolver){.kind = kinds[s], .world = world};
}
