// SPDX-License-Identifier: MIT
// Position based bodies against closed forms: a pendulum, a hanging chain, springs, a rope, and a ball that is squeezed.
#include <math.h>

#include "bench/case_springs.h"
#include "bench/validate_case.h"
#include "core/status.h"
#include "pbd/pbd_build.h"

#define PI 3.14159265358979323846

static const float gravity = 9.81f, frame = 1.0f / 60;

static wbStatus createBodies(wbValidateRun *run, wbCaseBodies *bodies) {
    wbCaseMachine machine;
    WB_TRY(wbGetCaseMachine(run, &machine));
    WB_TRY(wbCreateCaseBodies(&machine, bodies));
    bodies->domain.gravity = wbMakeVec3(0, -gravity, 0);
    wbNameMachine(run, bodies->gpu ? wbGpu_GetDevice(bodies->gpu) : NULL, bodies->work.simd);
    return wb_okStatus;
}

static wbStatus step(wbValidateRun *run, wbCaseBodies *bodies, double done) {
    return wbContinueCase(run, done) ? wbCaseBodies_Step(bodies, frame) : wb_okStatus;
}

// Pendulum

// Time until it stands still for the second time: back where it began. Its speed along the arc passes zero there.
static wbStatus measurePeriod(wbValidateRun *run, wbCaseBodies *bodies, double amplitude, double *period) {
    const wbPbd *pbd = &bodies->pbd;
    wbPbdBody rope;
    wbVec3 end = {(float)sin(amplitude), (float)-cos(amplitude), 0};
    WB_TRY(wbBuildRope(&bodies->pbd, &bodies->work, wbMakeVec3(0, 0, 0), end, 2, false, 1, &rope));
    bodies->pbd.w[0] = 0;
    bodies->model.params.method = wb_methodXpbd;
    bodies->model.params.iterations = 1, bodies->model.params.subSteps = 100;
    double before = 0;
    int turns = 0;
    for (int k = 1; k < 600 && turns < 2 && !run->stopped; k++) {
        WB_TRY(step(run, bodies, k / 160.0));
        WB_TRY(wbCaseBodies_Pull(bodies));
        double along = (double)pbd->x[1] * pbd->vy[1] - (double)pbd->y[1] * pbd->vx[1];
        if (k > 1 && (along > 0) != (before > 0)) turns++;
        if (turns == 2) *period = frame * (k - along / (along - before));
        before = along;
    }
    return wb_okStatus;
}

// T / T0 = 2/pi K(sin(amplitude / 2)) by the arithmetic-geometric mean.
static double getPeriodRatio(double amplitude) {
    double a = 1, b = cos(amplitude / 2);
    for (int k = 0; k < 20; k++) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b), a = mean;
    }
    return 1 / a;
}

wbStatus wbValidatePendulum(wbValidateRun *run) {
    static const char *const names[] = {"period from 30 degrees", "period from 90 degrees"};
    for (int k = 0; k < 2 && !run->stopped; k++) {
        wbCaseBodies bodies;
        double amplitude = (k == 0 ? 30 : 90) * PI / 180, period = 0;
        WB_TRY(createBodies(run, &bodies));
        wbStatus status = measurePeriod(run, &bodies, amplitude, &period);
        wbDestroyCaseBodies(&bodies);
        if (!wbIsOk(status) || run->stopped) return status;
        double reference = getPeriodRatio(amplitude);
        wbReportQuantity(run, (wbQuantity){.quantity = names[k],
                                           .unit = "2 pi sqrt(L/g)",
                                           .value = period / (2 * PI * sqrt(1 / (double)gravity)),
                                           .reference = reference,
                                           .tolerance = 0.005 * reference,
                                           .source = "2/pi K(sin(amplitude/2))"});
    }
    return wb_okStatus;
}

// Chain

enum { links = 40 };

// Two straight halves that meet in the middle: the right length, not yet the right shape.
static wbStatus hangChain(wbValidateRun *run, wbCaseBodies *bodies, double *sag) {
    float positions[3 * (links + 1)], depth = sqrtf(0.36f - 0.25f);
    int pairs[2 * links], first;
    for (int i = 0; i <= links; i++) {
        float x = (float)i / links;
        positions[3 * i] = x, positions[3 * i + 1] = -2 * depth * (x < 0.5f ? x : 1 - x),
                      positions[3 * i + 2] = 0;
        if (i < links) pairs[2 * i] = i, pairs[2 * i + 1] = i + 1;
    }
    WB_TRY(wbPbd_AddBody(&bodies->pbd, bodies->work.memory, links + 1, positions, 1, &first));
    WB_TRY(wbPbd_AddConstraints(&bodies->pbd, bodies->work.memory, links, pairs, wb_pbdStretch));
    bodies->pbd.w[0] = bodies->pbd.w[links] = 0;
    bodies->model.params.iterations = 20, bodies->model.params.subSteps = 10, bodies->model.params.drag = 3;
    for (int k = 0; k < 600 && !run->stopped; k++) WB_TRY(step(run, bodies, k / 600.0));
    WB_TRY(wbCaseBodies_Pull(bodies));
    *sag = 0;
    for (int i = 0; i <= links; i++) *sag = fmax(*sag, (double)-bodies->pbd.y[i]);
    return wb_okStatus;
}

