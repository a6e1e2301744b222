// SPDX-License-Identifier: MIT
// Water that swings in a tube like a U, and water that was shaken.
#include <math.h>
#include <stdio.h>

#include "bench/basin.h"
#include "core/status.h"

#define PI 3.14159265358979323846

// A tube like a U, 0.25 m wide: the water in it is as long as its volume over the tube's section, and one leg has a tenth of that
// length more than at rest.
static const double tubeRadius = 0.125, tubeBottom = 0.45; // m; bottom: above the bends

static wbStatus addTube(wbBasin *basin) {
    static const wbVec3 path[] = {
        {0.3f, 1.45f, 0.4f}, {0.3f, 0.325f, 0.4f}, {1.1f, 0.325f, 0.4f}, {1.1f, 1.45f, 0.4f}};
    static const wbBlockDef blocks[] = {
        {.min = {0.475f, 0.2f, 0.275f}, .max = {0.925f, 0.45f, 0.525f}},
        {.min = {0.25f, 0.35f, 0.3f}, .max = {0.475f, 0.55f, 0.5f}},
        {.min = {0.925f, 0.35f, 0.3f}, .max = {1.15f, 0.55f, 0.5f}},
        {.min = {0.175f, 0.55f, 0.275f}, .max = {0.425f, 1.175f, 0.525f}},
        {.min = {0.975f, 0.55f, 0.275f}, .max = {1.225f, 0.9f, 0.525f}},
    };
    wbColliderDef tube = wbDefaultColliderDef();
    wbColliderId id;
    tube.name = "tube", tube.params.shape = wb_shapePipe;
    tube.params.radius = (float)tubeRadius, tube.params.thickness = 0.06f;
    tube.path = path, tube.pathCount = sizeof path / sizeof path[0];
    WB_TRY(wbCreateCollider(basin->world, &tube, &id));
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++)
        WB_TRY(wbFluid_AddBlock(basin->world, basin->fluid, &blocks[k]));
    return wb_okStatus;
}

// m, by which the water is higher in the first leg.
static double getRise(const wbBasin *basin, const wbView *view) {
    int more = 0;
    for (int i = 0; i < view->count; i++)
        if ((double)view->y[i] > tubeBottom) more += (double)view->x[i] < 0.5 * basin->width ? 1 : -1;
    return 0.5 * more * pow(basin->spacing, 3) / (PI * tubeRadius * tubeRadius);
}

static wbStatus runTube(wbValidateRun *run, wbBasin *basin) {
    double heights[WB_BASIN_LOOKS] = {0};
    wbView view;
    WB_TRY(addTube(basin));
    WB_TRY(wbBasin_ChooseSound(basin));
    WB_TRY(wbFluid_GetView(basin->world, basin->fluid, &view));
    const double length = view.count * pow(basin->spacing, 3) / (PI * tubeRadius * tubeRadius);
    const double period = 2 * PI * sqrt(length / (2 * WB_BASIN_GRAVITY));
    const int count = (int)fmin(2.5 * period / WB_BASIN_FRAME, WB_BASIN_LOOKS);
    wbBasin_FollowEnergy(basin, true);
    for (int k = 0; k < count && !run->stopped; k++) {
        WB_TRY(wbBasin_StepUntil(run, basin, k * WB_BASIN_FRAME, count * WB_BASIN_FRAME));
        WB_TRY(wbFluid_GetView(basin->world, basin->fluid, &view));
        heights[k] = getRise(basin, &view);
        wbBasin_FollowEnergy(basin, false);
    }
    if (run->stopped) return wb_okStatus;
    wbReportQuantity(run, (wbQuantity){.quantity = "period in a tube",
                                       .unit = "s",
                                       .value = wbFindPeriod(heights, count),
                                       .reference = period,
                                       .tolerance = 0.03 * period,
                                       .source = "2 pi sqrt(L/2g)"});
    wbReportQuantity(run, (wbQuantity){.quantity = "amplitude kept in a tube",
                                       .unit = "per period",
                                       .value = wbFindHighest(heights, 1.25 * period, 2.25 * period) /
                                                wbFindHighest(heights, 0.25 * period, 1.25 * period),
                                       .reference = 1,
                                       .judgement = wb_noted,
                                       .source = "water has next to no viscosity"});
    wbReportQuantity(run, (wbQuantity){.quantity = "energy above the start in a tube",
                                       .unit = "of it",
                                       .value = basin->highest / basin->start - 1,
                                       .tolerance = 1e-3,
                                       .source = "energy is kept"});
    return wb_okStatus;
}

