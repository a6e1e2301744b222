// SPDX-License-Identifier: MIT
// What keys and buttons do.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/view/files.h"
#include "app/view/films.h"
#include "app/view/pictures.h"
#include "app/view/viewer.h"
#include "core/timer.h"

static void changeSpeed(wbViewer *viewer, double factor) {
    const double speed = fmin(8, fmax(1.0 / 64, viewer->state.speed * factor));
    wbSim_SetSpeed(viewer->sim, speed, false);
    wbViewer_Note(viewer, "speed %g", speed);
}

static void look(wbViewer *viewer, float yaw, float pitch) {
    if (!viewer->still) return;
    wbCameraControl_Take(&viewer->camera, &viewer->shownCamera, viewer->still->scene.dimensions);
    wbCameraControl_Look(&viewer->camera, yaw * 3.14159265f / 180, pitch * 3.14159265f / 180);
}

// What is selected, with some of what is around it.
static bool frameSelection(wbViewer *viewer) {
    wbLook look;
    if (!wbSelection_Look(&viewer->selection, viewer->still, &look)) return false;
    const float reach = look.support > 0 ? 3 * look.support : 0.12f * wbGetSceneSize(viewer->still);
    const wbVec3 margin = {reach, reach, reach};
    wbCameraControl_Frame(&viewer->camera, wbSub(look.position, margin), wbAdd(look.position, margin),
                          viewer->layout.freeWidth / viewer->layout.freeHeight);
    return true;
}

static void frame(wbViewer *viewer) {
    if (!viewer->still) return;
    const wbDomainDef *domain = &viewer->still->domain;
    wbCameraControl_Take(&viewer->camera, &viewer->shownCamera, viewer->still->scene.dimensions);
    if (frameSelection(viewer)) return;
    wbVec3 extent = wbSub(domain->max, domain->min);
    if (wbDot(extent, extent) > 0)
        wbCameraControl_Frame(&viewer->camera, domain->min, domain->max,
                              viewer->layout.freeWidth / viewer->layout.freeHeight);
    else
        wbCameraControl_Release(&viewer->camera);
}

static void copyCamera(wbViewer *viewer) {
    char text[256];
    const wbCameraParams *c = &viewer->shownCamera;
    snprintf(text, sizeof text,
             "--set camera.position=%g,%g,%g --set camera.target=%g,%g,%g --set camera.fov=%g",
             (double)c->position.x, (double)c->position.y, (double)c->position.z, (double)c->target.x,
             (double)c->target.y, (double)c->target.z, (double)c->fov);
    wbWindow_Copy(viewer->window, text);
    wbViewer_Note(viewer, "copied: %s", text);
}

static void undo(wbViewer *viewer) {
    const wbEdit *edit = wbEdits_Undo(&viewer->edits);
    if (!edit) return;
    wbSim_Put(viewer->sim, edit->key, edit->before);
    wbRemote_Tell(&viewer->remote, "event set %s %s", edit->key, edit->before);
    wbViewer_Note(viewer, "undone: %s is %s again", edit->key, edit->before);
}

static void writePicture(wbViewer *viewer, bool withPanels) {
    char path[WB_SIM_TEXT + 32], name[64];
    const char *slash = strrchr(viewer->state.path, '/');
    snprintf(name, sizeof name, "%.*s", (int)strcspn(slash ? slash + 1 : viewer->state.path, "."),
             slash ? slash + 1 : viewer->state.path);
    snprintf(path, sizeof path, "%s-%06lld.png", name, (long long)viewer->state.step);
    wbAskShot(viewer, path, withPanels);
}

static void cycleQuality(wbViewer *viewer) {
    wbPictureQuality *q = &viewer->quality;
    const bool isAuto = !q->isAuto && q->level == WB_LEVELS - 1;
    wbPictureQuality_Choose(q, isAuto, isAuto ? 1 : q->isAuto ? 0 : q->level + 1);
    wbViewer_Note(viewer, isAuto ? "quality auto" : "quality %d", q->level);
}

void wbViewer_Seek(wbViewer *viewer, int64_t step) {
    if (step < 0) step = 0;
    if (step > viewer->state.furthest) step = viewer->state.furthest;
    wbHand_Forget(viewer);
    wbSim_Seek(viewer->sim, step);
    wbRemote_Tell(&viewer->remote, "event seek %lld", (long long)step);
}

void wbViewer_SeekTime(wbViewer *viewer, double time) {
    if (time < 0) time = 0;
    wbHand_Forget(viewer);
    wbSim_SeekTime(viewer->sim, time);
    wbRemote_Tell(&viewer->remote, "event seek time %.9g", time);
}

