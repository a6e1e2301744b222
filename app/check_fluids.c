// SPDX-License-Identifier: MIT
#include "app/check_fluids.h"

#include <math.h>
#include <stdio.h>

#include "scene/scene.h"

// of a fluid's volume: less is rounding
static const double leastShare = 1e-3;

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
