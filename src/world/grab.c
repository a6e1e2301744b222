// SPDX-License-Identifier: MIT
// Grabs as objects: creation, parameters, and what they hold.
#include "world/grab.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/hash.h"
#include "core/param_table.h"
#include "core/status.h"
#include "core/text.h"
#include "world/collider.h"
#include "world/soft.h"

#define WB_PARAM_STRUCT wbGrabParams
static const wbParam rows[] = {WB_PARAM_ROWS(WB_GRAB_PARAMS)};
#undef WB_PARAM_STRUCT
const wbParamTable wb_grabTable = WB_PARAM_TABLE(
    "grab", "what pulls something to a place, or pushes fluids; set by its name", wbGrabParams, rows);

wbGrabDef wbDefaultGrabDef(void) {
    wbGrabDef def = {.name = "grab", .cookie = WB_GRAB_COOKIE};
    wbSetParamDefaults(&wb_grabTable, &def.params);
    return def;
}

int wbGetHeld(const wbWorld *world, const wbGrab *grab, const wbObjectKind *kind) {
    if (!grab->params.on || grab->kind != kind) return -1;
    return wbIdPool_Find(wbGetIds(world, kind), grab->index1, grab->generation);
}

static const wbGrab *getGrab(const wbWorld *world, wbGrabId id) {
    return wbGetGrabAt(world, wbGetGrabIndex(world, id));
}
const wbGrabParams *wbGrab_GetParams(const wbWorld *world, wbGrabId id) {
    return &getGrab(world, id)->params;
}

// Of what it holds, also while it is off; -1: nothing, or it is gone.
static int findHeld(const wbWorld *world, const wbGrab *grab) {
    return grab->kind ? wbIdPool_Find(wbGetIds(world, grab->kind), grab->index1, grab->generation) : -1;
}

static wbStatus checkHeld(const wbWorld *world, const wbGrab *grab) {
    const int index = findHeld(world, grab);
    if (index >= 0 && grab->kind == &wb_softBodyKind) {
        const int count = wbGetSoftBodyAt(world, index)->particles.count;
        if (grab->params.particle >= count)
            return wbError(wb_errorInput, "particle is %d, allowed is 0 to %d", grab->params.particle,
                           count - 1);
    }
    if (index >= 0 && grab->kind == &wb_colliderKind && wbGetColliderAt(world, index)->mechanism >= 0)
        return wbError(wb_errorInput, "mechanism \"%s\" moves collider \"%s\": set its parameters instead",
                       wbGetMechanismAt(world, wbGetColliderAt(world, index)->mechanism)->name,
                       wbGetColliderAt(world, index)->name);
    return wb_okStatus;
}

static wbStatus check(const wbWorld *world, const wbGrab *grab) {
    WB_TRY(wbCheckParamsOf(grab->name, &wb_grabTable, &grab->params));
    wbStatus status = checkHeld(world, grab);
    return wbIsOk(status) ? status : wbError(status.code, "grab \"%s\": %s", grab->name, status.text);
}

// A collider that is held no more stands still.
static void letGo(wbWorld *world, const wbGrab *grab) {
    const int index = wbGetHeld(world, grab, &wb_colliderKind);
    if (index >= 0 && wbGetColliderAt(world, index)->mechanism < 0)
        (void)wbCollider_SetVelocity(world, wbWorld_GetCollider(world, index), wbMakeVec3(0, 0, 0),
                                     wbMakeVec3(0, 0, 0));
}

// It becomes another: what it did before ends, and a ball begins at its target.
static wbStatus change(wbWorld *world, int index, const wbGrab *next) {
    wbGrab *grab = wbGetGrabAt(world, index);
    WB_TRY(check(world, next));
    const bool isOther =
        grab->kind != next->kind || grab->index1 != next->index1 || grab->generation != next->generation;
    if (grab->params.on && (isOther || !next->params.on)) letGo(world, grab);
    *grab = *next;
    if (isOther || !next->params.on) grab->state = grab->hostState = grab->next = (wbGrabState){0};
    return wb_okStatus;
}

