// SPDX-License-Identifier: MIT
#include "app/frame_scene.h"

#include "core/status.h"

wbStatus wbFrameScene_Gather(wbFrameScene *frame, const wbScene *scene, wbWorld *world, const char *title) {
    WB_TRY(wbDrawnWorld_Gather(&frame->drawn, world, &frame->scene));
    frame->scene.camera = wbScene_GetCameraAt(scene, wbWorld_GetTime(world));
    frame->scene.output = *wbScene_GetOutput(scene);
    frame->scene.title = title;
    return wb_okStatus;
}

void wbFrameScene_Free(wbFrameScene *frame) { wbDrawnWorld_Free(&frame->drawn); }
