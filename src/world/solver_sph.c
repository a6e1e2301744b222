// SPDX-License-Identifier: MIT
// Water by smoothed particle hydrodynamics, as the world sees it.
#include "core/status.h"
#include "world/world.h"

static const char *const phaseNames[wb_sphPhaseCount] = {
#define WB_PHASE(name) "sph_" #name,
    WB_SPH_PHASES(WB_PHASE)
#undef WB_PHASE
};

static bool isUsed(const wbSolver *solver) { return wbIsSolverUsed(solver->world, wb_solverSph); }

static float getStableStep(const wbSolver *solver, bool isAsked) {
    const wbWorld *world = solver->world;
    return wbSphModel_GetStableStep(&world->sphModel, wbGetFluidSpeed(&world->pools[wb_solverSph], isAsked),
                                    isAsked ? 0 : world->sph.particles.maxDensity);
}

static wbStatus explain(const wbSolver *solver, float dt, const char *what) {
    const wbWorld *world = solver->world;
    float stable = wbSphModel_GetStableStep(&world->sphModel, 0, 0);
    long long step = (long long)world->stepCount + 1;
    if (dt > 1.01f * stable)
        return wbError(
            wb_errorUnstable,
            "unstable at step %lld (%g s): %s; dt is %.3g s, above the stable limit of %.3g s: make world.dt "
            "smaller or \"auto\"",
            step, world->time, what, dt, stable);
    if (step == 1)
        return wbError(
            wb_errorUnstable,
            "unstable at step 1: %s; the start is to blame: move particles apart or make them slower", what);
    return wbError(
        wb_errorUnstable,
        "unstable at step %lld (%g s): %s; make world.dt (%.3g s) smaller or sph.soundSpeed ten times the "
        "highest speed",
        step, world->time, what, dt);
}

static int listValues(const wbSolver *solver, wbSavedValue values[WB_MAX_SOLVER_VALUES]) {
    static const char *const names[WB_ACCOUNT_VALUES] = {WB_ACCOUNT_NAMES("sph")};
    wbWorld *world = solver->world;
    wbSph_ListValues(&world->sph, values);
    return WB_SPH_VALUES + wbListAccount(&world->pools[wb_solverSph].account, names, values + WB_SPH_VALUES);
}

static int listColumns(const wbSolver *solver, wbStateColumn columns[WB_MAX_STATE_COLUMNS]) {
    return wbListFluidColumns(solver, &solver->world->pools[wb_solverSph], columns);
}

static wbStatus resize(const wbSolver *solver, wbSectionList *list) {
    (void)list;
    return wbResizeFluid(&solver->world->pools[wb_solverSph]);
}

static void addStats(const wbSolver *solver, double ground, wbStats *stats) {
    wbAddFluidStats(&solver->world->pools[wb_solverSph], ground, stats);
}

static void addProfile(const wbSolver *solver, wbProfile *profile) {
    const wbSph *sph = &solver->world->sph;
    wbAddPhases(profile, phaseNames, sph->ms, wb_sphPhaseCount);
    profile->pairs += sph->search.neighbours.pairs;
}

const wbSolverKind wb_sphSolver = {.name = "sph",
                                   .place = wb_placeLiquids,
                                   .isUsed = isUsed,
                                   .getStableStep = getStableStep,
                                   .explain = explain,
                                   .listValues = listValues,
                                   .listColumns = listColumns,
                                   .resize = resize,
                                   .addStats = addStats,
                                   .addProfile = addProfile};
