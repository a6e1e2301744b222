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
    outputs->softCount = wbWorld_GetSoftBodyCount(world);
    outputs->viewCount = outputs->fluidCount + outputs->softCount;
    if (outputs->viewCount == 0) return wb_okStatus;
    outputs->views = wbAllocZero(NULL, (size_t)outputs->viewCount * sizeof *outputs->views);
    outputs->softs = wbAllocZero(NULL, (size_t)outputs->softCount * sizeof *outputs->softs);
    bool isMade = outputs->views && (outputs->softs || outputs->softCount == 0);
    return isMade ? wb_okStatus : wbError(wb_errorMemory, "no memory for the views of particles");
}

static wbStatus openBodies(wbOutputs *outputs, const wbWorld *world) {
    outputs->bodyCount = wbWorld_GetColliderCount(world);
    if (outputs->bodyCount == 0) return wb_okStatus;
    outputs->bodies = wbAllocZero(NULL, (size_t)outputs->bodyCount * sizeof *outputs->bodies);
    return outputs->bodies ? wb_okStatus : wbError(wb_errorMemory, "no memory for pictures of colliders");
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

static wbStatus openAll(wbOutputs *outputs, const wbWorld *world) {
    const wbOptions *options = outputs->options;
    WB_TRY(checkContent(options, world));
    WB_TRY(openViews(outputs, world));
    WB_TRY(openBodies(outputs, world));
    if (options->ply) WB_TRY(openFolder(options->ply));
    if (options->vtk) WB_TRY(openFolder(options->vtk));
    if (options->vdb) WB_TRY(openFolder(options->vdb));
    if (options->raw) WB_TRY(openFolder(options->raw));
    if (options->stats) WB_TRY(wbStatsFile_Open(options->stats, &outputs->stats));
    if (hasPictures(options)) WB_TRY(openPictures(outputs));
    // last: once open, its list of files is written
    return options->vtk ? openVtk(outputs, world) : wb_okStatus;
}

static void freeAll(wbOutputs *outputs) {
    wbDestroyRenderer(outputs->renderer);
    wbFree(NULL, outputs->pixels, outputs->pixelBytes);
    wbFree(NULL, outputs->views, (size_t)outputs->viewCount * sizeof *outputs->views);
    wbFree(NULL, outputs->softs, (size_t)outputs->softCount * sizeof *outputs->softs);
    wbFree(NULL, outputs->bodies, (size_t)outputs->bodyCount * sizeof *outputs->bodies);
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

static void placeColliders(wbOutputs *outputs, const wbWorld *world) {
    for (int i = 0; i < outputs->bodyCount; i++) {
        wbColliderId id = wbWorld_GetCollider(world, i);
        const wbColliderParams *params = wbCollider_GetParams(world, id);
        wbColliderStats stats = wbCollider_GetStats(world, id);
        wbRenderBody *body = &outputs->bodies[i];
        *body = (wbRenderBody){.mesh = wbCollider_GetMesh(world, id),
                               .key = (uint64_t)i,
                               .colour = {params->colour.x, params->colour.y, params->colour.z},
                               .opacity = params->opacity};
        memcpy(body->position, stats.position, sizeof body->position);
        memcpy(body->rotation, stats.rotation, sizeof body->rotation);
    }
}

// m; where nothing says it, by the room that each particle has, or each link
static float chooseRadius(const wbWorld *world, wbSoftBodyId id, const wbRenderSoft *soft) {
    const wbSoftBodyParams *p = wbSoftBody_GetParams(world, id);
    float contact = wbSoftBody_GetContactRadius(world, id);
    if (p->showRadius > 0) return p->showRadius;
    if (contact > 0) return contact;
    if (soft->isChain) return 0.25f * p->length / (float)p->count;
    double volume = (double)p->size.x * p->size.y * p->size.z;
    if (p->shape == wb_softBodySphere) volume = 4.19 * pow(p->radius, 3);
    if (p->shape == wb_softBodyGrid || p->shape == wb_softBodyMeshVolume) return 0.5f * p->spacing;
    if (p->shape == wb_softBodyCloth) return 0.5f * p->size.x / p->counts.x;
    return (float)(0.5 * cbrt(volume / soft->view.count));
}

static wbSoftBodyShow chooseShow(const wbSoftBodyParams *params) {
    if (params->show != wb_showAuto) return params->show;
    switch (params->shape) {
    case wb_softBodyStick:
    case wb_softBodyRope:
        return wb_showLines;
    case wb_softBodyCloth:
    case wb_softBodyMeshSurface:
        return wb_showSurface;
    default:
        return wb_showSpheres;
    }
}

static void placeSofts(wbOutputs *outputs, const wbWorld *world) {
    for (int i = 0; i < outputs->softCount; i++) {
        wbSoftBodyId id = wbWorld_GetSoftBody(world, i);
        const wbSoftBodyParams *params = wbSoftBody_GetParams(world, id);
        wbSoftBodyMesh mesh = wbSoftBody_GetMesh(world, id);
        wbRenderSoft *soft = &outputs->softs[i];
        *soft =
            (wbRenderSoft){.view = outputs->views[outputs->fluidCount + i],
                           .show = chooseShow(params),
                           .firstParticle = mesh.firstParticle,
                           .triangles = mesh.triangles,
                           .triangleCount = mesh.triangleCount,
                           .first = mesh.first,
                           .second = mesh.second,
                           .linkCount = mesh.constraintCount,
                           .isChain = params->shape == wb_softBodyStick || params->shape == wb_softBodyRope,
                           .colour = {params->colour.x, params->colour.y, params->colour.z}};
        soft->radius = chooseRadius(world, id, soft);
    }
}

// All fluids are drawn alike: as the finest of them, on a scale from the lightest to the densest.
typedef struct Grain {
    float spacing, restDensity, densest;
} Grain;

static Grain findGrain(const wbWorld *world) {
    Grain grain = {0.02f, 1000,
                   1000}; // without fluids: a picture has a scale of its own, which nothing shows
    for (int i = 0; i < wbWorld_GetFluidCount(world); i++) {
        wbFluidId id = wbWorld_GetFluid(world, i);
        float spacing = (float)wbFluid_GetSpacing(world, id),
              density = (float)wbFluid_GetRestDensity(world, id);
        grain.spacing = i == 0 ? spacing : fminf(spacing, grain.spacing);
        grain.restDensity = i == 0 ? density : fminf(density, grain.restDensity);
        grain.densest = i == 0 ? density : fmaxf(density, grain.densest);
    }
    return grain;
}

static wbStatus drawPicture(wbOutputs *outputs, wbWorld *world) {
    const Grain grain = findGrain(world);
    const wbDomainDef domain = wbWorld_GetDomain(world);
    wbRenderScene scene = {
        .views = outputs->views,
        .viewCount = outputs->fluidCount,
        .bodies = outputs->bodies,
        .bodyCount = outputs->bodyCount,
        .softs = outputs->softs,
        .softCount = outputs->softCount,
        .smoke = &outputs->air,
        .domain = &domain,
        .dimensions = wbWorld_GetWorldParams(world)->dimensions,
        .spacing = grain.spacing,
        .restDensity = grain.restDensity,
        .densest = grain.densest,
        .camera = *wbScene_GetCamera(outputs->scene),
        .output = *wbScene_GetOutput(outputs->scene),
        .time = wbWorld_GetTime(world),
        .title = outputs->title,
    };
    placeColliders(outputs, world);
    placeSofts(outputs, world);
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
    return wbStatsFile_AddRow(outputs->stats, frame, &stats, &profile);
}

// Brings back from a compute device what is going to be written, and nothing else.
static wbStatus getViews(wbOutputs *outputs, wbWorld *world) {
    const wbOptions *options = outputs->options;
    bool ofParticles = outputs->renderer || options->ply || outputs->vtk;
    bool ofAir = outputs->renderer || options->vdb || options->raw || outputs->airVtk;
    wbView *views = outputs->views;
    for (int i = 0; i < outputs->fluidCount && ofParticles; i++)
        WB_TRY(wbFluid_GetView(world, wbWorld_GetFluid(world, i), &views[i]));
    for (int i = 0; i < outputs->softCount && ofParticles; i++)
        WB_TRY(wbSoftBody_GetView(world, wbWorld_GetSoftBody(world, i), &views[outputs->fluidCount + i]));
    return ofAir ? wbWorld_GetSmokeView(world, &outputs->air) : wb_okStatus;
}

wbStatus wbOutputs_DrawPicture(wbOutputs *outputs, wbWorld *world) {
    WB_TRY(getViews(outputs, world));
    return drawPicture(outputs, world);
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
