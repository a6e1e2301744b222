// SPDX-License-Identifier: MIT
// Two fluids of different density in one solver: layers at rest, and waves between them.
#include <math.h>

#include "bench/validate_case.h"
#include "core/status.h"

static const double pi = 3.14159265358979, gravity = 9.81; // m/s2

// Heavy below light in a 2D box, each half of it.
typedef struct Layers {
    wbFluidSolver solver;
    double densities[2], width, depth, spacing; // kg/m3; m, of both together
    double amplitude;                           // m, of the wave between them at the start
    wbWorld *world;
    wbFluidId fluids[2];
} Layers;

static wbStatus addLayers(Layers *layers) {
    int nx = (int)lround(layers->width / layers->spacing), ny = (int)lround(layers->depth / layers->spacing);
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            const float p[3] = {(float)((i + 0.5) * layers->spacing), (float)((j + 0.5) * layers->spacing),
                                0};
            double level = 0.5 * layers->depth + layers->amplitude * cos(pi * (double)p[0] / layers->width);
            WB_TRY(wbFluid_AddParticles(layers->world, layers->fluids[p[1] > level], 1, p, NULL));
        }
    return wb_okStatus;
}

static wbStatus createLayers(wbValidateRun *run, Layers *layers, double height) {
    wbWorldDef def = wbDefaultWorldDef();
    wbFluidDef light = wbDefaultFluidDef();
    def.params.dimensions = 2;
    def.sph.spacing = def.pbf.spacing = (float)layers->spacing;
    def.sph.restDensity = def.pbf.restDensity = (float)layers->densities[0];
    def.domain.max = wbMakeVec3((float)layers->width, (float)height, 0);
    for (int side = 0; side < wb_sideCount; side++) def.domain.sides[side].type = wb_sideFreeSlip;
    WB_TRY(wbCreateCaseWorld(run, def, layers->solver, &layers->world, &layers->fluids[0]));
    light.name = "light", light.solver = layers->solver, light.restDensity = (float)layers->densities[1];
    WB_TRY(wbCreateFluid(layers->world, &light, &layers->fluids[1]));
    WB_TRY(addLayers(layers));
    return layers->solver == wb_solverSph ? wbWorld_SetParam(layers->world, "sph.soundSpeed", "auto")
                                          : wb_okStatus;
}

// Sums over the last second of rest.
typedef struct Rest {
    double floor[2], interface[2]; // of p and of sum rho g h, nearer than h to the floor and to the interface
    int particles, astray;         // those that are in the other layer by more than a spacing
    double start, highest;         // J, energy at the start and the most of it
} Rest;

static wbStatus addToRest(const Layers *layers, Rest *rest) {
    double middle = 0.5 * layers->depth, h = wbFluid_GetSupportRadius(layers->world, layers->fluids[0]);
    for (int k = 0; k < 2; k++) {
        wbView view;
        WB_TRY(wbFluid_GetView(layers->world, layers->fluids[k], &view));
        for (int i = 0; i < view.count; i++) {
            double y = view.y[i * view.stride], p = view.pressure[i * view.stride],
                   expected = gravity * (layers->densities[1] * (layers->depth - fmax(y, middle)) +
                                         layers->densities[0] * fmax(0, middle - y));
            if (y < h) rest->floor[0] += p, rest->floor[1] += expected;
            if (fabs(y - middle) < h) rest->interface[0] += p, rest->interface[1] += expected;
            rest->particles++;
            rest->astray += k == 0 ? y > middle + layers->spacing : y < middle - layers->spacing;
        }
    }
    return wb_okStatus;
}

static double getEnergy(const Layers *layers) {
    wbStats stats = wbWorld_GetStats(layers->world);
    return stats.kinetic + stats.potential;
}

static wbStatus settle(wbValidateRun *run, const Layers *layers, Rest *rest) {
    const double seconds = 4;
    const int interval = layers->solver == wb_solverSph ? 8 : 1; // steps are as long as frames
    double time;
    rest->start = rest->highest = getEnergy(layers);
    while ((time = wbWorld_GetTime(layers->world)) < seconds && !run->stopped) {
        WB_TRY(wbStepCaseFinely(run, layers->world, 0.5 * time / seconds));
        if (wbWorld_GetStepCount(layers->world) % interval != 0) continue;
        rest->highest = fmax(rest->highest, getEnergy(layers));
        if (time >= seconds - 1) WB_TRY(addToRest(layers, rest));
    }
    return wb_okStatus;
}

