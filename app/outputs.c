// SPDX-License-Identifier: MIT
#include "app/outputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/status.h"
#include "io/output_folder.h"
#include "io/png.h"

static bool hasPictures(const wbOptions *options) { return options->video || options->png; }

static wbStatus openPictures(wbOutputs *outputs) {
    wbSize size = wbScene_GetOutput(outputs->scene)->size;
    WB_TRY(wbCreateRenderer(size.width, size.height, &outputs->renderer));
    outputs->pixelBytes = (size_t)size.width * (size_t)size.height * 3;
    outputs->pixels = wbAlloc(NULL, outputs->pixelBytes);
    if (!outputs->pixels) return wbError(wb_errorMemory, "no memory for pictures");
    if (outputs->options->png) WB_TRY(wbTryFolder(outputs->options->png));
    if (!outputs->options->video) return wb_okStatus;
    double fps = (double)wbScene_GetOutput(outputs->scene)->fps / outputs->options->every;
    return wbVideo_Open(outputs->options->video, size.width, size.height, fps, &outputs->video);
}

static wbStatus openStats(wbOutputs *outputs, const wbWorld *world) {
    outputs->probeCount = wbWorld_GetProbeCount(world);
    outputs->probes = wbAllocZero(NULL, (size_t)outputs->probeCount * sizeof *outputs->probes);
    if (outputs->probeCount > 0 && !outputs->probes) return wbError(wb_errorMemory, "no memory for probes");
    return wbStatsFile_Open(outputs->options->stats, &outputs->stats);
}

static wbStatus openAll(wbOutputs *outputs, const wbWorld *world) {
    const wbOptions *options = outputs->options;
    if (options->stats) WB_TRY(openStats(outputs, world));
    if (hasPictures(options)) WB_TRY(openPictures(outputs));
    return wbExports_Open(&outputs->exports, options, outputs->scene, world);
}

static void freeAll(wbOutputs *outputs) {
    wbDestroyRenderer(outputs->renderer);
    wbFrameScene_Free(&outputs->frame);
    wbFree(NULL, outputs->pixels, outputs->pixelBytes);
    wbFree(NULL, outputs->probes, (size_t)outputs->probeCount * sizeof *outputs->probes);
}

wbStatus wbOutputs_Open(wbOutputs *outputs, const wbOptions *options, const wbScene *scene, wbWorld *world) {
    *outputs = (wbOutputs){.options = options, .scene = scene, .title = wbScene_GetTitle(scene)};
    wbStatus status = openAll(outputs, world);
    if (wbIsOk(status)) return status;
    wbVideo_Abort(outputs->video);
    wbStatsFile_Abort(outputs->stats);
    freeAll(outputs);
    return status;
}

wbStatus wbOutputs_DrawPicture(wbOutputs *outputs, wbWorld *world) {
    WB_TRY(wbFrameScene_Gather(&outputs->frame, outputs->scene, world, outputs->title));
    WB_TRY(wbRenderer_DrawFrame(outputs->renderer, &outputs->frame.scene));
    return wbRenderer_ReadPixels(outputs->renderer, outputs->pixels);
}

static wbStatus writePictures(wbOutputs *outputs, wbWorld *world, int frame) {
    wbSize size = wbScene_GetOutput(outputs->scene)->size;
    WB_TRY(wbOutputs_DrawPicture(outputs, world));
    if (outputs->video) WB_TRY(wbVideo_AddFrame(outputs->video, outputs->pixels));
    if (!outputs->options->png) return wb_okStatus;
    char path[WB_MAX_PATH];
    WB_TRY(wbMakeFramePath(path, outputs->options->png, "frame", frame, "png"));
    return wbWritePng(path, outputs->pixels, size.width, size.height, 3);
}

static wbStatus writeStats(wbOutputs *outputs, wbWorld *world, int frame) {
    wbStats stats = wbWorld_GetStats(world);
    wbProfile profile = wbWorld_GetProfile(world);
    for (int i = 0; i < outputs->probeCount; i++) {
        wbProbeId id = wbWorld_GetProbe(world, i);
        outputs->probes[i].name = wbProbe_GetName(world, id);
        WB_TRY(wbProbe_GetValues(world, id, &outputs->probes[i].values));
    }
    return wbStatsFile_AddRow(outputs->stats, frame, &stats, &profile, outputs->probes, outputs->probeCount);
}

wbStatus wbOutputs_WriteFrame(wbOutputs *outputs, wbWorld *world, int frame) {
    if (frame % outputs->options->every != 0) return wb_okStatus;
    if (outputs->renderer) WB_TRY(writePictures(outputs, world, frame));
    WB_TRY(wbExports_WriteFrame(&outputs->exports, world, frame));
    if (outputs->stats) WB_TRY(writeStats(outputs, world, frame));
    outputs->frameCount++;
    return wb_okStatus;
}

static void keepFirst(wbStatus *first, wbStatus next) {
    if (wbIsOk(*first)) *first = next;
}

wbStatus wbOutputs_Close(wbOutputs *outputs) {
    wbStatus status = wb_okStatus;
    if (outputs->video) keepFirst(&status, wbVideo_Close(outputs->video));
    keepFirst(&status, wbExports_Close(&outputs->exports));
    if (outputs->stats) keepFirst(&status, wbStatsFile_Close(outputs->stats));
    freeAll(outputs);
    return status;
}

void wbOutputs_Describe(const wbOutputs *outputs, char *text, size_t size) {
    const wbOptions *options = outputs->options;
    const char *const names[] = {options->video, options->png, options->ply,     options->vtk,
                                 options->vdb,   options->raw, options->surface, options->poses,
                                 options->stats, options->save};
    text[0] = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t used = strlen(text);
        if (names[i]) snprintf(text + used, size - used, "%s%s", used ? ", " : "", names[i]);
    }
}
