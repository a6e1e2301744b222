// SPDX-License-Identifier: MIT
#include "app/view/scene_list.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "app/find_scene.h"
#include "scene/recording.h"

static wbListedScene *getScene(const wbSceneList *list, int index) {
    return (wbListedScene *)list->scenes.data + index;
}

static void addScene(const char *name, const char *path, void *context) {
    wbSceneList *list = context;
    list->scenes.elementSize = sizeof(wbListedScene);
    if (strlen(path) >= sizeof getScene(list, 0)->path) return; // no other program could open it by this path
    if (!wbArray_Reserve(NULL, &list->scenes, list->count + 1)) return;
    wbListedScene *scene = getScene(list, list->count++);
    *scene = (wbListedScene){0};
    snprintf(scene->name, sizeof scene->name, "%s", name);
    snprintf(scene->path, sizeof scene->path, "%s", path);
}

// wirbel stands beside this program.
static bool findProgram(char path[WB_SCENE_PATH]) {
    const ssize_t length = readlink("/proc/self/exe", path, WB_SCENE_PATH - 32);
    if (length <= 0) return false;
    path[length] = 0;
    strcpy(strrchr(path, '/') + 1, "wirbel");
    return access(path, X_OK) == 0;
}

static void put(wbSceneList *list, int index, const wbListedScene *scene) {
    wbLock_Take(list->lock);
    *getScene(list, index) = *scene;
    list->changeCount++;
    wbLock_Release(list->lock);
}

static void readOne(wbListedScene *scene, uint64_t *hash) {
    wbScene *read;
    wbStatus status = wbReadScene(scene->path, &read);
    scene->isRead = true;
    snprintf(scene->title, sizeof scene->title, "%s", scene->name);
    snprintf(scene->description, sizeof scene->description, "%s", status.text);
    if (!wbIsOk(status)) return;
    snprintf(scene->title, sizeof scene->title, "%s", wbScene_GetTitle(read));
    snprintf(scene->description, sizeof scene->description, "%s", wbScene_GetDescription(read));
    scene->particles = wbScene_GetParticleCount(read);
    *hash = wbScene_HashText(read);
    wbDestroyScene(read);
}

static bool isQuitting(void *context) {
    wbSceneList *list = context;
    wbLock_Take(list->lock);
    const bool quits = list->quits;
    wbLock_Release(list->lock);
    return quits;
}

// Until the list is shown; false: it is closed.
static bool awaitShown(wbSceneList *list) {
    wbLock_Take(list->lock);
    while (!list->isShown && !list->quits) wbLock_Wait(list->lock, 1);
    const bool quits = list->quits;
    wbLock_Release(list->lock);
    return !quits;
}

static void lookFor(wbListedScene *scene, uint64_t hash, bool mayDraw, const char *program,
                    wbSceneList *list) {
    char path[WB_THUMBNAIL_PATH];
    if (hash == 0 || !wbIsOk(wbFindThumbnail(hash, path))) return;
    const bool isThere = access(path, R_OK) == 0;
    if (isThere || (mayDraw && wbDrawThumbnail(program, scene->path, path, isQuitting, list)))
        snprintf(scene->thumbnail, sizeof scene->thumbnail, "%s", path);
}

// First all that is quick: titles, and thumbnails that are there. Then what must be drawn.
static void run(void *context) {
    wbSceneList *list = context;
    char program[WB_SCENE_PATH];
    wbListedScene scene;
    wbArray hashes = {.elementSize = sizeof(uint64_t)};
    if (!wbArray_Reserve(NULL, &hashes, list->count)) return;
    uint64_t *hash = hashes.data;
    for (int i = 0; i < list->count && !isQuitting(list); i++) {
        hash[i] = 0;
        wbSceneList_Get(list, i, &scene);
        readOne(&scene, &hash[i]);
        lookFor(&scene, hash[i], false, NULL, list);
        put(list, i, &scene);
    }
    const bool hasProgram = findProgram(program);
    for (int i = 0; i < list->count && hasProgram && awaitShown(list); i++) {
        wbSceneList_Get(list, i, &scene);
        if (scene.thumbnail[0]) continue;
        lookFor(&scene, hash[i], true, program, list);
        put(list, i, &scene);
    }
    wbArray_Free(NULL, &hashes);
}

void wbSceneList_Open(wbSceneList *list) {
    char folder[WB_SCENE_PATH];
    if (list->isOpen) return;
    list->isOpen = true;
    if (wbFindSceneFolder(folder)) wbVisitScenes(folder, addScene, list);
    list->lock = wbCreateLock();
    if (list->lock && list->count > 0) list->worker = wbStartWorker(run, list);
}

void wbSceneList_Show(wbSceneList *list, bool isShown) {
    if (!list->lock || list->isShown == isShown) return;
    wbLock_Take(list->lock);
    list->isShown = isShown;
    wbLock_WakeAll(list->lock);
    wbLock_Release(list->lock);
}

bool wbSceneList_Get(wbSceneList *list, int index, wbListedScene *scene) {
    if (!list->lock || index < 0 || index >= list->count) return false;
    wbLock_Take(list->lock);
    *scene = *getScene(list, index);
    wbLock_Release(list->lock);
    return true;
}

int wbSceneList_CountChanges(wbSceneList *list) {
    if (!list->lock) return 0;
    wbLock_Take(list->lock);
    const int count = list->changeCount;
    wbLock_Release(list->lock);
    return count;
}

void wbSceneList_Close(wbSceneList *list) {
    if (list->lock) {
        wbLock_Take(list->lock);
        list->quits = true;
        wbLock_WakeAll(list->lock);
        wbLock_Release(list->lock);
    }
    wbWorker_Join(list->worker);
    wbDestroyLock(list->lock);
    wbArray_Free(NULL, &list->scenes);
    *list = (wbSceneList){0};
}

static bool contains(const char *text, const char *part) {
    const size_t length = strlen(part);
    for (; *text; text++)
        if (strncasecmp(text, part, length) == 0) return true;
    return length == 0;
}

bool wbListedScene_Passes(const wbListedScene *scene, const char *filter) {
    return contains(scene->name, filter) || contains(scene->title, filter) ||
           contains(scene->description, filter);
}
