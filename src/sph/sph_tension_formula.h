// SPDX-License-Identifier: MIT
// Surface tension as a stress along the skin of the water, once for every machine, as sph_formula.h. The skin carries
// S = 2 sigma |n|/m (I - e e^T), where n = sum V grad W is nonzero within h of the surface and e = n/|n|: a continuum surface
// stress (Lafaurie et al. 1994). Two sums make it exact on particles:
//
// - Across a flat surface V n, summed over the particles below an area, is half of it, whatever the kernel and the arrangement:
//   pairs cancel but for those of the undisturbed inside. Hence the 2, and no factor is measured. In layers n points outwards,
//   too: |n| counts by the cosine between n and the mean of e around, which is that sum.
// - Divided by m, the tangential part of M = sum V F r r^T over that of the lattice, the divergence of a uniform stress is exact
//   though a skin lacks half of its neighbours.
//
// F ~ 1 - q2: the pull between two particles must not fall with their distance faster than r, else they clump. The force on i is
// -V2 F (S_i + S_j) r, that on j the opposite. The skin lies at a depth o below the surface of the volume; what a curved one
// pulls too much for that is taken off, along each of its principal directions by the curvature there (docs/water.md). Sides and
// colliders that the water touches are its bases.
#pragma once

#include "sph/sph_constants.h"

/// A symmetric tensor.
typedef struct SphTensor {
    REAL xx, yy, zz, xy, xz, yz;
} SphTensor;

/// What a particle's sums make of it: e, how much it belongs to the skin, 0 … 1, 2 sigma |n|/m, and how much of that counts in any case.
typedef struct SphSkin {
    REAL x, y, z, weight, strength, least;
} SphSkin;

/// A stress f (I - e e^T - u u^T): u and f.
typedef struct SphBend {
    REAL x, y, z, strength;
} SphBend;

/// Sums over the skin near a particle, weighed alike: of F e_j r^T, its symmetric part, and F (r2 - (e_i·r)2); of F over all,
/// and of what belongs to the skin of it times e_j.
typedef struct SphTurn {
    SphTensor turned;
    REAL reached, all, x, y, z;
} SphTurn;

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
    SphSkin skin = {x * inverse, y * inverse, z * inverse, part * part * (3.0f - 2.0f * part),
                    length,      length};
    REAL scale = t->twice * real_rcp(tension_along(m, skin.x, skin.y, skin.z, t));
    skin.strength = length * scale;
    skin.least = real_min(length, base) * scale;
    return skin;
}

/// Of the contact angle at a collider. Young and Dupré: the work that parts water and collider, its adhesion, is sigma (1 + cosine).
/// Without one the angle is that of sides.
WB_INLINE REAL tension_cosine(REAL adhesion, const SphTension *t) {
    REAL wetted = real_min(adhesion / (0.5f * t->twice) - 1.0f, real_set(1));
    return real_select(real_less(real_set(0), adhesion), wetted, real_set(t->sideCosine));
}

/// From n_b, the bases' part of n, and M of all: what a base takes off the skin's tension by the cosine of the contact angle.
/// weight and least are not used.
WB_INLINE SphSkin tension_base(REAL x, REAL y, REAL z, SphTensor m, REAL cosine, const SphTension *t) {
    REAL square = real_madd(x, x, real_madd(y, y, z * z)), inverse = real_rsqrt(square + t->tinyNormal);
    SphSkin base = {x * inverse, y * inverse, z * inverse, real_set(0), square * inverse, real_set(0)};
    REAL along = tension_along(m, base.x, base.y, base.z, t);
    base.strength *= -t->twice * cosine * real_rcp(along);
    return base;
}

WB_INLINE SphTurn tension_no_turn(void) {
    const REAL none = real_set(0);
    SphTurn turn = {{none, none, none, none, none, none}, none, none, none, none, none};
    return turn;
}

/// `weight` and `other` are how much both belong to the skin, ex, ey, ez is the normal of the other, `along` that of the first
/// times r.
WB_INLINE SphTurn tension_turn(SphTurn turn, REAL weight, REAL other, REAL ex, REAL ey, REAL ez, REAL along,
                               REAL r2, REAL x, REAL y, REAL z, const SphTension *t) {
    const REAL moment = tension_moment(r2, t), theirs = moment * other, shared = theirs * weight,
               mixed = 0.5f * shared;
    turn.all += moment;
    turn.x = real_madd(theirs, ex, turn.x);
    turn.y = real_madd(theirs, ey, turn.y);
    turn.z = real_madd(theirs, ez, turn.z);
    turn.turned.xx = real_madd(shared, ex * x, turn.turned.xx);
    turn.turned.yy = real_madd(shared, ey * y, turn.turned.yy);
    turn.turned.zz = real_madd(shared, ez * z, turn.turned.zz);
    turn.turned.xy = real_madd(mixed, real_madd(ex, y, ey * x), turn.turned.xy);
    turn.turned.xz = real_madd(mixed, real_madd(ex, z, ez * x), turn.turned.xz);
    turn.turned.yz = real_madd(mixed, real_madd(ey, z, ez * y), turn.turned.yz);
    turn.reached = real_madd(shared, r2 - along * along, turn.reached);
    return turn;
}

