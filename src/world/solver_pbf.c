// SPDX-License-Identifier: MIT
// Position based fluids, as the world sees them.
#include <math.h>

#include "core/param_table.h"
#include "core/status.h"
#include "pbd/pbf_depth.h"
#include "pbd/pbf_gpu.h"
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

// wbSolver.self
typedef struct PbfSolver {
    wbParticleFluid liquid;
    wbPbf pbf; // what of the particles is on the host
    wbPbfModel model;
} PbfSolver;

static PbfSolver *getSelf(const wbSolver *solver) { return solver->self; }
static PbfSolver *getOwner(const wbParticleFluid *liquid) { return liquid->solver->self; }

const wbPbfParams *wbWorld_GetPbfParams(const wbWorld *world) {
    WB_REQUIRE(world);
    return &world->def.pbf;
}

// The liquid

static void follow(wbParticleFluid *liquid) {
    wbPbfModel *model = &getOwner(liquid)->model;
    const wbDensityRange range = wbFindDensityRange(liquid);
    wbParticleFluid_SetModel(liquid, model->params.spacing, model->h, model->params.restDensity, model->mass);
    model->contrast = range.most / range.least;
}

static wbStatus step(wbParticleFluid *liquid, const wbFluidColliders *colliders, float dt) {
    PbfSolver *self = getOwner(liquid);
    const wbWork *work = &liquid->world->work;
    self->pbf.colliderSpeed = fmaxf(liquid->world->colliderSpeed, wbGetSidePace(liquid->world));
    return liquid->solver->device
               ? wbPbfGpu_Step(liquid->solver->device, &self->pbf, &self->model, colliders, work, dt)
               : wbPbf_Step(&self->pbf, &self->model, colliders, work, dt);
}

static float getShift(const wbParticleFluid *liquid, float dt) {
    const wbPbf *pbf = &getOwner(liquid)->pbf;
    float subSteps = (float)(pbf->subSteps > 0 ? pbf->subSteps : 1);
    return dt * (subSteps + 1) / (2 * subSteps);
}

static float getWheelSpeed(const wbParticleFluid *liquid, float dt) { return 4 * liquid->h / dt; }

// m/s: a spacing in a sub-step, about the most that corrections of positions make of speed.
static double getShiftSpeed(const wbParticleFluid *liquid, double dt) {
    return liquid->spacing * fmax(1, getOwner(liquid)->pbf.subSteps) / dt;
}

// In a sub-step particles part by what is too dense.
static double getStored(const wbParticleFluid *liquid, double dt) {
    double excess = fmax(0, liquid->particles->maxDensity / (double)liquid->restDensity - 1);
    return wbGetHeaviest(liquid) * (0.5 * pow(excess * getShiftSpeed(liquid, dt), 2));
}

// Particles part by a spacing in 1/20 s; those that may not be too far apart either come together at once.
static double getNoise(const wbParticleFluid *liquid, double dt) {
    bool isEqual = getOwner(liquid)->model.params.constraint == wb_densityEquality;
    double s = liquid->spacing;
    return 0.5 * pow(fmax(20 * s, isEqual ? 2 * getShiftSpeed(liquid, dt) : 0), 2);
}

// Confinement pushes by epsilon |curl v|, and curls are a few v/h.
static double getMotionGain(const wbParticleFluid *liquid, double speed2, int steps, double dt) {
    return 2 * speed2 * (double)getOwner(liquid)->model.params.vorticity * steps * dt / (double)liquid->h;
}

// Steps are long, so that looks are near to each other. Corrections of positions make more of a push than its work, where they
// do not reach their end.
static const wbFluidMethod method = {.step = step,
                                     .gpu = &wb_pbfGpu,
                                     .follow = follow,
                                     .getShift = getShift,
                                     .getWheelSpeed = getWheelSpeed,
                                     .beyondWheelSpeed = "farther than 4 h in a step",
                                     .energyInterval = 4,
                                     .workFactor = 2,
                                     .getStored = getStored,
                                     .getNoise = getNoise,
                                     .getMotionGain = getMotionGain};

// The solver

static wbStatus create(wbSolver *solver) {
    wbWorld *world = solver->world;
    PbfSolver *self = solver->self = wbAllocZero(world->memory, sizeof *self);
    if (!self) return wbMemoryError(world->memory, "a fluid needs");
    wbParticleFluid_Init(&self->liquid, solver, &method, &self->pbf.fluid);
    WB_TRY(wbPbfModel_Init(&self->model, &world->def.pbf, &world->domain));
    follow(&self->liquid);
    return wb_okStatus;
}

static void destroy(wbSolver *solver) {
    wbParticleFluid_Free(solver->liquid);
    wbFree(solver->world->memory, solver->self, sizeof(PbfSolver));
}

