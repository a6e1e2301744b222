// SPDX-License-Identifier: MIT
#include "smoke/smoke_model.h"

#include <math.h>

#include "core/array.h"
#include "core/status.h"

wbSmokeParams wbDefaultSmokeParams(void) {
    wbSmokeParams params;
    wbSetParamDefaults(wbGetParams("smoke"), &params);
    return params;
}

// Whole cells along an axis, 0 if there is less than half of one, -1 if they are too many.
static int countCells(float from, float to, float h) {
    double cells = ((double)to - from) / h;
    return cells < 0.5 ? 0 : cells > 1e6 ? -1 : (int)lround(cells);
}

// False if an int cannot count the values.
static bool setStrides(wbSmokeGrid *grid) {
    int64_t row = wbPadCount(grid->nx + 3), plane = row * (grid->nz + 3),
            total = plane * ((int64_t)grid->ny + 3);
    if (plane > INT32_MAX || total > INT32_MAX / 4) return false;
    grid->row = (int)row, grid->plane = (int)plane, grid->total = (int)total;
    return true;
}

static wbStatus setGrid(wbSmokeGrid *grid, const wbDomain *domain, float h) {
    *grid = (wbSmokeGrid){.dimensions = domain->dimensions,
                          .h = h,
                          .origin = wbMakeVec3(domain->madeMin[0], domain->madeMin[1], domain->madeMin[2])};
    grid->nx = countCells(domain->madeMin[0], domain->madeMax[0], h);
    grid->ny = countCells(domain->madeMin[1], domain->madeMax[1], h);
    grid->nz = domain->dimensions == 3 ? countCells(domain->madeMin[2], domain->madeMax[2], h) : 1;
    if (grid->nx == 0 || grid->ny == 0 || grid->nz == 0)
        return wbError(wb_errorInput,
                       "smoke needs a box of at least one cell of %g m: enlarge domain or take a smaller "
                       "smoke.cellSize",
                       h);
    if (grid->nx < 0 || grid->ny < 0 || grid->nz < 0 || !setStrides(grid))
        return wbError(wb_errorInput, "cells of %g m make too many of them: raise smoke.cellSize", h);
    return wb_okStatus;
}

wbStatus wbSmokeModel_Init(wbSmokeModel *model, const wbSmokeParams *params, const wbDomain *domain) {
    const wbDomainDef def = wbDomain_GetDef(domain);
    const wbVec3 gravity = domain->gravity;
    *model = (wbSmokeModel){.params = *params, .isClosed = true};
    WB_TRY(setGrid(&model->grid, domain, params->cellSize));
    if (params->steam && params->advection != wb_smokeConserving)
        return wbError(wb_errorInput,
                       "smoke.steam is carried as fluxes alone: smoke.advection must be conserving");
    for (int s = 0; s < wb_sideCount; s++) {
        model->sides[s].temperature = NAN;
        if (s < 2 * domain->dimensions) model->sides[s] = def.sides[s];
        model->open[s] = model->still[s] = model->sides[s].type == wb_sideOpen;
        model->isClosed &= !model->open[s];
    }
    float size = sqrtf(gravity.x * gravity.x + gravity.y * gravity.y + gravity.z * gravity.z);
    if (size > 0) model->up = wbMakeVec3(-gravity.x / size, -gravity.y / size, -gravity.z / size);
    return wb_okStatus;
}

void wbSmokeModel_Cut(wbSmokeModel *model, const wbSmokeModel *box, const int low[3], const int high[3]) {
    const int cells[3] = {box->grid.nx, box->grid.ny, box->grid.nz};
    const float h = box->grid.h;
    *model = *box;
    wbSmokeGrid *grid = &model->grid;
    grid->nx = high[0] - low[0], grid->ny = high[1] - low[1], grid->nz = high[2] - low[2];
    grid->origin.x += h * (float)low[0], grid->origin.y += h * (float)low[1];
    grid->origin.z += h * (float)low[2];
    bool fits = setStrides(grid);
    WB_ASSERT(fits, "a part is smaller than the whole");
    for (int s = 0; s < 2 * grid->dimensions; s++) {
        if (s & 1 ? high[s / 2] == cells[s / 2] : low[s / 2] == 0) continue;
        model->sides[s] = (wbSideDef){.type = wb_sideOpen, .temperature = NAN};
        model->open[s] = true, model->still[s] = false;
    }
}

void wbSmokeModel_Coarsen(wbSmokeModel *model, const wbSmokeModel *box, int factor) {
    *model = *box;
    wbSmokeGrid *grid = &model->grid;
    grid->nx /= factor, grid->ny /= factor;
    if (grid->dimensions == 3) grid->nz /= factor;
    grid->h *= (float)factor;
    bool fits = setStrides(grid);
    WB_ASSERT(fits, "larger cells are fewer");
    // the force of confinement goes with the size of cells
    model->params.confinement /= (float)factor;
    model->params.coloured = model->params.fire = model->params.steam = false;
    model->params.thermalDiffusivity = 0;
}
