// SPDX-License-Identifier: MIT
// Curves over the last frames; a click goes to the step below the cursor.
#include <math.h>

#include "app/view/ui.h"
#include "app/view/viewer.h"

static wbUiCurve getCurve(const wbPlots *plots, wbQuantity quantity, const char *name) {
    return (wbUiCurve){name, plots->values[quantity], plots->first, plots->count, WB_PLOT_FRAMES};
}

static void follow(wbViewer *viewer, int index) {
    if (index >= 0)
        wbViewer_Seek(viewer, viewer->plots.steps[(viewer->plots.first + index) % WB_PLOT_FRAMES]);
}

static void summarize(const wbPlots *plots, wbQuantity quantity, const char *unit) {
    const wbPlotSummary s = wbPlots_Summarize(plots, quantity);
    wbUi_Faint("mean %.4g, 95 %% below %.4g, highest %.4g %s", (double)s.mean, (double)s.high,
               (double)s.highest, unit);
}

void wbShowPlots(wbViewer *viewer) {
    const wbLayout *l = &viewer->layout;
    const wbPlots *plots = &viewer->plots;
    const float width = fminf(560, l->freeWidth), height = fminf(560, l->freeHeight), each = 78;
    if (!wbUi_BeginPopup("Plots", l->x + l->freeWidth - width, l->y, width, height, &viewer->showPlots) ||
        plots->count < 2) {
        wbUi_EndPanel();
        return;
    }
    wbUiCurve phases[WB_PLOT_PHASES];
    for (int p = 0; p < plots->phaseCount; p++)
        phases[p] = getCurve(plots, (wbQuantity)(wb_plotPhases + p), plots->phases[p]);
    follow(viewer, wbUi_Plot("ms of a step, its longest phases on top of each other", phases,
                             plots->phaseCount, true, each));
    summarize(plots, wb_plotStepMs, "ms");
    const wbUiCurve speed = getCurve(plots, wb_plotSpeed, "real time");
    follow(viewer, wbUi_Plot("simulated seconds per second", &speed, 1, false, each));
    const wbUiCurve energies[] = {getCurve(plots, wb_plotKinetic, "kinetic"),
                                  getCurve(plots, wb_plotPotential, "potential")};
    follow(viewer, wbUi_Plot("energy, J", energies, 2, false, each));
    const wbUiCurve errors[] = {getCurve(plots, wb_plotMeanError, "mean"),
                                getCurve(plots, wb_plotHighError, "highest")};
    follow(viewer, wbUi_Plot("compression, %", errors, 2, false, each));
    const wbUiCurve particles = getCurve(plots, wb_plotParticles, "particles");
    follow(viewer, wbUi_Plot("particles", &particles, 1, false, each));
    wbUi_EndPanel();
}
