// SPDX-License-Identifier: MIT
// What the picture shows: its kind, its colours, a slice through the air, and a switch for each overlay.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/view/geometry.h"
#include "app/view/ui.h"
#include "app/view/viewer.h"

// A row of the section "output", whose choices are declared with it.
static const wbParam *findParam(const char *name) {
    int count;
    const wbParamTable *tables = wbGetSceneParamTables(&count);
    for (int t = 0; t < count; t++)
        for (int r = 0; strcmp(tables[t].section, "output") == 0 && r < tables[t].count; r++)
            if (strcmp(tables[t].params[r].name, name) == 0) return &tables[t].params[r];
    return NULL;
}

// The name of a choice, counted from 0.
static void getChoice(const wbParam *param, int index, char name[32]) {
    const char *choice = param->choices;
    for (int i = 0; i < index && strchr(choice, '|'); i++) choice = strchr(choice, '|') + 1;
    snprintf(name, 32, "%.*s", (int)strcspn(choice, "|"), choice);
}

static int countChoices(const wbParam *param) {
    int count = 1;
    for (const char *c = param->choices; *c; c++) count += *c == '|';
    return count;
}

// The ends of a scale are those of what it showed.
static void freeScale(wbViewer *viewer) {
    const wbOutputParams *o = &viewer->still->scene.output;
    const struct {
        const char *key;
        float value;
    } ends[] = {{"output.colourMin", o->colourMin}, {"output.colourMax", o->colourMax}};
    for (int i = 0; i < 2; i++) {
        char before[32];
        snprintf(before, sizeof before, "%.9g", (double)ends[i].value);
        if (!isnan(ends[i].value)) wbViewer_Set(viewer, ends[i].key, before, "auto");
    }
}

static void setChoice(wbViewer *viewer, const char *name, int before, int chosen) {
    const wbParam *param = findParam(name);
    char key[64], from[32], to[32];
    snprintf(key, sizeof key, "output.%s", name);
    getChoice(param, before, from);
    getChoice(param, chosen, to);
    wbViewer_Set(viewer, key, from, to);
    if (strcmp(name, "colour") == 0 || strcmp(name, "field") == 0) freeScale(viewer);
}

static void showChoice(wbViewer *viewer, const char *name, int value) {
    const wbParam *param = findParam(name);
    char names[256];
    int chosen = value;
    snprintf(names, sizeof names - 1, "%s", param->choices);
    names[strlen(names) + 1] = 0; // two zeros end the list
    for (char *bar = names; (bar = strchr(bar, '|')) != NULL;) *bar++ = 0;
    const wbUiRow row = {.label = name, .tooltip = param->sentence};
    if (wbUi_Choice(&row, &chosen, names) == wb_uiChanged) setChoice(viewer, name, value, chosen);
}

static void setSlice(wbViewer *viewer, float at) {
    char before[32], text[32];
    snprintf(before, sizeof before, "%.9g", (double)viewer->still->scene.output.sliceAt);
    snprintf(text, sizeof text, "%.7g", (double)at);
    wbViewer_Set(viewer, "output.sliceAt", isnan(viewer->still->scene.output.sliceAt) ? "auto" : before,
                 text);
}

// m, the middle of the layer that is shown.
static float getSlicePlace(const wbStill *still, int *axis) {
    const float layers = wbFindSlice(&still->scene, axis);
    return (&still->air.min.x)[*axis] + still->air.cellSize * (layers + 0.5f);
}

static void showSlice(wbViewer *viewer) {
    const wbStill *s = viewer->still;
    int axis;
    float at = getSlicePlace(s, &axis);
    showChoice(viewer, "slice", (int)s->scene.output.slice);
    const float low = (&s->air.min.x)[axis], size = s->air.cellSize;
    const wbUiRow row = {.label = "sliceAt",
                         .tooltip = "m, along the axis; also [ and ], or the wheel with Ctrl",
                         .low = low + 0.5f * size,
                         .high = low + size * ((float)s->air.cells[axis] - 0.5f),
                         .format = "%.3g m"};
    if (wbUi_Slider(&row, &at) == wb_uiChanged) setSlice(viewer, at);
}

static void showPicture(wbViewer *viewer) {
    const wbRenderScene *scene = &viewer->still->scene;
    if (scene->viewCount > 0) {
        if (scene->dimensions == 3) showChoice(viewer, "water", (int)scene->output.water);
        showChoice(viewer, "colour", (int)scene->output.colour);
    }
    if (!wbRenderScene_HasSmoke(scene)) return;
    showChoice(viewer, "field", (int)scene->output.field);
    if (scene->dimensions == 3) showSlice(viewer);
}

void wbShowSearch(const wbOverlays *overlays) {
    const wbCrowd *c = &overlays->crowd;
    wbUi_Pair("  cell", "%.3g x %.3g x %.3g m", (double)c->cell[0], (double)c->cell[1], (double)c->cell[2]);
    wbUi_Pair("  cells, with particles", "%d, %d", c->size[0] * c->size[1] * c->size[2], c->filled);
    wbUi_Pair("  in a cell, mean and most", "%.1f, %d", c->meanInCell, c->mostInCell);
    wbUi_Pair("  neighbours, mean and most", "%.1f, %d", c->meanNeighbours, c->mostNeighbours);
}

