// SPDX-License-Identifier: MIT
// What lies below the cursor: a ray against particles, surfaces and bodies of a still, by plain loops. Pure: it knows no window.
#pragma once

#include "app/view/still.h"

/// A line of sight with a width: `slope` is how far beside it, per metre along it, thin things are still hit.
typedef struct wbSight {
    wbRay ray;
    float slope;
} wbSight;

typedef struct wbPick {
    wbOwner owner;  ///< wb_ownerNone: nothing is there
    int particle;   ///< place in the view of a fluid or soft body; -1: it is none
    uint32_t id;    ///< of a fluid's particle
    wbVec3 point;   ///< m, that was hit
    float distance; ///< m, along the ray
    wbVec3 extent;  ///< m, edges of the box around a body's mesh, in its own frame
} wbPick;

/// Kinds that a hand may hold, and all.
enum {
    WB_PICK_THINGS = 1 << wb_ownerCollider | 1 << wb_ownerRigidBody | 1 << wb_ownerSoftBody,
    WB_PICK_ALL = WB_PICK_THINGS | 1 << wb_ownerFluid
};

/// The nearest thing of the kinds that are asked for (bits 1 << wbOwnerKind). Clear bodies are only hit where nothing is behind them.
wbPick wbPickStill(const wbStill *still, const wbSight *sight, unsigned kinds);
/// The handle that is nearest to the line of sight, within its width; -1: none is.
int wbPickHandle(const wbStill *still, const wbSight *sight, bool withSides);
/// A place to push air at: where the smoke becomes thick, or the middle of what the ray sees of it. False: it misses the air.
bool wbPickAir(const wbStill *still, wbRay ray, wbVec3 *point);
