// SPDX-License-Identifier: MIT
#include "bench/analyze_sizes.h"

#include <math.h>

#include "core/status.h"
#include "wirbel/wirbel.h"

typedef struct Comparison {
    const wbScene *scene;
    const wbSizesOptions *options;
    FILE *out;
    wbWorld *worlds[WB_COMPARED_SIZES];
    double ms[WB_COMPARED_SIZES]; // of steps since the last row
} Comparison;

static bool isStopped(const Comparison *comparison) {
    return comparison->options->stop && *comparison->options->stop;
}

static wbStatus createWorlds(Comparison *comparison, wbScene *scene) {
    wbAdaptiveParams *params = &wbScene_GetWorldDef(scene)->pbf.adaptive;
    const wbAdaptiveMethod own = params->method;
    if (own == wb_adaptiveOff)
        return wbError(wb_errorInput, "the scene has no adaptive fluid: set pbf.adaptive.method");
    params->method = wb_adaptiveOff;
    wbStatus status = wbScene_CreateWorld(scene, &comparison->worlds[0]);
    params->method = own;
    return wbIsOk(status) ? wbScene_CreateWorld(scene, &comparison->worlds[1]) : status;
}

static wbStatus stepTo(Comparison *comparison, int which, double time) {
    wbWorld *world = comparison->worlds[which];
    while (wbWorld_GetTime(world) < time && !isStopped(comparison)) {
        WB_TRY(wbScene_RunScript(comparison->scene, world));
        WB_TRY(wbWorld_Step(world, 0));
        comparison->ms[which] += wbWorld_GetProfile(world).stepMs;
    }
    return wb_okStatus;
}

static void printHead(const Comparison *comparison) {
    if (!comparison->options->json)
        fprintf(comparison->out,
                "| s | particles, one size | different sizes | pairs, one size | different sizes | ms per "
                "simulated second, one size | different sizes |\n|---|---|---|---|---|---|---|\n");
}

static void printRow(Comparison *comparison) {
    const wbStats stats[2] = {wbWorld_GetStats(comparison->worlds[0]),
                              wbWorld_GetStats(comparison->worlds[1])};
    const wbProfile profiles[2] = {wbWorld_GetProfile(comparison->worlds[0]),
                                   wbWorld_GetProfile(comparison->worlds[1])};
    fprintf(comparison->out,
            comparison->options->json
                ? "{\"name\": \"sizes\", \"time\": %.4g, \"particles_basic\": %d, \"particles\": %d, "
                  "\"pairs_basic\": %lld, \"pairs\": %lld, \"ms_basic\": %.4g, \"ms\": %.4g}\n"
                : "| %.4g | %d | %d | %lld | %lld | %.4g | %.4g |\n",
            stats[0].time, stats[0].particles, stats[1].particles, (long long)profiles[0].pairs,
            (long long)profiles[1].pairs, comparison->ms[0], comparison->ms[1]);
    comparison->ms[0] = comparison->ms[1] = 0;
}

static wbStatus runFrames(Comparison *comparison) {
    const wbSizesOptions *options = comparison->options;
    const double fps = (double)wbScene_GetOutput(comparison->scene)->fps;
    double seconds = options->seconds;
    int rows = 0;
    if (seconds < 0) seconds = (double)wbWorld_GetWorldParams(comparison->worlds[0])->seconds;
    printHead(comparison);
    for (int frame = 0; (frame - 0.5) / fps < seconds && !isStopped(comparison); frame++) {
        for (int k = 0; k < WB_COMPARED_SIZES; k++) WB_TRY(stepTo(comparison, k, (frame - 1e-3) / fps));
        if (isStopped(comparison)) break;
        if (options->onFrame) WB_TRY(options->onFrame(comparison->worlds, frame, options->context));
        if (frame / fps >= rows + 1 - 1e-3) printRow(comparison), rows++;
    }
    if (!options->json) fprintf(comparison->out, "\n");
    return wb_okStatus;
}

wbStatus wbAnalyzeSizes(wbScene *scene, const wbSizesOptions *options, FILE *out) {
    Comparison comparison = {.scene = scene, .options = options, .out = out};
    wbStatus status = createWorlds(&comparison, scene);
    if (wbIsOk(status)) status = runFrames(&comparison);
    for (int k = 0; k < WB_COMPARED_SIZES; k++) wbDestroyWorld(comparison.worlds[k]);
    return status;
}
