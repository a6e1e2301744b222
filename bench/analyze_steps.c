// SPDX-License-Identifier: MIT
#include "bench/analyze_steps.h"

#include <math.h>
#include <stdlib.h>

#include "bench/case_springs.h"
#include "core/status.h"
#include "core/timer.h"
#include "pbd/pbd_build.h"

static const float frame = 1.0f / 60;

typedef struct Row {
    int iterations, subSteps;
    double stretch;     // of the springs, by what it should be
    double lost[2], ms; // of the rope, by Euler and BDF2; of a step of the cloth
} Row;

static bool isStopped(const wbAnalyzeOptions *options) { return options->stop && *options->stop; }

static wbStatus create(const Row *row, wbCaseBodies *bodies) {
    WB_TRY(wbCreateCaseBodies(&(wbCaseMachine){.threadCount = 1, .deviceIndex = -1}, bodies));
    bodies->model.params.iterations = row->iterations, bodies->model.params.subSteps = row->subSteps;
    return wb_okStatus;
}

static wbStatus stepAll(const wbAnalyzeOptions *options, wbCaseBodies *bodies) {
    for (int k = 0; k < 600 && !isStopped(options); k++) WB_TRY(wbCaseBodies_Step(bodies, frame));
    return wb_okStatus;
}

static wbStatus hangSprings(const wbAnalyzeOptions *options, wbCaseBodies *bodies, Row *row) {
    WB_TRY(wbHangSprings(bodies));
    WB_TRY(stepAll(options, bodies));
    row->stretch = wbGetSpringStretch(bodies);
    return wb_okStatus;
}

static wbStatus swingRope(const wbAnalyzeOptions *options, wbCaseBodies *bodies, double *lost) {
    WB_TRY(wbHoldRope(bodies));
    WB_TRY(stepAll(options, bodies));
    *lost = 1 - wbGetRopeEnergy(bodies);
    return wb_okStatus;
}

static int compareDoubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static wbStatus timeCloth(wbCaseBodies *bodies, double *result) {
    enum { REPEATS = 21, SIDE = 60 };
    double ms[REPEATS];
    wbPbdBody cloth;
    WB_TRY(wbBuildCloth(&bodies->pbd, &bodies->work, wbMakeVec3(0, 0, 0), wbMakeVec3(1, 0, 0),
                        wbMakeVec3(0, 0, 1), SIDE, SIDE, wb_bendingNone, 1, &cloth));
    bodies->pbd.w[0] = bodies->pbd.w[SIDE - 1] = 0;
    for (int k = 0; k < REPEATS; k++) {
        double mark = wbGetSeconds();
        WB_TRY(wbCaseBodies_Step(bodies, frame));
        ms[k] = wbLapMs(&mark);
    }
    qsort(ms, REPEATS, sizeof ms[0], compareDoubles);
    *result = ms[REPEATS / 2];
    return wb_okStatus;
}

static wbStatus measure(const wbAnalyzeOptions *options, Row *row) {
    for (int part = 0; part < 4 && !isStopped(options); part++) {
        wbCaseBodies bodies;
        WB_TRY(create(row, &bodies));
        if (part == 2) bodies.model.params.integrator = wb_pbdBdf2;
        wbStatus status = part == 0   ? hangSprings(options, &bodies, row)
                          : part == 3 ? timeCloth(&bodies, &row->ms)
                                      : swingRope(options, &bodies, &row->lost[part - 1]);
        wbDestroyCaseBodies(&bodies);
        WB_TRY(status);
    }
    return wb_okStatus;
}

wbStatus wbAnalyzeSteps(const wbAnalyzeOptions *options, FILE *out) {
    Row rows[] = {{.iterations = 1, .subSteps = 1},   {.iterations = 5, .subSteps = 1},
                  {.iterations = 1, .subSteps = 5},   {.iterations = 20, .subSteps = 1},
                  {.iterations = 4, .subSteps = 5},   {.iterations = 1, .subSteps = 20},
                  {.iterations = 100, .subSteps = 1}, {.iterations = 1, .subSteps = 100}};
    const size_t count = sizeof rows / sizeof rows[0];
    if (!options->json)
        fprintf(out,
                "\n20 springs in a row, a rope of 20 links that swings for 10 s, a cloth of 60 x 60 "
                "particles on one thread:\n\n%-12s %10s %18s %18s %18s %12s\n",
                "iterations", "sub-steps", "springs too long", "rope lost, euler", "rope lost, bdf2",
                "ms per step");
    for (size_t k = 0; k < count && !isStopped(options); k++) {
        Row *row = &rows[k];
        WB_TRY(measure(options, row));
        if (isStopped(options)) break;
        fprintf(out,
                options->json
                    ? "{\"part\": \"steps\", \"iterations\": %d, \"subSteps\": %d, \"stretch\": %.6g, "
                      "\"lostEuler\": %.6g, \"lostBdf2\": %.6g, \"ms\": %.4g}\n"
                    : "%-12d %10d %18.4f %18.4f %18.4f %12.3f\n",
                row->iterations, row->subSteps, row->stretch - (options->json ? 0 : 1), row->lost[0],
                row->lost[1], row->ms);
    }
    return wb_okStatus;
}

// One constraint's ends as they would be if it alone acted.
typedef struct Ends {
    float p[2][3];
} Ends;

static Ends solveAlone(const wbPbd *pbd, int k) {
    const float *x[3] = {pbd->x, pbd->y, pbd->z};
    int i = pbd->first[k], j = pbd->second[k];
    float gap[3], r2 = 0, weight = pbd->w[i] + pbd->w[j];
    Ends ends;
    for (int a = 0; a < 3; a++) gap[a] = x[a][i] - x[a][j], r2 += gap[a] * gap[a];
    float r = sqrtf(r2), push = weight > 0 && r > 0 ? (pbd->rest[k] - r) / (weight * r) : 0;
    for (int a = 0; a < 3; a++) {
        ends.p[0][a] = x[a][i] + push * pbd->w[i] * gap[a];
        ends.p[1][a] = x[a][j] - push * pbd->w[j] * gap[a];
    }
    return ends;
}

void wbSolveUncoloured(wbPbd *pbd) {
    Ends ends[WB_AT_ONCE];
    float *x[3] = {pbd->x, pbd->y, pbd->z};
    for (int begin = 0; begin < pbd->constraintCount; begin += WB_AT_ONCE) {
        int count = pbd->constraintCount - begin < WB_AT_ONCE ? pbd->constraintCount - begin : WB_AT_ONCE;
        for (int k = 0; k < count; k++) ends[k] = solveAlone(pbd, begin + k);
        for (int k = 0; k < count; k++)
            for (int a = 0; a < 3; a++)
                x[a][pbd->first[begin + k]] = ends[k].p[0][a], x[a][pbd->second[begin + k]] = ends[k].p[1][a];
    }
}
