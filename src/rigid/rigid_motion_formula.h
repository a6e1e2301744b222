// SPDX-License-Identifier: MIT
// Motion of free rigid bodies. Between forces the angular momentum L = R I R^T w stays, not the spin w: a body without symmetry
// tumbles, as it should. Orientations are quaternions, dq/dt = (0, w) q / 2.
#pragma once

#include "rigid/rigid_particles_formula.h"

typedef struct RigidTurn {
    REAL x, y, z, w;
} RigidTurn;

/// Columns: the body's axes in the world.
typedef struct RigidAxes {
    RigidVector x, y, z;
} RigidAxes;

/// Divided by the square of its length, which rounding leaves a hair from 1: else the axes would be too long or too short by the
/// same hair at every step, and angular momentum would grow or fade.
WB_INLINE RigidAxes rigid_axes(RigidTurn q) {
    const REAL one = real_set(1);
    const REAL s = real_set(2) / (q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    RigidAxes r;
    r.x = rigid_vector(one - s * (q.y * q.y + q.z * q.z), s * (q.x * q.y + q.w * q.z),
                       s * (q.x * q.z - q.w * q.y));
    r.y = rigid_vector(s * (q.x * q.y - q.w * q.z), one - s * (q.x * q.x + q.z * q.z),
                       s * (q.y * q.z + q.w * q.x));
    r.z = rigid_vector(s * (q.x * q.z + q.w * q.y), s * (q.y * q.z - q.w * q.x),
                       one - s * (q.x * q.x + q.y * q.y));
    return r;
}

/// R v, of a place or a vector in the body's frame.
WB_INLINE RigidVector rigid_turn(RigidAxes r, RigidVector v) {
    return rigid_madd(v.x, r.x, rigid_madd(v.y, r.y, rigid_scale(v.z, r.z)));
}

/// R diag(m) R^T v
WB_INLINE RigidVector rigid_weigh(RigidAxes r, RigidVector m, RigidVector v) {
    return rigid_turn(
        r, rigid_vector(m.x * rigid_dot(r.x, v), m.y * rigid_dot(r.y, v), m.z * rigid_dot(r.z, v)));
}

/// q + h dq/dt
WB_INLINE RigidTurn rigid_advance_turn(RigidTurn q, REAL h, RigidVector w) {
    const REAL s = real_set(0.5f) * h;
    RigidTurn r;
    r.x = real_madd(s, w.x * q.w + w.y * q.z - w.z * q.y, q.x);
    r.y = real_madd(s, w.y * q.w + w.z * q.x - w.x * q.z, q.y);
    r.z = real_madd(s, w.z * q.w + w.x * q.y - w.y * q.x, q.z);
    r.w = real_madd(s, -(w.x * q.x + w.y * q.y + w.z * q.z), q.w);
    return r;
}

WB_INLINE RigidTurn rigid_normalise(RigidTurn q) {
    const REAL s = real_set(1) / real_sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    RigidTurn r = {s * q.x, s * q.y, s * q.z, s * q.w};
    return r;
}

/// Where a body is turned to after h s at the angular momentum L. The source's rule takes the spin as it is at first; the other
/// one as it is halfway.
WB_INLINE RigidTurn rigid_drift_turn(RigidTurn q, REAL h, RigidVector w, RigidVector momentum,
                                     RigidVector inverseInertia, int halfway) {
    if (halfway) {
        const RigidTurn middle = rigid_normalise(rigid_advance_turn(q, real_set(0.5f) * h, w));
        w = rigid_weigh(rigid_axes(middle), inverseInertia, momentum);
    }
    return rigid_normalise(rigid_advance_turn(q, h, w));
}

/// m/s: no faster than the terminal speed, which is above 0.
WB_INLINE RigidVector rigid_limit(RigidVector v, float terminalSpeed) {
    const REAL v2 = rigid_dot(v, v), most = real_set(terminalSpeed);
    const MASK fast = real_less(most * most, v2);
    const REAL cut = most * real_rsqrt(real_select(fast, v2, real_set(1)));
    return rigid_select(fast, rigid_scale(cut, v), v);
}
