// SPDX-License-Identifier: MIT
#include "smoke/smoke.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "core/status.h"
#include "smoke/smoke_code.h"
#include "smoke/smoke_heat.h"
#include "smoke/smoke_walls.h"

// Creation

wbStatus wbSmoke_Init(wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work) {
    const wbSmokeGrid *grid = &model->grid;
    *smoke = (wbSmoke){.grid = *grid};
    size_t stride = wbGetSmokeStride(grid), cells = (size_t)grid->nx * (size_t)grid->ny * (size_t)grid->nz;
    smoke->scalarCount = model->params.coloured ? 6 : model->params.fire ? 3 : 2;
    smoke->steam = wbGetSteamField(&model->params);
    if (smoke->steam) smoke->scalarCount = smoke->steam + 2 - wb_smokeDensity;
    int fieldCount = wb_smokeDensity + smoke->scalarCount;
    size_t floats = (2 * (size_t)fieldCount + (smoke->steam ? 1 : 0)) * stride;
    size_t blockCount = wbGetSmokeBlockCount(grid);
    smoke->blockBytes = sizeof(float) * floats + cells + 4 * blockCount;
    float *block = smoke->block = wbAllocZero(work->memory, smoke->blockBytes);
    if (!block)
        return wbMemoryError(work->memory, "smoke of %d x %d x %d cells needs", grid->nx, grid->ny, grid->nz);
    for (int f = 0; f < fieldCount; f++) {
        smoke->fields[f] = block + 2 * (size_t)f * stride + WB_SMOKE_MARGIN;
        smoke->back[f] = smoke->fields[f] + stride;
    }
    if (smoke->steam) smoke->lift = block + 2 * (size_t)fieldCount * stride + WB_SMOKE_MARGIN;
    smoke->solid = (uint8_t *)(block + floats);
    smoke->active = smoke->solid + cells;
    smoke->marks = smoke->active + blockCount;
    smoke->dirty[0] = smoke->marks + blockCount;
    smoke->dirty[1] = smoke->dirty[0] + blockCount;
    wbSmoke_MarkDirty(smoke);
    smoke->solidCells.elementSize = sizeof(int);
    smoke->heatEdges.elementSize = sizeof(SmokeHeatEdge);
    smoke->covered.elementSize = sizeof(wbCoveredCell);
    for (int axis = 0; axis < 3; axis++) {
        smoke->faces[axis].places.elementSize = sizeof(int);
        smoke->faces[axis].values.elementSize = sizeof(float);
        smoke->faces[axis].slips.elementSize = sizeof(wbSlipFace);
    }
    wbStatus status = wbSmoke_SetSolids(smoke, model, work, &(wbSmokeSolids){.mask = NULL});
    if (!wbIsOk(status)) wbSmoke_Free(work->memory, smoke);
    return status;
}

void wbSmoke_Free(wbMemory *memory, wbSmoke *smoke) {
    if (!smoke->block) return;
    for (int axis = 0; axis < 3; axis++) {
        wbArray_Free(memory, &smoke->faces[axis].places);
        wbArray_Free(memory, &smoke->faces[axis].values);
        wbArray_Free(memory, &smoke->faces[axis].slips);
    }
    wbArray_Free(memory, &smoke->solidCells);
    wbArray_Free(memory, &smoke->heatEdges);
    wbArray_Free(memory, &smoke->covered);
    wbPressure_Free(memory, &smoke->pressure);
    wbFree(memory, smoke->block, smoke->blockBytes);
    *smoke = (wbSmoke){0};
}

