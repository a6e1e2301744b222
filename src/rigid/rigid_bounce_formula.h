// SPDX-License-Identifier: MIT
// Restitution, once for every machine: over REAL, no branches on data; see rigid_formula.h.
//
// Collisions come before contacts (Guendelman, Bridson and Fedkiw 2003): in each sub-step points that will touch in it part by
// Newton's law, all that meet at once together; then those that meet by that, in rounds (Smith et al. 2012), so that a row of balls
// passes a blow on while a box that lands flat stays so. Points that meet all approach, so that no energy comes from it.
#pragma once

#include "rigid/rigid_solve_formula.h"

/// Points of two bodies that are near each other, before the bodies are moved by h times their velocities.
typedef struct RigidMeeting {
    REAL parting; ///< m/s, what they will be moved with
    REAL gained;  ///< m/s, of it from forces in this sub-step
    REAL gap;     ///< m
} RigidMeeting;

/// The square of the speed of touch. Places that are moved by v += a h, x += h v lie on a parabola, on which v - a h / 2 is the speed
/// at the sub-step's begin: with it energy is what it should be, wherever in a sub-step they touch, and if they did already.
WB_INLINE REAL rigid_touch_speed2(RigidMeeting m, float perSubStep) {
    const REAL speed = m.parting - 0.5f * m.gained;
    return real_madd(m.gained * (-2 * perSubStep), m.gap, speed * speed);
}

/// 1 where they approach fast enough to bounce and touch within so many sub-steps, else 0.
WB_INLINE REAL rigid_meets(RigidMeeting m, REAL share, RigidTerms terms, float subSteps) {
    const REAL one = real_set(1), zero = real_set(0);
    const REAL near = real_madd(m.gap, real_set(terms.perSubStep), m.parting * subSteps);
    const REAL fast = real_select(
        real_less(real_set(terms.bounceSpeed * terms.bounceSpeed), rigid_touch_speed2(m, terms.perSubStep)),
        one, zero);
    const REAL approaches = real_select(real_less(m.parting, zero), fast, zero);
    return real_select(real_less(zero, share), real_select(real_less(near, zero), approaches, zero), zero);
}

/// With what they are to be moved after the bounce: as if they had left the place of touch with their share of the speed there.
WB_INLINE REAL rigid_bounce_speed(RigidMeeting m, REAL share, float perSubStep) {
    const REAL left2 = share * share * rigid_touch_speed2(m, perSubStep);
    const REAL speed2 = real_madd(m.gained * (2 * perSubStep), m.gap, left2);
    return real_madd(m.gained, real_set(0.5f), real_sqrt(real_max(speed2, real_set(0))));
}

/// In sub-steps; a little more than one, or what touches just at its end would be stopped by the next pass.
#define RIGID_THIS_SUB_STEP 1.001f
#define RIGID_NEXT_SUB_STEP 2

/// The speeds wanted of a manifold's points; above 0 if any of them meets. Points that would touch one sub-step later than others do so
/// together with them: boxes never land quite flat.
WB_INLINE REAL rigid_meet_points(const RigidMeeting *meetings, REAL share, RigidTerms terms, REAL *wanted) {
    REAL any = real_set(0);
    for (int i = 0; i < RIGID_POINTS; i++)
        any = real_max(any, rigid_meets(meetings[i], share, terms, RIGID_THIS_SUB_STEP));
    for (int i = 0; i < RIGID_POINTS; i++) {
        const REAL meets = any * rigid_meets(meetings[i], share, terms, RIGID_NEXT_SUB_STEP);
        wanted[i] =
            real_select(real_less(real_set(0), meets),
                        rigid_bounce_speed(meetings[i], share, terms.perSubStep), real_set(RIGID_NO_BOUNCE));
    }
    return any;
}

/// The points of a manifold push each other in their small space until they agree: each sweep leaves about a third of an error.
enum { RIGID_BOUNCE_SWEEPS = 8 };

/// An impulse that leads to the wanted speed, never a pull; none where nothing is wanted.
WB_INLINE REAL rigid_bounce(REAL before, REAL mass, REAL parting, REAL wanted) {
    const REAL after = real_max(before + mass * (wanted - parting), real_set(0));
    return real_select(real_less(real_set(RIGID_NO_BOUNCE), wanted), after, real_set(0));
}

/// What of a change of speed is more than rounding and what few bounces differ by.
WB_INLINE REAL rigid_unsettled(REAL change, REAL wanted) {
    return real_max(real_abs(change) - 1e-3f * real_abs(wanted) - 1e-6f, real_set(0));
}

/// A point of a manifold; as rigid_push_point. `rest` becomes the largest change of speed that was still needed.
WB_INLINE REAL rigid_bounce_point(REAL before, REAL x, REAL y, REAL wanted, RigidResponse r,
                                  RigidApproach *speed, RigidSums *sums, REAL *rest) {
    const REAL n = real_madd(r.ny, y, real_madd(r.nx, x, r.nn));
    const REAL dx = real_madd(r.xy, y, real_madd(r.xx, x, r.nx)),
               dy = real_madd(r.yy, y, real_madd(r.xy, x, r.ny));
    const REAL yields = real_max(real_madd(dy, y, real_madd(dx, x, n)), real_set(1e-30f));
    const REAL parting = real_madd(speed->y, y, real_madd(speed->x, x, speed->along));
    const REAL after = rigid_bounce(before, real_rcp(yields), parting, wanted), change = after - before;
    *rest = real_max(*rest, rigid_unsettled(change * yields, wanted));
    speed->along = real_madd(n, change, speed->along);
    speed->x = real_madd(dx, change, speed->x), speed->y = real_madd(dy, change, speed->y);
    sums->along += change;
    sums->x = real_madd(x, change, sums->x), sums->y = real_madd(y, change, sums->y);
    return after;
}
