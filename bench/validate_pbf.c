// SPDX-License-Identifier: MIT
// A position based fluid at rest: how far it is compressed, and where its surface is.
#include <math.h>

#include "bench/validate_case.h"
#include "core/status.h"

enum { layers = 30, maxColumns = 10 };
static const float spacing = 0.1f;

// A box that the lattice fills up to half its height: 20 wide in 2D, 5 wide and deep in 3D.
typedef struct Tank {
    int width, depth; // particles along x and z
    wbWorld *world;
    wbFluidId fluid;
} Tank;

static wbStatus fillTank(wbValidateRun *run, Tank *tank, int dimensions) {
    wbWorldDef def = wbDefaultWorldDef();
    tank->width = dimensions == 2 ? 20 : 5, tank->depth = dimensions == 2 ? 1 : 5;
    def.params.dimensions = dimensions;
    def.domain.max =
        wbMakeVec3((float)tank->width * spacing, 2 * layers * spacing, (float)tank->depth * spacing);
    for (int side = 0; side < wb_sideCount; side++) def.domain.sides[side].type = wb_sideFreeSlip;
    def.pbf.spacing = spacing, def.pbf.iterations = 10, def.pbf.subSteps = 2;
    WB_TRY(wbCreateCaseWorld(run, def, wb_solverPbf, &tank->world, &tank->fluid));
    wbBlockDef block = {.max = def.domain.max};
    block.max.y = layers * spacing;
    return wbFluid_AddBlock(tank->world, tank->fluid, &block);
}

static wbStatus settle(wbValidateRun *run, const Tank *tank) {
    for (int k = 0; k < 600 && !run->stopped; k++)
        if (wbContinueCase(run, k / 600.0)) WB_TRY(wbWorld_Step(tank->world, 1.0f / 60));
    return wb_okStatus;
}

// The surface: half a spacing above the highest particles of columns two spacings wide, on average.
static double getLevel(const Tank *tank, const wbView *view) {
    int columns = tank->width / 2;
    double tops[maxColumns] = {0}, level = 0;
    for (int i = 0; i < view->count; i++) {
        int column = (int)(view->x[i] / (2 * spacing));
        column = column < 0 ? 0 : column >= columns ? columns - 1 : column;
        tops[column] = fmax(tops[column], (double)view->y[i] + 0.5 * (double)spacing);
    }
    for (int k = 0; k < columns; k++) level += tops[k] / columns;
    return level;
}

static void reportRest(wbValidateRun *run, const Tank *tank, const wbView *view, bool flat) {
    wbStats stats = wbWorld_GetStats(tank->world);
    wbReportQuantity(run, (wbQuantity){.quantity = flat ? "mean compression of 30 layers, 2D"
                                                        : "mean compression of 30 layers, 3D",
                                       .unit = "rho0",
                                       .value = stats.densityErrorMean,
                                       .tolerance = 0.01,
                                       .source = "incompressible"});
    wbReportQuantity(run,
                     (wbQuantity){.quantity = flat ? "largest compression, 2D" : "largest compression, 3D",
                                  .unit = "rho0",
                                  .value = stats.densityErrorMax,
                                  .tolerance = 0.05,
                                  .source = "incompressible"});
    wbReportQuantity(run, (wbQuantity){.quantity = flat ? "level, 2D" : "level, 3D",
                                       .unit = "m",
                                       .value = getLevel(tank, view),
                                       .reference = (double)spacing * layers,
                                       .tolerance = (double)spacing,
                                       .source = "volume is kept"});
}

static wbStatus restTank(wbValidateRun *run, Tank *tank, int dimensions) {
    wbView view;
    WB_TRY(fillTank(run, tank, dimensions));
    WB_TRY(settle(run, tank));
    WB_TRY(wbFluid_GetView(tank->world, tank->fluid, &view));
    if (!run->stopped) reportRest(run, tank, &view, dimensions == 2);
    return wb_okStatus;
}

wbStatus wbValidatePbfRest(wbValidateRun *run) {
    for (int dimensions = 2; dimensions <= 3 && !run->stopped; dimensions++) {
        Tank tank = {0};
        wbStatus status = restTank(run, &tank, dimensions);
        wbDestroyWorld(tank.world);
        if (!wbIsOk(status)) return status;
    }
    return wb_okStatus;
}
