// SPDX-License-Identifier: MIT
// Defaults of position based solids; the parameters of fluids, as a table with rows as in wirbel/params.h.
#pragma once

#include "wirbel/params.h"

typedef enum wbPbfConstraint { wb_densityInequality, wb_densityEquality } wbPbfConstraint;

// clang-format off
#define WB_PBF_PARAMS(F, A, I, B, E, V, S)                                                                   \
    F(spacing, 0.1f, 1e-6f, 1e6f, "m", 0,                                                                    \
      "distance of particles on the undisturbed lattice; sets their mass")                                   \
    F(smoothing, 2.1f, 1.1f, 6, "spacings", 1, "support radius h of the kernels")                            \
    F(restDensity, 1000, 1e-3f, 1e6f, "kg/m3", 1, "density that the constraints hold")                       \
    I(iterations, 4, 1, 10000, "", 1, "of the solver in each sub-step")                                      \
    I(subSteps, 1, 1, 10000, "", 1, "parts that a step is cut into")                                         \
    E(constraint, wbPbfConstraint, wb_densityInequality, "inequality|equality", 1,                           \
      "the density may not rise above the rest density, or not fall below it either")                        \
    F(relaxation, 0.01f, 1e-6f, 10, "", 1,                                                                   \
      "softens the constraints of particles with few neighbours; in units of the lattice's gradients")       \
    F(omega, 1.5f, 0.01f, 4, "", 1,                                                                          \
      "relaxation of the solver; from 2 on the lattice's stiffest wave of density grows")                    \
    F(tension, 0.1f, 0, 1, "", 1, "artificial pressure between close particles, s_corr's k")                 \
    F(tensionPoint, 0.2f, 0, 0.9f, "h", 1, "distance at which that pressure is counted from")                \
    F(viscosity, 0.01f, 0, 1, "", 1, "XSPH's c: share of the neighbours' velocity that is taken on")         \
    F(vorticity, 0, 0, 1e3f, "m/s", 1, "vorticity confinement; 0: off and costs nothing")
// clang-format on

typedef struct wbPbfParams {
    WB_PARAM_FIELDS(WB_PBF_PARAMS)
} wbPbfParams;

/// The defaults of the tables.
wbPbdParams wbDefaultPbdParams(void);
wbPbfParams wbDefaultPbfParams(void);
