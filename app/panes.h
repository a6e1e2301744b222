// SPDX-License-Identifier: MIT
// Pictures of several worlds of one scene, side by side.
#pragma once

#include "app/outputs.h"

enum { WB_MAX_PANES = 3 };

/// All but the first four fields begin as 0.
typedef struct wbPanes {
    const wbOptions *options; ///< png: the folder, every: which frames
    const wbScene *scene;
    int count;                 ///< of worlds
    const char *const *titles; ///< of each
    wbOutputs outputs[WB_MAX_PANES];
    int openCount;
    uint8_t *joined;
    size_t joinedBytes;
} wbPanes;

/// Writes a frame of the worlds into the folder, if it is one of those that are wanted.
wbStatus wbPanes_Draw(wbPanes *panes, wbWorld *const *worlds, int frame);
void wbPanes_Close(wbPanes *panes);
