// SPDX-License-Identifier: MIT
// Soft bodies of a scene file.
#include <limits.h>
#include <math.h>

#include "core/memory.h"
#include "core/status.h"
#include "scene/read.h"

static wbStatus readPins(const wbReader *reader, const json_t *array, const wbPath *owner,
                         wbSceneSoftBody *softBody) {
    wbPath path = {owner, "pins", 0};
    WB_TRY(wbCheckType(reader, json_is_array(array), array, &path, "an array of whole numbers"));
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *value = json_array_get(array, i);
        wbPath place = {&path, NULL, i};
        double number = json_number_value(value);
        bool isWhole = json_is_number(value) && number == floor(number) && fabs(number) < INT_MAX;
        WB_TRY(wbCheckType(reader, isWhole, value, &place, "a whole number"));
        int *pin = wbAppend(&softBody->pins, &softBody->pinCount);
        if (!pin) return wbMemoryError(NULL, "pins need");
        *pin = (int)number;
    }
    return wb_okStatus;
}

static wbStatus readAttachments(const wbReader *reader, const json_t *array, const wbPath *owner,
                                wbSceneSoftBody *softBody) {
    wbPath path = {owner, "attach", 0};
    WB_TRY(wbCheckType(reader, json_is_array(array), array, &path, "an array of objects"));
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *value = json_array_get(array, i);
        wbPath place = {&path, NULL, i};
        wbSceneAttachment attachment = {.hasPoint = json_object_get(value, "point") != NULL};
        WB_TRY(wbReadObject(reader, &wb_attachForm, value, &place, &attachment));
        WB_TRY(wbReadOneBody(reader, json_object_get(value, "body"), &(wbPath){&place, "body", 0},
                             &attachment.body));
        wbSceneAttachment *added = wbAppend(&softBody->attachments, &softBody->attachmentCount);
        if (!added) return wbMemoryError(NULL, "attachments need");
        *added = attachment;
    }
    return wb_okStatus;
}

static wbStatus fillSoftBody(const wbReader *reader, const json_t *value, const wbPath *path,
                             wbSceneSoftBody *softBody) {
    wbForm form = wbMakeSoftBodyForm();
    WB_TRY(wbReadObject(reader, &form, value, path, &softBody->params));
    WB_TRY(wbReadName(reader, value, path, softBody->name));
    const json_t *pins = json_object_get(value, "pins"), *mesh = json_object_get(value, "mesh"),
                 *attach = json_object_get(value, "attach");
    bool isOfMesh =
        softBody->params.shape == wb_softBodyMeshSurface || softBody->params.shape == wb_softBodyMeshVolume;
    if (isOfMesh != (mesh != NULL))
        return wbSource_FailAt(reader->source, path,
                               mesh ? "only meshSurface and meshVolume have a mesh"
                                    : "meshSurface and meshVolume need \"mesh\": its file");
    if (pins) WB_TRY(readPins(reader, pins, path, softBody));
    if (attach) WB_TRY(readAttachments(reader, attach, path, softBody));
    return mesh ? wbReadMeshKey(reader, mesh, path, &softBody->mesh) : wb_okStatus;
}

wbStatus wbReadSoftBody(const wbReader *reader, const json_t *value, const wbPath *path) {
    wbSceneSoftBody softBody = {.params = wbDefaultSoftBodyDef().params,
                                .pins.elementSize = sizeof(int),
                                .attachments.elementSize = sizeof(wbSceneAttachment)};
    wbStatus status = fillSoftBody(reader, value, path, &softBody);
    wbSceneSoftBody *added =
        wbIsOk(status) ? wbAppend(&reader->scene->softBodies, &reader->scene->softBodyCount) : NULL;
    if (added) {
        *added = softBody;
        return wb_okStatus;
    }
    wbArray_Free(NULL, &softBody.pins);
    wbArray_Free(NULL, &softBody.attachments);
    wbFreeMesh(&softBody.mesh);
    return wbIsOk(status) ? wbMemoryError(NULL, "a soft body needs") : status;
}
