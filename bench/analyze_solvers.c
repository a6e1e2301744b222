// SPDX-License-Identifier: MIT
#include "bench/analyze_solvers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/analyze_fluid.h"
#include "bench/analyze_steps.h"
#include "bench/plot.h"
#include "core/array.h"
#include "core/output_file.h"
#include "core/status.h"
#include "world/soft.h"

const char *const wb_comparedSolverNames[WB_COMPARED_SOLVERS] = {"gaussSeidel", "jacobiParticles",
                                                                 "jacobiConstraints"};
const char *const wb_comparedSolverLabels[WB_COMPARED_SOLVERS] = {"Gauss-Seidel", "Jacobi by particles",
                                                                  "Jacobi by constraints"};

// Numbers of iterations that are tried; 0 is the state that is solved.
static const int tries[] = {0, 1, 2, 3, 4, 5, 7, 10, 14, 20, 28, 40, 56, 80, 100};
// Those that the whole scene is run with again.
static const int sceneTries[] = {1, 2, 5, 10};
enum {
    TRIES = sizeof tries / sizeof tries[0],
    SCENE_TRIES = sizeof sceneTries / sizeof sceneTries[0],
    REPEATS = 5,
    MOVING = 6
};

typedef struct Curve {
    double x[TRIES], residual[TRIES], ms[TRIES];
} Curve;

// A frame's number and the error of each solver there.
typedef struct Sample {
    double time, error[WB_COMPARED_SOLVERS];
} Sample;

typedef struct Analysis {
    const wbScene *scene;
    const wbAnalyzeOptions *options;
    FILE *out;
    wbWorld *worlds[WB_COMPARED_SOLVERS];
    wbArray samples; // Sample
    int sampleCount;
    wbArray worst; // float[MOVING] per particle: the most deformed state
    double worstError, worstTime;
    int own;        // the scene's solver
    int iterations; // that it runs with; 0: its own
    Curve curves[WB_COMPARED_SOLVERS];
    Curve uncoloured;                                 // residual alone
    double highest[WB_COMPARED_SOLVERS][SCENE_TRIES]; // error of the whole scene
    double final[WB_COMPARED_SOLVERS][SCENE_TRIES];
} Analysis;

static bool isStopped(const Analysis *analysis) {
    return analysis->options->stop && *analysis->options->stop;
}

static wbPbd *getPbd(const Analysis *analysis, int solver) {
    return &wbGetSoft(analysis->worlds[solver])->pbd;
}

static void listMoving(const wbPbd *pbd, float *columns[MOVING]) {
    float *const list[MOVING] = {pbd->x, pbd->y, pbd->z, pbd->vx, pbd->vy, pbd->vz};
    memcpy(columns, list, sizeof list);
}

// While the scene runs

static void keepWorst(Analysis *analysis, double error) {
    const wbPbd *pbd = getPbd(analysis, analysis->own);
    float *columns[MOVING], *kept = analysis->worst.data;
    size_t count = (size_t)pbd->count;
    if (error <= analysis->worstError) return;
    analysis->worstError = error, analysis->worstTime = wbWorld_GetTime(analysis->worlds[analysis->own]);
    listMoving(pbd, columns);
    for (size_t c = 0; c < MOVING; c++) memcpy(kept + c * count, columns[c], sizeof(float) * count);
}

static wbStatus addSample(Analysis *analysis, int frame) {
    if (!wbArray_Reserve(NULL, &analysis->samples, analysis->sampleCount + 1))
        return wbMemoryError(NULL, "the errors of %d frames need", frame);
    Sample *sample = (Sample *)analysis->samples.data + analysis->sampleCount++;
    sample->time = wbWorld_GetTime(analysis->worlds[0]);
    for (int s = 0; s < WB_COMPARED_SOLVERS; s++)
        WB_TRY(wbWorld_GetLengthError(analysis->worlds[s], &sample->error[s]));
    keepWorst(analysis, sample->error[analysis->own]);
    const wbAnalyzeOptions *options = analysis->options;
    return options->onFrame ? options->onFrame(analysis->worlds, frame, options->context) : wb_okStatus;
}

