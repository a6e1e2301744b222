// SPDX-License-Identifier: MIT
// The formulas of position based bodies, once for every machine: over REAL, no pointers but to constants, no branches
// on data.
//
// [M07] Müller, Heidelberger, Hennix and Ratcliff 2007: position based dynamics.  [M16] Macklin, Müller and Chentanez
// 2016: XPBD.  [M14] Macklin, Müller, Chentanez and Kim 2014: averaged Jacobi, friction.  [E08] English and Bridson 2008:
// BDF2 with projected positions.  [H93] Hairer, Nørsett and Wanner 1993: its coefficients for steps of changing length.
#pragma once

#include "pbd/pbd_constants.h"

#define PBD_TINY  1e-12f ///< m; points nearer than this have no direction of their own
#define PBD_LEAP2 2.25f  ///< of squared accelerations: what grows by more is sudden
#define PBD_KEPT  0.99f  ///< of a bank, per sub-step

/// The way that BDF2 predicts [E08, H93 III.5]: x' - x = carry (x - x_before) + dt v', v' - v = carry (v - v_before) + dt g.
WB_INLINE REAL pbd_predict_second(REAL v, REAL lastV, REAL lastWay, float gravity, const PbdMove *move) {
    REAL speed = real_madd(v - lastV, real_set(move->carry), v);
    return real_madd(lastWay, real_set(move->carry), speed * move->dt + move->kick * gravity);
}

/// v' of the same equation, from the way that the constraints left.
WB_INLINE REAL pbd_speed_second(REAL way, REAL lastWay, const PbdMove *move) {
    return (way - lastWay * move->carry) * move->rate;
}

/// How a particle's motion goes on, to be weighed by mass. With v = first + share (second - first), between the orders,
/// v2 / 2 is above that of the first order by share rise + share2 bend.
typedef struct PbdTrend {
    REAL acceleration2; ///< m2/s4, squared
    REAL room; ///< m2/s2, that v2 / 2 of before and the work of gravity are above that of the first order
    REAL rise, bend; ///< m2/s2
} PbdTrend;

WB_INLINE PbdTrend pbd_trend(const REAL way[3], const REAL lastWay[3], const REAL v[3], const PbdMove *move) {
    PbdTrend trend = {real_set(0), real_set(0), real_set(0), real_set(0)};
    for (int a = 0; a < 3; a++) {
        REAL first = way[a] * move->firstRate, more = pbd_speed_second(way[a], lastWay[a], move) - first;
        REAL before = move->lastRate > 0 ? lastWay[a] * move->lastRate : v[a];
        REAL acceleration = (first - before) * move->perSpan;
        trend.acceleration2 = real_madd(acceleration, acceleration, trend.acceleration2);
        trend.room += 0.5f * (v[a] - first) * (v[a] + first) + move->gravity[a] * way[a];
        trend.rise = real_madd(first, more, trend.rise);
        trend.bend += 0.5f * more * more;
    }
    return trend;
}

/// How the velocities of a body go on.
typedef struct PbdVerdict {
    REAL share; ///< of the second order in them
    REAL bank;  ///< J, that they may gain later
} PbdVerdict;

/// From sums of trends over a body, and what was in its bank.
/// A sudden stop is no motion to go on from: with the second order a body would leave a floor that it hit faster than it
/// came. So where acceleration leaps, nothing of it is taken, unless it has less energy. And never more than keeps the
/// energy below that of before, or that of the first order: the second would feed on what constraints that are not solved
/// to the end push apart. It sways a little about the truth, so what it lost within the last hundred sub-steps it may gain.
WB_INLINE PbdVerdict pbd_judge(REAL accelerationBefore2, PbdTrend sum, REAL bank) {
    REAL zero = real_set(0), one = real_set(1), tiny = real_set(1e-30f), excess = sum.rise + sum.bend;
    REAL room = real_max(sum.room + bank, zero);
    REAL inner = real_max(real_madd(sum.rise, sum.rise, 4.0f * sum.bend * room), tiny);
    REAL root = inner * real_rsqrt(inner); // of bend share2 + rise share = room
    REAL steep = 2.0f * room * real_rcp(real_max(sum.rise + root, tiny)),
         flat = (root - sum.rise) * real_rcp(real_max(2.0f * sum.bend, tiny));
    REAL share = real_min(real_max(real_select(real_less(zero, sum.rise), steep, flat), zero), one);
    share = real_select(real_less(room, excess), share, one);
    MASK leaps = real_less(accelerationBefore2 * PBD_LEAP2, sum.acceleration2);
    share = real_select(leaps, real_select(real_less(excess, zero), one, zero), share);
    REAL left = bank + sum.room - share * real_madd(share, sum.bend, sum.rise);
    PbdVerdict verdict = {share, real_select(leaps, zero, real_max(left, zero) * PBD_KEPT)};
    return verdict;
}

/// A direction without length: (x, y, z) times `inverse` is a unit vector.
typedef struct PbdGap {
    REAL x, y, z, r, inverse;
} PbdGap;

/// The gap from one point to another; points in one place are parted along x, to the side that `sign` says.
WB_INLINE PbdGap pbd_gap(REAL x, REAL y, REAL z, REAL sign) {
    REAL r2 = real_madd(x, x, real_madd(y, y, z * z));
    MASK together = real_less(r2, real_set(PBD_TINY * PBD_TINY));
    r2 = real_max(r2, real_set(PBD_TINY * PBD_TINY));
    REAL inverse = real_rsqrt(r2);
    PbdGap gap = {real_select(together, sign * PBD_TINY, x), y, z, r2 * inverse, inverse};
    return gap;
}

