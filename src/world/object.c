// SPDX-License-Identifier: MIT
#include "world/object.h"

#include <ctype.h>
#include <string.h>

#include "core/status.h"
#include "core/text.h"

static const wbObjectKind *const kinds[WB_OBJECT_KIND_COUNT] = {
#define WB_KIND_ROW(name) &wb_##name##Kind,
    WB_OBJECT_KINDS(WB_KIND_ROW)
#undef WB_KIND_ROW
};

const wbObjectKind *wbGetObjectKind(int index) { return kinds[index]; }

void wbInitIds(wbWorld *world) {
    for (int k = 0; k < WB_OBJECT_KIND_COUNT; k++) wbIdPool_Init(wbGetIds(world, kinds[k]));
}

void wbFreeIds(wbWorld *world) {
    for (int k = 0; k < WB_OBJECT_KIND_COUNT; k++) wbIdPool_Free(world->memory, wbGetIds(world, kinds[k]));
}

wbStatus wbTakeObjectId(wbWorld *world, const wbObjectKind *kind, uint32_t index1) {
    wbIdPool *ids = wbGetIds(world, kind);
    if (index1 > 0 && !wbIdPool_Restore(ids, index1))
        return wbError(wb_errorInput, "the id of %s %d makes no sense", kind->title, ids->indexCount);
    if (index1 == 0 && !wbIdPool_Acquire(world->memory, ids))
        return wbMemoryError(world->memory, "a new %s needs", kind->title);
    return wb_okStatus;
}

void wbDropObject(wbWorld *world, const wbObjectKind *kind, wbArray *objects, int index) {
    wbIdPool *ids = wbGetIds(world, kind);
    wbArray_Remove(objects, index, ids->indexCount);
    wbIdPool_Release(ids, index);
}

wbObject wbFindObject(const wbWorld *world, const char *name) {
    for (int k = 0; k < WB_OBJECT_KIND_COUNT; k++)
        for (int i = 0; i < wbGetIds(world, kinds[k])->indexCount; i++)
            if (strcmp(kinds[k]->getName(world, i), name) == 0) return (wbObject){kinds[k], i};
    return (wbObject){0};
}

wbStatus wbCheckNewName(const wbWorld *world, const char *title, const char *name) {
    if (!name || !name[0] || strlen(name) >= WB_NAME_SIZE)
        return wbError(wb_errorInput, "the name of a new %s must have 1 to %d bytes", title,
                       WB_NAME_SIZE - 1);
    wbObject object = wbFindObject(world, name);
    if (object.kind)
        return wbError(wb_errorInput, "there is already %s %s named \"%s\"",
                       strchr("aeiou", object.kind->title[0]) ? "an" : "a", object.kind->title, name);
    return wb_okStatus;
}

wbStatus wbCheckPlainName(const wbWorld *world, const char *title, const char *name) {
    WB_TRY(wbCheckNewName(world, title, name));
    bool isPlain = isalpha((unsigned char)name[0]);
    for (const char *c = name; *c && isPlain; c++)
        isPlain = isalnum((unsigned char)*c) || *c == '-' || *c == '_';
    if (!isPlain)
        return wbError(wb_errorInput,
                       "the name of a new %s must be letters, digits, - and _, the first a letter", title);
    if (wbGetParams(name))
        return wbError(wb_errorInput, "%s \"%s\": a section of parameters has this name", title, name);
    return wb_okStatus;
}

static wbStatus failUnknown(const wbWorld *world, const char *name, const char *key) {
    int tableCount;
    const wbParamTable *const *tables = wbGetParamTables(&tableCount);
    wbNameSearch search = wbStartNameSearch(name);
    for (int i = 0; i < tableCount; i++) wbNameSearch_Try(&search, tables[i]->section);
    for (int k = 0; k < WB_OBJECT_KIND_COUNT; k++)
        for (int i = 0; i < wbGetIds(world, kinds[k])->indexCount; i++)
            if (kinds[k]->getName(world, i)[0]) wbNameSearch_Try(&search, kinds[k]->getName(world, i));
    return wbError(wb_errorInput, "unknown section or object \"%s\" in \"%.80s\"%s%s%s", name, key,
                   search.nearest ? "; did you mean \"" : "", search.nearest ? search.nearest : "",
                   search.nearest ? "\"?" : "");
}

wbStatus wbFindObjectParam(const wbWorld *world, const char *key, wbObject *object, const wbParam **param) {
    char name[WB_NAME_SIZE];
    const char *dot = strchr(key, '.');
    size_t length = dot ? (size_t)(dot - key) : 0;
    *param = NULL;
    if (length == 0 || length >= sizeof name)
        return wbError(wb_errorInput, "\"%.80s\" is not of the form section.name, like world.dt", key);
    memcpy(name, key, length);
    name[length] = 0;
    *object = wbFindObject(world, name);
    if (!object->kind) return failUnknown(world, name, key);
    const wbParamTable *table = object->kind->table;
    if (!table) // a fluid
        return wbError(wb_errorInput, "%s \"%s\" has no parameters of its own; its solver's are in \"%s\"",
                       object->kind->title, name,
                       wbGetLiquidOf(world, object->index)->solver->kind->info.name);
    *param = wbFindParam(table, dot + 1);
    if (*param) return wb_okStatus;
    const char *nearest = wbNearestParam(table, dot + 1);
    return wbError(wb_errorInput, "unknown parameter \"%.80s\"%s%s%s%s%s", key,
                   nearest ? "; did you mean \"" : "", nearest ? name : "", nearest ? "." : "",
                   nearest ? nearest : "", nearest ? "\"?" : "");
}

wbStatus wbSetObjectParam(wbWorld *world, const char *key, const char *value) {
    _Alignas(16) unsigned char params[WB_MAX_OBJECT_PARAMS];
    wbObject object;
    const wbParam *param;
    WB_TRY(wbFindObjectParam(world, key, &object, &param));
    if (!param->live)
        return wbError(wb_errorInput, "%s is fixed when the %s is made", key, object.kind->title);
    int size = object.kind->table->structSize;
    WB_ASSERT(size <= WB_MAX_OBJECT_PARAMS, "an object has more parameters than fit");
    memcpy(params, object.kind->getParams(world, object.index), (size_t)size);
    wbStatus status = wbParam_SetText(param, params, value);
    if (!wbIsOk(status))
        return wbError(status.code, "%s.%s", object.kind->getName(world, object.index), status.text);
    return (object.kind->changeParams ? object.kind->changeParams
                                      : object.kind->setParams)(world, object.index, params);
}

wbStatus wbSetNumber(const char *owner, const wbParam *param, void *params, double value) {
    wbStatus status = wb_okStatus;
    if (wbParam_IsAuto(param, value))
        status = wbParam_SetText(param, params, "auto");
    else
        status = wbParam_SetNumbers(param, params, &value, 1);
    return wbIsOk(status) ? status : wbError(status.code, "%s.%s", owner, status.text);
}

wbStatus wbGetObjectParam(const wbWorld *world, const char *key, char *value, int size) {
    wbObject object;
    const wbParam *param;
    WB_TRY(wbFindObjectParam(world, key, &object, &param));
    return wbParam_GetText(param, object.kind->getParams(world, object.index), value, size);
}
