// SPDX-License-Identifier: MIT
// Qualities of fluids: they set parameters before the sections of solvers are read, whose values win.
#include "core/status.h"
#include "scene/read.h"
#include "scene/solvers.h"

// What a fluid says, wb_qualityOwn where that is nothing or none of the choices: who reads the fluid complains.
static wbQuality findQuality(const json_t *fluid) {
    wbSceneFluidKeys keys = {0};
    const char *text = json_string_value(json_object_get(fluid, "quality"));
    return text && wbIsOk(wbParam_SetText(wbFindParam(wb_fluidForm.table, "quality"), &keys, text))
               ? keys.quality
               : wb_qualityOwn;
}

// What a world can choose from the water that is there is chosen, unless the scene gives it.
static void leaveToWorld(wbWorldDef *def, const wbSolverInfo *solver) {
    const wbParamTable *table = wbGetParams(solver->name);
    for (const wbParam *p = table->params; p < table->params + table->count; p++)
        if (p->isChosen) (void)wbParam_SetText(p, wbGetSolverParams(def, solver), "auto");
}

void wbReadQualities(const wbReader *reader, const json_t *fluids) {
    wbWorldDef *def = &reader->scene->def;
    for (size_t i = 0; i < json_array_size(fluids); i++) {
        const wbQuality quality = findQuality(json_array_get(fluids, i));
        if (quality == wb_qualityOwn) continue;
        wbWorldDef_SetQuality(def, quality);
        leaveToWorld(def, wbGetFluidSolver(wbGetQuality(quality)->solver));
    }
}

static const char *getText(const json_t *fluid, const char *key) {
    return json_string_value(json_object_get(fluid, key));
}

wbStatus wbCheckQuality(const wbReader *reader, const json_t *value, const wbPath *path,
                        wbSceneFluidKeys *keys) {
    const wbQualityInfo *info = wbGetQuality(keys->quality);
    if (!info) return wb_okStatus;
    const char *solver = wbGetFluidSolver(info->solver)->name, *quality = getText(value, "quality");
    if (getText(value, "solver") && keys->solver != info->solver)
        return wbReader_FailAtSubject(
            reader, &(wbPath){path, "solver", 0},
            wbError(wb_errorInput, "is \"%s\", but the quality \"%s\" is one of the solver %s: leave one out",
                    getText(value, "solver"), quality, solver));
    for (int i = 0; i < reader->scene->fluidCount; i++) {
        const wbSceneFluid *other = wbScene_GetFluid(reader->scene, i);
        const wbQualityInfo *said = wbGetQuality(other->quality);
        if (said && said->solver == info->solver && said != info)
            return wbReader_FailAtSubject(
                reader, &(wbPath){path, "quality", 0},
                wbError(wb_errorInput,
                        "is \"%s\", but fluid \"%s\" has named another for all fluids of "
                        "the solver %s: give both the same, or one of them none",
                        quality, other->name, solver));
    }
    keys->solver = info->solver;
    return wb_okStatus;
}
