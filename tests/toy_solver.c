// SPDX-License-Identifier: MIT
// The adapter of the toy solver; toy_solver.h says what it is for.
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/param_table.h"
#include "core/status.h"
#include "core/timer.h"
#include "world/world.h"

#define WB_PARAM_STRUCT wbToyParams
static const wbParam rows[] = {WB_PARAM_ROWS(WB_TOY_PARAMS)};
#undef WB_PARAM_STRUCT
const wbParamTable wb_toyTable = WB_PARAM_TABLE("toy", "points that fall", wbToyParams, rows);

typedef struct Toy {
    wbToyParams params;
    int count;
    float *y, *v;   // m, m/s
    float maxSpeed; // m/s
    double ms;
} Toy;

static Toy *getToy(const wbSolver *solver) { return solver->self; }

static void destroy(wbSolver *solver) {
    wbMemory *memory = solver->world->memory;
    Toy *toy = solver->self;
    if (toy->y) wbFree(memory, toy->y, sizeof(float) * (size_t)toy->count);
    if (toy->v) wbFree(memory, toy->v, sizeof(float) * (size_t)toy->count);
    wbFree(memory, toy, sizeof *toy);
}

static wbStatus create(wbSolver *solver) {
    const wbToyParams *params = &solver->world->def.toy;
    wbMemory *memory = solver->world->memory;
    Toy *toy = solver->self = wbAllocZero(memory, sizeof *toy);
    if (!toy) return wbMemoryError(memory, "a toy needs");
    toy->params = *params, toy->count = params->points;
    toy->y = wbAllocZero(memory, sizeof(float) * (size_t)toy->count);
    toy->v = wbAllocZero(memory, sizeof(float) * (size_t)toy->count);
    if (!toy->y || !toy->v) return wbMemoryError(memory, "a toy needs");
    for (int i = 0; i < toy->count; i++) toy->y[i] = 1 + (float)i;
    return wb_okStatus;
}

static wbStatus setParams(wbSolver *solver, void *params) {
    memcpy(&getToy(solver)->params, params, sizeof(wbToyParams));
    return wb_okStatus;
}

static float getStableStep(const wbSolver *solver, bool isAsked) {
    (void)solver, (void)isAsked;
    return WB_FRAME_STEP;
}

static wbStatus explain(const wbSolver *solver, float dt, const char *what) {
    return wbError(wb_errorUnstable, "unstable at step %lld: toy: %s; dt is %.3g s",
                   (long long)solver->world->stepCount + 1, what, dt);
}

static int listValues(const wbSolver *solver, wbSavedValue values[WB_MAX_SOLVER_VALUES]) {
    values[0] =
        (wbSavedValue){"toy.maxSpeed", &getToy(solver)->maxSpeed, wb_valueFloat, 0, (double)FLT_MAX, true};
    return 1;
}

// The device

static const char kernelText[] =
    "__kernel void toy_fall(int count, float fall, float dt, __global float *y, __global float *v) {\n"
    "    int i = get_global_id(0);\n"
    "    if (i >= count) return;\n"
    "    v[i] = v[i] - fall * dt;\n"
    "    y[i] = y[i] + v[i] * dt;\n"
    "    if (y[i] < 0) y[i] = 0, v[i] = 0;\n"
    "}\n";

typedef struct ToyGpu {
    wbMemory *memory;
    wbGpu *gpu;
    wbGpuKernel *kernel;
    wbGpuBuffer y, v;
    bool isAhead, isDirty;
    float *fetched; // y, then v
    size_t bytes;   // of a column
} ToyGpu;

static void destroyDevice(void *device) {
    ToyGpu *toy = device;
    wbGpuBuffer_Free(toy->gpu, &toy->y);
    wbGpuBuffer_Free(toy->gpu, &toy->v);
    if (toy->fetched) wbFree(toy->memory, toy->fetched, 2 * toy->bytes);
    wbFree(toy->memory, toy, sizeof *toy);
}

static wbStatus makeDevice(ToyGpu *toy) {
    const char *const sources[] = {kernelText};
    const wbGpuProgramDef def = {"toy", sources, 1, ""};
    const wbGpuKernelName kernels[] = {{"toy_fall", &toy->kernel}};
    WB_TRY(wbGpu_BuildKernels(toy->gpu, &def, kernels, 1));
    WB_TRY(wbGpuBuffer_Reserve(toy->gpu, &toy->y, "y", toy->bytes));
    WB_TRY(wbGpuBuffer_Reserve(toy->gpu, &toy->v, "v", toy->bytes));
    toy->fetched = wbAlloc(toy->memory, 2 * toy->bytes);
    return toy->fetched ? wb_okStatus : wbMemoryError(toy->memory, "a toy needs");
}

