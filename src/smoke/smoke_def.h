// SPDX-License-Identifier: MIT
// What smoke is made from: its parameters, sources that feed it and bodies that stand in it.
#pragma once

#include "wirbel/types.h"

typedef enum wbAdvection { wb_advectionSemiLagrangian, wb_advectionMacCormack } wbAdvection;
typedef enum wbBacktrace { wb_backtraceEuler, wb_backtraceMidpoint } wbBacktrace;
typedef enum wbPressureSolver { wb_pressureJacobi, wb_pressureSor, wb_pressureMultigrid } wbPressureSolver;

// clang-format off
#define WB_SMOKE_PARAMS(F, A, I, B, E, V, S)                                                                 \
    F(cellSize, 0.02f, 1e-6f, 1e6f, "m", 0, "edge of a cell; the box is rounded to whole cells")             \
    E(advection, wbAdvection, wb_advectionSemiLagrangian, "semiLagrangian|macCormack", 1,                    \
      "how density and temperature are carried: smooth and cheap, or with more detail")                      \
    E(velocityAdvection, wbAdvection, wb_advectionSemiLagrangian, "semiLagrangian|macCormack", 1,            \
      "the same for the velocity")                                                                           \
    E(backtrace, wbBacktrace, wb_backtraceEuler, "euler|midpoint", 1,                                        \
      "path along which they are carried: straight, or by the velocity half-way")                            \
    B(keepMass, 1, 1, "in a box without open sides the amount of smoke is held")                             \
    F(densityDecay, 0, 0, 1e6f, "1/s", 1, "rate at which smoke fades")                                       \
    F(cooling, 0, 0, 1e6f, "1/s", 1, "rate at which heat fades")                                             \
    F(velocityDecay, 0, 0, 1e6f, "1/s", 1, "rate at which motion fades")                                     \
    F(buoyancy, 0.0335f, -1e6f, 1e6f, "m/s2/K", 1, "lift per kelvin above ambient, against gravity")         \
    F(weight, 0.2f, -1e6f, 1e6f, "m/s2", 1, "fall of smoke of density 1, along gravity")                     \
    V(wind, 0, 0, 0, -1e6f, 1e6f, "m/s2", 1, "uniform acceleration of the air")                              \
    F(confinement, 0.1f, 0, 1e3f, "", 1, "strength of the force that keeps small vortices alive")            \
    F(viscosity, 0, 0, 1e6f, "m2/s", 1, "kinematic; 0: off and costs nothing; air: 1.5e-5")                  \
    B(fire, 0, 0, "there is fuel, which burns to heat and smoke")                                            \
    F(burnRate, 3, 0, 1e6f, "1/s", 1, "fire: rate at which hot fuel burns")                                  \
    F(ignition, 50, -1e6f, 1e6f, "K", 1, "fire: temperature above ambient from which fuel burns")            \
    F(burnHeat, 1500, 0, 1e6f, "K", 1, "fire: rise of temperature by fuel of density 1")                     \
    F(soot, 0.5f, 0, 1e3f, "", 1, "fire: smoke by fuel of density 1")                                        \
    E(pressureSolver, wbPressureSolver, wb_pressureMultigrid, "jacobi|sor|multigrid", 1,                     \
      "how the pressure is found: fixed sweeps of Jacobi or red-black over-relaxation, or multigrid")        \
    F(tolerance, 1e-3f, 1e-6f, 1, "", 1,                                                                     \
      "multigrid: divergence that may remain, as a share of that before, root mean square")                  \
    I(maxCycles, 20, 1, 1000, "", 1, "multigrid: cycles at most in a step")                                  \
    I(sweeps, 40, 1, 100000, "", 1, "jacobi and sor: sweeps in a step")                                      \
    F(relaxation, 1.7f, 0.1f, 1.99f, "", 1, "sor: factor of over-relaxation")
// clang-format on

typedef struct wbSmokeParams {
    WB_PARAM_FIELDS(WB_SMOKE_PARAMS)
} wbSmokeParams;

/// The parameters with their defaults.
wbSmokeParams wbDefaultSmokeParams(void);

typedef enum wbSourceShape { wb_sourceSphere, wb_sourceBox } wbSourceShape;

/// A place that draws smoke, heat or motion to its own values.
typedef struct wbSmokeSource {
    wbSourceShape shape;
    wbVec3 centre;     ///< m
    float radius;      ///< m, of a sphere
    wbVec3 half;       ///< m, half the edges of a box
    bool soft;         ///< sphere: the strength is a Gauss bell whose deviation is half the radius
    bool feeds, blows; ///< density, temperature and fuel; velocity
    float density, temperature, fuel; ///< -, K above ambient, -
    float expansion;                  ///< 1/s: divergence that it makes, for explosions; negative: it sucks
    wbVec3 velocity;                  ///< m/s
    float rate;                       ///< 1/s at which values are drawn to these; 0: at once
    double start, end;                ///< s
} wbSmokeSource;

/// A rigid motion that cells take part in.
typedef struct wbSmokeBody {
    wbVec3 centre;   ///< m, that it turns about
    wbVec3 velocity; ///< m/s
    wbVec3 spin;     ///< rad/s
} wbSmokeBody;

enum { WB_SMOKE_MAX_BODIES = 255 };
