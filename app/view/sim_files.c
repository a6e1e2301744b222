// SPDX-License-Identifier: MIT
// Files of a simulation: recordings that are done again, checkpoints, lists of settings, marks.
#include <stdio.h>
#include <string.h>

#include "app/checkpoints.h"
#include "app/view/find_files.h"
#include "app/view/sim_internal.h"
#include "core/status.h"
#include "core/timer.h"
#include "scene/progress.h"

bool wbFileOrders_AreTold(const wbFileOrders *o) {
    return o->checkpoint[0] || o->settings[0] || o->marks || o->films;
}

void wbSim_TakeFileOrders(wbSim *sim, bool opens) {
    wbFileOrders *o = &sim->orders.files;
    o->checkpoint[0] = o->settings[0] = 0;
    o->marks = o->films = false;
    if (!opens) return;
    sim->files.isCancelled = false;
    sim->files.opening = o->file.path[0] ? o->file : sim->files.opened;
}

static void sayStage(wbSim *sim, const char *text) {
    wbLock_Take(sim->lock);
    snprintf(sim->state.stage, sizeof sim->state.stage, "%s", text);
    wbLock_Release(sim->lock);
}

// Between two objects.
static bool tellProgress(const char *list, int index, int count, void *context) {
    wbSim *sim = context;
    char text[sizeof sim->state.stage];
    snprintf(text, sizeof text, "%s, %d of %d", list, index + 1, count);
    sayStage(sim, text);
    wbLock_Take(sim->lock);
    const wbOrders *o = &sim->orders;
    const bool goesOn = !o->quit && !o->open && !o->cancels;
    sim->files.isCancelled = !goesOn;
    wbLock_Release(sim->lock);
    return goesOn;
}

static wbStatus makeWorld(wbSim *sim, wbLoaded *loaded) {
    wbScene_SetProgress(loaded->scene, tellProgress, sim);
    wbStatus status = wbScene_CreateWorld(loaded->scene, &loaded->world);
    wbScene_SetProgress(loaded->scene, NULL, NULL);
    return status;
}

static wbOptions getResumeOptions(const wbSim *sim, const char *path) {
    wbOptions options = *sim->def.options;
    // --set belongs to --resume: a checkpoint that is opened later is as it was saved
    if (!options.resume || strcmp(options.resume, path) != 0) options.set.count = 0;
    options.resume = path;
    options.video = options.stats = options.vtk = NULL;
    options.threads = sim->threads;
    return options;
}

// One that begins with a checkpoint goes on where that was computed.
static wbStatus makeReplay(wbSim *sim, const char *path, wbLoaded *loaded) {
    char checkpoint[WB_SCENE_PATH];
    WB_TRY(wbReadReplay(path, &loaded->recording, loaded->path, checkpoint, &loaded->scene));
    WB_TRY(wbSim_PrepareScene(sim, loaded->scene, false));
    if (!checkpoint[0]) return makeWorld(sim, loaded);
    wbOptions options = getResumeOptions(sim, checkpoint);
    options.set.count = 0;
    options.backend = wbGetBackendText(wbScene_GetWorldDef(loaded->scene)->params.backend);
    return wbResumeWorld(&options, loaded->scene, NULL, &loaded->world);
}

static wbStatus makeResumed(wbSim *sim, const char *path, wbLoaded *loaded) {
    const wbOptions options = getResumeOptions(sim, path);
    snprintf(loaded->path, sizeof loaded->path, "%s", sim->files.opening.scene);
    WB_TRY(wbReadScene(loaded->path, &loaded->scene));
    WB_TRY(wbSim_PrepareScene(sim, loaded->scene, loaded->keepsSettings));
    return wbResumeWorld(&options, loaded->scene, &loaded->recording.script, &loaded->world);
}

static wbStatus makeFromScene(wbSim *sim, const char *path, wbLoaded *loaded) {
    snprintf(loaded->path, sizeof loaded->path, "%s", path);
    WB_TRY(wbReadScene(path, &loaded->scene));
    WB_TRY(wbSim_PrepareScene(sim, loaded->scene, loaded->keepsSettings));
    return makeWorld(sim, loaded);
}

wbStatus wbSim_MakeLoaded(wbSim *sim, bool keepsSettings, wbLoaded *loaded) {
    const wbFileKind kind = sim->files.opening.kind;
    const char *path = sim->files.opening.path;
    *loaded = (wbLoaded){.keepsSettings = keepsSettings};
    sayStage(sim, "reading");
    wbStatus status = kind == wb_fileRecording    ? makeReplay(sim, path, loaded)
                      : kind == wb_fileCheckpoint ? makeResumed(sim, path, loaded)
                                                  : makeFromScene(sim, path, loaded);
    if (wbIsOk(status)) return status;
    wbDestroyWorld(loaded->world);
    wbDestroyScene(loaded->scene);
    wbRecording_Free(&loaded->recording);
    return status;
}

