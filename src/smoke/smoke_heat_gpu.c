// SPDX-License-Identifier: MIT
// Conduction of heat on a device: see smoke_heat.c.
#include "core/status.h"
#include "smoke/smoke_diffusion.h"
#include "smoke/smoke_diffusion_gpu.h"
#include "smoke/smoke_heat.h"

extern const char wb_clReal[], wb_clSmokeDevice[], wb_clSmokeFormula[], wb_clSmokeLanes[],
    wb_clSmokeHeatFormula[], wb_clSmokeHeat[];

enum { TEMPERATURE = wb_smokeTemperature - wb_smokeDensity }; // field of the scalars

wbStatus wbPrepareHeatGpu(const wbSmokeGpuStep *step) {
    wbSmokeGpu *device = step->device;
    const char *const sources[] = {wb_clReal,       wb_clSmokeDevice,      wb_clSmokeFormula,
                                   wb_clSmokeLanes, wb_clSmokeHeatFormula, wb_clSmokeHeat};
    const wbGpuProgramDef def = {"smoke heat", sources, sizeof sources / sizeof sources[0], ""};
    const wbGpuKernelName kernels[] = {{"smoke_heat_edges", &device->heatEdgeKernel},
                                       {"smoke_heat_mark", &device->heatMarkKernel}};
    enum { LEAST = 16 }; // so that there always is a buffer
    if (step->model->params.thermalDiffusivity == 0) return wb_okStatus;
    if (!device->heatMarkKernel) WB_TRY(wbGpu_BuildKernels(device->gpu, &def, kernels, 2));
    return wbGpuBuffer_Reserve(device->gpu, &device->heatEdges, "surfaces of solids",
                               sizeof(SmokeHeatEdge) * (LEAST + (size_t)step->smoke->heatEdgeCount));
}

wbStatus wbPlaceHeatEdgesGpu(const wbSmokeGpuStep *step) {
    wbSmokeGpu *device = step->device;
    device->heatEdgeCount = step->smoke->heatEdgeCount;
    if (device->heatEdgeCount == 0) return wb_okStatus;
    return wbGpu_Upload(device->gpu, &device->heatEdges, step->smoke->heatEdges.data,
                        sizeof(SmokeHeatEdge) * (size_t)device->heatEdgeCount);
}

static wbStatus fillHalo(const wbDiffusionGpu *d, const wbGpuBuffer *fields, int field, bool atRest) {
    return wbFillHeatHalosGpu(d->step, fields, field, atRest);
}

static wbStatus correctEdges(const wbDiffusionGpu *d, const wbGpuBuffer *from, int fromField, int to,
                             bool atRest) {
    wbSmokeGpu *device = d->step->device;
    return wbGpu_Run(device->gpu, device->heatEdgeKernel, device->heatEdgeCount,
                     WB_GPU_ARGS(WB_GPU_STRUCT(d->step->shape), WB_GPU_INT(device->heatEdgeCount),
                                 WB_GPU_FLOAT(d->alpha), WB_GPU_FLOAT(d->step->model->params.ambient),
                                 WB_GPU_INT(atRest), WB_GPU_BUFFER(device->heatEdges), WB_GPU_BUFFER(*from),
                                 WB_GPU_INT(fromField), WB_GPU_BUFFER(*d->work), WB_GPU_INT(to)));
}

static const wbDiffusionWallsGpu walls = {fillHalo, correctEdges};

wbStatus wbConductHeatGpu(const wbSmokeGpuStep *step) {
    wbSmokeGpu *device = step->device;
    const wbSmokeGrid *grid = &step->model->grid;
    const wbDiffusionGpu diffusion = {.step = step,
                                      .walls = &walls,
                                      .tolerance = WB_CONDUCTION_TOLERANCE,
                                      .kind = &step->kinds[3],
                                      .fields = &device->scalars[0],
                                      .field = TEMPERATURE,
                                      .work = &device->scratch,
                                      .alpha = step->model->params.thermalDiffusivity * step->dt /
                                               (grid->h * grid->h)};
    WB_TRY(wbDiffuseGpu(&diffusion));
    WB_TRY(wbFillHalosGpu(step, &device->scalars[0], TEMPERATURE, 1, 3, false));
    return wbGpu_RunGroups(
        device->gpu, device->heatMarkKernel, (int)wbGetSmokeBlockCount(&step->smoke->grid), SMOKE_BLOCK_GROUP,
        WB_GPU_ARGS(WB_GPU_STRUCT(step->shape), WB_GPU_INT(TEMPERATURE), WB_GPU_BUFFER(device->scalars[0]),
                    WB_GPU_BUFFER(device->marks), WB_GPU_BUFFER(device->dirty[0])));
}
