// SPDX-License-Identifier: MIT
// Pieces of rigid bodies, and where they are, for tests.
#pragma once

#include "rigid/convex.h"
#include "rigid/rigid.h"
#include "shape_support.h"

static inline wbRigidPiece makePiece(wbPieceKind kind, float x, float y, float z) {
    return (wbRigidPiece){.kind = kind, .pose = wb_poseAtOrigin, .size = {x, y, z}};
}

static inline wbRigidPiece makeHullPiece(wbHull *hull) {
    return (wbRigidPiece){.kind = wb_pieceHull, .pose = wb_poseAtOrigin, .hull = hull};
}

static inline wbPose poseAt(float x, float y, float z) { return (wbPose){{x, y, z}, {0, 0, 0, 1}}; }

/// Of the usual material, as heavy as `mass` says: 0 is a body that stands still.
static inline wbRigidBodySetup makeBodySetup(const wbRigidPiece *pieces, int count, wbPose pose, double mass,
                                             int dimensions) {
    wbRigidBodySetup setup = {.pieces = pieces,
                              .pieceCount = count,
                              .pose = pose,
                              .bits = mass > 0 ? WB_RIGID_DYNAMIC | WB_RIGID_MAY_SLEEP : 0,
                              .mass = mass,
                              .gravityScale = 1,
                              .friction = 0.5f,
                              .category = 1,
                              .mask = ~0u};
    for (int i = 0; mass > 0 && i < count; i++) {
        const wbMassProperties part = wbRigidPiece_GetMass(&pieces[i], dimensions);
        wbMassProperties_Add(&setup.solid, &part, 1);
    }
    return setup;
}

/// Turned by an angle about an axis of any length.
static inline wbPose turnedPose(wbVec3 place, wbVec3 axis, float angle) {
    const wbVec3 v = wbScale(sinf(angle / 2), normaliseVec(axis));
    return (wbPose){{place.x, place.y, place.z}, {v.x, v.y, v.z, cosf(angle / 2)}};
}

static inline wbPose randomPose(uint32_t *seed, float size) {
    const wbVec3 place = randomPoint(seed, size), axis = randomPoint(seed, 1);
    return turnedPose(place, wbAdd(axis, wbMakeVec3(1e-3f, 0, 0)), 3 * randomNumber(seed));
}

/// Of so many points on a ball, whose radius varies by a share.
static inline wbHull *randomHull(uint32_t *seed, int count, float radius, float share) {
    float points[WB_MAX_HULL_CORNERS][3];
    wbHull *hull;
    for (int i = 0; i < count; i++) {
        wbVec3 p = randomPoint(seed, 1);
        while (lengthOf(p) < 0.1f) p = randomPoint(seed, 1);
        p = wbScale(radius * (1 + share * randomNumber(seed)), normaliseVec(p));
        points[i][0] = p.x, points[i][1] = p.y, points[i][2] = p.z;
    }
    assertOk(wbCreateHull(NULL, points[0], count, 0, WB_MAX_HULL_CORNERS, &hull));
    return hull;
}
