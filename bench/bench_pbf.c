// SPDX-License-Identifier: MIT
// Position based fluids: a block that collapses in a box twice as long.
#include <stdlib.h>
#include <string.h>

#include "bench/bench_case.h"
#include "core/status.h"
#include "core/timer.h"

static const float spacing = 0.1f, dt = 1.0f / 60;

// Sites of the block, by the number at the end of the benchmark's name.
static const int *getSites(const char *name) {
    static const int known[][3] = {{20, 10, 20}, {32, 32, 32}, {50, 40, 50}};
    int particles = atoi(strrchr(name, '-') + 1);
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (known[k][0] * known[k][1] * known[k][2] == particles) return known[k];
    WB_ASSERT(false, "no block has this many particles");
    return NULL;
}

static wbStatus build(wbCaseFluid *fluid, const char *name) {
    const int *sites = getSites(name);
    wbPbfParams params = wbDefaultPbfParams();
    wbDomainDef domain = {
        .max = {2 * (float)sites[0] * spacing, 2 * (float)sites[1] * spacing, (float)sites[2] * spacing}};
    params.spacing = spacing, params.vorticity = 0.1f;
    WB_TRY(wbPbfModel_Init(&fluid->model, &params, &domain, wbMakeVec3(0, -9.81f, 0), 3));
    int count = sites[0] * sites[1] * sites[2];
    float *positions = wbArena_Alloc(fluid->work.arena, sizeof(float[3]) * (size_t)count);
    if (positions == NULL) return wbMemoryError(fluid->work.memory, "%d particles need", count);
    for (int i = 0; i < count; i++) {
        const int site[3] = {i % sites[0], i / sites[0] % sites[1], i / sites[0] / sites[1]};
        for (int a = 0; a < 3; a++) positions[3 * i + a] = spacing * ((float)site[a] + 0.5f);
    }
    return wbPbf_AddParticles(&fluid->pbf, fluid->work.memory, &fluid->model, count, positions, NULL);
}

static wbStatus timeSteps(wbCaseFluid *fluid, const wbBenchCase *benchCase, const wbBenchOptions *options,
                          wbBenchTimes *times) {
    for (int k = 0; k < benchCase->warmUp; k++) WB_TRY(wbCaseFluid_Step(fluid, dt));
    while (times->count < times->capacity && !wbIsBenchStopped(options)) {
        wbBenchStage stages[wb_pbfPhaseCount];
        double mark = wbGetSeconds();
        WB_TRY(wbCaseFluid_Step(fluid, dt));
        double ms = wbLapMs(&mark);
        for (int k = 0; k < wb_pbfPhaseCount; k++) stages[k].ms = fluid->pbf.ms[k];
        wbBenchTimes_Add(times, ms, stages, wb_pbfPhaseCount);
    }
    return wb_okStatus;
}

static void describe(wbCaseFluid *fluid, wbBenchTimes *times, wbBenchResult *result) {
    wbColumn columns[WB_PARTICLE_COLUMNS];
    wbDescribeMachine(result, fluid->gpu ? wbGpu_GetDevice(fluid->gpu) : NULL, &fluid->work);
    result->dimensions = 3;
    result->particles = fluid->pbf.particles.count;
    result->pairs = fluid->pbf.neighbours.pairs;
    wbParticles_ListColumns(&fluid->pbf.particles, columns);
    result->hash = wbHashColumns(columns, WB_PARTICLE_COLUMNS, fluid->pbf.particles.count);
    for (int k = 0; k < wb_pbfPhaseCount; k++) result->stages[k].name = wb_pbfPhaseNames[k];
    wbBenchTimes_Summarise(times, result);
}

wbStatus wbBenchFluid(const wbBenchCase *benchCase, const wbBenchOptions *options, wbBenchResult *result) {
    wbCaseMachine machine = {options->threadCount, options->simd, options->backend, options->deviceIndex};
    wbCaseFluid fluid;
    wbBenchTimes times = {0};
    WB_TRY(wbCreateCaseFluid(&machine, &fluid));
    wbStatus status = build(&fluid, benchCase->name);
    if (wbIsOk(status)) status = wbCreateBenchTimes(benchCase->timed, &times);
    if (wbIsOk(status)) status = timeSteps(&fluid, benchCase, options, &times);
    if (wbIsOk(status)) status = wbCaseFluid_Pull(&fluid);
    if (wbIsOk(status)) {
        describe(&fluid, &times, result);
        result->stopped = wbIsBenchStopped(options);
    }
    wbDestroyBenchTimes(&times);
    wbDestroyCaseFluid(&fluid);
    return status;
}
