// SPDX-License-Identifier: MIT
// A scene's file with settings merged into it, as a scene of its own.
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/output_file.h"
#include "core/status.h"
#include "scene/recording.h"
#include "wirbel/scene.h"

enum { FORMAT = JSON_ENCODE_ANY | JSON_REAL_PRECISION(15), COLUMNS = 120, MOST_PATH = 4096 };

// Up to the end of the text, or to a comma.
static json_t *makeNumber(const char *text, const char **end) {
    char *stop;
    const double value = strtod(text, &stop);
    *end = stop;
    if (stop == text || !isfinite(value) || (*stop && *stop != ',')) return NULL;
    return value == floor(value) && fabs(value) < 1e9 ? json_integer((json_int_t)value) : json_real(value);
}

// A text of wbScene_Set as a scene's file has it: a tick, a number, some of them, or a word.
static json_t *makeValue(const char *text) {
    const char *end = text;
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) return json_boolean(text[0] == 't');
    json_t *number = makeNumber(text, &end);
    if (!number) return json_string(text);
    if (!*end) return number;
    json_t *list = json_array();
    while (number && json_array_append_new(list, number) == 0 && *end == ',')
        number = makeNumber(end + 1, &end);
    if (number && !*end) return list;
    json_decref(list);
    return json_string(text);
}

static json_t *findObject(json_t *root, const char *name) {
    const char *key;
    json_t *list, *object;
    size_t i;
    json_object_foreach(root, key, list) json_array_foreach(list, i, object) {
        const char *own = json_string_value(json_object_get(object, "name"));
        if (own && strcmp(own, name) == 0) return object;
    }
    return NULL;
}

// In the object of that name, or else in the section, which is made if it is not there.
static bool setIn(json_t *root, const wbLoggedCommand *setting) {
    char name[WB_COMMAND_KEY];
    const char *dot = strchr(setting->key, '.');
    if (!dot) return false;
    snprintf(name, sizeof name, "%.*s", (int)(dot - setting->key), setting->key);
    json_t *owner = findObject(root, name);
    if (!owner) owner = json_object_get(root, name);
    if (!owner && json_object_set_new(root, name, json_object()) == 0) owner = json_object_get(root, name);
    // each of these two chooses the other
    if (strcmp(dot + 1, "particles") == 0) json_object_del(owner, "spacing");
    if (strcmp(dot + 1, "spacing") == 0) json_object_del(owner, "particles");
    return json_object_set_new(owner, dot + 1, makeValue(setting->value)) == 0;
}

// What has no place of its own is done at the start.
static bool setInScript(json_t *root, const wbLoggedCommand *setting) {
    json_t *script = json_object_get(root, "script");
    if (!script && json_object_set_new(root, "script", json_array()) == 0)
        script = json_object_get(root, "script");
    json_t *entry = json_object();
    json_object_set_new(entry, "at", json_integer(0));
    json_object_set_new(entry, "set", json_string(setting->key));
    json_object_set_new(entry, "value", makeValue(setting->value));
    return json_array_append_new(script, entry) == 0;
}

// Meshes lie beside the scene that is read, wherever this one will lie.
static void completePaths(json_t *value, const char *folder) {
    const char *key;
    json_t *part;
    size_t i;
    json_array_foreach(value, i, part) completePaths(part, folder);
    void *next;
    json_object_foreach_safe(value, next, key, part) {
        const char *text = json_string_value(part);
        char path[MOST_PATH];
        if (!text || text[0] == '/' || strcmp(key, "mesh") != 0)
            completePaths(part, folder);
        else if (snprintf(path, sizeof path, "%s/%s", folder, text) < MOST_PATH)
            json_object_set_new(value, key, json_string(path));
    }
}

// What a value is after it was set.
static wbStatus findExpected(wbScene *scene, const wbLoggedCommand *setting,
                             char expected[WB_COMMAND_VALUE]) {
    WB_TRY(wbScene_Set(scene, setting->key, setting->value));
    return wbScene_Get(scene, setting->key, expected, WB_COMMAND_VALUE);
}

static wbStatus writeLine(const json_t *value, wbArray *line, int *length) {
    const size_t size = json_dumpb(value, NULL, 0, FORMAT);
    if (size == 0 || size > INT_MAX || !wbArray_Reserve(NULL, line, (int)size))
        return wbMemoryError(NULL, "the text of a scene needs");
    *length = (int)json_dumpb(value, line->data, size, FORMAT);
    return wb_okStatus;
}