wbStatus wbSmoke_SetSolids(wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work,
                           const wbSmokeSolids *solids) {
    const wbSmokeGrid *grid = &smoke->grid;
    WB_ASSERT(solids->bodyCount <= WB_SMOKE_MAX_BODIES, "more bodies than a mask can tell apart");
    const int cells = grid->nx * grid->ny * grid->nz;
    smoke->hasMovingBodies = false;
    for (int b = 0; b < solids->bodyCount; b++)
        smoke->hasMovingBodies |= wbSmokeBody_IsMoving(&solids->bodies[b]);
    smoke->solidVersion++;
    if (solids->mask) WB_TRY(wbListCovered(smoke, solids, work->memory));
    for (int c = 0; c < cells; c++) smoke->solid[c] = solids->mask && solids->mask[c] != 0;
    WB_TRY(wbListSolidFaces(smoke, model, solids, work->memory));
    WB_TRY(wbListHeatEdges(smoke, model, solids, work->memory));
    return wbPressure_Build(&smoke->pressure, work, grid, smoke->solid, model->open);
}

void wbSmoke_ForgetSolids(wbSmoke *smoke, const wbSmokeModel *model) {
    const wbSmokeGrid *grid = &smoke->grid;
    memset(smoke->solid, 0, (size_t)grid->nx * (size_t)grid->ny * (size_t)grid->nz);
    smoke->hasMovingBodies = false, smoke->coveredCount = 0;
    smoke->sideSpeed = wbGetSmokeSideSpeed(model);
}

void wbSmoke_MarkDirty(wbSmoke *smoke) {
    smoke->maxSpeed = INFINITY;
    memset(smoke->marks, 1, wbGetSmokeBlockCount(&smoke->grid));
    memset(smoke->dirty[0], 1, wbGetSmokeBlockCount(&smoke->grid));
}

void wbSmoke_ClearMarks(wbSmoke *smoke) { memset(smoke->marks, 0, wbGetSmokeBlockCount(&smoke->grid)); }

wbSmokeValues wbSmoke_GetValues(const wbSmoke *smoke) {
    return (wbSmokeValues){.drift = smoke->drift,
                           .left = smoke->left,
                           .turned = smoke->turned,
                           .divergenceBefore = smoke->divergenceBefore,
                           .divergence = smoke->divergence,
                           .maxSpeed = smoke->maxSpeed,
                           .pressureStep = smoke->pressureStep,
                           .cycles = smoke->cycles,
                           .likelyCycles = smoke->pressure.likelyCycles,
                           .slowSteps = smoke->pressure.slowSteps};
}

void wbSmoke_SetValues(wbSmoke *smoke, const wbSmokeValues *values) {
    smoke->drift = values->drift, smoke->left = values->left, smoke->turned = values->turned;
    smoke->divergenceBefore = values->divergenceBefore, smoke->divergence = values->divergence;
    smoke->maxSpeed = values->maxSpeed, smoke->pressureStep = values->pressureStep;
    smoke->cycles = values->cycles;
    smoke->pressure.likelyCycles = values->likelyCycles, smoke->pressure.slowSteps = values->slowSteps;
}

void wbSmoke_ListValues(wbSmoke *smoke, const char *const names[WB_SMOKE_VALUES],
                        wbSavedValue values[WB_SMOKE_VALUES]) {
    const wbSavedValue list[WB_SMOKE_VALUES] = {
        {names[0], &smoke->drift, wb_valueDouble, -DBL_MAX, DBL_MAX, true},
        {names[1], &smoke->left, wb_valueDouble, -DBL_MAX, DBL_MAX, false},
        {names[2], &smoke->divergenceBefore, wb_valueDouble, 0, INFINITY, false},
        {names[3], &smoke->divergence, wb_valueDouble, 0, INFINITY, false},
        {names[4], &smoke->maxSpeed, wb_valueFloat, 0, FLT_MAX, true},
        {names[5], &smoke->pressureStep, wb_valueFloat, 0, FLT_MAX, true},
        {names[6], &smoke->cycles, wb_valueInt, 0, INT_MAX, false},
        {names[7], &smoke->pressure.likelyCycles, wb_valueInt, 0, INT_MAX, true},
        {names[8], &smoke->pressure.slowSteps, wb_valueInt, 0, INT_MAX, true},
        {names[9], &smoke->turned, wb_valueInt, 0, 1, true},
    };
    memcpy(values, list, sizeof list);
}

