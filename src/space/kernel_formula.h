// SPDX-License-Identifier: MIT
// Kernels that several methods have, once for every machine: over REAL, without their factors.
#pragma once

/// t = 1 - r2/h2, 0 beyond h.
WB_INLINE REAL kernel_closeness2(REAL r2, float inverseH) {
    return real_max(1.0f - r2 * (inverseH * inverseH), real_set(0));
}

/// Spiky with a blunter tip: s^3 (1 + q/3), q = r/h, s = 1 - q; `tiny`, m2, keeps the root of 0 away. With s^3 the lattice resists shear, and
/// waves between two fluids are 4 to 6 % too fast; with s^3 (1 + q) it gives way, and they are 4 to 6 % too slow.
WB_INLINE REAL kernel_blunt(REAL r2, REAL inverseH, float tiny) {
    REAL s = real_max(1.0f - r2 * real_rsqrt(r2 + tiny) * inverseH, real_set(0));
    return s * s * s * (4.0f / 3 - s * (1.0f / 3));
}
/// Its slope, without -8/(3 h): s^2 (1 + q/2), over r.
WB_INLINE REAL kernel_blunt_slope(REAL r2, REAL inverseH, float tiny) {
    REAL inverse = real_rsqrt(r2 + tiny), s = real_max(1.0f - r2 * inverse * inverseH, real_set(0));
    return s * s * (1.5f - 0.5f * s) * inverse;
}
/// Of spiky (Müller, Charypar and Gross 2003), without its factor: s^2, over r.
WB_INLINE REAL kernel_spiky_slope(REAL r2, REAL inverseH, float tiny) {
    REAL inverse = real_rsqrt(r2 + tiny), s = real_max(1.0f - r2 * inverse * inverseH, real_set(0));
    return s * s * inverse;
}

/// Poly6 (Müller, Charypar and Gross 2003): t^3.
WB_INLINE REAL kernel_poly6(REAL r2, float inverseH) {
    REAL t = kernel_closeness2(r2, inverseH);
    return t * t * t;
}
