// SPDX-License-Identifier: MIT
#include "app/open_scene.h"

#include <stdio.h>
#include <string.h>

#include "app/find_scene.h"
#include "core/array.h"
#include "core/status.h"
#include "core/text.h"
#include "scene/recording.h"

enum { WB_ARGUMENT_SIZE = 256 };

static bool complainAbout(const char *flag, const char *argument, const char *text) {
    wbComplain("%s %s: %s", flag, argument, text);
    return false;
}

// cuts "key=value" at its "="; NULL if there is none
static const char *cutValue(char *argument) {
    char *equals = strchr(argument, '=');
    if (!equals) return NULL;
    *equals = 0;
    return equals + 1;
}

static bool applySet(wbScene *scene, const char *argument) {
    char copy[WB_ARGUMENT_SIZE];
    if (strlen(argument) >= sizeof copy) return complainAbout("--set", argument, "too long");
    strcpy(copy, argument);
    const char *value = cutValue(copy);
    if (!value)
        return complainAbout("--set", argument, "must be SECTION.NAME=VALUE, such as sph.viscosity=0.1");
    wbStatus status = wbScene_Set(scene, copy, value);
    return wbIsOk(status) || complainAbout("--set", argument, status.text);
}

static bool applySetAt(wbScene *scene, const char *argument) {
    static const char shape[] = "must be TIME:SECTION.NAME=VALUE, such as 2.5:sph.viscosity=0.1";
    char copy[WB_ARGUMENT_SIZE];
    if (strlen(argument) >= sizeof copy) return complainAbout("--set-at", argument, "too long");
    strcpy(copy, argument);
    char *colon = strchr(copy, ':');
    double time;
    if (!colon) return complainAbout("--set-at", argument, shape);
    *colon = 0;
    const char *value = cutValue(colon + 1);
    if (!value || !wbParseNumber(copy, &time)) return complainAbout("--set-at", argument, shape);
    wbStatus status = wbScene_SetAt(scene, time, colon + 1, value);
    return wbIsOk(status) || complainAbout("--set-at", argument, status.text);
}

// A list of settings, or those of a recording; its errors name the file.
static bool applySettings(wbScene *scene, const char *path) {
    wbRecording list;
    wbStatus status = wbReadSettings(path, &list);
    if (wbIsOk(status)) {
        status = wbRecording_ApplySettings(&list, scene);
        wbRecording_Free(&list);
    }
    if (!wbIsOk(status)) wbComplain("--settings: %s", status.text);
    return wbIsOk(status);
}

static bool applyOptions(wbScene *scene, const wbOptions *options) {
    wbBackendChoice choice;
    wbWorldDef *def = wbScene_GetWorldDef(scene);
    if (!wbReadBackend(options, &choice)) return false;
    if (options->settings && !applySettings(scene, options->settings)) return false;
    for (int i = 0; i < options->set.count; i++) {
        if (!applySet(scene, options->set.items[i])) return false;
    }
    for (int i = 0; i < options->setAt.count; i++) {
        if (!applySetAt(scene, options->setAt.items[i])) return false;
    }
    if (options->size) {
        wbStatus status = wbScene_Set(scene, "output.size", options->size);
        if (!wbIsOk(status)) return complainAbout("--size", options->size, status.text);
    }
    if (choice.isGiven) def->params.backend = choice.backend, def->params.device = choice.device;
    def->threadCount = options->threads;
    return true;
}

static wbStatus readAll(FILE *file, wbArray *text, int *length) {
    enum { READ_SIZE = 64 << 10, MOST = 128 << 20 }; // the reader says what is too long for a scene
    for (size_t got = READ_SIZE; got == READ_SIZE && *length < MOST; *length += (int)got) {
        if (!wbArray_Reserve(NULL, text, *length + READ_SIZE)) return wbMemoryError(NULL, "a scene needs");
        got = fread((char *)text->data + *length, 1, READ_SIZE, file);
    }
    return ferror(file) ? wbError(wb_errorFile, "cannot read <stdin>") : wb_okStatus;
}

// Its meshes are looked for in the current folder.
static wbStatus readStdin(wbScene **scene) {
    wbArray text = {.elementSize = 1};
    int length = 0;
    wbStatus status = readAll(stdin, &text, &length);
    if (wbIsOk(status)) status = wbReadSceneText("<stdin>", text.data, (size_t)length, scene);
    wbArray_Free(NULL, &text);
    return status;
}

wbScene *wbOpenScene(const wbOptions *options) {
    char path[WB_SCENE_PATH];
    wbScene *scene;
    bool isStdin = strcmp(options->operands[0], "-") == 0;
    if (!isStdin && !wbFindScene(options->operands[0], path)) return NULL;
    wbStatus status = isStdin ? readStdin(&scene) : wbReadScene(path, &scene);
    if (!wbIsOk(status)) {
        wbComplain("%s", status.text);
        return NULL;
    }
    if (applyOptions(scene, options)) return scene;
    wbDestroyScene(scene);
    return NULL;
}
