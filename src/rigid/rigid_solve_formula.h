// SPDX-License-Identifier: MIT
// How a contact pushes its two bodies, once for every machine: over REAL, no branches on data; see rigid_formula.h.
#pragma once

#include "rigid/rigid_formula.h"

/// Both bodies of some contacts while they are solved.
typedef struct RigidCouple {
    RigidVector va, wa, vb, wb;           ///< m/s, rad/s
    RigidVector wayA, turnA, wayB, turnB; ///< m, rad, since the step began
    RigidInertia a, b;
    RigidVector armA, armB;
    RigidFrame frame;
    int isRound;
} RigidCouple;

/// An impulse on the second body at the middle, and a moment besides.
WB_INLINE void rigid_push_couple(RigidCouple *c, RigidVector impulse, RigidVector moment, int isFixed) {
    c->va = rigid_madd(-c->a.mass, impulse, c->va);
    c->wa = rigid_sub(c->wa, rigid_spin(c->a, rigid_add(rigid_cross(c->armA, impulse), moment), c->isRound));
    if (isFixed) return;
    c->vb = rigid_madd(c->b.mass, impulse, c->vb);
    c->wb = rigid_add(c->wb, rigid_spin(c->b, rigid_add(rigid_cross(c->armB, impulse), moment), c->isRound));
}

WB_INLINE void rigid_turn_couple(RigidCouple *c, RigidVector moment, int isFixed) {
    c->wa = rigid_sub(c->wa, rigid_spin(c->a, moment, c->isRound));
    if (!isFixed) c->wb = rigid_add(c->wb, rigid_spin(c->b, moment, c->isRound));
}

WB_INLINE RigidVector rigid_across(const RigidFrame *frame, REAL s, REAL t) {
    return rigid_madd(s, frame->s, rigid_scale(t, frame->t));
}

WB_INLINE void rigid_push_sums(RigidCouple *c, RigidSums sums, int isFixed) {
    rigid_push_couple(c, rigid_scale(sums.along, c->frame.n), rigid_across(&c->frame, sums.y, -sums.x),
                      isFixed);
}

WB_INLINE RigidVector rigid_part(const RigidCouple *c) {
    return rigid_parting(c->va, c->wa, c->armA, c->vb, c->wb, c->armB);
}
WB_INLINE RigidVector rigid_part_ways(const RigidCouple *c) {
    return rigid_parting(c->wayA, c->turnA, c->armA, c->wayB, c->turnB, c->armB);
}

/// The impulse of friction at the middle after it stopped as much of the sliding as the cone allows.
WB_INLINE RigidDrag rigid_rub(const RigidCouple *c, RigidDrag before, REAL massS, REAL massT, REAL limit) {
    const RigidVector speed = rigid_part(c);
    RigidDrag drag = {before.s - massS * rigid_dot(c->frame.s, speed),
                      before.t - massT * rigid_dot(c->frame.t, speed)};
    return rigid_drag(drag, limit);
}

/// Likewise of the twist about the normal.
WB_INLINE REAL rigid_twist(const RigidCouple *c, REAL before, REAL mass, REAL limit) {
    const REAL spin = rigid_dot(c->frame.n, rigid_sub(c->wb, c->wa));
    return rigid_clamp(before - mass * spin, limit);
}

/// Against rolling: a moment that stops the bodies' turning against each other, at most `limit`.
WB_INLINE RigidVector rigid_roll(const RigidCouple *c, RigidVector before, REAL mass, REAL limit) {
    const RigidVector moment = rigid_madd(-mass, rigid_sub(c->wb, c->wa), before);
    const REAL cut = limit * real_rsqrt(real_max(rigid_dot(moment, moment), real_set(1e-30f)));
    return rigid_scale(real_min(real_set(1), cut), moment);
}

/// 1 where bodies touch, not just nearly, else 0.
WB_INLINE REAL rigid_touches(REAL separation, REAL impulse) {
    const REAL one = real_set(1), zero = real_set(0);
    return real_select(real_less(zero, separation), real_select(real_less(zero, impulse), one, zero), one);
}
