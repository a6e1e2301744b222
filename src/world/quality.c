// SPDX-License-Identifier: MIT
// Qualities of fluids: sets of parameters that solvers list in their adapters.
#include "core/status.h"
#include "world/world.h"

const char wb_qualityNames[] = "own|fast|balanced|precise";

const wbQualityInfo *wbGetQuality(wbQuality quality) {
    WB_ASSERT(quality >= wb_qualityOwn && quality <= wb_qualityPrecise, "unknown quality");
    for (int s = 0; s < WB_SOLVER_COUNT; s++) {
        const wbSolverKind *kind = wbGetSolverKind(s);
        for (int k = 0; k < kind->qualityCount; k++)
            if (kind->qualities[k].quality == quality) return &kind->qualities[k];
    }
    return NULL;
}

wbFluidSolver wbWorldDef_SetQuality(wbWorldDef *def, wbQuality quality) {
    WB_ASSERT(def && def->cookie == WB_WORLD_COOKIE, "make the def with wbDefaultWorldDef");
    const wbQualityInfo *info = wbGetQuality(quality);
    WB_ASSERT(info, "a quality of one's own sets nothing");
    const wbSolverKind *kind = wbGetSolverKind((int)info->solver);
    for (int i = 0; i < info->valueCount; i++) {
        const wbQualityValue *value = &info->values[i];
        const wbParam *param = wbFindParam(kind->table, value->name);
        WB_ASSERT(param && wbIsOk(wbParam_SetText(param, wbGetSectionOf(kind, def), value->text)),
                  "a quality has values that its solver allows");
    }
    return info->solver;
}
