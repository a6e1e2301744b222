// SPDX-License-Identifier: MIT
// The list of scenes.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "app/find_scene.h"
#include "app/view/ui.h"
#include "app/view/viewer.h"

static void addScene(const char *name, const char *path, void *context) {
    wbSceneList *list = context;
    wbScene *scene;
    if (list->count == WB_MAX_LISTED) return;
    wbListedScene *entry = &list->scenes[list->count++];
    snprintf(entry->name, sizeof entry->name, "%s", name);
    if (!wbIsOk(wbReadScene(path, &scene))) {
        snprintf(entry->description, sizeof entry->description, "cannot be read");
        return;
    }
    snprintf(entry->description, sizeof entry->description, "%s", wbScene_GetDescription(scene));
    entry->particles = wbScene_GetParticleCount(scene);
    wbDestroyScene(scene);
}

static void readList(wbSceneList *list) {
    char folder[WB_SCENE_PATH];
    list->isRead = true;
    if (wbFindSceneFolder(folder)) wbVisitScenes(folder, addScene, list);
}

static bool contains(const char *text, const char *part) {
    const size_t length = strlen(part);
    for (; *text; text++)
        if (strncasecmp(text, part, length) == 0) return true;
    return length == 0;
}

static void showRows(wbViewer *viewer) {
    wbSceneList *list = &viewer->scenes;
    for (int i = 0; i < list->count; i++) {
        const wbListedScene *scene = &list->scenes[i];
        if (!contains(scene->name, list->filter) && !contains(scene->description, list->filter)) continue;
        if (wbUi_Selectable(scene->name, strcmp(scene->name, viewer->state.name) == 0, NULL)) {
            wbViewer_Open(viewer, scene->name);
            viewer->showScenes = false;
        }
        wbUi_Faint("   %s", scene->description);
    }
}

void wbShowScenes(wbViewer *viewer) {
    const wbLayout *l = &viewer->layout;
    const float width = fminf(720, l->width - 16), height = fminf(620, l->height - 16);
    wbSceneList *list = &viewer->scenes;
    if (!list->isRead) readList(list);
    if (wbUi_BeginPopup("Scenes", 0.5f * (l->width - width), 0.5f * (l->height - height), width, height,
                        &viewer->showScenes)) {
        if (wbUi_Input("find a scene, or type the path of a file and press Enter", list->filter,
                       sizeof list->filter, width - 20)) {
            wbViewer_Open(viewer, list->filter);
            viewer->showScenes = false;
        }
        showRows(viewer);
    }
    wbUi_EndPanel();
}

void wbOpenNeighbour(wbViewer *viewer, int direction) {
    wbSceneList *list = &viewer->scenes;
    if (!list->isRead) readList(list);
    int now = list->count;
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->scenes[i].name, viewer->state.name) == 0) now = i;
    if (list->count == 0) return;
    if (now == list->count) now = direction > 0 ? -1 : 0;
    wbViewer_Open(viewer, list->scenes[(now + direction + list->count) % list->count].name);
}