// Sag of a catenary: length 2 a sinh(span / 2a), sag a (cosh(span / 2a) - 1).
static double getSag(double span, double length) {
    double low = 0.01, high = 100;
    for (int k = 0; k < 200; k++) {
        double a = 0.5 * (low + high);
        *(2 * a * sinh(span / (2 * a)) > length ? &low : &high) = a;
    }
    return low * (cosh(span / (2 * low)) - 1);
}

wbStatus wbValidateChain(wbValidateRun *run) {
    wbCaseBodies bodies;
    double sag = 0, reference = getSag(1, 1.2);
    WB_TRY(createBodies(run, &bodies));
    wbStatus status = hangChain(run, &bodies, &sag);
    wbDestroyCaseBodies(&bodies);
    if (!wbIsOk(status) || run->stopped) return status;
    wbReportQuantity(run, (wbQuantity){.quantity = "sag of a chain of 40 links, length 1.2",
                                       .unit = "span",
                                       .value = sag,
                                       .reference = reference,
                                       .tolerance = 0.01 * reference,
                                       .source = "catenary"});
    return wb_okStatus;
}

// Spring

static wbStatus stretchSpring(wbValidateRun *run, wbCaseBodies *bodies, int iterations, int subSteps,
                              double *stretch) {
    wbPbdBody rope;
    WB_TRY(wbBuildRope(&bodies->pbd, &bodies->work, wbMakeVec3(0, 0, 0), wbMakeVec3(0, -1, 0), 2, false, 0.5f,
                       &rope));
    bodies->pbd.w[0] = 0;
    bodies->model.params.method = wb_methodXpbd, bodies->model.params.compliance = 0.01f;
    bodies->model.params.iterations = iterations, bodies->model.params.subSteps = subSteps;
    bodies->model.params.drag = 4;
    for (int k = 0; k < 600 && !run->stopped; k++) WB_TRY(step(run, bodies, k / 600.0));
    WB_TRY(wbCaseBodies_Pull(bodies));
    *stretch = -(double)bodies->pbd.y[1] - 1;
    return wb_okStatus;
}

wbStatus wbValidateSpring(wbValidateRun *run) {
    static const struct {
        const char *name;
        int iterations, subSteps;
    } rows[] = {{"stretch, 1 iteration", 1, 1},        {"stretch, 5 iterations", 5, 1},
                {"stretch, 20 iterations", 20, 1},     {"stretch, 1 iteration, dt/2", 1, 2},
                {"stretch, 5 iterations, dt/2", 5, 2}, {"stretch, 20 iterations, dt/2", 20, 2}};
    double reference = 2 * (double)gravity * 0.01; // 2 kg on 100 N/m
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        wbCaseBodies bodies;
        double stretch = 0;
        WB_TRY(createBodies(run, &bodies));
        wbStatus status = stretchSpring(run, &bodies, rows[k].iterations, rows[k].subSteps, &stretch);
        wbDestroyCaseBodies(&bodies);
        if (!wbIsOk(status) || run->stopped) return status;
        wbReportQuantity(run, (wbQuantity){.quantity = rows[k].name,
                                           .unit = "m",
                                           .value = stretch,
                                           .reference = reference,
                                           .tolerance = 0.01 * reference,
                                           .source = "m g / k"});
    }
    return wb_okStatus;
}

// Springs in a row

static wbStatus stretchRow(wbValidateRun *run, wbCaseBodies *bodies, int iterations, int subSteps,
                           double *stretch) {
    WB_TRY(wbHangSprings(bodies));
    bodies->model.params.iterations = iterations, bodies->model.params.subSteps = subSteps;
    for (int k = 0; k < 600 && !run->stopped; k++) WB_TRY(step(run, bodies, k / 600.0));
    WB_TRY(wbCaseBodies_Pull(bodies));
    *stretch = wbGetSpringStretch(bodies);
    return wb_okStatus;
}

wbStatus wbValidateSpringRow(wbValidateRun *run) {
    static const struct {
        const char *name;
        int iterations, subSteps;
        wbJudgement judgement;
    } rows[] = {{"stretch, 1 iteration, 1 sub-step", 1, 1, wb_noted},
                {"stretch, 5 iterations, 1 sub-step", 5, 1, wb_noted},
                {"stretch, 20 iterations, 1 sub-step", 20, 1, wb_noted},
                {"stretch, 1 iteration, 5 sub-steps", 1, 5, wb_noted},
                {"stretch, 1 iteration, 20 sub-steps", 1, 20, wb_within}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        wbCaseBodies bodies;
        double stretch = 0;
        WB_TRY(createBodies(run, &bodies));
        wbStatus status = stretchRow(run, &bodies, rows[k].iterations, rows[k].subSteps, &stretch);
        wbDestroyCaseBodies(&bodies);
        if (!wbIsOk(status) || run->stopped) return status;
        wbReportQuantity(run, (wbQuantity){.quantity = rows[k].name,
                                           .unit = "of m g / k",
                                           .value = stretch,
                                           .reference = 1,
                                           .tolerance = 0.01,
                                           .judgement = rows[k].judgement,
                                           .source = "each spring bears those below"});
    }
    return wb_okStatus;
}

