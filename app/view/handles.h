// SPDX-License-Identifier: MIT
// Handles in the picture: where mechanisms, valves, sources and sides of the domain are taken hold of, and which parameter a click
// or a drag sets. Pure: they know no window.
#pragma once

#include "core/array.h"
#include "render/renderer.h"
#include "wirbel/wirbel.h"

typedef enum wbHandleKind {
    wb_handleGate,
    wb_handleLock,   ///< one per gate of a lock
    wb_handleWheel,  ///< at its rim
    wb_handleShaker, ///< a drag changes its frequency, a click stops it
    wb_handleValve,  ///< of an emitter, a drain or a source: opens and closes by a click
    wb_handleSide,   ///< in the middle of a closed side of the domain
    wb_handleSlice,  ///< on the upper edge of a slice through the air
} wbHandleKind;

enum { WB_HANDLE_NAME = 64, WB_HANDLE_KEY = 128, WB_HANDLE_VALUE = 96 };

typedef struct wbHandle {
    wbHandleKind kind;
    char name[WB_HANDLE_NAME]; ///< of the object; of a side: "top"
    wbVec3 at;                 ///< m
    wbVec3
        way; ///< gate, lock: from shut to open; wheel, slice: its axis; side: outwards; emitter: where it goes; shaker: up
    wbVec3 pivot;    ///< wheel
    wbVec3 position; ///< source: its parameter
    wbVec3 min, max; ///< side: where the domain's sides shall go; slice: the first and the last layer
    int part;        ///< lock: 0 upper, 1 lower gate; side: its number; slice: 0, 1, 2 for x, y, z
    float value; ///< gate: open; wheel: speed of a motor, else angle; shaker: frequency; slice: its parameter
    float speed; ///< wheel: its parameter
    bool isOpen; ///< valve, gate of a lock
    bool isMovable; ///< source: it is moved by a drag
    wbDrive drive;  ///< wheel
} wbHandle;

/// Those of a world: `handles` is an array of wbHandle.
wbStatus wbGatherHandles(const wbWorld *world, wbArray *handles, int *count);

/// Adds that of the slice through the air that a picture shows, if there is one.
wbStatus wbAddSliceHandle(const wbRenderScene *scene, wbArray *handles, int *count);

/// What a click or a drag sets: a key, what it was before, and what it is to be.
typedef struct wbHandleSet {
    char key[WB_HANDLE_KEY], before[WB_HANDLE_VALUE], value[WB_HANDLE_VALUE];
} wbHandleSet;

/// A drag on its way: the handle as it was when it was taken, and how far the cursor went since, in units of its way, degrees or metres.
typedef struct wbHandleDrag {
    wbHandle handle;
    float moved;
    wbVec3 shift; ///< m: of a source
} wbHandleDrag;

/// False: a click does nothing there.
bool wbHandle_Click(const wbHandle *handle, wbHandleSet *set);
/// The cursor went from one ray to another; `back` is from the picture to the eye. False: a drag does nothing there.
bool wbHandleDrag_Move(wbHandleDrag *drag, wbRay from, wbRay to, wbVec3 back, wbHandleSet *set);
/// "sluice: gate, 60 % open".
void wbHandle_Describe(const wbHandle *handle, char *text, int size);
