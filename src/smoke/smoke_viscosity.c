// SPDX-License-Identifier: MIT
#include "smoke/smoke_viscosity.h"

#include <string.h>

#include "core/status.h"
#include "smoke/smoke_diffusion.h"
#include "smoke/smoke_walls.h"

static void fillHalo(const wbDiffusion *d, float *field, bool atRest) {
    wbSmokeHalos halos = {.model = d->model,
                          .kinds = d->kinds,
                          .count = 1,
                          .fields = {field},
                          .forViscosity = true,
                          .atRest = atRest};
    halos.kind[0] = d->task.kind->axis;
    wbFillHalos(&halos, d->work);
}

// The velocities at walls stay: nothing is left over there, and no direction leads there.
static void clearWalls(const wbDiffusion *d, const float *from, float *to, bool atRest) {
    (void)from, (void)atRest;
    wbClearWalls(d->smoke, d->model, d->work, d->task.kind->axis, to);
}

static const wbDiffusionWalls walls = {fillHalo, clearWalls};

wbStatus wbDiffuseSmoke(wbSmoke *smoke, const wbSmokeModel *model, const wbSmokeKind kinds[4],
                        const wbWork *work, float dt) {
    const wbSmokeGrid *grid = &smoke->grid;
    // velocities that were advected are of no more use: their memory is
    float *const scratch[3] = {smoke->back[0], smoke->back[1], smoke->back[2]};
    size_t mark = wbArena_Mark(work->arena);
    wbDiffusion d = {.smoke = smoke,
                     .model = model,
                     .kinds = kinds,
                     .work = work,
                     .walls = &walls,
                     .tolerance = WB_VISCOSITY_TOLERANCE};
    d.task = (wbSmokeDiffusion){.grid = grid, .alpha = model->params.viscosity * dt / (grid->h * grid->h)};
    d.task.residual = scratch[0], d.task.direction = scratch[1], d.task.product = scratch[2];
    d.task.sums = wbArena_Alloc(work->arena, sizeof(double) * (size_t)(grid->ny + 1));
    if (!d.task.sums) return wbMemoryError(work->memory, "viscosity of smoke needs");
    for (int axis = 0; axis < grid->dimensions; axis++) {
        for (int n = 0; n < 3; n++) memset(scratch[n], 0, sizeof(float) * (size_t)grid->total);
        d.task.kind = &kinds[axis];
        d.task.u = smoke->fields[axis];
        wbDiffuse(&d);
    }
    for (int n = 0; n < 3; n++) memset(scratch[n], 0, sizeof(float) * (size_t)grid->total);
    wbArena_Release(work->arena, mark);
    return wb_okStatus;
}
