// SPDX-License-Identifier: MIT
// Water by smoothed particle hydrodynamics, as the world sees it.
#include "world/solver_sph.h"

#include <math.h>

#include "core/param_table.h"
#include "core/status.h"
#include "world/collider.h"

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

static wbSphSolver *getSelf(const wbSolver *solver) { return solver->self; }
static const wbSphModel *getModel(const wbParticleFluid *liquid) { return &getSelf(liquid->solver)->model; }

const wbSphParams *wbWorld_GetSphParams(const wbWorld *world) {
    WB_REQUIRE(world);
    return &world->def.sph;
}

// What of the model makes stored energy another.
static bool storesAlike(const wbSphParams *a, const wbSphParams *b) {
    return a->method == b->method && a->soundSpeed == b->soundSpeed && a->equation == b->equation &&
           a->kernel == b->kernel && a->smoothing == b->smoothing && a->surfaceTension == b->surfaceTension &&
           a->tensionMethod == b->tensionMethod && a->clampPressure == b->clampPressure;
}

// The liquid

static void follow(wbParticleFluid *liquid) {
    wbSphModel *model = &getSelf(liquid->solver)->model;
    wbParticleFluid_SetModel(liquid, model->spacing, model->h, model->params.restDensity, model->mass);
    model->lightest = wbFindDensityRange(liquid).least; // it has the fastest sound
}

static wbStatus step(wbParticleFluid *liquid, const wbFluidColliders *colliders, float dt) {
    wbSphSolver *self = getSelf(liquid->solver);
    const wbWork *work = &liquid->world->work;
    return liquid->solver->device
               ? wbSphGpu_Step(liquid->solver->device, &self->sph, &self->model, colliders, work, dt)
               : wbSph_Step(&self->sph, &self->model, colliders, work, dt);
}

static float getShift(const wbParticleFluid *liquid, float dt) {
    wbIntegrator integrator = getModel(liquid)->params.integrator;
    if (wbSphModel_IsSplit(getModel(liquid))) return dt;
    return integrator == wb_integratorEuler ? 0 : integrator == wb_integratorLeapfrog ? 0.5f * dt : dt;
}

static float getWheelSpeed(const wbParticleFluid *liquid, float dt) {
    if (wbSphModel_IsSplit(getModel(liquid))) return 4 * liquid->h / dt;
    return getModel(liquid)->params.soundSpeed;
}

// What compression stores at the highest density over the mass of the rest density, by ∫ p/rho2 drho; Tait's equation or the
// linear one.
static double getStored(const wbParticleFluid *liquid, double dt) {
    const wbSphParams *params = &getModel(liquid)->params;
    double density = liquid->particles->maxDensity;
    double x = fmax(1, density / params->restDensity);
    if (wbSphModel_IsSplit(getModel(liquid))) return 0.5 * pow((x - 1) * (double)liquid->spacing / dt, 2);
    double c2 = (double)params->soundSpeed * params->soundSpeed;
    return params->equation == wb_equationTait ? c2 / 7 * ((pow(x, 6) - 1) / 6 + 1 / x - 1)
                                               : c2 * (log(x) + 1 / x - 1);
}

static double getNoise(const wbParticleFluid *liquid, double dt) {
    (void)dt;
    const wbWorld *world = liquid->world;
    const wbSphParams *params = &getModel(liquid)->params;
    double tension = params->surfaceTension, c = params->soundSpeed;
    // without sound: particles part by a spacing in 1/20 s
    if (wbSphModel_IsSplit(getModel(liquid))) c = sqrt(0.5e3) * 20 * (double)liquid->spacing;
    for (int i = 0; i < world->colliderIds.indexCount; i++)
        tension = fmax(tension, wbGetColliderAt(world, i)->params.adhesion);
    return 1e-3 * c * c + 30 * tension / (params->restDensity * (double)liquid->h);
}

// Euler's method moves by the velocity at the start of a step: the one at its end is too high by half of (g dt)2, over its mass.
static double getFallGain(const wbParticleFluid *liquid, double dt) {
    const wbVec3 g = liquid->world->domain.gravity;
    const wbSphModel *model = getModel(liquid);
    if (model->params.integrator != wb_integratorEuler || wbSphModel_IsSplit(model)) return 0;
    return 0.5 * (double)wbDot(g, g) * dt * dt * wbWeighLiquid(liquid);
}

static void getDeviceSums(const wbParticleFluid *liquid, double *speed2, double *fall) {
    const wbSphSums *sums = &getSelf(liquid->solver)->sph.sums;
    *speed2 = sums->speed2, *fall = sums->fall;
}

static const wbFluidGpuKind *getGpu(const wbParticleFluid *liquid) {
    (void)liquid;
    return &wb_sphGpu;
}

static wbBearing getBearing(const wbParticleFluid *liquid) {
    return wbSphModel_IsSplit(getModel(liquid)) ? wb_bearingKept : wb_bearingSoft;
}

static bool feelsSheets(const wbParticleFluid *liquid) {
    (void)liquid;
    return true;
}

