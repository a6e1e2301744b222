// SPDX-License-Identifier: MIT
// Position based fluids, as the world sees them.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/param_table.h"
#include "core/status.h"
#include "pbd/pbf_adaptive_decide.h"
#include "pbd/pbf_adaptive_gpu.h"
#include "pbd/pbf_depth.h"
#include "pbd/pbf_gpu.h"
#include "pbd/pbf_thesis_gpu.h"
#include "space/spare_ids.h"
#include "world/world.h"

#define WB_PARAM_STRUCT wbPbfParams
#define WB_PARAM_GROUP  adaptive
static const wbParam rows[] = {WB_PARAM_ROWS(WB_PBF_PARAMS) WB_PARAM_GROUP_ROWS(WB_ADAPTIVE_PARAMS)};
#undef WB_PARAM_GROUP
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
    // of the method thesis
    wbThesis thesis;
    wbThesisModel thesisModel;
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

static bool isSized(const wbParticleFluid *liquid) { return wbPbfModel_IsAdaptive(&getOwner(liquid)->model); }
static bool isThesis(const PbfSolver *self) { return self->model.adaptive.method == wb_adaptiveThesis; }

// Which fluid ids are of, in the arena; nothing where there is one fluid.
static wbStatus listRuns(const wbParticleFluid *liquid, wbFluidRuns *runs) {
    const wbWorld *world = liquid->world;
    const wbIdRun *from = world->idRuns.data;
    const size_t count = (size_t)world->idRunCount;
    int fluids = 0;
    *runs = (wbFluidRuns){0};
    for (int i = 0; i < world->fluidIds.indexCount; i++) fluids += wbGetLiquidOf(world, i) == liquid;
    if (fluids < 2) return wb_okStatus;
    uint32_t *first = wbArena_Alloc(world->work.arena, sizeof *first * (count + 1));
    int *fluid = wbArena_Alloc(world->work.arena, sizeof *fluid * (count + 1));
    if (!first || !fluid) return wbMemoryError(world->memory, "the fluids of %zu runs of ids need", count);
    for (size_t k = 0; k < count; k++) first[k] = from[k].first, fluid[k] = (int)from[k].fluid;
    *runs = (wbFluidRuns){(int)count, first, fluid};
    return wb_okStatus;
}

// Parameters that all position based fluids have are meant alike; its step of an iteration is 0.35 at the default omega.
static void setThesis(PbfSolver *self, const wbDomain *domain) {
    const wbPbfParams *p = &self->model.params;
    const wbAdaptiveParams *own = &self->model.adaptive;
    wbThesisParams params = wbDefaultThesisParams(domain->dimensions);
    if (!isThesis(self)) return;
    params.spacing = p->spacing, params.restDensity = p->restDensity, params.iterations = p->iterations;
    params.omega = 0.35f * p->omega / wbDefaultWorldDef().pbf.omega, params.viscosity = p->viscosity;
    if (own->kernelSlope > 0) params.slope = own->kernelSlope;
    params.limit = own->limit, params.mergeTime = own->mergeTime, params.isGeneral = own->spreadsKernels;
    params.losesMomentum = own->losesMomentum, params.movesTargets = own->movesTargets;
    params.splitsGradually = own->splitsGradually;
    wbThesisModel_Init(&self->thesisModel, &params, domain);
    self->thesisModel.wishes = wbMakePbfWishes(own, 0.5f * params.spacing, domain->dimensions);
}

