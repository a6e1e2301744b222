// SPDX-License-Identifier: MIT
#include "app/view/sections.h"

#include <stdio.h>
#include <string.h>

#include "core/hash.h"
#include "core/status.h"

typedef struct List {
    wbArray *sections;
    int count;
    bool isShort; ///< memory ran out
} List;

static void add(List *list, const char *name, const wbParamTable *table, bool isObject, bool isPicture) {
    if (!table || !name || !name[0]) return;
    if (!wbArray_Reserve(NULL, list->sections, list->count + 1)) {
        list->isShort = true;
        return;
    }
    wbSection *section = (wbSection *)list->sections->data + list->count++;
    *section = (wbSection){.table = table, .isObject = isObject, .isPicture = isPicture};
    snprintf(section->name, sizeof section->name, "%s", name);
}

// A solver without objects of its own matters as soon as there are those that it does something with, also where it is switched off.
static bool isOffered(const wbWorld *world, const wbSolverInfo *solver) {
    int count;
    const wbSolverInfo *const *solvers = wbGetSolvers(&count);
    for (int i = 0; i < count; i++)
        if (solvers[i]->object && strstr(solver->with, solvers[i]->object) &&
            wbWorld_HasSolver(world, solvers[i]->name))
            return true;
    return false;
}

// A solver that has nothing to do in this world would only make the panel longer.
static bool isUsed(const wbWorld *world, const char *section, bool *isIdle) {
    int count;
    const wbSolverInfo *const *solvers = wbGetSolvers(&count);
    *isIdle = false;
    for (int i = 0; i < count; i++) {
        if (strcmp(solvers[i]->name, section) != 0) continue;
        *isIdle = !wbWorld_HasSolver(world, section);
        return !*isIdle || (!solvers[i]->object && isOffered(world, solvers[i]));
    }
    return true;
}

#define WB_ADD_OBJECTS(Kind, kind)                                                                           \
    for (int i = 0; i < wbWorld_Get##Kind##Count(world); i++)                                                \
    add(list, wb##Kind##_GetName(world, wbWorld_Get##Kind(world, i)), wbGetObjectParams(kind), true, false)

static void addObjects(List *list, const wbWorld *world) {
    WB_ADD_OBJECTS(Emitter, "emitter");
    WB_ADD_OBJECTS(Drain, "drain");
    WB_ADD_OBJECTS(Mechanism, "mechanism");
    WB_ADD_OBJECTS(Collider, "collider");
    WB_ADD_OBJECTS(SoftBody, "softBody");
    WB_ADD_OBJECTS(Source, "source");
    WB_ADD_OBJECTS(Probe, "probe");
    WB_ADD_OBJECTS(Joint, "joint");
    WB_ADD_OBJECTS(Force, "force");
    WB_ADD_OBJECTS(RigidBody, "rigidBody");
}

wbStatus wbListSections(const wbWorld *world, wbArray *sections, int *count) {
    sections->elementSize = sizeof(wbSection);
    List list = {.sections = sections};
    int tables;
    const wbParamTable *const *ofWorlds = wbGetParamTables(&tables);
    for (int i = 0; i < tables; i++) {
        bool isIdle;
        if (!isUsed(world, ofWorlds[i]->section, &isIdle)) continue;
        add(&list, ofWorlds[i]->section, ofWorlds[i], false, false);
        if (!list.isShort) ((wbSection *)sections->data)[list.count - 1].isIdle = isIdle;
    }
    const wbParamTable *ofScenes = wbGetSceneParamTables(&tables);
    for (int i = 0; i < tables; i++) add(&list, ofScenes[i].section, &ofScenes[i], false, true);
    addObjects(&list, world);
    *count = list.count;
    return list.isShort ? wbMemoryError(NULL, "a list of %d sections needs", list.count) : wb_okStatus;
}

uint64_t wbHashSections(const wbWorld *world) {
    const int counts[] = {wbWorld_GetEmitterCount(world),   wbWorld_GetDrainCount(world),
                          wbWorld_GetMechanismCount(world), wbWorld_GetColliderCount(world),
                          wbWorld_GetSoftBodyCount(world),  wbWorld_GetSourceCount(world),
                          wbWorld_GetProbeCount(world),     wbWorld_GetJointCount(world),
                          wbWorld_GetForceCount(world),     wbWorld_GetRigidBodyCount(world)};
    uint64_t hash = wbHashBytes(WB_HASH_START, counts, sizeof counts);
    int count;
    const wbSolverInfo *const *solvers = wbGetSolvers(&count);
    for (int i = 0; i < count; i++) {
        const bool isThere = wbWorld_HasSolver(world, solvers[i]->name);
        hash = wbHashBytes(hash, &isThere, sizeof isThere);
    }
    return hash;
}

wbStatus wbSection_ReadRow(const wbScene *scene, const wbWorld *world, const wbSection *section,
                           const wbParam *param, char *text, int size) {
    char key[2 * WB_SECTION_NAME];
    snprintf(key, sizeof key, "%s.%s", section->name, param->name);
    return section->isPicture ? wbScene_Get(scene, key, text, size)
                              : wbWorld_GetParam(world, key, text, size);
}
