// SPDX-License-Identifier: MIT
#include "app/panes.h"

#include <string.h>

#include "core/memory.h"
#include "core/output_file.h"
#include "core/status.h"
#include "io/output_folder.h"
#include "io/png.h"

static wbStatus openPanes(wbPanes *panes, wbSize size) {
    if (panes->joined) return wb_okStatus;
    panes->pixelBytes = (size_t)size.width * (size_t)size.height * 3;
    bool hasRoom = true;
    for (int s = 0; s < panes->count; s++) {
        wbPane *pane = &panes->panes[s];
        if (!pane->renderer) WB_TRY(wbCreateRenderer(size.width, size.height, &pane->renderer));
        if (!pane->pixels) pane->pixels = wbAlloc(NULL, panes->pixelBytes);
        hasRoom = hasRoom && pane->pixels;
    }
    if (hasRoom) panes->joined = wbAlloc(NULL, (size_t)panes->count * panes->pixelBytes);
    return panes->joined ? wb_okStatus : wbError(wb_errorMemory, "no memory for pictures");
}

static wbStatus drawPane(const wbPanes *panes, wbPane *pane, wbWorld *world, const char *title) {
    WB_TRY(wbFrameScene_Gather(&pane->frame, panes->scene, world, title));
    WB_TRY(wbRenderer_DrawFrame(pane->renderer, &pane->frame.scene));
    return wbRenderer_ReadPixels(pane->renderer, pane->pixels);
}

wbStatus wbPanes_Draw(wbPanes *panes, wbWorld *const *worlds, int frame) {
    const wbSize size = wbScene_GetOutput(panes->scene)->size;
    const size_t row = 3 * (size_t)size.width, count = (size_t)panes->count;
    char path[WB_MAX_PATH];
    if (frame % panes->options->every != 0) return wb_okStatus;
    WB_TRY(openPanes(panes, size));
    for (size_t s = 0; s < count; s++) {
        wbPane *pane = &panes->panes[s];
        WB_TRY(drawPane(panes, pane, worlds[s], panes->titles[s]));
        for (size_t y = 0; y < (size_t)size.height; y++)
            memcpy(panes->joined + (count * y + s) * row, pane->pixels + y * row, row);
    }
    WB_TRY(wbMakeFramePath(path, panes->options->png, "frame", frame, "png"));
    return wbWritePng(path, panes->joined, panes->count * size.width, size.height, 3);
}

void wbPanes_Close(wbPanes *panes) {
    for (int s = 0; s < panes->count; s++) {
        wbPane *pane = &panes->panes[s];
        wbDestroyRenderer(pane->renderer);
        wbFrameScene_Free(&pane->frame);
        wbFree(NULL, pane->pixels, panes->pixelBytes);
    }
    wbFree(NULL, panes->joined, (size_t)panes->count * panes->pixelBytes);
}