// Large particles leave gaps between the cells that depth is counted by, but what is so far from the boundary is twice as deep.
static wbStatus chooseThesisSteps(PbfSolver *self, wbThesisFluid fluid, float dt) {
    const wbParticles *p = &self->pbf.fluid.particles;
    const wbVec3 g = self->model.domain->gravity;
    wbFluidGpu *device = self->liquid.solver->device;
    double head;
    float farthest = 0;
    if (device) {
        WB_TRY(wbThesisGpu_FindHead(device, fluid, &self->model, &head, &farthest));
    } else {
        WB_TRY(wbFindPbfHead(p, &self->pbf.fluid.mixture, &self->model, fluid.work, &head));
        for (int i = 0; i < p->count; i++) farthest = fmaxf(farthest, self->thesis.distance[i]);
    }
    head = fmax(head, 2 * (double)farthest * sqrt((double)(g.x * g.x + g.y * g.y + g.z * g.z)));
    wbPbf_BeginStep(&self->pbf, &self->model, dt, head);
    const int own = wbThesisModel_CountSubSteps(&self->thesisModel, dt, self->pbf.head);
    if (self->model.params.subSteps == 0 && own > self->pbf.subSteps) self->pbf.subSteps = own;
    return wb_okStatus;
}

static wbStatus stepThesis(wbParticleFluid *liquid, const wbFluidColliders *colliders, float dt) {
    PbfSolver *self = getOwner(liquid);
    const wbThesisFluid fluid = {&self->thesis, &self->pbf.fluid, &self->thesisModel, colliders,
                                 &liquid->world->work};
    wbFluidGpu *device = liquid->solver->device;
    const int64_t changes = self->thesis.merges + self->thesis.splits;
    if (liquid->particles->count == 0) return wb_okStatus;
    WB_TRY(listRuns(liquid, &self->thesis.runs));
    WB_TRY(chooseThesisSteps(self, fluid, dt));
    for (int k = 0; k < self->pbf.subSteps; k++)
        wbPbf_BeginSubStep(&self->pbf, &self->model, self->model.domain, dt / (float)self->pbf.subSteps);
    const wbStatus status = device ? wbThesisGpu_Step(device, fluid, dt, self->pbf.subSteps)
                                   : wbThesis_Step(fluid.thesis, fluid.fluid, fluid.model, colliders,
                                                   fluid.work, dt, self->pbf.subSteps);
    self->thesis.runs = (wbFluidRuns){0}; // it was the arena's
    WB_TRY(status);
    return self->thesis.merges + self->thesis.splits != changes ? wbRecountFluids(liquid) : wb_okStatus;
}

static wbStatus step(wbParticleFluid *liquid, const wbFluidColliders *colliders, float dt) {
    PbfSolver *self = getOwner(liquid);
    const wbWork *work = &liquid->world->work;
    self->pbf.colliderSpeed = fmaxf(liquid->world->colliderSpeed, wbGetSidePace(liquid->world));
    if (isThesis(self)) return stepThesis(liquid, colliders, dt);
    wbPbfSizes *sizes = &self->pbf.sizes;
    const int64_t changes = sizes->merges + sizes->splits;
    if (isSized(liquid)) WB_TRY(listRuns(liquid, &sizes->runs));
    wbFluidGpu *device = liquid->solver->device;
    wbStatus status = device ? wbPbfGpu_Step(device, &self->pbf, &self->model, colliders, work, dt)
                             : wbPbf_Step(&self->pbf, &self->model, colliders, work, dt);
    sizes->runs = (wbFluidRuns){0}; // it was the arena's
    WB_TRY(status);
    return sizes->merges + sizes->splits != changes ? wbRecountFluids(liquid) : wb_okStatus;
}

// Particles of different sizes

static const wbFluidGpuKind *getGpu(const wbParticleFluid *liquid) {
    return isThesis(getOwner(liquid)) ? &wb_thesisGpu : &wb_pbfGpu;
}

static void putOn(wbParticleFluid *liquid, wbParticlesGpu *device) {
    PbfSolver *self = getOwner(liquid);
    if (isThesis(self))
        wbThesis_PutOn(&self->thesis, device);
    else
        wbPbfSizes_PutOn(&self->pbf.sizes, device);
}

static wbSpareIds *getSpareIds(const wbParticleFluid *liquid) {
    PbfSolver *self = getOwner(liquid);
    return isThesis(self) ? &self->thesis.spare : &self->pbf.sizes.spare;
}

