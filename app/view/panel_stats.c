// SPDX-License-Identifier: MIT
// The panel on the right: how fast it goes, what the world holds, how its solvers work and what follows from their parameters.
#include <stdio.h>
#include <string.h>

#include "app/view/ui.h"
#include "app/view/viewer.h"

static void showSpeed(const wbViewer *viewer) {
    const wbSimState *state = &viewer->state;
    const wbStill *s = viewer->still;
    wbUi_Pair("time", "%.4f s", s->time);
    wbUi_Pair("step", "%lld", (long long)s->step);
    wbUi_Pair("dt", "%.4g s", (double)s->dt);
    wbUi_Pair("a step takes", "%.2f ms", state->stepMs);
    wbUi_Pair("a picture takes", "%.1f ms", viewer->quality.meanMs);
    wbUi_Pair("a step with its picture", "%.1f ms", state->stepMs + viewer->quality.meanMs);
    wbUi_Pair("frames per second", "%.1f", viewer->rate.perSecond);
    if (state->isFast)
        wbUi_Pair("real time, got", "%.2f", state->gotSpeed);
    else
        wbUi_Pair("real time, asked and got", "%.3g  %.2f", state->speed, state->gotSpeed);
    wbUi_Pair("quality", "%d%s", viewer->quality.level, viewer->quality.isAuto ? " auto" : "");
}

// Methods can be exchanged while the world runs.
static void showMethods(wbViewer *viewer) {
    const wbExtras *extras = &viewer->still->extras;
    const wbShownChoice *choices = extras->choices.data;
    for (int i = 0; i < extras->choiceCount; i++) {
        char names[256], key[160];
        int chosen = 0, index = 0;
        snprintf(key, sizeof key, "%s.%s", choices[i].section, choices[i].param->name);
        if (i == 0 || strcmp(choices[i].section, choices[i - 1].section) != 0)
            wbUi_Faint("%s", choices[i].section);
        snprintf(names, sizeof names - 1, "%s", choices[i].param->choices);
        names[strlen(names) + 1] = 0; // two zeros end the list
        for (char *name = names; name; index++) {
            char *bar = strchr(name, '|');
            if (bar) *bar = 0;
            if (strcmp(name, choices[i].text) == 0) chosen = index;
            name = bar ? bar + 1 : NULL;
        }
        const wbUiRow row = {.key = key,
                             .label = choices[i].param->name,
                             .tooltip = choices[i].param->sentence,
                             .isFixed = choices[i].param->live == 0};
        if (wbUi_Choice(&row, &chosen, names) != wb_uiChanged) continue;
        const char *name = names;
        for (int n = 0; n < chosen; n++) name += strlen(name) + 1;
        wbViewer_Set(viewer, key, choices[i].text, name);
    }
}

static void showSums(const wbStill *s) {
    wbUi_Pair("particles", "%d", s->stats.particles);
    int colliders = 0;
    for (int i = 0; i < s->scene.bodyCount; i++)
        colliders += s->scene.bodies[i].owner.kind == wb_ownerCollider;
    wbUi_Pair("fluids, soft bodies", "%d  %d", s->scene.viewCount, s->scene.softCount);
    wbUi_Pair("bodies, colliders", "%d  %d", s->scene.bodyCount - colliders, colliders);
    wbUi_Pair("mass", "%.5g kg", s->stats.mass);
    wbUi_Pair("kinetic energy", "%.4g J", s->stats.kinetic);
    wbUi_Pair("potential energy", "%.4g J", s->stats.potential);
    wbUi_Pair("highest speed", "%.4g m/s", s->stats.maxSpeed);
    if (s->stats.densityMax > 0) {
        wbUi_Pair("density, mean", "%.5g kg/m³", s->stats.densityMean);
        wbUi_Pair("density, highest", "%.5g kg/m³", s->stats.densityMax);
        wbUi_Pair("compression, mean", "%.3g %%", 100 * s->stats.densityErrorMean);
        wbUi_Pair("compression, highest", "%.3g %%", 100 * s->stats.densityErrorMax);
    }
    wbUi_Pair("came, went, leaked", "%lld %lld %lld", (long long)s->stats.spawned,
              (long long)s->stats.removed, (long long)s->stats.leaked);
    if (s->stats.spray + s->stats.foam + s->stats.bubbles > 0)
        wbUi_Pair("spray, foam, bubbles", "%d  %d  %d", s->stats.spray, s->stats.foam, s->stats.bubbles);
    wbUi_Pair("memory", "%.1f MB", (double)s->profile.bytes / 1e6);
    for (int i = 0; i < s->profile.solverCount; i++)
        wbUi_Pair("sub-steps", "%s  %d", s->profile.solvers[i].name, s->profile.solvers[i].subSteps);
}

