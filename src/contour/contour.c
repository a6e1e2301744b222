// SPDX-License-Identifier: MIT
#include "contour/contour.h"

#include <math.h>

#include "contour/march.h"
#include "contour/smooth.h"
#include "core/status.h"

// The level that encloses the volume, by the false position method (Illinois). The higher the level, the less it encloses; with
// points that lie in each other even the lowest may enclose too little.
static float findLevel(wbContourGrid *grid, const wbMarchTable *table) {
    const double target = grid->def->volume;
    double low = 0.02, high = 1, above = wbContourGrid_Measure(grid, table, (float)low) - target,
           below = -target, level = 0.58; // as of a flat lattice
    for (int n = 0; n < 30 && above > 0; n++) {
        const double error = wbContourGrid_Measure(grid, table, (float)level) - target;
        if (fabs(error) < 1e-3 * target) break;
        if (error > 0)
            low = level, above = error, below *= 0.5;
        else
            high = level, below = error, above *= 0.5;
        level = low + (high - low) * above / (above - below);
    }
    return (float)(above > 0 ? level : low);
}

static wbStatus make(wbContourGrid *grid, wbMesh *mesh) {
    const wbContourDef *def = grid->def;
    wbMarchTable table;
    WB_TRY(wbContourGrid_Build(grid));
    WB_TRY(wbContourGrid_Evaluate(grid));
    wbFillMarchTable(&table);
    WB_TRY(wbContourGrid_March(grid, &table, findLevel(grid, &table), mesh));
    wbContourGrid_Free(grid); // the smoother has the room
    if (mesh->triangleCount == 0 || def->smoothing == 0 || def->depth > 0) return wb_okStatus;
    wbStatus status = wbSmoothMesh(mesh, def->smoothing, grid->pool, grid->memory);
    if (!wbIsOk(status)) wbFreeMesh(mesh);
    return status;
}

wbStatus wbMakeContour(const wbContourDef *def, wbThreadPool *pool, wbMemory *memory, wbMesh *mesh) {
    *mesh = (wbMesh){0};
    if (def->count == 0) return wb_okStatus;
    wbContourGrid grid = {.def = def, .pool = pool, .memory = memory};
    wbStatus status = make(&grid, mesh);
    wbContourGrid_Free(&grid);
    return status;
}
