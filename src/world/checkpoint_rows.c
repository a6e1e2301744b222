// SPDX-License-Identifier: MIT
// Parameters of objects that may be many and need no names: a section per parameter, "body.friction", one value behind the other.
#include <stdio.h>
#include <string.h>

#include "core/log.h"
#include "core/param_table.h"
#include "core/status.h"
#include "world/checkpoint.h"

// Bytes of a value, as it is in the struct.
static size_t getSize(const wbParam *param) {
    switch (param->type) {
    case wb_paramBool:
        return sizeof(bool);
    case wb_paramVec3:
        return sizeof(wbVec3);
    case wb_paramSize:
        return sizeof(wbSize);
    case wb_paramEnum:
    case wb_paramInt:
        return sizeof(int);
    default:
        return sizeof(float);
    }
}

static void nameSection(const wbObjectKind *kind, const wbParam *param, char name[WB_SECTION_NAME]) {
    int length = snprintf(name, WB_SECTION_NAME, "%s.%s", kind->savedAs, param->name);
    WB_ASSERT(length < WB_SECTION_NAME, "the name of a parameter is too long for a section");
}

void wbSaveRows(const wbWorld *world, const wbObjectKind *kind, wbSectionList *list) {
    const int count = wbGetIds(world, kind)->indexCount;
    for (int p = 0; p < kind->table->count; p++) {
        const wbParam *param = &kind->table->params[p];
        const size_t size = getSize(param);
        char name[WB_SECTION_NAME];
        nameSection(kind, param, name);
        char *bytes = wbAddOwnedSection(list, name, size * (size_t)count);
        for (int i = 0; i < count && bytes; i++)
            memcpy(bytes + size * (size_t)i, (const char *)kind->getParams(world, i) + param->offset, size);
    }
}

wbStatus wbFindRows(wbSectionList *list, const wbObjectKind *kind, size_t count, wbSavedRows *rows) {
    *rows = (wbSavedRows){.kind = kind};
    WB_ASSERT(kind->table->count <= WB_MAX_SAVED_ROWS, "an object has more parameters than fit");
    for (int p = 0; p < kind->table->count; p++) {
        const wbParam *param = &kind->table->params[p];
        wbStatus status = wb_okStatus;
        char name[WB_SECTION_NAME];
        nameSection(kind, param, name);
        const wbSection *section = wbFindAnySection(list, name, &status);
        if (!section) {
            wbLog(wb_logWarning, "the checkpoint does not say %s: its default is used", name);
            continue;
        }
        if (section->size != getSize(param) * count)
            return wbError(wb_errorInput, "section \"%s\" has %zu bytes, needed are %zu", name, section->size,
                           getSize(param) * count);
        rows->columns[p] = section->data;
    }
    return wb_okStatus;
}

wbStatus wbReadRow(const wbSavedRows *rows, size_t index, void *params) {
    const wbParamTable *table = rows->kind->table;
    wbSetParamDefaults(table, params);
    for (int p = 0; p < table->count; p++) {
        const wbParam *param = &table->params[p];
        const size_t size = getSize(param);
        const char *bytes = rows->columns[p] ? rows->columns[p] + size * index : NULL;
        if (!bytes) continue;
        if (param->type == wb_paramBool && (unsigned char)*bytes > 1)
            return wbError(wb_errorInput, "%s.%s of %s %zu is neither true nor false", rows->kind->savedAs,
                           param->name, rows->kind->title, index);
        memcpy((char *)params + param->offset, bytes, size);
    }
    return wbCheckParams(table, params);
}
