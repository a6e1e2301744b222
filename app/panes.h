// SPDX-License-Identifier: MIT
// Pictures of several worlds of one scene, side by side.
#pragma once

#include "app/args.h"
#include "app/frame_scene.h"
#include "wirbel/scene.h"

enum { WB_MAX_PANES = 3 };

/// A world's own camera keeps its frame and its colours from one picture to the next.
typedef struct wbPane {
    wbRenderer *renderer;
    wbFrameScene frame;
    uint8_t *pixels;
} wbPane;

/// All but the first four fields begin as 0.
typedef struct wbPanes {
    const wbOptions *options; ///< png: the folder, every: which frames
    const wbScene *scene;
    int count;                 ///< of worlds
    const char *const *titles; ///< of each
    wbPane panes[WB_MAX_PANES];
    size_t pixelBytes; ///< of one pane
    uint8_t *joined;
} wbPanes;

/// Writes a frame of the worlds into the folder, if it is one of those that are wanted.
wbStatus wbPanes_Draw(wbPanes *panes, wbWorld *const *worlds, int frame);
void wbPanes_Close(wbPanes *panes);
