// SPDX-License-Identifier: MIT
// Grabs in a checkpoint. All but their names is a state that a world can go back to in place: a mouse changes it all the time.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "world/checkpoint.h"

_Static_assert(sizeof(wbSavedGrab) == 352, "as it stands in the file");

static int findKind(const wbObjectKind *kind) {
    for (int k = 0; k < WB_OBJECT_KIND_COUNT; k++)
        if (wbGetObjectKind(k) == kind) return k;
    return -1;
}

void wbSaveGrabs(const wbWorld *world, wbSectionList *list) {
    const size_t count = (size_t)world->grabIds.indexCount;
    wbSavedGrab *grabs = wbAddOwnedSection(list, "grabs", count * sizeof *grabs);
    for (size_t i = 0; i < count && grabs; i++) {
        const wbGrab *grab = wbGetGrabAt(world, (int)i);
        wbSavedGrab *saved = &grabs[i];
        memset(saved, 0, sizeof *saved);
        memcpy(saved->name, grab->name, sizeof saved->name);
        saved->index1 = wbIdPool_GetIndex1(&world->grabIds, (int)i);
        saved->kind = findKind(grab->kind);
        saved->ofIndex1 = grab->index1, saved->generation = grab->generation;
        saved->state = grab->state;
        for (int r = 0; r < wb_grabTable.count; r++)
            wbParam_GetNumbers(&wb_grabTable.params[r], &grab->params, saved->numbers[r]);
    }
}

// What it held may have been destroyed: then it holds nothing, now as before.
static wbStatus readGrab(const char *bytes, wbGrab *grab, uint32_t *index1) {
    wbSavedGrab saved;
    memcpy(&saved, bytes, sizeof saved);
    *grab = (wbGrab){.params = wbDefaultGrabDef().params};
    *index1 = saved.index1;
    bool isGood = wbIsSavedObject(saved.name, saved.index1) && saved.kind >= -1 &&
                  saved.kind < WB_OBJECT_KIND_COUNT &&
                  (saved.state.isPlaced == 0 || saved.state.isPlaced == 1) &&
                  wbAreFinite(saved.state.position, 3) && wbAreFinite(saved.state.velocity, 3);
    if (isGood && saved.kind >= 0) grab->kind = wbGetObjectKind(saved.kind);
    isGood = isGood && (!grab->kind || grab->kind == &wb_softBodyKind || grab->kind == &wb_rigidBodyKind ||
                        grab->kind == &wb_colliderKind);
    if (!isGood) return wbError(wb_errorInput, "a grab makes no sense");
    memcpy(grab->name, saved.name, sizeof grab->name);
    grab->index1 = saved.ofIndex1, grab->generation = saved.generation;
    grab->state = grab->hostState = saved.state;
    for (int r = 0; r < wb_grabTable.count; r++) {
        const wbParam *param = &wb_grabTable.params[r];
        wbStatus status = wbParam_IsAuto(param, saved.numbers[r][0])
                              ? wbParam_SetText(param, &grab->params, "auto")
                              : wbParam_SetNumbers(param, &grab->params, saved.numbers[r],
                                                   param->type == wb_paramVec3 ? 3 : 1);
        if (!wbIsOk(status)) return wbError(status.code, "grab \"%s\": %s", grab->name, status.text);
    }
    return wb_okStatus;
}

static wbStatus findGrabs(wbSectionList *list, const char **bytes, size_t *count) {
    const wbSection *section;
    WB_TRY(wbFindParts(list, "grabs", sizeof(wbSavedGrab), WB_MAX_GRABS, &section, count));
    *bytes = section->data;
    return wb_okStatus;
}

wbStatus wbLoadGrabs(wbSectionList *list, wbWorld *world) {
    const char *bytes;
    size_t count;
    WB_TRY(findGrabs(list, &bytes, &count));
    for (size_t i = 0; i < count; i++) {
        wbGrab grab;
        uint32_t index1;
        WB_TRY(readGrab(bytes + i * sizeof(wbSavedGrab), &grab, &index1));
        WB_TRY(wbAddGrab(world, &grab, index1));
    }
    return wb_okStatus;
}

wbStatus wbCheckGrabStates(wbSectionList *list) {
    const char *bytes;
    size_t count;
    WB_TRY(findGrabs(list, &bytes, &count));
    for (size_t i = 0; i < count; i++) {
        wbGrab grab;
        uint32_t index1;
        WB_TRY(readGrab(bytes + i * sizeof(wbSavedGrab), &grab, &index1));
    }
    return wb_okStatus;
}

void wbLoadGrabStates(wbSectionList *list, wbWorld *world) {
    const char *bytes;
    size_t count;
    if (!wbIsOk(findGrabs(list, &bytes, &count))) return;
    for (size_t i = 0; i < count; i++) {
        wbGrab grab;
        uint32_t index1;
        (void)readGrab(bytes + i * sizeof(wbSavedGrab), &grab, &index1); // it was checked
        *wbGetGrabAt(world, (int)i) = grab;
    }
}
