// SPDX-License-Identifier: MIT
// The formulas of exact contacts, once for every machine: over REAL, no branches on data.
//
// [C11] E. Catto 2011: soft constraints.  [C24] E. Catto 2024: Solver2D, soft step with relaxation.
//
// The points of a manifold lie in a plane: place = middle + x s + y t, with s, t and the normal n an orthonormal frame. The speed of
// approach at a point is that of the middle plus x and y times the rates at which the bodies tilt towards each other: three numbers,
// `RigidApproach`, which an impulse at a point changes by a matrix of 3 x 3. So points are solved one after another as in [C24], but
// in this small space; the bodies are changed once. Friction acts at the middle, as a cone, and by a twist about n.
#pragma once

#include "rigid/rigid_constants.h"
#include "rigid/rigid_vector_formula.h"

typedef struct RigidFrame {
    RigidVector n, s, t;
} RigidFrame;

/// The same for the same normal.
WB_INLINE RigidFrame rigid_frame(RigidVector n) {
    const MASK steep = real_less(real_set(0.57735f), real_abs(n.x));
    const REAL zero = real_set(0);
    RigidFrame frame;
    frame.n = n;
    frame.s = rigid_vector(real_select(steep, n.y, zero), real_select(steep, -n.x, n.z),
                           real_select(steep, zero, -n.y));
    frame.s = rigid_scale(real_rsqrt(rigid_dot(frame.s, frame.s)), frame.s);
    frame.t = rigid_cross(n, frame.s);
    return frame;
}

/// What of a body resists: 1/kg, 1/(kg m2).
typedef struct RigidInertia {
    REAL mass, xx, xy, xz, yy, yz, zz;
} RigidInertia;

/// The change of spin by an impulse's moment. Round: xx alone counts.
WB_INLINE RigidVector rigid_spin(RigidInertia i, RigidVector moment, int isRound) {
    if (isRound) return rigid_scale(i.xx, moment);
    return rigid_vector(real_madd(i.xx, moment.x, real_madd(i.xy, moment.y, i.xz * moment.z)),
                        real_madd(i.xy, moment.x, real_madd(i.yy, moment.y, i.yz * moment.z)),
                        real_madd(i.xz, moment.x, real_madd(i.yz, moment.y, i.zz * moment.z)));
}

/// Of two bodies' velocities, or of their ways since the step began: v + w x arm of the second less that of the first.
WB_INLINE RigidVector rigid_parting(RigidVector va, RigidVector wa, RigidVector armA, RigidVector vb,
                                    RigidVector wb, RigidVector armB) {
    return rigid_sub(rigid_add(rigid_sub(vb, va), rigid_cross(wb, armB)), rigid_cross(wa, armA));
}

/// How the second body goes away from the first: along n at the middle, and per metre of x and y.
typedef struct RigidApproach {
    REAL along, x, y;
} RigidApproach;

/// From n x s = t: n . (w x s) = -w . t and n . (w x t) = w . s.
WB_INLINE RigidApproach rigid_approach(RigidFrame frame, RigidVector parting, RigidVector wa,
                                       RigidVector wb) {
    const RigidVector w = rigid_sub(wb, wa);
    RigidApproach a = {rigid_dot(frame.n, parting), -rigid_dot(w, frame.t), rigid_dot(w, frame.s)};
    return a;
}

/// Changes of an approach by impulses: symmetric, 1/kg, 1/(kg m), 1/(kg m2).
typedef struct RigidResponse {
    REAL nn, nx, ny, xx, xy, yy;
} RigidResponse;

/// J M^-1 J^T of the rows n, x and y of an approach.
WB_INLINE RigidResponse rigid_response(RigidFrame frame, RigidVector armA, RigidVector armB, RigidInertia a,
                                       RigidInertia b, int isRound) {
    const RigidVector leverA = rigid_cross(armA, frame.n), leverB = rigid_cross(armB, frame.n);
    const RigidVector spinA = rigid_spin(a, leverA, isRound), spinB = rigid_spin(b, leverB, isRound);
    const RigidVector both = rigid_add(spinA, spinB);
    const RigidVector s = rigid_add(rigid_spin(a, frame.s, isRound), rigid_spin(b, frame.s, isRound));
    const RigidVector t = rigid_add(rigid_spin(a, frame.t, isRound), rigid_spin(b, frame.t, isRound));
    RigidResponse r;
    r.nn = a.mass + b.mass + rigid_dot(leverA, spinA) + rigid_dot(leverB, spinB);
    r.nx = -rigid_dot(frame.t, both), r.ny = rigid_dot(frame.s, both);
    r.xx = rigid_dot(frame.t, t), r.xy = -rigid_dot(frame.s, t), r.yy = rigid_dot(frame.s, s);
    return r;
}

/// 1/kg: change of the speed along `direction` by an impulse along it, both at the arms.
WB_INLINE REAL rigid_yielding(RigidVector direction, RigidVector armA, RigidVector armB, RigidInertia a,
                              RigidInertia b, int isRound) {
    const RigidVector leverA = rigid_cross(armA, direction), leverB = rigid_cross(armB, direction);
    return a.mass + b.mass + rigid_dot(leverA, rigid_spin(a, leverA, isRound)) +
           rigid_dot(leverB, rigid_spin(b, leverB, isRound));
}