static wbStatus swing(wbValidateRun *run, wbQuality quality) {
    wbBasin basin = {.dimensions = 3, .width = 1.4, .height = 1.6, .depth = 0.8, .spacing = 0.025};
    WB_TRY(wbCreateBasin(run, quality, &basin));
    wbStatus status = runTube(run, &basin);
    wbDestroyWorld(basin.world);
    return status;
}

wbStatus wbValidatePbfTube(wbValidateRun *run) { return swing(run, wb_qualityFast); }
wbStatus wbValidateSplitTube(wbValidateRun *run) { return swing(run, wb_qualityBalanced); }
wbStatus wbValidateSphTube(wbValidateRun *run) { return swing(run, wb_qualityPrecise); }

// A half-full box is shaken sideways at its slowest wave for 10 s and rests for 50 s: the mean level of the last two.
static wbStatus runSlosh(wbValidateRun *run, wbBasin *basin, double level, const char *name) {
    const double k = PI / basin->width, omega = sqrt(WB_BASIN_GRAVITY * k * tanh(k * level)), duration = 60;
    double sum = 0;
    int looks = 0;
    WB_TRY(wbFillBasin(basin, level));
    for (int n = 0; n * WB_BASIN_FRAME < duration && !run->stopped; n++) {
        char value[64];
        double time = n * WB_BASIN_FRAME, push = time < 10 ? 0.1 * WB_BASIN_GRAVITY * sin(omega * time) : 0;
        snprintf(value, sizeof value, "%.9g,%.9g,0", push, -WB_BASIN_GRAVITY);
        if (time < 10 + 2 * WB_BASIN_FRAME) WB_TRY(wbWorld_SetParam(basin->world, "world.gravity", value));
        WB_TRY(wbBasin_StepUntil(run, basin, (n + 1) * WB_BASIN_FRAME, duration));
        if (time < duration - 2) continue;
        wbView view;
        WB_TRY(wbFluid_GetView(basin->world, basin->fluid, &view));
        sum += wbBasin_GetLevel(basin, &view), looks++;
    }
    if (!run->stopped)
        wbReportQuantity(run, (wbQuantity){.quantity = name,
                                           .unit = "m",
                                           .value = sum / looks,
                                           .reference = level,
                                           .tolerance = 0.01 * level,
                                           .source = "volume is kept"});
    return wb_okStatus;
}

static wbStatus slosh(wbValidateRun *run, wbQuality quality, int dimensions) {
    const bool isFlat = dimensions == 2;
    wbBasin basin = {.dimensions = dimensions,
                     .width = isFlat ? 1 : 0.4,
                     .height = 1,
                     .depth = isFlat ? 0 : 0.2,
                     .spacing = 0.02};
    WB_TRY(wbCreateBasin(run, quality, &basin));
    wbStatus status =
        runSlosh(run, &basin, 0.5, isFlat ? "level after sloshing, 2D" : "level after sloshing, 3D");
    wbDestroyWorld(basin.world);
    return status;
}

static wbStatus sloshInBoth(wbValidateRun *run, wbQuality quality) {
    WB_TRY(slosh(run, quality, 2));
    return slosh(run, quality, 3);
}

wbStatus wbValidatePbfSlosh(wbValidateRun *run) { return sloshInBoth(run, wb_qualityFast); }
wbStatus wbValidateSplitSlosh(wbValidateRun *run) { return sloshInBoth(run, wb_qualityBalanced); }
wbStatus wbValidateSphSlosh(wbValidateRun *run) { return sloshInBoth(run, wb_qualityPrecise); }
