// SPDX-License-Identifier: MIT
// Formulas of pbf_thesis.h over REAL. Volumes are in smallest particles and W_spiky = W_0 s^3, |grad W| = G_0 s^2 with s = 1 - r/h:
//
//     C_i = sum_j V_j W(r_ij, h_i) / S_i - 1
//     mu_i = lambda_i / V_i = -omega s_i C_i S_i / (V_i sum V_j |grad W|2 + |sum V_j grad W|2 + epsilon)
//     dp_i = sum_j V_j (mu_i grad W(h_i) + mu_j grad W(h_j))
//
// in which (4.4) to (4.6) are multiplied by masses, so that they hold for a particle of mass 0.
#pragma once

#include "pbd/pbf_thesis_constants.h"

/// s where a kernel is not zero, else 0.
WB_INLINE REAL thesis_closeness(REAL r, REAL inverseH) { return real_max(1.0f - r * inverseH, real_set(0)); }

/// 1/h^d
WB_INLINE REAL thesis_inverse_volume(REAL inverseH, const ThesisConstants *c) {
    REAL square = inverseH * inverseH;
    return c->isFlat ? square : square * inverseH;
}
/// W_0 and G_0 of a kernel, times the volume of the smallest particle.
WB_INLINE REAL thesis_kernel(REAL inverseH, const ThesisConstants *c) {
    return c->kernel * thesis_inverse_volume(inverseH, c);
}
WB_INLINE REAL thesis_slope(REAL inverseH, const ThesisConstants *c) {
    return 3.0f * inverseH * thesis_kernel(inverseH, c);
}

/// s_i: 1 where masses are equal; that of the source, m_i over the smallest, makes a disc of two sizes fly apart.
WB_INLINE REAL thesis_weight(REAL volume, REAL volumes, REAL neighbours) {
    REAL mean = real_max(volumes, real_set(1e-6f)) / real_max(neighbours, real_set(1));
    REAL weight = real_min(real_max(volume / mean, real_set(0.5f)), real_set(2));
    return real_select(real_less(real_set(0), volumes), weight, real_set(1));
}

/// mu_i G_0 by sums of V_j s^4 and of V_j s^2 times directions, squared; `squares`: of the lattice.
WB_INLINE REAL thesis_push(REAL error, REAL calibration, REAL volume, REAL sum, REAL own2, REAL squares,
                           REAL inverseH, const ThesisConstants *c) {
    REAL slope = thesis_slope(inverseH, c);
    REAL soft = c->softness * squares * (inverseH * inverseH) * thesis_inverse_volume(inverseH, c) *
                real_max(volume, real_set(1));
    REAL denominator = real_madd(slope * slope, real_madd(volume, sum, own2), soft);
    return -c->omega * error * calibration * slope / denominator;
}

/// 1/r, and 0 for the particle itself.
WB_INLINE REAL thesis_inverse_distance(REAL r2, const ThesisConstants *c) {
    return real_select(real_less(real_set(c->tiny), r2), real_rsqrt(r2 + c->tiny), real_set(0));
}

/// Position along one axis, kept in the box.
WB_INLINE REAL thesis_keep_inside(REAL x, REAL inset, int axis, const ThesisMove *move) {
    return real_min(real_max(x, move->room.low[axis] + inset), move->room.high[axis] - inset);
}

/// The share of a side's velocity that particles at a place along its axis take: all of it up to half a smallest particle's spacing before it, nothing from a
/// spacing on.
WB_INLINE REAL thesis_side_share(REAL x, int side, const ThesisMove *move, const ThesisConstants *c) {
    REAL away = side & 1 ? move->room.high[side / 2] - x : x - move->room.low[side / 2];
    return real_min(real_max(2.0f - 2.0f * away * c->inverseSpacing, real_set(0)), real_set(1));
}

/// The least error that counts when changes are settled: inside, particles also come together.
WB_INLINE REAL thesis_least_error(REAL distance, float inside) {
    return real_select(real_less(real_set(inside), distance), real_set(-0.1f), real_set(0));
}