static wbStatus restLayers(wbValidateRun *run, wbFluidSolver solver) {
    Layers layers = {.solver = solver, .densities = {1000, 800}, .width = 0.6, .depth = 0.8, .spacing = 0.04};
    Rest rest = {0};
    wbStatus status = createLayers(run, &layers, 1);
    if (wbIsOk(status)) status = settle(run, &layers, &rest);
    wbDestroyWorld(layers.world);
    if (!wbIsOk(status) || run->stopped) return status;
    wbReportQuantity(run, (wbQuantity){.quantity = "pressure at the floor",
                                       .unit = "sum rho g h",
                                       .value = rest.floor[0] / rest.floor[1],
                                       .reference = 1,
                                       .tolerance = 0.03,
                                       .source = "hydrostatics"});
    wbReportQuantity(run, (wbQuantity){.quantity = "pressure at the interface",
                                       .unit = "sum rho g h",
                                       .value = rest.interface[0] / rest.interface[1],
                                       .reference = 1,
                                       .tolerance = 0.03,
                                       .source = "hydrostatics"});
    wbReportQuantity(run, (wbQuantity){.quantity = "particles in the other layer",
                                       .unit = "of all",
                                       .value = (double)rest.astray / rest.particles,
                                       .tolerance = 0,
                                       .source = "stable layers do not mix"});
    wbReportQuantity(run, (wbQuantity){.quantity = "energy above the start",
                                       .unit = "of it",
                                       .value = rest.highest / rest.start - 1,
                                       .tolerance = 1e-3,
                                       .source = "layers have no engine"});
    return wb_okStatus;
}

// How much more of the heavy fluid is on the left than on the right: the first mode of the wave.
static wbStatus measureMode(const Layers *layers, double *mode) {
    wbView view;
    WB_TRY(wbFluid_GetView(layers->world, layers->fluids[0], &view));
    *mode = 0;
    for (int i = 0; i < view.count; i++) *mode += cos(pi * view.x[i * view.stride] / layers->width);
    return wb_okStatus;
}

// s: when the mode passes 0 for the first and the second time.
static wbStatus findCrossings(wbValidateRun *run, const Layers *layers, double expected,
                              double crossings[2]) {
    double mode, before, time = 0;
    int found = 0;
    WB_TRY(measureMode(layers, &before));
    while (found < 2 && time < 1.5 * expected && !run->stopped) {
        double last = time;
        WB_TRY(wbStepCaseFinely(run, layers->world, 0.5 + 0.3 * time / expected));
        time = wbWorld_GetTime(layers->world);
        WB_TRY(measureMode(layers, &mode));
        if ((mode > 0) != (before > 0)) crossings[found++] = last + (time - last) * before / (before - mode);
        before = mode;
    }
    return wb_okStatus;
}

// omega2 = g k (rho1 - rho2) / (rho1 coth(k h1) + rho2 coth(k h2)) between a floor and a lid
static double getPeriod(const Layers *layers) {
    double k = pi / layers->width, cotangent = 1 / tanh(0.5 * k * layers->depth);
    double heavy = layers->densities[0], light = layers->densities[1];
    return 2 * pi / sqrt(gravity * k * (heavy - light) / ((heavy + light) * cotangent));
}

static wbStatus swingLayers(wbValidateRun *run, wbFluidSolver solver) {
    Layers layers = {.solver = solver,
                     .densities = {1000, 400},
                     .width = 1,
                     .depth = 1,
                     .spacing = solver == wb_solverSph ? 0.02 : 0.025,
                     .amplitude = 0.08};
    double expected = getPeriod(&layers), crossings[2] = {0};
    wbStatus status = createLayers(run, &layers, layers.depth);
    if (wbIsOk(status)) status = findCrossings(run, &layers, expected, crossings);
    wbDestroyWorld(layers.world);
    if (!wbIsOk(status) || run->stopped) return status;
    wbReportQuantity(run, (wbQuantity){.quantity = "period of a wave between layers",
                                       .unit = "s",
                                       .value = 2 * (crossings[1] - crossings[0]),
                                       .reference = expected,
                                       .tolerance = 0.05 * expected,
                                       .source = "Lamb, Hydrodynamics, art. 231"});
    return wb_okStatus;
}

static wbStatus validateLayers(wbValidateRun *run, wbFluidSolver solver) {
    WB_TRY(restLayers(run, solver));
    return run->stopped ? wb_okStatus : swingLayers(run, solver);
}

wbStatus wbValidateSphLayers(wbValidateRun *run) { return validateLayers(run, wb_solverSph); }
wbStatus wbValidatePbfLayers(wbValidateRun *run) { return validateLayers(run, wb_solverPbf); }
