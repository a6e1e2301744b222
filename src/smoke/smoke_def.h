// SPDX-License-Identifier: MIT
// What smoke is made from beside its parameters: sources that feed it and bodies that stand in it.
#pragma once

#include "wirbel/types.h"

/// The parameters with their defaults.
wbSmokeParams wbDefaultSmokeParams(void);

/// A place that draws smoke, heat or motion to its own values.
typedef struct wbSmokeSource {
    wbSourceShape shape;
    wbVec3 centre;     ///< m
    float radius;      ///< m, of a sphere
    wbVec3 half;       ///< m, half the edges of a box
    bool soft;         ///< sphere: the strength is a Gauss bell whose deviation is half the radius
    bool feeds, blows; ///< density, temperature and fuel; velocity
    float density, temperature, fuel; ///< -, K on the scale of smoke.ambient, -
    float steam;                      ///< g/m3
    wbVec3 colour;                    ///< of its smoke: red, green, blue
    float expansion;                  ///< 1/s: divergence that it makes, for explosions; negative: it sucks
    wbVec3 velocity;                  ///< m/s
    float rate;                       ///< 1/s at which values are drawn to these; 0: at once
    double start, end;                ///< s
    const uint8_t *cells;             ///< mesh, by wbSmokeCell: 1 in it; faces of such cells are in it, too
    int low[3], high[3];              ///< mesh: such cells along x, y and z are from low to high - 1
} wbSmokeSource;

/// A rigid motion that cells take part in.
typedef struct wbSmokeBody {
    wbVec3 centre;       ///< m, that it turns about
    wbVec3 velocity;     ///< m/s
    wbVec3 spin;         ///< rad/s
    bool hasTemperature; ///< or it insulates
    float temperature;   ///< K, on the scale of smoke.ambient
    /// m/s across the face below a cell, of what does not move as one piece; NULL: the motion above
    float (*flow)(const void *context, int axis, const int at[3]);
    const void *flowContext;
} wbSmokeBody;

bool wbSmokeBody_IsMoving(const wbSmokeBody *body);

/// What solid cells belong to.
typedef struct wbSmokeSolids {
    const uint16_t *mask; ///< by wbSmokeCell: 0, or 1 + number of the body; NULL: there are none
    const wbSmokeBody *bodies;
    int bodyCount;
} wbSmokeSolids;

enum { WB_SMOKE_MAX_BODIES = UINT16_MAX };
