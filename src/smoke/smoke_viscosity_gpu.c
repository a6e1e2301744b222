// SPDX-License-Identifier: MIT
// Implicit viscosity on a device: see smoke_viscosity.c.
#include "core/status.h"
#include "smoke/smoke_diffusion.h"
#include "smoke/smoke_diffusion_gpu.h"

static wbStatus fillHalo(const wbDiffusionGpu *d, const wbGpuBuffer *fields, int field, bool atRest) {
    return wbFillHalosGpu(d->step, fields, field, 1, d->kind->axis, atRest);
}

static wbStatus clearWalls(const wbDiffusionGpu *d, const wbGpuBuffer *from, int fromField, int to,
                           bool atRest) {
    (void)from, (void)fromField, (void)atRest;
    return wbClearWallsGpu(d->step, d->work, to, d->kind->axis);
}

static const wbDiffusionWallsGpu walls = {fillHalo, clearWalls};

wbStatus wbDiffuseSmokeGpu(const wbSmokeGpuStep *step) {
    wbSmokeGpu *device = step->device;
    const wbSmokeGrid *grid = &step->model->grid;
    wbGpuBuffer *work = &device->velocity[1]; // what was advected is of no more use
    for (int axis = 0; axis < grid->dimensions; axis++) {
        const wbDiffusionGpu diffusion = {.step = step,
                                          .walls = &walls,
                                          .tolerance = WB_VISCOSITY_TOLERANCE,
                                          .kind = &step->kinds[axis],
                                          .fields = &device->velocity[0],
                                          .field = axis,
                                          .work = work,
                                          .alpha =
                                              step->model->params.viscosity * step->dt / (grid->h * grid->h)};
        WB_TRY(wbDiffuseGpu(&diffusion));
    }
    return wbGpu_Fill(device->gpu, work, 0, 3 * sizeof(float) * (size_t)step->shape.stride);
}