static wbStatus stepWorld(const Analysis *analysis, int solver) {
    wbWorld *world = analysis->worlds[solver];
    WB_TRY(wbScene_RunScript(analysis->scene, world));
    WB_TRY(wbWorld_SetParam(world, "pbd.solver", wb_comparedSolverNames[solver]));
    if (analysis->iterations) {
        char text[16];
        snprintf(text, sizeof text, "%d", analysis->iterations);
        WB_TRY(wbWorld_SetParam(world, "pbd.iterations", text));
    }
    wbStatus status = wbWorld_Step(world, 0);
    return wbIsOk(status) ? status
                          : wbError(status.code, "%s: %s", wb_comparedSolverLabels[solver], status.text);
}

static wbStatus runScene(Analysis *analysis) {
    double fps = (double)wbScene_GetOutput(analysis->scene)->fps, seconds = analysis->options->seconds;
    if (seconds < 0) seconds = (double)wbWorld_GetWorldParams(analysis->worlds[0])->seconds;
    WB_TRY(addSample(analysis, 0));
    for (int frame = 1; (frame - 0.5) / fps < seconds && !isStopped(analysis); frame++) {
        for (int s = 0; s < WB_COMPARED_SOLVERS; s++)
            while (wbWorld_GetTime(analysis->worlds[s]) < (frame - 1e-3) / fps && !isStopped(analysis))
                WB_TRY(stepWorld(analysis, s));
        WB_TRY(addSample(analysis, frame));
    }
    return wb_okStatus;
}

// From the most deformed state

static void restoreWorst(const Analysis *analysis, wbPbd *pbd) {
    float *columns[MOVING];
    const float *kept = analysis->worst.data;
    size_t count = (size_t)pbd->count;
    listMoving(pbd, columns);
    for (size_t c = 0; c < MOVING; c++)
        if (c < 3)
            memcpy(columns[c], kept + c * count, sizeof(float) * count);
        else
            memset(columns[c], 0, sizeof(float) * count);
    pbd->previousDt = pbd->history.dt = 0;
}

static wbStatus solveOnce(const Analysis *analysis, int solver, int iterations, double *ms) {
    wbWorld *world = analysis->worlds[solver];
    wbSoft *soft = wbGetSoft(world);
    const wbDomain nothing = {.dimensions = 3}; // neither sides nor gravity
    wbPbdModel model = {.params = soft->model.params, .domain = &nothing};
    model.params.solver = (wbPbdSolver)solver, model.params.iterations = iterations;
    model.params.subSteps = 1, model.params.radius = 0, model.params.drag = 0;
    model.params.integrator = wb_pbdEuler;
    const float dt = 1.0f / 60;
    WB_TRY(wbPullState(world));
    restoreWorst(analysis, &soft->pbd);
    if (!wbArena_Reset(world->work.arena)) return wbMemoryError(world->memory, "a step needs");
    wbPbdGpu *device = world->solvers[wb_solverIndex_pbd].device;
    if (device) {
        wbPbdGpu_Invalidate(device);
        WB_TRY(wbPbdGpu_Step(device, &soft->pbd, &model, &world->work, dt));
        WB_TRY(wbPbdGpu_Pull(device, &soft->pbd));
    } else {
        WB_TRY(wbPbd_Step(&soft->pbd, &model, &world->work, dt));
    }
    *ms = soft->pbd.ms[wb_pbd_constraints];
    return wb_okStatus;
}

static int compareDoubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static wbStatus measureCurve(Analysis *analysis, int solver) {
    Curve *curve = &analysis->curves[solver];
    double ms[REPEATS];
    WB_TRY(solveOnce(analysis, solver, 1, ms)); // makes what this solver walks over
    curve->residual[0] = analysis->worstError;
    for (int t = 1; t < TRIES && !isStopped(analysis); t++) {
        for (int k = 0; k < REPEATS; k++) WB_TRY(solveOnce(analysis, solver, tries[t], &ms[k]));
        qsort(ms, REPEATS, sizeof ms[0], compareDoubles);
        curve->x[t] = tries[t], curve->ms[t] = ms[REPEATS / 2];
        curve->residual[t] = wbPbd_GetLengthError(getPbd(analysis, solver));
    }
    return wb_okStatus;
}

