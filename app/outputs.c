// SPDX-License-Identifier: MIT
#include "app/outputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/status.h"
#include "io/mhd.h"
#include "io/output_folder.h"
#include "io/ply.h"
#include "io/png.h"
#include "io/vdb.h"

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
    outputs->fluidCount = wbWorld_GetFluidCount(world);
    outputs->viewCount = outputs->fluidCount + wbWorld_GetSoftBodyCount(world);
    if (outputs->viewCount == 0) return wb_okStatus;
    outputs->views = wbAllocZero(NULL, (size_t)outputs->viewCount * sizeof *outputs->views);
    return outputs->views ? wb_okStatus : wbError(wb_errorMemory, "no memory for the views of particles");
}

static bool canHaveParticles(const wbWorld *world) {
    bool can = wbWorld_GetSoftBodyCount(world) > 0;
    for (int i = 0; i < wbWorld_GetFluidCount(world); i++)
        can |= wbWorld_GetEmitterCount(world) > 0 ||
               wbFluid_GetParticleCount(world, wbWorld_GetFluid(world, i)) > 0;
    return can;
}

// Files that nothing of the scene could ever stand in.
static wbStatus checkContent(const wbOptions *options, const wbWorld *world) {
    bool hasAir = wbWorld_GetCellCount(world) > 0, hasParticles = canHaveParticles(world);
    const char *flag = options->vdb ? "--vdb" : "--raw";
    if ((options->vdb || options->raw) && !hasAir)
        return wbError(wb_errorInput,
                       "%s writes smoke, but the scene has none: give it \"smoke\", or leave %s out", flag,
                       flag);
    if (options->ply && !hasParticles)
        return wbError(wb_errorInput, "--ply writes particles, but the scene has none%s",
                       hasAir ? ": its smoke is written by --vtk, --vdb and --raw"
                              : " and nothing emits any");
    if (options->vtk && !hasParticles && !hasAir)
        return wbError(wb_errorInput, "--vtk writes particles and smoke, but the scene has neither");
    return wb_okStatus;
}

// Particles of worlds that can have some, smoke of those that have it.
static wbStatus openVtk(wbOutputs *outputs, const wbWorld *world) {
    const char *folder = outputs->options->vtk;
    bool hasAir = wbWorld_GetCellCount(world) > 0;
    if (!hasAir || outputs->viewCount > 0) WB_TRY(wbVtkSeries_Open(folder, &outputs->vtk));
    return hasAir ? wbVtkSeries_OpenAir(folder, &outputs->airVtk) : wb_okStatus;
}

static wbStatus openStats(wbOutputs *outputs, const wbWorld *world) {
    outputs->probeCount = wbWorld_GetProbeCount(world);
    outputs->probes = wbAllocZero(NULL, (size_t)outputs->probeCount * sizeof *outputs->probes);
    if (outputs->probeCount > 0 && !outputs->probes) return wbError(wb_errorMemory, "no memory for probes");
    return wbStatsFile_Open(outputs->options->stats, &outputs->stats);
}

static wbStatus openAll(wbOutputs *outputs, const wbWorld *world) {
    const wbOptions *options = outputs->options;
    WB_TRY(checkContent(options, world));
    WB_TRY(openViews(outputs, world));
    if (options->ply) WB_TRY(openFolder(options->ply));
    if (options->vtk) WB_TRY(openFolder(options->vtk));
    if (options->vdb) WB_TRY(openFolder(options->vdb));
    if (options->raw) WB_TRY(openFolder(options->raw));
    if (options->stats) WB_TRY(openStats(outputs, world));
    if (hasPictures(options)) WB_TRY(openPictures(outputs));
    // last: once open, its list of files is written
    return options->vtk ? openVtk(outputs, world) : wb_okStatus;
}

static void freeAll(wbOutputs *outputs) {
    wbDestroyRenderer(outputs->renderer);
    wbFree(NULL, outputs->pixels, outputs->pixelBytes);
    wbFree(NULL, outputs->views, (size_t)outputs->viewCount * sizeof *outputs->views);
    wbFree(NULL, outputs->probes, (size_t)outputs->probeCount * sizeof *outputs->probes);
}

