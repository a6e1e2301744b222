// SPDX-License-Identifier: MIT
#include "app/view/files.h"

#include <stdio.h>
#include <string.h>

#include "app/checkpoints.h"
#include "app/find_scene.h"
#include "app/open_scene.h"
#include "app/view/find_files.h"
#include "app/view/mesh_scene.h"
#include "core/status.h"
#include "core/timer.h"

// Another world: what belonged to the old one goes.
static void beginOpening(wbViewer *viewer, bool isOther) {
    wbEdits_Clear(&viewer->edits);
    wbHand_Forget(viewer);
    viewer->selection = (wbSelection){0};
    viewer->isGravityOff = false;
    wbPlots_Clear(&viewer->plots);
    if (isOther) wbCameraControl_Release(&viewer->camera);
}

static void openWorld(wbViewer *viewer, wbFileKind kind, const char *path, const char *scene) {
    beginOpening(viewer, true);
    viewer->showScenes = false; // a file that is dropped on the list is seen
    viewer->startCount = 0;
    viewer->files.settings[0] = 0;
    wbSim_OpenFile(viewer->sim, kind, path, scene);
    wbRemote_Tell(&viewer->remote, "event open %s", path);
}

void wbViewer_Reopen(wbViewer *viewer, bool isScene) {
    if (!viewer->state.path[0]) return; // there is nothing yet
    beginOpening(viewer, false);
    wbSim_OpenFile(viewer->sim, wb_fileScene, isScene ? viewer->state.path : "", NULL);
    wbRemote_Tell(&viewer->remote, "event open again");
}

static void openCheckpoint(wbViewer *viewer, const char *path) {
    char scene[WB_SIM_TEXT];
    if (wbFindSceneOfCheckpoint(path, viewer->state.path, scene))
        openWorld(viewer, wb_fileCheckpoint, path, scene);
    else
        wbViewer_Note(viewer, "%s does not say which scene it is of: open the scene first", path);
}

static void openMesh(wbViewer *viewer, const char *path) {
    char scene[WB_SIM_TEXT];
    wbStatus status = wbWriteMeshScene(path, scene);
    if (wbIsOk(status))
        openWorld(viewer, wb_fileScene, scene, NULL);
    else
        wbViewer_Note(viewer, "%s", status.text);
}

void wbViewer_OpenFile(wbViewer *viewer, const char *path) {
    char found[WB_SCENE_PATH];
    if (!wbFindScene(path, found)) {
        wbViewer_Note(viewer, "there is no file and no scene %s", path);
        return;
    }
    if (strlen(found) >= WB_SIM_TEXT) {
        wbViewer_Note(viewer, "the path has %zu bytes, allowed are %d", strlen(found), WB_SIM_TEXT - 1);
        return;
    }
    const wbFileKind kind = wbGuessFileKind(found);
    if (kind == wb_fileCheckpoint)
        openCheckpoint(viewer, found);
    else if (kind == wb_fileMesh)
        openMesh(viewer, found);
    else if (kind == wb_fileSettings)
        wbViewer_LoadSettings(viewer, found);
    else
        openWorld(viewer, kind, found, NULL);
}

// Settings that came with a world, when its first still is there.
static void loadWaiting(wbViewer *viewer) {
    wbSceneWatch *files = &viewer->files;
    if (!files->settings[0] || !viewer->still || viewer->still->generation == files->openedGeneration) return;
    wbViewer_LoadSettings(viewer, files->settings);
    files->settings[0] = 0;
}

// Of files that come together.
typedef struct Together {
    bool hasWorld, hasBeside;
    char settings[WB_SIM_TEXT];
    int opened;
} Together;

static void openBeside(wbViewer *viewer, const char *path) {
    const wbTextList what = {.count = 1, .items = {path}};
    wbSim_OpenBeside(viewer->sim, &what);
    wbRemote_Tell(&viewer->remote, "event beside %s", path);
}

static void openOneOf(wbViewer *viewer, const char *path, Together *all) {
    static char beside[WB_SCENE_PATH];
    const wbFileKind kind = wbFindScene(path, beside) ? wbGuessFileKind(beside) : wb_fileScene;
    if (kind == wb_fileSettings ? all->settings[0] != 0 : all->hasBeside) return;
    if (kind == wb_fileSettings) {
        snprintf(all->settings, sizeof all->settings, "%s", path);
    } else if (!all->hasWorld) {
        all->hasWorld = true;
        wbViewer_OpenFile(viewer, path);
    } else if (kind == wb_fileScene) {
        all->hasBeside = true;
        openBeside(viewer, beside);
    } else {
        return;
    }
    all->opened++;
}

