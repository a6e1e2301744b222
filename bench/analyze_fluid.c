// SPDX-License-Identifier: MIT
#include "bench/analyze_fluid.h"

#include <math.h>

#include "bench/case_work.h"
#include "bench/plot.h"
#include "core/output_file.h"
#include "core/status.h"
#include "pbd/pbf.h"

// Numbers of iterations that are tried; 0 is the state that is solved.
static const int tries[] = {0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
enum { TRIES = sizeof tries / sizeof tries[0], REPEATS = 9, SIDE = 16, COUNT = SIDE * SIDE * SIDE };

static const float frame = 1.0f / 60;

typedef struct Curve {
    double x[TRIES], error[TRIES], ms[TRIES];
} Curve;

typedef struct Fluid {
    wbWork work;
    wbWorldDef def;
    wbPbfModel model;
    wbDomain domain;
    wbPbf pbf;
    float positions[3 * COUNT], solved[3 * COUNT];
} Fluid;

// -1 to 1, by a hash (splitmix): the same on every machine.
static float getOff(uint32_t k) {
    uint64_t z = (k + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9), z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (float)((double)(z >> 40) / (1 << 23) - 1);
}

// Particles up to a fifth of a spacing off their sites, in a box that they fill: nowhere have they far to go, for lists are made once.
static void layOut(Fluid *fluid) {
    const float site = fluid->def.pbf.spacing;
    fluid->def.domain.max = wbMakeVec3(SIDE * site, SIDE * site, SIDE * site);
    for (int i = 0; i < 3 * COUNT; i++) {
        const int place = i % 3 == 0 ? i / 3 % SIDE : i % 3 == 1 ? i / 3 / SIDE % SIDE : i / 3 / SIDE / SIDE;
        fluid->positions[i] = site * ((float)place + 0.5f + 0.2f * getOff((uint32_t)i));
    }
}

static wbStatus create(Fluid *fluid) {
    fluid->def = wbDefaultWorldDef();
    fluid->def.pbf.subSteps = 1, fluid->def.pbf.viscosity = 0, fluid->def.pbf.tension = 0;
    layOut(fluid);
    wbFluidState_Init(&fluid->pbf.fluid);
    fluid->domain = wbMakeDomain(&fluid->def.domain, wbMakeVec3(0, 0, 0), 3);
    WB_TRY(wbPbfModel_Init(&fluid->model, &fluid->def.pbf, &fluid->domain));
    return wbPbf_AddParticles(&fluid->pbf, fluid->work.memory, &fluid->model, COUNT, fluid->positions, NULL);
}

// One step without weight from these places, at rest.
static wbStatus solve(Fluid *fluid, int solver, int iterations, const float *positions) {
    wbParticles *p = &fluid->pbf.fluid.particles;
    fluid->def.pbf.solver = (wbPbdSolver)solver, fluid->def.pbf.iterations = iterations;
    WB_TRY(wbPbfModel_Init(&fluid->model, &fluid->def.pbf, &fluid->domain));
    for (int i = 0; i < COUNT; i++) {
        const float *x = positions + 3 * (size_t)i;
        p->x[i] = x[0], p->y[i] = x[1], p->z[i] = x[2], p->vx[i] = p->vy[i] = p->vz[i] = 0;
    }
    p->maxSpeed = 0, fluid->pbf.softStep = fluid->pbf.previousDt = 0;
    if (!wbArena_Reset(fluid->work.arena)) return wbMemoryError(fluid->work.memory, "a step needs");
    return wbPbf_Step(&fluid->pbf, &fluid->model, NULL, &fluid->work, frame);
}

// Root of the mean square of what densities are too high by, at these places: those that the first iteration finds.
static wbStatus getError(Fluid *fluid, const float *positions, double *error) {
    double sum = 0, rest = (double)fluid->def.pbf.restDensity;
    WB_TRY(solve(fluid, wb_pbdJacobiParticles, 1, positions));
    for (int i = 0; i < COUNT; i++) {
        double excess = fmax((double)fluid->pbf.fluid.particles.density[i] / rest - 1, 0);
        sum += excess * excess;
    }
    *error = sqrt(sum / COUNT);
    return wb_okStatus;
}

// The shortest time: the least disturbed.
static wbStatus measure(Fluid *fluid, int solver, int iterations, double *error, double *ms) {
    const wbParticles *p = &fluid->pbf.fluid.particles;
    float *solved = fluid->solved;
    for (int k = 0; k < REPEATS; k++) {
        WB_TRY(solve(fluid, solver, iterations, fluid->positions));
        *ms = k == 0 ? fluid->pbf.fluid.ms[wb_pbf_density] : fmin(*ms, fluid->pbf.fluid.ms[wb_pbf_density]);
    }
    for (int i = 0; i < COUNT; i++)
        solved[3 * i] = p->x[i], solved[3 * i + 1] = p->y[i], solved[3 * i + 2] = p->z[i];
    return getError(fluid, solved, error);
}

static wbStatus measureCurves(const wbAnalyzeOptions *options, Fluid *fluid,
                              Curve curves[WB_COMPARED_SOLVERS]) {
    for (int s = 0; s < WB_COMPARED_SOLVERS; s++) {
        WB_TRY(getError(fluid, fluid->positions, &curves[s].error[0]));
        for (int t = 1; t < TRIES && !(options->stop && *options->stop); t++) {
            curves[s].x[t] = tries[t];
            WB_TRY(measure(fluid, s, tries[t], &curves[s].error[t], &curves[s].ms[t]));
        }
    }
    return wb_okStatus;
}

static void print(const wbAnalyzeOptions *options, const Curve curves[WB_COMPARED_SOLVERS], FILE *out) {
    for (int s = 0; s < WB_COMPARED_SOLVERS && options->json; s++)
        for (int t = 0; t < TRIES; t++)
            fprintf(out,
                    "{\"part\": \"fluid\", \"solver\": \"%s\", \"iterations\": %d, \"ms\": %.4g, "
                    "\"error\": %.6g}\n",
                    wb_comparedSolverNames[s], tries[t], curves[s].ms[t], curves[s].error[t]);
    if (options->json) return;
    fprintf(out,
            "\n%d particles of a position based fluid, out of place: by how much densities are too "
            "high, RMS, "
            "and the time on one thread:\n\n%-10s",
            COUNT, "iterations");
    for (int s = 0; s < WB_COMPARED_SOLVERS; s++) fprintf(out, " %23s", wb_comparedSolverLabels[s]);
    fprintf(out, "\n");
    for (int t = 0; t < TRIES; t++) {
        fprintf(out, "%10d", tries[t]);
        for (int s = 0; s < WB_COMPARED_SOLVERS; s++)
            fprintf(out, "  %10.2e %8.2f ms", curves[s].error[t], curves[s].ms[t]);
        fprintf(out, "\n");
    }
}

static wbStatus plot(const wbAnalyzeOptions *options, const Curve curves[WB_COMPARED_SOLVERS], bool overMs) {
    wbSeries series[WB_COMPARED_SOLVERS];
    char path[WB_MAX_PATH];
    int length = snprintf(path, sizeof path, "%s/%s.svg", options->plotDirectory,
                          overMs ? "fluid-ms" : "fluid-iterations");
    if (length >= WB_MAX_PATH) return wbError(wb_errorInput, "the folder's name is too long");
    for (int s = 0; s < WB_COMPARED_SOLVERS; s++)
        series[s] = (wbSeries){wb_comparedSolverLabels[s], overMs ? curves[s].ms : curves[s].x,
                               curves[s].error, TRIES, false};
    wbPlot lines = {"Water out of place", overMs ? "ms" : "iterations", "density too high, RMS", series,
                    WB_COMPARED_SOLVERS};
    return wbWriteDecayPlot(path, &lines);
}

static wbStatus analyze(const wbAnalyzeOptions *options, Fluid *fluid, FILE *out) {
    Curve curves[WB_COMPARED_SOLVERS] = {0};
    WB_TRY(create(fluid));
    WB_TRY(measureCurves(options, fluid, curves));
    if (options->stop && *options->stop) return wb_okStatus;
    print(options, curves, out);
    if (!options->plotDirectory) return wb_okStatus;
    WB_TRY(plot(options, curves, false));
    return plot(options, curves, true);
}

wbStatus wbAnalyzeFluid(const wbAnalyzeOptions *options, FILE *out) {
    wbWork work;
    WB_TRY(wbCreateCaseWork(1, wb_simdAuto, &work));
    Fluid *fluid = wbAllocZero(work.memory, sizeof *fluid);
    wbStatus status = wbMemoryError(work.memory, "a fluid of %d particles needs", COUNT);
    if (fluid) {
        fluid->work = work;
        status = analyze(options, fluid, out);
        wbFluidState_Free(work.memory, &fluid->pbf.fluid);
        wbFree(work.memory, fluid, sizeof *fluid);
    }
    wbDestroyCaseWork(&work);
    return status;
}
