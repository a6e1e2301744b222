// SPDX-License-Identifier: MIT
// A plume around a ball: a box of 2 m with an open top, hot smoke from a ball below a solid one. The name says how many
// cells the box has along an edge and how the pressure is found.
#include <stdlib.h>
#include <string.h>

#include "bench/bench_case.h"
#include "bench/smoke_volume.h"
#include "core/hash.h"
#include "core/status.h"
#include "core/timer.h"

static const float dt = 1.0f / 60;

static const wbSmokeSource source = {.shape = wb_sourceSphere,
                                     .centre = {1, 0.3f, 1},
                                     .radius = 0.2f,
                                     .feeds = true,
                                     .density = 1,
                                     .temperature = 1,
                                     .end = 1e9};

static bool isInBall(wbVec3 p, const void *context) {
    (void)context;
    float x = p.x - 1, y = p.y - 1.1f, z = p.z - 1;
    return x * x + y * y + z * z < 0.25f * 0.25f;
}

static wbStatus createPlume(const char *name, const wbBenchOptions *options, wbSmokeVolume *volume) {
    wbSmokeParams params = wbDefaultSmokeParams();
    params.cellSize = 2.0f / (float)atoi(name + strlen("smoke-plume-"));
    params.buoyancy = 4;
    params.weight = 0.2f;
    params.confinement = 0.3f;
    params.pressureSolver = strstr(name, "jacobi") ? wb_pressureJacobi : wb_pressureMultigrid;
    wbDomainDef domain = {.max = {2, 2, 2}};
    domain.sides[wb_top].type = wb_sideOpen;
    WB_TRY(wbCreateSmokeVolume(volume, &params, &domain, 3, options->threadCount, options->simd));
    return wbFillSolids(volume, isInBall, NULL);
}

static wbStatus step(wbSmokeVolume *volume, int n) {
    wbArena_Reset(volume->work.arena);
    return wbSmoke_Step(&volume->smoke, &volume->model, &volume->work, &source, 1, n * (double)dt, dt);
}

static wbStatus timeSteps(wbSmokeVolume *volume, const wbBenchCase *benchCase, const wbBenchOptions *options,
                          wbBenchTimes *times) {
    wbBenchStage stages[wb_smokePhaseCount];
    for (int n = 0; n < benchCase->warmUp + benchCase->timed && !wbIsBenchStopped(options); n++) {
        double mark = wbGetSeconds();
        WB_TRY(step(volume, n));
        double ms = wbLapMs(&mark);
        for (int k = 0; k < wb_smokePhaseCount; k++) stages[k].ms = volume->smoke.ms[k];
        if (n >= benchCase->warmUp) wbBenchTimes_Add(times, ms, stages, wb_smokePhaseCount);
    }
    return wb_okStatus;
}

static void describe(const wbSmokeVolume *volume, wbBenchResult *result) {
    const wbSmokeGrid *grid = &volume->smoke.grid;
    result->simd = volume->work.simd;
    result->threads = wbThreadPool_GetCount(volume->work.pool);
    result->dimensions = 3;
    result->cells = (int64_t)grid->nx * grid->ny * grid->nz;
    result->bytes = wbGetMemoryUse(volume->work.memory).peakBytes;
    result->hash = wbSmoke_Hash(&volume->smoke, WB_HASH_START);
    for (int k = 0; k < wb_smokePhaseCount; k++) result->stages[k].name = wb_smokePhaseNames[k];
}

wbStatus wbBenchSmoke(const wbBenchCase *benchCase, const wbBenchOptions *options, wbBenchResult *result) {
    if (options->backend != wb_backendCpu)
        return wbError(wb_errorInput, "%s runs on the cpu only: smoke has no kernels for compute devices",
                       benchCase->name);
    wbSmokeVolume volume;
    wbBenchTimes times = {0};
    wbStatus status = createPlume(benchCase->name, options, &volume);
    if (wbIsOk(status)) status = wbCreateBenchTimes(benchCase->timed, &times);
    if (wbIsOk(status)) status = timeSteps(&volume, benchCase, options, &times);
    if (wbIsOk(status)) {
        describe(&volume, result);
        wbBenchTimes_Summarise(&times, result);
        result->stopped = wbIsBenchStopped(options);
    }
    wbDestroyBenchTimes(&times);
    wbDestroySmokeVolume(&volume);
    return status;
}
