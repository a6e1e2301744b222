// SPDX-License-Identifier: MIT
// Numbers that the formulas of exact contacts need: the same structs in C and in OpenCL C.
#pragma once

enum { RIGID_POINTS = 4 };
/// The axis of two boxes by which they touch: a face's of the first, of the second, or across two edges, 3 i + j.
enum { RIGID_AXIS_A, RIGID_AXIS_B = 3, RIGID_AXIS_EDGES = 6 };
/// Points of a contact are swept again, so often at most, while a sweep changes their speed by more than this share of the speed with
/// which bodies part at most.
enum { RIGID_POINT_SWEEPS = 16 };
#define RIGID_BLOW 0.03f
#define RIGID_FAR  1e6f ///< m: the separation of a point that is not there

#define RIGID_SKIN                                                                                           \
    0.06f ///< of a piece's reach: half of what two cubes' centres may come nearer, 0.1 edges in the study
#define RIGID_NO_BOUNCE -1e6f ///< m/s: the speed wanted of a point that does not bounce

/// Contacts of a body, above which they part it more slowly from each of the others, so that pushes do not add up where hundreds of
/// bodies lie within each other.
#define RIGID_CROWD 16

/// How much more easily a needle turns about its own axis than across it; and how far it may turn across, as the square of the angle
/// times that.
#define RIGID_NEEDLE 16
#define RIGID_SWING  0.1f

/// What holds for all contacts in a step. Lengths in manifolds are shares of the thinner box's shortest half edge.
typedef struct RigidTerms {
    float biasRate;  ///< 1/s; soft contacts [C11]
    float stiffness; ///< h w (2 zeta + h w), of which impulses keep s / (1 + s)
    float sag;       ///< m: thinner bodies are held more stiffly by sag / thickness
    float give; ///< 1/s: biasRate times the share of the thickness by which a load presses bodies in at most
    float pushSpeed;   ///< m/s
    float perSubStep;  ///< 1/s
    float margin;      ///< share of the thickness, at which contacts begin
    float bounceSpeed; ///< m/s
} RigidTerms;

/// Soft constraints: a spring of `hertz` and damping ratio `zeta` in sub-steps of h seconds (Catto 2011).
typedef struct wbSoftness {
    float biasRate, massScale, impulseScale;
} wbSoftness;