void wbViewer_OpenFiles(wbViewer *viewer, const char *paths, int count) {
    Together all = {0};
    if (!strchr(paths, '\t')) {
        wbViewer_OpenFile(viewer, paths);
        return;
    }
    int given = 0;
    for (const char *path = paths; *path; path += strcspn(path, "\t"), path += *path == '\t', given++) {
        char name[WB_SIM_TEXT];
        if (snprintf(name, sizeof name, "%.*s", (int)strcspn(path, "\t"), path) < WB_SIM_TEXT)
            openOneOf(viewer, name, &all);
    }
    if (given > count) count = given;
    if (all.hasWorld)
        memcpy(viewer->files.settings, all.settings, sizeof all.settings);
    else if (all.settings[0])
        wbViewer_LoadSettings(viewer, all.settings);
    viewer->files.openedGeneration = viewer->still ? viewer->still->generation : 0;
    if (all.opened < count)
        wbViewer_Note(viewer, "%d of %d files are opened: a world, a scene beside it, a list of settings",
                      all.opened, count);
}

// A new world has other files. A change is told once, or read at once.
void wbWatchFiles(wbViewer *viewer) {
    wbSceneWatch *files = &viewer->files;
    const double now = wbGetSeconds();
    if (files->loadCount != viewer->state.loadCount) {
        files->loadCount = viewer->state.loadCount;
        files->isChanged = false;
        wbStatus status = wbSim_CopyWatched(viewer->sim, &files->watch.paths, &files->watch.bytes);
        if (!wbIsOk(status)) wbViewer_Note(viewer, "%s", status.text);
        wbWatch_Start(&files->watch, now);
    }
    loadWaiting(viewer);
    if (!wbWatch_Update(&files->watch, now)) return;
    files->isChanged = true;
    if (files->isAuto)
        wbViewer_Restart(viewer);
    else
        wbViewer_Note(viewer, "%s has changed: R reads it again", viewer->state.path);
}

void wbViewer_SaveCheckpoint(wbViewer *viewer) {
    char path[WB_SIM_TEXT];
    if (!viewer->still) return;
    snprintf(path, sizeof path, "%s-%06lld.checkpoint", viewer->state.name, (long long)viewer->state.step);
    wbSim_SaveCheckpoint(viewer->sim, path);
}

void wbViewer_SaveSettings(wbViewer *viewer, bool asScene) {
    char path[WB_SIM_TEXT];
    if (!viewer->still) return;
    snprintf(path, sizeof path, "%s-%s.json", viewer->state.name, asScene ? "changed" : "settings");
    const wbCameraParams camera = wbCameraControl_GetParams(&viewer->camera);
    wbSim_SaveSettings(viewer->sim, path, asScene, viewer->camera.isUsers ? &camera : NULL);
}

// A parameter of the present world, by its key; NULL: it has none of that name.
static const wbParam *findParam(const wbStill *still, const char *key, bool *isPicture) {
    const size_t length = strcspn(key, ".");
    const wbSection *sections = still->sections.data;
    for (int i = 0; i < still->sectionCount; i++) {
        if (strlen(sections[i].name) != length || strncmp(sections[i].name, key, length) != 0) continue;
        *isPicture = sections[i].isPicture;
        return key[length] ? wbFindParam(sections[i].table, key + length + 1) : NULL;
    }
    return NULL;
}

// What may change while it runs is set at once, and the rest waits for a restart.
static void applySettings(wbViewer *viewer, const char *path, const wbCommandLog *settings) {
    int waiting = 0;
    for (int i = 0; i < settings->count; i++) {
        const wbLoggedCommand *setting = wbCommandLog_Get(settings, i);
        bool isPicture = false;
        const wbParam *param = findParam(viewer->still, setting->key, &isPicture);
        if (param && (param->live || isPicture)) {
            wbSim_Put(viewer->sim, setting->key, setting->value);
            if (strncmp(setting->key, "camera.", 7) == 0) wbCameraControl_Release(&viewer->camera);
            wbRemote_Tell(&viewer->remote, "event set %s %s", setting->key, setting->value);
        } else {
            waiting++;
            wbViewer_SetAtStart(viewer, setting->key, setting->value);
        }
    }
    if (waiting > 0)
        wbViewer_Note(viewer, "%s: %d of %d settings wait for a restart", path, waiting, settings->count);
    else
        wbViewer_Note(viewer, "%s: %d settings", path, settings->count);
}

