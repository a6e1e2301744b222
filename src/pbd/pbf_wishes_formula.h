// SPDX-License-Identifier: MIT
// What is wished of a particle's size, beside its distance to the surface: formulas over REAL, for both adaptive methods and every machine. Wishes
// combine freely, the smallest radius wins: those that name a place are distances to it, of which the least counts.
#pragma once

#include "pbd/pbf_wishes_constants.h"

/// m, by which a coordinate is out of a range.
WB_INLINE REAL pbf_out_of(REAL x, float low, float high) {
    return real_max(real_max(low - x, x - high), real_set(0));
}
/// m, from a box; 0 inside.
WB_INLINE REAL pbf_box_distance(REAL x, REAL y, REAL z, const float *low, const float *high) {
    REAL a = pbf_out_of(x, low[0], high[0]), b = pbf_out_of(y, low[1], high[1]),
         c = pbf_out_of(z, low[2], high[2]);
    return real_sqrt(a * a + b * b + c * c);
}

/// m, to where particles are to be the smallest, by the distance to the surface, from where sizes may grow on, and that to colliders.
WB_INLINE REAL pbf_wished_distance(REAL x, REAL y, REAL z, REAL toSurface, REAL toColliders,
                                   const PbfWishes *wishes) {
    REAL away = toSurface;
    if (wishes->pointReach > 0)
        away = real_min(away, pbf_box_distance(x, y, z, wishes->point, wishes->point) - wishes->pointReach);
    if (wishes->hasBox) away = real_min(away, pbf_box_distance(x, y, z, wishes->boxMin, wishes->boxMax));
    if (wishes->nearColliders > 0) away = real_min(away, toColliders - wishes->nearColliders);
    return away;
}

/// Share of what a size is beyond the smallest that is left to a particle of this speed: all of it below half the wished one, nothing from there on.
WB_INLINE REAL pbf_slowness(REAL vx, REAL vy, REAL vz, const PbfWishes *wishes) {
    REAL v = real_sqrt(vx * vx + vy * vy + vz * vz);
    return real_min(real_max(2.0f - 2.0f * v / wishes->speed, real_set(0)), real_set(1));
}

/// The size that a particle should have, over that of the smallest, where sizes grow by the slope from the band on.
WB_INLINE REAL pbf_sloped_size(REAL away, const PbfWishes *wishes) {
    return 1.0f + wishes->slope * real_max(away / wishes->radius, real_set(0));
}

/// That of a particle with this velocity.
WB_INLINE REAL pbf_wished_size(REAL away, REAL vx, REAL vy, REAL vz, const PbfWishes *wishes) {
    REAL size = pbf_sloped_size(away, wishes);
    if (wishes->speed == 0) return size;
    return 1.0f + pbf_slowness(vx, vy, vz, wishes) * (size - 1.0f);
}