/// Passes: with a soft push apart; without; without, and what comes near fast is left to bounce in the next sub-step.
enum { RIGID_PUSH_SOFT, RIGID_PUSH_RELAX, RIGID_PUSH_BOUNCING };

/// How an impulse at (x, y) of a manifold changes the approach; and the speed at that point, 1/kg.
typedef struct RigidPointResponse {
    REAL n, x, y, yields;
} RigidPointResponse;

WB_INLINE RigidPointResponse rigid_point_response(RigidResponse r, REAL x, REAL y) {
    RigidPointResponse p;
    p.n = real_madd(r.ny, y, real_madd(r.nx, x, r.nn));
    p.x = real_madd(r.xy, y, real_madd(r.xx, x, r.nx));
    p.y = real_madd(r.yy, y, real_madd(r.xy, x, r.ny));
    p.yields = real_madd(p.y, y, real_madd(p.x, x, p.n));
    return p;
}

/// What of its impulse a soft contact keeps, of bodies so thick; `press`, in m/s, is the speed that its impulse of before alone would
/// give its most loaded point. There a spring of stiffness s sinks in by press / (biasRate s), and at the foot of a pile contacts bear
/// fifty times the weight of the bodies that they are between. So it hardens with the load, to a bound: the more loaded of two still
/// sinks in farther, or it would be open which of them bears what.
WB_INLINE REAL rigid_keep(REAL thickness, REAL press, RigidTerms terms) {
    const REAL stiffness = real_max(real_set(terms.stiffness), real_set(terms.sag) / thickness) +
                           press / (thickness * terms.give);
    return stiffness / (stiffness + 1);
}

/// What an impulse becomes at a separation and a speed of parting. Where bodies are apart it lets them come just near enough [C24].
WB_INLINE REAL rigid_push(REAL impulse, REAL mass, REAL speed, REAL separation, REAL pushSpeed, REAL keep,
                          RigidTerms terms, int kind) {
    const REAL zero = real_set(0);
    const MASK apart = real_less(zero, separation);
    const REAL gap = separation * terms.perSubStep;
    if (kind != RIGID_PUSH_SOFT) {
        const REAL stops = real_max(impulse - mass * (speed + real_select(apart, gap, zero)), zero);
        if (kind == RIGID_PUSH_RELAX) return stops;
        const REAL left = real_select(real_less(speed, real_set(-terms.bounceSpeed)), impulse, stops);
        return real_select(apart, real_min(left, stops), stops);
    }
    const REAL bias = real_select(apart, gap, real_max(separation * terms.biasRate, -pushSpeed));
    const REAL scale = real_select(apart, mass, mass * keep);
    const REAL kept = real_select(apart, impulse, impulse * keep);
    return real_max(kept - scale * (speed + bias), zero);
}

/// Impulses of a manifold's points, and their sums: along n, and times x and y.
typedef struct RigidSums {
    REAL along, x, y;
} RigidSums;

WB_INLINE RigidApproach rigid_select_approach(MASK mask, RigidApproach a, RigidApproach b) {
    RigidApproach r = {real_select(mask, a.along, b.along), real_select(mask, a.x, b.x),
                       real_select(mask, a.y, b.y)};
    return r;
}
WB_INLINE RigidSums rigid_select_sums(MASK mask, RigidSums a, RigidSums b) {
    RigidSums r = {real_select(mask, a.along, b.along), real_select(mask, a.x, b.x),
                   real_select(mask, a.y, b.y)};
    return r;
}

/// One point in the small space.
WB_INLINE REAL rigid_push_point(REAL impulse, REAL x, REAL y, REAL separation, RigidApproach way,
                                RigidResponse r, REAL pushSpeed, REAL keep, RigidTerms terms, int kind,
                                RigidApproach *speed, RigidSums *sums) {
    const RigidPointResponse p = rigid_point_response(r, x, y);
    const REAL mass = real_rcp(real_max(p.yields, real_set(1e-30f)));
    const REAL now = separation + real_madd(way.y, y, real_madd(way.x, x, way.along));
    const REAL parting = real_madd(speed->y, y, real_madd(speed->x, x, speed->along));
    const REAL after = rigid_push(impulse, mass, parting, now, pushSpeed, keep, terms, kind),
               change = after - impulse;
    speed->along = real_madd(p.n, change, speed->along);
    speed->x = real_madd(p.x, change, speed->x), speed->y = real_madd(p.y, change, speed->y);
    sums->along += change;
    sums->x = real_madd(x, change, sums->x), sums->y = real_madd(y, change, sums->y);
    return after;
}

/// Impulses across the normal, cut to a cone.
typedef struct RigidDrag {
    REAL s, t;
} RigidDrag;
WB_INLINE RigidDrag rigid_drag(RigidDrag drag, REAL limit) {
    const REAL size2 = real_madd(drag.s, drag.s, drag.t * drag.t);
    const REAL cut = real_min(real_set(1), limit * real_rsqrt(real_max(size2, real_set(1e-30f))));
    RigidDrag r = {drag.s * cut, drag.t * cut};
    return r;
}
