// SPDX-License-Identifier: MIT
#include "app/panes.h"

#include <string.h>

#include "core/memory.h"
#include "core/output_file.h"
#include "core/status.h"
#include "io/output_folder.h"
#include "io/png.h"

static wbStatus openPanes(wbPanes *panes, wbWorld *const *worlds) {
    for (int s = panes->openCount; s < panes->count; s++) {
        WB_TRY(wbOutputs_Open(&panes->outputs[s], panes->options, panes->scene, worlds[s]));
        panes->outputs[s].title = panes->titles[s];
        panes->openCount = s + 1;
    }
    if (panes->joined) return wb_okStatus;
    panes->joinedBytes = (size_t)panes->count * panes->outputs[0].pixelBytes;
    panes->joined = wbAlloc(NULL, panes->joinedBytes);
    return panes->joined ? wb_okStatus : wbError(wb_errorMemory, "no memory for pictures");
}

wbStatus wbPanes_Draw(wbPanes *panes, wbWorld *const *worlds, int frame) {
    const wbSize size = wbScene_GetOutput(panes->scene)->size;
    const size_t row = 3 * (size_t)size.width, count = (size_t)panes->count;
    char path[WB_MAX_PATH];
    if (frame % panes->options->every != 0) return wb_okStatus;
    WB_TRY(openPanes(panes, worlds));
    for (size_t s = 0; s < count; s++) {
        WB_TRY(wbOutputs_DrawPicture(&panes->outputs[s], worlds[s]));
        for (size_t y = 0; y < (size_t)size.height; y++)
            memcpy(panes->joined + (count * y + s) * row, panes->outputs[s].pixels + y * row, row);
    }
    WB_TRY(wbMakeFramePath(path, panes->options->png, "frame", frame, "png"));
    return wbWritePng(path, panes->joined, panes->count * size.width, size.height, 3);
}

void wbPanes_Close(wbPanes *panes) {
    for (int s = 0; s < panes->openCount; s++) (void)wbOutputs_Close(&panes->outputs[s]);
    wbFree(NULL, panes->joined, panes->joinedBytes);
}
