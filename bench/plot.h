// SPDX-License-Identifier: MIT
// Line plots with reference points, as SVG.
#pragma once

#include "wirbel/base.h"

typedef struct wbSeries {
    const char *name;
    const double *x, *y;
    int count;
    bool points; ///< circles instead of a line
} wbSeries;

typedef struct wbPlot {
    const char *title, *xLabel, *yLabel; ///< plain text
    const wbSeries *series;
    int seriesCount;
} wbPlot;

/// The axes begin at 0 or below and hold all values.
wbStatus wbWritePlot(const char *path, const wbPlot *plot);
/// A plot with x, above 0, over its powers of ten.
wbStatus wbWriteLogPlot(const char *path, const wbPlot *plot);
/// A plot with y over its powers of ten; values that are not above 0 are left out.
wbStatus wbWriteDecayPlot(const char *path, const wbPlot *plot);
