// SPDX-License-Identifier: MIT
#include "smoke/smoke_viscosity.h"

#include <string.h>

#include "core/status.h"
#include "smoke/smoke_walls.h"

typedef struct Diffusion {
    wbSmokeDiffusion task;
    const wbSmoke *smoke;
    const wbSmokeModel *model;
    const wbSmokeKind *kinds;
    const wbWork *work;
} Diffusion;

static double sumRange(Diffusion *d, wbRangeFn *range) {
    int planes = d->task.kind->count[1];
    double sum = 0;
    wbParallelFor(d->work->pool, planes, 1, range, &d->task);
    for (int j = 0; j < planes; j++) sum += d->task.sums[j];
    return sum;
}

static void fillHalo(const Diffusion *d, float *field, bool atRest) {
    wbSmokeHalos halos = {.model = d->model,
                          .kinds = d->kinds,
                          .count = 1,
                          .fields = {field},
                          .forViscosity = true,
                          .atRest = atRest};
    halos.kind[0] = d->task.kind->axis;
    wbFillHalos(&halos, d->work);
}

static void clearWalls(const Diffusion *d, float *field) {
    wbClearWalls(d->smoke, d->model, d->work, d->task.kind->axis, field);
}

// The velocities at walls stay: nothing is left over there, and no direction leads there.
static void diffuseComponent(Diffusion *d) {
    const wbSmokeCode *code = wbGetSmokeCode(d->work->simd);
    int planes = d->task.kind->count[1];
    wbThreadPool *pool = d->work->pool;
    fillHalo(d, d->task.u, false);
    wbParallelFor(pool, planes, 1, code->laplace, &d->task);
    clearWalls(d, d->task.residual);
    d->task.turn = d->task.along = 0;
    wbParallelFor(pool, planes, 1, code->turn, &d->task);
    double left = sumRange(d, code->advance), enough = WB_VISCOSITY_TOLERANCE * WB_VISCOSITY_TOLERANCE * left;
    for (int n = 0; n < WB_VISCOSITY_ITERATIONS && left > enough; n++) {
        fillHalo(d, d->task.direction, true);
        wbParallelFor(pool, planes, 1, code->apply, &d->task);
        clearWalls(d, d->task.product);
        double along = left / sumRange(d, code->dotProduct), before = left;
        d->task.along = (float)along;
        left = sumRange(d, code->advance);
        d->task.turn = (float)(left / before);
        wbParallelFor(pool, planes, 1, code->turn, &d->task);
    }
}

wbStatus wbDiffuseSmoke(wbSmoke *smoke, const wbSmokeModel *model, const wbSmokeKind kinds[4],
                        const wbWork *work, float dt) {
    const wbSmokeGrid *grid = &smoke->grid;
    // velocities that were advected are of no more use: their memory is
    float *const scratch[3] = {smoke->back[0], smoke->back[1], smoke->back[2]};
    size_t mark = wbArena_Mark(work->arena);
    Diffusion d = {.smoke = smoke, .model = model, .kinds = kinds, .work = work};
    d.task = (wbSmokeDiffusion){.grid = grid, .alpha = model->params.viscosity * dt / (grid->h * grid->h)};
    d.task.residual = scratch[0], d.task.direction = scratch[1], d.task.product = scratch[2];
    d.task.sums = wbArena_Alloc(work->arena, sizeof(double) * (size_t)(grid->ny + 1));
    if (!d.task.sums) return wbMemoryError(work->memory, "viscosity of smoke needs");
    for (int axis = 0; axis < grid->dimensions; axis++) {
        for (int n = 0; n < 3; n++) memset(scratch[n], 0, sizeof(float) * (size_t)grid->total);
        d.task.kind = &kinds[axis];
        d.task.u = smoke->fields[axis];
        diffuseComponent(&d);
    }
    for (int n = 0; n < 3; n++) memset(scratch[n], 0, sizeof(float) * (size_t)grid->total);
    wbArena_Release(work->arena, mark);
    return wb_okStatus;
}