static void takeBack(wbParticleFluid *liquid, bool isLost) {
    PbfSolver *self = getOwner(liquid);
    wbKeptIds *kept = isThesis(self) ? &self->thesis.hostIds : &self->pbf.sizes.hostIds;
    if (isLost)
        wbKeptIds_Take(kept, getSpareIds(liquid));
    else
        wbKeptIds_Forget(kept);
}

static double getUnits(const wbParticleFluid *liquid, int place) {
    const PbfSolver *self = getOwner(liquid);
    return isThesis(self) ? self->thesis.units[place] : ldexp(1, self->pbf.sizes.level[place]);
}

// Before the first look everything is at the surface.
static float getDistance(const wbParticleFluid *liquid, int place) {
    const PbfSolver *self = getOwner(liquid);
    if (isThesis(self)) return self->thesis.distance[place];
    const float distance = self->pbf.sizes.distance[place];
    return distance < WB_UNKNOWN_DISTANCE ? distance
                                          : self->model.levels.radius[self->pbf.sizes.level[place]];
}

static wbStatus reserve(wbParticleFluid *liquid, int count) {
    PbfSolver *self = getOwner(liquid);
    if (isThesis(self)) return wbThesis_Reserve(&self->thesis, liquid->world->memory, count);
    return wbPbfSizes_Reserve(&self->pbf.sizes, liquid->world->memory, count);
}

// Later than the first look, which goes as deep as the water is, what comes counts as surface until it is known: else it would merge at once.
static void begin(wbParticleFluid *liquid, int first, int end) {
    PbfSolver *self = getOwner(liquid);
    if (isThesis(self)) {
        wbThesis_Begin(&self->thesis, &self->thesisModel, first, end);
        return;
    }
    wbPbfSizes_Begin(&self->pbf.sizes, first, end);
    for (int i = first; i < end && self->pbf.sizes.looks > 0; i++)
        self->pbf.sizes.distance[i] = self->model.levels.radius[0];
}

static void removeSizes(wbParticleFluid *liquid, const uint8_t *marks) {
    PbfSolver *self = getOwner(liquid);
    if (isThesis(self))
        wbThesis_RemoveMarked(&self->thesis, marks, liquid->particles->count);
    else
        wbPbfSizes_RemoveMarked(&self->pbf.sizes, marks, liquid->particles->count);
}

