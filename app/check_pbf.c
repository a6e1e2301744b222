// SPDX-License-Identifier: MIT
// What `wirbel check` says of position based fluids alone.
#include <stdio.h>

#include "app/solvers.h"

static void describe(const wbScene *scene, wbWorld *world) {
    (void)scene;
    const wbPbfParams *pbf = wbWorld_GetPbfParams(world);
    char subSteps[32];
    wbWorld_GetParam(world, "pbf.subSteps", subSteps, sizeof subSteps);
    if (pbf->subSteps == 0)
        snprintf(subSteps, sizeof subSteps, "%d (auto)", wbWorld_GetProfile(world).pbfSubSteps);
    printf("pbf        spacing %.4g m, h = %.3g spacings, rest density %.4g kg/m3, sub-steps %s x %d "
           "iterations\n",
           (double)pbf->spacing, (double)pbf->smoothing, (double)pbf->restDensity, subSteps, pbf->iterations);
}

const wbSolverReport wb_pbfReport = {.name = "pbf", .describe = describe};
