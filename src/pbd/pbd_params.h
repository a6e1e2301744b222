// SPDX-License-Identifier: MIT
// The parameters of position based solids, as a table: rows as in wirbel/params.h.
#pragma once

#include "wirbel/params.h"

typedef enum wbPbdSolver {
    wb_pbdGaussSeidel,
    wb_pbdJacobiParticles,
    wb_pbdJacobiConstraints,
} wbPbdSolver;
typedef enum wbPbdMethod { wb_methodPbd, wb_methodXpbd } wbPbdMethod;
typedef enum wbPbdIntegrator { wb_pbdEuler, wb_pbdVerlet } wbPbdIntegrator;

// clang-format off
#define WB_PBD_PARAMS(F, A, I, B, E, V, S)                                                                   \
    E(solver, wbPbdSolver, wb_pbdGaussSeidel, "gaussSeidel|jacobiParticles|jacobiConstraints", 1,            \
      "constraints one colour after another, or all at once: summed by particles, or by constraints")        \
    E(method, wbPbdMethod, wb_methodPbd, "pbd|xpbd", 1,                                                      \
      "pbd: stiffness grows with iterations; xpbd: compliance, whatever the iterations and steps")           \
    E(integrator, wbPbdIntegrator, wb_pbdEuler, "euler|verlet", 1,                                           \
      "time integration; verlet starts with half a kick and takes steps of changing length")                 \
    I(iterations, 5, 1, 10000, "", 1, "of the solver in each sub-step")                                      \
    I(subSteps, 1, 1, 10000, "", 1, "parts that a step is cut into")                                         \
    F(omega, 1, 0, 2, "", 1, "over-relaxation of the Jacobi solvers")                                        \
    F(damping, 0, 0, 1, "", 1, "share of each correction that is left out")                                  \
    F(drag, 0, 0, 1e6f, "1/s", 1, "rate at which velocities die away")                                       \
    F(stiffness, 1, 0, 1, "", 1, "pbd: share of the error in a length that one iteration takes away")        \
    F(bendStiffness, 0.5f, 0, 1, "", 1, "pbd: the same for bending")                                         \
    F(compliance, 0, 0, 1e6f, "m/N", 1, "xpbd: inverse spring constant of lengths; 0: rigid")                \
    F(bendCompliance, 0, 0, 1e6f, "m/N", 1, "xpbd: the same for bending")                                    \
    F(radius, 0, 0, 1e6f, "m", 1, "of particles at walls and at other bodies; 0: bodies pass through each other") \
    F(friction, 0.3f, 0, 100, "", 1, "Coulomb's coefficient, at walls and between bodies")
// clang-format on

typedef struct wbPbdParams {
    WB_PARAM_FIELDS(WB_PBD_PARAMS)
} wbPbdParams;

/// The defaults of the table.
wbPbdParams wbDefaultPbdParams(void);
