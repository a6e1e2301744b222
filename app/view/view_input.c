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

static wbRay getRay(const wbViewer *viewer, const wbInput *input) {
    wbSize pixels = wbWindow_GetPixels(viewer->window);
    double scale = viewer->layout.width > 0 ? pixels.width / (double)viewer->layout.width : 1;
    return wbRenderer_GetRay(viewer->renderer, (float)((input->x - viewer->layout.x) * scale),
                             (float)((input->y - viewer->layout.y) * scale));
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

static void press(wbViewer *viewer, const wbInput *input) {
    if (wbUi_HasMouse() || !isOnPicture(viewer, input) || !viewer->still) return;
    viewer->dragged = input->code;
    viewer->isPanning = input->code == WB_BUTTON_RIGHT || input->mods & WB_MOD_SHIFT;
    viewer->lastX = input->x, viewer->lastY = input->y;
}

static void release(wbViewer *viewer, const wbInput *input) {
    if (viewer->dragged != input->code) return;
    viewer->dragged = -1;
    if (viewer->camera.isUsers) tellCamera(viewer);
}

static void move(wbViewer *viewer, const wbInput *input) {
    float right = (float)(input->x - viewer->lastX), down = (float)(input->y - viewer->lastY);
    viewer->lastX = input->x, viewer->lastY = input->y;
    if (viewer->dragged < 0) return;
    takeCamera(viewer);
    if (viewer->isPanning)
        wbCameraControl_Pan(&viewer->camera, right, down, viewer->layout.freeHeight);
    else
        wbCameraControl_Orbit(&viewer->camera, right, down, viewer->layout.freeHeight);
    noteMove(viewer);
}

static void turnWheel(wbViewer *viewer, const wbInput *input) {
    if (wbUi_HasMouse() || !isOnPicture(viewer, input) || !viewer->still) return;
    takeCamera(viewer);
    wbCameraControl_Zoom(&viewer->camera, (float)input->wheel, getRay(viewer, input));
    noteMove(viewer);
    tellCamera(viewer);
}

void wbViewer_TakeInputs(wbViewer *viewer) {
    wbInput input;
    while (wbWindow_NextInput(viewer->window, &input)) {
        viewer->panelFrames = 3;
        switch (input.kind) {
        case wb_inputKey:
            if (!wbUi_HasKeys()) wbViewer_Do(viewer, wbFindAction(input.code, input.mods));
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
            wbViewer_OpenFile(viewer, wbWindow_GetDrop(viewer->window));
            break;
        }
    }
}