static void compareWriter(wbSim *sim, const char *what, const char *then, const char *now) {
    char text[WB_SIM_TEXT];
    if (strcmp(then, now) == 0) return;
    snprintf(text, sizeof text, "it was recorded with %s %.100s, here it is %.100s: the bits may differ",
             what, then, now);
    wbSim_SayNote(sim, text);
}

// What is known of this world is what the recording says.
static void takeRecording(wbSim *sim, wbRecording *from) {
    wbRecording *to = &sim->recording;
    compareWriter(sim, "version", from->version, to->version);
    compareWriter(sim, "instruction set", from->simd, to->simd);
    compareWriter(sim, "backend", from->backend, to->backend);
    sim->furthest = from->endStep;
    sim->next = wbCommandLog_Find(&from->script, wbWorld_GetTime(sim->world));
    wbRecording_Free(to);
    *to = *from;
    *from = (wbRecording){0};
    wbLock_Take(sim->lock);
    sim->state.furthestTime = to->endTime;
    wbLock_Release(sim->lock);
}

static wbStatus noteWatched(wbSim *sim) {
    wbSimFiles *files = &sim->files;
    wbStatus status = wb_okStatus;
    wbLock_Take(sim->lock);
    files->watched.elementSize = 1;
    files->watchedBytes = 0;
    for (int i = 0; i < wbScene_GetFileCount(sim->scene); i++) {
        const char *path = wbScene_GetFile(sim->scene, i);
        const int length = (int)strlen(path) + 1;
        if (!wbArray_Reserve(NULL, &files->watched, files->watchedBytes + length))
            status = wbMemoryError(NULL, "names of files need");
        else
            memcpy((char *)files->watched.data + files->watchedBytes, path, (size_t)length),
                files->watchedBytes += length;
    }
    sim->state.loadCount++;
    wbLock_Release(sim->lock);
    return status;
}

// The recording begins with the file, and with what --set changed in its world.
static wbStatus recordFromCheckpoint(wbSim *sim, const wbCommandLog *changes) {
    wbRecording *recording = &sim->recording;
    for (int i = 0; i < changes->count; i++) {
        const wbLoggedCommand *change = wbCommandLog_Get(changes, i);
        WB_TRY(wbCommandLog_Add(&recording->script, change->time, change->key, change->value));
    }
    sim->next = recording->script.count;
    sim->furthest = wbWorld_GetStepCount(sim->world);
    return wbRecording_StartFrom(recording, sim->files.opened.path);
}

wbStatus wbSim_FinishLoaded(wbSim *sim, wbLoaded *loaded) {
    wbSimFiles *files = &sim->files;
    wbLock_Take(sim->lock);
    files->opened = files->opening;
    files->isDiverged = false;
    sim->state.isReplay = files->opened.kind == wb_fileRecording;
    sim->state.divergedStep = 0;
    sim->state.firstTime = wbWorld_GetTime(sim->world);
    wbLock_Release(sim->lock);
    wbCommandQueue_Clear(&files->looks);
    sim->aim = sim->meterTime = wbWorld_GetTime(sim->world);
    if (files->opened.kind == wb_fileRecording) takeRecording(sim, &loaded->recording);
    if (files->opened.kind == wb_fileCheckpoint) WB_TRY(recordFromCheckpoint(sim, &loaded->recording.script));
    return noteWatched(sim);
}

// Those of a recording are the world's, should it start again with others.
wbStatus wbSim_TakeSettings(wbSim *sim, const wbLoaded *loaded) {
    wbLock_Take(sim->lock);
    if (!loaded->keepsSettings || loaded->recording.settings.count > 0) wbCommandLog_Cut(&sim->settings, 0);
    wbStatus status = wb_okStatus;
    for (int i = 0; i < loaded->recording.settings.count && wbIsOk(status); i++) {
        const wbLoggedCommand *setting = wbCommandLog_Get(&loaded->recording.settings, i);
        status = wbCommandLog_Add(&sim->settings, 0, setting->key, setting->value);
    }
    wbLock_Release(sim->lock);
    return status;
}