static wbStatus measureUncoloured(Analysis *analysis) {
    wbPbd *pbd = getPbd(analysis, 0);
    WB_TRY(wbPullState(analysis->worlds[0]));
    restoreWorst(analysis, pbd);
    analysis->uncoloured.residual[0] = analysis->worstError;
    for (int t = 1; t < TRIES && !isStopped(analysis); t++) {
        for (int k = tries[t - 1]; k < tries[t]; k++) wbSolveUncoloured(pbd);
        analysis->uncoloured.x[t] = tries[t];
        analysis->uncoloured.residual[t] = wbPbd_GetLengthError(pbd);
    }
    return wb_okStatus;
}

// Results

static double getHighest(const Analysis *analysis, int solver) {
    const Sample *samples = analysis->samples.data;
    double highest = 0;
    for (int k = 0; k < analysis->sampleCount; k++) highest = fmax(highest, samples[k].error[solver]);
    return highest;
}

static void printRun(const Analysis *analysis) {
    const Sample *samples = analysis->samples.data, *last = &samples[analysis->sampleCount - 1];
    FILE *out = analysis->out;
    for (int k = 0; k < analysis->sampleCount && analysis->options->json; k++)
        for (int s = 0; s < WB_COMPARED_SOLVERS; s++)
            fprintf(out, "{\"part\": \"run\", \"solver\": \"%s\", \"time\": %.6g, \"residual\": %.6g}\n",
                    wb_comparedSolverNames[s], samples[k].time, samples[k].error[s]);
    if (analysis->options->json) return;
    const wbPbd *pbd = getPbd(analysis, 0);
    const wbPbdParams *params = &wbGetSoft(analysis->worlds[0])->model.params;
    fprintf(out, "%d particles, %d constraints, %d colours; %d iterations in each of %d sub-steps\n\n",
            pbd->count, pbd->constraintCount, pbd->colourCount, params->iterations, params->subSteps);
    fprintf(out, "%-24s %14s %14s %18s\n", "error of lengths, RMS", "highest", "at the end",
            "above 1 % until");
    for (int s = 0; s < WB_COMPARED_SOLVERS; s++) {
        double until = 0;
        for (int k = 0; k < analysis->sampleCount; k++)
            if (samples[k].error[s] > 0.01) until = samples[k].time;
        fprintf(out, "%-24s %14.2e %14.2e %16.2f s\n", wb_comparedSolverLabels[s], getHighest(analysis, s),
                last->error[s], until);
    }
}

static const char uncolouredLabel[] = "Gauss-Seidel, no colours";

static void printCurves(const Analysis *analysis) {
    FILE *out = analysis->out;
    for (int s = 0; s < WB_COMPARED_SOLVERS && analysis->options->json; s++)
        for (int t = 0; t < TRIES; t++)
            fprintf(out,
                    "{\"part\": \"convergence\", \"solver\": \"%s\", \"iterations\": %d, \"ms\": %.4g, "
                    "\"residual\": %.6g}\n",
                    wb_comparedSolverNames[s], tries[t], analysis->curves[s].ms[t],
                    analysis->curves[s].residual[t]);
    for (int t = 0; t < TRIES && analysis->options->json; t++)
        fprintf(out,
                "{\"part\": \"convergence\", \"solver\": \"%s\", \"iterations\": %d, \"residual\": %.6g}\n",
                "uncoloured", tries[t], analysis->uncoloured.residual[t]);
    if (analysis->options->json) return;
    fprintf(out, "\nFrom the most deformed state (%.2f s), without sides, contacts and gravity:\n\n",
            analysis->worstTime);
    fprintf(out, "%-10s", "iterations");
    for (int s = 0; s < WB_COMPARED_SOLVERS; s++) fprintf(out, " %23s", wb_comparedSolverLabels[s]);
    fprintf(out, " %26s\n", uncolouredLabel);
    for (int t = 0; t < TRIES; t++) {
        fprintf(out, "%10d", tries[t]);
        for (int s = 0; s < WB_COMPARED_SOLVERS; s++)
            fprintf(out, "  %10.2e %8.3f ms", analysis->curves[s].residual[t], analysis->curves[s].ms[t]);
        fprintf(out, " %26.2e\n", analysis->uncoloured.residual[t]);
    }
}

static wbStatus makePlotPath(const Analysis *analysis, const char *name, char path[WB_MAX_PATH]) {
    int length = snprintf(path, WB_MAX_PATH, "%s/%s.svg", analysis->options->plotDirectory, name);
    return length < WB_MAX_PATH ? wb_okStatus : wbError(wb_errorInput, "the folder's name is too long");
}

