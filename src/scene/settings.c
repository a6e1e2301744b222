// SPDX-License-Identifier: MIT
// Parameters by name: "section.name" from the command line, and the script.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/renamed.h"
#include "core/status.h"
#include "core/text.h"
#include "scene/forms.h"
#include "scene/solvers.h"
#include "scene/source.h"

/// One that is no solver's.
typedef struct Section {
    const char *name;
    size_t offset;
    bool inWorld; ///< the running world has it, so a script may change it
} Section;

static const Section sections[] = {
    {"world", offsetof(wbScene, def.params), true},
    {"domain", offsetof(wbScene, def.domain), true},
    {"camera", offsetof(wbScene, camera), false},
    {"output", offsetof(wbScene, output), false},
};
enum { WB_SECTION_COUNT = sizeof sections / sizeof sections[0] };

static const Section *findSection(const char *name) {
    for (int i = 0; i < WB_SECTION_COUNT; i++) {
        if (strcmp(sections[i].name, name) == 0) return &sections[i];
    }
    return NULL;
}

static const wbParamTable *findTable(const char *name) {
    int count;
    const wbParamTable *tables = wbGetSceneParamTables(&count);
    for (int i = 0; i < count; i++) {
        if (strcmp(tables[i].section, name) == 0) return &tables[i];
    }
    return wbGetParams(name);
}

const wbParamTable *wbScene_FindSection(const wbScene *scene, const char *name, void **section) {
    const Section *entry = findSection(name);
    const wbSolverInfo *solver = wbFindSolverInfo(name);
    if (entry)
        *section = (char *)scene + entry->offset;
    else if (solver && wbMayHaveSolver(&scene->def, solver))
        *section = wbGetSolverParams(&scene->def, solver);
    else
        return NULL;
    return findTable(name);
}

static void addName(char text[WB_VALUE_SIZE], const char *name) {
    size_t length = strlen(text);
    snprintf(text + length, WB_VALUE_SIZE - length, "%s%s", length > 0 ? ", " : "", name);
}

// "world, domain, camera"
static void listSections(char text[WB_VALUE_SIZE]) {
    int count;
    const wbSolverInfo *const *solvers = wbGetSolvers(&count);
    text[0] = 0;
    for (int i = 0; i < WB_SECTION_COUNT; i++)
        if (sections[i].inWorld) addName(text, sections[i].name);
    for (int s = 0; s < count; s++) addName(text, solvers[s]->name);
    for (int i = 0; i < WB_SECTION_COUNT; i++)
        if (!sections[i].inWorld) addName(text, sections[i].name);
}

static wbStatus failUnknownSection(const wbScene *scene, const char *name) {
    for (int i = 0; i < scene->fluidCount; i++) {
        if (strcmp(wbScene_GetFluid(scene, i)->name, name) == 0)
            return wbError(wb_errorInput,
                           "fluid \"%s\" has no parameters of its own; its solver's are in \"%s\"", name,
                           wbGetFluidSolver(wbScene_GetFluid(scene, i)->solver)->name);
    }
    if (wbFindSolverInfo(name))
        return wbError(wb_errorInput, "the scene has no %s: add \"%s\": {} to its file", name, name);
    int count;
    const wbSolverInfo *const *solvers = wbGetSolvers(&count);
    wbNameSearch search = wbStartNameSearch(name);
    const char *object;
    for (int i = 0; i < WB_SECTION_COUNT; i++) wbNameSearch_Try(&search, sections[i].name);
    for (int s = 0; s < count; s++) wbNameSearch_Try(&search, solvers[s]->name);
    for (int i = scene->fluidCount; (object = wbScene_GetObjectName(scene, i)) != NULL; i++)
        wbNameSearch_Try(&search, object);
    if (search.nearest)
        return wbError(wb_errorInput, "unknown section or object \"%s\"; did you mean \"%s\"?", name,
                       search.nearest);
    char all[WB_VALUE_SIZE];
    listSections(all);
    return wbError(wb_errorInput, "unknown section or object \"%s\"; there are %s, and named objects", name,
                   all);
}

// solvers and objects are
static bool isInWorld(const wbScriptTarget *target) {
    const Section *section = findSection(target->owner);
    return !section || section->inWorld;
}

