// SPDX-License-Identifier: MIT
// What a still knows of the things in its world, so that a mouse can find, hold and describe them: names, poses, grabs, pins,
// handles.
#pragma once

#include "app/view/handles.h"
#include "core/array.h"
#include "render/renderer.h"
#include "wirbel/wirbel.h"

enum { WB_OBJECT_NAME = 64, WB_OWNER_KINDS = wb_ownerFluid + 1 };

typedef struct wbSeenObject {
    wbOwner owner;
    char name[WB_OBJECT_NAME]; ///< "": it has none
    bool isMovable;            ///< a grab moves it
    bool isAsleep;             ///< rigid bodies
    wbVec3 position;           ///< m, of its origin: rigid bodies and colliders
    float rotation[4];         ///< unit quaternion x, y, z, w
    wbVec3 velocity;           ///< m/s: rigid bodies
    float mass;             ///< kg: rigid bodies; fluids: of a particle, of the smallest where sizes differ
    float spacing, support; ///< m: fluids
} wbSeenObject;

typedef struct wbSeenGrab {
    char name[WB_OBJECT_NAME];
    char of[WB_OBJECT_NAME + 16]; ///< what it holds: a name, or KIND#NUMBER; "": it pushes
    bool isOn, isThere;           ///< there: `point` is where it holds it
    wbVec3 point, target;         ///< m
} wbSeenGrab;

typedef struct wbSeenPin {
    int softBody, particle;
} wbSeenPin;

typedef struct wbObjects {
    wbArray objects;           ///< wbSeenObject, kind by kind
    int first[WB_OWNER_KINDS]; ///< of each kind
    int count;
    wbArray grabs; ///< wbSeenGrab
    int grabCount;
    wbArray pins;   ///< wbSeenPin
    wbArray pinned; ///< int: particles of one body, while the list is made
    int pinCount;
    wbArray handles; ///< wbHandle
    int handleCount;
} wbObjects;

wbStatus wbObjects_Gather(wbObjects *objects, wbWorld *world);
void wbObjects_Free(wbObjects *objects);

/// NULL: there is none.
const wbSeenObject *wbObjects_Find(const wbObjects *objects, wbOwner owner);
const wbSeenGrab *wbObjects_FindGrab(const wbObjects *objects, const char *name);
bool wbObjects_IsPinned(const wbObjects *objects, int softBody, int particle);
/// As `of` of a grab names it: its name, or "rigidBody#12".
void wbSeenObject_Write(const wbSeenObject *object, char *text, int size);

/// A point of the world in the frame of an object with a pose, and the other way round.
wbVec3 wbSeenObject_ToOwn(const wbSeenObject *object, wbVec3 point);
wbVec3 wbSeenObject_ToWorld(const wbSeenObject *object, wbVec3 point);
