// SPDX-License-Identifier: MIT
#include "app/check_fluids.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/args.h"
#include "scene/scene.h"
#include "scene/solvers.h"

// of a fluid's volume: less is rounding
static const double leastShare = 1e-3;

// "precise for water, by the solver sph: method explicit, smoothing 2.5 (instead of 3)": the scene gives its own.
static void printQuality(const wbScene *scene, const wbSceneFluid *fluid) {
    const wbQualityInfo *info = wbGetQuality(fluid->quality);
    const wbSolverInfo *solver = wbGetFluidSolver(fluid->solver);
    const wbParamTable *table = wbGetParams(solver->name);
    const wbSceneFluidKeys keys = {.quality = fluid->quality};
    wbWorldDef usual = wbDefaultWorldDef();
    char name[32];
    if (!info) return;
    wbWorldDef_SetQuality(&usual, fluid->quality);
    (void)wbParam_GetText(wbFindParam(wb_fluidForm.table, "quality"), &keys, name, sizeof name);
    printf("quality    %s for %s, by the solver %s:", name, fluid->name, solver->name);
    for (int i = 0; i < info->valueCount; i++) {
        char own[64], set[64];
        const wbParam *param = wbFindParam(table, info->values[i].name);
        (void)wbParam_GetText(param, wbGetSolverParams(&scene->def, solver), own, sizeof own);
        (void)wbParam_GetText(param, wbGetSolverParams(&usual, solver), set, sizeof set);
        printf("%s %s %s", i ? "," : "", param->name, own);
        if (strcmp(own, set) != 0) printf(" (instead of %s)", set);
    }
    printf("\n");
}

void wbPrintQualities(const wbScene *scene) {
    for (int i = 0; i < scene->fluidCount; i++) printQuality(scene, wbScene_GetFluid(scene, i));
}

void wbPrintBlocks(const wbScene *scene, const wbWorld *world) {
    int dimensions = wbWorld_GetWorldParams(world)->dimensions;
    for (int i = 0; i < scene->fluidCount; i++) {
        const wbSceneFluid *fluid = wbScene_GetFluid(scene, i);
        wbFluidId id = wbWorld_GetFluid(world, i);
        double held = 0, mass = wbScene_MeasureBlocks(scene, fluid) * wbFluid_GetRestDensity(world, id);
        for (int k = 0; k < fluid->blockCount; k++)
            held += wbScene_CountBlock(scene, fluid->solver, (const wbBlockDef *)fluid->blocks.data + k) *
                    pow(wbFluid_GetSpacing(world, id), dimensions) * wbFluid_GetRestDensity(world, id);
        if (fabs(mass - held) <= leastShare * mass) continue;
        printf("blocks     of %s: %.4g kg of %.4g kg, %.3g %% are %s, as layers of %.4g m do not fill them\n",
               fluid->name, held, mass, 100 * fabs(1 - held / mass), held < mass ? "missing" : "too much",
               wbFluid_GetSpacing(world, id));
    }
}

void wbWarnOfTimeStep(const wbWorld *world) {
    double dt = (double)wbWorld_GetWorldParams(world)->dt, limit = (double)wbWorld_GetStableStep(world);
    if (dt > 1.001 * limit)
        wbComplain("warning: world.dt is %.4g s, above the stability limit of %.4g s", dt, limit);
}

void wbWarnOfCompression(wbWorld *world) {
    const double allowed = 0.2;
    for (int i = 0; i < wbWorld_GetFluidCount(world); i++) {
        wbFluidId fluid = wbWorld_GetFluid(world, i);
        wbView view;
        int densest = 0;
        if (!wbIsOk(wbFluid_GetView(world, fluid, &view)) || view.count == 0) continue;
        if (view.mass) continue; // what was merged has a rest density of its own for a while
        for (int k = 1; k < view.count; k++)
            if (view.density[k] > view.density[densest]) densest = k;
        double compression = (double)view.density[densest] / wbFluid_GetRestDensity(world, fluid) - 1;
        if (compression > allowed)
            wbComplain("warning: the first step finds fluid \"%s\" compressed by %.3g %%, worst at (%.4g, "
                       "%.4g, %.4g) m: do "
                       "blocks or particles lie in each other?",
                       wbFluid_GetName(world, fluid), 100 * compression, (double)view.x[densest],
                       (double)view.y[densest], (double)view.z[densest]);
    }
}
