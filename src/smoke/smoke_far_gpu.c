// SPDX-License-Identifier: MIT
#include "smoke/smoke_far_gpu.h"

#include <math.h>
#include <string.h>

#include "core/status.h"
#include "smoke/smoke_gpu_state.h"
#include "smoke/smoke_sources.h"

extern const char wb_clReal[], wb_clSmokeDevice[], wb_clSmokeLanes[], wb_clSmokeSourceFormula[],
    wb_clPressureDevice[], wb_clSmokeFarFormula[], wb_clSmokeFar[];

typedef struct PairStep {
    wbSmokeGpuStep near, far;
    SmokeNest nest;
    wbFarKernels *kernels;
    wbGpu *gpu;
    int axes;
} PairStep;

#define LEVEL(device)                                                                                        \
    WB_GPU_BUFFER((device)->pressure.values), WB_GPU_BUFFER((device)->pressure.rows),                        \
        WB_GPU_BUFFER((device)->pressure.inverse), WB_GPU_STRUCT((device)->pressure.layout[0])

static wbStatus buildKernels(wbSmokeGpu *device) {
    const char *const sources[] = {wb_clReal,       wb_clSmokeDevice,    wb_clSmokeSourceFormula,
                                   wb_clSmokeLanes, wb_clPressureDevice, wb_clSmokeFarFormula,
                                   wb_clSmokeFar};
    wbGpuProgramDef def = {"coarse smoke", sources, sizeof sources / sizeof sources[0], ""};
    wbFarKernels *kernels = &device->farKernels;
    wbGpuProgram *program;
    if (kernels->pushRim) return wb_okStatus;
    WB_TRY(wbGpu_Build(device->gpu, &def, &program));
    WB_TRY(wbGpuProgram_GetKernel(program, "far_scatter", &kernels->scatter));
    WB_TRY(wbGpuProgram_GetKernel(program, "far_gather", &kernels->gather));
    WB_TRY(wbGpuProgram_GetKernel(program, "far_expand", &kernels->expand));
    WB_TRY(wbGpuProgram_GetKernel(program, "far_add_b", &kernels->addB));
    return wbGpuProgram_GetKernel(program, "far_push_rim", &kernels->pushRim);
}

wbStatus wbSmokePairGpu_Prepare(const wbSmokePairGpu *devices, const wbSmokePair *pair, const wbWork *work,
                                const wbSmokeSource *sources, int sourceCount) {
    WB_TRY(buildKernels(devices->near));
    WB_TRY(wbSmokeGpu_Prepare(devices->near, pair->near, pair->nearModel, work, sources, sourceCount));
    return wbSmokeGpu_Prepare(devices->far, pair->far, pair->farModel, work, NULL, 0);
}

static wbStatus scatterBand(const PairStep *step) {
    const SmokeShape *fine = &step->near.shape;
    int rows = step->axes * (fine->ny + 1) * (fine->nz + 1);
    return wbGpu_Run(step->gpu, step->kernels->scatter, wbCountRowItems(step->gpu, rows, fine->nx + 1),
                     WB_GPU_ARGS(WB_GPU_STRUCT(step->nest), WB_GPU_STRUCT(*fine),
                                 WB_GPU_STRUCT(step->far.shape), WB_GPU_INT(step->axes),
                                 WB_GPU_BUFFER(step->far.device->velocity[0]),
                                 WB_GPU_BUFFER(step->near.device->velocity[0])));
}

static wbStatus gatherInner(const PairStep *step) {
    const SmokeNest *nest = &step->nest;
    int size[3];
    for (int a = 0; a < 3; a++) {
        size[a] = nest->innerHigh[a] - nest->innerLow[a] + 1;
        if (size[a] < 2) return wb_okStatus;
    }
    return wbGpu_Run(
        step->gpu, step->kernels->gather, wbCountRowItems(step->gpu, step->axes * size[1] * size[2], size[0]),
        WB_GPU_ARGS(WB_GPU_STRUCT(*nest), WB_GPU_STRUCT(step->near.shape), WB_GPU_STRUCT(step->far.shape),
                    WB_GPU_INT(step->axes), WB_GPU_BUFFER(step->near.device->velocity[0]),
                    WB_GPU_BUFFER(step->far.device->velocity[0])));
}

// Four ints: how OpenCL passes three.
typedef struct Int3 {
    int x, y, z, unused;
} Int3;

static wbStatus expandCells(const PairStep *step, const wbSmokeSource *source, const SmokeFeed *feed) {
    const SmokeNest *nest = &step->nest;
    int low[3], count[3];
    for (int a = 0; a < 3; a++) {
        if (feed->end[a] <= feed->first[a]) return wb_okStatus;
        low[a] = smoke_coarse_cell(nest, a, feed->first[a]);
        count[a] = smoke_coarse_cell(nest, a, feed->end[a] - 1) - low[a] + 1;
    }
    const Int3 first = {low[0], low[1], low[2], 0}, counts = {count[0], count[1], count[2], 0};
    WB_TRY(wbPlaceSourceMaskGpu(&step->near, source));
    return wbGpu_Run(step->gpu, step->kernels->expand, count[0] * count[1] * count[2],
                     WB_GPU_ARGS(WB_GPU_STRUCT(*nest), WB_GPU_STRUCT(*feed),
                                 WB_GPU_BUFFER(step->near.device->sourceMask), WB_GPU_STRUCT(first),
                                 WB_GPU_STRUCT(counts), LEVEL(step->near.device), LEVEL(step->far.device)));
}