/// What counts of a strength: by the cosine between e and the mean of e around; where that is next to nothing, what does in any
/// case.
WB_INLINE REAL tension_count(REAL strength, REAL least, const SphTurn *turn, REAL x, REAL y, REAL z,
                             const SphTension *t) {
    REAL square = real_madd(turn->x, turn->x, real_madd(turn->y, turn->y, turn->z * turn->z));
    REAL inverse = real_rsqrt(square + 1e-12f);
    REAL part = real_max(square * inverse * real_rcp(turn->all + 1e-12f) * t->meanScale - 1.0f, real_set(0));
    part = real_min(part, real_set(1));
    return real_max(strength * (part * part * (3.0f - 2.0f * part)), least) *
           ((turn->x * x + turn->y * y + turn->z * z) * inverse);
}

/// m (I - e e^T) from both sides, times a scale, less `mean` in that plane.
WB_INLINE SphTensor tension_flatten(SphTensor m, REAL x, REAL y, REAL z, REAL scale, REAL mean) {
    const REAL mx = m.xx * x + m.xy * y + m.xz * z, my = m.xy * x + m.yy * y + m.yz * z,
               mz = m.xz * x + m.yz * y + m.zz * z, both = mean + (mx * x + my * y + mz * z) * scale;
    SphTensor flat = {scale * (m.xx - 2.0f * mx * x) + (both * x * x - mean),
                      scale * (m.yy - 2.0f * my * y) + (both * y * y - mean),
                      scale * (m.zz - 2.0f * mz * z) + (both * z * z - mean),
                      scale * (m.xy - mx * y - my * x) + both * x * y,
                      scale * (m.xz - mx * z - mz * x) + both * x * z,
                      scale * (m.yz - my * z - mz * y) + both * y * z};
    return flat;
}

/// u: what the direction of the greater curvature pulls less than the other. `bend` is o times the curvatures less their mean,
/// and the part of S that is left by the lesser one is `rest`.
WB_INLINE void tension_split(SphBend *stress, SphTensor bend, REAL rest, REAL spread, REAL x, REAL y,
                             REAL z) {
    // of rank one: 2 spread times the square of the direction, whose largest column is taken
    const REAL xx = bend.xx + spread * (1.0f - x * x), yy = bend.yy + spread * (1.0f - y * y),
               zz = bend.zz + spread * (1.0f - z * z), xy = bend.xy - spread * x * y,
               xz = bend.xz - spread * x * z, yz = bend.yz - spread * y * z;
    const MASK isY = real_less(xx, yy), isZ = real_less(real_max(xx, yy), zz);
    const REAL size = real_rsqrt(real_max(real_max(real_max(xx, yy), zz), real_set(1e-12f)) * rest);
    stress->x = size * real_select(isZ, xz, real_select(isY, xy, xx));
    stress->y = size * real_select(isZ, yz, real_select(isY, yy, xy));
    stress->z = size * real_select(isZ, zz, real_select(isY, yz, xz));
}

/// What curvature leaves of a stress: (1 - o H)^(d-1) (I - e e^T - o B), where B is that of the skin, by direction, and H its mean.
WB_INLINE SphBend tension_bent(const SphTurn *turn, REAL x, REAL y, REAL z, const SphTension *t) {
    const SphTensor *m = &turn->turned;
    const REAL scale = real_rcp(turn->reached * t->share + 0.02f) * t->offset;
    const REAL across = m->xx * x * x + m->yy * y * y + m->zz * z * z +
                        2.0f * (m->xy * x * y + m->xz * x * z + m->yz * y * z);
    const REAL mean = (m->xx + m->yy + m->zz - across) * (t->share * scale);
    const REAL part = 1.0f - real_min(real_max(mean, real_set(-0.5f)), real_set(0.5f));
    SphBend stress = {real_set(0), real_set(0), real_set(0), part * part};
    if (!(t->isSpace > 0)) return stress;
    SphTensor bend = tension_flatten(*m, x, y, z, scale, mean);
    const REAL square = 0.5f * (bend.xx * bend.xx + bend.yy * bend.yy + bend.zz * bend.zz) +
                        (bend.xy * bend.xy + bend.xz * bend.xz + bend.yz * bend.yz);
    const REAL inverse = real_rsqrt(square + 1e-12f), spread = real_min(square * inverse, real_set(0.5f));
    const REAL shrink = spread * inverse, rest = part + spread;
    const SphTensor limited = {shrink * bend.xx, shrink * bend.yy, shrink * bend.zz,
                               shrink * bend.xy, shrink * bend.xz, shrink * bend.yz};
    tension_split(&stress, limited, rest, spread, x, y, z);
    stress.strength *= rest;
    return stress;
}

/// V F over the rest density.
WB_INLINE REAL tension_pull(REAL r2, const SphTension *t) {
    return real_max(1.0f - r2 * (t->inverseH * t->inverseH), real_set(0)) * t->pullScale;
}
