// SPDX-License-Identifier: MIT
// Springs and dampers that particles of two bodies get: the same in C and in OpenCL C.
#pragma once

#include "rigid/rigid_particles_constants.h"

#ifdef __OPENCL_VERSION__
#    define RIGID_SQRT sqrt
#    define RIGID_LOG  log
#    define RIGID_MIN  fmin
#    define RIGID_MAX  fmax
#else
#    include <math.h>
#    define RIGID_SQRT sqrtf
#    define RIGID_LOG  logf
#    define RIGID_MIN  fminf
#    define RIGID_MAX  fmaxf
#endif

/// A property of two materials, by a wbMix.
static inline float rigid_mix(int rule, float a, float b) {
    return rule == 0   ? RIGID_SQRT(a * b)
           : rule == 1 ? 0.5f * (a + b)
           : rule == 2 ? RIGID_MIN(a, b)
           : rule == 3 ? RIGID_MAX(a, b)
                       : a * b;
}

/// Share of the critical damping with which a spring gives back the share e of a speed: e = exp(-pi z / sqrt(1 - z2)).
static inline float rigid_damping_ratio(float restitution, float otherwise) {
    if (!(restitution > 0)) return otherwise;
    const float l = RIGID_LOG(restitution);
    return -l / RIGID_SQRT(9.8696044f + l * l);
}

/// The source's springs are what they are. Others bear the heavier body's weight with the wanted overlap on one contact, as far as
/// sub-steps can follow when as many touch as the smaller body has on a side: a fixed share, not that of those that touch now, so
/// that the springs keep their energy when contacts come and go.
static inline RigidSprings rigid_springs(RigidRule rule, RigidMatter a, RigidMatter b) {
    const float restitution =
        b.hasMaterial ? rigid_mix(rule.restitutionMix, a.restitution, b.restitution) : a.restitution;
    RigidSprings s = {rule.stiffness, rule.damping, 0, 0, 0, 0};
    if (!(rule.stiffness > 0)) {
        const float weight = RIGID_MAX(a.weight, b.weight), face = RIGID_MIN(a.face, b.face);
        const float share = 1 / ((a.inverseMass + b.inverseMass) * face);
        s.stiffness = share * rule.stableRate2;
        if (weight > 0) s.stiffness = RIGID_MIN(s.stiffness, weight / (rule.overlap * a.radius));
        s.damping = 2 * rigid_damping_ratio(restitution, rule.damping) * RIGID_SQRT(s.stiffness * share);
    }
    if (rule.isSeed) return s;
    s.shearStiffness = rule.shearStiffness * s.stiffness;
    s.inverseShear = s.shearStiffness > 0 ? 1 / s.shearStiffness : 0;
    s.shearDamping = rule.shearDamping * s.damping;
    s.friction = b.hasMaterial ? rigid_mix(rule.frictionMix, a.friction, b.friction) : a.friction;
    return s;
}
