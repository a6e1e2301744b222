// SPDX-License-Identifier: MIT
// Objects with names, and those of flow: emitters and drains.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/status.h"
#include "scene/read.h"
#include "scene/solvers.h"

enum { WB_MAX_OBJECTS = 4096 };

static bool isNameTaken(const wbScene *scene, const char *name) {
    const char *keys[WB_MAX_SCENE_KEYS];
    int count = wbListSceneKeys(keys);
    for (int i = 0; i < count; i++) {
        if (strcmp(keys[i], name) == 0) return true;
    }
    const char *other;
    for (int i = 0; (other = wbScene_GetObjectName(scene, i)) != NULL; i++) {
        if (strcmp(other, name) == 0) return true;
    }
    return false;
}

// names stand before the point of "name.parameter" on the command line
static bool isPlainName(const char *name) {
    if (!isalpha((unsigned char)name[0])) return false;
    for (const char *c = name; *c; c++) {
        if (!isalnum((unsigned char)*c) && *c != '-' && *c != '_') return false;
    }
    return strlen(name) < WB_NAME_SIZE;
}

wbStatus wbReadName(const wbReader *reader, const json_t *object, const wbPath *path, char *target) {
    wbPath namePath = {path, "name", 0};
    const json_t *value = json_object_get(object, "name");
    WB_TRY(wbCheckType(reader, json_is_string(value), value, &namePath, "a string"));
    const char *name = json_string_value(value);
    if (!isPlainName(name))
        return wbSource_FailAt(reader->source, &namePath,
                               "name \"%s\" must be 1 to %d letters, digits, - and _, the first a letter",
                               wbMakeExcerpt(name).text, WB_NAME_SIZE - 1);
    if (isNameTaken(reader->scene, name))
        return wbSource_FailAt(reader->source, &namePath,
                               "name \"%s\" is taken by a section or another object",
                               wbMakeExcerpt(name).text);
    snprintf(target, WB_NAME_SIZE, "%s", name);
    return wb_okStatus;
}

wbStatus wbReadOptionalName(const wbReader *reader, const json_t *object, const wbPath *path, char *target) {
    target[0] = 0;
    return json_object_get(object, "name") ? wbReadName(reader, object, path, target) : wb_okStatus;
}

wbStatus wbReadReference(const wbReader *reader, const json_t *object, const wbPath *path, const char *key,
                         char target[WB_NAME_SIZE]) {
    wbPath keyPath = {path, key, 0};
    const json_t *value = json_object_get(object, key);
    target[0] = 0;
    if (!value) return wb_okStatus;
    WB_TRY(wbCheckType(reader, json_is_string(value), value, &keyPath, "a string"));
    snprintf(target, WB_NAME_SIZE, "%s", json_string_value(value));
    return wb_okStatus;
}

// Without the key it is the scene's only fluid.
static wbStatus readFluidName(const wbReader *reader, const json_t *value, const wbPath *path,
                              wbSceneEmitter *emitter) {
    const wbScene *scene = reader->scene;
    WB_TRY(wbReadReference(reader, value, path, "fluid", emitter->fluid));
    if (!emitter->fluid[0] && !json_object_get(value, "fluid")) {
        if (scene->fluidCount != 1)
            return wbSource_FailAt(reader->source, path,
                                   "the fluid of the emitter is missing: the scene has %d fluids",
                                   scene->fluidCount);
        memcpy(emitter->fluid, wbScene_GetFluid(scene, 0)->name, WB_NAME_SIZE);
    }
    for (int i = 0; i < scene->fluidCount; i++)
        if (strcmp(wbScene_GetFluid(scene, i)->name, emitter->fluid) == 0) return wb_okStatus;
    return wbReader_FailUnknown(reader, &(wbPath){path, "fluid", 0}, "fluid", emitter->fluid);
}

// Of a fluid that is there.
static wbFluidSolver getSolver(const wbScene *scene, const char *fluid) {
    int i = 0;
    while (strcmp(wbScene_GetFluid(scene, i)->name, fluid) != 0) i++;
    return wbScene_GetFluid(scene, i)->solver;
}

// The world looks once more, at the whole mouth.
static wbStatus checkPlace(const wbReader *reader, const wbPath *path, const wbSceneEmitter *emitter) {
    const wbEmitterParams *params = &emitter->params;
    wbBlockDef block = {.min = params->min, .max = params->max};
    bool isBlock = params->kind == wb_emitterBlock;
    wbStatus status =
        isBlock ? wbScene_CheckBlock(reader->scene, getSolver(reader->scene, emitter->fluid), &block)
                : wbScene_CheckPosition(reader->scene, params->position);
    return wbIsOk(status) ? status : wbReader_FailAtSubject(reader, path, status);
}

static wbStatus readEmitter(const wbReader *reader, const json_t *value, const wbPath *path) {
    wbSceneEmitter emitter = {.params = wbDefaultEmitterDef().params};
    wbForm form = wbMakeEmitterForm();
    WB_TRY(wbReadObject(reader, &form, value, path, &emitter.params));
    WB_TRY(wbReadName(reader, value, path, emitter.name));
    WB_TRY(readFluidName(reader, value, path, &emitter));
    WB_TRY(checkPlace(reader, path, &emitter));
    wbSceneEmitter *added = wbAppend(&reader->scene->emitters, &reader->scene->emitterCount);
    if (!added) return wbMemoryError(NULL, "an emitter needs");
    *added = emitter;
    return wb_okStatus;
}

