// SPDX-License-Identifier: MIT
// Where scenes are: a path, or the bare name of one in a folder of scenes.
#pragma once

#include "wirbel/base.h"

enum { WB_SCENE_PATH = 4096 };

/// The path of SCENE on the command line: the file of that name, else NAME.json in a folder of scenes. False
/// after a complaint that names the nearest.
bool wbFindScene(const char *name, char path[WB_SCENE_PATH]);

/// The folder of scenes that is used: ./scenes, beside the program (../scenes), or the installed one. False
/// if there is none.
bool wbFindSceneFolder(char path[WB_SCENE_PATH]);

/// Calls `visit` with the name (without .json) and path of each scene of a folder, by name. False if the
/// folder cannot be read.
typedef void wbSceneFn(const char *name, const char *path, void *context);
bool wbVisitScenes(const char *folder, wbSceneFn *visit, void *context);
