// SPDX-License-Identifier: MIT
#include "app/view/plots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The longest phases of the first step that is seen; their order stays.
static void choosePhases(wbPlots *plots, const wbProfile *profile) {
    bool isTaken[WB_MAX_PHASES] = {false};
    while (plots->phaseCount < WB_PLOT_PHASES && plots->phaseCount < profile->phaseCount) {
        int longest = -1;
        for (int i = 0; i < profile->phaseCount; i++)
            if (!isTaken[i] && (longest < 0 || profile->phases[i].ms > profile->phases[longest].ms))
                longest = i;
        isTaken[longest] = true;
        plots->phases[plots->phaseCount++] = profile->phases[longest].name;
    }
}

static float getPhase(const wbProfile *profile, const char *name) {
    for (int i = 0; i < profile->phaseCount; i++)
        if (strcmp(profile->phases[i].name, name) == 0) return (float)profile->phases[i].ms;
    return 0;
}

void wbPlots_Add(wbPlots *plots, const wbStill *still, double speed) {
    const wbStats *stats = &still->stats;
    if (still->step == 0) return;
    if (plots->phaseCount == 0) choosePhases(plots, &still->profile);
    if (plots->count == WB_PLOT_FRAMES) plots->first = (plots->first + 1) % WB_PLOT_FRAMES, plots->count--;
    const int at = (plots->first + plots->count++) % WB_PLOT_FRAMES;
    plots->steps[at] = still->step;
    plots->values[wb_plotStepMs][at] = (float)still->profile.stepMs;
    plots->values[wb_plotSpeed][at] = (float)speed;
    plots->values[wb_plotKinetic][at] = (float)stats->kinetic;
    plots->values[wb_plotPotential][at] = (float)stats->potential;
    plots->values[wb_plotMeanError][at] = (float)(100 * stats->densityErrorMean);
    plots->values[wb_plotHighError][at] = (float)(100 * stats->densityErrorMax);
    plots->values[wb_plotParticles][at] = (float)stats->particles;
    for (int p = 0; p < plots->phaseCount; p++)
        plots->values[wb_plotPhases + p][at] = getPhase(&still->profile, plots->phases[p]);
}

void wbPlots_Clear(wbPlots *plots) { plots->first = plots->count = plots->phaseCount = 0; }

static int compare(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

wbPlotSummary wbPlots_Summarize(const wbPlots *plots, wbQuantity quantity) {
    float sorted[WB_PLOT_FRAMES];
    double sum = 0;
    if (plots->count == 0) return (wbPlotSummary){0, 0, 0};
    for (int i = 0; i < plots->count; i++) {
        sorted[i] = plots->values[quantity][(plots->first + i) % WB_PLOT_FRAMES];
        sum += (double)sorted[i];
    }
    qsort(sorted, (size_t)plots->count, sizeof sorted[0], compare);
    return (wbPlotSummary){(float)(sum / plots->count), sorted[(plots->count - 1) * 95 / 100],
                           sorted[plots->count - 1]};
}
