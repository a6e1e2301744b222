// SPDX-License-Identifier: MIT
// Probes in a checkpoint.
#include <string.h>

#include "core/status.h"
#include "world/checkpoint.h"
#include "world/probe.h"

_Static_assert(sizeof(wbSavedProbe) == 84, "as it stands in the file");

void wbSaveProbes(const wbWorld *world, wbSectionList *list) {
    const size_t count = (size_t)world->probeIds.indexCount;
    wbSavedProbe *probes = wbAddOwnedSection(list, "probes", count * sizeof *probes);
    for (size_t i = 0; i < count && probes; i++) {
        const wbProbe *probe = wbGetProbeAt(world, (int)i);
        probes[i] = (wbSavedProbe){.index1 = wbIdPool_GetIndex1(&world->probeIds, (int)i),
                                   .fluid = probe->fluid,
                                   .collider = probe->collider};
        memcpy(probes[i].name, probe->name, sizeof probe->name);
    }
}

// What it names may have been destroyed: then it measures nothing, now as before.
wbStatus wbLoadProbes(wbSectionList *list, wbWorld *world) {
    const wbSection *section;
    size_t count;
    WB_TRY(wbFindParts(list, "probes", sizeof(wbSavedProbe), WB_MAX_PROBES, &section, &count));
    for (size_t i = 0; i < count; i++) {
        wbSavedProbe saved;
        memcpy(&saved, (const char *)section->data + i * sizeof saved, sizeof saved);
        if (!wbIsSavedObject(saved.name, saved.index1))
            return wbError(wb_errorInput, "probe %zu makes no sense", i);
        wbProbe probe = {
            .fluid = saved.fluid, .collider = saved.collider, .params = wbDefaultProbeDef().params};
        memcpy(probe.name, saved.name, sizeof probe.name);
        WB_TRY(wbAddProbe(world, &probe, saved.index1));
    }
    return wb_okStatus;
}
