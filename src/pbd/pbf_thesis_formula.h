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