const char *wbViewer_GetAtStart(const wbViewer *viewer, const char *key) {
    for (int i = 0; i < viewer->startCount; i++)
        if (strcmp(viewer->starts[i].key, key) == 0) return viewer->starts[i].after;
    return NULL;
}

void wbViewer_SetAtStart(wbViewer *viewer, const char *key, const char *value) {
    int i = 0;
    while (i < viewer->startCount && strcmp(viewer->starts[i].key, key) != 0) i++;
    if (i == (int)(sizeof viewer->starts / sizeof viewer->starts[0]) || strlen(value) >= WB_EDIT_VALUE) {
        wbViewer_Note(viewer, "%s cannot wait for a restart: %d parameters can, of %d characters each", key,
                      i, WB_EDIT_VALUE - 1);
        return;
    }
    if (i == viewer->startCount) viewer->startCount++;
    snprintf(viewer->starts[i].key, sizeof viewer->starts[i].key, "%s", key);
    snprintf(viewer->starts[i].after, sizeof viewer->starts[i].after, "%s", value);
}

void wbViewer_Restart(wbViewer *viewer) {
    for (int i = 0; i < viewer->startCount; i++)
        wbSim_SetAtStart(viewer->sim, viewer->starts[i].key, viewer->starts[i].after);
    wbViewer_Reopen(viewer, viewer->startCount > 0);
    viewer->startCount = 0;
}

// Behind the last step that is known there is only a step of its own.
static void seekBy(wbViewer *viewer, int steps) {
    if (viewer->state.step + steps > viewer->state.furthest)
        wbSim_Step(viewer->sim, steps);
    else
        wbViewer_Seek(viewer, viewer->state.step + steps);
}

// By one picture of a film of this scene.
static void seekByFrame(wbViewer *viewer, int direction) {
    if (!viewer->still) return;
    const double time = viewer->state.time, frame = 1 / (double)viewer->still->scene.output.fps;
    if (direction > 0 && viewer->state.step >= viewer->state.furthest)
        wbSim_StepTime(viewer->sim, frame);
    else
        wbViewer_SeekTime(viewer, time + direction * frame);
}

static void saveRecording(wbViewer *viewer) {
    char path[WB_SIM_TEXT];
    snprintf(path, sizeof path, "%s-recording.json", viewer->state.name);
    wbSim_Save(viewer->sim, path);
}

// Those that were saved for this scene.
static void loadSettings(wbViewer *viewer) {
    char path[WB_SIM_TEXT];
    snprintf(path, sizeof path, "%s-settings.json", viewer->state.name);
    wbViewer_LoadSettings(viewer, path);
}

static void switchGravity(wbViewer *viewer) {
    char text[96];
    const wbVec3 *kept = &viewer->gravity;
    const bool isOff = viewer->isGravityOff;
    snprintf(text, sizeof text, "%.9g,%.9g,%.9g", (double)kept->x, (double)kept->y, (double)kept->z);
    viewer->isGravityOff = !isOff;
    wbViewer_Set(viewer, "world.gravity", isOff ? "0,0,0" : text, isOff ? text : "0,0,0");
    wbViewer_Note(viewer, isOff ? "gravity on" : "gravity off");
}

static void cycleHandles(wbViewer *viewer) {
    static const char *const names[] = {"handles of things", "handles of things and of the domain's sides",
                                        "no handles"};
    viewer->handles = (wbHandles)((viewer->handles + 1) % 3);
    wbViewer_Note(viewer, "%s", names[viewer->handles]);
}

static void escape(wbViewer *viewer) {
    if (viewer->hand.mode != wb_handFree) {
        wbHand_LetGo(viewer);
        return;
    }
    viewer->selection = (wbSelection){0};
    viewer->dragged = -1;
    wbSim_Cancel(viewer->sim);
    viewer->showKeys = viewer->showScenes = viewer->showPlots = viewer->showOverlays = false;
    if (!viewer->still) viewer->showScenes = true; // there is nothing else to see
}

static void doCamera(wbViewer *viewer, wbAction action) {
    wbCameraControl *camera = &viewer->camera;
    if (action == wb_actFrame) frame(viewer);
    if (action == wb_actSceneCamera) wbCameraControl_Release(camera), wbRenderer_Forget(viewer->renderer);
    if (action == wb_actFront) look(viewer, 0, 0);
    if (action == wb_actBehind) look(viewer, 180, 0);
    if (action == wb_actRight) look(viewer, 90, 0);
    if (action == wb_actLeft) look(viewer, -90, 0);
    if (action == wb_actTop) look(viewer, 0, 89);
    if (action == wb_actBottom) look(viewer, 0, -89);
    if (action == wb_actFlat && viewer->still) {
        wbCameraControl_Take(camera, &viewer->shownCamera, viewer->still->scene.dimensions);
        wbCameraControl_SetFlat(camera, !camera->isFlat);
    }
}

