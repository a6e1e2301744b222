// SPDX-License-Identifier: MIT
// Soft solids of a scene file.
#include <limits.h>
#include <math.h>

#include "core/memory.h"
#include "core/status.h"
#include "scene/read.h"

static wbStatus readPins(const wbReader *reader, const json_t *array, const wbPath *owner,
                         wbSceneSolid *solid) {
    wbPath path = {owner, "pins", 0};
    WB_TRY(wbCheckType(reader, json_is_array(array), array, &path, "an array of whole numbers"));
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *value = json_array_get(array, i);
        wbPath place = {&path, NULL, i};
        double number = json_number_value(value);
        bool isWhole = json_is_number(value) && number == floor(number) && fabs(number) < INT_MAX;
        WB_TRY(wbCheckType(reader, isWhole, value, &place, "a whole number"));
        int *pin = wbAppend(&solid->pins, &solid->pinCount);
        if (!pin) return wbMemoryError(NULL, "pins need");
        *pin = (int)number;
    }
    return wb_okStatus;
}

static wbStatus fillSolid(const wbReader *reader, const json_t *value, const wbPath *path,
                          wbSceneSolid *solid) {
    wbForm form = wbMakeSolidForm();
    WB_TRY(wbReadObject(reader, &form, value, path, &solid->params));
    WB_TRY(wbReadName(reader, value, path, solid->name));
    const json_t *pins = json_object_get(value, "pins"), *mesh = json_object_get(value, "mesh");
    bool isOfMesh = solid->params.shape == wb_solidMeshSurface || solid->params.shape == wb_solidMeshVolume;
    if (isOfMesh != (mesh != NULL))
        return wbSource_FailAt(reader->source, path,
                               mesh ? "only meshSurface and meshVolume have a mesh"
                                    : "meshSurface and meshVolume need \"mesh\": its file");
    if (pins) WB_TRY(readPins(reader, pins, path, solid));
    return mesh ? wbReadMeshKey(reader, mesh, path, &solid->mesh) : wb_okStatus;
}

wbStatus wbReadSolid(const wbReader *reader, const json_t *value, const wbPath *path) {
    wbSceneSolid solid = {.params = wbDefaultSolidDef().params, .pins.elementSize = sizeof(int)};
    wbStatus status = fillSolid(reader, value, path, &solid);
    wbSceneSolid *added =
        wbIsOk(status) ? wbAppend(&reader->scene->solids, &reader->scene->solidCount) : NULL;
    if (added) {
        *added = solid;
        return wb_okStatus;
    }
    wbArray_Free(NULL, &solid.pins);
    wbFreeMesh(&solid.mesh);
    return wbIsOk(status) ? wbMemoryError(NULL, "a solid needs") : status;
}
