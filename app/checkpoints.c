// SPDX-License-Identifier: MIT
#include "app/checkpoints.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/output_file.h"
#include "core/status.h"

enum { WB_TEXT_SIZE = 128 };

// Whether a world replaces "auto" by a number.
static bool isChosen(const char *key) {
    char section[WB_TEXT_SIZE];
    size_t length = strcspn(key, ".");
    snprintf(section, sizeof section, "%.*s", (int)length, key);
    const wbParamTable *table = wbGetParams(section);
    const wbParam *param = table ? wbFindParam(table, key + length + 1) : NULL;
    return param && param->isChosen;
}

// A parameter that --set named, as it stands in the scene now; what the world has already is left alone, so
// that the same command line with --resume goes on bit for bit.
static wbStatus setParam(const char *argument, const wbScene *scene, wbWorld *world, wbCommandLog *changes) {
    char key[WB_TEXT_SIZE], wanted[WB_TEXT_SIZE], present[WB_TEXT_SIZE];
    snprintf(key, sizeof key, "%.*s", (int)strcspn(argument, "="), argument);
    wbStatus known = wbWorld_GetParam(world, key, present, sizeof present);
    if (!wbIsOk(known)) return wb_okStatus; // of the camera or the output
    WB_TRY(wbScene_Get(scene, key, wanted, sizeof wanted));
    if (strcmp(wanted, present) == 0) return wb_okStatus;
    if (strcmp(wanted, "auto") == 0 && isChosen(key)) return wb_okStatus; // what was chosen stays
    wbStatus status = wbWorld_SetParam(world, key, wanted);
    if (wbIsOk(status) && changes) return wbCommandLog_Add(changes, wbWorld_GetTime(world), key, wanted);
    if (wbIsOk(status)) return status;
    return wbError(status.code, "--set %.60s: %s; the checkpoint has %s", argument, status.text, present);
}

// A film or table of the whole run must not be replaced by one of its later part.
static wbStatus checkAbsent(const char *name) {
    wbOutputPath path;
    WB_TRY(wbOutputPath_Set(&path, name));
    if (path.isDevice) return wb_okStatus;
    if (access(path.final, F_OK) != 0) return wb_okStatus;
    return wbError(
        wb_errorInput,
        "%.120s is there, and a resumed run writes only what comes later: rename it, or name another",
        path.final);
}

static wbStatus checkOutputs(const wbOptions *options) {
    static const char *const lists[] = {"particles", "air"};
    if (options->video) WB_TRY(checkAbsent(options->video));
    if (options->stats) WB_TRY(checkAbsent(options->stats));
    for (int i = 0; i < 2 && options->vtk; i++) {
        char list[WB_MAX_PATH];
        snprintf(list, sizeof list, "%s/%s.pvd", options->vtk, lists[i]);
        WB_TRY(checkAbsent(list));
    }
    return wb_okStatus;
}

static wbStatus adapt(const wbOptions *options, wbScene *scene, wbCommandLog *changes, wbWorld *world) {
    wbStatus status = wbScene_CheckWorld(scene, world);
    if (!wbIsOk(status))
        return wbError(status.code, "%.100s is not a checkpoint of this scene: %s", options->resume,
                       status.text);
    for (int i = 0; i < options->set.count; i++)
        WB_TRY(setParam(options->set.items[i], scene, world, changes));
    WB_TRY(wbWorld_SetFrameRate(world, (double)wbScene_GetOutput(scene)->fps));
    return options->threads ? wbWorld_SetThreadCount(world, options->threads) : wb_okStatus;
}

wbStatus wbResumeWorld(const wbOptions *options, wbScene *scene, wbCommandLog *changes, wbWorld **world) {
    WB_TRY(checkOutputs(options));
    const wbWorldParams *params = &wbScene_GetWorldDef(scene)->params;
    if (options->backend)
        WB_TRY(wbLoadWorldOn(options->resume, params->backend, params->device, world));
    else
        WB_TRY(wbLoadWorld(options->resume, world));
    wbStatus status = adapt(options, scene, changes, *world);
    if (wbIsOk(status)) return status;
    wbDestroyWorld(*world);
    *world = NULL;
    return status;
}

// sums of float steps miss round times by a little
static double getRoundedTime(const wbWorld *world) {
    return wbWorld_GetTime(world) + 1e-3 * (double)wbWorld_GetTimeStep(world);
}

static void setNextTime(wbCheckpoints *checkpoints, const wbWorld *world) {
    double interval = checkpoints->options->saveEvery;
    checkpoints->nextTime =
        interval > 0 ? (floor(getRoundedTime(world) / interval) + 1) * interval : HUGE_VAL;
}

static void remember(wbCheckpoints *checkpoints, const char *path, const wbWorld *world) {
    checkpoints->path = path;
    checkpoints->lastTime = wbWorld_GetTime(world);
}

wbStatus wbCheckpoints_Open(wbCheckpoints *checkpoints, const wbOptions *options, const wbWorld *world) {
    *checkpoints = (wbCheckpoints){.options = options, .lastStep = -1};
    setNextTime(checkpoints, world);
    if (options->resume) remember(checkpoints, options->resume, world);
    if (!options->save) return wb_okStatus;
    wbOutputFile file;
    WB_TRY(wbOutputFile_Open(&file, options->save));
    wbOutputFile_Abort(&file);
    return wb_okStatus;
}

static wbStatus save(wbCheckpoints *checkpoints, wbWorld *world) {
    WB_TRY(wbWorld_Save(world, checkpoints->options->save));
    remember(checkpoints, checkpoints->options->save, world);
    checkpoints->lastStep = wbWorld_GetStepCount(world);
    return wb_okStatus;
}

wbStatus wbCheckpoints_Update(wbCheckpoints *checkpoints, wbWorld *world) {
    if (getRoundedTime(world) < checkpoints->nextTime) return wb_okStatus;
    setNextTime(checkpoints, world);
    return save(checkpoints, world);
}

wbStatus wbCheckpoints_Finish(wbCheckpoints *checkpoints, wbWorld *world) {
    bool isSaved = checkpoints->lastStep == wbWorld_GetStepCount(world);
    return checkpoints->options->save && !isSaved ? save(checkpoints, world) : wb_okStatus;
}