/// Section 4.5.1, by the gradient's length: steep.
WB_INLINE REAL thesis_is_steep(REAL length, REAL inverseH, const ThesisConstants *c) {
    return real_select(real_less(inverseH * c->steep, length), real_set(1), real_set(0));
}
/// Whether a neighbour, this far away and so far along the gradient times its length, is where the density falls (4.31): then it is no boundary.
WB_INLINE REAL thesis_if_nobody_ahead(REAL is, REAL length, REAL r, REAL along, REAL inverseH) {
    REAL zero = real_set(0);
    return real_select(real_less(0.6f * length * r, along),
                       real_select(real_less(r * inverseH, real_set(1)), zero, is), is);
}
/// Or thin. What is on its way into another is none.
WB_INLINE REAL thesis_is_boundary(REAL is, REAL density, REAL volume, const ThesisConstants *c) {
    REAL any = real_select(real_less(density, real_set(c->thin)), real_set(1), is);
    return real_select(real_less(volume, real_set(0.9999f)), real_set(0), any);
}

/// Section 4.2: what a kernel of this intrinsic width asks for so far away: 1 within that width, from there to 0 at half as far again.
WB_INLINE REAL thesis_spread(REAL width, REAL r) {
    REAL share = 3.0f - 2.0f * r / real_max(width, real_set(1e-20f));
    return width * real_min(real_max(share, real_set(0)), real_set(1));
}

/// W(h_i) + W(h_j) of XSPH, which keeps momentum: v_i += (c_i + c_j) / 2 sum V_j (W(h_i) + W(h_j)) / 2 (v_j - v_i); of several fluids, times 2 rho_j / (rho_i + rho_j).
WB_INLINE REAL thesis_mixing(REAL r, REAL inverseH, REAL otherH, const ThesisConstants *c) {
    REAL mine = thesis_closeness(r, inverseH), theirs = thesis_closeness(r, otherH);
    return thesis_kernel(inverseH, c) * (mine * mine * mine) +
           thesis_kernel(otherH, c) * (theirs * theirs * theirs);
}

/// c of a particle: what was changed is calmed more than the rest, see pbf_calming.
WB_INLINE REAL thesis_calming(REAL offset, const ThesisConstants *c) {
    return real_min(10.0f * real_abs(offset), real_set(0.5f)) + c->viscosity;
}

/// A point of a collider as a particle sees it: the way from it, 1/r, s = 1 - r/h, and its volume. Shells are as deep as the narrowest kernel reaches;
/// for wider ones they are stretched, from the surface on, and have more volume. A point that comes to be behind what it is seen from belongs to the
/// other face of something thin. `in` is the unit vector into the collider.
typedef struct ThesisPoint {
    REAL x, y, z, inverse, s, volume;
} ThesisPoint;
WB_INLINE ThesisPoint thesis_see_point(REAL x, REAL y, REAL z, REAL inX, REAL inY, REAL inZ, REAL depth,
                                       REAL volume, REAL inverseH, const ThesisConstants *c) {
    REAL wider = real_max(c->narrow / real_max(inverseH, real_set(1e-6f * c->narrow)), real_set(1));
    REAL stretch = wider - 1.0f, deeper = depth * stretch;
    REAL toX = x - inX * deeper, toY = y - inY * deeper, toZ = z - inZ * deeper;
    REAL r2 = real_madd(toX, toX, real_madd(toY, toY, toZ * toZ));
    REAL along = real_madd(toX, inX, real_madd(toY, inY, toZ * inZ)), inverse = real_rsqrt(r2 + c->tiny);
    REAL seen = real_select(real_less(real_set(0), along * stretch), real_set(0), volume * wider);
    ThesisPoint point = {toX, toY, toZ, inverse, thesis_closeness(r2 * inverse, inverseH), seen};
    return point;
}
