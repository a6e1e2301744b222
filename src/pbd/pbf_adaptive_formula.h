// SPDX-License-Identifier: MIT
// The formulas of position based fluids with particles of different sizes, once for every machine, over those of pbf_formula.h: C_i =
// sum V_j W_ij - 1 - o_i, with the rest offset o, and with mu_i = lambda_i / V_i
//
//     mu_i = -C_i / (V_i sum V_j |grad W_ij|2 + |sum V_j grad W_ij|2 + epsilon' G_i)
//     dp_i = sum V_j (mu_i + mu_j + s_corr) grad W_ij
//
// of which V_i dp_i cancels pair by pair. What depends on a level comes from tables (PbfLevels).
#pragma once

#include "pbd/pbf_adaptive_constants.h"
#include "pbd/pbf_formula.h"

/// What a particle's level makes of its share in sums of others.
typedef struct PbfSize {
    REAL root;
    REAL density; ///< mass times root^d, what its poly6 weighs
    REAL slope;   ///< mass times root^(d+1), the same of the gradient
    REAL width;   ///< its support over that of level 0
} PbfSize;

/// By root, 2^(-l/2d), and its inverse: masses, which are inverse^2d, times powers of the root.
WB_INLINE PbfSize pbf_size(REAL root, REAL inverse, const int isFlat) {
    REAL width = inverse * inverse;
    PbfSize size = {root, isFlat ? width : width * inverse, isFlat ? inverse : width, width};
    return size;
}

/// 1/h_ij
WB_INLINE REAL pbf_inverse_support(PbfSize own, PbfSize other, const PbfConstants *c) {
    return own.root * other.root * c->inverseH;
}

/// g of -m/rho0 grad W = g (x_i - x_j) of a pair with a support of its own, without mixedGradient, by spiky. Kernels of different sizes are
/// those of [M13], of which the density's own share is a fifth: with those of one size, of which it is nearly half, densities between sizes
/// are so far off that a disc without weight grows by a fifth; with the gradient alone of these, pools do not come to rest after splits.
WB_INLINE REAL pbf_gradient_of(REAL r2, REAL inverseH, const PbfConstants *c) {
    return kernel_spiky_slope(r2, inverseH, c->tiny);
}

/// As pbf_correction.
WB_INLINE REAL pbf_correction_of(REAL r2, REAL inverseH, REAL lambdas, REAL apartScale,
                                 const PbfConstants *c) {
    return (lambdas - pbf_tension(r2, inverseH, apartScale, c)) * pbf_gradient_of(r2, inverseH, c);
}

/// Poly6 of a pair, without its factor and weight.
WB_INLINE REAL pbf_density_of(REAL r2, REAL inverseH) {
    REAL t = real_max(1.0f - r2 * (inverseH * inverseH), real_set(0));
    return t * t * t;
}

/// Of mu as it is wanted: `squares` is the sum over neighbours of g2 r2 root2, `own2` the square of the sum of weighed gradients.
WB_INLINE REAL pbf_mu(REAL error, REAL squares, REAL own2, REAL squaresOwn, REAL slopeOwn, REAL softOwn,
                      const PbfConstants *c) {
    REAL sum = real_madd(squares, squaresOwn, own2 * (slopeOwn * slopeOwn));
    return -error / (sum * (c->mixedGradient * c->mixedGradient) + c->softness * softOwn);
}

/// s_corr of a pair, m2: moves it apart at the acceleration of smallest particles, sqrt(w_i w_j) of what it is for these. At that of its own size, w_i w_j, it lifted
/// coarse water, by 2 % in a pool of 1 m spacing, and made unrest: density errors of half as much again, 100 splits where there are none now.
WB_INLINE REAL pbf_apart(PbfSize own, PbfSize other, float apartScale) {
    return apartScale * (own.width * other.width) * (own.root * other.root);
}

/// The same where positions are evened out without time, by the sizes of both: among large particles, so that the surface stays where it is; and of pairs
/// nearer than 0.8 spacings, which would fall into each other where they are drawn together.
WB_INLINE REAL pbf_apart_still(PbfSize own, PbfSize other, REAL r2, REAL inverseH, PbfApart apart) {
    REAL near = real_max(1.0f - 7.0f * r2 * (inverseH * inverseH), real_set(0));
    return apart.far * (own.width - 1.0f) * (other.width - 1.0f) +
           apart.near * (own.width * other.width) * near;
}

