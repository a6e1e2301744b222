// SPDX-License-Identifier: MIT
#include "app/view/objects.h"

#include <stdio.h>
#include <string.h>

#include "app/view/geometry.h"
#include "core/status.h"
#include "wirbel/rigid.h"

wbVec3 wbSeenObject_ToOwn(const wbSeenObject *object, wbVec3 point) {
    return wbTurnBack(object->rotation, wbSub(point, object->position));
}

wbVec3 wbSeenObject_ToWorld(const wbSeenObject *object, wbVec3 point) {
    return wbAdd(object->position, wbTurn(object->rotation, point));
}

static wbSeenObject *add(wbObjects *objects, wbOwnerKind kind, int index, const char *name) {
    wbSeenObject *object = (wbSeenObject *)objects->objects.data + objects->count++;
    *object = (wbSeenObject){.owner = {kind, index}, .rotation = {0, 0, 0, 1}};
    snprintf(object->name, sizeof object->name, "%s", name);
    return object;
}

static void addColliders(wbObjects *objects, const wbWorld *world) {
    objects->first[wb_ownerCollider] = objects->count;
    for (int i = 0; i < wbWorld_GetColliderCount(world); i++) {
        const wbColliderId id = wbWorld_GetCollider(world, i);
        const wbColliderStats stats = wbCollider_GetStats(world, id);
        wbSeenObject *object = add(objects, wb_ownerCollider, i, wbCollider_GetName(world, id));
        memcpy(&object->position, stats.position, sizeof object->position);
        memcpy(object->rotation, stats.rotation, sizeof object->rotation);
        object->isMovable = wbMechanismId_IsNull(wbCollider_GetMechanism(world, id));
    }
}

static wbStatus addRigidBodies(wbObjects *objects, wbWorld *world) {
    objects->first[wb_ownerRigidBody] = objects->count;
    for (int i = 0; i < wbWorld_GetRigidBodyCount(world); i++) {
        const wbRigidBodyId id = wbWorld_GetRigidBody(world, i);
        wbSeenObject *object = add(objects, wb_ownerRigidBody, i, wbRigidBody_GetName(world, id));
        wbRigidMotion motion;
        bool isAwake;
        WB_TRY(wbRigidBody_GetMotion(world, id, &motion));
        WB_TRY(wbRigidBody_IsAwake(world, id, &isAwake));
        object->position = motion.position, object->velocity = motion.velocity;
        memcpy(object->rotation, motion.rotation, sizeof object->rotation);
        object->isMovable = wbRigidBody_GetParams(world, id)->type == wb_rigidDynamic;
        object->isAsleep = !isAwake;
        object->mass = (float)wbRigidBody_GetMass(world, id).mass;
    }
    return wb_okStatus;
}

static wbStatus addPins(wbObjects *objects, wbWorld *world, int body) {
    const wbSoftBodyId id = wbWorld_GetSoftBody(world, body);
    int count;
    WB_TRY(wbSoftBody_GetPins(world, id, NULL, 0, &count));
    if (count == 0) return wb_okStatus;
    if (!wbArray_Reserve(NULL, &objects->pinned, count) ||
        !wbArray_Reserve(NULL, &objects->pins, objects->pinCount + count))
        return wbMemoryError(NULL, "a list of %d pins needs", count);
    const int *particles = objects->pinned.data;
    WB_TRY(wbSoftBody_GetPins(world, id, objects->pinned.data, count, &count));
    for (int i = 0; i < count; i++)
        ((wbSeenPin *)objects->pins.data)[objects->pinCount++] = (wbSeenPin){body, particles[i]};
    return wb_okStatus;
}

static wbStatus addSoftBodies(wbObjects *objects, wbWorld *world) {
    objects->first[wb_ownerSoftBody] = objects->count;
    for (int i = 0; i < wbWorld_GetSoftBodyCount(world); i++) {
        add(objects, wb_ownerSoftBody, i, wbSoftBody_GetName(world, wbWorld_GetSoftBody(world, i)))
            ->isMovable = true;
        WB_TRY(addPins(objects, world, i));
    }
    return wb_okStatus;
}

