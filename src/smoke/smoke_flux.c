// SPDX-License-Identifier: MIT
// Advection by fluxes: how steps are cut, and what solids push. See smoke_flux.h.
#include <math.h>

#include "smoke/smoke_code.h"

int wbSmoke_CountParts(const wbSmoke *smoke, float outflow, float dt) {
    // beyond the most, parts would be too long and smoke might be less than none; the velocity is broken then
    const float share = 0.9f, most = 256;
    float parts = ceilf(outflow * dt / (share * smoke->grid.h));
    return parts >= 1 ? (int)fminf(parts, most) : 1;
}

int wbSmoke_GetSweepAxis(const wbSmoke *smoke, int part, int n) {
    static const int axes[3] = {0, 2, 1};
    int last = smoke->grid.dimensions - 1;
    if ((part + smoke->turned) & 1) n = last - n;
    return smoke->grid.dimensions == 2 ? n : axes[n];
}

void wbPushCovered(wbSmoke *smoke) {
    const wbCoveredCell *cells = smoke->covered.data;
    const wbSmokeGrid *grid = &smoke->grid;
    for (int n = 0; n < smoke->coveredCount; n++) {
        bool any = false;
        for (int f = wb_smokeDensity; f < wb_smokeDensity + smoke->scalarCount; f++) {
            float *from = &smoke->fields[f][cells[n].from];
            any |= *from != 0;
            smoke->fields[f][cells[n].to] += *from;
            *from = 0;
        }
        if (!any) continue;
        int place = cells[n].to, j = place / grid->plane - 1, k = place % grid->plane / grid->row - 1,
            block = wbSmokeBlockRow(grid, j, k) + place % grid->row / WB_SMOKE_BLOCK_X;
        smoke->marks[block] = smoke->dirty[0][block] = 1;
    }
    smoke->coveredCount = 0;
}

float wbFindOutflow(const wbSmoke *smoke, const wbWork *work, float *maxima) {
    wbSmokeOutflow task = {.grid = &smoke->grid, .maxima = maxima};
    float most = 0;
    for (int axis = 0; axis < 3; axis++) task.velocity[axis] = smoke->fields[axis];
    wbParallelFor(work->pool, smoke->grid.ny, 1, wbGetSmokeCode(work->simd)->outflow, &task);
    for (int j = 0; j < smoke->grid.ny; j++) most = fmaxf(most, maxima[j]);
    return most;
}