// Whether a scene can be read of it, which has the value; NULL: any.
static bool isGood(const json_t *root, const char *key, const char *expected) {
    char value[WB_COMMAND_VALUE];
    wbScene *scene;
    wbArray line = {.elementSize = 1};
    int length = 0;
    wbStatus status = writeLine(root, &line, &length);
    if (wbIsOk(status))
        status = wbReadSceneText("the scene that is written", line.data, (size_t)length, &scene);
    wbArray_Free(NULL, &line);
    if (!wbIsOk(status)) return false;
    if (expected) status = wbScene_Get(scene, key, value, sizeof value);
    wbDestroyScene(scene);
    return wbIsOk(status) && (!expected || strcmp(value, expected) == 0);
}

static wbStatus merge(json_t **root, wbScene *scene, const wbLoggedCommand *setting) {
    char expected[WB_COMMAND_VALUE];
    WB_TRY(findExpected(scene, setting, expected));
    json_t *changed = json_deep_copy(*root);
    const bool isMerged = changed && setIn(changed, setting) && isGood(changed, setting->key, expected);
    if (isMerged) {
        json_decref(*root);
        *root = changed;
        return wb_okStatus;
    }
    json_decref(changed);
    if (setInScript(*root, setting) && isGood(*root, NULL, NULL)) return wb_okStatus;
    return wbError(wb_errorInput, "%s = %s cannot be written into a scene: write a list of settings instead",
                   setting->key, setting->value);
}

static wbStatus printLine(wbOutputFile *file, const json_t *value) {
    wbArray line = {.elementSize = 1};
    int length = 0;
    wbStatus status = writeLine(value, &line, &length);
    if (wbIsOk(status)) status = wbOutputFile_Write(file, line.data, (size_t)length);
    wbArray_Free(NULL, &line);
    return status;
}

// What fits stands in one line, as people write scenes.
static wbStatus print(wbOutputFile *file, const json_t *value, int indent) {
    const char *key;
    json_t *part;
    size_t i, done = 0, count = json_is_object(value) ? json_object_size(value) : json_array_size(value);
    const size_t length = json_dumpb(value, NULL, 0, FORMAT);
    if (count == 0 || (indent > 0 && length + (size_t)indent <= COLUMNS)) return printLine(file, value);
    WB_TRY(wbOutputFile_Print(file, json_is_object(value) ? "{" : "["));
    json_object_foreach((json_t *)value, key, part) {
        WB_TRY(wbOutputFile_Print(file, "%s\n%*s\"%s\": ", done++ ? "," : "", indent + 2, "", key));
        WB_TRY(print(file, part, indent + 2));
    }
    json_array_foreach(value, i, part) {
        WB_TRY(wbOutputFile_Print(file, "%s\n%*s", i ? "," : "", indent + 2, ""));
        WB_TRY(print(file, part, indent + 2));
    }
    return wbOutputFile_Print(file, "\n%*s%s", indent, "", json_is_object(value) ? "}" : "]");
}

static wbStatus write(const char *path, const json_t *root) {
    wbOutputFile file;
    WB_TRY(wbOutputFile_Open(&file, path));
    WB_TRY(print(&file, root, 0));
    WB_TRY(wbOutputFile_Print(&file, "\n"));
    return wbOutputFile_CloseSafely(&file);
}

static wbStatus mergeAll(json_t **root, const char *scenePath, const wbCommandLog *settings) {
    wbScene *scene;
    WB_TRY(wbReadScene(scenePath, &scene));
    wbStatus status = wb_okStatus;
    for (int i = 0; i < settings->count && wbIsOk(status); i++)
        status = merge(root, scene, wbCommandLog_Get(settings, i));
    wbDestroyScene(scene);
    return status;
}

wbStatus wbWriteScene(const char *path, const char *scenePath, const wbCommandLog *settings) {
    WB_REQUIRE(path);
    WB_REQUIRE(scenePath);
    WB_REQUIRE(settings);
    json_error_t error;
    json_t *root = json_load_file(scenePath, 0, &error);
    if (!root) return wbError(wb_errorInput, "%s:%d: %s", scenePath, error.line, error.text);
    char whole[MOST_PATH] = "";
    char *slash = realpath(scenePath, whole) ? strrchr(whole, '/') : NULL;
    if (slash) *slash = 0;
    completePaths(root, whole);
    wbStatus status = mergeAll(&root, scenePath, settings);
    if (wbIsOk(status)) status = write(path, root);
    json_decref(root);
    return status;
}
