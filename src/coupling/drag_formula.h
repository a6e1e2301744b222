// SPDX-License-Identifier: MIT
// The air's drag on a piece of a surface or of a rope, once for every machine: over REAL, no branches on data.
//
//     f = rho / 2 A (c_n |u_n| u_n + c_t |u| u_t)
//
// with u the velocity of the air as the piece sees it, across it (n) and along it (t). Of a time dt, with the piece's mobility w (1/kg: the
// velocity that an impulse at it gives it), it is solved for the velocity at the end: with s = rho / 2 A c |u| dt,
//
//     J = s u / (1 + s w)
//
// which never turns u round, and so never gains energy, however long dt is.
#pragma once

/// Three numbers.
typedef struct DragVec {
    REAL x, y, z;
} DragVec;

WB_INLINE REAL drag_dot(DragVec a, DragVec b) { return real_madd(a.x, b.x, real_madd(a.y, b.y, a.z * b.z)); }
WB_INLINE DragVec drag_sub(DragVec a, DragVec b) { return (DragVec){a.x - b.x, a.y - b.y, a.z - b.z}; }
WB_INLINE DragVec drag_scale(REAL s, DragVec a) { return (DragVec){s * a.x, s * a.y, s * a.z}; }
WB_INLINE DragVec drag_add_scaled(DragVec a, REAL s, DragVec b) {
    return (DragVec){real_madd(s, b.x, a.x), real_madd(s, b.y, a.y), real_madd(s, b.z, a.z)};
}
WB_INLINE DragVec drag_cross(DragVec a, DragVec b) {
    return (DragVec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

#define DRAG_TINY 1e-30f ///< squared lengths below have no direction

/// kg: J without what the piece gives way, per u.
WB_INLINE REAL drag_strength(REAL area, REAL speed2, float coefficient) {
    return area * coefficient * (speed2 * real_rsqrt(speed2 + DRAG_TINY));
}

/// kg: the same with it.
WB_INLINE REAL drag_share(REAL strength, REAL mobility) {
    return strength * real_rcp(real_madd(strength, mobility, real_set(1)));
}

/// J of a piece: `area` is rho / 2 A dt.
WB_INLINE DragVec drag_impulse(DragVec across, DragVec along, REAL area, REAL mobility, float normal,
                               float tangential) {
    const REAL across2 = drag_dot(across, across), all2 = across2 + drag_dot(along, along);
    const DragVec j = drag_scale(drag_share(drag_strength(area, across2, normal), mobility), across);
    return drag_add_scaled(j, drag_share(drag_strength(area, all2, tangential), mobility), along);
}
