// SPDX-License-Identifier: MIT
// The formulas of smoothed particle hydrodynamics, once for every machine: over REAL, no pointers but to
// constants, no branches on data. s = 1 - r/h where a kernel is not zero, else 0.
//
// [M03] Müller, Charypar and Gross 2003: poly6, spiky and viscosity kernel.
// [W95] Wendland 1995: C2 function.  [D12] Dehnen and Aly 2012: its normalisation as a kernel.
// [M92] Monaghan 1992: pressure.  [M05] Monaghan 2005: artificial viscosity.  [B85] Brookshaw 1985: Laplacian
// by a first derivative.  [A12] Akinci et al. 2012: colliders as points.  [A13] Akinci, Akinci and Teschner 2013: surface
// tension, adhesion.  [S08] Solenthaler and Pajarola 2008: fluids of different density by number densities.
//
// Fluids of different rest density [S08]. A particle has the same volume V in each, so its compression is V sum W whoever
// its neighbours are. Written for a reference fluid of rest density rho0, rho = rho0 V sum W is smooth across an interface,
// and so is the pressure, which is a function of it alone: an interface makes no force of its own. Pairs then give the
// force over the reference particle's mass, equal and opposite; a particle whose fluid is r times as dense is
// accelerated by 1/r of it. Its speed of sound is c / sqrt(r), its impedance rho c is sqrt(r) times the reference's.
#pragma once

#include "space/kernel_formula.h"
#include "sph/sph_constants.h"

/// Coefficients of one pair: a_i += along (x_i - x_j) + drag (v_j - v_i) + bend (n_j - n_i).
typedef struct SphPair {
    REAL along, drag, bend;
} SphPair;

/// s = max(1 - r/h, 0)
WB_INLINE REAL sph_closeness(REAL r2, const SphConstants *c) {
    return real_max(1.0f - real_scaled_root(r2, c->inverseH, c->tiny), real_set(0));
}

/// Density kernels without their factor, from the squared distance.
WB_INLINE REAL sph_poly6(REAL r2, const SphConstants *c) { return kernel_poly6(r2, c->inverseH); }
WB_INLINE REAL sph_wendland(REAL r2, const SphConstants *c) {
    REAL s = sph_closeness(r2, c), s2 = s * s;
    return s2 * s2 * real_madd(s, real_set(-4.0f), real_set(5.0f));
}

/// p = B ((rho/rho0)^7 - 1), B = rho0 c2 / 7
WB_INLINE REAL sph_tait(REAL density, const SphConstants *c) {
    REAL x = density * c->inverseRestDensity, x2 = x * x, x4 = x2 * x2;
    return (x4 * x2 * x - 1.0f) * c->stiffness;
}
/// p = c2 (rho - rho0)
WB_INLINE REAL sph_linear(REAL density, const SphConstants *c) {
    return (density * c->inverseRestDensity - 1.0f) * c->stiffness;
}
WB_INLINE REAL sph_clamp(REAL pressure, const SphConstants *c) {
    return real_max(pressure, real_set(c->minPressure));
}

/// Bulk viscosity: what the rate of density adds to the pressure. It damps sound and leaves shear alone; what
/// it does to a column that is let go stands in docs/water.md. `impedance` as in sph_artificial.
WB_INLINE REAL sph_bulk(REAL density, REAL before, REAL impedance, float inverseTime, const SphConstants *c) {
    return (density - before) * (impedance * (c->bulkScale * inverseTime));
}

/// What a particle's density makes of it.
typedef struct SphState {
    REAL pressure;       ///< Pa, of the equation of state, above that of the air
    REAL inverseDensity; ///< w = 1/rho
    REAL term;           ///< p/rho2, where p has the bulk viscosity in it, less that of the air at rest
} SphState;

WB_INLINE SphState sph_state(const bool tait, REAL density, REAL before, REAL impedance, float inverseTime,
                             const SphConstants *c) {
    REAL state = tait ? sph_tait(density, c) : sph_linear(density, c), inverse = 1.0f / density;
    REAL pressure = sph_clamp(state + sph_bulk(density, before, impedance, inverseTime, c), c);
    REAL air = real_set(c->ambient * c->inverseRestDensity * c->inverseRestDensity);
    SphState result = {sph_clamp(state, c) - c->ambient, inverse, pressure * inverse * inverse - air};
    return result;
}

