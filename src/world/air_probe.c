// SPDX-License-Identifier: MIT
// What probes measure in air: fields at a point, linear between cells and between faces.
#include <math.h>

#include "core/status.h"
#include "world/air.h"
#include "world/probe.h"

// Between which two values of a row a place is, and how much the upper one counts.
typedef struct Between {
    int at[2];
    double share;
} Between;

static Between findBetween(double place, int count) {
    const double low = floor(fmin(fmax(place, 0), count - 1));
    const int i = (int)low;
    return (Between){{i, i + 1 < count ? i + 1 : i}, fmin(fmax(place - low, 0), 1)};
}

// Cells of air around a point, or faces across an axis; solid cells do not count.
static double interpolate(const wbSmoke *smoke, const float *field, wbVec3d p, int axis) {
    const wbSmokeGrid *grid = &smoke->grid;
    const double shift[3] = {axis == 0 ? 0 : 0.5, axis == 1 ? 0 : 0.5, axis == 2 ? 0 : 0.5};
    const Between x = findBetween((p.x - grid->origin.x) / grid->h - shift[0], grid->nx + (axis == 0)),
                  y = findBetween((p.y - grid->origin.y) / grid->h - shift[1], grid->ny + (axis == 1)),
                  z = findBetween((p.z - grid->origin.z) / grid->h - shift[2], grid->nz + (axis == 2));
    double sum = 0, weights = 0;
    for (int n = 0; n < 8; n++) {
        const int i = x.at[n & 1], j = y.at[n >> 1 & 1], k = z.at[n >> 2];
        const double weight = (n & 1 ? x.share : 1 - x.share) * (n & 2 ? y.share : 1 - y.share) *
                              (n & 4 ? z.share : 1 - z.share);
        if (axis < 0 && smoke->solid[wbSmokeCell(grid, i, j, k)]) continue;
        sum += weight * field[wbSmokeIndex(grid, i, j, k)], weights += weight;
    }
    return weights > 0 ? sum / weights : NAN;
}

// Whether a point is in the air of a grid.
static bool isInAir(const wbSmoke *smoke, wbVec3d p) {
    const wbSmokeGrid *grid = &smoke->grid;
    const double x = (p.x - grid->origin.x) / grid->h, y = (p.y - grid->origin.y) / grid->h,
                 z = (p.z - grid->origin.z) / grid->h;
    if (!(x >= 0 && x <= grid->nx && y >= 0 && y <= grid->ny && z >= 0 && z <= grid->nz)) return false;
    const int i = x < grid->nx ? (int)x : grid->nx - 1, j = y < grid->ny ? (int)y : grid->ny - 1,
              k = z < grid->nz ? (int)z : grid->nz - 1;
    return !smoke->solid[wbSmokeCell(grid, i, j, k)];
}

wbStatus wbSampleAir(wbWorld *world, wbVec3 point, wbProbeKind kind, double values[3]) {
    wbAir *air = wbGetAir(world);
    const bool isFlat = world->params.dimensions == 2;
    wbVec3d p = wbToDouble(point);
    wbSmokeView view;
    values[0] = values[1] = values[2] = NAN;
    if (kind == wb_probePressure) WB_TRY(wbWorld_GetSmokeView(world, &view)); // it makes room for it
    WB_TRY(wbPullState(world));
    WB_TRY(wbCutColliders(world, 0));
    const wbSmoke *smoke = &air->smoke;
    if (isFlat) p.z = smoke->grid.origin.z + 0.5 * smoke->grid.h;
    const bool isNear = isInAir(smoke, p);
    if (!isNear && wbIsFollowing(air)) smoke = &air->coarse->smoke; // around the window
    if (isFlat) p.z = smoke->grid.origin.z + 0.5 * smoke->grid.h;
    if (!isInAir(smoke, p)) return wb_okStatus;
    if (kind == wb_probePressure) {
        if (isNear) values[0] = WB_AIR_DENSITY * interpolate(smoke, air->pressure, p, -1);
    } else if (kind == wb_probeDensity) {
        values[0] = interpolate(smoke, smoke->fields[wb_smokeDensity], p, -1);
    } else if (kind == wb_probeTemperature) {
        values[0] = interpolate(smoke, smoke->fields[wb_smokeTemperature], p, -1) + air->model.params.ambient;
    } else {
        for (int a = 0; a < 3; a++)
            values[a] = a == 2 && isFlat ? 0 : interpolate(smoke, smoke->fields[wb_smokeU + a], p, a);
    }
    return wb_okStatus;
}
