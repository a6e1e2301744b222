// SPDX-License-Identifier: MIT
// Files that a user hands to the window: dropped, typed, chosen from the list or told by another program; and those it writes.
#pragma once

#include "app/view/viewer.h"

/// A scene, a name of the list, a recording, a checkpoint, a list of settings or a mesh: whatever it is, it is opened as that.
void wbViewer_OpenFile(wbViewer *viewer, const char *path);
/// Several at once, separated by tabs: the first of them that has a world opens, a second scene beside it, and settings are made when
/// the world is there. `count` are those that a user meant; a note tells what was left out.
void wbViewer_OpenFiles(wbViewer *viewer, const char *paths, int count);
/// What there is, again; or only its scene: a recording or a checkpoint cannot start otherwise than it does.
void wbViewer_Reopen(wbViewer *viewer, bool isScene);
/// In each frame: looks whether the scene's files have changed.
void wbWatchFiles(wbViewer *viewer);
/// NAME-STEP.checkpoint.
void wbViewer_SaveCheckpoint(wbViewer *viewer);
/// NAME-settings.json.
void wbViewer_SaveSettings(wbViewer *viewer, bool asScene);
void wbViewer_LoadSettings(wbViewer *viewer, const char *path);

/// Whether the command line names what can be opened, before a window opens: false after a complaint.
bool wbCheckFiles(const wbOptions *options);
/// Opens what the command line names; without anything the list of scenes.
void wbOpenFirst(wbViewer *viewer, const wbOptions *options);