static void addFluids(wbObjects *objects, const wbWorld *world) {
    objects->first[wb_ownerFluid] = objects->count;
    for (int i = 0; i < wbWorld_GetFluidCount(world); i++) {
        const wbFluidId id = wbWorld_GetFluid(world, i);
        wbSeenObject *object = add(objects, wb_ownerFluid, i, wbFluid_GetName(world, id));
        object->mass = (float)wbFluid_GetParticleMass(world, id);
        object->spacing = (float)wbFluid_GetSpacing(world, id);
        object->support = (float)wbFluid_GetSupportRadius(world, id);
    }
}

static wbStatus addGrabs(wbObjects *objects, wbWorld *world) {
    for (int i = 0; i < wbWorld_GetGrabCount(world); i++) {
        const wbGrabId id = wbWorld_GetGrab(world, i);
        wbSeenGrab *grab = (wbSeenGrab *)objects->grabs.data + objects->grabCount++;
        *grab = (wbSeenGrab){.isOn = wbGrab_GetParams(world, id)->on,
                             .target = wbGrab_GetParams(world, id)->target};
        snprintf(grab->name, sizeof grab->name, "%s", wbGrab_GetName(world, id));
        WB_TRY(wbGrab_GetOf(world, id, grab->of, sizeof grab->of));
        WB_TRY(wbGrab_GetPoint(world, id, &grab->isThere, &grab->point));
    }
    return wb_okStatus;
}

wbStatus wbObjects_Gather(wbObjects *objects, wbWorld *world) {
    const int count = wbWorld_GetColliderCount(world) + wbWorld_GetRigidBodyCount(world) +
                      wbWorld_GetSoftBodyCount(world) + wbWorld_GetFluidCount(world);
    objects->objects.elementSize = sizeof(wbSeenObject);
    objects->grabs.elementSize = sizeof(wbSeenGrab);
    objects->pins.elementSize = sizeof(wbSeenPin);
    objects->pinned.elementSize = sizeof(int);
    objects->count = objects->grabCount = objects->pinCount = 0;
    if (!wbArray_Reserve(NULL, &objects->objects, count) ||
        !wbArray_Reserve(NULL, &objects->grabs, wbWorld_GetGrabCount(world)))
        return wbMemoryError(NULL, "a list of %d objects needs", count);
    addColliders(objects, world);
    WB_TRY(addRigidBodies(objects, world));
    WB_TRY(addSoftBodies(objects, world));
    addFluids(objects, world);
    WB_TRY(addGrabs(objects, world));
    return wbGatherHandles(world, &objects->handles, &objects->handleCount);
}

void wbObjects_Free(wbObjects *objects) {
    wbArray_Free(NULL, &objects->objects);
    wbArray_Free(NULL, &objects->grabs);
    wbArray_Free(NULL, &objects->pins);
    wbArray_Free(NULL, &objects->pinned);
    wbArray_Free(NULL, &objects->handles);
}

const wbSeenObject *wbObjects_Find(const wbObjects *objects, wbOwner owner) {
    if (owner.kind == wb_ownerNone) return NULL;
    const int at = objects->first[owner.kind] + owner.index;
    const wbSeenObject *object = (const wbSeenObject *)objects->objects.data + at;
    const bool isIt = at < objects->count && object->owner.kind == owner.kind;
    return isIt && object->owner.index == owner.index ? object : NULL;
}

const wbSeenGrab *wbObjects_FindGrab(const wbObjects *objects, const char *name) {
    const wbSeenGrab *grabs = objects->grabs.data;
    for (int i = 0; i < objects->grabCount; i++)
        if (strcmp(grabs[i].name, name) == 0) return &grabs[i];
    return NULL;
}

bool wbObjects_IsPinned(const wbObjects *objects, int softBody, int particle) {
    const wbSeenPin *pins = objects->pins.data;
    for (int i = 0; i < objects->pinCount; i++)
        if (pins[i].softBody == softBody && pins[i].particle == particle) return true;
    return false;
}

void wbSeenObject_Write(const wbSeenObject *object, char *text, int size) {
    static const char *const kinds[WB_OWNER_KINDS] = {"", "collider", "rigidBody", "softBody", "fluid"};
    if (object->name[0])
        snprintf(text, (size_t)size, "%s", object->name);
    else
        snprintf(text, (size_t)size, "%s#%d", kinds[object->owner.kind], object->owner.index);
}
