// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include "core/status.h"
#include "scene/read.h"

// reads the value into a copy of its section: what is wrong shows now, not when its time has come
static wbStatus readValue(const wbReader *reader, const wbScriptTarget *target, const json_t *value,
                          const wbPath *path, wbScriptEntry *entry) {
    _Alignas(16) unsigned char copy[WB_MAX_SECTION];
    WB_ASSERT(target->table->structSize <= WB_MAX_SECTION, "a section is larger than a script's copy of it");
    memcpy(copy, target->section, (size_t)target->table->structSize);
    WB_TRY(wbReadParam(reader, target->owner, target->param, target->depthAllowed, value, path, copy));
    wbParam_GetText(target->param, copy, entry->value, sizeof entry->value);
    return wb_okStatus;
}

static wbStatus readEntry(const wbReader *reader, const json_t *object, const wbPath *path) {
    wbSceneMoment moment;
    wbScriptEntry entry = {0};
    WB_TRY(wbReadObject(reader, &wb_scriptForm, object, path, &moment));
    // the row has checked it; as a double it is exact
    entry.time = json_number_value(json_object_get(object, "at"));

    wbPath keyPath = {path, "set", 0};
    const json_t *key = json_object_get(object, "set");
    WB_TRY(wbCheckType(reader, json_is_string(key), key, &keyPath, "a string"));
    wbScriptTarget target;
    wbStatus status = wbScene_FindScriptTarget(reader->scene, json_string_value(key), &target);
    if (!wbIsOk(status)) return wbSource_FailAt(reader->source, &keyPath, "%s", status.text);
    snprintf(entry.key, sizeof entry.key, "%s.%s", target.owner, target.param->name);

    const json_t *value = json_object_get(object, "value");
    WB_TRY(readValue(reader, &target, value, &(wbPath){path, "value", 0}, &entry));
    return wbScene_AddScriptEntry(reader->scene, &entry);
}

wbStatus wbReadScript(const wbReader *reader, const json_t *value, const wbPath *path) {
    WB_TRY(wbCheckType(reader, json_is_array(value), value, path, "an array"));
    for (size_t i = 0; i < json_array_size(value); i++) {
        WB_TRY(readEntry(reader, json_array_get(value, i), &(wbPath){path, NULL, i}));
    }
    reader->scene->fileScriptCount = reader->scene->scriptCount;
    wbScene_SortScript(reader->scene);
    return wb_okStatus;
}
