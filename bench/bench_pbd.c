// SPDX-License-Identifier: MIT
// Soft bodies: balls that fall into a box, and a cloth that hangs from two corners, with each solver.
#include <string.h>

#include "bench/analyze_solvers.h"
#include "bench/bench_case.h"
#include "core/status.h"
#include "world/soft.h"

static const char *const endings[WB_COMPARED_SOLVERS] = {"-gs", "-jp", "-jc"};

// The scene's name, and the solver that stands behind it.
static int cutEnding(const char *name, char *scene, size_t size) {
    size_t length = strlen(name) - strlen(endings[0]);
    snprintf(scene, size, "%.*s", (int)length, name);
    for (int s = 0; s < WB_COMPARED_SOLVERS; s++)
        if (strcmp(name + length, endings[s]) == 0) return s;
    return 0;
}

static void describe(const wbWorld *world, wbBenchResult *result) {
    const wbPbd *pbd = &wbGetSoft(world)->pbd;
    const wbPbdParams *params = wbWorld_GetPbdParams(world);
    for (int k = 0; k < wb_pbdPhaseCount; k++) result->stages[k].name = wb_pbdPhaseNames[k];
    result->bodies = pbd->bodyCount;
    result->constraints = pbd->constraintCount, result->colours = pbd->colourCount;
    result->nsPerProjection =
        1e6 * result->stages[wb_pbd_constraints].ms / ((double)pbd->constraintCount * params->iterations);
}

wbStatus wbBenchSoftBodies(const wbBenchCase *benchCase, const wbBenchOptions *options,
                           wbBenchResult *result) {
    char path[1024], name[64];
    wbWorld *world;
    int solver = cutEnding(benchCase->name, name, sizeof name);
    WB_TRY(wbGetBenchScene(&(wbBenchCase){.name = name}, options, path, sizeof path));
    WB_TRY(wbLoadBenchWorld(path, options, NULL, &world));
    wbStatus status = wbWorld_SetParam(world, "pbd.solver", wb_comparedSolverNames[solver]);
    if (wbIsOk(status)) status = wbTimeWorld(world, benchCase->warmUp, benchCase->timed, options, result);
    if (wbIsOk(status)) describe(world, result);
    wbDestroyWorld(world);
    return status;
}
