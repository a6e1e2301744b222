// SPDX-License-Identifier: MIT
// What the parts of the window share.
#pragma once

#include "app/view/camera_control.h"
#include "app/view/edits.h"
#include "app/view/hand.h"
#include "app/view/keys.h"
#include "app/view/overlays.h"
#include "app/view/plots.h"
#include "app/view/quality.h"
#include "app/view/remote.h"
#include "app/view/scene_list.h"
#include "app/view/selection.h"
#include "app/view/sim.h"
#include "app/view/watch.h"
#include "app/view/window.h"
#include "io/video.h"

/// Where panels and picture stand, in units of the cursor.
typedef struct wbLayout {
    float width, height;               ///< of the window
    float top, bottom;                 ///< heights of the bars
    float left, right;                 ///< widths of the panels; 0: hidden
    float x, y, freeWidth, freeHeight; ///< of the picture
    float besideX;                     ///< of the second picture, which is as large; 0: there is none
} wbLayout;

enum { WB_COMPARED_STEPS = 200, WB_WIDE = 1100 }; // pixels from which on there is a panel on the right

/// The list of scenes as it is shown.
typedef struct wbScenePanel {
    wbSceneList list;
    wbArray pictures; ///< unsigned: textures, one per scene; 0: not there yet
    bool hasLoaded;   ///< one in this frame
    int first;        ///< scene that passes the filter; -1: none
    int knownChanges;
    char filter[WB_SIM_TEXT];
} wbScenePanel;

/// A film that is being made; video NULL: none.
typedef struct wbFilm {
    wbVideo *video;
    char path[WB_SIM_TEXT];
    wbSize size;
    double fps, seconds; ///< seconds so far
    int count;           ///< pictures so far
    uint8_t *pixels;
    size_t bytes;
} wbFilm;

/// The scene's files on disk.
typedef struct wbSceneWatch {
    wbWatch watch;
    int loadCount;              ///< of the world whose files are watched
    bool isChanged;             ///< since they were read
    bool isAuto;                ///< changes are read at once
    char settings[WB_SIM_TEXT]; ///< a list of them that came with the world's file and waits for it; "": none
    int openedGeneration;       ///< of the world before that one
} wbSceneWatch;

/// A picture that is to be written.
typedef struct wbShot {
    bool isAsked, withPanels;
    int atFrame; ///< not before
    char path[WB_SIM_TEXT + 32];
} wbShot;

/// Frames that are shown per second, measured over half a second.
typedef struct wbFrameRate {
    double since; ///< s
    int frames;   ///< since then
    double perSecond;
} wbFrameRate;

/// Which handles the picture has.
typedef enum wbHandles { wb_handlesOfThings, wb_handlesAll, wb_handlesNone } wbHandles;

/// The second world, as far as it is shown.
typedef struct wbBesideView {
    wbRenderer *renderer; ///< NULL until there was one
    wbSize size;          ///< of its pictures
    wbRectangle place;    ///< in the window, in pixels
    const wbStill *still; ///< NULL: there is none
    wbSimState state;
    int generation;
    char name[256];
} wbBesideView;

struct wbViewer {
    wbWindow *window;
    wbRenderer *renderer;
    wbSim *sim;
    wbRemote remote;
    wbSimState state;     ///< as of this frame
    const wbStill *still; ///< NULL before the first
    wbBesideView beside;
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
    wbScenePanel scenePanel;
    wbFilm film;
    wbSceneWatch files;
    char filter[64];
    wbDevice devices[WB_MAX_DEVICES];
    int deviceCount, knownComparisons;
    bool isMachineShown;
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
    wbFrameRate rate;
    char note[512];      ///< the last thing that was done: a file that was written
    double noteUntil;    ///< s
    double refusedUntil; ///< s: so long the last refusal stands above the parameters
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
    float askedShare;   ///< of the line of time, where it was pressed last
    const char *record; ///< file of the recording that is written at the end; NULL: none
    bool hasUi, isClosing, isFinished;
    wbHand hand;
    wbSelection selection;
    wbArray neighbours; ///< wbVec3: where those of a selected particle are
    wbHandles handles;
    int hovered;     ///< handle that the cursor is on, or -1
    int mods;        ///< keys that are held: of WB_MOD_…
    wbInput waiting; ///< a key, until the panel that was pressed before has said whether it takes keys
    bool isWaiting;
    int panelTurns;    ///< frames that it needs for that
    bool isCursorFree; ///< it is on the picture, and on no panel
};

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
/// To the step nearest to a time, s.
void wbViewer_SeekTime(wbViewer *viewer, double time);
/// A second world with what waits for a restart.
void wbViewer_OpenBeside(wbViewer *viewer);

/// The second world: view_beside.c.
void wbBeside_Take(wbViewer *viewer);
wbStatus wbBeside_Draw(wbViewer *viewer, wbRenderQuality quality);
void wbBeside_Show(wbViewer *viewer);
void wbBeside_ShowStatistics(wbViewer *viewer);

/// The newest still, into the renderer, for a picture of this shape.
wbStatus wbViewer_DrawPicture(wbViewer *viewer, int level, float aspect);
/// Shown over the picture for a few seconds.
void wbViewer_Note(wbViewer *viewer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Orders of another program: orders.c.
void wbViewer_TakeOrders(wbViewer *viewer);
/// Finds the place of the picture, and draws it if something in it changed: view_picture.c.
wbStatus wbViewer_UpdatePicture(wbViewer *viewer);
/// A picture at rest is drawn once more, as well as it can be.
bool wbViewer_IsResting(const wbViewer *viewer);

/// The camera and the mouse: view_input.c.
void wbViewer_TakeInputs(wbViewer *viewer);
/// What is seen at a place of the window; `pixels`: how far beside it thin things are still hit.
wbRay wbViewer_GetRay(const wbViewer *viewer, double x, double y);
wbSight wbViewer_GetSight(const wbViewer *viewer, double x, double y, float pixels);
/// Where a point of the world stands in the window; false: behind the camera.
bool wbViewer_Project(const wbViewer *viewer, wbVec3 point, float *x, float *y);
/// The handle there, of those that are shown; -1: none.
int wbViewer_PickHandle(const wbViewer *viewer, const wbSight *sight);

/// Panels of a frame: panel_*.c.
wbLayout wbMakeLayout(const wbViewer *viewer);
void wbShowTopBar(wbViewer *viewer);
void wbShowParams(wbViewer *viewer);
void wbShowStatistics(wbViewer *viewer);
/// What computes, within the statistics.
void wbShowMachine(wbViewer *viewer);
void wbShowTimeBar(wbViewer *viewer);
void wbShowPopups(wbViewer *viewer);
void wbShowOverPicture(wbViewer *viewer);
void wbShowSelection(wbViewer *viewer);
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
/// Before a frame; true: the list has changed.
bool wbUpdateScenes(wbViewer *viewer);
void wbCloseScenes(wbViewer *viewer);
/// The next scene of the list, or the one before.
void wbOpenNeighbour(wbViewer *viewer, int direction);
