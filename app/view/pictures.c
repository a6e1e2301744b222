// SPDX-License-Identifier: MIT
#include "app/view/pictures.h"

#include <stdio.h>

#include "core/memory.h"
#include "core/status.h"
#include "io/png.h"

void wbAskShot(wbViewer *viewer, const char *path, bool withPanels) {
    viewer->shot = (wbShot){.isAsked = true, .withPanels = withPanels, .atFrame = 0};
    snprintf(viewer->shot.path, sizeof viewer->shot.path, "%s", path);
    viewer->panelFrames = 3;
}

void wbAskShotAtEnd(wbViewer *viewer, const char *path, int frame) {
    wbAskShot(viewer, path, true);
    viewer->shot.atFrame = frame > 0 ? frame : INT32_MAX;
}

static wbStatus write(wbViewer *viewer, uint8_t *rgb, wbRectangle place) {
    WB_TRY(wbReadFramebuffer(0, place, rgb));
    return wbWritePng(viewer->shot.path, rgb, place.width, place.height, 3);
}

// A picture that cannot be written is no reason to end: it is said.
wbStatus wbWritePending(wbViewer *viewer) {
    const wbShot *shot = &viewer->shot;
    if (!shot->isAsked || (viewer->frame + 1 < shot->atFrame && !viewer->isClosing)) return wb_okStatus;
    const wbSize pixels = wbWindow_GetPixels(viewer->window);
    const wbRectangle whole = {0, 0, pixels.width, pixels.height};
    const wbRectangle place = shot->withPanels ? whole : viewer->place;
    const size_t bytes = 3 * (size_t)place.width * (size_t)place.height;
    uint8_t *rgb = wbAlloc(NULL, bytes);
    if (!rgb) return wbMemoryError(NULL, "a picture of the window needs");
    wbStatus status = write(viewer, rgb, place);
    wbFree(NULL, rgb, bytes);
    viewer->shot.isAsked = false;
    wbViewer_Note(viewer, "%s%s", wbIsOk(status) ? "written: " : "",
                  wbIsOk(status) ? shot->path : status.text);
    return wb_okStatus;
}