static const char *getName(const wbWorld *world, int index) { return wbGetGrabAt(world, index)->name; }
static const void *getParams(const wbWorld *world, int index) { return &wbGetGrabAt(world, index)->params; }

static wbStatus setParams(wbWorld *world, int index, const void *params) {
    wbGrab next = *wbGetGrabAt(world, index);
    memcpy(&next.params, params, sizeof next.params);
    return change(world, index, &next);
}

const wbObjectKind wb_grabKind = {
    &wb_grabTable, "grab", offsetof(wbWorld, grabIds), getName, getParams, setParams, NULL, "grab"};

wbStatus wbGrab_SetTarget(wbWorld *world, wbGrabId id, wbVec3 target) {
    wbGrabParams params = *wbGrab_GetParams(world, id);
    params.target = target;
    return setParams(world, wbGetGrabIndex(world, id), &params);
}

wbStatus wbGrab_SetOn(wbWorld *world, wbGrabId id, bool isOn) {
    wbGrabParams params = *wbGrab_GetParams(world, id);
    params.on = isOn;
    return setParams(world, wbGetGrabIndex(world, id), &params);
}

static const wbObjectKind *const heldKinds[] = {&wb_softBodyKind, &wb_rigidBodyKind, &wb_colliderKind};
enum { HELD_KINDS = sizeof heldKinds / sizeof heldKinds[0] };

static bool isHeldKind(const wbObjectKind *kind) {
    for (int k = 0; k < HELD_KINDS; k++)
        if (heldKinds[k] == kind) return true;
    return false;
}

// "rigidBody#12"; index -1: it is not of that form
static wbObject findNumbered(const wbWorld *world, const char *of) {
    const char *sharp = strchr(of, '#');
    double number;
    for (int k = 0; k < HELD_KINDS && sharp && wbParseNumber(sharp + 1, &number); k++) {
        const char *section = heldKinds[k]->table->section;
        const bool isIt =
            strlen(section) == (size_t)(sharp - of) && strncmp(section, of, strlen(section)) == 0;
        if (isIt && number >= 0 && number < wbGetIds(world, heldKinds[k])->indexCount &&
            number == floor(number))
            return (wbObject){heldKinds[k], (int)number};
    }
    return (wbObject){0};
}

static wbStatus findOf(const wbWorld *world, const char *of, wbGrab *grab) {
    grab->kind = NULL, grab->index1 = grab->generation = 0;
    if (!of[0]) return wb_okStatus;
    const wbObject object = strchr(of, '#') ? findNumbered(world, of) : wbFindObject(world, of);
    if (!object.kind)
        return wbError(wb_errorInput,
                       "there is no object \"%.60s\": give a name, or KIND#NUMBER, as rigidBody#0", of);
    if (!isHeldKind(object.kind))
        return wbError(wb_errorInput,
                       "\"%.60s\" is a %s: a grab holds a soft body, a rigid body or a collider; "
                       "without `of` it pushes fluids",
                       of, object.kind->title);
    const wbIdPool *ids = wbGetIds(world, object.kind);
    grab->kind = object.kind;
    grab->index1 = wbIdPool_GetIndex1(ids, object.index);
    grab->generation = wbIdPool_GetSlot(ids, object.index)->generation;
    return wb_okStatus;
}

wbStatus wbGrab_SetOf(wbWorld *world, wbGrabId id, const char *of) {
    WB_REQUIRE(of);
    const int index = wbGetGrabIndex(world, id);
    wbGrab next = *wbGetGrabAt(world, index);
    wbStatus status = findOf(world, of, &next);
    if (!wbIsOk(status)) return wbError(status.code, "grab \"%s\": %s", next.name, status.text);
    return change(world, index, &next);
}

wbStatus wbGrab_GetOf(const wbWorld *world, wbGrabId id, char *of, int size) {
    WB_REQUIRE(of);
    const wbGrab *grab = getGrab(world, id);
    const int index = findHeld(world, grab);
    const char *name = index >= 0 ? grab->kind->getName(world, index) : "";
    int length = snprintf(of, (size_t)size, "%s", name);
    if (index >= 0 && !name[0])
        length = snprintf(of, (size_t)size, "%s#%d", grab->kind->table->section, index);
    return length < size ? wb_okStatus : wbError(wb_errorInput, "what it holds takes %d bytes", length + 1);
}

