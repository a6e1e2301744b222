// SPDX-License-Identifier: MIT
// What keys and buttons do.
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "app/view/files.h"
#include "app/view/films.h"
#include "app/view/pictures.h"
#include "app/view/viewer.h"
#include "core/timer.h"

// By a power of two.
static void changeSpeed(wbViewer *viewer, int power) {
    const double speed = fmin(8, fmax(1.0 / 64, ldexp(viewer->state.speed, power)));
    wbSim_SetSpeed(viewer->sim, speed, false);
    wbViewer_Note(viewer, "speed %g", speed);
}

static void look(wbViewer *viewer, float yaw, float pitch) {
    if (!viewer->still) return;
    wbCameraControl_Take(&viewer->camera, &viewer->shownCamera, viewer->still->scene.dimensions);
    wbCameraControl_Look(&viewer->camera, yaw * 3.14159265f / 180, pitch * 3.14159265f / 180);
}

static void lookLevel(wbViewer *viewer, int yaw) { look(viewer, (float)yaw, 0); }
static void lookDown(wbViewer *viewer, int pitch) { look(viewer, 0, (float)pitch); }

static void lookAsScene(wbViewer *viewer, int unused) {
    (void)unused;
    wbCameraControl_Release(&viewer->camera);
    wbRenderer_Forget(viewer->renderer);
}

