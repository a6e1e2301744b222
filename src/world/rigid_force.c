// SPDX-License-Identifier: MIT
// Forces on rigid bodies as objects of a world. What they do is in src/rigid; here they have names, ids and parameters.
#include <stdio.h>
#include <string.h>

#include "core/param_table.h"
#include "core/status.h"
#include "world/checkpoint.h"
#include "world/rigid.h"

#define WB_PARAM_STRUCT wbForceParams
static const wbParam rows[] = {WB_PARAM_ROWS(WB_FORCE_PARAMS)};
#undef WB_PARAM_STRUCT
const wbParamTable wb_forceTable = WB_PARAM_TABLE("force", "what acts on rigid bodies", wbForceParams, rows);

wbForceDef wbDefaultForceDef(void) {
    wbForceDef def = {.cookie = WB_FORCE_COOKIE};
    wbSetParamDefaults(&wb_forceTable, &def.params);
    return def;
}

static const char *getName(const wbWorld *world, int index) { return wbGetForceAt(world, index)->name; }
static const void *getParams(const wbWorld *world, int index) { return &wbGetForceAt(world, index)->params; }

static wbRigidForce *getForce(const wbWorld *world, int index) {
    return (wbRigidForce *)wbGetRigidBodies(world)->rigid.forces.list.data + index;
}

// Where it holds a body, as the body's own frame has it.
static wbVec3 convert(const wbWorld *world, int body, wbVec3 point) {
    return wbPose_ApplyInverse(&wbGetRigidBodyAt(world, body)->frame, point);
}

// Its bodies are alike, or are held by their origins.
static wbForceParams convertParams(const wbWorld *world, const wbForceParams *params, const int *bodies,
                                   int count) {
    wbForceParams own = *params;
    if (count > 0) own.attach = convert(world, bodies[0], params->attach);
    if (count > 1) own.attachOther = convert(world, bodies[1], params->attachOther);
    return own;
}

static wbStatus setParams(wbWorld *world, int index, const void *params) {
    wbBodyForce *force = wbGetForceAt(world, index);
    wbRigidForces *forces = &wbGetRigidBodies(world)->rigid.forces;
    wbRigidForce *own = getForce(world, index);
    WB_TRY(wbCheckParams(&wb_forceTable, params));
    WB_TRY(wbPullState(world));
    memcpy(&force->params, params, sizeof force->params);
    own->params =
        convertParams(world, &force->params, (const int *)forces->members.data + own->first, own->count);
    wbRigid_WakeAll(&wbGetRigidBodies(world)->rigid);
    wbMarkStateDirty(world);
    return wb_okStatus;
}

const wbObjectKind wb_forceKind = {.table = &wb_forceTable,
                                   .title = "force",
                                   .ids = offsetof(wbWorld, forceIds),
                                   .getName = getName,
                                   .getParams = getParams,
                                   .setParams = setParams,
                                   .savedAs = "force"};

static void callOwn(const wbRigid *r, const int *bodies, int bodyCount, float dt, const wbRigidLoads *loads,
                    void *context) {
    const wbOwnForce *own = context;
    const wbRigidView view = {r->count, r->x,  r->y,  r->z,  r->qx, r->qy, r->qz,
                              r->qw,    r->vx, r->vy, r->vz, r->wx, r->wy, r->wz};
    wbForceCall call = {.view = &view, .bodies = bodies, .bodyCount = bodyCount, .dt = dt};
    if (!own->function) return;
    for (int k = 0; k < 3; k++) call.force[k] = loads->force[k], call.torque[k] = loads->torque[k];
    own->function(&call, own->context);
}

// What a force is made of, by numbers.
typedef struct Setup {
    const char *name;
    const wbForceParams *params;
    const int *bodies; // NULL: all
    int count;
    bool isOwn;
    wbOwnForce own;
} Setup;

static wbStatus addToRigid(wbWorld *world, const Setup *setup, wbOwnForce *own) {
    wbRigid *rigid = &wbGetRigidBodies(world)->rigid;
    if (own)
        return wbRigidForces_AddFunction(rigid, world->memory, callOwn, own, setup->bodies, setup->count);
    const wbForceParams params = convertParams(world, setup->params, setup->bodies, setup->count);
    return wbRigidForces_Add(rigid, world->memory, &params, setup->bodies, setup->count);
}

static wbStatus addForce(wbWorld *world, const Setup *setup, wbOwnForce *own, uint32_t index1) {
    wbRigidBodies *bodies = wbGetRigidBodies(world);
    const int index = world->forceIds.indexCount;
    if (index >= WB_MAX_FORCES) return wbError(wb_errorInput, "a world has at most %d forces", WB_MAX_FORCES);
    if (!wbArray_Reserve(world->memory, &bodies->forces, index + 1))
        return wbMemoryError(world->memory, "%d forces need", index + 1);
    WB_TRY(addToRigid(world, setup, own));
    wbStatus status = wbTakeObjectId(world, &wb_forceKind, index1);
    if (!wbIsOk(status)) {
        wbRigidForces_Remove(&bodies->rigid.forces, index);
        return status;
    }
    wbBodyForce *force = wbGetForceAt(world, index);
    *force = (wbBodyForce){.params = *setup->params, .own = own};
    snprintf(force->name, sizeof force->name, "%s", setup->name);
    getForce(world, index)->params.on = setup->params->on;
    return wb_okStatus;
}