/// The change of lambda of C = r - rest [M16, eq. 18]: (-C - alpha lambda) / (sum of w + alpha), within what its kind
/// allows. PBD is the same without alpha and lambda.
WB_INLINE REAL pbd_distance(const bool xpbd, REAL r, REAL rest, REAL weight, REAL lambda,
                            const PbdRule *rule) {
    REAL lowest = real_set(rule->lowest), highest = real_set(rule->highest), zero = real_set(0);
    REAL sum = real_max(xpbd ? weight + rule->alpha : weight, real_set(1e-30f));
    REAL error = xpbd ? rest - r - lambda * rule->alpha : rest - r;
    REAL change = error * real_rcp(sum);
    REAL next = real_min(real_max(xpbd ? lambda + change : change, lowest), highest);
    // all pinned: nothing moves, and infinity times no weight would be no number
    return real_select(real_less(zero, weight), (xpbd ? next - lambda : next) * rule->scale, zero);
}

/// The share of a slide across a contact that friction takes back; `depth` is how far it was pressed in.
WB_INLINE REAL pbd_friction(REAL depth, REAL slide2, float friction) {
    return real_min(depth * friction * real_rsqrt(slide2 + PBD_TINY * PBD_TINY), real_set(1));
}

/// A particle during the solution: where it began this sub-step, and how far it has come since. Kept apart, since with
/// short sub-steps the way is small beside the rounding of positions, and velocities are made of it.
typedef struct PbdPlace {
    REAL start[3], way[3];
} PbdPlace;

/// Puts particles back between the two sides of an axis, and rubs them there along the others.
WB_INLINE PbdPlace pbd_side(PbdPlace place, REAL free, int axis, const PbdSides *sides) {
    REAL zero = real_set(0), start = place.start[axis], way = place.way[axis];
    REAL below = real_max(sides->low[axis] - start - way, zero),
         above = real_max(start - sides->high[axis] + way, zero);
    REAL depth = (below + above) * free;
    MASK isAbove = real_less(zero, above);
    REAL slide[3], slide2 = zero;
    for (int a = 0; a < 3; a++) {
        REAL shift = real_select(isAbove, real_set(sides->shift[2 * axis + 1][a]),
                                 real_set(sides->shift[2 * axis][a]));
        slide[a] = a == axis ? zero : place.way[a] - shift;
        slide2 = real_madd(slide[a], slide[a], slide2);
    }
    REAL share = pbd_friction(depth, slide2, sides->friction);
    for (int a = 0; a < 3; a++) place.way[a] -= share * slide[a];
    place.way[axis] = real_madd(below - above, free, way);
    return place;
}

/// Puts particles back before a plane that `height` was above at the start, and rubs them along it; the solid behind it
/// moves by `shift`.
WB_INLINE PbdPlace pbd_plane(PbdPlace place, const REAL normal[3], REAL height, const REAL shift[3],
                             REAL free, const PbdContact *c) {
    REAL zero = real_set(0), along = zero, slideAlong = zero, slide2 = zero, slide[3];
    for (int a = 0; a < 3; a++) {
        along = real_madd(normal[a], place.way[a], along);
        slide[a] = place.way[a] - shift[a];
        slideAlong = real_madd(normal[a], slide[a], slideAlong);
    }
    REAL depth = real_max(0.5f * c->distance - height - along, zero) * free;
    for (int a = 0; a < 3; a++) {
        slide[a] -= slideAlong * normal[a];
        slide2 = real_madd(slide[a], slide[a], slide2);
    }
    REAL share = pbd_friction(depth, slide2, c->friction);
    for (int a = 0; a < 3; a++) place.way[a] += depth * normal[a] - share * slide[a];
    return place;
}

/// What one contact does to a particle.
typedef struct PbdPush {
    REAL x, y, z;
} PbdPush;

/// From the other particle of a contact to this one; `other` is by how much its body has a higher number.
WB_INLINE PbdGap pbd_contact_gap(REAL x, REAL y, REAL z, REAL other) {
    return pbd_gap(x, y, z, real_select(real_less(real_set(0), other), real_set(1), real_set(-1)));
}

/// 1 if two particles touch.
WB_INLINE REAL pbd_touches(REAL x, REAL y, REAL z, REAL other, const PbdContact *c) {
    REAL zero = real_set(0), r = pbd_contact_gap(x, y, z, other).r;
    return real_select(real_less(zero, real_max(c->distance - r, zero)), real_set(1), zero);
}

/// (x, y, z) leads from the other particle to this one, (sx, sy, sz) is how far they slid past each other; `share` is
/// w_i / (n_i w_i + n_j w_j), with n contacts each: who has many gives way in each of them as if it were so many times as light, so that all
/// of them together move it by what is right, and push and answer are equal (Tonge 2012). Negative: there is no contact between them.
WB_INLINE PbdPush pbd_contact(REAL x, REAL y, REAL z, REAL other, REAL sx, REAL sy, REAL sz, REAL share,
                              const PbdContact *c) {
    REAL zero = real_set(0);
    PbdGap gap = pbd_contact_gap(x, y, z, other);
    REAL depth = real_select(real_less(share, zero), zero, real_max(c->distance - gap.r, zero));
    REAL along = (sx * gap.x + sy * gap.y + sz * gap.z) * gap.inverse * gap.inverse;
    sx -= along * gap.x, sy -= along * gap.y, sz -= along * gap.z;
    REAL rub = pbd_friction(depth, sx * sx + sy * sy + sz * sz, c->friction), out = depth * gap.inverse;
    PbdPush push = {share * (out * gap.x - rub * sx), share * (out * gap.y - rub * sy),
                    share * (out * gap.z - rub * sz)};
    return push;
}
