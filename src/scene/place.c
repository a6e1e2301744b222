// SPDX-License-Identifier: MIT
// Where in the file that stands which a world refuses. The scene keeps its text for it.
#include <ctype.h>
#include <jansson.h>
#include <string.h>

#include "core/status.h"
#include "scene/scene.h"

static bool isLetter(char c) { return isalnum((unsigned char)c) || c == '_'; }

// Where a message speaks of a key: "pin 9" is one of "pins". NULL: it does not.
static const char *findWord(const char *message, const char *key) {
    size_t length = strlen(key), single = length > 1 && key[length - 1] == 's' ? length - 1 : length;
    for (const char *word = message; *word;) {
        size_t size = 0;
        while (isLetter(word[size])) size++;
        if ((size == length || size == single) && size > 0 && strncmp(word, key, size) == 0) return word;
        word += size > 0 ? size : 1;
    }
    return NULL;
}

// The member of an object that a message speaks of first; NULL: of none.
static const char *findNamedKey(const json_t *object, const char *message) {
    const char *key, *found = NULL, *first = NULL;
    json_t *value;
    json_object_foreach((json_t *)object, key, value) {
        const char *word = strcmp(key, "name") == 0 ? NULL : findWord(message, key);
        if (word && (!first || word < first)) found = key, first = word;
    }
    return found;
}

// At the object, or at its member that the message speaks of.
static wbStatus failWithin(const wbScene *scene, const json_t *object, const wbPath *path, const char *text) {
    const char *key = findNamedKey(object, text);
    wbPath member = {path, key, 0};
    return wbSource_FailAt(&scene->source, key ? &member : path, "%s", text);
}

wbStatus wbScene_FailAtObject(const wbScene *scene, const char *list, int index, wbStatus status) {
    if (status.code != wb_errorInput) return status;
    json_t *root =
        json_loadb(scene->source.text.data, (size_t)scene->source.length, JSON_DECODE_INT_AS_REAL, NULL);
    const json_t *object = json_array_get(json_object_get(root, list), (size_t)index);
    wbPath all = {NULL, list, 0};
    wbStatus result = failWithin(scene, object, &(wbPath){&all, NULL, (size_t)index}, status.text);
    json_decref(root);
    return result;
}

wbStatus wbScene_FailAtSection(const wbScene *scene, wbStatus status) {
    if (status.code != wb_errorInput) return status;
    json_t *root =
        json_loadb(scene->source.text.data, (size_t)scene->source.length, JSON_DECODE_INT_AS_REAL, NULL);
    const char *section = findNamedKey(root, status.text);
    wbPath path = {NULL, section, 0};
    wbStatus result =
        failWithin(scene, json_object_get(root, section ? section : ""), section ? &path : NULL, status.text);
    json_decref(root);
    return result;
}
