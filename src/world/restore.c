// SPDX-License-Identifier: MIT
// Going back to a state that was saved. If the bytes have the objects that the world has, it goes back in place: numbers, which are
// few, are taken first and put back if something is wrong; columns, which are large, are checked where they are and copied when
// nothing can fail any more. What was made of the objects stays: shapes, points, trees, colours, buffers of a device. If they have
// other objects, a world is made of the bytes beside this one, and takes its place.
#include <string.h>

#include "core/param_table.h"
#include "core/status.h"
#include "world/checkpoint.h"

// Records of objects that are alike but for their state.
typedef struct Part {
    const char *section;
    size_t size, state, stateSize; // bytes
} Part;

static const Part parts[] = {
    {"fluids", sizeof(wbSavedFluid), offsetof(wbSavedFluid, spawned), 2 * sizeof(int64_t)},
    {"emitters", sizeof(wbSavedEmitter), offsetof(wbSavedEmitter, state), sizeof(wbEmitterState)},
    {"drains", sizeof(wbSavedDrain), offsetof(wbSavedDrain, state), sizeof(wbDrainState)},
    {"colliders", sizeof(wbSavedCollider), offsetof(wbSavedCollider, state), sizeof(wbColliderState)},
    {"grabs", sizeof(wbSavedGrab), offsetof(wbSavedGrab, kind),
     sizeof(wbSavedGrab) - offsetof(wbSavedGrab, kind)},
    {"mechanisms", sizeof(wbSavedMechanism), offsetof(wbSavedMechanism, state), sizeof(wbMechanismState)},
};

static bool areSame(const wbSection *a, const wbSection *b) {
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

static bool areAlike(const wbSection *a, const wbSection *b) {
    const Part *part = parts, *end = parts + sizeof parts / sizeof parts[0];
    while (part < end && strcmp(part->section, a->name) != 0) part++;
    if (part == end) return areSame(a, b);
    if (a->size != b->size || a->size % part->size != 0) return false;
    for (size_t at = 0; at < a->size; at += part->size) {
        const char *one = (const char *)a->data + at, *two = (const char *)b->data + at;
        const size_t behind = part->state + part->stateSize;
        if (memcmp(one, two, part->state) != 0 ||
            memcmp(one + behind, two + behind, part->size - behind) != 0)
            return false;
    }
    return true;
}

// "name.": what belongs to a solver's state, and its `resize` makes room for.
static bool isOfSolver(const wbWorld *world, const char *section) {
    const size_t length = strcspn(section, ".");
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (section[length] == '.' && strncmp(s->kind->info.name, section, length) == 0 &&
            s->kind->info.name[length] == 0)
            return true;
    return false;
}

// Columns that are as the objects were made.
static bool areFixedSame(const wbSolver *solver, wbSectionList *list) {
    wbStateColumn columns[WB_MAX_STATE_COLUMNS];
    int count = solver->kind->listColumns(solver, columns);
    for (int c = 0; c < count; c++) {
        wbStatus status = wb_okStatus;
        if (!columns[c].isFixed) continue;
        const void *bytes = wbFindSection(list, columns[c].name, columns[c].bytes, &status);
        if (!wbIsOk(status) || (columns[c].bytes && memcmp(bytes, columns[c].data, columns[c].bytes) != 0))
            return false;
    }
    return true;
}

// Parameters that cannot change while a world lives.
static bool areFixedParamsSame(const wbWorld *world, const wbWorldDef *def) {
    int tableCount;
    const wbParamTable *const *tables = wbGetParamTables(&tableCount);
    for (int t = 0; t < tableCount; t++) {
        const wbSolver *solver = wbFindSolver((wbWorld *)world, tables[t]);
        const void *now = solver ? wbGetSectionOf(solver->kind, (wbWorldDef *)&world->def)
                                 : (void *)&world->params,
                   *then = solver ? wbGetSectionOf(solver->kind, (wbWorldDef *)def) : (void *)&def->params;
        if (strcmp(tables[t]->section, "domain") == 0) continue; // a section of its own says it
        for (int i = 0; i < tables[t]->count; i++) {
            const wbParam *param = &tables[t]->params[i];
            double a[3] = {0}, b[3] = {0};
            if (param->live) continue;
            wbParam_GetNumbers(param, now, a);
            wbParam_GetNumbers(param, then, b);
            if (memcmp(a, b, sizeof a) != 0) return false;
        }
    }
    return memcmp(&def->domain.min, world->domain.madeMin, sizeof def->domain.min) == 0 &&
           memcmp(&def->domain.max, world->domain.madeMax, sizeof def->domain.max) == 0;
}

// What the world has now, and what of the bytes is different.
typedef struct Way {
    wbSectionList now; // what it is made of, params, domain, objects
    wbWorldDef def;    // of the bytes, if hasOtherParams
    wbDomain domain;   // likewise
    bool hasOtherParams, hasOtherObjects, hasOtherRoom;
} Way;

// Whether the bytes, too, have all of what the world is made of.
static bool isAlike(wbWorld *world, wbSectionList *list, Way *way) {
    for (int i = 0; i < way->now.count; i++) {
        wbStatus status = wb_okStatus;
        const wbSection *now = &way->now.items[i], *then = wbFindAnySection(list, now->name, &status);
        if (!then) return false;
        const bool isSame = areSame(now, then);
        if (strcmp(now->name, "params") == 0 || strcmp(now->name, "domain") == 0)
            way->hasOtherParams |= !isSame;
        else if (strcmp(now->name, "objects") == 0)
            way->hasOtherObjects = !isSame;
        else if (isOfSolver(world, now->name))
            way->hasOtherRoom |= !isSame;
        else if (!isSame && !areAlike(now, then))
            return false;
    }
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->self && !areFixedSame(s, list)) return false;
    return true;
}