static void switchPerspective(wbViewer *viewer, int unused) {
    (void)unused;
    if (!viewer->still) return;
    wbCameraControl_Take(&viewer->camera, &viewer->shownCamera, viewer->still->scene.dimensions);
    wbCameraControl_SetFlat(&viewer->camera, !viewer->camera.isFlat);
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

static void frame(wbViewer *viewer, int unused) {
    (void)unused;
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

static void copyCamera(wbViewer *viewer, int unused) {
    (void)unused;
    char text[256];
    const wbCameraParams *c = &viewer->shownCamera;
    snprintf(text, sizeof text,
             "--set camera.position=%g,%g,%g --set camera.target=%g,%g,%g --set camera.fov=%g",
             (double)c->position.x, (double)c->position.y, (double)c->position.z, (double)c->target.x,
             (double)c->target.y, (double)c->target.z, (double)c->fov);
    wbWindow_Copy(viewer->window, text);
    wbViewer_Note(viewer, "copied: %s", text);
}

static void undo(wbViewer *viewer, int unused) {
    (void)unused;
    const wbEdit *edit = wbEdits_Undo(&viewer->edits);
    if (!edit) return;
    wbSim_Put(viewer->sim, edit->key, edit->before);
    wbRemote_Tell(&viewer->remote, "event set %s %s", edit->key, edit->before);
    wbViewer_Note(viewer, "undone: %s is %s again", edit->key, edit->before);
}

static void writePicture(wbViewer *viewer, int withPanels) {
    char path[WB_SIM_TEXT + 32], name[64];
    const char *slash = strrchr(viewer->state.path, '/');
    snprintf(name, sizeof name, "%.*s", (int)strcspn(slash ? slash + 1 : viewer->state.path, "."),
             slash ? slash + 1 : viewer->state.path);
    snprintf(path, sizeof path, "%s-%06lld.png", name, (long long)viewer->state.step);
    wbAskShot(viewer, path, withPanels != 0);
}

static void cycleQuality(wbViewer *viewer, int unused) {
    (void)unused;
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
    if (steps > 0) wbHand_Flush(viewer);
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

static void saveRecording(wbViewer *viewer, int unused) {
    (void)unused;
    char path[WB_SIM_TEXT];
    snprintf(path, sizeof path, "%s-recording.json", viewer->state.name);
    wbSim_Save(viewer->sim, path);
}

// Those that were saved for this scene.
static void loadSettings(wbViewer *viewer, int unused) {
    (void)unused;
    char path[WB_SIM_TEXT];
    snprintf(path, sizeof path, "%s-settings.json", viewer->state.name);
    wbViewer_LoadSettings(viewer, path);
}

static void switchGravity(wbViewer *viewer, int unused) {
    (void)unused;
    char text[96];
    const wbVec3 *kept = &viewer->gravity;
    const bool isOff = viewer->isGravityOff;
    snprintf(text, sizeof text, "%.9g,%.9g,%.9g", (double)kept->x, (double)kept->y, (double)kept->z);
    viewer->isGravityOff = !isOff;
    wbViewer_Set(viewer, "world.gravity", isOff ? "0,0,0" : text, isOff ? text : "0,0,0");
    wbViewer_Note(viewer, isOff ? "gravity on" : "gravity off");
}

static void cycleHandles(wbViewer *viewer, int unused) {
    (void)unused;
    static const char *const names[] = {"handles of things", "handles of things and of the domain's sides",
                                        "no handles"};
    viewer->handles = (wbHandles)((viewer->handles + 1) % 3);
    wbViewer_Note(viewer, "%s", names[viewer->handles]);
}

static void escape(wbViewer *viewer, int unused) {
    (void)unused;
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

static void pause(wbViewer *viewer, int unused) {
    (void)unused;
    wbHand_Flush(viewer);
    wbSim_SetPaused(viewer->sim, !wbSim_GetState(viewer->sim).isPaused);
    wbRemote_Tell(&viewer->remote, "event %s", wbSim_GetState(viewer->sim).isPaused ? "paused" : "running");
}

static void step(wbViewer *viewer, int count) {
    wbHand_Flush(viewer);
    wbSim_Step(viewer->sim, count);
    wbRemote_Tell(&viewer->remote, "event step");
}

static void restart(wbViewer *viewer, int unused) {
    (void)unused;
    wbViewer_Restart(viewer);
}

static void switchReload(wbViewer *viewer, int unused) {
    (void)unused;
    viewer->files.isAuto = !viewer->files.isAuto;
    wbViewer_Note(viewer, "a scene's file that changes is read again %s",
                  viewer->files.isAuto ? "at once" : "by R alone");
}

// A panel, by where its switch is.
static void show(wbViewer *viewer, int offset) {
    bool *isShown = (bool *)((char *)viewer + offset);
    *isShown = !*isShown;
    if (isShown == &viewer->showStatistics && viewer->layout.width < WB_WIDE)
        wbViewer_Note(viewer, "statistics need a window of %d pixels", WB_WIDE);
}

static void showFullScreen(wbViewer *viewer, int unused) {
    (void)unused;
    wbWindow_ToggleFullScreen(viewer->window);
}

static void changeLook(wbViewer *viewer, int action) { wbViewer_ChangeLook(viewer, (wbAction)action); }

static void saveCheckpoint(wbViewer *viewer, int unused) {
    (void)unused;
    wbViewer_SaveCheckpoint(viewer);
}

static void saveSettings(wbViewer *viewer, int asScene) { wbViewer_SaveSettings(viewer, asScene != 0); }

static void mark(wbViewer *viewer, int unused) {
    (void)unused;
    wbSim_Mark(viewer->sim, "");
    wbRemote_Tell(&viewer->remote, "event mark");
}

static void film(wbViewer *viewer, int unused) {
    (void)unused;
    wbViewer_ToggleFilm(viewer);
}

static void throw(wbViewer * viewer, int unused) {
    (void)unused;
    wbHand_Throw(viewer);
}

static void quit(wbViewer *viewer, int unused) {
    (void)unused;
    viewer->isClosing = true;
}

#define WB_PANEL(field) show, (int)offsetof(wbViewer, field)

static const struct {
    wbAction action;
    void (*run)(wbViewer *viewer, int argument);
    int argument;
} deeds[] = {
    {wb_actPause, pause, 0},
    {wb_actStep, step, 1},
    {wb_actRestart, restart, 0},
    {wb_actReload, restart, 0},
    {wb_actAutoReload, switchReload, 0},
    {wb_actFaster, changeSpeed, 1},
    {wb_actSlower, changeSpeed, -1},
    {wb_actBack, seekBy, -1},
    {wb_actBackTen, seekBy, -10},
    {wb_actForth, seekBy, 1},
    {wb_actForthTen, seekBy, 10},
    {wb_actBackFrame, seekByFrame, -1},
    {wb_actForthFrame, seekByFrame, 1},
    {wb_actMark, mark, 0},
    {wb_actPanels, WB_PANEL(showPanels)},
    {wb_actKeys, WB_PANEL(showKeys)},
    {wb_actStatistics, WB_PANEL(showStatistics)},
    {wb_actPlots, WB_PANEL(showPlots)},
    {wb_actOverlays, WB_PANEL(showOverlays)},
    {wb_actScenes, WB_PANEL(showScenes)},
    {wb_actFullScreen, showFullScreen, 0},
    {wb_actQuality, cycleQuality, 0},
    {wb_actGravity, switchGravity, 0},
    {wb_actFrame, frame, 0},
    {wb_actSceneCamera, lookAsScene, 0},
    {wb_actFront, lookLevel, 0},
    {wb_actBehind, lookLevel, 180},
    {wb_actRight, lookLevel, 90},
    {wb_actLeft, lookLevel, -90},
    {wb_actTop, lookDown, 89},
    {wb_actBottom, lookDown, -89},
    {wb_actFlat, switchPerspective, 0},
    {wb_actCopyCamera, copyCamera, 0},
    {wb_actUndo, undo, 0},
    {wb_actNext, wbOpenNeighbour, 1},
    {wb_actPrevious, wbOpenNeighbour, -1},
    {wb_actSave, saveRecording, 0},
    {wb_actCheckpoint, saveCheckpoint, 0},
    {wb_actSaveSettings, saveSettings, false},
    {wb_actSaveScene, saveSettings, true},
    {wb_actLoadSettings, loadSettings, 0},
    {wb_actPicture, writePicture, false},
    {wb_actWindowPicture, writePicture, true},
    {wb_actFilm, film, 0},
    {wb_actThrow, throw, 0},
    {wb_actSurface, changeLook, wb_actSurface},
    {wb_actSpheres, changeLook, wb_actSpheres},
    {wb_actPoints, changeLook, wb_actPoints},
    {wb_actNextColour, changeLook, wb_actNextColour},
    {wb_actNextField, changeLook, wb_actNextField},
    {wb_actSliceBack, changeLook, wb_actSliceBack},
    {wb_actSliceForth, changeLook, wb_actSliceForth},
    {wb_actArrows, changeLook, wb_actArrows},
    {wb_actHandles, cycleHandles, 0},
    {wb_actEscape, escape, 0},
    {wb_actQuit, quit, 0},
};

void wbViewer_Do(wbViewer *viewer, wbAction action) {
    viewer->panelFrames = 3;
    viewer->isPictureDue = viewer->isPictureDue || action != wb_actNone;
    for (size_t i = 0; i < sizeof deeds / sizeof deeds[0]; i++)
        if (deeds[i].action == action) deeds[i].run(viewer, deeds[i].argument);
}
