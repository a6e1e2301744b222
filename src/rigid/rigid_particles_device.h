// SPDX-License-Identifier: MIT
// What the kernels of rigid_particles.cl and rigid_surface.cl share with the host: the same structs in C and in OpenCL C.
#pragma once

#include "rigid/rigid_particles_constants.h"
#include "shape/pose.h"

/// Work-items that make the summary.
enum { RIGID_SUMMARY_GROUP = 64 };

/// What the bodies are like after they moved.
typedef struct RigidSummary {
    float maxSpeed;       ///< m/s, of any point
    float min[3], max[3]; ///< m, of the centres of those that have particles
    int broken;           ///< bodies with something that is not finite, or beyond 1e30
} RigidSummary;

/// What of a body a step does not change.
typedef struct RigidBodyLaw {
    float inverseInertia[3]; ///< 1/(kg m2)
    float inverseMass;       ///< 1/kg
    float gravityScale, linearDamping, angularDamping;
    float reach;      ///< m
    int moves;        ///< it goes where its velocity takes it
    int first, count; ///< its particles
    unsigned category, mask;
} RigidBodyLaw;

/// A side of the domain.
typedef struct RigidSide {
    float normal[3], offset;
    float velocity[3];
    int isClosed;
} RigidSide;

enum { RIGID_SIDES = 6 };
typedef struct RigidSides {
    RigidSide sides[RIGID_SIDES];
    RigidMatter matter; ///< of all of them
} RigidSides;

/// Pieces, in the order of wbPieceKind.
enum { RIGID_SPHERE, RIGID_CAPSULE, RIGID_BOX, RIGID_CYLINDER, RIGID_HULL, RIGID_PLANE, RIGID_MESH };

/// A face of a hull, as wbHullFace.
typedef struct RigidFace {
    wbVec3 normal;
    float offset;
    int first, count; ///< corners, in `loops`
} RigidFace;

/// A piece of a static or kinematic body, or of a guest.
typedef struct RigidSurface {
    wbPose pose; ///< in its body's frame
    wbVec3 size;
    wbVec3 min, max; ///< m: a box around it, in its own frame
    int kind, body;
    int second;                                       ///< as in wbRigidGroup
    int firstFace, faceCount, firstLoop, firstCorner; ///< of a hull
    int firstNode, nodeCount, firstTriangle;          ///< of a mesh
} RigidSurface;

/// What a force generator does to one body.
typedef struct RigidAct {
    int force;    ///< which
    int other;    ///< the body at its other end; -1: none
    int isSecond; ///< of the two
    float volume; ///< m3, of the body, where buoyancy asks for it
} RigidAct;
