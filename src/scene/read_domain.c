// SPDX-License-Identifier: MIT
#include <math.h>

#include "core/status.h"
#include "scene/read.h"

// In 2D nothing is in front of the plane or behind it.
static wbStatus checkDepth(const wbReader *reader, const json_t *value, const wbPath *path) {
    for (int side = 2 * reader->scene->def.params.dimensions; side < wb_sideCount; side++) {
        wbPath sidePath = {path, wb_sideNames[side], 0};
        if (json_object_get(value, wb_sideNames[side]))
            return wbSource_FailAtKey(reader->source, &sidePath, "2 dimensions have no side \"%s\"",
                                      wb_sideNames[side]);
    }
    return wb_okStatus;
}

// "left" and "sides": {"left": {"type": …}} say the same.
static wbStatus checkTwice(const wbReader *reader, const json_t *value, const json_t *sides,
                           const wbPath *path) {
    for (int side = 0; side < wb_sideCount; side++)
        if (json_object_get(value, wb_sideNames[side]) &&
            json_object_get(json_object_get(sides, wb_sideNames[side]), "type"))
            return wbSource_FailAtKey(reader->source, &(wbPath){path, wb_sideNames[side], 0},
                                      "domain.%s is also given by domain.sides.%s.type: leave one out",
                                      wb_sideNames[side], wb_sideNames[side]);
    return wb_okStatus;
}

static wbStatus readSides(const wbReader *reader, const json_t *value, const wbPath *path) {
    wbDomainDef *domain = &reader->scene->def.domain;
    int sideCount = 2 * reader->scene->def.params.dimensions;
    WB_TRY(wbCheckType(reader, json_is_object(value), value, path, "an object"));
    WB_TRY(checkDepth(reader, value, path));
    WB_TRY(wbCheckKeys(reader, value, path, wb_sideNames, sideCount));
    for (int side = 0; side < sideCount; side++) {
        const json_t *object = json_object_get(value, wb_sideNames[side]);
        wbPath sidePath = {path, wb_sideNames[side], 0};
        if (object) WB_TRY(wbReadObject(reader, &wb_sideForm, object, &sidePath, &domain->sides[side]));
    }
    return wb_okStatus;
}

static wbStatus checkExtent(const wbReader *reader, const wbPath *path) {
    const wbDomainDef *domain = &reader->scene->def.domain;
    const float *min = &domain->min.x, *max = &domain->max.x;
    for (int i = 0; i < reader->scene->def.params.dimensions; i++) {
        if (max[i] > min[i]) continue;
        wbPath maxPath = {path, "max", 0};
        return wbSource_FailAt(reader->source, &(wbPath){&maxPath, NULL, (size_t)i},
                               "domain.max[%d] is %g, must be above domain.min[%d], which is %g", i,
                               (double)max[i], i, (double)min[i]);
    }
    return wb_okStatus;
}

wbStatus wbReadDomain(const wbReader *reader, const json_t *value, const wbPath *path) {
    wbDomainDef *domain = &reader->scene->def.domain;
    // closed unless the file says otherwise
    for (int side = 0; side < wb_sideCount; side++) {
        bool exists = side < 2 * reader->scene->def.params.dimensions;
        domain->sides[side] = (wbSideDef){.type = exists ? wb_sideFreeSlip : wb_sideOpen, .temperature = NAN};
    }
    wbForm form = wbMakeDomainForm();
    WB_TRY(wbReadObject(reader, &form, value, path, domain));
    WB_TRY(checkDepth(reader, value, path));
    WB_TRY(checkExtent(reader, path));
    const json_t *sides = json_object_get(value, "sides");
    WB_TRY(checkTwice(reader, value, sides, path));
    return sides ? readSides(reader, sides, &(wbPath){path, "sides", 0}) : wb_okStatus;
}