// Rope

// What it has lost 10 s after it was horizontal, and the highest that it had above the start.
static wbStatus swingRope(wbValidateRun *run, wbCaseBodies *bodies, double *lost, double *gained) {
    WB_TRY(wbHoldRope(bodies));
    *gained = 0;
    for (int k = 0; k < 600 && !run->stopped; k++) {
        WB_TRY(step(run, bodies, k / 600.0));
        WB_TRY(wbCaseBodies_Pull(bodies));
        *lost = 1 - wbGetRopeEnergy(bodies);
        *gained = fmax(*gained, -*lost);
    }
    return wb_okStatus;
}

wbStatus wbValidateRope(wbValidateRun *run) {
    static const struct {
        const char *lost, *gained;
        wbPbdIntegrator integrator;
        int subSteps; ///< 0: the default
        wbJudgement judgement;
    } rows[] = {
        {"energy lost in 10 s, defaults", "energy above the start, defaults", wb_pbdEuler, 0, wb_noted},
        {"energy lost in 10 s, bdf2", "energy above the start, bdf2", wb_pbdBdf2, 0, wb_within},
        {"energy lost in 10 s, bdf2, 20 sub-steps", "energy above the start, bdf2, 20 sub-steps", wb_pbdBdf2,
         20, wb_within}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        wbCaseBodies bodies;
        double lost = 0, gained = 0;
        WB_TRY(createBodies(run, &bodies));
        bodies.model.params.integrator = rows[k].integrator;
        if (rows[k].subSteps) bodies.model.params.subSteps = rows[k].subSteps;
        wbStatus status = swingRope(run, &bodies, &lost, &gained);
        wbDestroyCaseBodies(&bodies);
        if (!wbIsOk(status) || run->stopped) return status;
        wbReportQuantity(run, (wbQuantity){.quantity = rows[k].lost,
                                           .unit = "of the swing's",
                                           .value = lost,
                                           .tolerance = 0.1,
                                           .judgement = rows[k].judgement,
                                           .source = "energy is kept"});
        wbReportQuantity(run, (wbQuantity){.quantity = rows[k].gained,
                                           .unit = "of the swing's",
                                           .value = gained,
                                           .tolerance = 0.001,
                                           .source = "energy is kept"});
    }
    return wb_okStatus;
}

// Solvers

// A ball of 220 particles and all pairs of them, pressed to half its height; the frame from which on its lengths stay
// right within 1 %, and their error after 5 s.
static wbStatus releaseBall(wbValidateRun *run, wbCaseBodies *bodies, double *seconds, double *error) {
    wbPbdBody ball;
    WB_TRY(wbBuildSphere(&bodies->pbd, &bodies->work, wbMakeVec3(0, 10, 0), 10, 220, 1, &ball));
    WB_TRY(wbConnectAll(&bodies->pbd, &bodies->work, ball));
    wbPbd *pbd = &bodies->pbd;
    for (int i = 0; i < pbd->count; i++) pbd->y[i] *= 0.5f;
    bodies->domain.closed[wb_bottom] = true;
    bodies->model.params.iterations = 2, bodies->model.params.subSteps = 1;
    *seconds = 0;
    for (int k = 1; k <= 300 && !run->stopped; k++) {
        WB_TRY(step(run, bodies, k / 300.0));
        WB_TRY(wbCaseBodies_Pull(bodies));
        *error = wbPbd_GetLengthError(pbd);
        if (*error > 0.01) *seconds = (double)frame * k;
    }
    return wb_okStatus;
}

wbStatus wbValidateSolvers(wbValidateRun *run) {
    static const char *const names[] = {"length error after 5 s, Gauss-Seidel",
                                        "length error after 5 s, Jacobi by particles",
                                        "length error after 5 s, Jacobi by constraints"};
    double seconds[3] = {0};
    for (int solver = 0; solver < 3; solver++) {
        wbCaseBodies bodies;
        double error = 0;
        WB_TRY(createBodies(run, &bodies));
        bodies.model.params.solver = (wbPbdSolver)solver;
        wbStatus status = releaseBall(run, &bodies, &seconds[solver], &error);
        wbDestroyCaseBodies(&bodies);
        if (!wbIsOk(status) || run->stopped) return status;
        wbReportQuantity(run, (wbQuantity){.quantity = names[solver],
                                           .unit = "relative, RMS",
                                           .value = error,
                                           .tolerance = 0.001,
                                           .source = "rest shape"});
    }
    wbReportQuantity(run, (wbQuantity){.quantity = "Gauss-Seidel's time to 1 % by that of the faster Jacobi",
                                       .unit = "",
                                       .value = (seconds[0] + (double)frame) /
                                                (fmin(seconds[1], seconds[2]) + (double)frame),
                                       .reference = 0.5,
                                       .tolerance = 0.499,
                                       .source = "Gauss-Seidel is first"});
    return wb_okStatus;
}