// False if the bytes make another world; a def that makes none is an error then, too.
static bool readParams(const wbWorld *world, wbSectionList *list, Way *way) {
    wbSavedDomain saved;
    if (!way->hasOtherParams) return true;
    way->def = wbDefaultWorldDef();
    if (!wbIsOk(wbReadSavedDef(list, &way->def, &saved)) || !wbIsOk(wbCheckWorldDef(&way->def)) ||
        !areFixedParamsSame(world, &way->def))
        return false;
    way->domain = wbMakeDomain(&way->def.domain, way->def.params.gravity, way->def.params.dimensions);
    return wbIsOk(wbLoadSides(&saved, &way->domain));
}

// Numbers of the state before it goes back.
typedef struct Numbers {
    wbWorldDef def;
    wbDomain domain;
    wbVec3 bookedGravity;
    uint8_t world[WB_WORLD_VALUES][8];
    uint8_t solvers[WB_SOLVER_COUNT][WB_MAX_SOLVER_VALUES][8];
} Numbers;

static void passValues(const wbSavedValue *values, int count, uint8_t (*kept)[8], bool isBack) {
    for (int v = 0; v < count; v++)
        memcpy(isBack ? values[v].data : kept[v], isBack ? kept[v] : values[v].data,
               wbGetValueSize(values[v].type));
}

static void passNumbers(wbWorld *world, Numbers *numbers, bool isBack) {
    wbSavedValue own[WB_WORLD_VALUES], values[WB_MAX_SOLVER_VALUES];
    wbWorld_ListValues(world, own);
    passValues(own, WB_WORLD_VALUES, numbers->world, isBack);
    for (int s = 0; s < WB_SOLVER_COUNT; s++) {
        const wbSolver *solver = &world->solvers[s];
        if (solver->self)
            passValues(values, wbSolver_ListValues(solver, values), numbers->solvers[s], isBack);
    }
}

// All that may fail: parameters, numbers, room, and whether the rest can be a state.
static wbStatus take(wbWorld *world, wbSectionList *list, const Way *way) {
    wbStatus status = wb_okStatus;
    if (way->hasOtherParams) WB_TRY(wbTakeParams(world, &way->def, &way->domain));
    WB_TRY(wbLoadValues(list, world));
    for (wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++) {
        if (!s->self) continue;
        WB_TRY(wbSolver_LoadValues(s, list));
        WB_TRY(wbSolver_CheckColumns(s, list));
    }
    WB_TRY(wbReserveIdRuns(list, world));
    WB_TRY(wbCheckParticles(list, world));
    WB_TRY(wbCheckFlowStates(list));
    WB_TRY(wbCheckColliderStates(list));
    WB_TRY(wbCheckGrabStates(list));
    const wbSection *objects = wbFindAnySection(list, "objects", &status),
                    *writer = wbFindAnySection(list, "writer", &status);
    if (!objects || !writer) return status;
    WB_TRY(wbCheckAllFound(list));
    if (way->hasOtherObjects) WB_TRY(wbReadSavedObjects(objects, world));
    wbNoticeWriter(writer, world, wb_okStatus);
    return wb_okStatus;
}