static wbStatus setParams(wbSolver *solver, void *params) {
    wbWorld *world = solver->world;
    PbfSolver *self = getSelf(solver);
    wbParticleFluid *liquid = &self->liquid;
    const wbPbfParams *next = params;
    wbPbfModel model;
    bool isWeighedAnew = next->restDensity != self->model.params.restDensity && wbHasOwnDensity(liquid);
    if (isWeighedAnew) WB_TRY(wbPullState(world));
    WB_TRY(wbPbfModel_Init(&model, next, &world->domain));
    self->model = model;
    follow(liquid);
    if (isWeighedAnew) wbBookAnew(liquid);
    return wb_okStatus;
}

static void refresh(wbSolver *solver) {
    PbfSolver *self = getSelf(solver);
    const wbPbfParams params = self->model.params;
    wbStatus status = wbPbfModel_Init(&self->model, &params, &solver->world->domain);
    WB_ASSERT(wbIsOk(status), "a model that was made once is made again");
    follow(&self->liquid);
}

static float getStableStep(const wbSolver *solver, bool isAsked) {
    const PbfSolver *self = getSelf(solver);
    return wbPbf_GetStableStep(&self->pbf, &self->model, wbGetFluidSpeed(&self->liquid, isAsked));
}

static wbStatus explain(const wbSolver *solver, float dt, const char *what) {
    const wbWorld *world = solver->world;
    return wbError(wb_errorUnstable,
                   "unstable at step %lld (%g s): %s; make world.dt (%.3g s) smaller or pbf.subSteps larger",
                   (long long)world->stepCount + 1, world->time, what, dt);
}

static int listValues(const wbSolver *solver, wbSavedValue values[WB_MAX_SOLVER_VALUES]) {
    static const char *const names[WB_ACCOUNT_VALUES] = {WB_ACCOUNT_NAMES("pbf")};
    PbfSolver *self = getSelf(solver);
    wbPbf_ListValues(&self->pbf, values);
    return WB_PBF_VALUES + wbListAccount(&self->liquid.account, names, values + WB_PBF_VALUES);
}

// It has no sound: a quarter of the kernels' reach in a frame of most screens.
static float getColliderSpeed(const wbSolver *solver) { return 0.25f * solver->liquid->h * 60.0f; }

// Before the first step: what it takes, as things are.
static int countSubSteps(const wbSolver *solver) {
    const wbWorld *world = solver->world;
    const PbfSolver *self = getSelf(solver);
    const wbPbf *pbf = &self->pbf;
    double head = 0;
    wbMixture mixture;
    if (pbf->subSteps > 0 || pbf->fluid.particles.count == 0) return pbf->subSteps;
    size_t scratch = wbArena_Mark(world->work.arena);
    wbStatus status = wbListMixture(&self->liquid, &mixture);
    if (wbIsOk(status))
        status = wbFindPbfHead(&pbf->fluid.particles, &mixture, &self->model, &world->work, &head);
    wbArena_Release(world->work.arena, scratch);
    if (!wbIsOk(status)) return 0;
    const float dt = wbWorld_GetTimeStep(world), longest = solver->kind->getStableStep(solver, false);
    const bool isDivided = world->params.dt == 0 && longest < dt;
    return wbPbfModel_CountSubSteps(&self->model, isDivided ? dt / ceilf(dt / longest) : dt, head,
                                    wbGetFluidSpeed(&self->liquid, false));
}

static void addProfile(const wbSolver *solver, wbProfile *profile) {
    const wbPbf *pbf = &getSelf(solver)->pbf;
    wbAddPhases(profile, phaseNames, pbf->fluid.ms, wb_pbfPhaseCount);
    profile->pairs += pbf->fluid.search.neighbours.pairs;
    profile->pbfSubSteps = countSubSteps(solver);
}

const wbSolverKind wb_pbfSolver = {.info = {.name = "pbf",
                                            .moves = "fluids",
                                            .object = "fluid",
                                            .isFluid = true,
                                            .params = offsetof(wbWorldDef, pbf)},
                                   .place = wb_placeLiquids,
                                   .table = &wb_pbfTable,
                                   .setParams = setParams,
                                   .refresh = refresh,
                                   .create = create,
                                   .destroy = destroy,
                                   .getStableStep = getStableStep,
                                   .step = wbStepFluid,
                                   .check = wbCheckFluid,
                                   .explain = explain,
                                   .listValues = listValues,
                                   .listColumns = wbListFluidColumns,
                                   .listUnsaved = wbListFluidUnsaved,
                                   .endStep = wbEndFluidStep,
                                   .resize = wbResizeFluid,
                                   .device = &wb_fluidDevice,
                                   .getResolution = wbGetFluidResolution,
                                   .getColliderSpeed = getColliderSpeed,
                                   .countTrapped = wbCountTrappedFluid,
                                   .followCollider = wbFollowFluidCollider,
                                   .dropCollider = wbDropFluidCollider,
                                   .checkDomain = wbCheckFluidDomain,
                                   .addStats = wbAddFluidStats,
                                   .addProfile = addProfile};
