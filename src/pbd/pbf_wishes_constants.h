// SPDX-License-Identifier: MIT
// Numbers that pbf_wishes_formula.h needs, made of the parameters (wbMakePbfWishes): the same struct in C and in OpenCL C.
#pragma once

/// By how much faster than over other distances sizes grow over that to colliders. A particle sees their points within its own support alone: where
/// sizes grew more slowly than what they see, it would merge until it saw a collider, split, and merge again, for ever.
#define PBF_COLLIDER_STEEPNESS 2.5f

/// What is wished of the sizes of particles. What is off is 0.
typedef struct PbfWishes {
    float radius;               ///< m, of the smallest particle
    float slope;                ///< by which radii grow over distances
    float band;                 ///< m, from which distance to the surface on
    float point[3], pointReach; ///< m
    float boxMin[3], boxMax[3]; ///< m
    int hasBox;
    float nearColliders; ///< m
    float speed;         ///< m/s
    float curl;          ///< 1/s
    float feature;       ///< largest radius over the thickness
    float sides[4][4];   ///< of the view: the unit vector out of it, distance from the origin along that (m)
    float viewFactor;    ///< by how much a size may be larger out of view
    int dimensions;
} PbfWishes;
