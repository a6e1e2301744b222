// SPDX-License-Identifier: MIT
// The air of a scene file: "smoke", and the sources that feed it.
#include "core/status.h"
#include "scene/read.h"

wbStatus wbReadSmoke(const wbReader *reader, const json_t *value, const wbPath *path) {
    wbWorldDef *def = &reader->scene->def;
    wbForm form = wbMakeSectionForm(wbGetParams("smoke"));
    if (!(def->domain.max.x > def->domain.min.x))
        return wbSource_FailAtKey(reader->source, path,
                                  "smoke fills the box of the domain, and the scene has no \"domain\"");
    def->hasSmoke = true;
    return wbReadObject(reader, &form, value, path, &def->smoke);
}

static wbStatus fillSource(const wbReader *reader, const json_t *value, const wbPath *path,
                           wbSceneSource *source) {
    wbForm form = wbMakeSourceForm();
    const json_t *mesh = json_object_get(value, "mesh");
    if (!reader->scene->def.hasSmoke)
        return wbSource_FailAt(reader->source, path,
                               "a source feeds smoke, and the scene has none: add \"smoke\": {}");
    WB_TRY(wbReadObject(reader, &form, value, path, &source->params));
    WB_TRY(wbReadName(reader, value, path, source->name));
    if (mesh && !json_object_get(value, "shape")) source->params.shape = wb_sourceMesh;
    if ((mesh != NULL) != (source->params.shape == wb_sourceMesh))
        return wbSource_FailAt(reader->source, path,
                               mesh ? "a source with a mesh has the shape \"mesh\", or none"
                                    : "a source of the shape \"mesh\" needs \"mesh\": its file");
    return mesh ? wbReadMeshKey(reader, mesh, path, &source->mesh) : wb_okStatus;
}

wbStatus wbReadSmokeSource(const wbReader *reader, const json_t *value, const wbPath *path) {
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
