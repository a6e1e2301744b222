// SPDX-License-Identifier: MIT
// A drop of water in the air. Its drag slows it by a = 3/4 rho_a / rho c(Re) |u| u / d, with c = 24 / Re (1 + 0.15 Re^0.687) up to Re 1000 and
// 0.44 beyond (Schiller and Naumann 1933).
#pragma once

#include <math.h>

typedef struct wbDropAir {
    float density;  ///< kg/m3, of the air
    float liquid;   ///< kg/m3, of the drop
    float diameter; ///< m
} wbDropAir;

#define WB_AIR_VISCOSITY 1.5e-5f ///< m2/s

/// 1/s, at which a drop takes on the velocity of air that passes it at this speed, m/s.
static inline float wbGetDropRate(const wbDropAir *air, float speed) {
    const float reynolds = speed * air->diameter / WB_AIR_VISCOSITY;
    const float stokes = 18 * WB_AIR_VISCOSITY * air->density / (air->liquid * air->diameter * air->diameter);
    if (reynolds < 1000) return stokes * (1 + 0.15f * powf(reynolds, 0.687f));
    return 0.33f * air->density / air->liquid * speed / air->diameter;
}
