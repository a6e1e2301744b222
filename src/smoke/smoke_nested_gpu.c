// SPDX-License-Identifier: MIT
#include "smoke/smoke_nested_gpu.h"

#include <math.h>
#include <string.h>

#include "core/status.h"
#include "smoke/smoke_gpu_state.h"
#include "smoke/smoke_sources.h"

extern const char wb_clReal[], wb_clSmokeDevice[], wb_clSmokeLanes[], wb_clSmokeSourceFormula[],
    wb_clPressureDevice[], wb_clSmokeNestedFormula[], wb_clSmokeNested[];

typedef struct PairStep {
    wbSmokeGpuStep fine, coarse;
    SmokeNest nest;
    wbNestedKernels *kernels;
    wbGpu *gpu;
    int axes;
} PairStep;

#define LEVEL(device)                                                                                        \
    WB_GPU_BUFFER((device)->pressure.values), WB_GPU_BUFFER((device)->pressure.rows),                        \
        WB_GPU_BUFFER((device)->pressure.inverse), WB_GPU_STRUCT((device)->pressure.layout[0])

static wbStatus buildKernels(wbSmokeGpu *device) {
    const char *const sources[] = {wb_clReal,       wb_clSmokeDevice,    wb_clSmokeSourceFormula,
                                   wb_clSmokeLanes, wb_clPressureDevice, wb_clSmokeNestedFormula,
                                   wb_clSmokeNested};
    wbGpuProgramDef def = {"coarse smoke", sources, sizeof sources / sizeof sources[0], ""};
    wbNestedKernels *kernels = &device->nestedKernels;
    wbGpuProgram *program;
    if (kernels->pushRim) return wb_okStatus;
    WB_TRY(wbGpu_Build(device->gpu, &def, &program));
    WB_TRY(wbGpuProgram_GetKernel(program, "nested_scatter", &kernels->scatter));
    WB_TRY(wbGpuProgram_GetKernel(program, "nested_gather", &kernels->gather));
    WB_TRY(wbGpuProgram_GetKernel(program, "nested_expand", &kernels->expand));
    WB_TRY(wbGpuProgram_GetKernel(program, "nested_add_b", &kernels->addB));
    return wbGpuProgram_GetKernel(program, "nested_push_rim", &kernels->pushRim);
}

wbStatus wbSmokePairGpu_Prepare(const wbSmokePairGpu *devices, const wbSmokePair *pair, const wbWork *work,
                                const wbSmokeSource *sources, int sourceCount) {
    WB_TRY(buildKernels(devices->fine));
    WB_TRY(wbSmokeGpu_Prepare(devices->fine, pair->fine, pair->fineModel, work, sources, sourceCount));
    return wbSmokeGpu_Prepare(devices->coarse, pair->coarse, pair->coarseModel, work, NULL, 0);
}

static wbStatus scatterBand(const PairStep *step) {
    const SmokeShape *fine = &step->fine.shape;
    int rows = step->axes * (fine->ny + 1) * (fine->nz + 1);
    return wbGpu_Run(step->gpu, step->kernels->scatter, wbCountRowItems(step->gpu, rows, fine->nx + 1),
                     WB_GPU_ARGS(WB_GPU_STRUCT(step->nest), WB_GPU_STRUCT(*fine),
                                 WB_GPU_STRUCT(step->coarse.shape), WB_GPU_INT(step->axes),
                                 WB_GPU_BUFFER(step->coarse.device->velocity[0]),
                                 WB_GPU_BUFFER(step->fine.device->velocity[0])));
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
        WB_GPU_ARGS(WB_GPU_STRUCT(*nest), WB_GPU_STRUCT(step->fine.shape), WB_GPU_STRUCT(step->coarse.shape),
                    WB_GPU_INT(step->axes), WB_GPU_BUFFER(step->fine.device->velocity[0]),
                    WB_GPU_BUFFER(step->coarse.device->velocity[0])));
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
    WB_TRY(wbPlaceSourceMaskGpu(&step->fine, source));
    return wbGpu_Run(step->gpu, step->kernels->expand, count[0] * count[1] * count[2],
                     WB_GPU_ARGS(WB_GPU_STRUCT(*nest), WB_GPU_STRUCT(*feed),
                                 WB_GPU_BUFFER(step->fine.device->sourceMask), WB_GPU_STRUCT(first),
                                 WB_GPU_STRUCT(counts), LEVEL(step->fine.device),
                                 LEVEL(step->coarse.device)));
}

static wbStatus expandCoarse(const PairStep *step, bool *expands) {
    const wbSmokeGpuStep *fine = &step->fine;
    wbSmoke *coarse = step->coarse.smoke;
    double sum;
    *expands = coarse->isBlocked = false;
    for (int s = 0; s < fine->sourceCount; s++) {
        SmokeFeed feed;
        if (!wbMakeSmokeExpansion(&fine->smoke->grid, &fine->sources[s], fine->time, &feed)) continue;
        WB_TRY(expandCells(step, &fine->sources[s], &feed));
        wbSmokeSource coarsened = wbCoarsenSource(&step->nest, &fine->sources[s]);
        coarse->isBlocked |= wbIsExpansionBlocked(coarse, &coarsened, 1, fine->time);
        *expands = true;
    }
    if (!*expands) return wb_okStatus;
    WB_TRY(wbPressureGpu_SumSquares(&step->coarse.device->pressure, &sum));
    return wbSmoke_TakeDivergence(coarse, sum);
}