void wbViewer_Do(wbViewer *viewer, wbAction action) {
    viewer->panelFrames = 3;
    viewer->isPictureDue = viewer->isPictureDue || action != wb_actNone;
    if (action == wb_actPause || action == wb_actStep || action == wb_actForth || action == wb_actForthTen)
        wbHand_Flush(viewer);
    switch (action) {
    case wb_actPause:
        wbSim_SetPaused(viewer->sim, !wbSim_GetState(viewer->sim).isPaused);
        wbRemote_Tell(&viewer->remote, "event %s",
                      wbSim_GetState(viewer->sim).isPaused ? "paused" : "running");
        break;
    case wb_actStep:
        wbSim_Step(viewer->sim, 1);
        wbRemote_Tell(&viewer->remote, "event step");
        break;
    case wb_actRestart:
    case wb_actReload:
        wbViewer_Restart(viewer);
        break;
    case wb_actAutoReload:
        viewer->files.isAuto = !viewer->files.isAuto;
        wbViewer_Note(viewer, "a scene's file that changes is read again %s",
                      viewer->files.isAuto ? "at once" : "by R alone");
        break;
    case wb_actFaster:
        changeSpeed(viewer, 2);
        break;
    case wb_actSlower:
        changeSpeed(viewer, 0.5);
        break;
    case wb_actPanels:
        viewer->showPanels = !viewer->showPanels;
        break;
    case wb_actKeys:
        viewer->showKeys = !viewer->showKeys;
        break;
    case wb_actScenes:
        viewer->showScenes = !viewer->showScenes;
        break;
    case wb_actOverlays:
        viewer->showOverlays = !viewer->showOverlays;
        break;
    case wb_actSurface:
    case wb_actSpheres:
    case wb_actPoints:
    case wb_actNextColour:
    case wb_actNextField:
    case wb_actSliceBack:
    case wb_actSliceForth:
    case wb_actArrows:
        wbViewer_ChangeLook(viewer, action);
        break;
    case wb_actPlots:
        viewer->showPlots = !viewer->showPlots;
        break;
    case wb_actNext:
        wbOpenNeighbour(viewer, 1);
        break;
    case wb_actPrevious:
        wbOpenNeighbour(viewer, -1);
        break;
    case wb_actStatistics:
        viewer->showStatistics = !viewer->showStatistics;
        if (viewer->layout.width < WB_WIDE)
            wbViewer_Note(viewer, "statistics need a window of %d pixels", WB_WIDE);
        break;
    case wb_actFullScreen:
        wbWindow_ToggleFullScreen(viewer->window);
        break;
    case wb_actQuality:
        cycleQuality(viewer);
        break;
    case wb_actCopyCamera:
        copyCamera(viewer);
        break;
    case wb_actUndo:
        undo(viewer);
        break;
    case wb_actBack:
        seekBy(viewer, -1);
        break;
    case wb_actBackTen:
        seekBy(viewer, -10);
        break;
    case wb_actForth:
        seekBy(viewer, 1);
        break;
    case wb_actForthTen:
        seekBy(viewer, 10);
        break;
    case wb_actBackFrame:
        seekByFrame(viewer, -1);
        break;
    case wb_actForthFrame:
        seekByFrame(viewer, 1);
        break;
    case wb_actSave:
        saveRecording(viewer);
        break;
    case wb_actCheckpoint:
        wbViewer_SaveCheckpoint(viewer);
        break;
    case wb_actSaveSettings:
        wbViewer_SaveSettings(viewer);
        break;
    case wb_actLoadSettings:
        loadSettings(viewer);
        break;
    case wb_actMark:
        wbSim_Mark(viewer->sim, "");
        wbRemote_Tell(&viewer->remote, "event mark");
        break;
    case wb_actFilm:
        wbViewer_ToggleFilm(viewer);
        break;
    case wb_actGravity:
        switchGravity(viewer);
        break;
    case wb_actThrow:
        wbHand_Throw(viewer);
        break;
    case wb_actHandles:
        cycleHandles(viewer);
        break;
    case wb_actPicture:
        writePicture(viewer, false);
        break;
    case wb_actWindowPicture:
        writePicture(viewer, true);
        break;
    case wb_actEscape:
        escape(viewer);
        break;
    case wb_actQuit:
        viewer->isClosing = true;
        break;
    default:
        doCamera(viewer, action);
        break;
    }
}
