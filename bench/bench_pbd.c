// SPDX-License-Identifier: MIT
// Position based solids: balls that fall into a box, and a cloth that hangs from two corners.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_case.h"
#include "core/status.h"
#include "core/timer.h"
#include "pbd/pbd_build.h"

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

static wbStatus buildBall(wbCaseSolids *solids, const char *name) {
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

static wbStatus buildCloth(wbCaseSolids *solids) {
    wbPbdBody cloth;
    WB_TRY(wbBuildCloth(&solids->pbd, &solids->work, wbMakeVec3(0, 0, 0), wbMakeVec3(2, 0, 0),
                        wbMakeVec3(0, 0, 2), 200, 200, wb_bendingOverTwoEdges, 1, &cloth));
    solids->pbd.w[cloth.first] = solids->pbd.w[cloth.first + 199] = 0;
    return wb_okStatus;
}

static wbStatus build(wbCaseSolids *solids, const char *name) {
    wbPbdParams *params = &solids->model.params;
    if (strstr(name, "-jp")) params->solver = wb_pbdJacobiParticles;
    if (strstr(name, "-jc")) params->solver = wb_pbdJacobiConstraints;
    return strstr(name, "cloth") ? buildCloth(solids) : buildBall(solids, name);
}

static wbStatus timeSteps(wbCaseSolids *solids, const wbBenchCase *benchCase, const wbBenchOptions *options,
                          wbBenchTimes *times) {
    for (int k = 0; k < benchCase->warmUp; k++) WB_TRY(wbCaseSolids_Step(solids, dt));
    while (times->count < times->capacity && !wbIsBenchStopped(options)) {
        wbBenchStage stages[wb_pbdPhaseCount];
        double mark = wbGetSeconds();
        WB_TRY(wbCaseSolids_Step(solids, dt));
        double ms = wbLapMs(&mark);
        for (int k = 0; k < wb_pbdPhaseCount; k++) stages[k].ms = solids->pbd.ms[k];
        wbBenchTimes_Add(times, ms, stages, wb_pbdPhaseCount);
    }
    return wb_okStatus;
}

static void describe(wbCaseSolids *solids, wbBenchTimes *times, wbBenchResult *result) {
    const wbPbd *pbd = &solids->pbd;
    wbColumn columns[WB_PBD_COLUMNS];
    wbDescribeMachine(result, solids->gpu ? wbGpu_GetDevice(solids->gpu) : NULL, &solids->work);
    result->dimensions = 3;
    result->particles = pbd->count;
    result->bodies = pbd->bodyCount;
    wbPbd_ListColumns(&solids->pbd, columns);
    result->hash = wbHashColumns(columns, WB_PBD_COLUMNS, solids->pbd.count);
    for (int k = 0; k < wb_pbdPhaseCount; k++) result->stages[k].name = wb_pbdPhaseNames[k];
    wbBenchTimes_Summarise(times, result);
    result->constraints = pbd->constraintCount, result->colours = pbd->colourCount;
    result->nsPerProjection = 1e6 * result->stages[wb_pbd_constraints].ms /
                              ((double)pbd->constraintCount * solids->model.params.iterations);
}

wbStatus wbBenchSolids(const wbBenchCase *benchCase, const wbBenchOptions *options, wbBenchResult *result) {
    wbCaseMachine machine = {options->threadCount, options->simd, options->backend, options->deviceIndex};
    wbCaseSolids solids;
    wbBenchTimes times = {0};
    WB_TRY(wbCreateCaseSolids(&machine, &solids));
    wbStatus status = build(&solids, benchCase->name);
    if (wbIsOk(status)) status = wbCreateBenchTimes(benchCase->timed, &times);
    if (wbIsOk(status)) status = timeSteps(&solids, benchCase, options, &times);
    if (wbIsOk(status)) status = wbCaseSolids_Pull(&solids);
    if (wbIsOk(status)) {
        describe(&solids, &times, result);
        result->stopped = wbIsBenchStopped(options);
    }
    wbDestroyBenchTimes(&times);
    wbDestroyCaseSolids(&solids);
    return status;
}