static wbStatus checkBox(const wbReader *reader, const wbPath *path, const wbDrainParams *params) {
    const float *min = &params->min.x, *max = &params->max.x;
    for (int i = 0; i < reader->scene->def.params.dimensions; i++) {
        if (max[i] > min[i]) continue;
        return wbReader_FailAtSubject(reader, path,
                                      wbError(wb_errorInput,
                                              "is empty: max[%d] is %g, must be above min[%d], which is %g",
                                              i, (double)max[i], i, (double)min[i]));
    }
    return wb_okStatus;
}

static wbStatus checkPump(const wbReader *reader, const wbPath *path, const char *name) {
    for (int i = 0; i < reader->scene->emitterCount; i++) {
        const wbSceneEmitter *emitter = wbScene_GetEmitter(reader->scene, i);
        if (strcmp(emitter->name, name) != 0) continue;
        if (emitter->params.kind == wb_emitterDisc) return wb_okStatus;
        return wbSource_FailAt(reader->source, &(wbPath){path, "emitter", 0},
                               "a pump needs an emitter of kind disc, \"%s\" is a block", name);
    }
    return wbReader_FailUnknown(reader, &(wbPath){path, "emitter", 0}, "emitter", name);
}

static wbStatus readDrain(const wbReader *reader, const json_t *value, const wbPath *path) {
    wbSceneDrain drain = {.params = wbDefaultDrainDef().params};
    wbForm form = wbMakeDrainForm();
    WB_TRY(wbReadObject(reader, &form, value, path, &drain.params));
    WB_TRY(wbReadName(reader, value, path, drain.name));
    WB_TRY(checkBox(reader, path, &drain.params));
    WB_TRY(wbReadReference(reader, value, path, "emitter", drain.emitter));
    if (json_object_get(value, "emitter")) WB_TRY(checkPump(reader, path, drain.emitter));
    wbSceneDrain *added = wbAppend(&reader->scene->drains, &reader->scene->drainCount);
    if (!added) return wbMemoryError(NULL, "a drain needs");
    *added = drain;
    return wb_okStatus;
}

typedef wbStatus ReadOneFn(const wbReader *reader, const json_t *value, const wbPath *path);

// Objects of a solver that has to be asked for, and is not.
static wbStatus checkSolver(const wbReader *reader, const wbPath *path, const char *kind) {
    int count;
    const wbSolverInfo *const *solvers = wbGetSolvers(&count);
    for (int s = 0; s < count; s++) {
        const char *name = solvers[s]->name, *object = solvers[s]->object;
        if (object && strcmp(object, kind) == 0 && !wbMayHaveSolver(&reader->scene->def, solvers[s]))
            return wbSource_FailAt(reader->source, path,
                                   "a %s feeds %s, and the scene has none: add \"%s\": {}", kind, name, name);
    }
    return wb_okStatus;
}

static wbStatus readAll(const wbReader *reader, const json_t *value, const wbPath *path, const char *kind,
                        ReadOneFn *read) {
    WB_TRY(wbCheckType(reader, json_is_array(value), value, path, "an array"));
    // names are compared one by one
    if (json_array_size(value) > WB_MAX_OBJECTS)
        return wbSource_FailAt(reader->source, path, "%zu %s, a scene holds at most %d",
                               json_array_size(value), path->key, WB_MAX_OBJECTS);
    if (json_array_size(value) > 0) WB_TRY(checkSolver(reader, &(wbPath){path, NULL, 0}, kind));
    for (size_t i = 0; i < json_array_size(value); i++)
        WB_TRY(read(reader, json_array_get(value, i), &(wbPath){path, NULL, i}));
    return wb_okStatus;
}

wbStatus wbReadEmitters(const wbReader *reader, const json_t *value, const wbPath *path) {
    return readAll(reader, value, path, "emitter", readEmitter);
}

wbStatus wbReadDrains(const wbReader *reader, const json_t *value, const wbPath *path) {
    return readAll(reader, value, path, "drain", readDrain);
}

wbStatus wbReadColliders(const wbReader *reader, const json_t *value, const wbPath *path) {
    return readAll(reader, value, path, "collider", wbReadCollider);
}

wbStatus wbReadMechanisms(const wbReader *reader, const json_t *value, const wbPath *path) {
    return readAll(reader, value, path, "mechanism", wbReadMechanism);
}

wbStatus wbReadSoftBodies(const wbReader *reader, const json_t *value, const wbPath *path) {
    return readAll(reader, value, path, "softBody", wbReadSoftBody);
}

wbStatus wbReadRigidBodies(const wbReader *reader, const json_t *value, const wbPath *path) {
    return readAll(reader, value, path, "rigidBody", wbReadRigidBody);
}

wbStatus wbReadJoints(const wbReader *reader, const json_t *value, const wbPath *path) {
    return readAll(reader, value, path, "joint", wbReadJoint);
}

wbStatus wbReadForces(const wbReader *reader, const json_t *value, const wbPath *path) {
    return readAll(reader, value, path, "force", wbReadForce);
}

wbStatus wbReadSources(const wbReader *reader, const json_t *value, const wbPath *path) {
    return readAll(reader, value, path, "source", wbReadAirSource);
}

wbStatus wbReadGrabs(const wbReader *reader, const json_t *value, const wbPath *path) {
    return readAll(reader, value, path, "grab", wbReadGrab);
}

wbStatus wbReadProbes(const wbReader *reader, const json_t *value, const wbPath *path) {
    return readAll(reader, value, path, "probe", wbReadProbe);
}
