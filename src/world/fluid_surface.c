// SPDX-License-Identifier: MIT
// The surface of a fluid as a mesh.
#include <limits.h>
#include <math.h>

#include "contour/contour.h"
#include "core/status.h"
#include "world/world.h"

wbFluidSurfaceDef wbDefaultFluidSurfaceDef(void) {
    return (wbFluidSurfaceDef){.cellSize = 0.5f, .radius = 2.1f, .smoothing = 5, .cookie = WB_SURFACE_COOKIE};
}

static wbStatus checkRange(const char *name, double value, double min, double max) {
    if (value >= min && value <= max) return wb_okStatus;
    return wbError(wb_errorInput, "the surface's %s is %g, allowed is %g to %g", name, value, min, max);
}

// Points of a fluid, no farther apart than a contour needs: large particles are several, over the cubes that they stand for.
typedef struct Points {
    const float *x, *y, *z;
    int count, stride;
} Points;

// Along an axis, of a particle that is so many spacings large.
static int countAlong(float size) { return (int)fmaxf(1, ceilf(size / 1.3f)); }

static void spreadParticle(const wbView *view, int i, int along, bool isFlat, float *const to[3], int *next) {
    const float gap = 2 * view->radius[i] / (float)along, first = 0.5f * gap - view->radius[i];
    const float *const from[3] = {view->x, view->y, view->z};
    for (int n = 0; n < along * along * (isFlat ? 1 : along); n++, ++*next) {
        const int at[3] = {n % along, n / along % along, n / along / along};
        for (int a = 0; a < 3; a++)
            to[a][*next] = from[a][i] + (a == 2 && isFlat ? 0 : first + gap * (float)at[a]);
    }
}

static wbStatus listPoints(wbWorld *world, const wbView *view, float spacing, wbArray *room, Points *points) {
    const bool isFlat = world->params.dimensions == 2;
    int64_t count = 0;
    *points = (Points){view->x, view->y, view->z, view->count, view->stride};
    if (!view->radius) return wb_okStatus;
    for (int i = 0; i < view->count; i++) {
        const int64_t along = countAlong(2 * view->radius[i] / spacing);
        count += along * along * (isFlat ? 1 : along);
    }
    if (count > INT_MAX / 4 || !wbArray_Reserve(world->memory, room, (int)(3 * count)))
        return wbMemoryError(world->memory, "a surface of %lld points needs", (long long)count);
    float *x = room->data, *const to[3] = {x, x + count, x + 2 * count};
    int next = 0;
    for (int i = 0; i < view->count; i++)
        spreadParticle(view, i, countAlong(2 * view->radius[i] / spacing), isFlat, to, &next);
    *points = (Points){to[0], to[1], to[2], next, 1};
    return wb_okStatus;
}

wbStatus wbFluid_BuildSurface(wbWorld *world, wbFluidId fluid, const wbFluidSurfaceDef *def, wbMesh *mesh) {
    WB_REQUIRE(world);
    WB_REQUIRE(mesh);
    WB_ASSERT(def && def->cookie == WB_SURFACE_COOKIE, "make the def with wbDefaultFluidSurfaceDef");
    WB_TRY(checkRange("cellSize", (double)def->cellSize, 0.1, 1));
    WB_TRY(checkRange("radius", (double)def->radius, 1, 4));
    WB_TRY(checkRange("smoothing", def->smoothing, 0, 100));
    wbView view;
    WB_TRY(wbFluid_GetView(world, fluid, &view));
    const float spacing = (float)wbFluid_GetSpacing(world, fluid);
    const bool isFlat = world->params.dimensions == 2;
    const double volume = wbFluid_GetMass(world, fluid) / wbFluid_GetRestDensity(world, fluid);
    wbArray room = {.elementSize = sizeof(float)};
    Points points;
    WB_TRY(listPoints(world, &view, spacing, &room, &points));
    const wbContourDef contour = {.x = points.x,
                                  .y = points.y,
                                  .z = points.z,
                                  .count = points.count,
                                  .stride = points.stride,
                                  .cellSize = def->cellSize * spacing,
                                  .radius = def->radius * spacing,
                                  .smoothing = def->smoothing,
                                  .depth = isFlat ? spacing : 0,
                                  .volume = volume * (isFlat ? (double)spacing : 1)};
    wbStatus status = wbMakeContour(&contour, world->work.pool, world->memory, mesh);
    wbArray_Free(world->memory, &room);
    return status;
}