wbStatus wbOutputs_Open(wbOutputs *outputs, const wbOptions *options, const wbScene *scene, wbWorld *world) {
    *outputs = (wbOutputs){.options = options, .scene = scene, .title = wbScene_GetTitle(scene)};
    wbStatus status = openAll(outputs, world);
    if (wbIsOk(status)) return status;
    wbVtkSeries_Abort(outputs->vtk);
    wbVideo_Abort(outputs->video);
    wbStatsFile_Abort(outputs->stats);
    freeAll(outputs);
    return status;
}

wbStatus wbOutputs_DrawPicture(wbOutputs *outputs, wbWorld *world) {
    const wbScene *scene = outputs->scene;
    const wbCameraParams camera = wbScene_GetCameraAt(scene, wbWorld_GetTime(world));
    WB_TRY(wbRenderer_DrawWorld(outputs->renderer, world, &camera, wbScene_GetOutput(scene), outputs->title));
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

static wbStatus writePly(const wbOutputs *outputs, int frame) {
    char path[WB_MAX_PATH];
    WB_TRY(wbMakeFramePath(path, outputs->options->ply, "particles", frame, "ply"));
    return wbWritePly(path, outputs->views, outputs->viewCount);
}

static wbStatus writeVdb(const wbOutputs *outputs, double time, int frame) {
    char path[WB_MAX_PATH];
    WB_TRY(wbMakeFramePath(path, outputs->options->vdb, "air", frame, "vdb"));
    return wbWriteVdb(path, &outputs->air, time);
}

// The files that other programs open.
static wbStatus writeFiles(const wbOutputs *outputs, double time, int frame) {
    const wbOptions *options = outputs->options;
    if (options->ply) WB_TRY(writePly(outputs, frame));
    if (outputs->vtk)
        WB_TRY(wbVtkSeries_AddFrame(outputs->vtk, frame, time, outputs->views, outputs->viewCount));
    if (outputs->airVtk) WB_TRY(wbVtkSeries_AddAir(outputs->airVtk, frame, time, &outputs->air));
    if (options->vdb) WB_TRY(writeVdb(outputs, time, frame));
    return options->raw ? wbWriteMhd(options->raw, frame, &outputs->air) : wb_okStatus;
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

// Brings back from a compute device what is going to be written to files, and nothing else.
static wbStatus getViews(wbOutputs *outputs, wbWorld *world) {
    const wbOptions *options = outputs->options;
    bool ofParticles = options->ply || outputs->vtk;
    bool ofAir = options->vdb || options->raw || outputs->airVtk;
    wbView *views = outputs->views;
    int fluidCount = outputs->fluidCount;
    for (int i = 0; i < fluidCount && ofParticles; i++)
        WB_TRY(wbFluid_GetView(world, wbWorld_GetFluid(world, i), &views[i]));
    for (int i = fluidCount; i < outputs->viewCount && ofParticles; i++)
        WB_TRY(wbSoftBody_GetView(world, wbWorld_GetSoftBody(world, i - fluidCount), &views[i]));
    return ofAir ? wbWorld_GetSmokeView(world, &outputs->air) : wb_okStatus;
}

wbStatus wbOutputs_WriteFrame(wbOutputs *outputs, wbWorld *world, int frame) {
    if (frame % outputs->options->every != 0) return wb_okStatus;
    WB_TRY(getViews(outputs, world));
    if (outputs->renderer) WB_TRY(writePictures(outputs, world, frame));
    WB_TRY(writeFiles(outputs, wbWorld_GetTime(world), frame));
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
    if (outputs->airVtk) keepFirst(&status, wbVtkSeries_Close(outputs->airVtk));
    if (outputs->stats) keepFirst(&status, wbStatsFile_Close(outputs->stats));
    freeAll(outputs);
    return status;
}

void wbOutputs_Describe(const wbOutputs *outputs, char *text, size_t size) {
    const wbOptions *options = outputs->options;
    const char *const names[] = {options->video, options->png, options->ply,   options->vtk,
                                 options->vdb,   options->raw, options->stats, options->save};
    text[0] = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t used = strlen(text);
        if (names[i]) snprintf(text + used, size - used, "%s%s", used ? ", " : "", names[i]);
    }
}
