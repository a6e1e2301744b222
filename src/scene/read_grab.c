// SPDX-License-Identifier: MIT
// Grabs of a scene. What they hold is looked for when the world is made, as copies of bodies have their names only then.
#include <string.h>

#include "core/memory.h"
#include "core/status.h"
#include "scene/read.h"

wbStatus wbReadGrab(const wbReader *reader, const json_t *value, const wbPath *path) {
    wbSceneGrab grab = {.params = wbDefaultGrabDef().params};
    const wbForm form = wbMakeGrabForm();
    WB_TRY(wbReadObject(reader, &form, value, path, &grab.params));
    WB_TRY(wbReadName(reader, value, path, grab.name));
    WB_TRY(wbReadReference(reader, value, path, "of", grab.of));
    wbSceneGrab *added = wbAppend(&reader->scene->grabs, &reader->scene->grabCount);
    if (!added) return wbMemoryError(NULL, "a grab needs");
    *added = grab;
    return wb_okStatus;
}