static wbStatus findParam(const wbScene *scene, const char *key, wbScriptTarget *target) {
    *target = (wbScriptTarget){0};
    const char *point = strchr(key, '.');
    if (!point || point == key || !point[1])
        return wbError(wb_errorInput, "\"%s\" must be SECTION.NAME, such as sph.viscosity",
                       wbMakeExcerpt(key).text);
    snprintf(target->owner, sizeof target->owner, "%.*s", (int)(point - key), key);
    target->table = wbScene_FindSection(scene, target->owner, &target->section);
    if (!target->table) target->table = wbScene_FindObject(scene, target->owner, &target->section);
    const char *common = target->table ? NULL : wbScene_FindCommonName(scene, target->owner);
    if (common) target->table = wbScene_FindObject(scene, common, &target->section);
    if (!target->table) return failUnknownSection(scene, wbMakeExcerpt(target->owner).text);
    target->depthAllowed =
        !isInWorld(target) || target->table == wbGetObjectParams("collider") ||
        target->table == wbGetObjectParams("mechanism") || target->table == wbGetObjectParams("probe") ||
        target->table == wbGetObjectParams("rigidBody") || target->table == wbGetObjectParams("joint") ||
        target->table == wbGetObjectParams("force") || target->table == wbGetObjectParams("grab");
    target->param = wbFindParam(target->table, point + 1);
    if (target->param) return wb_okStatus;
    const char *renamed = wbFindRenamed(key), *nearest = wbNearestParam(target->table, point + 1);
    if (renamed)
        return wbError(wb_errorInput, "unknown parameter \"%s\"; it is called \"%s\" now", key, renamed);
    return wbError(wb_errorInput, "unknown parameter \"%s\" in \"%s\"%s%s%s", wbMakeExcerpt(point + 1).text,
                   wbMakeExcerpt(target->owner).text, nearest ? "; did you mean \"" : "",
                   nearest ? nearest : "", nearest ? "\"?" : "");
}

wbStatus wbScene_FindScriptTarget(const wbScene *scene, const char *key, wbScriptTarget *target) {
    WB_TRY(findParam(scene, key, target));
    const char *section = target->owner;
    if (!isInWorld(target))
        return wbError(wb_errorInput, "%s.%s is not part of the world: a script cannot change it%s", section,
                       target->param->name, strcmp(section, "camera") == 0 ? ", but camera.keys can" : "");
    if (!target->param->live)
        return wbError(wb_errorInput, "%s.%s is fixed when the world is made: a script cannot change it",
                       section, target->param->name);
    return wb_okStatus;
}

// as in the file: vectors are as long as the world has dimensions, those of camera and softBodies may have three
static wbStatus checkLength(const wbScene *scene, const wbScriptTarget *target, const char *value) {
    int count = 1, dimensions = scene->def.params.dimensions;
    for (const char *c = value; *c; c++) count += *c == ',';
    if (target->param->type != wb_paramVec3 || count == dimensions || (target->depthAllowed && count == 3))
        return wb_okStatus;
    return wbError(wb_errorInput, "%s.%s has %d number%s, must have %d (world.dimensions)", target->owner,
                   target->param->name, count, count == 1 ? "" : "s", dimensions);
}

// In 2D nothing is in front of the plane or behind it.
static wbStatus checkSide(const wbScene *scene, const wbScriptTarget *target) {
    for (int side = 2 * scene->def.params.dimensions; side < wb_sideCount; side++)
        if (strcmp(target->owner, "domain") == 0 && strcmp(target->param->name, wb_sideNames[side]) == 0)
            return wbError(wb_errorInput, "domain.%s: 2 dimensions have no such side", target->param->name);
    return wb_okStatus;
}

static wbStatus setText(const wbScene *scene, const wbScriptTarget *target, void *section,
                        const char *value) {
    WB_TRY(checkLength(scene, target, value));
    WB_TRY(checkSide(scene, target));
    wbStatus status = wbParam_SetText(target->param, section, value);
    if (wbIsOk(status)) return status;
    return wbError(status.code, "%s.%s", target->owner, status.text);
}

// Copies are alike when the world is made; a script may tell them apart.
static wbStatus checkWhole(const wbScene *scene, const wbScriptTarget *target) {
    void *section;
    if (wbScene_FindSection(scene, target->owner, &section) ||
        wbScene_FindObject(scene, target->owner, &section))
        return wb_okStatus;
    const char *common = wbScene_FindCommonName(scene, target->owner), *name = target->param->name;
    if (!target->param->live)
        return wbError(wb_errorInput, "\"%s\" is one of several that start alike: set %s.%s, which is of all",
                       target->owner, common, name);
    return wbError(wb_errorInput,
                   "\"%s\" is one of several that start alike: set %s.%s, which is of all, or let a script "
                   "set %s.%s at 0 s",
                   target->owner, common, name, target->owner, name);
}

wbStatus wbScene_Set(wbScene *scene, const char *key, const char *value) {
    WB_REQUIRE(scene);
    WB_REQUIRE(key);
    WB_REQUIRE(value);
    wbScriptTarget target;
    WB_TRY(findParam(scene, key, &target));
    WB_TRY(checkWhole(scene, &target));
    if (strcmp(target.owner, "world") == 0 && strcmp(target.param->name, "dimensions") == 0)
        return wbError(wb_errorInput,
                       "world.dimensions belongs to the vectors of the scene's file: change it there");
    WB_TRY(setText(scene, &target, target.section, value));
    scene->isDomainSet |= strcmp(target.owner, "domain") == 0;
    if (strcmp(target.owner, "camera") == 0) scene->cameraKeyCount = 0; // it stands where it is told to
    int count;
    const wbSolverInfo *const *solvers = wbGetSolvers(&count);
    for (int s = 0; s < count; s++) WB_TRY(wbScene_ChooseSpacing(scene, solvers[s]));
    return wb_okStatus;
}

