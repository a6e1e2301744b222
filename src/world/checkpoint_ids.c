// SPDX-License-Identifier: MIT
// Ids of objects in a checkpoint: all slots, so that ids that a program holds are as valid after loading as before. Each
// object's record says which slot is its own.
#include <limits.h>
#include <string.h>

#include "core/status.h"
#include "world/checkpoint.h"

void wbSaveIds(const wbWorld *world, wbSectionList *list) {
    size_t count = WB_OBJECT_KIND_COUNT;
    for (int k = 0; k < WB_OBJECT_KIND_COUNT; k++)
        count += (size_t)wbGetIds(world, wbGetObjectKind(k))->slotCount;
    uint32_t *numbers = wbAddOwnedSection(list, "ids", sizeof *numbers * count);
    if (!numbers) return;
    uint32_t *generations = numbers + WB_OBJECT_KIND_COUNT;
    for (int k = 0; k < WB_OBJECT_KIND_COUNT; k++) {
        const wbIdPool *ids = wbGetIds(world, wbGetObjectKind(k));
        numbers[k] = (uint32_t)ids->slotCount;
        for (int s = 0; s < ids->slotCount; s++)
            *generations++ = ((const wbIdSlot *)ids->slots.data)[s].generation;
    }
}

static wbStatus loadSlots(wbWorld *world, const uint32_t *numbers, size_t count) {
    size_t used = WB_OBJECT_KIND_COUNT;
    for (int k = 0; k < WB_OBJECT_KIND_COUNT; k++) {
        const wbObjectKind *kind = wbGetObjectKind(k);
        if (numbers[k] > count - used) return wbError(wb_errorInput, "section \"ids\" is cut");
        if (!wbIdPool_LoadSlots(world->memory, wbGetIds(world, kind), numbers + used, (int)numbers[k]))
            return wbMemoryError(world->memory, "the ids of %u objects need", numbers[k]);
        used += numbers[k];
    }
    return used == count ? wb_okStatus : wbError(wb_errorInput, "section \"ids\" is too long");
}

wbStatus wbLoadIds(wbSectionList *list, wbWorld *world) {
    const wbSection *section;
    size_t count;
    WB_TRY(wbFindParts(list, "ids", sizeof(uint32_t), INT_MAX / 2, &section, &count));
    if (count < WB_OBJECT_KIND_COUNT) return wbError(wb_errorInput, "section \"ids\" is cut");
    uint32_t *numbers = wbAlloc(NULL, section->size); // the file's bytes may lie anywhere
    if (!numbers) return wbMemoryError(NULL, "to load ids needs");
    memcpy(numbers, section->data, section->size);
    wbStatus status = loadSlots(world, numbers, count);
    wbFree(NULL, numbers, section->size);
    return status;
}

wbStatus wbCheckIds(const wbWorld *world) {
    for (int k = 0; k < WB_OBJECT_KIND_COUNT; k++)
        if (!wbIdPool_IsWhole(wbGetIds(world, wbGetObjectKind(k))))
            return wbError(wb_errorInput, "section \"ids\" has an id of no %s", wbGetObjectKind(k)->title);
    return wb_okStatus;
}
