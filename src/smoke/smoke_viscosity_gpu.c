// SPDX-License-Identifier: MIT
// Implicit viscosity on a device: see smoke_viscosity.c.
#include "core/status.h"
#include "smoke/smoke_gpu_state.h"
#include "smoke/smoke_viscosity.h"

// Fields of the velocity's back, which is of no more use.
enum { RESIDUAL, DIRECTION, PRODUCT };

typedef struct Count {
    int x, y, z, unused; // int4
} Count;

typedef struct Diffusion {
    const wbSmokeGpuStep *step;
    int axis;
    Count count;
    float alpha; // viscosity dt / h2
    int items, groups;
} Diffusion;

static const wbGpuBuffer *getWork(const Diffusion *d) { return &d->step->device->velocity[1]; }

static wbStatus advance(const Diffusion *d, float along, double *left) {
    wbSmokeGpu *device = d->step->device;
    WB_TRY(wbGpu_RunGroups(device->gpu, device->kernels.advance, d->groups, SMOKE_SUM_GROUP,
                           WB_GPU_ARGS(WB_GPU_STRUCT(d->step->shape), WB_GPU_STRUCT(d->count),
                                       WB_GPU_FLOAT(along), WB_GPU_INT(d->axis),
                                       WB_GPU_BUFFER(device->velocity[0]), WB_GPU_BUFFER(*getWork(d)),
                                       WB_GPU_BUFFER(device->sums))));
    return wbTakeSumGpu(d->step, d->groups, left);
}

static wbStatus turn(const Diffusion *d, float share) {
    wbSmokeGpu *device = d->step->device;
    return wbGpu_Run(device->gpu, device->kernels.turn, d->items,
                     WB_GPU_ARGS(WB_GPU_STRUCT(d->step->shape), WB_GPU_STRUCT(d->count), WB_GPU_FLOAT(share),
                                 WB_GPU_BUFFER(*getWork(d))));
}

static wbStatus start(const Diffusion *d, double *left) {
    wbSmokeGpu *device = d->step->device;
    WB_TRY(wbFillHalosGpu(d->step, &device->velocity[0], d->axis, 1, d->axis, false));
    WB_TRY(wbGpu_Run(device->gpu, device->kernels.laplace, d->items,
                     WB_GPU_ARGS(WB_GPU_STRUCT(d->step->shape), WB_GPU_STRUCT(d->count),
                                 WB_GPU_FLOAT(d->alpha), WB_GPU_INT(d->axis),
                                 WB_GPU_BUFFER(device->velocity[0]), WB_GPU_BUFFER(*getWork(d)))));
    WB_TRY(wbClearWallsGpu(d->step, getWork(d), RESIDUAL, d->axis));
    WB_TRY(turn(d, 0));
    return advance(d, 0, left);
}

static wbStatus iterate(const Diffusion *d, double *left) {
    wbSmokeGpu *device = d->step->device;
    double product, before = *left;
    WB_TRY(wbFillHalosGpu(d->step, getWork(d), DIRECTION, 1, d->axis, true));
    WB_TRY(wbGpu_Run(device->gpu, device->kernels.apply, d->items,
                     WB_GPU_ARGS(WB_GPU_STRUCT(d->step->shape), WB_GPU_STRUCT(d->count),
                                 WB_GPU_FLOAT(d->alpha), WB_GPU_BUFFER(*getWork(d)))));
    WB_TRY(wbClearWallsGpu(d->step, getWork(d), PRODUCT, d->axis));
    WB_TRY(wbGpu_RunGroups(device->gpu, device->kernels.dot, d->groups, SMOKE_SUM_GROUP,
                           WB_GPU_ARGS(WB_GPU_STRUCT(d->step->shape), WB_GPU_STRUCT(d->count),
                                       WB_GPU_BUFFER(*getWork(d)), WB_GPU_BUFFER(device->sums))));
    WB_TRY(wbTakeSumGpu(d->step, d->groups, &product));
    WB_TRY(advance(d, (float)(before / product), left));
    return turn(d, (float)(*left / before));
}

wbStatus wbDiffuseSmokeGpu(const wbSmokeGpuStep *step) {
    wbSmokeGpu *device = step->device;
    const wbSmokeGrid *grid = &step->model->grid;
    size_t bytes = 3 * sizeof(float) * (size_t)step->shape.stride;
    for (int axis = 0; axis < grid->dimensions; axis++) {
        const int *count = step->kinds[axis].count;
        Diffusion d = {.step = step,
                       .axis = axis,
                       .count = {count[0], count[1], count[2], 0},
                       .alpha = step->model->params.viscosity * step->dt / (grid->h * grid->h),
                       .items = wbCountRowItems(device->gpu, count[1] * count[2], count[0]),
                       .groups = wbCountSumGroups(device->gpu, count[1] * count[2], count[0])};
        double left = 0;
        WB_TRY(wbGpu_Fill(device->gpu, &device->velocity[1], 0, bytes));
        WB_TRY(start(&d, &left));
        double enough = WB_VISCOSITY_TOLERANCE * WB_VISCOSITY_TOLERANCE * left;
        for (int n = 0; n < WB_VISCOSITY_ITERATIONS && left > enough; n++) WB_TRY(iterate(&d, &left));
    }
    return wbGpu_Fill(device->gpu, &device->velocity[1], 0, bytes);
}
