// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include "core/renamed.h"
#include "core/status.h"
#include "core/text.h"
#include "scene/read.h"

enum { WB_MAX_KEYS = 64, WB_PATH_SIZE = 96 };

// what stands before the value in a message; true, false and null need nothing
static const char *typeName(const json_t *value) {
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "the object ";
    case JSON_ARRAY:
        return "the array ";
    case JSON_STRING:
        return "the string ";
    case JSON_INTEGER:
    case JSON_REAL:
        return "the number ";
    default:
        return "";
    }
}

static const char *getSubject(const wbReader *reader) {
    return reader->subject ? reader->subject : "the scene";
}

static wbStatus checkType(const wbReader *reader, bool fits, const json_t *value, const wbPath *path,
                          const char *subject, const char *wanted) {
    if (fits) return wb_okStatus;
    return wbSource_FailAt(reader->source, path, "%s is %s%s, must be %s", subject, typeName(value),
                           wbSource_GetExcerpt(reader->source, path).text, wanted);
}

wbStatus wbCheckType(const wbReader *reader, bool fits, const json_t *value, const wbPath *path,
                     const char *wanted) {
    char subject[WB_PATH_SIZE];
    snprintf(subject, sizeof subject, "%s", getSubject(reader));
    if (path) wbFormatPath(path, subject, sizeof subject);
    return checkType(reader, fits, value, path, subject, wanted);
}

// The section that has a parameter of this name; NULL: none.
static const char *findSectionOf(const char *key) {
    int count, sceneCount;
    const wbParamTable *const *tables = wbGetParamTables(&count),
                              *sceneTables = wbGetSceneParamTables(&sceneCount);
    for (int i = 0; i < count; i++)
        if (wbFindParam(tables[i], key)) return tables[i]->section;
    for (int i = 0; i < sceneCount; i++)
        if (wbFindParam(&sceneTables[i], key)) return sceneTables[i].section;
    return NULL;
}

// "; did you mean "x"?", what an unknown key is called now, or the section that it belongs to
static void suggestKey(const char *key, const wbPath *path, const char *const *names, int count, char *text,
                       size_t size) {
    char whole[WB_PATH_SIZE];
    wbFormatPath(&(wbPath){path, key, 0}, whole, sizeof whole);
    const char *renamed = wbFindRenamed(whole);
    const char *nearest = wbNearestName(key, names, count);
    const char *section = path && path->parent ? NULL : findSectionOf(key);
    text[0] = 0;
    if (renamed)
        snprintf(text, size, "; it is called \"%s\" now", renamed);
    else if (section)
        snprintf(text, size, "; \"%s\" has one", section);
    else if (nearest)
        snprintf(text, size, "; did you mean \"%s\"?", nearest);
}

wbStatus wbCheckKeys(const wbReader *reader, const json_t *object, const wbPath *path,
                     const char *const *names, int count) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value) {
        int i = 0;
        while (i < count && strcmp(names[i], key) != 0) i++;
        if (i < count) continue;
        char place[WB_PATH_SIZE + 6], owner[WB_PATH_SIZE];
        snprintf(place, sizeof place, "%s", getSubject(reader));
        wbFormatPath(path, owner, sizeof owner);
        if (path) snprintf(place, sizeof place, "\"%s\"", owner);
        char suggestion[96];
        suggestKey(key, path, names, count, suggestion, sizeof suggestion);
        return wbSource_FailAtKey(reader->source, &(wbPath){path, key, 0}, "unknown key \"%s\" in %s%s",
                                  wbMakeExcerpt(key).text, place, suggestion);
    }
    return wb_okStatus;
}

// the numbers of an array; the rest of `numbers` keeps what it has
static wbStatus readNumbers(const wbReader *reader, const json_t *array, const wbPath *path,
                            const char *subject, double *numbers) {
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *element = json_array_get(array, i);
        char name[WB_PATH_SIZE + 8];
        snprintf(name, sizeof name, "%s[%zu]", subject, i);
        WB_TRY(
            checkType(reader, json_is_number(element), element, &(wbPath){path, NULL, i}, name, "a number"));
        numbers[i] = json_number_value(element);
    }
    return wb_okStatus;
}