static bool getTransfer(const wbParticleFluid *liquid, int place, wbTransfer *transfer) {
    const PbfSolver *self = getOwner(liquid);
    const wbParticles *p = liquid->particles;
    if (!isThesis(self)) return false;
    const uint32_t role = self->thesis.role[place];
    const int other = self->thesis.other[place];
    if (role != wb_roleMergeSource && role != wb_roleSplitSource) return false;
    *transfer = (wbTransfer){.from = {p->x[place], p->y[place], p->z[place]},
                             .to = {p->x[other], p->y[other], p->z[other]},
                             .left = self->thesis.left[place],
                             .isMerge = role == wb_roleMergeSource};
    return true;
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

static bool feelsSheets(const wbParticleFluid *liquid) { return !isThesis(getOwner(liquid)); }

static const char *findMissing(const wbParticleFluid *liquid) {
    if (!feelsSheets(liquid)) return NULL;
    if (wbAreSoftWet(liquid->world)) return "what soft bodies push";
    return wbHasHulls(liquid->world) ? "thin walls of rigid bodies" : NULL;
}

static wbBearing getBearing(const wbParticleFluid *liquid) {
    (void)liquid;
    return wb_bearingShared;
}

// Steps are long, so that looks are near to each other. Corrections of positions make more of a push than its work, where they
// do not reach their end.
static const wbFluidMethod method = {.step = step,
                                     .getBearing = getBearing,
                                     .findMissing = findMissing,
                                     .feelsSheets = feelsSheets,
                                     .isSized = isSized,
                                     .getUnits = getUnits,
                                     .getDistance = getDistance,
                                     .reserve = reserve,
                                     .begin = begin,
                                     .remove = removeSizes,
                                     .getSpareIds = getSpareIds,
                                     .getTransfer = getTransfer,
                                     .putOn = putOn,
                                     .takeBack = takeBack,
                                     .getGpu = getGpu,
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

// What the method thesis does not have. The default tension is what it is for other fluids.
static wbStatus checkThesisParams(const wbPbfParams *p) {
    if (p->vorticity > 0)
        return wbError(wb_errorInput,
                       "pbf.adaptive.method thesis has no vorticity confinement: set pbf.vorticity to 0 (it "
                       "is %g), or the method to levels or off",
                       (double)p->vorticity);
    if (p->tension != 0 && p->tension != wbDefaultWorldDef().pbf.tension)
        return wbError(wb_errorInput,
                       "pbf.adaptive.method thesis has no artificial pressure: set pbf.tension to 0 (it is "
                       "%g), or the method to levels or off",
                       (double)p->tension);
    return wb_okStatus;
}

// What sizes that differ cannot be combined with.
static wbStatus checkParams(const wbSolver *solver, void *params) {
    (void)solver;
    const wbPbfParams *p = params;
    if (p->adaptive.method == wb_adaptiveOff) return wb_okStatus;
    if (p->solver != wb_pbdJacobiParticles)
        return wbError(wb_errorInput,
                       "pbf.adaptive needs pbf.solver jacobiParticles, the others hold particles "
                       "of one size; or set pbf.adaptive.method to off");
    if (p->constraint != wb_densityInequality)
        return wbError(wb_errorInput,
                       "pbf.adaptive needs pbf.constraint inequality: with equality particles of "
                       "different sizes boil; or set pbf.adaptive.method to off");
    return p->adaptive.method == wb_adaptiveThesis ? checkThesisParams(p) : wb_okStatus;
}

static wbStatus create(wbSolver *solver) {
    wbWorld *world = solver->world;
    PbfSolver *self = solver->self = wbAllocZero(world->memory, sizeof *self);
    if (!self) return wbMemoryError(world->memory, "a fluid needs");
    wbParticleFluid_Init(&self->liquid, solver, &method, &self->pbf.fluid);
    wbThesis_Init(&self->thesis);
    WB_TRY(wbPbfModel_Init(&self->model, &world->def.pbf, &world->domain));
    setThesis(self, &world->domain);
    follow(&self->liquid);
    return checkParams(solver, &world->def.pbf);
}

static void destroy(wbSolver *solver) {
    wbPbfSizes_Free(solver->world->memory, &getSelf(solver)->pbf.sizes);
    wbThesis_Free(solver->world->memory, &getSelf(solver)->thesis);
    wbParticleFluid_Free(solver->liquid);
    wbFree(solver->world->memory, solver->self, sizeof(PbfSolver));
}

static wbStatus setParams(wbSolver *solver, void *params) {
    wbWorld *world = solver->world;
    PbfSolver *self = getSelf(solver);
    wbParticleFluid *liquid = &self->liquid;
    const wbPbfParams *next = params;
    wbPbfModel model;
    WB_TRY(checkParams(solver, params));
    bool isWeighedAnew = next->restDensity != self->model.params.restDensity && wbHasOwnDensity(liquid);
    if (isWeighedAnew) WB_TRY(wbPullState(world));
    WB_TRY(wbPbfModel_Init(&model, next, &world->domain));
    self->model = model;
    setThesis(self, &world->domain);
    follow(liquid);
    if (isWeighedAnew) wbBookAnew(liquid);
    return wb_okStatus;
}

static void refresh(wbSolver *solver) {
    PbfSolver *self = getSelf(solver);
    const wbPbfParams params = self->model.params;
    wbStatus status = wbPbfModel_Init(&self->model, &params, &solver->world->domain);
    WB_ASSERT(wbIsOk(status), "a model that was made once is made again");
    setThesis(self, &solver->world->domain);
    follow(&self->liquid);
}

// The head as things are, for who asks before the first step; 0 if there is no memory to find it.
static double findHead(const wbSolver *solver) {
    const wbWorld *world = solver->world;
    const PbfSolver *self = getSelf(solver);
    double head = 0;
    wbMixture mixture;
    size_t scratch = wbArena_Mark(world->work.arena);
    wbStatus status = wbListMixture(&self->liquid, &mixture);
    if (wbIsOk(status))
        status = wbFindPbfHead(&self->pbf.fluid.particles, &mixture, &self->model, &world->work, &head);
    wbArena_Release(world->work.arena, scratch);
    return wbIsOk(status) ? head : 0;
}

// Who has chosen the step and its sub-steps has chosen how far the water sinks: what is asked for then is the step in which it would
// sink by a twentieth of its depth (see getBearingStep in pbf_model.c). No step is planned by it.
static float getChosenStep(const wbSolver *solver, float speed) {
    const PbfSolver *self = getSelf(solver);
    const wbPbfModel *model = &self->model;
    const double sink = 0.05, head = self->pbf.softStep > 0 ? self->pbf.head : findHead(solver);
    double subStep = (double)wbPbfModel_GetSubStep(model, 0, speed);
    if (head > 0) subStep = fmin(subStep, sqrt(2 * sink * model->gain / (head * model->gradientSum)));
    return (float)fmin(1.0 / 60, (double)model->params.subSteps * subStep);
}

static float getStableStep(const wbSolver *solver, bool isAsked) {
    const PbfSolver *self = getSelf(solver);
    const float speed = wbGetFluidSpeed(&self->liquid, isAsked);
    if (solver->world->params.dt > 0 && self->model.params.subSteps > 0) return getChosenStep(solver, speed);
    const float stable = wbPbf_GetStableStep(&self->pbf, &self->model, speed);
    const bool isUndivided = (wbAreSoftWet(solver->world) || wbHasHulls(solver->world)) &&
                             feelsSheets(&self->liquid); // sheets go through a step at once
    return isUndivided ? fminf(stable, wbPbfModel_GetSubStep(&self->model, self->pbf.head, speed)) : stable;
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
    int count = WB_PBF_VALUES + wbListAccount(&self->liquid.account, names, values + WB_PBF_VALUES);
    if (!isSized(&self->liquid)) return count;
    if (isThesis(self)) {
        wbThesis_ListValues(&self->thesis, values + count);
        return count + WB_THESIS_VALUES;
    }
    wbPbfSizes_ListValues(&self->pbf.sizes, values + count);
    return count + WB_SIZE_VALUES;
}

// Columns that the method has of each particle, and the ids that are free.
static int listSizes(const wbSolver *solver, const wbColumn *own, int ownCount, wbStateColumn *columns) {
    wbParticlesGpu *device = wbGetSnapshotDevice(solver->liquid);
    wbSpareIds *spare = getSpareIds(solver->liquid);
    const wbColumn ids = {WB_SPARE_IDS, &spare->spans.data, sizeof(wbIdSpan), true};
    wbAddColumns(solver, own, ownCount, solver->liquid->particles->count, true, columns);
    for (int c = 0; c < ownCount && device; c++) columns[c].buffer = &device->ownFront[c];
    return ownCount + wbAddColumns(solver, &ids, 1, spare->spanCount, true, columns + ownCount);
}

static int listColumns(const wbSolver *solver, wbStateColumn columns[WB_MAX_STATE_COLUMNS]) {
    wbPbfSizes *sizes = &getSelf(solver)->pbf.sizes;
    wbThesis *thesis = &getSelf(solver)->thesis;
    wbColumn own[WB_GPU_OWN];
    int count = wbListFluidColumns(solver, columns);
    if (!isSized(solver->liquid)) return count;
    if (isThesis(getSelf(solver))) {
        wbThesis_ListColumns(thesis, own);
        return count + listSizes(solver, own, WB_THESIS_COLUMNS, columns + count);
    }
    wbPbfSizes_ListColumns(sizes, own);
    return count + listSizes(solver, own, WB_SIZE_COLUMNS, columns + count);
}

static wbStatus resize(const wbSolver *solver, wbSectionList *list) {
    WB_TRY(wbResizeFluid(solver, list));
    if (!isSized(solver->liquid)) return wb_okStatus;
    WB_TRY(reserve(solver->liquid, solver->liquid->particles->count));
    wbSpareIds *spare = getSpareIds(solver->liquid);
    return wbSpareIds_Reserve(spare, solver->world->memory, spare->spanCount);
}

static wbStatus checkIds(int64_t units, int64_t ids) {
    if (units == ids) return wb_okStatus;
    return wbError(wb_errorInput, "particles have the mass of %lld smallest ones, but there are %lld ids",
                   (long long)units, (long long)ids);
}

// Transfers between two that know of each other, mass that is where it is said to be, and as many ids as there is.
static wbStatus checkThesis(const wbSolver *solver, wbSectionList *list) {
    const int count = solver->liquid->particles->count;
    const void *columns[WB_THESIS_COLUMNS];
    wbColumn own[WB_THESIS_COLUMNS];
    int64_t units;
    wbStatus status = wb_okStatus;
    wbThesis_ListColumns(&getSelf(solver)->thesis, own);
    for (int c = 0; c < WB_THESIS_COLUMNS; c++) {
        char name[32];
        snprintf(name, sizeof name, "pbf.%s", own[c].name);
        columns[c] = wbFindSection(list, name, sizeof(float) * (size_t)count, &status);
    }
    WB_TRY(status);
    if (!wbThesis_AreColumns(columns, count, &units))
        return wbError(wb_errorInput, "the mass, kernel or transfer of a particle is not possible");
    return checkIds(units, (int64_t)count + getSelf(solver)->thesis.spare.count);
}

// Levels that there are, offsets and distances that are numbers, and as many ids as there is mass.
static wbStatus checkColumns(const wbSolver *solver, wbSectionList *list) {
    const int count = solver->liquid->particles->count;
    int64_t units = 0;
    wbStatus status = wb_okStatus;
    if (!isSized(solver->liquid)) return wb_okStatus;
    if (isThesis(getSelf(solver))) return checkThesis(solver, list);
    const uint8_t *levels = wbFindSection(list, "pbf.level", (size_t)count, &status);
    const void *offsets = wbFindSection(list, "pbf.offset", sizeof(float) * (size_t)count, &status),
               *distances = wbFindSection(list, "pbf.distance", sizeof(float) * (size_t)count, &status);
    WB_TRY(status);
    for (int i = 0; i < count; i++) {
        float offset, distance;
        memcpy(&offset, (const char *)offsets + sizeof offset * (size_t)i, sizeof offset);
        memcpy(&distance, (const char *)distances + sizeof distance * (size_t)i, sizeof distance);
        if (levels[i] >= PBF_LEVELS || !(fabsf(offset) <= 1) ||
            !(distance >= 0 && distance <= WB_UNKNOWN_DISTANCE))
            return wbError(wb_errorInput, "size %d, offset %g or distance %g m of a particle is not possible",
                           levels[i], (double)offset, (double)distance);
        units += (int64_t)1 << levels[i];
    }
    return checkIds(units, (int64_t)count + getSelf(solver)->pbf.sizes.spare.count);
}

static void addStats(const wbSolver *solver, double ground, wbStats *stats) {
    const PbfSolver *self = getSelf(solver);
    wbAddFluidStats(solver, ground, stats);
    stats->merges += self->pbf.sizes.merges + self->thesis.merges;
    stats->splits += self->pbf.sizes.splits + self->thesis.splits;
    stats->momentumLost += self->thesis.lost;
}

// It has no sound: a quarter of the kernels' reach in a frame of most screens.
static float getColliderSpeed(const wbSolver *solver) { return 0.25f * solver->liquid->h * 60.0f; }

// Particles of different sizes come and go on the host.
static wbStatus plan(wbSolver *solver, float dt) {
    (void)dt;
    if (!solver->device) wbPbf_GiveFillingBack(&getSelf(solver)->pbf, &solver->world->work);
    return solver->device && isSized(solver->liquid) && wbHasFlow(solver->world) ? wbPullState(solver->world)
                                                                                 : wb_okStatus;
}

// Before the first step: what it takes, as things are.
static int countSubSteps(const wbSolver *solver) {
    const wbWorld *world = solver->world;
    const PbfSolver *self = getSelf(solver);
    const wbPbf *pbf = &self->pbf;
    if (pbf->subSteps > 0 || pbf->fluid.particles.count == 0) return pbf->subSteps;
    const float dt = wbWorld_GetTimeStep(world), longest = solver->kind->getStableStep(solver, false);
    const bool isDivided = world->params.dt == 0 && longest < dt;
    return wbPbfModel_CountSubSteps(&self->model, isDivided ? dt / ceilf(dt / longest) : dt, findHead(solver),
                                    wbGetFluidSpeed(&self->liquid, false));
}

static void addProfile(const wbSolver *solver, wbProfile *profile) {
    const wbPbf *pbf = &getSelf(solver)->pbf;
    wbAddPhases(profile, phaseNames, pbf->fluid.ms, wb_pbfPhaseCount);
    profile->pairs += pbf->fluid.search.neighbours.pairs;
    profile->pbfSubSteps = countSubSteps(solver);
}

static int listDerived(const wbSolver *solver, wbDerived list[WB_MAX_DERIVED]) {
    int count = wbListFluidDerived(solver, list);
    list[count++] =
        (wbDerived){"pbf", "sub-steps", "", "that a step is cut into: given, or chosen where it is auto",
                    countSubSteps(solver)};
    return count;
}

static const wbQualityValue fast[] = {
    {"smoothing", "2"},   {"solver", "jacobiParticles"}, {"integrator", "euler"}, {"iterations", "6"},
    {"subSteps", "auto"}, {"constraint", "inequality"},  {"omega", "1.5"},
};
static const wbQualityInfo qualities[] = {
    {wb_qualityFast, wb_solverPbf, fast, sizeof fast / sizeof fast[0]},
};

const wbSolverKind wb_pbfSolver = {.info = {.name = "pbf",
                                            .moves = "fluids",
                                            .object = "fluid",
                                            .isFluid = true,
                                            .params = offsetof(wbWorldDef, pbf)},
                                   .place = wb_placeLiquids,
                                   .table = &wb_pbfTable,
                                   .qualities = qualities,
                                   .qualityCount = sizeof qualities / sizeof qualities[0],
                                   .checkParams = checkParams,
                                   .setParams = setParams,
                                   .refresh = refresh,
                                   .create = create,
                                   .destroy = destroy,
                                   .getStableStep = getStableStep,
                                   .plan = plan,
                                   .step = wbStepFluid,
                                   .check = wbCheckFluid,
                                   .explain = explain,
                                   .listValues = listValues,
                                   .listColumns = listColumns,
                                   .listUnsaved = wbListFluidUnsaved,
                                   .endStep = wbEndFluidStep,
                                   .resize = resize,
                                   .checkColumns = checkColumns,
                                   .device = &wb_fluidDevice,
                                   .getResolution = wbGetFluidResolution,
                                   .getColliderSpeed = getColliderSpeed,
                                   .countTrapped = wbCountTrappedFluid,
                                   .followCollider = wbFollowFluidCollider,
                                   .dropCollider = wbDropFluidCollider,
                                   .checkDomain = wbCheckFluidDomain,
                                   .addStats = addStats,
                                   .listDerived = listDerived,
                                   .addProfile = addProfile};
