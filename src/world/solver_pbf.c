// SPDX-License-Identifier: MIT
// Position based fluids, as the world sees them.
#include <math.h>

#include "core/status.h"
#include "pbd/pbf_depth.h"
#include "world/world.h"

static const char *const phaseNames[wb_pbfPhaseCount] = {
#define WB_PHASE(name) "pbf_" #name,
    WB_PBF_PHASES(WB_PHASE)
#undef WB_PHASE
};

static bool isUsed(const wbSolver *solver) { return wbIsSolverUsed(solver->world, wb_solverPbf); }

static float getStableStep(const wbSolver *solver, bool isAsked) {
    const wbWorld *world = solver->world;
    return wbPbf_GetStableStep(&world->pbf, &world->pbfModel,
                               wbGetFluidSpeed(&world->pools[wb_solverPbf], isAsked));
}

static wbStatus explain(const wbSolver *solver, float dt, const char *what) {
    const wbWorld *world = solver->world;
    return wbError(wb_errorUnstable,
                   "unstable at step %lld (%g s): %s; make world.dt (%.3g s) smaller or pbf.subSteps larger",
                   (long long)world->stepCount + 1, world->time, what, dt);
}

static int listValues(const wbSolver *solver, wbSavedValue values[WB_MAX_SOLVER_VALUES]) {
    static const char *const names[WB_ACCOUNT_VALUES] = {WB_ACCOUNT_NAMES("pbf")};
    wbWorld *world = solver->world;
    wbPbf_ListValues(&world->pbf, values);
    return WB_PBF_VALUES + wbListAccount(&world->pools[wb_solverPbf].account, names, values + WB_PBF_VALUES);
}

static int listColumns(const wbSolver *solver, wbStateColumn columns[WB_MAX_STATE_COLUMNS]) {
    return wbListFluidColumns(solver, &solver->world->pools[wb_solverPbf], columns);
}

static wbStatus resize(const wbSolver *solver, wbSectionList *list) {
    (void)list;
    return wbResizeFluid(&solver->world->pools[wb_solverPbf]);
}

static void addStats(const wbSolver *solver, double ground, wbStats *stats) {
    wbAddFluidStats(&solver->world->pools[wb_solverPbf], ground, stats);
}

// Before the first step: what it takes, as things are.
static int countSubSteps(const wbWorld *world) {
    const wbPbf *pbf = &world->pbf;
    double head = 0;
    wbMixture mixture;
    if (pbf->subSteps > 0 || pbf->particles.count == 0) return pbf->subSteps;
    size_t scratch = wbArena_Mark(world->work.arena);
    wbStatus status = wbListMixture(world, &world->pools[wb_solverPbf], &mixture);
    if (wbIsOk(status))
        status = wbFindPbfHead(&pbf->particles, &mixture, &world->pbfModel, &world->work, &head);
    wbArena_Release(world->work.arena, scratch);
    if (!wbIsOk(status)) return 0;
    return wbPbfModel_CountSubSteps(&world->pbfModel, wbWorld_GetTimeStep(world), head,
                                    fmaxf(pbf->particles.maxSpeed, world->colliderSpeed));
}

static void addProfile(const wbSolver *solver, wbProfile *profile) {
    const wbPbf *pbf = &solver->world->pbf;
    wbAddPhases(profile, phaseNames, pbf->ms, wb_pbfPhaseCount);
    profile->pairs += pbf->search.neighbours.pairs;
    profile->subSteps = countSubSteps(solver->world);
}

const wbSolverKind wb_pbfSolver = {.name = "pbf",
                                   .place = wb_placeLiquids,
                                   .isUsed = isUsed,
                                   .getStableStep = getStableStep,
                                   .explain = explain,
                                   .listValues = listValues,
                                   .listColumns = listColumns,
                                   .resize = resize,
                                   .addStats = addStats,
                                   .addProfile = addProfile};
