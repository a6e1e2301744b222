// SPDX-License-Identifier: MIT
// Small pictures of scenes, drawn once by a child of its own, "wirbel run" at low priority, and kept in the user's cache folder under the
// hash of the scene's text.
#pragma once

#include "wirbel/base.h"

enum { WB_THUMBNAIL_WIDTH = 160, WB_THUMBNAIL_HEIGHT = 90, WB_THUMBNAIL_PATH = 1100 };

/// Where the one of a scene is, or will be.
wbStatus wbFindThumbnail(uint64_t sceneHash, char path[WB_THUMBNAIL_PATH]);

/// Asked now and then while a picture is drawn; true: stop.
typedef bool wbIsOverFn(void *context);

/// Simulates a second of the scene, for 20 s at most, and keeps the last picture that there is then; waits for it. `program` is
/// wirbel. False: there is no picture.
bool wbDrawThumbnail(const char *program, const char *scene, const char *path, wbIsOverFn *isOver,
                     void *context);