// vectors are as long as the world has dimensions; angles are about three axes
static wbStatus readVector(const wbReader *reader, bool depthAllowed, bool isTurn, const json_t *value,
                           const wbPath *path, const char *subject, double numbers[3]) {
    size_t dimensions = (size_t)reader->scene->def.params.dimensions;
    WB_TRY(checkType(reader, json_is_array(value), value, path, subject, "an array of numbers"));
    size_t size = json_array_size(value);
    if (isTurn && size != 3)
        return wbSource_FailAt(reader->source, path, "%s has %zu number%s, must have 3: about x, y and z%s",
                               subject, size, size == 1 ? "" : "s",
                               dimensions == 2 ? ", in 2 dimensions [0, 0, z]" : "");
    if (!isTurn && size != dimensions && !(depthAllowed && size == 3))
        return wbSource_FailAt(reader->source, path, "%s has %zu number%s, must have %zu (world.dimensions)",
                               subject, size, size == 1 ? "" : "s", dimensions);
    return readNumbers(reader, value, path, subject, numbers);
}

static wbStatus readSize(const wbReader *reader, const json_t *value, const wbPath *path, const char *subject,
                         double numbers[3]) {
    bool fits = json_is_array(value) && json_array_size(value) == 2;
    WB_TRY(checkType(reader, fits, value, path, subject, "an array of width and height"));
    return readNumbers(reader, value, path, subject, numbers);
}

wbStatus wbReadParam(const wbReader *reader, const char *owner, const wbParam *param, bool depthAllowed,
                     const json_t *value, const wbPath *path, void *target) {
    char subject[WB_PATH_SIZE + 64];
    snprintf(subject, sizeof subject, "%s%s%s", owner, owner[0] ? "." : "", param->name);
    double numbers[3] = {0};
    const char *text = NULL;
    int count = 1;
    switch (param->type) {
    case wb_paramFloat:
    case wb_paramInt:
        WB_TRY(checkType(reader, json_is_number(value), value, path, subject, "a number"));
        numbers[0] = json_number_value(value);
        break;
    case wb_paramAuto:
        text = json_string_value(value);
        WB_TRY(checkType(reader, json_is_number(value) || (text && strcmp(text, "auto") == 0), value, path,
                         subject, "a number or \"auto\""));
        numbers[0] = json_number_value(value);
        break;
    case wb_paramBool:
        WB_TRY(checkType(reader, json_is_boolean(value), value, path, subject, "true or false"));
        numbers[0] = json_is_true(value);
        break;
    case wb_paramEnum:
        text = json_string_value(value);
        WB_TRY(checkType(reader, text != NULL, value, path, subject, "a string"));
        break;
    case wb_paramVec3:
        WB_TRY(readVector(reader, depthAllowed, strcmp(param->name, "rotation") == 0, value, path, subject,
                          numbers));
        count = (int)json_array_size(value);
        break;
    case wb_paramSize:
        WB_TRY(readSize(reader, value, path, subject, numbers));
        count = 2;
        break;
    }
    wbStatus status = text ? wbParam_SetText(param, target, wbMakeExcerpt(text).text)
                           : wbParam_SetNumbers(param, target, numbers, count);
    if (wbIsOk(status)) return status;
    return wbSource_FailAt(reader->source, path, "%s%s%s", owner, owner[0] ? "." : "", status.text);
}

wbGroupName wbGetGroup(const wbParam *param) {
    wbGroupName group = {""};
    const char *dot = strchr(param->name, '.');
    if (dot) snprintf(group.text, sizeof group.text, "%.*s", (int)(dot - param->name), param->name);
    return group;
}

bool wbIsInGroup(const wbParam *param, const char *group) {
    const size_t length = strlen(group);
    return strncmp(param->name, group, length) == 0 && param->name[length] == '.';
}

