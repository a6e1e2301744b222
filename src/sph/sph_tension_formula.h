// SPDX-License-Identifier: MIT
// Surface tension as a stress along the skin of the water, once for every machine, as sph_formula.h. The skin carries
// S = 2 sigma |n|/m (I - e e^T), where n = sum V grad W is nonzero within h of the surface and e = n/|n|: a continuum surface
// stress (Lafaurie et al. 1994). Two sums make it exact on particles:
//
// - Across a flat surface V |n|, summed over the particles below an area, is half of it, whatever the kernel and the arrangement:
//   pairs cancel but for those of the undisturbed inside. Hence the 2, and no factor is measured.
// - Divided by m, the tangential part of M = sum V F r r^T over that of the lattice, the divergence of a uniform stress is exact
//   though a skin lacks half of its neighbours.
//
// F ~ 1 - q2: the pull between two particles must not fall with their distance faster than r, else they clump. The force on i is
// -V2 F (S_i + S_j) r, that on j the opposite. The skin lies at a depth o below the surface of the volume; what a curved one
// pulls too much for that is taken off by chi (docs/water.md). Sides and colliders that the water touches are its bases.
#pragma once

#include "sph/sph_constants.h"

/// A symmetric tensor.
typedef struct SphTensor {
    REAL xx, yy, zz, xy, xz, yz;
} SphTensor;

/// What a particle's sums make of it: e, how much it belongs to the skin, 0 … 1, and 2 sigma |n|/m times that.
typedef struct SphSkin {
    REAL x, y, z, weight, strength;
} SphSkin;

/// n_i = -sum of this times (x_i - x_j): inwards.
WB_INLINE REAL tension_normal(REAL r2, const SphTension *t) {
    REAL s = real_max(1.0f - real_scaled_root(r2, t->inverseH, t->tinyWay), real_set(0));
    return s * s * s * t->normalScale;
}

/// V F
WB_INLINE REAL tension_moment(REAL r2, const SphTension *t) {
    return real_max(1.0f - r2 * (t->inverseH * t->inverseH), real_set(0)) * t->momentScale;
}

WB_INLINE SphTensor tension_add(SphTensor m, REAL scale, REAL x, REAL y, REAL z) {
    REAL sx = scale * x, sy = scale * y, sz = scale * z;
    SphTensor sum = {real_madd(sx, x, m.xx), real_madd(sy, y, m.yy), real_madd(sz, z, m.zz),
                     real_madd(sx, y, m.xy), real_madd(sx, z, m.xz), real_madd(sy, z, m.yz)};
    return sum;
}

/// The mean of a tensor across the directions of a plane with this unit normal. Few neighbours along the skin do not make it stronger
/// than three times.
WB_INLINE REAL tension_along(SphTensor m, REAL x, REAL y, REAL z, const SphTension *t) {
    REAL trace = m.xx + m.yy + m.zz;
    REAL across =
        m.xx * x * x + m.yy * y * y + m.zz * z * z + 2.0f * (m.xy * x * y + m.xz * x * z + m.yz * y * z);
    return real_max((trace - across) * t->share, real_set(0.3f));
}

/// From n, M and what bases take off |n| by their contact angle. So much of it counts although it is little: else they would push
/// films apart.
WB_INLINE SphSkin tension_skin(REAL x, REAL y, REAL z, SphTensor m, REAL base, const SphTension *t) {
    REAL square = real_madd(x, x, real_madd(y, y, z * z)), inverse = real_rsqrt(square + t->tinyNormal);
    REAL length = square * inverse;
    REAL part = real_min(real_max(length * t->skinScale - 1.0f, real_set(0)), real_set(1));
    SphSkin skin = {x * inverse, y * inverse, z * inverse, part * part * (3.0f - 2.0f * part), length};
    REAL along = tension_along(m, skin.x, skin.y, skin.z, t);
    skin.strength = real_max(skin.weight * length, real_min(length, base)) * t->twice * real_rcp(along);
    return skin;
}

/// Of the contact angle at a collider. Young and Dupré: the work that parts water and collider, its adhesion, is sigma (1 + cosine).
/// Without one the angle is that of sides.
WB_INLINE REAL tension_cosine(REAL adhesion, const SphTension *t) {
    REAL wetted = real_min(adhesion / (0.5f * t->twice) - 1.0f, real_set(1));
    return real_select(real_less(real_set(0), adhesion), wetted, real_set(t->sideCosine));
}

/// From n_b, the bases' part of n, and M of all: what a base takes off the skin's tension by the cosine of the contact angle.
/// weight is not used.
WB_INLINE SphSkin tension_base(REAL x, REAL y, REAL z, SphTensor m, REAL cosine, const SphTension *t) {
    REAL square = real_madd(x, x, real_madd(y, y, z * z)), inverse = real_rsqrt(square + t->tinyNormal);
    SphSkin base = {x * inverse, y * inverse, z * inverse, real_set(0), square * inverse};
    REAL along = tension_along(m, base.x, base.y, base.z, t);
    base.strength *= -t->twice * cosine * real_rcp(along);
    return base;
}

/// chi = (1 - H offset)^d, from sums over the skin near a particle, weighed alike: of F (e_j - e_i)·r and F (r2 - (e_i·r)2).
WB_INLINE REAL tension_chi(REAL turned, REAL reached, const SphTension *t) {
    REAL curvature = turned * real_rcp(reached * t->share + 0.02f) * t->share;
    REAL part = 1.0f - real_min(real_max(curvature * t->offset, real_set(-0.5f)), real_set(0.5f));
    return part * part * (t->isSpace * part + (1 - t->isSpace));
}

/// V F over the rest density.
WB_INLINE REAL tension_pull(REAL r2, const SphTension *t) {
    return real_max(1.0f - r2 * (t->inverseH * t->inverseH), real_set(0)) * t->pullScale;
}
