// SPDX-License-Identifier: MIT
// Kernels that several methods have, once for every machine: over REAL, without their factors.
#pragma once

/// t = 1 - r2/h2, 0 beyond h.
WB_INLINE REAL kernel_closeness2(REAL r2, float inverseH) {
    return real_max(1.0f - r2 * (inverseH * inverseH), real_set(0));
}

/// Poly6 (Müller, Charypar and Gross 2003): t^3.
WB_INLINE REAL kernel_poly6(REAL r2, float inverseH) {
    REAL t = kernel_closeness2(r2, inverseH);
    return t * t * t;
}
