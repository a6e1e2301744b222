// SPDX-License-Identifier: MIT
// What is plotted: the last values of quantities, one per still. Quantities come when they are first seen; those of one plot share its scale.
#pragma once

#include "app/view/still.h"

enum { WB_PLOT_FRAMES = 600, WB_PLOT_NAME = 96, WB_PLOT_KEY = 128 };

typedef struct wbPlot {
    char title[WB_PLOT_NAME]; ///< with the unit: "energy, J"
    bool isStacked;           ///< curves on top of each other
} wbPlot;

typedef struct wbSeries {
    int plot;
    char name[WB_PLOT_NAME];
    float values[WB_PLOT_FRAMES]; ///< a ring; NAN where there was none
} wbSeries;

typedef struct wbPlots {
    wbArray plots;  ///< wbPlot
    wbArray series; ///< wbSeries
    int plotCount, seriesCount;
    wbArray keys; ///< char[WB_PLOT_KEY]: parameters that are plotted
    int keyCount;
    int64_t steps[WB_PLOT_FRAMES];
    double times[WB_PLOT_FRAMES]; ///< s
    int first, count;             ///< of the rings
} wbPlots;

/// All that a still says; `speed` is that of the simulation, over real time. The first step counts.
wbStatus wbPlots_Add(wbPlots *plots, const wbStill *still, double speed);
/// A parameter, "section.name", from now on; once more: no longer.
wbStatus wbPlots_SwitchParam(wbPlots *plots, const char *key);
bool wbPlots_HasParam(const wbPlots *plots, const char *key);
/// Another world: what was plotted goes, but not which parameters are.
void wbPlots_Clear(wbPlots *plots);
void wbPlots_Free(wbPlots *plots);

static inline const wbSeries *wbPlots_GetSeries(const wbPlots *plots, int index) {
    return (const wbSeries *)plots->series.data + index;
}

/// Mean, 95th percentile and highest of a quantity, over the frames that have one; NAN where none has.
typedef struct wbPlotSummary {
    float mean, high, highest;
} wbPlotSummary;
wbPlotSummary wbPlots_Summarize(const wbPlots *plots, int series);

/// All quantities as a table of commas: step, time, one column each.
wbStatus wbPlots_Write(const wbPlots *plots, const char *path);
