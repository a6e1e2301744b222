// SPDX-License-Identifier: MIT
// Probes of a scene.
#include <string.h>

#include "core/memory.h"
#include "core/status.h"
#include "scene/read.h"

// The fluid or collider that it names must be there.
static wbStatus readOf(const wbReader *reader, const json_t *value, const wbPath *path, const char *kind,
                       char target[WB_NAME_SIZE]) {
    WB_TRY(wbReadReference(reader, value, path, kind, target));
    if (!json_object_get(value, kind)) return wb_okStatus;
    const char *name;
    for (int i = 0; (name = wbScene_GetNameOfKind(reader->scene, kind, i)) != NULL; i++)
        if (strcmp(name, target) == 0) return wb_okStatus;
    return wbReader_FailUnknown(reader, &(wbPath){path, kind, 0}, kind, target);
}

wbStatus wbReadProbe(const wbReader *reader, const json_t *value, const wbPath *path) {
    wbSceneProbe probe = {.params = wbDefaultProbeDef().params};
    wbForm form = wbMakeProbeForm();
    WB_TRY(wbReadObject(reader, &form, value, path, &probe.params));
    WB_TRY(wbReadName(reader, value, path, probe.name));
    WB_TRY(readOf(reader, value, path, "fluid", probe.fluid));
    WB_TRY(readOf(reader, value, path, "collider", probe.collider));
    wbSceneProbe *added = wbAppend(&reader->scene->probes, &reader->scene->probeCount);
    if (!added) return wbMemoryError(NULL, "a probe needs");
    *added = probe;
    return wb_okStatus;
}
