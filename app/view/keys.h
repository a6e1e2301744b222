// SPDX-License-Identifier: MIT
// One table of keys: what they do, the page that lists them, tooltips and the manual come from it.
#pragma once

#include "app/view/input.h"

typedef enum wbAction {
    wb_actNone,
    wb_actPause,
    wb_actStep,
    wb_actRestart,
    wb_actReload,
    wb_actAutoReload,
    wb_actFaster,
    wb_actSlower,
    wb_actBack,
    wb_actBackTen,
    wb_actForth,
    wb_actForthTen,
    wb_actBackFrame,
    wb_actForthFrame,
    wb_actMark,
    wb_actPanels,
    wb_actKeys,
    wb_actStatistics,
    wb_actPlots,
    wb_actOverlays,
    wb_actScenes,
    wb_actFullScreen,
    wb_actQuality,
    wb_actGravity,
    wb_actFrame,
    wb_actSceneCamera,
    wb_actFront,
    wb_actBehind,
    wb_actRight,
    wb_actLeft,
    wb_actTop,
    wb_actBottom,
    wb_actFlat,
    wb_actCopyCamera,
    wb_actUndo,
    wb_actNext,
    wb_actPrevious,
    wb_actSave,
    wb_actCheckpoint,
    wb_actSaveSettings,
    wb_actSaveScene,
    wb_actLoadSettings,
    wb_actPicture,
    wb_actWindowPicture,
    wb_actFilm,
    wb_actThrow,
    wb_actSurface,
    wb_actSpheres,
    wb_actPoints,
    wb_actNextColour,
    wb_actNextField,
    wb_actSliceBack,
    wb_actSliceForth,
    wb_actArrows,
    wb_actHandles,
    wb_actEscape,
    wb_actQuit,
} wbAction;

typedef struct wbKeyRow {
    int key, mods;
    wbAction action;
    const char *name;     ///< "Ctrl C"
    const char *sentence; ///< "copy the camera as --set"
} wbKeyRow;

extern const wbKeyRow wb_keys[];
extern const int wb_keyCount;

/// wb_actNone: the key does nothing.
wbAction wbFindAction(int key, int mods);
/// Of "Ctrl+C", as orders write a key's name.
wbAction wbFindActionNamed(const char *name);
/// "Space", or "" for what no key does.
const char *wbGetKeyName(wbAction action);
/// All keys as a table of Markdown, for the manual; to stdout.
void wbPrintKeys(void);
