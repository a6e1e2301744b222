// SPDX-License-Identifier: MIT
#include "bench/smoke_volume.h"

#include "core/status.h"

static wbStatus fillVolume(wbSmokeVolume *volume, const wbCaseMachine *machine, const wbSmokeParams *params,
                           const wbDomainDef *domain, int dimensions) {
    const wbDomain made = wbMakeDomain(domain, wbMakeVec3(0, -9.81f, 0), dimensions);
    WB_TRY(wbSmokeModel_Init(&volume->model, params, &made));
    WB_TRY(wbSmoke_Init(&volume->smoke, &volume->model, &volume->work));
    if (machine->backend == wb_backendCpu) return wb_okStatus;
    WB_TRY(wbOpenGpu(volume->work.memory, machine->deviceIndex, &volume->gpu));
    return wbCreateSmokeGpu(volume->work.memory, volume->gpu, &volume->device);
}

wbStatus wbCreateSmokeVolume(wbSmokeVolume *volume, const wbCaseMachine *machine, const wbSmokeParams *params,
                             const wbDomainDef *domain, int dimensions) {
    *volume = (wbSmokeVolume){0};
    WB_TRY(wbCreateCaseWork(machine->threadCount, machine->simd, &volume->work));
    wbStatus status = fillVolume(volume, machine, params, domain, dimensions);
    if (!wbIsOk(status)) wbDestroySmokeVolume(volume);
    return status;
}

void wbDestroySmokeVolume(wbSmokeVolume *volume) {
    wbDestroySmokeGpu(volume->device);
    wbCloseGpu(volume->gpu);
    wbSmoke_Free(volume->work.memory, &volume->smoke);
    wbDestroyCaseWork(&volume->work);
}

wbStatus wbSmokeVolume_Step(wbSmokeVolume *volume, const wbSmokeSource *sources, int sourceCount, double time,
                            float dt) {
    wbSmoke *smoke = &volume->smoke;
    wbArena_Reset(volume->work.arena);
    if (volume->device)
        return wbSmokeGpu_Step(volume->device, smoke, &volume->model, &volume->work, sources, sourceCount,
                               time, dt);
    return wbSmoke_Step(smoke, &volume->model, &volume->work, sources, sourceCount, time, dt);
}

wbStatus wbSmokeVolume_Project(wbSmokeVolume *volume) {
    if (volume->device)
        return wbSmokeGpu_Project(volume->device, &volume->smoke, &volume->model, &volume->work);
    return wbSmoke_Project(&volume->smoke, &volume->model, &volume->work);
}

wbStatus wbSmokeVolume_Pull(wbSmokeVolume *volume) {
    return volume->device ? wbSmokeGpu_Pull(volume->device, &volume->smoke) : wb_okStatus;
}

wbStatus wbFillSolids(wbSmokeVolume *volume, wbSolidFn *isSolid, const void *context,
                      const wbSmokeBody *body) {
    const wbSmokeGrid *grid = &volume->smoke.grid;
    size_t bytes = sizeof(uint16_t) * (size_t)grid->nx * (size_t)grid->ny * (size_t)grid->nz;
    uint16_t *mask = wbAllocZero(NULL, bytes);
    if (!mask) return wbError(wb_errorMemory, "no memory for a mask of %zu bytes", bytes);
    for (int j = 0; j < grid->ny; j++) {
        for (int k = 0; k < grid->nz; k++) {
            for (int i = 0; i < grid->nx; i++) {
                wbVec3 point = {grid->origin.x + grid->h * ((float)i + 0.5f),
                                grid->origin.y + grid->h * ((float)j + 0.5f),
                                grid->origin.z + grid->h * ((float)k + 0.5f)};
                mask[wbSmokeCell(grid, i, j, k)] = isSolid(point, context);
            }
        }
    }
    wbStatus status =
        wbSmoke_SetSolids(&volume->smoke, &volume->model, &volume->work, &(wbSmokeSolids){mask, body, 1});
    wbFree(NULL, mask, bytes);
    return status;
}