void wbSim_SayDiverged(wbSim *sim) {
    char text[WB_SIM_TEXT];
    snprintf(text, sizeof text,
             "DIVERGED: step %lld differs from %s; what was recorded is not compared any more",
             (long long)wbWorld_GetStepCount(sim->world),
             sim->files.opened.kind == wb_fileRecording ? "the recording" : "the first time");
    sim->files.isDiverged = true;
    wbLock_Take(sim->lock);
    sim->state.divergedStep = wbWorld_GetStepCount(sim->world);
    snprintf(sim->state.message, sizeof sim->state.message, "%s", text);
    sim->orders.isPaused = sim->state.isPaused = true;
    wbLock_Release(sim->lock);
}

wbStatus wbSim_CheckRecordable(const wbSim *sim) {
    if (sim->files.isDiverged)
        return wbError(wb_errorInput,
                       "this world differs from what was recorded of it: restart it, or write a checkpoint");
    return wb_okStatus;
}

// Objects that were made while the world ran, as grabs of hands are, are not there when it starts.
static bool isOfMade(const wbCommandLog *script, const char *key) {
    const size_t length = strcspn(key, ".");
    for (int i = 0; i < script->count; i++) {
        const wbLoggedCommand *command = wbCommandLog_Get(script, i);
        if (strncmp(command->key, "world.add", 9) == 0 && strncmp(command->value, key, length) == 0 &&
            (command->value[length] == ' ' || command->value[length] == 0))
            return true;
    }
    return false;
}

// Settings say how a world starts: later values of a parameter count, commands and the machine do not.
static bool isSetting(const wbCommandLog *script, const char *key) {
    return !wbIsCommandKey(key) && strcmp(key, "world.backend") != 0 && strcmp(key, "world.device") != 0 &&
           !isOfMade(script, key);
}

static wbStatus addSettings(wbCommandQueue *all, const wbCommandLog *script, const wbLoggedCommand *list,
                            int count, double until) {
    for (int i = 0; i < count; i++)
        if (isSetting(script, list[i].key) && list[i].time <= until)
            WB_TRY(wbCommandQueue_Put(all, list[i].key, list[i].value));
    return wb_okStatus;
}

static wbStatus gatherSettings(wbSim *sim, const wbCommandQueue *camera, wbCommandQueue *all,
                               wbCommandLog *log) {
    const wbCommandLog *settings = &sim->recording.settings, *script = &sim->recording.script;
    WB_TRY(addSettings(all, script, settings->commands.data, settings->count, 0));
    WB_TRY(addSettings(all, script, script->commands.data, script->count, wbWorld_GetTime(sim->world)));
    WB_TRY(addSettings(all, script, sim->files.looks.commands.data, sim->files.looks.count, 0));
    WB_TRY(addSettings(all, script, camera->commands.data, camera->count, 0));
    const wbLoggedCommand *list = all->commands.data;
    for (int i = 0; i < all->count; i++) WB_TRY(wbCommandLog_Add(log, 0, list[i].key, list[i].value));
    return wb_okStatus;
}

static wbStatus putVector(wbCommandQueue *queue, const char *key, wbVec3 v) {
    char text[96];
    snprintf(text, sizeof text, "%.9g,%.9g,%.9g", (double)v.x, (double)v.y, (double)v.z);
    return wbCommandQueue_Put(queue, key, text);
}

static wbStatus putCamera(wbCommandQueue *queue, const wbCameraParams *camera) {
    char fov[32];
    snprintf(fov, sizeof fov, "%.9g", (double)camera->fov);
    WB_TRY(putVector(queue, "camera.position", camera->position));
    WB_TRY(putVector(queue, "camera.target", camera->target));
    return wbCommandQueue_Put(queue, "camera.fov", fov);
}

static wbStatus writeSettings(wbSim *sim, const char *path, bool asScene, const wbCameraParams *camera) {
    wbCommandQueue all = {0}, seen = {0};
    wbCommandLog log = {0};
    wbStatus status = camera ? putCamera(&seen, camera) : wb_okStatus;
    if (wbIsOk(status)) status = gatherSettings(sim, &seen, &all, &log);
    if (wbIsOk(status))
        status = asScene ? wbWriteScene(path, sim->state.path, &log) : wbWriteSettings(path, &log);
    wbCommandQueue_Free(&all);
    wbCommandQueue_Free(&seen);
    wbCommandLog_Free(&log);
    return status;
}

void wbSim_NoteLook(wbSim *sim, const wbLoggedCommand *look) {
    wbStatus status = wbCommandQueue_Put(&sim->files.looks, look->key, look->value);
    if (!wbIsOk(status)) wbSim_Say(sim, status.text);
}

