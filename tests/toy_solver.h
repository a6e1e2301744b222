// SPDX-License-Identifier: MIT
// A solver that a build of the library adds for a test: points that fall onto the ground. This file, which is included before
// all others in that build, and toy_solver.c are all that it takes.
#pragma once

#include "wirbel/params.h"

// clang-format off
#define WB_TOY_PARAMS(F, A, I, B, E, V, S)                                                                   \
    I(points, 64, 1, 1000, "", 0, "how many there are")                                                      \
    F(fall, 9.81f, 0, 100, "m/s2", 1, "with which they fall")
// clang-format on

typedef struct wbToyParams {
    WB_PARAM_FIELDS(WB_TOY_PARAMS)
} wbToyParams;

#define WB_MORE_SECTIONS                                                                                     \
    bool hasToy;                                                                                             \
    wbToyParams toy;

#define WB_MORE_SOLVERS(X) X(toy)
