// SPDX-License-Identifier: MIT
// Position based fluids, as the world sees them.
#include <math.h>

#include "core/param_table.h"
#include "core/status.h"
#include "pbd/pbf_depth.h"
#include "world/world.h"

#define WB_PARAM_STRUCT wbPbfParams
static const wbParam rows[] = {WB_PARAM_ROWS(WB_PBF_PARAMS)};
#undef WB_PARAM_STRUCT
const wbParamTable wb_pbfTable =
    WB_PARAM_TABLE("pbf", "fluids of particles held by density constraints (PBF)", wbPbfParams, rows);

static const char *const phaseNames[wb_pbfPhaseCount] = {
#define WB_PHASE(name) "pbf_" #name,
    WB_PBF_PHASES(WB_PHASE)
#undef WB_PHASE
};

static bool isUsed(const wbSolver *solver) { return wbIsSolverUsed(solver->world, wb_solverPbf); }

static wbStatus setParams(wbSolver *solver, void *params) {
    wbWorld *world = solver->world;
    wbPool *pool = &world->pools[wb_solverPbf];
    const wbPbfParams *next = params;
    wbPbfModel model;
    bool isWeighedAnew = next->restDensity != world->pbfModel.params.restDensity && wbHasOwnDensity(pool);
    if (isWeighedAnew) WB_TRY(wbPullState(world));
    WB_TRY(wbPbfModel_Init(&model, next, &world->domain));
    world->pbfModel = model;
    wbFollowModels(world);
    if (isWeighedAnew) wbBookAnew(pool);
    return wb_okStatus;
}

static void refresh(wbSolver *solver) {
    wbWorld *world = solver->world;
    const wbPbfParams params = world->pbfModel.params;
    if (!isUsed(solver)) return;
    wbStatus status = wbPbfModel_Init(&world->pbfModel, &params, &world->domain);
    WB_ASSERT(wbIsOk(status), "a model that was made once is made again");
    wbFollowModels(world);
}

static float getStableStep(const wbSolver *solver, bool isAsked) {
    const wbWorld *world = solver->world;
    return wbPbf_GetStableStep(&world->pbf, &world->pbfModel,
                               wbGetFluidSpeed(&world->pools[wb_solverPbf], isAsked));
}

static wbStatus step(wbSolver *solver, float dt) {
    wbWorld *world = solver->world;
    wbPool *pool = &world->pools[wb_solverPbf];
    wbFluidColliders room;
    const wbFluidColliders *colliders = wbGetFluidColliders(pool, &room);
    world->pbf.colliderSpeed = world->colliderSpeed;
    wbBookColliderSpeed(pool);
    WB_TRY(wbListMixture(world, pool, &world->pbf.mixture));
    wbStatus status = solver->device ? wbPbfGpu_Step(solver->device, &world->pbf, &world->pbfModel, colliders,
                                                     &world->work, dt)
                                     : wbPbf_Step(&world->pbf, &world->pbfModel, colliders, &world->work, dt);
    world->pbf.mixture = (wbMixture){0}; // it was the arena's
    return wbSettleFluid(pool, status);
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

// It has no sound: a quarter of the kernels' reach in a frame of most screens.
static float getColliderSpeed(const wbSolver *solver) {
    return 0.25f * solver->world->pools[wb_solverPbf].h * 60.0f;
}

// Room to read the state.
static void endStep(const wbSolver *solver, bool isUndone) {
    wbWorld *world = solver->world;
    if (isUndone) wbFluidSearch_Reset(world->memory, &world->pbf.search);
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

static wbStatus createDevice(const wbSolver *solver, wbGpu *gpu, void **device) {
    wbPbfGpu *made;
    WB_TRY(wbCreatePbfGpu(solver->world->memory, gpu, &made));
    *device = made;
    return wb_okStatus;
}
static void destroyDevice(void *device) { wbDestroyPbfGpu(device); }
static wbParticlesGpu *getParticles(void *device) { return wbPbfGpu_GetParticles(device); }

static const wbSolverDevice deviceHooks = {createDevice, destroyDevice, getParticles,     wbIsFluidAhead,
                                           wbFetchFluid, wbTakeFluid,   wbMarkFluidDirty, wbDiscardFluid};

const wbSolverKind wb_pbfSolver = {.info = {.name = "pbf",
                                            .moves = "fluids",
                                            .object = "fluid",
                                            .isFluid = true,
                                            .params = offsetof(wbWorldDef, pbf)},
                                   .place = wb_placeLiquids,
                                   .table = &wb_pbfTable,
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
                                   .addStats = wbAddFluidStats,
                                   .addProfile = addProfile};
