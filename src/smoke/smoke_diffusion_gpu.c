// SPDX-License-Identifier: MIT
#include "smoke/smoke_diffusion_gpu.h"

#include "core/status.h"
#include "smoke/smoke_diffusion.h"

// Fields of the work buffer.
enum { RESIDUAL, DIRECTION, PRODUCT };

typedef struct Count {
    int x, y, z, unused; // int4
} Count;

typedef struct Solver {
    const wbDiffusionGpu *diffusion;
    const wbSmokeGpuStep *step;
    Count count;
    int items, groups;
} Solver;

static wbStatus advance(const Solver *s, float along, double *left) {
    wbSmokeGpu *device = s->step->device;
    WB_TRY(wbGpu_RunGroups(device->gpu, device->kernels.advance, s->groups, SMOKE_SUM_GROUP,
                           WB_GPU_ARGS(WB_GPU_STRUCT(s->step->shape), WB_GPU_STRUCT(s->count),
                                       WB_GPU_FLOAT(along), WB_GPU_INT(s->diffusion->field),
                                       WB_GPU_BUFFER(*s->diffusion->fields),
                                       WB_GPU_BUFFER(*s->diffusion->work), WB_GPU_BUFFER(device->sums))));
    return wbTakeSumGpu(s->step, s->groups, left);
}

static wbStatus turn(const Solver *s, float share) {
    wbSmokeGpu *device = s->step->device;
    return wbGpu_Run(device->gpu, device->kernels.turn, s->items,
                     WB_GPU_ARGS(WB_GPU_STRUCT(s->step->shape), WB_GPU_STRUCT(s->count), WB_GPU_FLOAT(share),
                                 WB_GPU_BUFFER(*s->diffusion->work)));
}

static wbStatus start(const Solver *s, double *left) {
    const wbDiffusionGpu *d = s->diffusion;
    wbSmokeGpu *device = s->step->device;
    WB_TRY(d->walls->fillHalo(d, d->fields, d->field, false));
    WB_TRY(
        wbGpu_Run(device->gpu, device->kernels.laplace, s->items,
                  WB_GPU_ARGS(WB_GPU_STRUCT(s->step->shape), WB_GPU_STRUCT(s->count), WB_GPU_FLOAT(d->alpha),
                              WB_GPU_INT(d->field), WB_GPU_BUFFER(*d->fields), WB_GPU_BUFFER(*d->work))));
    WB_TRY(d->walls->correct(d, d->fields, d->field, RESIDUAL, false));
    WB_TRY(turn(s, 0));
    return advance(s, 0, left);
}

static wbStatus iterate(const Solver *s, double *left) {
    const wbDiffusionGpu *d = s->diffusion;
    wbSmokeGpu *device = s->step->device;
    double product, before = *left;
    WB_TRY(d->walls->fillHalo(d, d->work, DIRECTION, true));
    WB_TRY(wbGpu_Run(device->gpu, device->kernels.apply, s->items,
                     WB_GPU_ARGS(WB_GPU_STRUCT(s->step->shape), WB_GPU_STRUCT(s->count),
                                 WB_GPU_FLOAT(d->alpha), WB_GPU_BUFFER(*d->work))));
    WB_TRY(d->walls->correct(d, d->work, DIRECTION, PRODUCT, true));
    WB_TRY(wbGpu_RunGroups(device->gpu, device->kernels.dot, s->groups, SMOKE_SUM_GROUP,
                           WB_GPU_ARGS(WB_GPU_STRUCT(s->step->shape), WB_GPU_STRUCT(s->count),
                                       WB_GPU_BUFFER(*d->work), WB_GPU_BUFFER(device->sums))));
    WB_TRY(wbTakeSumGpu(s->step, s->groups, &product));
    WB_TRY(advance(s, (float)(before / product), left));
    return turn(s, (float)(*left / before));
}

wbStatus wbDiffuseGpu(const wbDiffusionGpu *d) {
    wbGpu *gpu = d->step->device->gpu;
    const int *count = d->kind->count;
    const Solver solver = {.diffusion = d,
                           .step = d->step,
                           .count = {count[0], count[1], count[2], 0},
                           .items = wbCountRowItems(gpu, count[1] * count[2], count[0]),
                           .groups = wbCountSumGroups(gpu, count[1] * count[2], count[0])};
    double left = 0;
    WB_TRY(wbGpu_Fill(gpu, d->work, 0, 3 * sizeof(float) * (size_t)d->step->shape.stride));
    WB_TRY(start(&solver, &left));
    double enough = d->tolerance * d->tolerance * left;
    for (int n = 0; n < WB_DIFFUSION_ITERATIONS && left > enough; n++) WB_TRY(iterate(&solver, &left));
    return wb_okStatus;
}