/// Artificial viscosity [M92, eq. 4.1]: Pi_ij = -alpha c mu_ij / mean density,
/// mu_ij = l min(v·r, 0) / (r2 + 0.01 l2). With wi, wj = 1/rho, 2 / (rho_i + rho_j) = 2 wi wj / (wi + wj)
/// needs one division only. `impedance` is rho c of the pair, 1 in the reference fluid: what damps sound is as strong
/// beside its pressure in every fluid.
WB_INLINE REAL sph_artificial(REAL r2, REAL vr, REAL wi, REAL wj, REAL impedance, const SphConstants *c) {
    REAL inverse = real_rcp((r2 + c->artificialFloor) * (wi + wj));
    return real_min(vr, real_set(0)) * (wi * wj) * inverse * (impedance * -c->artificialScale);
}

/// The normals' sum [A13]: n_i = h sum m/rho_j grad W = -sum of this times (x_i - x_j); gradient of the density's
/// kernel.
WB_INLINE REAL sph_normal(const bool wendland, REAL r2, REAL wj, const SphConstants *c) {
    REAL s = wendland ? sph_closeness(r2, c) : kernel_closeness2(r2, c->inverseH);
    return (wendland ? s * s * s : s * s) * wj * c->normalScale;
}

/// The spline of cohesion [A13] without its factor, q = 1 - s = r/h: q^3 s^3, less 1/64 - q^3 s^3 where q < 1/2. It
/// attracts, and repels what is nearer than 0.27 h.
WB_INLINE REAL sph_cohesion(REAL s) {
    REAL t = s * (1.0f - s), t3 = t * t * t;
    return real_select(real_less(real_set(0.5f), s), t3 + (t3 - 0.015625f), t3);
}

/// m F of pressure, where -grad W = F (x_i - x_j): [D12] 20 alpha/h2 s^3; [M03] spiky 45/(pi h^4 r) s^2.
WB_INLINE REAL sph_gradient(const bool wendland, REAL s, REAL r2, const SphConstants *c) {
    REAL s2 = s * s;
    return (wendland ? s2 * s : s2 * real_rsqrt(r2 + c->tiny)) * c->gradientScale;
}

/// mu m times the Laplacian: by [B85] 2 F; [M03] 45/(pi h^5) s.
WB_INLINE REAL sph_laplacian(const bool wendland, REAL s, const SphConstants *c) {
    return (wendland ? s * s * s : s) * c->laplacianScale;
}

/// Pressure, viscosity and (where `artificial`) artificial viscosity and (where `surface`) surface tension between two
/// particles. pi, pj = p/rho2, wi, wj = 1/rho, vr = (v_i - v_j)·(x_i - x_j); -grad W = F (x_i - x_j).
/// `impedance` as in sph_artificial.
WB_INLINE SphPair sph_pair(const bool wendland, const bool artificial, const bool surface, REAL r2, REAL vr,
                           REAL wi, REAL wj, REAL pi, REAL pj, REAL impedance, const SphConstants *c) {
    REAL s = sph_closeness(r2, c);
    REAL force = sph_gradient(wendland, s, r2, c), laplacian = sph_laplacian(wendland, s, c);
    REAL sum = pi + pj;
    if (artificial) sum += sph_artificial(r2, vr, wi, wj, impedance, c);
    SphPair pair = {force * sum, laplacian * (wi * wj), real_set(0)};
    if (surface) { // [A13] 2 rho0 / (rho_i + rho_j) makes up for the few neighbours that a surface has
        REAL few = (wi * wj) * real_rcp(wi + wj);
        pair.along -= few * sph_cohesion(s) * real_rsqrt(r2 + c->tiny) * c->cohesionScale;
        pair.bend = real_select(real_less(real_set(0), s), few * c->curvatureScale, real_set(0));
    }
    return pair;
}

