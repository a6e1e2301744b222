// SPDX-License-Identifier: MIT
// The files that recordings name.
#pragma once

#include "app/find_scene.h"
#include "scene/recording.h"

/// As the recording names it, from the current folder or from that of the recording; else a name of wirbel scenes. False after a
/// complaint.
bool wbFindRecordedScene(const wbRecording *recording, const char *recordingPath, char path[WB_SCENE_PATH]);
/// Likewise the checkpoint that it begins with, as it was then; "": it begins with its scene.
wbStatus wbFindRecordedCheckpoint(const wbRecording *recording, const char *recordingPath,
                                  char path[WB_SCENE_PATH]);
