// SPDX-License-Identifier: MIT
// The surface of a fluid as a mesh.
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
    const double site = wbFluid_GetParticleMass(world, fluid) / wbFluid_GetRestDensity(world, fluid);
    const wbContourDef contour = {.x = view.x,
                                  .y = view.y,
                                  .z = view.z,
                                  .count = view.count,
                                  .stride = view.stride,
                                  .cellSize = def->cellSize * spacing,
                                  .radius = def->radius * spacing,
                                  .smoothing = def->smoothing,
                                  .depth = isFlat ? spacing : 0,
                                  .volume = view.count * site * (isFlat ? (double)spacing : 1)};
    return wbMakeContour(&contour, world->work.pool, world->memory, mesh);
}