static void showAdaptive(const wbStill *s) {
    wbUi_Pair("merges, splits", "%lld  %lld", (long long)s->stats.merges, (long long)s->stats.splits);
    wbUi_Pair("smallest radius", "%.4g m", s->stats.smallestRadius);
    wbUi_Pair("largest radius", "%.4g m", s->stats.largestRadius);
    if (s->extras.wants & wb_wantTransfers) wbUi_Pair("on their way", "%d", s->extras.transferCount);
}

// Where neighbours are looked for; counted while it is shown.
static void showGrid(wbViewer *viewer) {
    bool isOn = viewer->overlays.isOn[wb_overlayCells];
    if (wbUi_Tick("show and count the cells", &isOn, wb_overlays[wb_overlayCells].sentence))
        wbViewer_SwitchOverlay(viewer, wb_overlayCells, isOn);
    if (viewer->overlays.hasCrowd) wbShowSearch(&viewer->overlays);
}

static void showDerived(const wbExtras *extras) {
    const wbDerived *rows = extras->derived.data;
    char name[96];
    for (int i = 0; i < extras->derivedCount; i++) {
        snprintf(name, sizeof name, "%s %s", rows[i].section, rows[i].name);
        wbUi_Pair(name, "%.6g %s", rows[i].value, rows[i].unit);
    }
}

static void showPhases(const wbStill *s) {
    for (int i = 0; i < s->profile.phaseCount; i++)
        if (s->profile.phases[i].ms > 0.0005)
            wbUi_Pair(s->profile.phases[i].name, "%.3f ms", s->profile.phases[i].ms);
}

static void showSections(wbViewer *viewer) {
    const wbStill *s = viewer->still;
    if (wbUi_Section("time", true, NULL)) showSpeed(viewer);
    if (wbUi_Section("scene data", true, "what the world holds")) showSums(s);
    if (s->extras.choiceCount > 0 &&
        wbUi_Section("methods", true, "of the solvers; those that are not grey can be exchanged now"))
        showMethods(viewer);
    if (s->stats.largestRadius > 1.001 * s->stats.smallestRadius || s->stats.merges + s->stats.splits > 0)
        if (wbUi_Section("adaptive fluid", true, "particles of different sizes")) showAdaptive(s);
    if (s->scene.viewCount > 0 && wbUi_Section("grid data", false, "where neighbours are looked for"))
        showGrid(viewer);
    if (s->extras.derivedCount > 0 &&
        wbUi_Section("derived", false, "what follows from parameters and state"))
        showDerived(&s->extras);
    if (wbUi_Section("phases of the last step", true, NULL)) showPhases(s);
}

void wbShowStatistics(wbViewer *viewer) {
    const wbLayout *l = &viewer->layout;
    if (l->right <= 0) return;
    wbUi_BeginPanel("right", l->width - l->right, l->top, l->right, l->freeHeight);
    if (viewer->still) wbShowSelection(viewer);
    if (viewer->still && viewer->showOverlays && wbUi_Section("overlays", true, NULL)) wbShowOverlays(viewer);
    if (viewer->still && viewer->showStatistics) {
        showSections(viewer);
        wbBeside_ShowStatistics(viewer);
        wbShowMachine(viewer);
    }
    wbUi_EndPanel();
}
