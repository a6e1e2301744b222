// SPDX-License-Identifier: MIT
// The texts in a checkpoint: who wrote it, and the parameters.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/log.h"
#include "core/status.h"
#include "world/checkpoint.h"

typedef struct Line {
    char key[2 * WB_NAME_SIZE], value[2 * WB_NAME_SIZE];
} Line;

// The length with it; without a target it is only counted.
static size_t addLine(char *text, size_t length, const Line *line) {
    char joined[sizeof *line + 2];
    size_t added = (size_t)snprintf(joined, sizeof joined, "%s=%s\n", line->key, line->value);
    if (text) memcpy(text + length, joined, added);
    return length + added;
}

// Copies bytes as a string; false if they do not fit or are not printable.
static bool copyPrintable(char *target, size_t room, const char *from, size_t length) {
    if (length >= room) return false;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)from[i] < ' ' || from[i] == 0x7f) return false;
    memcpy(target, from, length);
    target[length] = 0;
    return true;
}

// The line that starts at `at`; false if it is not of the form "key=value". *next is where the next starts.
static bool readLine(const char *at, const char *end, Line *line, const char **next) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    *next = stop ? stop + 1 : end;
    const char *equals = stop ? memchr(at, '=', (size_t)(stop - at)) : NULL;
    return equals && copyPrintable(line->key, sizeof line->key, at, (size_t)(equals - at)) &&
           copyPrintable(line->value, sizeof line->value, equals + 1, (size_t)(stop - equals - 1));
}

// Where the first line with this key starts, NULL if there is none.
static const char *findLine(const wbSection *section, const char *key, Line *line) {
    const char *at = section->data, *end = at + section->size, *next;
    for (; at < end; at = next)
        if (readLine(at, end, line, &next) && strcmp(line->key, key) == 0) return at;
    return NULL;
}

enum { FACT_COUNT = 5 };

// What the bits of a result depend on, beside the file.
static void listFacts(const wbWorld *world, Line facts[FACT_COUNT]) {
    const Line list[FACT_COUNT] = {
        {"version", ""}, {"compiler", ""}, {"cpu", ""}, {"simd", ""}, {"backend", "cpu"}};
    const wbDevice *device = wbWorld_GetDevice(world);
    memcpy(facts, list, sizeof list);
    snprintf(facts[0].value, sizeof facts[0].value, "%s", wbGetVersion());
    snprintf(facts[1].value, sizeof facts[1].value, "%s", wbGetCompiler());
    wbGetCpuName(facts[2].value, sizeof facts[2].value);
    snprintf(facts[3].value, sizeof facts[3].value, "%s", wbGetSimdName(world->work.simd));
    if (device)
        snprintf(facts[4].value, sizeof facts[4].value, "opencl %.60s %.40s", device->name, device->driver);
}

void wbSaveWriter(const wbWorld *world, wbSectionList *list) {
    Line facts[FACT_COUNT];
    size_t length = 0;
    listFacts(world, facts);
    for (int f = 0; f < FACT_COUNT; f++) length = addLine(NULL, length, &facts[f]);
    char *text = wbAddOwnedSection(list, "writer", length);
    length = 0;
    for (int f = 0; f < FACT_COUNT && text; f++) length = addLine(text, length, &facts[f]);
}

void wbNoticeWriter(const wbSection *section, const wbWorld *world, wbStatus missing) {
    Line facts[FACT_COUNT], then;
    listFacts(world, facts);
    for (int f = 0; f < FACT_COUNT; f++) {
        bool isMissing = !wbIsOk(missing) && strcmp(facts[f].key, "backend") == 0;
        if (!findLine(section, facts[f].key, &then)) strcpy(then.value, "unknown");
        if (strcmp(then.value, facts[f].value) == 0) continue;
        wbLog(wb_logWarning,
              "the checkpoint was written with %s \"%s\", here it is \"%s\"%s%s%s: the run goes on, but it "
              "will not end bit for bit as if it had not been stopped",
              facts[f].key, then.value, facts[f].value, isMissing ? " (" : "", isMissing ? missing.text : "",
              isMissing ? ")" : "");
    }
}

// The domain has a section of its own.
static bool hasLines(const wbParamTable *table) { return strcmp(table->section, "domain") != 0; }

// What a world does not use, its file does not say, unless the world was told something of it.
static bool isSaid(const wbWorld *world, const wbParamTable *table) {
    _Alignas(16) unsigned char defaults[WB_MAX_SECTION];
    const wbSolver *solver = wbFindSolver((wbWorld *)world, table);
    if (!solver || solver->self) return hasLines(table);
    wbSetParamDefaults(table, defaults);
    return solver->kind->info.isAsked == 0 && memcmp((const char *)&world->def + solver->kind->info.params,
                                                     defaults, (size_t)table->structSize) != 0;
}

static size_t describeParams(const wbWorld *world, char *text) {
    size_t length = 0;
    int tableCount;
    const wbParamTable *const *tables = wbGetParamTables(&tableCount);
    for (int t = 0; t < tableCount; t++) {
        if (!isSaid(world, tables[t])) continue;
        for (int i = 0; i < tables[t]->count; i++) {
            Line line;
            snprintf(line.key, sizeof line.key, "%s.%s", tables[t]->section, tables[t]->params[i].name);
            wbStatus status = wbWorld_GetParam(world, line.key, line.value, sizeof line.value);
            WB_ASSERT(wbIsOk(status), "every parameter of the tables is one of a world");
            length = addLine(text, length, &line);
        }
    }
    return length;
}

void wbSaveParams(const wbWorld *world, wbSectionList *list) {
    char *text = wbAddOwnedSection(list, "params", describeParams(world, NULL));
    if (text) describeParams(world, text);
}

