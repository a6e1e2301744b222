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
    wbCaseMachine machine = {options->threadCount, options->simd, options->backend, options->deviceIndex};
    WB_TRY(wbCreateSmokeVolume(volume, &machine, &params, &domain, 3));
    wbStatus status = wbFillSolids(volume, isInBall, NULL);
    if (!wbIsOk(status)) wbDestroySmokeVolume(volume);
    return status;
}

static wbStatus timeSteps(wbSmokeVolume *volume, const wbBenchCase *benchCase, const wbBenchOptions *options,
                          wbBenchTimes *times) {
    wbBenchStage stages[wb_smokePhaseCount];
    for (int n = 0; n < benchCase->warmUp + benchCase->timed && !wbIsBenchStopped(options); n++) {
        double mark = wbGetSeconds();
        WB_TRY(wbSmokeVolume_Step(volume, &source, 1, n * (double)dt, dt));
        double ms = wbLapMs(&mark);
        for (int k = 0; k < wb_smokePhaseCount; k++) stages[k].ms = volume->smoke.ms[k];
        if (n >= benchCase->warmUp) wbBenchTimes_Add(times, ms, stages, wb_smokePhaseCount);
    }
    return wb_okStatus;
}

static void describe(const wbSmokeVolume *volume, wbBenchResult *result) {
    const wbSmokeGrid *grid = &volume->smoke.grid;
    wbDescribeMachine(result, volume->gpu ? wbGpu_GetDevice(volume->gpu) : NULL, &volume->work);
    result->dimensions = 3;
    result->cells = (int64_t)grid->nx * grid->ny * grid->nz;
    result->hash = wbSmoke_Hash(&volume->smoke, WB_HASH_START);
    for (int k = 0; k < wb_smokePhaseCount; k++) result->stages[k].name = wb_smokePhaseNames[k];
}

wbStatus wbBenchSmoke(const wbBenchCase *benchCase, const wbBenchOptions *options, wbBenchResult *result) {
    wbSmokeVolume volume;
    wbBenchTimes times = {0};
    WB_TRY(createPlume(benchCase->name, options, &volume));
    wbStatus status = wbCreateBenchTimes(benchCase->timed, &times);
    if (wbIsOk(status)) status = timeSteps(&volume, benchCase, options, &times);
    if (wbIsOk(status)) status = wbSmokeVolume_Pull(&volume);
    if (wbIsOk(status)) {
        describe(&volume, result);
        wbBenchTimes_Summarise(&times, result);
        result->stopped = wbIsBenchStopped(options);
    }
    wbDestroyBenchTimes(&times);
    wbDestroySmokeVolume(&volume);
    return status;
}