static void showSettings(wbViewer *viewer) {
    wbOverlays *o = &viewer->overlays;
    if (o->isOn[wb_overlayArrows] || o->isOn[wb_overlayAirArrows]) {
        float every = (float)o->every;
        const wbUiRow row = {.label = "arrow each",
                             .tooltip =
                                 "so many-th particle, or cell of the slice; 0: as many as can be told apart",
                             .low = 0,
                             .high = 200,
                             .isWhole = true,
                             .format = o->every > 0 ? "%.0f" : "auto"};
        if (wbUi_Slider(&row, &every) == wb_uiChanged) o->every = (int)every, viewer->isPictureDue = true;
    }
    if (o->isOn[wb_overlayConstraints]) {
        float percent = 100 * o->errorShown;
        const wbUiRow row = {.label = "full colour at",
                             .tooltip = "error of a length, over the rest length",
                             .low = 0.01f,
                             .high = 100,
                             .isLogarithmic = true,
                             .format = "%.3g %%"};
        if (wbUi_Slider(&row, &percent) == wb_uiChanged)
            o->errorShown = percent / 100, viewer->isPictureDue = true;
    }
}

// What a world does not have needs no switch.
static bool isOffered(const wbStill *s, int overlay) {
    switch (overlay) {
    case wb_overlayArrows:
    case wb_overlayCells:
    case wb_overlayMerges:
        return s->scene.viewCount > 0;
    case wb_overlayAirArrows:
    case wb_overlaySources:
        return wbRenderScene_HasSmoke(&s->scene);
    case wb_overlayConstraints:
        return s->scene.softCount > 0;
    default:
        return true;
    }
}

void wbShowOverlays(wbViewer *viewer) {
    showPicture(viewer);
    for (int i = 0; i < WB_OVERLAY_COUNT; i++) {
        bool isOn = viewer->overlays.isOn[i];
        if (!isOffered(viewer->still, i)) continue;
        if (wbUi_Tick(wb_overlays[i].label, &isOn, wb_overlays[i].sentence))
            wbViewer_SwitchOverlay(viewer, i, isOn);
        if (i == wb_overlayCells && viewer->overlays.hasCrowd) wbShowSearch(&viewer->overlays);
    }
    showSettings(viewer);
}

void wbShowOverlayPopup(wbViewer *viewer) {
    const wbLayout *l = &viewer->layout;
    const float width = fminf(290, l->freeWidth), height = fminf(560, l->freeHeight);
    if (wbUi_BeginPopup("Overlays", l->x, l->y, width, height, &viewer->showOverlays) && viewer->still)
        wbShowOverlays(viewer);
    wbUi_EndPanel();
}

void wbViewer_SwitchOverlay(wbViewer *viewer, int overlay, bool isOn) {
    viewer->overlays.isOn[overlay] = isOn;
    viewer->isPictureDue = true;
    viewer->panelFrames = 3;
    wbRemote_Tell(&viewer->remote, "event overlay %s %s", wb_overlays[overlay].name, isOn ? "on" : "off");
}

static void setNext(wbViewer *viewer, const char *name, int value) {
    const int next = (value + 1) % countChoices(findParam(name));
    char choice[32];
    getChoice(findParam(name), next, choice);
    setChoice(viewer, name, value, next);
    wbViewer_Note(viewer, "%s: %s", name, choice);
}

static void moveSlice(wbViewer *viewer, float cells) {
    int axis;
    const wbStill *s = viewer->still;
    if (wbFindSlice(&s->scene, &axis) < 0 || s->scene.dimensions == 2) return;
    const float low = (&s->air.min.x)[axis] + 0.5f * s->air.cellSize,
                high = low + s->air.cellSize * (float)(s->air.cells[axis] - 1);
    setSlice(viewer, fminf(fmaxf(getSlicePlace(s, &axis) + cells * s->air.cellSize, low), high));
}

void wbViewer_ChangeLook(wbViewer *viewer, wbAction action) {
    if (!viewer->still) return;
    const wbOutputParams *o = &viewer->still->scene.output;
    if (action == wb_actSurface) setChoice(viewer, "water", (int)o->water, wb_waterSurface);
    if (action == wb_actSpheres) setChoice(viewer, "water", (int)o->water, wb_waterSpheres);
    if (action == wb_actPoints) setChoice(viewer, "water", (int)o->water, wb_waterPoints);
    if (action == wb_actNextColour) setNext(viewer, "colour", (int)o->colour);
    if (action == wb_actNextField) setNext(viewer, "field", (int)o->field);
    if (action == wb_actSliceBack) moveSlice(viewer, -1);
    if (action == wb_actSliceForth) moveSlice(viewer, 1);
    if (action == wb_actArrows)
        wbViewer_SwitchOverlay(viewer, wb_overlayArrows, !viewer->overlays.isOn[wb_overlayArrows]);
}

void wbViewer_UpdateWants(wbViewer *viewer) {
    unsigned wants = wbOverlays_GetWants(&viewer->overlays);
    if (viewer->layout.right > 0) wants |= wb_wantDerived;
    if (viewer->showPlots) wants |= wb_wantProbes | wb_wantErrors;
    if (wants == viewer->wants) return;
    viewer->wants = wants;
    wbSim_Want(viewer->sim, wants);
}
