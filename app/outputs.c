// SPDX-License-Identifier: MIT
#include "app/outputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/status.h"

static wbStatus openStats(wbOutputs *outputs, const wbWorld *world) {
    outputs->probeCount = wbWorld_GetProbeCount(world);
    outputs->probes = wbAllocZero(NULL, (size_t)outputs->probeCount * sizeof *outputs->probes);
    if (outputs->probeCount > 0 && !outputs->probes) return wbError(wb_errorMemory, "no memory for probes");
    return wbStatsFile_Open(outputs->options->stats, &outputs->stats);
}

static wbStatus openAll(wbOutputs *outputs, const wbWorld *world) {
    const wbOptions *options = outputs->options;
    if (options->stats) WB_TRY(openStats(outputs, world));
    if (options->video || options->png) WB_TRY(wbPictures_Open(options, outputs->scene, &outputs->pictures));
    return wbExports_Open(&outputs->exports, options, outputs->scene, world);
}

static void freeAll(wbOutputs *outputs) {
    wbFree(NULL, outputs->probes, (size_t)outputs->probeCount * sizeof *outputs->probes);
}

wbStatus wbOutputs_Open(wbOutputs *outputs, const wbOptions *options, const wbScene *scene, wbWorld *world) {
    *outputs = (wbOutputs){.options = options, .scene = scene};
    wbStatus status = openAll(outputs, world);
    if (wbIsOk(status)) return status;
    wbPictures_Abort(outputs->pictures);
    wbStatsFile_Abort(outputs->stats);
    freeAll(outputs);
    return status;
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
    if (outputs->pictures) WB_TRY(wbPictures_AddFrame(outputs->pictures, world, frame));
    WB_TRY(wbExports_WriteFrame(&outputs->exports, world, frame));
    if (outputs->stats) WB_TRY(writeStats(outputs, world, frame));
    outputs->frameCount++;
    return wb_okStatus;
}

static void keepFirst(wbStatus *first, wbStatus next) {
    if (wbIsOk(*first)) *first = next;
}

wbStatus wbOutputs_Close(wbOutputs *outputs) {
    wbStatus status = wbPictures_Close(outputs->pictures);
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
