// SPDX-License-Identifier: MIT
// How fast simulated time goes by where steps are chosen by the scene, and how well the fluid keeps its volume and its energy meanwhile.
#include <math.h>

#include "bench/bench_case.h"
#include "core/status.h"
#include "wirbel/scene.h"

enum { EXPECTED_STEPS = 256 };

static double getEnergy(const wbStats *stats) { return stats->kinetic + stats->potential; }

static wbStatus warmUp(wbScene *scene, wbWorld *world, double seconds, const wbBenchOptions *options) {
    while (wbWorld_GetTime(world) < seconds && !wbIsBenchStopped(options)) {
        WB_TRY(wbScene_RunScript(scene, world));
        WB_TRY(wbWorld_Step(world, 0));
    }
    return wb_okStatus;
}

// What a step left, looked at while the clock stands.
static void addErrors(const wbStats *stats, double start, wbBenchResult *result) {
    result->densityErrorMean += stats->densityErrorMean, result->densityErrorMax += stats->densityErrorMax;
    result->densityErrorWorst = fmax(result->densityErrorWorst, stats->densityErrorMax);
    result->energyMax = fmax(result->energyMax, getEnergy(stats) / start);
}

static wbStatus timeSeconds(wbScene *scene, wbWorld *world, double seconds, const wbBenchOptions *options,
                            wbBenchTimes *times, wbBenchResult *result) {
    wbStats stats = wbWorld_GetStats(world);
    const double energy = getEnergy(&stats), begin = wbWorld_GetTime(world);
    while (wbWorld_GetTime(world) < begin + seconds && !wbIsBenchStopped(options)) {
        WB_TRY(wbBenchTimes_Grow(times));
        WB_TRY(wbScene_RunScript(scene, world));
        WB_TRY(wbTimeStep(world, times));
        stats = wbWorld_GetStats(world);
        addErrors(&stats, energy, result);
    }
    if (times->count == 0) return wb_okStatus;
    result->densityErrorMean /= times->count, result->densityErrorMax /= times->count;
    result->realtime = wbGetRealTime(times, wbWorld_GetTime(world) - begin);
    return wb_okStatus;
}

static wbStatus runWorld(wbScene *scene, wbWorld *world, const wbBenchCase *benchCase,
                         const wbBenchOptions *options, wbBenchResult *result) {
    wbBenchTimes times;
    WB_TRY(wbCreateBenchTimes(EXPECTED_STEPS, &times));
    wbStatus status = warmUp(scene, world, 1e-3 * benchCase->warmUp, options);
    if (wbIsOk(status)) status = timeSeconds(scene, world, 1e-3 * benchCase->timed, options, &times, result);
    if (wbIsOk(status)) {
        wbDescribeBenchWorld(world, result);
        wbBenchTimes_Summarise(&times, result);
        result->stopped = wbIsBenchStopped(options);
    }
    wbDestroyBenchTimes(&times);
    return status;
}

static wbStatus runFile(const char *path, const wbBenchCase *benchCase, const wbBenchOptions *options,
                        wbBenchResult *result) {
    wbScene *scene;
    wbWorld *world = NULL;
    WB_TRY(wbReadBenchScene(path, options, &scene));
    wbStatus status = wbScene_CreateWorld(scene, &world);
    if (wbIsOk(status)) status = runWorld(scene, world, benchCase, options, result);
    wbDestroyWorld(world);
    wbDestroyScene(scene);
    return status;
}

wbStatus wbBenchLive(const wbBenchCase *benchCase, const wbBenchOptions *options, wbBenchResult *result) {
    char path[1024];
    WB_TRY(wbGetBenchScene(benchCase, options, path, sizeof path));
    return runFile(path, benchCase, options, result);
}

wbStatus wbBenchShown(const wbBenchCase *benchCase, const wbBenchOptions *options, wbBenchResult *result) {
    char path[1024];
    WB_TRY(wbGetShownScene(benchCase->name, options, path, sizeof path));
    return runFile(path, benchCase, options, result);
}
