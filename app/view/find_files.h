// SPDX-License-Identifier: MIT
// The scenes that recordings and checkpoints are of.
#pragma once

#include "app/find_recorded.h"
#include "app/view/sim.h"

/// A recording whose scene is there and has the same text, with the recording's settings, and the checkpoint that it begins with, or "".
/// After an error nothing is left.
wbStatus wbReadReplay(const char *path, wbRecording *recording, char scenePath[WB_SIM_TEXT],
                      char checkpoint[WB_SCENE_PATH], wbScene **scene);

/// The scene of a checkpoint: the one that is open if it has its name, one of that name beside it or in the list; else the one
/// that is open. False: none. `open` may be "".
bool wbFindSceneOfCheckpoint(const char *checkpoint, const char *open, char path[WB_SIM_TEXT]);