static wbStatus plotCurves(const Analysis *analysis, const char *name, bool overMs) {
    wbSeries series[WB_COMPARED_SOLVERS + 1];
    char path[WB_MAX_PATH];
    WB_TRY(makePlotPath(analysis, name, path));
    for (int s = 0; s < WB_COMPARED_SOLVERS; s++) {
        const Curve *curve = &analysis->curves[s];
        series[s] = (wbSeries){wb_comparedSolverLabels[s], overMs ? curve->ms : curve->x, curve->residual,
                               TRIES, false};
    }
    const Curve *uncoloured = &analysis->uncoloured;
    series[WB_COMPARED_SOLVERS] =
        (wbSeries){uncolouredLabel, uncoloured->x, uncoloured->residual, TRIES, false};
    wbPlot plot = {"From the most deformed state", overMs ? "ms" : "iterations", "error of lengths, RMS",
                   series, overMs ? WB_COMPARED_SOLVERS : WB_COMPARED_SOLVERS + 1};
    return wbWriteDecayPlot(path, &plot);
}

// The whole scene with other numbers of iterations

static wbStatus plotScenes(const Analysis *analysis) {
    wbSeries series[WB_COMPARED_SOLVERS];
    double x[SCENE_TRIES];
    char path[WB_MAX_PATH];
    WB_TRY(makePlotPath(analysis, "solvers-scene", path));
    for (int t = 0; t < SCENE_TRIES; t++) x[t] = sceneTries[t];
    for (int s = 0; s < WB_COMPARED_SOLVERS; s++)
        series[s] = (wbSeries){wb_comparedSolverLabels[s], x, analysis->final[s], SCENE_TRIES, false};
    wbPlot plot = {"At the end of the scene", "iterations", "error of lengths, RMS", series,
                   WB_COMPARED_SOLVERS};
    return wbWriteDecayPlot(path, &plot);
}

static void printScenes(const Analysis *analysis) {
    FILE *out = analysis->out;
    for (int t = 0; t < SCENE_TRIES && analysis->options->json; t++)
        for (int s = 0; s < WB_COMPARED_SOLVERS; s++)
            fprintf(out,
                    "{\"part\": \"scene\", \"solver\": \"%s\", \"iterations\": %d, \"highest\": %.6g, "
                    "\"final\": %.6g}\n",
                    wb_comparedSolverNames[s], sceneTries[t], analysis->highest[s][t], analysis->final[s][t]);
    if (analysis->options->json) return;
    fprintf(out, "\nThe scene with other iterations, error of lengths, highest and at the end:\n\n%-10s",
            "iterations");
    for (int s = 0; s < WB_COMPARED_SOLVERS; s++) fprintf(out, " %23s", wb_comparedSolverLabels[s]);
    fprintf(out, "\n");
    for (int t = 0; t < SCENE_TRIES; t++) {
        fprintf(out, "%10d", sceneTries[t]);
        for (int s = 0; s < WB_COMPARED_SOLVERS; s++)
            fprintf(out, "    %9.2e %9.2e ", analysis->highest[s][t], analysis->final[s][t]);
        fprintf(out, "\n");
    }
}

static wbStatus plotRun(const Analysis *analysis) {
    const Sample *samples = analysis->samples.data;
    size_t count = (size_t)analysis->sampleCount;
    wbArray floats = {.elementSize = sizeof(double[1 + WB_COMPARED_SOLVERS])};
    char path[WB_MAX_PATH];
    WB_TRY(makePlotPath(analysis, "solvers-run", path));
    if (!wbArray_Reserve(NULL, &floats, analysis->sampleCount)) return wbMemoryError(NULL, "a plot needs");
    double *x = floats.data;
    wbSeries series[WB_COMPARED_SOLVERS];
    for (size_t s = 0; s < WB_COMPARED_SOLVERS; s++) {
        double *y = x + (s + 1) * count;
        for (size_t k = 0; k < count; k++) x[k] = samples[k].time, y[k] = samples[k].error[s];
        series[s] = (wbSeries){wb_comparedSolverLabels[s], x, y, analysis->sampleCount, false};
    }
    wbPlot plot = {wbScene_GetTitle(analysis->scene), "s", "error of lengths, RMS", series,
                   WB_COMPARED_SOLVERS};
    wbStatus status = wbWritePlot(path, &plot);
    wbArray_Free(NULL, &floats);
    return status;
}

