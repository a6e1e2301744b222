// SPDX-License-Identifier: MIT
// The mouse on the picture, and keys.
#include <math.h>

#include "app/view/files.h"
#include "app/view/ui.h"
#include "app/view/viewer.h"
#include "core/timer.h"

static bool isOnPicture(const wbViewer *viewer, const wbInput *input) {
    const wbLayout *l = &viewer->layout;
    return input->x >= l->x && input->y >= l->y && input->x < l->x + l->freeWidth &&
           input->y < l->y + l->freeHeight;
}

// The second world is for looking: its picture turns and moves with the first, but nothing is held there.
static bool isOnSecond(const wbViewer *viewer, const wbInput *input) {
    wbInput there = *input;
    there.x -= (double)(viewer->layout.besideX - viewer->layout.x);
    return viewer->layout.besideX > 0 && isOnPicture(viewer, &there);
}

// Pixels per unit of the cursor.
static float getScale(const wbViewer *viewer) {
    const wbSize pixels = wbWindow_GetPixels(viewer->window);
    return viewer->layout.width > 0 ? (float)pixels.width / viewer->layout.width : 1;
}

wbRay wbViewer_GetRay(const wbViewer *viewer, double x, double y) {
    const double scale = getScale(viewer);
    return wbRenderer_GetRay(viewer->renderer, (float)((x - viewer->layout.x) * scale),
                             (float)((y - viewer->layout.y) * scale));
}

bool wbViewer_Project(const wbViewer *viewer, wbVec3 point, float *x, float *y) {
    const float scale = getScale(viewer);
    if (!wbRenderer_Project(viewer->renderer, point, x, y)) return false;
    *x = viewer->layout.x + *x / scale, *y = viewer->layout.y + *y / scale;
    return true;
}

wbSight wbViewer_GetSight(const wbViewer *viewer, double x, double y, float pixels) {
    const float tangent = tanf(0.5f * viewer->shownCamera.fov * 3.14159265f / 180);
    return (wbSight){wbViewer_GetRay(viewer, x, y), 2 * tangent * pixels / viewer->layout.freeHeight};
}

int wbViewer_PickHandle(const wbViewer *viewer, const wbSight *sight) {
    if (!viewer->still || viewer->handles == wb_handlesNone) return -1;
    return wbPickHandle(viewer->still, sight, viewer->handles == wb_handlesAll);
}

static void tellCamera(wbViewer *viewer) {
    wbCameraParams c = wbCameraControl_GetParams(&viewer->camera);
    wbRemote_Tell(&viewer->remote, "event camera %g %g %g to %g %g %g", (double)c.position.x,
                  (double)c.position.y, (double)c.position.z, (double)c.target.x, (double)c.target.y,
                  (double)c.target.z);
}

// The user leads it from where the picture was taken.
static void takeCamera(wbViewer *viewer) {
    if (viewer->still)
        wbCameraControl_Take(&viewer->camera, &viewer->shownCamera, viewer->still->scene.dimensions);
}

static void noteMove(wbViewer *viewer) {
    viewer->isCameraMoving = viewer->isPictureDue = true;
    viewer->lastCameraMove = wbGetSeconds();
}

// Where panels are is known since the last frame, but not which one the cursor is on: it may have moved since.
static bool isFree(const wbViewer *viewer, const wbInput *input) {
    return viewer->still && (isOnPicture(viewer, input) || isOnSecond(viewer, input)) &&
           !wbUi_HasMouseAt((float)input->x, (float)input->y);
}

static void press(wbViewer *viewer, const wbInput *input) {
    if (input->code == WB_BUTTON_RIGHT && viewer->hand.mode != wb_handFree) {
        wbHand_Pin(viewer);
        return;
    }
    if (wbUi_HasMouseAt((float)input->x, (float)input->y)) viewer->panelTurns = 2;
    if (!isFree(viewer, input) || viewer->hand.mode != wb_handFree || viewer->dragged >= 0) return;
    viewer->lastX = input->x, viewer->lastY = input->y;
    wbHand_Begin(&viewer->hand, input->x, input->y);
    if (input->code == WB_BUTTON_LEFT && !isOnSecond(viewer, input) &&
        wbHand_Press(viewer, input->x, input->y, input->mods))
        return;
    viewer->dragged = input->code;
    viewer->isPanning = input->code == WB_BUTTON_RIGHT || input->mods & WB_MOD_SHIFT;
}

