// SPDX-License-Identifier: MIT
// Position based fluids with particles of different sizes beside the same water of one size: NAME-adaptive and NAME-basic have one scene,
// and NAME alone is both, one after the other, with what the first gains.
#include <string.h>

#include "bench/bench_case.h"
#include "core/status.h"
#include "core/timer.h"
#include "wirbel/scene.h"

static const char basicEnding[] = "-basic", adaptiveEnding[] = "-adaptive";

static bool endsWith(const char *name, const char *ending) {
    const size_t length = strlen(name), own = strlen(ending);
    return length > own && strcmp(name + length - own, ending) == 0;
}

static int getStem(const char *name) {
    const char *const endings[] = {basicEnding, adaptiveEnding};
    for (int k = 0; k < 2; k++)
        if (endsWith(name, endings[k])) return (int)(strlen(name) - strlen(endings[k]));
    return (int)strlen(name);
}

// The scene of a name without its ending, on the machine of the options.
static wbStatus openScene(const char *name, const wbBenchOptions *options, wbScene **scene) {
    char path[1024], stem[64];
    snprintf(stem, sizeof stem, "%.*s", getStem(name), name);
    WB_TRY(wbGetBenchScene(&(wbBenchCase){.name = stem}, options, path, sizeof path));
    WB_TRY(wbReadBenchScene(path, options, scene));
    if (endsWith(name, basicEnding)) wbScene_GetWorldDef(*scene)->pbf.adaptive.method = wb_adaptiveOff;
    return wb_okStatus;
}

static void describeSizes(wbWorld *world, wbBenchResult *result) {
    const wbStats stats = wbWorld_GetStats(world);
    result->merges = stats.merges, result->splits = stats.splits;
    result->smallestRadius = stats.smallestRadius, result->largestRadius = stats.largestRadius;
    result->bytesHeld = wbWorld_GetProfile(world).bytes;
    result->densityErrorMean = stats.densityErrorMean, result->densityErrorMax = stats.densityErrorMax;
}

wbStatus wbBenchSizes(const wbBenchCase *benchCase, const wbBenchOptions *options, wbBenchResult *result) {
    wbScene *scene;
    wbWorld *world = NULL;
    WB_TRY(openScene(benchCase->name, options, &scene));
    wbStatus status = wbScene_CreateWorld(scene, &world);
    if (wbIsOk(status)) status = wbTimeWorld(world, benchCase->warmUp, benchCase->timed, options, result);
    if (wbIsOk(status)) describeSizes(world, result);
    wbDestroyWorld(world);
    wbDestroyScene(scene);
    return status;
}

static void print(const wbBenchOptions *options, const wbBenchResult *result, FILE *out) {
    (options->json ? wbPrintBenchJson : wbPrintBenchRow)(result, out);
    fflush(out);
}

static wbBenchResult beginResult(const char *name) {
    wbBenchResult result = {.name = name, .backend = "cpu"};
    wbGetDeviceName(result.device, sizeof result.device);
    return result;
}

// By wall time of a simulated second: steps and sub-steps are each method's own.
wbStatus wbReportSizes(const wbBenchReport *report, const wbBenchOptions *options, FILE *out) {
    char names[2][64];
    wbBenchResult results[2];
    if (!options->json) wbPrintBenchHeader(out);
    for (int k = 0; k < 2; k++) {
        snprintf(names[k], sizeof names[k], "%s%s", report->name, k ? adaptiveEnding : basicEnding);
        const wbBenchCase part = {.name = names[k],
                                  .warmUp = wbShortenSteps(options, report->warmUp),
                                  .timed = wbShortenSteps(options, report->timed)};
        results[k] = beginResult(names[k]);
        WB_TRY(wbBenchSizes(&part, options, &results[k]));
        if (results[k].stopped) return wb_okStatus;
        if (k && results[0].realtime > 0) results[k].gain = results[k].realtime / results[0].realtime;
        print(options, &results[k], out);
    }
    return wb_okStatus;
}

// Steps to an instant, with the scene's script.
static wbStatus runTo(const wbScene *scene, wbWorld *world, double time, const wbBenchOptions *options) {
    while (wbWorld_GetTime(world) < time - 1e-6 && !wbIsBenchStopped(options)) {
        WB_TRY(wbScene_RunScript(scene, world));
        WB_TRY(wbWorld_Step(world, 0));
    }
    return wbScene_RunScript(scene, world);
}

// The source's instants, s (L. Geyer 2022, tables 6.5 and 6.6): when its wall vanishes, and after. It has to wait for 30 s until its particles have merged; here
// they are filled at their sizes, and the wall vanishes after 5 s.
static wbStatus timeInstants(const char *name, const wbScene *scene, wbWorld *world,
                             const wbBenchOptions *options, FILE *out) {
    static const double plane[] = {30, 34, 40, 45, 50, 60, 70, 90}, space[] = {30, 43, 58, 90};
    const bool isPlane = wbWorld_GetWorldParams(world)->dimensions == 2;
    const double *instants = isPlane ? plane : space;
    const int all = (int)(isPlane ? sizeof plane : sizeof space) / (int)sizeof(double);
    const int count = options->quick ? 2 : all;
    const double skipped = 25;
    for (int k = 0; k < count && !wbIsBenchStopped(options); k++) {
        char line[96];
        snprintf(line, sizeof line, "%s-%.0fs", name, instants[k]);
        wbBenchResult result = beginResult(line);
        const double instant = instants[k] - skipped;
        WB_TRY(runTo(scene, world, options->quick ? 0.1 * instant : instant, options));
        WB_TRY(wbTimeWorld(world, 0, wbShortenSteps(options, 20), options, &result));
        describeSizes(world, &result);
        if (!result.stopped) print(options, &result, out);
    }
    return wb_okStatus;
}

wbStatus wbReportWaterfall(const wbBenchReport *report, const wbBenchOptions *options, FILE *out) {
    if (!options->json) wbPrintBenchHeader(out);
    const bool isOne = getStem(report->name) < (int)strlen(report->name);
    for (int k = 0; k < (isOne ? 1 : 2); k++) {
        char name[64];
        wbScene *scene;
        wbWorld *world = NULL;
        snprintf(name, sizeof name, "%s%s", report->name, isOne ? "" : k ? adaptiveEnding : basicEnding);
        WB_TRY(openScene(name, options, &scene));
        wbStatus status = wbScene_CreateWorld(scene, &world);
        if (wbIsOk(status)) status = timeInstants(name, scene, world, options, out);
        wbDestroyWorld(world);
        wbDestroyScene(scene);
        WB_TRY(status);
    }
    return wb_okStatus;
}
