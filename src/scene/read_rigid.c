// SPDX-License-Identifier: MIT
// Rigid bodies of a scene file, their joints and forces.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/status.h"
#include "scene/read.h"

#define HIGHEST 1e6 // m
enum { MOST_POINTS = 1 << 16, MOST_PARTS = 4096, MOST_COPIES = 1 << 24 };

void wbFreeSceneRigidBody(wbSceneRigidBody *body) {
    wbScenePart *parts = body->parts.data;
    for (int i = 0; i < body->partCount; i++) wbArray_Free(NULL, &parts[i].points);
    wbArray_Free(NULL, &body->parts);
    wbArray_Free(NULL, &body->points);
    wbArray_Free(NULL, &body->heights);
    wbFreeMesh(&body->mesh);
}

static wbStatus readPoints(const wbReader *reader, const json_t *object, const wbPath *owner, wbArray *points,
                           int *count) {
    const json_t *array = json_object_get(object, "points");
    wbPath path = {owner, "points", 0};
    char text[96], name[32];
    if (!array) return wb_okStatus;
    WB_TRY(wbCheckType(reader, json_is_array(array), array, &path, "an array of points"));
    if (json_array_size(array) > MOST_POINTS)
        return wbSource_FailAt(reader->source, &path, "%zu points, a body has at most %d: take a mesh",
                               json_array_size(array), MOST_POINTS);
    wbFormatPath(owner, text, sizeof text);
    for (size_t i = 0; i < json_array_size(array); i++) {
        snprintf(name, sizeof name, "points[%zu]", i);
        wbParam row = {.name = name, .type = wb_paramVec3, .min = -1e6, .max = 1e6, .unit = "m"};
        wbVec3 *point = wbAppend(points, count);
        if (!point) return wbMemoryError(NULL, "the points of a rigid body need");
        WB_TRY(wbReadParam(reader, text, &row, false, json_array_get(array, i), &(wbPath){&path, NULL, i},
                           point));
    }
    return wb_okStatus;
}

static wbStatus readHeightRow(const wbReader *reader, const json_t *row, const wbPath *path,
                              wbSceneRigidBody *body) {
    WB_TRY(wbCheckType(reader, json_is_array(row), row, path, "an array of numbers"));
    if ((int)json_array_size(row) != body->heightCounts[0])
        return wbSource_FailAt(reader->source, path, "it has %zu heights, the first row has %d",
                               json_array_size(row), body->heightCounts[0]);
    for (size_t i = 0; i < json_array_size(row); i++) {
        const json_t *value = json_array_get(row, i);
        wbPath place = {path, NULL, i};
        WB_TRY(wbCheckType(reader, json_is_number(value), value, &place, "a number"));
        if (!(fabs(json_number_value(value)) <= HIGHEST))
            return wbSource_FailAt(reader->source, &place, "a height is %g m, allowed is %g to %g",
                                   json_number_value(value), -HIGHEST, HIGHEST);
        float *height = wbAppend(&body->heights, &body->heightCount);
        if (!height) return wbMemoryError(NULL, "the heights of a rigid body need");
        *height = (float)json_number_value(value);
    }
    return wb_okStatus;
}

static wbStatus readHeights(const wbReader *reader, const json_t *rows, const wbPath *owner,
                            wbSceneRigidBody *body) {
    wbPath path = {owner, "heights", 0};
    WB_TRY(wbCheckType(reader, json_is_array(rows), rows, &path, "an array of rows"));
    body->heightCounts[0] = (int)json_array_size(json_array_get(rows, 0));
    body->heightCounts[1] = (int)json_array_size(rows);
    for (size_t z = 0; z < json_array_size(rows); z++)
        WB_TRY(readHeightRow(reader, json_array_get(rows, z), &(wbPath){&path, NULL, z}, body));
    return wb_okStatus;
}

static wbStatus readParts(const wbReader *reader, const json_t *array, const wbPath *owner,
                          wbSceneRigidBody *body) {
    wbPath path = {owner, "parts", 0};
    WB_TRY(wbCheckType(reader, json_is_array(array), array, &path, "an array"));
    if (json_array_size(array) > MOST_PARTS)
        return wbSource_FailAt(reader->source, &path, "%zu parts, a compound has at most %d",
                               json_array_size(array), MOST_PARTS);
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *value = json_array_get(array, i);
        wbPath place = {&path, NULL, i};
        wbScenePart *part = wbAppend(&body->parts, &body->partCount);
        if (!part) return wbMemoryError(NULL, "the parts of a rigid body need");
        *part = (wbScenePart){.def = wbDefaultRigidPartDef(), .points.elementSize = sizeof(wbVec3)};
        WB_TRY(wbReadObject(reader, &wb_partForm, value, &place, &part->def));
        WB_TRY(readPoints(reader, value, &place, &part->points, &part->pointCount));
    }
    return wb_okStatus;
}

