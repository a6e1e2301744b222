// SPDX-License-Identifier: MIT
// The last line: no particle passes the surface of a collider from outside, however fast either moves. After each drift
// the guard looks at every particle's way as seen from each collider. One that entered is put a hair in front of where it
// did, slides on along the surface as far as it was going, and loses the velocity into the wall. What was inside
// before may come out.
#pragma once

#include "core/work.h"
#include "shape/guard_formula.h"
#include "shape/pose.h"
#include "shape/shape.h"

/// The trees of all colliders, one after the other.
typedef struct wbGuard wbGuard;

/// Shapes may be named several times; they are copied.
wbStatus wbCreateGuard(wbMemory *memory, const wbShape *const *shapes, int count, wbGuard **guard);
/// NULL is allowed.
void wbDestroyGuard(wbGuard *guard);

/// Where a collider was before the drift, and where it is and how it moves after it.
typedef struct wbGuardPlace {
    wbPose before;
    wbMotion after;
} wbGuardPlace;

/// m and m/s. Positions and velocities after the drift are changed in place.
typedef struct wbGuardPoints {
    int count;
    bool isFlat; ///< they stay in the plane z = 0
    const float *beforeX, *beforeY, *beforeZ;
    float *x, *y, *z, *vx, *vy, *vz;
    const float
        *nearness; ///< 0: what moves less than `margin` m cannot reach a collider; NULL: all are looked at
    float margin;
} wbGuardPoints;

typedef struct wbGuardCounts {
    int64_t caught; ///< particles that were moved
    int64_t lost;   ///< and those that no position could satisfy: squeezed between two colliders
} wbGuardCounts;

/// One place per shape, in the same order. The same for any number of threads.
wbGuardCounts wbGuard_Run(wbGuard *guard, wbThreadPool *pool, const wbGuardPlace *places,
                          const wbGuardPoints *points);

/// The arrays, for compute devices.
typedef struct wbGuardParts {
    const ShapeNode *nodes;
    const ShapeTriangle *triangles;
    int nodeCount, triangleCount, solidCount;
} wbGuardParts;
wbGuardParts wbGuard_GetParts(const wbGuard *guard);
/// All colliders at their places, for the formula. Valid until the next call.
const GuardSolid *wbGuard_Place(wbGuard *guard, const wbGuardPlace *places);
