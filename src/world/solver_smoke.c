// SPDX-License-Identifier: MIT
// Air that carries smoke, as the world sees it; air*.c are parts of it.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/param_table.h"
#include "core/status.h"
#include "world/air.h"
#include "world/collider.h"

#define WB_PARAM_STRUCT wbSmokeParams
static const wbParam rows[] = {WB_PARAM_ROWS(WB_SMOKE_PARAMS)};
#undef WB_PARAM_STRUCT
const wbParamTable wb_smokeTable =
    WB_PARAM_TABLE("smoke", "air that carries smoke, heat and fire, on a grid", wbSmokeParams, rows);

static const char *const phaseNames[wb_smokePhaseCount] = {
#define WB_PHASE(name) "smoke_" #name,
    WB_SMOKE_PHASES(WB_PHASE)
#undef WB_PHASE
};

static wbStatus setParams(wbSolver *solver, void *params) {
    const wbWorld *world = solver->world;
    wbAir *air = wbGetAir(world);
    const wbSmokeParams *next = params;
    wbSmokeModel model;
    WB_TRY(wbSmokeModel_Init(&model, next, &world->domain));
    if ((air->model.params.thermalDiffusivity > 0) != (next->thermalDiffusivity > 0))
        air->areCollidersStale = true;
    wbSetAirModel(air, &model);
    return wb_okStatus;
}

static void refresh(wbSolver *solver) {
    const wbWorld *world = solver->world;
    wbSmokeModel model;
    wbAir *air = wbGetAir(world);
    const wbSmokeModel *before = air->coarse ? &air->coarse->box : &air->model;
    wbStatus status = wbSmokeModel_Init(&model, &before->params, &world->domain);
    WB_ASSERT(wbIsOk(status), "a model that was made once is made again");
    // what the pressure is solved with knows of open sides, and is made where colliders are cut
    if (memcmp(before->open, model.open, sizeof model.open) != 0) air->areCollidersStale = true;
    wbSetAirModel(air, &model);
}

static float getStableStep(const wbSolver *solver, bool isAsked) {
    const wbWorld *world = solver->world;
    const wbAir *air = wbGetAir(world);
    const wbSmokeParams *params = &air->model.params;
    float speed = fmaxf(isAsked ? 0 : air->smoke.maxSpeed, fmaxf(air->smoke.sideSpeed, wbGetSidePace(world)));
    if (wbIsFollowing(air))
        speed = fmaxf(speed, fmaxf(isAsked ? 0 : air->coarse->smoke.maxSpeed, air->coarse->smoke.sideSpeed));
    for (int i = 0; i < world->sourceIds.indexCount; i++) {
        const wbSourceParams *source = &wbGetSourceAt(world, i)->params;
        bool works = source->open && world->time >= source->start && world->time < source->end;
        if (works) speed = fmaxf(speed, sqrtf(wbDot(source->velocity, source->velocity)));
    }
    return fminf(params->longestStep, params->cfl * air->smoke.grid.h / speed);
}

static wbStatus explain(const wbSolver *solver, float dt, const char *what) {
    const wbWorld *world = solver->world;
    const wbSmokeParams *params = &wbGetAir(world)->model.params;
    char advice[96];
    if (world->params.dt > 0)
        snprintf(advice, sizeof advice, "world.dt (%.3g s) smaller or \"auto\"", dt);
    else // it follows the air already
        snprintf(advice, sizeof advice, "smoke.cfl (%g) or smoke.longestStep (%g s) smaller", params->cfl,
                 params->longestStep);
    return wbError(wb_errorUnstable,
                   "unstable at step %lld (%g s): %s; make %s, or "
                   "what drives the air weaker: sources, smoke.buoyancy (%g), smoke.wind, "
                   "smoke.confinement (%g)",
                   (long long)world->stepCount + 1, world->time, what, advice, params->buoyancy,
                   params->confinement);
}

static float getResolution(const wbSolver *solver) { return wbGetAir(solver->world)->model.params.cellSize; }

// A cell in a frame of most screens.
static float getColliderSpeed(const wbSolver *solver) {
    return wbGetAir(solver->world)->model.params.cellSize * 60.0f;
}

