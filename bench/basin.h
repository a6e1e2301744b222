// SPDX-License-Identifier: MIT
// A box of water with free-slip sides, and what validation measures in it.
#pragma once

#include "bench/validate_case.h"

#define WB_BASIN_GRAVITY 9.81       ///< m/s2
#define WB_BASIN_FRAME   (1.0 / 60) ///< s, between two looks

enum { WB_BASIN_LOOKS = 400 };

typedef struct wbBasin {
    int dimensions;
    double width, height, depth, spacing; ///< m; depth along z
    wbFluidSolver solver;
    wbWorld *world;
    wbFluidId fluid;
    double start, highest; ///< J, total energy
} wbBasin;

/// A world with an empty basin, whose dimensions, edges and spacing are given, and a fluid of that quality.
wbStatus wbCreateBasin(wbValidateRun *run, wbQuality quality, wbBasin *basin);
wbStatus wbFillBasin(wbBasin *basin, double level);
/// Of SPH, by the water that is there.
wbStatus wbBasin_ChooseSound(const wbBasin *basin);

void wbBasin_FollowEnergy(wbBasin *basin, bool isStart);
/// With the solver's own steps, the last of them cut; `duration` is that of the case.
wbStatus wbBasin_StepUntil(wbValidateRun *run, wbBasin *basin, double time, double duration);
/// The surface, m: half a spacing above the highest particles of columns two spacings wide, on average.
double wbBasin_GetLevel(const wbBasin *basin, const wbView *view);

/// s, of heights at WB_BASIN_FRAME from each other: twice the mean distance of their zeros, by straight lines between looks.
double wbFindPeriod(const double *heights, int count);
/// The greatest size of a height from time to time, s.
double wbFindHighest(const double *heights, double from, double to);
