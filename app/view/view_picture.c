// SPDX-License-Identifier: MIT
// The picture in the middle of the window: where it is, when it is drawn, and how well.
#include <math.h>

#include "app/view/viewer.h"
#include "core/status.h"
#include "core/timer.h"

// What the renderer knows of the world before is of no use any more.
static void beginWorld(wbViewer *viewer) {
    viewer->generation = viewer->still->generation;
    if (!viewer->isGravityOff) viewer->gravity = viewer->still->gravity;
    wbRenderer_Forget(viewer->renderer);
    wbWindow_SetTitle(viewer->window, viewer->state.title);
    wbRemote_Tell(&viewer->remote, "event world %d %s", viewer->generation, viewer->state.path);
}

static wbRenderQuality toRenderer(int level) { return (wbRenderQuality)(WB_LEVELS - 1 - level); }

// Scenes are made for wide pictures: a narrow one shows as much of the width.
static void widen(wbCameraParams *camera, float aspect) {
    const float degree = 3.14159265f / 180, wide = 16.0f / 9, tangent = tanf(0.5f * camera->fov * degree);
    if (aspect < wide) camera->fov = fminf(120, 2 / degree * atanf(tangent * wide / aspect));
}

// m, the height of what is seen at the camera's target.
static float getUnit(const wbViewer *viewer) {
    const wbCameraParams *c = &viewer->shownCamera;
    const wbVec3 way = wbSub(c->position, c->target);
    return 2 * sqrtf(wbDot(way, way)) * tanf(0.5f * c->fov * 3.14159265f / 180);
}

wbStatus wbViewer_DrawPicture(wbViewer *viewer, int level, float aspect) {
    wbRenderScene scene = viewer->still->scene;
    if (viewer->still->generation != viewer->generation) beginWorld(viewer);
    if (viewer->camera.isUsers)
        scene.camera = wbCameraControl_GetParams(&viewer->camera);
    else
        widen(&scene.camera, aspect);
    scene.quality = toRenderer(level);
    WB_TRY(wbOverlays_Make(&viewer->overlays, viewer->still, getUnit(viewer)));
    scene.marks = viewer->overlays.list.marks.data, scene.markCount = viewer->overlays.list.count;
    return wbRenderer_DrawFrame(viewer->renderer, &scene);
}

static wbStatus drawPicture(wbViewer *viewer, int level) {
    const double begin = wbGetSeconds();
    WB_TRY(wbViewer_DrawPicture(viewer, level, viewer->layout.freeWidth / viewer->layout.freeHeight));
    viewer->shownCamera = wbRenderer_GetCamera(viewer->renderer);
    wbRenderer_Finish(viewer->renderer);
    WB_TRY(wbBeside_Draw(viewer, toRenderer(level)));
    if (level == viewer->quality.level)
        wbPictureQuality_Add(&viewer->quality, 1e3 * (wbGetSeconds() - begin));
    viewer->isPictureDue = viewer->isCameraMoving = false;
    viewer->drawnLevel = level;
    return wb_okStatus;
}

bool wbViewer_IsResting(const wbViewer *viewer) {
    return viewer->quality.isAuto && viewer->state.isPaused && viewer->dragged < 0 &&
           wbGetSeconds() - viewer->lastCameraMove > 0.3 && wbGetSeconds() - viewer->lastStill > 0.3;
}

wbStatus wbViewer_UpdatePicture(wbViewer *viewer) {
    const wbLayout *l = &viewer->layout;
    const wbSize pixels = wbWindow_GetPixels(viewer->window);
    const float scale = pixels.width / fmaxf(l->width, 1);
    const wbRectangle place = {
        (int)(l->x * scale + 0.5f), pixels.height - (int)((l->y + l->freeHeight) * scale + 0.5f),
        (int)fmaxf(1, l->freeWidth * scale + 0.5f), (int)fmaxf(1, l->freeHeight * scale + 0.5f)};
    viewer->place = place;
    if (place.width != viewer->pictureSize.width || place.height != viewer->pictureSize.height) {
        WB_TRY(wbRenderer_Resize(viewer->renderer, place.width, place.height));
        viewer->pictureSize = (wbSize){place.width, place.height};
        viewer->isPictureDue = true;
    }
    if (!viewer->still) {
        viewer->isPictureDue = false; // there is nothing to draw yet
        return wb_okStatus;
    }
    const bool rests = wbViewer_IsResting(viewer);
    const int level = wbPictureQuality_Get(&viewer->quality, viewer->isCameraMoving, rests);
    if (viewer->isPictureDue || (rests && level > viewer->drawnLevel)) WB_TRY(drawPicture(viewer, level));
    return wb_okStatus;
}
