// SPDX-License-Identifier: MIT
// What is wished of a particle's size, beside its distance to the surface: formulas over REAL, for both adaptive methods and every machine. Wishes
// combine freely, the smallest radius wins: those that name a place are distances to it, of which the least counts. Out of view all of that may be
// larger, but for the thickness of the fluid.
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
    if (wishes->nearColliders > 0)
        away = real_min(away, (toColliders - wishes->nearColliders) * PBF_COLLIDER_STEEPNESS);
    return away;
}

/// The size that a particle should have, over that of the smallest, where sizes grow by the slope.
WB_INLINE REAL pbf_sloped_size(REAL away, const PbfWishes *wishes) {
    return 1.0f + wishes->slope * real_max(away / wishes->radius, real_set(0));
}

/// Share of what a size is beyond the smallest that is left where something that is to be less than `most` is so much: all of it below half
/// of that, nothing from there on.
WB_INLINE REAL pbf_share_left(REAL much, float most) {
    return real_min(real_max(2.0f - 2.0f * much / most, real_set(0)), real_set(1));
}

/// By how much sizes may be larger at a place out of view; 1 in it.
WB_INLINE REAL pbf_unseen_factor(REAL x, REAL y, REAL z, const PbfWishes *wishes) {
    REAL out = real_set(0);
    for (int s = 0; s < 4; s++)
        out = real_max(out, x * wishes->sides[s][0] + y * wishes->sides[s][1] + z * wishes->sides[s][2] -
                                wishes->sides[s][3]);
    return real_min(pbf_sloped_size(out, wishes), real_set(wishes->viewFactor));
}

/// No larger than a share of the fluid's thickness: twice the greatest distance to the surface near a particle.
WB_INLINE REAL pbf_thin_size(REAL size, REAL deepest, const PbfWishes *wishes) {
    REAL most = deepest * (2.0f * wishes->feature / wishes->radius);
    return real_max(real_min(size, most), real_set(1));
}

/// Of a pair's sums: a neighbour's mass, fading towards the end of the particle's kernel.
WB_INLINE REAL pbf_around_weight(REAL r2, REAL inverseH, REAL mass) {
    return mass * real_max(1.0f - r2 * (inverseH * inverseH), real_set(0));
}

/// |curl v| by sums over neighbours of w (x_j - x_i) x (v_j - v_i), of which this is the square, and of w r2: exact for velocities that are linear,
/// where neighbours are spread evenly, all around or on one side of a plane.
WB_INLINE REAL pbf_curl(REAL turning2, REAL squares, const PbfWishes *wishes) {
    return (float)wishes->dimensions * real_sqrt(turning2) / real_max(squares, real_set(1e-30f));
}

/// What is around a particle, by sums over its neighbours; nobody asks for it where those wishes are off.
typedef struct PbfAround {
    REAL toColliders; ///< m
    REAL curl;        ///< 1/s
    REAL deepest;     ///< m, the greatest distance to the surface among neighbours
} PbfAround;

/// The size that a particle should have, over that of the smallest: by its place, its distance to the surface, its velocity, and what is around.
WB_INLINE REAL pbf_wished_size(REAL x, REAL y, REAL z, REAL toSurface, REAL vx, REAL vy, REAL vz,
                               PbfAround around, const PbfWishes *wishes) {
    REAL away = pbf_wished_distance(x, y, z, toSurface - wishes->band, around.toColliders, wishes);
    REAL size = pbf_sloped_size(away, wishes), left = real_set(1);
    if (wishes->speed > 0) left = pbf_share_left(real_sqrt(vx * vx + vy * vy + vz * vz), wishes->speed);
    if (wishes->curl > 0) left = real_min(left, pbf_share_left(around.curl, wishes->curl));
    if (wishes->speed > 0 || wishes->curl > 0) size = 1.0f + left * (size - 1.0f);
    if (wishes->viewFactor > 0) size = size * pbf_unseen_factor(x, y, z, wishes);
    if (wishes->feature > 0) size = pbf_thin_size(size, around.deepest, wishes);
    return size;
}
