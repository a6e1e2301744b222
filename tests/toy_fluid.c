// SPDX-License-Identifier: MIT
// The adapter of a fluid that is added for a test, dust: particles that fall onto the floor and do not know each other. It has a
// step of its own, and gets emitters, drains, views, accounts and files as all liquids do.
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/param_table.h"
#include "core/status.h"
#include "world/world.h"

#define WB_PARAM_STRUCT wbDustParams
static const wbParam rows[] = {WB_PARAM_ROWS(WB_DUST_PARAMS)};
#undef WB_PARAM_STRUCT
const wbParamTable wb_dustTable = WB_PARAM_TABLE("dust", "particles that fall", wbDustParams, rows);

typedef struct Dust {
    wbParticleFluid liquid;
    wbFluidState state;
    wbDustParams params;
} Dust;

static Dust *getDust(const wbSolver *solver) { return solver->self; }

// The device

static const char kernelText[] = "__kernel void dust_fall(int count, float fall, float low, float dt, "
                                 "__global float *y, __global float *vy) {\n"
                                 "    int i = get_global_id(0);\n"
                                 "    if (i >= count) return;\n"
                                 "    vy[i] = vy[i] + fall * dt;\n"
                                 "    y[i] = y[i] + vy[i] * dt;\n"
                                 "    if (y[i] < low) y[i] = low, vy[i] = 0;\n"
                                 "}\n";

typedef struct DustGpu {
    wbParticlesGpu particles;
    wbGpuKernel *kernel;
    wbGpuBuffer spare;
} DustGpu;

static void destroyDevice(void *device) {
    DustGpu *dust = device;
    wbGpuBuffer_Free(dust->particles.gpu, &dust->spare);
    wbParticlesGpu_Free(&dust->particles);
    wbFree(dust->particles.memory, dust, sizeof *dust);
}

static wbStatus createDevice(const wbSolver *solver, wbGpu *gpu, void **device) {
    const char *const sources[] = {kernelText};
    wbMemory *memory = solver->world->memory;
    DustGpu *dust = wbAllocZero(memory, sizeof *dust);
    if (!dust) return wbMemoryError(memory, "dust needs");
    const wbGpuKernelName kernels[] = {{"dust_fall", &dust->kernel}};
    wbStatus status = wbParticlesGpu_Init(&dust->particles, memory, gpu, &dust->spare);
    if (wbIsOk(status))
        status = wbGpu_BuildKernels(gpu, &(wbGpuProgramDef){"dust", sources, 1, ""}, kernels, 1);
    if (wbIsOk(status))
        *device = dust;
    else
        destroyDevice(dust);
    return status;
}

static wbParticlesGpu *getParticles(void *device) { return &((DustGpu *)device)->particles; }

static const wbSolverDevice deviceHooks = {createDevice, destroyDevice, getParticles,     wbIsFluidAhead,
                                           wbFetchFluid, wbTakeFluid,   wbMarkFluidDirty, wbDiscardFluid};

static wbStatus stepDevice(DustGpu *gpu, wbParticles *particles, float fall, float low, float dt) {
    wbParticlesGpu *on = &gpu->particles;
    const int count = particles->count;
    WB_TRY(wbParticlesGpu_Reserve(on, count, NULL));
    WB_TRY(wbGpuBuffer_Reserve(on->gpu, &gpu->spare, "spare", on->pressure.bytes));
    WB_TRY(wbParticlesGpu_Push(on, particles));
    on->deviceIsNewer = true;
    on->min[1] = low;
    return wbGpu_Run(on->gpu, gpu->kernel, count,
                     WB_GPU_ARGS(WB_GPU_INT(count), WB_GPU_FLOAT(fall), WB_GPU_FLOAT(low), WB_GPU_FLOAT(dt),
                                 WB_GPU_BUFFER(on->front[wb_columnY]),
                                 WB_GPU_BUFFER(on->front[wb_columnVy])));
}

// The step

static void stepHost(wbParticles *p, float fall, float low, float dt) {
    for (int i = 0; i < p->count; i++) {
        p->vy[i] = p->vy[i] + fall * dt;
        p->y[i] = p->y[i] + p->vy[i] * dt;
        if (p->y[i] < low) p->y[i] = low, p->vy[i] = 0;
    }
}

