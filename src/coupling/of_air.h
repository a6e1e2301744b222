// SPDX-License-Identifier: MIT
// Air on a grid as bodies feel it. A body that fills cells is a wall, and feels the pressure on its faces. The projection changes the velocity between two
// cells by the difference of their p, in m/s: so the impulse of a step on a face is rho h³ p, into the body.
#pragma once

#include "smoke/smoke.h"

/// What the air did to a body in its last step.
typedef struct wbAirLoad {
    double centre[3];  ///< m, of mass: to be set
    double impulse[6]; ///< N s, N m s about it
    int cells;         ///< that it fills
} wbAirLoad;

/// Solid cells of a grid, and whom they belong to.
typedef struct wbAirBodies {
    const wbSmoke *smoke;
    const uint16_t *mask; ///< as of wbSmokeSolids
    const int *owners;    ///< for each number of the mask, from 1 on: a body, or -1
} wbAirBodies;

/// A face between a solid cell and one of air, or what is beyond the sides.
typedef struct wbAirFace {
    uint16_t mark;        ///< of the solid, as of wbSmokeSolids
    int solid[3], air[3]; ///< cells
    bool isAirWithin;
    double sign;     ///< of the pressure's push into the solid along the axis
    double pressure; ///< m/s, of the cell of air
} wbAirFace;

/// By its axis and its place: of wbSmokeFaces, of which it is at a surface.
wbAirFace wbFindAirFace(const wbSmoke *smoke, const uint16_t *mask, int axis, int place);

/// Adds what each body gets, in the order of faces; kg/m3.
void wbGatherPressure(const wbAirBodies *air, double density, wbAirLoad *loads);

/// m/s at a place, between faces; beyond the cells the velocity is left as it is.
void wbReadVelocity(const wbSmoke *smoke, const double place[3], float velocity[3]);
