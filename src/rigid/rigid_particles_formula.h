// SPDX-License-Identifier: MIT
// Forces between particles of rigid bodies: spring and damper along the normal (T. Harada, Real-Time Rigid Body Simulation on GPUs,
// GPU Gems 3, 2007, equations 10 and 11), and across it a spring that remembers how far the contact was sheared, cut by Coulomb's
// friction (S. Luding, Introduction to Discrete Element Methods, 2008): without its memory everything creeps.
#pragma once

#include "rigid/rigid_particles_constants.h"
#include "rigid/rigid_vector_formula.h"

/// How two things touch: the normal, from the second to the first, and how deep, m; negative: they do not.
typedef struct RigidTouch {
    RigidVector normal;
    REAL overlap;
} RigidTouch;

/// Two particles whose centres are `gap` apart, from the second to the first, and whose radii add up to `reach`. Of two in one place
/// the first is the upper one.
WB_INLINE RigidTouch rigid_touch(RigidVector gap, REAL reach) {
    const REAL d2 = rigid_dot(gap, gap), tiny = real_set(1e-20f);
    const MASK apart = real_less(tiny, d2);
    const REAL inverse = real_rsqrt(real_max(d2, tiny));
    RigidTouch touch;
    touch.normal = rigid_select(apart, rigid_scale(inverse, gap), rigid_set(0, 1, 0));
    touch.overlap = reach - real_select(apart, d2 * inverse, real_set(0));
    return touch;
}

/// RigidSprings by lane.
typedef struct RigidLaw {
    REAL stiffness, damping, shearStiffness, inverseShear, shearDamping, friction;
} RigidLaw;

/// N, along the normal, where the first moves so fast along it beside the second.
WB_INLINE REAL rigid_spring_force(REAL overlap, REAL along, const RigidLaw *law) {
    return law->stiffness * overlap - law->damping * along;
}

/// N, on the first, where `speed` is its velocity at the point of contact less that of the second. `shear` is how far the contact
/// was sheared when the sub-step began, `span` s ago, and becomes what it is now.
WB_INLINE RigidVector rigid_contact(RigidTouch touch, RigidVector speed, const RigidLaw *law, float span,
                                    RigidVector *shear) {
    const RigidVector n = touch.normal, none = rigid_set(0, 0, 0);
    const REAL zero = real_set(0), along = rigid_dot(speed, n);
    const RigidVector across = rigid_madd(-along, n, speed);
    const REAL push = rigid_spring_force(touch.overlap, along, law);
    RigidVector s = rigid_madd(-rigid_dot(*shear, n), n, *shear);
    s = rigid_madd(real_set(span), across, s);
    RigidVector drag = rigid_madd(-law->shearDamping, across, rigid_scale(-law->shearStiffness, s));
    const REAL limit = law->friction * real_max(push, zero), drag2 = rigid_dot(drag, drag);
    const MASK slips = real_less(limit * limit, drag2);
    const REAL cut = limit * real_rsqrt(real_max(drag2, real_set(1e-30f)));
    drag = rigid_select(slips, rigid_scale(cut, drag), drag);
    const RigidVector left = rigid_scale(-law->inverseShear, rigid_madd(law->shearDamping, across, drag));
    s = rigid_select(slips, left, s);
    const MASK touches = real_less(zero, touch.overlap);
    s = rigid_select(real_less(zero, law->shearStiffness), s, none);
    *shear = rigid_select(touches, s, none);
    return rigid_select(touches, rigid_madd(push, n, drag), none);
}
