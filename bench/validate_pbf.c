// SPDX-License-Identifier: MIT
// A position based fluid at rest: how far it is compressed, and where its surface is.
#include <math.h>

#include "bench/validate_case.h"
#include "core/status.h"

enum { layers = 30, maxCount = 750 };
static const float spacing = 0.1f;

typedef struct Tank {
    int width, count; // particles along x, and in all
    wbCaseFluid fluid;
} Tank;

// A box that the lattice fills up to half its height: 20 wide in 2D, 5 wide and deep in 3D.
static wbStatus fillTank(Tank *tank, int dimensions) {
    float positions[3 * maxCount];
    int width = tank->width = dimensions == 2 ? 20 : 5, depth = dimensions == 2 ? 1 : 5;
    int count = tank->count = width * layers * depth;
    wbPbfParams params = wbDefaultPbfParams();
    wbDomainDef domain = {.max = {(float)width * spacing, 2 * layers * spacing, (float)depth * spacing}};
    params.spacing = spacing, params.iterations = 10, params.subSteps = 2;
    for (int i = 0; i < count; i++) {
        const int site[3] = {i % width, i / width % layers, i / width / layers};
        for (int a = 0; a < 3; a++)
            positions[3 * i + a] = a < dimensions ? spacing * ((float)site[a] + 0.5f) : 0;
    }
    WB_TRY(wbPbfModel_Init(&tank->fluid.model, &params, &domain, wbMakeVec3(0, -9.81f, 0), dimensions));
    return wbPbf_AddParticles(&tank->fluid.pbf, tank->fluid.work.memory, &tank->fluid.model, count, positions,
                              NULL);
}

static wbStatus settle(wbValidateRun *run, Tank *tank) {
    for (int k = 0; k < 600 && !run->stopped; k++)
        if (wbContinueCase(run, k / 600.0)) WB_TRY(wbCaseFluid_Step(&tank->fluid, 1.0f / 60));
    return wbCaseFluid_Pull(&tank->fluid);
}

// The surface: half a spacing above the highest particles of columns two spacings wide, on average.
static double getLevel(const Tank *tank) {
    int columns = tank->width / 2;
    double tops[maxCount] = {0}, level = 0;
    for (int i = 0; i < tank->count; i++) {
        int column = (int)(tank->fluid.pbf.particles.x[i] / (2 * spacing));
        column = column < 0 ? 0 : column >= columns ? columns - 1 : column;
        tops[column] = fmax(tops[column], (double)tank->fluid.pbf.particles.y[i] + 0.5 * (double)spacing);
    }
    for (int k = 0; k < columns; k++) level += tops[k] / columns;
    return level;
}

static void reportRest(wbValidateRun *run, const Tank *tank, bool flat) {
    double mean = 0, largest = 0;
    for (int i = 0; i < tank->count; i++) {
        double compression = fmax(
            0,
            (double)tank->fluid.pbf.particles.density[i] / (double)tank->fluid.model.params.restDensity - 1);
        mean += compression / tank->count, largest = fmax(largest, compression);
    }
    wbReportQuantity(run, (wbQuantity){.quantity = flat ? "mean compression of 30 layers, 2D"
                                                        : "mean compression of 30 layers, 3D",
                                       .unit = "rho0",
                                       .value = mean,
                                       .tolerance = 0.01,
                                       .source = "incompressible"});
    wbReportQuantity(run,
                     (wbQuantity){.quantity = flat ? "largest compression, 2D" : "largest compression, 3D",
                                  .unit = "rho0",
                                  .value = largest,
                                  .tolerance = 0.05,
                                  .source = "incompressible"});
    wbReportQuantity(run, (wbQuantity){.quantity = flat ? "level, 2D" : "level, 3D",
                                       .unit = "m",
                                       .value = getLevel(tank),
                                       .reference = (double)spacing * layers,
                                       .tolerance = (double)spacing,
                                       .source = "volume is kept"});
}

static wbStatus restTank(wbValidateRun *run, Tank *tank, int dimensions) {
    WB_TRY(fillTank(tank, dimensions));
    WB_TRY(settle(run, tank));
    if (!run->stopped) reportRest(run, tank, dimensions == 2);
    return wb_okStatus;
}

wbStatus wbValidatePbfRest(wbValidateRun *run) {
    wbCaseMachine machine;
    WB_TRY(wbGetCaseMachine(run, &machine));
    for (int dimensions = 2; dimensions <= 3 && !run->stopped; dimensions++) {
        Tank tank = {0};
        WB_TRY(wbCreateCaseFluid(&machine, &tank.fluid));
        wbNameMachine(run, tank.fluid.gpu ? wbGpu_GetDevice(tank.fluid.gpu) : NULL, tank.fluid.work.simd);
        wbStatus status = restTank(run, &tank, dimensions);
        wbDestroyCaseFluid(&tank.fluid);
        if (!wbIsOk(status)) return status;
    }
    return wb_okStatus;
}
