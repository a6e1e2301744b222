// SPDX-License-Identifier: MIT
#include "app/outputs.h"

#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/status.h"
#include "io/output_folder.h"
#include "io/ply.h"
#include "io/png.h"

static bool hasPictures(const wbOptions *options) { return options->video || options->png; }

// makes the folder, and tries to write in it
static wbStatus openFolder(const char *folder) {
    char path[WB_MAX_PATH];
    wbOutputFile file;
    WB_TRY(wbMakeDirectory(folder));
    WB_TRY(wbMakeFramePath(path, folder, "try", 0, "tmp"));
    WB_TRY(wbOutputFile_Open(&file, path));
    wbOutputFile_Abort(&file);
    return wb_okStatus;
}

static wbStatus openPictures(wbOutputs *outputs) {
    wbSize size = wbScene_GetOutput(outputs->scene)->size;
    WB_TRY(wbCreateRenderer(size.width, size.height, &outputs->renderer));
    outputs->pixelBytes = (size_t)size.width * (size_t)size.height * 3;
    outputs->pixels = wbAlloc(NULL, outputs->pixelBytes);
    if (!outputs->pixels) return wbError(wb_errorMemory, "no memory for pictures");
    if (outputs->options->png) WB_TRY(openFolder(outputs->options->png));
    if (!outputs->options->video) return wb_okStatus;
    double fps = (double)wbScene_GetOutput(outputs->scene)->fps / outputs->options->every;
    return wbVideo_Open(outputs->options->video, size.width, size.height, fps, &outputs->video);
}

static wbStatus openViews(wbOutputs *outputs, const wbWorld *world) {
    outputs->viewCount = wbWorld_GetFluidCount(world);
    if (outputs->viewCount == 0) return wb_okStatus;
    outputs->views = wbAllocZero(NULL, (size_t)outputs->viewCount * sizeof *outputs->views);
    return outputs->views ? wb_okStatus : wbError(wb_errorMemory, "no memory for the views of fluids");
}

static wbStatus openSolids(wbOutputs *outputs, const wbWorld *world) {
    outputs->solidCount = wbWorld_GetColliderCount(world);
    if (outputs->solidCount == 0) return wb_okStatus;
    outputs->solids = wbAllocZero(NULL, (size_t)outputs->solidCount * sizeof *outputs->solids);
    return outputs->solids ? wb_okStatus : wbError(wb_errorMemory, "no memory for pictures of solids");
}

static wbStatus openAll(wbOutputs *outputs, const wbWorld *world) {
    const wbOptions *options = outputs->options;
    WB_TRY(openViews(outputs, world));
    WB_TRY(openSolids(outputs, world));
    if (options->ply) WB_TRY(openFolder(options->ply));
    if (options->vtk) WB_TRY(openFolder(options->vtk));
    if (options->stats) WB_TRY(wbStatsFile_Open(options->stats, &outputs->stats));
    if (hasPictures(options)) WB_TRY(openPictures(outputs));
    // last: once open, its list of files is written
    return options->vtk ? wbVtkSeries_Open(options->vtk, &outputs->vtk) : wb_okStatus;
}

static void freeAll(wbOutputs *outputs) {
    wbDestroyRenderer(outputs->renderer);
    wbFree(NULL, outputs->pixels, outputs->pixelBytes);
    wbFree(NULL, outputs->views, (size_t)outputs->viewCount * sizeof *outputs->views);
    wbFree(NULL, outputs->solids, (size_t)outputs->solidCount * sizeof *outputs->solids);
}

wbStatus wbOutputs_Open(wbOutputs *outputs, const wbOptions *options, const wbScene *scene, wbWorld *world) {
    *outputs = (wbOutputs){.options = options, .scene = scene};
    wbStatus status = openAll(outputs, world);
    if (wbIsOk(status)) return status;
    wbVideo_Abort(outputs->video);
    wbStatsFile_Abort(outputs->stats);
    freeAll(outputs);
    return status;
}

static void placeSolids(wbOutputs *outputs, const wbWorld *world) {
    for (int i = 0; i < outputs->solidCount; i++) {
        wbColliderId id = wbWorld_GetCollider(world, i);
        const wbColliderParams *params = wbCollider_GetParams(world, id);
        wbColliderStats stats = wbCollider_GetStats(world, id);
        wbRenderSolid *solid = &outputs->solids[i];
        *solid = (wbRenderSolid){.mesh = wbCollider_GetMesh(world, id),
                                 .key = (uint64_t)i,
                                 .colour = {params->colour.x, params->colour.y, params->colour.z},
                                 .opacity = params->opacity};
        memcpy(solid->position, stats.position, sizeof solid->position);
        memcpy(solid->rotation, stats.rotation, sizeof solid->rotation);
    }
}

