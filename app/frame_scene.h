// SPDX-License-Identifier: MIT
// What a picture shows: a world as it is now, and what its scene says of the camera and of how things look.
#pragma once

#include "render/drawn_world.h"

typedef struct wbFrameScene {
    wbDrawnWorld drawn;  ///< what `scene` points into
    wbRenderScene scene; ///< camera, output and title may be changed before it is drawn
} wbFrameScene;

/// Looks at the world; the scene's camera is on its way at the world's time. `title` may be NULL. Valid until the world changes.
wbStatus wbFrameScene_Gather(wbFrameScene *frame, const wbScene *scene, wbWorld *world, const char *title);
void wbFrameScene_Free(wbFrameScene *frame);