wbStatus wbReadGroup(const wbReader *reader, const wbParamTable *table, const char *group,
                     const json_t *object, const wbPath *path, void *target) {
    const char *names[WB_MAX_KEYS];
    const size_t skipped = strlen(group) + 1;
    int count = 0;
    WB_TRY(wbCheckType(reader, json_is_object(object), object, path, "an object"));
    for (int i = 0; i < table->count; i++)
        if (wbIsInGroup(&table->params[i], group)) names[count++] = table->params[i].name + skipped;
    WB_TRY(wbCheckKeys(reader, object, path, names, count));
    for (int i = 0; i < table->count; i++) {
        const wbParam *param = &table->params[i];
        if (!wbIsInGroup(param, group)) continue;
        const json_t *value = json_object_get(object, param->name + skipped);
        wbPath valuePath = {path, param->name + skipped, 0};
        if (value) WB_TRY(wbReadParam(reader, table->section, param, false, value, &valuePath, target));
    }
    return wb_okStatus;
}

static bool isListed(const char *const *names, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

// Keys of an object; rows of a group have one together.
typedef struct Keys {
    const char *names[WB_MAX_KEYS];
    int count;
    wbGroupName groups[WB_MAX_GROUPS];
    int groupCount;
} Keys;

static void collectKeys(const wbForm *form, Keys *keys) {
    keys->count = keys->groupCount = 0;
    for (int i = 0; i < form->table->count; i++) {
        const wbParam *param = &form->table->params[i];
        const wbGroupName group = wbGetGroup(param);
        if (group.text[0] && isListed(keys->names, keys->count, group.text)) continue;
        WB_ASSERT(!group.text[0] || keys->groupCount < WB_MAX_GROUPS, "a table has too many groups");
        if (group.text[0]) keys->groups[keys->groupCount] = group;
        keys->names[keys->count++] = group.text[0] ? keys->groups[keys->groupCount++].text : param->name;
    }
    for (int i = 0; form->others && form->others[i]; i++) keys->names[keys->count++] = form->others[i];
}

wbStatus wbReadObject(const wbReader *reader, const wbForm *form, const json_t *object, const wbPath *path,
                      void *target) {
    WB_TRY(wbCheckType(reader, json_is_object(object), object, path, "an object"));
    Keys keys;
    WB_ASSERT(form->table->count < WB_MAX_KEYS - 8, "an object of a scene has too many keys");
    collectKeys(form, &keys);
    WB_TRY(wbCheckKeys(reader, object, path, keys.names, keys.count));

    char owner[WB_PATH_SIZE];
    wbFormatPath(path, owner, sizeof owner);
    for (int i = 0; form->required && form->required[i]; i++) {
        if (!json_object_get(object, form->required[i]))
            return wbSource_FailAt(reader->source, path, "%s.%s is missing", owner, form->required[i]);
    }
    // in the table's order, so that world.dimensions is known before the first vector
    for (int i = 0; i < form->table->count; i++) {
        const wbParam *param = &form->table->params[i];
        const json_t *value = json_object_get(object, param->name);
        wbPath valuePath = {path, param->name, 0};
        if (!value) continue;
        WB_TRY(wbReadParam(reader, owner, param, form->depthAllowed, value, &valuePath, target));
    }
    for (int g = 0; g < keys.groupCount; g++) {
        const char *group = keys.groups[g].text;
        const json_t *value = json_object_get(object, group);
        if (value) WB_TRY(wbReadGroup(reader, form->table, group, value, &(wbPath){path, group, 0}, target));
    }
    return wb_okStatus;
}

wbStatus wbReader_FailAtSubject(const wbReader *reader, const wbPath *path, wbStatus status) {
    char subject[96];
    wbFormatPath(path, subject, sizeof subject);
    return wbSource_FailAt(reader->source, path, "%s %s", subject, status.text);
}

wbStatus wbReader_FailUnknown(const wbReader *reader, const wbPath *path, const char *kind,
                              const char *name) {
    wbNameSearch search = wbStartNameSearch(name);
    const char *known;
    for (int i = 0; (known = wbScene_GetNameOfKind(reader->scene, kind, i)) != NULL; i++)
        wbNameSearch_Try(&search, known);
    return wbSource_FailAt(reader->source, path, "there is no %s named \"%s\"%s%s%s", kind,
                           wbMakeExcerpt(name).text, search.nearest ? "; did you mean \"" : "",
                           search.nearest ? search.nearest : "", search.nearest ? "\"?" : "");
}