// Equal on faces across x and y: without divergence also between them, up to the shape of the box.
void wbSmoke_AddVortices(wbSmoke *smoke, int count) {
    const wbSmokeGrid *grid = &smoke->grid;
    const double pi = 3.14159265358979323846;
    double kx = count * pi / grid->nx, ky = count * pi / grid->ny, kz = count * pi / grid->nz;
    double ratio = sin(0.5 * kx) / sin(0.5 * ky);
    if (grid->dimensions == 2) kz = 0;
    for (int j = 0; j <= grid->ny; j++) {
        for (int k = 0; k < grid->nz; k++) {
            for (int i = 0; i <= grid->nx; i++) {
                int c = wbSmokeIndex(grid, i, j, k);
                double depth = cos(kz * (k + 0.5));
                if (j < grid->ny)
                    smoke->fields[wb_smokeU][c] += (float)(sin(kx * i) * cos(ky * (j + 0.5)) * depth);
                if (i < grid->nx)
                    smoke->fields[wb_smokeV][c] -= (float)(ratio * cos(kx * (i + 0.5)) * sin(ky * j) * depth);
            }
        }
    }
    wbSmoke_MarkDirty(smoke);
}

uint64_t wbSmoke_Hash(const wbSmoke *smoke, uint64_t hash) {
    const wbSmokeGrid *grid = &smoke->grid;
    const wbPressureLevel *level = &smoke->pressure.levels[0];
    for (int f = 0; f < wb_smokeDensity + smoke->scalarCount; f++)
        for (int j = 0; j < grid->ny + (f == wb_smokeV); j++)
            for (int k = 0; k < grid->nz + (f == wb_smokeW); k++)
                hash = wbHashBytes(hash, smoke->fields[f] + wbSmokeIndex(grid, 0, j, k),
                                   sizeof(float) * (size_t)(grid->nx + (f == wb_smokeU)));
    for (int colour = 0; colour < 2; colour++)
        hash = wbHashBytes(hash, level->p[colour], sizeof(float) * (size_t)level->total);
    const int counts[2] = {smoke->pressure.likelyCycles, smoke->pressure.slowSteps};
    hash = wbHashBytes(hash, counts, sizeof counts);
    hash = wbHashBytes(hash, &smoke->maxSpeed, sizeof smoke->maxSpeed);
    hash = wbHashBytes(hash, &smoke->pressureStep, sizeof smoke->pressureStep);
    hash = wbHashBytes(hash, &smoke->drift, sizeof smoke->drift);
    hash = wbHashBytes(hash, &smoke->turned, sizeof smoke->turned);
    return wbHashBytes(hash, smoke->marks, wbGetSmokeBlockCount(grid));
}

void wbSmoke_ClearBeyond(wbSmoke *smoke) {
    const wbSmokeGrid *grid = &smoke->grid;
    for (int f = 0; f < wb_smokeDensity + smoke->scalarCount; f++) {
        float *field = smoke->fields[f], *beyond = field;
        for (int j = 0; j < grid->ny + (f == wb_smokeV); j++) {
            for (int k = 0; k < grid->nz + (f == wb_smokeW); k++) {
                float *row = field + wbSmokeIndex(grid, 0, j, k);
                memset(beyond, 0, sizeof(float) * (size_t)(row - beyond));
                beyond = row + grid->nx + (f == wb_smokeU);
            }
        }
        memset(beyond, 0, sizeof(float) * (size_t)(field + grid->total - beyond));
    }
}

bool wbSmokeBody_IsMoving(const wbSmokeBody *body) {
    const wbVec3 v = body->velocity, w = body->spin;
    return body->flow || v.x != 0 || v.y != 0 || v.z != 0 || w.x != 0 || w.y != 0 || w.z != 0;
}