static void untake(wbWorld *world, Way *way, Numbers *numbers) {
    wbStatus status = wb_okStatus;
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->self && s->kind->endStep) s->kind->endStep(s, true);
    if (way->hasOtherParams) status = wbTakeParams(world, &numbers->def, &numbers->domain);
    WB_ASSERT(wbIsOk(status), "parameters that a world had are taken again");
    if (way->hasOtherObjects)
        status = wbReadSavedObjects(wbFindAnySection(&way->now, "objects", &status), world);
    WB_ASSERT(wbIsOk(status), "parameters that objects had are taken again");
    if (way->hasOtherObjects) wbLoadColliderStates(&way->now, world); // what was driven is so again
    passNumbers(world, numbers, true);
    world->bookedGravity = numbers->bookedGravity;
    wbRecordHostValues(world);
}

// What cannot fail. A device gets all of it with the next step.
static void load(wbWorld *world, wbSectionList *list) {
    for (wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (wbSolver_IsAhead(s)) s->kind->device->discard(s, wb_okStatus);
    world->bookedGravity = world->domain.gravity;
    wbLoadFluidCounts(list, world);
    wbLoadIdRuns(list, world);
    wbLoadFlowStates(list, world);
    wbLoadColliderStates(list, world);
    wbLoadGrabStates(list, world);
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->self) wbSolver_LoadColumns(s, list);
    wbApplyFloors(world);
    wbRecountIds(world);
    if (world->stopped.code != wb_errorDevice) world->stopped = wb_okStatus;
    wbMarkStateDirty(world);
}

static wbStatus restoreInPlace(wbWorld *world, wbSectionList *list, Way *way) {
    Numbers numbers = {.def = world->def, .domain = world->domain};
    numbers.def.params = world->params;
    if (way->hasOtherRoom) WB_TRY(wbPullState(world)); // what is on a device may have to come back
    numbers.bookedGravity = world->bookedGravity;
    passNumbers(world, &numbers, false);
    wbStatus status = take(world, list, way);
    if (wbIsOk(status))
        load(world, list);
    else
        untake(world, way, &numbers);
    return status;
}

// Beside the world, whose place it then takes: all or nothing.
static wbStatus rebuild(wbWorld *world, wbSectionList *list) {
    wbWorld *other;
    WB_TRY(wbLoadBeside(list, world, &other));
    wbExchangeContents(world, other);
    world->userData = other->userData;
    for (int k = 0; k < WB_OBJECT_KIND_COUNT; k++)
        wbIdPool_TakeUserData(wbGetIds(world, wbGetObjectKind(k)), wbGetIds(other, wbGetObjectKind(k)));
    if (other->gpu) wbLeaveDevice(other);
    wbDestroyContents(other);
    return wb_okStatus;
}

// What other parameters do to a state at once is not taken back if the rest is wrong.
static bool canUntake(const wbWorld *world, const Way *way) {
    bool changes = false;
    for (int i = 0; i < WB_SOLVER_COUNT; i++)
        changes |= world->solvers[i].self && world->solvers[i].kind->changesWithParams;
    return !changes || !(way->hasOtherParams || way->hasOtherObjects);
}

static wbStatus restore(wbWorld *world, wbSectionList *list) {
    Way way = {.now.arena = world->work.arena};
    wbSaveMakeUp(world, &way.now);
    wbSaveParams(world, &way.now);
    wbSaveDomain(world, &way.now);
    wbSaveObjects(world, &way.now);
    if (way.now.lacksMemory) return wbMemoryError(world->memory, "to go back needs");
    if (isAlike(world, list, &way) && canUntake(world, &way) && readParams(world, list, &way))
        return restoreInPlace(world, list, &way);
    for (int i = 0; i < list->count; i++) list->items[i].wasFound = false;
    return rebuild(world, list);
}

wbStatus wbWorld_Restore(wbWorld *world, const void *bytes, size_t size) {
    WB_REQUIRE(world);
    WB_REQUIRE(bytes);
    wbSectionList list;
    (void)wbArena_Reset(world->work.arena); // one that cannot grow is still of use
    wbStatus status = wbReadSections(bytes, size, world->work.arena, &list);
    if (wbIsOk(status)) status = restore(world, &list);
    wbArena_Release(world->work.arena, 0);
    return status;
}
