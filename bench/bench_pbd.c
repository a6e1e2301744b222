// SPDX-License-Identifier: MIT
// Position based solids: balls that fall into a box, and a cloth that hangs from two corners.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_case.h"
#include "bench/case_work.h"
#include "core/hash.h"
#include "core/status.h"
#include "core/timer.h"
#include "pbd/pbd.h"
#include "pbd/pbd_build.h"

typedef struct Solids {
    wbWork work;
    wbPbd pbd;
    wbPbdModel model;
} Solids;

static const float dt = 1.0f / 60;

static void closeBox(wbPbd *pbd, float half, float height) {
    pbd->walls = (wbPbdWalls){.min = {-half, 0, -half}, .max = {half, height, half}};
    for (int side = 0; side < wb_sideCount; side++) pbd->walls.closed[side] = true;
}

// The distance below which a ball has nearly `wanted` pairs, by bisection over a copy.
static wbStatus findDistance(const wbWork *work, int particles, int wanted, float *distance) {
    float low = 0, high = 20;
    for (int k = 0; k < 24; k++) {
        wbPbd copy;
        wbPbdBody ball;
        wbPbd_Init(&copy);
        *distance = 0.5f * (low + high);
        wbStatus status = wbBuildSphere(&copy, work, wbMakeVec3(0, 0, 0), 10, particles, 1, &ball);
        if (wbIsOk(status)) status = wbConnectDecimated(&copy, work, ball, *distance, 19, 2);
        *(copy.constraintCount < wanted ? &low : &high) = *distance;
        bool close = abs(copy.constraintCount - wanted) * 50 <= wanted;
        wbPbd_Free(work->memory, &copy);
        if (!wbIsOk(status) || close) return status;
    }
    return wb_okStatus;
}

static wbStatus buildBall(Solids *solids, const char *name) {
    wbPbdBody ball;
    int particles = strstr(name, "ball-220") ? 220 : 702;
    WB_TRY(wbBuildSphere(&solids->pbd, &solids->work, wbMakeVec3(0, 15, 0), 10, particles, 1, &ball));
    closeBox(&solids->pbd, 30, 60);
    wbPbdParams *params = &solids->model.params;
    if (particles == 220) {
        params->iterations = 2;
        return wbConnectAll(&solids->pbd, &solids->work, ball);
    }
    float distance = 5;
    params->iterations = strstr(name, "-48k") ? 5 : 1;
    if (params->iterations == 5) WB_TRY(findDistance(&solids->work, particles, 48000, &distance));
    return wbConnectDecimated(&solids->pbd, &solids->work, ball, distance, 19, 2);
}

static wbStatus buildCloth(Solids *solids) {
    wbPbdBody cloth;
    WB_TRY(wbBuildCloth(&solids->pbd, &solids->work, wbMakeVec3(0, 0, 0), wbMakeVec3(2, 0, 0),
                        wbMakeVec3(0, 0, 2), 200, 200, 1, &cloth));
    solids->pbd.w[cloth.first] = solids->pbd.w[cloth.first + 199] = 0;
    return wb_okStatus;
}

static wbStatus build(Solids *solids, const char *name) {
    wbPbdParams *params = &solids->model.params;
    *params = wbDefaultPbdParams();
    solids->model.gravity = wbMakeVec3(0, -9.81f, 0);
    if (strstr(name, "-jp")) params->solver = wb_pbdJacobiParticles;
    if (strstr(name, "-jc")) params->solver = wb_pbdJacobiConstraints;
    return strstr(name, "cloth") ? buildCloth(solids) : buildBall(solids, name);
}

static wbStatus step(Solids *solids) {
    wbArena_Reset(solids->work.arena);
    return wbPbd_Step(&solids->pbd, &solids->model, &solids->work, dt);
}

static wbStatus timeSteps(Solids *solids, const wbBenchCase *benchCase, const wbBenchOptions *options,
                          wbBenchTimes *times) {
    for (int k = 0; k < benchCase->warmUp; k++) WB_TRY(step(solids));
    while (times->count < times->capacity && !wbIsBenchStopped(options)) {
        wbBenchStage stages[wb_pbdPhaseCount];
        double mark = wbGetSeconds();
        WB_TRY(step(solids));
        double ms = wbLapMs(&mark);
        for (int k = 0; k < wb_pbdPhaseCount; k++) stages[k].ms = solids->pbd.ms[k];
        wbBenchTimes_Add(times, ms, stages, wb_pbdPhaseCount);
    }
    return wb_okStatus;
}

static uint64_t hashParticles(wbPbd *pbd) {
    wbColumn columns[WB_PBD_COLUMNS];
    uint64_t hash = WB_HASH_START;
    wbPbd_ListColumns(pbd, columns);
    for (int k = 0; k < WB_PBD_COLUMNS; k++)
        if (columns[k].saved) hash = wbHashBytes(hash, *columns[k].data, sizeof(float) * (size_t)pbd->count);
    return hash;
}

static void describe(Solids *solids, wbBenchTimes *times, wbBenchResult *result) {
    const wbPbd *pbd = &solids->pbd;
    result->simd = solids->work.simd;
    result->threads = wbThreadPool_GetCount(solids->work.pool);
    result->dimensions = 3;
    result->particles = pbd->count;
    result->bodies = pbd->bodyCount;
    result->bytes = wbGetMemoryUse(solids->work.memory).peakBytes;
    result->hash = hashParticles(&solids->pbd);
    for (int k = 0; k < wb_pbdPhaseCount; k++) result->stages[k].name = wb_pbdPhaseNames[k];
    wbBenchTimes_Summarise(times, result);
    result->constraints = pbd->constraintCount, result->colours = pbd->colourCount;
    result->nsPerProjection = 1e6 * result->stages[wb_pbd_constraints].ms /
                              ((double)pbd->constraintCount * solids->model.params.iterations);
}

wbStatus wbBenchSolids(const wbBenchCase *benchCase, const wbBenchOptions *options, wbBenchResult *result) {
    if (options->backend != wb_backendCpu)
        return wbError(wb_errorInput, "%s runs on the cpu only", benchCase->name);
    Solids solids = {0};
    wbBenchTimes times = {0};
    WB_TRY(wbCreateCaseWork(options->threadCount, options->simd, &solids.work));
    wbPbd_Init(&solids.pbd);
    wbStatus status = build(&solids, benchCase->name);
    if (wbIsOk(status)) status = wbCreateBenchTimes(benchCase->timed, &times);
    if (wbIsOk(status)) status = timeSteps(&solids, benchCase, options, &times);
    if (wbIsOk(status)) {
        describe(&solids, &times, result);
        result->stopped = wbIsBenchStopped(options);
    }
    wbDestroyBenchTimes(&times);
    wbPbd_Free(solids.work.memory, &solids.pbd);
    wbDestroyCaseWork(&solids.work);
    return status;
}
