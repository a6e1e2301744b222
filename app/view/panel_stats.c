// SPDX-License-Identifier: MIT
// The panel on the right: how fast it goes, and what the world holds.
#include "app/view/ui.h"
#include "app/view/viewer.h"

static void showSpeed(const wbViewer *viewer) {
    const wbSimState *state = &viewer->state;
    const wbStill *s = viewer->still;
    wbUi_Pair("time", "%.4f s", s->time);
    wbUi_Pair("step", "%lld", (long long)s->step);
    wbUi_Pair("dt", "%.4g s", (double)s->dt);
    wbUi_Pair("a step takes", "%.2f ms", state->stepMs);
    if (state->isFast)
        wbUi_Pair("real time, got", "%.2f", state->gotSpeed);
    else
        wbUi_Pair("real time, asked and got", "%.3g  %.2f", state->speed, state->gotSpeed);
    wbUi_Pair("a picture takes", "%.1f ms", viewer->quality.meanMs);
    wbUi_Pair("quality", "%d%s", viewer->quality.level, viewer->quality.isAuto ? " auto" : "");
}

static void showSums(const wbStill *s) {
    wbUi_Pair("particles", "%d", s->stats.particles);
    wbUi_Pair("mass", "%.5g kg", s->stats.mass);
    wbUi_Pair("kinetic energy", "%.4g J", s->stats.kinetic);
    wbUi_Pair("potential energy", "%.4g J", s->stats.potential);
    wbUi_Pair("compression, mean", "%.3g %%", 100 * s->stats.densityErrorMean);
    wbUi_Pair("compression, highest", "%.3g %%", 100 * s->stats.densityErrorMax);
    if (s->stats.particles > 0)
        wbUi_Pair("neighbours", "%.1f", (double)s->profile.pairs / s->stats.particles);
    wbUi_Pair("came, went, leaked", "%lld %lld %lld", (long long)s->stats.spawned,
              (long long)s->stats.removed, (long long)s->stats.leaked);
    if (s->stats.merges + s->stats.splits > 0)
        wbUi_Pair("merges, splits", "%lld %lld", (long long)s->stats.merges, (long long)s->stats.splits);
    wbUi_Pair("memory", "%.1f MB", (double)s->profile.bytes / 1e6);
}

static void showPhases(const wbStill *s) {
    for (int i = 0; i < s->profile.phaseCount; i++)
        if (s->profile.phases[i].ms > 0.0005)
            wbUi_Pair(s->profile.phases[i].name, "%.3f ms", s->profile.phases[i].ms);
}

void wbShowStatistics(wbViewer *viewer) {
    const wbLayout *l = &viewer->layout;
    if (l->right <= 0) return;
    wbUi_BeginPanel("right", l->width - l->right, l->top, l->right, l->freeHeight);
    if (viewer->still && viewer->showOverlays && wbUi_Section("overlays", true, NULL)) wbShowOverlays(viewer);
    if (viewer->still && viewer->showStatistics) {
        if (wbUi_Section("time", true, NULL)) showSpeed(viewer);
        if (wbUi_Section("world", true, NULL)) showSums(viewer->still);
        if (wbUi_Section("phases of the last step", true, NULL)) showPhases(viewer->still);
    }
    wbUi_EndPanel();
}