static wbStatus createDevice(const wbSolver *solver, wbGpu *gpu, void **device) {
    wbMemory *memory = solver->world->memory;
    ToyGpu *toy = wbAllocZero(memory, sizeof *toy);
    if (!toy) return wbMemoryError(memory, "a toy needs");
    toy->memory = memory, toy->gpu = gpu, toy->isDirty = true;
    toy->bytes = sizeof(float) * (size_t)getToy(solver)->count;
    wbStatus status = makeDevice(toy);
    if (wbIsOk(status))
        *device = toy;
    else
        destroyDevice(toy);
    return status;
}

static bool isAhead(const wbSolver *solver) { return ((const ToyGpu *)solver->device)->isAhead; }

static wbStatus fetch(wbSolver *solver) {
    ToyGpu *gpu = solver->device;
    if (!gpu->isAhead) return wb_okStatus;
    WB_TRY(wbGpu_Download(gpu->gpu, &gpu->y, gpu->fetched, gpu->bytes));
    return wbGpu_Download(gpu->gpu, &gpu->v, (char *)gpu->fetched + gpu->bytes, gpu->bytes);
}

static void take(wbSolver *solver) {
    ToyGpu *gpu = solver->device;
    if (!gpu->isAhead) return;
    memcpy(getToy(solver)->y, gpu->fetched, gpu->bytes);
    memcpy(getToy(solver)->v, (char *)gpu->fetched + gpu->bytes, gpu->bytes);
    gpu->isAhead = false;
}

static void markDirty(wbSolver *solver) { ((ToyGpu *)solver->device)->isDirty = true; }

static void discard(wbSolver *solver, wbStatus why) {
    (void)why;
    ToyGpu *gpu = solver->device;
    gpu->isAhead = false, gpu->isDirty = true;
}

static const wbSolverDevice deviceHooks = {createDevice, destroyDevice, NULL,      isAhead,
                                           fetch,        take,          markDirty, discard};

static int listColumns(const wbSolver *solver, wbStateColumn columns[WB_MAX_STATE_COLUMNS]) {
    Toy *toy = getToy(solver);
    ToyGpu *gpu = solver->device;
    const wbColumn list[] = {{"y", (void **)&toy->y, sizeof(float), true},
                             {"v", (void **)&toy->v, sizeof(float), true}};
    int count = wbAddColumns(solver, list, 2, toy->count, true, columns);
    if (gpu) columns[0].buffer = &gpu->y, columns[1].buffer = &gpu->v;
    return count;
}

// The step

static void stepHost(Toy *toy, float dt) {
    for (int i = 0; i < toy->count; i++) {
        toy->v[i] = toy->v[i] - toy->params.fall * dt;
        toy->y[i] = toy->y[i] + toy->v[i] * dt;
        if (toy->y[i] < 0) toy->y[i] = 0, toy->v[i] = 0;
    }
}

static wbStatus stepDevice(ToyGpu *gpu, const Toy *toy, float dt) {
    if (gpu->isDirty) {
        WB_TRY(wbGpu_Upload(gpu->gpu, &gpu->y, toy->y, gpu->bytes));
        WB_TRY(wbGpu_Upload(gpu->gpu, &gpu->v, toy->v, gpu->bytes));
        gpu->isDirty = false;
    }
    WB_TRY(wbGpu_Run(gpu->gpu, gpu->kernel, toy->count,
                     WB_GPU_ARGS(WB_GPU_INT(toy->count), WB_GPU_FLOAT(toy->params.fall), WB_GPU_FLOAT(dt),
                                 WB_GPU_BUFFER(gpu->y), WB_GPU_BUFFER(gpu->v))));
    gpu->isAhead = true;
    return wbGpu_Finish(gpu->gpu);
}

static wbStatus step(wbSolver *solver, float dt) {
    Toy *toy = getToy(solver);
    double mark = wbGetSeconds();
    wbStatus status = wb_okStatus;
    if (solver->device)
        status = stepDevice(solver->device, toy, dt);
    else
        stepHost(toy, dt);
    toy->maxSpeed = fmaxf(toy->maxSpeed, toy->params.fall * dt);
    toy->ms = wbLapMs(&mark);
    return status;
}

static void addStats(const wbSolver *solver, double ground, wbStats *stats) {
    const Toy *toy = getToy(solver);
    for (int i = 0; i < toy->count; i++) stats->potential += toy->y[i] - ground;
    stats->mass += toy->count;
}

static void addProfile(const wbSolver *solver, wbProfile *profile) {
    wbAddPhase(profile, "toy_fall", getToy(solver)->ms);
}

const wbSolverKind wb_toySolver = {.info = {.name = "toy",
                                            .moves = "points",
                                            .params = offsetof(wbWorldDef, toy),
                                            .isAsked = offsetof(wbWorldDef, hasToy)},
                                   .place = wb_placeBodies,
                                   .table = &wb_toyTable,
                                   .create = create,
                                   .destroy = destroy,
                                   .setParams = setParams,
                                   .getStableStep = getStableStep,
                                   .step = step,
                                   .explain = explain,
                                   .listValues = listValues,
                                   .listColumns = listColumns,
                                   .device = &deviceHooks,
                                   .addStats = addStats,
                                   .addProfile = addProfile};
