// SPDX-License-Identifier: MIT
// What all kernels of rigid bodies as particles begin with.

WB_INLINE RigidVector xyz(float4 a) { return rigid_vector(a.x, a.y, a.z); }
WB_INLINE float4 quad(RigidVector a) { return (float4)(a.x, a.y, a.z, 0); }
WB_INLINE RigidTurn as_turn(float4 q) {
    RigidTurn turn = {q.x, q.y, q.z, q.w};
    return turn;
}
WB_INLINE RigidVector three(__global const float *a) { return rigid_vector(a[0], a[1], a[2]); }

WB_INLINE bool may_meet(__global const RigidBodyLaw *a, uint category, uint mask) {
    return (a->category & mask) && (category & a->mask);
}

// How deep a particle is in a side; negative: it is not.
WB_INLINE float get_side_overlap(float4 at, const RigidSide *side) {
    if (!side->isClosed) return -1;
    return at.w - (side->normal[0] * at.x + side->normal[1] * at.y + side->normal[2] * at.z - side->offset);
}