// A click on nothing takes the selection back.
static void select(wbViewer *viewer, const wbInput *input) {
    const wbSight sight = wbViewer_GetSight(viewer, input->x, input->y, 5);
    const wbPick pick = wbPickStill(viewer->still, &sight, WB_PICK_ALL);
    wbLook look;
    char text[512];
    viewer->selection = wbSelection_Make(&pick);
    if (!wbSelection_Look(&viewer->selection, viewer->still, &look)) {
        wbRemote_Tell(&viewer->remote, "event select nothing");
        return;
    }
    wbLook_Describe(&look, text, sizeof text);
    for (char *c = text; *c; c++)
        if (*c == '\n') *c = ';';
    wbRemote_Tell(&viewer->remote, "event select %s", text);
}

static void release(wbViewer *viewer, const wbInput *input) {
    const bool isLeft = input->code == WB_BUTTON_LEFT, wasHand = viewer->hand.mode != wb_handFree;
    if (isLeft && wasHand && wbHand_Release(viewer)) select(viewer, input);
    if (viewer->dragged != input->code) return;
    viewer->dragged = -1;
    if (isLeft && viewer->hand.isStill && viewer->still && isOnPicture(viewer, input)) select(viewer, input);
    if (viewer->camera.isUsers && !viewer->hand.isStill) tellCamera(viewer);
}

static void move(wbViewer *viewer, const wbInput *input) {
    float right = (float)(input->x - viewer->lastX), down = (float)(input->y - viewer->lastY);
    viewer->lastX = input->x, viewer->lastY = input->y;
    wbHand_Move(viewer, input->x, input->y);
    if (viewer->dragged < 0) return;
    takeCamera(viewer);
    if (viewer->isPanning)
        wbCameraControl_Pan(&viewer->camera, right, down, viewer->layout.freeHeight);
    else
        wbCameraControl_Orbit(&viewer->camera, right, down, viewer->layout.freeHeight);
    noteMove(viewer);
}

static void turnWheel(wbViewer *viewer, const wbInput *input) {
    if (wbHand_TurnWheel(viewer, input->wheel) || !isFree(viewer, input)) return;
    if (input->mods & WB_MOD_CTRL && wbRenderScene_HasSmoke(&viewer->still->scene)) {
        wbViewer_ChangeLook(viewer, input->wheel > 0 ? wb_actSliceForth : wb_actSliceBack);
        return;
    }
    const float shift = isOnSecond(viewer, input) ? viewer->layout.besideX - viewer->layout.x : 0;
    takeCamera(viewer);
    wbCameraControl_Zoom(&viewer->camera, (float)input->wheel,
                         wbViewer_GetRay(viewer, input->x - (double)shift, input->y));
    noteMove(viewer);
    tellCamera(viewer);
}

// Where a field was pressed, the keys that follow are meant for it, however long a frame takes.
static bool takeInput(wbViewer *viewer, wbInput *input) {
    if (viewer->isWaiting)
        *input = viewer->waiting;
    else if (!wbWindow_NextInput(viewer->window, input))
        return false;
    viewer->waiting = *input;
    viewer->isWaiting = input->kind == wb_inputKey && viewer->panelTurns > 0;
    return !viewer->isWaiting;
}

void wbViewer_TakeInputs(wbViewer *viewer) {
    wbInput input;
    if (viewer->isWaiting) viewer->panelFrames = 3;
    while (takeInput(viewer, &input)) {
        viewer->panelFrames = 3;
        viewer->mods = input.mods;
        viewer->isCursorFree = isFree(viewer, &input) && !isOnSecond(viewer, &input);
        switch (input.kind) {
        case wb_inputKey:
            if (!wbUi_HasKeys())
                wbViewer_Do(viewer, wbFindAction(input.code, input.mods));
            else if (input.code == wb_keyEscape)
                wbUi_LeaveField();
            break;
        case wb_inputPress:
            press(viewer, &input);
            break;
        case wb_inputRelease:
            release(viewer, &input);
            break;
        case wb_inputMove:
            move(viewer, &input);
            break;
        case wb_inputWheel:
            turnWheel(viewer, &input);
            break;
        case wb_inputDrop:
            wbViewer_OpenFiles(viewer, wbWindow_GetDrop(viewer->window), input.code);
            break;
        }
    }
    wbHand_Update(viewer);
}
