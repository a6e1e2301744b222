// SPDX-License-Identifier: MIT
// Two solvers that a build of the library adds for a test: points that fall onto the ground, and dust, a fluid of particles. This
// file, which is included before all others in that build, toy_solver.c and toy_fluid.c are all that it takes.
#pragma once

#include "wirbel/params.h"

// clang-format off
#define WB_TOY_PARAMS(F, A, I, B, E, V, S)                                                                   \
    I(points, 64, 1, 1000, "", 0, "how many there are")                                                      \
    F(fall, 9.81f, 0, 100, "m/s2", 1, "with which they fall")
#define WB_DUST_PARAMS(F, A, I, B, E, V, S)                                                                  \
    F(spacing, 0.1f, 1e-3f, 1, "m", 0, "distance of particles in blocks")                                    \
    F(restDensity, 1000, 1, 1e4f, "kg/m3", 1, "with their volume their mass")                                \
    B(fails, 0, 1, "steps find no memory")
// clang-format on

typedef struct wbToyParams {
    WB_PARAM_FIELDS(WB_TOY_PARAMS)
} wbToyParams;
typedef struct wbDustParams {
    WB_PARAM_FIELDS(WB_DUST_PARAMS)
} wbDustParams;

#define WB_MORE_SECTIONS                                                                                     \
    bool hasToy;                                                                                             \
    wbToyParams toy;                                                                                         \
    wbDustParams dust;

#define WB_MORE_SOLVERS(X)                  X(toy)
#define WB_MORE_FLUID_SOLVERS(X, SEPARATOR) SEPARATOR X(dust)