// All fluids are drawn alike: as the finest of them.
typedef struct Grain {
    float spacing, restDensity;
} Grain;

static Grain findGrain(const wbWorld *world) {
    const wbSphParams *sph = wbWorld_GetSphParams(world);
    Grain finest = {sph->spacing, sph->restDensity};
    for (int i = 0; i < wbWorld_GetFluidCount(world); i++) {
        wbFluidId id = wbWorld_GetFluid(world, i);
        Grain grain = {(float)wbFluid_GetSpacing(world, id), (float)wbFluid_GetRestDensity(world, id)};
        if (i == 0 || grain.spacing < finest.spacing) finest = grain;
    }
    return finest;
}

static wbStatus drawPicture(wbOutputs *outputs, wbWorld *world) {
    Grain grain = findGrain(world);
    wbRenderScene scene = {
        .views = outputs->views,
        .viewCount = outputs->viewCount,
        .solids = outputs->solids,
        .solidCount = outputs->solidCount,
        .domain = wbWorld_GetDomain(world),
        .dimensions = wbWorld_GetWorldParams(world)->dimensions,
        .spacing = grain.spacing,
        .restDensity = grain.restDensity,
        .camera = *wbScene_GetCamera(outputs->scene),
        .output = *wbScene_GetOutput(outputs->scene),
        .time = wbWorld_GetTime(world),
        .title = wbScene_GetTitle(outputs->scene),
    };
    placeSolids(outputs, world);
    WB_TRY(wbRenderer_DrawFrame(outputs->renderer, &scene));
    return wbRenderer_ReadPixels(outputs->renderer, outputs->pixels);
}

static wbStatus writePictures(wbOutputs *outputs, wbWorld *world, int frame) {
    wbSize size = wbScene_GetOutput(outputs->scene)->size;
    WB_TRY(drawPicture(outputs, world));
    if (outputs->video) WB_TRY(wbVideo_AddFrame(outputs->video, outputs->pixels));
    if (!outputs->options->png) return wb_okStatus;
    char path[WB_MAX_PATH];
    WB_TRY(wbMakeFramePath(path, outputs->options->png, "frame", frame, "png"));
    return wbWritePng(path, outputs->pixels, size.width, size.height, 3);
}

static wbStatus writePly(const wbOutputs *outputs, int frame) {
    char path[WB_MAX_PATH];
    WB_TRY(wbMakeFramePath(path, outputs->options->ply, "particles", frame, "ply"));
    return wbWritePly(path, outputs->views, outputs->viewCount);
}

static wbStatus writeStats(wbOutputs *outputs, wbWorld *world, int frame) {
    wbStats stats = wbWorld_GetStats(world);
    wbProfile profile = wbWorld_GetProfile(world);
    return wbStatsFile_AddRow(outputs->stats, frame, &stats, &profile);
}

static wbStatus getViews(wbOutputs *outputs, wbWorld *world) {
    for (int i = 0; i < outputs->viewCount; i++)
        WB_TRY(wbFluid_GetView(world, wbWorld_GetFluid(world, i), &outputs->views[i]));
    return wb_okStatus;
}

wbStatus wbOutputs_WriteFrame(wbOutputs *outputs, wbWorld *world, int frame) {
    if (frame % outputs->options->every != 0) return wb_okStatus;
    WB_TRY(getViews(outputs, world));
    if (outputs->renderer) WB_TRY(writePictures(outputs, world, frame));
    if (outputs->options->ply) WB_TRY(writePly(outputs, frame));
    if (outputs->vtk)
        WB_TRY(wbVtkSeries_AddFrame(outputs->vtk, frame, wbWorld_GetTime(world), outputs->views,
                                    outputs->viewCount));
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
    if (outputs->vtk) keepFirst(&status, wbVtkSeries_Close(outputs->vtk));
    if (outputs->stats) keepFirst(&status, wbStatsFile_Close(outputs->stats));
    freeAll(outputs);
    return status;
}

void wbOutputs_Describe(const wbOutputs *outputs, char *text, size_t size) {
    const wbOptions *options = outputs->options;
    const char *const names[] = {options->video, options->png,   options->ply,
                                 options->vtk,   options->stats, options->save};
    text[0] = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t used = strlen(text);
        if (names[i]) snprintf(text + used, size - used, "%s%s", used ? ", " : "", names[i]);
    }
}