static wbStatus addSetup(wbWorld *world, const Setup *setup, uint32_t index1) {
    wbOwnForce *own = NULL;
    WB_TRY(wbCheckParams(&wb_forceTable, setup->params));
    if (setup->isOwn) {
        own = wbAlloc(world->memory, sizeof *own);
        if (!own) return wbMemoryError(world->memory, "a force needs");
        *own = setup->own;
    }
    wbStatus status = addForce(world, setup, own, index1);
    if (!wbIsOk(status)) wbFree(world->memory, own, sizeof *own);
    return status;
}

// By their names, which who wrote a scene knows; those without are told of by their numbers.
static wbStatus checkPairs(const wbWorld *world, const Setup *setup) {
    const wbRigidForce force = {.params = *setup->params};
    if (setup->isOwn || !setup->bodies || !wbRigidForce_TiesPairs(&force)) return wb_okStatus;
    for (int k = 0; k + 1 < setup->count; k += 2) {
        const char *name = wbGetRigidBodyAt(world, setup->bodies[k])->name;
        if (setup->bodies[k] == setup->bodies[k + 1] && name[0])
            return wbError(wb_errorInput, "it ties \"%s\" to itself: name another", name);
    }
    return wb_okStatus;
}

static wbStatus create(wbWorld *world, const wbForceDef *def, const char *name) {
    if (!wbGetRigidBodies(world)) return wbError(wb_errorInput, "the world has no rigid bodies yet");
    const size_t mark = wbArena_Mark(world->work.arena);
    int *numbers = wbArena_Alloc(world->work.arena, sizeof(int) * (size_t)(def->bodyCount + 1));
    if (!numbers) return wbMemoryError(world->memory, "a force on %d bodies needs", def->bodyCount);
    for (int i = 0; i < def->bodyCount; i++) numbers[i] = wbGetRigidBodyIndex(world, def->bodies[i]);
    const Setup setup = {.name = name,
                         .params = &def->params,
                         .bodies = def->isOnAll ? NULL : numbers,
                         .count = def->isOnAll ? 0 : def->bodyCount,
                         .isOwn = def->function != NULL,
                         .own = {def->function, def->context}};
    wbStatus status = checkPairs(world, &setup);
    if (wbIsOk(status)) status = addSetup(world, &setup, 0);
    wbArena_Release(world->work.arena, mark);
    return status;
}

wbStatus wbCreateForce(wbWorld *world, const wbForceDef *def, wbForceId *id) {
    WB_REQUIRE(world);
    WB_REQUIRE(id);
    WB_ASSERT(def && def->cookie == WB_FORCE_COOKIE, "make the def with wbDefaultForceDef");
    WB_ASSERT(def->bodyCount >= 0 && (def->bodies || def->bodyCount == 0), "the bodies are missing");
    const char *name = def->name ? def->name : "";
    if (name[0]) WB_TRY(wbCheckPlainName(world, "force", name));
    WB_TRY(wbPullState(world));
    wbStatus status = create(world, def, name);
    if (!wbIsOk(status) && name[0]) return wbError(status.code, "force \"%s\": %s", name, status.text);
    if (!wbIsOk(status)) return wbError(status.code, "a force: %s", status.text);
    wbRigid_WakeAll(&wbGetRigidBodies(world)->rigid);
    wbMarkStateDirty(world);
    *id = wbWorld_GetForce(world, wbWorld_GetForceCount(world) - 1);
    return wb_okStatus;
}

static void drop(wbWorld *world, int index) {
    wbRigidBodies *bodies = wbGetRigidBodies(world);
    wbRigidForces_Remove(&bodies->rigid.forces, index);
    wbFree(world->memory, wbGetForceAt(world, index)->own, sizeof(wbOwnForce));
    wbDropObject(world, &wb_forceKind, &bodies->forces, index);
}

wbStatus wbDestroyForce(wbWorld *world, wbForceId id) {
    const int index = wbGetForceIndex(world, id);
    WB_TRY(wbPullState(world));
    drop(world, index);
    wbRigid_WakeAll(&wbGetRigidBodies(world)->rigid);
    wbMarkStateDirty(world);
    return wb_okStatus;
}

void wbDropForces(wbWorld *world) {
    while (world->forceIds.indexCount > 0) drop(world, world->forceIds.indexCount - 1);
}

const wbForceParams *wbForce_GetParams(const wbWorld *world, wbForceId id) {
    return &wbGetForceAt(world, wbGetForceIndex(world, id))->params;
}

