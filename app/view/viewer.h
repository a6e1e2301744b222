// SPDX-License-Identifier: MIT
// What the parts of the window share.
#pragma once

#include "app/view/camera_control.h"
#include "app/view/edits.h"
#include "app/view/keys.h"
#include "app/view/overlays.h"
#include "app/view/plots.h"
#include "app/view/quality.h"
#include "app/view/remote.h"
#include "app/view/sim.h"
#include "app/view/window.h"

/// Where panels and picture stand, in units of the cursor.
typedef struct wbLayout {
    float width, height;               ///< of the window
    float top, bottom;                 ///< heights of the bars
    float left, right;                 ///< widths of the panels; 0: hidden
    float x, y, freeWidth, freeHeight; ///< of the picture
} wbLayout;

enum { WB_MAX_LISTED = 256 };

typedef struct wbListedScene {
    char name[64], description[240];
    double particles;
} wbListedScene;

typedef struct wbSceneList {
    wbListedScene scenes[WB_MAX_LISTED];
    int count;
    bool isRead;
    char filter[256];
} wbSceneList;

/// A picture that is to be written.
typedef struct wbShot {
    bool isAsked, withPanels;
    int atFrame; ///< not before
    char path[WB_SIM_TEXT + 32];
} wbShot;

typedef struct wbViewer {
    wbWindow *window;
    wbRenderer *renderer;
    wbSim *sim;
    wbRemote remote;
    wbSimState state;     ///< as of this frame
    const wbStill *still; ///< NULL before the first
    wbLayout layout;
    wbCameraControl camera;
    wbCameraParams shownCamera; ///< that the picture was drawn with
    wbPictureQuality quality;
    wbEdits edits;
    wbEdit starts[64]; ///< parameters that wait for a restart
    int startCount;
    wbPlots plots;
    wbOverlays overlays;
    unsigned wants; ///< of wbWant: what the simulation was asked for
    wbSceneList scenes;
    char filter[64];
    wbArray watched, open; ///< int: sections whose values the simulation gives; those that this frame shows
    int watchedCount, openCount, watchedGeneration;
    bool showPanels, showKeys, showStatistics, showScenes, showPlots, showOverlays;
    int dragged;           ///< button that drags the camera, or -1
    bool isPanning;        ///< it pans
    double lastX, lastY;   ///< of the cursor
    bool isCameraMoving;   ///< since the last picture
    double lastCameraMove; ///< s, when it was moved last
    int generation;        ///< of the world that was drawn last
    bool isPictureDue;     ///< something changed that the picture shows
    int panelFrames;       ///< that panels still need to settle
    int frame;             ///< count of frames shown
    char note[512];        ///< the last thing that was done: a file that was written
    double noteUntil;      ///< s
    int knownRefusals, knownNotes;
    char lastSet[WB_EDIT_KEY]; ///< a parameter whose new value is to be told
    int64_t lastSetStep;       ///< when it was set
    wbRectangle place;         ///< of the picture in the window, in pixels
    wbSize pictureSize;
    int drawnLevel;   ///< quality of the last picture
    double lastStill; ///< s, when the last one came
    wbShot shot;
    char message[WB_SIM_TEXT]; ///< that was told last
    wbVec3 gravity;            ///< of the world when it was opened
    bool isGravityOff;
    int64_t askedStep; ///< of the last seek
    bool hasUi, isClosing;
} wbViewer;

/// Does what a key or a button asks for.
void wbViewer_Do(wbViewer *viewer, wbAction action);
/// Sets a parameter: remembered for undo, told to the simulation and to who listens.
void wbViewer_Set(wbViewer *viewer, const char *key, const char *before, const char *value);
/// A parameter that is fixed when a world is made: waits for wbViewer_Restart.
void wbViewer_SetAtStart(wbViewer *viewer, const char *key, const char *value);
/// The value that waits; NULL: none does.
const char *wbViewer_GetAtStart(const wbViewer *viewer, const char *key);
/// The scene from its beginning, with what waits.
void wbViewer_Restart(wbViewer *viewer);
/// To a step that was there already.
void wbViewer_Seek(wbViewer *viewer, int64_t step);
void wbViewer_Open(wbViewer *viewer, const char *path);
/// Shown over the picture for a few seconds.
void wbViewer_Note(wbViewer *viewer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// The camera and the mouse: view_input.c.
void wbViewer_TakeInputs(wbViewer *viewer);

/// Panels of a frame: panel_*.c.
wbLayout wbMakeLayout(const wbViewer *viewer);
void wbShowTopBar(wbViewer *viewer);
void wbShowParams(wbViewer *viewer);
void wbShowStatistics(wbViewer *viewer);
void wbShowTimeBar(wbViewer *viewer);
void wbShowPopups(wbViewer *viewer);
void wbShowPlots(wbViewer *viewer);
void wbShowScenes(wbViewer *viewer);
/// In the panel on the right, or over the picture where there is none.
void wbShowOverlays(wbViewer *viewer);
void wbShowOverlayPopup(wbViewer *viewer);
/// Cells of the search, and how many neighbours there are.
void wbShowSearch(const wbOverlays *overlays);
/// What the picture's kind, colours and slice do by keys; an overlay by its number.
void wbViewer_ChangeLook(wbViewer *viewer, wbAction action);
void wbViewer_SwitchOverlay(wbViewer *viewer, int overlay, bool isOn);
/// Asks the simulation for what overlays and panels show now.
void wbViewer_UpdateWants(wbViewer *viewer);
/// The next scene of the list, or the one before.
void wbOpenNeighbour(wbViewer *viewer, int direction);