// It may be hotter now, or not be there.
static void followCollider(wbSolver *solver, int index, const wbColliderParams *before) {
    const wbColliderParams *now = &wbGetColliderAt(solver->world, index)->params;
    if (memcmp(&now->temperature, &before->temperature, sizeof now->temperature) != 0 ||
        now->on != before->on)
        wbGetAir(solver->world)->areCollidersStale = true;
}

static void dropCollider(wbSolver *solver, int index) {
    (void)index;
    wbGetAir(solver->world)->areCollidersStale = true;
}

static void addStats(const wbSolver *solver, double ground, wbStats *stats) {
    (void)ground; // air bears itself
    wbSmokeStats air = wbWorld_GetSmokeStats(solver->world);
    stats->mass += air.amount;
    for (int a = 0; a < 3; a++) stats->momentum[a] += air.momentum[a];
    stats->kinetic += air.kinetic;
    stats->divergence = air.divergence;
    wbAddHeatStats(solver->world, stats);
}

static int listDerived(const wbSolver *solver, wbDerived list[WB_MAX_DERIVED]) {
    const wbWorld *world = solver->world;
    const wbSmokeStats air = wbWorld_GetSmokeStats(solver->world);
    list[0] = (wbDerived){"smoke", "cells", "", "that a step computes", (double)wbWorld_GetCellCount(world)};
    list[1] =
        (wbDerived){"smoke", "cell", "m", "edge of the finest cells", solver->kind->getResolution(solver)};
    list[2] = (wbDerived){"smoke", "cycles", "", "or sweeps of the last projection", air.cycles};
    list[3] = (wbDerived){"smoke", "divergence before", "1/s", "the projection, root of the mean square",
                          air.divergenceBefore};
    list[4] = (wbDerived){"smoke", "divergence after", "1/s", "likewise", air.divergence};
    list[5] = (wbDerived){"smoke", "stable step", "s", "the longest sub-step as things are",
                          solver->kind->getStableStep(solver, false)};
    return 6;
}

static void addProfile(const wbSolver *solver, wbProfile *profile) {
    const wbAir *air = solver->self;
    wbAddPhase(profile, "smoke_colliders", air->collidersMs);
    wbAddPhases(profile, phaseNames, air->smoke.ms, wb_smokePhaseCount);
    if (air->coarse) wbAddPhase(profile, "smoke_nested", air->coarse->ms);
}

const wbSolverKind wb_smokeSolver = {.info = {.name = "smoke",
                                              .moves = "smoke",
                                              .object = "source",
                                              .isFluid = false,
                                              .params = offsetof(wbWorldDef, smoke),
                                              .isAsked = offsetof(wbWorldDef, hasSmoke)},
                                     .place = wb_placeAir,
                                     .table = &wb_smokeTable,
                                     .setParams = setParams,
                                     .refresh = refresh,
                                     .create = wbCreateAir,
                                     .destroy = wbFreeAir,
                                     .getStableStep = getStableStep,
                                     .plan = wbPlanWindow,
                                     .prepare = wbPrepareAir,
                                     .step = wbStepAir,
                                     .explain = explain,
                                     .listValues = wbListAirValues,
                                     .listColumns = wbListAirColumns,
                                     .listUnsaved = wbListAirUnsaved,
                                     .endStep = wbEndAirStep,
                                     .clean = wbCleanAir,
                                     .checkFile = wbCheckAirFile,
                                     .resize = wbResizeAir,
                                     .checkColumns = wbCheckAirColumns,
                                     .renew = wbRenewAir,
                                     .saveObjects = wbSaveSources,
                                     .loadObjects = wbLoadSources,
                                     .device = &wb_airDevice,
                                     .getResolution = getResolution,
                                     .getColliderSpeed = getColliderSpeed,
                                     .followCollider = followCollider,
                                     .dropCollider = dropCollider,
                                     .checkDomain = wbCheckAirDomain,
                                     .addStats = addStats,
                                     .listDerived = listDerived,
                                     .addProfile = addProfile};
