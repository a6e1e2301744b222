// SPDX-License-Identifier: MIT
// The list of scenes: titles, descriptions and thumbnails.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/find_scene.h"
#include "app/view/files.h"
#include "app/view/ui.h"
#include "app/view/viewer.h"
#include "io/png.h"
#include "render/panel_picture.h"

// One in a frame at most: the others wait for the next ones.
static void loadPicture(wbViewer *viewer, int index, const char *name, const char *path) {
    wbScenePanel *panel = &viewer->scenePanel;
    wbArray rgb = {0};
    wbSize size;
    if (panel->hasLoaded) {
        viewer->panelFrames = 3;
        return;
    }
    panel->hasLoaded = true;
    wbStatus status = wbReadPng(path, &rgb, &size);
    unsigned *pictures = panel->pictures.data;
    if (wbIsOk(status)) {
        pictures[index] = wbCreatePanelPicture(rgb.data, size.width, size.height);
        wbRemote_Tell(&viewer->remote, "event thumbnail %s", name);
    }
    if (!wbIsOk(status)) remove(path); // it is drawn again the next time
    wbArray_Free(NULL, &rgb);
}

static void showScene(wbViewer *viewer, int index, const wbListedScene *scene) {
    const unsigned *pictures = viewer->scenePanel.pictures.data;
    char title[300], text[480];
    snprintf(title, sizeof title, "%s  (%s)", scene->isRead ? scene->title : scene->name, scene->name);
    if (scene->particles > 0)
        snprintf(text, sizeof text, "%s\n%.0f particles", scene->description, scene->particles);
    else
        snprintf(text, sizeof text, "%s", scene->description);
    wbUiCard card = {.title = title,
                     .text = text,
                     .picture = pictures[index],
                     .width = WB_THUMBNAIL_WIDTH,
                     .height = WB_THUMBNAIL_HEIGHT,
                     .isSelected = strcmp(scene->name, viewer->state.name) == 0};
    if (wbUi_Card(&card)) {
        wbViewer_OpenFile(viewer, scene->path);
        viewer->showScenes = false;
    }
    if (card.isSeen && !card.picture && scene->thumbnail[0])
        loadPicture(viewer, index, scene->name, scene->thumbnail);
}

// Names of textures, 0 for those that are not there yet.
static bool makeRoom(wbScenePanel *panel) {
    if (panel->pictures.data || panel->list.count == 0) return panel->list.count > 0;
    panel->pictures.elementSize = sizeof(unsigned);
    if (!wbArray_Reserve(NULL, &panel->pictures, panel->list.count)) return false;
    memset(panel->pictures.data, 0, (size_t)panel->list.count * sizeof(unsigned));
    return true;
}

static void showRows(wbViewer *viewer) {
    wbScenePanel *panel = &viewer->scenePanel;
    static wbListedScene scene;
    panel->hasLoaded = false;
    panel->first = -1;
    for (int i = 0; makeRoom(panel) && wbSceneList_Get(&panel->list, i, &scene); i++) {
        if (!wbListedScene_Passes(&scene, panel->filter)) continue;
        if (panel->first < 0) panel->first = i;
        showScene(viewer, i, &scene);
    }
}

// A path or a name, or else the first scene of those that are left.
static void openTyped(wbViewer *viewer) {
    wbScenePanel *panel = &viewer->scenePanel;
    static wbListedScene scene;
    const bool isPath = strchr(panel->filter, '/') || strchr(panel->filter, '.');
    if (!isPath && panel->first >= 0 && wbSceneList_Get(&panel->list, panel->first, &scene))
        wbViewer_OpenFile(viewer, scene.path);
    else
        wbViewer_OpenFile(viewer, panel->filter);
    viewer->showScenes = false;
}

void wbShowScenes(wbViewer *viewer) {
    const wbLayout *l = &viewer->layout;
    const float width = fminf(760, l->width - 16), height = fminf(640, l->height - 16);
    wbScenePanel *panel = &viewer->scenePanel;
    wbSceneList_Open(&panel->list);
    if (wbUi_BeginPopup("Scenes", 0.5f * (l->width - width), 0.5f * (l->height - height), width, height,
                        &viewer->showScenes)) {
        if (wbUi_Input("find a scene, or type the path of a file and press Enter", panel->filter,
                       sizeof panel->filter, width - 20))
            openTyped(viewer);
        showRows(viewer);
    }
    wbUi_EndPanel();
}

// Titles and thumbnails come without an event.
bool wbUpdateScenes(wbViewer *viewer) {
    wbScenePanel *panel = &viewer->scenePanel;
    wbSceneList_Show(&panel->list, viewer->showScenes);
    const int changes = wbSceneList_CountChanges(&panel->list);
    if (changes == panel->knownChanges) return false;
    panel->knownChanges = changes;
    if (viewer->showScenes) viewer->panelFrames = 3;
    return viewer->showScenes;
}

void wbCloseScenes(wbViewer *viewer) {
    wbScenePanel *panel = &viewer->scenePanel;
    const unsigned *pictures = panel->pictures.data;
    for (int i = 0; pictures && i < panel->list.count; i++) wbDestroyPanelPicture(pictures[i]);
    wbArray_Free(NULL, &panel->pictures);
    wbSceneList_Close(&panel->list);
}

void wbOpenNeighbour(wbViewer *viewer, int direction) {
    wbSceneList *list = &viewer->scenePanel.list;
    static wbListedScene scene;
    wbSceneList_Open(list);
    int now = list->count;
    for (int i = 0; wbSceneList_Get(list, i, &scene); i++)
        if (strcmp(scene.name, viewer->state.name) == 0) now = i;
    if (list->count == 0) return;
    if (now == list->count) now = direction > 0 ? -1 : 0;
    if (wbSceneList_Get(list, (now + direction + list->count) % list->count, &scene))
        wbViewer_OpenFile(viewer, scene.path);
}
