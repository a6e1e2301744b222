// SPDX-License-Identifier: MIT
// The formulas of position based fluids, once for every machine: over REAL, no pointers but to constants, no branches on
// data. s = 1 - r/h and t = 1 - r2/h2 where a kernel is not zero, else 0.
//
// [M13] Macklin and Müller 2013; lambda and s_corr in units of the lattice's G, so that a scene behaves alike at every
// scale.  [M14] Macklin, Müller, Chentanez and Kim 2014: the density as an inequality.
#pragma once

#include "pbd/pbf_constants.h"
#include "space/kernel_formula.h"

/// g of -m/rho0 grad W = g (x_i - x_j), without gradientScale: sums are scaled once, not pairs.
WB_INLINE REAL pbf_gradient(REAL r2, const PbfConstants *c) {
    return kernel_blunt_slope(r2, real_set(c->inverseH), c->tiny);
}

/// m/rho0 W, without densityScale: the kernel whose gradient moves particles, so that they are moved along the gradient of what they are
/// held to. [M13] has poly6 here and spiky's gradient: then what goes round in a circle gains energy, and water boils in short sub-steps.
WB_INLINE REAL pbf_density(REAL r2, const PbfConstants *c) {
    return kernel_blunt(r2, real_set(c->inverseH), c->tiny);
}

/// lambda_i = -C_i / (sum_k |grad_k C_i|2 + epsilon' G) [M13, eq. 11]; `squares` over k = j and k = i, not scaled yet.
WB_INLINE REAL pbf_lambda(REAL density, REAL squares, const PbfConstants *c) {
    return (1.0f - density) / (squares * (c->gradientScale * c->gradientScale) + c->softness);
}

/// The inverse relative density of a neighbour, faded out at the end of the kernel, where it comes and goes. The largest of
/// them and of the own scales the denominator above, so that lambda is in units of the solver's fluid: no wave of density is
/// answered by more than in one fluid, whatever the ratio. The usual denominator, the sum over k of |grad_k C|2 over relative
/// masses, answers to waves across a sheet of light fluid by 1.6 times as much at a ratio of 10, by 2.2 times at 1000.
/// Faded out over all of the kernel, 50 layers that had been thrown about breathed three times as strongly, for long.
WB_INLINE REAL pbf_lightness(REAL r2, REAL lightness, const PbfConstants *c) {
    return lightness * real_min(4.0f * kernel_closeness2(r2, c->inverseH), real_set(1));
}

/// What an iteration adds to the sum of lambda so far.
WB_INLINE REAL pbf_change(REAL lambda, REAL sum, REAL last, const PbfMove *move, const PbfConstants *c) {
    return real_min(sum + move->step * lambda + move->momentum * last, real_set(c->most)) - sum;
}

/// -s_corr = k/G (W(r) / W(dq h))^4 with poly6 [M13, eq. 13], by apartScale.
WB_INLINE REAL pbf_tension(REAL r2, REAL inverseH, REAL apartScale, const PbfConstants *c) {
    REAL t = real_max(1.0f - r2 * (inverseH * inverseH), real_set(0)) * c->apartInverse, t3 = t * t * t,
         t6 = t3 * t3;
    return t6 * t6 * apartScale;
}

/// (lambda_i + lambda_j + s_corr) g [M13, eq. 14]: dp_i -= this (x_i - x_j), over the relative density of the particle's fluid.
WB_INLINE REAL pbf_correction(REAL r2, REAL lambdas, REAL apartScale, const PbfConstants *c) {
    return (lambdas - pbf_tension(r2, real_set(c->inverseH), apartScale, c)) * pbf_gradient(r2, c);
}

/// m2/s2, times -1: the head that pressure at rest has over that way.
WB_INLINE REAL pbf_head(REAL x, REAL y, REAL z, const float gravity[3]) {
    return real_madd(x, real_set(gravity[0]), real_madd(y, real_set(gravity[1]), z * gravity[2]));
}

