// SPDX-License-Identifier: MIT
// Handles by value: index (from 1, so that a zeroed id is null) and generation. What is destroyed between steps leaves a stale id:
// wbX_IsValid says so, and its use is an assertion; after wbWorld_Restore ids that are younger than its bytes come again. Numbers
// from 0 to wbWorld_GetXCount - 1 are in the order of creation.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// A body of fluid in one world.
typedef struct wbFluidId {
    uint32_t index1;
    uint32_t generation;
} wbFluidId;

/// A place where particles come from, in one world.
typedef struct wbEmitterId {
    uint32_t index1;
    uint32_t generation;
} wbEmitterId;

/// A place where particles go, in one world.
typedef struct wbDrainId {
    uint32_t index1;
    uint32_t generation;
} wbDrainId;

/// A collider, in one world.
typedef struct wbColliderId {
    uint32_t index1;
    uint32_t generation;
} wbColliderId;

/// What moves colliders, in one world.
typedef struct wbMechanismId {
    uint32_t index1;
    uint32_t generation;
} wbMechanismId;

/// A soft body, in one world.
typedef struct wbSoftBodyId {
    uint32_t index1;
    uint32_t generation;
} wbSoftBodyId;

/// A place where smoke comes from, in one world.
typedef struct wbSourceId {
    uint32_t index1;
    uint32_t generation;
} wbSourceId;

/// What measures, in one world.
typedef struct wbProbeId {
    uint32_t index1;
    uint32_t generation;
} wbProbeId;

/// A rigid body, in one world.
typedef struct wbRigidBodyId {
    uint32_t index1;
    uint32_t generation;
} wbRigidBodyId;

/// What ties rigid bodies, in one world.
typedef struct wbJointId {
    uint32_t index1;
    uint32_t generation;
} wbJointId;

/// What acts on rigid bodies, in one world.
typedef struct wbForceId {
    uint32_t index1;
    uint32_t generation;
} wbForceId;

/// What pulls something to a place, or pushes fluids, in one world.
typedef struct wbGrabId {
    uint32_t index1;
    uint32_t generation;
} wbGrabId;

static inline bool wbFluidId_IsNull(wbFluidId id) { return id.index1 == 0; }
static inline bool wbEmitterId_IsNull(wbEmitterId id) { return id.index1 == 0; }
static inline bool wbDrainId_IsNull(wbDrainId id) { return id.index1 == 0; }
static inline bool wbColliderId_IsNull(wbColliderId id) { return id.index1 == 0; }
static inline bool wbMechanismId_IsNull(wbMechanismId id) { return id.index1 == 0; }
static inline bool wbSoftBodyId_IsNull(wbSoftBodyId id) { return id.index1 == 0; }
static inline bool wbSourceId_IsNull(wbSourceId id) { return id.index1 == 0; }
static inline bool wbProbeId_IsNull(wbProbeId id) { return id.index1 == 0; }
static inline bool wbRigidBodyId_IsNull(wbRigidBodyId id) { return id.index1 == 0; }
static inline bool wbJointId_IsNull(wbJointId id) { return id.index1 == 0; }
static inline bool wbForceId_IsNull(wbForceId id) { return id.index1 == 0; }
static inline bool wbGrabId_IsNull(wbGrabId id) { return id.index1 == 0; }
