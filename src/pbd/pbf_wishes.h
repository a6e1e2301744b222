// SPDX-License-Identifier: MIT
// Wishes for the sizes of an adaptive fluid's particles, of both methods: small near the surface, near a point, in a box, near colliders, where the
// fluid is fast, turns, or is thin; larger out of a camera's view. What they come to stands in pbf_wishes_formula.h.
#pragma once

#include "core/cpu.h"
#include "pbd/pbf_wishes_constants.h"
#include "space/particle_fluid.h"
#include "wirbel/params.h"

/// For particles of which the smallest has this radius (m).
PbfWishes wbMakePbfWishes(const wbAdaptiveParams *params, float radius, int dimensions);

/// What wishes read and write, per particle.
typedef struct wbWishPass {
    PbfWishes wishes;
    const wbParticles *particles;
    const float *toSurface;   ///< m
    const float *toColliders; ///< m; NULL: nobody asks
    const float
        *motions;   ///< records of vx, vy, vz (m/s), mass; NULL: nobody asks for what is around particles
    const float *h; ///< m, of kernels
    float *curl;    ///< 1/s
    float *deepest; ///< m, the greatest distance to the surface among neighbours
    float *size;    ///< that particles should have, over the smallest's
} wbWishPass;

typedef struct wbWishCode {
    wbRangeFn *around; ///< over lists, by records of places and distances to the surface
    wbRangeFn *sizes;  ///< over particles
} wbWishCode;

WB_DECLARE_CODE(wbWishCode, wb_wishCode, wbGetWishCode)

/// No point of a collider is so far away.
#define WB_FAR_COLLIDER 1e15f

/// What wishes ask of a fluid in a step whose lists are built.
typedef struct wbWishInput {
    const float *toSurface;   ///< m, of each particle
    const float *toColliders; ///< m; NULL: nobody asks
    const float *h;           ///< m, of kernels
    const float *mass;        ///< of each particle
} wbWishInput;

/// Distances (m) to points of colliders by the lists of those that are near particles (NULL: no colliders), WB_FAR_COLLIDER beyond; NULL where nobody
/// asks. They are in the arena.
wbStatus wbFindToColliders(const wbFluidStep *step, const PbfWishes *wishes, const wbBoundaryLists *near,
                           float **distances);

/// The sizes that particles should have, over the smallest's. Scratch is in the arena.
wbStatus wbFindWishedSizes(const wbFluidStep *step, const PbfWishes *wishes, const wbWishInput *input,
                           float *sizes);