wbStatus wbGrab_GetPoint(wbWorld *world, wbGrabId id, bool *isThere, wbVec3 *point) {
    WB_REQUIRE(isThere);
    WB_REQUIRE(point);
    const wbGrab *grab = getGrab(world, id);
    const int index = grab->kind ? wbGetHeld(world, grab, grab->kind) : -1;
    WB_TRY(wbPullState(world));
    *isThere = index >= 0 || wbIsPushing(world, grab);
    *point = grab->params.target;
    if (!*isThere) return wb_okStatus;
    if (!grab->kind) {
        if (grab->state.isPlaced) memcpy(point, grab->state.position, sizeof *point);
    } else if (grab->kind == &wb_softBodyKind) {
        *isThere = wbFindSoftPoint(world, index, grab->params.particle, point);
    } else if (grab->kind == &wb_rigidBodyKind) {
        *point = wbFindBodyPoint(world, index, grab->params.point);
    } else {
        *point = wbPose_Apply(&wbGetColliderAt(world, index)->state.pose, grab->params.point);
    }
    return wb_okStatus;
}

wbStatus wbAddGrab(wbWorld *world, const wbGrab *grab, uint32_t index1) {
    const int count = world->grabIds.indexCount;
    if (count >= WB_MAX_GRABS) return wbError(wb_errorInput, "a world has at most %d grabs", WB_MAX_GRABS);
    WB_TRY(wbCheckPlainName(world, "grab", grab->name));
    WB_TRY(check(world, grab));
    world->grabs.elementSize = sizeof(wbGrab);
    if (!wbArray_Reserve(world->memory, &world->grabs, count + 1))
        return wbMemoryError(world->memory, "a grab needs");
    WB_TRY(wbTakeObjectId(world, &wb_grabKind, index1));
    *wbGetGrabAt(world, count) = *grab;
    return wb_okStatus;
}

static void setHeld(wbGrab *grab, const wbObjectKind *kind, uint32_t index1, uint32_t generation) {
    if (index1 == 0) return;
    WB_ASSERT(!grab->kind, "a grab holds one thing");
    grab->kind = kind, grab->index1 = index1, grab->generation = generation;
}

wbStatus wbCreateGrab(wbWorld *world, const wbGrabDef *def, wbGrabId *id) {
    WB_REQUIRE(world);
    WB_REQUIRE(id);
    WB_ASSERT(def && def->cookie == WB_GRAB_COOKIE, "make the def with wbDefaultGrabDef");
    wbGrab grab = {.params = def->params};
    setHeld(&grab, &wb_softBodyKind, def->softBody.index1, def->softBody.generation);
    setHeld(&grab, &wb_rigidBodyKind, def->rigidBody.index1, def->rigidBody.generation);
    setHeld(&grab, &wb_colliderKind, def->collider.index1, def->collider.generation);
    WB_ASSERT(!grab.kind || findHeld(world, &grab) >= 0, "the id of what it holds is stale");
    WB_TRY(wbCheckPlainName(world, "grab", def->name));
    snprintf(grab.name, sizeof grab.name, "%s", def->name);
    WB_TRY(wbAddGrab(world, &grab, 0));
    *id = wbWorld_GetGrab(world, world->grabIds.indexCount - 1);
    return wb_okStatus;
}

void wbDestroyGrab(wbWorld *world, wbGrabId id) {
    const int index = wbGetGrabIndex(world, id);
    letGo(world, wbGetGrabAt(world, index));
    wbDropObject(world, &wb_grabKind, &world->grabs, index);
}

void wbFreeGrabs(wbWorld *world) { wbArray_Free(world->memory, &world->grabs); }

uint64_t wbHashGrabs(const wbWorld *world, uint64_t hash) {
    for (int i = 0; i < world->grabIds.indexCount; i++)
        hash = wbHashBytes(hash, &wbGetGrabAt(world, i)->state, sizeof(wbGrabState));
    return hash;
}
