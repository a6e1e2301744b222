// SPDX-License-Identifier: MIT
// What the kernels of rigid_particles.cl share with the host: the same structs in C and in OpenCL C.
#pragma once

/// Work-items that make the summary.
enum { RIGID_SUMMARY_GROUP = 64 };

/// What the bodies are like after they moved.
typedef struct RigidSummary {
    float maxSpeed;       ///< m/s, of any point
    float min[3], max[3]; ///< m, of their centres
    int broken;           ///< bodies with something that is not finite
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

/// A plane that particles feel: a side of the domain, or that of a static body.
typedef struct RigidPlane {
    float normal[3], offset;
    float velocity[3];
    int second; ///< as in wbRigidGroup
    RigidMatter matter;
    unsigned category, mask; ///< of a side: all bits
} RigidPlane;
