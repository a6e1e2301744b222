// SPDX-License-Identifier: MIT
// Defaults of position based bodies; what solids and fluids share.
#pragma once

#include "wirbel/params.h"

wbPbdParams wbDefaultPbdParams(void);

/// s2, of gravity in the way of a sub-step: dt2, where velocities take all of it first (Euler). Verlet is p = 2 x - x_before + dt2 g
/// with x - x_before = dt v; dt (dt + dt_before) / 2 allows for unequal steps. `before` is 0 in the first.
static inline float wbGetKick(bool isVerlet, float dt, float before) {
    return isVerlet ? 0.5f * dt * (dt + before) : dt * dt;
}
