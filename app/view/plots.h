// SPDX-License-Identifier: MIT
// What is plotted: the last values of a few quantities, one per still.
#pragma once

#include "app/view/still.h"

enum { WB_PLOT_FRAMES = 600, WB_PLOT_PHASES = 6 };

typedef enum wbQuantity {
    wb_plotStepMs,
    wb_plotSpeed,
    wb_plotKinetic,
    wb_plotPotential,
    wb_plotMeanError,
    wb_plotHighError,
    wb_plotParticles,
    wb_plotPhases, ///< so many
    WB_PLOT_COUNT = wb_plotPhases + WB_PLOT_PHASES
} wbQuantity;

typedef struct wbPlots {
    float values[WB_PLOT_COUNT][WB_PLOT_FRAMES]; ///< rings
    int64_t steps[WB_PLOT_FRAMES];
    int first, count;
    const char *phases[WB_PLOT_PHASES]; ///< names of the longest ones
    int phaseCount;
} wbPlots;

void wbPlots_Add(wbPlots *plots, const wbStill *still, double speed);
void wbPlots_Clear(wbPlots *plots);
/// Mean, 95th percentile and highest of a quantity; zeros where there is none.
typedef struct wbPlotSummary {
    float mean, high, highest;
} wbPlotSummary;
wbPlotSummary wbPlots_Summarize(const wbPlots *plots, wbQuantity quantity);