/// The spline of adhesion [A13] without its factor, q = 1 - s = r/h: (-4 q2 + 6 q - 2)^1/4 where q > 1/2.
WB_INLINE REAL sph_adhesion(REAL s) {
    return real_sqrt(real_sqrt(real_max(s * (2.0f - 4.0f * s), real_set(0))));
}

/// What a collider's point does to a particle [A12]: pressure by p/rho2 of the particle (`pi`) and of the point (`pb`),
/// viscosity (artificial, too) where fluid does not slip, adhesion where `adhesive`. The point has `weight` times a
/// particle's volume; `drag` is the weight, or 0 where fluid slips; `adhesion` the weight times N/m.
/// vr = (v_i - v_b)·(x_i - x_b); `impedance` is the particle's. Times -m it is what acts on the point.
WB_INLINE SphPair sph_boundary_pair(const bool wendland, const bool adhesive, REAL r2, REAL vr, REAL wi,
                                    REAL pi, REAL pb, REAL weight, REAL drag, REAL adhesion, REAL impedance,
                                    const SphConstants *c) {
    REAL s = sph_closeness(r2, c), sum = weight * real_madd(pi, real_set(c->boundaryShare), pb);
    sum = real_madd(drag, sph_artificial(r2, vr, wi, wi, impedance, c), sum);
    SphPair pair = {sph_gradient(wendland, s, r2, c) * sum, sph_laplacian(wendland, s, c) * (wi * wi) * drag,
                    real_set(0)};
    if (adhesive) pair.along -= adhesion * sph_adhesion(s) * real_rsqrt(r2 + c->tiny) * c->adhesionScale;
    return pair;
}

/// What a particle adds to the rate of density at a collider's point, times impedance: m F (v_j - v_b)·(x_b - x_j).
/// `vr` is (v_b - v_j)·(x_b - x_j).
WB_INLINE REAL sph_boundary_rate(const bool wendland, REAL r2, REAL vr, REAL impedance,
                                 const SphConstants *c) {
    return -sph_gradient(wendland, sph_closeness(r2, c), r2, c) * vr * impedance;
}

/// p/rho2 of a collider's point: the mean over the particles near it, from sums of W p/rho2 and of W (0 where there are
/// none), and the bulk viscosity of what comes nearer, by the sum of sph_boundary_rate. A side's ghost would come as fast
/// from the other side, and a particle and its ghost both feel that: twice. Without it the mean, which is no function
/// of how near the water is, feeds sound (docs/water.md). It takes and gives no more than the mean: a point that could
/// push what comes, but not pull what goes, would throw a jet back.
WB_INLINE REAL sph_boundary_term(REAL terms, REAL weights, REAL rate, const SphConstants *c) {
    REAL mean = terms * real_rcp(real_max(weights, real_set(1e-20f)));
    REAL bulk = rate * (2 * c->bulkScale * c->inverseRestDensity * c->inverseRestDensity);
    REAL most = real_max(mean, -mean);
    return mean + real_min(real_max(bulk, -most), most);
}

/// Position and velocity along one axis; `check` is NaN where something is not finite.
typedef struct SphMotion {
    REAL position, velocity, check;
} SphMotion;

/// Kick, drift, then the sides: what passed one is put back onto it and bounces, as seen from the side.
WB_INLINE SphMotion sph_move(REAL x, REAL v, REAL start, REAL acceleration, int axis, const SphMove *m) {
    REAL kicked = real_madd(acceleration + m->room.gravity[axis], real_set(m->kick), start);
    REAL moved = real_madd(m->driftsAfterKick ? kicked : v, real_set(m->drift), x);
    REAL low = real_set(m->room.low[axis]), high = real_set(m->room.high[axis]);
    REAL fromLow = (m->lowSpeed[axis] - kicked) * m->restitution + m->lowSpeed[axis];
    REAL fromHigh = (m->highSpeed[axis] - kicked) * m->restitution + m->highSpeed[axis];
    kicked = real_select(real_less(moved, low), real_max(kicked, fromLow), kicked);
    kicked = real_select(real_less(high, moved), real_min(kicked, fromHigh), kicked);
    SphMotion motion = {real_min(real_max(moved, low), high), kicked, kicked + moved * 0.0f};
    return motion;
}