static void sayWritten(wbSim *sim, const char *path, wbStatus status) {
    char text[WB_SIM_TEXT + 16];
    snprintf(text, sizeof text, "%s%s", wbIsOk(status) ? "written: " : "",
             wbIsOk(status) ? path : status.text);
    wbSim_SayNote(sim, text);
}

static void mark(wbSim *sim, const char *given) {
    char text[WB_NOTE_TEXT];
    snprintf(text, sizeof text, "mark %d", sim->recording.noteCount + 1);
    wbStatus status =
        wbRecording_AddNote(&sim->recording, wbWorld_GetTime(sim->world), given[0] ? given : text);
    if (!wbIsOk(status)) wbSim_Say(sim, status.text);
    wbSim_Publish(sim);
}

void wbSim_ObeyFiles(wbSim *sim, const wbFileOrders *orders) {
    if (orders->checkpoint[0])
        sayWritten(sim, orders->checkpoint, wbWorld_Save(sim->world, orders->checkpoint));
    if (orders->settings[0])
        sayWritten(sim, orders->settings,
                   writeSettings(sim, orders->settings, orders->asScene,
                                 orders->hasCamera ? &orders->camera : NULL));
    if (orders->marks) mark(sim, orders->mark);
    if (orders->films) {
        sim->files.filmFps = orders->filmFps, sim->files.filmCount = 0;
        sim->files.filmStart = wbWorld_GetTime(sim->world);
        wbSim_UpdateFilm(sim);
    }
}

// What the window tells, under the lock; the thread wakes.

static wbFileOrders *begin(wbSim *sim) {
    wbLock_Take(sim->lock);
    return &sim->orders.files;
}

static void end(wbSim *sim) {
    wbLock_WakeAll(sim->lock);
    wbLock_Release(sim->lock);
}

void wbSim_OpenFile(wbSim *sim, wbFileKind kind, const char *path, const char *scene) {
    wbFileOrders *orders = begin(sim);
    orders->file = (wbWorldFile){.kind = kind};
    snprintf(orders->file.path, sizeof orders->file.path, "%s", path);
    snprintf(orders->file.scene, sizeof orders->file.scene, "%s", scene ? scene : "");
    sim->orders.open = true;
    sim->state.isLoading = true;
    sim->state.loadSeconds = wbGetSeconds();
    sim->state.stage[0] = 0;
    snprintf(sim->state.loading, sizeof sim->state.loading, "%s", path[0] ? path : sim->files.opened.path);
    end(sim);
}

void wbSim_SaveCheckpoint(wbSim *sim, const char *path) {
    wbFileOrders *orders = begin(sim);
    snprintf(orders->checkpoint, sizeof orders->checkpoint, "%s", path);
    end(sim);
}

void wbSim_SaveSettings(wbSim *sim, const char *path, bool asScene, const wbCameraParams *camera) {
    wbFileOrders *orders = begin(sim);
    orders->asScene = asScene;
    orders->hasCamera = camera != NULL;
    if (camera) orders->camera = *camera;
    snprintf(orders->settings, sizeof orders->settings, "%s", path);
    end(sim);
}

void wbSim_Mark(wbSim *sim, const char *text) {
    wbFileOrders *orders = begin(sim);
    orders->marks = true;
    snprintf(orders->mark, sizeof orders->mark, "%s", text);
    end(sim);
}

wbStatus wbSim_CopyWatched(wbSim *sim, wbArray *paths, int *bytes) {
    wbLock_Take(sim->lock);
    paths->elementSize = 1;
    *bytes = 0;
    const bool hasRoom = wbArray_Reserve(NULL, paths, sim->files.watchedBytes);
    if (hasRoom && sim->files.watchedBytes > 0) {
        *bytes = sim->files.watchedBytes;
        memcpy(paths->data, sim->files.watched.data, (size_t)*bytes);
    }
    wbLock_Release(sim->lock);
    return hasRoom ? wb_okStatus : wbMemoryError(NULL, "names of files need");
}

wbStatus wbSim_AddSettingsFile(wbSim *sim, const char *path) {
    wbRecording list;
    if (!path) return wb_okStatus;
    WB_TRY(wbReadSettings(path, &list));
    for (int i = 0; i < list.settings.count; i++) {
        const wbLoggedCommand *setting = wbCommandLog_Get(&list.settings, i);
        wbSim_SetAtStart(sim, setting->key, setting->value);
    }
    wbRecording_Free(&list);
    return wb_okStatus;
}

void wbSimFiles_Free(wbSimFiles *files) {
    wbCommandQueue_Free(&files->looks);
    wbArray_Free(NULL, &files->watched);
}
