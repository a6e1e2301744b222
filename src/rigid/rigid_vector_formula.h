// SPDX-License-Identifier: MIT
// Vectors of three over REAL.
#pragma once

typedef struct RigidVector {
    REAL x, y, z;
} RigidVector;

WB_INLINE RigidVector rigid_vector(REAL x, REAL y, REAL z) {
    RigidVector v = {x, y, z};
    return v;
}
WB_INLINE RigidVector rigid_set(float x, float y, float z) {
    return rigid_vector(real_set(x), real_set(y), real_set(z));
}
WB_INLINE RigidVector rigid_add(RigidVector a, RigidVector b) {
    return rigid_vector(a.x + b.x, a.y + b.y, a.z + b.z);
}
WB_INLINE RigidVector rigid_sub(RigidVector a, RigidVector b) {
    return rigid_vector(a.x - b.x, a.y - b.y, a.z - b.z);
}
/// a + s b
WB_INLINE RigidVector rigid_madd(REAL s, RigidVector b, RigidVector a) {
    return rigid_vector(real_madd(s, b.x, a.x), real_madd(s, b.y, a.y), real_madd(s, b.z, a.z));
}
WB_INLINE RigidVector rigid_scale(REAL s, RigidVector a) { return rigid_vector(s * a.x, s * a.y, s * a.z); }
WB_INLINE REAL rigid_dot(RigidVector a, RigidVector b) {
    return real_madd(a.x, b.x, real_madd(a.y, b.y, a.z * b.z));
}
WB_INLINE RigidVector rigid_cross(RigidVector a, RigidVector b) {
    return rigid_vector(real_madd(a.y, b.z, -(a.z * b.y)), real_madd(a.z, b.x, -(a.x * b.z)),
                        real_madd(a.x, b.y, -(a.y * b.x)));
}
WB_INLINE RigidVector rigid_select(MASK mask, RigidVector a, RigidVector b) {
    return rigid_vector(real_select(mask, a.x, b.x), real_select(mask, a.y, b.y),
                        real_select(mask, a.z, b.z));
}
/// `size` with the sign of another number.
WB_INLINE REAL rigid_with_sign(REAL size, REAL sign) {
    return real_select(real_less(sign, real_set(0)), -size, size);
}
WB_INLINE REAL rigid_clamp(REAL a, REAL limit) { return real_max(-limit, real_min(a, limit)); }