static const char *findMissing(const wbParticleFluid *liquid) {
    if (wbAreSoftWet(liquid->world)) return "what soft bodies push";
    return wbHasHulls(liquid->world) ? "thin walls of rigid bodies" : NULL;
}

// Looks are often enough for a blow-up, which grows from step to step, and cheap.
static const wbFluidMethod method = {.step = step,
                                     .getBearing = getBearing,
                                     .getGpu = getGpu,
                                     .findMissing = findMissing,
                                     .feelsSheets = feelsSheets,
                                     .follow = follow,
                                     .getShift = getShift,
                                     .getWheelSpeed = getWheelSpeed,
                                     .beyondWheelSpeed = "faster than sound in the water",
                                     .energyInterval = 16,
                                     .workFactor = 1,
                                     .getStored = getStored,
                                     .getNoise = getNoise,
                                     .getFallGain = getFallGain,
                                     .getDeviceSums = getDeviceSums};

// The solver

static wbStatus makeModel(const wbSolver *solver, wbSphParams *params, wbSphModel *model) {
    if (params->soundSpeed == 0) WB_TRY(wbChooseSoundSpeed(solver, params));
    return wbSphModel_Init(model, params, &solver->world->domain);
}

static wbStatus checkParams(const wbSolver *solver, void *params) {
    wbSphModel model;
    return makeModel(solver, params, &model);
}

static wbStatus setParams(wbSolver *solver, void *params) {
    wbWorld *world = solver->world;
    wbSphSolver *self = getSelf(solver);
    wbParticleFluid *liquid = &self->liquid;
    wbSphParams *next = params;
    const wbSphParams before = self->model.params;
    wbSphModel model;
    bool isWeighedAnew = next->restDensity != before.restDensity && wbHasOwnDensity(liquid);
    if (isWeighedAnew || next->soundSpeed == 0) WB_TRY(wbPullState(world));
    WB_TRY(makeModel(solver, next, &model));
    WB_TRY(wbSphModel_CheckRoom(&model));
    self->model = model;
    follow(liquid);
    if (isWeighedAnew) wbBookAnew(liquid);
    if (!storesAlike(&before, next)) liquid->account.isStoredAnew = 1;
    self->sph.sinceEvaluation = 0; // densities of before and after do not compare
    wbSolver_RecordHostValue(solver, &liquid->account.isStoredAnew);
    wbSolver_RecordHostValue(solver, &self->sph.sinceEvaluation);
    return wb_okStatus;
}

static void refresh(wbSolver *solver) {
    wbSphSolver *self = getSelf(solver);
    const wbSphParams params = self->model.params;
    wbStatus status = wbSphModel_Init(&self->model, &params, &solver->world->domain);
    WB_ASSERT(wbIsOk(status), "a model that was made once is made again");
    follow(&self->liquid);
}

static wbStatus create(wbSolver *solver) {
    wbWorld *world = solver->world;
    wbSphSolver *self = solver->self = wbAllocZero(world->memory, sizeof *self);
    if (!self) return wbMemoryError(world->memory, "a fluid needs");
    wbParticleFluid_Init(&self->liquid, solver, &method, &self->sph.fluid);
    WB_TRY(wbSphModel_Init(&self->model, &world->def.sph, &world->domain));
    follow(&self->liquid);
    return wbSphModel_CheckRoom(&self->model);
}

static void destroy(wbSolver *solver) {
    wbParticleFluid_Free(solver->liquid);
    wbFree(solver->world->memory, solver->self, sizeof(wbSphSolver));
}

static float getStableStep(const wbSolver *solver, bool isAsked) {
    const wbSphSolver *self = getSelf(solver);
    float speed = wbGetFluidSpeed(&self->liquid, isAsked);
    if (wbSphModel_IsSplit(&self->model) && !isAsked)
        speed = fmaxf(wbSph_GetUsualSpeed(&self->sph),
                      fmaxf(solver->world->colliderSpeed, wbGetSidePace(solver->world)));
    if (wbSphModel_IsSplit(&self->model)) speed = fmaxf(speed, self->sph.usualPace);
    return wbSphModel_GetStableStep(&self->model, speed, isAsked ? 0 : self->sph.fluid.particles.maxDensity);
}

