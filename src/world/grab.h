// SPDX-License-Identifier: MIT
// Grabs of a world: damped springs to a place, at a particle of a soft body, a rigid body or a collider; and balls that are pulled there
// and push fluids and air. Each solver applies them to what is its own: soft_step.c, rigid_grab.c, air_source.c; colliders and
// liquids in grab_step.c.
#pragma once

#include "world/collider.h"
#include "world/object.h"

enum { WB_MAX_GRABS = 64 };

/// Of a ball that pushes.
typedef struct wbGrabState {
    float position[3], velocity[3]; ///< m, m/s
    int32_t isPlaced;               ///< it is on its way, and not new at its target
} wbGrabState;

typedef struct wbGrab {
    char name[WB_NAME_SIZE];
    const wbObjectKind *kind; ///< of what it holds; NULL: nothing, it pushes
    uint32_t index1, generation;
    wbGrabParams params;
    wbGrabState state, hostState,
        next; ///< hostState: as of the state on the host; next: when the step that is being done is over
    wbColliderState before, hostBefore; ///< of a collider that it holds, before the step that is being done
} wbGrab;

static inline wbGrab *wbGetGrabAt(const wbWorld *world, int index) {
    return (wbGrab *)world->grabs.data + index;
}

/// Makes one with a new id (index1 0), or as the next of those that were saved.
wbStatus wbAddGrab(wbWorld *world, const wbGrab *grab, uint32_t index1);
/// The index of what it holds, if it is on and that is of this kind; else -1.
int wbGetHeld(const wbWorld *world, const wbGrab *grab, const wbObjectKind *kind);
bool wbIsPushing(const wbWorld *world, const wbGrab *grab);
bool wbHasPush(const wbWorld *world);
/// Where the ball is now, within a step too, and its velocity.
void wbFindBall(const wbWorld *world, const wbGrab *grab, wbVec3 *centre, wbVec3 *velocity);

/// Where a particle of a soft body is, if it has so many; a point of a rigid body, in its own frame. The state is on the host.
bool wbFindSoftPoint(const wbWorld *world, int index, int particle, wbVec3 *point);
wbVec3 wbFindBodyPoint(const wbWorld *world, int index, wbVec3 point);

/// A spring on a mass, kg.
typedef struct wbGrabSpring {
    float stiffness, damping, maxForce; ///< N/m, N s/m, N
} wbGrabSpring;
wbGrabSpring wbMakeGrabSpring(const wbGrabParams *params, double mass);

/// @name In a step
/// @{
/// Before all of it: colliders that are held get their velocities; and after a step that did not happen, those of before.
void wbDriveGrabbed(wbWorld *world, float dt);
void wbUndriveGrabbed(wbWorld *world);
/// Before the snapshot: balls know where they will be.
wbStatus wbPrepareGrabs(wbWorld *world, float dt);
/// Before a sub-step of the liquids of a group.
wbStatus wbPushLiquids(wbWorld *world, const wbSubStep *part);
/// The step happened.
void wbSettleGrabs(wbWorld *world);
/// Of air: room for what balls do in it.
wbStatus wbReserveFeeds(wbWorld *world);
/// @}
uint64_t wbHashGrabs(const wbWorld *world, uint64_t hash);
