// SPDX-License-Identifier: MIT
// Colliders of a scene file: colliders and the mechanisms that move them.
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/status.h"
#include "scene/read.h"

enum { WB_MAX_PATH = 4096 };

static wbStatus readPath(const wbReader *reader, const json_t *array, const wbPath *owner,
                         wbSceneCollider *collider) {
    wbPath path = {owner, "path", 0};
    WB_TRY(wbCheckType(reader, json_is_array(array), array, &path, "an array of points"));
    if (json_array_size(array) > WB_MAX_PATH)
        return wbSource_FailAt(reader->source, &path, "%zu points, a path has at most %d",
                               json_array_size(array), WB_MAX_PATH);
    char text[96], name[32];
    wbFormatPath(owner, text, sizeof text);
    for (size_t i = 0; i < json_array_size(array); i++) {
        snprintf(name, sizeof name, "path[%zu]", i);
        wbParam row = {.name = name, .type = wb_paramVec3, .min = -1e9, .max = 1e9, .unit = "m"};
        wbVec3 *point = wbAppend(&collider->path, &collider->pathCount);
        if (!point) return wbMemoryError(NULL, "a path needs");
        WB_TRY(wbReadParam(reader, text, &row, true, json_array_get(array, i), &(wbPath){&path, NULL, i},
                           point));
    }
    return wb_okStatus;
}

wbStatus wbReadMeshKey(const wbReader *reader, const json_t *value, const wbPath *owner, wbMesh *mesh) {
    wbPath path = {owner, "mesh", 0};
    char file[4096];
    WB_TRY(wbCheckType(reader, json_is_string(value), value, &path, "a string"));
    const char *name = json_string_value(value), *slash = strrchr(reader->path, '/');
    int folder = name[0] == '/' || !slash ? 0 : (int)(slash - reader->path) + 1;
    int length = snprintf(file, sizeof file, "%.*s%s", folder, reader->path, name);
    if (length < 0 || (size_t)length >= sizeof file)
        return wbSource_FailAt(reader->source, &path, "the mesh's path is too long");
    WB_TRY(wbScene_AddFile(reader->scene, file));
    wbStatus status = wbReadMesh(file, mesh);
    return wbIsOk(status) ? status : wbSource_FailAt(reader->source, &path, "%s", status.text);
}

// "mesh" and "path" belong to some shapes only.
static wbStatus checkShape(const wbReader *reader, const json_t *value, const wbPath *path,
                           wbSceneCollider *collider) {
    wbColliderShape shape = collider->params.shape;
    bool hasMesh = json_object_get(value, "mesh"), hasPath = json_object_get(value, "path");
    bool needsPath = shape == wb_shapePipe || shape == wb_shapeTrough || shape == wb_shapePolygon;
    if (hasMesh && !json_object_get(value, "shape")) collider->params.shape = shape = wb_shapeMesh;
    if (hasMesh != (shape == wb_shapeMesh))
        return wbSource_FailAt(reader->source, path,
                               hasMesh ? "a collider with a mesh has the shape \"mesh\", or none"
                                       : "a collider of the shape \"mesh\" needs \"mesh\": its file");
    if (hasPath != needsPath)
        return wbSource_FailAt(reader->source, path,
                               hasPath ? "only a pipe, a trough or a polygon has a path"
                                       : "a pipe, a trough or a polygon needs \"path\": its points");
    return wb_okStatus;
}

static wbStatus fillCollider(const wbReader *reader, const json_t *value, const wbPath *path,
                             wbSceneCollider *collider) {
    wbForm form = wbMakeColliderForm();
    WB_TRY(wbReadObject(reader, &form, value, path, &collider->params));
    WB_TRY(wbReadName(reader, value, path, collider->name));
    WB_TRY(checkShape(reader, value, path, collider));
    const json_t *points = json_object_get(value, "path"), *mesh = json_object_get(value, "mesh");
    if (points) WB_TRY(readPath(reader, points, path, collider));
    return mesh ? wbReadMeshKey(reader, mesh, path, &collider->mesh) : wb_okStatus;
}

wbStatus wbReadCollider(const wbReader *reader, const json_t *value, const wbPath *path) {
    wbSceneCollider collider = {.params = wbDefaultColliderDef().params, .path.elementSize = sizeof(wbVec3)};
    wbStatus status = fillCollider(reader, value, path, &collider);
    wbSceneCollider *added =
        wbIsOk(status) ? wbAppend(&reader->scene->colliders, &reader->scene->colliderCount) : NULL;
    if (added) {
        *added = collider;
        return wb_okStatus;
    }
    wbArray_Free(NULL, &collider.path);
    wbFreeMesh(&collider.mesh);
    return wbIsOk(status) ? wbMemoryError(NULL, "a collider needs") : status;
}

static int findCollider(const wbScene *scene, const char *name) {
    for (int i = 0; i < scene->colliderCount; i++)
        if (strcmp(wbScene_GetCollider(scene, i)->name, name) == 0) return i;
    return -1;
}

static wbStatus readParts(const wbReader *reader, const json_t *array, const wbPath *owner,
                          wbSceneMechanism *mechanism) {
    wbPath path = {owner, "colliders", 0};
    WB_TRY(wbCheckType(reader, json_is_array(array), array, &path, "an array of names"));
    if (json_array_size(array) > WB_MAX_PARTS)
        return wbSource_FailAt(reader->source, &path, "%zu colliders, a mechanism moves at most %d",
                               json_array_size(array), WB_MAX_PARTS);
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *name = json_array_get(array, i);
        wbPath part = {&path, NULL, i};
        WB_TRY(wbCheckType(reader, json_is_string(name), name, &part, "a string"));
        int index = findCollider(reader->scene, json_string_value(name));
        if (index < 0) return wbReader_FailUnknown(reader, &part, "collider", json_string_value(name));
        int *added = wbAppend(&mechanism->parts, &mechanism->partCount);
        if (!added) return wbMemoryError(NULL, "a mechanism needs");
        *added = index;
    }
    return wb_okStatus;
}

wbStatus wbReadMechanism(const wbReader *reader, const json_t *value, const wbPath *path) {
    wbSceneMechanism mechanism = {.params = wbDefaultMechanismDef().params, .parts.elementSize = sizeof(int)};
    wbForm form = wbMakeMechanismForm();
    WB_TRY(wbReadObject(reader, &form, value, path, &mechanism.params));
    WB_TRY(wbReadName(reader, value, path, mechanism.name));
    wbStatus status = readParts(reader, json_object_get(value, "colliders"), path, &mechanism);
    wbSceneMechanism *added =
        wbIsOk(status) ? wbAppend(&reader->scene->mechanisms, &reader->scene->mechanismCount) : NULL;
    if (added) {
        *added = mechanism;
        return wb_okStatus;
    }
    wbArray_Free(NULL, &mechanism.parts);
    return wbIsOk(status) ? wbMemoryError(NULL, "a mechanism needs") : status;
}
