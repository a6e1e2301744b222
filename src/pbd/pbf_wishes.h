// SPDX-License-Identifier: MIT
// Wishes for the sizes of an adaptive fluid's particles, of both methods: small near the surface, near a point, in a box, near colliders, where
// the fluid is fast. What they come to stands in pbf_wishes_formula.h.
#pragma once

#include "core/cpu.h"
#include "pbd/pbf_wishes_constants.h"
#include "space/particle_fluid.h"
#include "wirbel/params.h"

/// For particles of which the smallest has this radius (m).
PbfWishes wbMakePbfWishes(const wbAdaptiveParams *params, float radius);

/// What wishes read and write, per particle.
typedef struct wbWishPass {
    PbfWishes wishes;
    const wbParticles *particles;
    const float *toSurface;   ///< m
    const float *toColliders; ///< m; NULL: nobody asks
    float *size;              ///< that particles should have, over the smallest's
} wbWishPass;

typedef struct wbWishCode {
    wbRangeFn *sizes; ///< over particles, those of sizes that grow by the slope
} wbWishCode;

WB_DECLARE_CODE(wbWishCode, wb_wishCode, wbGetWishCode)

/// m, from each particle to the nearest point of a collider among those listed, or WB_FAR_COLLIDER.
#define WB_FAR_COLLIDER 1e15f
void wbFindColliderDistances(const wbFluidStep *step, const wbBoundaryLists *near, float *distances);