static wbStatus readCopies(const wbReader *reader, const json_t *value, const wbPath *owner,
                           wbSceneRigidBody *body) {
    wbPath path = {owner, "copies", 0};
    body->hasCopies = true;
    WB_TRY(wbReadObject(reader, &wb_copiesForm, value, &path, &body->copies));
    if (reader->scene->def.params.dimensions == 2) body->copies.counts.z = 1;
    const double count = wbCountCopies(body);
    if (count <= MOST_COPIES) return wb_okStatus;
    return wbSource_FailAt(reader->source, &path,
                           "%.10g copies, allowed are %d: lower \"counts\", or set \"most\"", count,
                           MOST_COPIES);
}

// A key that only some shapes have, and they need.
static wbStatus checkKey(const wbReader *reader, const json_t *value, const wbPath *path, const char *key,
                         bool isNeeded, const char *shapes) {
    const bool isThere = json_object_get(value, key);
    if (isThere == isNeeded) return wb_okStatus;
    return wbSource_FailAt(reader->source, path,
                           isThere ? "\"%s\" belongs to the shape %s"
                                   : "\"%s\" is missing, which the shape %s needs",
                           key, shapes);
}

// A file of a mesh without a shape is one of that shape.
static wbStatus checkShape(const wbReader *reader, const json_t *value, const wbPath *path,
                           wbSceneRigidBody *body) {
    wbRigidShape *shape = &body->params.shape;
    const bool hasMesh = json_object_get(value, "mesh");
    if (hasMesh && !json_object_get(value, "shape")) *shape = wb_rigidMesh;
    const bool isHull = *shape == wb_rigidHull;
    WB_TRY(checkKey(reader, value, path, "mesh", *shape == wb_rigidMesh || (isHull && hasMesh),
                    "mesh, or hull"));
    WB_TRY(checkKey(reader, value, path, "points", *shape == wb_rigidPolygon || (isHull && !hasMesh),
                    "hull or polygon"));
    WB_TRY(checkKey(reader, value, path, "heights", *shape == wb_rigidHeights, "heights"));
    return checkKey(reader, value, path, "parts", *shape == wb_rigidCompound, "compound");
}

static wbStatus fillBody(const wbReader *reader, const json_t *value, const wbPath *path,
                         wbSceneRigidBody *body) {
    wbForm form = wbMakeRigidBodyForm();
    WB_TRY(wbReadObject(reader, &form, value, path, &body->params));
    WB_TRY(wbReadOptionalName(reader, value, path, body->name));
    WB_TRY(checkShape(reader, value, path, body));
    const json_t *mesh = json_object_get(value, "mesh"), *heights = json_object_get(value, "heights"),
                 *parts = json_object_get(value, "parts"), *copies = json_object_get(value, "copies");
    WB_TRY(readPoints(reader, value, path, &body->points, &body->pointCount));
    if (heights) WB_TRY(readHeights(reader, heights, path, body));
    if (parts) WB_TRY(readParts(reader, parts, path, body));
    if (copies) WB_TRY(readCopies(reader, copies, path, body));
    return mesh ? wbReadMeshKey(reader, mesh, path, &body->mesh) : wb_okStatus;
}

wbStatus wbReadRigidBody(const wbReader *reader, const json_t *value, const wbPath *path) {
    wbSceneRigidBody body = {.params = wbDefaultRigidBodyDef().params,
                             .points.elementSize = sizeof(wbVec3),
                             .heights.elementSize = sizeof(float),
                             .parts.elementSize = sizeof(wbScenePart)};
    wbSetParamDefaults(wb_copiesForm.table, &body.copies);
    wbStatus status = fillBody(reader, value, path, &body);
    wbSceneRigidBody *added =
        wbIsOk(status) ? wbAppend(&reader->scene->rigidBodies, &reader->scene->rigidBodyCount) : NULL;
    if (added) {
        *added = body;
        return wb_okStatus;
    }
    wbFreeSceneRigidBody(&body);
    return wbIsOk(status) ? wbMemoryError(NULL, "a rigid body needs") : status;
}

// Joints and forces name bodies that stand before them.

static wbStatus findBodies(const wbReader *reader, const json_t *value, const wbPath *path, int *first,
                           int *count) {
    WB_TRY(wbCheckType(reader, json_is_string(value), value, path, "a string"));
    if (wbScene_FindBodies(reader->scene, json_string_value(value), first, count)) return wb_okStatus;
    return wbReader_FailUnknown(reader, path, "rigidBody", json_string_value(value));
}

