// SPDX-License-Identifier: MIT
#include "bench/basin.h"

#include <math.h>

#include "core/status.h"

wbStatus wbCreateBasin(wbValidateRun *run, wbQuality quality, wbBasin *basin) {
    wbWorldDef def = wbDefaultWorldDef();
    basin->solver = wbWorldDef_SetQuality(&def, quality);
    def.params.dimensions = basin->dimensions;
    def.sph.spacing = def.pbf.spacing = (float)basin->spacing;
    def.domain.min = wbMakeVec3(0, 0, 0);
    def.domain.max = wbMakeVec3((float)basin->width, (float)basin->height, (float)basin->depth);
    for (int side = 0; side < wb_sideCount; side++) def.domain.sides[side].type = wb_sideFreeSlip;
    return wbCreateCaseWorld(run, def, basin->solver, &basin->world, &basin->fluid);
}

wbStatus wbBasin_ChooseSound(const wbBasin *basin) {
    return basin->solver == wb_solverSph ? wbWorld_SetParam(basin->world, "sph.soundSpeed", "auto")
                                         : wb_okStatus;
}

wbStatus wbFillBasin(wbBasin *basin, double level) {
    wbBlockDef block = {.max = wbMakeVec3((float)basin->width, (float)level, (float)basin->depth)};
    WB_TRY(wbFluid_AddBlock(basin->world, basin->fluid, &block));
    return wbBasin_ChooseSound(basin);
}

void wbBasin_FollowEnergy(wbBasin *basin, bool isStart) {
    wbStats stats = wbWorld_GetStats(basin->world);
    double energy = stats.kinetic + stats.potential;
    if (isStart) basin->start = basin->highest = energy;
    basin->highest = fmax(basin->highest, energy);
}

wbStatus wbBasin_StepUntil(wbValidateRun *run, wbBasin *basin, double time, double duration) {
    for (double left; (left = time - wbWorld_GetStats(basin->world).time) > 1e-6 && !run->stopped;) {
        double dt = fmin((double)wbGetFineStep(basin->world), left);
        if (wbContinueCase(run, time / duration)) WB_TRY(wbWorld_Step(basin->world, (float)dt));
    }
    return wb_okStatus;
}

double wbBasin_GetLevel(const wbBasin *basin, const wbView *view) {
    enum { maxColumns = 256 };
    double tops[maxColumns] = {0}, level = 0;
    int columns = (int)fmin(fmax(basin->width / (2 * basin->spacing) + 0.5, 1), maxColumns);
    for (int i = 0; i < view->count; i++) {
        int column = (int)fmin(fmax((double)view->x[i] / basin->width * columns, 0), columns - 1);
        tops[column] = fmax(tops[column], (double)view->y[i] + 0.5 * basin->spacing);
    }
    for (int k = 0; k < columns; k++) level += tops[k] / columns;
    return level;
}

// What has come to rest trembles about zero: a zero counts once the height is clearly beyond it.
double wbFindPeriod(const double *heights, int count) {
    const double clear = 0.03 * wbFindHighest(heights, 0, count * WB_BASIN_FRAME);
    double first = -1, last = 0, zero = 0;
    int zeros = 0, side = 0;
    for (int k = 0; k < count; k++) {
        if (k > 0 && (heights[k - 1] < 0) != (heights[k] < 0)) // of a height of 0 exactly, once
            zero = (k - 1 + heights[k - 1] / (heights[k - 1] - heights[k])) * WB_BASIN_FRAME;
        const int now = (heights[k] > clear) - (heights[k] < -clear);
        if (now == 0 || now == side) continue;
        if (side != 0) {
            if (first < 0) first = zero;
            last = zero, zeros++;
        }
        side = now;
    }
    return zeros > 1 ? 2 * (last - first) / (zeros - 1) : 0;
}

double wbFindHighest(const double *heights, double from, double to) {
    double highest = 0;
    for (int k = (int)(from / WB_BASIN_FRAME); k < (int)(to / WB_BASIN_FRAME); k++)
        highest = fmax(highest, fabs(heights[k]));
    return highest;
}