/// A point of a collider answers with the particle's lambda and with what the weight of water adds to that on the way to the point: in the
/// mean of both, lambda_i (1 + lean (x_i - x_b) g). With the particle's alone the pressure on each face was that of half a spacing before it,
/// and a cube of 8 spacings as buoyant as one of 8.9. `sum` is lambda's with the change; the weight is added as it grows, so that it never
/// pulls, and all of it, dt2, from a pressure of a quarter of the support's depth on.
WB_INLINE REAL pbf_lean(REAL sum, REAL change, REAL relative, REAL bearing, float dt) {
    const REAL most = dt * dt * relative, zero = real_set(0);
    const REAL now = real_min(real_max(bearing * sum, zero), most),
               before = real_min(real_max(bearing * (sum - change), zero), most);
    const MASK isChanged = real_less(real_set(1e-30f), real_abs(change));
    return real_select(isChanged, 0.5f * (now - before) / real_select(isChanged, change, real_set(1)), zero);
}

/// XSPH [M13, eq. 17] in a form that keeps momentum: c 2m/(rho_i + rho_j) W, of v_j - v_i; w = rho0/rho.
WB_INLINE REAL pbf_mixing(REAL r2, REAL wi, REAL wj, const PbfConstants *c) {
    return pbf_density(r2, c) * (2.0f * c->viscosity * c->densityScale) * (wi * wj) * real_rcp(wi + wj);
}

/// The same among fluids of these relative densities, whose particles have their own mass: c 2m_j/(rho_i + rho_j) W.
WB_INLINE REAL pbf_mixing_of(REAL r2, REAL wi, REAL wj, REAL relativeI, REAL relativeJ,
                             const PbfConstants *c) {
    return pbf_density(r2, c) * (2.0f * c->viscosity * c->densityScale) * (wi * wj * relativeJ) *
           real_rcp(relativeI * wj + relativeJ * wi);
}

/// What a collider that nothing slips along does to a particle with this sum of its points' kernels, all of it from `full` on: the rate of what it
/// lacks of the sum's velocity, and the share that a unit of the sum has in the change.
typedef struct PbfStick {
    REAL rate, share;
} PbfStick;
WB_INLINE PbfStick pbf_stick(REAL sum, float full) {
    PbfStick stick = {real_rcp(real_max(sum, real_set(full))), real_rcp(real_max(sum, real_set(1e-20f)))};
    return stick;
}

/// The same for a side of the box, at a place along its axis: all of it up to half a spacing, nothing from a spacing on.
WB_INLINE REAL pbf_side_share(REAL x, int side, const PbfMove *move) {
    REAL away = side & 1 ? move->room.high[side / 2] - x : x - move->room.low[side / 2];
    return real_min(real_max(2.0f - 2.0f * away * move->inverseSpacing, real_set(0)), real_set(1));
}

/// Position along one axis after a way without hindrance, kept in the box.
WB_INLINE REAL pbf_confine(REAL x, int axis, const PbfMove *move) {
    return real_min(real_max(x, real_set(move->room.low[axis])), real_set(move->room.high[axis]));
}
/// p = x + dt (v + dt g) + what the constraints have moved it by, kept in the box; the box moves it too.
typedef struct PbfDrift {
    REAL to, moved;
} PbfDrift;
WB_INLINE PbfDrift pbf_drift(REAL x, REAL v, REAL moved, int axis, const PbfMove *move) {
    REAL free = x + ((v + move->room.gravity[axis] * move->dt) * move->dt + moved);
    PbfDrift drift = {pbf_confine(free, axis, move), moved};
    drift.moved += drift.to - free;
    return drift;
}

/// v = (p - x) / dt, without the digits that the difference of two places loses: a step of 1e-8 s is less than they have.
WB_INLINE REAL pbf_arrive(REAL v, REAL moved, int axis, const PbfMove *move) {
    return v + move->room.gravity[axis] * move->dt + moved * move->rate;
}