void wbViewer_LoadSettings(wbViewer *viewer, const char *path) {
    wbRecording list;
    if (!viewer->still) {
        wbViewer_Note(viewer, "%s is a list of settings: open a scene first", path);
        return;
    }
    wbStatus status = wbReadSettings(path, &list);
    if (!wbIsOk(status)) {
        wbViewer_Note(viewer, "%s", status.text);
        return;
    }
    applySettings(viewer, path, &list.settings);
    wbRecording_Free(&list);
}

// The command line

static bool complain(wbStatus status) {
    if (!wbIsOk(status)) wbComplain("%s", status.text);
    return wbIsOk(status);
}

static bool checkFlags(const wbOptions *options) {
    const char *other = options->settings           ? "--settings"
                        : options->resume           ? "--resume"
                        : options->set.count > 0    ? "--set"
                        : options->operandCount > 0 ? "SCENE"
                                                    : NULL;
    if (options->replay && other) {
        wbComplain("--replay does what the recording says, in its scene: leave out %s", other);
        return false;
    }
    if (options->resume && options->settings) {
        wbComplain("--resume goes on with what the checkpoint holds: leave out --settings, or give --set");
        return false;
    }
    return true;
}

static bool checkReplay(const char *path) {
    wbRecording recording = {0};
    wbScene *scene;
    char scenePath[WB_SIM_TEXT], checkpoint[WB_SCENE_PATH];
    const bool isGood = complain(wbReadReplay(path, &recording, scenePath, checkpoint, &scene));
    if (isGood) wbDestroyScene(scene);
    if (isGood) wbRecording_Free(&recording);
    return isGood;
}

static bool findResumed(const wbOptions *options, char scene[WB_SIM_TEXT]) {
    char found[WB_SCENE_PATH] = "";
    if (options->operandCount > 0 && !wbFindScene(options->operands[0], found)) return false;
    if (options->operandCount > 0) return snprintf(scene, WB_SIM_TEXT, "%s", found) < WB_SIM_TEXT;
    if (wbFindSceneOfCheckpoint(options->resume, "", scene)) return true;
    wbComplain("%s does not say which scene it is of: wirbel view SCENE --resume %s", options->resume,
               options->resume);
    return false;
}

// All of it is read: a checkpoint that fails half-way is refused as well.
static bool checkCheckpoint(const wbOptions *options, const char *path) {
    char scenePath[WB_SIM_TEXT];
    const char *operand = scenePath;
    wbOptions resumed = *options;
    wbWorld *world = NULL;
    resumed.resume = path;
    if (path != options->resume) resumed.operandCount = 0;
    if (!findResumed(&resumed, scenePath)) return false;
    resumed.operands = &operand, resumed.operandCount = 1;
    wbScene *scene = wbOpenScene(&resumed);
    const bool isGood = scene && complain(wbResumeWorld(&resumed, scene, NULL, &world));
    wbDestroyWorld(world);
    wbDestroyScene(scene);
    return isGood;
}

static bool checkOperand(const wbOptions *options) {
    char found[WB_SCENE_PATH], path[WB_SIM_TEXT];
    if (!wbFindScene(options->operands[0], found)) return false;
    const wbFileKind kind = wbGuessFileKind(found);
    if (kind == wb_fileRecording) return checkReplay(found);
    if (kind == wb_fileCheckpoint) return checkCheckpoint(options, found);
    if (kind == wb_fileMesh) return complain(wbWriteMeshScene(found, path));
    if (kind == wb_fileSettings)
        wbComplain("%s is a list of settings: wirbel view SCENE --settings %s", found, found);
    if (kind == wb_fileSettings) return false;
    wbScene *scene = wbOpenScene(options);
    wbDestroyScene(scene);
    return scene != NULL;
}

bool wbCheckFiles(const wbOptions *options) {
    if (!checkFlags(options)) return false;
    if (options->replay) return checkReplay(options->replay);
    if (options->resume) return checkCheckpoint(options, options->resume);
    return options->operandCount == 0 || checkOperand(options);
}

void wbOpenFirst(wbViewer *viewer, const wbOptions *options) {
    char scene[WB_SIM_TEXT];
    if (options->replay)
        wbViewer_OpenFile(viewer, options->replay);
    else if (options->resume && findResumed(options, scene))
        openWorld(viewer, wb_fileCheckpoint, options->resume, scene);
    else if (options->operandCount > 0)
        wbViewer_OpenFile(viewer, options->operands[0]);
    else
        viewer->showScenes = true;
}
