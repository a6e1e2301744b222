// SPDX-License-Identifier: MIT
// The second world in the window: its picture in the right half, from the same camera, its name and statistics.
#include <stdio.h>

#include "app/view/ui.h"
#include "app/view/viewer.h"
#include "core/status.h"

void wbViewer_OpenBeside(wbViewer *viewer) {
    static char texts[sizeof viewer->starts / sizeof viewer->starts[0]][WB_EDIT_KEY + WB_EDIT_VALUE];
    wbTextList what = {.count = viewer->startCount};
    for (int i = 0; i < viewer->startCount; i++) {
        snprintf(texts[i], sizeof texts[i], "%s=%s", viewer->starts[i].key, viewer->starts[i].after);
        what.items[i] = texts[i];
    }
    wbSim_OpenBeside(viewer->sim, &what);
    viewer->panelFrames = 3;
    wbRemote_Tell(&viewer->remote, "event beside %d", what.count);
}

void wbBeside_Take(wbViewer *viewer) {
    wbBesideView *beside = &viewer->beside;
    wbSim *sim = wbSim_GetBeside(viewer->sim);
    const wbStill *before = beside->still;
    bool isNew = false;
    beside->still = sim ? wbSim_Take(sim, &isNew) : NULL;
    if (isNew || !beside->still != !before) viewer->isPictureDue = true;
    if (!sim) return;
    beside->state = wbSim_GetState(sim);
    wbSim_NameBeside(viewer->sim, beside->name, sizeof beside->name);
}

static wbStatus resize(wbBesideView *beside, wbRectangle first, float x, float scale) {
    beside->place = first;
    beside->place.left = (int)(x * scale + 0.5f);
    if (!beside->renderer) {
        WB_TRY(wbCreateRendererHere(first.width, first.height, &beside->renderer));
        beside->size = (wbSize){first.width, first.height};
    }
    if (beside->size.width == first.width && beside->size.height == first.height) return wb_okStatus;
    beside->size = (wbSize){first.width, first.height};
    return wbRenderer_Resize(beside->renderer, first.width, first.height);
}

wbStatus wbBeside_Draw(wbViewer *viewer, wbRenderQuality quality) {
    wbBesideView *beside = &viewer->beside;
    const wbLayout *l = &viewer->layout;
    if (!beside->still || l->besideX <= 0) return wb_okStatus;
    const wbSize pixels = wbWindow_GetPixels(viewer->window);
    WB_TRY(resize(beside, viewer->place, l->besideX, (float)pixels.width / l->width));
    if (beside->generation != beside->still->generation) wbRenderer_Forget(beside->renderer);
    beside->generation = beside->still->generation;
    wbRenderScene scene = beside->still->scene;
    scene.camera = viewer->shownCamera;
    scene.quality = quality;
    WB_TRY(wbRenderer_DrawFrame(beside->renderer, &scene));
    wbRenderer_Finish(beside->renderer);
    return wb_okStatus;
}

void wbBeside_Show(wbViewer *viewer) {
    const wbLayout *l = &viewer->layout;
    if (!viewer->beside.still || l->besideX <= 0) return;
    wbUi_Divider(l->besideX - 2, l->y, l->freeHeight);
    wbUi_Note(viewer->state.name, l->x + 12, l->y + 8);
    wbUi_Note(viewer->beside.name, l->besideX + 12, l->y + 8);
}

void wbBeside_ShowStatistics(wbViewer *viewer) {
    const wbStill *s = viewer->beside.still;
    if (!s || !wbUi_Section("beside", true, viewer->beside.name)) return;
    wbUi_Faint("%s", viewer->beside.name);
    wbUi_Pair("time", "%.4f s", s->time);
    wbUi_Pair("step", "%lld", (long long)s->step);
    wbUi_Pair("a step takes", "%.2f ms", viewer->beside.state.stepMs);
    wbUi_Pair("particles", "%d", s->stats.particles);
    wbUi_Pair("kinetic energy", "%.4g J", s->stats.kinetic);
    wbUi_Pair("potential energy", "%.4g J", s->stats.potential);
    wbUi_Pair("compression, mean", "%.3g %%", 100 * s->stats.densityErrorMean);
    if (viewer->beside.state.message[0]) wbUi_Warning("%s", viewer->beside.state.message);
    if (wbUi_Button("close the second world", NULL)) wbSim_CloseBeside(viewer->sim);
}