static wbStatus expandFar(const PairStep *step, bool *expands) {
    const wbSmokeGpuStep *near = &step->near;
    wbSmoke *far = step->far.smoke;
    double sum;
    *expands = far->isBlocked = false;
    for (int s = 0; s < near->sourceCount; s++) {
        SmokeFeed feed;
        if (!wbMakeSmokeExpansion(&near->smoke->grid, &near->sources[s], near->time, &feed)) continue;
        WB_TRY(expandCells(step, &near->sources[s], &feed));
        wbSmokeSource coarse = wbCoarsenSource(&step->nest, &near->sources[s]);
        far->isBlocked |= wbIsExpansionBlocked(far, &coarse, 1, near->time);
        *expands = true;
    }
    if (!*expands) return wb_okStatus;
    WB_TRY(wbPressureGpu_SumSquares(&step->far.device->pressure, &sum));
    return wbSmoke_TakeDivergence(far, sum);
}

static wbStatus addFarB(const PairStep *step, float sign) {
    const int *cells = step->nest.fine;
    return wbGpu_Run(step->gpu, step->kernels->addB,
                     wbCountRowItems(step->gpu, cells[1] * cells[2], cells[0]),
                     WB_GPU_ARGS(WB_GPU_STRUCT(step->nest), WB_GPU_FLOAT(sign), LEVEL(step->near.device),
                                 LEVEL(step->far.device)));
}

static wbStatus projectFar(const PairStep *step) {
    wbSmoke *far = step->far.smoke;
    bool expands;
    WB_TRY(wbFindDivergenceGpu(&step->far));
    WB_TRY(expandFar(step, &expands));
    step->near.smoke->isBlocked |= far->isBlocked;
    if (expands && far->pressure.pocketCount > 0) {
        WB_TRY(addFarB(step, -1));
        WB_TRY(wbPressureGpu_Balance(&step->far.device->pressure));
        WB_TRY(addFarB(step, 1));
    }
    return wbTakePressureGpu(&step->far);
}

static wbStatus pushRim(const PairStep *step) {
    const SmokeNest *nest = &step->nest;
    for (int side = 0; side < 2 * step->axes; side++) {
        int axis = side / 2, across = axis == 0 ? 1 : 0, up = axis == 2 ? 1 : 2;
        if (!wbIsRim(nest, side)) continue;
        WB_TRY(wbGpu_Run(step->gpu, step->kernels->pushRim, nest->fine[across] * nest->fine[up],
                         WB_GPU_ARGS(WB_GPU_STRUCT(*nest), WB_GPU_STRUCT(step->near.shape), WB_GPU_INT(side),
                                     LEVEL(step->near.device), LEVEL(step->far.device),
                                     WB_GPU_BUFFER(step->near.device->velocity[0]))));
    }
    return wb_okStatus;
}

// What was queued since the last time counts for the coarse cells.
static wbStatus takeFarTimes(const PairStep *step, double *farMs) {
    double ms[wb_smokePhaseCount] = {0};
    WB_TRY(wbGpu_TakeTimes(step->gpu, ms, wb_smokePhaseCount));
    for (int k = 0; k < wb_smokePhaseCount; k++) *farMs += ms[k];
    return wb_okStatus;
}

// See wbSmokePair_Step for the scheme.
static wbStatus run(const PairStep *step, double *farMs) {
    double *nearMs = step->near.smoke->ms;
    WB_TRY(wbPredictGpu(&step->near));
    WB_TRY(wbGpu_TakeTimes(step->gpu, nearMs, wb_smokePhaseCount));
    WB_TRY(wbPredictGpu(&step->far));
    WB_TRY(scatterBand(step));
    WB_TRY(wbSetWallVelocitiesGpu(&step->near, &step->near.device->velocity[0], false));
    WB_TRY(gatherInner(step));
    WB_TRY(wbSetWallVelocitiesGpu(&step->far, &step->far.device->velocity[0], false));
    WB_TRY(takeFarTimes(step, farMs));
    WB_TRY(wbFindDivergenceGpu(&step->near));
    WB_TRY(wbGpu_TakeTimes(step->gpu, nearMs, wb_smokePhaseCount));
    WB_TRY(projectFar(step));
    WB_TRY(pushRim(step));
    WB_TRY(takeFarTimes(step, farMs));
    step->near.smoke->divergenceBefore =
        fmax(step->near.smoke->divergenceBefore, step->far.smoke->divergenceBefore);
    WB_TRY(wbTakePressureGpu(&step->near));
    WB_TRY(wbGpu_TakeTimes(step->gpu, nearMs, wb_smokePhaseCount));
    WB_TRY(gatherInner(step));
    return takeFarTimes(step, farMs);
}

wbStatus wbSmokePairGpu_Step(const wbSmokePairGpu *devices, const wbSmokePair *pair, const wbWork *work,
                             const wbSmokeSource *sources, int sourceCount, double time, float dt,
                             double *farMs) {
    PairStep step = {.near = wbBeginSmokeGpu(devices->near, pair->near, pair->nearModel, work),
                     .far = wbBeginSmokeGpu(devices->far, pair->far, pair->farModel, work),
                     .nest = wbMakeSmokeNest(pair),
                     .kernels = &devices->near->farKernels,
                     .gpu = devices->near->gpu,
                     .axes = pair->nearModel->grid.dimensions};
    step.near.sources = sources, step.near.sourceCount = sourceCount;
    step.near.time = step.far.time = time, step.near.dt = step.far.dt = dt;
    WB_TRY(wbSmokePairGpu_Prepare(devices, pair, work, sources, sourceCount));
    memset(pair->near->ms, 0, sizeof pair->near->ms);
    *farMs = 0;
    wbStatus status = run(&step, farMs), other = wbEndSmokeGpu(&step.far, status);
    status = wbEndSmokeGpu(&step.near, status);
    return wbIsOk(status) ? other : status;
}
