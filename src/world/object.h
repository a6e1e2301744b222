// SPDX-License-Identifier: MIT
// What has a name in a world: one registry of all kinds of objects. Names are unique over all kinds, and a parameter of
// an object is set by its name: "pipe.rate".
#pragma once

#include "world/world.h"

/// The kinds of objects, and those of them that have parameters: wb_emitterKind, wb_emitterTable.
#define WB_PARAM_OBJECTS(X)                                                                                  \
    X(emitter)                                                                                               \
    X(drain) X(collider) X(mechanism) X(softBody) X(source) X(probe) X(rigidBody) X(joint) X(force) X(grab)
#define WB_OBJECT_KINDS(X) X(fluid) WB_PARAM_OBJECTS(X)

typedef struct wbObjectKind {
    const wbParamTable *table; ///< NULL: it has no parameters of its own
    const char *title;         ///< "soft body": what messages call it
    size_t ids;                ///< bytes, to its wbIdPool in a world
    const char *(*getName)(const wbWorld *world, int index);
    // NULL without parameters
    const void *(*getParams)(const wbWorld *world, int index);
    wbStatus (*setParams)(wbWorld *world, int index, const void *params); ///< checks them first
    /// The same where a program sets them, between steps: what a file says was so already. NULL: there is no difference.
    wbStatus (*changeParams)(wbWorld *world, int index, const void *params);
    /// "body": before its parameters in checkpoints (wbSaveRows), as its objects may have no names. NULL: they are lines with names.
    const char *savedAs;
} wbObjectKind;

#define WB_OBJECT_KIND(name)  extern const wbObjectKind wb_##name##Kind;
#define WB_OBJECT_TABLE(name) extern const wbParamTable wb_##name##Table;
WB_OBJECT_KINDS(WB_OBJECT_KIND)
WB_PARAM_OBJECTS(WB_OBJECT_TABLE)
#undef WB_OBJECT_KIND
#undef WB_OBJECT_TABLE

enum {
#define WB_COUNT_KIND(name) +1
    WB_OBJECT_KIND_COUNT = 0 WB_OBJECT_KINDS(WB_COUNT_KIND),
#undef WB_COUNT_KIND
    WB_MAX_OBJECT_PARAMS = 512
};

const wbObjectKind *wbGetObjectKind(int index);

static inline wbIdPool *wbGetIds(const wbWorld *world, const wbObjectKind *kind) {
    return (wbIdPool *)((char *)world + kind->ids);
}

/// When the world begins and ends.
void wbInitIds(wbWorld *world);
void wbFreeIds(wbWorld *world);
/// A new object of a kind, or, unless index1 is 0, the next one of those that were saved; its array has room for it.
wbStatus wbTakeObjectId(wbWorld *world, const wbObjectKind *kind, uint32_t index1);
/// An object that has nothing any more goes, with its id: those behind it in the array of its kind move up.
void wbDropObject(wbWorld *world, const wbObjectKind *kind, wbArray *objects, int index);

/// The index of an id. One that is null, stale or of another world is a programmer's mistake.
int wbGetFluidIndex(const wbWorld *world, wbFluidId id);
int wbGetEmitterIndex(const wbWorld *world, wbEmitterId id);
int wbGetDrainIndex(const wbWorld *world, wbDrainId id);
int wbGetColliderIndex(const wbWorld *world, wbColliderId id);
int wbGetMechanismIndex(const wbWorld *world, wbMechanismId id);
int wbGetSoftBodyIndex(const wbWorld *world, wbSoftBodyId id);
int wbGetSourceIndex(const wbWorld *world, wbSourceId id);
int wbGetProbeIndex(const wbWorld *world, wbProbeId id);
int wbGetRigidBodyIndex(const wbWorld *world, wbRigidBodyId id);
int wbGetJointIndex(const wbWorld *world, wbJointId id);
int wbGetForceIndex(const wbWorld *world, wbForceId id);
int wbGetGrabIndex(const wbWorld *world, wbGrabId id);

typedef struct wbObject {
    const wbObjectKind *kind; ///< NULL: there is none of that name
    int index;
} wbObject;

wbObject wbFindObject(const wbWorld *world, const char *name);
/// wb_errorInput unless a new object may have this name.
wbStatus wbCheckNewName(const wbWorld *world, const char *title, const char *name);
/// wb_errorInput unless a new object may have this name, and it is fit to stand before a point: letters, digits, - and _.
wbStatus wbCheckPlainName(const wbWorld *world, const char *title, const char *name);

/// "pipe.rate" of a world: the object and the row, or an error that names the nearest known key.
wbStatus wbFindObjectParam(const wbWorld *world, const char *key, wbObject *object, const wbParam **param);
wbStatus wbSetObjectParam(wbWorld *world, const char *key, const char *value);
wbStatus wbGetObjectParam(const wbWorld *world, const char *key, char *value, int size);
/// Sets one number by its row, which stands for "auto" where it may; errors are those of "owner.parameter".
wbStatus wbSetNumber(const char *owner, const wbParam *param, void *params, double value);
