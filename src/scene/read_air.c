// SPDX-License-Identifier: MIT
// Sources that feed the air of a scene file.
#include "core/status.h"
#include "scene/read.h"

static wbStatus fillSource(const wbReader *reader, const json_t *value, const wbPath *path,
                           wbSceneSource *source) {
    wbForm form = wbMakeSourceForm();
    const json_t *mesh = json_object_get(value, "mesh");
    WB_TRY(wbReadObject(reader, &form, value, path, &source->params));
    WB_TRY(wbReadName(reader, value, path, source->name));
    if (mesh && !json_object_get(value, "shape")) source->params.shape = wb_sourceMesh;
    if ((mesh != NULL) != (source->params.shape == wb_sourceMesh))
        return wbSource_FailAt(reader->source, path,
                               mesh ? "a source with a mesh has the shape \"mesh\", or none"
                                    : "a source of the shape \"mesh\" needs \"mesh\": its file");
    return mesh ? wbReadMeshKey(reader, mesh, path, &source->mesh) : wb_okStatus;
}

wbStatus wbReadAirSource(const wbReader *reader, const json_t *value, const wbPath *path) {
    wbSceneSource source = {.params = wbDefaultSourceDef().params};
    wbStatus status = fillSource(reader, value, path, &source);
    wbSceneSource *added =
        wbIsOk(status) ? wbAppend(&reader->scene->sources, &reader->scene->sourceCount) : NULL;
    if (added) {
        *added = source;
        return wb_okStatus;
    }
    wbFreeMesh(&source.mesh);
    return wbIsOk(status) ? wbMemoryError(NULL, "a source needs") : status;
}
