// SPDX-License-Identifier: MIT
// From a file to a scene: text, JSON, then section by section.
#include "scene/read.h"

#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/status.h"

// What other languages allow at a place where the parser gave up; "" if it is nothing of those.
static const char *explain(const wbSource *source, size_t end) {
    const char *text = source->text.data;
    if (end == 0 || end > (size_t)source->length) return "";
    const char *at = text + end - 1, *before = at;
    while (before > text && strchr(" \t\r\n", before[-1])) before--;
    if ((*at == '}' || *at == ']') && before > text && before[-1] == ',')
        return " (JSON has no comma behind the last entry)";
    if (*at == '/' || *at == '#') return " (JSON has no comments)";
    return *at == '\'' ? " (JSON has double quotes around texts)" : "";
}

wbStatus wbParseSource(const wbSource *source, json_t **root) {
    json_error_t error;
    // whole numbers as reals: no limit of 64 bits, and the rows check what must be whole
    *root = json_loadb(source->text.data, (size_t)source->length,
                       JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
    if (*root) return wb_okStatus;
    // the parser has no word for most failures of its allocations
    if (error.text[0] == 0 || json_error_code(&error) == json_error_out_of_memory)
        return wbMemoryError(NULL, "%.70s needs", source->name);
    wbPosition position = {error.line > 0 ? error.line : 1, error.column > 0 ? error.column : 1};
    char message[240];
    snprintf(message, sizeof message, "%s%s", error.text,
             error.position > 0 ? explain(source, (size_t)error.position) : "");
    return wbSource_FailAtPosition(source, position, message);
}

static wbStatus readString(const wbReader *reader, const json_t *root, const char *key, wbArray *string) {
    const json_t *value = json_object_get(root, key);
    if (!value) return wb_okStatus;
    WB_TRY(wbCheckType(reader, json_is_string(value), value, &(wbPath){NULL, key, 0}, "a string"));
    return string ? wbSetString(string, json_string_value(value)) : wb_okStatus;
}

static wbStatus readParams(const wbReader *reader, const json_t *root, const char *key) {
    const json_t *value = json_object_get(root, key);
    void *section;
    wbForm form = wbMakeSectionForm(wbScene_FindSection(reader->scene, key, &section));
    return value ? wbReadObject(reader, &form, value, &(wbPath){NULL, key, 0}, section) : wb_okStatus;
}

// One that has to be asked for is asked for by its section.
static wbStatus readSolver(const wbReader *reader, const json_t *root, const wbSolverInfo *solver) {
    const char *name = solver->name;
    const json_t *value = json_object_get(root, name), *particles = json_object_get(value, "particles");
    wbWorldDef *def = &reader->scene->def;
    if (!value) return wb_okStatus;
    if (solver->isAsked > 0) *(bool *)((char *)def + solver->isAsked) = true;
    WB_TRY(readParams(reader, root, name));
    if (!solver->isFluid || !json_is_number(particles) || !json_object_get(value, "spacing"))
        return wb_okStatus;
    return wbSource_FailAt(reader->source, &(wbPath){&(wbPath){NULL, name, 0}, "particles", 0},
                           "%s.particles chooses %s.spacing: give one of the two", name, name);
}

static wbStatus readSolvers(const wbReader *reader, const json_t *root) {
    int count;
    const wbSolverInfo *const *solvers = wbGetSolvers(&count);
    for (int s = 0; s < count; s++) WB_TRY(readSolver(reader, root, solvers[s]));
    return wb_okStatus;
}

typedef wbStatus ReadSectionFn(const wbReader *reader, const json_t *value, const wbPath *path);

static wbStatus readSection(const wbReader *reader, const json_t *root, const char *key,
                            ReadSectionFn *read) {
    const json_t *value = json_object_get(root, key);
    return value ? read(reader, value, &(wbPath){NULL, key, 0}) : wb_okStatus;
}

// Rigid bodies are listed as "bodies", or as "rigidBodies", as they were called at first.
static wbStatus readBodies(const wbReader *reader, const json_t *root) {
    const char *key = json_object_get(root, "rigidBodies") ? "rigidBodies" : "bodies";
    if (strcmp(key, "bodies") != 0 && json_object_get(root, "bodies"))
        return wbSource_FailAt(reader->source, &(wbPath){NULL, key, 0},
                               "\"rigidBodies\" is another name of \"bodies\": give one of the two");
    reader->scene->bodiesKey = key;
    return readSection(reader, root, key, wbReadRigidBodies);
}

// what later sections are checked against comes first
static wbStatus readSections(const wbReader *reader, const json_t *root) {
    const char *keys[WB_MAX_SCENE_KEYS];
    int keyCount = wbListSceneKeys(keys);
    WB_TRY(wbCheckType(reader, json_is_object(root), root, NULL, "an object"));
    WB_TRY(wbCheckKeys(reader, root, NULL, keys, keyCount));
    WB_TRY(readString(reader, root, "$schema", NULL));
    WB_TRY(readString(reader, root, "title", &reader->scene->title));
    WB_TRY(readString(reader, root, "description", &reader->scene->description));
    WB_TRY(readParams(reader, root, "world"));
    wbReadQualities(reader, json_object_get(root, "fluids")); // sections of solvers win over them
    WB_TRY(readSolvers(reader, root));
    WB_TRY(readSection(reader, root, "camera", wbReadCamera));
    WB_TRY(readParams(reader, root, "output"));
    WB_TRY(readSection(reader, root, "domain", wbReadDomain));
    WB_TRY(readSection(reader, root, "fluids", wbReadFluids));
    WB_TRY(readSection(reader, root, "emitters", wbReadEmitters));
    WB_TRY(readSection(reader, root, "drains", wbReadDrains));
    WB_TRY(readSection(reader, root, "colliders", wbReadColliders));
    WB_TRY(readSection(reader, root, "mechanisms", wbReadMechanisms));
    WB_TRY(readBodies(reader, root));
    WB_TRY(readSection(reader, root, "softBodies", wbReadSoftBodies));
    WB_TRY(readSection(reader, root, "joints", wbReadJoints));
    WB_TRY(readSection(reader, root, "forces", wbReadForces));
    WB_TRY(readSection(reader, root, "sources", wbReadSources));
    WB_TRY(readSection(reader, root, "probes", wbReadProbes));
    WB_TRY(readSection(reader, root, "grabs", wbReadGrabs));
    return readSection(reader, root, "script", wbReadScript);
}

// the file's name without folder and ending, until the scene gives a title
static wbStatus setDefaultTitle(wbScene *scene, const char *path) {
    const char *slash = strrchr(path, '/');
    WB_TRY(wbSetString(&scene->title, slash ? slash + 1 : path));
    char *ending = strrchr(scene->title.data, '.');
    if (ending && ending != scene->title.data) *ending = 0;
    return wb_okStatus;
}

static wbStatus createScene(const char *path, wbScene **result) {
    wbScene *scene = wbAllocZero(NULL, sizeof *scene);
    if (!scene) return wbMemoryError(NULL, "a scene needs");
    *result = scene;
    scene->def = wbDefaultWorldDef();
    // a scene without "domain" has no box
    for (int side = 0; side < wb_sideCount; side++) scene->def.domain.sides[side].type = wb_sideOpen;
    scene->title.elementSize = scene->description.elementSize = scene->files.elementSize = 1;
    scene->fluids.elementSize = sizeof(wbSceneFluid);
    scene->emitters.elementSize = sizeof(wbSceneEmitter);
    scene->drains.elementSize = sizeof(wbSceneDrain);
    scene->colliders.elementSize = sizeof(wbSceneCollider);
    scene->mechanisms.elementSize = sizeof(wbSceneMechanism);
    scene->softBodies.elementSize = sizeof(wbSceneSoftBody);
    scene->rigidBodies.elementSize = sizeof(wbSceneRigidBody);
    scene->joints.elementSize = sizeof(wbSceneJoint);
    scene->forces.elementSize = sizeof(wbSceneForce);
    scene->sources.elementSize = sizeof(wbSceneSource);
    scene->probes.elementSize = sizeof(wbSceneProbe);
    scene->grabs.elementSize = sizeof(wbSceneGrab);
    scene->script.elementSize = sizeof(wbScriptEntry);
    scene->cameraKeys.elementSize = sizeof(wbCameraKey);
    int count;
    const wbParamTable *tables = wbGetSceneParamTables(&count);
    for (int i = 0; i < count; i++) {
        void *section;
        wbScene_FindSection(scene, tables[i].section, &section);
        wbSetParamDefaults(&tables[i], section);
    }
    WB_TRY(wbSetString(&scene->description, ""));
    return setDefaultTitle(scene, path);
}

// the scene keeps the source, or it ends here
static wbStatus readScene(const char *path, wbSource *source, wbScene **result) {
    json_t *root = NULL;
    wbScene *scene = NULL;
    wbStatus status = wbParseSource(source, &root);
    if (wbIsOk(status)) status = createScene(path, &scene);
    if (wbIsOk(status)) status = readSections(&(wbReader){source, scene, path, &(double){0}, NULL}, root);
    json_decref(root);
    if (wbIsOk(status)) {
        scene->source = *source;
        *result = scene;
    } else {
        wbFreeSource(source);
        wbDestroyScene(scene);
    }
    return status;
}

wbStatus wbReadScene(const char *path, wbScene **scene) {
    WB_REQUIRE(path);
    WB_REQUIRE(scene);
    wbSource source;
    *scene = NULL;
    WB_TRY(wbReadSource(path, &source));
    WB_TRY(readScene(path, &source, scene));
    wbStatus status = wbScene_AddFile(*scene, path);
    if (wbIsOk(status)) return status;
    wbDestroyScene(*scene);
    *scene = NULL;
    return status;
}

wbStatus wbReadSceneText(const char *name, const char *text, size_t length, wbScene **scene) {
    WB_ASSERT(text || length == 0, "text is NULL");
    WB_REQUIRE(name);
    WB_REQUIRE(scene);
    wbSource source;
    *scene = NULL;
    WB_TRY(wbCopySource(name, text, length, &source));
    return readScene(name, &source, scene);
}
