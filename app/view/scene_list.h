// SPDX-License-Identifier: MIT
// The scenes that can be opened: names at once, titles and thumbnails as a thread of its own finds and draws them, one by one.
#pragma once

#include "app/view/thumbnails.h"
#include "core/array.h"
#include "core/worker.h"

typedef struct wbListedScene {
    char name[128];                    ///< without folder and ending
    char path[1024];                   ///< of its file
    char title[128], description[400]; ///< "" until it was read
    double particles;                  ///< that it starts with
    char thumbnail[WB_THUMBNAIL_PATH]; ///< a picture that is there; "": none yet
    bool isRead;
} wbListedScene;

typedef struct wbSceneList {
    wbArray scenes; ///< wbListedScene; read and written with the lock held
    int count;
    bool isOpen, isShown, quits;
    int changeCount; ///< grows with what the thread finds
    wbLock *lock;
    wbWorker *worker;
} wbSceneList;

/// Looks for scenes and starts the thread; once. Without memory there are none.
void wbSceneList_Open(wbSceneList *list);
/// Thumbnails are only drawn while the list is shown.
void wbSceneList_Show(wbSceneList *list, bool isShown);
/// A copy; false: there is none of that number.
bool wbSceneList_Get(wbSceneList *list, int index, wbListedScene *scene);
int wbSceneList_CountChanges(wbSceneList *list);
/// Ends the thread, and a picture that is being drawn.
void wbSceneList_Close(wbSceneList *list);

/// Whether a text stands in name, title or description; case does not matter.
bool wbListedScene_Passes(const wbListedScene *scene, const char *filter);
