// SPDX-License-Identifier: MIT
// Advection by fluxes on a device: see smoke_flux.h.
#include <math.h>
#include <stdio.h>

#include "core/status.h"
#include "smoke/smoke_gpu_state.h"
#include "smoke/smoke_walls.h"

extern const char wb_clReal[], wb_clSmokeDevice[], wb_clSmokeFormula[], wb_clSmokeLanes[], wb_clSmokeFlux[];

_Static_assert(sizeof(SmokeCovered) == sizeof(wbCoveredCell), "the device reads the host's structs");

wbStatus wbPrepareFluxesGpu(wbSmokeGpuStep *step) {
    wbSmokeGpu *device = step->device;
    const char *const sources[] = {wb_clReal, wb_clSmokeDevice, wb_clSmokeFormula, wb_clSmokeLanes,
                                   wb_clSmokeFlux};
    const wbGpuKernelName kernels[] = {{"smoke_sweep", &device->kernels.sweep},
                                       {"smoke_outflow_most", &device->kernels.outflow},
                                       {"smoke_push_covered", &device->kernels.pushCovered}};
    char options[32];
    snprintf(options, sizeof options, "-DSCALARS=%d", step->smoke->scalarCount);
    wbGpuProgramDef def = {"smoke fluxes", sources, sizeof sources / sizeof sources[0], options};
    size_t covered = sizeof(SmokeCovered) * ((size_t)step->smoke->coveredCount + 1);
    WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->covered, "cells that solids come to", covered));
    if (device->kernels.pushCovered) return wb_okStatus;
    return wbGpu_BuildKernels(device->gpu, &def, kernels, 3);
}

static wbStatus pushCovered(const wbSmokeGpuStep *step) {
    wbSmokeGpu *device = step->device;
    wbSmoke *smoke = step->smoke;
    int count = smoke->coveredCount;
    if (count == 0) return wb_okStatus;
    smoke->coveredCount = 0;
    WB_TRY(wbGpu_Upload(device->gpu, &device->covered, smoke->covered.data,
                        sizeof(SmokeCovered) * (size_t)count));
    return wbGpu_Run(device->gpu, device->kernels.pushCovered, smoke->scalarCount + 1,
                     WB_GPU_ARGS(WB_GPU_STRUCT(step->shape), WB_GPU_INT(count),
                                 WB_GPU_BUFFER(device->covered), WB_GPU_BUFFER(device->scalars[0]),
                                 WB_GPU_BUFFER(device->marks), WB_GPU_BUFFER(device->dirty[0])));
}

static wbStatus findOutflow(const wbSmokeGpuStep *step, float *most) {
    wbSmokeGpu *device = step->device;
    const SmokeShape *shape = &step->shape;
    float maxima[SMOKE_MAX_SUMS];
    int groups = wbCountSumGroups(device->gpu, shape->ny * shape->nz, shape->nx);
    WB_TRY(wbGpu_RunGroups(device->gpu, device->kernels.outflow, groups, SMOKE_SUM_GROUP,
                           WB_GPU_ARGS(WB_GPU_STRUCT(*shape), WB_GPU_INT(step->model->grid.dimensions),
                                       WB_GPU_BUFFER(device->velocity[0]), WB_GPU_BUFFER(device->sums))));
    WB_TRY(wbGpu_Download(device->gpu, &device->sums, maxima, sizeof(float) * (size_t)groups));
    *most = 0;
    for (int g = 0; g < groups; g++) *most = fmaxf(*most, maxima[g]);
    return wb_okStatus;
}

wbStatus wbStartFluxesGpu(const wbSmokeGpuStep *step, int *parts) {
    float outflow;
    WB_TRY(pushCovered(step));
    WB_TRY(wbHoldSurfacesGpu(step, true));
    WB_TRY(findOutflow(step, &outflow));
    *parts = wbSmoke_CountParts(step->smoke, outflow, step->dt);
    return wb_okStatus;
}

static wbStatus runSweep(const wbSmokeGpuStep *step, const SmokeSweep *sweep) {
    wbSmokeGpu *device = step->device;
    WB_TRY(wbFillHalosGpu(step, &device->scalars[0], 0, step->smoke->scalarCount, 3, false));
    WB_TRY(wbGpu_RunGroups(
        device->gpu, device->kernels.sweep, (int)wbGetSmokeBlockCount(&step->smoke->grid), SMOKE_BLOCK_GROUP,
        WB_GPU_ARGS(WB_GPU_STRUCT(step->shape), WB_GPU_STRUCT(*sweep), WB_GPU_BUFFER(device->velocity[0]),
                    WB_GPU_BUFFER(device->scalars[0]), WB_GPU_BUFFER(device->scalars[1]),
                    WB_GPU_BUFFER(device->active), WB_GPU_BUFFER(device->dirty[0]),
                    WB_GPU_BUFFER(device->dirty[1]), WB_GPU_BUFFER(device->marks))));
    wbGpuBuffer_Swap(&device->scalars[0], &device->scalars[1]);
    wbGpuBuffer_Swap(&device->dirty[0], &device->dirty[1]);
    return wb_okStatus;
}

wbStatus wbRunFluxesGpu(const wbSmokeGpuStep *step, int parts, const float factors[]) {
    wbSmoke *smoke = step->smoke;
    int axes = smoke->grid.dimensions;
    for (int part = 0; part < parts; part++) {
        SmokeSweep sweep = {.cells = step->dt / (smoke->grid.h * (float)parts)};
        for (int n = 0; n < axes; n++) {
            sweep.axis = wbSmoke_GetSweepAxis(smoke, part, n);
            sweep.isLast = n == axes - 1;
            sweep.marks = sweep.isLast && part == parts - 1;
            for (int f = 0; f < smoke->scalarCount; f++) sweep.factors[f] = sweep.marks ? factors[f] : 1;
            WB_TRY(runSweep(step, &sweep));
            if (!sweep.isLast) sweep.done[sweep.doneCount++] = sweep.axis;
        }
    }
    smoke->turned = (smoke->turned + parts) & 1;
    return wbHoldSurfacesGpu(step, false);
}