// The solver whose parameters these are; NULL: the world's.
static const wbSolverKind *findKind(const wbParamTable *table) {
    for (int s = 0; s < WB_SOLVER_COUNT; s++)
        if (wbGetSolverKind(s)->table == table) return wbGetSolverKind(s);
    return NULL;
}

// The section of a table in a def, which asks for the solver then.
static void *findSection(const wbParamTable *table, wbWorldDef *def) {
    const wbSolverKind *kind = findKind(table);
    if (!kind) return &def->params;
    if (kind->info.isAsked > 0) *(bool *)((char *)def + kind->info.isAsked) = true;
    return wbGetSectionOf(kind, def);
}

static wbStatus readParam(const Line *line, wbWorldDef *def) {
    const wbParamTable *table;
    const wbParam *param;
    WB_TRY(wbFindParamByKey(line->key, &table, &param));
    if (!hasLines(table)) return wbError(wb_errorInput, "%s is no parameter of a checkpoint", line->key);
    wbStatus status = wbParam_SetText(param, findSection(table, def), line->value);
    return wbIsOk(status) ? status : wbError(status.code, "%s.%s", table->section, status.text);
}

// Whether there is any line of a table.
static bool hasTable(const wbSection *section, const wbParamTable *table) {
    for (int i = 0; i < table->count; i++) {
        char key[WB_NAME_SIZE];
        Line line;
        snprintf(key, sizeof key, "%s.%s", table->section, table->params[i].name);
        if (findLine(section, key, &line)) return true;
    }
    return false;
}

// A parameter that the writer did not have yet keeps its default, which is said, unless the world did not use its table.
static void noticeMissing(const wbSection *section) {
    int tableCount;
    const wbParamTable *const *tables = wbGetParamTables(&tableCount);
    for (int t = 0; t < tableCount; t++) {
        bool isOfSolver = findKind(tables[t]) != NULL;
        if (!hasLines(tables[t]) || (isOfSolver && !hasTable(section, tables[t]))) continue;
        for (int i = 0; i < tables[t]->count; i++) {
            char key[WB_NAME_SIZE];
            Line line;
            snprintf(key, sizeof key, "%s.%s", tables[t]->section, tables[t]->params[i].name);
            if (!findLine(section, key, &line))
                wbLog(wb_logWarning, "the checkpoint does not say %s: its default is used", key);
        }
    }
}

wbStatus wbReadSavedParams(const wbSection *section, wbWorldDef *def) {
    const char *at = section->data, *end = at + section->size, *next;
    for (; at < end; at = next) {
        Line line, first;
        if (!readLine(at, end, &line, &next))
            return wbError(wb_errorInput, "section \"params\" has a line that is not key=value");
        WB_TRY(readParam(&line, def));
        if (findLine(section, line.key, &first) != at)
            return wbError(wb_errorInput, "section \"params\" says %s twice", line.key);
    }
    noticeMissing(section);
    return wb_okStatus;
}

// All lines of a kind of object; without a target it only counts the bytes.
static size_t describeKind(const wbWorld *world, const wbObjectKind *kind, char *text) {
    const wbParamTable *table = kind->table;
    size_t length = 0;
    if (!table || kind->savedAs) return 0;
    for (int o = 0; o < wbGetIds(world, kind)->indexCount; o++) {
        for (int i = 0; i < table->count; i++) {
            char value[2 * WB_NAME_SIZE], line[5 * WB_NAME_SIZE];
            wbParam_GetText(&table->params[i], kind->getParams(world, o), value, sizeof value);
            size_t added = (size_t)snprintf(line, sizeof line, "%s.%s=%s\n", kind->getName(world, o),
                                            table->params[i].name, value);
            if (text) memcpy(text + length, line, added);
            length += added;
        }
    }
    return length;
}

void wbSaveObjects(const wbWorld *world, wbSectionList *list) {
    size_t size = 0;
    for (int k = 0; k < WB_OBJECT_KIND_COUNT; k++) size += describeKind(world, wbGetObjectKind(k), NULL);
    char *text = wbAddOwnedSection(list, "objects", size);
    for (int k = 0; k < WB_OBJECT_KIND_COUNT && text; k++)
        text += describeKind(world, wbGetObjectKind(k), text);
}

// Of one object, whose lines stand together; the others keep their defaults.
static wbStatus readObject(const char **at, const char *end, wbWorld *world) {
    _Alignas(16) unsigned char params[WB_MAX_OBJECT_PARAMS];
    wbObject object = {0};
    const char *next;
    for (; *at < end; *at = next) {
        wbObject owner;
        const wbParam *param;
        Line line;
        if (!readLine(*at, end, &line, &next))
            return wbError(wb_errorInput, "section \"objects\" has a line that is not key=value");
        WB_TRY(wbFindObjectParam(world, line.key, &owner, &param));
        if (object.kind && (owner.kind != object.kind || owner.index != object.index)) break;
        if (!object.kind)
            memcpy(params, owner.kind->getParams(world, owner.index), (size_t)owner.kind->table->structSize);
        object = owner;
        wbStatus status = wbParam_SetText(param, params, line.value);
        if (!wbIsOk(status)) return wbError(status.code, "%.64s: %s", line.key, status.text);
    }
    if (memcmp(params, object.kind->getParams(world, object.index), (size_t)object.kind->table->structSize) ==
        0)
        return wb_okStatus;
    return object.kind->setParams(world, object.index, params);
}

wbStatus wbReadSavedObjects(const wbSection *section, wbWorld *world) {
    const char *at = section->data, *end = at + section->size;
    while (at < end) WB_TRY(readObject(&at, end, world));
    return wb_okStatus;
}
