// SPDX-License-Identifier: MIT
// The clock is around wbWorld_Step alone: no rendering, no output, no copy of particle data.
#include <limits.h>

#include "bench/bench_case.h"
#include "core/status.h"
#include "core/timer.h"
#include "wirbel/scene.h"
#include "world/world.h"

wbStatus wbReadBenchScene(const char *path, const wbBenchOptions *options, wbScene **scene) {
    WB_TRY(wbReadScene(path, scene));
    wbWorldDef *def = wbScene_GetWorldDef(*scene);
    def->threadCount = options->threadCount;
    def->simd = options->simd;
    def->params.backend = options->backend;
    def->params.device = options->deviceIndex;
    return wb_okStatus;
}

wbStatus wbLoadBenchWorld(const char *path, const wbBenchOptions *options, const wbIntegrator *integrator,
                          wbWorld **world) {
    wbScene *scene;
    WB_TRY(wbReadBenchScene(path, options, &scene));
    if (integrator) wbScene_GetWorldDef(scene)->sph.integrator = *integrator;
    wbStatus status = wbScene_CreateWorld(scene, world);
    wbDestroyScene(scene);
    return status;
}

// Emitters with a count have emitted it.
static bool isPoured(const wbWorld *world) {
    for (int i = 0; i < wbWorld_GetEmitterCount(world); i++) {
        wbEmitterId emitter = wbWorld_GetEmitter(world, i);
        int count = wbEmitter_GetParams(world, emitter)->count;
        if (count < INT_MAX && wbEmitter_GetStats(world, emitter).emitted < count) return false;
    }
    return true;
}

static wbStatus pour(wbWorld *world, const wbBenchOptions *options) {
    double end = wbWorld_GetWorldParams(world)->seconds;
    while (!isPoured(world) && !wbIsBenchStopped(options)) {
        if (wbWorld_GetTime(world) > end)
            return wbError(wb_errorInput, "not all has been poured after world.seconds = %g s", end);
        WB_TRY(wbWorld_Step(world, 0));
    }
    return wb_okStatus;
}

static wbStatus warmUp(wbWorld *world, int steps, const wbBenchOptions *options) {
    for (int i = 0; i < steps && !wbIsBenchStopped(options); i++) WB_TRY(wbWorld_Step(world, 0));
    return wb_okStatus;
}

wbStatus wbTimeStep(wbWorld *world, wbBenchTimes *times) {
    wbBenchStage stages[WB_MAX_PHASES];
    double mark = wbGetSeconds();
    WB_TRY(wbWorld_Step(world, 0));
    double ms = wbLapMs(&mark);
    wbProfile profile = wbWorld_GetProfile(world);
    for (int k = 0; k < profile.phaseCount; k++) stages[k].ms = profile.phases[k].ms;
    wbBenchTimes_Add(times, ms, stages, profile.phaseCount);
    return wb_okStatus;
}

static wbStatus timeSteps(wbWorld *world, wbBenchTimes *times, const wbBenchOptions *options) {
    while (times->count < times->capacity && !wbIsBenchStopped(options)) WB_TRY(wbTimeStep(world, times));
    return wb_okStatus;
}

double wbGetRealTime(const wbBenchTimes *times, double seconds) {
    double ms = 0;
    for (int k = 0; k < times->count; k++) ms += times->whole[k];
    return ms > 0 ? 1000 * seconds / ms : 0;
}

// Kernel times are summed since the device was opened: `before` stands for the warm-up.
typedef struct KernelTimes {
    wbGpuKernelTime times[WB_MAX_KERNELS];
    int count;
} KernelTimes;

static KernelTimes getKernelTimes(const wbWorld *world) {
    KernelTimes result = {.count = 0};
    if (world->gpu) result.count = wbGpu_GetKernelTimes(world->gpu, result.times, WB_MAX_KERNELS);
    if (result.count > WB_MAX_KERNELS) result.count = WB_MAX_KERNELS;
    return result;
}

// By the kernel itself, whose name stays where it is: programs that were built since stand before the others.
static double getMsBefore(const KernelTimes *before, const char *kernel) {
    for (int k = 0; k < before->count; k++)
        if (before->times[k].kernel == kernel) return before->times[k].ms;
    return 0;
}

static void describeKernels(const wbWorld *world, const KernelTimes *before, int steps,
                            wbBenchResult *result) {
    KernelTimes after = getKernelTimes(world);
    for (int k = 0; k < after.count && steps > 0; k++) {
        double ms = after.times[k].ms - getMsBefore(before, after.times[k].kernel);
        if (ms <= 0) continue;
        wbBenchKernel *kernel = &result->kernels[result->kernelCount++];
        snprintf(kernel->name, sizeof kernel->name, "%s", after.times[k].kernel);
        kernel->ms = ms / steps;
    }
}

void wbDescribeBenchWorld(wbWorld *world, wbBenchResult *result) {
    wbProfile profile = wbWorld_GetProfile(world);
    const wbDevice *device = wbWorld_GetDevice(world);
    if (device) {
        result->backend = "opencl";
        wbCopyPlain(result->device, sizeof result->device, device->name);
    }
    result->bodies = wbWorld_GetRigidBodyCount(world);
    result->simd = wbWorld_GetSimd(world);
    result->threads = device ? device->computeUnits : wbWorld_GetThreadCount(world);
    result->dimensions = wbWorld_GetWorldParams(world)->dimensions;
    result->particles = wbWorld_GetStats(world).particles;
    result->pairs = profile.pairs;
    result->subSteps = profile.pbfSubSteps;
    wbSmokeStats smoke = wbWorld_GetSmokeStats(world);
    result->cells = smoke.cells;
    result->divergenceBefore = smoke.divergenceBefore, result->divergenceAfter = smoke.divergence;
    result->bytes = profile.peakBytes;
    result->hash = wbWorld_Hash(world);
    for (int k = 0; k < profile.phaseCount; k++) result->stages[k].name = profile.phases[k].name;
}

wbStatus wbTimeWorld(wbWorld *world, int warmUpSteps, int timed, const wbBenchOptions *options,
                     wbBenchResult *result) {
    wbBenchTimes times;
    WB_TRY(wbCreateBenchTimes(timed, &times));
    wbStatus status = pour(world, options);
    if (wbIsOk(status)) status = warmUp(world, warmUpSteps, options);
    KernelTimes before = getKernelTimes(world);
    const double start = wbWorld_GetTime(world);
    if (wbIsOk(status)) status = timeSteps(world, &times, options);
    if (wbIsOk(status)) {
        result->realtime = wbGetRealTime(&times, wbWorld_GetTime(world) - start);
        describeKernels(world, &before, times.count, result);
        wbDescribeBenchWorld(world, result);
        wbBenchTimes_Summarise(&times, result);
        result->stopped = wbIsBenchStopped(options);
    }
    wbDestroyBenchTimes(&times);
    return status;
}

wbStatus wbBenchScene(const wbBenchCase *benchCase, const wbBenchOptions *options, wbBenchResult *result) {
    char path[1024];
    wbWorld *world;
    WB_TRY(wbGetBenchScene(benchCase, options, path, sizeof path));
    WB_TRY(wbLoadBenchWorld(path, options, NULL, &world));
    wbStatus status = wbTimeWorld(world, benchCase->warmUp, benchCase->timed, options, result);
    wbDestroyWorld(world);
    return status;
}