wbStatus wbForce_SetOn(wbWorld *world, wbForceId id, bool isOn) {
    wbForceParams params = *wbForce_GetParams(world, id);
    params.on = isOn;
    return setParams(world, wbGetForceIndex(world, id), &params);
}

wbStatus wbForce_SetVector(wbWorld *world, wbForceId id, wbVec3 vector) {
    wbForceParams params = *wbForce_GetParams(world, id);
    params.vector = vector;
    return setParams(world, wbGetForceIndex(world, id), &params);
}

void wbForce_SetFunction(wbWorld *world, wbForceId id, wbForceFn *function, void *context) {
    wbOwnForce *own = wbGetForceAt(world, wbGetForceIndex(world, id))->own;
    WB_ASSERT(own, "only a force that was made with a function has one");
    *own = (wbOwnForce){function, context};
}

// Checkpoints

typedef struct SavedForce {
    char name[WB_NAME_SIZE];
    uint32_t index1;
    int32_t isOnAll, isOwn, count; // count: bodies, which stand one behind the other in "forceBodies"
} SavedForce;
_Static_assert(sizeof(SavedForce) == 80, "as it stands in the file");

void wbSaveForces(const wbWorld *world, wbSectionList *list) {
    const int count = world->forceIds.indexCount;
    const wbRigidForces *forces = &wbGetRigidBodies(world)->rigid.forces;
    SavedForce *saved = wbAddOwnedSection(list, "forces", sizeof *saved * (size_t)count);
    size_t members = 0;
    for (int i = 0; i < count && saved; i++) {
        const wbRigidForce *force = getForce(world, i);
        saved[i] = (SavedForce){.index1 = wbIdPool_GetIndex1(&world->forceIds, i),
                                .isOnAll = force->isOnAll,
                                .isOwn = wbGetForceAt(world, i)->own != NULL,
                                .count = force->count};
        memcpy(saved[i].name, wbGetForceAt(world, i)->name, sizeof saved[i].name);
        members += (size_t)force->count;
    }
    int *bodies = wbAddOwnedSection(list, "forceBodies", sizeof(int) * members);
    for (int i = 0; i < count && bodies; i++) {
        const wbRigidForce *force = getForce(world, i);
        memcpy(bodies, (const int *)forces->members.data + force->first, sizeof(int) * (size_t)force->count);
        bodies += force->count;
    }
    wbSaveRows(world, &wb_forceKind, list);
}

static wbStatus loadForce(wbWorld *world, const SavedForce *saved, const wbForceParams *params,
                          const char *bytes) {
    const size_t size = sizeof(int) * (size_t)saved->count;
    int *bodies = wbAlloc(NULL, size + 1);
    if (!bodies) return wbMemoryError(NULL, "to load a force needs");
    if (size > 0) memcpy(bodies, bytes, size);
    const Setup setup = {.name = saved->name,
                         .params = params,
                         .bodies = saved->isOnAll ? NULL : bodies,
                         .count = saved->isOnAll ? 0 : saved->count,
                         .isOwn = saved->isOwn};
    wbStatus status = wb_okStatus;
    for (int i = 0; i < saved->count && wbIsOk(status); i++)
        if (bodies[i] < 0 || bodies[i] >= world->rigidBodyIds.indexCount)
            status = wbError(wb_errorInput, "force \"%s\" acts on a body that is not there", saved->name);
    if (wbIsOk(status)) status = addSetup(world, &setup, saved->index1);
    wbFree(NULL, bodies, size + 1);
    return status;
}

wbStatus wbLoadForces(wbWorld *world, wbSectionList *list) {
    const wbSection *section, *bodies;
    wbSavedRows saved;
    size_t count, memberCount, used = 0;
    WB_TRY(wbFindParts(list, "forces", sizeof(SavedForce), WB_MAX_FORCES, &section, &count));
    WB_TRY(wbFindParts(list, "forceBodies", sizeof(int), 1 << 28, &bodies, &memberCount));
    WB_TRY(wbFindRows(list, &wb_forceKind, count, &saved));
    for (size_t i = 0; i < count; i++) {
        SavedForce force;
        wbForceParams params;
        memcpy(&force, (const char *)section->data + i * sizeof force, sizeof force);
        if (force.index1 == 0 || !memchr(force.name, 0, sizeof force.name) || force.count < 0 ||
            (size_t)force.count > memberCount - used)
            return wbError(wb_errorInput, "force %zu makes no sense", i);
        if (force.name[0]) WB_TRY(wbCheckPlainName(world, "force", force.name));
        WB_TRY(wbReadRow(&saved, i, &params));
        WB_TRY(loadForce(world, &force, &params, (const char *)bodies->data + sizeof(int) * used));
        used += (size_t)force.count;
    }
    return used == memberCount ? wb_okStatus : wbError(wb_errorInput, "section \"forceBodies\" is too long");
}