wbStatus wbReadOneBody(const wbReader *reader, const json_t *value, const wbPath *path, int *body) {
    int count;
    WB_TRY(findBodies(reader, value, path, body, &count));
    if (count == 1) return wb_okStatus;
    if (count == 0)
        return wbSource_FailAt(reader->source, path, "\"%s\" has no copies: its \"first\" is beyond the last",
                               json_string_value(value));
    return wbSource_FailAt(reader->source, path, "\"%s\" has %d copies: say which, as in \"%s-0\"",
                           json_string_value(value), count, json_string_value(value));
}

static wbStatus readEnd(const wbReader *reader, const json_t *value, const wbPath *path, int *body) {
    *body = -1;
    return json_is_null(value) ? wb_okStatus : wbReadOneBody(reader, value, path, body);
}

// Between all copies of a body, each with the next.
static wbStatus readChain(const wbReader *reader, const json_t *value, const wbPath *path,
                          wbSceneJoint *joint) {
    WB_TRY(findBodies(reader, value, path, &joint->bodies[0], &joint->chainCount));
    if (joint->chainCount > 1) return wb_okStatus;
    return wbSource_FailAt(
        reader->source, path,
        "a chain of %d, named \"%s\", ties nothing: give that body 2 copies or more, or name two bodies",
        joint->chainCount, json_string_value(value));
}

static wbStatus readEnds(const wbReader *reader, const json_t *value, const wbPath *owner,
                         wbSceneJoint *joint) {
    wbPath path = {owner, "bodies", 0};
    if (json_is_string(value)) return readChain(reader, value, &path, joint);
    WB_TRY(wbCheckType(reader, json_is_array(value) && json_array_size(value) == 2, value, &path,
                       "an array of two names"));
    for (size_t k = 0; k < 2; k++)
        WB_TRY(readEnd(reader, json_array_get(value, k), &(wbPath){&path, NULL, k}, &joint->bodies[k]));
    return wb_okStatus;
}

wbStatus wbReadJoint(const wbReader *reader, const json_t *value, const wbPath *path) {
    wbSceneJoint joint = {.params = wbDefaultJointDef().params};
    wbForm form = wbMakeJointForm();
    WB_TRY(wbReadObject(reader, &form, value, path, &joint.params));
    WB_TRY(wbReadOptionalName(reader, value, path, joint.name));
    WB_TRY(readEnds(reader, json_object_get(value, "bodies"), path, &joint));
    wbSceneJoint *added = wbAppend(&reader->scene->joints, &reader->scene->jointCount);
    if (!added) return wbMemoryError(NULL, "a joint needs");
    *added = joint;
    return wb_okStatus;
}

static wbStatus readMembers(const wbReader *reader, const json_t *value, const wbPath *owner,
                            wbSceneForce *force) {
    wbPath path = {owner, "bodies", 0};
    force->isOnAll = json_is_string(value) && strcmp(json_string_value(value), "all") == 0;
    if (force->isOnAll) return wb_okStatus;
    WB_TRY(wbCheckType(reader, json_is_array(value), value, &path, "an array of names, or \"all\""));
    for (size_t i = 0; i < json_array_size(value); i++) {
        int first, count;
        WB_TRY(findBodies(reader, json_array_get(value, i), &(wbPath){&path, NULL, i}, &first, &count));
        for (int k = 0; k < count; k++) {
            int *body = wbAppend(&force->bodies, &force->bodyCount);
            if (!body) return wbMemoryError(NULL, "a force needs");
            *body = first + k;
        }
    }
    if (force->bodyCount > 0) return wb_okStatus;
    return wbSource_FailAt(reader->source, &path, "a force on no body: name some, or say \"all\"");
}

static wbStatus fillForce(const wbReader *reader, const json_t *value, const wbPath *path,
                          wbSceneForce *force) {
    wbForm form = wbMakeForceForm();
    WB_TRY(wbReadObject(reader, &form, value, path, &force->params));
    WB_TRY(wbReadOptionalName(reader, value, path, force->name));
    return readMembers(reader, json_object_get(value, "bodies"), path, force);
}

wbStatus wbReadForce(const wbReader *reader, const json_t *value, const wbPath *path) {
    wbSceneForce force = {.params = wbDefaultForceDef().params, .bodies.elementSize = sizeof(int)};
    wbStatus status = fillForce(reader, value, path, &force);
    wbSceneForce *added =
        wbIsOk(status) ? wbAppend(&reader->scene->forces, &reader->scene->forceCount) : NULL;
    if (added) {
        *added = force;
        return wb_okStatus;
    }
    wbArray_Free(NULL, &force.bodies);
    return wbIsOk(status) ? wbMemoryError(NULL, "a force needs") : status;
}
