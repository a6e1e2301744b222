// SPDX-License-Identifier: MIT
#include "bench/smoke_volume.h"

#include "core/cpu.h"
#include "core/status.h"

wbStatus wbCreateSmokeVolume(wbSmokeVolume *volume, const wbSmokeParams *params, const wbDomainDef *domain,
                             int dimensions, int threadCount, wbSimd simd) {
    *volume = (wbSmokeVolume){.work = {.memory = wbCreateMemory(0)}};
    wbWork *work = &volume->work;
    WB_TRY(wbChooseSimd(simd, &work->simd));
    work->arena = wbCreateArena(work->memory);
    work->pool =
        wbCreateThreadPool(work->memory, threadCount > 0 ? threadCount : wbGetCoreCount(), NULL, NULL);
    if (!work->arena || !work->pool) return wbError(wb_errorMemory, "no memory for a volume of smoke");
    WB_TRY(wbSmokeModel_Init(&volume->model, params, domain, wbMakeVec3(0, -9.81f, 0), dimensions));
    return wbSmoke_Init(&volume->smoke, &volume->model, work);
}

void wbDestroySmokeVolume(wbSmokeVolume *volume) {
    wbSmoke_Free(volume->work.memory, &volume->smoke);
    if (volume->work.pool) wbDestroyThreadPool(volume->work.pool);
    if (volume->work.arena) wbDestroyArena(volume->work.arena);
    if (volume->work.memory) wbDestroyMemory(volume->work.memory);
}

wbStatus wbFillSolids(wbSmokeVolume *volume, wbSolidFn *isSolid, const void *context) {
    const wbSmokeGrid *grid = &volume->smoke.grid;
    const wbSmokeBody rest = {.centre = {0, 0, 0}};
    size_t bytes = (size_t)grid->nx * (size_t)grid->ny * (size_t)grid->nz;
    uint8_t *mask = wbAllocZero(NULL, bytes);
    if (!mask) return wbError(wb_errorMemory, "no memory for a mask of %zu cells", bytes);
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
    wbStatus status = wbSmoke_SetSolids(&volume->smoke, &volume->model, &volume->work, mask, &rest, 1);
    wbFree(NULL, mask, bytes);
    return status;
}
