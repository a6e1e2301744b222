// SPDX-License-Identifier: MIT
// How far a scene's world is while it is made.
#pragma once

#include "wirbel/scene.h"

/// Before each object of a list ("colliders"). False: wbScene_CreateWorld ends with an error, and there is no world. An object that is
/// being made is made to its end.
typedef bool wbSceneProgressFn(const char *list, int index, int count, void *context);

/// NULL: nobody is told.
void wbScene_SetProgress(wbScene *scene, wbSceneProgressFn *tell, void *context);
