// SPDX-License-Identifier: MIT
// Which particles a collider may be in the way of, once per instruction set.
#pragma once

#include "core/cpu.h"
#include "core/work.h"
#include "space/collision.h"
#include "space/collision_formula.h"

/// Ways of particles that are near each other, one after the other.
enum { WB_FEW_WAYS = 64 };
typedef struct wbFewWays {
    int count;
    float from[3][WB_FEW_WAYS], to[3][WB_FEW_WAYS]; ///< m, in the world
} wbFewWays;

typedef struct wbCollisionCode {
    /// bits of up to WB_FEW_WAYS particles from `begin` on whose ways stay where no collider is: every place of one is nearer to where it
    /// was seen than one of the ends
    uint64_t (*out)(const wbCollisionPoints *points, int begin, int count);
    /// the box around them, and the square of the longest
    void (*bound)(const wbFewWays *ways, BroadBox *box, float *longest2);
    /// bits of those that are along every axis of the collider's frame where its box is: all that collision_meets takes
    uint64_t (*along)(const wbFewWays *ways, const CollisionCollider *collider);
} wbCollisionCode;

WB_DECLARE_CODE(wbCollisionCode, wb_collisionCode, wbGetCollisionCode)
