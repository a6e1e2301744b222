// SPDX-License-Identifier: MIT
// Curves over the last frames, in two columns; a click goes to the step below the cursor, a right click writes all of them.
#include <math.h>
#include <stdio.h>

#include "app/view/radial.h"
#include "app/view/ui.h"
#include "app/view/viewer.h"

enum { MOST_CURVES = WB_MAX_PHASES };

static void follow(wbViewer *viewer, int index) {
    if (index >= 0)
        wbViewer_Seek(viewer, viewer->plots.steps[(viewer->plots.first + index) % WB_PLOT_FRAMES]);
}

static void write(wbViewer *viewer) {
    char path[WB_SIM_TEXT];
    snprintf(path, sizeof path, "%s-plots.csv", viewer->state.name);
    wbStatus status = wbPlots_Write(&viewer->plots, path);
    wbViewer_Note(viewer, "%s%s", wbIsOk(status) ? "written: " : "", wbIsOk(status) ? path : status.text);
}

// Curves of a plot, from the place in the list where the last call ended; one with more has its next ones in another plot.
static int collect(const wbPlots *plots, int plot, int *from, wbUiCurve curves[MOST_CURVES],
                   char texts[MOST_CURVES][64]) {
    int count = 0;
    for (; *from < plots->seriesCount && count < MOST_CURVES; ++*from) {
        const wbSeries *series = wbPlots_GetSeries(plots, *from);
        if (series->plot != plot) continue;
        const wbPlotSummary s = wbPlots_Summarize(plots, *from);
        // phases that take no time at all would only make the list longer
        if (s.highest == 0 && ((const wbPlot *)plots->plots.data)[plot].isStacked) continue;
        snprintf(texts[count], sizeof texts[count], "%.4g  %.4g  %.4g", (double)s.mean, (double)s.high,
                 (double)s.highest);
        curves[count] = (wbUiCurve){.name = series->name,
                                    .summary = texts[count],
                                    .values = series->values,
                                    .first = plots->first,
                                    .count = plots->count,
                                    .capacity = WB_PLOT_FRAMES};
        count++;
    }
    return count;
}

static void showPlot(wbViewer *viewer, int plot) {
    const wbPlot *p = (const wbPlot *)viewer->plots.plots.data + plot;
    wbUiCurve curves[MOST_CURVES];
    char texts[MOST_CURVES][64];
    int from = 0, count;
    while ((count = collect(&viewer->plots, plot, &from, curves, texts)) > 0) {
        bool isRight;
        follow(viewer, wbUi_Plot(p->title, curves, count, p->isStacked, 78, &isRight));
        if (isRight) write(viewer);
    }
}

// What fluids are from their middle outwards, as they stand now.
static void showRadial(const wbStill *still) {
    static const char *const names[WB_RADIAL_KINDS] = {"density, kg/m³", "pressure, Pa", "speed, m/s",
                                                       "radius, m"};
    wbRadial radial;
    bool isRight;
    if (still->scene.viewCount == 0 ||
        !wbUi_Section("over the distance from the middle", false,
                      "means of a fluid's particles, from the middle of all of them to the farthest one"))
        return;
    if (!wbRadial_Make(&radial, still->scene.views, still->scene.viewCount)) return;
    wbUi_Faint("from (%.3g, %.3g, %.3g) m on the left to %.4g m on the right", (double)radial.centre.x,
               (double)radial.centre.y, (double)radial.centre.z, (double)radial.reach);
    wbUi_Columns(2);
    for (int k = 0; k < WB_RADIAL_KINDS; k++) {
        const wbUiCurve curve = {.name = "mean",
                                 .summary = "",
                                 .values = radial.means[k],
                                 .count = WB_RADIAL_PARTS,
                                 .capacity = WB_RADIAL_PARTS};
        if (isnan(radial.means[k][WB_RADIAL_PARTS - 1]))
            continue; // the farthest one has what all of them have
        wbUi_Plot(names[k], &curve, 1, false, 78, &isRight);
        wbUi_NextColumn();
    }
    wbUi_Columns(1);
}

void wbShowPlots(wbViewer *viewer) {
    const wbLayout *l = &viewer->layout;
    const wbPlots *plots = &viewer->plots;
    const float width = fminf(620, l->freeWidth), height = fminf(600, l->freeHeight);
    const bool isOpen =
        wbUi_BeginPopup("Plots", l->x + l->freeWidth - width, l->y, width, height, &viewer->showPlots);
    if (isOpen && plots->count < 2) wbUi_Faint("Curves begin with the second step that is seen.");
    if (isOpen && plots->count >= 2) {
        wbUi_Faint("Mean, 95th percentile and highest of the last %d frames. A click goes to that step, a "
                   "right click writes all as a table.",
                   plots->count);
        wbUi_Columns(2);
        for (int p = 0; p < plots->plotCount; p++) {
            showPlot(viewer, p);
            wbUi_NextColumn();
        }
        wbUi_Columns(1);
    }
    if (isOpen && viewer->still) showRadial(viewer->still);
    wbUi_EndPanel();
}
