// SPDX-License-Identifier: MIT
// Continuous collision: no particle passes the surface of a collider from outside, however fast either moves. After each drift
// it looks at every particle's way as seen from each collider near it. One that entered is put a hair in front of where it
// did, slides on along the surface as far as it was going, and loses the velocity into the collider. What was inside
// before may come out.
#pragma once

#include "core/work.h"
#include "shape/pose.h"
#include "shape/shape.h"
#include "space/broad_phase.h"
#include "space/collision_formula.h"

/// The trees of all colliders, one after the other.
typedef struct wbCollision wbCollision;

/// Shapes may be named several times; they are copied. One that is NULL is to be off.
wbStatus wbCreateCollision(wbMemory *memory, const wbShape *const *shapes, int count,
                           wbCollision **collision);
/// NULL is allowed.
void wbDestroyCollision(wbCollision *collision);

/// Where a collider was before the drift, and where it is and how it moves after it.
typedef struct wbCollisionPlace {
    wbPose before;
    wbMotion after;
    int32_t isOff; ///< 1: nothing collides with it
} wbCollisionPlace;

/// What particles lose to the colliders that stop them.
typedef struct wbCollisionGifts {
    wbSharedSum *sums; ///< COLLISION_SUMS per collider, which are added to; NULL: velocities are not to last
    float share;       ///< of a particle's mass in that of the heaviest, over its relative density
    const float *relative; ///< densities of particles; NULL: all 1
} wbCollisionGifts;

/// m and m/s. Positions and velocities after the drift are changed in place. All columns are padded.
typedef struct wbCollisionPoints {
    int count;
    bool isFlat; ///< they stay in the plane z = 0
    const float *beforeX, *beforeY, *beforeZ;
    float *x, *y, *z, *vx, *vy, *vz;
    /// 0: no collider is within `margin` m of where a particle was seen; NULL: all are looked at
    const float *nearness;
    float margin;
    /// instead: m, that every collider was away at least, but for `stray` m that it may have moved since; NULL:
    /// nearness is all that is known
    const float *clearances;
    float stray;
    const float *seenX, *seenY, *seenZ; ///< there; NULL: where it was before the drift
    wbCollisionGifts gifts;
} wbCollisionPoints;

typedef struct wbCollisionCounts {
    int64_t caught; ///< particles that were moved
    int64_t lost;   ///< and those that no position could satisfy: squeezed between two colliders
} wbCollisionCounts;

/// One place per shape, in the same order. The same for any number of threads.
wbCollisionCounts wbCollision_Run(wbCollision *collision, const wbWork *work, const wbCollisionPlace *places,
                                  const wbCollisionPoints *points);

/// The arrays, for compute devices; their places do not change.
typedef struct wbCollisionParts {
    CollisionTrees trees;
    int nodeCount, triangleCount;
    uint64_t version; ///< another one whenever a collider is placed elsewhere, or moves otherwise
} wbCollisionParts;
const wbCollisionParts *wbCollision_GetParts(const wbCollision *collision);
/// Puts all colliders at their places, which costs little for those that are there already.
void wbCollision_Place(wbCollision *collision, const wbCollisionPlace *places);