/// XSPH of a pair, by both particles' c and inverse densities, without the own level's factor.
WB_INLINE REAL pbf_mixing_by(REAL r2, REAL inverseH, REAL viscosities, REAL wi, REAL wj,
                             const PbfConstants *c) {
    return pbf_density_of(r2, inverseH) * c->mixedScale * viscosities * (wi * wj) * real_rcp(wi + wj);
}

/// c of a particle: what was changed, and what is coarse, is calmed more than the rest.
WB_INLINE REAL pbf_calming(REAL offset, REAL level, const PbfConstants *c) {
    REAL more = real_min(10.0f * real_abs(offset), real_set(0.5f)) + 0.02f * level;
    return real_min(more + c->viscosity, real_set(0.6f));
}

/// What is added to both particles' c in a pair of which one is much larger: as much larger as neighbours are not where sizes are as they should be. A
/// small one that was left alone among large ones, which are few and far apart for it, is carried along by them; else they threw it
/// about, at 3 m/s in a pool of 30 layers.
WB_INLINE REAL pbf_carrying(PbfSize own, PbfSize other) {
    REAL ratio = real_max(own.width * (other.root * other.root), other.width * (own.root * own.root));
    return real_min(real_max(ratio - 1.6f, real_set(0)), real_set(1));
}

/// 1 where a particle looks like one of a surface by its own neighbourhood, else 0: a large gradient, in units of that of a
/// flat surface, and less density than inside; or nearly half of it. The first layer of settled pools has gradients from 0.6 to 1.5
/// and densities from 0.7 to 0.98, the second gradients below 0.4. But a gap inside of water has the same, so that it takes less density, or a
/// greater gradient, where no surface was near before.
WB_INLINE REAL pbf_looks_like_surface(REAL density, REAL gradient, REAL distance, PbfSurface surface) {
    REAL one = real_set(1), zero = real_set(0);
    REAL high = real_set(0.98f), low = real_set(0.87f);
    REAL most = real_select(real_less(distance, real_set(6.0f * surface.smallest)), high,
                            real_select(real_less(real_set(surface.steep), gradient), high, low));
    REAL steep = real_select(real_less(real_set(0.6f), gradient),
                             real_select(real_less(density, most), one, zero), zero);
    return real_select(real_less(density, real_set(0.75f)), one, steep);
}

/// The distance to the surface from one look to the next: small changes are noise of the detection and followed slowly.
WB_INLINE REAL pbf_follow(REAL now, REAL before, REAL smallest) {
    REAL change = now - before;
    return real_select(real_less(real_abs(change), 4.0f * smallest), before + 0.25f * change, now);
}

/// The distance to the surface: a particle's radius at it, where so many neighbours as needed agree, or where it is nearly alone; else the
/// nearest by way of a neighbour. `mark` is the distance of before, negative where a particle looks like one of a surface.
WB_INLINE REAL pbf_find_distance(REAL mark, REAL nearest, REAL agree, REAL density, REAL radius,
                                 PbfSurface surface) {
    const REAL before = real_abs(mark);
    const REAL few = real_set(surface.few), many = real_set(surface.many);
    REAL needed = real_select(real_less(before, real_set(6.0f * surface.smallest)), few, many), now;
    needed = real_select(real_less(real_set(0.1f * PBF_UNKNOWN_DISTANCE), before), few, needed);
    // what is added to an unknown distance is lost in it, and unfilled lanes of lists are farther away than anything
    nearest = real_select(real_less(nearest, real_set(1e14f)), nearest, real_set(PBF_UNKNOWN_DISTANCE));
    now = real_select(real_less(mark, real_set(0)), real_select(real_less(agree, needed), nearest, radius),
                      nearest);
    now = real_select(real_less(density, real_set(0.5f)), radius, now);
    return pbf_follow(now, before, real_set(surface.smallest));
}

/// Of the density from before a change, up to `most`; inside, where b is above four radii, particles also come together, by a tenth at most.
WB_INLINE REAL pbf_relax_error(REAL density, REAL before, REAL distance, REAL smallest, float most) {
    REAL least = real_select(real_less(4.0f * smallest, distance), real_set(-0.1f), real_set(0));
    return real_min(real_max(density - before, least), real_set(most));
}