static wbStatus explain(const wbSolver *solver, float dt, const char *what) {
    const wbWorld *world = solver->world;
    float stable = wbSphModel_GetStableStep(&getSelf(solver)->model, 0, 0);
    long long step = (long long)world->stepCount + 1;
    const wbSphSolver *self = getSelf(solver);
    if (wbSphModel_IsSplit(&self->model) && self->sph.iterations >= self->model.params.maxIterations)
        return wbError(
            wb_errorUnstable,
            "unstable at step %lld (%g s): %s; pressures did not converge in sph.maxIterations = %d "
            "(the mean change was still %.2g, sph.tolerance is %.2g): allow more, or make world.dt "
            "(%.3g s) smaller",
            step, world->time, what, self->model.params.maxIterations, self->sph.residual,
            (double)self->model.params.tolerance, dt);
    if (dt > 1.01f * stable)
        return wbError(
            wb_errorUnstable,
            "unstable at step %lld (%g s): %s; dt is %.3g s, above the stable limit of %.3g s: make world.dt "
            "smaller or \"auto\"",
            step, world->time, what, dt, stable);
    if (solver->subStepCount == 0)
        return wbError(
            wb_errorUnstable,
            "unstable at step 1: %s; the start is to blame: move particles apart or make them slower", what);
    return wbError(wb_errorUnstable, "unstable at step %lld (%g s): %s; make world.dt (%.3g s) smaller or %s",
                   step, world->time, what, dt,
                   wbSphModel_IsSplit(&self->model) ? "sph.tolerance"
                                                    : "sph.soundSpeed ten times the highest speed");
}

static int listValues(const wbSolver *solver, wbSavedValue values[WB_MAX_SOLVER_VALUES]) {
    static const char *const names[WB_ACCOUNT_VALUES] = {WB_ACCOUNT_NAMES("sph")};
    wbSphSolver *self = getSelf(solver);
    int count = WB_SPH_VALUES;
    wbSph_ListValues(&self->sph, values);
    count += wbListAccount(&self->liquid.account, names, values + count);
    if (!wbSphModel_IsSplit(&self->model)) return count;
    wbSph_ListSplitValues(&self->sph, values + count);
    return count + WB_SPH_SPLIT_VALUES;
}

// Water that is compressed by 1 % bears a tenth of its speed of sound (Mach number 0.1).
static float getColliderSpeed(const wbSolver *solver) {
    const wbSphModel *model = &getSelf(solver)->model;
    if (wbSphModel_IsSplit(model)) return 0.25f * model->h * 60.0f;
    return 0.1f * model->params.soundSpeed;
}

// New neighbours and new colliders are no compression.
static void disturb(wbSolver *solver) { getSelf(solver)->sph.sinceEvaluation = 0; }

static void addProfile(const wbSolver *solver, wbProfile *profile) {
    const wbSph *sph = &getSelf(solver)->sph;
    wbAddPhases(profile, phaseNames, sph->fluid.ms, wb_sphPhaseCount);
    profile->pairs += sph->fluid.search.neighbours.pairs;
}

static int listDerived(const wbSolver *solver, wbDerived list[WB_MAX_DERIVED]) {
    const wbSphParams *p = &getSelf(solver)->model.params;
    int count = wbListFluidDerived(solver, list);
    if (wbSphModel_IsSplit(&getSelf(solver)->model)) {
        const wbSph *sph = &getSelf(solver)->sph;
        list[count++] = (wbDerived){"sph", "updates of pressures", "",
                                    "of the method split, in the last sub-step", sph->iterations};
        list[count++] =
            (wbDerived){"sph", "change of the last update", "",
                        "in the mean, of relative density: sph.tolerance bounds it", sph->residual};
        return count;
    }
    list[count++] =
        (wbDerived){"sph", "speed of sound", "m/s", "given, or chosen where it is auto", p->soundSpeed};
    list[count++] = (wbDerived){"sph", "stiffness", "Pa m3/kg",
                                "of the linear equation of state: the speed of sound squared",
                                (double)p->soundSpeed * p->soundSpeed};
    return count;
}

// Chosen by measuring (docs/water.md).
static const wbQualityValue balanced[] = {
    {"method", "split"},      {"kernel", "wendland"},
    {"smoothing", "2.1"},     {"artificialViscosity", "0.05"},
    {"tolerance", "0.0003"},  {"minIterations", "2"},
    {"maxIterations", "100"},
};
static const wbQualityValue precise[] = {
    {"method", "explicit"},       {"kernel", "wendland"},   {"smoothing", "3"},
    {"artificialViscosity", "0"}, {"bulkViscosity", "0.3"}, {"equation", "tait"},
    {"integrator", "symplectic"},
};
static const wbQualityInfo qualities[] = {
    {wb_qualityBalanced, wb_solverSph, balanced, sizeof balanced / sizeof balanced[0]},
    {wb_qualityPrecise, wb_solverSph, precise, sizeof precise / sizeof precise[0]},
};

const wbSolverKind wb_sphSolver = {.info = {.name = "sph",
                                            .moves = "fluids",
                                            .object = "fluid",
                                            .isFluid = true,
                                            .params = offsetof(wbWorldDef, sph)},
                                   .place = wb_placeLiquids,
                                   .table = &wb_sphTable,
                                   .qualities = qualities,
                                   .qualityCount = sizeof qualities / sizeof qualities[0],
                                   .checkParams = checkParams,
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
                                   .disturb = disturb,
                                   .countTrapped = wbCountTrappedFluid,
                                   .followCollider = wbFollowFluidCollider,
                                   .dropCollider = wbDropFluidCollider,
                                   .checkDomain = wbCheckFluidDomain,
                                   .addStats = wbAddFluidStats,
                                   .listDerived = listDerived,
                                   .addProfile = addProfile};
