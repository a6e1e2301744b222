// SPDX-License-Identifier: MIT
// Numbers that the formulas of rigid bodies as particles need: the same structs in C and in OpenCL C.
#pragma once

/// Springs and dampers of the contacts between two bodies, or of one with a surface.
typedef struct RigidSprings {
    float stiffness, damping;           ///< N/m, N s/m, along the normal
    float shearStiffness, inverseShear; ///< N/m, m/N, across it; both 0: there is no spring
    float shearDamping;                 ///< N s/m
    float friction;                     ///< Coulomb's coefficient
} RigidSprings;

/// What moves bodies in a sub-step.
typedef struct RigidMove {
    float h;             ///< s
    float gravity[3];    ///< m/s2
    float terminalSpeed; ///< m/s; 0: none
} RigidMove;

/// What springs of a body's particles follow from.
typedef struct RigidMatter {
    float inverseMass; ///< 1/kg; 0: it does not give way
    float weight;      ///< N
    float radius;      ///< m, of its particles
    float face;        ///< particles that touch at once at most
    float friction, restitution;
    int hasMaterial; ///< else it takes that of what touches it
    int filler;
} RigidMatter;

/// How springs follow from it.
typedef struct RigidRule {
    float stiffness,
        damping; ///< N/m, N s/m: those given; stiffness 0: by the rest, and damping is a share of the critical one
    float overlap;                      ///< wanted, as a share of the radius
    float stableRate2;                  ///< 1/s2, of springs that sub-steps can follow
    float shearStiffness, shearDamping; ///< shares
    int isSeed, frictionMix, restitutionMix;
} RigidRule;