wbStatus wbScene_Get(const wbScene *scene, const char *key, char *value, int size) {
    WB_REQUIRE(scene);
    WB_REQUIRE(key);
    WB_REQUIRE(value);
    wbScriptTarget target;
    WB_TRY(findParam(scene, key, &target));
    return wbParam_GetText(target.param, target.section, value, size);
}

wbStatus wbScene_SetAt(wbScene *scene, double time, const char *key, const char *value) {
    WB_REQUIRE(scene);
    WB_REQUIRE(key);
    WB_REQUIRE(value);
    if (!(time >= 0 && time <= 1e9))
        return wbError(wb_errorInput, "time is %g, allowed is 0 to 1e+09 s", time);
    wbScriptTarget target;
    wbScriptEntry entry = {.time = time};
    WB_TRY(wbScene_FindScriptTarget(scene, key, &target));
    // into a copy: what is wrong shows now, and the scene keeps its value
    _Alignas(16) unsigned char copy[WB_MAX_SECTION];
    WB_ASSERT(target.table->structSize <= WB_MAX_SECTION, "a section is larger than a script's copy of it");
    memcpy(copy, target.section, (size_t)target.table->structSize);
    WB_TRY(setText(scene, &target, copy, value));
    snprintf(entry.key, sizeof entry.key, "%s.%s", target.owner, target.param->name);
    wbParam_GetText(target.param, copy, entry.value, sizeof entry.value);
    WB_TRY(wbScene_AddScriptEntry(scene, &entry));
    wbScene_SortScript(scene);
    return wb_okStatus;
}

wbStatus wbScene_AddScriptEntry(wbScene *scene, const wbScriptEntry *entry) {
    if (!wbAppend(&scene->script, &scene->scriptCount)) return wbMemoryError(NULL, "a script needs");
    wbScriptEntry *added = (wbScriptEntry *)scene->script.data + scene->scriptCount - 1;
    *added = *entry;
    added->order = scene->scriptCount;
    return wb_okStatus;
}

bool wbScene_IsScripted(const wbScene *scene, const char *owner) {
    size_t length = strlen(owner);
    for (int i = 0; i < scene->scriptCount; i++) {
        const char *key = ((const wbScriptEntry *)scene->script.data)[i].key;
        if (strncmp(key, owner, length) == 0 && key[length] == '.') return true;
    }
    return false;
}

static int compareEntries(const void *a, const void *b) {
    const wbScriptEntry *first = a, *second = b;
    if (first->time != second->time) return first->time < second->time ? -1 : 1;
    return first->order - second->order;
}

void wbScene_SortScript(wbScene *scene) {
    if (scene->scriptCount > 1)
        qsort(scene->script.data, (size_t)scene->scriptCount, sizeof(wbScriptEntry), compareEntries);
}

static wbStatus failAtEntry(const wbScene *scene, const wbScriptEntry *entry, wbStatus status) {
    wbStatus told = wbError(status.code, "script at %g s: %s", entry->time, status.text);
    bool isOfFile = entry->order <= scene->fileScriptCount; // not of --set-at
    if (!isOfFile || told.code != wb_errorInput) return told;
    wbPath script = {NULL, "script", 0}, object = {&script, NULL, (size_t)entry->order - 1};
    return wbSource_FailAt(&scene->source, &(wbPath){&object, "value", 0}, "%s", told.text);
}

// The common name of copies, or of a chain of joints, means all of them.
static wbStatus runEntry(const wbScene *scene, const wbScriptEntry *entry, wbWorld *world) {
    const char *dot = strrchr(entry->key, '.');
    char owner[WB_NAME_SIZE], key[sizeof entry->key + 16];
    snprintf(owner, sizeof owner, "%.*s", (int)(dot - entry->key), entry->key);
    const int count = wbScene_CountNumbered(scene, owner);
    for (int k = 0; k < count; k++) {
        snprintf(key, sizeof key, "%s-%d%s", owner, k, dot);
        WB_TRY(wbWorld_SetParam(world, key, entry->value));
    }
    return count > 0 ? wb_okStatus : wbWorld_SetParam(world, entry->key, entry->value);
}

wbStatus wbScene_RunScript(const wbScene *scene, wbWorld *world) {
    WB_REQUIRE(scene);
    WB_REQUIRE(world);
    const wbScriptEntry *entries = scene->script.data;
    double done = wbWorld_GetScriptTime(world), now = wbWorld_GetTime(world);
    for (int i = 0; i < scene->scriptCount && entries[i].time <= now; i++) {
        if (entries[i].time <= done) continue;
        wbStatus status = runEntry(scene, &entries[i], world);
        if (!wbIsOk(status)) return failAtEntry(scene, &entries[i], status);
    }
    wbWorld_SetScriptTime(world, now);
    return wb_okStatus;
}