static wbStatus createWorlds(Analysis *analysis) {
    for (int s = 0; s < WB_COMPARED_SOLVERS; s++) {
        WB_TRY(wbScene_CreateWorld(analysis->scene, &analysis->worlds[s]));
        if (s == 0) analysis->own = (int)wbWorld_GetPbdParams(analysis->worlds[0])->solver;
        WB_TRY(wbWorld_SetParam(analysis->worlds[s], "pbd.solver", wb_comparedSolverNames[s]));
    }
    if (wbWorld_GetConstraintCount(analysis->worlds[0]) == 0)
        return wbError(wb_errorInput, "the scene has no soft bodies with constraints to solve");
    const wbAnalyzeOptions *options = analysis->options;
    for (int s = 0; s < WB_COMPARED_SOLVERS && options->colouring; s++)
        WB_TRY(wbReadColouring(options->colouring, analysis->worlds[s]));
    if (options->saveColouring) WB_TRY(wbWriteColouring(options->saveColouring, analysis->worlds[0]));
    if (!wbArray_Reserve(NULL, &analysis->worst, getPbd(analysis, 0)->count))
        return wbMemoryError(NULL, "the state of soft bodies needs");
    return wb_okStatus;
}

static void destroyRun(Analysis *analysis) {
    for (int s = 0; s < WB_COMPARED_SOLVERS; s++) wbDestroyWorld(analysis->worlds[s]);
    wbArray_Free(NULL, &analysis->samples);
    wbArray_Free(NULL, &analysis->worst);
}

static wbStatus runScenes(Analysis *analysis) {
    wbAnalyzeOptions options = *analysis->options;
    options.onFrame = NULL, options.saveColouring = NULL;
    for (int t = 0; t < SCENE_TRIES && !isStopped(analysis); t++) {
        Analysis other = {.scene = analysis->scene,
                          .options = &options,
                          .samples.elementSize = sizeof(Sample),
                          .worst.elementSize = sizeof(float[MOVING]),
                          .worstError = -1,
                          .iterations = sceneTries[t]};
        wbStatus status = createWorlds(&other);
        if (wbIsOk(status)) status = runScene(&other);
        for (int s = 0; s < WB_COMPARED_SOLVERS && wbIsOk(status); s++) {
            analysis->highest[s][t] = getHighest(&other, s);
            analysis->final[s][t] = ((const Sample *)other.samples.data)[other.sampleCount - 1].error[s];
        }
        destroyRun(&other);
        WB_TRY(status);
    }
    return wb_okStatus;
}

static wbStatus analyze(Analysis *analysis) {
    const char *folder = analysis->options->plotDirectory;
    WB_TRY(createWorlds(analysis));
    WB_TRY(runScene(analysis));
    if (isStopped(analysis)) return wb_okStatus;
    printRun(analysis);
    for (int s = 0; s < WB_COMPARED_SOLVERS; s++) WB_TRY(measureCurve(analysis, s));
    WB_TRY(measureUncoloured(analysis));
    if (isStopped(analysis)) return wb_okStatus;
    printCurves(analysis);
    WB_TRY(runScenes(analysis));
    if (isStopped(analysis)) return wb_okStatus;
    printScenes(analysis);
    WB_TRY(wbAnalyzeSteps(analysis->options, analysis->out));
    WB_TRY(wbAnalyzeFluid(analysis->options, analysis->out));
    if (!folder) return wb_okStatus;
    WB_TRY(plotRun(analysis));
    WB_TRY(plotScenes(analysis));
    WB_TRY(plotCurves(analysis, "solvers-iterations", false));
    return plotCurves(analysis, "solvers-ms", true);
}

wbStatus wbAnalyzeSolvers(const wbScene *scene, const wbAnalyzeOptions *options, FILE *out) {
    Analysis analysis = {.scene = scene,
                         .options = options,
                         .out = out,
                         .samples.elementSize = sizeof(Sample),
                         .worst.elementSize = sizeof(float[MOVING]),
                         .worstError = -1};
    wbStatus status = analyze(&analysis);
    destroyRun(&analysis);
    return status;
}
