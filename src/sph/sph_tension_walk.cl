// SPDX-License-Identifier: MIT
// What the kernels of the skin's stress share: among particles (sph_tension.cl), and among colliders' points (sph_boundary.cl).

// S r of a stress f (I - e e^T).
WB_INLINE Real3 tension_stretch(Real3 e, REAL f, Real3 way) {
    const REAL along = dot3(e, way);
    return real3(f * (way.x - e.x * along), f * (way.y - e.y * along), f * (way.z - e.z * along));
}

// Of a stress f (I - e e^T - u u^T).
WB_INLINE Real3 tension_stretch_bent(Real3 e, Real3 u, REAL f, Real3 way) {
    return madd3(-f * dot3(u, way), u, tension_stretch(e, f, way));
}

WB_INLINE Real3 tension_mirror(Real3 a, Real3 base) { return madd3(-2.0f * dot3(a, base), base, a); }

// A point has the stress of the particle, mirrored at the base: S + R S R, R = I - 2 e_b e_b^T.
WB_INLINE Real3 tension_stretch_at_base(Real3 e, Real3 u, REAL f, Real3 base, REAL baseF, Real3 way) {
    const Real3 twice = tension_stretch(base, baseF, way);
    return add3(add3(tension_stretch_bent(e, u, f, way),
                     tension_stretch_bent(tension_mirror(e, base), tension_mirror(u, base), f, way)),
                add3(twice, twice));
}