static wbStatus addCoarseB(const PairStep *step, float sign) {
    const int *cells = step->nest.fine;
    return wbGpu_Run(step->gpu, step->kernels->addB,
                     wbCountRowItems(step->gpu, cells[1] * cells[2], cells[0]),
                     WB_GPU_ARGS(WB_GPU_STRUCT(step->nest), WB_GPU_FLOAT(sign), LEVEL(step->fine.device),
                                 LEVEL(step->coarse.device)));
}

static wbStatus projectCoarse(const PairStep *step) {
    wbSmoke *coarse = step->coarse.smoke;
    bool expands;
    WB_TRY(wbFindDivergenceGpu(&step->coarse));
    WB_TRY(expandCoarse(step, &expands));
    step->fine.smoke->isBlocked |= coarse->isBlocked;
    if (expands && coarse->pressure.pocketCount > 0) {
        WB_TRY(addCoarseB(step, -1));
        WB_TRY(wbPressureGpu_Balance(&step->coarse.device->pressure));
        WB_TRY(addCoarseB(step, 1));
    }
    return wbTakePressureGpu(&step->coarse);
}

static wbStatus pushRim(const PairStep *step) {
    const SmokeNest *nest = &step->nest;
    for (int side = 0; side < 2 * step->axes; side++) {
        int axis = side / 2, across = axis == 0 ? 1 : 0, up = axis == 2 ? 1 : 2;
        if (!wbIsRim(nest, side)) continue;
        WB_TRY(wbGpu_Run(step->gpu, step->kernels->pushRim, nest->fine[across] * nest->fine[up],
                         WB_GPU_ARGS(WB_GPU_STRUCT(*nest), WB_GPU_STRUCT(step->fine.shape), WB_GPU_INT(side),
                                     LEVEL(step->fine.device), LEVEL(step->coarse.device),
                                     WB_GPU_BUFFER(step->fine.device->velocity[0]))));
    }
    return wb_okStatus;
}

// What was queued since the last time counts for the coarse cells.
static wbStatus takeCoarseTimes(const PairStep *step, double *coarseMs) {
    double ms[wb_smokePhaseCount] = {0};
    WB_TRY(wbGpu_TakeTimes(step->gpu, ms, wb_smokePhaseCount));
    for (int k = 0; k < wb_smokePhaseCount; k++) *coarseMs += ms[k];
    return wb_okStatus;
}

// See wbSmokePair_Step for the scheme.
static wbStatus run(const PairStep *step, double *coarseMs) {
    double *nearMs = step->fine.smoke->ms;
    WB_TRY(wbPredictGpu(&step->fine));
    WB_TRY(wbGpu_TakeTimes(step->gpu, nearMs, wb_smokePhaseCount));
    WB_TRY(wbPredictGpu(&step->coarse));
    WB_TRY(scatterBand(step));
    WB_TRY(wbSetWallVelocitiesGpu(&step->fine, &step->fine.device->velocity[0], false));
    WB_TRY(gatherInner(step));
    WB_TRY(wbSetWallVelocitiesGpu(&step->coarse, &step->coarse.device->velocity[0], false));
    WB_TRY(takeCoarseTimes(step, coarseMs));
    WB_TRY(wbFindDivergenceGpu(&step->fine));
    WB_TRY(wbGpu_TakeTimes(step->gpu, nearMs, wb_smokePhaseCount));
    WB_TRY(projectCoarse(step));
    WB_TRY(pushRim(step));
    WB_TRY(takeCoarseTimes(step, coarseMs));
    step->fine.smoke->divergenceBefore =
        fmax(step->fine.smoke->divergenceBefore, step->coarse.smoke->divergenceBefore);
    WB_TRY(wbTakePressureGpu(&step->fine));
    WB_TRY(wbGpu_TakeTimes(step->gpu, nearMs, wb_smokePhaseCount));
    WB_TRY(gatherInner(step));
    return takeCoarseTimes(step, coarseMs);
}

wbStatus wbSmokePairGpu_Step(const wbSmokePairGpu *devices, const wbSmokePair *pair, const wbWork *work,
                             const wbSmokeSource *sources, int sourceCount, double time, float dt,
                             double *coarseMs) {
    PairStep step = {.fine = wbBeginSmokeGpu(devices->fine, pair->fine, pair->fineModel, work),
                     .coarse = wbBeginSmokeGpu(devices->coarse, pair->coarse, pair->coarseModel, work),
                     .nest = wbMakeSmokeNest(pair),
                     .kernels = &devices->fine->nestedKernels,
                     .gpu = devices->fine->gpu,
                     .axes = pair->fineModel->grid.dimensions};
    step.fine.sources = sources, step.fine.sourceCount = sourceCount;
    step.fine.time = step.coarse.time = time, step.fine.dt = step.coarse.dt = dt;
    WB_TRY(wbSmokePairGpu_Prepare(devices, pair, work, sources, sourceCount));
    memset(pair->fine->ms, 0, sizeof pair->fine->ms);
    *coarseMs = 0;
    wbStatus status = run(&step, coarseMs), other = wbEndSmokeGpu(&step.coarse, status);
    status = wbEndSmokeGpu(&step.fine, status);
    return wbIsOk(status) ? other : status;
}
