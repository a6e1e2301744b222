// SPDX-License-Identifier: MIT
// The formulas of the split scheme, once for every machine: over REAL, no pointers but to constants, no branches on data.
//
// With V F (x_i - x_j) = -V grad W, the gradient of the density's kernel times a particle's volume, calibrated on the lattice (so that
// the divergence of x is d and k = p/rho0), and e = rho/rho0 - 1:
//
//     a_i = ext_i + sum_j (k_i + k_j) V F (x_i - x_j) + (k_i + w_i) B_i        pressure: the adjoint of G
//     (G u)_i = sum_j V F (x_i - x_j)·(u_j - u_i)                              minus the divergence of u
//     r_i = dt2 (G a)_i + dt (G v)_i + E_i <= 0,  k_i >= 0,  r_i k_i = 0        no density grows beyond what is allowed
//     E_i = slack min(e_i, 0) + push max(e_i - dead zone, 0)
//
// solved by Jacobi's method, k_i = max(0, k_i + omega r_i / (lambda dt2 D_i)), from the k of the step before. lambda is the
// largest eigenvalue of the lattice over its D = sum |V F (x_i - x_j)|2 + |sum V F (x_i - x_j)|2. Sides mirror particles, with their k and
// a. Points of colliders have a volume and a velocity: B_i = sum V_b F (x_i - x_b). There w_i is the reaction that keeps a particle
// from coming too near, as in a contact; it depends on the particle's own a alone and is found exactly.
//
// [B15] Bender and Koschier 2015: constant density and divergence in one solver.  [I14] Ihmsen et al. 2014: implicit incompressible
// SPH, relaxed Jacobi.  [A12] Akinci et al. 2012: colliders as points.
#pragma once

#include "sph/sph_formula.h"
#include "sph/sph_split_constants.h"

/// V F of a pair.
WB_INLINE REAL split_gradient(const bool wendland, REAL r2, const SphSplitConstants *c) {
    return sph_gradient(wendland, sph_closeness(r2, &c->sph), r2, &c->sph);
}

/// k of a particle's pressure in the step before, and back.
WB_INLINE REAL split_remember(REAL pressure, const SphSplitConstants *c) {
    return real_max((pressure + c->sph.ambient) * c->sph.inverseRestDensity, real_set(0));
}
WB_INLINE REAL split_pressure(REAL k, const SphSplitConstants *c) {
    return k * c->sph.restDensity - c->sph.ambient;
}

/// E, from the relative density.
WB_INLINE REAL split_allowed(REAL e, const SphSplitConstants *c) {
    REAL zero = real_set(0);
    return real_madd(real_max(e - c->deadZone, zero), real_set(c->push), real_min(e, zero) * c->slack);
}

/// Change of k per r, from D. Few neighbours make no huge answers.
WB_INLINE REAL split_gain(REAL diagonal, const SphSplitConstants *c) {
    return c->gain / real_max(diagonal, real_set(c->leastDiagonal));
}

/// Of one update: the new k, and what it changed, as a residual.
typedef struct SphSplitUpdate {
    REAL k, change;
} SphSplitUpdate;

/// What the update changes counts as the residual, not what is too dense alone: pressure that is left over from the step before is
/// wrong, too.
WB_INLINE SphSplitUpdate split_update(REAL k, REAL residual, REAL gain) {
    REAL next = real_max(real_madd(residual, gain, k), real_set(0));
    SphSplitUpdate update = {next, (next - k) / gain};
    return update;
}

/// w: what stops a particle whose own acceleration would bring it nearer to a boundary by `nearing`, the sum over its points of
/// V_b F (x_i - x_b)·(v_b - v_i - dt a_i), times dt, than there is room for; b2 = |B|2, `lightness` the rest density over that of its fluid.
/// There is room up to the |B| of 0.48 spacings before a plane: a reaction without any is friction, as it stops what slides along uneven
/// points at each of them and gives nothing back behind it, and it holds the second layer as fast as the first. It sets in softly where B is
/// small: there the boundary is far.
WB_INLINE REAL split_contact(REAL nearing, REAL allowed, REAL b2, REAL lightness,
                             const SphSplitConstants *c) {
    REAL inverse = 1.0f / real_max(b2, real_set(c->contactFloor));
    REAL share = 1.0f - inverse * c->contactFloor;
    REAL room = real_max(c->contactRest - real_sqrt(b2), real_set(0)) * c->contactRoom;
    return real_max(nearing + allowed - room, real_set(0)) * (share * inverse) / (lightness * c->dt2);
}

/// k of the correction of places: one update from 0 of what is too dense.
WB_INLINE REAL split_push(REAL e, REAL gain) { return real_max(e, real_set(0)) * gain; }

/// What beside a boundary is added to the k of a particle's own push, by which it goes to where neighbours and points are even around
/// it: the contact holds it at any distance, and where it lies too near, k has to make up for the gap on its other side. Not where
/// density lacks, as at surfaces.
WB_INLINE REAL split_shift(REAL e, REAL b2, REAL gain, const SphSplitConstants *c) {
    REAL inside =
        real_max(real_madd(real_min(e, real_set(0)), real_set(c->shiftFade), real_set(1)), real_set(0));
    REAL share = 1.0f - c->contactFloor / real_max(b2, real_set(c->contactFloor));
    return inside * share * gain * c->shift;
}

/// Factor that cuts a push of this squared length.
WB_INLINE REAL split_cut(REAL length2, const SphSplitConstants *c) {
    return real_min(real_rsqrt(length2 + c->sph.tiny) * c->longestPush, real_set(1));
}