static wbStatus step(wbParticleFluid *liquid, const wbFluidColliders *colliders, float dt) {
    (void)colliders;
    const Dust *dust = getDust(liquid->solver);
    const wbDomain *domain = &liquid->world->domain;
    const float fall = domain->gravity.y, low = domain->closed[wb_bottom] ? domain->min[1] : -FLT_MAX;
    wbStatus status = wb_okStatus;
    if (dust->params.fails) return wbMemoryError(liquid->world->memory, "dust needs");
    if (liquid->particles->count == 0) return status;
    if (liquid->solver->device)
        status = stepDevice(liquid->solver->device, liquid->particles, fall, low, dt);
    else
        stepHost(liquid->particles, fall, low, dt);
    liquid->particles->maxSpeed += fabsf(fall) * dt;
    return status;
}

// The liquid

static void follow(wbParticleFluid *liquid) {
    const wbDustParams *p = &getDust(liquid->solver)->params;
    const double mass = p->restDensity * pow(p->spacing, liquid->world->domain.dimensions);
    wbParticleFluid_SetModel(liquid, p->spacing, 2 * p->spacing, p->restDensity, mass);
}

static float getShift(const wbParticleFluid *liquid, float dt) {
    (void)liquid;
    return dt;
}

static float getWheelSpeed(const wbParticleFluid *liquid, float dt) {
    (void)liquid, (void)dt;
    return INFINITY;
}

static double getNothing(const wbParticleFluid *liquid, double dt) {
    (void)liquid, (void)dt;
    return 0;
}

static const wbFluidMethod method = {.step = step,
                                     .follow = follow,
                                     .getShift = getShift,
                                     .getWheelSpeed = getWheelSpeed,
                                     .energyInterval = 1,
                                     .workFactor = 1,
                                     .getStored = getNothing,
                                     .getNoise = getNothing};

// The solver

static wbStatus create(wbSolver *solver) {
    wbWorld *world = solver->world;
    Dust *dust = solver->self = wbAllocZero(world->memory, sizeof *dust);
    if (!dust) return wbMemoryError(world->memory, "dust needs");
    dust->params = world->def.dust;
    wbParticleFluid_Init(&dust->liquid, solver, &method, &dust->state);
    follow(&dust->liquid);
    return wb_okStatus;
}

static void destroy(wbSolver *solver) {
    wbParticleFluid_Free(solver->liquid);
    wbFree(solver->world->memory, solver->self, sizeof(Dust));
}

static wbStatus setParams(wbSolver *solver, void *params) {
    memcpy(&getDust(solver)->params, params, sizeof(wbDustParams));
    follow(solver->liquid);
    return wb_okStatus;
}

static float getStableStep(const wbSolver *solver, bool isAsked) {
    (void)solver, (void)isAsked;
    return WB_FRAME_STEP;
}

static wbStatus explain(const wbSolver *solver, float dt, const char *what) {
    return wbError(wb_errorUnstable, "unstable at step %lld: dust: %s; dt is %.3g s",
                   (long long)solver->world->stepCount + 1, what, dt);
}

static int listValues(const wbSolver *solver, wbSavedValue values[WB_MAX_SOLVER_VALUES]) {
    static const char *const names[WB_ACCOUNT_VALUES] = {WB_ACCOUNT_NAMES("dust")};
    Dust *dust = getDust(solver);
    wbFluidState_ListValues(&dust->state, WB_FLUID_VALUE_NAMES("dust"), values);
    return WB_FLUID_VALUES + wbListAccount(&dust->liquid.account, names, values + WB_FLUID_VALUES);
}

static void addProfile(const wbSolver *solver, wbProfile *profile) {
    (void)solver;
    wbAddPhase(profile, "dust_fall", 0);
}

const wbSolverKind wb_dustSolver = {.info = {.name = "dust",
                                             .moves = "fluids",
                                             .object = "fluid",
                                             .isFluid = true,
                                             .params = offsetof(wbWorldDef, dust)},
                                    .place = wb_placeLiquids,
                                    .table = &wb_dustTable,
                                    .create = create,
                                    .destroy = destroy,
                                    .setParams = setParams,
                                    .getStableStep = getStableStep,
                                    .step = wbStepFluid,
                                    .check = wbCheckFluid,
                                    .explain = explain,
                                    .listValues = listValues,
                                    .listColumns = wbListFluidColumns,
                                    .listUnsaved = wbListFluidUnsaved,
                                    .endStep = wbEndFluidStep,
                                    .resize = wbResizeFluid,
                                    .device = &deviceHooks,
                                    .getResolution = wbGetFluidResolution,
                                    .countTrapped = wbCountTrappedFluid,
                                    .followCollider = wbFollowFluidCollider,
                                    .checkDomain = wbCheckFluidDomain,
                                    .addStats = wbAddFluidStats,
                                    .addProfile = addProfile};
