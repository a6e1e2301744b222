// SPDX-License-Identifier: MIT
// Water by smoothed particle hydrodynamics, as the world sees it.
#include "core/param_table.h"
#include "core/status.h"
#include "world/world.h"

#define WB_PARAM_STRUCT wbSphParams
static const wbParam rows[] = {WB_PARAM_ROWS(WB_SPH_PARAMS)};
#undef WB_PARAM_STRUCT
const wbParamTable wb_sphTable =
    WB_PARAM_TABLE("sph", "water of particles (weakly compressible SPH)", wbSphParams, rows);

static const char *const phaseNames[wb_sphPhaseCount] = {
#define WB_PHASE(name) "sph_" #name,
    WB_SPH_PHASES(WB_PHASE)
#undef WB_PHASE
};

// What of the model makes stored energy another.
static bool storesAlike(const wbSphParams *a, const wbSphParams *b) {
    return a->soundSpeed == b->soundSpeed && a->equation == b->equation && a->kernel == b->kernel &&
           a->smoothing == b->smoothing && a->surfaceTension == b->surfaceTension &&
           a->clampPressure == b->clampPressure;
}

static wbStatus checkParams(const wbSolver *solver, void *params) {
    wbSphParams *sph = params;
    const wbWorld *world = solver->world;
    return sph->soundSpeed == 0 ? wbChooseSoundSpeed(world, world->params.gravity, sph) : wb_okStatus;
}

static wbStatus setParams(wbSolver *solver, void *params) {
    wbWorld *world = solver->world;
    wbPool *pool = &world->pools[wb_solverSph];
    wbSphParams *next = params;
    const wbSphParams before = world->sphModel.params;
    wbSphModel model;
    bool isWeighedAnew = next->restDensity != before.restDensity && wbHasOwnDensity(pool);
    if (isWeighedAnew || next->soundSpeed == 0) WB_TRY(wbPullState(world));
    WB_TRY(checkParams(solver, next));
    WB_TRY(wbSphModel_Init(&model, next, &world->domain));
    WB_TRY(wbSphModel_CheckRoom(&model));
    world->sphModel = model;
    wbFollowModels(world);
    if (isWeighedAnew) wbBookAnew(pool);
    if (!storesAlike(&before, next)) pool->account.isStoredAnew = 1;
    world->sph.sinceEvaluation = 0; // densities of before and after do not compare
    wbSolver_KeepValue(solver, &pool->account.isStoredAnew);
    wbSolver_KeepValue(solver, &world->sph.sinceEvaluation);
    return wb_okStatus;
}

static void refresh(wbSolver *solver) {
    wbWorld *world = solver->world;
    const wbSphParams params = world->sphModel.params;
    wbStatus status = wbSphModel_Init(&world->sphModel, &params, &world->domain);
    WB_ASSERT(wbIsOk(status), "a model that was made once is made again");
    wbFollowModels(world);
}

static bool isUsed(const wbSolver *solver) { return wbIsSolverUsed(solver->world, wb_solverSph); }

static float getStableStep(const wbSolver *solver, bool isAsked) {
    const wbWorld *world = solver->world;
    return wbSphModel_GetStableStep(&world->sphModel, wbGetFluidSpeed(&world->pools[wb_solverSph], isAsked),
                                    isAsked ? 0 : world->sph.particles.maxDensity);
}

static wbStatus step(wbSolver *solver, float dt) {
    wbWorld *world = solver->world;
    wbPool *pool = &world->pools[wb_solverSph];
    wbFluidColliders room;
    const wbFluidColliders *colliders = wbGetFluidColliders(pool, &room);
    wbBookColliderSpeed(pool);
    WB_TRY(wbListMixture(world, pool, &world->sph.mixture));
    wbStatus status = solver->device ? wbSphGpu_Step(solver->device, &world->sph, &world->sphModel, colliders,
                                                     &world->work, dt)
                                     : wbSph_Step(&world->sph, &world->sphModel, colliders, &world->work, dt);
    world->sph.mixture = (wbMixture){0}; // it was the arena's
    return wbSettleFluid(pool, status);
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

// Water that is compressed by 1 % bears a tenth of its speed of sound (Mach number 0.1).
static float getColliderSpeed(const wbSolver *solver) {
    return 0.1f * solver->world->sphModel.params.soundSpeed;
}

// New neighbours and new colliders are no compression.
static void disturb(wbSolver *solver) { solver->world->sph.sinceEvaluation = 0; }

// Room to read the state.
static void endStep(const wbSolver *solver, bool isUndone) {
    wbWorld *world = solver->world;
    if (isUndone) wbFluidSearch_Reset(world->memory, &world->sph.search);
}

static void addProfile(const wbSolver *solver, wbProfile *profile) {
    const wbSph *sph = &solver->world->sph;
    wbAddPhases(profile, phaseNames, sph->ms, wb_sphPhaseCount);
    profile->pairs += sph->search.neighbours.pairs;
}

static wbStatus createDevice(const wbSolver *solver, wbGpu *gpu, void **device) {
    wbSphGpu *made;
    WB_TRY(wbCreateSphGpu(solver->world->memory, gpu, &made));
    *device = made;
    return wb_okStatus;
}
static void destroyDevice(void *device) { wbDestroySphGpu(device); }
static wbParticlesGpu *getParticles(void *device) { return wbSphGpu_GetParticles(device); }

static const wbSolverDevice deviceHooks = {createDevice, destroyDevice, getParticles,     wbIsFluidAhead,
                                           wbFetchFluid, wbTakeFluid,   wbMarkFluidDirty, wbDiscardFluid};

const wbSolverKind wb_sphSolver = {.info = {.name = "sph",
                                            .moves = "fluids",
                                            .object = "fluid",
                                            .isFluid = true,
                                            .params = offsetof(wbWorldDef, sph)},
                                   .place = wb_placeLiquids,
                                   .table = &wb_sphTable,
                                   .checkParams = checkParams,
                                   .setParams = setParams,
                                   .refresh = refresh,
                                   .isUsed = isUsed,
                                   .getStableStep = getStableStep,
                                   .step = step,
                                   .check = wbCheckFluid,
                                   .explain = explain,
                                   .listValues = listValues,
                                   .listColumns = wbListFluidColumns,
                                   .endStep = endStep,
                                   .resize = wbResizeFluid,
                                   .device = &deviceHooks,
                                   .getResolution = wbGetFluidResolution,
                                   .getColliderSpeed = getColliderSpeed,
                                   .disturb = disturb,
                                   .addStats = wbAddFluidStats,
                                   .addProfile = addProfile};
